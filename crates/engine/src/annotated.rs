//! A game with its analysis: which moves are errors, what they cost, and which one decided.

use std::fmt::Write;

use nutcracker_draw::{Course, CourseError, CoursePoint, Form, course_chart};
use nutcracker_game::{Game, Side};
use nutcracker_search::player::Source;

use crate::record::{Outcome, Record};
use crate::{Analysis, Loss, Played};

/// The points that a game is worth in which the limits of marks are as they are written here: awari
/// with 48 stones. They grow and shrink with the game.
const REFERENCE: f64 = 48.0;
/// The same for games without points, whose estimates lie between a loss and a win: in proportion to
/// a win, every shift of a few hundredths would be an error. A man is worth about 0.1 there.
const WITHOUT_POINTS: f64 = 0.1;
/// Guessed losses below this are no errors.
const THRESHOLD: f64 = 0.5;
/// Losses from these on are marked `?` and `??`.
const MARKS: [f64; 2] = [1.5, 3.5];

/// A game with its analysis, in words, as a picture and as a record.
#[derive(Clone, Copy, Debug)]
pub struct Annotated<'a, G: Game> {
    /// The game.
    pub played: &'a Played<G>,
    /// Its moves with their values; of a game that is analysed only in part, the first ones.
    pub analysis: &'a Analysis<G::Move>,
    /// The record it comes from.
    pub record: &'a Record,
    /// Guessed losses below this are no errors; without it, half a point in a game that is worth 48,
    /// in proportion in others with points, and a twentieth of a win where there are none.
    pub threshold: Option<f64>,
}

