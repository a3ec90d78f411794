//! The normalising constructors against an independent reading.
//!
//! A term is already normalised when it can be evaluated, so evaluating it
//! cannot show that a rewrite changed its meaning. Here a random recipe is
//! computed twice: on numbers alone, and through the constructors.

use proptest::prelude::*;

use super::{BinaryOp, Outcome, OverflowOp, Solver, Sort, TermId, TermStore, semantics};

/// How to build a bit-vector; the width is given from outside.
#[derive(Clone, Debug)]
enum Vector {
    Constant(u128),
    Variable(u8),
    Not(Box<Vector>),
    Neg(Box<Vector>),
    Sub(Box<Vector>, Box<Vector>),
    Binary(BinaryOp, Box<Vector>, Box<Vector>),
    Ite(Box<Truth>, Box<Vector>, Box<Vector>),
    /// Extends a vector that is narrower by the number, signed or not.
    Extend(bool, u32, Box<Vector>),
    /// Cuts from a vector that is wider by the two numbers, below and above.
    Extract(u32, u32, Box<Vector>),
    /// Joins two vectors, the lower one of at most that width.
    Concat(u32, Box<Vector>, Box<Vector>),
}

/// How to build a Boolean.
#[derive(Clone, Debug)]
enum Truth {
    Constant(bool),
    Variable(u8),
    Not(Box<Truth>),
    /// and, or, xor, iff, implies
    Connective(u8, Box<Truth>, Box<Truth>),
    Ite(Box<Truth>, Box<Truth>, Box<Truth>),
    /// eq, ult, ule, slt, sle, at a width
    Compare(u8, u32, Box<Vector>, Box<Vector>),
    Overflow(OverflowOp, u32, Box<Vector>, Box<Vector>),
}

/// Values of the variables: few names, so that operands often coincide.
#[derive(Clone, Debug)]
struct Values {
    vectors: [u128; 3],
    truths: [bool; 3],
}

impl Values {
    fn vector(&self, recipe: &Vector, width: u32) -> u128 {
        let value = |recipe| self.vector(recipe, width);
        let result = match recipe {
            Vector::Constant(value) => *value,
            Vector::Variable(name) => self.vectors[usize::from(*name)],
            Vector::Not(a) => !value(a),
            Vector::Neg(a) => value(a).wrapping_neg(),
            Vector::Sub(a, b) => value(a).wrapping_sub(value(b)),
            Vector::Binary(op, a, b) => semantics::binary(*op, value(a), value(b), width),
            Vector::Ite(c, a, b) => value(if self.truth(c) { a } else { b }),
            Vector::Extend(signed, by, a) => {
                let inner = narrower(width, *by);
                let low = self.vector(a, inner);
                if *signed { semantics::to_signed(low, inner) as u128 } else { low }
            }
            Vector::Extract(below, above, a) => {
                let (inner, low) = wider(width, *below, *above);
                self.vector(a, inner) >> low
            }
            Vector::Concat(low, a, b) => {
                let low = narrower(width, *low);
                if low == width {
                    self.vector(b, width)
                } else {
                    (self.vector(a, width - low) << low) | self.vector(b, low)
                }
            }
        };
        semantics::truncate(result, width)
    }

    fn truth(&self, recipe: &Truth) -> bool {
        match recipe {
            Truth::Constant(value) => *value,
            Truth::Variable(name) => self.truths[usize::from(*name)],
            Truth::Not(a) => !self.truth(a),
            Truth::Connective(kind, a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                match kind {
                    0 => a && b,
                    1 => a || b,
                    2 => a != b,
                    3 => a == b,
                    _ => !a || b,
                }
            }
            Truth::Ite(c, a, b) => self.truth(if self.truth(c) { a } else { b }),
            Truth::Compare(kind, width, a, b) => {
                let (a, b) = (self.vector(a, *width), self.vector(b, *width));
                let (sa, sb) = (semantics::to_signed(a, *width), semantics::to_signed(b, *width));
                match kind {
                    0 => a == b,
                    1 => a < b,
                    2 => a <= b,
                    3 => sa < sb,
                    _ => sa <= sb,
                }
            }
            Truth::Overflow(op, width, a, b) => {
                semantics::overflows(*op, self.vector(a, *width), self.vector(b, *width), *width)
            }
        }
    }
}

fn narrower(width: u32, by: u32) -> u32 {
    width.saturating_sub(by).max(1)
}

/// The width to cut from and the lowest bit of the cut.
fn wider(width: u32, below: u32, above: u32) -> (u32, u32) {
    let low = below.min(semantics::MAX_WIDTH - width);
    let high = above.min(semantics::MAX_WIDTH - width - low);
    (width + low + high, low)
}

