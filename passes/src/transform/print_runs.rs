//! `print-runs`: whether a run of the module fails, under a memory model.
//!
//! The interpreter goes through all runs of the module as it is. A module of `memory sc` can be given
//! the buffers of TSO and PSO, which is the reference for the passes that put them into the code.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use sapa_ir::goto::interpret::{
    ExploreOptions, Incomplete, Machine, Onlooker, Outcome, Position, Waiting, explore,
};
use sapa_ir::goto::{
    Entity, Instruction, Location, MemoryModel, Module, Op, Operand, Type, address, arithmetic,
    bytes, mnemonic,
};

use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "print-runs",
    summary: "print whether any run fails, by going through all of them, and one that does",
    options: &[
        OptionSpec {
            name: "memory",
            kind: OptionKind::Word(&["sc", "tso", "pso"]),
            summary: "memory model; sc for a module with buffers in its code",
        },
        OptionSpec {
            name: "threads",
            kind: OptionKind::Number(0),
            summary: "most threads at once besides the initial one; 0: any number",
        },
        OptionSpec {
            name: "waiting",
            kind: OptionKind::Number(0),
            summary: "follow runs with room for this many stores: of a thread (tso), or of a thread and a place (pso); 0: all",
        },
        OptionSpec {
            name: "values",
            kind: OptionKind::Number(2),
            summary: "how many values open choices have, from 0",
        },
        OptionSpec {
            name: "states",
            kind: OptionKind::Number(1 << 18),
            summary: "most states to keep",
        },
    ],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let number = |name: &str| usize::try_from(context.options.number(name)).unwrap_or(usize::MAX);
    let word = context.options.word("memory");
    let memory = mnemonic::find(mnemonic::MEMORY, word).unwrap_or(MemoryModel::Sc);
    if memory != MemoryModel::Sc && module.memory != MemoryModel::Sc {
        let message = "the module has buffers in its code: they can be run under `memory=sc` only";
        return Err(PassError::new(PASS.name, module, Entity::Module, message));
    }
    let threads = number("threads");
    let threads = (threads > 0).then(|| u32::try_from(threads).unwrap_or(u32::MAX));
    let options = ExploreOptions {
        memory,
        threads,
        most_waiting: Some(number("waiting")).filter(|most| *most > 0),
        domain: (0..context.options.number("values").max(1)).map(u128::from).collect(),
        max_states: number("states"),
        max_steps: usize::MAX,
        limits: context.limits.clone(),
        ..ExploreOptions::default()
    };
    let found = explore(module, &options);
    if let Some(Incomplete::Exceeded(exceeded)) = found.incomplete {
        return Err(exceeded.into());
    }
    let report = &mut *context.report;
    if let Some(failure) = &found.failure {
        let place = module.describe(failure.location);
        let _ = writeln!(report, "{word}: \"{}\" at {place} fails:", failure.property);
        let mut lines = Lines { module, report, heap: FxHashMap::default(), accessed: None };
        let replays = failure.replay(module, threads, &mut lines);
        assert!(replays, "a run that was found can be executed again");
        return Ok(false);
    }
    let states = found.states;
    let _ = match &found.incomplete {
        None => writeln!(report, "{word}: no run fails ({states} states)"),
        Some(why) => writeln!(report, "{word}: no run fails that was followed, but {why}"),
    };
    let reservations = [
        (found.sampled, "not all values of choices were tried"),
        (found.invalid_access, "a run ends at an access outside its object"),
        (found.undefined, "a run ends at what has no meaning"),
    ];
    for (_, text) in reservations.iter().filter(|(is_so, _)| *is_so) {
        let _ = writeln!(report, "  {text}");
    }
    Ok(false)
}

/// Writes what a run does that others may notice, a line for each step.
struct Lines<'l> {
    module: &'l Module,
    report: &'l mut String,
    /// Objects without a name, by number, in the order in which the run comes to them.
    heap: FxHashMap<u64, usize>,
    /// The object that is about to be accessed.
    accessed: Option<String>,
}

