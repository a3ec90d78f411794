//! Parts of a text, how tightly they bind, and what C takes them for.

use crate::goto::module::Module;

/// Precedences of C.
pub(super) const CONDITIONAL: u8 = 1;
pub(super) const OR: u8 = 2;
pub(super) const AND: u8 = 3;
pub(super) const BIT_OR: u8 = 4;
pub(super) const BIT_XOR: u8 = 5;
pub(super) const BIT_AND: u8 = 6;
pub(super) const EQUALITY: u8 = 7;
pub(super) const RELATION: u8 = 8;
pub(super) const SHIFT: u8 = 9;
pub(super) const SUM: u8 = 10;
pub(super) const PRODUCT: u8 = 11;
pub(super) const PREFIX: u8 = 12;
pub(super) const POSTFIX: u8 = 13;

/// A part of the text, and how C reads it.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) precedence: u8,
    pub(super) read: Read,
}

/// What the reader takes a text for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Read {
    /// A comparison or logical operation: an `int`, but of one bit as long as nothing computes
    /// with it.
    Truth,
    /// An integer; `promotes` says that C makes an `int` of it before it computes.
    Int { bits: u16, signed: bool, promotes: bool },
    /// A pointer, or an integer where the expression is none that the verifier accepts.
    Pointer,
}

impl Read {
    pub(super) fn signed(self) -> bool {
        matches!(self, Self::Int { signed: true, .. })
    }

    pub(super) fn bits(self, module: &Module) -> u16 {
        match self {
            Self::Truth => 1,
            Self::Int { bits, .. } => bits,
            Self::Pointer => module.target.pointer_bits,
        }
    }
}

impl Text {
    pub(super) fn new(text: String, precedence: u8, read: Read) -> Self {
        Self { text, precedence, read }
    }

    /// The text where only what binds as tightly may stand.
    pub(super) fn within(self, precedence: u8) -> String {
        if self.precedence < precedence { format!("({})", self.text) } else { self.text }
    }

    /// The text as an operand of a binary operator.
    pub(super) fn beneath(self, operator: u8, is_right: bool) -> String {
        // What readers of C confuse gets parentheses that it would not need.
        let is_confusing = |level| matches!(level, OR | BIT_OR | BIT_XOR | BIT_AND | SHIFT);
        let is_mixed = self.precedence != operator && self.precedence < PREFIX;
        let is_mixed = is_mixed && (is_confusing(operator) || is_confusing(self.precedence));
        match is_mixed {
            true => format!("({})", self.text),
            false => self.within(operator + u8::from(is_right)),
        }
    }
}
