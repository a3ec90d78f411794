//! Ireps: the trees that everything in a goto binary is made of.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// A node of [`Ireps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Irep(pub(super) u32);

/// A string of [`Ireps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(pub(super) u32);

/// One node.
#[derive(Clone, Debug)]
struct Node {
    id: Text,
    /// Indices into `operands`.
    operands: Range<u32>,
    /// Indices into `named`.
    named: Range<u32>,
}

/// All ireps and strings of a binary.
#[derive(Clone, Debug, Default)]
pub struct Ireps {
    strings: Vec<Box<str>>,
    /// The bytes of strings that are not UTF-8.
    raw: FxHashMap<Text, Box<[u8]>>,
    nodes: Vec<Node>,
    operands: Vec<Irep>,
    named: Vec<(Text, Irep)>,
}

impl Ireps {
    pub(super) fn add_string(&mut self, bytes: &[u8]) -> Text {
        let id = Text(u32::try_from(self.strings.len()).unwrap_or(u32::MAX));
        let text = String::from_utf8_lossy(bytes);
        if text.len() != bytes.len() || text.as_bytes() != bytes {
            self.raw.insert(id, bytes.into());
        }
        self.strings.push(text.into());
        id
    }

    pub(super) fn add_node(&mut self, id: Text, operands: &[Irep], named: &[(Text, Irep)]) -> Irep {
        let irep = Irep(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let length = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (first, first_named) = (length(self.operands.len()), length(self.named.len()));
        self.operands.extend(operands);
        self.named.extend(named);
        self.nodes.push(Node {
            id,
            operands: first..length(self.operands.len()),
            named: first_named..length(self.named.len()),
        });
        irep
    }

    /// A string's text.
    #[must_use]
    pub fn text(&self, text: Text) -> &str {
        self.strings.get(text.0 as usize).map_or("", |text| text)
    }

    fn node(&self, irep: Irep) -> Option<&Node> {
        self.nodes.get(irep.0 as usize)
    }

    /// The id of a node.
    #[must_use]
    pub fn id(&self, irep: Irep) -> &str {
        self.node(irep).map_or("", |node| self.text(node.id))
    }

    /// The id of a node as a string of the table.
    #[must_use]
    pub fn id_text(&self, irep: Irep) -> Text {
        self.node(irep).map_or(Text(0), |node| node.id)
    }

    /// The operands of a node, in order.
    #[must_use]
    pub fn operands(&self, irep: Irep) -> &[Irep] {
        self.node(irep)
            .and_then(|node| {
                self.operands.get(node.operands.start as usize..node.operands.end as usize)
            })
            .unwrap_or(&[])
    }

    /// The operand at an index.
    #[must_use]
    pub fn operand(&self, irep: Irep, index: usize) -> Option<Irep> {
        self.operands(irep).get(index).copied()
    }

    /// The operands of a node by name.
    #[must_use]
    pub fn named(&self, irep: Irep) -> &[(Text, Irep)] {
        self.node(irep)
            .and_then(|node| self.named.get(node.named.start as usize..node.named.end as usize))
            .unwrap_or(&[])
    }

    /// The operand of a name.
    #[must_use]
    pub fn get(&self, irep: Irep, name: &str) -> Option<Irep> {
        self.named(irep).iter().find(|(key, _)| self.text(*key) == name).map(|(_, value)| *value)
    }

    /// The text of the operand of a name; empty if there is none.
    #[must_use]
    pub fn value(&self, irep: Irep, name: &str) -> &str {
        self.get(irep, name).map_or("", |value| self.id(value))
    }

    /// A string's bytes.
    #[must_use]
    pub fn text_bytes(&self, text: Text) -> &[u8] {
        match self.raw.get(&text) {
            Some(bytes) => bytes,
            None => self.text(text).as_bytes(),
        }
    }

    /// Another string of the table.
    pub fn add_text(&mut self, text: &str) -> Text {
        self.add_string(text.as_bytes())
    }

    /// Another node of the table.
    pub fn add(&mut self, id: Text, operands: &[Irep], named: &[(Text, Irep)]) -> Irep {
        self.add_node(id, operands, named)
    }

    /// The bytes of the operand of a name; empty if there is none.
    #[must_use]
    pub fn bytes(&self, irep: Irep, name: &str) -> &[u8] {
        self.get(irep, name).map_or(&[], |value| self.text_bytes(self.id_text(value)))
    }

    /// The text of the operand of a name as a number.
    #[must_use]
    pub fn number<T: std::str::FromStr>(&self, irep: Irep, name: &str) -> Option<T> {
        self.value(irep, name).parse().ok()
    }

    /// Whether the operand of a name is the Boolean true.
    #[must_use]
    pub fn flag(&self, irep: Irep, name: &str) -> bool {
        self.value(irep, name) == "1"
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
