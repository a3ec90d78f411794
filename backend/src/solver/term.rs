//! Hash-consed terms over Booleans and bit-vectors.
//!
//! A [`TermStore`] owns all terms; a [`TermId`] is an index into it. Equal
//! terms have equal ids, and the constructors (in `boolean.rs`,
//! `comparison.rs`, `arithmetic.rs` and `bitwise.rs`) bring terms into a
//! normal form first, so that many equivalent terms have equal ids too. A
//! term's operands always have smaller ids than the term itself.

use std::fmt;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::semantics::{MAX_WIDTH, truncate};
use crate::index::small_index;

/// A term of a [`TermStore`]; meaningless for any other store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub(super) u32);

impl TermId {
    /// The position of the term in its store, for dense side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for TermId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// The name of a variable, interned in a [`TermStore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(u32);

/// The sort of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// A truth value.
    Bool,
    /// A bit-vector of 1 to 128 bits.
    Bv(u32),
}

impl Sort {
    /// The number of bits; 1 for a Boolean.
    pub fn width(self) -> u32 {
        match self {
            Sort::Bool => 1,
            Sort::Bv(width) => width,
        }
    }
}

/// The binary bit-vector operators whose result has the operands' width.
/// Their meaning is in [`semantics`](super::semantics). Subtraction is addition
/// of the negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// Addition.
    Add,
    /// Multiplication.
    Mul,
    /// Unsigned division.
    Udiv,
    /// Unsigned remainder.
    Urem,
    /// Signed division.
    Sdiv,
    /// Signed remainder.
    Srem,
    /// Left shift.
    Shl,
    /// Logical right shift.
    Lshr,
    /// Arithmetic right shift.
    Ashr,
    /// Bitwise conjunction.
    And,
    /// Bitwise disjunction.
    Or,
    /// Bitwise exclusive disjunction.
    Xor,
}

impl BinaryOp {
    /// Whether the operands can be exchanged.
    pub fn is_commutative(self) -> bool {
        use BinaryOp::{Add, And, Mul, Or, Xor};
        matches!(self, Add | Mul | And | Or | Xor)
    }
}

/// The signed operations whose overflow can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OverflowOp {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
}

/// The top of a term. Disjunction, implication, exclusive or, `<=` and
/// subtraction do not occur: the constructors express them by these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Truth.
    True,
    /// Falsity.
    False,
    /// A bit-vector constant; bits above `width` are zero.
    Const {
        /// Number of bits.
        width: u32,
        /// The value.
        value: u128,
    },
    /// A free variable.
    Variable {
        /// Its name.
        symbol: SymbolId,
        /// Its sort; one name at two sorts is two variables.
        sort: Sort,
    },
    /// Boolean negation.
    Not(TermId),
    /// Boolean conjunction.
    And(TermId, TermId),
    /// Boolean equivalence.
    Iff(TermId, TermId),
    /// Choice by a Boolean between two terms of one sort.
    Ite(TermId, TermId, TermId),
    /// Equality of bit-vectors.
    Eq(TermId, TermId),
    /// Unsigned less-than.
    Ult(TermId, TermId),
    /// Signed less-than.
    Slt(TermId, TermId),
    /// Whether the signed operation overflows.
    Overflow(OverflowOp, TermId, TermId),
    /// Bitwise complement.
    BvNot(TermId),
    /// Two's complement negation.
    Neg(TermId),
    /// A binary operator.
    Binary(BinaryOp, TermId, TermId),
    /// Concatenation; the first operand holds the high bits.
    Concat(TermId, TermId),
    /// The bits `low..=high`.
    Extract {
        /// The term cut from.
        arg: TermId,
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
    },
    /// Zero extension to `width` bits.
    ZeroExtend {
        /// The term extended.
        arg: TermId,
        /// The width of the result.
        width: u32,
    },
    /// Sign extension to `width` bits.
    SignExtend {
        /// The term extended.
        arg: TermId,
        /// The width of the result.
        width: u32,
    },
}

