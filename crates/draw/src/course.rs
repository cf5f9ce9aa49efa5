//! The course of a game: who was ahead, and by how much, after every move.

use std::fmt::Write;

use crate::{
    axis::Axis,
    chart::{Chart, Form, Layout, MARGIN},
    number::{round_step, signed_points},
    svg::{Area, Svg, clip, number},
};

fn layout(form: Form) -> Layout {
    match form {
        Form::File => Layout::file(84.0, 150.0, 320.0),
        Form::Page => Layout::page(420.0, 40.0, 12.0, 96.0),
    }
}

/// The labels of a course chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course<'a> {
    /// Where it is shown. In a page every point can be chosen, with its place as `data-ply`.
    pub form: Form,
    /// The heading.
    pub title: &'a str,
    /// The line under it.
    pub caption: &'a str,
    /// The names of the two sides; the first has the upper half.
    pub sides: [&'a str; 2],
    /// Whether margins are won, drawn and lost, not points.
    pub outcomes: bool,
}

/// The state of a game after a move.
#[derive(Clone, Debug, PartialEq)]
pub struct CoursePoint {
    /// The margin of the first side with best play from there, in points, where that is known.
    pub margin: Option<f64>,
    /// Whether that is proven, or a guess.
    pub proven: bool,
    /// The error that the move was, if it was one.
    pub error: Option<CourseError>,
    /// The tooltip.
    pub tip: String,
}

/// An error in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CourseError {
    /// Whether the first side made it.
    pub first: bool,
    /// Whether it changed the result.
    pub grave: bool,
}

impl CoursePoint {
    /// A point without an error; a margin that is not a number counts as 0.
    pub fn new(margin: f64, proven: bool, tip: impl Into<String>) -> Self {
        let margin = if margin.is_finite() { margin } else { 0.0 };
        CoursePoint { margin: Some(margin), proven, error: None, tip: tip.into() }
    }

    /// A point whose margin is not known: the line is interrupted there.
    pub fn unknown(tip: impl Into<String>) -> Self {
        CoursePoint { margin: None, proven: false, error: None, tip: tip.into() }
    }
}

/// The course of a game as SVG: above the middle line the first
/// side is ahead, below it the second; the line is dashed where its height is a guess, and errors
/// are marked in the colour of the side that made them.
///
/// ```
/// use nutcracker_draw::{Course, CoursePoint, course_chart};
///
/// let (title, caption, sides) = ("South against North", "South won", ["South", "North"]);
/// let course = Course { title, caption, sides, ..Course::default() };
/// let points = [CoursePoint::new(0.0, true, "start"), CoursePoint::new(4.0, true, "North c3")];
/// let svg = course_chart(&course, &points);
/// assert!(svg.starts_with("<svg ") && svg.contains("1. North c3: +4"));
/// ```
pub fn course_chart(course: &Course, points: &[CoursePoint]) -> String {
    let layout = layout(course.form);
    let plot = layout.plot;
    let chart = Chart {
        kind: "course",
        title: course.title,
        caption: course.caption,
        description: &description(course, points),
        layout,
    };
    chart.draw(|svg| {
        let margins = margin_axis(layout, course, points);
        margins.draw_left(svg);
        svg.line("level", (plot.x, margins.at(0.0)), (plot.right(), margins.at(0.0)));
        if layout.is_file() {
            errors_key(svg, course);
            for (side, y) in course.sides.iter().zip([plot.y - 10.0, plot.bottom() + 42.0]) {
                svg.text("small muted", plot.x, y, &format!("{} wins by", clip(side, 40)));
            }
        }
        if points.is_empty() {
            chart.nothing(svg, "No moves");
            return;
        }
        let last = points.len() - 1;
        let step = round_step(last.max(1) as u128, 12) as usize;
        let moves = Axis::across(layout, 0.0, last.max(1) as f64)
            .marked((0..=last).step_by(step).map(|place| (place as f64, place.to_string())))
            .titled("move");
        moves.draw_below(svg);
        draw_points(svg, points, &moves, &margins);
        draw_hits(svg, layout, course, points, &moves);
    })
}

