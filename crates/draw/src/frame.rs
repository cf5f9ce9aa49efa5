//! The frame of every picture: the document, its description, its style sheet, its heading.

use crate::{
    svg::{Area, Svg, clip, escape, number},
    theme::{ROOT, STYLE},
};

/// The width of every picture.
pub const WIDTH: f64 = 960.0;
/// The space left and right of what is drawn.
pub const MARGIN: f64 = 48.0;

/// What every picture has.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The heading.
    pub title: &'a str,
    /// The line under it.
    pub caption: &'a str,
    /// The description for screen readers.
    pub description: &'a str,
    /// A class of its own, with rules beside the common ones.
    pub style: Option<(&'a str, &'a str)>,
    pub height: f64,
}

impl Frame<'_> {
    /// The document with what `draw` draws in it.
    pub fn around(&self, draw: impl FnOnce(&mut Svg)) -> String {
        let mut svg = Svg::default();
        let (class, rules) = self.style.unwrap_or_default();
        let class = format!("{ROOT} {class}");
        let (class, h) = (class.trim_end(), number(self.height));
        svg.raw(&format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" class="{class}" role="img" viewBox="0 0 {WIDTH} {h}" width="{WIDTH}" height="{h}">"#
        ));
        svg.raw(&format!("<title>{}</title>", escape(self.title)));
        svg.raw(&format!("<desc>{}</desc>", escape(self.description)));
        svg.raw(&format!("<style>{STYLE}{rules}</style>"));
        svg.rect("surface", Area { x: 0.0, y: 0.0, w: WIDTH, h: self.height }, 1.0);
        svg.text("title", MARGIN, 52.0, &clip(self.title, 56));
        svg.text("caption muted", MARGIN, 78.0, &clip(self.caption, 120));
        draw(&mut svg);
        svg.raw("</svg>");
        svg.finish()
    }
}
