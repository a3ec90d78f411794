//! `--report FILE.html`: the report as one page, which needs no network, no script and no fonts but those that are there.
//!
//! *Invariant*: what comes from outside (names of files, sources, values, texts of assertions) goes into the page through
//! [`Escaped`] alone.

mod details;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::lanes::svg::{self, Names};
use crate::lanes::{At, Lanes};
use crate::markup::Escaped;
use crate::report::{Decider, Report, Step};
use crate::report_file::executions;
use crate::verdict::Exit;
pub use details::Details;
use details::{Notes, Origin};
use sources::Sources;

/// How the page looks.
const STYLE: &str = include_str!("style.css");

/// The longest part of an execution that is drawn: its end. All steps are listed.
const MOST_DRAWN: usize = 1000;

/// A section: the name of its element, its title, and what it holds.
type Section = (&'static str, &'static str, String);

/// The page.
#[must_use]
pub fn draw(report: &Report, details: &Details) -> String {
    let notes = details.notes().clone();
    let executions = executions(report);
    let mut sources = read_sources(report, &notes, &executions);
    for (run, (_, steps)) in executions.iter().enumerate() {
        for (number, step) in steps.iter().enumerate() {
            let name = match executions.len() {
                1 => (number + 1).to_string(),
                _ => format!("{}.{}", run + 1, number + 1),
            };
            sources.step(&step.place, element(run, steps.len(), number), name);
        }
        if let Some(step) = steps.last() {
            sources.mark(&step.place, "fails");
        }
    }
    for place in report.reason.iter().flat_map(|r| &r.parts).filter_map(|part| part.place.as_ref())
    {
        sources.mark(place, "reason");
    }
    let source = sources.html();
    let mut sections: Vec<Section> = vec![("verdict", "Verdict", verdict(report, &sources))];
    let several = executions.len() > 1;
    let (mut lanes, mut steps) = (String::new(), String::new());
    for (run, (failed, execution)) in executions.iter().enumerate() {
        if several {
            let _ = write!(lanes, "<h3>Run {}: {}</h3>", run + 1, Escaped(failed));
            let _ = write!(steps, "<h3>Run {}: {}</h3>", run + 1, Escaped(failed));
        }
        lanes.push_str(&picture(run, failed, execution, &sources));
        steps.push_str(&list(run, execution, &sources));
    }
    match (executions.is_empty(), sources.is_empty()) {
        (true, false) => sections.push(("source", "Source", source)),
        (true, true) => {}
        (false, is_alone) => {
            let source = if is_alone {
                String::new()
            } else {
                format!("<div class=\"source\" id=\"source\"><h3>Source</h3>{source}</div>")
            };
            let class = if is_alone { "" } else { " class=\"beside\"" };
            let lanes = format!("{LEGEND}<div{class}><div>{lanes}</div>{source}</div>");
            sections.push(("lanes", "Lanes and source", lanes));
            sections.push(("steps", "Steps", steps));
        }
    }
    sections.extend(
        predicates(report, &notes, &sources).map(|text| ("predicates", "Predicates", text)),
    );
    sections.extend(rounds(report, &notes).map(|text| ("iterations", "Iterations", text)));
    sections.extend(invariant(&notes).map(|text| ("invariant", "Invariant of the proof", text)));
    sections.extend(run(report).map(|text| ("run", "The run", text)));
    page(report, &notes, &sections)
}

/// The whole page around its sections.
fn page(report: &Report, notes: &Notes, sections: &[Section]) -> String {
    let verdict = report.verdict.line();
    let files = notes.files.join(", ");
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';style-src 'unsafe-inline'\">\n\
         <title>{verdict}: {}</title>\n<style>\n{STYLE}{}</style></head>\n<body><a class=\"skip\" href=\"#main\">To the report</a>\n\
         <header><h1 class=\"{}\">{verdict}</h1>\n",
        Escaped(&files),
        svg::style(),
        report.verdict.word()
    );
    if !files.is_empty() {
        let _ = writeln!(out, "<p><code>{}</code></p>", Escaped(&files));
    }
    out.push_str("</header>\n<nav aria-label=\"Parts of the report\">");
    for (id, title, _) in sections {
        let _ = write!(out, "<a href=\"#{id}\">{title}</a>");
    }
    out.push_str("</nav>\n<main id=\"main\" tabindex=\"-1\">\n");
    for (id, title, text) in sections {
        let _ = write!(
            out,
            "<section id=\"{id}\" aria-labelledby=\"{id}-title\"><h2 id=\"{id}-title\">{title}</h2>\n{text}</section>\n"
        );
    }
    out.push_str("</main></body></html>\n");
    out
}