impl Lines<'_> {
    fn line(&mut self, thread: u32, location: Option<Location>, text: &str) {
        let place = match location.map(|location| self.module.describe(location)) {
            Some(place) if place != "?" => format!(", {place}"),
            _ => String::new(),
        };
        let _ = writeln!(self.report, "  thread {thread}{place}: {text}");
    }

    fn instruction(&self, (function, block, index): Position) -> Option<&Instruction> {
        self.module.function(function).block(block).instructions.get(index)
    }

    /// The name of what is at a pointer that a thread accesses; `None` for objects of its own.
    fn name(&mut self, machine: &Machine<'_>, thread: u32, pointer: u128) -> Option<String> {
        let pointer = u64::try_from(pointer).ok()?;
        let (number, offset) = address::decode(self.module.target.pointer_bits, pointer);
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let own = machine.own(number);
        let name = match (self.module.globals.get(index), machine.slot(number)) {
            _ if own.is_some_and(|(owner, _)| owner == thread) && !machine.is_buffered(number) => {
                return None;
            }
            _ if let Some((owner, global)) = own => {
                format!("{} of thread {owner}", self.module.globals.get(global.index())?.name)
            }
            (Some(global), _) => global.name.clone(),
            (None, Some(_)) if !machine.is_buffered(number) => return None,
            (None, Some((function, slot))) => {
                let function = self.module.function(function);
                format!("{}::{}", function.name, function.slots.get(slot.index())?.name)
            }
            (None, None) => {
                let next = self.heap.len() + 1;
                format!("heap#{}", self.heap.entry(number).or_insert(next))
            }
        };
        Some(if offset == 0 { name } else { format!("{name}+{offset}") })
    }

    /// An integer of some bits, as a signed one.
    fn number(&self, value: u128, ty: &Type) -> String {
        let bits = ty.bits(self.module).unwrap_or(128);
        arithmetic::signed(value & arithmetic::mask(bits), bits).to_string()
    }
}

impl Onlooker for Lines<'_> {
    fn before(&mut self, machine: &Machine<'_>, thread: u32) {
        let instruction = machine.position(thread).and_then(|position| self.instruction(position));
        let address = instruction.and_then(|instruction| match &instruction.op {
            Op::Load { address, .. }
            | Op::Store { address, .. }
            | Op::HavocMemory { address, .. }
            | Op::CopyMemory { destination: address, .. } => Some(*address),
            Op::Sync { arguments, .. } => arguments.first().copied(),
            _ => None,
        });
        let pointer = address.map(|address| machine.value(thread, address));
        self.accessed = pointer.and_then(|pointer| self.name(machine, thread, pointer));
    }

    fn after(
        &mut self,
        machine: &Machine<'_>,
        thread: u32,
        position: Position,
        outcome: &Outcome,
        _: bool,
    ) {
        let name = self.accessed.take();
        let Some(instruction) = self.instruction(position) else { return };
        let location = instruction.location;
        let text = match (&instruction.op, outcome, name) {
            (Op::Load { .. }, Outcome::Continued(Some(read)), Some(name)) => {
                let function = self.module.function(position.0);
                let ty = instruction.result.map(|v| function.operand_type(Operand::Value(v)));
                format!("reads {name} = {}", self.number(read.bits, &ty.unwrap_or(Type::Pointer)))
            }
            (Op::Store { ty, .. }, Outcome::Continued(Some(written)), Some(name)) => {
                let waits = if written.waits { " (waits)" } else { "" };
                format!("{name} = {}{waits}", self.number(written.bits, ty))
            }
            (Op::HavocMemory { .. }, _, Some(name)) => format!("{name} = any value"),
            (Op::CopyMemory { .. }, _, Some(name)) => format!("{name} is copied to"),
            (Op::Sync { op, .. }, _, Some(name)) => {
                format!("{} {name}", mnemonic::word(mnemonic::SYNC, op))
            }
            (Op::Spawn { .. }, Outcome::Started(number), _) => format!("starts thread {number}"),
            (Op::Join { handle }, _, _) => {
                format!("joins thread {}", machine.value(thread, *handle).saturating_sub(1))
            }
            (Op::Assert { .. }, Outcome::AssertionFailed { .. }, _) => "fails".to_owned(),
            _ => return,
        };
        self.line(thread, Some(location), &text);
    }

    fn reached(&mut self, machine: &Machine<'_>, thread: u32, _: usize, store: &Waiting) {
        let Some(name) = self.name(machine, thread, u128::from(store.pointer)) else { return };
        let value = bytes::get(&store.bytes, self.module.target.endianness);
        let bits = u16::try_from(store.bytes.len().saturating_mul(8)).unwrap_or(128).min(128);
        let text = match value {
            Some(value) => {
                format!("{name} = {} reaches memory", self.number(value, &Type::Int(bits)))
            }
            None => format!("{name} reaches memory"),
        };
        self.line(thread, None, &text);
    }
}
