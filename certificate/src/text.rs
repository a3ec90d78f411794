//! The text of certificates.
//!
//! ```text
//! sapa certificate 1
//! program 90ad0b2f1c3e5d77
//! by thread states
//! n0 = g0 ? 1 : 0
//! n1 = 0.x2 ? n0 : !n0
//! free 3,5-7: n1
//! inside 4 | 5: !n0
//! always * | *: n1
//! end
//! ```
//! A node is asked for by its name, `1` is true and `!` negates. `g0` is the program's shared variable of
//! number 0, `0.x2` the local of number 2 of the thread in slot 0, `0.held.g0` whether that thread holds
//! the lock `g0`, `0.young` whether it was started within the section, `started` whether any was;
//! `old.` stands before what a variable was when the last atomic section began. A
//! clause says which threads it is about ([`When`]), where they stand, and the formula. Lines that
//! begin with `#` are comments.

use std::fmt;

use sapa_ir::boolean::flat::{FlatProgram, LocalVar, LocationId, SharedVar};
use sapa_limits::{Exceeded, Limits};

use crate::certificate::{Atom, Certificate, Clause, Formula, Lock, Node, Slot, When, fingerprint};

/// The version of the text; what others write is refused.
pub const VERSION: u32 = 1;

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Shared(v) => write!(f, "g{}", v.0),
            Atom::OldShared(v) => write!(f, "old.g{}", v.0),
            Atom::Started => write!(f, "started"),
            Atom::Local(slot, v) => write!(f, "{slot}.x{}", v.0),
            Atom::OldLocal(slot, v) => write!(f, "{slot}.old.x{}", v.0),
            Atom::Held(slot, Lock { variable, free }) => {
                write!(f, "{slot}.held.{}g{}", if *free { "!" } else { "" }, variable.0)
            }
            Atom::Young(slot) => write!(f, "{slot}.young"),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node() {
            Some(node) => write!(f, "{}n{node}", if self.is_negated() { "!" } else { "" }),
            None => f.write_str(if self.is_negated() { "0" } else { "1" }),
        }
    }
}

impl When {
    fn name(self) -> &'static str {
        match self {
            When::Always => "always",
            When::Free => "free",
            When::Inside => "inside",
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Slot::At(places) = self else { return f.write_str("*") };
        let mut at = 0;
        while let Some(first) = places.get(at) {
            let mut last = *first;
            while places.get(at + 1).is_some_and(|next| next.0 == last.0 + 1) {
                at += 1;
                last = places[at];
            }
            at += 1;
            let end = if at < places.len() { "," } else { "" };
            match last == *first {
                true => write!(f, "{}{end}", first.0)?,
                false => write!(f, "{}-{}{end}", first.0, last.0)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.when.name())?;
        for (number, slot) in self.slots.iter().enumerate() {
            write!(f, "{} {slot}", if number == 0 { "" } else { " |" })?;
        }
        write!(f, ": {}", self.formula)
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "sapa certificate {VERSION}")?;
        writeln!(f, "program {:016x}", self.program)?;
        writeln!(f, "by {}", self.by)?;
        for (number, Node { atom, high, low }) in self.nodes.iter().enumerate() {
            writeln!(f, "n{number} = {atom} ? {high} : {low}")?;
        }
        self.clauses.iter().try_for_each(|clause| writeln!(f, "{clause}"))?;
        writeln!(f, "end")
    }
}

/// Why a text is no certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Something else is expected.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: u32,
        /// What is wrong there.
        what: String,
    },
    /// It is for another program.
    #[error(
        "the certificate is for another program, or for other values of --init and --error-label"
    )]
    OtherProgram,
    /// A limit was reached.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
}

