//! Constructors, evaluation and bit-blasting against machine integers.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;

use super::{
    BinaryOp, EASY_CALL, MANY_CLAUSES, Outcome, OverflowOp, Solver, Sort, TermId, TermStore,
    semantics,
};

const OPERATORS: [BinaryOp; 12] = [
    BinaryOp::Add,
    BinaryOp::Mul,
    BinaryOp::Udiv,
    BinaryOp::Urem,
    BinaryOp::Sdiv,
    BinaryOp::Srem,
    BinaryOp::Shl,
    BinaryOp::Lshr,
    BinaryOp::Ashr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
];
const OVERFLOWS: [OverflowOp; 3] = [OverflowOp::Add, OverflowOp::Sub, OverflowOp::Mul];

/// What 4-bit and 8-bit machine arithmetic says, computed by Rust's own integers.
fn machine(op: BinaryOp, a: u128, b: u128, width: u32) -> Option<u128> {
    let (sa, sb) = (semantics::to_signed(a, width), semantics::to_signed(b, width));
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Udiv => a.checked_div(b)?,
        BinaryOp::Urem => a.checked_rem(b)?,
        BinaryOp::Sdiv => sa.checked_div(sb)? as u128,
        BinaryOp::Srem => sa.checked_rem(sb)? as u128,
        BinaryOp::Shl => a.checked_shl(u32::try_from(b).ok().filter(|&n| n < width)?)?,
        BinaryOp::Lshr => a.checked_shr(u32::try_from(b).ok().filter(|&n| n < width)?)?,
        BinaryOp::Ashr => sa.checked_shr(u32::try_from(b).ok().filter(|&n| n < width)?)? as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    Some(semantics::truncate(result, width))
}

struct Fixture {
    store: TermStore,
    solver: Solver,
    a: TermId,
    b: TermId,
    width: u32,
}

impl Fixture {
    fn new(width: u32) -> Self {
        let mut store = TermStore::new();
        let a = store.variable("a", Sort::Bv(width));
        let b = store.variable("b", Sort::Bv(width));
        Self { store, solver: Solver::default(), a, b, width }
    }

    /// The value that the solver gives to `term` when `a` and `b` are fixed.
    fn solve(&mut self, term: TermId, x: u128, y: u128) -> u128 {
        let (x, y) = (self.store.constant(self.width, x), self.store.constant(self.width, y));
        let assumptions = [self.store.eq(self.a, x), self.store.eq(self.b, y)];
        // Blasting the term before the check makes it part of the model.
        let probe = if self.store.is_bool(term) {
            let other = self.store.not(term);
            self.store.or(term, other)
        } else {
            self.store.eq(term, term)
        };
        assert_eq!(
            self.solver.check(&self.store, &[assumptions[0], assumptions[1], probe]),
            Outcome::Sat
        );
        let expected = self.solver.model_value(&self.store, term);
        // The gates say the same as the evaluation: no other value is possible.
        let claim = if self.store.is_bool(term) {
            if expected == 1 { term } else { self.store.not(term) }
        } else {
            let value = self.store.constant(self.store.width(term), expected);
            self.store.eq(term, value)
        };
        let negated = self.store.not(claim);
        assert_eq!(
            self.solver.check(&self.store, &[assumptions[0], assumptions[1], negated]),
            Outcome::Unsat
        );
        expected
    }

    fn check_all(&mut self, x: u128, y: u128) {
        let width = self.width;
        for op in OPERATORS {
            let term = self.store.binary(op, self.a, self.b);
            let value = self.solve(term, x, y);
            assert_eq!(value, semantics::binary(op, x, y, width), "{op:?} {x} {y} at {width}");
            if let Some(expected) = machine(op, x, y, width) {
                assert_eq!(value, expected, "{op:?} {x} {y} at {width}");
            }
        }
        for op in OVERFLOWS {
            let term = self.store.overflow(op, self.a, self.b);
            assert_eq!(
                self.solve(term, x, y) == 1,
                semantics::overflows(op, x, y, width),
                "{op:?} {x} {y}"
            );
        }
        let comparisons = [
            (self.store.eq(self.a, self.b), x == y),
            (self.store.ult(self.a, self.b), x < y),
            (self.store.ule(self.a, self.b), x <= y),
            (
                self.store.slt(self.a, self.b),
                semantics::to_signed(x, width) < semantics::to_signed(y, width),
            ),
            (
                self.store.sle(self.a, self.b),
                semantics::to_signed(x, width) <= semantics::to_signed(y, width),
            ),
        ];
        for (term, expected) in comparisons {
            assert_eq!(
                self.solve(term, x, y) == 1,
                expected,
                "comparison of {x} and {y} at {width}"
            );
        }
        let (neg, not) = (self.store.neg(self.a), self.store.bvnot(self.a));
        assert_eq!(self.solve(neg, x, y), semantics::truncate(x.wrapping_neg(), width));
        assert_eq!(self.solve(not, x, y), semantics::truncate(!x, width));
    }
}

