//! Bindings and steps against what they are by definition.

use std::collections::BTreeMap;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use sapa_ir::goto::generate::generate;
use sapa_ir::goto::{
    BlockId, Function, Instruction, Location, Module, Op, Operand, SourceVariable, Target,
    Terminator, TerminatorKind, Type, ValueId, VariableId,
};

use super::binding::Bindings;
use super::leaf::{Instance, Leaf, Symbols};
use super::memory::CellId;
use super::step::{Growing, Step};
use crate::solver::TermId;

/// Forward data flow over the tagged definitions, place by place: a variable is bound as long as
/// all paths agree.
fn naive(function: &Function) -> BTreeMap<(BlockId, u32), BTreeMap<VariableId, ValueId>> {
    type State = BTreeMap<VariableId, ValueId>;
    let mut starts: Vec<Option<State>> = vec![None; function.blocks.len()];
    starts[Function::ENTRY.index()] = Some(State::new());
    let mut places = BTreeMap::new();
    let mut work = vec![Function::ENTRY];
    while let Some(block) = work.pop() {
        let data = function.block(block);
        let mut state = starts[block.index()].clone().unwrap_or_default();
        let define = |value: ValueId, state: &mut State| {
            if let Some(variable) = function.values[value.index()].variable {
                state.insert(variable, value);
            }
        };
        data.parameters.iter().for_each(|&parameter| define(parameter, &mut state));
        for (index, instruction) in (0..).zip(&data.instructions) {
            places.insert((block, index), state.clone());
            instruction.result.iter().for_each(|&result| define(result, &mut state));
        }
        let end = u32::try_from(data.instructions.len()).expect("a small block");
        places.insert((block, end), state.clone());
        data.terminator.kind.for_each_target(|target| {
            let slot = &mut starts[target.block.index()];
            let merged: State = match slot {
                None => state.clone(),
                Some(old) => old
                    .iter()
                    .filter(|(variable, value)| state.get(variable) == Some(value))
                    .map(|(&k, &v)| (k, v))
                    .collect(),
            };
            if slot.as_ref() != Some(&merged) {
                *slot = Some(merged);
                work.push(target.block);
            }
        });
    }
    places
}

fn expect_same(function: &Function) -> usize {
    let bindings = Bindings::new(function);
    let mut bound = 0;
    let places = naive(function);
    for (&place, expected) in &places {
        let found: BTreeMap<VariableId, ValueId> = bindings.at(place).collect();
        assert_eq!(&found, expected, "at {place:?} of\n{function:?}");
        bound += found.len();
    }
    for (block, _) in function.blocks() {
        if !places.contains_key(&(block, 0)) {
            assert_eq!(bindings.at((block, 0)).count(), 0, "{block:?} is unreachable");
        }
    }
    bound
}

#[test]
fn bindings_of_random_modules_are_those_of_data_flow() {
    let mut bound = 0;
    for seed in 0..500 {
        let module: Module = generate(seed);
        for function in module.functions.iter().filter(|function| function.is_defined()) {
            bound += expect_same(function);
        }
    }
    assert!(bound > 1000, "only {bound} bindings");
}

/// Any graph of blocks with definitions of three variables. Nothing is read, so that it need not
/// keep the law of dominance.
fn jungle(seed: u64) -> Function {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut function = Function::declaration("f".to_owned(), Vec::new(), None, Location::default());
    for name in ["a", "b", "c"] {
        let ty = Type::Int(8);
        function.add_variable(SourceVariable { name: name.to_owned(), ty, signed: false });
    }
    let count = random.random_range(1..12);
    let location = Location::default();
    for _ in 0..count {
        let mut parameters = Vec::new();
        let mut instructions = Vec::new();
        let mut value = |random: &mut SmallRng| {
            let variable = random.random_range(0..5);
            let variable = (variable < 3).then(|| VariableId::new(variable));
            function.add_value(Type::Int(8), variable)
        };
        for _ in 0..random.random_range(0..2) {
            parameters.push(value(&mut random));
        }
        for _ in 0..random.random_range(0..3) {
            let result = Some(value(&mut random));
            instructions.push(Instruction {
                op: Op::Nondet { unmodelled: None },
                result,
                location,
            });
        }
        let mut target =
            || Target { block: BlockId::new(random.random_range(0..count)), arguments: Vec::new() };
        let (then, otherwise) = (target(), target());
        let kind = match random.random_range(0..4) {
            0 => TerminatorKind::Halt,
            1 => TerminatorKind::Jump(then),
            _ => TerminatorKind::Branch { condition: Operand::bool(true), then, otherwise },
        };
        let terminator = Terminator { kind, location };
        function.blocks.push(sapa_ir::goto::Block { parameters, instructions, terminator });
    }
    function
}