impl Node {
    /// The operands, from left to right.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = TermId> {
        let list: [Option<TermId>; 3] = match self {
            Node::True | Node::False | Node::Const { .. } | Node::Variable { .. } => [None; 3],
            Node::Not(a) | Node::BvNot(a) | Node::Neg(a) => [Some(a), None, None],
            Node::Extract { arg, .. }
            | Node::ZeroExtend { arg, .. }
            | Node::SignExtend { arg, .. } => [Some(arg), None, None],
            Node::And(a, b)
            | Node::Iff(a, b)
            | Node::Eq(a, b)
            | Node::Ult(a, b)
            | Node::Slt(a, b)
            | Node::Overflow(_, a, b)
            | Node::Binary(_, a, b)
            | Node::Concat(a, b) => [Some(a), Some(b), None],
            Node::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        list.into_iter().flatten()
    }
}

/// Owner of all terms, see the [module documentation](self).
#[derive(Clone, Debug)]
pub struct TermStore {
    /// Tops of terms with their sorts; indexed by [`TermId`].
    nodes: IndexMap<Node, Sort, FxBuildHasher>,
    /// Names of variables; indexed by [`SymbolId`].
    symbols: IndexSet<String, FxBuildHasher>,
    fresh_names: u64,
    pub(super) replaced: u64,
}

impl Default for TermStore {
    fn default() -> Self {
        Self::new()
    }
}

impl TermStore {
    /// A store that holds just truth and falsity.
    pub fn new() -> Self {
        let mut store = TermStore {
            nodes: IndexMap::default(),
            symbols: IndexSet::default(),
            fresh_names: 0,
            replaced: 0,
        };
        store.intern(Node::True, Sort::Bool);
        store.intern(Node::False, Sort::Bool);
        store
    }

    /// The number of terms; ids are below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: truth and falsity always exist.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many sub-terms replacements of variables have looked at so far: their work, whatever
    /// the clock says.
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// The term that comes next: all terms there are now are older, see
    /// [`replace_variables`](Self::replace_variables).
    pub(crate) fn next(&self) -> TermId {
        TermId(small_index(self.nodes.len()))
    }

    /// The top of a term.
    ///
    /// # Panics
    /// If the term is of another, larger store.
    pub fn node(&self, term: TermId) -> Node {
        let (&node, _) = self.nodes.get_index(term.index()).expect("a term of this store");
        node
    }

    /// The sort of a term.
    ///
    /// # Panics
    /// If the term is of another, larger store.
    pub fn sort(&self, term: TermId) -> Sort {
        self.nodes[term.index()]
    }

    /// The number of bits of a term; 1 for a Boolean.
    pub fn width(&self, term: TermId) -> u32 {
        self.sort(term).width()
    }

    /// Whether the term is a Boolean.
    pub fn is_bool(&self, term: TermId) -> bool {
        self.sort(term) == Sort::Bool
    }

    /// The term `true`.
    pub fn true_(&self) -> TermId {
        TermId(0)
    }

    /// The term `false`.
    pub fn false_(&self) -> TermId {
        TermId(1)
    }

    /// The term of a truth value.
    pub fn boolean(&self, value: bool) -> TermId {
        if value { self.true_() } else { self.false_() }
    }

    /// The truth value of `true` or `false`, `None` for other terms.
    pub fn as_boolean(&self, term: TermId) -> Option<bool> {
        match self.node(term) {
            Node::True => Some(true),
            Node::False => Some(false),
            _ => None,
        }
    }

    /// A bit-vector constant: the low `width` bits of `value`.
    ///
    /// # Panics
    /// If `width` is not in `1..=128`.
    pub fn constant(&mut self, width: u32, value: u128) -> TermId {
        check_width(width);
        let value = truncate(value, width);
        self.intern(Node::Const { width, value }, Sort::Bv(width))
    }