#[test]
fn every_operator_exhaustively_at_4_bits() {
    let mut fixture = Fixture::new(4);
    for x in 0..16 {
        for y in 0..16 {
            fixture.check_all(x, y);
        }
    }
}

#[test]
fn every_operator_at_random_at_8_to_64_bits() {
    let mut random = SmallRng::seed_from_u64(1);
    for width in [8, 16, 32, 64] {
        let mut fixture = Fixture::new(width);
        for _ in 0..3 {
            let x = semantics::truncate(random.random(), width);
            // Small values too, so that shifts and quotients are interesting.
            let y =
                semantics::truncate(random.random::<u128>() >> random.random_range(0..127), width);
            fixture.check_all(x, y);
        }
    }
}

/// A random term over some variables; `depth` bounds its height.
fn random_term(store: &mut TermStore, random: &mut SmallRng, width: u32, depth: u32) -> TermId {
    if depth == 0 || random.random_ratio(1, 6) {
        return match random.random_range(0..3) {
            0 => store.constant(width, random.random::<u128>() >> random.random_range(0..127)),
            n => store.variable(["x", "y", "z"][n % 3], Sort::Bv(width)),
        };
    }
    match random.random_range(0..8) {
        0 => {
            let c = random_condition(store, random, depth - 1);
            let (a, b) = (
                random_term(store, random, width, depth - 1),
                random_term(store, random, width, depth - 1),
            );
            store.ite(c, a, b)
        }
        1 => {
            let a = random_term(store, random, width, depth - 1);
            store.neg(a)
        }
        2 => {
            let inner = random.random_range(1..=width);
            let a = random_term(store, random, inner, depth - 1);
            if random.random() { store.zext(a, width) } else { store.sext(a, width) }
        }
        3 => {
            let low = random.random_range(0..4);
            let a = random_term(store, random, width + low, depth - 1);
            store.extract(a, width + low - 1, low)
        }
        _ => {
            let op = OPERATORS[random.random_range(0..OPERATORS.len())];
            let (a, b) = (
                random_term(store, random, width, depth - 1),
                random_term(store, random, width, depth - 1),
            );
            if random.random() { store.binary(op, a, b) } else { store.sub(a, b) }
        }
    }
}

fn random_condition(store: &mut TermStore, random: &mut SmallRng, depth: u32) -> TermId {
    let width = random.random_range(1..6);
    let (a, b) =
        (random_term(store, random, width, depth), random_term(store, random, width, depth));
    match random.random_range(0..4) {
        0 => store.eq(a, b),
        1 => store.ult(a, b),
        2 => store.slt(a, b),
        _ => store.saddo(a, b),
    }
}

/// Evaluates a term bottom-up through the constructors: substitutes constants.
fn by_substitution(store: &mut TermStore, term: TermId, values: &FxHashMap<TermId, u128>) -> u128 {
    let map = values
        .iter()
        .map(|(&variable, &value)| (variable, store.constant(store.width(variable), value)))
        .collect();
    let result = store.substitute(term, &map);
    store
        .as_constant(result)
        .or(store.as_boolean(result).map(u128::from))
        .expect("all variables are replaced")
}