const LEGEND: &str = "<p class=\"legend\">Time goes down. Arrows lead from stores to the loads that read them, dashed ones from stores that wait to \
    where they reach memory; bars beside a lane are locks that its thread holds. Steps lead to their lines of the source, and numbers \
    at lines back to the steps.</p>\n";

/// The files of the program, and those that the report names and the program was read from.
fn read_sources(report: &Report, notes: &Notes, executions: &[(String, &[Step])]) -> Sources {
    let steps = executions.iter().flat_map(|(_, steps)| steps.iter()).map(|step| &step.place);
    let parts = report.reason.iter().flat_map(|reason| &reason.parts);
    let parts = parts.filter_map(|part| part.place.as_ref());
    let failed = report.failed_assertion.iter().map(|failed| &failed.place);
    let named: BTreeSet<&String> =
        failed.chain(steps).chain(parts).map(|place| &place.file).collect();
    let named = named.into_iter().filter(|name| notes.read.has(name)).cloned();
    Sources::read(notes.files.iter().cloned().chain(named), notes.standard_input.as_deref())
}

/// The name of a step's element in the list.
fn item(run: usize, number: usize) -> String {
    format!("r{run}-{}", number + 1)
}

/// The first step that is drawn.
fn first_drawn(steps: usize) -> usize {
    steps.saturating_sub(MOST_DRAWN)
}

/// The name of a step's element in the drawing, if it is drawn, and else in the list.
fn element(run: usize, steps: usize, number: usize) -> String {
    match number.checked_sub(first_drawn(steps)) {
        Some(drawn) => format!("r{run}s{}", drawn + 1),
        None => item(run, number),
    }
}

/// A term of a list and what it is; nothing where that is not known.
fn term(out: &mut String, name: &str, text: Option<String>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let _ = writeln!(out, "<dt>{name}</dt><dd>{text}</dd>");
    }
}

fn items<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<String> {
    let items: String =
        texts.into_iter().map(|text| format!("<li>{}</li>", Escaped(text))).collect();
    (!items.is_empty()).then(|| format!("<ul>{items}</ul>"))
}

/// The verdict, what it holds for, what it assumes, and what was not asked.
fn verdict(report: &Report, sources: &Sources) -> String {
    let mut out = String::new();
    if let Some(reason) = &report.reason {
        out.push_str("<h3>Why there is no answer</h3>\n<ul>");
        for part in &reason.parts {
            let _ = write!(out, "<li>{}", Escaped(&part.text));
            if let Some(place) = &part.place {
                let _ = write!(out, " ({})", sources.link(place));
            }
            out.push_str("</li>\n");
        }
        if reason.parts.is_empty() {
            let _ = write!(out, "<li>{}</li>", Escaped(&reason.text));
        }
        out.push_str("</ul>\n");
        let mut help: Vec<&str> = Vec::new();
        for text in reason.parts.iter().filter_map(|part| part.kind.help()) {
            if !help.contains(&text) {
                help.push(text);
            }
        }
        if let Some(help) = items(help) {
            let _ = writeln!(out, "<h3>What to try</h3>\n{help}");
        }
    }
    out.push_str("<dl>\n");
    let failed = report.failed_assertion.as_ref().map(|failed| {
        format!("<code>{}</code> at {}", Escaped(&failed.text), sources.link(&failed.place))
    });
    term(&mut out, "Failed assertion", failed);
    let text = |text: String| Escaped(&text).to_string();
    term(&mut out, "Threads", report.threads.as_ref().and_then(|threads| threads.text()).map(text));
    term(&mut out, "Memory model", report.memory_words().map(text));
    term(
        &mut out,
        "Atomicity",
        report.atomicity.map(|atomicity| format!("one {atomicity} is one step")),
    );
    term(&mut out, "Found by", report.decided_by.map(|Decider(by)| by.to_string()).map(text));
    term(
        &mut out,
        "Passes",
        report.passes.clone().map(|passes| format!("<code>{}</code>", Escaped(&passes))),
    );
    let assumptions = items(report.assumptions.iter().map(String::as_str));
    term(&mut out, "Assumptions", Some(assumptions.unwrap_or_else(|| "none".to_owned())));
    if let Some(asked) = &report.properties {
        term(&mut out, "Checked", Some(asked.checked.join(", ")));
        term(&mut out, "Not checked", Some(asked.not_checked.join(", ")));
    }
    let reached = report.assertions.as_ref().map(|assertions| assertions.words());
    term(&mut out, "Assertions", reached.and_then(|words| items(words.iter().map(String::as_str))));
    term(&mut out, "Warnings", items(report.warnings.iter().map(|warning| warning.text.as_str())));
    out.push_str("</dl>\n");
    if let Some(results) = &report.results {
        out.push_str("<div class=\"scroll\"><table><thead><tr><th>Assertion</th><th>Verdict</th><th>Place</th></tr></thead><tbody>\n");
        for result in results {
            let _ = writeln!(
                out,
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
                Escaped(&result.text),
                result.verdict.replace('_', " "),
                sources.link(&result.place)
            );
        }
        out.push_str("</tbody></table></div>\n");
    }
    out
}

