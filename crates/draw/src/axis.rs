//! Axes: values onto coordinates, with marks and a title.

use crate::{
    chart::{Layout, MARGIN},
    number::round_fraction,
    svg::{Area, Svg},
};

/// A linear axis of a plot.
#[derive(Clone, Debug)]
pub struct Axis {
    plot: Area,
    /// Whether it is in a file, which has room for titles.
    in_file: bool,
    /// The values at its ends.
    values: (f64, f64),
    /// The coordinates of its ends.
    ends: (f64, f64),
    /// Values that are marked, with their labels.
    marks: Vec<(f64, String)>,
    title: String,
}

impl Axis {
    /// An axis from left to right.
    pub fn across(layout: Layout, from: f64, to: f64) -> Axis {
        let plot = layout.plot;
        Axis::new(layout, (from, to), (plot.x, plot.right()))
    }

    /// An axis from bottom to top.
    pub fn upwards(layout: Layout, from: f64, to: f64) -> Axis {
        let plot = layout.plot;
        Axis::new(layout, (from, to), (plot.bottom(), plot.y))
    }

    fn new(layout: Layout, values: (f64, f64), ends: (f64, f64)) -> Axis {
        let (plot, in_file) = (layout.plot, layout.is_file());
        Axis { plot, in_file, values, ends, marks: Vec::new(), title: String::new() }
    }

    /// The same axis with marks at these values.
    pub fn marked(mut self, marks: impl IntoIterator<Item = (f64, String)>) -> Axis {
        self.marks = marks.into_iter().collect();
        self
    }

    /// The same axis with marks at about so many round values.
    pub fn divided(self, steps: usize, label: impl Fn(f64) -> String) -> Axis {
        let (from, to) = self.values;
        let step = round_fraction((to - from) / steps.max(1) as f64);
        let (first, last) = ((from / step).ceil() as i64, (to / step + 1e-9).floor() as i64);
        let marks = (first..=last).map(|mark| mark as f64 * step);
        self.marked(marks.map(|value| (value, label(value))))
    }

    /// The same axis with a title.
    pub fn titled(mut self, title: impl Into<String>) -> Axis {
        self.title = title.into();
        self
    }

    /// The coordinate of a value.
    pub fn at(&self, value: f64) -> f64 {
        let ((from, to), (start, end)) = (self.values, self.ends);
        start + (end - start) * (value - from) / (to - from)
    }

    /// How many pixels a unit of the axis has.
    pub fn unit(&self) -> f64 {
        (self.ends.1 - self.ends.0).abs() / (self.values.1 - self.values.0)
    }

    /// Draws it left of the plot, with a line across the plot at every mark.
    pub fn draw_left(&self, svg: &mut Svg) {
        let plot = self.plot;
        for (value, label) in &self.marks {
            let y = self.at(*value);
            svg.line("grid", (plot.x, y), (plot.right(), y));
            svg.text("muted end", plot.x - 10.0, y + 4.0, label);
        }
        if !self.title.is_empty() {
            let (x, y) = if self.in_file { (MARGIN, plot.y - 16.0) } else { (0.0, plot.y - 14.0) };
            svg.text("muted", x, y, &self.title);
        }
    }

    /// Draws it along the bottom of the plot.
    pub fn draw_below(&self, svg: &mut Svg) {
        let (plot, base) = (self.plot, self.plot.bottom());
        svg.line("axis", (plot.x, base), (plot.right(), base));
        for (value, label) in &self.marks {
            let below = if self.in_file { 19.0 } else { 23.0 };
            svg.text("small middle", self.at(*value), base + below, label);
        }
        // A page says it in words of its own.
        if self.in_file {
            svg.text("muted middle", plot.x + plot.w / 2.0, base + 42.0, &self.title);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Form;
    use crate::svg::number;

    const LAYOUT: Layout = Layout {
        form: Form::File,
        width: 400.0,
        height: 200.0,
        plot: Area { x: 100.0, y: 50.0, w: 200.0, h: 80.0 },
    };

    #[test]
    fn ends_are_at_the_edges_of_the_plot() {
        let across = Axis::across(LAYOUT, -2.0, 2.0);
        let places = [-2.0, 0.0, 2.0].map(|value| number(across.at(value)));
        assert_eq!(places, ["100", "200", "300"]);
        let upwards = Axis::upwards(LAYOUT, 0.0, 4.0);
        let places = [0.0, 1.0, 4.0].map(|value| number(upwards.at(value)));
        assert_eq!(places, ["130", "110", "50"]);
        assert_eq!((across.unit(), upwards.unit()), (50.0, 20.0));
    }

    #[test]
    fn marks_are_round_and_inside() {
        for (from, to, expected) in [
            (0.0, 10.0, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0][..]),
            (-0.4, 1.2, &[0.0, 0.5, 1.0]),
            (-7.0, 31.0, &[0.0, 10.0, 20.0, 30.0]),
        ] {
            let axis = Axis::across(LAYOUT, from, to).divided(5, |value| value.to_string());
            let marks: Vec<f64> = axis.marks.iter().map(|&(value, _)| value).collect();
            assert_eq!(marks, expected, "{from} to {to}");
        }
    }
}
