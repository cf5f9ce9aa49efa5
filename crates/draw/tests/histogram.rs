//! The histogram, parsed as SVG.

use nutcracker_draw::{Form, Histogram, Measure, ScoreSlice};
use roxmltree::Document;

fn slice(label: &str, counts: &[(i16, u64)]) -> ScoreSlice {
    ScoreSlice { label: label.into(), counts: counts.to_vec() }
}

fn score_histogram(title: &str, unit: &str, slices: &[ScoreSlice]) -> String {
    let measure = Measure::Scores(unit);
    nutcracker_draw::score_histogram(&Histogram { form: Form::File, title, measure }, slices)
}

fn awari() -> Vec<ScoreSlice> {
    vec![
        slice("1 stone", &[(-1, 7), (1, 5)]),
        slice("2 stones", &[(-2, 40), (0, 13), (2, 25)]),
        slice("3 stones", &[(-3, 178), (0, 63), (1, 8), (3, 115)]),
    ]
}

/// Every text element's text, in order.
fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).expect("well-formed XML");
    let elements = document.descendants().filter(|node| node.has_tag_name("text"));
    elements.filter_map(|node| node.text().map(String::from)).collect()
}

/// Every number in coordinates and sizes is finite and inside the picture.
fn assert_drawable(svg: &str) {
    let document = Document::parse(svg).expect("well-formed XML");
    let height: f64 = document.root_element().attribute("height").unwrap().parse().unwrap();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        for (name, limit) in [
            ("x", 960.0),
            ("x1", 960.0),
            ("x2", 960.0),
            ("width", 960.0),
            ("y", height),
            ("y1", height),
            ("y2", height),
            ("height", height),
        ] {
            if let Some(value) = node.attribute(name) {
                let number: f64 = value.parse().expect("a number");
                assert!((0.0..=limit).contains(&number), "{name}={value} in {node:?}");
            }
        }
        if let Some(path) = node.attribute("d") {
            assert!(path.chars().all(|c| c.is_ascii_digit() || "Mhvz.- ".contains(c)), "{path}");
            assert!(!path.contains("--"), "{path}");
        }
    }
}

#[test]
fn same_data_same_bytes() {
    let mut shuffled = awari();
    for slice in &mut shuffled {
        slice.counts.reverse();
        slice.counts.push((9, 0));
    }
    let svg = score_histogram("Awari", "stones", &awari());
    assert_eq!(svg, score_histogram("Awari", "stones", &shuffled));
    assert_drawable(&svg);
}

#[test]
fn describes_its_data() {
    let svg = score_histogram("Awari", "stones", &awari());
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let names: Vec<_> = root.children().filter(roxmltree::Node::is_element).take(2).collect();
    assert_eq!(names[0].tag_name().name(), "title");
    assert_eq!(names[0].text(), Some("Awari"));
    assert_eq!(names[1].tag_name().name(), "desc");
    let desc = names[1].text().unwrap();
    assert!(desc.contains("454 positions in 3 slices"), "{desc}");
    assert!(desc.contains("Lost 49.6%, drawn 16.7%, won 33.7%"), "{desc}");
    assert!(desc.contains("the most frequent is \u{2212}3, with 178 positions"), "{desc}");
    assert!(svg.contains("prefers-color-scheme:dark"));

    let texts = texts(&svg);
    for expected in ["Awari", "\u{2212}3", "+3", "49.6%", "score for the side to move (stones)"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:?}");
    }
}

