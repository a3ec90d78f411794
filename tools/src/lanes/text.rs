//! Lanes as text. Where the width has room for it, each thread has a column with what it does; else it has a rail, and
//! all words stand beside the rails.

use std::io::{self, IsTerminal};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::style::Ink;
use super::{At, Lanes, place, visible};

/// How wide a terminal is, and whether it has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canvas {
    /// Columns of text.
    pub width: usize,
    /// Whether there are colours.
    pub colours: bool,
}

/// The width where nobody says one.
const USUAL_WIDTH: usize = 100;

/// Less is not drawn in: words would be cut up.
const LEAST_WIDTH: usize = 24;

/// The least width of a column in which a thread's statements can be read.
const LEAST_COLUMN: usize = 28;

/// Columns are not wider.
const WIDEST_COLUMN: usize = 60;

/// Rails take no more than this part of the width.
const MOST_RAILS: usize = 3;

impl Default for Canvas {
    fn default() -> Self {
        Self { width: USUAL_WIDTH, colours: false }
    }
}

impl Canvas {
    /// That of the standard output: `COLUMNS`, if it is set, or the terminal's width. There are colours on a terminal only,
    /// and not where `NO_COLOR` is set.
    #[must_use]
    pub fn of_standard_output() -> Self {
        let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
        let is_terminal = io::stdout().is_terminal();
        let measured = || terminal_size::terminal_size_of(io::stdout());
        let measured = measured().map(|(width, _)| usize::from(width.0));
        let width = said.or(measured).unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH);
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { width, colours: is_terminal && !is_plain }
    }
}

/// A piece of text in one ink.
type Piece = (String, Ink);

/// What a step shows.
struct Shown {
    /// Lines, each with the columns that its further lines are indented by where it is wrapped.
    lines: Vec<(usize, Piece)>,
}

/// The lanes as lines, each with its end.
#[must_use]
pub fn draw(lanes: &Lanes<'_>, canvas: Canvas) -> String {
    let digits = lanes.steps.len().to_string().len();
    let count = lanes.lanes.len().max(1);
    let width = canvas.width.max(LEAST_WIDTH);
    let room = width.saturating_sub(digits + 1);
    let column = (room / count).min(WIDEST_COLUMN);
    // The file's name is not wrapped: what is broken in two can be neither copied nor followed.
    let head = lanes
        .only_file()
        .map_or_else(String::new, |file| visible(&format!("{file}:")).trim_end().to_owned() + "\n");
    let body = match column >= LEAST_COLUMN {
        true => columns(lanes, digits, column, canvas.colours),
        false => rails(lanes, digits, room, canvas),
    };
    head + &body
}

/// What a step shows, beside or below the rail. The file is named where it is not that of the step before.
fn shown(lanes: &Lanes<'_>, number: usize, with_thread: bool) -> Shown {
    let Some(step) = lanes.steps.get(number) else { return Shown { lines: Vec::new() } };
    let mut lines = Vec::new();
    let before = number.checked_sub(1).and_then(|before| lanes.steps.get(before));
    let is_other = lanes.only_file().is_none()
        && before.is_none_or(|before| before.place.file != step.place.file);
    let lane = lanes.of.get(number).copied().unwrap_or(0);
    if with_thread {
        let title = lanes.lanes.get(lane).map(super::Lane::title).unwrap_or_default();
        lines.push((2, (title, Ink::Lane(lane))));
    }
    let at = if step.place.line != 0 && !is_other {
        format!("{}: ", step.place.line)
    } else {
        Some(place(step)).filter(|place| !place.is_empty()).map_or_else(String::new, |p| p + ": ")
    };
    lines.push((2, (visible(&format!("{at}{}", step.statement)), Ink::Strong)));
    for (event, happens) in step.events.iter().enumerate() {
        let ink = if happens.kind == "fail" { Ink::Failure } else { Ink::Plain };
        lines.push((
            4,
            (visible(&format!("  {}", lanes.event_text(At { step: number, event }))), ink),
        ));
    }
    if let Some(state) = state(lanes, number, lane) {
        lines.push((4, (visible(&format!("  {state}")), Ink::Faint)));
    }
    Shown { lines }
}

