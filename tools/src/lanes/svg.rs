//! Lanes as a drawing. Arrows lead from stores to the loads that read them, dashed ones from stores that wait to where they reach
//! memory; bars beside a lane are locks that its thread holds. All is also said in words, so that nothing is lost to who cannot
//! see the drawing, and the text needs no fonts but those that are there.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::text::cut;
use super::{At, Lanes, Source, place, visible};
use crate::markup::Escaped;
use crate::report::{Report, Step};
use crate::report_file::executions;

/// Height of a line of text.
const LINE: usize = 17;
/// Width of a character; those of all monospaced fonts of 12 pixels are about as wide.
const CHARACTER: usize = 15; // halves of a pixel
/// Between a box and its text.
const PADDING: usize = 6;
/// Between two steps.
const GAP: usize = 8;
/// Between two lanes, where arrows and bars are.
const BETWEEN: usize = 44;
/// Height of the heads of lanes.
const HEAD: usize = 30;
/// The least and the most characters of a line.
const CHARACTERS: (usize, usize) = (18, 46);
/// Bars of locks that are drawn side by side.
const MOST_BARS: usize = 4;

/// How things look, in light and dark.
const STYLE: &str = "\
.lanes{--ink:#1b1f24;--faint:#59636e;--line:#b4bcc5;--box:#f6f8fa;--flow:#0a5fc4;--wait:#8a5a00;--lock:#6b4fbb;--bad:#c0182b;--badbox:#ffebe9;background:transparent}\
@media(prefers-color-scheme:dark){.lanes{--ink:#e6edf3;--faint:#9aa5b1;--line:#4a535e;--box:#1c2128;--flow:#6cb0ff;--wait:#e0b050;--lock:#b8a1ff;--bad:#ff7b72;--badbox:#3a1d20}}\
@media print{.lanes{--ink:#000;--faint:#444;--line:#888;--box:#fff;--flow:#0a5fc4;--wait:#8a5a00;--lock:#6b4fbb;--bad:#c0182b;--badbox:#fff}}\
.lanes text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace;fill:var(--ink);white-space:pre}\
.lanes .s{font-weight:600}.lanes .f{fill:var(--faint)}.lanes .x{fill:var(--bad);font-weight:600}\
.lanes rect{fill:var(--box);stroke:var(--line)}.lanes .bad{fill:var(--badbox);stroke:var(--bad)}\
.lanes .rail{stroke:var(--line);stroke-width:2}.lanes .bar{fill:var(--lock);stroke:none}.lanes .shared{fill-opacity:.45}\
.lanes path{fill:none;stroke:var(--flow);stroke-width:1.5}.lanes .w{stroke:var(--wait);stroke-dasharray:5 3}\
.lanes .tip{fill:var(--flow);stroke:none}.lanes .wtip{fill:var(--wait);stroke:none}\
.lanes a:focus rect,.lanes a:hover rect{stroke:var(--flow);stroke-width:2}\
.lanes text.t{fill:var(--wait)}";

/// The lanes of a report as a file of their own.
#[must_use]
pub fn draw(report: &Report) -> String {
    let drawings: Vec<(String, Drawing)> = executions(report)
        .into_iter()
        .enumerate()
        .map(|(number, (failed, steps))| {
            let names = Names { prefix: &format!("r{number}"), link: &|_| None, title: &failed };
            let drawing = drawing(&Lanes::new(steps), &names);
            (failed, drawing)
        })
        .collect();
    let verdict = report.verdict.line();
    let words = visible(&report.circumstances());
    let longest = drawings.iter().map(|(failed, _)| failed.width()).max().unwrap_or(0);
    let longest = longest.clamp(verdict.width(), CHARACTERS.1 * 3);
    let circumstances = lines(&words, longest.max(80));
    let width = drawings.iter().map(|(_, drawing)| drawing.width).max().unwrap_or(0);
    let width = width.max(characters(longest.max(80)) + 2 * PADDING);
    let mut body = String::new();
    let mut y = LINE + PADDING;
    let class = if report.trace.is_some() { "x" } else { "s" };
    text(&mut body, (PADDING, y), class, verdict);
    for line in circumstances {
        y += LINE;
        text(&mut body, (PADDING, y), "f", &line);
    }
    for (failed, drawing) in &drawings {
        y += LINE + GAP;
        text(&mut body, (PADDING, y), "s", &cut(&visible(failed), longest.max(80)));
        y += GAP;
        let _ = write!(body, "<g transform=\"translate(0 {y})\">{}</g>", drawing.body);
        y += drawing.height;
    }
    let height = y + LINE;
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lanes\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">{}</title>\n\
         <desc id=\"d\">{}</desc>\n<style>{STYLE}</style>\n{body}</svg>\n",
        Escaped(verdict),
        Escaped(&words),
    )
}

