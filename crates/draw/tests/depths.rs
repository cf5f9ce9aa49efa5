//! The chart of a book's depths.

use nutcracker_draw::{DepthCount, depth_chart};

fn rows(counts: &[(u64, u64)]) -> Vec<DepthCount> {
    counts.iter().map(|&(nodes, solved)| DepthCount { nodes, solved }).collect()
}

/// The numbers of the tooltips: depth, nodes, solved.
fn read(svg: &str) -> Vec<[u64; 3]> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let tips = document.descendants().filter(|node| node.has_tag_name("rect")).filter_map(|rect| {
        let title = rect.children().find(|child| child.has_tag_name("title"))?;
        let text = title.text()?.replace(',', "");
        let numbers: Vec<u64> =
            text.split(' ').filter_map(|w| w.trim_end_matches(':').parse().ok()).collect();
        numbers.try_into().ok()
    });
    tips.collect()
}

/// The heights of the bars of a colour.
fn heights(svg: &str, class: &str) -> Vec<f64> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let bars = document
        .descendants()
        .find(|node| node.has_tag_name("path") && node.attribute("class") == Some(class));
    let path = bars.and_then(|bars| bars.attribute("d")).unwrap_or_default();
    path.split('v').skip(1).map(|part| part.split('h').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn every_depth_has_its_bar() {
    let svg = depth_chart("Kalah <3>", "a & b", &rows(&[(1, 0), (3, 1), (2_000, 500), (4, 4)]));
    assert_eq!(read(&svg), [[0, 1, 0], [1, 3, 1], [2, 2000, 500], [3, 4, 4]]);
    assert!(svg.contains("Kalah &lt;3&gt;") && svg.contains("depth 2: 2,000 nodes, 500 solved."));
    // The tallest bar fills the plot, and a quarter of it is solved.
    assert_eq!(heights(&svg, "drawn"), [0.16, 80.0, 0.64]);
    assert_eq!(heights(&svg, "won"), [0.16, 0.32, 240.0]);
}

#[test]
fn empty_and_deep_books() {
    for depths in [Vec::new(), rows(&[(0, 0)]), rows(&[(u64::MAX, 1); 300])] {
        let svg = depth_chart("", "", &depths);
        assert_eq!(read(&svg).len(), depths.len());
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