#[test]
fn bindings_of_any_graph_are_those_of_data_flow() {
    let bound: usize = (0..3000).map(|seed| expect_same(&jungle(seed))).sum();
    assert!(bound > 1000, "only {bound} bindings");
}

/// Leaves that steps update.
fn leaves(symbols: &mut Symbols) -> Vec<(Leaf, TermId)> {
    let all = (0..6).map(|n| Leaf::Cell(CellId(n)));
    all.map(|leaf| (leaf, symbols.variable(leaf, Instance::Active, 8))).collect()
}

/// A random term over leaves.
fn term(symbols: &mut Symbols, leaves: &[(Leaf, TermId)], random: &mut SmallRng) -> TermId {
    let mut term = leaves[random.random_range(0..leaves.len())].1;
    for _ in 0..random.random_range(0..4) {
        let other = leaves[random.random_range(0..leaves.len())].1;
        term = match random.random_range(0..4) {
            0 => symbols.store.add(term, other),
            1 => symbols.store.bvxor(other, term),
            2 => symbols.store.mul(term, other),
            _ => {
                let condition = symbols.store.ult(term, other);
                symbols.store.ite(condition, other, term)
            }
        };
    }
    term
}

#[test]
fn a_growing_step_says_what_its_updates_say() {
    for seed in 0..300 {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut symbols = Symbols::default();
        let leaves = leaves(&mut symbols);
        let mut growing = Growing::default();
        let mut updates: FxHashMap<TermId, TermId> = FxHashMap::default();
        for _ in 0..20 {
            let after = term(&mut symbols, &leaves, &mut random);
            let expected = symbols.store.substitute(after, &updates);
            assert_eq!(growing.before(&mut symbols, after), expected, "seed {seed}");
            assert_eq!(growing.step.before(&mut symbols, after), expected, "seed {seed}");
            if random.random_bool(0.5) {
                let (leaf, variable) = leaves[random.random_range(0..leaves.len())];
                updates.insert(variable, expected);
                growing.update(&symbols, leaf, expected);
            }
        }
    }
}

#[test]
fn a_step_and_then_another_is_both() {
    for seed in 0..300 {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut symbols = Symbols::default();
        let leaves = leaves(&mut symbols);
        let mut both = Growing::default();
        let mut steps: Vec<Step> = Vec::new();
        for _ in 0..6 {
            let mut step = Step::default();
            for &(leaf, variable) in &leaves {
                if random.random_bool(0.4) {
                    let value = term(&mut symbols, &leaves, &mut random);
                    step.updates.insert_mut(leaf, value);
                }
                if random.random_bool(0.1) {
                    let other = term(&mut symbols, &leaves, &mut random);
                    let guard = symbols.store.ult(variable, other);
                    step.assume_before(&symbols, guard, Location::default());
                }
            }
            let more = both.then(&mut symbols, &step, 0);
            both.add(&symbols, more);
            steps.push(step);
        }
        // From the last step to the first one.
        for &(_, variable) in &leaves {
            let mut expected = variable;
            for step in steps.iter().rev() {
                expected = step.before(&mut symbols, expected);
            }
            assert_eq!(both.step.before(&mut symbols, variable), expected, "seed {seed}");
        }
        let mut guards = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            for guard in &step.guards {
                let mut expected = guard.term;
                for step in steps[..number].iter().rev() {
                    expected = step.before(&mut symbols, expected);
                }
                guards.push(expected);
            }
        }
        for guard in guards {
            let is_known = both.step.guards.iter().any(|known| known.term == guard);
            assert!(is_known || symbols.store.as_boolean(guard) == Some(true), "seed {seed}");
        }
    }
}
