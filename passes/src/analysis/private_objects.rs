//! Where the newest object of an allocation site is its thread's alone.
//!
//! Code that allocates mostly gives the new object its contents before anybody else knows of it. As
//! long as the address is in nothing but SSA values of the thread that has allocated it, no other
//! thread can come to the object, and what the thread itself reads from memory is no address of it: so
//! it is *private*, and accesses through these values are to it and to nothing else. It is *published*
//! where its address is stored, handed to a new thread, or returned, and where a path arrives at a
//! place at which other paths have none that is private.
//!
//! The analysis goes forwards over each function. For a site it knows at each place either which
//! values may point into the newest object, or that it has none that is private. A value that is
//! computed from one of them may point into it, too, as a number may that an address was made; what is
//! read from memory does not, nor what any other instruction yields. (That a program guesses an address
//! is assumed away, as everywhere.)
//!
//! Beside that it is known which bytes of a private object have been given contents on all paths.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{BlockId, Function, Instruction, Op, Operand, Target, TerminatorKind, ValueId};
use sapa_limits::{Exceeded, Limits};

/// An allocation whose newest object can be private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where it is.
    pub block: BlockId,
    /// The instruction in its block.
    pub index: usize,
    /// The address of the object.
    pub result: ValueId,
}

/// The values that may point into the newest object of a site; whether each certainly does.
type Pointers = BTreeMap<ValueId, bool>;

/// A private object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    pointers: Pointers,
    /// What was written on all paths: offsets and sizes in bytes.
    written: BTreeSet<(u64, u64)>,
}

/// What is private at a place, by site; `None` where there is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State(Vec<Option<Known>>);

impl State {
    /// The sites into whose private object a value may point, and whether it certainly does.
    pub fn pointed_to(&self, operand: Operand) -> impl Iterator<Item = (usize, bool)> {
        let value = operand.value();
        let certain = move |known: &Known| known.pointers.get(&value?).copied();
        let sites = self.0.iter().enumerate();
        sites.filter_map(move |(site, known)| Some((site, certain(known.as_ref()?)?)))
    }

    /// Whether all of some bytes of a site's private object were written, by one store.
    #[must_use]
    pub fn is_written(&self, site: usize, offset: u64, size: u64) -> bool {
        let known = self.0.get(site).and_then(Option::as_ref);
        known.is_some_and(|known| known.written.contains(&(offset, size)))
    }

    /// Notes that some bytes of a site's private object are written.
    pub fn write(&mut self, site: usize, offset: u64, size: u64) {
        if let Some(known) = self.0.get_mut(site).and_then(Option::as_mut) {
            known.written.insert((offset, size));
        }
    }

    /// Whether the newest object of a site is private.
    #[must_use]
    pub fn is_private(&self, site: usize) -> bool {
        self.0.get(site).is_some_and(Option::is_some)
    }
}

/// What is private in a function.
#[derive(Debug, Default)]
pub struct Private {
    /// The sites.
    pub sites: Vec<Site>,
    /// At the start of each block; `None` for what no path leads to.
    starts: Vec<Option<State>>,
    /// The values that are read in each block, or behind it, of those that may point into objects of
    /// the sites, and are not defined there before; its parameters count as defined outside.
    live: Vec<FxHashSet<ValueId>>,
}

impl Private {
    /// Analyses a function; `write` notes what an instruction writes of private objects.
    ///
    /// # Errors
    /// A limit ended it.
    pub fn new(
        function: &Function,
        sites: Vec<Site>,
        write: &dyn Fn(&mut State, &Instruction),
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let count = function.blocks.len();
        let mut private =
            Self { sites, starts: vec![None; count], live: vec![FxHashSet::default(); count] };
        if private.sites.is_empty() {
            return Ok(private);
        }
        let cfg = Cfg::new(function);
        let pointers = private.pointers(function, limits)?;
        private.find_live(function, &cfg, &pointers, limits)?;
        private.starts[Function::ENTRY.index()] = Some(State(vec![None; private.sites.len()]));
        let mut changed = true;
        while changed {
            changed = false;
            limits.check()?;
            for &block in cfg.reverse_postorder() {
                let Some(mut state) = private.starts[block.index()].clone() else { continue };
                for (index, instruction) in function.block(block).instructions.iter().enumerate() {
                    private.execute(function, &mut state, (block, index), instruction);
                    write(&mut state, instruction);
                }
                private.end(&mut state, &function.block(block).terminator.kind);
                function.block(block).terminator.kind.for_each_target(|target| {
                    let arriving = private.arriving(function, &state, target);
                    let start = &mut private.starts[target.block.index()];
                    let merged = match start {
                        None => arriving,
                        Some(before) => merge(before, &arriving),
                    };
                    changed |= start.as_ref() != Some(&merged);
                    *start = Some(merged);
                });
            }
        }
        Ok(private)
    }

    /// What is private at the start of a block; `None` if no path leads there.
    #[must_use]
    pub fn start(&self, block: BlockId) -> Option<State> {
        self.starts.get(block.index()).cloned().flatten()
    }

