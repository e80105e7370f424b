//! The figures of the documentation, from recorded campaigns: `docs/figures/NAME/` becomes the picture `docs/figures/NAME.svg`, and every
//! text and figure that a page quotes of it. Whoever measures a campaign anew runs this chore and reads what it has changed.

use crate::shell::{cargo, root};
use anyhow::{Context, Result};
use std::fs;

pub fn figures() -> Result<()> {
    let folder = root().join("docs/figures");
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let campaign = entry?.path();
        if campaign.join("campaign.db").is_file() {
            let from = campaign.display().to_string();
            let to = campaign.with_extension("svg");
            let to = to.display().to_string();
            let run = ["run", "--quiet", "--package", "tare", "--"];
            let report = ["report", &from, "--format", "svg", "--out", &to];
            cargo(&[&run[..], &report].concat(), &[])?;
        }
    }
    // The same code compares what is quoted.
    let quoted = ["test", "--package", "tare", "--test", "docs", "what_pages_quote"];
    cargo(&quoted, &[("TARE_WRITE_DOCS", "1")])
}
