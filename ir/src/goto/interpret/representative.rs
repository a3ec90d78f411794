//! Values of a choice that stand for all: whatever is chosen, the program does what it does for one
//! of them.
//!
//! A choice that is only compared with constants, or only read through a remainder, has few of them.
//! So a search that goes through these has gone through all runs.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::goto::arithmetic::{binary, cast, compare, mask};
use crate::goto::entity::{BlockId, FunctionId, ValueId};
use crate::goto::function::Function;
use crate::goto::instruction::{BinaryOp, CastOp, CompareOp, Op, Operand, TerminatorKind};
use crate::goto::module::Module;
use crate::goto::types::Type;

/// Most values that stand for a choice: a search takes them all in turn.
const MOST: usize = 16;

/// Most reads of a choice that are looked at, as there is seldom an answer where there are many.
const MOST_READS: usize = 1 << 12;

/// Representatives of the choices that a search comes to, computed when they are asked for.
#[derive(Debug)]
pub(super) struct Representatives<'m> {
    module: &'m Module,
    readers: FxHashMap<FunctionId, Readers>,
    known: FxHashMap<(FunctionId, ValueId), Option<Vec<u128>>>,
}

/// Where each value of a function is read: instructions by block and index, the terminator as the one
/// behind the last.
type Readers = FxHashMap<ValueId, Vec<(BlockId, usize)>>;

impl<'m> Representatives<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Self { module, readers: FxHashMap::default(), known: FxHashMap::default() }
    }

    /// The values that stand for all of a value that may be any; `None` if more than a few are
    /// needed, or it is not known which.
    pub(super) fn of(&mut self, function: FunctionId, value: ValueId) -> Option<&[u128]> {
        let Self { module, readers, known } = self;
        let find = || {
            let code = module.function(function);
            let readers = readers.entry(function).or_insert_with(|| readers_in(code));
            representatives(code, readers, value)
        };
        known.entry((function, value)).or_insert_with(find).as_deref()
    }
}

/// What a value is read by.
struct Gate {
    /// What it is widened by before: conversions with the width before and behind each.
    widened: Vec<(CastOp, u16, u16)>,
    test: Test,
}

enum Test {
    /// A comparison with a constant, which may be on the left.
    Compare { op: CompareOp, constant: u128, is_left: bool },
    /// A remainder by a constant, or the lowest bits.
    Reduce { op: BinaryOp, constant: u128 },
}

fn readers_in(function: &Function) -> Readers {
    let mut readers = Readers::default();
    for (id, block) in function.blocks() {
        let mut read = |operand: Operand, index: usize| {
            let Some(value) = operand.value() else { return };
            let places = readers.entry(value).or_default();
            if places.last() != Some(&(id, index)) {
                places.push((id, index));
            }
        };
        for (index, instruction) in block.instructions.iter().enumerate() {
            instruction.op.for_each_operand(|operand| read(operand, index));
        }
        let end = block.instructions.len();
        block.terminator.kind.for_each_operand(|operand| read(operand, end));
    }
    readers
}

fn representatives(function: &Function, readers: &Readers, value: ValueId) -> Option<Vec<u128>> {
    let gates = gates(function, readers, value)?;
    if gates.is_empty() {
        return Some(vec![0]);
    }
    let Type::Int(bits) = function.operand_type(Operand::Value(value)) else { return None };
    let mut candidates = vec![0, 1, mask(bits)];
    let is_reduced = |gate: &Gate| matches!(gate.test, Test::Reduce { .. });
    if gates.iter().any(is_reduced) {
        candidates.extend(reduced(bits, &gates)?);
    } else {
        // The answers of comparisons change at their constants, and where the sign does.
        let half = 1u128 << (bits - 1);
        candidates.extend([half.wrapping_sub(1), half, half + 1]);
        for gate in &gates {
            let Test::Compare { constant, .. } = gate.test else { continue };
            candidates.extend([constant, constant.wrapping_add(1), constant.wrapping_sub(1)]);
        }
    }
    let mut found: Vec<u128> = Vec::new();
    let mut answers: Vec<Vec<u128>> = Vec::new();
    for candidate in candidates.into_iter().map(|value| value & mask(bits)) {
        let answer =
            gates.iter().map(|gate| gate.answer(candidate, bits)).collect::<Option<_>>()?;
        if !answers.contains(&answer) {
            answers.push(answer);
            found.push(candidate);
        }
    }
    found.sort_unstable();
    (found.len() <= MOST).then_some(found)
}

