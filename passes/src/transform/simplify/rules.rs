//! The rewrite rules. Each holds for bit-vectors of every width.

use egg::{Applier, EGraph, Id, PatternAst, Rewrite, Subst, Symbol, Var, rewrite};
use sapa_ir::goto::{BinaryOp, CastOp, CompareOp, UnaryOp, arithmetic};

use super::term::{Facts, Term};

type Graph = EGraph<Term, Facts>;
type Rule = Rewrite<Term, Facts>;

/// All rules.
pub(super) fn rules() -> Vec<Rule> {
    let mut rules = plain();
    rules.extend(with_constants());
    rules.push(rewrite!("not-compare"; "(not ?a)" => { NegatedComparison }));
    for (name, op, negated) in
        [("extended-ne", CompareOp::Ne, false), ("extended-eq", CompareOp::Eq, true)]
    {
        // What was widened from one bit, compared with 0.
        let pattern = if op == CompareOp::Ne { "(ne ?a ?b)" } else { "(eq ?a ?b)" };
        rules.push(rule(name, pattern, WidenedBit { negated }));
    }
    rules
}

fn rule(
    name: &str,
    pattern: &str,
    applier: impl Applier<Term, Facts> + Send + Sync + 'static,
) -> Rule {
    // The patterns are written here, and a test reads them all.
    let pattern: egg::Pattern<Term> = match pattern.parse() {
        Ok(pattern) => pattern,
        Err(error) => panic!("the pattern of rule {name}: {error}"),
    };
    match Rewrite::new(name, pattern, applier) {
        Ok(rule) => rule,
        Err(error) => panic!("rule {name}: {error}"),
    }
}

/// Rules without constants.
fn plain() -> Vec<Rule> {
    let mut rules = vec![
        rewrite!("add-commutes"; "(add ?a ?b)" => "(add ?b ?a)"),
        rewrite!("mul-commutes"; "(mul ?a ?b)" => "(mul ?b ?a)"),
        rewrite!("and-commutes"; "(and ?a ?b)" => "(and ?b ?a)"),
        rewrite!("or-commutes"; "(or ?a ?b)" => "(or ?b ?a)"),
        rewrite!("xor-commutes"; "(xor ?a ?b)" => "(xor ?b ?a)"),
        rewrite!("eq-commutes"; "(eq ?a ?b)" => "(eq ?b ?a)"),
        rewrite!("ne-commutes"; "(ne ?a ?b)" => "(ne ?b ?a)"),
        rewrite!("add-associates"; "(add (add ?a ?b) ?c)" => "(add ?a (add ?b ?c))"),
        rewrite!("and-associates"; "(and (and ?a ?b) ?c)" => "(and ?a (and ?b ?c))"),
        rewrite!("or-associates"; "(or (or ?a ?b) ?c)" => "(or ?a (or ?b ?c))"),
        rewrite!("xor-associates"; "(xor (xor ?a ?b) ?c)" => "(xor ?a (xor ?b ?c))"),
        rewrite!("add-sub"; "(sub (add ?a ?b) ?b)" => "?a"),
        rewrite!("sub-add"; "(add (sub ?a ?b) ?b)" => "?a"),
        rewrite!("sub-neg"; "(add ?a (neg ?b))" => "(sub ?a ?b)"),
        rewrite!("neg-sub"; "(neg (sub ?a ?b))" => "(sub ?b ?a)"),
        rewrite!("neg-neg"; "(neg (neg ?a))" => "?a"),
        rewrite!("not-not"; "(not (not ?a))" => "?a"),
        rewrite!("and-same"; "(and ?a ?a)" => "?a"),
        rewrite!("or-same"; "(or ?a ?a)" => "?a"),
        rewrite!("and-or"; "(and ?a (or ?a ?b))" => "?a"),
        rewrite!("or-and"; "(or ?a (and ?a ?b))" => "?a"),
        rewrite!("not-and"; "(and (not ?a) (not ?b))" => "(not (or ?a ?b))"),
        rewrite!("not-or"; "(or (not ?a) (not ?b))" => "(not (and ?a ?b))"),
        rewrite!("select-same"; "(select ?c ?a ?a)" => "?a"),
        rewrite!("select-not"; "(select (not ?c) ?a ?b)" => "(select ?c ?b ?a)"),
        rewrite!("eq-add"; "(eq (add ?a ?c) (add ?b ?c))" => "(eq ?a ?b)"),
        rewrite!("ne-add"; "(ne (add ?a ?c) (add ?b ?c))" => "(ne ?a ?b)"),
        rewrite!("eq-xor"; "(eq (xor ?a ?c) (xor ?b ?c))" => "(eq ?a ?b)"),
        rewrite!("eq-neg"; "(eq (neg ?a) (neg ?b))" => "(eq ?a ?b)"),
        rewrite!("eq-not"; "(eq (not ?a) (not ?b))" => "(eq ?a ?b)"),
    ];
    // What is the same constant for all operands.
    for (name, pattern, value) in [
        ("sub-same", "(sub ?a ?a)", Constant::Zero),
        ("xor-same", "(xor ?a ?a)", Constant::Zero),
        ("and-not", "(and ?a (not ?a))", Constant::Zero),
        ("or-not", "(or ?a (not ?a))", Constant::Ones),
        ("eq-same", "(eq ?a ?a)", Constant::Ones),
        ("ule-same", "(ule ?a ?a)", Constant::Ones),
        ("sle-same", "(sle ?a ?a)", Constant::Ones),
        ("ne-same", "(ne ?a ?a)", Constant::Zero),
        ("ult-same", "(ult ?a ?a)", Constant::Zero),
        ("slt-same", "(slt ?a ?a)", Constant::Zero),
    ] {
        rules.push(rule(name, pattern, value));
    }
    rules
}