    /// What is private at the start of a block, which is nothing if no path leads there.
    fn at_start(&self, block: BlockId) -> State {
        self.start(block).unwrap_or_else(|| State(vec![None; self.sites.len()]))
    }

    /// The sites whose object an instruction publishes, given what is private before it.
    #[must_use]
    pub fn published(
        &self,
        function: &Function,
        state: &State,
        place: (BlockId, usize),
        instruction: &Instruction,
    ) -> Vec<usize> {
        self.execute(function, &mut state.clone(), place, instruction)
    }

    /// Moves over an instruction; the sites whose object it publishes.
    pub fn execute(
        &self,
        function: &Function,
        state: &mut State,
        (block, index): (BlockId, usize),
        instruction: &Instruction,
    ) -> Vec<usize> {
        let mut published = Vec::new();
        for (number, site) in self.sites.iter().enumerate() {
            let Some(slot) = state.0.get_mut(number) else { continue };
            if let Some(Known { pointers, .. }) = slot {
                let certainty = |operand: Operand| pointers.get(&operand.value()?).copied();
                match lets_out(&instruction.op, &certainty) {
                    Some(Out::Published) => published.push(number),
                    Some(Out::Freed) => *slot = None,
                    None => {}
                }
            }
            if published.last() == Some(&number) {
                *slot = None;
            }
            if (site.block, site.index) == (block, index) {
                // The one before may still be used through other values.
                let is_used = |value: &ValueId| {
                    *value != site.result && self.is_live_after(function, *value, block, index)
                };
                if slot.take().is_some_and(|known| known.pointers.keys().any(is_used)) {
                    published.push(number);
                }
                let pointers = Pointers::from([(site.result, true)]);
                *slot = Some(Known { pointers, written: BTreeSet::new() });
                continue;
            }
            if let (Some(Known { pointers, .. }), Some(result)) = (slot, instruction.result) {
                match derived(&instruction.op, pointers) {
                    Some(certain) => pointers.insert(result, certain),
                    None => pointers.remove(&result),
                };
            }
        }
        published
    }

    /// Moves over the end of a block; the sites whose object is published by what is returned.
    pub fn end(&self, state: &mut State, terminator: &TerminatorKind) -> Vec<usize> {
        let value = match terminator {
            TerminatorKind::Return(Some(value)) | TerminatorKind::EndThread(Some(value)) => *value,
            _ => return Vec::new(),
        };
        let published: Vec<usize> = state.pointed_to(value).map(|(site, _)| site).collect();
        for &site in &published {
            state.0[site] = None;
        }
        published
    }

    /// The sites whose object is published by a jump, given what is private before it.
    #[must_use]
    pub fn published_by_jump(
        &self,
        function: &Function,
        state: &State,
        target: &Target,
    ) -> Vec<usize> {
        let arriving = self.arriving(function, state, target);
        let start = self.at_start(target.block);
        let is_published = |&site: &usize| arriving.is_private(site) && !start.is_private(site);
        (0..self.sites.len()).filter(is_published).collect()
    }

    /// What is private behind a jump, as far as somebody may use it there.
    fn arriving(&self, function: &Function, state: &State, target: &Target) -> State {
        let parameters = &function.block(target.block).parameters;
        let live = self.live.get(target.block.index());
        let is_live = |value: &ValueId| live.is_some_and(|live| live.contains(value));
        let of = |known: &Known| {
            let Known { pointers, written } = known;
            let mut found: Pointers = pointers
                .iter()
                .filter(|(value, _)| !parameters.contains(value) && is_live(value))
                .map(|(&value, &certain)| (value, certain))
                .collect();
            for (parameter, argument) in parameters.iter().zip(&target.arguments) {
                let certain = argument.value().and_then(|value| pointers.get(&value));
                if let Some(&certain) = certain
                    && is_live(parameter)
                {
                    found.insert(*parameter, certain);
                }
            }
            let written = written.clone();
            (!found.is_empty()).then_some(Known { pointers: found, written })
        };
        State(state.0.iter().map(|known| known.as_ref().and_then(of)).collect())
    }

    /// The values that may ever point into objects of the sites.
    fn pointers(
        &self,
        function: &Function,
        limits: &Limits,
    ) -> Result<FxHashSet<ValueId>, Exceeded> {
        let mut found: FxHashSet<ValueId> = self.sites.iter().map(|site| site.result).collect();
        let mut count = 0;
        while found.len() > count {
            limits.check()?;
            count = found.len();
            for block in &function.blocks {
                for instruction in &block.instructions {
                    let mut is_derived = false;
                    if is_derivation(&instruction.op) {
                        instruction.op.for_each_operand(|operand| {
                            is_derived |= operand.value().is_some_and(|v| found.contains(&v));
                        });
                    }
                    found.extend(instruction.result.filter(|_| is_derived));
                }
                block.terminator.kind.for_each_target(|target| {
                    let parameters = &function.block(target.block).parameters;
                    for (&parameter, argument) in parameters.iter().zip(&target.arguments) {
                        if argument.value().is_some_and(|value| found.contains(&value)) {
                            found.insert(parameter);
                        }
                    }
                });
            }
        }
        Ok(found)
    }