/// What a thread holds after a step that changes it.
fn state(lanes: &Lanes<'_>, number: usize, lane: usize) -> Option<String> {
    let kinds = |kinds: &[&str]| {
        let events = lanes.steps.get(number).map_or(&[][..], |step| &step.events);
        events.iter().any(|event| kinds.contains(&event.kind))
    };
    let mut words = Vec::new();
    if kinds(&["buffer", "reach"]) {
        let here = lanes.waiting.iter().filter(|w| w.lane == lane && w.after(number));
        let stores: Vec<&str> = here.map(|waiting| waiting.text.as_str()).collect();
        words.push(match stores.is_empty() {
            true => "[buffer empty]".to_owned(),
            false => format!("[buffer: {}]", stores.join(", ")),
        });
    }
    if kinds(&["lock", "unlock", "lock-to-read", "lock-to-write"]) {
        let here = lanes.held.iter().filter(|held| held.lane == lane && held.after(number));
        let locks: Vec<&str> = here.map(|held| held.name.as_str()).collect();
        words.push(match locks.is_empty() {
            true => "[holds nothing]".to_owned(),
            false => format!("[holds {}]", locks.join(", ")),
        });
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// The rail of a lane beside a step's lines, the first of which is its own.
fn rail(lanes: &Lanes<'_>, lane: usize, step: usize, is_first: bool) -> (&'static str, Ink) {
    let acts = lanes.of.get(step) == Some(&lane);
    if acts && is_first {
        return match lanes.fails(step) {
            true => ("\u{2717}", Ink::Failure),
            false => ("\u{25cf}", Ink::Lane(lane)),
        };
    }
    if !lanes.is_there(lane, step) {
        return (" ", Ink::Plain);
    }
    let is_last = lanes.lanes.get(lane).is_some_and(|lane| lane.to == step);
    if is_last && acts {
        return (" ", Ink::Plain);
    }
    let holds = lanes.held.iter().any(|held| held.lane == lane && held.after(step));
    (if holds { "\u{2503}" } else { "\u{2502}" }, Ink::Lane(lane))
}

/// A column for each thread.
fn columns(lanes: &Lanes<'_>, digits: usize, column: usize, colours: bool) -> String {
    let mut out = String::new();
    let indent = " ".repeat(digits + 1);
    let heads = lanes.lanes.iter().enumerate().map(|(index, lane)| {
        let title = cut(&visible(&lane.title()), column - 1);
        (padded(&title, column), Ink::Lane(index))
    });
    push_line(&mut out, [(indent.clone(), Ink::Plain)].into_iter().chain(heads), colours);
    for number in 0..lanes.steps.len() {
        let lines = wrapped(&shown(lanes, number, false), column - 3);
        for (index, line) in lines.iter().enumerate() {
            let start =
                if index == 0 { format!("{:>digits$} ", number + 1) } else { indent.clone() };
            let mut pieces = vec![(start, Ink::Faint)];
            for lane in 0..lanes.lanes.len() {
                let (rail, ink) = rail(lanes, lane, number, index == 0);
                pieces.push((format!("{rail} "), ink));
                match lanes.of.get(number) == Some(&lane) {
                    true => pieces.push((padded(&line.0, column - 2), line.1)),
                    false => pieces.push((" ".repeat(column - 2), Ink::Plain)),
                }
            }
            push_line(&mut out, pieces, colours);
        }
    }
    out
}

/// A rail for each thread, as far as there is room, and the words beside them.
fn rails(lanes: &Lanes<'_>, digits: usize, room: usize, canvas: Canvas) -> String {
    let mut out = String::new();
    let count = lanes.lanes.len();
    let count = if count * 2 <= room / MOST_RAILS { count } else { 0 };
    for number in 0..lanes.steps.len() {
        let before = number.checked_sub(1).and_then(|before| lanes.of.get(before));
        let is_other = before != lanes.of.get(number);
        let lines = wrapped(&shown(lanes, number, is_other), room - count * 2);
        for (index, line) in lines.into_iter().enumerate() {
            let start = match index {
                0 => format!("{:>digits$} ", number + 1),
                _ => " ".repeat(digits + 1),
            };
            let mut pieces = vec![(start, Ink::Faint)];
            for lane in 0..count {
                let (rail, ink) = rail(lanes, lane, number, index == 0);
                pieces.push((format!("{rail} "), ink));
            }
            pieces.push(line);
            push_line(&mut out, pieces, canvas.colours);
        }
    }
    out
}

/// Adds a line without blanks at its end.
fn push_line(out: &mut String, pieces: impl IntoIterator<Item = Piece>, colours: bool) {
    let mut pieces: Vec<Piece> = pieces.into_iter().collect();
    while pieces.last().is_some_and(|(text, _)| text.trim_end().is_empty()) {
        pieces.pop();
    }
    let last = pieces.len().saturating_sub(1);
    for (index, (text, ink)) in pieces.iter().enumerate() {
        let text = if index == last { text.trim_end() } else { text };
        out.push_str(&ink.paint(text, colours));
    }
    out.push('\n');
}

/// A text with blanks after it, up to a width.
fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// As much of a text as a width has room for.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (head, _) = split(text, width.saturating_sub(1));
    format!("{head}\u{2026}")
}

/// Splits a text before it gets wider than a width, which takes one character at least.
fn split(text: &str, width: usize) -> (&str, &str) {
    let mut taken = 0;
    for (index, c) in text.char_indices() {
        taken += c.width().unwrap_or(0);
        if taken > width && index > 0 {
            return text.split_at(index);
        }
    }
    (text, "")
}

/// The lines of a step, none of them wider than a width.
fn wrapped(shown: &Shown, width: usize) -> Vec<Piece> {
    let mut out = Vec::new();
    for (indent, (text, ink)) in &shown.lines {
        let indent = if indent * 3 > width { 0 } else { *indent };
        let (mut rest, mut start) = (text.as_str(), String::new());
        loop {
            let room = width.saturating_sub(start.width()).max(1);
            if rest.width() <= room {
                out.push((format!("{start}{rest}"), *ink));
                break;
            }
            let (head, _) = split(rest, room);
            // Between words, unless one fills half of the line.
            let at = head.rfind(' ').filter(|at| *at > head.len() / 2).unwrap_or(head.len());
            let (head, tail) = rest.split_at(at);
            out.push((format!("{start}{head}"), *ink));
            rest = tail.trim_start();
            start = " ".repeat(indent);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Event, Step};

    fn steps(threads: u32) -> Vec<Step> {
        let event = Event {
            kind: "write",
            text: "wrote s.next->value[3] = Z".to_owned(),
            ..Event::default()
        };
        let step = |thread| {
            Step {
            thread,
            thread_function: Some("a_function_with_a_long_name".to_owned()),
            statement: "s.next->value[i] = \u{4e2d}\u{6587} + a_very_long_name_without_any_blank(Z);\x1b[2J".to_owned(),
            events: vec![event.clone()],
            ..Step::default()
        }
        };
        (0..threads).map(step).collect()
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for threads in [1, 2, 3, 9, 40] {
            let steps = steps(threads);
            let lanes = Lanes::new(&steps);
            for width in [1, 24, 30, 40, 80, 100, 132, 300] {
                let text = draw(&lanes, Canvas { width, colours: false });
                let widest = text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
                assert!(widest <= width.max(LEAST_WIDTH), "{threads} threads, {width}: {text}");
                assert_eq!(
                    text.matches('Z').count(),
                    2 * threads as usize,
                    "nothing is lost: {text}"
                );
            }
        }
    }

    #[test]
    fn what_moves_the_cursor_is_not_printed() {
        let steps = steps(2);
        let text = draw(&Lanes::new(&steps), Canvas::default());
        assert!(!text.contains('\x1b'), "{text}");
        let text = draw(&Lanes::new(&steps), Canvas { width: 100, colours: true });
        assert!(text.contains("\x1b[1m") && !text.contains("\x1b[2J"), "{text}");
    }
}
