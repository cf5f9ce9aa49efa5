//! Writing SVG: escaping, coordinates, elements.

use std::fmt::Write;

use crate::chart::Form;

/// An SVG document under construction.
#[derive(Debug)]
pub struct Svg {
    form: Form,
    /// Marks that can be chosen so far.
    marks: usize,
    out: String,
}

impl Svg {
    pub fn new(form: Form) -> Svg {
        Svg { form, marks: 0, out: String::new() }
    }

    /// Appends text that is already SVG.
    pub fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
        self.out.push('\n');
    }

    pub fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let (x, y, text) = (number(x), number(y), escape(text));
        self.raw(&format!(r#"<text class="{class}" x="{x}" y="{y}">{text}</text>"#));
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        let line = format!(r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#);
        self.raw(&line);
    }

    /// A rectangle; `opacity` is written where it is not 1.
    pub fn rect(&mut self, class: &str, area: Area, opacity: f64) {
        let (attributes, opacity) = (area.attributes(), fill_opacity(opacity));
        self.raw(&format!(r#"<rect class="{class}" {attributes}{opacity}/>"#));
    }

    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), r: f64) {
        let [x, y, r] = [x, y, r].map(number);
        self.raw(&format!(r#"<circle class="{class}" cx="{x}" cy="{y}" r="{r}"/>"#));
    }

    /// Straight lines from point to point; none at all if there are no points.
    pub fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let corners = points.iter().map(|&(x, y)| format!("{} {}", number(x), number(y)));
        let corners: Vec<String> = corners.collect();
        if !corners.is_empty() {
            self.raw(&format!(r#"<path class="{class}" d="M{}"/>"#, corners.join("L")));
        }
    }

    /// An invisible rectangle with a tooltip; in a page it can be chosen.
    pub fn hit(&mut self, area: Area, tip: &str, data: &[(&str, String)]) {
        let (attributes, choice) = (area.attributes(), self.choice(tip, data));
        let tip = escape(tip);
        self.raw(&format!(
            r#"<rect class="hit" {attributes} fill-opacity="0"{choice}><title>{tip}</title></rect>"#
        ));
    }

    /// A circle with a tooltip; in a page it can be chosen.
    pub fn dot(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        r: f64,
        tip: &str,
        data: &[(&str, String)],
    ) {
        let ([x, y, r], choice) = ([x, y, r].map(number), self.choice(tip, data));
        let tip = escape(tip);
        self.raw(&format!(
            r#"<circle class="{class}" cx="{x}" cy="{y}" r="{r}" fill-opacity="0.75"{choice}><title>{tip}</title></circle>"#
        ));
    }

    /// The attributes of something that can be chosen in a page. The first one is a stop of the Tab
    /// key; the page leads to the others.
    fn choice(&mut self, name: &str, data: &[(&str, String)]) -> String {
        if self.form == Form::File {
            return String::new();
        }
        let (name, stop) = (escape(name), if self.marks == 0 { 0 } else { -1 });
        self.marks += 1;
        let mut attributes = format!(r#" role="button" tabindex="{stop}" aria-label="{name}""#);
        for (key, value) in data {
            // Writing to a `String` cannot fail.
            let _ = write!(attributes, r#" data-{key}="{}""#, escape(value));
        }
        attributes
    }

    /// Many rectangles of one colour, as one element; none at all if there are none.
    pub fn bars(&mut self, class: &str, opacity: f64, bars: &[Area]) {
        if bars.is_empty() {
            return;
        }
        let mut path = String::new();
        for bar in bars {
            let [x, y, w, h] = [bar.x, bar.y, bar.w, bar.h].map(number);
            // Writing to a `String` cannot fail.
            let _ = write!(path, "M{x} {y}h{w}v{h}h-{w}z");
        }
        let opacity = fill_opacity(opacity);
        self.raw(&format!(r#"<path class="{class}"{opacity} d="{path}"/>"#));
    }

    pub fn finish(self) -> String {
        self.out
    }
}

/// A rectangle; `y` is its upper edge.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Area {
    pub fn right(self) -> f64 {
        self.x + self.w
    }

    pub fn bottom(self) -> f64 {
        self.y + self.h
    }

    fn attributes(self) -> String {
        let [x, y, w, h] = [self.x, self.y, self.w, self.h].map(number);
        format!(r#"x="{x}" y="{y}" width="{w}" height="{h}""#)
    }
}

fn fill_opacity(opacity: f64) -> String {
    if opacity < 1.0 { format!(r#" fill-opacity="{}""#, number(opacity)) } else { String::new() }
}

/// Two decimals at most: a hundredth of a pixel is never visible.
pub fn number(value: f64) -> String {
    let digits = format!("{value:.2}");
    let short = digits.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".into() } else { short.into() }
}

/// Text escaped for content and attributes. Characters that XML cannot hold become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// The first `max` characters, the last of them an ellipsis if the text is longer.
pub fn clip(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.into();
    }
    let kept: String = text.chars().take(max.saturating_sub(1)).collect();
    format!("{}\u{2026}", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1.0, 0.5, -0.001, 12.345_6, 100.0].map(number),
            ["1", "0.5", "0", "12.35", "100"]
        );
    }

    #[test]
    fn escapes_xml() {
        assert_eq!(escape("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
        assert_eq!(escape("a\0b\nc"), "a\u{fffd}b c");
    }

    #[test]
    fn clips_by_characters() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüß", 3), "äö\u{2026}");
    }
}
