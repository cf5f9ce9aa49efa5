//! Curves over a logarithmic axis, for values that differ by orders of magnitude.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::{
    axis::Axis,
    chart::{Chart, Layout, MARGIN},
    number::{brief, grouped, round_step},
    svg::{Area, Svg, clip},
};

const LAYOUT: Layout = Layout::file(116.0, 176.0, 360.0);
const PLOT: Area = LAYOUT.plot;

/// The strokes of curves, in order; they repeat if there are more curves. Where colours come a second
/// time, lines are dashed.
const STROKES: [&str; 6] = ["lost", "won", "drawn", "lost dashed", "won dashed", "drawn dashed"];

/// A curve: its name, and its points from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    /// Its label in the key.
    pub label: String,
    /// Points with their x coordinate; points of height 0 have no place on a logarithmic axis and
    /// are left out.
    pub points: Vec<(u32, u64)>,
}

/// The labels of a chart of curves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurveChart<'a> {
    /// The heading.
    pub title: &'a str,
    /// The line under it.
    pub caption: &'a str,
    /// The label of the x axis, and the suffix of its numbers, such as `%`.
    pub x: (&'a str, &'a str),
    /// The label of the y axis.
    pub y: &'a str,
    /// A lower bound of all curves, and its reason.
    pub floor: Option<(u64, &'a str)>,
}

/// Curves as a complete SVG document 960 pixels wide: x from 0, y logarithmic in whole powers of
/// ten, so that equal distances are equal ratios.
///
/// Any text is allowed; text that is too long for its place is clipped.
///
/// ```
/// use nutcracker_draw::{Curve, CurveChart, curve_chart};
///
/// let curve = Curve { label: "misses".into(), points: vec![(10, 50_000), (100, 12)] };
/// let chart = CurveChart { title: "Cache", x: ("size", "%"), y: "misses", ..Default::default() };
/// let svg = curve_chart(&chart, &[curve]);
/// assert!(svg.starts_with("<svg ") && svg.contains("10%: misses 50,000"));
/// ```
pub fn curve_chart(chart: &CurveChart, curves: &[Curve]) -> String {
    let frame = Chart {
        kind: "curves",
        title: chart.title,
        caption: chart.caption,
        description: &description(chart, curves),
        layout: LAYOUT,
    };
    frame.draw(|svg| {
        draw_key(svg, curves);
        match axes(chart, curves) {
            Some([x, y]) => draw_curves(svg, chart, curves, &x, &y),
            None => frame.nothing(svg, "No points"),
        }
    })
}

/// The points with a place on the axes, from left to right.
fn points(curve: &Curve) -> Vec<(u32, u64)> {
    let mut points = curve.points.clone();
    points.retain(|&(_, y)| y > 0);
    points.sort_unstable();
    points
}

/// The description of the chart for screen readers.
fn description(chart: &CurveChart, curves: &[Curve]) -> String {
    let mut text =
        format!("Curves of {} by {}, logarithmic. {}.", chart.y, chart.x.0, chart.caption);
    for curve in curves {
        if let [(first, from), .., (last, to)] = points(curve)[..] {
            let (unit, from, to) = (chart.x.1, grouped(from.into()), grouped(to.into()));
            let label = &curve.label;
            // Writing to a `String` cannot fail.
            let _ = write!(text, " {label}: {from} at {first}{unit}, {to} at {last}{unit}.");
        }
    }
    text
}

fn stroke(place: usize) -> &'static str {
    STROKES[place % STROKES.len()]
}

/// The names of the curves, each behind a piece of its line.
fn draw_key(svg: &mut Svg, curves: &[Curve]) {
    let shown = curves.len().min(STROKES.len());
    let pitch = (200.0_f64).min((960.0 - 2.0 * MARGIN) / shown.max(1) as f64);
    for (place, curve) in curves.iter().enumerate().take(shown) {
        let x = MARGIN + pitch * place as f64;
        svg.line(&format!("key {}", stroke(place)), (x, 107.0), (x + 26.0, 107.0));
        svg.text("label", x + 34.0, 112.0, &clip(&curve.label, (pitch / 8.0) as usize));
    }
}

/// The axes that cover all points: x from 0, and the logarithms of the heights; `None` without
/// points.
fn axes(chart: &CurveChart, curves: &[Curve]) -> Option<[Axis; 2]> {
    let all: Vec<(u32, u64)> = curves.iter().flat_map(points).collect();
    let right = all.iter().map(|&(x, _)| x).max()?.max(1);
    let floor = chart.floor.map(|(y, _)| y).filter(|&y| y > 0);
    let heights = || all.iter().map(|&(_, y)| y).chain(floor);
    let (least, most) = (heights().min()?, heights().max()?);
    let bottom = least.ilog10();
    let top = most.ilog10() + u32::from(most > 10_u64.pow(most.ilog10()));
    let top = top.max(bottom + 1);
    let step = round_step(right.into(), 10) as u32;
    let marks = (0..=right / step).map(|mark| mark * step);
    let across = Axis::across(LAYOUT, 0.0, right.into())
        .marked(marks.map(|x| (x.into(), format!("{x}{}", chart.x.1))))
        .titled(clip(chart.x.0, 80));
    let upwards = Axis::upwards(LAYOUT, bottom.into(), top.into())
        .marked((bottom..=top).map(|exponent| (exponent.into(), decade(exponent))))
        .titled(clip(chart.y, 60));
    Some([across, upwards])
}

/// `10,000`, `10 million`.
fn decade(exponent: u32) -> String {
    brief(10_u128.pow(exponent)).replace(".00", "").replace(".0", "")
}

fn draw_curves(svg: &mut Svg, chart: &CurveChart, curves: &[Curve], x: &Axis, y: &Axis) {
    let height = |count: u64| y.at((count as f64).log10());
    y.draw_left(svg);
    x.draw_below(svg);
    if let Some((floor, why)) = chart.floor.filter(|&(floor, _)| floor > 0) {
        let y = height(floor);
        svg.line("mean", (PLOT.x, y), (PLOT.right(), y));
        let text = format!("{}: {}", clip(why, 60), grouped(floor.into()));
        svg.text("small muted", PLOT.x + 8.0, y - 6.0, &text);
    }
    for (place, curve) in curves.iter().enumerate() {
        let points = points(curve).into_iter().map(|(at, count)| (x.at(at.into()), height(count)));
        let points: Vec<(f64, f64)> = points.collect();
        svg.path(stroke(place), &points);
        for point in points {
            svg.circle(stroke(place), point, 3.5);
        }
    }
    draw_tips(svg, chart, curves, x);
}

/// The tooltip for all curves at one x coordinate.
fn draw_tips(svg: &mut Svg, chart: &CurveChart, curves: &[Curve], axis: &Axis) {
    let mut heights: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for curve in curves {
        for (x, y) in points(curve) {
            let height = format!("{} {}", curve.label, grouped(y.into()));
            heights.entry(x).or_default().push(height);
        }
    }
    let places: Vec<u32> = heights.keys().copied().collect();
    // From the middle of the interval before to the middle of the interval after.
    let between =
        |left: u32, right: u32| f64::midpoint(axis.at(left.into()), axis.at(right.into()));
    for (i, (&x, heights)) in heights.iter().enumerate() {
        let left = if i == 0 { PLOT.x } else { between(places[i - 1], x) };
        let right = places.get(i + 1).map_or(PLOT.right(), |&next| between(x, next));
        let tip = format!("{x}{}: {}", chart.x.1, heights.join(", "));
        svg.hit(Area { x: left, y: PLOT.y, w: right - left, h: PLOT.h }, &tip, &[]);
    }
}