    fn find_live(
        &mut self,
        function: &Function,
        cfg: &Cfg,
        pointers: &FxHashSet<ValueId>,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let mut changed = true;
        while changed {
            changed = false;
            limits.check()?;
            for &block in cfg.reverse_postorder().iter().rev() {
                let live = self.live_in(function, block, pointers);
                changed |= live != self.live[block.index()];
                self.live[block.index()] = live;
            }
        }
        Ok(())
    }

    /// The values of `pointers` that are read in a block before they are defined there, or behind it.
    fn live_in(
        &self,
        function: &Function,
        block: BlockId,
        pointers: &FxHashSet<ValueId>,
    ) -> FxHashSet<ValueId> {
        let data = function.block(block);
        let mut live = FxHashSet::default();
        let read = |live: &mut FxHashSet<ValueId>, operand: Operand| {
            live.extend(operand.value().filter(|value| pointers.contains(value)));
        };
        data.terminator.kind.for_each_target(|target| {
            let parameters = &function.block(target.block).parameters;
            let behind = self.live[target.block.index()].iter();
            live.extend(behind.filter(|value| !parameters.contains(value)));
        });
        data.terminator.kind.for_each_operand(|operand| read(&mut live, operand));
        for instruction in data.instructions.iter().rev() {
            if let Some(result) = instruction.result {
                live.remove(&result);
            }
            instruction.op.for_each_operand(|operand| read(&mut live, operand));
        }
        live
    }

    fn is_live_after(
        &self,
        function: &Function,
        value: ValueId,
        block: BlockId,
        index: usize,
    ) -> bool {
        let data = function.block(block);
        let mut found = false;
        let mut read = |operand: Operand| found |= operand == Operand::Value(value);
        for instruction in data.instructions.iter().skip(index + 1) {
            instruction.op.for_each_operand(&mut read);
        }
        data.terminator.kind.for_each_operand(&mut read);
        let is_live = |target: &Target| {
            self.live[target.block.index()].contains(&value)
                && !function.block(target.block).parameters.contains(&value)
        };
        data.terminator.kind.for_each_target(|target| found |= is_live(target));
        found
    }
}

/// How the address of an object gets out of a thread's values.
enum Out {
    Published,
    /// The object ends.
    Freed,
}

/// What an instruction does with pointers into an object; `certainty` tells whether an operand may be
/// one, and whether it certainly is.
fn lets_out(op: &Op, certainty: &impl Fn(Operand) -> Option<bool>) -> Option<Out> {
    let is_out = match op {
        Op::Store { value, .. } => certainty(*value).is_some(),
        Op::Free { address } => match certainty(*address)? {
            true => return Some(Out::Freed),
            false => true,
        },
        // An address that is only used as one stays where it is.
        Op::Load { .. }
        | Op::HavocMemory { .. }
        | Op::CopyMemory { .. }
        | Op::ObjectSize { .. }
        | Op::Accessible { .. }
        | Op::Allocate { .. }
        | Op::Assume { .. }
        | Op::Assert { .. } => false,
        op if op.is_pure() => false,
        op => {
            let mut is_out = false;
            op.for_each_operand(|operand| is_out |= certainty(operand).is_some());
            is_out
        }
    };
    is_out.then_some(Out::Published)
}

/// Whether the result of an operation may be a pointer because an operand is.
fn is_derivation(op: &Op) -> bool {
    op.is_pure() && !matches!(op, Op::Compare { .. })
}

/// Whether the result of an instruction may point into an object, and whether it certainly does.
fn derived(op: &Op, pointers: &Pointers) -> Option<bool> {
    if !is_derivation(op) {
        return None;
    }
    let certainty = |operand: &Operand| pointers.get(&operand.value()?).copied();
    match op {
        Op::Copy { a } | Op::Cast { a, .. } | Op::FieldAddress { base: a, .. } => certainty(a),
        Op::IndexAddress { base, index, .. } => match (certainty(base), certainty(index)) {
            (base, None) => base,
            _ => Some(false),
        },
        op => {
            let mut is_derived = false;
            op.for_each_operand(|operand| is_derived |= certainty(&operand).is_some());
            is_derived.then_some(false)
        }
    }
}

/// What is private where two ways meet.
fn merge(one: &State, other: &State) -> State {
    let both = one.0.iter().zip(&other.0).map(|pair| match pair {
        (Some(one), Some(other)) => {
            let mut pointers = Pointers::new();
            for &value in one.pointers.keys().chain(other.pointers.keys()) {
                let certain = |of: &Known| of.pointers.get(&value).copied().unwrap_or(false);
                pointers.insert(value, certain(one) && certain(other));
            }
            let written = one.written.intersection(&other.written).copied().collect();
            Some(Known { pointers, written })
        }
        _ => None,
    });
    State(both.collect())
}
