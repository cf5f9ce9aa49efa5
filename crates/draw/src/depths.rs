//! The nodes of a book by depth.

use std::fmt::Write;

use crate::{
    axis::Axis,
    chart::{Chart, Layout, key},
    number::{grouped, round_step, ticks},
    svg::{Area, Svg},
};

const LAYOUT: Layout = Layout::file(96.0, 150.0, 320.0);

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
    let chart = Chart { kind: "depths", title, caption, description: &description, layout: LAYOUT };
    chart.draw(|svg| {
        key(svg, 110.0, &[("drawn", "solved".into()), ("won", "open".into())]);
        draw_bars(svg, depths);
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

fn draw_bars(svg: &mut Svg, depths: &[DepthCount]) {
    let most = depths.iter().map(|row| row.nodes).max().unwrap_or(0).max(1);
    let marks = ticks(most.into()).at.into_iter().map(|tick| (tick as f64, grouped(tick)));
    let nodes = Axis::upwards(LAYOUT, 0.0, most as f64).marked(marks).titled("nodes");
    nodes.draw_left(svg);
    // The bar of a depth is around it.
    let count = depths.len().max(1);
    let step = round_step(count as u128, 20) as usize;
    let plies = (0..depths.len()).step_by(step).map(|depth| (depth as f64, depth.to_string()));
    let plies =
        Axis::across(LAYOUT, -0.5, count as f64 - 0.5).marked(plies).titled("depth, in plies");
    let slot = plies.unit();
    let left = |depth: usize| plies.at(depth as f64 - 0.5);
    let bars = |span: fn(&DepthCount) -> (u64, u64)| -> Vec<Area> {
        let spans = depths.iter().map(span).enumerate().filter(|(_, (from, to))| from < to);
        let bar = |(depth, (from, to)): (usize, (u64, u64))| {
            let (top, bottom) = (nodes.at(to as f64), nodes.at(from as f64));
            Area { x: left(depth), y: top, w: (slot - 1.0).max(slot * 0.8), h: bottom - top }
        };
        spans.map(bar).collect()
    };
    svg.bars("drawn", 1.0, &bars(|row| (0, row.solved.min(row.nodes))));
    svg.bars("won", 1.0, &bars(|row| (row.solved, row.nodes)));
    plies.draw_below(svg);
    for (depth, row) in depths.iter().enumerate() {
        let area = Area { x: left(depth), y: LAYOUT.plot.y, w: slot, h: LAYOUT.plot.h };
        svg.hit(area, &tip(depth, row), &[]);
    }
}
