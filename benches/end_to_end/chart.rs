//! Charts as SVG that can be read on a light and on a dark ground.

use std::fmt::Write;

use crate::numbers::{Spread, short, whole};

const WIDTH: f64 = 760.0;
const LABELS: f64 = 210.0;
const ROW: f64 = 26.0;
const TOP: f64 = 44.0;
const STYLE: &str = "<style>text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.small{font-size:11px}\
.axis{stroke:#8c959f;stroke-width:1;fill:none}.bar,.c0{fill:#0969da}.c1{fill:#bf8700}.c2{fill:#cf222e}\
.l0{stroke:#0969da}.l1{stroke:#bf8700}.l2{stroke:#cf222e}.line{fill:none;stroke-width:2}.range{stroke:#57606a;stroke-width:1.5}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.bar,.c0{fill:#58a6ff}.c1{fill:#d29922}.c2{fill:#ff7b72}\
.l0{stroke:#58a6ff}.l1{stroke:#d29922}.l2{stroke:#ff7b72}.range{stroke:#afb8c1}}</style>";

/// A bar and its label.
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: Spread,
}

/// Points of one row on a scale of times.
pub(crate) struct Dots {
    pub(crate) label: String,
    /// One for each name in the legend.
    pub(crate) values: Vec<f64>,
}

/// One small chart among several.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) lines: Vec<Line>,
}

/// A line over a logarithmic scale.
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Growing text with a head and a foot.
struct Svg(String);

impl Svg {
    fn new(title: &str, height: f64) -> Self {
        let mut svg = Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">{STYLE}",
            escaped(title)
        ));
        svg.text(8.0, 20.0, "title", "start", title);
        svg
    }

    fn text(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        self.add(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(text)
        ));
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.add(&format!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"{class}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    fn dot(&mut self, (x, y): (f64, f64), class: &str) {
        self.add(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" class=\"{class}\"/>"));
    }

    fn add(&mut self, text: &str) {
        self.0 += text;
        self.0.push('\n');
    }

    fn end(mut self) -> String {
        self.0 += "</svg>\n";
        self.0
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn place(index: usize) -> f64 {
    TOP + ROW * index as f64
}

/// Medians as bars, least and greatest as a stroke over their ends.
pub(crate) fn bars(title: &str, bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.value.max).fold(f64::MIN_POSITIVE, f64::max);
    let scale = (WIDTH - LABELS - 100.0) / most;
    let mut svg = Svg::new(title, place(bars.len()) + 8.0);
    for (index, bar) in bars.iter().enumerate() {
        let (y, value) = (place(index), bar.value);
        let at = |value: f64| LABELS + value * scale;
        svg.text(LABELS - 8.0, y + 14.0, "", "end", &bar.label);
        svg.add(&format!(
            "<rect x=\"{LABELS}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"18\" rx=\"2\" class=\"bar\"/>",
            (value.median * scale).max(1.0)
        ));
        svg.line((at(value.min), y + 9.0), (at(value.max), y + 9.0), "range");
        svg.text(at(value.max) + 8.0, y + 14.0, "", "start", &short(value.median));
    }
    svg.end()
}

/// Times on a logarithmic scale, in milliseconds.
pub(crate) fn dots(title: &str, legend: &[&str], rows: &[Dots]) -> String {
    let values = || rows.iter().flat_map(|row| &row.values).copied().filter(|value| *value > 0.0);
    let least = values().fold(f64::MAX, f64::min).log10().floor();
    let most = values().fold(f64::MIN_POSITIVE, f64::max).log10().ceil();
    let scale = (WIDTH - LABELS - 30.0) / (most - least).max(1.0);
    let at = |value: f64| LABELS + (value.max(1e-9).log10() - least).max(0.0) * scale;
    let bottom = place(rows.len());
    let mut svg = Svg::new(title, bottom + 44.0);
    let mut decade = least;
    while decade <= most {
        let x = at(10_f64.powf(decade));
        svg.line((x, TOP - 6.0), (x, bottom), "axis");
        svg.text(x, bottom + 15.0, "small", "middle", &format!("{} ms", 10_f64.powf(decade)));
        decade += 1.0;
    }
    for (index, row) in rows.iter().enumerate() {
        let y = place(index) + 9.0;
        svg.text(LABELS - 8.0, y + 5.0, "", "end", &row.label);
        for (class, value) in row.values.iter().enumerate() {
            svg.dot((at(*value), y), &format!("c{class}"));
        }
    }
    for (index, name) in legend.iter().enumerate() {
        let x = LABELS + 90.0 * index as f64;
        svg.dot((x, bottom + 32.0), &format!("c{index}"));
        svg.text(x + 9.0, bottom + 37.0, "", "start", name);
    }
    svg.end()
}

/// Panels below each other, each with a scale of its own from zero on.
pub(crate) fn panels(title: &str, panels: &[Panel]) -> String {
    const HEIGHT: f64 = 170.0;
    let mut svg = Svg::new(title, TOP + HEIGHT * panels.len() as f64);
    for (index, panel) in panels.iter().enumerate() {
        let top = TOP + HEIGHT * index as f64;
        draw(&mut svg, panel, top, top + HEIGHT - 60.0);
    }
    svg.end()
}

fn draw(svg: &mut Svg, panel: &Panel, top: f64, bottom: f64) {
    let points = || panel.lines.iter().flat_map(|line| &line.points);
    let most = points().map(|point| point.1).fold(f64::MIN_POSITIVE, f64::max);
    let least_x = points().map(|point| point.0).fold(f64::MAX, f64::min).log10();
    let most_x = points().map(|point| point.0).fold(f64::MIN_POSITIVE, f64::max).log10();
    let (left, right) = (70.0, WIDTH - 190.0);
    let at = |(x, y): (f64, f64)| {
        let x = left + (x.log10() - least_x) / (most_x - least_x).max(1e-9) * (right - left);
        (x, bottom - y / most * (bottom - top - 24.0))
    };
    svg.text(8.0, top + 6.0, "title", "start", &panel.title);
    svg.line((left, bottom), (right, bottom), "axis");
    svg.text(left - 8.0, bottom + 4.0, "small", "end", "0");
    svg.text(left - 8.0, top + 28.0, "small", "end", &short(most));
    let mut labelled = Vec::new();
    for point in points() {
        let x = at(*point).0;
        if !labelled.contains(&point.0.to_bits()) {
            labelled.push(point.0.to_bits());
            svg.text(x, bottom + 15.0, "small", "middle", &whole(point.0));
        }
    }
    for (index, line) in panel.lines.iter().enumerate() {
        let mut path = String::new();
        for point in &line.points {
            let (x, y) = at(*point);
            let _infallible = write!(path, "{x:.1},{y:.1} ");
            svg.dot((x, y), &format!("c{index}"));
        }
        svg.add(&format!("<polyline points=\"{path}\" class=\"line l{index}\"/>"));
        let y = line.points.last().map_or(bottom, |point| at(*point).1);
        svg.text(right + 10.0, y + 4.0, "small", "start", &line.label);
    }
}
