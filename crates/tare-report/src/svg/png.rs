//! A figure as PNG, without a browser: drawn by `resvg` with the fonts of the system.

use resvg::{tiny_skia, usvg};
use std::sync::Arc;

/// Why a figure could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PngError {
    /// The system has no fonts, so the figure would have no text.
    #[error(
        "no fonts on this system, so a PNG would have no text: install one (Debian: fonts-dejavu-core), \
         or take --format svg"
    )]
    NoFonts,
    /// The figure is not one that can be drawn, or too large.
    #[error("the figure cannot be drawn: {0}")]
    Drawing(String),
}

/// Draws an SVG of this crate at `scale` times its size.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let mut options = usvg::Options::default();
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_system_fonts();
    let sans = |face: &&usvg::fontdb::FaceInfo| {
        !face.monospaced && face.families.iter().any(|(name, _)| name.contains("Sans"))
    };
    let best = fonts.faces().find(sans).or_else(|| fonts.faces().next());
    let Some(family) = best.and_then(|face| Some(face.families.first()?.0.clone())) else {
        return Err(PngError::NoFonts);
    };
    fonts.set_sans_serif_family(&family);
    options.font_family = family;
    let drawing = |why: String| PngError::Drawing(why);
    let tree = usvg::Tree::from_str(svg, &options).map_err(|e| drawing(e.to_string()))?;
    let size = tree.size().to_int_size().scale_by(scale);
    let size = size.ok_or_else(|| drawing("no size".into()))?;
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height())
        .ok_or_else(|| drawing(format!("{} × {} pixels", size.width(), size.height())))?;
    let transform = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| drawing(e.to_string()))
}
