//! Incremental, inductive coverability: IC3 for well-structured systems (Kloos, Majumdar, Niksic,
//! Piskac, CAV 2013), to be compared with.
//!
//! Frame `i` over-approximates what can be reached in `i` steps; it is what is above none of the
//! elements that are blocked there. An element that is to be blocked is made smaller as long as
//! that is inductive relative to the frame before.

use std::time::Instant;

use super::Answer;
use super::rows::{Config, Rows};

struct Search<'r, 's> {
    rows: &'r Rows<'s>,
    /// By the highest frame in which they are blocked.
    blocked: Vec<Vec<Config>>,
    deadline: Instant,
}

/// Out of time.
struct Late;

/// Whether one of the targets can be covered; and how many elements were blocked.
#[must_use]
pub fn incremental(rows: &Rows<'_>, targets: &[Config], deadline: Instant) -> (Answer, usize) {
    let mut search = Search { rows, blocked: vec![Vec::new(); 2], deadline };
    let answer = search.run(targets).unwrap_or(Answer::OutOfTime);
    (answer, search.blocked.iter().map(Vec::len).sum())
}

impl Search<'_, '_> {
    fn run(&mut self, targets: &[Config]) -> Result<Answer, Late> {
        if targets.iter().any(|target| self.rows.is_initial(target)) {
            return Ok(Answer::Reached);
        }
        loop {
            let last = self.blocked.len() - 1;
            for target in targets {
                if !self.block(target.clone(), last)? {
                    return Ok(Answer::Reached);
                }
            }
            self.blocked.push(Vec::new());
            for frame in 1..=last {
                for element in std::mem::take(&mut self.blocked[frame]) {
                    let to =
                        if self.is_inductive(&element, frame + 1)? { frame + 1 } else { frame };
                    self.blocked[to].push(element);
                }
                if self.blocked[frame].is_empty() {
                    return Ok(Answer::Unreachable);
                }
            }
        }
    }

    /// Whether an element is not in a frame.
    fn is_blocked(&self, element: &Config, frame: usize) -> bool {
        if frame == 0 {
            return !self.rows.is_initial(element);
        }
        self.blocked.iter().skip(frame).flatten().any(|blocked| element.covers(blocked))
    }

    /// A predecessor of an element in the frame before, which is not above it.
    fn predecessor(&self, element: &Config, frame: usize) -> Result<Option<Config>, Late> {
        if Instant::now() > self.deadline {
            return Err(Late);
        }
        let before = self.rows.before(element);
        Ok(before.into_iter().find(|c| !c.covers(element) && !self.is_blocked(c, frame - 1)))
    }

    fn is_inductive(&self, element: &Config, frame: usize) -> Result<bool, Late> {
        Ok(self.predecessor(element, frame)?.is_none())
    }

    /// Blocks an element in a frame; `false` if it can be reached.
    fn block(&mut self, element: Config, frame: usize) -> Result<bool, Late> {
        let mut pending = vec![(element, frame)];
        while let Some((element, frame)) = pending.last().cloned() {
            if self.rows.is_initial(&element) {
                return Ok(false);
            }
            if self.is_blocked(&element, frame) {
                pending.pop();
                continue;
            }
            match self.predecessor(&element, frame)? {
                // What is in frame 0 is initial.
                Some(_) if frame == 1 => return Ok(false),
                Some(before) => pending.push((before, frame - 1)),
                None => {
                    let small = self.smaller(element, frame)?;
                    self.blocked[frame].push(small);
                    pending.pop();
                }
            }
        }
        Ok(true)
    }

    /// An element below this one that is as inductive, with as few threads as can be.
    fn smaller(&self, mut element: Config, frame: usize) -> Result<Config, Late> {
        let mut at = 0;
        while at < element.threads.len() {
            let fewer = element.without(at);
            if !self.rows.is_initial(&fewer) && self.is_inductive(&fewer, frame)? {
                element = fewer;
            } else {
                at += 1;
            }
        }
        Ok(element)
    }
}
