//! Every rule against the arithmetic it claims, and whole blocks against the interpreter.

use egg::{ENodeOrVar, Language, RecExpr};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use sapa_ir::goto::interpret::{Inputs, Machine, Outcome, Request};
use sapa_ir::goto::{
    BinaryOp, Builder, CastOp, CompareOp, Function, FunctionId, Global, Initializer, Location,
    MemoryModel, Module, Operand, TerminatorKind, Type, UnaryOp, arithmetic, verify,
};

use super::rules::rules;
use super::term::{Facts, Term};
use crate::Pipeline;

const WIDTHS: [u16; 5] = [1, 3, 8, 32, 64];

/// Evaluates a pattern with given values of its variables at a width; comparisons have one bit.
fn evaluate(
    pattern: &RecExpr<ENodeOrVar<Term>>,
    values: &FxHashMap<String, (u16, u128)>,
) -> (u16, u128) {
    let mut results: Vec<(u16, u128)> = Vec::new();
    for node in pattern {
        let at = |id: &egg::Id| results[usize::from(*id)];
        results.push(match node {
            ENodeOrVar::Var(var) => values[&var.to_string()],
            ENodeOrVar::ENode(Term::Binary(op, [a, b])) => {
                (at(a).0, arithmetic::binary(*op, at(a).1, at(b).1, at(a).0))
            }
            ENodeOrVar::ENode(Term::Unary(op, [a])) => {
                let (bits, a) = at(a);
                let value = if *op == UnaryOp::Not { !a } else { a.wrapping_neg() };
                (bits, value & arithmetic::mask(bits))
            }
            ENodeOrVar::ENode(Term::Compare(op, [a, b])) => {
                (1, u128::from(arithmetic::compare(*op, at(a).1, at(b).1, at(a).0)))
            }
            ENodeOrVar::ENode(Term::Select([c, a, b])) => {
                if at(c).1 == 1 {
                    at(a)
                } else {
                    at(b)
                }
            }
            ENodeOrVar::ENode(other) => panic!("{other:?} in a pattern"),
        });
    }
    results[results.len() - 1]
}

/// An e-graph of given values and of the left side over them; after one rule, the class
/// of the left side has the value that the left side has.
#[test]
fn every_rule_holds_at_every_width() {
    let mut random = SmallRng::seed_from_u64(1);
    for rule in rules() {
        let pattern = rule.searcher.get_pattern_ast().expect("all searchers are patterns");
        let selects = pattern.iter().any(|node| matches!(node, ENodeOrVar::ENode(Term::Select(_))));
        for bits in WIDTHS {
            for _ in 0..40 {
                let mut values = FxHashMap::default();
                for var in rule.searcher.vars() {
                    let condition = var.to_string() == "?c" && selects;
                    let bits = if condition { 1 } else { bits };
                    let value = match random.random_range(0..4) {
                        0 => 0,
                        1 => 1,
                        2 => u128::MAX,
                        _ => random.random::<u128>(),
                    };
                    values.insert(var.to_string(), (bits, value & arithmetic::mask(bits)));
                }
                let expected = evaluate(pattern, &values);
                // Constants make the conditional rules apply, and contradict if the rule is wrong.
                let mut graph: egg::EGraph<Term, Facts> = egg::EGraph::default();
                let mut ids: Vec<egg::Id> = Vec::new();
                for node in pattern {
                    let id = match node {
                        ENodeOrVar::Var(var) => {
                            let (bits, value) = values[&var.to_string()];
                            graph.add(Term::Int { bits, value })
                        }
                        ENodeOrVar::ENode(term) => {
                            graph.add(term.clone().map_children(|id| ids[usize::from(id)]))
                        }
                    };
                    ids.push(id);
                }
                graph.rebuild();
                let root = ids[ids.len() - 1];
                let matches = rule.search(&graph);
                rule.apply(&mut graph, &matches);
                graph.rebuild();
                let constants: Vec<_> = graph[root]
                    .iter()
                    .filter_map(|term| match term {
                        Term::Int { bits, value } => Some((*bits, *value)),
                        _ => None,
                    })
                    .collect();
                assert_eq!(constants, [expected], "{} at {bits} bits, {values:?}", rule.name);
            }
        }
    }
}

