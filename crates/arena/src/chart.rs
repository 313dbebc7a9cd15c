//! Self-contained HTML pages with inline SVG charts, in light or dark colours by the reader's system setting.

use outplay_core::svg::{self, Element, circle, element, escape, path, rect, text};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 44.0;

/// Colours of lines and bars; the style defines them for light and dark.
const COLOURS: [&str; 6] =
    ["var(--one)", "var(--two)", "var(--three)", "var(--four)", "var(--five)", "var(--six)"];

const STYLE: &str = ":root{color-scheme:light dark;--ink:#222;--paper:#fff;--soft:#f4f4f4;--faint:#999;--rule:#ddd;--quiet:#555;\
--one:#1f6feb;--two:#b35c00;--three:#1a7f37;--four:#8250df;--five:#cf222e;--six:#0a7285}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#16181c;--soft:#24272d;--faint:#777;--rule:#3a3d44;--quiet:#aaa;\
--one:#6cb0ff;--two:#f0a24e;--three:#5fd07a;--four:#c29bff;--five:#ff8078;--six:#52cbe0}}\
body{font:16px/1.5 system-ui,sans-serif;max-width:720px;margin:2em auto;padding:0 1em;color:var(--ink);background:var(--paper)}\
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}.verdict{font-weight:600}.wide{overflow-x:auto}\
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}\
td:first-child,th:first-child{text-align:left}pre,code{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);padding:.1em .3em}\
svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:var(--quiet)}";

/// An HTML document.
pub(crate) fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{}</title><style>{STYLE}</style></head><body>{body}</body></html>\n",
        escape(title)
    )
}

/// A line chart.
pub(crate) fn plot(lines: &[(&str, Vec<(f64, f64)>)], below: &str) -> String {
    let points = || lines.iter().flat_map(|(_, points)| points.iter().copied());
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (left, right) = ends(&mut points().map(|(x, _)| x));
    let (bottom, top) = ends(&mut points().map(|(_, y)| y));
    if left > right {
        return String::new();
    }
    let (wide, tall) = ((right - left).max(1e-9), (top - bottom).max(1e-9));
    let x = |value: f64| MARGIN + (value - left) / wide * (WIDTH - 2.0 * MARGIN);
    let y = |value: f64| HEIGHT - MARGIN - (value - bottom) / tall * (HEIGHT - 2.0 * MARGIN);
    let (floor, end) = (HEIGHT - MARGIN, WIDTH - MARGIN);
    let mut svg = picture(HEIGHT);
    svg.push(path(format!("M{MARGIN} {MARGIN}V{floor}H{end}")).fill("none").stroke("var(--faint)"));
    for value in [bottom, top] {
        svg.push(text(MARGIN - 4.0, y(value) + 4.0, format!("{value:.3}")).anchor("end"));
    }
    svg.extend([left, right].map(|value| text(x(value), floor + 16.0, value).anchor("middle")));
    svg.push(text(WIDTH / 2.0, HEIGHT - 8.0, below).anchor("middle"));
    for (i, (name, points)) in lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let path: Vec<String> =
            points.iter().map(|(px, py)| format!("{:.1},{:.1}", x(*px), y(*py))).collect();
        let line = element("polyline").attr("points", path.join(" ")).fill("none").stroke(colour);
        svg.push(line.attr("stroke-width", 2));
        if points.len() <= 40 {
            svg.extend(points.iter().map(|(px, py)| circle(x(*px), y(*py), 3).fill(colour)));
        }
        // The legend above the chart, three names a row.
        let (column, row) = ((i % 3) as f64, (i / 3) as f64);
        let name: String = name.chars().take(28).collect();
        let name = text(MARGIN + 8.0 + 190.0 * column, MARGIN - 26.0 + 12.0 * row, name);
        svg.push(name.attr("style", format!("fill:{colour}")));
    }
    svg.to_string()
}

/// An SVG element of the page's width.
fn picture(height: f64) -> Element {
    svg::inline(WIDTH, height).attr("role", "img")
}

/// A bar chart: positive values to the right, negative ones to the left.
pub(crate) fn bar_chart(bars: &[(String, f64, String)]) -> String {
    const ROW: f64 = 18.0;
    const NAMES: f64 = 170.0;
    let largest = bars.iter().map(|(_, value, _)| value.abs()).fold(1e-9, f64::max);
    let negative = bars.iter().any(|(_, value, _)| *value < 0.0);
    let room = WIDTH - NAMES - 80.0;
    let zero = if negative { NAMES + room / 2.0 } else { NAMES };
    let unit = if negative { room / 2.0 } else { room } / largest;
    let mut svg = picture(ROW * bars.len() as f64 + 8.0);
    for (i, (name, value, words)) in bars.iter().enumerate() {
        let top = ROW * i as f64 + 4.0;
        let (left, wide) = (zero + (value * unit).min(0.0), (value * unit).abs());
        let colour = if *value < 0.0 { COLOURS[1] } else { COLOURS[0] };
        let base = top + 12.0;
        svg.push(text(NAMES - 8.0, base, name).anchor("end"));
        svg.push(rect(left, top, wide, 13).fill(colour));
        svg.push(text((left + wide).max(zero) + 6.0, base, words));
    }
    svg.to_string()
}
