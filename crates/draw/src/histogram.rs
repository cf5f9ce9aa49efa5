//! The histogram of scores: all slices stacked, and under it each slice by itself.

use std::collections::BTreeMap;

use crate::{
    axis::Axis,
    chart::{Chart, Form, Layout, MARGIN},
    measure::Measure,
    number::{brief, counted, grouped, round_step, share, signed_mean, ticks},
    svg::{Area, Svg, clip},
    tally::{Outcome, ScoreSlice, Tally},
    theme::shade,
};

const FILE: Layout = Layout::file(84.0, 208.0, 300.0);
const PAGE: Layout = Layout::page(720.0, 76.0, 40.0, 180.0);
/// The top of the charts of single slices.
const PANELS_TOP: f64 = FILE.plot.y + FILE.plot.h + 96.0;
/// How much lower that is than the end of a picture without them.
const PANELS_GAP: f64 = 48.0;
const PANEL_COLUMNS: usize = 4;
const PANEL_GAP: f64 = 24.0;
const PANEL_PITCH: f64 = 148.0;
/// The largest number of slices shown one by one.
const PANELS: usize = 16;

/// The labels of a histogram.
#[derive(Clone, Copy, Debug, Default)]
pub struct Histogram<'a> {
    /// Where it is shown. In a page every column can be chosen, with its value as `data-score`.
    pub form: Form,
    /// The heading.
    pub title: &'a str,
    /// What the values are.
    pub measure: Measure<'a>,
}

/// A histogram of positions by score, as SVG.
///
/// One bar a score, from the greatest loss to the greatest win of the side to move, stacked by
/// slice: the last slice at the bottom in full colour, earlier ones above it and paler. In a file
/// with more than one slice, the last sixteen follow as small charts on the same score axis, each
/// scaled to its own tallest bar. To draw one slice, pass one.
///
/// Any text is allowed in the title, the unit and labels; text that is too long for its place is
/// clipped.
///
/// ```
/// use nutcracker_draw::{Histogram, Measure, ScoreSlice, score_histogram};
///
/// let slice = ScoreSlice { label: "2 stones".into(), counts: vec![(-2, 40), (0, 12), (2, 26)] };
/// let title = "Awari <endgames>";
/// let chart = Histogram { title, measure: Measure::Scores("stones"), ..Histogram::default() };
/// let svg = score_histogram(&chart, &[slice]);
/// assert!(svg.contains("Awari &lt;endgames&gt;"));
/// assert!(svg.contains("51.3%")); // lost
/// ```
pub fn score_histogram(chart: &Histogram, slices: &[ScoreSlice]) -> String {
    let all = Tally::new(slices);
    let in_file = chart.form == Form::File;
    let shown = &slices[slices.len().saturating_sub(PANELS)..];
    let rows = if in_file && slices.len() > 1 { shown.len().div_ceil(PANEL_COLUMNS) } else { 0 };
    let more = if rows > 0 { PANELS_GAP + rows as f64 * PANEL_PITCH } else { 0.0 };
    let frame = Chart {
        kind: "histogram",
        title: chart.title,
        caption: &caption(slices, &all),
        description: &description(chart.measure, slices, &all),
        layout: if in_file { FILE.higher(more) } else { PAGE },
    };
    frame.draw(|svg| {
        if in_file {
            figures(svg, chart.measure, &all);
        }
        match all.mode() {
            Some((_, most)) => {
                main_chart(svg, frame.layout, chart.measure, slices, &all, most);
            }
            None => frame.nothing(svg, "No positions"),
        }
        if rows > 0 {
            shades(svg, slices);
            panels(svg, slices.len(), shown, chart.measure, reach(chart.measure, &all));
        }
    })
}

/// The place that is furthest from the middle, at least 1.
fn reach(measure: Measure, tally: &Tally) -> i32 {
    tally.counts.keys().map(|&value| measure.place(value).abs()).fold(1, i32::max)
}

fn caption(slices: &[ScoreSlice], all: &Tally) -> String {
    let positions = counted(all.total(), "position");
    match slices {
        [] => positions,
        [only] => format!("{positions}, {}", clip(&only.label, 80)),
        [first, .., last] => {
            let count = counted(slices.len() as u128, "slice");
            let (first, last) = (clip(&first.label, 24), clip(&last.label, 24));
            format!("{positions} in {count}, from {first} to {last}")
        }
    }
}

/// The description of the chart for screen readers.
fn description(measure: Measure, slices: &[ScoreSlice], all: &Tally) -> String {
    let contents = format!("Histogram of positions by score. {}.", caption(slices, all));
    let (Some((mode, most)), Some((least, greatest))) = (all.mode(), all.range()) else {
        return contents;
    };
    let [lost, drawn, won] = Outcome::ALL.map(|outcome| share(all.with(outcome), all.total()));
    let [mode, most] = [measure.name(mode), counted(most, "position")];
    let range = match (measure, all.mean()) {
        (Measure::Scores(unit), Some(mean)) => {
            let of_unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            let [least, greatest] = [least, greatest].map(|score| measure.name(score));
            format!("Mean score {}{of_unit}, from {least} to {greatest}; the", signed_mean(mean))
        }
        _ => "The".to_owned(),
    };
    format!(
        "{contents} Lost {lost}, drawn {drawn}, won {won}. {range} most frequent is {mode}, with \
         {most}."
    )
}

