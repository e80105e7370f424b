//! Colours, and the style sheet of stand-alone files. The palette is Okabe and Ito's, which every kind of colour vision can
//! distinguish, darkened where it is too faint on white paper.

/// Series colours on light ground; the baseline's first.
pub(crate) const LIGHT: [&str; 8] =
    ["#555555", "#0072b2", "#c85200", "#00805f", "#a8508a", "#a87400", "#2b86b8", "#6b5b00"];

/// The same on dark ground.
pub(crate) const DARK: [&str; 8] =
    ["#b0b0b0", "#5aa9e6", "#f0803c", "#2fc49a", "#dd8fbb", "#e69f00", "#8fd0f5", "#d8cf4a"];

/// Dashes of lines, so that they differ without colour.
const DASHES: [&str; 8] = ["", "", "7 3", "2 2.5", "9 3 2 3", "4 2", "1 3", "12 4"];

/// What figures need beside colours; `var(--…)` is for the page, which defines them.
const MARKS: &str = "\
text{font-family:system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:11px;fill:FG}\
.tick,.note{fill:MUTED;font-size:10px}\
.strong{font-weight:600}\
.title{font-size:15px;font-weight:600}\
.grid{stroke:GRID;stroke-width:1}\
.one{stroke:FG;stroke-width:1}\
.delta{fill:DELTA}\
.floor{fill:FLOOR}\
.dot{fill:currentColor;stroke:BG;stroke-width:.8}\
.ci{stroke:currentColor;stroke-width:2;stroke-linecap:butt}\
.chosen{fill:currentColor;fill-opacity:.12}.off{display:none}.beyond{opacity:.35}.hist{vector-effect:non-scaling-stroke;fill:currentColor;fill-opacity:.16;stroke:currentColor;stroke-width:1.2}\
.curve{fill:none;stroke:currentColor;stroke-width:1.6}\
.area{fill:currentColor;fill-opacity:.18}\
.bar{fill:currentColor;fill-opacity:.75}\
.speck{stroke:currentColor;stroke-width:2.6;stroke-linecap:round;fill:none}\
.whisker{stroke:currentColor;stroke-width:1.4;stroke-opacity:.4;fill:none}\
.change{stroke:FG;stroke-width:1.2;stroke-dasharray:4 3}\
.seam{stroke:GRID;stroke-width:1}\
.paper{fill:BG}";

/// The figures' rules with each colour's place filled in.
fn marks(colours: &[(&str, &str)]) -> String {
    colours.iter().fold(MARKS.to_owned(), |css, (name, value)| css.replace(name, value))
}

fn dashes() -> String {
    let each = DASHES.iter().enumerate().filter(|(_, dash)| !dash.is_empty());
    each.map(|(n, dash)| format!(".s{n} .curve{{stroke-dasharray:{dash}}}")).collect()
}

/// The rules for figures in the page, whose colours are its variables.
pub(crate) fn of_page() -> String {
    let names = ["FG", "MUTED", "GRID", "DELTA", "FLOOR", "BG"];
    let variables: Vec<String> =
        names.iter().map(|name| format!("var(--{})", name.to_lowercase())).collect();
    let pairs: Vec<(&str, &str)> =
        names.iter().zip(&variables).map(|(name, value)| (*name, value.as_str())).collect();
    let series: String = (0..LIGHT.len()).map(|n| format!(".s{n}{{color:var(--c{n})}}")).collect();
    marks(&pairs) + &dashes() + &series
}

/// The rules for a file of its own, on white.
pub(crate) fn of_file() -> String {
    let colours = [
        ("FG", "#1a1a1a"),
        ("MUTED", "#555"),
        ("GRID", "#dcdcdc"),
        ("DELTA", "#d9ead9"),
        ("FLOOR", "#e4e4ee"),
        ("BG", "#fff"),
    ];
    let series: String =
        LIGHT.iter().enumerate().map(|(n, c)| format!(".s{n}{{color:{c}}}")).collect();
    marks(&colours) + &dashes() + &series
}

pub(crate) fn variables(colours: &[&str]) -> String {
    colours.iter().enumerate().map(|(n, colour)| format!("--c{n}:{colour};")).collect()
}
