//! Witnesses as SV-COMP exchanges them: of a violation an execution that other tools can follow, of correctness
//! invariants that they can use.
//!
//! * [`graphml`] – witness format 1.0, an automaton;
//! * [`yaml`] – witness format 2.0, or 2.2 where there are several threads.
//!
//! What a witness claims is what the verdict says, and no more. There is none where the two differ:
//! * with options that make another program of the sources (definitions, stubs, another entry), or let them mean what C does not say
//!   (statements as steps): a witness has the sources alone;
//! * of a failure under TSO or PSO, as validators execute programs under sequential consistency;
//! * of a proof for fewer threads than the program may start;
//! * of a property that SV-COMP has no formula for.
//!
//! An execution is written as its schedule and what it chooses: at each step of the trace, which thread is where, and the
//! values that it has just written, of variables that C can name. What is left out costs a validator work, and takes nothing from
//! what is claimed. Witnesses of correctness have no invariants: facts and predicates hold at places of the module after the
//! passes, which have copies of a place of the source (of inlined functions, of rounds of loops), and what holds at one
//! copy need not hold at the others.

pub mod graphml;
pub mod yaml;

use std::collections::HashMap;

use sapa_backend::check::ThreadBound;

use super::Context;
use crate::property;
use crate::report::{Event, Place, Report, Step};
use crate::statements::{Statement, Statements};
use crate::verdict::Exit;

/// What a witness is of.
enum Witness<'a> {
    /// Of a run into a failing assertion: at least one step.
    Violation(&'a [Step]),
    /// Of a proof.
    Correctness,
}

/// What both formats say.
struct Task<'a> {
    witness: Witness<'a>,
    /// The property, as a file of SV-COMP has it.
    specification: String,
    /// The inputs with their hashes.
    files: Vec<(String, String)>,
    is_64_bit: bool,
    /// Whether the run has an access that another one races with.
    is_race: bool,
}

impl<'a> Task<'a> {
    /// What a report gives a witness of.
    ///
    /// # Errors
    /// Why there is none.
    fn new(report: &'a Report, context: &Context) -> Result<Self, String> {
        let check = |formula: &str| format!("CHECK( init(main()), LTL({formula}) )");
        let is_answered = matches!(report.verdict, Exit::Successful | Exit::Failed);
        let statements = report.atomicity.filter(|atomicity| *atomicity != "access");
        let departs = context.departs.or(statements.map(|_| "--atomicity"));
        let departs = departs.or(report.passes.as_ref().map(|_| "--passes"));
        if let Some(option) = departs.filter(|_| is_answered) {
            return Err(format!(
                "it would be about the sources alone, and the verdict is about what '{option}' makes of them"
            ));
        }
        let (witness, specification, is_race) = match report.verdict {
            Exit::Failed => {
                if report.memory_model != Some("sc") {
                    return Err(
                        "validators execute programs under sequential consistency, and this \
                                execution may have stores that wait"
                            .to_owned(),
                    );
                }
                let failed = report.failed_assertion.as_ref().ok_or("no assertion is known")?;
                let steps = report.trace.as_deref().filter(|trace| !trace.is_empty());
                let steps = steps.ok_or("there is no trace")?;
                let property = failed.property.unwrap_or("assertions");
                let formula = property::formula(property, &failed.text)
                    .ok_or_else(|| format!("SV-COMP has no property that is '{property}'"))?;
                (Witness::Violation(steps), check(formula), property == "races")
            }
            Exit::Successful => {
                let threads = report.threads.as_ref().ok_or("no threads are known")?;
                let holds_for = threads.holds_for.map(|bound| bound.0);
                if let Some(ThreadBound::Bounded(most)) = holds_for
                    && threads.most_started.is_none_or(|started| started > most)
                {
                    return Err(format!(
                        "it would be about any number of threads, and the proof is for {most} \
                         besides the initial one"
                    ));
                }
                let asked = report.properties.as_ref().map_or(&[][..], |asked| &asked.checked);
                let mut formulas: Vec<&str> =
                    asked.iter().filter_map(|name| property::formula(name, "")).collect();
                formulas.dedup();
                if formulas.is_empty() {
                    return Err("SV-COMP has no property that is like what was asked".to_owned());
                }
                let checks: Vec<String> = formulas.into_iter().map(check).collect();
                (Witness::Correctness, checks.join("\n"), false)
            }
            _ => return Err("there is one of SUCCESSFUL and FAILED only".to_owned()),
        };
        let file = |path: &std::path::PathBuf| {
            let name = path.display().to_string();
            let hash = context.hash(path).ok_or_else(|| format!("{name} cannot be read again"))?;
            Ok::<_, String>((name, hash))
        };
        let files = context.files.iter().map(file).collect::<Result<_, _>>()?;
        let is_64_bit = report.pointer_bits != Some(32);
        Ok(Self { witness, specification, files, is_64_bit, is_race })
    }

    /// A place as a place of an input, if it is one. What the preprocessor has read of other files is
    /// where the input has it.
    fn place(&self, place: &Place, context: &Context) -> Option<Place> {
        if place.line == 0 {
            return None;
        }
        if self.files.iter().any(|(name, _)| *name == place.file) {
            return Some(place.clone());
        }
        let mut sources = context.sources();
        self.files.iter().find_map(|(name, _)| {
            let line = marked_line(sources.text(name), &place.file, place.line)?;
            Some(Place { file: name.clone(), line, ..place.clone() })
        })
    }
}

/// Which statements threads have begun: a statement that is split over several steps is one thing, where it begins.
#[derive(Debug, Default)]
struct Begun(HashMap<(u32, Option<String>), (String, u32, u32)>);

