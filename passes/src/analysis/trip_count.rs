//! How often loops are executed, where that is a known constant.
//!
//! No form of loop is recognised: what a loop carries from round to round are the parameters of its
//! header, and those that start as constants are computed round by round until a test that each
//! round passes leads out. So `for (i = 0; i < 20; i += 3)` is known as well as a loop that halves
//! its counter; a counter in memory is not.

use std::cell::Cell;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::arithmetic;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{
    BinaryOp, BlockId, CastOp, CompareOp, Function, Module, Op, Operand, SignedOverflow, Target,
    TerminatorKind, Type, UnaryOp, ValueId,
};

use super::definitions::Definitions;
use super::loops::{self, Loop};

/// Rounds of a loop that are looked at; a loop of more has no known count.
const MOST_ROUNDS: u64 = 1 << 16;

/// Computations within one round that a value may depend on, one through the other.
const DEPTH: usize = 32;

/// How often the blocks of a loop are executed, each time it is entered, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TripCount {
    /// The test that ends the loop.
    pub test: BlockId,
    /// How often the test is passed without the loop being left.
    pub rounds: u64,
}

impl TripCount {
    /// How often a block of the loop is executed at most, each time the loop is entered: the last
    /// round ends at the test. `None` if that is no number of 64 bits.
    #[must_use]
    pub fn executions(&self, dominators: &Dominators, block: BlockId) -> Option<u64> {
        let behind = block != self.test && dominators.dominates(self.test, block);
        if behind { Some(self.rounds) } else { self.rounds.checked_add(1) }
    }
}

/// A loop with the ways into it and back to its header.
pub struct Rounds<'f> {
    evaluation: Evaluation<'f>,
    content: &'f Loop,
    /// The jumps to the header: where they are, and with which arguments.
    entering: Vec<(BlockId, Vec<Operand>)>,
    returning: Vec<(BlockId, Vec<Operand>)>,
    /// The blocks that each round passes.
    tests: Vec<BlockId>,
}

impl<'f> Rounds<'f> {
    /// Looks at a loop of a function, whose graph and dominators are given.
    #[must_use]
    pub fn new(
        module: &'f Module,
        function: &'f Function,
        dominators: &Dominators,
        cfg: &Cfg,
        content: &'f Loop,
    ) -> Self {
        let left = Cell::new(MOST_VALUES);
        let evaluation =
            Evaluation { module, function, definitions: Definitions::new(function), left };
        let header = content.header;
        let (mut entering, mut returning) = (Vec::new(), Vec::new());
        for &block in cfg.predecessors(header).iter().filter(|block| cfg.is_reachable(**block)) {
            let into = if content.blocks.contains(&block) { &mut returning } else { &mut entering };
            function.block(block).terminator.kind.for_each_target(|target| {
                if target.block == header {
                    into.push((block, target.arguments.clone()));
                }
            });
        }
        let ends = |block: &BlockId| {
            returning.iter().all(|(latch, _)| dominators.dominates(*block, *latch))
        };
        let tests: Vec<BlockId> = content.blocks.iter().copied().filter(ends).collect();
        Self { evaluation, content, entering, returning, tests }
    }

    /// The number of rounds; `None` if it is not known, or large.
    #[must_use]
    pub fn count(&self) -> Option<TripCount> {
        let Self { evaluation, content, entering, returning, tests } = self;
        let function = evaluation.function;
        let parameters = &function.block(content.header).parameters;
        let outside = FxHashMap::default();
        let mut values = evaluation.agreed(parameters, entering, &outside);
        for round in 0..MOST_ROUNDS {
            // Whether some test has a known outcome.
            let mut decides = false;
            for &test in tests {
                let Some(taken) = evaluation.taken(test, &values) else { continue };
                if !content.blocks.contains(&taken.block) {
                    return Some(TripCount { test, rounds: round });
                }
                let is_jump =
                    matches!(function.block(test).terminator.kind, TerminatorKind::Jump(_));
                decides |= !is_jump;
            }
            let next = evaluation.agreed(parameters, returning, &values);
            // Nothing changes any more, so that no test will lead out.
            if next.is_empty() || next == values {
                return None;
            }
            // What decides is not among what is known, and will not be.
            if !decides
                && next.len() == values.len()
                && next.keys().all(|key| values.contains_key(key))
            {
                return None;
            }
            values = next;
        }
        None
    }

