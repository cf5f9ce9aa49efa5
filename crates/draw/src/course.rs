//! The course of a game: who was ahead, and by how much, after every move.

use std::fmt::Write;

use crate::{
    axis::Axis,
    chart::{Chart, MARGIN, plot},
    number::{round_step, signed_points},
    svg::{Area, Svg, clip, number},
};

const PLOT: Area = plot(84.0, 150.0, 320.0);

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
    let chart = Chart {
        kind: "course",
        title: course.title,
        caption: course.caption,
        description: &description(course, points),
        plot: PLOT,
        more: 0.0,
    };
    chart.draw(|svg| {
        errors_key(svg, course);
        let margins = margin_axis(points);
        margins.draw_left(svg);
        svg.line("level", (PLOT.x, margins.at(0.0)), (PLOT.right(), margins.at(0.0)));
        for (side, y) in course.sides.iter().zip([PLOT.y - 10.0, PLOT.bottom() + 42.0]) {
            svg.text("small muted", PLOT.x, y, &format!("{} wins by", clip(side, 40)));
        }
        if points.is_empty() {
            chart.nothing(svg, "No moves");
            return;
        }
        let last = points.len() - 1;
        let step = round_step(last.max(1) as u128, 12) as usize;
        let moves = Axis::across(PLOT, 0.0, last.max(1) as f64)
            .marked((0..=last).step_by(step).map(|place| (place as f64, place.to_string())))
            .titled("move");
        moves.draw_below(svg);
        draw_points(svg, points, &moves, &margins);
    })
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

/// Whose errors have which colour.
const COLOURS: [&str; 2] = ["won", "lost"];

fn errors_key(svg: &mut Svg, course: &Course) {
    for (place, (side, colour)) in course.sides.iter().zip(COLOURS).enumerate() {
        let x = MARGIN + 200.0 * place as f64;
        svg.circle(colour, (x + 6.0, 108.0), 5.5);
        svg.text("label", x + 20.0, 113.0, &format!("error of {}", clip(side, 16)));
    }
}

/// The margins upwards, as far down as up.
fn margin_axis(points: &[CoursePoint]) -> Axis {
    let highest = points.iter().map(|point| point.margin.abs()).fold(0.0, f64::max).min(1e6);
    let step = round_step((highest.ceil() as u128).max(1), 4) as f64;
    let most = (highest / step).ceil().max(1.0) * step;
    let lines = (most / step) as i64;
    let marks = (-lines..=lines).map(|line| line as f64 * step);
    Axis::upwards(PLOT, -most, most).marked(marks.map(|margin| (margin, number(margin.abs()))))
}

fn draw_points(svg: &mut Svg, points: &[CoursePoint], moves: &Axis, margins: &Axis) {
    let place_of = |place: usize| (moves.at(place as f64), margins.at(points[place].margin));
    for (place, pair) in points.windows(2).enumerate() {
        let class = if pair.iter().all(|point| point.proven) { "line" } else { "line guess" };
        svg.path(class, &[place_of(place), place_of(place + 1)]);
    }
    for (place, point) in points.iter().enumerate() {
        if let Some(first) = point.error {
            svg.circle(COLOURS[usize::from(!first)], place_of(place), 5.5);
        }
    }
    let half = moves.unit() / 2.0;
    for (place, point) in points.iter().enumerate() {
        let middle = moves.at(place as f64);
        let (left, right) = ((middle - half).max(PLOT.x), (middle + half).min(PLOT.right()));
        let guess = if point.proven { "" } else { "~" };
        let number = if place == 0 { String::new() } else { format!("{place}. ") };
        let tip = format!("{number}{}: {guess}{}", point.tip, signed_points(point.margin));
        svg.tip(Area { x: left, y: PLOT.y, w: right - left, h: PLOT.h }, &tip);
    }
}
