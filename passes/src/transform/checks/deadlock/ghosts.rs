//! The ghosts, and code over them.

use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, Builder, CompareOp, Global, GlobalId, Initializer, Location, Module, Op, Operand,
    Type,
};

use super::wait::Waits;
use super::{Asked, FOREVER, STUCK};

/// The name of the ghost that counts the threads that run.
pub(super) const LIVE: &str = "__CPROVER_live";

/// Counters.
pub(super) const NUMBER: Type = Type::Int(32);

/// The ghosts of a module, as far as they are needed.
#[derive(Clone, Copy)]
pub(super) struct Ghosts {
    /// How many threads run.
    pub live: GlobalId,
    /// How many have given up, but for those that wait for signals.
    pub stuck: GlobalId,
    /// How many have given up waiting for a signal.
    pub forever: Option<GlobalId>,
    /// The handle of the thread that is asked whether it runs, or 0.
    pub asked: Option<GlobalId>,
    /// Whether one has given up at a join, if that is asked for.
    pub joining: Option<GlobalId>,
    /// Width of handles.
    pub pointer_bits: u16,
}

impl Ghosts {
    pub fn new(module: &mut Module, waits: &Waits, asked: Asked) -> Self {
        let pointer_bits = module.target.pointer_bits;
        let mut ghost = |name: &str, ty: Type, value: u128| {
            module.add_global(Global {
                name: name.to_owned(),
                ty,
                initializer: Initializer::Int(value),
                thread_local: false,
                constant: false,
                signed: false,
                location: Location::default(),
            })
        };
        let live = ghost(LIVE, NUMBER, 1);
        let stuck = ghost(STUCK, NUMBER, 0);
        let has_conditions = waits.has_conditions;
        let forever = has_conditions.then(|| ghost(FOREVER, NUMBER, 0));
        let handles = Type::Int(pointer_bits);
        let question = waits.has_joins.then(|| ghost("__CPROVER_asked", handles, 0));
        let joining = (asked == Asked::Joins).then(|| ghost("__CPROVER_joining", BOOL, 0));
        Self { live, stuck, forever, asked: question, joining, pointer_bits }
    }
}

/// A number as a counter.
pub(super) fn number(n: u32) -> Operand {
    Operand::int(32, u128::from(n))
}

/// Adds to a counter at an address; its value then.
pub(super) fn add(b: &mut Builder<'_>, address: Operand, by: i32) -> Operand {
    let before = b.load(NUMBER, address);
    let by = Operand::int(32, u128::from(by.cast_unsigned()));
    let after = b.binary(BinaryOp::Add, before, by, false);
    b.store(NUMBER, address, after);
    after
}

/// Assumes that a counter compares to a number.
pub(super) fn assume(b: &mut Builder<'_>, address: Operand, op: CompareOp, than: Operand) {
    let value = b.load(NUMBER, address);
    let condition = b.compare(op, value, than);
    b.effect(Op::Assume { condition });
}