/// The figures above the chart, which are also the key of its colours.
fn figures(svg: &mut Svg, measure: Measure, all: &Tally) {
    let (top, pitch) = (104.0, 144.0);
    for (outcome, column) in Outcome::ALL.into_iter().zip(0_u8..) {
        let x = MARGIN + f64::from(column) * pitch;
        let positions = all.with(outcome);
        svg.rect(outcome.class(), Area { x, y: top, w: 4.0, h: 52.0 }, 1.0);
        svg.text("muted", x + 14.0, top + 11.0, outcome.name());
        svg.text("figure", x + 14.0, top + 34.0, &share(positions, all.total()));
        svg.text("small muted", x + 14.0, top + 51.0, &brief(positions));
    }
    let Measure::Scores(unit) = measure else { return };
    let x = MARGIN + 3.0 * pitch;
    let mean = all.mean().map_or("\u{2013}".into(), signed_mean);
    svg.line("mean", (x + 2.0, top), (x + 2.0, top + 52.0));
    svg.text("muted", x + 14.0, top + 11.0, "Mean score");
    svg.text("figure", x + 14.0, top + 34.0, &mean);
    svg.text("small muted", x + 14.0, top + 51.0, &clip(unit, 18));
}

/// The key of the shades, from the first slice to the last.
fn shades(svg: &mut Svg, slices: &[ScoreSlice]) {
    let (right, y, w) = (FILE.width - MARGIN, 122.0, 8.0);
    // The palest shades are almost equal: no need to show more.
    let steps = slices.len().min(12);
    svg.text("muted end", right, y - 7.0, "Shades by slice");
    for step in 0..steps {
        let x = right - (step + 1) as f64 * w;
        svg.rect("ink", Area { x, y, w: w - 1.0, h: 12.0 }, shade(step));
    }
    let [first, last] = [slices.first(), slices.last()].map(|s| s.map_or("", |s| &s.label));
    let ends = format!("{} \u{2192} {}", clip(first, 18), clip(last, 18));
    svg.text("small muted end", right, y + 29.0, &ends);
}

/// The columns of values around their places on an axis.
struct Columns<'a> {
    measure: Measure<'a>,
    axis: Axis,
    bar: f64,
}

impl Columns<'_> {
    fn new(layout: Layout, measure: Measure<'_>, reach: i32) -> Columns<'_> {
        let end = f64::from(reach) + 0.5;
        let axis = Axis::across(layout, -end, end);
        let slot = axis.unit();
        // Narrow bars touch, so that gaps do not dominate; a bar too thin to see is left out.
        let widest = layout.plot.w / 8.0;
        let bar = if slot < 3.0 { slot.max(0.5) } else { (slot * 0.84).min(widest) };
        Columns { measure, axis, bar }
    }

    fn middle(&self, value: i32) -> f64 {
        self.axis.at(self.measure.place(value).into())
    }

    fn left(&self, value: i32) -> f64 {
        self.middle(value) - self.bar / 2.0
    }
}

fn main_chart(
    svg: &mut Svg,
    layout: Layout,
    measure: Measure,
    slices: &[ScoreSlice],
    all: &Tally,
    most: u128,
) {
    let plot = layout.plot;
    let marks = ticks(most);
    let positions = Axis::upwards(layout, 0.0, most as f64)
        .marked(marks.at.iter().map(|&at| at as f64).zip(marks.labels))
        .titled(match &*marks.unit {
            "" => "positions".to_owned(),
            unit => format!("{unit} of positions"),
        });
    positions.draw_left(svg);

    let reach = reach(measure, all);
    let mut columns = Columns::new(layout, measure, reach);
    // Digits are at most 7 pixels wide; a page may be shown smaller, with larger digits.
    let digit = if layout.is_file() { 7.0 } else { 14.0 };
    let label = digit * measure.mark(-reach).chars().count() as f64 + 6.0;
    let step = round_step(reach.unsigned_abs().into(), (plot.w / 2.0 / label) as u128) as i32;
    let places = (-reach / step..=reach / step).map(|mark| mark * step);
    columns.axis = columns
        .axis
        .marked(places.map(|place| (place.into(), measure.mark(place))))
        .titled(measure.title());
    stack(svg, plot, slices, all, &columns, positions.unit());
    columns.axis.draw_below(svg);

    if let (Some(mean), Measure::Scores(_), true) = (all.mean(), measure, layout.is_file()) {
        let x = columns.axis.at(mean);
        for class in ["halo", "mean"] {
            svg.line(class, (x, plot.y - 12.0), (x, plot.bottom()));
        }
    }
    for (&value, &positions) in &all.counts {
        let w = columns.axis.unit();
        let tip = format!(
            "{}: {} ({})",
            measure.name(value),
            counted(positions, "position"),
            share(positions, all.total())
        );
        let area = Area { x: columns.middle(value) - w / 2.0, y: plot.y, w, h: plot.h };
        svg.hit(area, &tip, &[("score", value.to_string())]);
    }
}

