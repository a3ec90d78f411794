//! Words, strings and ireps from bytes.

use rustc_hash::FxHashMap;

use super::error::ReadError;
use super::irep::{Irep, Ireps, Text};

/// Reads from the bytes of a binary.
pub(super) struct Stream<'b> {
    file: &'b str,
    bytes: &'b [u8],
    position: usize,
    /// Offset of the bytes in the file.
    base: usize,
    pub ireps: Ireps,
    /// The file's numbers of strings and ireps.
    strings: FxHashMap<u64, Text>,
    known: FxHashMap<u64, Irep>,
}

/// A node whose parts are being read.
struct Open {
    number: u64,
    id: Text,
    /// Where its parts start on the stacks.
    operands: usize,
    named: usize,
    /// The name that the next irep belongs to.
    name: Option<Text>,
    stage: u8,
}

impl<'b> Stream<'b> {
    pub fn new(file: &'b str, bytes: &'b [u8], base: usize) -> Self {
        Self {
            file,
            bytes,
            position: 0,
            base,
            ireps: Ireps::default(),
            strings: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    pub fn is_at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    pub fn fail<T>(&self, message: impl Into<String>) -> Result<T, ReadError> {
        self.fail_at(self.position, message)
    }

    pub fn fail_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ReadError> {
        let (file, message) = (self.file.to_owned(), message.into());
        Err(ReadError::Content { file, offset: self.base + at, message })
    }

    pub fn byte(&mut self, expected: &'static str) -> Result<u8, ReadError> {
        match self.bytes.get(self.position) {
            Some(byte) => {
                self.position += 1;
                Ok(*byte)
            }
            None => {
                let offset = self.base + self.position;
                Err(ReadError::End { file: self.file.to_owned(), offset, expected })
            }
        }
    }

    /// An unsigned LEB128 number.
    pub fn word(&mut self, expected: &'static str) -> Result<u64, ReadError> {
        let start = self.position;
        let mut value = 0u64;
        let mut shift = 0;
        loop {
            let byte = self.byte(expected)?;
            let bits = u64::from(byte & 0x7f);
            if shift >= 64 || (shift > 57 && bits >> (64 - shift) != 0) {
                return self.fail_at(start, format!("{expected}: the number is too large"));
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            shift += 7;
        }
    }

    /// A number of things, each of which takes at least `each` bytes.
    pub fn count(&mut self, expected: &'static str, each: usize) -> Result<usize, ReadError> {
        let start = self.position;
        let count = self.word(expected)?;
        let left = (self.bytes.len() - self.position) / each;
        match usize::try_from(count) {
            Ok(count) if count <= left => Ok(count),
            _ => self.fail_at(start, format!("{expected} is {count}, which the file cannot hold")),
        }
    }

    /// Bytes up to a zero; a backslash makes the next byte literal.
    pub fn string(&mut self) -> Result<Vec<u8>, ReadError> {
        let rest = self.bytes.get(self.position..).unwrap_or(&[]);
        let mut bytes = Vec::new();
        let mut at = 0;
        while let Some(stop) =
            rest.get(at..).and_then(|r| r.iter().position(|b| *b == 0 || *b == b'\\'))
        {
            bytes.extend_from_slice(rest.get(at..at + stop).unwrap_or(&[]));
            at += stop;
            if rest.get(at) == Some(&0) {
                self.position += at + 1;
                return Ok(bytes);
            }
            match rest.get(at + 1) {
                Some(byte) => bytes.push(*byte),
                None => break,
            }
            at += 2;
        }
        self.position = self.bytes.len();
        self.byte("the end of a string").map(|_| bytes)
    }

    /// A reference to a string, with its text where it is the first.
    pub fn text(&mut self) -> Result<Text, ReadError> {
        let number = self.word("the number of a string")?;
        if let Some(text) = self.strings.get(&number) {
            return Ok(*text);
        }
        let string = self.string()?;
        let text = self.ireps.add_string(&string);
        self.strings.insert(number, text);
        Ok(text)
    }

    /// A reference to an irep, with its parts where it is the first. Trees may
    /// be deep, so the open nodes are on a stack of their own.
    pub fn irep(&mut self) -> Result<Irep, ReadError> {
        let mut open: Vec<Open> = Vec::new();
        let mut operands: Vec<Irep> = Vec::new();
        let mut named: Vec<(Text, Irep)> = Vec::new();
        let mut done: Option<Irep>;
        loop {
            let start = self.position;
            let number = self.word("the number of an irep")?;
            match self.known.get(&number) {
                Some(irep) => done = Some(*irep),
                None => {
                    if open.iter().rev().take(64).any(|o| o.number == number) {
                        return self.fail_at(start, format!("irep {number} is part of itself"));
                    }
                    let id = self.text()?;
                    let (operands, named) = (operands.len(), named.len());
                    open.push(Open { number, id, operands, named, name: None, stage: 0 });
                    done = None;
                }
            }
            // What is complete goes to the node that it is a part of.
            loop {
                let Some(node) = open.last_mut() else {
                    return match done {
                        Some(irep) => Ok(irep),
                        None => self.fail("an irep is missing"),
                    };
                };
                if let Some(irep) = done.take() {
                    match node.name.take() {
                        Some(name) => named.push((name, irep)),
                        None => operands.push(irep),
                    }
                }
                let stage = node.stage;
                let at = self.position;
                let tag = self.byte("a part of an irep")?;
                let Some(node) = open.last_mut() else { return self.fail("an irep is missing") };
                match tag {
                    b'S' if stage == 0 => break,
                    b'N' | b'C' if tag == b'C' || stage <= 1 => {
                        node.stage = if tag == b'C' { 2 } else { 1 };
                        let name = self.text()?;
                        if let Some(node) = open.last_mut() {
                            node.name = Some(name);
                        }
                        break;
                    }
                    0 => {
                        let Some(node) = open.pop() else { return self.fail("an irep is missing") };
                        let irep = self.ireps.add_node(
                            node.id,
                            operands.get(node.operands..).unwrap_or(&[]),
                            named.get(node.named..).unwrap_or(&[]),
                        );
                        operands.truncate(node.operands);
                        named.truncate(node.named);
                        if self.known.insert(node.number, irep).is_some() {
                            return self.fail_at(at, format!("irep {} is read twice", node.number));
                        }
                        done = Some(irep);
                    }
                    _ => {
                        let number = node.number;
                        return self.fail_at(
                            at,
                            format!("irep {number} is not terminated: byte {tag:#04x} instead of 'S', 'N', 'C' or 0"),
                        );
                    }
                }
            }
        }
    }
}
