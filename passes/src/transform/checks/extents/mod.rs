//! Which array a pointer is to: what `check-bounds` asks of pointers that came from arrays within objects.
//!
//! A pointer to elements of an array that is a member, or a row, may come only to those, though the object goes on behind
//! them (C11 6.5.6p8). So who points there carries the array's *extent*: where it starts, and its size. Extents are values
//! beside pointers, as in SoftBound (Nagarakatte et al., PLDI 2009): variables that hold pointers and that no one else
//! has the address of get two more variables, and parameters of blocks and functions two more parameters. They are
//! put where an extent may come to, and nowhere else. A size of 0 stands for a pointer of which no array is known:
//! what was read from memory or computed from numbers, what a thread is given, and where the
//! function is called through a pointer. Of those only the object counts. Extents are marked as records are (`record.rs`), so that no trace
//! shows them, and the addresses that are compared with them are no numbers that the program computes with.
//!
//! What C programs do with pointers that are no longer ones to elements is left alone:
//! - Whoever goes back beyond the first element is on the way to the object around it (`container_of`).
//! - Where the code takes the pointer for one to something larger than the array, it is that: the structure that begins with it.
//! - The extent of an array in a union is the union, of which other members may be meant.
//! - A pointer to the first row is one to the whole array.
//! - An array of one element or none at the end of a structure stands for one of any length.
//!
//! | file | has |
//! | --- | --- |
//! | `ways` | where the pointers of a function come from |
//! | `placing` | what is put beside them |

mod placing;
mod ways;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    BinaryOp, Builder, CastOp, CompareOp, Function, FunctionId, Module, NameId, Op, Operand, Type,
    ValueId, operation,
};
use sapa_limits::Limits;

use self::placing::Placing;
use self::ways::{Carrier, Code, Origin, Returned, Way};
pub(super) use self::ways::{is_flexible, is_union};
use super::record::apart;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::error::PassError;

/// The carriers of a module that an extent may come to, with the size of the smallest that does.
type Carriers = BTreeMap<(FunctionId, Carrier), u64>;

/// Where a pointer is from that comes to a carrier.
struct Flow {
    from: FunctionId,
    origin: Origin,
    to: (FunctionId, Carrier),
}

/// What is accessed through a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Accessed {
    pub(super) address: Operand,
    pub(super) size: u64,
    /// How large an array has to be for what the pointer is taken for.
    pub(super) need: u64,
}

/// The extents of a function's pointers.
pub(super) struct Extents {
    code: Code,
    /// What marks that an instruction is about extents.
    operation: NameId,
    /// Start and size of the array, for what pointers of carriers are read as, and the least size but 0.
    beside: FxHashMap<ValueId, (Operand, Operand, u64)>,
}

/// Puts extents beside the pointers of a module that may be to an array within an object; those of each function, and whether
/// there are any.
pub(super) fn put(
    module: &mut Module,
    graph: &CallGraph,
    limits: &Limits,
) -> Result<(Vec<Extents>, bool), PassError> {
    let codes: Vec<Code> = module.functions.iter().map(|f| Code::new(module, f)).collect();
    let returned = returned(module, &codes);
    let is_told = told(module, graph);
    let mut flows = Vec::new();
    for (id, function) in module.functions() {
        limits.check()?;
        flows_of(id, function, &codes[id.index()], &returned, module, &is_told, &mut flows);
    }
    let carriers = carriers(&codes, &flows, limits)?;
    let needs: Vec<_> = codes.iter().map(|code| code.needs.clone()).collect();
    let has_any = !carriers.is_empty();
    let operation = module.intern_name(operation::RECORD);
    let mut all = Vec::new();
    for (index, code) in codes.into_iter().enumerate() {
        limits.check()?;
        let mut function = std::mem::take(&mut module.functions[index]);
        let id = FunctionId::new(index);
        let mut placing = Placing {
            module,
            id,
            carriers: &carriers,
            returned: &returned,
            needs: &needs,
            slots: FxHashMap::default(),
            extents: Extents { code, operation, beside: FxHashMap::default() },
        };
        if has_any {
            placing.place(&mut function, &is_told);
        }
        all.push(placing.extents);
        module.functions[index] = function;
    }
    Ok((all, has_any))
}

/// Which arrays functions return pointers into.
fn returned(module: &Module, codes: &[Code]) -> Vec<Option<Returned>> {
    let mut returned = vec![None; codes.len()];
    loop {
        let mut changed = false;
        for (id, function) in module.functions() {
            let index = id.index();
            if returned[index].is_none() && function.result == Some(Type::Pointer) {
                returned[index] = codes[index].returned(module, function, &returned);
                changed |= returned[index].is_some();
            }
        }
        if !changed {
            return returned;
        }
    }
}

/// The functions that are told extents: all their calls are known.
fn told(module: &Module, graph: &CallGraph) -> Vec<bool> {
    let mut is_told: Vec<bool> = module
        .functions()
        .map(|(id, function)| {
            let is_called = Some(id) != module.entry && !graph.address_taken().contains(&id);
            is_called && function.is_defined()
        })
        .collect();
    for (id, _) in module.functions() {
        for site in graph.sites(id).iter().filter(|site| site.kind == Use::Spawn) {
            if let Some(started) = site.callee.and_then(|id| is_told.get_mut(id.index())) {
                *started = false;
            }
        }
    }
    is_told
}

