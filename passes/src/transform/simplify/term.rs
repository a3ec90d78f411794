//! Operations as nodes of an e-graph, and what is known of a class.

use egg::{Analysis, DidMerge, EGraph, FromOp, Id, Language};
use sapa_ir::goto::mnemonic::{BINARY, COMPARE, UNARY, find};
use sapa_ir::goto::{BinaryOp, CastOp, CompareOp, Operand, UnaryOp, arithmetic};

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Term {
    /// A constant; no bits above its width.
    Int {
        bits: u16,
        value: u128,
    },
    /// What the block is given; its width, if it is an integer.
    Given {
        operand: Operand,
        bits: Option<u16>,
    },
    Binary(BinaryOp, [Id; 2]),
    Unary(UnaryOp, [Id; 1]),
    Compare(CompareOp, [Id; 2]),
    /// To an integer of that width, or a pointer.
    Cast(CastOp, Option<u16>, [Id; 1]),
    Select([Id; 3]),
}

impl Language for Term {
    type Discriminant = Self;

    fn discriminant(&self) -> Self {
        let mut term = self.clone();
        term.children_mut().fill(Id::from(0));
        term
    }

    fn matches(&self, other: &Self) -> bool {
        self.discriminant() == other.discriminant()
    }

    fn children(&self) -> &[Id] {
        match self {
            Self::Int { .. } | Self::Given { .. } => &[],
            Self::Binary(_, ids) | Self::Compare(_, ids) => ids,
            Self::Unary(_, ids) | Self::Cast(_, _, ids) => ids,
            Self::Select(ids) => ids,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Self::Int { .. } | Self::Given { .. } => &mut [],
            Self::Binary(_, ids) | Self::Compare(_, ids) => ids,
            Self::Unary(_, ids) | Self::Cast(_, _, ids) => ids,
            Self::Select(ids) => ids,
        }
    }
}

/// Operators in the patterns of rules: the words of the text form.
impl FromOp for Term {
    type Error = String;

    fn from_op(op: &str, children: Vec<Id>) -> Result<Self, String> {
        let unknown = || format!("no operator '{op}' of {} operands", children.len());
        match *children.as_slice() {
            [a] => find(UNARY, op).map(|op| Self::Unary(op, [a])).ok_or_else(unknown),
            [a, b] => find(BINARY, op)
                .map(|op| Self::Binary(op, [a, b]))
                .or_else(|| find(COMPARE, op).map(|op| Self::Compare(op, [a, b])))
                .ok_or_else(unknown),
            [a, b, c] if op == "select" => Ok(Self::Select([a, b, c])),
            _ => Err(unknown()),
        }
    }
}

/// What is known of all terms of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Width; `None` for pointers.
    pub bits: Option<u16>,
    /// The value, if it is constant.
    pub value: Option<u128>,
}

/// The analysis that keeps [`Known`] for every class, and adds constants and
/// conversions that cancel.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts;

impl Analysis<Term> for Facts {
    type Data = Known;

    fn make(graph: &mut EGraph<Term, Self>, term: &Term) -> Known {
        let known = |id: &Id| graph[*id].data;
        let both = |[a, b]: &[Id; 2]| {
            let (a, b) = (known(a), known(b));
            a.bits.zip(a.value.zip(b.value))
        };
        let bits = match term {
            Term::Int { bits, .. } => Some(*bits),
            Term::Given { bits, .. } | Term::Cast(_, bits, _) => *bits,
            Term::Binary(_, [a, _]) | Term::Unary(_, [a]) => known(a).bits,
            Term::Compare(..) => Some(1),
            Term::Select([_, a, _]) => known(a).bits,
        };
        let value = match term {
            Term::Int { value, .. } => Some(*value),
            Term::Given { .. } => None,
            Term::Binary(op, ids) => {
                both(ids).map(|(bits, (a, b))| arithmetic::binary(*op, a, b, bits))
            }
            Term::Unary(op, [a]) => {
                let a = known(a);
                a.bits.zip(a.value).map(|(bits, a)| arithmetic::unary(*op, a, bits))
            }
            Term::Compare(op, ids) => {
                both(ids).map(|(bits, (a, b))| u128::from(arithmetic::compare(*op, a, b, bits)))
            }
            Term::Cast(op, to, [a]) => {
                let a = known(a);
                let widths = a.bits.zip(*to);
                widths.zip(a.value).and_then(|((from, to), a)| arithmetic::cast(*op, a, from, to))
            }
            Term::Select([condition, a, b]) => match known(condition).value {
                Some(1) => known(a).value,
                Some(_) => known(b).value,
                None => None,
            },
        };
        Known { bits, value }
    }

    fn merge(&mut self, to: &mut Known, from: Known) -> DidMerge {
        debug_assert_eq!(to.bits, from.bits, "equal terms have one width");
        let merged = Known { bits: to.bits, value: to.value.or(from.value) };
        let changed = (merged != *to, merged != from);
        *to = merged;
        DidMerge(changed.0, changed.1)
    }

    fn modify(graph: &mut EGraph<Term, Self>, id: Id) {
        let Known { bits, value } = graph[id].data;
        if let (Some(bits), Some(value)) = (bits, value) {
            let constant = graph.add(Term::Int { bits, value });
            graph.union(id, constant);
        }
        let conversions: Vec<_> = graph[id]
            .iter()
            .filter_map(|term| match term {
                Term::Cast(op, Some(to), [a]) => Some((*op, *to, *a)),
                _ => None,
            })
            .collect();
        for (outer, to, inner) in conversions {
            if let Some(term) = shorter(graph, outer, to, inner) {
                let equal = match term {
                    Ok(term) => graph.add(term),
                    Err(id) => id,
                };
                graph.union(id, equal);
            }
        }
    }
}

/// A conversion of a conversion as one conversion, or as what was converted (`Err`).
fn shorter(
    graph: &EGraph<Term, Facts>,
    outer: CastOp,
    to: u16,
    inner: Id,
) -> Option<Result<Term, Id>> {
    graph[inner].iter().find_map(|term| {
        let Term::Cast(op, Some(_), [a]) = term else { return None };
        let from = graph[*a].data.bits?;
        match (outer, op) {
            (CastOp::ZeroExtend, CastOp::ZeroExtend)
            | (CastOp::SignExtend, CastOp::SignExtend)
            | (CastOp::Truncate, CastOp::Truncate) => Some(Ok(Term::Cast(outer, Some(to), [*a]))),
            // Zeros above: the sign is not set.
            (CastOp::SignExtend, CastOp::ZeroExtend) => {
                Some(Ok(Term::Cast(CastOp::ZeroExtend, Some(to), [*a])))
            }
            (CastOp::Truncate, CastOp::ZeroExtend | CastOp::SignExtend) => {
                Some(match to.cmp(&from) {
                    std::cmp::Ordering::Equal => Err(*a),
                    std::cmp::Ordering::Less => Ok(Term::Cast(CastOp::Truncate, Some(to), [*a])),
                    std::cmp::Ordering::Greater => Ok(Term::Cast(*op, Some(to), [*a])),
                })
            }
            _ => None,
        }
    })
}
