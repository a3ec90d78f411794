//! Options of passes: declared with a type and a default, given in pipelines.

use std::fmt;

/// The type and default of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A number from 0.
    Number(u64),
    /// `true` or `false`; the name alone means `true`.
    Switch(bool),
    /// One of several words, the first of which is the default.
    Word(&'static [&'static str]),
}

/// An option of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Name in pipelines.
    pub name: &'static str,
    /// Type and default.
    pub kind: OptionKind,
    /// One line about it.
    pub summary: &'static str,
}

/// What an option is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// Of an [`OptionKind::Number`].
    Number(u64),
    /// Of an [`OptionKind::Switch`].
    Switch(bool),
    /// Of an [`OptionKind::Word`].
    Word(&'static str),
}

impl OptionKind {
    /// The value if nothing is given.
    #[must_use]
    pub fn default_value(self) -> OptionValue {
        match self {
            Self::Number(value) => OptionValue::Number(value),
            Self::Switch(value) => OptionValue::Switch(value),
            Self::Word(words) => OptionValue::Word(words.first().copied().unwrap_or("")),
        }
    }

    /// Reads a value; `None` stands for a name without `=`.
    pub(crate) fn read(self, text: Option<&str>) -> Option<OptionValue> {
        match (self, text) {
            (Self::Number(_), Some(text)) => text.parse().ok().map(OptionValue::Number),
            (Self::Switch(_), None | Some("true")) => Some(OptionValue::Switch(true)),
            (Self::Switch(_), Some("false")) => Some(OptionValue::Switch(false)),
            (Self::Word(words), Some(text)) => {
                words.iter().find(|word| **word == text).map(|word| OptionValue::Word(word))
            }
            _ => None,
        }
    }

    /// What a value looks like, for messages.
    pub(crate) fn describe(self) -> String {
        match self {
            Self::Number(_) => "a number".to_owned(),
            Self::Switch(_) => "true or false".to_owned(),
            Self::Word(words) => words.join(" or "),
        }
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => value.fmt(f),
            Self::Switch(value) => value.fmt(f),
            Self::Word(value) => value.fmt(f),
        }
    }
}

/// The options of one run of a pass: a value for each that the pass declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    specs: &'static [OptionSpec],
    values: Vec<OptionValue>,
}

impl Options {
    /// All options at their defaults.
    #[must_use]
    pub fn defaults(specs: &'static [OptionSpec]) -> Self {
        Self { specs, values: specs.iter().map(|spec| spec.kind.default_value()).collect() }
    }

    /// The declarations and what they are set to.
    pub fn iter(&self) -> impl Iterator<Item = (&'static OptionSpec, OptionValue)> {
        self.specs.iter().zip(self.values.iter().copied())
    }

    pub(crate) fn set(&mut self, index: usize, value: OptionValue) {
        if let Some(entry) = self.values.get_mut(index) {
            *entry = value;
        }
    }

    /// Sets the switch of a name, if the pass declares it.
    pub fn set_switch(&mut self, name: &str, value: bool) {
        if let Some(index) = self.specs.iter().position(|spec| spec.name == name) {
            self.set(index, OptionValue::Switch(value));
        }
    }

    fn get(&self, name: &str) -> OptionValue {
        match self.iter().find(|(spec, _)| spec.name == name) {
            Some((_, value)) => value,
            None => panic!("the pass declares no option '{name}'"),
        }
    }

    /// The value of a number.
    ///
    /// # Panics
    /// If the pass declares no number of that name.
    #[must_use]
    pub fn number(&self, name: &str) -> u64 {
        match self.get(name) {
            OptionValue::Number(value) => value,
            _ => panic!("option '{name}' is no number"),
        }
    }

    /// The value of a switch.
    ///
    /// # Panics
    /// If the pass declares no switch of that name.
    #[must_use]
    pub fn switch(&self, name: &str) -> bool {
        match self.get(name) {
            OptionValue::Switch(value) => value,
            _ => panic!("option '{name}' is no switch"),
        }
    }

    /// The value of a word.
    ///
    /// # Panics
    /// If the pass declares no word of that name.
    #[must_use]
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            OptionValue::Word(value) => value,
            _ => panic!("option '{name}' is no word"),
        }
    }
}
