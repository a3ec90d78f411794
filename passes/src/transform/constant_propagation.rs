//! `constant-propagation`: sparse conditional constant propagation (Wegman and
//! Zadeck, TOPLAS 1991) over block parameters.
//!
//! Computations with a known result become copies of it, branches and switches
//! with a known outcome become jumps, and blocks that are then unreachable go.
//! A signed operation that overflows where that is undefined is not evaluated:
//! it cuts the run off.

use std::collections::{BTreeSet, HashMap, VecDeque};

use sapa_ir::goto::arithmetic;
use sapa_ir::goto::{
    BinaryOp, Block, BlockId, CompareOp, Function, FunctionId, Initializer, Module, Op, Operand,
    SignedOverflow, Target, TerminatorKind, Type, UnaryOp, ValueId,
};

use super::unreachable;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "constant-propagation",
    summary: "evaluate what is constant, and drop branches that are never taken",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, _: &mut Context<'_>) -> Result<bool, PassError> {
    Ok(propagate(module, id))
}

/// Evaluates what is constant in a function that has a body; whether there was anything.
pub(super) fn propagate(module: &mut Module, id: FunctionId) -> bool {
    let (facts, _) = Propagation::new(module, id).run();
    rewrite(&mut module.functions[id.index()], &facts)
}

/// What an operand of a function that has a body is known to be: a constant, or itself.
pub(super) fn known(module: &Module, id: FunctionId) -> impl Fn(Operand) -> Operand + use<> {
    let (facts, _) = Propagation::new(module, id).run();
    move |operand| match facts.operand(operand) {
        Fact::Constant(constant) => constant,
        Fact::Undefined | Fact::Varies => operand,
    }
}

/// The blocks of a function that has a body that an execution may come to, by their numbers.
pub(super) fn reached(module: &Module, id: FunctionId) -> Vec<bool> {
    Propagation::new(module, id).run().1
}

/// Where blocks of a function that has a body go on in any case, given what a value is since it was defined last.
pub(super) fn ways_given(
    module: &Module,
    id: FunctionId,
    (value, constant): (ValueId, Operand),
) -> HashMap<BlockId, BlockId> {
    let function = module.function(id);
    let mut facts = Facts { values: vec![Fact::Varies; function.values.len()] };
    let Some(fact) = facts.values.get_mut(value.index()) else { return HashMap::new() };
    *fact = Fact::Constant(constant);
    // Parameters of blocks may come from before that, so they stay unknown.
    loop {
        let mut is_new = false;
        for instruction in function.instructions() {
            let Some(result) = instruction.result else { continue };
            if facts.values[result.index()] == Fact::Varies {
                let fact = evaluate(module, function, &facts, &instruction.op, result);
                is_new |= fact != Fact::Varies;
                facts.values[result.index()] = fact;
            }
        }
        if !is_new {
            break;
        }
    }
    let way = |(id, block): (BlockId, &Block)| match outcome(&facts, &block.terminator.kind) {
        Outcome::Only(target) => Some((id, target.block)),
        Outcome::Any | Outcome::Unknown => None,
    };
    function.blocks().filter_map(way).collect()
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// No execution has defined it yet.
    Undefined,
    /// It is this constant in every execution.
    Constant(Operand),
    /// It varies.
    Varies,
}

pub(super) struct Facts {
    /// Indexed by value.
    pub(super) values: Vec<Fact>,
}

impl Facts {
    /// The constant that an operand is known to be.
    pub(super) fn operand(&self, operand: Operand) -> Fact {
        match operand {
            Operand::Value(value) => {
                self.values.get(value.index()).copied().unwrap_or(Fact::Varies)
            }
            constant => Fact::Constant(constant),
        }
    }
}

struct Propagation<'m> {
    module: &'m Module,
    function: &'m Function,
    facts: Facts,
    /// Blocks that read a value; indexed by value.
    users: Vec<BTreeSet<BlockId>>,
    reached: Vec<bool>,
    pending: VecDeque<BlockId>,
    /// Whether a block is in `pending`; indexed by block.
    is_pending: Vec<bool>,
}

impl<'m> Propagation<'m> {
    fn new(module: &'m Module, id: FunctionId) -> Self {
        let function = module.function(id);
        let mut users = vec![BTreeSet::new(); function.values.len()];
        for (block, data) in function.blocks() {
            let mut uses = |operand: Operand| {
                if let Operand::Value(value) = operand {
                    users[value.index()].insert(block);
                }
            };
            data.for_each_operand(&mut uses);
        }
        let mut values = vec![Fact::Undefined; function.values.len()];
        for parameter in &function.block(Function::ENTRY).parameters {
            values[parameter.index()] = Fact::Varies;
        }
        let mut reached = vec![false; function.blocks.len()];
        reached[Function::ENTRY.index()] = true;
        let mut is_pending = vec![false; function.blocks.len()];
        is_pending[Function::ENTRY.index()] = true;
        let pending = VecDeque::from([Function::ENTRY]);
        Self { module, function, facts: Facts { values }, users, reached, pending, is_pending }
    }

