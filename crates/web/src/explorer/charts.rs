//! Charts for pages: the course of a line, the values of databases, the drop-outs of a book.

use nutcracker_draw::{
    Course, CourseError, CoursePoint, DropOutChart, Form, Histogram, Measure, ScoreSlice,
};
use nutcracker_game::{Metric, Numbering, Rules, Side};

use super::error::ExplorerError;
use super::line::Node;
use super::{Explorer, Points, Whose};

impl Explorer {
    /// Who was ahead after each move of a line, by its end with best play.
    pub fn line_chart(&self, text: &str, moves: &[&str]) -> Result<String, ExplorerError> {
        let line = self.line(text, moves, false)?;
        let sides = [Side::First, Side::Second].map(|side| self.game.side_name(side));
        let mut points: Vec<CoursePoint> = Vec::new();
        let mut last = None;
        for node in &line.nodes {
            let tip = last.map_or("start", |(played, _)| played);
            let mut point = match self.margin(node, sides[0]) {
                Some(margin) => {
                    let proven = node.value.is_some_and(|value| value.score().is_some());
                    CoursePoint::new(margin, proven, tip)
                }
                None => CoursePoint::unknown(tip),
            };
            point.error = last.and_then(|(_, error)| error);
            points.push(point);
            last = node.played.as_ref().map(|played| {
                let first = node.mover == sides[0];
                let error = |loss: super::Loss| CourseError { first, grave: loss.result };
                (played.name.as_str(), played.loses.map(error))
            });
        }
        let course = Course {
            form: Form::Page,
            title: "The course of the line",
            caption: "",
            sides,
            outcomes: !self.has_points(),
        };
        Ok(nutcracker_draw::course_chart(&course, &points))
    }

    /// The margin of the first side at the end of the game, where it is known at a position of a line;
    /// from the beginning of the line on, where positions do not contain what the players have.
    fn margin(&self, node: &Node, first: &str) -> Option<f64> {
        let value = node.value?;
        let difference = |points: &Points| points.0[0].1 - points.0[1].1;
        if let Some(result) = &node.result {
            return Some(difference(result));
        }
        let margin = if node.mover == first { value.points() } else { -value.points() };
        if !self.has_points() {
            // A distance is not a margin.
            return Some(if margin == 0.0 { 0.0 } else { margin.signum() });
        }
        Some(margin + difference(node.banked.as_ref().unwrap_or(&node.taken)))
    }

    /// Whether its scores are points.
    pub(super) fn has_points(&self) -> bool {
        self.game.metrics().iter().any(|metric| metric.is_points())
    }

    /// How many positions have each value: of a slice, or of all databases together.
    pub fn slice_chart(&self, slice: Option<&str>) -> Result<String, ExplorerError> {
        let here = self.databases();
        let (label, counts) = match slice {
            Some(name) => {
                let slice = self.slice_named(name)?;
                let table = here.set.get(slice.0).map_err(|error| self.explain(error))?;
                (self.game.slice_label(slice), table.histogram().clone())
            }
            None => ("all databases".to_owned(), self.all_counts()?),
        };
        let counts = counts.iter().map(|(value, positions)| (value.into(), positions));
        let distance = |value: i16| {
            let distance = here.metric.distance(value)?;
            Some((distance.wins, distance.moves))
        };
        let chart = Histogram {
            form: Form::Page,
            title: &format!("Positions by value, {label}"),
            measure: if here.metric.is_distance() {
                Measure::Distances(&distance)
            } else if here.metric == Metric::Wdl {
                Measure::Results
            } else {
                Measure::Scores(self.game.slice_unit())
            },
        };
        let slices = [ScoreSlice { counts: counts.collect(), label }];
        Ok(nutcracker_draw::score_histogram(&chart, &slices))
    }

    /// Where an opponent can leave the book.
    pub fn dropout_chart(&self, whose: Whose) -> Result<String, ExplorerError> {
        let found = self.book_dropouts(whose)?;
        let chart = DropOutChart {
            form: Form::Page,
            title: "Drop-out diagram",
            caption: "",
            root: found.root,
            frontier: found.frontier,
            omega: found.omega,
        };
        let dots = found.dots.iter().map(|dot| nutcracker_draw::Dot {
            value: dot.value,
            depth: dot.depth,
            count: dot.leaves,
            solved: dot.solved,
        });
        Ok(nutcracker_draw::drop_out_chart(&chart, &dots.collect::<Vec<_>>()))
    }
}