/// How what is drawn is named and linked.
pub(crate) struct Names<'n> {
    /// Names of elements begin with it.
    pub prefix: &'n str,
    /// Where a step leads to.
    pub link: &'n dyn Fn(&Step) -> Option<String>,
    /// What fails.
    pub title: &'n str,
}

/// A drawing without the element around it.
pub(crate) struct Drawing {
    pub body: String,
    pub width: usize,
    pub height: usize,
}

/// The lanes as an element of a page.
pub(crate) fn element(lanes: &Lanes<'_>, names: &Names<'_>) -> String {
    let Drawing { body, width, height } = drawing(lanes, names);
    let (prefix, title) = (names.prefix, names.title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lanes\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" role=\"group\" aria-labelledby=\"{prefix}t {prefix}d\"><title id=\"{prefix}t\">Lanes of the threads</title>\
         <desc id=\"{prefix}d\">{}. The steps are listed in words below.</desc>{body}</svg>\n",
        Escaped(title)
    )
}

/// [`STYLE`], for pages that have such elements.
pub(crate) fn style() -> &'static str {
    STYLE
}

/// Where a box is, and its lines.
struct Placed {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    /// The line of the box that each event is.
    first: usize,
}

fn characters(count: usize) -> usize {
    count * CHARACTER / 2
}

fn text(out: &mut String, (x, y): (usize, usize), class: &str, words: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\"{class}>{}</text>", Escaped(words));
}

/// A text cut into lines at commas and blanks.
fn lines(words: &str, width: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match out.last_mut().filter(|line| line.width() + 1 + word.width() <= width) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => out.push(word.to_owned()),
        }
    }
    out
}

/// The lines of a step's box: what they say, and how.
fn contents(lanes: &Lanes<'_>, number: usize) -> Vec<(String, &'static str)> {
    let Some(step) = lanes.steps.get(number) else { return Vec::new() };
    let mut out = Vec::new();
    if !step.statement.is_empty() {
        out.push((visible(&step.statement), "s"));
    }
    for (event, happens) in step.events.iter().enumerate() {
        let class = match happens.kind {
            "fail" => "x",
            "buffer" | "reach" => "t",
            _ => "",
        };
        out.push((visible(&lanes.event_text(At { step: number, event })), class));
    }
    out
}

pub(crate) fn drawing(lanes: &Lanes<'_>, names: &Names<'_>) -> Drawing {
    let count = lanes.lanes.len();
    let mut widest = vec![CHARACTERS.0; count];
    for (lane, width) in lanes.lanes.iter().zip(&mut widest) {
        *width = (*width).max(lane.title().width());
    }
    for (number, &lane) in lanes.of.iter().enumerate() {
        let longest = contents(lanes, number).iter().map(|(line, _)| line.width()).max();
        if let Some(width) = widest.get_mut(lane) {
            *width = (*width).max(longest.unwrap_or(0));
        }
    }
    let numbers = characters(lanes.steps.len().to_string().len()) + 2 * PADDING;
    let mut left = Vec::new();
    let mut x = numbers + BETWEEN / 2;
    for width in &mut widest {
        *width = (*width).min(CHARACTERS.1);
        left.push(x);
        x += characters(*width) + 2 * PADDING + BETWEEN;
    }
    let width = x;
    let mut y = HEAD;
    let mut placed: Vec<Placed> = Vec::new();
    for (number, &lane) in lanes.of.iter().enumerate() {
        let rows = contents(lanes, number).len().max(1);
        let has_statement = lanes.steps.get(number).is_some_and(|step| !step.statement.is_empty());
        let height = rows * LINE + 2 * PADDING + LINE;
        let width = characters(widest.get(lane).copied().unwrap_or(0)) + 2 * PADDING;
        let x = left.get(lane).copied().unwrap_or(0);
        placed.push(Placed { x, y, width, height, first: 1 + usize::from(has_statement) });
        y += height + GAP;
    }
    let height = y + GAP;
    let mut body = String::new();
    heads(&mut body, lanes, &placed, &left, &widest);
    bars(&mut body, lanes, &placed, &left, height);
    for (number, place) in placed.iter().enumerate() {
        step(&mut body, lanes, number, place, names);
    }
    arrows(&mut body, lanes, &placed);
    Drawing { body, width, height }
}