    /// What is known, and which blocks may be reached.
    fn run(mut self) -> (Facts, Vec<bool>) {
        while let Some(block) = self.pending.pop_front() {
            self.is_pending[block.index()] = false;
            self.block(block);
        }
        (self.facts, self.reached)
    }

    fn block(&mut self, block: BlockId) {
        let data = self.function.block(block);
        for instruction in &data.instructions {
            if let Some(result) = instruction.result {
                let fact =
                    evaluate(self.module, self.function, &self.facts, &instruction.op, result);
                self.learn(result, fact);
            }
        }
        match outcome(&self.facts, &data.terminator.kind) {
            Outcome::Any => data.terminator.kind.for_each_target(|target| self.jump(target)),
            Outcome::Only(target) => self.jump(target),
            Outcome::Unknown => {}
        }
    }

    fn jump(&mut self, target: &Target) {
        let parameters = &self.function.block(target.block).parameters;
        for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
            let fact = self.facts.operand(argument);
            self.learn(parameter, fact);
        }
        if !std::mem::replace(&mut self.reached[target.block.index()], true) {
            self.is_pending[target.block.index()] = true;
            self.pending.push_back(target.block);
        }
    }

    /// Joins a fact to what is known; facts only go up, so this ends.
    fn learn(&mut self, value: ValueId, fact: Fact) {
        let known = self.facts.values[value.index()];
        let joined = match (known, fact) {
            (Fact::Undefined, fact) => fact,
            (known, Fact::Undefined) => known,
            (Fact::Constant(a), Fact::Constant(b)) if a == b => known,
            _ => Fact::Varies,
        };
        if joined != known {
            self.facts.values[value.index()] = joined;
            for &user in &self.users[value.index()] {
                let is_new = self.reached[user.index()] && !self.is_pending[user.index()];
                if is_new {
                    self.is_pending[user.index()] = true;
                    self.pending.push_back(user);
                }
            }
        }
    }
}

/// Which way a terminator goes.
pub(super) enum Outcome<'f> {
    /// Any of its targets.
    Any,
    /// This one.
    Only(&'f Target),
    /// What it reads is not defined yet.
    Unknown,
}

/// Which way a terminator goes.
pub(super) fn outcome<'f>(facts: &Facts, kind: &'f TerminatorKind) -> Outcome<'f> {
    match kind {
        TerminatorKind::Branch { condition, then, otherwise } => match facts.operand(*condition) {
            Fact::Undefined => Outcome::Unknown,
            Fact::Constant(Operand::Int { value, .. }) => {
                Outcome::Only(if value == 1 { then } else { otherwise })
            }
            _ => Outcome::Any,
        },
        TerminatorKind::Switch { value, cases, default } => match facts.operand(*value) {
            Fact::Undefined => Outcome::Unknown,
            Fact::Constant(Operand::Int { value, .. }) => {
                let case = cases.iter().find(|(case, _)| *case == value);
                Outcome::Only(case.map_or(default, |(_, target)| target))
            }
            _ => Outcome::Any,
        },
        _ => Outcome::Any,
    }
}

/// What an operation's result is known to be.
pub(super) fn evaluate(
    module: &Module,
    function: &Function,
    facts: &Facts,
    op: &Op,
    result: ValueId,
) -> Fact {
    let mut undefined = false;
    op.for_each_operand(|operand| {
        undefined |= facts.operand(operand) == Fact::Undefined;
    });
    if undefined {
        return Fact::Undefined;
    }
    let int = |operand: &Operand| match facts.operand(*operand) {
        Fact::Constant(Operand::Int { bits, value }) => Some((bits, value)),
        _ => None,
    };
    let ty = &function.values[result.index()].ty;
    let constant = match op {
        Op::Copy { a } => return facts.operand(*a),
        Op::Binary { op, a, b, no_signed_wrap } => {
            int(a).zip(int(b)).and_then(|((bits, a), (_, b))| {
                let cut = arithmetic::undefined(*op, a, b, bits)
                    || *no_signed_wrap
                        && module.signed_overflow == SignedOverflow::Absent
                        && arithmetic::overflows(*op, a, b, bits);
                (!cut).then(|| Operand::int(bits, arithmetic::binary(*op, a, b, bits)))
            })
        }
        Op::Unary { op, a } => {
            int(a).map(|(bits, a)| Operand::int(bits, arithmetic::unary(*op, a, bits)))
        }
        Op::Compare { op, a, b } => match (int(a), int(b)) {
            (Some((bits, a)), Some((_, b))) => {
                Some(Operand::bool(arithmetic::compare(*op, a, b, bits)))
            }
            _ => same(facts, *op, *a, *b),
        },
        Op::Cast { op, a } => int(a).zip(width(ty)).and_then(|((from, a), to)| {
            Some(Operand::int(to, arithmetic::cast(*op, a, from, to)?))
        }),
        Op::Select { condition, a, b } => {
            return match int(condition) {
                Some((_, condition)) => facts.operand(if condition == 1 { *a } else { *b }),
                None if facts.operand(*a) == facts.operand(*b) => facts.operand(*a),
                None => Fact::Varies,
            };
        }
        Op::Load { address: Operand::Global(id), volatile: false, .. } => {
            let global = &module.globals[id.index()];
            match (&global.initializer, global.constant && global.ty == *ty, width(ty)) {
                (Initializer::Zero, true, Some(bits)) => Some(Operand::int(bits, 0)),
                (Initializer::Int(value), true, Some(bits)) => Some(Operand::int(bits, *value)),
                _ => None,
            }
        }
        _ => None,
    };
    constant.map_or(Fact::Varies, Fact::Constant)
}

