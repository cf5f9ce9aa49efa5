//! Colours and fonts, as one style sheet inside each picture.

/// The class on the root element; every rule is scoped by it, so that a page can hold the picture
/// inline without its own styles changing.
pub const ROOT: &str = "score-histogram";

/// Red, yellow and blue are Paul Tol's high-contrast set (light) and its medium-contrast
/// counterpart (dark): distinguishable with every kind of colour blindness, and in grey print.
///
/// Each colour is declared twice: programs that do not know `var()` keep the first.
pub const STYLE: &str = "
.score-histogram{--surface:#fff;--ink:#1c2026;--muted:#5c6470;--grid:#e6e8eb;--axis:#9aa1ab;\
--lost:#b56;--drawn:#da3;--won:#048;\
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',\
'Liberation Sans',Arial,sans-serif;font-size:12px;font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){.score-histogram{--surface:#14171c;--ink:#eceef1;\
--muted:#a2a9b4;--grid:#282d35;--axis:#646c78;--lost:#e9a;--drawn:#ec6;--won:#69c}}
.score-histogram text{fill:#1c2026;fill:var(--ink)}
.score-histogram text.muted{fill:#5c6470;fill:var(--muted)}
.score-histogram .title{font-size:24px;font-weight:650}
.score-histogram .caption{font-size:14px}
.score-histogram .section{font-size:16px;font-weight:650}
.score-histogram .figure{font-size:22px;font-weight:600}
.score-histogram .label{font-size:13px;font-weight:600}
.score-histogram .small{font-size:11px}
.score-histogram .middle{text-anchor:middle}
.score-histogram .end{text-anchor:end}
.score-histogram .surface{fill:#fff;fill:var(--surface)}
.score-histogram .ink{fill:#1c2026;fill:var(--ink)}
.score-histogram .lost{fill:#b56;fill:var(--lost)}
.score-histogram .drawn{fill:#da3;fill:var(--drawn)}
.score-histogram .won{fill:#048;fill:var(--won)}
.score-histogram line{shape-rendering:crispEdges}
.score-histogram .grid{stroke:#e6e8eb;stroke:var(--grid)}
.score-histogram .axis{stroke:#9aa1ab;stroke:var(--axis)}
.score-histogram .mean{stroke:#1c2026;stroke:var(--ink);stroke-dasharray:2 3}
.score-histogram .halo{stroke:#fff;stroke:var(--surface);stroke-width:3;stroke-opacity:.6}
.score-histogram .hit{fill:#000;fill:var(--ink)}
.score-histogram .hit:hover{fill-opacity:.07}
";

/// How opaque the bars of a slice are: 1 for the last slice, paler the further back.
pub fn shade(steps_from_last: usize) -> f64 {
    // Repeated multiplication, because `powi` may differ in its last bit between machines.
    0.22 + 0.78 * (0..steps_from_last.min(64)).fold(1.0, |tone, _| tone * 0.76)
}
