//! Threads that wait for the end of others. Where it is known for whom, that thread is unfolded before the one that
//! waits goes on: what it has ended with is a term then, and so is what it has left in memory that nobody else
//! accesses before it has ended. So of threads that work on data of their own between start and end nothing is left
//! to be ordered.

use sapa_ir::goto::handle;
use sapa_ir::goto::interpret::Position;

use super::super::contention::Ended;
use super::super::contents::Contents;
use super::super::guard::Guard;
use super::super::unfolding::{Join, StepKind};
use super::state::State;
use super::{Stop, Unfolder};
use crate::automaton::leaf::{Symbols, sort_of};
use crate::solver::{Sort, TermId};

/// How a thread begins.
pub(super) struct Begin {
    /// What memory holds.
    pub memory: Contents,
    /// The threads that have ended.
    pub ended: Ended,
}

/// A way in which a thread ends, or all as one.
pub(super) struct End {
    /// The runs.
    pub guard: Guard,
    pub value: Option<TermId>,
    pub memory: Contents,
    /// The threads that have ended before it.
    pub ended: Ended,
}

impl Unfolder<'_> {
    /// The paths wait for the end of a thread: what it ended with, of so many bits, if that is read.
    pub(super) fn join(
        &mut self,
        state: &mut State,
        handle: TermId,
        result: Option<u16>,
        position: Position,
    ) -> Result<Option<TermId>, Stop> {
        let ended = self.ended(state, handle)?;
        let passes = self.symbols.store.fresh(Sort::Bool, "ended");
        let guard = state.guard;
        let step = self.add_step(StepKind::Join, guard);
        state.last = None;
        self.out.steps[step.index()].drains = Some(guard);
        let after = self.guards.and(&mut self.symbols.store, guard, passes).unwrap_or(guard);
        state.guard = after;
        let mut written =
            ended.map_or_else(Vec::new, |it| self.accesses.take_over(self.thread, it));
        // Of what is contended the events say more.
        written.retain(|&(object, offset, size)| !self.is_contended(object, offset, size));
        let end = ended.and_then(|thread| self.finished.get(&thread));
        let known = end.and_then(|end| Some(value_of(self.symbols, end.value?, result?)));
        let unknown = result.filter(|_| known.is_none()).map(|bits| {
            let value = self.symbols.store.fresh(sort_of(bits), "result");
            self.targets.add_load(value);
            value
        });
        if let (Some(thread), Some(end)) = (ended, end) {
            state.ended = state.ended.union(end.ended).with(thread);
            for (object, offset, size) in written {
                let place = (object, offset);
                let value = end.memory.read(self.symbols, &mut self.objects, place, size);
                state.memory.write(self.symbols, &self.objects, place, size, value);
            }
        }
        let value = known.or(unknown);
        self.out.joins.push(Join { step, handle, passes, after, thread: ended, result: unknown });
        self.mark(position, state.guard, value, Some(step));
        Ok(value)
    }

    /// The thread that a handle is of, if that is one in any case, and one whose end says what there is to know; it is
    /// unfolded by then.
    fn ended(&mut self, state: &State, of: TermId) -> Result<Option<usize>, Stop> {
        let Some(of) = self.symbols.store.as_constant(of) else { return Ok(None) };
        let is_it =
            |number: &usize| u32::try_from(*number).is_ok_and(|number| handle(number) == of);
        let Some(thread) = (0..self.out.threads.len()).find(is_it) else { return Ok(None) };
        let nested = self.outer + self.calls.len();
        if let Some(at) = self.waiting.iter().position(|&(number, _)| number == thread)
            && nested < MOST_WAITING
            && let Some((_, begin)) = self.waiting.remove(at)
        {
            let own = std::mem::take(&mut self.own);
            let calls = std::mem::take(&mut self.calls);
            let ends = std::mem::take(&mut self.ends);
            let effects = std::mem::take(&mut self.effects);
            let (waits, position, outer) = (self.thread, self.position, self.outer);
            self.outer = nested;
            self.unfold_thread(thread, begin)?;
            (self.own, self.calls, self.ends, self.effects) = (own, calls, ends, effects);
            (self.thread, self.position, self.outer) = (waits, position, outer);
        }
        // One that is not unfolded yet waits for this one, or for one that does.
        let Some(end) = self.finished.get(&thread) else { return Ok(None) };
        let is_last = self.has_nothing_newer(state, thread, end.ended);
        Ok((is_last && self.awaited.insert(thread)).then_some(thread))
    }

    /// Whether what a thread has written, or one that it has waited for, is newer than all that is written there before
    /// this place and was not known to it.
    ///
    /// Writes to bytes that are not contended are ordered, by starts and by ends that were waited for. A thread is waited
    /// for once in that way. So a newer write is by a thread that was started by one of these, or by one
    /// started by those, and is known here: it is this one, or has ended.
    fn has_nothing_newer(&self, state: &State, thread: usize, known: Ended) -> bool {
        let all = known.with(thread);
        let is_started_by_them = |thread: usize| {
            let parent = |&thread: &usize| self.out.threads[thread].parent.map(|(it, ..)| it);
            std::iter::successors(parent(&thread), parent).any(|parent| all.contains(parent))
        };
        let here = state.ended.with(self.thread);
        (0..self.out.threads.len())
            .filter(|&other| here.contains(other) && !all.contains(other))
            .all(|other| !is_started_by_them(other))
    }
}

/// Most calls that wait for threads, each for one that is unfolded within it.
const MOST_WAITING: usize = 256;

/// What a thread has ended with, as it is read.
pub(in super::super) fn value_of(symbols: &mut Symbols, value: TermId, bits: u16) -> TermId {
    let value = symbols.to_bits(value);
    let value = if symbols.store.width(value) > u32::from(bits) {
        symbols.store.extract(value, u32::from(bits) - 1, 0)
    } else {
        symbols.store.zext(value, u32::from(bits))
    };
    symbols.coerce(value, bits)
}