/// Reads a certificate.
///
/// # Errors
/// The first line that is wrong, or the limit that was reached.
pub fn parse(text: &str, program: &FlatProgram, limits: &Limits) -> Result<Certificate, ReadError> {
    let wrong = |line: u32, what: String| Err(ReadError::Line { line, what });
    let lines = text.lines().enumerate().map(|(at, line)| (at as u32 + 1, line.trim_end()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let mut last = 1;
    let mut head = |word: &str| match lines.next() {
        Some((at, line)) => {
            last = at;
            let rest = line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' '));
            rest.map(str::to_owned).ok_or_else(|| ReadError::Line {
                line: at,
                what: format!("expected `{word}`; this is no certificate of sapa"),
            })
        }
        None => Err(ReadError::Line {
            line: last,
            what: format!("expected `{word}`, but the certificate ends"),
        }),
    };
    let version = head("sapa certificate")?;
    if version != VERSION.to_string() {
        let what = format!(
            "the certificate has version {version:.20}, and version {VERSION} can be read; write it anew"
        );
        return wrong(1, what);
    }
    let number = head("program")?;
    let Ok(number) = u64::from_str_radix(&number, 16) else {
        return wrong(last, "expected the program's fingerprint, a hexadecimal number".into());
    };
    if number != fingerprint(program) {
        return Err(ReadError::OtherProgram);
    }
    let locations = program.locations.len();
    let by = head("by")?;
    let mut certificate =
        Certificate { program: number, by, nodes: Vec::new(), clauses: Vec::new() };
    let mut ended = false;
    for (at, line) in lines {
        last = at;
        if at.is_multiple_of(1 << 12) {
            limits.check()?;
        }
        if ended {
            return wrong(at, "there is more after `end`".into());
        }
        let nodes = certificate.nodes.len();
        let read = match line.split_once(' ') {
            None if line == "end" => {
                ended = true;
                continue;
            }
            Some((name, rest)) if name.starts_with('n') => {
                if name[1..] != nodes.to_string() {
                    return wrong(at, format!("expected node n{nodes}"));
                }
                node(rest, nodes).map(|node| certificate.nodes.push(node))
            }
            Some((name, rest)) => {
                clause(name, rest, (nodes, locations), at).map(|c| certificate.clauses.push(c))
            }
            None => None,
        };
        if read.is_none() {
            let what = "expected a node (`n0 = g0 ? 1 : 0`), a clause (`free 3 | 4: n0`) over earlier \
                        nodes and locations of the program, or `end`";
            return wrong(at, what.into());
        }
    }
    if !ended {
        return wrong(last, "the certificate is cut short: there is no `end`".into());
    }
    Ok(certificate)
}

fn node(text: &str, nodes: usize) -> Option<Node> {
    let mut words = text.split(' ');
    let mut word = || words.next();
    let (equals, asked, then, high, otherwise, low) =
        (word()?, word()?, word()?, word()?, word()?, word()?);
    let is_node = (equals, then, otherwise) == ("=", "?", ":") && word().is_none();
    is_node.then_some(())?;
    Some(Node { atom: atom(asked)?, high: formula(high, nodes)?, low: formula(low, nodes)? })
}

fn formula(text: &str, nodes: usize) -> Option<Formula> {
    let (negated, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
    let formula = match text {
        "1" => Formula::TRUE,
        "0" => Formula::FALSE,
        name => {
            let number: usize = name.strip_prefix('n')?.parse().ok()?;
            (number < nodes).then(|| Formula::of_node(number))?
        }
    };
    Some(formula.negated_if(negated))
}

fn atom(text: &str) -> Option<Atom> {
    let shared = |text: &str| Some(SharedVar(text.strip_prefix('g')?.parse().ok()?));
    let local = |text: &str| Some(LocalVar(text.strip_prefix('x')?.parse().ok()?));
    if text == "started" {
        return Some(Atom::Started);
    }
    let Some((first, rest)) = text.split_once('.') else { return shared(text).map(Atom::Shared) };
    if first == "old" {
        return shared(rest).map(Atom::OldShared);
    }
    let slot: u8 = first.parse().ok()?;
    match rest.split_once('.') {
        None if rest == "young" => Some(Atom::Young(slot)),
        None => Some(Atom::Local(slot, local(rest)?)),
        Some(("old", rest)) => Some(Atom::OldLocal(slot, local(rest)?)),
        Some(("held", rest)) => {
            let (free, name) = rest.strip_prefix('!').map_or((false, rest), |name| (true, name));
            Some(Atom::Held(slot, Lock { variable: shared(name)?, free }))
        }
        Some(_) => None,
    }
}

fn clause(when: &str, rest: &str, (nodes, locations): (usize, usize), line: u32) -> Option<Clause> {
    let when = [When::Always, When::Free, When::Inside].into_iter().find(|w| w.name() == when)?;
    let (slots, holds) = rest.rsplit_once(": ")?;
    let slots: Option<Vec<Slot>> = slots.split(" | ").map(|text| slot(text, locations)).collect();
    Some(Clause { when, slots: slots?, formula: formula(holds, nodes)?, line })
}

fn slot(text: &str, locations: usize) -> Option<Slot> {
    if text == "*" {
        return Some(Slot::Any);
    }
    let mut places = Vec::new();
    for range in text.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        // In rising order, and such as the program has.
        let rises = places.last().is_none_or(|LocationId(before)| *before < first);
        if first > last || last as usize >= locations || !rises {
            return None;
        }
        places.extend((first..=last).map(LocationId));
    }
    Some(Slot::At(places))
}
