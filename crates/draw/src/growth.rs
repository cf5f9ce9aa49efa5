//! How something grew until now.

use crate::{
    axis::Axis,
    chart::{Chart, Layout},
    number::{brief, counted},
};

/// A count at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthPoint {
    /// Seconds since any beginning.
    pub seconds: f64,
    /// The count then.
    pub count: u64,
}

/// The growth of something as SVG for a page: one line over the time before the last point. `noun` is
/// what is counted, such as `position`.
///
/// ```
/// use nutcracker_draw::{GrowthPoint, growth_chart};
///
/// let points = [(0.0, 100), (60.0, 400)].map(|(seconds, count)| GrowthPoint { seconds, count });
/// let svg = growth_chart("The book", "position", &points);
/// assert!(svg.contains("From 100 positions to 400 positions in 60 s."));
/// ```
pub fn growth_chart(title: &str, noun: &str, points: &[GrowthPoint]) -> String {
    let layout = Layout::page(720.0, 90.0, 40.0, 150.0);
    let description = match points {
        [first, .., last] => format!(
            "From {} to {} in {}.",
            counted(first.count.into(), noun),
            counted(last.count.into(), noun),
            span(last.seconds - first.seconds)
        ),
        _ => String::new(),
    };
    let chart = Chart { kind: "growth", title, caption: "", description: &description, layout };
    chart.draw(|svg| {
        let [first, .., last] = points else {
            chart.nothing(svg, "The curve begins in a moment");
            return;
        };
        // Small growth of a large count is to be seen, too: the axis need not begin at 0.
        let least = points.iter().map(|point| point.count).min().unwrap_or(0);
        let most = points.iter().map(|point| point.count).max().unwrap_or(0).max(least + 1);
        let counts = Axis::upwards(layout, least as f64, most as f64)
            .marked([least, most].map(|count| (count as f64, brief(count.into()))))
            .titled(format!("{noun}s"));
        let past = (last.seconds - first.seconds).max(1.0);
        let middle = (-past / 2.0, format!("{} ago", span(past / 2.0)));
        let times = Axis::across(layout, -past, 0.0).marked([middle, (0.0, "now".to_owned())]);
        counts.draw_left(svg);
        times.draw_below(svg);
        let place = |point: &GrowthPoint| {
            (times.at(point.seconds - last.seconds), counts.at(point.count as f64))
        };
        svg.path("line", &points.iter().map(place).collect::<Vec<_>>());
    })
}

/// A span of time in words.
fn span(seconds: f64) -> String {
    match seconds {
        _ if seconds < 90.0 => format!("{seconds:.0} s"),
        _ if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        _ if seconds < 172_800.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{:.0} d", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(all: &[(f64, u64)]) -> Vec<GrowthPoint> {
        all.iter().map(|&(seconds, count)| GrowthPoint { seconds, count }).collect()
    }

    #[test]
    fn the_line_goes_from_the_first_point_to_the_last() {
        let svg = growth_chart("a & b", "node", &points(&[(10.0, 50), (70.0, 50), (130.0, 250)]));
        let document = roxmltree::Document::parse(&svg).unwrap();
        let line = document.descendants().find(|node| node.has_tag_name("path")).unwrap();
        let corners: Vec<Vec<f64>> = line
            .attribute("d")
            .unwrap()
            .trim_start_matches('M')
            .split('L')
            .map(|corner| corner.split(' ').map(|number| number.parse().unwrap()).collect())
            .collect();
        // The edges of the plot: times from left to right, counts from bottom to top.
        assert_eq!(corners, [[90.0, 190.0], [398.0, 190.0], [706.0, 40.0]]);
        assert!(svg.contains("60 s ago") && svg.contains("From 50 nodes to 250 nodes in 2 min."));
    }

    #[test]
    fn few_and_equal_points() {
        for all in [&[][..], &[(1.0, 5)]] {
            assert!(growth_chart("", "node", &points(all)).contains("begins in a moment"));
        }
        let svg = growth_chart("", "node", &points(&[(1.0, 5), (1.0, 5)]));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn spans_of_time() {
        let spans = [5.0, 600.0, 7200.0, 864_000.0].map(span);
        assert_eq!(spans, ["5 s", "10 min", "2 h", "10 d"]);
    }
}
