//! Colours and fonts: the one style sheet of all charts, inside each of them.

/// The class on the root element; every rule is scoped by it, so that a page can hold the picture
/// inline without its own styles changing.
pub const ROOT: &str = "chart";

/// Red, yellow and blue are Paul Tol's high-contrast set (light) and its medium-contrast
/// counterpart (dark): distinguishable with every kind of colour blindness, and in grey print.
///
/// Each colour is declared twice: programs that do not know `var()` keep the first.
pub const STYLE: &str = "
.chart{--surface:#fff;--ink:#1c2026;--muted:#5c6470;--grid:#e6e8eb;--axis:#9aa1ab;\
--lost:#b56;--drawn:#da3;--won:#048;\
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',\
'Liberation Sans',Arial,sans-serif;font-size:12px;font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){.chart{--surface:#14171c;--ink:#eceef1;\
--muted:#a2a9b4;--grid:#282d35;--axis:#646c78;--lost:#e9a;--drawn:#ec6;--won:#69c}}
.chart text{fill:#1c2026;fill:var(--ink)}
.chart text.muted{fill:#5c6470;fill:var(--muted)}
.chart .title{font-size:24px;font-weight:650}
.chart .caption{font-size:14px}
.chart .section{font-size:16px;font-weight:650}
.chart .figure{font-size:22px;font-weight:600}
.chart .label{font-size:13px;font-weight:600}
.chart .small{font-size:11px}
.chart .middle{text-anchor:middle}
.chart .end{text-anchor:end}
.chart .surface{fill:#fff;fill:var(--surface)}
.chart .ink{fill:#1c2026;fill:var(--ink)}
.chart .lost{fill:#b56;fill:var(--lost)}
.chart .drawn{fill:#da3;fill:var(--drawn)}
.chart .won{fill:#048;fill:var(--won)}
.chart line{shape-rendering:crispEdges}
.chart .grid{stroke:#e6e8eb;stroke:var(--grid)}
.chart .axis{stroke:#9aa1ab;stroke:var(--axis)}
.chart .mean{stroke:#1c2026;stroke:var(--ink);stroke-dasharray:2 3}
.chart .halo{stroke:#fff;stroke:var(--surface);stroke-width:3;stroke-opacity:.6}
.chart .hit{fill:#000;fill:var(--ink)}
.chart .hit:hover{fill-opacity:.07}
.course .line{fill:none;stroke:#1c2026;stroke:var(--ink);stroke-width:2;stroke-linejoin:round}
.course .guess{stroke-dasharray:3 4}
.course circle{stroke:#fff;stroke:var(--surface);stroke-width:1.5}
.course .level{stroke:#1c2026;stroke:var(--ink)}
.chart.curves path{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}
.curves line.key{stroke-width:2.5}
.curves path.lost,.curves line.lost{stroke:#b56;stroke:var(--lost)}
.curves path.won,.curves line.won{stroke:#048;stroke:var(--won)}
.curves path.drawn,.curves line.drawn{stroke:#da3;stroke:var(--drawn)}
.curves .dashed{stroke-dasharray:7 6}
.curves circle.dashed{stroke-dasharray:none}
.curves circle{stroke:#fff;stroke:var(--surface)}
.drop-outs .start{stroke:#9aa1ab;stroke:var(--axis)}
";

/// How opaque the bars of a slice are: 1 for the last slice, paler the further back.
pub fn shade(steps_from_last: usize) -> f64 {
    // Repeated multiplication, because `powi` may differ in its last bit between machines.
    0.22 + 0.78 * (0..steps_from_last.min(64)).fold(1.0, |tone, _| tone * 0.76)
}
