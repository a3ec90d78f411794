//! What steps of one thread do to others: case 2 of BOPPO Definition 8.
//!
//! Of the thread that acts nothing is left but which change of shared variables is possible from
//! where, and, where it broadcasts or holds locks, for which locals of the other. Changes that
//! write the same variables are one relation, over the values before of what it reads and the
//! values after of these variables alone: all others stay, and no conjunct says so.

use sapa_bdd::{Bdd, BddManager, LimitReached, Substitution, Var};
use sapa_ir::boolean::flat::{Assignment, LocalVar, SharedVar};

use super::variables::side;
use crate::check::symbolic::depends::LARGE;
use crate::check::symbolic::layout::{Bit, Side};

/// Which variables a change writes: the shared ones, and the other thread's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// In rising order.
    pub(crate) shared: Vec<SharedVar>,
    /// In rising order.
    pub(crate) locals: Vec<LocalVar>,
    /// Whether the other thread's own variables are written, or can block the step.
    pub(crate) involves_passive: bool,
}

impl Shape {
    /// Adds what an assignment writes.
    pub(crate) fn add(&mut self, assignment: &Assignment) {
        self.shared.extend(assignment.shared.iter().map(|(v, _)| *v));
        self.locals.extend(assignment.broadcast.iter().map(|(v, _)| *v));
        self.shared.sort_unstable();
        self.shared.dedup();
        self.locals.sort_unstable();
        self.locals.dedup();
        self.involves_passive |= assignment.involves_passive();
    }

    /// Whether nothing is written.
    pub(crate) fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.locals.is_empty()
    }
}

/// All changes of one shape that were found.
#[derive(Debug)]
pub(crate) struct Changes {
    pub(crate) shape: Shape,
    /// Their union. In parts, where that would be larger than the parts.
    pub(crate) parts: Vec<Bdd>,
    /// Where they come from: numbers of places and companies.
    pub(crate) sources: Vec<usize>,
    written: Vec<Var>,
    before: Bdd,
    to_current: Substitution,
}

impl Changes {
    /// None yet; `bits` are those that the shape writes.
    pub(super) fn new(
        manager: &BddManager,
        shape: Shape,
        bits: &[Bit],
    ) -> Result<Changes, LimitReached> {
        Ok(Changes {
            shape,
            parts: Vec::new(),
            sources: Vec::new(),
            written: bits.iter().map(|bit| bit.current).collect(),
            before: side(manager, bits, Side::Current)?,
            to_current: manager.renaming(bits.iter().map(|bit| (bit.next, bit.current)))?,
        })
    }

    /// The variables before that it writes.
    pub(super) fn written(&self) -> &[Var] {
        &self.written
    }

    /// Adds changes; what of them is new.
    pub(super) fn add(&mut self, relation: &Bdd, source: usize) -> Result<Bdd, LimitReached> {
        let mut new = relation.clone();
        for part in &self.parts {
            new = new.minus(part)?;
        }
        if new.is_false() {
            return Ok(new);
        }
        if !self.sources.contains(&source) {
            self.sources.push(source);
        }
        // The union with the last part, or a part of its own.
        let joined = match self.parts.last() {
            Some(last) => {
                let joined = last.or(relation)?;
                let apart = [last, relation].map(|part| part.size_within(LARGE));
                let apart = apart.iter().try_fold(0, |sum, size| Some(sum + (*size)?));
                apart.and_then(|apart| joined.size_within(apart)).map(|_| joined)
            }
            None => None,
        };
        match joined {
            Some(joined) => {
                self.parts.pop();
                self.parts.push(joined);
            }
            None => self.parts.push(relation.clone()),
        }
        Ok(new)
    }

    /// The thread states that these changes make of `states`.
    pub(super) fn image(&self, states: &Bdd, changes: &Bdd) -> Result<Bdd, LimitReached> {
        states.and_exists(changes, &self.before)?.substitute(&self.to_current)
    }
}
