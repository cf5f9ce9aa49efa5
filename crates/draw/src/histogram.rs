//! The histogram of scores: all slices stacked, and under it each slice by itself.

use std::collections::BTreeMap;

use crate::{
    axis::Axis,
    chart::{Chart, MARGIN, WIDTH, plot},
    number::{brief, counted, grouped, round_step, share, signed, signed_mean, ticks},
    svg::{Area, Svg, clip},
    tally::{Outcome, ScoreSlice, Tally},
    theme::shade,
};

/// The area of the bars of all slices.
const PLOT: Area = plot(84.0, 208.0, 300.0);
/// The top of the charts of single slices.
const PANELS_TOP: f64 = PLOT.y + PLOT.h + 96.0;
/// How much lower that is than the end of a picture without them.
const PANELS_GAP: f64 = 48.0;
const PANEL_COLUMNS: usize = 4;
const PANEL_GAP: f64 = 24.0;
const PANEL_PITCH: f64 = 148.0;
/// The largest number of slices shown one by one.
const PANELS: usize = 16;

/// A histogram of positions by score, as a complete SVG document 960 pixels wide.
///
/// One bar a score, from the greatest loss to the greatest win of the side to move, stacked by
/// slice: the last slice at the bottom in full colour, earlier ones above it and paler. With more
/// than one slice, the last sixteen follow as small charts on the same score axis, each scaled to
/// its own tallest bar. To draw one slice, pass one.
///
/// `unit` is the unit of scores (`stones`); it may be empty. Any text is allowed in `title`, `unit`
/// and labels; text that is too long for its place is clipped.
///
/// ```
/// use nutcracker_draw::{ScoreSlice, score_histogram};
///
/// let slice = ScoreSlice { label: "2 stones".into(), counts: vec![(-2, 40), (0, 12), (2, 26)] };
/// let svg = score_histogram("Awari <endgames>", "stones", &[slice]);
/// assert!(svg.contains("Awari &lt;endgames&gt;"));
/// assert!(svg.contains("51.3%")); // lost
/// ```
pub fn score_histogram(title: &str, unit: &str, slices: &[ScoreSlice]) -> String {
    let all = Tally::new(slices);
    let shown = &slices[slices.len().saturating_sub(PANELS)..];
    let rows = if slices.len() > 1 { shown.len().div_ceil(PANEL_COLUMNS) } else { 0 };
    let chart = Chart {
        kind: "histogram",
        title,
        caption: &caption(slices, &all),
        description: &description(unit, slices, &all),
        plot: PLOT,
        more: if rows > 0 { PANELS_GAP + rows as f64 * PANEL_PITCH } else { 0.0 },
    };
    chart.draw(|svg| {
        figures(svg, unit, &all);
        match all.mode() {
            Some((_, most)) => main_chart(svg, unit, slices, &all, most),
            None => chart.nothing(svg, "No positions"),
        }
        if rows > 0 {
            shades(svg, slices);
            panels(svg, slices.len(), shown, all.reach());
        }
    })
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
fn description(unit: &str, slices: &[ScoreSlice], all: &Tally) -> String {
    let contents = format!("Histogram of positions by score. {}.", caption(slices, all));
    let (Some(mean), Some((mode, most)), Some((least, greatest))) =
        (all.mean(), all.mode(), all.range())
    else {
        return contents;
    };
    let [lost, drawn, won] = Outcome::ALL.map(|outcome| share(all.with(outcome), all.total()));
    let of_unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let [least, greatest, mode] = [least, greatest, mode].map(signed);
    let (mean, most) = (signed_mean(mean), counted(most, "position"));
    format!(
        "{contents} Lost {lost}, drawn {drawn}, won {won}. Mean score {mean}{of_unit}, from {least} \
         to {greatest}; the most frequent is {mode}, with {most}."
    )
}

/// The figures above the chart, which are also the key of its colours.
fn figures(svg: &mut Svg, unit: &str, all: &Tally) {
    let (top, pitch) = (104.0, 144.0);
    for (outcome, column) in Outcome::ALL.into_iter().zip(0_u8..) {
        let x = MARGIN + f64::from(column) * pitch;
        let positions = all.with(outcome);
        svg.rect(outcome.class(), Area { x, y: top, w: 4.0, h: 52.0 }, 1.0);
        svg.text("muted", x + 14.0, top + 11.0, outcome.name());
        svg.text("figure", x + 14.0, top + 34.0, &share(positions, all.total()));
        svg.text("small muted", x + 14.0, top + 51.0, &brief(positions));
    }
    let x = MARGIN + 3.0 * pitch;
    let mean = all.mean().map_or("\u{2013}".into(), signed_mean);
    svg.line("mean", (x + 2.0, top), (x + 2.0, top + 52.0));
    svg.text("muted", x + 14.0, top + 11.0, "Mean score");
    svg.text("figure", x + 14.0, top + 34.0, &mean);
    svg.text("small muted", x + 14.0, top + 51.0, &clip(unit, 18));
}

/// The key of the shades, from the first slice to the last.
fn shades(svg: &mut Svg, slices: &[ScoreSlice]) {
    let (right, y, w) = (WIDTH - MARGIN, 122.0, 8.0);
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

/// The columns of scores around their places on an axis.
struct Columns {
    axis: Axis,
    bar: f64,
}

impl Columns {
    fn new(area: Area, reach: i32) -> Columns {
        let end = f64::from(reach) + 0.5;
        let axis = Axis::across(area, -end, end);
        let slot = axis.unit();
        // Narrow bars touch, so that gaps do not dominate; a bar too thin to see is left out.
        let bar = if slot < 3.0 { slot.max(0.5) } else { (slot * 0.84).min(area.w / 8.0) };
        Columns { axis, bar }
    }

    fn left(&self, score: i32) -> f64 {
        self.axis.at(f64::from(score)) - self.bar / 2.0
    }
}

fn main_chart(svg: &mut Svg, unit: &str, slices: &[ScoreSlice], all: &Tally, most: u128) {
    let marks = ticks(most);
    let positions = Axis::upwards(PLOT, 0.0, most as f64)
        .marked(marks.at.iter().map(|&at| at as f64).zip(marks.labels))
        .titled(match &*marks.unit {
            "" => "positions".to_owned(),
            unit => format!("{unit} of positions"),
        });
    positions.draw_left(svg);

    let reach = all.reach();
    let Columns { axis, bar } = Columns::new(PLOT, reach);
    // Digits of this size are at most 7 pixels wide.
    let label = 7.0 * signed(reach).chars().count() as f64 + 6.0;
    let step = round_step(reach.unsigned_abs().into(), (PLOT.w / 2.0 / label) as u128) as i32;
    let scores = (-reach / step..=reach / step).map(|mark| mark * step);
    let of_unit = if unit.is_empty() { String::new() } else { format!(" ({})", clip(unit, 40)) };
    let axis = axis
        .marked(scores.map(|score| (score.into(), signed(score))))
        .titled(format!("score for the side to move{of_unit}"));
    let columns = Columns { axis, bar };
    stack(svg, slices, all, &columns, positions.unit());
    columns.axis.draw_below(svg);

    if let Some(mean) = all.mean() {
        let x = columns.axis.at(mean);
        for class in ["halo", "mean"] {
            svg.line(class, (x, PLOT.y - 12.0), (x, PLOT.bottom()));
        }
    }
    for (&score, &positions) in &all.counts {
        let x = columns.axis.at(f64::from(score) - 0.5);
        let tip = format!(
            "{}: {} ({})",
            signed(score),
            counted(positions, "position"),
            share(positions, all.total())
        );
        svg.tip(Area { x, y: PLOT.y, w: columns.axis.unit(), h: PLOT.h }, &tip);
    }
}

/// The bars of all slices, the last slice lowest.
fn stack(svg: &mut Svg, slices: &[ScoreSlice], all: &Tally, columns: &Columns, per_position: f64) {
    let base = PLOT.bottom();
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
fn panels(svg: &mut Svg, slices: usize, shown: &[ScoreSlice], reach: i32) {
    svg.line("grid", (MARGIN, PANELS_TOP - 36.0), (WIDTH - MARGIN, PANELS_TOP - 36.0));
    svg.text("section", MARGIN, PANELS_TOP, "Slice by slice");
    let which =
        if shown.len() < slices { format!("the last {}: ", shown.len()) } else { String::new() };
    let note = format!(
        "{which}positions and mean score; bars scaled to the tallest; share lost, drawn, won"
    );
    svg.text("muted end", WIDTH - MARGIN, PANELS_TOP, &note);

    let gaps = (PANEL_COLUMNS - 1) as f64 * PANEL_GAP;
    let width = (WIDTH - 2.0 * MARGIN - gaps) / PANEL_COLUMNS as f64;
    for (i, slice) in shown.iter().enumerate() {
        let x = MARGIN + (i % PANEL_COLUMNS) as f64 * (width + PANEL_GAP);
        let y = PANELS_TOP + 32.0 + (i / PANEL_COLUMNS) as f64 * PANEL_PITCH;
        panel(svg, slice, Area { x, y, w: width, h: 0.0 }, reach);
    }
}

fn panel(svg: &mut Svg, slice: &ScoreSlice, at: Area, reach: i32) {
    let tally = Tally::new([slice]);
    let area = Area { y: at.y + 26.0, h: 64.0, ..at };
    let base = area.bottom();
    svg.text("label", at.x, at.y, &clip(&slice.label, 26));
    let mean = tally.mean().map_or(String::new(), |mean| format!(", mean {}", signed_mean(mean)));
    let total = tally.total();
    let facts =
        if total == 0 { "no positions".into() } else { format!("{}{mean}", grouped(total)) };
    svg.text("small muted", at.x, at.y + 16.0, &facts);

    let columns = Columns::new(area, reach);
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
        ("small muted middle", columns.axis.at(0.0)),
        ("small muted end", area.right()),
    ];
    for (outcome, (class, x)) in Outcome::ALL.into_iter().zip(places) {
        svg.text(class, x, base + 15.0, &share(tally.with(outcome), total));
    }
}