/// A function that stores random computations over four inputs to globals.
fn random_module(random: &mut SmallRng) -> Module {
    let mut module = Module::default();
    let widths = [1u16, 8, 32, 64];
    for index in 0..6 {
        module.globals.push(Global {
            name: format!("g{index}"),
            ty: Type::Int(64),
            initializer: Initializer::Zero,
            thread_local: false,
            constant: false,
            signed: false,
            location: Location::default(),
        });
    }
    let mut function = Function::declaration("main".to_owned(), vec![], None, Location::default());
    let mut builder = Builder::new(&mut function, Location::default());
    let block = builder.add_block();
    builder.switch_to(block);
    let mut pool: Vec<(u16, Operand)> = Vec::new();
    for bits in widths {
        pool.push((bits, builder.nondet(Type::Int(bits))));
        pool.push((bits, Operand::int(bits, u128::MAX)));
        pool.push((bits, Operand::int(bits, random.random_range(0..3))));
    }
    for step in 0..30 {
        let (bits, a) = pool[random.random_range(0..pool.len())];
        let same: Vec<_> = pool.iter().filter(|(other, _)| *other == bits).collect();
        let b = same[random.random_range(0..same.len())].1;
        let (bits, value) = match random.random_range(0..5) {
            0 | 1 => {
                let ops = [
                    BinaryOp::Add,
                    BinaryOp::Sub,
                    BinaryOp::Mul,
                    BinaryOp::And,
                    BinaryOp::Or,
                    BinaryOp::Xor,
                    BinaryOp::ShiftLeft,
                    BinaryOp::ArithmeticShiftRight,
                    BinaryOp::UnsignedDiv,
                ];
                let op = ops[random.random_range(0..ops.len())];
                // Mostly defined, so that runs get far.
                let b = match op {
                    BinaryOp::UnsignedDiv if random.random_bool(0.9) => Operand::int(bits, 1),
                    BinaryOp::ShiftLeft | BinaryOp::ArithmeticShiftRight
                        if random.random_bool(0.9) =>
                    {
                        Operand::int(bits, u128::from(random.random_range(0..bits)))
                    }
                    _ => b,
                };
                (bits, builder.binary(op, a, b, false))
            }
            2 => {
                let op = if random.random() { UnaryOp::Not } else { UnaryOp::Neg };
                (bits, builder.unary(op, a))
            }
            3 => {
                let ops = [
                    CompareOp::Eq,
                    CompareOp::Ne,
                    CompareOp::UnsignedLt,
                    CompareOp::UnsignedLe,
                    CompareOp::SignedLt,
                    CompareOp::SignedLe,
                ];
                (1, builder.compare(ops[random.random_range(0..ops.len())], a, b))
            }
            _ => {
                let to = widths[random.random_range(0..widths.len())];
                let op = match to.cmp(&bits) {
                    std::cmp::Ordering::Equal => continue,
                    std::cmp::Ordering::Less => CastOp::Truncate,
                    std::cmp::Ordering::Greater if random.random() => CastOp::SignExtend,
                    std::cmp::Ordering::Greater => CastOp::ZeroExtend,
                };
                (to, builder.cast(op, a, Type::Int(to)))
            }
        };
        pool.push((bits, value));
        if step % 5 == 4 {
            let wide = if bits < 64 {
                builder.cast(CastOp::ZeroExtend, value, Type::Int(64))
            } else {
                value
            };
            let global = sapa_ir::goto::GlobalId(step / 5);
            builder.store(Type::Int(64), Operand::Global(global), wide);
            // What is read back is given only from here on.
            pool.push((64, builder.load(Type::Int(64), Operand::Global(global))));
        }
    }
    builder.terminate(TerminatorKind::Return(None));
    module.functions.push(function);
    module.entry = Some(FunctionId(0));
    module
}

/// A value for each width: passes may drop choices that nobody uses.
struct Given(Vec<u128>);

impl Inputs for Given {
    fn choose(&mut self, _: u32, _: Request, bits: u16) -> u128 {
        self.0[usize::from(u8::try_from(bits.ilog2()).unwrap_or(0)) % self.0.len()]
            & arithmetic::mask(bits)
    }
}

/// What a run writes, in order.
fn run(module: &Module, inputs: &[u128]) -> Vec<u128> {
    let mut inputs = Given(inputs.to_vec());
    let mut machine =
        Machine::new(module, MemoryModel::Sc, None, &mut inputs).expect("the module runs");
    let mut written = Vec::new();
    while machine.exists(0) {
        match machine.step(0, &mut inputs) {
            Outcome::Continued(Some(write)) if write.pointer.is_some() => written.push(write.bits),
            // At a division or a shift that is not defined.
            Outcome::Blocked(_) | Outcome::Undefined(_) => break,
            _ => {}
        }
    }
    written
}

#[test]
fn simplified_blocks_compute_the_same() {
    let mut random = SmallRng::seed_from_u64(2);
    let mut smaller = 0;
    for round in 0..60 {
        let module = random_module(&mut random);
        for passes in ["simplify{rounds=4,nodes=2000}", "constant-propagation,dead-code"] {
            let mut simplified = module.clone();
            let pipeline = Pipeline::parse(passes).expect("the pipeline");
            pipeline.run(&mut simplified, &mut []).expect("it runs");
            assert_eq!(verify(&simplified), Ok(()), "{round}: {module}\n{simplified}");
            let count = |m: &Module| m.functions[0].blocks[0].instructions.len();
            smaller += usize::from(count(&simplified) < count(&module));
            for _ in 0..10 {
                let inputs: Vec<u128> = (0..7).map(|_| random.random()).collect();
                assert_eq!(
                    run(&simplified, &inputs),
                    run(&module, &inputs),
                    "{round} {passes}:\n{module}\n{simplified}"
                );
            }
        }
    }
    assert!(smaller > 60, "only {smaller} blocks became smaller");
}
