//! Pages that stand alone: plots are inline SVG, nothing is loaded from elsewhere, and they are light or dark as the
//! reader's system is.

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 44.0;

/// Colours of lines and bars, which the style says for light and dark.
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

/// A whole page.
pub(crate) fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{}</title><style>{STYLE}</style></head><body>{body}</body></html>\n",
        escaped(title)
    )
}

/// Text as HTML has it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Lines over a common scale.
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
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
    svg += &format!(
        "<path d=\"M{MARGIN} {MARGIN}V{}H{}\" fill=\"none\" stroke=\"var(--faint)\"/>",
        HEIGHT - MARGIN,
        WIDTH - MARGIN
    );
    for value in [bottom, top] {
        svg += &format!(
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value:.3}</text>",
            MARGIN - 4.0,
            y(value) + 4.0
        );
    }
    for value in [left, right] {
        let (at, under) = (x(value), HEIGHT - MARGIN + 16.0);
        svg += &format!("<text x=\"{at:.1}\" y=\"{under}\" text-anchor=\"middle\">{value}</text>");
    }
    let (middle, under) = (WIDTH / 2.0, HEIGHT - 8.0);
    svg += &format!("<text x=\"{middle}\" y=\"{under}\" text-anchor=\"middle\">{}</text>", escaped(below));
    for (i, (name, points)) in lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let path: Vec<String> =
            points.iter().map(|(px, py)| format!("{:.1},{:.1}", x(*px), y(*py))).collect();
        svg += &format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for (px, py) in points.iter().filter(|_| points.len() <= 40) {
            svg += &format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>", x(*px), y(*py));
        }
        // A name each: three to a line of their own above the picture.
        let at = MARGIN + 8.0 + 190.0 * (i % 3) as f64;
        let name: String = name.chars().take(28).collect();
        let line = MARGIN - 26.0 + 12.0 * (i / 3) as f64;
        svg += &format!("<text x=\"{at}\" y=\"{}\" style=\"fill:{colour}\">{}</text>", line, escaped(&name));
    }
    svg + "</svg>"
}

/// Bars to the right for positive values and to the left for negative ones.
pub(crate) fn bar_chart(bars: &[(String, f64, String)]) -> String {
    const ROW: f64 = 18.0;
    const NAMES: f64 = 170.0;
    let largest = bars.iter().map(|(_, value, _)| value.abs()).fold(1e-9, f64::max);
    let negative = bars.iter().any(|(_, value, _)| *value < 0.0);
    let room = WIDTH - NAMES - 80.0;
    let zero = if negative { NAMES + room / 2.0 } else { NAMES };
    let unit = if negative { room / 2.0 } else { room } / largest;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\">", ROW * bars.len() as f64 + 8.0);
    for (i, (name, value, text)) in bars.iter().enumerate() {
        let top = ROW * i as f64 + 4.0;
        let (left, wide) = (zero + (value * unit).min(0.0), (value * unit).abs());
        let colour = if *value < 0.0 { COLOURS[1] } else { COLOURS[0] };
        let base = top + 12.0;
        svg +=
            &format!("<text x=\"{}\" y=\"{base}\" text-anchor=\"end\">{}</text>", NAMES - 8.0, escaped(name));
        svg += &format!(
            "<rect x=\"{left:.1}\" y=\"{top}\" width=\"{wide:.1}\" height=\"13\" fill=\"{colour}\"/>"
        );
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{base}\">{}</text>",
            (left + wide).max(zero) + 6.0,
            escaped(text)
        );
    }
    svg + "</svg>"
}
