//! What a thread knows of others that have ended, and of what it adds itself.

use super::super::cells::CellId;
use super::super::threads::Shared;
use super::{State, Variable, Walk, ranges_in};
use crate::linear::Sum;

impl Walk<'_> {
    /// Notes in its contribution what the thread adds to a cell, to which it writes this.
    pub(super) fn contribute(&mut self, cell: CellId, written: &Sum<Variable>) {
        let contribution = self.cells.contributions.get(&(self.body.id, cell));
        if let Some(&contribution) = contribution.filter(|_| !self.alone) {
            let mut added = written.clone();
            added.add(&self.contents[cell as usize], u128::MAX);
            self.contents[contribution as usize].add(&added, 1);
        }
    }

    /// Looks which flags are known to be set that say that a thread has ended.
    pub(super) fn hear(&mut self) {
        let Some((ended, known)) = self.others.ended.filter(|_| !self.flags.is_empty()) else {
            return;
        };
        for (end, content) in std::mem::take(&mut self.flags) {
            let found = self.bounds_of(&content).and_then(|range| range.single());
            if found != Some(ended.all[end].value) {
                self.flags.push((end, content));
            } else if known[end].is_none() {
                // Nobody finds a flag set that nobody has set.
                self.is_dead = true;
            } else if !self.over.contains(&ended.all[end].function) {
                self.heard.push(end);
            }
        }
    }

    /// Whether nobody but this thread writes to a cell any more, which others have written to.
    pub(super) fn is_final(&self, cell: CellId) -> bool {
        !self.over.is_empty()
            && self
                .others
                .ended
                .is_some_and(|(ended, _)| ended.is_left_to(cell, &self.over, self.body.id))
    }

    /// Finds what threads have left that are known to have ended, where others may act.
    pub(super) fn settle(&mut self, shared: &Shared) {
        let Some((ended, known)) = self.others.ended.filter(|_| !self.heard.is_empty()) else {
            return;
        };
        let open: Vec<CellId> =
            self.body.foreign.iter().copied().filter(|cell| !self.is_final(*cell)).collect();
        let heard = std::mem::take(&mut self.heard);
        self.over.extend(heard.iter().map(|end| ended.all[*end].function));
        for cell in open {
            if self.is_final(cell) {
                self.renew(cell, shared.ever[cell as usize]);
            }
        }
        for state in heard.iter().filter_map(|end| known[*end].as_ref()) {
            self.know_of_cells(state);
        }
        // What is between cells that are written by nobody else any more. If a lock guards them nobody who has ended holds it;
        // but this thread may, and be in the midst of changing what it writes itself.
        let (block, index) = self.place;
        let place = (self.body.id, block, index);
        for (lock, group) in &shared.groups {
            let may_change = lock.is_some_and(|lock| self.locks.may_hold(lock, place));
            let mut system = group.system.clone();
            for cell in system.variables() {
                let is_at_rest = match may_change {
                    true => ended.is_written_by(cell, &self.over),
                    false => ended.is_left_to(cell, &self.over, self.body.id),
                };
                if !is_at_rest {
                    system.eliminate(&cell);
                }
            }
            system.rows().iter().for_each(|row| self.equate_cells(row));
        }
    }

    /// Notes what is known of cells by a state.
    fn know_of_cells(&mut self, state: &State) {
        let content = |walk: &Self, variable: &Variable| match variable {
            Variable::Cell(cell) => Some(walk.contents[*cell as usize].clone()),
            _ => None,
        };
        for row in state.system.rows() {
            let mut sum = Sum::constant(row.width, row.constant);
            let mut terms = row.coefficients.iter();
            let all = terms.all(|(variable, &coefficient)| {
                content(self, variable).map(|content| sum.add(&content, coefficient)).is_some()
            });
            if all {
                self.equate(sum);
            }
        }
        for (variable, range) in &state.ranges {
            if let Some(content) = content(self, variable) {
                self.narrow(&content, *range);
            }
        }
        let found = state.inequalities.iter().filter_map(|(form, least)| {
            let by = |variable: &Variable| {
                let content = content(self, variable)?;
                let ranges = ranges_in(&self.ranges, content.width);
                self.inequalities.exact(&content, form.reading(), &ranges)
            };
            let (form, constant) = form.substituted(by)?;
            Some((form, least - constant))
        });
        for (form, least) in found.collect::<Vec<_>>() {
            self.inequalities.add(form, least);
        }
    }
}
