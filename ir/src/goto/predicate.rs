//! Predicates and cubes: the vocabulary of the abstraction.
//!
//! A predicate is an `i1` expression over shared memory and the local
//! variables of one thread function (SAPA section 2.1). A source variable in
//! it stands, at every program point, for the value that reaches it; an SSA
//! value stands for what it was last defined as.
//!
//! It may also read the local variables of *another* thread ([`Expression::Other`]). Then it holds of a
//! thread if it holds with each other one in which these variables are live; and if it reads no
//! locals of its own, it holds if it holds of every thread in which they are.

use serde::{Deserialize, Serialize};

use super::entity::{
    BlockId, FieldIndex, FunctionId, GlobalId, SlotId, StructId, ValueId, VariableId,
};
use super::instruction::{BinaryOp, CastOp, CompareOp, UnaryOp};
use super::types::Type;

/// A side-effect-free expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Expression {
    /// An integer constant.
    Int {
        /// How many bits the value has.
        bits: u16,
        /// The bits, zero-extended.
        value: u128,
    },
    /// The null pointer.
    Null,
    /// A source variable of a function.
    Variable {
        /// The function.
        function: FunctionId,
        /// Its variable.
        variable: VariableId,
    },
    /// An SSA value of a function, read as a local variable.
    Value {
        /// The function.
        function: FunctionId,
        /// Its value.
        value: ValueId,
    },
    /// Address of a global.
    Global(GlobalId),
    /// Address of a function.
    Function(FunctionId),
    /// Address of a stack object.
    Slot {
        /// The function.
        function: FunctionId,
        /// Its slot.
        slot: SlotId,
    },
    /// Reads memory.
    Load {
        /// Type of what is read.
        ty: Type,
        /// The address.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        address: Box<Expression>,
    },
    /// As [`Op::FieldAddress`](super::Op::FieldAddress).
    FieldAddress {
        /// Address of the structure.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        base: Box<Expression>,
        /// Its type.
        structure: StructId,
        /// The field.
        field: FieldIndex,
    },
    /// As [`Op::IndexAddress`](super::Op::IndexAddress).
    IndexAddress {
        /// Address of the first element.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        base: Box<Expression>,
        /// Element type.
        element: Type,
        /// Number of elements, of the pointer's width.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        index: Box<Expression>,
    },
    /// An operation on one operand.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// The operand.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        a: Box<Expression>,
    },
    /// An operation on two operands.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// Left operand.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        a: Box<Expression>,
        /// Right operand.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        b: Box<Expression>,
    },
    /// A comparison.
    Compare {
        /// The comparison.
        op: CompareOp,
        /// Left operand.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        a: Box<Expression>,
        /// Right operand.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        b: Box<Expression>,
    },
    /// A conversion.
    Cast {
        /// The conversion.
        op: CastOp,
        /// Type of the result.
        ty: Type,
        /// The operand.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        a: Box<Expression>,
    },
    /// `condition ? a : b`.
    Select {
        /// An `i1`.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        condition: Box<Expression>,
        /// If it is 1.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        a: Box<Expression>,
        /// If it is 0.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        b: Box<Expression>,
    },
    /// What another thread sees of it: its locals are the other thread's. It reads some, and does not
    /// stand within one of its kind.
    Other {
        /// The expression.
        #[serde(deserialize_with = "super::nesting::deserialize")]
        of: Box<Expression>,
    },
}

/// A predicate of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Predicate {
    /// The `i1` expression.
    pub expression: Expression,
    /// How the user or the refinement wrote it; for reports.
    pub text: String,
}

/// A predicate or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CubeLiteral {
    /// Index into [`Module::predicates`](super::Module::predicates).
    pub predicate: u32,
    /// Whether it is negated.
    pub negated: bool,
}

/// A conjunction of literals.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cube {
    /// The literals, sorted by predicate, each predicate at most once.
    pub literals: Vec<CubeLiteral>,
}

