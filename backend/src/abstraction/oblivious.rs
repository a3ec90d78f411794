//! Symmetry-oblivious predicate abstraction (SAPA sections 1.1 and 5, "SOPA"): the baseline that
//! symmetry-aware abstraction is measured against.
//!
//! The program is expanded over its threads. Each of N slots has code of its own and a copy of
//! each predicate that is not shared; all predicates are global and F may use them all. The
//! initial thread has slot 0; a thread that starts takes the free slot of the lowest number, and
//! none starts if there is none. A slot's variables exist from the beginning, as in the paper, all
//! 0 at first and left as they are by a thread that ends; the thread-local globals are those of the
//! thread that runs, so that what predicates say of them and of another root's locals changes when
//! a thread starts and when it writes them.

use sapa_ir::boolean::ast::{self, Expression, Statement, Target};

use super::origin::Origin;
use super::plan::Code;
use super::program::{Writer, suffix};
use super::step::{Of, Value, Variable};
use crate::automaton::{Automaton, EdgeId, Effect};

/// Whether a slot's thread runs: the initial thread always does.
fn busy(slot: u32) -> String {
    format!("busy_{slot}")
}

fn set(slot: u32, value: bool, condition: Option<Expression>) -> Statement {
    Statement::assign(vec![(Target::variable(busy(slot)), Expression::Constant(value))], condition)
}

/// What happens right before a slot's thread ends.
pub(super) fn free(slot: u32) -> Statement {
    set(slot, false, None)
}

/// The code of a program that is expanded over `threads` threads besides the initial one: each has
/// all roots that some edge starts.
pub(super) fn codes(automaton: &Automaton, threads: u32) -> Vec<Code> {
    let started = automaton.edges.iter().filter_map(|edge| match edge.effect {
        Some(Effect::Spawn { root, .. }) => Some(root),
        _ => None,
    });
    let mut started: Vec<usize> = started.collect();
    started.sort_unstable();
    started.dedup();
    let mut codes = vec![Code { root: 0, slot: Some(0) }];
    for slot in 1..=threads {
        codes.extend(started.iter().map(|&root| Code { root, slot: Some(slot) }));
    }
    codes
}

impl Writer<'_> {
    /// The variables of all slots, given their first values.
    pub(super) fn slot_variables(&self, initial: Vec<(Variable, Value)>) -> Vec<ast::Variable> {
        let slot_of = |variable: Variable| match variable.of {
            Of::Slot(slot) => slot,
            Of::Active | Of::Next | Of::Passive => 0,
        };
        let mut variables = Vec::new();
        for slot in 0..self.slots {
            let own = initial.iter().filter(|(variable, _)| slot_of(*variable) == slot);
            variables.extend(own.map(|(variable, value)| self.initialised(*variable, value)));
            if slot != 0 {
                let free = Expression::Constant(false);
                variables.push(ast::Variable::new(busy(slot)).initialised(free));
            }
        }
        variables
    }

    /// Starts a thread in the first free slot, when there is one.
    pub(super) fn spawn_in_slot(&mut self, slot: u32, edge: EdgeId, root: usize) -> Vec<Statement> {
        let place = |to: u32| format!("P{}_{slot}_{to}", edge.0);
        let done = place(0);
        if self.slots == 1 {
            return vec![Statement::assume(Expression::Constant(false)).labelled(done)];
        }
        let mut statements = vec![Statement::goto((1..self.slots).map(place))];
        for to in 1..self.slots {
            let taken = (1..to).map(|slot| Expression::variable(busy(slot)));
            let free = Expression::not(Expression::variable(busy(to)));
            let first_free = Expression::and(taken.chain([free]));
            let thread = format!("{}{}", Origin::Start(root), suffix(Some(to)));
            let start = Statement::start_thread_or_wait(Statement::goto([thread]));
            let start = self.origins.mark(start, Origin::Spawn(edge), &format!("_{slot}_{to}"));
            statements.push(set(to, true, Some(first_free)).labelled(place(to)));
            statements.push(start);
            statements.push(Statement::goto([done.clone()]));
        }
        statements.push(Statement::assume(Expression::Constant(true)).labelled(done));
        statements
    }
}
