//! `--dump-dir`: every intermediate of a run as files in a folder, for people, and such that the
//! tools read them back. Files are numbered in the order of events.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sapa_backend::abstraction::{Class, Origin, Stored, Tracked};
use sapa_backend::automaton::{Automaton, EdgeTarget};
use sapa_backend::cegar::{Learned, Made, Seen};
use sapa_backend::execution::places;
use sapa_ir::boolean::parser;
use sapa_ir::goto::{Location, Module, Predicate};

use crate::failure::{Failure, Message};
use crate::input;
use crate::message;
use crate::report::Report;
use crate::statements::Statements;
use crate::verdict::Exit;

/// The file that marks a folder as ours: it lists the files that we wrote.
const LIST: &str = "sapa-dump.list";

/// Where intermediates go.
#[derive(Debug)]
pub struct Dump {
    folder: PathBuf,
    /// Files written so far.
    written: usize,
    /// Why the predicates are there, by their text.
    origins: HashMap<String, String>,
    sources: Statements,
}

impl Dump {
    /// Prepares a folder: it is made if it is not there, and the files of an earlier run go.
    ///
    /// # Errors
    /// If it cannot be made, or holds files that no run of sapa wrote.
    pub fn new(folder: &Path) -> Result<Self, Failure> {
        let cannot = |error: io::Error| {
            let text = format!("cannot write to the folder {}: {error}", folder.display());
            Failure::bad_input([Message::error(text)])
        };
        fs::create_dir_all(folder).map_err(cannot)?;
        match fs::read_to_string(folder.join(LIST)) {
            Ok(list) => {
                // A name with a folder in it is none that we wrote.
                let ours = list.lines().filter(|name| Path::new(name).file_name().is_some());
                for name in ours.filter(|name| !name.contains('/')) {
                    match fs::remove_file(folder.join(name)) {
                        Err(error) if error.kind() != io::ErrorKind::NotFound => {
                            return Err(cannot(error));
                        }
                        _ => {}
                    }
                }
            }
            Err(_) if fs::read_dir(folder).map_err(cannot)?.next().is_some() => {
                let text = format!(
                    "the folder {} holds files that are not of an earlier run: give --dump-dir an \
                     empty folder or a new one",
                    folder.display()
                );
                return Err(Failure::bad_input([Message::error(text)]));
            }
            Err(_) => {}
        }
        fs::write(folder.join(LIST), "").map_err(cannot)?;
        Ok(Self {
            folder: folder.to_owned(),
            written: 0,
            origins: HashMap::new(),
            sources: Statements::default(),
        })
    }

    /// Writes a file; one that cannot be written is reported and left out.
    pub fn write(&mut self, name: &str, text: &str) {
        let name = format!("{:04}-{name}", self.written);
        self.written += 1;
        // The list comes first: a run that is killed leaves no file that the next does not know.
        let list = OpenOptions::new().append(true).open(self.folder.join(LIST));
        let written = list
            .and_then(|mut list| writeln!(list, "{name}"))
            .and_then(|()| input::write_file(&self.folder.join(&name), text.as_bytes()));
        if let Err(error) = written {
            message!("warning: cannot write {}: {error}", self.folder.join(&name).display());
        }
    }

    /// The program that the loop begins with, and the predicates that are given.
    pub fn module(&mut self, module: &Module) {
        self.write("program.gir", &sapa_ir::goto::print(module));
        for predicate in &module.predicates {
            self.origins.insert(predicate.text.clone(), "given".to_owned());
        }
    }

    /// A Boolean program as it was read, and the trace of its failure.
    ///
    /// # Errors
    /// If it cannot be read again. What is no program stays as it is.
    pub fn boolean(&mut self, path: &Path, report: &Report) -> Result<(), Failure> {
        if report.verdict == Exit::BadInput {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&input::read(path)?).into_owned();
        let text = parser::parse(&text).map_or(text, |program| program.to_string());
        self.write("program.bp", &text);
        if !report.trace_text.is_empty() {
            self.write("trace.txt", &report.trace_text);
        }
        Ok(())
    }

    /// The predicates of a round, as `--predicates` reads them.
    pub fn vocabulary(&mut self, number: usize, predicates: &[Predicate]) {
        let mut text = format!("// The predicates of iteration {number}.\n");
        for predicate in predicates {
            text.push_str(&format!("// {}:\n{}\n", self.origin(&predicate.text), predicate.text));
        }
        self.write(&format!("iteration-{number}-predicates.txt"), &text);
    }

    fn origin(&self, predicate: &str) -> &str {
        self.origins.get(predicate).map_or("given", String::as_str)
    }

