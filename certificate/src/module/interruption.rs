//! Whether threads are interrupted at enough places.
//!
//! A thread of a module may be interrupted between any two instructions outside atomic sections. It is
//! enough to look at runs in which it is interrupted at some places only, if between two of them
//! on any way
//! 1. there is at most one *visible* instruction or atomic section: one that accesses what other threads
//!    see, or starts a thread, or waits for one. All others commute with the steps of other threads
//!    (Lipton, "Reduction: a method of proving properties of parallel programs", 1975);
//! 2. nothing that may cut the thread off, or end the program, comes behind an instruction whose effect others see.
//!    So whoever has done what others see can go on to the next place; who has not, and cannot, is as if it had
//!    not moved since the last one; and
//! 3. there is no cycle. Nobody goes on for ever on its own, while others wait.
//!
//! Then a run into a failing assertion can be put in order so that each thread goes from place to place at once,
//! and the same assertion fails, or one before it does. Within an atomic section nobody else acts, so a thread that is cut off there
//! ends the run of all, and it is as if it had not entered.
//!
//! The places are those that the certificate names; that they are enough is found out here.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{BlockId, Function, Instruction, Location, Op, Operand, TerminatorKind, Type};
use sapa_limits::Limits;

use super::code::{Code, Object, Place, deeper};
use super::{Obligation, Problem};

/// What a thread has done since it could be interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Progress {
    /// Something visible.
    visible: bool,
    /// Something whose effect others see.
    effect: bool,
}

impl Progress {
    fn joined(self, other: Progress) -> Progress {
        Progress { visible: self.visible || other.visible, effect: self.effect || other.effect }
    }
}

/// That a thread of a function may be interrupted at these places, and need not be elsewhere.
///
/// # Errors
/// Where it may be interrupted besides.
pub(super) fn enough(
    code: &Code<'_>,
    places: &FxHashSet<Place>,
    limits: &Limits,
) -> Result<(), Problem> {
    if let Some(place) = places.iter().find(|place| code.depth_at(**place) > 0) {
        return Err(refused(
            code,
            code.location(*place),
            "a thread is interrupted within an atomic section",
        ));
    }
    let mut starts: FxHashMap<BlockId, Progress> = FxHashMap::default();
    starts.insert(Function::ENTRY, Progress::default());
    let order = code.cfg.reverse_postorder();
    let mut changed = true;
    while changed {
        changed = false;
        limits.check()?;
        for block in order {
            let Some(start) = starts.get(block).copied() else { continue };
            let end = after(code, *block, start, places)?;
            for next in code.cfg.successors(*block) {
                let known = starts.get(next).copied();
                let joined = known.unwrap_or_default().joined(end);
                changed |= known != Some(joined);
                starts.insert(*next, joined);
            }
        }
    }
    no_cycles(code, places, limits)
}

fn refused(code: &Code<'_>, location: Location, what: &str) -> Problem {
    Problem::Refused {
        obligation: Obligation::Interruption,
        what: what.to_owned(),
        at: code.module.describe(location),
        line: 0,
    }
}

/// What was done at the end of a block.
fn after(
    code: &Code<'_>,
    block: BlockId,
    mut done: Progress,
    places: &FxHashSet<Place>,
) -> Result<Progress, Problem> {
    let data = code.function.block(block);
    let mut depth = code.depth(block);
    for (index, instruction) in data.instructions.iter().enumerate() {
        if places.contains(&(block, index)) {
            done = Progress::default();
        }
        let op = &instruction.op;
        let enters = depth == 0 && matches!(op, Op::AtomicBegin(_));
        let visible = enters || (depth == 0 && is_visible(code, op));
        let missing = (visible && done.visible)
            || (depth == 0 && done.effect && may_cut_off(code, instruction));
        if missing {
            let what = "other threads may act before this, and the Boolean program lets none";
            return Err(refused(code, instruction.location, what));
        }
        done.visible |= visible;
        done.effect |= has_effect(code, op);
        depth = deeper(depth, op);
    }
    if places.contains(&(block, data.instructions.len())) {
        done = Progress::default();
    }
    let kind = &data.terminator.kind;
    let ends = matches!(kind, TerminatorKind::Halt | TerminatorKind::Unreachable);
    if ends && depth == 0 && done.effect {
        let what =
            "other threads may act before the program ends here, and the Boolean program lets none";
        return Err(refused(code, data.terminator.location, what));
    }
    Ok(done)
}