    /// The value of a bit-vector constant, `None` for other terms.
    pub fn as_constant(&self, term: TermId) -> Option<u128> {
        match self.node(term) {
            Node::Const { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Whether the term is a truth value or a constant.
    pub fn is_literal_value(&self, term: TermId) -> bool {
        matches!(self.node(term), Node::True | Node::False | Node::Const { .. })
    }

    /// The variable of that name and sort. The same name gives the same
    /// variable; the same name at another sort is another variable.
    ///
    /// # Panics
    /// If the sort is a bit-vector whose width is not in `1..=128`.
    pub fn variable(&mut self, name: &str, sort: Sort) -> TermId {
        check_width(sort.width());
        let symbol = self.symbol(name);
        self.intern(Node::Variable { symbol, sort }, sort)
    }

    /// A variable that did not exist before. Its name is `name` followed by `!`
    /// and a number, which no C identifier can be.
    ///
    /// # Panics
    /// If the sort is a bit-vector whose width is not in `1..=128`.
    pub fn fresh(&mut self, sort: Sort, name: &str) -> TermId {
        loop {
            let candidate = format!("{name}!{}", self.fresh_names);
            self.fresh_names += 1;
            if !self.symbols.contains(&candidate) {
                return self.variable(&candidate, sort);
            }
        }
    }

    /// The name of a variable, `None` for other terms.
    #[cfg(test)]
    pub(super) fn variable_name(&self, term: TermId) -> Option<&str> {
        let Node::Variable { symbol: wanted, .. } = self.node(term) else { return None };
        self.symbols.get_index(wanted.0 as usize).map(String::as_str)
    }

    fn symbol(&mut self, name: &str) -> SymbolId {
        let known = self.symbols.get_index_of(name);
        let position = known.unwrap_or_else(|| self.symbols.insert_full(name.to_owned()).0);
        SymbolId(small_index(position))
    }

    /// The term with exactly this top. Only the constructors call this, after
    /// they normalised.
    pub(super) fn intern(&mut self, node: Node, sort: Sort) -> TermId {
        let entry = self.nodes.entry(node);
        let id = TermId(small_index(entry.index()));
        entry.or_insert(sort);
        id
    }

    /// The same operator on other operands of the same sorts, through the
    /// constructors and thus normalised.
    ///
    /// # Panics
    /// If the number of operands or their sorts do not fit.
    pub fn rebuild(&mut self, term: TermId, operands: &[TermId]) -> TermId {
        match (self.node(term), operands) {
            (Node::True | Node::False | Node::Const { .. } | Node::Variable { .. }, []) => term,
            (Node::Not(_), &[a]) => self.not(a),
            (Node::And(..), &[a, b]) => self.and(a, b),
            (Node::Iff(..), &[a, b]) => self.iff(a, b),
            (Node::Ite(..), &[c, a, b]) => self.ite(c, a, b),
            (Node::Eq(..), &[a, b]) => self.eq(a, b),
            (Node::Ult(..), &[a, b]) => self.ult(a, b),
            (Node::Slt(..), &[a, b]) => self.slt(a, b),
            (Node::Overflow(op, ..), &[a, b]) => self.overflow(op, a, b),
            (Node::BvNot(_), &[a]) => self.bvnot(a),
            (Node::Neg(_), &[a]) => self.neg(a),
            (Node::Binary(op, ..), &[a, b]) => self.binary(op, a, b),
            (Node::Concat(..), &[a, b]) => self.concat(a, b),
            (Node::Extract { high, low, .. }, &[a]) => self.extract(a, high, low),
            (Node::ZeroExtend { width, .. }, &[a]) => self.zext(a, width),
            (Node::SignExtend { width, .. }, &[a]) => self.sext(a, width),
            (node, _) => panic!("{node:?} does not take {} operands", operands.len()),
        }
    }

    /// The width of a bit-vector.
    ///
    /// # Panics
    /// If the term is a Boolean.
    pub(super) fn bv_width(&self, term: TermId) -> u32 {
        match self.sort(term) {
            Sort::Bv(width) => width,
            Sort::Bool => panic!("{term:?} is a Boolean where a bit-vector is needed"),
        }
    }

    /// The common width of two bit-vectors.
    ///
    /// # Panics
    /// If one is a Boolean or their widths differ.
    pub(super) fn same_width(&self, a: TermId, b: TermId) -> u32 {
        let (wa, wb) = (self.bv_width(a), self.bv_width(b));
        assert_eq!(wa, wb, "operands {a:?} and {b:?} differ in width");
        wa
    }

    /// Checks that a term is a Boolean.
    ///
    /// # Panics
    /// If it is not.
    pub(super) fn need_bool(&self, term: TermId) {
        assert!(self.is_bool(term), "{term:?} is a bit-vector where a Boolean is needed");
    }
}

fn check_width(width: u32) {
    assert!((1..=MAX_WIDTH).contains(&width), "bit-vectors have 1 to 128 bits, not {width}");
}
