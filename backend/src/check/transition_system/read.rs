//! The text of thread transition systems.
//!
//! The first line that is no comment has the numbers of shared and of local states. Each further
//! line is a row: `s l -> s' l'` is a step, `s l +> s' l'` starts a thread in `l'`; behind it any
//! number of `p ~> p'`, moves of the others. `#` begins a comment; the comments `# initial: s|l …`
//! and `# target: s|l,l` say where the system begins and what must not be reached.

use sapa_limits::Limits;

use super::{Row, TransitionSystem, out_of_range};

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ReadError {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What.
    pub message: String,
}

/// More states than that are no input that could be checked.
const MOST_STATES: u32 = 1 << 24;

/// Reads a system.
///
/// # Errors
/// The first thing that is wrong; or that the run has to stop.
pub fn read(text: &[u8], limits: &Limits) -> Result<TransitionSystem, ReadError> {
    let mut system = TransitionSystem::default();
    let mut header = false;
    let mut comments: Vec<(u32, u32, String)> = Vec::new();
    let mut last = (1, 1);
    for (number, line) in (1_u32..).zip(text.split(|byte| *byte == b'\n')) {
        if number.is_multiple_of(1 << 10) && limits.is_exceeded() {
            return Err(ReadError { line: number, column: 1, message: "out of time".to_owned() });
        }
        let end = line.iter().position(|byte| *byte == b'#').unwrap_or(line.len());
        let (row, comment) = line.split_at(end);
        let said = comment.strip_prefix(b"#").unwrap_or_default().trim_ascii_start();
        if ["initial:", "target:"].iter().any(|word| said.starts_with(word.as_bytes())) {
            let text = String::from_utf8_lossy(said).into_owned();
            comments.push((number, end as u32 + 1, text));
        }
        let mut words = Words { line: number, text: row, at: 0 };
        last = (number, row.len() as u32 + 1);
        if words.is_over() {
            continue;
        }
        if header {
            system.rows.push(words.row(&system)?);
        } else {
            system.shared = words.count("shared")?;
            system.locals = words.count("local")?;
            words.end()?;
            header = true;
        }
    }
    if !header {
        let message = "expected the numbers of shared and of local states, found nothing";
        return Err(ReadError { line: last.0, column: last.1, message: message.to_owned() });
    }
    for (line, column, text) in comments {
        let wrong = |message| ReadError { line, column, message };
        if let Some(all) = text.strip_prefix("initial:") {
            for word in all.split_whitespace() {
                system.initial.push(system.configuration(word).map_err(wrong)?);
            }
        } else if let Some(target) = text.strip_prefix("target:") {
            if system.target.is_some() {
                return Err(wrong("a second '# target:'; give one of them by --target".to_owned()));
            }
            system.target = Some(system.target(target.trim()).map_err(wrong)?);
        }
    }
    Ok(system)
}

/// The words of a line: numbers and arrows.
struct Words<'t> {
    line: u32,
    text: &'t [u8],
    at: usize,
}

impl<'t> Words<'t> {
    fn skip_blanks(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blanks;
    }

    /// Whether there is no further word.
    fn is_over(&mut self) -> bool {
        self.skip_blanks();
        self.at >= self.text.len()
    }

    /// The next word: a number, an arrow, or one byte that is neither.
    fn peek(&mut self) -> &'t [u8] {
        self.skip_blanks();
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let arrow = rest.iter().position(|byte| *byte == b'>').filter(|at| *at <= 2);
        let length = match (digits, arrow) {
            (0, Some(at)) => at + 1,
            (0, None) => rest.len().min(1),
            (digits, _) => digits,
        };
        rest.get(..length).unwrap_or(&[])
    }

    fn wrong<T>(&mut self, expected: &str) -> Result<T, ReadError> {
        let word = self.peek();
        let found = match word {
            [] => "the end of the line".to_owned(),
            word => {
                let word = String::from_utf8_lossy(word);
                match word.char_indices().nth(20) {
                    Some((end, _)) => format!("'{}…'", &word[..end]),
                    None => format!("'{word}'"),
                }
            }
        };
        self.error(format!("expected {expected}, found {found}"))
    }

    fn error<T>(&self, message: String) -> Result<T, ReadError> {
        let column = u32::try_from(self.at).unwrap_or(u32::MAX).saturating_add(1);
        Err(ReadError { line: self.line, column, message })
    }

    fn number(&mut self, expected: &str) -> Result<u32, ReadError> {
        let word = self.peek();
        let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        match number {
            Some(number) => Ok(number),
            None if word.iter().all(u8::is_ascii_digit) && !word.is_empty() => {
                self.wrong(&format!("{expected}, at most {MOST_STATES}"))
            }
            None => self.wrong(expected),
        }
    }

    fn take(&mut self) {
        self.at += self.peek().len();
    }

    /// The number of states of a kind.
    fn count(&mut self, kind: &str) -> Result<u32, ReadError> {
        let count = self.number(&format!("the number of {kind} states"))?;
        if count > MOST_STATES {
            return self.error(format!("more than {MOST_STATES} {kind} states"));
        }
        self.take();
        Ok(count)
    }

    /// A state of a kind.
    fn state(&mut self, kind: &str, count: u32) -> Result<u32, ReadError> {
        let state = self.number(&format!("a {kind} state"))?;
        if state >= count {
            return self.error(out_of_range(kind, state, count));
        }
        self.take();
        Ok(state)
    }

    fn row(&mut self, system: &TransitionSystem) -> Result<Row, ReadError> {
        let from = (self.state("shared", system.shared)?, self.state("local", system.locals)?);
        let starts = match self.peek() {
            b"->" => false,
            b"+>" => true,
            _ => return self.wrong("'->' or '+>'"),
        };
        self.take();
        let to = (self.state("shared", system.shared)?, self.state("local", system.locals)?);
        let mut passive = Vec::new();
        while !self.is_over() {
            let before = self.state("local", system.locals)?;
            if self.peek() != b"~>" {
                return self.wrong("'~>'");
            }
            self.take();
            passive.push((before, self.state("local", system.locals)?));
        }
        Ok(Row { from, starts, to, passive, line: self.line })
    }

    fn end(&mut self) -> Result<(), ReadError> {
        if self.is_over() { Ok(()) } else { self.wrong("the end of the line") }
    }
}
