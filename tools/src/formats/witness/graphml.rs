//! Witness format 1.0: an automaton in GraphML, with its data for threads
//! (<https://github.com/sosy-lab/sv-witnesses>, the page on GraphML).
//!
//! A violation is a path: an edge for each step of the trace, with its thread, its line, and what is known after it. A thread
//! that is started has an edge into its function, and before a join one out of it.

use std::io;

use super::super::xml::{Xml, document, element, leaf};
use super::super::{Context, Product};
use super::{Begun, Task, Witness, chosen, facts, other_thread};
use crate::report::{Report, Step};

/// The keys: of what, name, type.
const KEYS: &[(&str, &str, &str)] = &[
    ("graph", "witness-format-version", "string"),
    ("graph", "witness-type", "string"),
    ("graph", "sourcecodelang", "string"),
    ("graph", "producer", "string"),
    ("graph", "specification", "string"),
    ("graph", "programfile", "string"),
    ("graph", "programhash", "string"),
    ("graph", "architecture", "string"),
    ("graph", "creationtime", "string"),
    ("node", "entry", "boolean"),
    ("node", "violation", "boolean"),
    ("edge", "startline", "int"),
    ("edge", "assumption", "string"),
    ("edge", "assumption.scope", "string"),
    ("edge", "assumption.resultfunction", "string"),
    ("edge", "enterFunction", "string"),
    ("edge", "returnFromFunction", "string"),
    ("edge", "threadId", "string"),
    ("edge", "createThread", "string"),
];

/// The data of an edge, by their keys.
type Edge = Vec<(&'static str, String)>;

/// Writes the witness of a report.
///
/// # Errors
/// Why there is none.
pub fn write(report: &Report, context: &Context) -> Product {
    let task = Task::new(report, context)?;
    if task.files.len() != 1 {
        return Err("it is of a program in one file".to_owned());
    }
    let edges = match task.witness {
        Witness::Violation(steps) => edges(&task, steps, context),
        Witness::Correctness => Vec::new(),
    };
    document(|xml| {
        let name = [
            ("xmlns", "http://graphml.graphdrawing.org/xmlns"),
            ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
        ];
        element(xml, "graphml", &name, |xml| {
            for (of, key, ty) in KEYS {
                let attributes = [("id", *key), ("for", of), ("attr.name", key), ("attr.type", ty)];
                match *ty {
                    "boolean" => {
                        element(xml, "key", &attributes, |xml| leaf(xml, "default", &[], "false"))?
                    }
                    _ => leaf(xml, "key", &attributes, "")?,
                }
            }
            element(xml, "graph", &[("edgedefault", "directed")], |xml| {
                head(xml, report, &task, context)?;
                graph(xml, &edges)
            })
        })
    })
}

fn data(xml: &mut Xml, key: &str, value: &str) -> io::Result<()> {
    leaf(xml, "data", &[("key", key)], value)
}

/// What the whole says.
fn head(xml: &mut Xml, report: &Report, task: &Task<'_>, context: &Context) -> io::Result<()> {
    data(xml, "witness-format-version", "1.0")?;
    let kind = match task.witness {
        Witness::Violation(_) => "violation_witness",
        Witness::Correctness => "correctness_witness",
    };
    data(xml, "witness-type", kind)?;
    data(xml, "sourcecodelang", "C")?;
    data(xml, "producer", &format!("sapa {}", report.sapa))?;
    data(xml, "specification", &task.specification)?;
    for (file, hash) in &task.files {
        data(xml, "programfile", file)?;
        data(xml, "programhash", hash)?;
    }
    data(xml, "architecture", if task.is_64_bit { "64bit" } else { "32bit" })?;
    data(xml, "creationtime", &context.began.text())
}

/// The path of edges; its last node is the violation, if there is an edge.
fn graph(xml: &mut Xml, edges: &[Edge]) -> io::Result<()> {
    for number in 0..=edges.len() {
        let id = format!("N{number}");
        let key = match number {
            0 => Some("entry"),
            last if last == edges.len() => Some("violation"),
            _ => None,
        };
        match key {
            Some(key) => element(xml, "node", &[("id", &id)], |xml| data(xml, key, "true"))?,
            None => leaf(xml, "node", &[("id", &id)], "")?,
        }
    }
    for (number, edge) in edges.iter().enumerate() {
        let (id, from, to) =
            (format!("E{number}"), format!("N{number}"), format!("N{}", number + 1));
        element(xml, "edge", &[("id", &id), ("source", &from), ("target", &to)], |xml| {
            edge.iter().try_for_each(|(key, value)| data(xml, key, value))
        })?;
    }
    Ok(())
}

/// The edges of an execution.
fn edges(task: &Task<'_>, steps: &[Step], context: &Context) -> Vec<Edge> {
    let mut edges = vec![vec![
        ("threadId", "0".to_owned()),
        ("createThread", "0".to_owned()),
        ("enterFunction", "main".to_owned()),
    ]];
    let (mut begun, mut sources) = (Begun::default(), context.sources());
    for (number, step) in steps.iter().enumerate() {
        let place = task.place(&step.place, context);
        let begins = place.as_ref().map(|at| begun.begins(&mut sources, step.thread, at));
        let goes_on = matches!(begins, Some(None)) && number + 1 < steps.len();
        let place = begins.flatten().or(place);
        let thread = ("threadId", step.thread.to_string());
        let mut edge = vec![thread];
        edge.extend(place.as_ref().map(|place| ("startline", place.line.to_string())));
        let mut starts = false;
        for event in &step.events {
            match (event.kind, other_thread(event, steps)) {
                ("start", Some((other, function))) => {
                    let mut start = edge.clone();
                    start.push(("createThread", other.to_string()));
                    edges.push(start);
                    starts = true;
                    let other = ("threadId", other.to_string());
                    edges.push(vec![other, ("enterFunction", function)]);
                }
                // The thread has ended before, at no step of its own.
                ("join", Some((other, function))) => {
                    let other = ("threadId", other.to_string());
                    edges.push(vec![other, ("returnFromFunction", function)]);
                }
                _ => {}
            }
        }
        if starts {
            // All was said.
            continue;
        }
        if goes_on {
            // One edge of a validator's automaton is a whole statement.
            continue;
        }
        let known = facts(step);
        let mut choices = step.events.iter().filter_map(chosen);
        match (known.is_empty(), choices.next(), choices.next()) {
            (false, ..) => {
                edge.push(("assumption", format!("{};", known.join("; "))));
                let function = step.place.function.clone();
                edge.extend(function.map(|function| ("assumption.scope", function)));
            }
            // What is chosen goes to no variable.
            (true, Some((function, value)), None) => {
                edge.push(("assumption", format!("\\result == {value};")));
                edge.push(("assumption.resultfunction", function.to_owned()));
            }
            _ => {}
        }
        edges.push(edge);
    }
    edges
}
