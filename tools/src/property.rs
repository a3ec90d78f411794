//! `--property`: names of properties, or a property file of SV-COMP.

use std::path::Path;

use sapa_passes::{PROPERTIES, Properties};

use crate::failure::{Failure, Message};
use crate::input;

/// The formulas of SV-COMP's property files, and the properties that say the same.
const FORMULAS: &[(&str, &[&str])] = &[
    ("G ! call(reach_error())", &["assertions"]),
    ("G ! call(__VERIFIER_error())", &["assertions"]),
    ("G ! overflow", &["overflow"]),
    ("G valid-deref", &["pointers"]),
    (VALID_FREE, &["pointers"]),
    ("G valid-memcleanup", &["leaks"]),
    ("G ! data-race", &["races"]),
];

/// That something points to what is allocated until it is freed. No property says that: `leaks` is about the end of the program, whatever
/// points there.
const VALID_MEMTRACK: &str = "G valid-memtrack";

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The properties that have assertions.
    pub properties: Properties,
    /// Whether `valid-memtrack` is asked as well.
    pub memtrack: bool,
}

/// That what is freed may be freed.
const VALID_FREE: &str = "G valid-free";

/// The formula of SV-COMP that an assertion of a property claims, if there is one; of a property as a whole, its first one.
#[must_use]
pub fn formula(property: &str, text: &str) -> Option<&'static str> {
    // An index that is outside of its array is one of an access.
    let property = if property == "bounds" { "pointers" } else { property };
    if property == "pointers" && text.contains(" freed") {
        return Some(VALID_FREE);
    }
    FORMULAS.iter().find(|(_, same)| same.contains(&property)).map(|(formula, _)| *formula)
}

/// The properties, one a line, for help texts.
#[must_use]
pub fn list() -> String {
    let mut text = "Properties:".to_owned();
    for property in PROPERTIES {
        text.push_str(&format!("\n  {:<20} {}", property.name, property.summary));
    }
    text
}

/// What is asked for by the value of `--property`.
///
/// # Errors
/// If a word is no property, or a file has others than those that are known, or `valid-memtrack` alone.
pub fn request(text: &str) -> Result<Request, Failure> {
    let path = Path::new(text);
    if path.extension().is_some_and(|extension| extension == "prp") {
        return of_file(path);
    }
    let properties = Properties::parse(text);
    let properties =
        properties.map_err(|error| Failure::usage(format!("'--property': {error}")))?;
    Ok(Request { properties, memtrack: false })
}

/// Reads lines such as `CHECK( init(main()), LTL(G ! call(reach_error())) )`; `//` begins a comment.
fn of_file(path: &Path) -> Result<Request, Failure> {
    let text = String::from_utf8_lossy(&input::read(path)?).into_owned();
    let mut names: Vec<&str> = Vec::new();
    let mut memtrack = None;
    let mut end = 0;
    for line in text.lines() {
        end += 1;
        let formula = without_blanks(line.split("//").next().unwrap_or(""));
        if formula.is_empty() {
            continue;
        }
        let inside = formula
            .strip_prefix("CHECK(init(main()),LTL(")
            .and_then(|rest| rest.strip_suffix("))"));
        if inside == Some(&*without_blanks(VALID_MEMTRACK)) {
            memtrack = Some(end);
            continue;
        }
        let known = FORMULAS.iter().find(|(known, _)| inside == Some(&*without_blanks(known)));
        match known {
            Some((_, same)) => names.extend(*same),
            None => return Err(unknown(path, end, line.trim())),
        }
    }
    if names.is_empty() {
        return Err(match memtrack {
            Some(line) => {
                let text = "'G valid-memtrack' alone is not checked: ask for 'G valid-free' and 'G valid-deref' beside it, or for 'G valid-memcleanup'";
                at(path, line, Message::error(text))
            }
            None => unknown(path, end.max(1), ""),
        });
    }
    let properties = Properties::named(names);
    let properties = properties.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Request { properties, memtrack: memtrack.is_some() })
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

fn unknown(path: &Path, line: u32, found: &str) -> Failure {
    let known: Vec<&str> = FORMULAS.iter().map(|(formula, _)| *formula).collect();
    let found = if found.is_empty() {
        "the file has no property".to_owned()
    } else {
        format!("'{found}' is no property that is known")
    };
    let message = Message::error(format!(
        "{found}; expected 'CHECK( init(main()), LTL(FORMULA) )' with one of the formulas {}",
        known.join(", ")
    ));
    at(path, line, message)
}

fn at(path: &Path, line: u32, message: Message) -> Failure {
    let sources = &mut crate::statements::Statements::default();
    Failure::bad_input([message.at(&input::name(path), line, 0, sources)])
}