#[test]
fn empty_data_gives_an_empty_chart() {
    for slices in [vec![], vec![slice("empty", &[])], vec![slice("a", &[(3, 0)]), slice("b", &[])]]
    {
        let svg = score_histogram("Nothing", "", &slices);
        assert_drawable(&svg);
        assert!(texts(&svg).iter().any(|text| text == "No positions"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}

#[test]
fn one_slice_stands_alone() {
    let one = score_histogram("Awari", "stones", &awari()[2..]);
    assert_drawable(&one);
    assert!(texts(&one).iter().any(|text| text == "364 positions, 3 stones"));
    assert!(!texts(&one).iter().any(|text| text == "Slice by slice"));
}

#[test]
fn the_last_sixteen_are_shown_one_by_one() {
    let slices: Vec<_> = (0..20).map(|n| slice(&format!("<{n}>"), &[(n, 1 << n)])).collect();
    let svg = score_histogram("Many", "", &slices);
    assert_drawable(&svg);
    let document = Document::parse(&svg).unwrap();
    let panels = document.descendants().filter(|node| node.attribute("class") == Some("label"));
    let labels: Vec<_> = panels.filter_map(|node| node.text()).collect();
    assert_eq!(labels.len(), 16);
    assert_eq!((labels[0], labels[15]), ("<4>", "<19>"));
}

#[test]
fn huge_counts_and_scores_fit() {
    let counts = [(i16::MIN, u64::MAX), (-1, 1), (0, u64::MAX), (1, 1), (i16::MAX, u64::MAX)];
    let svg = score_histogram("Huge", "stones", &[slice("a", &counts), slice("b", &counts)]);
    assert_drawable(&svg);
    assert!(texts(&svg).iter().any(|text| text == "quintillions of positions"));
    assert!(
        texts(&svg).iter().any(|text| text.starts_with("110,680,464,442,257,309,694 positions"))
    );
}

#[test]
fn any_text_is_allowed() {
    let nasty = "<script>&\"'\u{0}\u{1b}]]>\u{ffff}\n--";
    let slices = [slice(nasty, &[(1, 1)]), slice(&nasty.repeat(9), &[(-1, 1)])];
    let svg = score_histogram(nasty, nasty, &slices);
    assert_drawable(&svg);
    assert!(!svg.contains("<script"));
    let document = Document::parse(&svg).unwrap();
    let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
    assert_eq!(title.text(), Some("<script>&\"'\u{fffd}\u{fffd}]]>\u{fffd} --"));
}

#[test]
fn distances_are_by_the_winners_moves() {
    let distance = |value: i16| match value {
        0 => None,
        1.. => Some((true, (128 - value) as u16)),
        _ => Some((false, (127 + value) as u16)),
    };
    let measure = Measure::Distances(&distance);
    let chart = Histogram { title: "krk", measure, ..Histogram::default() };
    let counts = [(-127, 3), (-120, 9), (0, 2), (127, 5), (112, 4)];
    let svg = nutcracker_draw::score_histogram(&chart, &[slice("all", &counts)]);
    assert_drawable(&svg);
    for tip in ["loss in 0: 3 positions", "loss in 7: 9", "draw: 2", "win in 1: 5", "win in 16: 4"]
    {
        assert!(svg.contains(tip), "{tip}");
    }
    assert!(!svg.contains("Mean score") && svg.contains("by the winner&#39;s moves"));
    let document = Document::parse(&svg).unwrap();
    let hits = document.descendants().filter(|node| node.attribute("class") == Some("hit"));
    let mut columns: Vec<(f64, &str)> = hits
        .map(|hit| {
            let tip = hit.first_element_child().and_then(|title| title.text()).unwrap();
            (hit.attribute("x").unwrap().parse().unwrap(), tip.split(':').next().unwrap())
        })
        .collect();
    columns.sort_by(|a, b| a.0.total_cmp(&b.0));
    let names: Vec<&str> = columns.into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["loss in 7", "loss in 0", "draw", "win in 1", "win in 16"]);
}

#[test]
fn columns_of_a_page_can_be_chosen() {
    let chart =
        Histogram { form: Form::Page, title: "Scores & more", measure: Measure::Scores("") };
    let svg = nutcracker_draw::score_histogram(&chart, &awari());
    assert!(!svg.contains("<style") && !svg.contains("style="), "the page has the styles");
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("group"));
    assert_eq!(root.attribute("aria-label"), Some("Scores & more"));
    let buttons: Vec<_> =
        document.descendants().filter(|node| node.attribute("role") == Some("button")).collect();
    let data: Vec<_> = buttons.iter().map(|one| one.attribute("data-score").unwrap()).collect();
    assert_eq!(data, ["-3", "-2", "-1", "0", "1", "2", "3"]);
    let stops: Vec<_> = buttons.iter().map(|one| one.attribute("tabindex").unwrap()).collect();
    assert_eq!(stops, ["0", "-1", "-1", "-1", "-1", "-1", "-1"], "one stop of the Tab key");
    let name = buttons[0].attribute("aria-label").unwrap();
    assert_eq!(name, "\u{2212}3: 178 positions (39.2%)");
}