#[test]
fn constructors_blasting_and_evaluation_agree_on_random_terms() {
    let mut random = SmallRng::seed_from_u64(7);
    for _ in 0..400 {
        let mut store = TermStore::new();
        let term = random_condition(&mut store, &mut random, 4);
        let variables = store.variables(term);
        for _ in 0..4 {
            let values: FxHashMap<_, _> = variables
                .iter()
                .map(|&v| (v, semantics::truncate(random.random(), store.width(v))))
                .collect();
            let expected = store.evaluate(term, |v| values[&v]);
            assert_eq!(by_substitution(&mut store, term, &values), expected);
            let mut assumptions: Vec<_> = values
                .iter()
                .map(|(&v, &value)| {
                    let value = store.constant(store.width(v), value);
                    store.eq(v, value)
                })
                .collect();
            assumptions.push(if expected == 1 { term } else { store.not(term) });
            let mut solver = Solver::default();
            assert_eq!(solver.check(&store, &assumptions), Outcome::Sat);
        }
        let mut solver = Solver::default();
        if solver.check(&store, &[term]) == Outcome::Sat {
            assert_eq!(solver.model_value(&store, term), 1);
        }
    }
}

#[test]
fn cores_are_unsatisfiable_and_minimal() {
    let mut store = TermStore::new();
    let x = store.variable("x", Sort::Bv(8));
    let y = store.variable("y", Sort::Bv(8));
    let bound = |store: &mut TermStore, v, n| {
        let n = store.constant(8, n);
        store.ult(v, n)
    };
    let irrelevant = bound(&mut store, y, 3);
    let low = bound(&mut store, x, 5);
    let lower = bound(&mut store, x, 9);
    let high = store.not(lower);
    let mut solver = Solver::default();
    assert_eq!(solver.check(&store, &[irrelevant, low, high]), Outcome::Unsat);
    let core = solver.core().to_vec();
    let core = solver.minimise(&store, &core, 10);
    assert_eq!(core, [low, high]);
    assert_eq!(solver.check(&store, &[irrelevant, low]), Outcome::Sat);
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut store = TermStore::new();
    let x = store.variable("x", Sort::Bv(8));
    let y = store.variable("y", Sort::Bv(8));
    let mut term = x;
    for _ in 0..50_000 {
        let product = store.mul(term, y);
        term = store.bvxor(product, x);
    }
    let value = store.evaluate(term, |_| 1);
    let one = store.constant(8, 1);
    let map = [(x, one), (y, one)].into_iter().collect();
    let result = store.substitute(term, &map);
    assert_eq!(store.as_constant(result), Some(value));
}

#[test]
fn normal_forms_make_equal_meanings_equal() {
    let mut store = TermStore::new();
    let x = store.variable("x", Sort::Bv(32));
    let y = store.variable("y", Sort::Bv(32));
    let one = store.constant(32, 1);
    let two = store.constant(32, 2);
    let x1 = store.add(x, one);
    let a = store.eq(x1, two);
    let b = store.eq(x, one);
    assert_eq!(a, b);
    let y1 = store.add(y, one);
    let (a, b) = (store.eq(x1, y1), store.eq(y, x));
    assert_eq!(a, b);
    let back = store.sub(x1, one);
    assert_eq!(back, x);
    let difference = store.sub(x1, y);
    let sum = store.add(difference, y);
    assert_eq!(sum, x1);
}

#[test]
fn work_counts_clauses_and_ends_calls() {
    let mut store = TermStore::new();
    let [a, b] = ["a", "b"].map(|name| store.variable(name, Sort::Bv(24)));
    let product = store.mul(a, b);
    let prime = store.constant(24, 16_777_213);
    let one = store.constant(24, 1);
    let small = store.constant(24, 4_000);
    let is_prime = store.eq(product, prime);
    let factors = [store.ult(one, a), store.ult(one, b), store.ult(a, small), store.ult(b, small)];
    let few = [factors[0]];
    let mut solver = Solver::with_few_adders(usize::MAX);
    assert_eq!(solver.check(&store, &few), Outcome::Sat);
    let easy = solver.statistics().work;
    assert!((EASY_CALL..2 * EASY_CALL).contains(&easy));
    solver.set_most_work(Some(EASY_CALL));
    let mut hard = factors.to_vec();
    hard.push(is_prime);
    assert_eq!(solver.check(&store, &hard), Outcome::Unknown);
    assert!(solver.statistics().clauses > MANY_CLAUSES / 2);
    let all = solver.statistics().work - easy;
    assert!(all > EASY_CALL, "the multiplier's clauses and the conflicts count");
    assert!(all < 16 * EASY_CALL, "the call is given up");
}
