//! What was found, as facts of the module.

use sapa_ir::goto::arithmetic::{mask, signed};
use sapa_ir::goto::{
    BinaryOp, BlockId, CompareOp, Expression, Function, Instruction, Invariant, Op, Operand,
    ValueId,
};

use super::body::Body;
use super::cells::{Access, Cells};
use super::inequalities::{Form, Reading};
use super::range::Range;
use super::threads::Threads;
use super::walk::{Variable, Walk};
use crate::linear::Sum;

/// In functions with more places where sections begin facts are noted at the heads of loops only.
const MOST_SECTIONS: usize = 48;

/// All facts: conditions of assertions that hold, and what holds at the heads of loops, where functions begin, and where
/// sections begin that others may act before.
pub(super) fn of(threads: &Threads<'_>) -> Vec<Invariant> {
    let mut found = Vec::new();
    for (at, body) in threads.bodies.iter().enumerate() {
        let mut blocks = body.order.clone();
        blocks.sort_unstable();
        let sections = blocks.iter().map(|block| {
            let count = body.function.block(*block).instructions.len();
            (0..count).filter(|index| begins_section(threads, at, *block, *index)).count()
        });
        let has_few = sections.sum::<usize>() <= MOST_SECTIONS;
        for block in blocks {
            in_block(threads, (at, block), has_few, &mut found);
        }
    }
    found
}

fn fact(body: &Body<'_>, block: BlockId, index: usize, expression: Expression) -> Invariant {
    let index = u32::try_from(index).expect("blocks fit in memory");
    let by = super::PASS.name.to_owned();
    Invariant { function: body.id, block, index, expression, by }
}

/// Whether an instruction begins an atomic section, or is one for itself: others may act before it, if they
/// may at all.
fn begins_section(threads: &Threads<'_>, at: usize, block: BlockId, index: usize) -> bool {
    let body = &threads.bodies[at];
    let op = &body.function.block(block).instructions[index].op;
    matches!(op, Op::AtomicBegin(_))
        || *threads.cells.at(body.id, block.index(), index) != Access::None
}

/// Whether an instruction neither reads nor changes what others see.
fn is_unseen(instruction: &Instruction) -> bool {
    instruction.op.is_pure() || matches!(instruction.op, Op::Nondet { .. })
}

/// The facts of a block.
fn in_block(
    threads: &Threads<'_>,
    (at, block): (usize, BlockId),
    with_sections: bool,
    found: &mut Vec<Invariant>,
) {
    let body = &threads.bodies[at];
    let code = &body.function.block(block).instructions;
    let is_head = body.headers.contains(&block);
    let has_assertions = code.iter().any(|instruction| matches!(instruction.op, Op::Assert { .. }));
    if !(is_head || has_assertions || with_sections) {
        return;
    }
    let mut walk = threads.walk(at, block);
    for index in 0..=code.len() {
        walk = walk.filter(|walk| !walk.is_dead());
        let instruction = code.get(index);
        if let Some(Instruction { op: Op::Assert { condition, .. }, .. }) = instruction {
            let holds = match (*condition, &walk) {
                (_, None) => Some(Expression::Int { bits: 1, value: 0 }),
                (Operand::Value(value), Some(walk)) if walk.entails(*condition, true) => {
                    Some(Expression::Value { function: body.id, value })
                }
                _ => None,
            };
            found.extend(holds.map(|holds| fact(body, block, index, holds)));
        }
        let Some(walk) = &mut walk else { continue };
        let is_place = with_sections && walk.is_interruptible();
        // A new thread waits where its function begins: from there it comes to its first section by what others do not see.
        let at_start = || block == Function::ENTRY && code[..index].iter().all(is_unseen);
        let is_start = is_place && block == Function::ENTRY && index == 0;
        let is_section = is_place
            && index < code.len()
            && begins_section(threads, at, block, index)
            && !at_start();
        if (is_head && index == 0) || is_section || is_start {
            at_place(threads, walk, (at, block, index), found);
        }
        if let Some(instruction) = instruction {
            walk.step(block, index, instruction);
        }
    }
}

/// What holds at a place whatever others do while a thread is there.
fn at_place(
    threads: &Threads<'_>,
    walk: &Walk<'_>,
    (at, block, index): (usize, BlockId, usize),
    found: &mut Vec<Invariant>,
) {
    let body = &threads.bodies[at];
    let mut walk = walk.clone();
    walk.await_others(block, index);
    let Some(state) = walk.here(&body.live_at(block, index)) else { return };
    let mut push = |expression| found.push(fact(body, block, index, expression));
    let is_real = |variable: &Variable| match variable {
        Variable::Cell(cell) => !threads.cells.is_contribution(*cell),
        _ => true,
    };
    let mut system = state.system;
    for variable in system.variables().iter().filter(|variable| !is_real(variable)) {
        system.eliminate(variable);
    }
    for row in system.rows() {
        push(equation(&row.map(|variable| read(body, threads.cells, *variable))));
    }
    for (&variable, range) in state.ranges.iter().filter(|(variable, _)| is_real(variable)) {
        bounds(&read(body, threads.cells, variable), range).into_iter().for_each(&mut push);
    }
    let mut sums = state.sums.clone();
    for counted in threads.counts.sums_at(body.id, block, index) {
        let width = counted.range.width();
        let sum = counted.sum(|cell| Sum::variable(width, Variable::Cell(cell)));
        sums.add(&sum, counted.range);
    }
    for (sum, range) in sums.telling(&state.ranges) {
        if !sum.coefficients.keys().all(is_real) {
            continue;
        }
        let sum = total(&sum.map(|variable| read(body, threads.cells, *variable)));
        bounds(&sum, range).into_iter().for_each(&mut push);
    }
    for (form, least) in state.inequalities.iter() {
        if !form.variables().all(is_real) {
            continue;
        }
        inequality(form, least, |variable| read(body, threads.cells, *variable))
            .into_iter()
            .for_each(&mut push);
    }
}

