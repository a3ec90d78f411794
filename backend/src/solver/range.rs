//! Bounds of terms as unsigned numbers, as far as their form shows them.

use super::term::{BinaryOp, Node, TermId, TermStore};

/// Terms that are nested more deeply have the bounds of their width.
const DEPTH: usize = 6;

impl TermStore {
    /// The least and the greatest value of a bit-vector, as an unsigned number, under every
    /// assignment; there need not be one that gives them.
    #[must_use]
    pub fn bounds(&self, term: TermId) -> (u128, u128) {
        self.bounds_within(term, DEPTH)
    }

    fn bounds_within(&self, term: TermId, depth: usize) -> (u128, u128) {
        let most = ones(self.width(term));
        let any = (0, most);
        let Some(depth) = depth.checked_sub(1) else { return any };
        let of = |term: TermId| self.bounds_within(term, depth);
        match self.node(term) {
            Node::Const { value, .. } => (value, value),
            Node::ZeroExtend { arg, .. } => of(arg),
            Node::SignExtend { arg, .. } => {
                let (least, greatest) = of(arg);
                // What is not negative stays as it is.
                if greatest <= ones(self.width(arg)) >> 1 { (least, greatest) } else { any }
            }
            Node::Extract { arg, low, .. } => {
                let (least, greatest) = of(arg);
                // Where no bit is cut off above.
                if greatest >> low <= most { (least >> low, greatest >> low) } else { any }
            }
            Node::Ite(_, a, b) => {
                let (a, b) = (of(a), of(b));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Node::Binary(op, a, b) => binary(op, of(a), of(b), most).unwrap_or(any),
            _ => any,
        }
    }
}

/// The greatest number of some bits.
fn ones(width: u32) -> u128 {
    u128::MAX.checked_shr(128_u32.saturating_sub(width)).unwrap_or(0)
}

/// The bounds of an operation on numbers in these bounds; `None` where they say nothing.
fn binary(op: BinaryOp, a: (u128, u128), b: (u128, u128), most: u128) -> Option<(u128, u128)> {
    let fits = |bounds: (u128, u128)| (bounds.1 <= most).then_some(bounds);
    match op {
        // Without wrapping.
        BinaryOp::Add => fits((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        BinaryOp::Mul => fits((a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?)),
        BinaryOp::Udiv if b.0 > 0 => Some((a.0 / b.1, a.1 / b.0)),
        BinaryOp::Urem if b.0 > 0 => Some((0, a.1.min(b.1 - 1))),
        // Of a shift by the width or more nothing is left.
        BinaryOp::Lshr => {
            let shifted = |value: u128, by: u128| {
                u32::try_from(by).ok().and_then(|by| value.checked_shr(by)).unwrap_or(0)
            };
            Some((shifted(a.0, b.1), shifted(a.1, b.0)))
        }
        BinaryOp::And => Some((0, a.1.min(b.1))),
        BinaryOp::Or => Some((a.0.max(b.0), all_below(a.1 | b.1))),
        BinaryOp::Xor => Some((0, all_below(a.1 | b.1))),
        _ => None,
    }
}

/// The greatest number that is no longer than this one.
fn all_below(value: u128) -> u128 {
    ones(128 - value.leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::super::term::Sort;
    use super::*;
    use crate::solver::{Outcome, Solver};

    /// Random terms over two variables are never outside their bounds.
    #[test]
    fn no_value_is_outside_the_bounds() {
        let mut state = 7_u64;
        let mut next = move |bound: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let mut tight = 0;
        for _ in 0..300 {
            let mut store = TermStore::default();
            let width = 6;
            let mut terms =
                vec![store.variable("x", Sort::Bv(width)), store.variable("y", Sort::Bv(width))];
            for _ in 0..5 {
                let value = u128::from(next(64));
                let mut pick = || terms[usize::try_from(next(terms.len() as u64)).unwrap()];
                let (a, b) = (pick(), pick());
                let c = store.constant(width, value);
                let new = match next(10) {
                    0 => store.bvand(a, c),
                    1 => store.bvor(a, c),
                    2 => store.urem(a, c),
                    3 => store.udiv(a, c),
                    4 => store.lshr(a, b),
                    5 => store.add(a, b),
                    6 => store.mul(a, c),
                    7 => store.bvxor(a, b),
                    8 => {
                        let cut = store.extract(a, 3, 1);
                        store.sext(cut, width)
                    }
                    _ => {
                        let test = store.ult(a, c);
                        store.ite(test, b, a)
                    }
                };
                terms.push(new);
            }
            for term in terms {
                let (least, greatest) = store.bounds(term);
                tight += usize::from((least, greatest) != (0, 63));
                let (low, high) = (store.constant(width, least), store.constant(width, greatest));
                let (below, above) = (store.ult(term, low), store.ult(high, term));
                let outside = store.or(below, above);
                assert_eq!(Solver::default().check(&store, &[outside]), Outcome::Unsat);
            }
        }
        assert!(tight > 300, "{tight}");
    }
}