/// A variable of the recipe at a width, with the name that all widths share.
fn variable(store: &mut TermStore, name: u8, width: u32) -> TermId {
    store.variable(["x", "y", "z"][usize::from(name)], Sort::Bv(width))
}

fn build_vector(store: &mut TermStore, recipe: &Vector, width: u32) -> TermId {
    match recipe {
        Vector::Constant(value) => store.constant(width, *value),
        Vector::Variable(name) => variable(store, *name, width),
        Vector::Not(a) => {
            let a = build_vector(store, a, width);
            store.bvnot(a)
        }
        Vector::Neg(a) => {
            let a = build_vector(store, a, width);
            store.neg(a)
        }
        Vector::Sub(a, b) => {
            let (a, b) = (build_vector(store, a, width), build_vector(store, b, width));
            store.sub(a, b)
        }
        Vector::Binary(op, a, b) => {
            let (a, b) = (build_vector(store, a, width), build_vector(store, b, width));
            store.binary(*op, a, b)
        }
        Vector::Ite(c, a, b) => {
            let c = build_truth(store, c);
            let (a, b) = (build_vector(store, a, width), build_vector(store, b, width));
            store.ite(c, a, b)
        }
        Vector::Extend(signed, by, a) => {
            let a = build_vector(store, a, narrower(width, *by));
            if *signed { store.sext(a, width) } else { store.zext(a, width) }
        }
        Vector::Extract(below, above, a) => {
            let (inner, low) = wider(width, *below, *above);
            let a = build_vector(store, a, inner);
            store.extract(a, low + width - 1, low)
        }
        Vector::Concat(low, a, b) => {
            let low = narrower(width, *low);
            let b = build_vector(store, b, low);
            if low == width {
                return b;
            }
            let a = build_vector(store, a, width - low);
            store.concat(a, b)
        }
    }
}

fn build_truth(store: &mut TermStore, recipe: &Truth) -> TermId {
    match recipe {
        Truth::Constant(value) => store.boolean(*value),
        Truth::Variable(name) => store.variable(["p", "q", "r"][usize::from(*name)], Sort::Bool),
        Truth::Not(a) => {
            let a = build_truth(store, a);
            store.not(a)
        }
        Truth::Connective(kind, a, b) => {
            let (a, b) = (build_truth(store, a), build_truth(store, b));
            match kind {
                0 => store.and(a, b),
                1 => store.or(a, b),
                2 => store.xor(a, b),
                3 => store.iff(a, b),
                _ => store.implies(a, b),
            }
        }
        Truth::Ite(c, a, b) => {
            let c = build_truth(store, c);
            let (a, b) = (build_truth(store, a), build_truth(store, b));
            store.ite(c, a, b)
        }
        Truth::Compare(kind, width, a, b) => {
            let (a, b) = (build_vector(store, a, *width), build_vector(store, b, *width));
            match kind {
                0 => store.eq(a, b),
                1 => store.ult(a, b),
                2 => store.ule(a, b),
                3 => store.slt(a, b),
                _ => store.sle(a, b),
            }
        }
        Truth::Overflow(op, width, a, b) => {
            let (a, b) = (build_vector(store, a, *width), build_vector(store, b, *width));
            store.overflow(*op, a, b)
        }
    }
}

/// The value of a variable of the store under the values of the recipe.
fn lookup(store: &TermStore, values: &Values, variable: TermId) -> u128 {
    match store.variable_name(variable) {
        Some("x") => values.vectors[0],
        Some("y") => values.vectors[1],
        Some("z") => values.vectors[2],
        Some("p") => values.truths[0].into(),
        Some("q") => values.truths[1].into(),
        Some("r") => values.truths[2].into(),
        name => panic!("unknown variable {name:?}"),
    }
}

/// Numbers next to the borders where rewrites go wrong: 0, -1, MIN and MAX of small widths.
fn number() -> impl Strategy<Value = u128> {
    prop_oneof![
        4 => (0u128..4).boxed(),
        2 => (1u128..4).prop_map(u128::wrapping_neg).boxed(),
        2 => (0u32..128).prop_map(|bit| 1 << bit).boxed(),
        2 => (0u32..128).prop_map(|bit| (1u128 << bit) - 1).boxed(),
        1 => any::<u128>().boxed(),
    ]
}

fn width() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 1u32..6, 1 => Just(32u32), 1 => Just(127u32), 1 => Just(128u32)]
}

fn operator() -> impl Strategy<Value = BinaryOp> {
    use BinaryOp::{Add, And, Ashr, Lshr, Mul, Or, Sdiv, Shl, Srem, Udiv, Urem, Xor};
    let rest = [Mul, Udiv, Urem, Sdiv, Srem, Shl, Lshr, Ashr, And, Or, Xor];
    prop_oneof![Just(Add), prop::sample::select(rest.to_vec())]
}