/// The values of all answers of one reduction; `None` unless all gates are the same, and reduce the
/// same number: as `-7` and as `249`, a value has remainders that say little of each other.
fn reduced(bits: u16, gates: &[Gate]) -> Option<Vec<u128>> {
    let mut found = Vec::new();
    let mut first = None;
    for gate in gates {
        let Test::Reduce { op, constant } = gate.test else { return None };
        let sign = match op {
            BinaryOp::SignedRem => Some(gate.sign()?),
            _ => None,
        };
        let reduces = (op, constant, sign);
        if *first.get_or_insert(reduces) != reduces {
            return None;
        }
        let most = u128::try_from(MOST).ok()?;
        let is_widened_by = |what: CastOp| gate.widened.iter().all(|&(op, ..)| op == what);
        let count = match op {
            BinaryOp::UnsignedRem if is_widened_by(CastOp::ZeroExtend) => constant,
            BinaryOp::SignedRem => constant,
            BinaryOp::And => constant.checked_add(1).filter(|count| count.is_power_of_two())?,
            _ => return None,
        };
        if count == 0 || count > most {
            return None;
        }
        found.extend(0..count);
        if op == BinaryOp::SignedRem {
            found.extend((1..count).map(|value| value.wrapping_neg() & mask(bits)));
        }
    }
    // A narrow value may not have all the answers, and has no others than these.
    found.retain(|value| value & mask(bits) == *value);
    Some(found)
}

/// All that reads a value, also where it is one of those that a selection or a block parameter has;
/// `None` if something else does than gates, or very many do.
fn gates(function: &Function, readers: &Readers, value: ValueId) -> Option<Vec<Gate>> {
    let mut gates = Vec::new();
    let mut open = vec![(value, Vec::new())];
    let mut known: FxHashSet<_> = open.iter().cloned().collect();
    let mut looked_at = 0;
    while let Some((value, widened)) = open.pop() {
        let mut reach = |value: ValueId, widened: Vec<_>| {
            let reached = (value, widened);
            if known.insert(reached.clone()) {
                open.push(reached);
            }
        };
        for &(block, index) in readers.get(&value).into_iter().flatten() {
            looked_at += 1;
            if looked_at > MOST_READS {
                return None;
            }
            let block = function.block(block);
            let Some(instruction) = block.instructions.get(index) else {
                for parameter in passed_on(function, &block.terminator.kind, value)? {
                    reach(parameter, widened.clone());
                }
                continue;
            };
            let reads = |operand: Operand| operand.value() == Some(value);
            let test = match (&instruction.op, instruction.result) {
                (Op::Copy { .. }, Some(result)) => {
                    reach(result, widened.clone());
                    continue;
                }
                (Op::Select { condition, .. }, Some(result)) if !reads(*condition) => {
                    reach(result, widened.clone());
                    continue;
                }
                (Op::Cast { op: op @ (CastOp::ZeroExtend | CastOp::SignExtend), a }, Some(to)) => {
                    let (Type::Int(before), Type::Int(behind)) =
                        (function.operand_type(*a), function.operand_type(Operand::Value(to)))
                    else {
                        return None;
                    };
                    let mut widened = widened.clone();
                    widened.push((*op, before, behind));
                    reach(to, widened);
                    continue;
                }
                (&Op::Compare { op, a, b: Operand::Int { value, .. } }, _) if reads(a) => {
                    Test::Compare { op, constant: value, is_left: false }
                }
                (&Op::Compare { op, a: Operand::Int { value, .. }, .. }, _) => {
                    Test::Compare { op, constant: value, is_left: true }
                }
                (&Op::Binary { op, a, b: Operand::Int { value, .. }, .. }, _) if reads(a) => {
                    Test::Reduce { op, constant: value }
                }
                _ => return None,
            };
            gates.push(Gate { widened: widened.clone(), test });
        }
    }
    Some(gates)
}