/// Whether other threads may see when an instruction is executed.
fn is_visible(code: &Code<'_>, op: &Op) -> bool {
    match op {
        Op::Load { address, .. } | Op::Store { address, .. } | Op::HavocMemory { address, .. } => {
            code.is_shared(*address)
        }
        Op::CopyMemory { destination, source, .. } => {
            code.is_shared(*destination) || code.is_shared(*source)
        }
        // Calls and locks are not supported anyway. What is freed may still be accessed in the runs that are
        // looked at, so that nobody sees that it was; and fences do nothing under sequential consistency.
        Op::Spawn { .. } | Op::Join { .. } | Op::Sync { .. } | Op::Call { .. } => true,
        _ => false,
    }
}

/// Whether other threads may see that an instruction was executed.
fn has_effect(code: &Code<'_>, op: &Op) -> bool {
    match op {
        Op::Store { address, .. } | Op::HavocMemory { address, .. } => code.is_shared(*address),
        Op::CopyMemory { destination, .. } => code.is_shared(*destination),
        Op::Spawn { .. } | Op::Sync { .. } | Op::Call { .. } => true,
        _ => false,
    }
}

/// Whether the run of a thread may end at an instruction.
fn may_cut_off(code: &Code<'_>, instruction: &Instruction) -> bool {
    let invalid = |address: Operand, ty: &Type| !is_valid(code, address, ty.size(code.module));
    match &instruction.op {
        Op::Assume { .. } => true,
        op @ Op::Binary { .. } => op.may_be_undefined(code.module.signed_overflow),
        Op::Load { address, .. } => instruction.result.is_some_and(|result| {
            invalid(*address, &code.function.operand_type(Operand::Value(result)))
        }),
        Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => invalid(*address, ty),
        Op::CopyMemory { destination, source, ty } => {
            invalid(*destination, ty) || invalid(*source, ty)
        }
        _ => false,
    }
}

/// Whether an address is known to have so many bytes of its object behind it.
fn is_valid(code: &Code<'_>, address: Operand, size: u64) -> bool {
    let Some(object) = code.object(address) else { return false };
    let Some(offset) = offset(code, address, 0) else { return false };
    offset.checked_add(size).is_some_and(|end| end <= object_size(code, object))
}

/// The size of an object in bytes.
pub(super) fn object_size(code: &Code<'_>, object: Object) -> u64 {
    let ty = match object {
        Object::Shared(id) | Object::OwnGlobal(id) => {
            code.module.globals.get(id.index()).map(|global| &global.ty)
        }
        Object::Slot(slot) => code.function.slots.get(slot.index()).map(|slot| &slot.ty),
    };
    ty.map_or(0, |ty| ty.size(code.module))
}

/// The distance of an address from the start of its object, where it is made of constants.
fn offset(code: &Code<'_>, address: Operand, depth: usize) -> Option<u64> {
    let value = match address {
        Operand::Global(_) | Operand::Slot(_) => return Some(0),
        Operand::Value(value) if depth < 64 => value,
        _ => return None,
    };
    match code.definition(value)?.op {
        Op::Copy { a } => offset(code, a, depth + 1),
        Op::FieldAddress { base, structure, field } => {
            let field = code.module.structs.get(structure.index())?.fields.get(field.index())?;
            offset(code, base, depth + 1)?.checked_add(field.offset)
        }
        Op::IndexAddress { base, ref element, index: Operand::Int { value, .. } } => {
            let distance = u64::try_from(value).ok()?.checked_mul(element.size(code.module))?;
            offset(code, base, depth + 1)?.checked_add(distance)
        }
        _ => None,
    }
}

/// That every cycle outside atomic sections comes by one of the places.
fn no_cycles(code: &Code<'_>, places: &FxHashSet<Place>, limits: &Limits) -> Result<(), Problem> {
    let stops: FxHashSet<BlockId> = places.iter().map(|(block, _)| *block).collect();
    for start in code.cfg.reverse_postorder() {
        if stops.contains(start) || code.depth(*start) > 0 {
            continue;
        }
        limits.check()?;
        let mut seen = FxHashSet::default();
        let mut pending = vec![*start];
        while let Some(block) = pending.pop() {
            for next in code.cfg.successors(block) {
                if next == start {
                    let location = code.location((*start, 0));
                    let what = "a thread may go round here for ever, and the Boolean program lets no other act";
                    return Err(refused(code, location, what));
                }
                if !stops.contains(next) && seen.insert(*next) {
                    pending.push(*next);
                }
            }
        }
    }
    Ok(())
}