fn read(body: &Body<'_>, cells: &Cells, variable: Variable) -> Expression {
    let function = body.id;
    let value = |value: ValueId| Expression::Value { function, value };
    match variable {
        Variable::Cell(id) | Variable::NextCell(id) => cells.all[id as usize].read.clone(),
        Variable::Value(id) | Variable::NextValue(id) => value(id),
        Variable::Fresh(_) => unreachable!("no state is over what was read in a block"),
    }
}

fn compare(op: CompareOp, a: Expression, b: Expression) -> Expression {
    Expression::Compare { op, a: Box::new(a), b: Box::new(b) }
}

/// That `b - a` is at least a number, as far as that needs no number below 0: `a + c` would wrap.
fn inequality<V: Ord + Clone>(
    form: &Form<V>,
    least: i128,
    read: impl Fn(&V) -> Expression,
) -> Option<Expression> {
    let (a, b) = form.sides()?;
    let (a, b) = (read(a), read(b));
    let (less, at_most) = match form.reading() {
        Reading::Unsigned => (CompareOp::UnsignedLt, CompareOp::UnsignedLe),
        Reading::Signed => (CompareOp::SignedLt, CompareOp::SignedLe),
    };
    match least {
        0 => Some(compare(at_most, a, b)),
        1 => Some(compare(less, a, b)),
        2.. => {
            let apart = int(form.width(), least as u128);
            let a = Expression::Binary { op: BinaryOp::Add, a: Box::new(a), b: Box::new(apart) };
            Some(compare(at_most, a, b))
        }
        _ => None,
    }
}

/// A constant of a width that an integer of the module has, which the verifier keeps within 128.
fn int(width: u32, value: u128) -> Expression {
    let bits = u16::try_from(width).expect("widths are at most 128");
    Expression::Int { bits, value: value & mask(bits) }
}

/// A sum that is zero: what has a negative coefficient stands on the right.
fn equation(sum: &Sum<Expression>) -> Expression {
    let int = |value| int(sum.width, value);
    let [mut left, mut right] = sides(sum);
    let constant = signed(sum.constant, sum.width);
    if constant < 0 && left.is_some() {
        plus(&mut right, int(constant.unsigned_abs()));
    } else if constant != 0 {
        plus(&mut left, int(sum.constant));
    }
    compare(CompareOp::Eq, left.unwrap_or(int(0)), right.unwrap_or(int(0)))
}

/// A sum without its constant.
fn total(sum: &Sum<Expression>) -> Expression {
    let int = int(sum.width, 0);
    match sides(sum) {
        [left, None] => left.unwrap_or(int),
        [left, Some(right)] => {
            let (a, b) = (Box::new(left.unwrap_or(int)), Box::new(right));
            Expression::Binary { op: BinaryOp::Sub, a, b }
        }
    }
}

fn plus(side: &mut Option<Expression>, term: Expression) {
    *side = Some(match side.take() {
        None => term,
        Some(sum) => Expression::Binary { op: BinaryOp::Add, a: Box::new(sum), b: Box::new(term) },
    });
}

/// What is added in a sum, and what is taken away, without its constant.
fn sides(sum: &Sum<Expression>) -> [Option<Expression>; 2] {
    let (mut left, mut right) = (None, None);
    for (term, &coefficient) in &sum.coefficients {
        let factor = signed(coefficient, sum.width);
        let side = if factor < 0 { &mut right } else { &mut left };
        let value = factor.unsigned_abs() & mask(sum.width);
        let times = match value {
            1 => term.clone(),
            value => {
                let factor = Box::new(int(sum.width, value));
                Expression::Binary { op: BinaryOp::Mul, a: factor, b: Box::new(term.clone()) }
            }
        };
        plus(side, times);
    }
    [left, right]
}

/// Bounds that are not those of all values: the signed ones, or else the unsigned ones.
fn bounds(of: &Expression, range: &Range) -> Vec<Expression> {
    let [(all_unsigned, unsigned), (all_signed, signed)] =
        Range::all(range.width()).bounds().into_iter().zip(range.bounds()).collect::<Vec<_>>()[..]
    else {
        return Vec::new();
    };
    let int = |value: i128| int(range.width(), value as u128);
    let (all, (low, high), op) = if signed == all_signed {
        (all_unsigned, unsigned, CompareOp::UnsignedLe)
    } else {
        (all_signed, signed, CompareOp::SignedLe)
    };
    if low == high || range.is_all() {
        // An equation says it.
        return Vec::new();
    }
    let mut found = Vec::new();
    if low != all.0 {
        found.push(compare(op, int(low), of.clone()));
    }
    if high != all.1 {
        found.push(compare(op, of.clone(), int(high)));
    }
    // Of powers of two there are equations.
    if let Some((modulus, rest)) = range.congruence().filter(|(m, _)| !m.is_power_of_two()) {
        let (a, b) = (Box::new(of.clone()), Box::new(int(modulus as i128)));
        let remainder = Expression::Binary { op: BinaryOp::UnsignedRem, a, b };
        found.push(compare(CompareOp::Eq, remainder, int(rest as i128)));
    }
    found
}