/// The bars of all slices, the last slice lowest.
fn stack(
    svg: &mut Svg,
    plot: Area,
    slices: &[ScoreSlice],
    all: &Tally,
    columns: &Columns,
    per_position: f64,
) {
    let base = plot.bottom();
    // A bar is at least a pixel high, so that every count is visible.
    let scale = |score| {
        let whole = all.counts[&score] as f64 * per_position;
        per_position * (1.0 / whole).max(1.0)
    };
    let bar = |score, from: f64, to: f64| Area {
        x: columns.left(score),
        y: base - to,
        w: columns.bar,
        h: to - from,
    };
    // Pale shades are translucent; no grid line may show through them.
    let whole = all.counts.iter().map(|(&s, &positions)| bar(s, 0.0, positions as f64 * scale(s)));
    svg.bars("surface", 1.0, &whole.collect::<Vec<_>>());

    let mut below: BTreeMap<i32, u128> = BTreeMap::new();
    for (depth, slice) in slices.iter().rev().enumerate() {
        let mut segments: [Vec<Area>; 3] = Default::default();
        for (&score, &positions) in &Tally::new([slice]).counts {
            let from = below.entry(score).or_default();
            let to = *from + positions;
            let mut segment = bar(score, *from as f64 * scale(score), to as f64 * scale(score));
            // A hairline between slices, where there is room for it.
            if *from > 0 && columns.bar > 10.0 && segment.h > 3.0 {
                segment.h -= 0.75;
            }
            segments[Outcome::of(score) as usize].push(segment);
            *from = to;
        }
        for outcome in Outcome::ALL {
            svg.bars(outcome.class(), shade(depth), &segments[outcome as usize]);
        }
    }
}

/// The small charts, one for each slice.
fn panels(svg: &mut Svg, slices: usize, shown: &[ScoreSlice], measure: Measure, reach: i32) {
    svg.line("grid", (MARGIN, PANELS_TOP - 36.0), (FILE.width - MARGIN, PANELS_TOP - 36.0));
    svg.text("section", MARGIN, PANELS_TOP, "Slice by slice");
    let which =
        if shown.len() < slices { format!("the last {}: ", shown.len()) } else { String::new() };
    let facts = match measure {
        Measure::Scores(_) => "positions and mean score",
        Measure::Results | Measure::Distances(_) => "positions",
    };
    let note = format!("{which}{facts}; bars scaled to the tallest; share lost, drawn, won");
    svg.text("muted end", FILE.width - MARGIN, PANELS_TOP, &note);

    let gaps = (PANEL_COLUMNS - 1) as f64 * PANEL_GAP;
    let width = (FILE.width - 2.0 * MARGIN - gaps) / PANEL_COLUMNS as f64;
    for (i, slice) in shown.iter().enumerate() {
        let x = MARGIN + (i % PANEL_COLUMNS) as f64 * (width + PANEL_GAP);
        let y = PANELS_TOP + 32.0 + (i / PANEL_COLUMNS) as f64 * PANEL_PITCH;
        panel(svg, slice, Area { x, y, w: width, h: 0.0 }, measure, reach);
    }
}

fn panel(svg: &mut Svg, slice: &ScoreSlice, at: Area, measure: Measure, reach: i32) {
    let tally = Tally::new([slice]);
    let area = Area { y: at.y + 26.0, h: 64.0, ..at };
    let base = area.bottom();
    svg.text("label", at.x, at.y, &clip(&slice.label, 26));
    let mean = match (tally.mean(), measure) {
        (Some(mean), Measure::Scores(_)) => format!(", mean {}", signed_mean(mean)),
        _ => String::new(),
    };
    let total = tally.total();
    let facts =
        if total == 0 { "no positions".into() } else { format!("{}{mean}", grouped(total)) };
    svg.text("small muted", at.x, at.y + 16.0, &facts);

    let columns = Columns::new(Layout { plot: area, ..FILE }, measure, reach);
    if let Some((_, most)) = tally.mode() {
        for outcome in Outcome::ALL {
            let of_outcome =
                tally.counts.iter().filter(|&(&score, _)| Outcome::of(score) == outcome);
            let bars = of_outcome.map(|(&score, &positions)| {
                let h = (area.h * (positions as f64 / most as f64)).max(0.75);
                Area { x: columns.left(score), y: base - h, w: columns.bar, h }
            });
            svg.bars(outcome.class(), 1.0, &bars.collect::<Vec<_>>());
        }
    }
    svg.line("axis", (area.x, base), (area.right(), base));
    let places = [
        ("small muted", area.x),
        ("small muted middle", columns.middle(0)),
        ("small muted end", area.right()),
    ];
    for (outcome, (class, x)) in Outcome::ALL.into_iter().zip(places) {
        svg.text(class, x, base + 15.0, &share(tally.with(outcome), total));
    }
}
