//! Curves over a logarithmic axis, for values that differ by orders of magnitude.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::{
    frame::{Frame, MARGIN, WIDTH},
    number::{brief, grouped, round_step},
    svg::{Area, Svg, clip, number},
};

const PLOT: Area = Area { x: 116.0, y: 176.0, w: WIDTH - 116.0 - MARGIN, h: 360.0 };
const HEIGHT: f64 = PLOT.y + PLOT.h + 76.0;

/// The colours of curves, in order; they repeat if there are more curves.
const COLOURS: [&str; 3] = ["lost", "won", "drawn"];

/// The theme's colours for areas, as colours for lines.
const STROKES: &str = "
.curves path{stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}
.curves path.lost{fill:none;stroke:#b56;stroke:var(--lost)}
.curves path.won{fill:none;stroke:#048;stroke:var(--won)}
.curves path.drawn{fill:none;stroke:#da3;stroke:var(--drawn)}
.curves circle{stroke:#fff;stroke:var(--surface)}
";

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
    let frame = Frame {
        title: chart.title,
        caption: chart.caption,
        description: &description(chart, curves),
        style: Some(("curves", STROKES)),
        height: HEIGHT,
    };
    frame.around(|svg| {
        key(svg, curves);
        if let Some(scale) = Scale::new(chart, curves) {
            plot(svg, chart, curves, &scale);
        } else {
            svg.line("axis", (PLOT.x, PLOT.bottom()), (PLOT.right(), PLOT.bottom()));
            svg.text("caption muted middle", WIDTH / 2.0, PLOT.y + PLOT.h / 2.0, "No points");
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

fn colour(place: usize) -> &'static str {
    COLOURS[place % COLOURS.len()]
}

/// The key of the colours.
fn key(svg: &mut Svg, curves: &[Curve]) {
    for (place, curve) in curves.iter().enumerate().take(4) {
        let x = MARGIN + 200.0 * place as f64;
        svg.rect(colour(place), Area { x, y: 106.0, w: 20.0, h: 4.0 }, 1.0);
        svg.text("label", x + 28.0, 113.0, &clip(&curve.label, 24));
    }
}

/// The mapping of values to coordinates.
struct Scale {
    /// The largest number of the x axis.
    right: u32,
    /// The powers of ten at the bottom and at the top.
    decades: (u32, u32),
}

impl Scale {
    /// The scale that covers all points; `None` without points.
    fn new(chart: &CurveChart, curves: &[Curve]) -> Option<Scale> {
        let all: Vec<(u32, u64)> = curves.iter().flat_map(points).collect();
        let right = all.iter().map(|&(x, _)| x).max()?.max(1);
        let floor = chart.floor.map(|(y, _)| y).filter(|&y| y > 0);
        let heights = || all.iter().map(|&(_, y)| y).chain(floor);
        let (least, most) = (heights().min()?, heights().max()?);
        let bottom = least.ilog10();
        let top = most.ilog10() + u32::from(most > 10_u64.pow(most.ilog10()));
        Some(Scale { right, decades: (bottom, top.max(bottom + 1)) })
    }

    fn x(&self, x: u32) -> f64 {
        PLOT.x + PLOT.w * f64::from(x) / f64::from(self.right)
    }

    fn y(&self, y: f64) -> f64 {
        let (bottom, top) = self.decades;
        PLOT.bottom() - PLOT.h * (y.log10() - f64::from(bottom)) / f64::from(top - bottom)
    }
}

/// `10,000`, `10 million`.
fn decade(exponent: u32) -> String {
    brief(10_u128.pow(exponent)).replace(".00", "").replace(".0", "")
}

fn plot(svg: &mut Svg, chart: &CurveChart, curves: &[Curve], scale: &Scale) {
    let base = PLOT.bottom();
    for exponent in scale.decades.0..=scale.decades.1 {
        let y = scale.y(10_f64.powi(exponent as i32));
        svg.line("grid", (PLOT.x, y), (PLOT.right(), y));
        svg.text("muted end", PLOT.x - 10.0, y + 4.0, &decade(exponent));
    }
    svg.line("axis", (PLOT.x, base), (PLOT.right(), base));
    svg.text("muted", MARGIN, PLOT.y - 20.0, &clip(chart.y, 60));

    let step = round_step(scale.right.into(), 10) as u32;
    for x in (0..=scale.right / step).map(|mark| mark * step) {
        svg.text("small middle", scale.x(x), base + 19.0, &format!("{x}{}", chart.x.1));
    }
    svg.text("muted middle", PLOT.x + PLOT.w / 2.0, base + 42.0, &clip(chart.x.0, 80));

    if let Some((floor, why)) = chart.floor.filter(|&(floor, _)| floor > 0) {
        let y = scale.y(floor as f64);
        svg.line("mean", (PLOT.x, y), (PLOT.right(), y));
        let text = format!("{}: {}", clip(why, 60), grouped(floor.into()));
        svg.text("small muted", PLOT.x + 8.0, y - 6.0, &text);
    }
    for (place, curve) in curves.iter().enumerate() {
        line(svg, colour(place), &points(curve), scale);
    }
    tips(svg, chart, curves, scale);
}

fn line(svg: &mut Svg, class: &str, points: &[(u32, u64)], scale: &Scale) {
    let places: Vec<[String; 2]> =
        points.iter().map(|&(x, y)| [scale.x(x), scale.y(y as f64)].map(number)).collect();
    let path: Vec<String> = places.iter().map(|[x, y]| format!("{x} {y}")).collect();
    if !path.is_empty() {
        svg.raw(&format!(r#"<path class="{class}" d="M{}"/>"#, path.join("L")));
    }
    for [x, y] in &places {
        svg.raw(&format!(r#"<circle class="{class}" cx="{x}" cy="{y}" r="3.5"/>"#));
    }
}

/// The tooltip for all curves at one x coordinate.
fn tips(svg: &mut Svg, chart: &CurveChart, curves: &[Curve], scale: &Scale) {
    let mut heights: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for curve in curves {
        for (x, y) in points(curve) {
            let height = format!("{} {}", curve.label, grouped(y.into()));
            heights.entry(x).or_default().push(height);
        }
    }
    let places: Vec<u32> = heights.keys().copied().collect();
    // From the middle of the interval before to the middle of the interval after.
    let between = |left: u32, right: u32| f64::midpoint(scale.x(left), scale.x(right));
    for (i, (&x, heights)) in heights.iter().enumerate() {
        let left = if i == 0 { PLOT.x } else { between(places[i - 1], x) };
        let right = places.get(i + 1).map_or(PLOT.right(), |&next| between(x, next));
        let tip = format!("{x}{}: {}", chart.x.1, heights.join(", "));
        svg.tip(Area { x: left, y: PLOT.y, w: right - left, h: PLOT.h }, &tip);
    }
}
