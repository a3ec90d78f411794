//! What a thread can do on the way to a known state. A trace needs one step to it, so that the
//! other results of the step, which can be very many, are never listed.

use super::moves::{Move, Moves, Words};
use super::prepared::Slot;
use super::state::{Mover, State};
use super::valuations::{Scope, get};
use sapa_ir::boolean::flat::{FlatStatement, LocalVar, LocationId};

impl Moves<'_> {
    /// Whether the thread's assertion can fail.
    pub(super) fn fails(&self, local: u32, shared: u32) -> bool {
        let (location, words) = self.local(local);
        let scope = Scope { shared: self.shared(shared), local: words, ..Scope::default() };
        match self.prepared.program.statement(*location) {
            FlatStatement::Assert { condition, .. } => scope.values(condition).zero,
            _ => false,
        }
    }

    /// Moves that may lead to the state `goal`, as far as the active thread is concerned: all but
    /// those that differ only in what nobody sees.
    pub(super) fn towards(&mut self, mover: Mover, shared: u32, goal: &State) -> Vec<Move> {
        let program = self.prepared.program;
        let location = self.local(mover.local()).0;
        let goals: Vec<u32> = match mover {
            Mover::Initial(_) => goal.initial.into_iter().collect(),
            Mover::Started(_) => goal.started.iter().map(|(local, _)| *local).collect(),
        };
        if let FlatStatement::Assign { next, .. } = program.statement(location) {
            let before = (location, shared, mover.local());
            return goals
                .into_iter()
                .flat_map(|local| self.assign_towards(before, *next, goal.shared, local))
                .collect();
        }
        let all = self.of(mover.local(), shared);
        let leads = |step: &Move| {
            step.shared == goal.shared && step.local.is_none_or(|local| goals.contains(&local))
        };
        all.moves.iter().copied().filter(leads).collect()
    }

    fn assign_towards(
        &mut self,
        before: (LocationId, u32, u32),
        next: LocationId,
        goal_shared: u32,
        goal: u32,
    ) -> Vec<Move> {
        let (location, shared, local) = before;
        let (stop, words) = self.local(goal).clone();
        let Some(assignment) = &self.prepared.assignments[location.index()] else {
            return Vec::new();
        };
        if !self.prepared.stops[next.index()].contains(&stop) {
            return Vec::new();
        }
        let (involves_passive, couples) = (assignment.involves_passive, assignment.couples);
        let after = self.shared(goal_shared);
        let live = self.prepared.liveness.at(stop);
        let wanted = |slot: Slot| match slot {
            Slot::Shared(v) => Some(get(after, v.index())),
            Slot::Local(v) => get(live, v.index()).then(|| get(&words, v.index())),
        };
        let is_goal = |next_shared: &[u64], next_local: &[u64]| {
            let lives = next_local.iter().zip(live).map(|(word, live)| word & live);
            next_shared == after && lives.eq(words.iter().copied())
        };
        // What is dead then matters only if passive threads see it.
        let most = if couples { self.most_results(after.len() + words.len()) } else { 1 };
        let mut results: Vec<Words> = Vec::new();
        self.each_result(self.shared(shared), local, &wanted, |next_shared, next_local| {
            // What is not written is not wanted either, and is the same in all results.
            let found = is_goal(next_shared, next_local);
            results.extend(found.then(|| next_local.into()));
            found && results.len() < most
        });
        if couples && !self.complete(results.len(), most) {
            return Vec::new();
        }
        let mut moves = Vec::with_capacity(results.len());
        for next_local in results {
            let choice = involves_passive.then(|| {
                let number = self.choices.len() as u32;
                self.choose(before, goal_shared, next_local, number)
            });
            moves.push(Move { choice, ..Move::plain(goal_shared, Some(goal)) });
        }
        moves
    }

    /// Whether a passive thread can have the local state `goal` after a choice of the active one.
    pub(super) fn reacts(&self, choice: u32, local: u32, goal: u32) -> bool {
        let ((location, _), (at, words)) = (self.local(local), self.local(goal));
        let live = self.prepared.liveness.at(*at);
        let mut found = false;
        if location == at {
            let wanted = |v: LocalVar| get(live, v.index()).then(|| get(words, v.index()));
            self.each_reaction(choice, local, &wanted, |next| {
                let lives = next.iter().zip(live).map(|(word, live)| word & live);
                found = lives.eq(words.iter().copied());
                false
            });
        }
        found
    }
}