    /// Why predicates come in after a round.
    pub fn learned(&mut self, number: usize, module: &Module, learned: &Learned<'_>) {
        let step = match learned.step {
            Some((step, location)) => format!(
                "so that step {} of that iteration's trace is not possible ({})",
                step + 1,
                module.describe(location)
            ),
            None => "so that that iteration's trace is not possible".to_owned(),
        };
        for predicate in learned.predicates {
            let origin = format!("found after iteration {number}, {step}");
            self.origins.entry(predicate.text.clone()).or_insert(origin);
        }
    }

    /// The Boolean program of a round, with what its names mean as comments.
    pub fn abstraction(&mut self, number: usize, made: &Made<'_>) {
        let Made { module, predicates, automaton, abstraction } = made;
        let mut text = format!("// The Boolean program of iteration {number}.\n//\n");
        let of_each = |root: Option<usize>| match root {
            Some(root) => format!("of each thread of {}", root_name(automaton, root)),
            None => "of each thread".to_owned(),
        };
        for (place, stored) in &abstraction.variables {
            let class = match stored {
                Stored::One(Tracked { class: Class::Shared, .. }) => "shared".to_owned(),
                Stored::One(Tracked { root, .. }) => of_each(*root),
                Stored::Every(every) => match every.own {
                    Some(own) => {
                        format!("{} with every other one, 0: not known", of_each(own.root))
                    }
                    None => "shared, of every thread, 0: not known".to_owned(),
                },
            };
            let predicate = &predicates[*place].text;
            let origin = self.origin(predicate);
            text.push_str(&comment(&format!("b{place}  {predicate}  ({class}; {origin})")));
        }
        text.push_str(LABELS);
        for (index, root) in automaton.roots.iter().enumerate() {
            text.push_str(&comment(&format!("R{index}  {}", root.name)));
        }
        text.push('\n');
        let words = RefCell::new(&mut self.sources);
        text.push_str(&abstraction.program.commented(&|statement| {
            let origin = abstraction.origins.of(statement.origin?);
            explained(module, automaton, origin, &mut words.borrow_mut())
        }));
        self.write(&format!("iteration-{number}-abstraction.bp"), &text);
    }

    /// The error trace of a round's Boolean program, over source lines.
    pub fn trace(&mut self, number: usize, seen: &Seen<'_>) {
        let mut text = format!("The error trace of iteration {number}'s Boolean program.\n");
        for (index, taken) in seen.trace.iter().enumerate() {
            let places = places(seen.module, seen.automaton, taken.edge);
            let first = places.first().map_or("?".to_owned(), |place| seen.module.describe(*place));
            let statement = executed(seen.module, &places, &mut self.sources);
            let started = taken.started.map_or(String::new(), |t| format!("  [starts thread {t}]"));
            text.push_str(&format!(
                "{:>4}  thread {}  E{}  {first}  {statement}{started}\n",
                index + 1,
                taken.thread,
                taken.edge.0
            ));
        }
        self.write(&format!("iteration-{number}-trace.txt"), &text);
    }
}

/// What the labels mean.
const LABELS: &str = "//
// Labels:
// R1      the start of thread function 1, which gives a thread's own variables their first values
// N1_7    a place of thread function 1 between two steps
// B5      the beginning of step 5, that is, of the statements from one such place to the next
// E5      the statement that executes step 5
// S5      the statement that starts the thread that step 5 starts
// X5      the assertion that fails when step 5 is executed
// E5_2    the same in the copy for thread 2, where the program is expanded over its threads
//
// Thread functions:
";

fn comment(text: &str) -> String {
    format!("// {}\n", text.replace(['\n', '\r'], " "))
}

fn root_name(automaton: &Automaton, root: usize) -> &str {
    automaton.roots.get(root).map_or("?", |root| root.name.as_str())
}

/// The statements at places, in order, each once in a row.
fn executed(module: &Module, places: &[Location], sources: &mut Statements) -> String {
    let mut found: Vec<String> = Vec::new();
    for place in places {
        let file = module.files.get(place.file.index()).map_or("", String::as_str);
        let text = sources.at(file, place.line, place.column).text;
        if !text.is_empty() && found.last() != Some(&text) {
            found.push(text);
        }
    }
    found.join(" / ")
}

/// The source of a statement that executes a step, or of the assertion that a step fails.
fn explained(
    module: &Module,
    automaton: &Automaton,
    origin: Origin,
    sources: &mut Statements,
) -> Option<String> {
    let text = match origin {
        Origin::Edge(edge) => {
            let places = places(module, automaton, edge);
            let first = places.first()?;
            format!("{}: {}", module.describe(*first), executed(module, &places, sources))
        }
        Origin::Error(edge) => {
            let EdgeTarget::Error(property) = automaton.edge(edge).to else { return None };
            let property = automaton.properties.get(property as usize)?;
            format!("{}: {}", module.describe(property.location), property.text)
        }
        Origin::Start(_) | Origin::Spawn(_) => return None,
    };
    Some(text.replace(['\n', '\r'], " "))
}