/// Rules for an operand that is constant.
fn with_constants() -> Vec<Rule> {
    let zero = |v: Var| move |g: &mut Graph, _: Id, s: &Subst| g[s[v]].data.value == Some(0);
    let one = |v: Var| move |g: &mut Graph, _: Id, s: &Subst| g[s[v]].data.value == Some(1);
    let ones = |v: Var| {
        move |g: &mut Graph, _: Id, s: &Subst| {
            let known = g[s[v]].data;
            known.bits.is_some_and(|bits| known.value == Some(arithmetic::mask(bits)))
        }
    };
    let b = var("?b");
    let c = var("?c");
    vec![
        rewrite!("add-0"; "(add ?a ?b)" => "?a" if zero(b)),
        rewrite!("sub-0"; "(sub ?a ?b)" => "?a" if zero(b)),
        rewrite!("0-sub"; "(sub ?b ?a)" => "(neg ?a)" if zero(b)),
        rewrite!("mul-0"; "(mul ?a ?b)" => "?b" if zero(b)),
        rewrite!("mul-1"; "(mul ?a ?b)" => "?a" if one(b)),
        rewrite!("mul-ones"; "(mul ?a ?b)" => "(neg ?a)" if ones(b)),
        rewrite!("udiv-1"; "(udiv ?a ?b)" => "?a" if one(b)),
        rewrite!("and-0"; "(and ?a ?b)" => "?b" if zero(b)),
        rewrite!("and-ones"; "(and ?a ?b)" => "?a" if ones(b)),
        rewrite!("or-0"; "(or ?a ?b)" => "?a" if zero(b)),
        rewrite!("or-ones"; "(or ?a ?b)" => "?b" if ones(b)),
        rewrite!("xor-0"; "(xor ?a ?b)" => "?a" if zero(b)),
        rewrite!("xor-ones"; "(xor ?a ?b)" => "(not ?a)" if ones(b)),
        rewrite!("shl-0"; "(shl ?a ?b)" => "?a" if zero(b)),
        rewrite!("lshr-0"; "(lshr ?a ?b)" => "?a" if zero(b)),
        rewrite!("ashr-0"; "(ashr ?a ?b)" => "?a" if zero(b)),
        rewrite!("select-1"; "(select ?c ?a ?b)" => "?a" if one(c)),
        rewrite!("select-0"; "(select ?c ?a ?b)" => "?b" if zero(c)),
        // Of one bit, a comparison with 0 or 1 is the bit or its negation.
        rule("bit-ne-0", "(ne ?a ?b)", Bit { constant: 0, negated: false }),
        rule("bit-eq-1", "(eq ?a ?b)", Bit { constant: 1, negated: false }),
        rule("bit-eq-0", "(eq ?a ?b)", Bit { constant: 0, negated: true }),
        rule("bit-ne-1", "(ne ?a ?b)", Bit { constant: 1, negated: true }),
        // A sum compared with a constant.
        rule("eq-add-constant", "(eq (add ?a ?b) ?c)", MovedConstant(CompareOp::Eq)),
        rule("ne-add-constant", "(ne (add ?a ?b) ?c)", MovedConstant(CompareOp::Ne)),
    ]
}

/// The variable of a pattern; the names are those of this file.
fn var(name: &str) -> Var {
    match name.parse() {
        Ok(var) => var,
        Err(error) => panic!("variable {name}: {error}"),
    }
}

fn variable(subst: &Subst, name: &str) -> Option<Id> {
    subst.get(var(name)).copied()
}

/// Makes the class equal to a term, if there is one.
fn unite(graph: &mut Graph, class: Id, equal: Option<Id>) -> Vec<Id> {
    match equal {
        Some(equal) if graph.union(class, equal) => vec![class],
        _ => Vec::new(),
    }
}

/// The class is this constant.
#[derive(Clone, Copy)]
enum Constant {
    Zero,
    Ones,
}

