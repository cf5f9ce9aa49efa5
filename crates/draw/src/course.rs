//! The course of a game: who was ahead, and by how much, after every move.

use std::fmt::Write;

use crate::{
    frame::{Frame, MARGIN, WIDTH},
    number::round_step,
    svg::{Area, Svg, clip, number},
};

const PLOT: Area = Area { x: 84.0, y: 150.0, w: WIDTH - 84.0 - MARGIN, h: 320.0 };
const HEIGHT: f64 = PLOT.y + PLOT.h + 76.0;

/// The theme's colours for areas, as colours for lines.
const STROKES: &str = "
.course path.line{fill:none;stroke:#1c2026;stroke:var(--ink);stroke-width:2;stroke-linejoin:round}
.course path.guess{stroke-dasharray:3 4}
.course circle{stroke:#fff;stroke:var(--surface);stroke-width:1.5}
.course .level{stroke:#1c2026;stroke:var(--ink)}
";

/// The labels of a course chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course<'a> {
    /// The heading.
    pub title: &'a str,
    /// The line under it.
    pub caption: &'a str,
    /// The names of the two sides; the first has the upper half.
    pub sides: [&'a str; 2],
}

/// The state of a game after a move.
#[derive(Clone, Debug, PartialEq)]
pub struct CoursePoint {
    /// The margin of the first side with best play from there, in points.
    pub margin: f64,
    /// Whether that is proven, or a guess.
    pub proven: bool,
    /// Whether the move was an error: true for one of the first side.
    pub error: Option<bool>,
    /// The tooltip.
    pub tip: String,
}

impl CoursePoint {
    /// A point without an error; a margin that is not a number counts as 0.
    pub fn new(margin: f64, proven: bool, tip: impl Into<String>) -> Self {
        let margin = if margin.is_finite() { margin } else { 0.0 };
        CoursePoint { margin, proven, error: None, tip: tip.into() }
    }
}

/// The course of a game as a complete SVG document 960 pixels wide: above the middle line the first
/// side is ahead, below it the second; the line is dashed where its height is a guess, and errors
/// are marked in the colour of the side that made them.
///
/// ```
/// use nutcracker_draw::{Course, CoursePoint, course_chart};
///
/// let course = Course { title: "South against North", caption: "South won", sides: ["South", "North"] };
/// let points = [CoursePoint::new(0.0, true, "start"), CoursePoint::new(4.0, true, "North c3")];
/// let svg = course_chart(&course, &points);
/// assert!(svg.starts_with("<svg ") && svg.contains("1. North c3: +4"));
/// ```
pub fn course_chart(course: &Course, points: &[CoursePoint]) -> String {
    let frame = Frame {
        title: course.title,
        caption: course.caption,
        description: &description(course, points),
        style: Some(("course", STROKES)),
        height: HEIGHT,
    };
    frame.around(|svg| {
        key(svg, course);
        plot(svg, course, points);
    })
}

/// `+4`, `-0.5`, `0`.
fn signed(margin: f64) -> String {
    let text = number(margin);
    if margin > 0.0 && text != "0" { format!("+{text}") } else { text }
}

/// The description of the chart for screen readers.
fn description(course: &Course, points: &[CoursePoint]) -> String {
    let mut text = format!(
        "What {} wins by after every move with best play from there. {}.",
        course.sides[0], course.caption
    );
    for (place, point) in points.iter().enumerate().filter(|(_, point)| point.error.is_some()) {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " Move {place}: {}.", point.tip);
    }
    text
}

/// The key: whose errors have which colour.
const COLOURS: [&str; 2] = ["won", "lost"];

fn key(svg: &mut Svg, course: &Course) {
    for (place, (side, colour)) in course.sides.iter().zip(COLOURS).enumerate() {
        let x = MARGIN + 200.0 * place as f64;
        svg.raw(&format!(
            r#"<circle class="{colour}" cx="{}" cy="108" r="5.5"/>"#,
            number(x + 6.0)
        ));
        svg.text("label", x + 20.0, 113.0, &format!("error of {}", clip(side, 16)));
    }
}

/// The mapping of values to coordinates.
struct Scale {
    last: usize,
    most: f64,
}

impl Scale {
    fn x(&self, place: usize) -> f64 {
        PLOT.x + PLOT.w * place as f64 / self.last.max(1) as f64
    }

    fn y(&self, margin: f64) -> f64 {
        PLOT.y + PLOT.h * (0.5 - 0.5 * margin / self.most)
    }
}

fn plot(svg: &mut Svg, course: &Course, points: &[CoursePoint]) {
    let highest = points.iter().map(|point| point.margin.abs()).fold(0.0, f64::max).min(1e6);
    let step = round_step((highest.ceil() as u128).max(1), 4) as f64;
    let most = (highest / step).ceil().max(1.0) * step;
    let scale = Scale { last: points.len().saturating_sub(1), most };
    let lines = (most / step) as i64;
    for line in -lines..=lines {
        let (margin, class) = (line as f64 * step, if line == 0 { "level" } else { "grid" });
        let y = scale.y(margin);
        svg.line(class, (PLOT.x, y), (PLOT.right(), y));
        svg.text("muted end", PLOT.x - 10.0, y + 4.0, &number(margin.abs()));
    }
    for (side, y) in course.sides.iter().zip([PLOT.y - 10.0, PLOT.bottom() + 16.0]) {
        svg.text("small muted", PLOT.x, y, &format!("{} wins by", clip(side, 40)));
    }
    if points.is_empty() {
        svg.text("caption muted middle", WIDTH / 2.0, PLOT.y + PLOT.h / 2.0, "No moves");
        return;
    }
    let step = round_step(scale.last.max(1) as u128, 12) as usize;
    for place in (0..=scale.last).step_by(step.max(1)) {
        svg.text("small middle", scale.x(place), PLOT.bottom() + 34.0, &place.to_string());
    }
    svg.text("muted middle", PLOT.x + PLOT.w / 2.0, PLOT.bottom() + 56.0, "move");
    for (place, pair) in points.windows(2).enumerate() {
        let at = |place: usize, point: &CoursePoint| {
            let [x, y] = [scale.x(place), scale.y(point.margin)].map(number);
            format!("{x} {y}")
        };
        let class = if pair.iter().all(|point| point.proven) { "line" } else { "line guess" };
        let (from, to) = (at(place, &pair[0]), at(place + 1, &pair[1]));
        svg.raw(&format!(r#"<path class="{class}" d="M{from}L{to}"/>"#));
    }
    for (place, point) in points.iter().enumerate() {
        if let Some(first) = point.error {
            let [x, y] = [scale.x(place), scale.y(point.margin)].map(number);
            let colour = COLOURS[usize::from(!first)];
            svg.raw(&format!(r#"<circle class="{colour}" cx="{x}" cy="{y}" r="5.5"/>"#));
        }
    }
    let half = PLOT.w / scale.last.max(1) as f64 / 2.0;
    for (place, point) in points.iter().enumerate() {
        let left = (scale.x(place) - half).max(PLOT.x);
        let right = (scale.x(place) + half).min(PLOT.right());
        let guess = if point.proven { "" } else { "~" };
        let number = if place == 0 { String::new() } else { format!("{place}. ") };
        let tip = format!("{number}{}: {guess}{}", point.tip, signed(point.margin));
        svg.tip(Area { x: left, y: PLOT.y, w: right - left, h: PLOT.h }, &tip);
    }
}