/// A player's name as a sentence has it.
fn name<G: Game>(game: &G, side: Side) -> String {
    let mut letters = game.side_name(side).chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl Loss {
    /// For people: `-3`, `-3 or more`, `~-0.75`; nothing where nothing was lost.
    pub fn text(self) -> String {
        match self {
            _ if self.points() <= 0.0 => String::new(),
            Loss::Exact(points) => format!("-{points}"),
            Loss::AtLeast(points) => format!("-{points} or more"),
            Loss::About(points) => format!("~-{points:.2}"),
        }
    }
}

impl<G: Game> Annotated<'_, G> {
    /// What the game is worth, compared with that in which the limits are set.
    fn scale(&self) -> f64 {
        let game = self.played.game();
        if self.has_points() {
            f64::from(game.max_score(game.slice_of(&game.start().position))) / REFERENCE
        } else {
            WITHOUT_POINTS
        }
    }

    fn has_points(&self) -> bool {
        self.played.game().metrics().iter().any(|metric| metric.is_points())
    }

    /// Errors: all that are proven, and guesses from the threshold on; not the moves of an opening.
    pub fn is_error(&self, ply: usize) -> bool {
        let evaluated = &self.analysis.moves[ply];
        let threshold = || self.threshold.unwrap_or_else(|| THRESHOLD * self.scale());
        let least = if evaluated.loss.is_proven() { 0.0 } else { threshold() };
        ply >= self.analysis.opening
            && evaluated.loss.points() > 0.0
            && evaluated.loss.points() >= least
    }

    /// `?!`, `?` or `??` for an error, else nothing.
    pub fn mark(&self, ply: usize) -> &'static str {
        let evaluated = &self.analysis.moves[ply];
        let [from, to] = evaluated.outcomes();
        let decides = evaluated.loss.is_proven() && to < from;
        match evaluated.loss.points() / self.scale() {
            _ if !self.is_error(ply) => "",
            _ if decides => "??",
            lost if lost < MARKS[0] => "?!",
            lost if lost < MARKS[1] => "?",
            _ => "??",
        }
    }

    /// The names of the moves that were played, each with that of the best one.
    pub fn names(&self) -> Vec<(String, String)> {
        let names = self.played.names();
        let best = self
            .analysis
            .moves
            .iter()
            .enumerate()
            .map(|(ply, evaluated)| self.played.up_to(ply).name(&evaluated.best));
        names.into_iter().zip(best).collect()
    }

    /// The sides, with who played them where the record says it: `South (level=3)`.
    pub fn players(&self) -> [String; 2] {
        [(Side::First, "First"), (Side::Second, "Second")].map(|(side, tag)| {
            let side = name(self.played.game(), side);
            match self.record.tag(tag) {
                Some(who) => format!("{side} ({who})"),
                None => side,
            }
        })
    }

    /// How the game ended, in words.
    pub fn outcome(&self) -> String {
        let game = self.played.game();
        let points = match self.played.final_points() {
            Some([first, second]) => format!(" {first}-{second}"),
            None => String::new(),
        };
        // Other programs end a game where one side has more than half of the seeds.
        let score = self.record.tag("Score").map(|score| format!(" {score}")).unwrap_or_default();
        match self.analysis.margin.map(i32::signum) {
            None => match self.record.outcome {
                Outcome::Open => "the game was not finished".to_owned(),
                Outcome::First => format!("{} won{score}", name(game, Side::First)),
                Outcome::Second => format!("{} won{score}", name(game, Side::Second)),
                Outcome::Draw => format!("a draw{score}"),
            },
            Some(1) => format!("{} won{points}", name(game, Side::First)),
            Some(-1) => format!("{} won{points}", name(game, Side::Second)),
            Some(_) => format!("a draw{points}"),
        }
    }

    /// The errors of a side, by their plies.
    pub fn errors(&self, side: Side) -> Vec<usize> {
        let moves = self.analysis.moves.iter().enumerate();
        moves.filter(|(ply, m)| m.side == side && self.is_error(*ply)).map(|(ply, _)| ply).collect()
    }

    /// How much of a side's losses is proven, and how much in all.
    pub fn lost(&self, side: Side) -> (f64, f64) {
        let errors = self.errors(side);
        let own = || errors.iter().map(|&ply| &self.analysis.moves[ply]);
        let proven: f64 = own().filter(|m| m.loss.is_proven()).map(|m| m.loss.points()).sum();
        let all: f64 = own().map(|m| m.loss.points()).sum();
        // The sum of nothing is minus zero.
        (proven + 0.0, all + 0.0)
    }

    /// The errors of a side and what they cost, in words.
    pub fn account(&self, side: Side) -> String {
        let ((proven, all), errors) = (self.lost(side), self.errors(side).len());
        let how = if errors == 0 {
            String::new()
        } else if (all - proven).abs() < 1e-9 {
            format!(", {all} point{} lost", if (all - 1.0).abs() < 1e-9 { "" } else { "s" })
        } else {
            format!(", about {all:.2} points lost, {proven} of them proven")
        };
        let noun = if errors == 1 { "error" } else { "errors" };
        format!("{}: {errors} {noun}{how}", name(self.played.game(), side))
    }

    /// Which move decided the game, in words.
    pub fn decisive(&self, names: &[(String, String)]) -> Option<String> {
        let decision = self.analysis.decision()?;
        let word = |class| ["loss", "draw", "win"][(class + 1) as usize];
        let evaluated = &self.analysis.moves[decision.ply];
        let sure =
            if evaluated.source.name() == "search" { ", as far as the search sees" } else { "" };
        Some(format!(
            "the decisive move was {}. {} by {}: a {} became a {}{sure}",
            decision.ply + 1,
            names[decision.ply].0,
            name(self.played.game(), evaluated.side),
            word(decision.from),
            word(decision.to),
        ))
    }

    /// The course of the game as SVG.
    pub fn picture(&self, form: Form) -> String {
        let names = self.names();
        let game = self.played.game();
        let mut points: Vec<CoursePoint> = Vec::new();
        for (ply, (evaluated, (mv, best))) in self.analysis.moves.iter().zip(&names).enumerate() {
            let [before, after] = evaluated.margins();
            let proven = !matches!(evaluated.source, Source::Search { .. });
            if points.is_empty() {
                points.push(CoursePoint::new(before, proven, "start"));
            }
            let mut tip = format!("{} {mv}", name(game, evaluated.side));
            if self.is_error(ply) {
                // Writing to a `String` cannot fail.
                let _ = write!(tip, ", {} ({best} was better)", evaluated.loss.text());
            }
            let mut point = CoursePoint::new(after, proven, tip);
            if self.is_error(ply) {
                // In a file the colour says who made it; how grave it is, the marks of the text say.
                let grave = form == Form::Page && self.mark(ply) == "??";
                point.error = Some(CourseError { first: evaluated.side == Side::First, grave });
            }
            points.push(point);
        }
        let [first, second] = self.players();
        let title = format!("{first} against {second}");
        let names = [Side::First, Side::Second].map(|side| name(game, side));
        let caption = self.outcome();
        let course = Course {
            form,
            title: &title,
            caption: &caption,
            sides: [&names[0], &names[1]],
            outcomes: !self.has_points(),
        };
        course_chart(&course, &points)
    }

    /// The record again, with values, and with comments on errors.
    pub fn commented(&self) -> Record {
        let mut record = self.record.clone();
        let names = self.names();
        for (ply, ((mv, evaluated), (_, best))) in
            record.moves.iter_mut().zip(&self.analysis.moves).zip(&names).enumerate()
        {
            mv.value = Some(evaluated.value);
            if self.is_error(ply) {
                let comment = mv.comment.take().unwrap_or_default();
                let text = format!(
                    "{comment} loses {}, {best} was worth {}",
                    evaluated.loss.text().replacen('-', "", 1),
                    evaluated.best_value
                );
                *mv = std::mem::take(mv).with_comment(&text);
            }
        }
        record
    }
}