impl Begun {
    /// Where the statement at a place of an input begins. None if it is none (the head of a function, the end of `do`), or the thread's
    /// last step in this function was of the same one: it goes on, or comes again, which cannot be told apart.
    fn begins(&mut self, sources: &mut Statements, thread: u32, place: &Place) -> Option<Place> {
        let statement = statement(sources, place);
        let place = beginning(&statement, place);
        let key = (thread, place.function.clone());
        let at = (place.file.clone(), place.line, place.column.unwrap_or(0));
        let before = self.0.insert(key, at.clone());
        let is_one = statement.is_executed() && !sources.is_end_of_do(&place.file, &statement);
        (before != Some(at) && is_one).then_some(place)
    }
}

/// The statement at a place of an input.
fn statement(sources: &mut Statements, place: &Place) -> Statement {
    sources.at(&place.file, place.line, place.column.unwrap_or(0))
}

/// Where the statement at a place of an input begins; without a column where it is not known which statement of the line it is:
/// validators take the first of a line then.
fn beginning(statement: &Statement, place: &Place) -> Place {
    match statement.beginning() {
        Some((line, column)) => Place { line, column, ..place.clone() },
        None => place.clone(),
    }
}

/// The line of a preprocessed text that stands for a line of a file, by its line markers (`# 12 "file.c"`).
fn marked_line(text: &[u8], file: &str, line: u32) -> Option<u32> {
    // The file and line that the next line of the text is.
    let mut here: Option<(String, u32)> = None;
    let text = String::from_utf8_lossy(text);
    for (number, words) in (1_u32..).zip(text.lines()) {
        if let Some(marked) = marker(words) {
            here = Some(marked);
            continue;
        }
        if let Some((name, at)) = &mut here {
            if name == file && *at == line {
                return Some(number);
            }
            *at = at.saturating_add(1);
        }
    }
    None
}

/// A line marker: `# 12 "file.c" 1`, or `#line 12 "file.c"`.
fn marker(line: &str) -> Option<(String, u32)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let (number, rest) = rest.split_once(' ')?;
    let name = rest.trim_start().strip_prefix('"')?.split('"').next()?;
    Some((name.to_owned(), number.parse().ok()?))
}

/// What is known when a step is over, as conditions in C over variables of its function: the values that it has written last.
/// Values of nothing but numbers are given, and names that are C's own.
fn facts(step: &Step) -> Vec<String> {
    let mut known: Vec<(&str, String)> = Vec::new();
    for event in &step.events {
        let gives = matches!(event.kind, "write" | "assign") || event.uninitialised;
        let function = event.place.as_ref().map(|place| &place.function);
        let is_here = function.is_none_or(|function| *function == step.place.function);
        let (Some(name), Some(value)) = (&event.name, &event.value) else { continue };
        if !gives || !is_here || !is_variable(name) {
            continue;
        }
        known.retain(|(other, _)| other != name);
        known.extend(number(value).map(|value| (name.as_str(), value)));
    }
    known.into_iter().map(|(name, value)| format!("{name} == {value}")).collect()
}

/// Whether a name is one that C has for a variable or a part of it.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.[]".contains(&b))
}

/// A number as C writes it; `None` for other values.
fn number(value: &str) -> Option<String> {
    // A character stands behind its number: `120 ('x')`.
    let digits = value.split(' ').next()?;
    match digits.parse::<i128>().ok()? {
        // Its digits are no number of a signed type.
        number if number > i128::from(i64::MAX) => Some(format!("{digits}ULL")),
        number if number > i128::from(i64::MIN) => Some(digits.to_owned()),
        _ => None,
    }
}

/// The function that the environment's value comes from, and the value, for an event that is a choice of a number.
fn chosen(event: &Event) -> Option<(&str, String)> {
    match (event.kind, &event.name, &event.value) {
        ("choose", Some(name), Some(value)) => Some((name, number(value)?)),
        _ => None,
    }
}

/// The thread that an event starts or joins, and the function that it runs.
fn other_thread(event: &Event, steps: &[Step]) -> Option<(u32, String)> {
    let thread = event.thread?;
    let called = event.value.as_deref().and_then(|call| call.split('(').next());
    let runs = || {
        let step = steps.iter().find(|step| step.thread == thread)?;
        step.thread_function.clone()
    };
    Some((thread, called.map(str::to_owned).or_else(runs)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_text_that_was_read() {
        let text =
            b"# 1 \"a.c\"\n# 1 \"h.h\" 1\nint h;\n# 2 \"a.c\" 2\nint x;\n#line 9 \"a.c\"\nint y;\n";
        let line = |file, line| marked_line(text, file, line);
        assert_eq!(line("h.h", 1), Some(3));
        assert_eq!((line("a.c", 2), line("a.c", 9), line("a.c", 3)), (Some(5), Some(7), None));
        assert_eq!(marked_line(b"int x;\n", "a.c", 1), None);
    }

    #[test]
    fn only_what_c_can_say_is_said() {
        let event = |kind, name: &str, value: &str| Event {
            kind,
            name: Some(name.to_owned()),
            value: Some(value.to_owned()),
            ..Event::default()
        };
        let step = Step {
            events: vec![
                event("read", "r", "7"),
                event("assign", "s.a[2]", "1"),
                event("write", "heap#1", "1"),
                event("write", "p", "&x"),
                event("write", "x", "1"),
                event("write", "x", "-2"),
                event("write", "m", "18446744073709551615"),
                event("write", "c", "120 ('x')"),
                event("write", "y", "3"),
                event("write", "y", "worker"),
            ],
            ..Step::default()
        };
        let wanted = ["s.a[2] == 1", "x == -2", "m == 18446744073709551615ULL", "c == 120"];
        assert_eq!(facts(&step), wanted);
    }
}
