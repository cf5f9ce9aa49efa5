//! The chart of a game's course.

use nutcracker_draw::{Course, CoursePoint, course_chart};

const COURSE: Course = Course { title: "A <b>", caption: "A draw", sides: ["South", "North"] };

#[test]
fn points_and_errors() {
    let mut error = CoursePoint::new(-3.5, true, "South E3 & more");
    error.error = Some(true);
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