    /// How many rounds there are at most where the loop ends once a counter is not below something, whatever that is: if it
    /// starts as a constant and each round adds one, it comes to the largest number of its type before it wraps.
    #[must_use]
    pub fn most(&self) -> Option<TripCount> {
        let Self { evaluation, content, entering, returning, tests } = self;
        let function = evaluation.function;
        let parameters = &function.block(content.header).parameters;
        let starts = evaluation.agreed(parameters, entering, &FxHashMap::default());
        let most = |test: BlockId| {
            let TerminatorKind::Branch { condition, then, otherwise } =
                &function.block(test).terminator.kind
            else {
                return None;
            };
            let goes_on = |target: &Target| !self.leads_out(target);
            if goes_on(then) == goes_on(otherwise) {
                return None;
            }
            let (op, counter) = evaluation.below(*condition, goes_on(then))?;
            let bits = evaluation.bits(Operand::Value(counter)).filter(|bits| *bits <= 64)?;
            let position = parameters.iter().position(|parameter| *parameter == counter)?;
            let adds_one = |(_, arguments): &(BlockId, Vec<Operand>)| {
                let argument = arguments.get(position).and_then(|&next| evaluation.copied(next));
                let op = argument.and_then(|next| evaluation.definitions.get(&next));
                matches!(op, Some(&Op::Binary { op: BinaryOp::Add, a, b, .. })
                    if evaluation.copied(a) == Some(counter) && matches!(b, Operand::Int { value: 1, .. }))
            };
            if !returning.iter().all(adds_one) {
                return None;
            }
            let start = *starts.get(&counter)?;
            let mask = arithmetic::mask(bits);
            let (first, last) = match op {
                CompareOp::SignedLt => (arithmetic::signed(start, bits), (mask >> 1) as i128),
                _ => (start as i128, mask as i128),
            };
            u64::try_from(last - first).ok().map(|rounds| TripCount { test, rounds })
        };
        tests.iter().filter_map(|test| most(*test)).min_by_key(|count| count.rounds)
    }

    /// Whether a way leads out of the loop in the same round, perhaps through blocks that are told so by constants: of
    /// `started < n && create()` the first part says so by what it gives to the test of both.
    fn leads_out(&self, target: &Target) -> bool {
        let Self { evaluation, content, .. } = self;
        let (mut target, mut values) = (target.clone(), Values::default());
        for _ in 0..DEPTH {
            if !content.blocks.contains(&target.block) {
                return true;
            }
            if target.block == content.header {
                return false;
            }
            let parameters = &evaluation.function.block(target.block).parameters;
            values = evaluation.agreed(parameters, &[(target.block, target.arguments)], &values);
            match evaluation.taken(target.block, &values) {
                Some(next) => target = next.clone(),
                None => return false,
            }
        }
        false
    }
}

/// A loop of no more rounds than this is not long: its rounds can be followed one by one.
const FEW_ROUNDS: u64 = 16;

/// The values of a function that loops of known but many rounds carry from round to round and that
/// decide when they end.
#[must_use]
pub fn round_counters(module: &Module, function: &Function) -> BTreeSet<ValueId> {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(&cfg);
    let mut found = BTreeSet::new();
    for content in loops::natural(function) {
        let rounds = Rounds::new(module, function, &dominators, &cfg, &content);
        let Some(count) = rounds.count().filter(|count| count.rounds > FEW_ROUNDS) else {
            continue;
        };
        let parameters = &function.block(content.header).parameters;
        let mut pending = Vec::new();
        let mut seen = BTreeSet::new();
        match &function.block(count.test).terminator.kind {
            TerminatorKind::Branch { condition: operand, .. }
            | TerminatorKind::Switch { value: operand, .. } => pending.push(*operand),
            _ => {}
        }
        while let Some(operand) = pending.pop() {
            let Operand::Value(value) = operand else { continue };
            if parameters.contains(&value) {
                found.insert(value);
            } else if seen.insert(value)
                && let Some(op) = rounds.evaluation.definitions.get(&value)
                && op.is_pure()
            {
                op.for_each_operand(|operand| pending.push(operand));
            }
        }
    }
    found
}

/// Known values of a header's parameters.
type Values = FxHashMap<ValueId, u128>;

/// Computes values from those of a header's parameters in the same round.
struct Evaluation<'f> {
    module: &'f Module,
    function: &'f Function,
    definitions: Definitions<'f>,
    /// How many more values are computed: one that is used twice is computed twice.
    left: Cell<usize>,
}

/// Values that are computed for a loop at most.
const MOST_VALUES: usize = 1 << 22;