/// The lanes of an execution: of its last steps, if it is long.
fn picture(run: usize, failed: &str, steps: &[Step], sources: &Sources) -> String {
    let first = first_drawn(steps.len());
    let lanes = Lanes::from_step(steps, first);
    let link = |step: &Step| sources.anchor(&step.place).map(|anchor| format!("#{anchor}"));
    let names = Names { prefix: &format!("r{run}"), link: &link, title: failed };
    let mut out = String::new();
    if first > 0 {
        let _ = writeln!(
            out,
            "<p>Drawn are the last {} of {} steps.</p>",
            steps.len() - first,
            steps.len()
        );
    }
    let _ = writeln!(
        out,
        "<div class=\"picture\" tabindex=\"0\" role=\"region\" aria-label=\"Lanes of the threads\">{}</div>",
        svg::element(&lanes, &names)
    );
    out
}

/// The steps in words.
fn list(run: usize, steps: &[Step], sources: &Sources) -> String {
    let lanes = Lanes::new(steps);
    let mut out = String::from("<ol class=\"steps\">\n");
    for (number, step) in steps.iter().enumerate() {
        let fails = lanes.fails(number);
        let lane = lanes.of.get(number).and_then(|lane| lanes.lanes.get(*lane));
        let _ = write!(
            out,
            "<li id=\"{}\"{}><a href=\"#{}\" aria-label=\"step {} in the drawing\">{}</a> {} <span class=\"who\">{}</span> <code>{}</code>",
            item(run, number),
            if fails { " class=\"bad\"" } else { "" },
            element(run, steps.len(), number),
            number + 1,
            number + 1,
            sources.link(&step.place),
            Escaped(&lane.map(crate::lanes::Lane::title).unwrap_or_default()),
            Escaped(&step.statement)
        );
        out.push_str("<ul>");
        for (event, happens) in step.events.iter().enumerate() {
            let at = At { step: number, event };
            let class = if happens.kind == "fail" { " class=\"fail\"" } else { "" };
            let text = lanes.event_text(at);
            match lanes.sources.get(&at).and_then(|source| source.store()) {
                Some(from) if from.step != number => {
                    let _ = write!(
                        out,
                        "<li><a href=\"#{}\">{}</a></li>",
                        item(run, from.step),
                        Escaped(&text)
                    );
                }
                _ => {
                    let _ = write!(out, "<li{class}>{}</li>", Escaped(&text));
                }
            }
        }
        out.push_str("</ul></li>\n");
    }
    out.push_str("</ol>\n");
    out
}

