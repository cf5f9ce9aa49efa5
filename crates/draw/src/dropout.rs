//! The drop-out diagram: where an opponent can leave a book, by depth and value.

use crate::{
    axis::Axis,
    chart::{Chart, Form, Layout, key},
    number::{grouped, round_fraction, signed_points},
    svg::{Svg, number},
};

fn layout(form: Form) -> Layout {
    match form {
        Form::File => Layout::file(96.0, 150.0, 440.0),
        Form::Page => Layout::page(720.0, 50.0, 22.0, 280.0),
    }
}

/// A group of leaves at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// Their value for the book's player, in points.
    pub value: f64,
    /// Their depth.
    pub depth: u32,
    /// Their number.
    pub count: u64,
    /// Whether their score is proven.
    pub solved: bool,
}

/// The labels and parameters of a diagram.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DropOutChart<'a> {
    /// Where it is shown. In a page leaves can be chosen, with `data-depth` and `data-value`.
    pub form: Form,
    /// The heading.
    pub title: &'a str,
    /// The line under it.
    pub caption: &'a str,
    /// The value of the start position.
    pub root: f64,
    /// The depth of the frontier at that value; it falls by `omega` for each point.
    pub frontier: Option<f64>,
    /// See `frontier`.
    pub omega: f64,
}

/// The diagram as SVG: values to the right, depths upwards, a dot for every
/// group of leaves, the frontier as a dashed line.
///
/// ```
/// use nutcracker_draw::{Dot, DropOutChart, drop_out_chart};
///
/// let dots = [Dot { value: 0.9, depth: 32, count: 1, solved: false }];
/// let chart = DropOutChart { title: "Othello", root: 0.9, omega: 1.0, ..Default::default() };
/// assert!(drop_out_chart(&chart, &dots).contains("ply 32, value +0.90: 1 leaf"));
/// ```
pub fn drop_out_chart(chart: &DropOutChart, dots: &[Dot]) -> String {
    let leaves: u64 = dots.iter().map(|dot| dot.count).sum();
    let description =
        format!("Drop-out diagram: depth by value of {}. {}.", leaves_of(leaves), chart.caption);
    let frame = Chart {
        kind: "drop-outs",
        title: chart.title,
        caption: chart.caption,
        description: &description,
        layout: layout(chart.form),
    };
    frame.draw(|svg| {
        if chart.form == Form::File {
            key(svg, 150.0, &[("won", "open leaves".into()), ("drawn", "solved leaves".into())]);
        }
        let Some(axes) = Axes::new(chart, dots) else {
            frame.nothing(svg, "No leaves");
            return;
        };
        axes.depths.draw_left(svg);
        axes.values.draw_below(svg);
        axes.draw_start(svg, chart);
        axes.draw_frontier(svg, chart);
        for dot in dots {
            axes.draw_leaf(svg, dot);
        }
    })
}

fn leaves_of(count: u64) -> String {
    format!("{} {}", grouped(count.into()), if count == 1 { "leaf" } else { "leaves" })
}

/// The axes, and the values and depths that they reach to.
struct Axes {
    layout: Layout,
    values: Axis,
    depths: Axis,
    left: f64,
    right: f64,
    top: f64,
}

impl Axes {
    /// The axes that cover all leaves; `None` without leaves.
    fn new(chart: &DropOutChart, dots: &[Dot]) -> Option<Axes> {
        let values = || dots.iter().map(|dot| dot.value).chain([chart.root]);
        let deepest = dots.iter().map(|dot| dot.depth).max()?;
        let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        let step = round_fraction(((most - least) / 8.0).max(0.01));
        let left = (least / step).floor() * step;
        let right = ((most / step).ceil() * step).max(left + step);
        let top = f64::from(deepest).max(chart.frontier.unwrap_or(0.0)).max(4.0) * 1.05;
        let layout = layout(chart.form);
        let values = Axis::across(layout, left, right)
            .divided(10, signed_points)
            .titled("value to the book's player, in points");
        let depths = Axis::upwards(layout, 0.0, top).divided(8, number).titled("ply");
        Some(Axes { layout, values, depths, left, right, top })
    }

    fn place(&self, value: f64, depth: f64) -> (f64, f64) {
        (self.values.at(value), self.depths.at(depth))
    }

    fn draw_leaf(&self, svg: &mut Svg, dot: &Dot) {
        let class = if dot.solved { "drawn" } else { "won" };
        // The dot grows more slowly than the number of leaves, so that it does not hide its
        // neighbours. In a page it is large enough for a finger.
        let least = if self.layout.is_file() { 2.2 } else { 4.0 };
        let r = least + (dot.count as f64).log10();
        let tip = format!(
            "ply {}, value {:+.2}: {}{}",
            dot.depth,
            dot.value,
            leaves_of(dot.count),
            if dot.solved { ", solved" } else { "" }
        );
        let data = [("depth", dot.depth.to_string()), ("value", number(dot.value))];
        svg.dot(class, self.place(dot.value, dot.depth.into()), r, &tip, &data);
    }

    /// The value of the start.
    fn draw_start(&self, svg: &mut Svg, chart: &DropOutChart) {
        let x = self.values.at(chart.root);
        let plot = self.layout.plot;
        svg.line("start", (x, plot.y), (x, plot.bottom()));
        svg.text("small muted middle", x, plot.y - 4.0, "start");
    }

    /// The part of the frontier inside the plot.
    fn draw_frontier(&self, svg: &mut Svg, chart: &DropOutChart) {
        let Some(depth) = chart.frontier else { return };
        let at = |value: f64| depth - chart.omega * (value - chart.root);
        let (mut from, mut to) = (chart.root.max(self.left), self.right);
        if chart.omega > 0.0 {
            to = to.min(chart.root + depth / chart.omega);
            from = from.max(chart.root + (depth - self.top) / chart.omega);
        }
        if from < to {
            svg.line("mean", self.place(from, at(from)), self.place(to, at(to)));
        }
    }
}
