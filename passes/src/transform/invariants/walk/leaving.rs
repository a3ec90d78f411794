//! What is known where a block is left: for the blocks behind it, for other threads, and as facts.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{BlockId, Operand, ValueId};

use super::super::bounds::Bounds;
use super::super::cells::CellId;
use super::super::compared::Node;
use super::super::inequalities::{Form, Inequalities, by_bounds};
use super::super::locks::Hold;
use super::super::range::Range;
use super::super::threads::{Group, Shared};
use super::{State, Variable, Walk, ranges_in};
use crate::linear::{Sum, System};

impl<'a> Walk<'a> {
    /// The inequalities between what is given names: those of differences that conditions look at, as far
    /// as they say more than the ranges of both. Where ways `meet` in a loop, those that say as much, too: of `i` and
    /// `n` that are 0 and 0 here, and 1 and 1 there, ranges say less in the end.
    fn inequalities_between<V: Ord + Clone>(
        &self,
        named: &[(V, Node, &Sum<Variable>)],
        ranges: &BTreeMap<V, Range>,
        meet: bool,
    ) -> Inequalities<V> {
        let mut found = Inequalities::default();
        let named: Vec<_> = named.iter().map(|(name, node, sum)| ((name, *sum), *node)).collect();
        for (reading, (a, of_a), (b, of_b)) in self.cells.compared.pairs(&named) {
            let width = of_a.width;
            if width != of_b.width {
                continue;
            }
            let form = Form::difference(width, reading, a.clone(), b.clone());
            let of = |name: &V| self.exact(if name == a { of_a } else { of_b }, reading);
            let Some((now, constant)) = form.substituted(of) else { continue };
            let current = ranges_in(&self.ranges, width);
            let least = self.inequalities.least(&now, &current) + constant;
            let known = by_bounds(&form, &ranges_in(ranges, width));
            if least > known || (meet && least == known) {
                found.add(form, least);
            }
        }
        // What is only given another name is known as before, however many variables it is about.
        let names: BTreeMap<&Variable, &V> =
            named.iter().filter_map(|((name, sum), _)| Some((sum.single()?, *name))).collect();
        for (form, least) in self.inequalities.iter() {
            let name =
                |variable: &Variable| Some(Form::variable(form, (*names.get(variable)?).clone()));
            if let Some((form, _)) = form.substituted(name)
                && least > by_bounds(&form, &ranges_in(ranges, form.width()))
            {
                found.add(form, least);
            }
        }
        found
    }

    /// The bounds of sums of what is given names.
    fn sums_between<V: Ord + Clone>(&self, named: &[(V, Node, &Sum<Variable>)]) -> Bounds<V> {
        let mut found = Bounds::default();
        let Some(system) = self.normal() else { return found };
        let of: BTreeMap<&V, &Sum<Variable>> =
            named.iter().map(|(name, _, sum)| (name, *sum)).collect();
        let all: Vec<_> =
            named.iter().map(|(name, node, sum)| (name.clone(), *node, sum.width)).collect();
        for sum in self.cells.compared.sums(&all) {
            let mut now = Sum::constant(sum.width, 0);
            for (name, &coefficient) in &sum.coefficients {
                now.add(of[name], coefficient);
            }
            if let Some(range) = self.bounds_by(&system, &now) {
                found.add(&sum, range);
            }
        }
        found
    }

    /// What is known where a jump leads to; `None` if no run takes it.
    pub(in super::super) fn leave(&self, to: BlockId, arguments: &[Operand]) -> Option<State> {
        if self.is_dead {
            return None;
        }
        if !self.heard.is_empty() && self.is_interruptible() {
            let mut walk = self.clone();
            walk.interrupt();
            return walk.leave(to, arguments);
        }
        // What each variable of the next state is.
        let mut next: Vec<(Variable, Variable, Sum<Variable>)> = Vec::new();
        let data = self.body.function.block(to);
        for (&parameter, &argument) in data.parameters.iter().zip(arguments) {
            if let Some(sum) = self.operand(argument) {
                next.push((Variable::Value(parameter), Variable::NextValue(parameter), sum));
            }
        }
        for &value in &self.body.live[to.index()] {
            if let Some(width) = self.body.width(value) {
                let sum = self.value(value, width);
                next.push((Variable::Value(value), Variable::NextValue(value), sum));
            }
        }
        let is_interruptible = self.body.depths[to.index()] == 0 && !self.body.alone[to.index()];
        let mut held = self.locks.held(self.body.id, to);
        let followed = self.held.iter().filter(|(lock, _)| self.followed == Some(**lock));
        held.extend(followed.map(|(&lock, &hold)| (lock, hold)));
        // That the thread holds a lock may come out only now, by a condition. Nobody has written to what it guards
        // since it was taken, if this thread has not.
        if let Some((&lock, &hold)) = held.iter().find(|(lock, _)| !self.held.contains_key(lock)) {
            let mut walk = self.clone();
            walk.held.insert(lock, hold);
            if self.locks.is_untouched(lock, self.body.id, to) {
                walk.find_guarded(lock);
            }
            return walk.leave(to, arguments);
        }
        for (cell, sum) in (0..).zip(&self.contents) {
            let guard = self.locks.guard_of(cell);
            let stays = guard.is_some_and(|lock| held.contains_key(&lock))
                || held.get(&cell) == Some(&Hold::Exclusive)
                || !self.body.foreign.contains(&cell)
                || self.is_final(cell);
            let grows =
                self.others.growing.is_some_and(|growing| !growing.readings(cell).is_empty());
            if !is_interruptible || stays || grows {
                next.push((Variable::Cell(cell), Variable::NextCell(cell), sum.clone()));
            }
        }
        self.state(next, self.body.headers.contains(&to))
    }

