//! Charts as SVG: functions from data to text, without files and without printing.
//!
//! Every file contains its style sheet, follows the reader's light or dark setting, uses the
//! system's fonts and has a description for screen readers. A chart for a page has the page's style
//! sheet instead, and parts that can be chosen. The same data give the same bytes.
//!
//! ```
//! use nutcracker_draw::{Histogram, ScoreSlice, score_histogram};
//!
//! let slices = [
//!     ScoreSlice { label: "1 stone".into(), counts: vec![(-1, 7), (1, 5)] },
//!     ScoreSlice { label: "2 stones".into(), counts: vec![(-2, 40), (0, 12), (2, 26)] },
//! ];
//! let svg = score_histogram(&Histogram { title: "Awari", ..Histogram::default() }, &slices);
//! assert!(svg.starts_with("<svg "));
//! assert!(svg.contains("90 positions"));
//! ```

mod axis;
mod chart;
mod course;
mod curve;
mod depths;
mod dropout;
mod growth;
mod histogram;
mod measure;
mod number;
mod svg;
mod tally;
mod theme;

pub use chart::Form;
pub use course::{Course, CourseError, CoursePoint, course_chart};
pub use curve::{Curve, CurveChart, curve_chart};
pub use depths::{DepthCount, depth_chart};
pub use dropout::{Dot, DropOutChart, drop_out_chart};
pub use growth::{GrowthPoint, growth_chart};
pub use histogram::{Histogram, score_histogram};
pub use measure::Measure;
pub use number::grouped;
pub use tally::ScoreSlice;
