//! The sources of a page, with a link from each line to the steps that execute it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::markup::Escaped;
use crate::report::Place;
use crate::statements::Statements;

/// A file of more lines is shown around those that matter.
const MOST_LINES: usize = 2500;
/// Lines around each of them.
const AROUND: usize = 6;
/// Steps of a line that are linked.
const MOST_LINKS: usize = 12;

/// A source.
struct File {
    name: String,
    lines: Vec<String>,
}

/// The sources, and which steps and marks their lines have.
#[derive(Default)]
pub(super) struct Sources {
    files: Vec<File>,
    index: BTreeMap<String, usize>,
    /// Steps, by file and line: the names of their elements, and what they are called.
    steps: BTreeMap<(usize, usize), Vec<(String, String)>>,
    /// Lines that something is said about, and what: `fails` and `reason`.
    marks: BTreeMap<(usize, usize), &'static str>,
}

impl Sources {
    /// Those of these files that can be read and are text.
    pub(super) fn read(
        names: impl IntoIterator<Item = String>,
        standard_input: Option<&[u8]>,
    ) -> Self {
        let mut statements = Statements::new(standard_input);
        let mut sources = Self::default();
        for name in names {
            if sources.index.contains_key(&name) {
                continue;
            }
            let text = statements.text(&name);
            if text.is_empty() || text.contains(&0) {
                continue;
            }
            let text = String::from_utf8_lossy(text);
            let lines = text.lines().map(str::to_owned).collect();
            sources.index.insert(name.clone(), sources.files.len());
            sources.files.push(File { name, lines });
        }
        sources
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The file and line of a place, if it is shown.
    fn line(&self, place: &Place) -> Option<(usize, usize)> {
        let file = *self.index.get(&place.file)?;
        let line = usize::try_from(place.line).ok().filter(|line| *line > 0)?;
        (line <= self.files.get(file)?.lines.len()).then_some((file, line))
    }

    /// The name of the element of a place's line.
    pub(super) fn anchor(&self, place: &Place) -> Option<String> {
        self.line(place).map(|(file, line)| format!("f{file}-{line}"))
    }

    /// A step at a place: the name of its element, and what it is called.
    pub(super) fn step(&mut self, place: &Place, id: String, name: String) {
        if let Some(line) = self.line(place) {
            self.steps.entry(line).or_default().push((id, name));
        }
    }

    /// Something is said about a place.
    pub(super) fn mark(&mut self, place: &Place, how: &'static str) {
        if let Some(line) = self.line(place) {
            self.marks.insert(line, how);
        }
    }

    /// A place with a link to its line.
    pub(super) fn link(&self, place: &Place) -> String {
        let text = place.to_string();
        match self.anchor(place) {
            Some(anchor) => format!("<a href=\"#{anchor}\">{}</a>", Escaped(&text)),
            None => Escaped(&text).to_string(),
        }
    }

    /// All sources.
    pub(super) fn html(&self) -> String {
        let mut out = String::new();
        for (index, file) in self.files.iter().enumerate() {
            let _ = writeln!(
                out,
                "<details open><summary><code>{}</code></summary><div class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"Source {}\">",
                Escaped(&file.name),
                Escaped(&file.name)
            );
            let shown = self.shown(index, file.lines.len());
            let mut before = 0;
            for number in shown {
                if number != before + 1 {
                    out.push_str("<p class=\"gap\">…</p>\n");
                }
                before = number;
                self.html_line(&mut out, (index, number), file);
            }
            if before < file.lines.len() {
                out.push_str("<p class=\"gap\">…</p>\n");
            }
            out.push_str("</div></details>\n");
        }
        out
    }

    /// The lines of a file that are shown.
    fn shown(&self, file: usize, lines: usize) -> BTreeSet<usize> {
        if lines <= MOST_LINES {
            return (1..=lines).collect();
        }
        let mut shown = BTreeSet::new();
        let matter = self.steps.keys().chain(self.marks.keys()).filter(|line| line.0 == file);
        for (_, line) in matter {
            shown.extend(line.saturating_sub(AROUND).max(1)..=(line + AROUND).min(lines));
        }
        shown
    }

    fn html_line(&self, out: &mut String, (file, line): (usize, usize), source: &File) {
        let steps = self.steps.get(&(file, line)).map_or(&[][..], Vec::as_slice);
        let class = match (self.marks.get(&(file, line)), steps.is_empty()) {
            (Some(mark), _) => format!(" {mark}"),
            (None, false) => " executed".to_owned(),
            (None, true) => String::new(),
        };
        let text = source.lines.get(line - 1).map_or("", String::as_str);
        let _ = write!(
            out,
            "<div class=\"line{class}\" id=\"f{file}-{line}\"><span class=\"number\">{line}</span><code>{}</code>",
            Escaped(text)
        );
        if !steps.is_empty() {
            out.push_str("<span class=\"at\">");
            for (id, name) in steps.iter().take(MOST_LINKS) {
                let _ = write!(out, "<a href=\"#{id}\" aria-label=\"step {name}\">{name}</a> ");
            }
            if steps.len() > MOST_LINKS {
                let _ = write!(out, "and {} more", steps.len() - MOST_LINKS);
            }
            out.push_str("</span>");
        }
        out.push_str("</div>\n");
    }
}