    /// What is known here of cells and of these values; `None` if no run comes here.
    pub(in super::super) fn here(&self, values: &[ValueId]) -> Option<State> {
        if self.is_dead {
            return None;
        }
        let values = values.iter().filter_map(|&value| {
            let sum = self.value(value, self.body.width(value)?);
            Some((Variable::Value(value), Variable::NextValue(value), sum))
        });
        let cells = (0..).zip(&self.contents);
        let cells =
            cells.map(|(cell, sum)| (Variable::Cell(cell), Variable::NextCell(cell), sum.clone()));
        self.state(values.chain(cells).collect(), false)
    }

    /// What is known here of some cells; `None` if no run comes here.
    pub(in super::super) fn of_cells(&self, cells: &BTreeSet<CellId>) -> Option<State> {
        if self.is_dead {
            return None;
        }
        let next = cells.iter().map(|&cell| {
            let content = self.contents[cell as usize].clone();
            (Variable::Cell(cell), Variable::NextCell(cell), content)
        });
        self.state(next.collect(), false)
    }

    /// What is known of sums, each of which is given a name, and another one while the old names are in
    /// use; whether ways meet there in a loop. `None` if no run comes here.
    fn state(&self, next: Vec<(Variable, Variable, Sum<Variable>)>, meet: bool) -> Option<State> {
        let mut ranges = BTreeMap::new();
        for (variable, _, sum) in &next {
            let range = self.bounds_of(sum)?;
            if !range.is_all() {
                ranges.insert(*variable, range);
            }
        }
        let node = |variable: Variable| match variable {
            Variable::Cell(cell) => Node::Cell(cell),
            Variable::Value(value) => Node::Value(self.body.id, value),
            _ => unreachable!("the next state is over cells and values"),
        };
        let named = next.iter().map(|(variable, _, sum)| (*variable, node(*variable), sum));
        let named: Vec<_> = named.collect();
        let inequalities = self.inequalities_between(&named, &ranges, meet);
        let sums = self.sums_between(&named);
        let system = self.between(next.into_iter().map(|(_, next, sum)| (next, sum)))?;
        let mut system = system.map(|variable| match variable {
            Variable::NextCell(cell) => Variable::Cell(*cell),
            Variable::NextValue(value) => Variable::Value(*value),
            other => *other,
        });
        system.normalize().ok()?;
        Some(State { system, ranges, sums, inequalities, over: self.over.clone() })
    }

    /// What holds between sums that are given names; `None` if no run comes here.
    fn between(
        &self,
        named: impl Iterator<Item = (Variable, Sum<Variable>)>,
    ) -> Option<System<Variable>> {
        // What only goes on under another name is renamed, which is most of it.
        let mut renamed: BTreeMap<Variable, Variable> = BTreeMap::new();
        let mut system = self.system.clone();
        for (name, sum) in named {
            let only = sum.coefficients.first_key_value();
            let only = only.filter(|_| sum.coefficients.len() == 1 && sum.constant == 0);
            match only {
                Some((&variable, 1)) if !renamed.contains_key(&variable) => {
                    renamed.insert(variable, name);
                }
                _ => {
                    let mut row = Sum::variable(sum.width, name);
                    row.add(&sum, u128::MAX);
                    system.add(row);
                }
            }
        }
        let mut system = system.map(|variable| *renamed.get(variable).unwrap_or(variable));
        for variable in system.variables() {
            if !matches!(variable, Variable::NextCell(_) | Variable::NextValue(_)) {
                system.eliminate(&variable);
            }
        }
        system.normalize().ok()?;
        Some(system)
    }

    /// What others may find if they act now, of the cells that these locks guard (`None`: no lock);
    /// `None` if no run comes here.
    pub(in super::super) fn left_for_others(&self, locks: &[Option<CellId>]) -> Option<Shared> {
        if self.is_dead {
            return None;
        }
        // A contribution grows for ever, and nobody asks for its bounds.
        let ever =
            (0..).zip(&self.contents).map(|(cell, sum)| match self.cells.is_contribution(cell) {
                true => Some(Range::all(sum.width)),
                false => self.bounds_of(sum),
            });
        let ever: Vec<Range> = ever.collect::<Option<_>>()?;
        let mut groups = BTreeMap::new();
        for &lock in locks {
            let mut group = Group::default();
            let cells = (0..).zip(&self.contents);
            let cells = cells.filter(|(cell, _)| self.locks.guard_of(*cell) == lock);
            let named = cells.clone().map(|(cell, sum)| {
                group.ranges.insert(cell, ever[cell as usize]);
                (Variable::NextCell(cell), sum.clone())
            });
            group.system = self.between(named)?.map(|variable| match variable {
                Variable::NextCell(cell) => *cell,
                _ => unreachable!("all others are eliminated"),
            });
            group.system.normalize().ok()?;
            let named: Vec<_> = cells.map(|(cell, sum)| (cell, Node::Cell(cell), sum)).collect();
            group.inequalities = self.inequalities_between(&named, &group.ranges, false);
            group.sums = self.sums_between(&named);
            groups.insert(lock, group);
        }
        Some(Shared { groups, ever })
    }

    /// The locks that others may come to hold, and no lock: the thread holds none of them exclusively.
    pub(in super::super) fn free(&self) -> Vec<Option<CellId>> {
        let all = (0..).zip(&self.contents).map(|(cell, _)| self.locks.guard_of(cell));
        let all: BTreeSet<Option<CellId>> = all.chain([None]).collect();
        let is_free = |lock: CellId| self.held.get(&lock) != Some(&Hold::Exclusive);
        all.into_iter().filter(|lock| lock.is_none_or(is_free)).collect()
    }
}
