//! The nodes of a book by depth.

use std::fmt::Write;

use crate::{
    frame::{Frame, MARGIN, WIDTH},
    number::{grouped, round_step, ticks},
    svg::{Area, Svg},
};

const PLOT: Area = Area { x: 96.0, y: 140.0, w: WIDTH - 96.0 - MARGIN, h: 320.0 };
const HEIGHT: f64 = PLOT.y + PLOT.h + 76.0;

/// The nodes of one depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthCount {
    /// All of them.
    pub nodes: u64,
    /// Those whose score is proven.
    pub solved: u64,
}

/// A bar for each depth from 0 on, as a complete SVG document 960 pixels wide: solved nodes at the
/// bottom, open ones above them.
///
/// ```
/// use nutcracker_draw::{DepthCount, depth_chart};
///
/// let depths = [DepthCount { nodes: 1, solved: 0 }, DepthCount { nodes: 6, solved: 2 }];
/// let svg = depth_chart("Awari", "a small book", &depths);
/// assert!(svg.contains("depth 1: 6 nodes, 2 solved"));
/// ```
pub fn depth_chart(title: &str, caption: &str, depths: &[DepthCount]) -> String {
    let description = description(caption, depths);
    let frame = Frame { title, caption, description: &description, style: None, height: HEIGHT };
    frame.around(|svg| {
        for (place, (class, name)) in [("drawn", "solved"), ("won", "open")].into_iter().enumerate()
        {
            let x = MARGIN + 110.0 * place as f64;
            svg.rect(class, Area { x, y: 98.0, w: 10.0, h: 10.0 }, 1.0);
            svg.text("label", x + 18.0, 108.0, name);
        }
        plot(svg, depths);
    })
}

/// The description of the chart for screen readers.
fn description(caption: &str, depths: &[DepthCount]) -> String {
    let mut text = format!("Nodes of a book by depth. {caption}.");
    for (depth, row) in depths.iter().enumerate() {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " {}.", tip(depth, row));
    }
    text
}

fn tip(depth: usize, row: &DepthCount) -> String {
    let nodes = if row.nodes == 1 { "node" } else { "nodes" };
    let [all, solved] = [row.nodes, row.solved].map(|count| grouped(count.into()));
    format!("depth {depth}: {all} {nodes}, {solved} solved")
}

fn plot(svg: &mut Svg, depths: &[DepthCount]) {
    let base = PLOT.bottom();
    let most = depths.iter().map(|row| row.nodes).max().unwrap_or(0).max(1);
    let height = |count: u64| PLOT.h * count as f64 / most as f64;
    for &tick in &ticks(most.into()).at {
        let y = base - height(tick as u64);
        svg.line("grid", (PLOT.x, y), (PLOT.right(), y));
        svg.text("muted end", PLOT.x - 10.0, y + 4.0, &grouped(tick));
    }
    svg.text("muted", MARGIN, PLOT.y - 12.0, "nodes");
    let slot = PLOT.w / depths.len().max(1) as f64;
    let bar = |depth: usize, from: u64, to: u64| {
        let (x, w) = (PLOT.x + slot * depth as f64, (slot - 1.0).max(slot * 0.8));
        Area { x, y: base - height(to), w, h: height(to) - height(from) }
    };
    let bars = |span: fn(&DepthCount) -> (u64, u64)| -> Vec<Area> {
        let spans = depths.iter().map(span).enumerate().filter(|(_, (from, to))| from < to);
        spans.map(|(depth, (from, to))| bar(depth, from, to)).collect()
    };
    svg.bars("drawn", 1.0, &bars(|row| (0, row.solved.min(row.nodes))));
    svg.bars("won", 1.0, &bars(|row| (row.solved, row.nodes)));
    svg.line("axis", (PLOT.x, base), (PLOT.right(), base));
    let middle = |depth: usize| PLOT.x + slot * (depth as f64 + 0.5);
    let step = round_step(depths.len().max(1) as u128, 20) as usize;
    for depth in (0..depths.len()).step_by(step.max(1)) {
        svg.text("small middle", middle(depth), base + 19.0, &depth.to_string());
    }
    svg.text("muted middle", PLOT.x + PLOT.w / 2.0, base + 42.0, "depth, in plies");
    for (depth, row) in depths.iter().enumerate() {
        let area = Area { x: PLOT.x + slot * depth as f64, y: PLOT.y, w: slot, h: PLOT.h };
        svg.tip(area, &tip(depth, row));
    }
}
