//! The drop-out diagram: where an opponent can leave a book, by depth and value.

use crate::{
    frame::{Frame, MARGIN, WIDTH},
    number::grouped,
    svg::{Area, Svg, number},
};

const PLOT: Area = Area { x: 96.0, y: 130.0, w: WIDTH - 96.0 - MARGIN, h: 440.0 };
const HEIGHT: f64 = PLOT.y + PLOT.h + 76.0;

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

/// The diagram as a complete SVG document: values to the right, depths upwards, a dot for every
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
    let description = format!(
        "Drop-out diagram: depth by value of {} leaves. {}.",
        grouped(leaves.into()),
        chart.caption
    );
    let frame = Frame {
        title: chart.title,
        caption: chart.caption,
        description: &description,
        style: None,
        height: HEIGHT,
    };
    frame.around(|svg| {
        key(svg);
        let Some(scale) = Scale::new(chart, dots) else {
            svg.text("caption muted middle", WIDTH / 2.0, PLOT.y + PLOT.h / 2.0, "No leaves");
            return;
        };
        axes(svg, &scale);
        frontier(svg, chart, &scale);
        for dot in dots {
            leaf(svg, dot, &scale);
        }
    })
}

fn leaf(svg: &mut Svg, dot: &Dot, scale: &Scale) {
    let class = if dot.solved { "drawn" } else { "won" };
    let [x, y] = [scale.x(dot.value), scale.y(f64::from(dot.depth))].map(number);
    // The dot grows more slowly than the number of leaves, so that it does not hide its
    // neighbours.
    let r = number(2.2 + (dot.count as f64).log10());
    let leaves = if dot.count == 1 { "leaf" } else { "leaves" };
    let tip = format!(
        "ply {}, value {:+.2}: {} {leaves}{}",
        dot.depth,
        dot.value,
        grouped(dot.count.into()),
        if dot.solved { ", solved" } else { "" }
    );
    svg.raw(&format!(
        r#"<circle class="{class}" cx="{x}" cy="{y}" r="{r}" fill-opacity="0.75"><title>{tip}</title></circle>"#
    ));
}

fn key(svg: &mut Svg) {
    for (place, (class, name)) in
        [("won", "open leaves"), ("drawn", "solved leaves")].into_iter().enumerate()
    {
        let x = MARGIN + 150.0 * place as f64;
        svg.rect(class, Area { x, y: 98.0, w: 10.0, h: 10.0 }, 1.0);
        svg.text("label", x + 18.0, 108.0, name);
    }
}

struct Scale {
    left: f64,
    right: f64,
    top: f64,
    step: f64,
}

impl Scale {
    fn new(chart: &DropOutChart, dots: &[Dot]) -> Option<Scale> {
        let values = || dots.iter().map(|dot| dot.value).chain([chart.root]);
        let deepest = dots.iter().map(|dot| dot.depth).max()?;
        let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        // A tenth of the range, rounded to 1, 2 or 5 times a power of ten.
        let rough = ((most - least) / 8.0).max(0.01);
        let power = 10_f64.powi(rough.log10().floor() as i32);
        let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|&s| s >= rough)?;
        let left = (least / step).floor() * step;
        let right = ((most / step).ceil() * step).max(left + step);
        let top = f64::from(deepest).max(chart.frontier.unwrap_or(0.0)).max(4.0) * 1.05;
        Some(Scale { left, right, top, step })
    }

    fn x(&self, value: f64) -> f64 {
        PLOT.x + PLOT.w * (value - self.left) / (self.right - self.left)
    }

    fn y(&self, depth: f64) -> f64 {
        PLOT.bottom() - PLOT.h * depth / self.top
    }
}

fn axes(svg: &mut Svg, scale: &Scale) {
    let base = PLOT.bottom();
    let plies = if scale.top > 50.0 {
        10.0
    } else if scale.top > 20.0 {
        5.0
    } else {
        2.0
    };
    for mark in 0..=(scale.top / plies) as u32 {
        let depth = f64::from(mark) * plies;
        let y = scale.y(depth);
        svg.line("grid", (PLOT.x, y), (PLOT.right(), y));
        svg.text("muted end", PLOT.x - 10.0, y + 4.0, &number(depth));
    }
    let marks = ((scale.right - scale.left) / scale.step).round() as u32;
    for mark in 0..=marks {
        let value = scale.left + f64::from(mark) * scale.step;
        svg.text("small middle", scale.x(value), base + 19.0, &number(value));
    }
    svg.line("axis", (PLOT.x, base), (PLOT.right(), base));
    svg.text("muted", MARGIN, PLOT.y - 8.0, "ply");
    let middle = PLOT.x + PLOT.w / 2.0;
    svg.text("muted middle", middle, base + 42.0, "value to the book's player, in points");
}

/// The part of the frontier inside the plot.
fn frontier(svg: &mut Svg, chart: &DropOutChart, scale: &Scale) {
    let Some(depth) = chart.frontier else { return };
    let at = |value: f64| depth - chart.omega * (value - chart.root);
    let (mut from, mut to) = (chart.root.max(scale.left), scale.right);
    if chart.omega > 0.0 {
        to = to.min(chart.root + depth / chart.omega);
        from = from.max(chart.root + (depth - scale.top) / chart.omega);
    }
    if from < to {
        let ends = [from, to].map(|value| (scale.x(value), scale.y(at(value))));
        svg.line("mean", ends[0], ends[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_is_well_formed() {
        let dots: Vec<Dot> = (0..40)
            .map(|n| Dot {
                value: f64::from(n % 7) / 5.0,
                depth: n,
                count: u64::from(n) + 1,
                solved: n % 3 == 0,
            })
            .collect();
        for (omega, frontier) in [(0.0, Some(9.0)), (2.0, Some(30.0)), (1.0, None)] {
            let chart = DropOutChart { title: "<a & b>", caption: "c", root: 0.2, frontier, omega };
            for dots in [&dots[..], &[]] {
                let svg = drop_out_chart(&chart, dots);
                roxmltree::Document::parse(&svg).unwrap();
            }
        }
    }
}