/// Titles of lanes, and lines down to where their threads act last.
fn heads(out: &mut String, lanes: &Lanes<'_>, placed: &[Placed], left: &[usize], widest: &[usize]) {
    for (index, lane) in lanes.lanes.iter().enumerate() {
        let x = left.get(index).copied().unwrap_or(0);
        let width = widest.get(index).copied().unwrap_or(0);
        text(out, (x, HEAD - 12), "s", &cut(&visible(&lane.title()), width));
        let middle = x + PADDING + 4;
        let from = placed.get(lane.from).map_or(HEAD, |place| place.y);
        let to = placed.get(lane.to).map_or(HEAD, |place| place.y);
        let _ = write!(
            out,
            "<line class=\"rail\" x1=\"{middle}\" y1=\"{from}\" x2=\"{middle}\" y2=\"{to}\"/>"
        );
    }
}

/// Locks that are held.
fn bars(out: &mut String, lanes: &Lanes<'_>, placed: &[Placed], left: &[usize], height: usize) {
    let mut taken: Vec<(usize, usize, usize)> = Vec::new();
    for held in &lanes.held {
        let end = held.to.unwrap_or(usize::MAX);
        let is_free = |slot: &usize| {
            !taken.iter().any(|(lane, s, to)| *lane == held.lane && s == slot && *to > held.from)
        };
        let Some(slot) = (0..MOST_BARS).find(is_free) else { continue };
        taken.push((held.lane, slot, end));
        let Some(from) = placed.get(held.from) else { continue };
        let to = held.to.and_then(|to| placed.get(to));
        let bottom = to.map_or(height.saturating_sub(GAP), |to| to.y + to.height / 2);
        let top = from.y + from.height / 2;
        let x = left.get(held.lane).copied().unwrap_or(0).saturating_sub(6 + slot * 5);
        let class = if held.shared { "bar shared" } else { "bar" };
        let how = if held.shared { "holds for reading" } else { "holds" };
        let thread = lanes.lanes.get(held.lane).map_or(0, |lane| lane.thread);
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{top}\" width=\"4\" height=\"{}\"><title>thread {thread} {how} {}</title></rect>",
            bottom.saturating_sub(top).max(4),
            Escaped(&held.name)
        );
    }
}

