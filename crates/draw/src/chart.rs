//! The frame of every chart: the document, its description, its style sheet, its heading, and the
//! place of its data.

use crate::{
    svg::{Area, Svg, clip, escape, number},
    theme::{ROOT, STYLE},
};

/// The width of every chart.
pub const WIDTH: f64 = 960.0;
/// The space left and right of what is drawn.
pub const MARGIN: f64 = 48.0;
/// The space below the data, for the labels of an axis and its title.
const FOOT: f64 = 76.0;

/// What every chart has.
#[derive(Clone, Copy, Debug)]
pub struct Chart<'a> {
    /// Its class in the style sheet, beside the one of all charts.
    pub kind: &'static str,
    /// The heading.
    pub title: &'a str,
    /// The line under it.
    pub caption: &'a str,
    /// The description for screen readers.
    pub description: &'a str,
    /// Where the data are.
    pub plot: Area,
    /// The space below the data and their axis, for more than one chart in a picture.
    pub more: f64,
}

/// The place of the data: `left` is the room for labels, `top` for heading and key.
pub const fn plot(left: f64, top: f64, height: f64) -> Area {
    Area { x: left, y: top, w: WIDTH - left - MARGIN, h: height }
}

impl Chart<'_> {
    /// The document with what `draw` draws in it.
    pub fn draw(&self, draw: impl FnOnce(&mut Svg)) -> String {
        let mut svg = Svg::default();
        let height = self.plot.bottom() + FOOT + self.more;
        let (kind, h) = (self.kind, number(height));
        svg.raw(&format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" class="{ROOT} {kind}" role="img" viewBox="0 0 {WIDTH} {h}" width="{WIDTH}" height="{h}">"#
        ));
        svg.raw(&format!("<title>{}</title>", escape(self.title)));
        svg.raw(&format!("<desc>{}</desc>", escape(self.description)));
        svg.raw(&format!("<style>{STYLE}</style>"));
        svg.rect("surface", Area { x: 0.0, y: 0.0, w: WIDTH, h: height }, 1.0);
        svg.text("title", MARGIN, 52.0, &clip(self.title, 56));
        svg.text("caption muted", MARGIN, 78.0, &clip(self.caption, 120));
        draw(&mut svg);
        svg.raw("</svg>");
        svg.finish()
    }

    /// Says in the middle of the plot why there are no data.
    pub fn nothing(&self, svg: &mut Svg, text: &str) {
        let Area { x, y, w, h } = self.plot;
        svg.line("axis", (x, y + h), (x + w, y + h));
        svg.text("caption muted middle", x + w / 2.0, y + h / 2.0, text);
    }
}

/// The key of a chart, from left to right: the class of each colour and what it stands for.
pub fn key(svg: &mut Svg, pitch: f64, entries: &[(&str, String)]) {
    for (place, (class, name)) in entries.iter().enumerate() {
        let x = MARGIN + pitch * place as f64;
        svg.rect(class, Area { x, y: 102.0, w: 10.0, h: 10.0 }, 1.0);
        svg.text("label", x + 18.0, 112.0, name);
    }
}