impl Evaluation<'_> {
    /// The parameters to which all jumps give one known value.
    fn agreed(
        &self,
        parameters: &[ValueId],
        jumps: &[(BlockId, Vec<Operand>)],
        values: &Values,
    ) -> Values {
        let mut found = Values::default();
        for (position, &parameter) in parameters.iter().enumerate() {
            let mut given = jumps.iter().map(|(_, arguments)| {
                arguments.get(position).and_then(|&a| self.operand(a, values, DEPTH))
            });
            let Some(Some(first)) = given.next() else { continue };
            if given.all(|other| other == Some(first)) {
                found.insert(parameter, first);
            }
        }
        found
    }

    /// The way on from a block, if it is known.
    fn taken(&self, block: BlockId, values: &Values) -> Option<&Target> {
        match &self.function.block(block).terminator.kind {
            TerminatorKind::Jump(target) => Some(target),
            TerminatorKind::Branch { condition, then, otherwise } => {
                let holds = self.operand(*condition, values, DEPTH)? != 0;
                Some(if holds { then } else { otherwise })
            }
            TerminatorKind::Switch { value, cases, default } => {
                let value = self.operand(*value, values, DEPTH)?;
                let case = cases.iter().find(|(case, _)| *case == value);
                Some(case.map_or(default, |(_, target)| target))
            }
            _ => None,
        }
    }

    fn operand(&self, operand: Operand, values: &Values, depth: usize) -> Option<u128> {
        match operand {
            Operand::Int { value, .. } => Some(value),
            Operand::Value(id) => match values.get(&id) {
                Some(&value) => Some(value),
                None => self.computed(id, values, depth.checked_sub(1)?),
            },
            _ => None,
        }
    }

    /// The value that one is a copy of.
    fn copied(&self, operand: Operand) -> Option<ValueId> {
        self.definitions.copied(operand).value()
    }

    /// The order by which a condition of this outcome has a value below something, and the value.
    fn below(&self, condition: Operand, mut outcome: bool) -> Option<(CompareOp, ValueId)> {
        let mut value = self.copied(condition)?;
        for _ in 0..DEPTH {
            value = match *self.definitions.get(&value)? {
                Op::Unary { op: UnaryOp::Not, a } if self.bits(a) == Some(1) => {
                    outcome = !outcome;
                    self.copied(a)?
                }
                Op::Cast { op: CastOp::ZeroExtend, a } => self.copied(a)?,
                Op::Compare { op: op @ (CompareOp::Eq | CompareOp::Ne), a, b } => {
                    let Operand::Int { value: 0, .. } = b else { return None };
                    outcome = outcome == (op == CompareOp::Ne);
                    self.copied(a)?
                }
                Op::Compare {
                    op: op @ (CompareOp::SignedLt | CompareOp::UnsignedLt), a, ..
                } => {
                    return outcome.then_some((op, self.copied(a)?));
                }
                Op::Compare { op, b, .. } if !outcome => {
                    let op = match op {
                        CompareOp::SignedLe => CompareOp::SignedLt,
                        CompareOp::UnsignedLe => CompareOp::UnsignedLt,
                        _ => return None,
                    };
                    return Some((op, self.copied(b)?));
                }
                _ => return None,
            };
        }
        None
    }

    fn bits(&self, operand: Operand) -> Option<u16> {
        match operand {
            Operand::Int { bits, .. } => Some(bits),
            Operand::Value(id) => match self.function.values.get(id.index())?.ty {
                Type::Int(bits) => Some(bits),
                _ => None,
            },
            _ => None,
        }
    }

    fn computed(&self, id: ValueId, values: &Values, depth: usize) -> Option<u128> {
        self.left.set(self.left.get().checked_sub(1)?);
        let of = |operand: Operand| self.operand(operand, values, depth);
        match *self.definitions.get(&id)? {
            Op::Binary { op, a, b, no_signed_wrap } => {
                let (bits, x, y) = (self.bits(a)?, of(a)?, of(b)?);
                // A run that overflows ends there: what comes after it is never executed.
                let ends = no_signed_wrap
                    && self.module.signed_overflow == SignedOverflow::Absent
                    && arithmetic::overflows(op, x, y, bits);
                (!ends).then(|| arithmetic::binary(op, x, y, bits))
            }
            Op::Unary { op, a } => Some(arithmetic::unary(op, of(a)?, self.bits(a)?)),
            Op::Compare { op, a, b } => {
                Some(u128::from(arithmetic::compare(op, of(a)?, of(b)?, self.bits(a)?)))
            }
            Op::Cast { op, a } => {
                arithmetic::cast(op, of(a)?, self.bits(a)?, self.bits(Operand::Value(id))?)
            }
            Op::Select { condition, a, b } => {
                if of(condition)? != 0 {
                    of(a)
                } else {
                    of(b)
                }
            }
            Op::Copy { a } => of(a),
            _ => None,
        }
    }
}