/// The box of a step.
fn step(out: &mut String, lanes: &Lanes<'_>, number: usize, at: &Placed, names: &Names<'_>) {
    let Some(step) = lanes.steps.get(number) else { return };
    let Placed { x, y, width, height, .. } = at;
    let lane = lanes.of.get(number).and_then(|lane| lanes.lanes.get(*lane));
    let title = lane.map(super::Lane::title).unwrap_or_default();
    let room = (width - 2 * PADDING) * 2 / CHARACTER;
    let link = (names.link)(step);
    if let Some(link) = &link {
        let _ = write!(out, "<a href=\"{}\">", Escaped(link));
    }
    let class = if lanes.fails(number) { " class=\"bad\"" } else { "" };
    let all: Vec<(String, &str)> = contents(lanes, number);
    let _ = write!(
        out,
        "<g id=\"{}s{}\"><title>step {}, {}: {}</title><rect{class} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>",
        names.prefix,
        number + 1,
        lanes.first + number + 1,
        Escaped(&title),
        Escaped(&step.statement)
    );
    let mut line = y + PADDING + LINE - 5;
    let at = match (lanes.only_file(), step.place.line) {
        (Some(_), line) if line != 0 => format!("line {line}"),
        _ => place(step),
    };
    let at = format!("{}  {at}", lanes.first + number + 1);
    text(out, (x + PADDING, line), "f", &cut_front(&visible(&at), room));
    for (words, class) in &all {
        line += LINE;
        text(out, (x + PADDING, line), class, &cut(words, room));
    }
    out.push_str("</g>");
    if link.is_some() {
        out.push_str("</a>");
    }
    out.push('\n');
}

/// A place that has room: the end of a file's name says more than its beginning.
fn cut_front(words: &str, room: usize) -> String {
    if words.width() <= room {
        return words.to_owned();
    }
    let (number, path) = words.split_once("  ").unwrap_or(("", words));
    let keep = room.saturating_sub(number.width() + 3);
    let from = path.char_indices().rev().nth(keep.saturating_sub(1)).map_or(0, |(at, _)| at);
    format!("{number}  \u{2026}{}", path.get(from..).unwrap_or_default())
}

/// Arrows from stores to loads, and to where stores reach memory.
fn arrows(out: &mut String, lanes: &Lanes<'_>, placed: &[Placed]) {
    let reads =
        lanes.sources.iter().filter_map(|(to, source)| Some((source.store()?, *to, *source)));
    for (from, to, source) in reads.filter(|(from, to, _)| from.step != to.step) {
        let what = match source {
            Source::Waiting(_) => "is read by its own thread while it waits, in",
            _ => "is read in",
        };
        arrow(out, lanes, placed, (from, to), ("", "tip", what));
    }
    for waiting in &lanes.waiting {
        if let Some(to) = waiting.to.filter(|to| to.step != waiting.from.step) {
            arrow(
                out,
                lanes,
                placed,
                (waiting.from, to),
                (" class=\"w\"", "wtip", "reaches memory in"),
            );
        }
    }
}

/// The middle of an event's line.
fn height_of(place: &Placed, event: usize) -> usize {
    place.y + PADDING + (place.first + event) * LINE + LINE / 2
}

fn arrow(
    out: &mut String,
    lanes: &Lanes<'_>,
    placed: &[Placed],
    (from, to): (At, At),
    (class, tip, what): (&str, &str, &str),
) {
    let (Some(a), Some(b)) = (placed.get(from.step), placed.get(to.step)) else { return };
    let (y, end) = (height_of(a, from.event), height_of(b, to.event));
    let event = lanes.steps.get(from.step).and_then(|step| step.events.get(from.event));
    let name = event.map_or("", |event| event.text.as_str());
    let title = format!(
        "step {}: {name}: {what} step {}",
        lanes.first + from.step + 1,
        lanes.first + to.step + 1
    );
    let right = |place: &Placed| place.x + place.width;
    let (start, stop, bend) = match a.x.cmp(&b.x) {
        std::cmp::Ordering::Less => (right(a), b.x, (right(a) + 20, b.x.saturating_sub(20))),
        std::cmp::Ordering::Greater => (a.x, right(b), (a.x.saturating_sub(20), right(b) + 20)),
        std::cmp::Ordering::Equal => (right(a), right(b), (right(a) + 22, right(b) + 22)),
    };
    let inwards = if stop == b.x { stop as i64 - 6 } else { stop as i64 + 6 };
    let _ = writeln!(
        out,
        "<g><title>{}</title><path{class} d=\"M{start} {y}C{} {y} {} {end} {inwards} {end}\"/><path class=\"{tip}\" d=\"M{stop} \
         {end}L{inwards} {}L{inwards} {}z\"/></g>",
        Escaped(&title),
        bend.0,
        bend.1,
        end - 4,
        end + 4
    );
}
