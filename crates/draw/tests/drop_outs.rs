//! The drop-out diagram, parsed as SVG.

use nutcracker_draw::{Dot, DropOutChart, Form, drop_out_chart};
use roxmltree::{Document, Node};

const CHART: DropOutChart = DropOutChart {
    form: Form::File,
    title: "A",
    caption: "b",
    root: 0.0,
    frontier: None,
    omega: 0.0,
};

fn dot(value: f64, depth: u32, count: u64, solved: bool) -> Dot {
    Dot { value, depth, count, solved }
}

fn coordinate(node: Node, name: &str) -> f64 {
    node.attribute(name).expect("a coordinate").parse().expect("a number")
}

/// A leaf as it is drawn: class, x, y, radius, tooltip.
fn leaves(svg: &str) -> Vec<(String, f64, f64, f64, String)> {
    let document = Document::parse(svg).expect("well-formed XML");
    let circles = document.descendants().filter(|node| node.has_tag_name("circle"));
    let read = circles.map(|circle| {
        let [x, y, r] = ["cx", "cy", "r"].map(|name| coordinate(circle, name));
        let class = circle.attribute("class").expect("a class").to_owned();
        let tip = circle.first_element_child().and_then(|title| title.text());
        (class, x, y, r, tip.expect("a tooltip").to_owned())
    });
    read.collect()
}

/// The ends of the lines of a class.
fn lines(svg: &str, class: &str) -> Vec<[f64; 4]> {
    let document = Document::parse(svg).expect("well-formed XML");
    let lines = document.descendants().filter(|node| node.has_tag_name("line"));
    let lines = lines.filter(|line| line.attribute("class") == Some(class));
    lines.map(|line| ["x1", "y1", "x2", "y2"].map(|name| coordinate(line, name))).collect()
}

/// Where a value and a depth are, from two leaves that are drawn.
fn scale(svg: &str, dots: &[Dot]) -> impl Fn(f64, f64) -> (f64, f64) {
    let drawn = leaves(svg);
    let ((_, x0, y0, ..), (_, x1, y1, ..)) = (drawn[0].clone(), drawn[1].clone());
    let (value, depth) = (dots[0].value, f64::from(dots[0].depth));
    let right = (x1 - x0) / (dots[1].value - value);
    let up = (y1 - y0) / (f64::from(dots[1].depth) - depth);
    move |v, d| (x0 + right * (v - value), y0 + up * (d - depth))
}

#[test]
fn values_go_right_and_depths_go_up() {
    let dots = [dot(0.0, 2, 1, false), dot(1.0, 6, 1, true), dot(0.5, 4, 1_000, false)];
    let svg = drop_out_chart(&CHART, &dots);
    let drawn = leaves(&svg);
    let [(open, x0, y0, r0, tip), (solved, x1, y1, r1, _), (_, x2, y2, r2, many)] = &drawn[..]
    else {
        panic!("{drawn:?}")
    };
    assert!(x0 < x1 && y0 > y1, "{drawn:?}");
    assert!((x2 - f64::midpoint(*x0, *x1)).abs() < 0.02, "halfway across: {drawn:?}");
    assert!((y2 - f64::midpoint(*y0, *y1)).abs() < 0.02, "halfway up: {drawn:?}");
    assert_eq!((open.as_str(), solved.as_str()), ("won", "drawn"));
    assert!((r0 - r1).abs() < 1e-9 && r2 > r0 && *r2 < 10.0 * r0, "{drawn:?}");
    assert_eq!(tip, "ply 2, value +0.00: 1 leaf");
    assert_eq!(many, "ply 4, value +0.50: 1,000 leaves");
    assert!(drawn[1].4.ends_with("1 leaf, solved"));
    assert!(svg.contains("depth by value of 1,002 leaves"));
    assert!(drop_out_chart(&CHART, &dots[..1]).contains("depth by value of 1 leaf."));
}