fn overflow_operator() -> impl Strategy<Value = OverflowOp> {
    prop::sample::select(vec![OverflowOp::Add, OverflowOp::Sub, OverflowOp::Mul])
}

fn vector(depth: u32) -> BoxedStrategy<Vector> {
    let leaf =
        prop_oneof![number().prop_map(Vector::Constant), (0u8..3).prop_map(Vector::Variable),];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || vector(depth - 1).prop_map(Box::new);
    prop_oneof![
        2 => leaf,
        1 => inner().prop_map(Vector::Not),
        1 => inner().prop_map(Vector::Neg),
        2 => (inner(), inner()).prop_map(|(a, b)| Vector::Sub(a, b)),
        4 => (operator(), inner(), inner()).prop_map(|(op, a, b)| Vector::Binary(op, a, b)),
        2 => (truth(depth - 1).prop_map(Box::new), inner(), inner())
            .prop_map(|(c, a, b)| Vector::Ite(c, a, b)),
        2 => (any::<bool>(), 1u32..9, inner()).prop_map(|(s, by, a)| Vector::Extend(s, by, a)),
        1 => (0u32..5, 0u32..5, inner()).prop_map(|(l, h, a)| Vector::Extract(l, h, a)),
        1 => (1u32..5, inner(), inner()).prop_map(|(l, a, b)| Vector::Concat(l, a, b)),
    ]
    .boxed()
}

fn truth(depth: u32) -> BoxedStrategy<Truth> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Truth::Constant).boxed(),
        4 => (0u8..3).prop_map(Truth::Variable).boxed(),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || truth(depth - 1).prop_map(Box::new);
    let operand = || vector(depth - 1).prop_map(Box::new);
    prop_oneof![
        1 => leaf,
        1 => inner().prop_map(Truth::Not),
        4 => (0u8..5, inner(), inner()).prop_map(|(k, a, b)| Truth::Connective(k, a, b)),
        1 => (inner(), inner(), inner()).prop_map(|(c, a, b)| Truth::Ite(c, a, b)),
        6 => (0u8..5, width(), operand(), operand())
            .prop_map(|(k, w, a, b)| Truth::Compare(k, w, a, b)),
        1 => (overflow_operator(), width(), operand(), operand())
            .prop_map(|(op, w, a, b)| Truth::Overflow(op, w, a, b)),
    ]
    .boxed()
}

fn values() -> impl Strategy<Value = Values> {
    (prop::array::uniform3(number()), any::<[bool; 3]>())
        .prop_map(|(vectors, truths)| Values { vectors, truths })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn normalised_booleans_keep_their_meaning(
        recipe in truth(4),
        values in prop::collection::vec(values(), 8),
    ) {
        let mut store = TermStore::new();
        let term = build_truth(&mut store, &recipe);
        for values in values {
            let result = store.evaluate(term, |v| lookup(&store, &values, v));
            prop_assert_eq!(result, u128::from(values.truth(&recipe)), "{:?}", values);
        }
    }

    #[test]
    fn normalised_vectors_keep_their_meaning(
        recipe in vector(4),
        width in width(),
        values in prop::collection::vec(values(), 8),
    ) {
        let mut store = TermStore::new();
        let term = build_vector(&mut store, &recipe, width);
        prop_assert_eq!(store.sort(term), Sort::Bv(width));
        for values in values {
            let result = store.evaluate(term, |v| lookup(&store, &values, v));
            prop_assert_eq!(result, values.vector(&recipe, width), "{:?}", values);
        }
    }
}