/// The parameters of blocks that a terminator gives a value to; `None` if it also decides by it.
fn passed_on(function: &Function, kind: &TerminatorKind, value: ValueId) -> Option<Vec<ValueId>> {
    let reads = |operand: Operand| operand.value() == Some(value);
    let mut passed = Vec::new();
    kind.for_each_target(|target| {
        let parameters = &function.block(target.block).parameters;
        let pairs = target.arguments.iter().zip(parameters);
        passed.extend(pairs.filter(|(argument, _)| reads(**argument)).map(|(_, &p)| p));
    });
    let mut read = 0;
    kind.for_each_operand(|operand| read += usize::from(reads(operand)));
    (read <= passed.len()).then_some(passed)
}

impl Gate {
    /// Whether the value counts as signed when it is widened; `None` if a signed one becomes an unsigned one.
    fn sign(&self) -> Option<bool> {
        let mut widened = self.widened.iter().map(|&(op, ..)| op);
        if widened.clone().next() == Some(CastOp::ZeroExtend) {
            return Some(false);
        }
        widened.all(|op| op == CastOp::SignExtend).then_some(true)
    }

    /// What comes of a value of a width.
    fn answer(&self, value: u128, bits: u16) -> Option<u128> {
        let mut value = (value, bits);
        for &(op, before, behind) in &self.widened {
            value = (cast(op, value.0, before, behind)?, behind);
        }
        let (value, bits) = value;
        Some(match self.test {
            Test::Compare { op, constant, is_left: false } => {
                compare(op, value, constant, bits).into()
            }
            Test::Compare { op, constant, is_left: true } => {
                compare(op, constant, value, bits).into()
            }
            Test::Reduce { op, constant } => binary(op, value, constant, bits),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    /// A function that chooses a byte and reads it through up to three gates.
    fn program(random: &mut SmallRng) -> String {
        let mut text = "gir 1\ndefine @main() {\nbb0:\n  %0: i8 = nondet\n".to_owned();
        let mut next = 1;
        let mut line = |text: &mut String, bits: &str, line: String| {
            *text += &format!("  %{next}: {bits} = {line}\n");
            next += 1;
            next - 1
        };
        let is_reduced = random.random_bool(0.5);
        let reduction = ["urem", "srem", "srem", "and"][random.random_range(0..4)];
        let divisor = [2, 3, 6, 7, 15][random.random_range(0..5)];
        for _ in 0..random.random_range(1..=3) {
            let mut value = 0;
            let mut bits = 8u16;
            for wider in [16u16, 32] {
                if random.random_bool(0.6) {
                    let cast = ["zext", "sext"][random.random_range(0..2)];
                    value = line(&mut text, &format!("i{wider}"), format!("{cast} %{value}"));
                    bits = wider;
                }
            }
            if is_reduced {
                let gate = format!("{reduction} %{value}, {divisor}i{bits}");
                line(&mut text, &format!("i{bits}"), gate);
                continue;
            }
            let compare = ["eq", "ne", "ult", "ule", "slt", "sle"][random.random_range(0..6)];
            let constant = random.random_range(0..320u128).wrapping_sub(160) & mask(bits);
            let (value, constant) = (format!("%{value}"), format!("{constant}i{bits}"));
            let (a, b) =
                if random.random_bool(0.5) { (value, constant) } else { (constant, value) };
            line(&mut text, "i1", format!("{compare} {a}, {b}"));
        }
        text + "  return\n}\nentry @main\n"
    }

    #[test]
    fn each_value_is_read_as_a_representative_is() {
        let mut random = SmallRng::seed_from_u64(5);
        let (mut found, mut reduced) = (0, 0);
        for _ in 0..2_000 {
            let text = program(&mut random);
            let module = crate::goto::parse(&text, "test").unwrap_or_else(|e| panic!("{e:?}"));
            let function = &module.functions[0];
            let chosen = ValueId::new(0);
            let readers = readers_in(function);
            let Some(values) = representatives(function, &readers, chosen) else { continue };
            found += 1;
            reduced += u32::from(text.contains("rem") || text.contains("and"));
            let gates = gates(function, &readers, chosen).expect("they were found");
            let answers = |value: u128| -> Vec<Option<u128>> {
                gates.iter().map(|gate| gate.answer(value, 8)).collect()
            };
            let known: BTreeSet<Vec<Option<u128>>> =
                values.iter().map(|&value| answers(value)).collect();
            for value in 0..256 {
                assert!(known.contains(&answers(value)), "{value} of {values:?}:\n{text}");
            }
        }
        assert!(found > 500 && reduced > 100, "{found}, {reduced}");
    }
}