#[test]
fn marks_are_where_their_values_are() {
    let dots = [dot(-1.0, 0, 1, false), dot(3.0, 40, 1, false)];
    let svg = drop_out_chart(&CHART, &dots);
    let at = scale(&svg, &dots);
    let document = Document::parse(&svg).expect("well-formed XML");
    let texts = |class: &str| -> Vec<(String, f64, f64)> {
        let texts = document.descendants().filter(|node| node.attribute("class") == Some(class));
        let read = |node: Node| {
            let text = node.text().unwrap_or_default().replace('\u{2212}', "-");
            (text, coordinate(node, "x"), coordinate(node, "y"))
        };
        texts.map(read).collect()
    };
    let values = texts("small middle");
    assert!((5..=11).contains(&values.len()), "{values:?}");
    for (text, x, _) in values {
        assert!((x - at(text.parse().expect("a value"), 0.0).0).abs() < 0.02, "{text}");
    }
    let depths = texts("muted end");
    assert!((4..=9).contains(&depths.len()), "{depths:?}");
    for (text, _, y) in depths {
        // A label is centred by its baseline.
        let line = at(0.0, text.parse().expect("a depth")).1;
        assert!((y - 4.0 - line).abs() < 0.02, "{text}");
    }
}

#[test]
fn the_frontier_falls_by_omega_from_the_start_on() {
    let dots = [dot(0.0, 1, 1, false), dot(4.0, 12, 1, false)];
    for (omega, frontier, ends) in [
        (2.0, 10.0, [(0.5, 10.0), (4.0, 3.0)]),
        // It ends where the depth is 0.
        (5.0, 10.0, [(0.5, 10.0), (2.5, 0.0)]),
        (0.0, 3.0, [(0.5, 3.0), (4.0, 3.0)]),
    ] {
        let chart = DropOutChart { root: 0.5, frontier: Some(frontier), omega, ..CHART };
        let svg = drop_out_chart(&chart, &dots);
        let at = scale(&svg, &dots);
        let [[x1, y1, x2, y2]] = lines(&svg, "mean")[..] else { panic!("one frontier: {svg}") };
        for ((value, depth), (x, y)) in ends.into_iter().zip([(x1, y1), (x2, y2)]) {
            let place = at(value, depth);
            assert!((place.0 - x).abs() < 0.05 && (place.1 - y).abs() < 0.05, "{omega}: {svg}");
        }
        let [[x, _, same, _]] = lines(&svg, "start")[..] else { panic!("one start: {svg}") };
        assert!((x - same).abs() < 1e-9, "an upright line");
        assert!((x - at(0.5, 0.0).0).abs() < 0.02, "the value of the start");
    }
    assert!(lines(&drop_out_chart(&CHART, &dots), "mean").is_empty(), "no frontier is known");
}

#[test]
fn empty_and_extreme_data() {
    let none = drop_out_chart(&DropOutChart { title: "<a & b>", ..CHART }, &[]);
    assert!(none.contains("No leaves") && none.contains("&lt;a &amp; b&gt;"));
    assert!(leaves(&none).is_empty());
    for dots in [
        vec![dot(0.0, 0, 1, false)],
        vec![dot(-1e6, 0, u64::MAX / 2, true), dot(1e6, u32::MAX, 1, false)],
    ] {
        let chart = DropOutChart { frontier: Some(1e9), omega: 1e-9, ..CHART };
        let svg = drop_out_chart(&chart, &dots);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(leaves(&svg).len(), dots.len());
    }
}

#[test]
fn leaves_of_a_page_can_be_chosen() {
    let dots = [dot(-0.25, 3, 1, false), dot(1.5, 7, 2, true)];
    let svg = drop_out_chart(&DropOutChart { form: Form::Page, ..CHART }, &dots);
    assert!(!svg.contains("<style") && leaves(&svg).len() == 2);
    let document = Document::parse(&svg).expect("well-formed XML");
    let names = ["data-depth", "data-value", "tabindex", "aria-label"];
    let buttons: Vec<_> = document
        .descendants()
        .filter(|node| node.attribute("role") == Some("button"))
        .map(|one| names.map(|name| one.attribute(name).expect("an attribute").to_owned()))
        .collect();
    let expected = [
        ["3", "-0.25", "0", "ply 3, value -0.25: 1 leaf"],
        ["7", "1.5", "-1", "ply 7, value +1.50: 2 leaves, solved"],
    ];
    assert_eq!(buttons, expected.map(|row| row.map(str::to_owned)));
}