/// The description of the chart for screen readers.
fn description(course: &Course, points: &[CoursePoint]) -> String {
    let mut text =
        format!("What {} wins by after every move with best play from there.", course.sides[0]);
    if !course.caption.is_empty() {
        let _ = write!(text, " {}.", course.caption);
    }
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
fn margin_axis(layout: Layout, course: &Course, points: &[CoursePoint]) -> Axis {
    let margins = points.iter().filter_map(|point| point.margin);
    let highest = margins.map(f64::abs).fold(0.0, f64::max).min(1e6);
    let lines = if layout.is_file() { 4 } else { 2 };
    let step = round_step((highest.ceil() as u128).max(1), lines) as f64;
    let most = (highest / step).ceil().max(1.0) * step;
    let lines = (most / step) as i64;
    let marks = (-lines..=lines).map(|line| line as f64 * step);
    // A file says at its upper and lower edge who wins, a page does not.
    let label = |margin: f64| match layout.form {
        _ if course.outcomes => outcome(margin).to_owned(),
        Form::File => number(margin.abs()),
        Form::Page => signed_points(margin),
    };
    Axis::upwards(layout, -most, most).marked(marks.map(|margin| (margin, label(margin))))
}

/// How a game without points ends for the first side.
fn outcome(margin: f64) -> &'static str {
    match margin {
        _ if margin > 0.0 => "win",
        _ if margin < 0.0 => "loss",
        _ => "draw",
    }
}

fn draw_points(svg: &mut Svg, points: &[CoursePoint], moves: &Axis, margins: &Axis) {
    let place_of = |place: usize| {
        points[place].margin.map(|margin| (moves.at(place as f64), margins.at(margin)))
    };
    for (place, pair) in points.windows(2).enumerate() {
        let class = if pair.iter().all(|point| point.proven) { "line" } else { "line guess" };
        if let (Some(from), Some(to)) = (place_of(place), place_of(place + 1)) {
            svg.path(class, &[from, to]);
        }
    }
    for (place, point) in points.iter().enumerate() {
        match (place_of(place), point.error) {
            (Some(at), Some(CourseError { first, grave })) => {
                let kind = if grave { "grave" } else { "slip" };
                svg.circle(&format!("{} {kind}", COLOURS[usize::from(!first)]), at, 5.5);
            }
            // A point between two that are not known has no line to be seen by.
            (Some(at), None) => {
                let known = |place: Option<usize>| {
                    place
                        .and_then(|place| points.get(place))
                        .is_some_and(|one| one.margin.is_some())
                };
                if !known(place.checked_sub(1)) && !known(Some(place + 1)) {
                    svg.circle("ink", at, 3.0);
                }
            }
            (None, _) => (),
        }
    }
}

/// The tooltips.
fn draw_hits(svg: &mut Svg, layout: Layout, course: &Course, points: &[CoursePoint], moves: &Axis) {
    let plot = layout.plot;
    let half = moves.unit() / 2.0;
    for (place, point) in points.iter().enumerate() {
        let middle = moves.at(place as f64);
        let (left, right) = ((middle - half).max(plot.x), (middle + half).min(plot.right()));
        let guess = if point.proven { "" } else { "~" };
        let number = if place == 0 { String::new() } else { format!("{place}. ") };
        let margin = match point.margin {
            None => "not known".to_owned(),
            Some(margin) if course.outcomes => outcome(margin).to_owned(),
            Some(margin) => format!("{guess}{}", signed_points(margin)),
        };
        let tip = format!("{number}{}: {margin}", point.tip);
        let area = Area { x: left, y: plot.y, w: right - left, h: plot.h };
        svg.hit(area, &tip, &[("ply", place.to_string())]);
    }
}