/// The predicates, each with what brought it.
fn predicates(report: &Report, notes: &Notes, sources: &Sources) -> Option<String> {
    let statistics = report.statistics.as_ref();
    let mut texts: Vec<&str> =
        statistics.map_or(&[][..], |s| &s.predicates).iter().map(String::as_str).collect();
    let others = notes.origins.keys().map(String::as_str);
    let dropped: Vec<&str> = others.filter(|text| !texts.contains(text)).collect();
    texts.extend(dropped);
    if texts.is_empty() {
        return None;
    }
    let mut out = String::from(
        "<p class=\"legend\">A round that finds a failing trace of its Boolean program which no run of the program has adds predicates that exclude it.</p>\n\
         <div class=\"scroll\"><table><thead><tr><th>Predicate</th><th>Brought by</th></tr></thead><tbody>\n",
    );
    for text in texts {
        let why = notes
            .origins
            .get(text)
            .map_or_else(|| "given, or found by a pass".to_owned(), |origin| why(origin, sources));
        let _ = writeln!(out, "<tr><td><code>{}</code></td><td>{why}</td></tr>", Escaped(text));
    }
    out.push_str("</tbody></table></div>\n");
    Some(out)
}

fn why(Origin { round, step }: &Origin, sources: &Sources) -> String {
    let round = format!("<a href=\"#i{round}\">round {round}</a>");
    match step {
        Some((step, place)) => {
            format!("{round}: step {step} of its trace is not possible ({})", sources.link(place))
        }
        None => format!("{round}: its trace is not possible"),
    }
}

/// The rounds of refinement, as bars and as a table.
fn rounds(report: &Report, notes: &Notes) -> Option<String> {
    let figures = report.statistics.as_ref().map_or(&[][..], |statistics| &statistics.rounds);
    let count = figures.len().max(notes.rounds.keys().next_back().copied().unwrap_or(0));
    if count == 0 {
        return None;
    }
    let none = details::Round::default();
    let round = |number: usize| notes.rounds.get(&number).unwrap_or(&none);
    let size = |number: usize| {
        let figure = figures.get(number - 1).map_or(0, |figure| figure.predicates);
        figure.max(round(number).predicates)
    };
    let most = (1..=count).map(size).max().unwrap_or(0).max(1);
    let mut out = String::from(
        "<p class=\"legend\" id=\"bars\">Predicates by round</p><div class=\"bars\" role=\"img\" aria-labelledby=\"bars\">",
    );
    for number in 1..=count {
        let height = (size(number) * 100).div_ceil(most);
        let _ = write!(
            out,
            "<span style=\"height:{height}%\" title=\"round {number}: {}\"></span>",
            size(number)
        );
    }
    out.push_str(
        "</div>\n<div class=\"scroll\"><table><thead><tr><th class=\"n\">Round</th><th class=\"n\">Predicates</th><th class=\"n\">States</th>\
         <th class=\"n\">Abstraction</th><th class=\"n\">Checking</th><th class=\"n\">SAT calls</th><th>Found</th></tr></thead><tbody>\n",
    );
    for number in 1..=count {
        let noted = round(number);
        let cells = figures.get(number - 1).map_or_else(
            || ["", "", "", ""].map(str::to_owned),
            |f| {
                [
                    f.states.to_string(),
                    format!("{:.3} s", f.abstraction),
                    format!("{:.3} s", f.checking),
                    f.sat_calls.to_string(),
                ]
            },
        );
        let cells: String =
            cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect();
        let found = match (noted.trace, noted.found.as_slice()) {
            (Some(steps), []) => format!("a trace of {steps} steps"),
            (Some(steps), found) => {
                format!("a trace of {steps} steps, refuted by {}", codes(found))
            }
            (None, []) => String::new(),
            (None, found) => codes(found),
        };
        let _ = writeln!(
            out,
            "<tr id=\"i{number}\"><td class=\"n\">{number}</td><td class=\"n\">{}</td>{cells}<td>{found}</td></tr>",
            size(number)
        );
    }
    out.push_str("</tbody></table></div>\n");
    Some(out)
}

fn codes(texts: &[String]) -> String {
    let codes: Vec<String> =
        texts.iter().map(|text| format!("<code>{}</code>", Escaped(text))).collect();
    codes.join(", ")
}