/// Products and divisions of each other and of a few variables.
fn products(depth: u32) -> BoxedStrategy<Vector> {
    use BinaryOp::{Add, Mul, Sdiv, Srem, Udiv, Urem};
    let leaf = prop_oneof![
        1 => number().prop_map(Vector::Constant).boxed(),
        3 => (0u8..3).prop_map(Vector::Variable).boxed(),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || products(depth - 1).prop_map(Box::new);
    let operator = prop::sample::select(vec![Add, Mul, Mul, Udiv, Urem, Sdiv, Srem]);
    let all = (operator, inner(), inner()).prop_map(|(op, a, b)| Vector::Binary(op, a, b));
    prop_oneof![1 => leaf, 3 => all].boxed()
}

/// Comparisons of such, and whether products overflow.
fn claim() -> impl Strategy<Value = Truth> {
    let width = || prop_oneof![4 => 1u32..7, 1 => Just(9u32)];
    let operand = || products(2).prop_map(Box::new);
    let compared = (0u8..5, width(), operand(), operand());
    let overflow = (width(), operand(), operand());
    let holds = prop_oneof![
        4 => compared.prop_map(|(kind, width, a, b)| Truth::Compare(kind, width, a, b)),
        1 => overflow.prop_map(|(width, a, b)| Truth::Overflow(OverflowOp::Mul, width, a, b)),
    ];
    (any::<bool>(), holds)
        .prop_map(|(holds, truth)| if holds { truth } else { Truth::Not(Box::new(truth)) })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 600,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// That products and divisions are opaque at first changes no answer: of one that all models have to
    /// satisfy, and of others that are assumed in turn.
    #[test]
    fn opaque_operations_change_no_answer(claims in prop::collection::vec(claim(), 4)) {
        let mut store = TermStore::new();
        let claims: Vec<TermId> =
            claims.iter().map(|claim| build_truth(&mut store, claim)).collect();
        let mut opaque = Solver::with_few_adders(0);
        let mut defined = Solver::with_few_adders(usize::MAX);
        let turns = [(0, 1..2), (0, 2..3), (1, 1..2), (1, 1..3), (1, 3..4), (1, 1..4)];
        for (asserted, assumed) in turns {
            for &claim in &claims[..asserted] {
                opaque.assert(&store, claim);
                defined.assert(&store, claim);
            }
            let assumed = &claims[assumed];
            let answer = opaque.check(&store, assumed);
            prop_assert_eq!(answer, defined.check(&store, assumed), "{:?}", assumed);
            if answer == Outcome::Sat {
                for &claim in claims[..asserted].iter().chain(assumed) {
                    prop_assert_eq!(opaque.model_value(&store, claim), 1);
                }
            }
        }
    }
}

#[test]
fn what_is_known_of_a_remainder_takes_no_divider() {
    let mut store = TermStore::new();
    let (x, ten) = (store.variable("x", Sort::Bv(32)), store.constant(32, 10));
    let digit = store.binary(BinaryOp::Urem, x, ten);
    let is_digit = store.ult(digit, ten);
    let is_none = store.not(is_digit);
    let mut solver = Solver::default();
    assert_eq!(solver.check(&store, &[is_none]), Outcome::Unsat);
    let clauses = solver.statistics().clauses;
    assert!(clauses < 1_500, "{clauses} clauses");
    let seven = store.constant(32, 7);
    let (is_seven, is_large) = (store.eq(digit, seven), store.ult(ten, x));
    assert_eq!(solver.check(&store, &[is_seven, is_large]), Outcome::Sat);
    assert_eq!(solver.model_value(&store, x) % 10, 7);
}

#[test]
fn cheap_operators_at_random_at_128_bits() {
    // Products and quotients of this width would make the test slow.
    use rand::{Rng, SeedableRng};
    let mut random = rand::rngs::SmallRng::seed_from_u64(3);
    let operators = [BinaryOp::Add, BinaryOp::Shl, BinaryOp::Lshr, BinaryOp::Ashr, BinaryOp::Xor];
    let mut store = TermStore::new();
    let (a, b) = (store.variable("a", Sort::Bv(128)), store.variable("b", Sort::Bv(128)));
    let mut solver = Solver::default();
    for _ in 0..4 {
        let (x, y) = (random.random(), random.random::<u128>() >> random.random_range(0..128));
        let (cx, cy) = (store.constant(128, x), store.constant(128, y));
        let (fix_a, fix_b) = (store.eq(a, cx), store.eq(b, cy));
        for op in operators {
            let term = store.binary(op, a, b);
            let value = store.constant(128, semantics::binary(op, x, y, 128));
            let right = store.eq(term, value);
            let wrong = store.not(right);
            assert_eq!(solver.check(&store, &[fix_a, fix_b, right]), Outcome::Sat, "{op:?}");
            assert_eq!(solver.check(&store, &[fix_a, fix_b, wrong]), Outcome::Unsat, "{op:?}");
        }
        let less = store.slt(a, b);
        let claim = if (x as i128) < (y as i128) { less } else { store.not(less) };
        let wrong = store.not(claim);
        assert_eq!(solver.check(&store, &[fix_a, fix_b, wrong]), Outcome::Unsat);
    }
}

#[test]
fn deep_choices_between_constants_do_not_overflow_the_stack() {
    let mut store = TermStore::new();
    let key = store.variable("key", Sort::Bv(32));
    let mut chain = store.constant(32, 0);
    for index in 1..=100_000 {
        let index = store.constant(32, index);
        let found = store.eq(key, index);
        chain = store.ite(found, index, chain);
    }
    let wanted = store.constant(32, 77);
    let hit = store.eq(chain, wanted);
    assert_eq!(store.evaluate(hit, |_| 77), 1);
    assert_eq!(store.evaluate(hit, |_| 78), 0);
}
