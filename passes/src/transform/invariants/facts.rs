//! What was found, as facts of the module.

use sapa_ir::goto::arithmetic::{mask, signed};
use sapa_ir::goto::{BinaryOp, BlockId, CompareOp, Expression, Invariant, Op, Operand, ValueId};

use super::body::Body;
use super::cells::Cells;
use super::inequalities::{Form, Reading};
use super::range::Range;
use super::threads::Threads;
use super::walk::Variable;
use crate::linear::Sum;

/// All facts: conditions of assertions that hold, and what holds at the heads of loops.
pub(super) fn of(threads: &Threads<'_>) -> Vec<Invariant> {
    let mut found = Vec::new();
    for (at, body) in threads.bodies.iter().enumerate() {
        let mut blocks = body.order.clone();
        blocks.sort_unstable();
        for block in blocks {
            if body.headers.contains(&block) {
                at_head(threads, at, block, &mut found);
            }
            assertions(threads, at, block, &mut found);
        }
    }
    found
}

fn fact(body: &Body<'_>, block: BlockId, index: usize, expression: Expression) -> Invariant {
    let index = u32::try_from(index).expect("blocks fit in memory");
    let by = super::PASS.name.to_owned();
    Invariant { function: body.id, block, index, expression, by }
}

/// The assertions of a block that hold.
fn assertions(threads: &Threads<'_>, at: usize, block: BlockId, found: &mut Vec<Invariant>) {
    let body = &threads.bodies[at];
    let code = &body.function.block(block).instructions;
    if !code.iter().any(|instruction| matches!(instruction.op, Op::Assert { .. })) {
        return;
    }
    let mut walk = threads.walk(at, block);
    for (index, instruction) in code.iter().enumerate() {
        walk = walk.filter(|walk| !walk.is_dead());
        if let Op::Assert { condition, .. } = &instruction.op {
            let holds = match (*condition, &walk) {
                (_, None) => Some(Expression::Int { bits: 1, value: 0 }),
                (Operand::Value(value), Some(walk)) if walk.entails(*condition, true) => {
                    Some(Expression::Value { function: body.id, value })
                }
                _ => None,
            };
            found.extend(holds.map(|holds| fact(body, block, index, holds)));
        }
        if let Some(walk) = &mut walk {
            walk.step(block, index, instruction);
        }
    }
}

/// What holds at the head of a loop.
fn at_head(threads: &Threads<'_>, at: usize, block: BlockId, found: &mut Vec<Invariant>) {
    let body = &threads.bodies[at];
    let Some(state) = &threads.states[at][block.index()] else { return };
    let mut push = |expression| found.push(fact(body, block, 0, expression));
    for row in state.system.rows() {
        push(equation(&row.map(|variable| read(body, threads.cells, *variable))));
    }
    for (&variable, range) in &state.ranges {
        bounds(&read(body, threads.cells, variable), range).into_iter().for_each(&mut push);
    }
    for (form, least) in state.inequalities.iter() {
        inequality(form, least, |variable| read(body, threads.cells, *variable))
            .into_iter()
            .for_each(&mut push);
    }
    let is_interruptible = body.depths[block.index()] == 0 && !body.alone[block.index()];
    if let Some(shared) = threads.shared.as_ref().filter(|_| is_interruptible) {
        let cell = |id: u32| threads.cells.all[id as usize].read.clone();
        for row in shared.groups.get(&None).iter().flat_map(|group| group.system.rows()) {
            if row.coefficients.keys().any(|id| body.foreign.contains(id)) {
                push(equation(&row.map(|id| cell(*id))));
            }
        }
        let inequalities = shared.groups.get(&None).map(|group| group.inequalities.iter());
        for (form, least) in inequalities.into_iter().flatten() {
            inequality(form, least, |id| cell(*id)).into_iter().for_each(&mut push);
        }
        for &id in &body.foreign {
            bounds(&cell(id), &shared.ever[id as usize]).into_iter().for_each(&mut push);
        }
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
            let bits = u16::try_from(form.width()).expect("widths are at most 128");
            let apart = Expression::Int { bits, value: least as u128 & mask(bits) };
            let a = Expression::Binary { op: BinaryOp::Add, a: Box::new(a), b: Box::new(apart) };
            Some(compare(at_most, a, b))
        }
        _ => None,
    }
}

/// A sum that is zero: what has a negative coefficient stands on the right.
fn equation(sum: &Sum<Expression>) -> Expression {
    let bits = u16::try_from(sum.width).expect("widths are at most 128");
    let int = |value: u128| Expression::Int { bits, value: value & mask(bits) };
    let plus = |side: &mut Option<Expression>, term: Expression| {
        *side = Some(match side.take() {
            None => term,
            Some(sum) => {
                Expression::Binary { op: BinaryOp::Add, a: Box::new(sum), b: Box::new(term) }
            }
        });
    };
    let (mut left, mut right) = (None, None);
    for (term, &coefficient) in &sum.coefficients {
        let factor = signed(coefficient, bits);
        let side = if factor < 0 { &mut right } else { &mut left };
        let times = |factor: u128| match factor {
            1 => term.clone(),
            _ => Expression::Binary {
                op: BinaryOp::Mul,
                a: Box::new(int(factor)),
                b: Box::new(term.clone()),
            },
        };
        plus(side, times(factor.unsigned_abs() & mask(bits)));
    }
    let constant = signed(sum.constant, bits);
    if constant < 0 && left.is_some() {
        plus(&mut right, int(constant.unsigned_abs()));
    } else if constant != 0 {
        plus(&mut left, int(sum.constant));
    }
    compare(CompareOp::Eq, left.unwrap_or(int(0)), right.unwrap_or(int(0)))
}

/// Bounds that are not those of all values: the signed ones, or else the unsigned ones.
fn bounds(of: &Expression, range: &Range) -> Vec<Expression> {
    let [(all_unsigned, unsigned), (all_signed, signed)] =
        Range::all(range.width()).bounds().into_iter().zip(range.bounds()).collect::<Vec<_>>()[..]
    else {
        return Vec::new();
    };
    let bits = u16::try_from(range.width()).expect("widths are at most 128");
    let int = |value: i128| Expression::Int { bits, value: value as u128 & mask(bits) };
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
    found
}
