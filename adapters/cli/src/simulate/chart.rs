//! The results as a picture: an SVG of two panels over time.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write as _};
use std::path::Path;

use super::result::Results;
use super::script::Service;

/// How every chart begins.
const BEGIN: &str = "<svg";

const WIDTH: f64 = 900.0;
const LEFT: f64 = 70.0;
const PANEL: f64 = 220.0;
const TOP: f64 = 50.0;
const GAP: f64 = 50.0;

/// Opens the file for a chart, before there is one to draw. An older chart in it will be replaced,
/// and nothing else.
pub(crate) fn open(path: &Path) -> Result<File, String> {
    let failed = |error: io::Error| format!("{} cannot be written: {error}", path.display());
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    let mut file = file.map_err(failed)?;
    // From a pipe, reading would wait for ever.
    let is_file = file.metadata().map_err(failed)?.is_file();
    let mut begin = Vec::new();
    if is_file {
        Read::take(&mut file, BEGIN.len() as u64).read_to_end(&mut begin).map_err(failed)?;
    }
    if !is_file || (!begin.is_empty() && begin != BEGIN.as_bytes()) {
        return Err(format!(
            "{} is there, and is no chart; name another file, or remove it",
            path.display()
        ));
    }
    Ok(file)
}

/// Writes the chart into its file.
pub(crate) fn write(mut file: File, results: &Results) -> io::Result<()> {
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(draw(results).as_bytes())
}

/// Requests per second above, and below the share of clients that have the newest data.
fn draw(results: &Results) -> String {
    let mut svg = String::new();
    let height = TOP + 2.0 * PANEL + GAP + 50.0;
    let total = LEFT + WIDTH + 30.0;
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "{BEGIN} xmlns=\"http://www.w3.org/2000/svg\" width=\"{total}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"15\">{}</text>\n",
        escape(&results.title)
    );
    let seconds = results.requests.len().max(1) as f64;
    let x = |second: f64| LEFT + WIDTH * second / seconds;
    phases(&mut svg, results, x);
    let most = results.requests.iter().copied().max().unwrap_or(0).max(1) as f64;
    let requests = results.requests.iter().map(|count| *count as f64 / most);
    panel(&mut svg, TOP, "requests per second", &format!("{most}"), x, requests, "#1f5fa8");
    let clients = results.clients.max(1) as f64;
    let fresh = results.fresh.iter().map(|count| *count as f64 / clients);
    let below = TOP + PANEL + GAP;
    panel(&mut svg, below, "clients with the newest data", "100%", x, fresh, "#2a7f3f");
    let step = (seconds / 10.0).ceil().max(1.0);
    let mut second = 0.0;
    while second <= seconds {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{second} s</text>",
            x(second),
            below + PANEL + 20.0
        );
        second += step;
    }
    svg.push_str("</svg>\n");
    svg
}

/// A background where the service is not up, with what it does.
fn phases(svg: &mut String, results: &Results, x: impl Fn(f64) -> f64) {
    let seconds = results.requests.len() as f64;
    let phases = results.script.phases();
    let ends = phases.iter().skip(1).map(|phase| phase.from.as_secs_f64());
    for (phase, end) in phases.iter().zip(ends.chain([seconds])) {
        let (from, to) = (x(phase.from.as_secs_f64().min(seconds)), x(end.min(seconds)));
        if phase.service != Service::Up && to > from {
            let _ = writeln!(
                svg,
                "<rect x=\"{from:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\" \
                 fill=\"#f6dcdc\"/>\n<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                to - from,
                2.0 * PANEL + GAP,
                from + 3.0,
                TOP + PANEL + GAP / 2.0,
                escape(&phase.service.to_string())
            );
        }
    }
}

fn panel(
    svg: &mut String,
    top: f64,
    title: &str,
    most: &str,
    x: impl Fn(f64) -> f64,
    shares: impl Iterator<Item = f64>,
    colour: &str,
) {
    let bottom = top + PANEL;
    let right = LEFT + WIDTH;
    let points: Vec<String> = shares
        .enumerate()
        .map(|(second, share)| format!("{:.1},{:.1}", x(second as f64), bottom - PANEL * share))
        .collect();
    let _ = write!(
        svg,
        "<text x=\"{LEFT}\" y=\"{:.1}\">{title}</text>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{most}</text>\n\
         <text x=\"{:.1}\" y=\"{bottom:.1}\" text-anchor=\"end\">0</text>\n\
         <path d=\"M{LEFT},{top} V{bottom} H{right}\" fill=\"none\" stroke=\"#444\"/>\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\n",
        top - 8.0,
        LEFT - 6.0,
        top + 10.0,
        LEFT - 6.0,
        points.join(" ")
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
