//! The frame of every page: head, content security policy, style sheet, script, header and footer.

use crate::svg::theme;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// What a page is called, where its parts are, and whether it follows a server.
#[derive(Debug, Clone, Copy)]
pub struct Shell<'a> {
    /// For the window and the heading.
    pub title: &'a str,
    /// Places to go to: address and name.
    pub nav: &'a [(&'a str, &'a str)],
    /// The script may ask the server that the page came from. A file on its own must not ask anybody.
    pub connects: bool,
}

static STYLE: LazyLock<String> = LazyLock::new(|| {
    let light = theme::variables(&theme::LIGHT);
    let dark = theme::variables(&theme::DARK);
    let paper = include_str!("style.css").replace("/*light*/", &light).replace("/*dark*/", &dark);
    paper + &theme::of_page()
});

const SCRIPT: &str = include_str!("script.js");

static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'",
        hash(&STYLE),
        hash(SCRIPT)
    )
});

/// A whole page around `body`.
pub fn shell(shell: &Shell, body: &Markup) -> Markup {
    let connect = match shell.connects {
        true => "; connect-src 'self'; form-action 'self'",
        false => "; form-action 'none'",
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(format!("{}{connect}", *POLICY));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (shell.title) }
                style { (PreEscaped(STYLE.as_str())) }
            }
            body {
                a.skip href="#scoreboard" { "Skip to the scoreboard" }
                header {
                    h1 { bdi { (shell.title) } }
                    nav aria-label="On this page" {
                        @for (address, name) in shell.nav { a href=(address) { (name) } " " }
                        button #theme type="button" hidden { "Dark" }
                    }
                }
                (body)
                footer { "Written by tare. This page loads nothing from elsewhere and sends nothing." }
                div #tip role="status" hidden {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// A source's hash as a policy names it.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * digit)) as usize & 63] as char;
            out.push(if digit <= chunk.len() { letter } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let coded = texts.map(|text| base64(text.as_bytes()));
        assert_eq!(coded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn style_and_script_stay_inside_their_elements() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