fn width(ty: &Type) -> Option<u16> {
    match ty {
        Type::Int(bits) => Some(*bits),
        _ => None,
    }
}

/// A comparison of something with itself.
fn same(facts: &Facts, op: CompareOp, a: Operand, b: Operand) -> Option<Operand> {
    let equal = a == b
        || matches!((facts.operand(a), facts.operand(b)),
            (Fact::Constant(a), Fact::Constant(b)) if a == b);
    equal.then(|| {
        Operand::bool(matches!(op, CompareOp::Eq | CompareOp::UnsignedLe | CompareOp::SignedLe))
    })
}

/// Puts the constants in; whether there were any.
fn rewrite(function: &mut Function, facts: &Facts) -> bool {
    let mut changed = false;
    let mut replace = |operand: &mut Operand| {
        if let (Operand::Value(_), Fact::Constant(constant)) = (*operand, facts.operand(*operand)) {
            *operand = constant;
            changed = true;
        }
    };
    let mut jumps = false;
    for block in &mut function.blocks {
        for instruction in &mut block.instructions {
            instruction.op.for_each_operand_mut(&mut replace);
        }
        block.terminator.kind.for_each_operand_mut(&mut replace);
        if let (Outcome::Only(target), true) = (
            outcome(facts, &block.terminator.kind),
            !matches!(block.terminator.kind, TerminatorKind::Jump(_)),
        ) {
            block.terminator.kind = TerminatorKind::Jump(target.clone());
            jumps = true;
        }
    }
    let mut folded = false;
    for block in &mut function.blocks {
        for instruction in &mut block.instructions {
            let known = instruction.result.map(|r| facts.operand(Operand::Value(r)));
            let computes = matches!(instruction.op, Op::Load { .. }) || instruction.op.is_pure();
            if let Some(Fact::Constant(a)) = known
                && computes
                && !matches!(instruction.op, Op::Copy { .. })
            {
                instruction.op = Op::Copy { a };
                folded = true;
            }
        }
    }
    let undone = undo_sums(function);
    let removed = unreachable::remove(function);
    changed || jumps || folded || undone || removed
}

/// What an instruction adds to a value, if that is a constant, modulo 2^N; and whether a run may be cut off there.
fn added(op: &Op) -> Option<(Operand, u16, u128, bool)> {
    let Op::Binary { op, a, b, no_signed_wrap } = op else { return None };
    let (value, bits, constant) = match (op, a, b) {
        (BinaryOp::Add, value, Operand::Int { value: constant, bits })
        | (BinaryOp::Add, Operand::Int { value: constant, bits }, value) => {
            (*value, *bits, *constant)
        }
        (BinaryOp::Sub, value, Operand::Int { value: constant, bits }) => {
            let negated = arithmetic::unary(UnaryOp::Neg, *constant, *bits);
            (*value, *bits, negated)
        }
        _ => return None,
    };
    Some((value, bits, constant, *no_signed_wrap))
}

/// What takes a constant away again that was added becomes a copy: `__sync_add_and_fetch(&n, 1) - 1` is what was
/// there before. It overflows nowhere, or where the sum has cut the run off already; but for the least number, which twice is
/// 0 as well. Whether there was any.
fn undo_sums(function: &mut Function) -> bool {
    let sums: HashMap<ValueId, (Operand, u16, u128, bool)> = function
        .instructions()
        .filter_map(|instruction| Some((instruction.result?, added(&instruction.op)?)))
        .collect();
    let mut changed = false;
    for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        if let Some((Operand::Value(sum), bits, constant, cuts)) = added(&instruction.op)
            && let Some(&(a, _, before, cut)) = sums.get(&sum)
            && arithmetic::binary(BinaryOp::Add, before, constant, bits) == 0
            && (cut && constant != 1 << (bits - 1) || !cuts)
        {
            instruction.op = Op::Copy { a };
            changed = true;
        }
    }
    changed
}