impl Applier<Term, Facts> for Constant {
    fn apply_one(
        &self,
        graph: &mut Graph,
        class: Id,
        _: &Subst,
        _: Option<&PatternAst<Term>>,
        _: Symbol,
    ) -> Vec<Id> {
        let equal = graph[class].data.bits.map(|bits| {
            let value = match self {
                Self::Zero => 0,
                Self::Ones => arithmetic::mask(bits),
            };
            graph.add(Term::Int { bits, value })
        });
        unite(graph, class, equal)
    }
}

/// `a`, or its negation, if `a` has one bit and `b` is the constant.
#[derive(Clone, Copy)]
struct Bit {
    constant: u128,
    negated: bool,
}

impl Applier<Term, Facts> for Bit {
    fn apply_one(
        &self,
        graph: &mut Graph,
        class: Id,
        subst: &Subst,
        _: Option<&PatternAst<Term>>,
        _: Symbol,
    ) -> Vec<Id> {
        let (Some(a), Some(b)) = (variable(subst, "?a"), variable(subst, "?b")) else {
            return Vec::new();
        };
        let applies = graph[a].data.bits == Some(1) && graph[b].data.value == Some(self.constant);
        let equal = applies
            .then(|| if self.negated { graph.add(Term::Unary(UnaryOp::Not, [a])) } else { a });
        unite(graph, class, equal)
    }
}

/// A bit that was widened, compared with 0: the bit (`!=`) or its negation (`==`).
#[derive(Clone, Copy)]
struct WidenedBit {
    negated: bool,
}

impl Applier<Term, Facts> for WidenedBit {
    fn apply_one(
        &self,
        graph: &mut Graph,
        class: Id,
        subst: &Subst,
        _: Option<&PatternAst<Term>>,
        _: Symbol,
    ) -> Vec<Id> {
        let (Some(a), Some(b)) = (variable(subst, "?a"), variable(subst, "?b")) else {
            return Vec::new();
        };
        if graph[b].data.value != Some(0) {
            return Vec::new();
        }
        let bit = graph[a].iter().find_map(|term| match term {
            Term::Cast(CastOp::ZeroExtend | CastOp::SignExtend, Some(_), [bit])
                if graph[*bit].data.bits == Some(1) =>
            {
                Some(*bit)
            }
            _ => None,
        });
        let equal =
            bit.map(
                |bit| {
                    if self.negated { graph.add(Term::Unary(UnaryOp::Not, [bit])) } else { bit }
                },
            );
        unite(graph, class, equal)
    }
}

/// `a + b = c` with constant `b` and `c`: `a = c - b`.
#[derive(Clone, Copy)]
struct MovedConstant(CompareOp);

impl Applier<Term, Facts> for MovedConstant {
    fn apply_one(
        &self,
        graph: &mut Graph,
        class: Id,
        subst: &Subst,
        _: Option<&PatternAst<Term>>,
        _: Symbol,
    ) -> Vec<Id> {
        let ids = ["?a", "?b", "?c"].map(|name| variable(subst, name));
        let [Some(a), Some(b), Some(c)] = ids else { return Vec::new() };
        let (b, c) = (graph[b].data, graph[c].data);
        let equal = match (b.bits, b.value, c.value) {
            (Some(bits), Some(b), Some(c)) => {
                let value = arithmetic::binary(BinaryOp::Sub, c, b, bits);
                let constant = graph.add(Term::Int { bits, value });
                Some(graph.add(Term::Compare(self.0, [a, constant])))
            }
            _ => None,
        };
        unite(graph, class, equal)
    }
}

/// The negation of a comparison is a comparison.
#[derive(Clone, Copy)]
struct NegatedComparison;

impl Applier<Term, Facts> for NegatedComparison {
    fn apply_one(
        &self,
        graph: &mut Graph,
        class: Id,
        subst: &Subst,
        _: Option<&PatternAst<Term>>,
        _: Symbol,
    ) -> Vec<Id> {
        let Some(a) = variable(subst, "?a") else { return Vec::new() };
        let comparison = graph[a].iter().find_map(|term| match term {
            Term::Compare(op, ids) => Some((*op, *ids)),
            _ => None,
        });
        let equal = comparison.map(|(op, [a, b])| {
            let (op, ids) = match op {
                CompareOp::Eq => (CompareOp::Ne, [a, b]),
                CompareOp::Ne => (CompareOp::Eq, [a, b]),
                CompareOp::UnsignedLt => (CompareOp::UnsignedLe, [b, a]),
                CompareOp::UnsignedLe => (CompareOp::UnsignedLt, [b, a]),
                CompareOp::SignedLt => (CompareOp::SignedLe, [b, a]),
                CompareOp::SignedLe => (CompareOp::SignedLt, [b, a]),
            };
            graph.add(Term::Compare(op, ids))
        });
        unite(graph, class, equal)
    }
}
