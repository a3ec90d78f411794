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
    rules.push(rule("not-compare", "(not ?a)", negated_comparison()));
    // What was widened from one bit, compared with 0.
    rules.push(rule("widened-ne", "(ne ?a ?b)", widened_bit(false)));
    rules.push(rule("widened-eq", "(eq ?a ?b)", widened_bit(true)));
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
    for (name, pattern, ones) in [
        ("sub-same", "(sub ?a ?a)", false),
        ("xor-same", "(xor ?a ?a)", false),
        ("and-not", "(and ?a (not ?a))", false),
        ("or-not", "(or ?a (not ?a))", true),
        ("eq-same", "(eq ?a ?a)", true),
        ("ule-same", "(ule ?a ?a)", true),
        ("sle-same", "(sle ?a ?a)", true),
        ("ne-same", "(ne ?a ?a)", false),
        ("ult-same", "(ult ?a ?a)", false),
        ("slt-same", "(slt ?a ?a)", false),
    ] {
        rules.push(rule(name, pattern, constant(ones)));
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
        rule("bit-ne-0", "(ne ?a ?b)", bit(0, false)),
        rule("bit-eq-1", "(eq ?a ?b)", bit(1, false)),
        rule("bit-eq-0", "(eq ?a ?b)", bit(0, true)),
        rule("bit-ne-1", "(ne ?a ?b)", bit(1, true)),
        // A sum compared with a constant.
        rule("eq-add-constant", "(eq (add ?a ?b) ?c)", moved_constant(CompareOp::Eq)),
        rule("ne-add-constant", "(ne (add ?a ?b) ?c)", moved_constant(CompareOp::Ne)),
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

/// An applier that makes the matched class equal to what a function finds, if it does.
struct Equal<F>(F);

impl<F> Applier<Term, Facts> for Equal<F>
where
    F: Fn(&mut Graph, Id, &Subst) -> Option<Id>,
{
    fn apply_one(
        &self,
        graph: &mut Graph,
        class: Id,
        subst: &Subst,
        _: Option<&PatternAst<Term>>,
        _: Symbol,
    ) -> Vec<Id> {
        match (self.0)(graph, class, subst) {
            Some(equal) if graph.union(class, equal) => vec![class],
            _ => Vec::new(),
        }
    }
}

/// The class is the constant with no or with all bits set.
fn constant(ones: bool) -> impl Applier<Term, Facts> + Send + Sync + 'static {
    Equal(move |graph: &mut Graph, class: Id, _: &Subst| {
        let bits = graph[class].data.bits?;
        let value = if ones { arithmetic::mask(bits) } else { 0 };
        Some(graph.add(Term::Int { bits, value }))
    })
}

/// `a`, or its negation.
fn perhaps_negated(graph: &mut Graph, a: Id, negated: bool) -> Id {
    if negated { graph.add(Term::Unary(UnaryOp::Not, [a])) } else { a }
}

/// `a`, or its negation, if `a` has one bit and `b` is the constant.
fn bit(constant: u128, negated: bool) -> impl Applier<Term, Facts> + Send + Sync + 'static {
    Equal(move |graph: &mut Graph, _: Id, subst: &Subst| {
        let (a, b) = (variable(subst, "?a")?, variable(subst, "?b")?);
        let applies = graph[a].data.bits == Some(1) && graph[b].data.value == Some(constant);
        applies.then(|| perhaps_negated(graph, a, negated))
    })
}

/// A bit that was widened, compared with 0: the bit (`!=`) or its negation (`==`).
fn widened_bit(negated: bool) -> impl Applier<Term, Facts> + Send + Sync + 'static {
    Equal(move |graph: &mut Graph, _: Id, subst: &Subst| {
        let (a, b) = (variable(subst, "?a")?, variable(subst, "?b")?);
        if graph[b].data.value != Some(0) {
            return None;
        }
        let bit = graph[a].iter().find_map(|term| match term {
            Term::Cast(CastOp::ZeroExtend | CastOp::SignExtend, Some(_), [bit])
                if graph[*bit].data.bits == Some(1) =>
            {
                Some(*bit)
            }
            _ => None,
        })?;
        Some(perhaps_negated(graph, bit, negated))
    })
}

/// `a + b = c` with constant `b` and `c`: `a = c - b`.
fn moved_constant(op: CompareOp) -> impl Applier<Term, Facts> + Send + Sync + 'static {
    Equal(move |graph: &mut Graph, _: Id, subst: &Subst| {
        let a = variable(subst, "?a")?;
        let (b, c) = (graph[variable(subst, "?b")?].data, graph[variable(subst, "?c")?].data);
        let bits = b.bits?;
        let value = arithmetic::binary(BinaryOp::Sub, c.value?, b.value?, bits);
        let constant = graph.add(Term::Int { bits, value });
        Some(graph.add(Term::Compare(op, [a, constant])))
    })
}

/// The negation of a comparison is a comparison.
fn negated_comparison() -> impl Applier<Term, Facts> + Send + Sync + 'static {
    Equal(|graph: &mut Graph, _: Id, subst: &Subst| {
        let a = variable(subst, "?a")?;
        let (op, [a, b]) = graph[a].iter().find_map(|term| match term {
            Term::Compare(op, ids) => Some((*op, *ids)),
            _ => None,
        })?;
        let (op, ids) = match op {
            CompareOp::Eq => (CompareOp::Ne, [a, b]),
            CompareOp::Ne => (CompareOp::Eq, [a, b]),
            CompareOp::UnsignedLt => (CompareOp::UnsignedLe, [b, a]),
            CompareOp::UnsignedLe => (CompareOp::UnsignedLt, [b, a]),
            CompareOp::SignedLt => (CompareOp::SignedLe, [b, a]),
            CompareOp::SignedLe => (CompareOp::SignedLt, [b, a]),
        };
        Some(graph.add(Term::Compare(op, ids)))
    })
}