/// A fact: what holds whenever a thread that runs a function comes to a place of it, in every run
/// and any interleaving. It is read as a predicate is, and like one says nothing of where a value
/// was not defined yet, but in places where all ways have defined it.
///
/// It is about the code as it is: where a pass changes that, it is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Invariant {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// How many instructions of the block come before the place; block parameters are defined there.
    pub index: u32,
    /// The `i1` expression that is 1.
    pub expression: Expression,
    /// The pass that proved it.
    pub by: String,
}

impl Expression {
    /// Calls `f` with every sub-expression, this one included, parents first.
    pub fn for_each(&self, f: &mut impl FnMut(&Expression)) {
        f(self);
        match self {
            Self::Int { .. }
            | Self::Null
            | Self::Variable { .. }
            | Self::Value { .. }
            | Self::Global(_)
            | Self::Function(_)
            | Self::Slot { .. } => {}
            Self::Load { address: a, .. }
            | Self::FieldAddress { base: a, .. }
            | Self::Unary { a, .. }
            | Self::Cast { a, .. }
            | Self::Other { of: a } => a.for_each(f),
            Self::IndexAddress { base: a, index: b, .. }
            | Self::Binary { a, b, .. }
            | Self::Compare { a, b, .. } => {
                a.for_each(f);
                b.for_each(f);
            }
            Self::Select { condition, a, b } => {
                condition.for_each(f);
                a.for_each(f);
                b.for_each(f);
            }
        }
    }

    /// Calls `f` with every sub-expression, this one included, children first, to rewrite it.
    pub fn for_each_mut(&mut self, f: &mut impl FnMut(&mut Expression)) {
        match self {
            Self::Int { .. }
            | Self::Null
            | Self::Variable { .. }
            | Self::Value { .. }
            | Self::Global(_)
            | Self::Function(_)
            | Self::Slot { .. } => {}
            Self::Load { address: a, .. }
            | Self::FieldAddress { base: a, .. }
            | Self::Unary { a, .. }
            | Self::Cast { a, .. }
            | Self::Other { of: a } => a.for_each_mut(f),
            Self::IndexAddress { base: a, index: b, .. }
            | Self::Binary { a, b, .. }
            | Self::Compare { a, b, .. } => {
                a.for_each_mut(f);
                b.for_each_mut(f);
            }
            Self::Select { condition, a, b } => {
                condition.for_each_mut(f);
                a.for_each_mut(f);
                b.for_each_mut(f);
            }
        }
        f(self);
    }

    /// The function whose locals the expression reads of its own thread; `None` if it reads
    /// none of a function.
    #[must_use]
    pub fn function(&self) -> Option<FunctionId> {
        match self {
            Self::Variable { function, .. }
            | Self::Value { function, .. }
            | Self::Slot { function, .. } => Some(*function),
            Self::Other { .. }
            | Self::Int { .. }
            | Self::Null
            | Self::Global(_)
            | Self::Function(_) => None,
            Self::Load { address: a, .. }
            | Self::FieldAddress { base: a, .. }
            | Self::Unary { a, .. }
            | Self::Cast { a, .. } => a.function(),
            Self::IndexAddress { base: a, index: b, .. }
            | Self::Binary { a, b, .. }
            | Self::Compare { a, b, .. } => a.function().or_else(|| b.function()),
            Self::Select { condition, a, b } => {
                condition.function().or_else(|| a.function()).or_else(|| b.function())
            }
        }
    }

    /// The function whose locals the expression reads of another thread.
    #[must_use]
    pub fn other_function(&self) -> Option<FunctionId> {
        let mut found = None;
        self.for_each(&mut |e| {
            if let Self::Other { of } = e {
                found = found.or_else(|| of.function());
            }
        });
        found
    }

    /// Whether the expression reads anything of another thread.
    #[must_use]
    pub fn has_other(&self) -> bool {
        let mut found = false;
        self.for_each(&mut |e| found |= matches!(e, Self::Other { .. }));
        found
    }
}
