//! Curves, parsed as SVG.

use nutcracker_draw::{Curve, CurveChart, curve_chart};
use roxmltree::Document;

fn curve(label: &str, points: &[(u32, u64)]) -> Curve {
    Curve { label: label.into(), points: points.to_vec() }
}

const CHART: CurveChart = CurveChart {
    title: "Misses",
    caption: "one pass",
    x: ("size of the cache", "%"),
    y: "misses",
    floor: Some((12, "each block once")),
};

fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).expect("well-formed XML");
    let elements = document.descendants().filter(|node| node.has_tag_name("text"));
    elements.filter_map(|node| node.text().map(String::from)).collect()
}

/// The corners of each curve; all of them inside the picture.
fn paths(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let document = Document::parse(svg).expect("well-formed XML");
    let height: f64 = document.root_element().attribute("height").unwrap().parse().unwrap();
    let mut paths = Vec::new();
    for node in document.descendants().filter(|node| node.has_tag_name("path")) {
        let corners = node.attribute("d").unwrap().strip_prefix('M').unwrap().split('L');
        let corners: Vec<(f64, f64)> = corners
            .map(|corner| {
                let (x, y) = corner.split_once(' ').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            })
            .collect();
        for (x, y) in &corners {
            assert!((0.0..=960.0).contains(x) && (0.0..=height).contains(y), "{x} {y}");
        }
        paths.push(corners);
    }
    paths
}

#[test]
fn equal_ratios_are_equal_distances() {
    let svg = curve_chart(&CHART, &[curve("a", &[(0, 100_000), (50, 1_000), (100, 10)])]);
    let paths = paths(&svg);
    let [(x0, y0), (x1, y1), (x2, y2)] = paths[0][..] else { panic!("{paths:?}") };
    assert!((x1 - x0 - (x2 - x1)).abs() < 0.02 && (y1 - y0 - (y2 - y1)).abs() < 0.02);
    assert!(y0 < y1, "more is higher");
    let texts = texts(&svg);
    for mark in ["10", "100", "1,000", "10,000", "100,000", "0%", "50%", "100%"] {
        assert!(texts.iter().any(|text| text == mark), "{mark} in {texts:?}");
    }
    assert!(!texts.iter().any(|text| text == "1" || text == "1 million"), "{texts:?}");
}

#[test]
fn describes_its_data() {
    let curves = [
        curve("one index", &[(5, 4_000_000), (100, 12)]),
        curve("two indices", &[(5, 900), (100, 12)]),
    ];
    let svg = curve_chart(&CHART, &curves);
    let document = Document::parse(&svg).unwrap();
    let desc = document.descendants().find(|node| node.has_tag_name("desc")).unwrap();
    let desc = desc.text().unwrap();
    assert!(desc.contains("one index: 4,000,000 at 5%, 12 at 100%."), "{desc}");
    assert!(svg.contains("<title>5%: one index 4,000,000, two indices 900</title>"));
    for expected in ["Misses", "one pass", "10 million", "two indices", "each block once: 12"] {
        assert!(texts(&svg).iter().any(|text| text == expected), "{expected}");
    }
}

/// Curves are lines, also where a colour is that of areas in other charts.
#[test]
fn six_curves_look_different() {
    let curves: Vec<Curve> =
        (0..6).map(|n| curve(&format!("noise {n}"), &[(1, 9), (2, n + 1)])).collect();
    let svg = curve_chart(&CHART, &curves);
    let document = Document::parse(&svg).unwrap();
    let class = |name: &str| {
        let nodes = document.descendants().filter(|node| node.has_tag_name(name));
        nodes.filter_map(|node| node.attribute("class")).map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = class("path");
    assert_eq!(lines.iter().collect::<std::collections::HashSet<_>>().len(), 6, "{lines:?}");
    for line in &lines {
        assert!(class("line").contains(&format!("key {line}")), "{line} in the key");
    }
    assert!(svg.contains(".chart.curves path{fill:none"));
}

#[test]
fn order_of_points_does_not_matter() {
    let forth = curve_chart(&CHART, &[curve("a", &[(1, 50), (2, 40), (3, 30)])]);
    let back = curve_chart(&CHART, &[curve("a", &[(3, 30), (2, 40), (1, 50), (4, 0)])]);
    assert_eq!(forth, back);
}

#[test]
fn extremes_are_drawable() {
    for curves in [vec![], vec![curve("a", &[])], vec![curve("a", &[(1, 0)])]] {
        let svg = curve_chart(&CHART, &curves);
        assert!(texts(&svg).iter().any(|text| text == "No points"));
        assert!(paths(&svg).is_empty());
    }
    for points in [&[(0, 1)][..], &[(0, 1), (u32::MAX, u64::MAX)], &[(7, 10), (7, 10)]] {
        let svg = curve_chart(&CurveChart { floor: None, ..CHART }, &[curve("a", points)]);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(paths(&svg).len(), 1);
    }
}

#[test]
fn any_text_is_allowed() {
    let nasty = "<script>&\"'\u{0}]]>".repeat(20);
    let chart = CurveChart {
        title: &nasty,
        caption: &nasty,
        x: (&nasty, &nasty),
        y: &nasty,
        floor: Some((1, &nasty)),
    };
    let svg = curve_chart(&chart, &[curve(&nasty, &[(1, 1)])]);
    assert!(!svg.contains("<script"));
    Document::parse(&svg).unwrap();
}