/// The invariant, of a certificate.
fn invariant(notes: &Notes) -> Option<String> {
    let text = notes.certificate.as_deref()?;
    let mut sections: BTreeMap<&str, String> = BTreeMap::new();
    let mut name = "certificate";
    for line in text.lines() {
        match line.strip_prefix("== ").and_then(|line| line.strip_suffix(" ==")) {
            Some(section) => name = section,
            None => {
                let section = sections.entry(name).or_default();
                section.push_str(line);
                section.push('\n');
            }
        }
    }
    let mut out = String::from(
        "<p>The proof can be done again with <code>sapa check-certificate</code>. The variable <code>b3</code> of the Boolean program stands for the predicate number 3, \
         counted from 0; a place is where a thread of the Boolean program stands.</p>\n",
    );
    for (name, title) in
        [("certificate", "Invariant"), ("places", "Places"), ("program", "Boolean program")]
    {
        if let Some(text) = sections.get(name) {
            let open = if name == "certificate" { " open" } else { "" };
            let _ = writeln!(
                out,
                "<details{open}><summary>{title}</summary><div class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><pre>{}</pre></div></details>",
                Escaped(text)
            );
        }
    }
    Some(out)
}

/// Time and memory.
fn run(report: &Report) -> Option<String> {
    if report.verdict == Exit::Internal {
        return None;
    }
    let statistics = report.statistics.as_ref()?;
    let mut out = String::from("<dl>\n");
    term(&mut out, "sapa", Some(report.sapa.to_owned()));
    term(&mut out, "Time", Some(format!("{:.3} s", statistics.seconds)));
    let phases: Vec<String> = statistics
        .phases
        .iter()
        .map(|phase| format!("{}: {:.3} s", phase.name, phase.seconds))
        .collect();
    term(&mut out, "Phases", items(phases.iter().map(String::as_str)));
    let memory = statistics.peak_memory.map(|bytes| format!("{} MB", bytes >> 20));
    term(&mut out, "Memory", memory);
    out.push_str("</dl>\n");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Event, FailedAssertion, Place};

    /// A failing run of this number of steps in a file that is not there.
    fn report(steps: usize) -> Report {
        let step = |number: usize| Step {
            thread: u32::from(number % 3 == 1),
            place: Place { file: "<b>&\"'.c".to_owned(), line: 3, ..Place::default() },
            statement: "puts(\"<script>alert(1)</script>\");".to_owned(),
            events: vec![Event {
                kind: if number.is_multiple_of(2) { "write" } else { "read" },
                name: Some("s[\"&\"]".to_owned()),
                value: Some("\"</pre><img src=x onerror='alert(1)'>\"".to_owned()),
                text: "read \"</pre><img src=x onerror='alert(1)'>\"".to_owned(),
                ..Event::default()
            }],
            ..Step::default()
        };
        let place = Place { file: "<b>&\"'.c".to_owned(), line: 3, ..Place::default() };
        Report {
            trace: Some((0..steps).map(step).collect()),
            failed_assertion: Some(FailedAssertion {
                text: "a<b && \"c\"".to_owned(),
                place,
                property: None,
            }),
            assumptions: vec!["<script>".to_owned()],
            ..Report::new(Exit::Failed)
        }
    }

    #[test]
    fn nothing_from_outside_is_markup() {
        let details = Details::default();
        details.program(vec!["<script>.c".to_owned()], None);
        let page = draw(&report(4), &details);
        for bad in ["<script", "<img", "<b>", "onerror='", "</pre><"] {
            assert!(!page.contains(bad), "{bad}");
        }
        assert!(page.contains("&lt;script&gt;.c"), "{page}");
        for outside in ["http://", "https://"] {
            let without = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!without.contains(outside), "nothing is loaded");
        }
    }

    #[test]
    fn long_runs_make_pages_that_can_be_opened() {
        let page = draw(&report(10_000), &Details::default());
        assert!(page.len() < 8 << 20, "{} bytes", page.len());
        assert!(page.contains("id=\"r0-10000\"") && page.contains("id=\"r0s1000\""));
        assert_eq!(page.matches("<rect").count(), MOST_DRAWN);
    }

    #[test]
    fn links_lead_to_elements() {
        let page = draw(&report(7), &Details::default());
        for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
        }
    }
}
