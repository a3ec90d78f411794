//! Writing goto binaries: for tests and benchmarks of the reader.

use rustc_hash::FxHashMap;

use super::container::MAGIC;
use super::irep::{Irep, Ireps, Text};
use super::read::{Binary, InstructionKind};

/// The bytes of a binary, in its version of the format. Reading them gives an
/// equal binary, but for numbers that mean nothing and for labels, which
/// reading drops.
#[must_use]
pub fn write(binary: &Binary) -> Vec<u8> {
    let mut writer = Writer {
        ireps: &binary.ireps,
        bytes: MAGIC.to_vec(),
        strings: FxHashMap::default(),
        nodes: FxHashMap::default(),
    };
    let empty = None;
    writer.word(binary.version);
    writer.word(binary.symbols.len() as u64);
    for symbol in &binary.symbols {
        writer.irep(symbol.ty);
        writer.irep(symbol.value);
        writer.irep(symbol.location);
        writer.text(Some(symbol.name));
        writer.text(empty);
        writer.text(Some(symbol.base_name));
        writer.text(empty);
        writer.text(empty);
        writer.word(0);
        writer.word(symbol.flags);
    }
    writer.word(binary.functions.len() as u64);
    for function in &binary.functions {
        writer.string(function.name.as_bytes());
        writer.word(function.instructions.len() as u64);
        let mut targets: Vec<usize> =
            function.instructions.iter().flat_map(|i| i.targets.iter().copied()).collect();
        targets.sort_unstable();
        targets.dedup();
        for (index, instruction) in function.instructions.iter().enumerate() {
            writer.irep(instruction.code);
            writer.irep(instruction.location);
            writer.word(number(instruction.kind));
            writer.irep(instruction.guard);
            match targets.binary_search(&index) {
                Ok(target) => writer.word(target as u64 + 1),
                Err(_) => writer.word(u64::from(u32::MAX)),
            }
            writer.word(instruction.targets.len() as u64);
            for target in &instruction.targets {
                let place = targets.binary_search(target).unwrap_or(0);
                writer.word(place as u64 + 1);
            }
            writer.word(0);
        }
    }
    writer.bytes
}

fn number(kind: InstructionKind) -> u64 {
    (1..=18).find(|number| InstructionKind::of(*number) == Some(kind)).unwrap_or(5)
}

struct Writer<'b> {
    ireps: &'b Ireps,
    bytes: Vec<u8>,
    /// Strings and nodes that were written. The empty string has number 0.
    strings: FxHashMap<Text, u64>,
    nodes: FxHashMap<Irep, u64>,
}

/// What is left to write.
enum Step {
    Node(Irep),
    Byte(u8),
    Name(Text),
}

impl Writer<'_> {
    fn word(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn string(&mut self, text: &[u8]) {
        for &byte in text {
            if byte == 0 || byte == b'\\' {
                self.bytes.push(b'\\');
            }
            self.bytes.push(byte);
        }
        self.bytes.push(0);
    }

    fn text(&mut self, text: Option<Text>) {
        let Some(text) = text else {
            // A string of its own, which is empty.
            let number = u64::from(u32::MAX) + 1 + self.bytes.len() as u64;
            self.word(number);
            return self.bytes.push(0);
        };
        match self.strings.get(&text) {
            Some(number) => {
                let number = *number;
                self.word(number);
            }
            None => {
                let number = self.strings.len() as u64;
                self.strings.insert(text, number);
                self.word(number);
                let bytes = self.ireps.text_bytes(text).to_vec();
                self.string(&bytes);
            }
        }
    }

    /// A node with what it is made of; trees may be deep.
    fn irep(&mut self, irep: Irep) {
        let mut left = vec![Step::Node(irep)];
        while let Some(step) = left.pop() {
            match step {
                Step::Byte(byte) => self.bytes.push(byte),
                Step::Name(name) => self.text(Some(name)),
                Step::Node(irep) => {
                    if let Some(number) = self.nodes.get(&irep) {
                        let number = *number;
                        self.word(number);
                        continue;
                    }
                    let number = self.nodes.len() as u64;
                    self.nodes.insert(irep, number);
                    self.word(number);
                    self.text(Some(self.ireps.id_text(irep)));
                    left.push(Step::Byte(0));
                    for (name, value) in self.ireps.named(irep).iter().rev() {
                        left.extend([Step::Node(*value), Step::Name(*name), Step::Byte(b'N')]);
                    }
                    for operand in self.ireps.operands(irep).iter().rev() {
                        left.extend([Step::Node(*operand), Step::Byte(b'S')]);
                    }
                }
            }
        }
    }
}
