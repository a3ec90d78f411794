//! Failing runs without what they do not need: those that were found at random have threads and
//! rounds of loops that have nothing to do with the failure.
//!
//! Parts are left out, large ones first, as long as what is left fails the same assertion (Zeller,
//! Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 2002). Whatever a part is,
//! what is left is executed, so that it is a run of the program or is not taken.

use std::collections::BTreeSet;

use sapa_limits::Limits;

use super::buffer::Waiting;
use super::machine::{Machine, Outcome};
use super::replay::{Failure, Move, Onlooker};
use super::sample::{Position, copy_cost};
use crate::goto::module::Module;

impl Failure {
    /// A run that fails the same assertion and does no more than this one, found with so many `steps` of
    /// the interpreter. `threads` bounds how many there are at once besides the initial one.
    #[must_use]
    pub fn shortened(
        self,
        module: &Module,
        threads: Option<u32>,
        steps: usize,
        limits: &Limits,
    ) -> Self {
        let mut shorter = Shorter { module, threads, limits, left: steps, best: self };
        shorter.leave_out_threads();
        shorter.leave_out_moves();
        shorter.cut_moves();
        shorter.leave_out_moves();
        shorter.best
    }
}

struct Shorter<'m> {
    module: &'m Module,
    threads: Option<u32>,
    limits: &'m Limits,
    /// How many steps of the interpreter are left.
    left: usize,
    best: Failure,
}

impl Shorter<'_> {
    /// Takes these moves, if they fail the assertion too.
    fn takes(&mut self, moves: Vec<Move>) -> bool {
        let cost: usize = moves.iter().map(Move::instructions).sum();
        let cost = cost.saturating_add(copy_cost(self.module));
        if cost > self.left || self.limits.is_exceeded() {
            self.left = 0;
            return false;
        }
        self.left -= cost;
        let shorter = Failure { moves, ..self.best.clone() };
        let fails = shorter.replay(self.module, self.threads, &mut Nobody);
        if fails {
            self.best = shorter;
        }
        fails
    }

    /// Leaves out all that some threads do, but for the one that fails.
    fn leave_out_threads(&mut self) {
        let Some(failing) = self.best.moves.last().map(Move::thread) else { return };
        let threads: BTreeSet<u32> = self.best.moves.iter().map(Move::thread).collect();
        let mut others: Vec<u32> = threads.into_iter().filter(|&other| other != failing).collect();
        let mut size = others.len();
        while size > 0 && self.left > 0 {
            // Who was started last is needed by the fewest.
            for part in others.clone().rchunks(size) {
                let has = |step: &&Move| !part.contains(&step.thread());
                let moves = self.best.moves.iter().filter(has).cloned().collect();
                if self.takes(moves) {
                    others.retain(|thread| !part.contains(thread));
                }
            }
            size = half(size);
        }
    }

    /// Leaves out moves that follow each other.
    fn leave_out_moves(&mut self) {
        let mut size = self.best.moves.len() / 2;
        while size > 0 && self.left > 0 {
            // The last one fails.
            let mut end = self.best.moves.len().saturating_sub(1);
            while end > 0 && self.left > 0 {
                let start = end.saturating_sub(size);
                let moves = &self.best.moves;
                let rest = moves.iter().take(start).chain(moves.iter().skip(end));
                let rest = rest.cloned().collect();
                self.takes(rest);
                end = start;
            }
            size = half(size);
        }
    }

    /// Leaves out the last instructions of moves.
    fn cut_moves(&mut self) {
        for index in (0..self.best.moves.len().saturating_sub(1)).rev() {
            let length = |this: &Self| this.best.moves.get(index).map_or(0, Move::instructions);
            let mut size = length(self) / 2;
            while size > 0 && self.left > 0 {
                let mut moves = self.best.moves.clone();
                if let Some(Move::Act { instructions, .. }) = moves.get_mut(index) {
                    *instructions = instructions.saturating_sub(size).max(1);
                }
                if !self.takes(moves) {
                    size = half(size);
                } else {
                    size = size.min(length(self) / 2);
                }
            }
        }
    }
}

/// The next smaller size of parts; 0 after the smallest.
fn half(size: usize) -> usize {
    if size == 1 { 0 } else { size.div_ceil(2) }
}

/// Looks on and notes nothing.
struct Nobody;

impl Onlooker for Nobody {
    fn after(&mut self, _: &Machine<'_>, _: u32, _: Position, _: &Outcome, _: bool) {}

    fn reached(&mut self, _: &Machine<'_>, _: u32, _: usize, _: &Waiting) {}
}

#[cfg(test)]
mod tests {
    use super::super::failing::RandomRuns;
    use super::super::sample::SampleOptions;
    use super::*;
    use crate::goto::module::MemoryModel;
    use crate::goto::parse;

    /// Two of many threads have to be in their critical sections at once.
    const CROWD: &str = r#"gir 1
global $in: i32 = 0
define @t() {
bb0:
  %0: i32 = load $in
  %1: i1 = eq %0, 0i32
  assert %1, "alone"
  store i32, $in, 1i32
  store i32, $in, 0i32
  return
}
define @main() {
bb0:
  jump bb1
bb1:
  %0: i64 = spawn @t()
  jump bb1
}
entry @main
"#;

    #[test]
    fn two_threads_are_left_of_many() {
        let module = parse(CROWD, "test").expect("the module is well-formed");
        let limits = Limits::default();
        let mut random = RandomRuns::new(&module);
        let options = SampleOptions { memory: MemoryModel::Sc, threads: None, steps: 1 << 16 };
        // Runs with many threads have been seen after some.
        let found = (0..16).filter_map(|_| random.failure(&module, options, &limits));
        for failure in found {
            let shorter = failure.shortened(&module, None, 1 << 16, &limits);
            let executed = shorter.execute(&module, None).expect("it fails");
            let threads: BTreeSet<u32> = executed.iter().map(|e| e.thread).collect();
            assert_eq!(threads.len(), 3, "{executed:?}");
        }
    }
}
