//! The chart of a game's course.

use nutcracker_draw::{Course, CourseError, CoursePoint, Form, course_chart};

const COURSE: Course = Course {
    form: Form::File,
    title: "A <b>",
    caption: "A draw",
    sides: ["South", "North"],
    outcomes: false,
};

#[test]
fn points_and_errors() {
    let mut error = CoursePoint::new(-3.5, true, "South E3 & more");
    error.error = Some(CourseError { first: true, grave: false });
    let points = [
        CoursePoint::new(0.0, true, "start"),
        error,
        CoursePoint::new(2.0, false, "North a1"),
        CoursePoint::new(f64::NAN, true, "nothing"),
    ];
    let svg = course_chart(&COURSE, &points);
    assert!(svg.contains("A &lt;b&gt;") && svg.contains("1. South E3 &amp; more: \u{2212}3.5"));
    assert!(svg.contains("2. North a1: ~+2") && svg.contains("3. nothing: 0"));
    assert_eq!(svg.matches("class=\"line\"").count(), 1);
    assert_eq!(svg.matches("class=\"line guess\"").count(), 2);
    // Two in the key, one at its place.
    assert_eq!(svg.matches("<circle").count(), 3);
    assert_eq!(svg, course_chart(&COURSE, &points), "the same data give the same bytes");
}

#[test]
fn empty_and_extreme_data() {
    assert!(course_chart(&COURSE, &[]).contains("No moves"));
    let long: Vec<CoursePoint> =
        (0..500).map(|ply| CoursePoint::new(f64::from(ply % 90) - 45.0, true, "x")).collect();
    let svg = course_chart(&COURSE, &long);
    assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"));
    let one = course_chart(&COURSE, &[CoursePoint::new(1e300, true, "huge")]);
    assert!(!one.contains("NaN"));
}

#[test]
fn what_is_not_known_interrupts_the_line() {
    let known = |margin| CoursePoint::new(margin, true, "a");
    let points =
        [known(1.0), known(1.0), CoursePoint::unknown("b"), known(2.0), CoursePoint::unknown("c")];
    let svg = course_chart(&COURSE, &points);
    assert_eq!(svg.matches("class=\"line\"").count(), 1, "between two that are known");
    assert_eq!(svg.matches("class=\"ink\"").count(), 1, "the one that is alone is a point");
    assert!(svg.contains("2. b: not known") && svg.contains("3. a: +2"));
}

#[test]
fn points_of_a_page_can_be_chosen() {
    let mut error = CoursePoint::new(-1.0, true, "Kxa1");
    error.error = Some(CourseError { first: false, grave: true });
    let course = Course { form: Form::Page, outcomes: true, ..COURSE };
    let svg = course_chart(&course, &[CoursePoint::new(1.0, true, "start"), error]);
    assert!(!svg.contains("<style") && !svg.contains("error of"));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<_> = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("muted end"))
        .filter_map(|node| node.text())
        .collect();
    assert_eq!(texts, ["loss", "draw", "win"]);
    let buttons: Vec<_> = document
        .descendants()
        .filter(|node| node.attribute("role") == Some("button"))
        .map(|one| ["data-ply", "tabindex", "aria-label"].map(|name| one.attribute(name).unwrap()))
        .collect();
    assert_eq!(buttons, [["0", "0", "start: win"], ["1", "-1", "1. Kxa1: loss"]]);
    assert!(document.descendants().any(|node| node.attribute("class") == Some("lost grave")));
}
