//! The frame of every chart: the document, its description, its style sheet, its heading, and the
//! place of its data.

use crate::{
    svg::{Area, Svg, clip, escape, number},
    theme::{ROOT, STYLE},
};

/// Where a chart is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A file of its own, with heading, key and style sheet.
    #[default]
    File,
    /// A part of a page, which has heading, key and style sheet. What can be chosen in the chart has
    /// the role of a button, a name, and its data in attributes `data-…`.
    Page,
}

/// The space left and right of what is drawn in a file.
pub const MARGIN: f64 = 48.0;

/// The size of a chart, and the place of its data.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub form: Form,
    pub width: f64,
    pub height: f64,
    pub plot: Area,
}

impl Layout {
    /// A file: `left` is the room for labels, `top` for heading and key, `h` the height of the plot.
    pub const fn file(left: f64, top: f64, h: f64) -> Layout {
        let plot = Area { x: left, y: top, w: 960.0 - left - MARGIN, h };
        Layout { form: Form::File, width: 960.0, height: top + h + 76.0, plot }
    }

    /// A part of a page of this width; the rest as in a file.
    pub const fn page(width: f64, left: f64, top: f64, h: f64) -> Layout {
        let plot = Area { x: left, y: top, w: width - left - 14.0, h };
        Layout { form: Form::Page, width, height: top + h + 32.0, plot }
    }

    /// A higher picture, with space for more below.
    pub fn higher(self, by: f64) -> Layout {
        Layout { height: self.height + by, ..self }
    }

    pub fn is_file(self) -> bool {
        self.form == Form::File
    }
}

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
    pub layout: Layout,
}

impl Chart<'_> {
    /// The document with what `draw` draws in it.
    pub fn draw(&self, draw: impl FnOnce(&mut Svg)) -> String {
        let mut svg = Svg::new(self.layout.form);
        let Layout { width, height, form, .. } = self.layout;
        let (kind, title) = (self.kind, escape(self.title));
        let [w, h] = [width, height].map(number);
        let root = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" class="{ROOT} {kind}" viewBox="0 0 {w} {h}""#
        );
        match form {
            Form::File => {
                svg.raw(&format!(r#"{root} role="img" width="{w}" height="{h}">"#));
                svg.raw(&format!("<title>{title}</title>"));
            }
            // The browser would show a title as the tooltip of every empty place.
            Form::Page => svg.raw(&format!(r#"{root} role="group" aria-label="{title}">"#)),
        }
        svg.raw(&format!("<desc>{}</desc>", escape(self.description)));
        if form == Form::File {
            svg.raw(&format!("<style>{STYLE}</style>"));
            svg.rect("surface", Area { x: 0.0, y: 0.0, w: width, h: height }, 1.0);
            svg.text("title", MARGIN, 52.0, &clip(self.title, 56));
            svg.text("caption muted", MARGIN, 78.0, &clip(self.caption, 120));
        }
        draw(&mut svg);
        svg.raw("</svg>");
        svg.finish()
    }

    /// Says in the middle of the plot why there are no data.
    pub fn nothing(&self, svg: &mut Svg, text: &str) {
        let Area { x, y, w, h } = self.layout.plot;
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