/// Adds which pointers of a function come to which carriers.
fn flows_of(
    from: FunctionId,
    function: &Function,
    code: &Code,
    returned: &[Option<Returned>],
    module: &Module,
    is_told: &[bool],
    flows: &mut Vec<Flow>,
) {
    let origin = |pointer| code.way(module, pointer).map(|way| way.origin);
    let mut add = |origin: Option<Origin>, to| {
        flows.extend(origin.map(|origin| Flow { from, origin, to }));
    };
    for block in &function.blocks {
        for instruction in &block.instructions {
            let result = instruction.result.map(|result| (from, Carrier::Value(result)));
            match (&instruction.op, result) {
                (Op::Store { address: Operand::Slot(slot), value, .. }, _)
                    if code.slots.contains(slot) =>
                {
                    add(origin(*value), (from, Carrier::Slot(*slot)));
                }
                (Op::Select { a, b, .. }, Some(result)) => {
                    add(origin(*a), result);
                    add(origin(*b), result);
                }
                (Op::Call { callee: Operand::Function(callee), arguments }, result) => {
                    if is_told[callee.index()]
                        && let Some(entry) = module.function(*callee).blocks.first()
                    {
                        for (&parameter, &argument) in entry.parameters.iter().zip(arguments) {
                            add(origin(argument), (*callee, Carrier::Value(parameter)));
                        }
                    }
                    match (returned[callee.index()], result) {
                        (Some(Returned::Argument { parameter, .. }), Some(result)) => {
                            if let Some(&argument) = arguments.get(parameter) {
                                add(origin(argument), result);
                            }
                        }
                        (Some(Returned::Start { size }), Some(to)) => {
                            let start = instruction.result.map_or(Operand::Null, Operand::Value);
                            add(Some(Origin::Array { start, size }), to);
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        block.terminator.kind.for_each_target(|target| {
            let parameters = &function.block(target.block).parameters;
            for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                add(origin(argument), (from, Carrier::Value(parameter)));
            }
        });
    }
}

/// The carriers that an extent may come to.
fn carriers(codes: &[Code], flows: &[Flow], limits: &Limits) -> Result<Carriers, PassError> {
    let mut found = Carriers::new();
    loop {
        limits.check()?;
        let mut changed = false;
        for flow in flows {
            let need = codes[flow.to.0.index()].need(flow.to.1);
            let size = match flow.origin {
                Origin::Array { size, .. } if size >= need && size > 0 => size,
                Origin::Array { .. } => continue,
                Origin::Carrier { carrier, .. } => match found.get(&(flow.from, carrier)) {
                    Some(&size) => size,
                    None => continue,
                },
            };
            let least = found.entry(flow.to).or_insert(u64::MAX);
            changed |= size < *least;
            *least = size.min(*least);
        }
        if !changed {
            return Ok(found);
        }
    }
}

/// How many bytes an address is behind another one.
fn distance(builder: &mut Builder<'_>, bits: u16, from: Operand, to: Operand) -> Operand {
    let mut number = |of| builder.cast(CastOp::PointerToInt, of, Type::Int(bits));
    let (from, to) = (number(from), number(to));
    builder.binary(BinaryOp::Sub, to, from, false)
}

impl Extents {
    /// That what is accessed is within the array that its address came from; `None` if that is not known, or sure. Whether
    /// an array counts that the code names there is said by `names_arrays`.
    pub(super) fn within(
        &self,
        module: &Module,
        builder: &mut Builder<'_>,
        accessed: Accessed,
        names_arrays: bool,
    ) -> Option<Operand> {
        let Accessed { address, size: accessed, need } = accessed;
        let need = need.max(accessed);
        let Way { origin, back } = self.code.way(module, address)?;
        let bits = module.target.pointer_bits;
        let (start, size) = match origin {
            Origin::Array { start, size } if names_arrays && size >= need => {
                if let Some(distance) = self.code.distance(module, start, address)
                    && distance.checked_add(accessed).is_some_and(|end| end <= size)
                {
                    return None;
                }
                (start, Operand::int(bits, size.into()))
            }
            Origin::Array { .. } => return None,
            Origin::Carrier { value, .. } => {
                let &(start, size, _) = self.beside.get(&value)?;
                (start, size)
            }
        };
        let [accessed, need] = [accessed, need].map(|size| Operand::int(bits, size.into()));
        let address_itself = self.code.source(address);
        Some(apart(builder, self.operation, |builder| {
            let to_address = distance(builder, bits, start, address);
            let room = builder.binary(BinaryOp::Sub, size, accessed, false);
            // A negative distance is a large one.
            let is_within = builder.compare(CompareOp::UnsignedLe, to_address, room);
            let is_unknown = builder.compare(CompareOp::UnsignedLt, size, need);
            let mut holds = builder.binary(BinaryOp::Or, is_unknown, is_within, false);
            // Who was before the array on the way has the whole object.
            for at in back.into_iter().filter(|&at| at != address_itself) {
                let so_far = distance(builder, bits, start, at);
                let is_before = builder.compare(CompareOp::SignedLt, so_far, Operand::int(bits, 0));
                holds = builder.binary(BinaryOp::Or, holds, is_before, false);
            }
            holds
        }))
    }
}
