//! Whether a certificate is a proof, for any number of threads.
//!
//! # Why it is right
//! Beside the program there is a record of what has happened ([`Atom`]): nothing in the program reads
//! it, so runs are the same with it. A configuration has a valuation of the shared variables, any
//! number of threads, and perhaps one of them inside its atomic section. *The invariant* is that each
//! clause of the certificate holds of any different threads that stand where its slots say: of any
//! at all ([`When::Always`]), while nobody is inside an atomic section ([`When::Free`]), or of the
//! one that is inside and others ([`When::Inside`]).
//!
//! By induction over runs it holds in all reachable configurations, if
//! * **initiation**: it holds of the initial thread alone;
//! * **consecution**: for each statement, no configuration with the invariant has a step after which
//!   a clause fails for some threads. These are at most the one that moved, one that it started,
//!   and others that did not move, as many as the clause has slots for. So it is enough to look at
//!   configurations cut down to who moves and these others: what the invariant says of the threads
//!   that are left is still true of them (clauses are about any different threads that are there),
//!   and that others are there makes no step possible that would not be so without them: a
//!   passive thread only ever constrains a step. Who of those that did not move has which slot is
//!   a matter of names, so they are named in the order of the slots.
//!
//! Only a thread inside its atomic section moves while somebody is inside. So others than the one
//! that moves are outside before the step, and after it at most the one that moved is inside. A
//! second thread is there only after a `start_thread` was executed. A `start_thread` that does
//! nothing, as there are as many threads as there may be, is the same step without the new thread,
//! and clauses of other threads are asked for without it as well; so a proof for any number is one
//! for each number.
//!
//! States in which threads break an invariant of the program are none. So what these say of the threads
//! that are looked at may be taken for granted before a step and after it; of a thread that is started only
//! where it is asked for: where there is no room for it, it is not there.
//!
//! **Safety** then is that in no configuration with the invariant a thread that may move stands at
//! an assertion that can fail.
//!
//! A clause that an unchanged tuple of threads had before needs no question: what it asks for is not
//! changed by the statement, and it held before.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::boolean::ast::Position;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, Initial, LocationId};
use sapa_limits::{Exceeded, Limits};

use crate::certificate::{Atom, Certificate, Clause, Formula, Slot, When};
use crate::sat::{FALSE, Literal, Sat, TRUE};
use crate::step::{Changes, Own, Passive, Shared, Step, invariant};

/// Of how many threads a clause may be: the number of premises grows very fast with it.
pub const MOST_SLOTS: usize = 8;

/// What has to be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obligation {
    /// The invariant holds at first.
    Initiation,
    /// A step leads from configurations with the invariant to such.
    Consecution,
    /// With the invariant no assertion fails.
    Safety,
}

impl Obligation {
    /// What was not proved of a line of the certificate, as a sentence; safety is of no line.
    #[must_use]
    pub fn unproved(self, line: u32) -> String {
        match self {
            Self::Initiation => {
                format!("what line {line} of the certificate says need not hold at the start")
            }
            Self::Consecution => {
                format!(
                    "what line {line} of the certificate says need not hold after this statement"
                )
            }
            Self::Safety => "the certificate does not exclude that this assertion fails".to_owned(),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Obligation::Initiation => "initiation",
            Obligation::Consecution => "consecution",
            Obligation::Safety => "safety",
        }
    }
}

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// It is no proof.
    #[error("{}: {}", obligation.name(), obligation.unproved(*line))]
    Refused {
        /// What could not be proved.
        obligation: Obligation,
        /// The statement.
        location: LocationId,
        /// Where it stands in the program.
        position: Position,
        /// The line of the clause that does not hold; 0 for safety.
        line: u32,
    },
    /// What it says makes no sense for the program.
    #[error("line {line}: {what}")]
    Malformed {
        /// The line of the certificate.
        line: u32,
        /// What is wrong.
        what: String,
    },
    /// A limit was reached.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
}

/// How much there was to prove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// Clauses of the invariant.
    pub clauses: usize,
    /// Questions to the solver.
    pub questions: usize,
}

/// Proves that a certificate is an inductive invariant of a program with which no assertion fails,
/// for any number of threads.
///
/// # Errors
/// What could not be proved, or that a limit was reached before.
pub fn check(
    certificate: &Certificate,
    program: &FlatProgram,
    limits: &Limits,
) -> Result<Proved, Rejection> {
    let supports = well_formed(certificate, program)?;
    let mut proved = Proved { clauses: certificate.clauses.len(), questions: 0 };
    initiation(certificate, program, limits)?;
    proved.questions += 1;
    let mut checker = Checker::new(certificate, program, &supports, limits)?;
    for (location, _) in program.iter() {
        limits.check()?;
        checker.safety(location)?;
        checker.consecution(location)?;
    }
    proved.questions += checker.questions;
    Ok(proved)
}

/// What the formula of each clause asks for; an error where it asks for what is not there.
fn well_formed(
    certificate: &Certificate,
    program: &FlatProgram,
) -> Result<Vec<Vec<Atom>>, Rejection> {
    let malformed = |line: u32, what: String| Err(Rejection::Malformed { line, what });
    let (shared, locals) = (program.shared.len(), program.locals.len());
    let mut supports = Vec::with_capacity(certificate.clauses.len());
    let mut seen = vec![usize::MAX; certificate.nodes.len()];
    for (number, clause) in certificate.clauses.iter().enumerate() {
        let Clause { slots, formula, line, .. } = clause;
        if slots.is_empty() || slots.len() > MOST_SLOTS {
            return malformed(*line, format!("a clause has 1 to {MOST_SLOTS} slots"));
        }
        for slot in slots {
            if let Slot::At(places) = slot
                && let Some(place) = places.iter().find(|p| p.index() >= program.locations.len())
            {
                return malformed(*line, format!("the program has no location {}", place.0));
            }
        }
        let mut support = Vec::new();
        let mut pending: Vec<usize> = formula.node().into_iter().collect();
        while let Some(at) = pending.pop() {
            let Some(node) = certificate.nodes.get(at) else {
                return malformed(*line, format!("there is no node {at}"));
            };
            if std::mem::replace(&mut seen[at], number) == number {
                continue;
            }
            let there = match node.atom {
                Atom::Shared(v) | Atom::OldShared(v) => v.index() < shared,
                Atom::Started => true,
                Atom::Local(slot, v) | Atom::OldLocal(slot, v) => {
                    v.index() < locals && (slot as usize) < slots.len()
                }
                Atom::Held(slot, lock) => {
                    lock.variable.index() < shared && (slot as usize) < slots.len()
                }
                Atom::Young(slot) => (slot as usize) < slots.len(),
            };
            if !there {
                let what = "the formula asks for a variable or a thread that is not there";
                return malformed(*line, what.into());
            }
            support.push(node.atom);
            for next in [node.high, node.low].into_iter().filter_map(Formula::node) {
                if next >= at {
                    return malformed(*line, format!("node {at} is made of later ones"));
                }
                pending.push(next);
            }
        }
        support.sort_unstable();
        support.dedup();
        supports.push(support);
    }
    Ok(supports)
}

/// Who is in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Who {
    /// The thread that moves, before the step (side 0) or after it.
    Active,
    /// Another.
    Passive(u8),
    /// One that is started; after the step.
    Child,
}

/// Formulas as circuits, over the variables before a step (side 0) or after it (side 1).
#[derive(Default)]
struct Circuits {
    /// Numbers for sides with who is in the slots.
    views: FxHashMap<(usize, Vec<Who>), usize>,
    /// By view and node; 0 where there is none yet.
    known: Vec<Vec<Literal>>,
}

impl Circuits {
    fn literal(
        &mut self,
        formula: Formula,
        side: usize,
        who: &[Who],
        (certificate, step, child): (&Certificate, &Step, &Own),
        sat: &mut Sat,
    ) -> Literal {
        let Some(root) = formula.node() else {
            return if formula.is_negated() { FALSE } else { TRUE };
        };
        let fresh = self.views.len();
        let view = *self.views.entry((side, who.to_vec())).or_insert(fresh);
        if view == self.known.len() {
            self.known.push(vec![0; certificate.nodes.len()]);
        }
        let known = &mut self.known[view];
        let own = |slot: u8| match who[slot as usize] {
            Who::Active => &step.active[side],
            Who::Passive(number) => &step.passive[number as usize].own[side],
            Who::Child => child,
        };
        let shared = &step.shared[side];
        // Nodes are made of earlier ones; there is no recursion, as they may be very many.
        let mut pending = vec![root];
        while let Some(&at) = pending.last() {
            if known[at] != 0 {
                pending.pop();
                continue;
            }
            let node = certificate.nodes[at];
            let branch = |formula: Formula| match formula.node() {
                None => Some(if formula.is_negated() { FALSE } else { TRUE }),
                Some(next) => match known[next] {
                    0 => None,
                    literal if formula.is_negated() => Some(-literal),
                    literal => Some(literal),
                },
            };
            let (Some(high), Some(low)) = (branch(node.high), branch(node.low)) else {
                pending.extend([node.high, node.low].into_iter().filter_map(Formula::node));
                continue;
            };
            let atom = match node.atom {
                Atom::Shared(v) => shared.now[v.index()],
                Atom::OldShared(v) => shared.old[v.index()],
                Atom::Started => shared.started,
                Atom::Local(slot, v) => own(slot).locals[v.index()],
                Atom::OldLocal(slot, v) => own(slot).old[v.index()],
                Atom::Held(slot, lock) => own(slot).held[lock.index()],
                Atom::Young(slot) => own(slot).young,
            };
            known[at] = sat.ite(atom, high, low);
            pending.pop();
        }
        let literal = known[root];
        if formula.is_negated() { -literal } else { literal }
    }
}

/// That the invariant holds of the initial thread alone.
fn initiation(
    certificate: &Certificate,
    program: &FlatProgram,
    limits: &Limits,
) -> Result<(), Rejection> {
    let mut sat = Sat::new(limits);
    let mut value = |initial: Initial| match initial {
        Initial::Zero => FALSE,
        Initial::One => TRUE,
        Initial::Nondet => sat.fresh(),
    };
    let now: Vec<Literal> = program.shared.iter().map(|v| value(v.initial)).collect();
    let locals: Vec<Literal> = program.locals.iter().map(|v| value(v.initial)).collect();
    // The record says nothing yet: of a section that never began anything can be said.
    let shared = Shared { old: sat.several(now.len()), started: FALSE, now };
    let own = Own {
        old: sat.several(locals.len()),
        held: vec![FALSE; 2 * shared.now.len()],
        young: sat.fresh(),
        locals,
    };
    let step = Step::none(shared, own.clone());
    for each in program.invariants.iter().filter(|each| !each.condition.mentions_passive()) {
        let holds = invariant(&each.condition, &step.shared[0], (&own, None), &mut sat);
        sat.clause([holds]);
    }
    let mut circuits = Circuits::default();
    for clause in &certificate.clauses {
        let [slot] = clause.slots.as_slice() else { continue };
        if clause.when == When::Inside || !slot.contains(program.entry) {
            continue;
        }
        let holds = circuits.literal(
            clause.formula,
            0,
            &[Who::Active],
            (certificate, &step, &own),
            &mut sat,
        );
        let refused = Rejection::Refused {
            obligation: Obligation::Initiation,
            location: program.entry,
            position: program.location(program.entry).position,
            line: clause.line,
        };
        if holds != TRUE && is_possible(&mut sat, &[-holds], limits)? {
            return Err(refused);
        }
    }
    Ok(())
}

fn is_possible(sat: &mut Sat, assumptions: &[Literal], limits: &Limits) -> Result<bool, Rejection> {
    match sat.solve(assumptions) {
        Some(possible) => Ok(possible),
        None => {
            limits.check()?;
            // The solver gives up for no other reason.
            Err(Rejection::Exceeded(Exceeded::Interrupted))
        }
    }
}

struct Checker<'c> {
    certificate: &'c Certificate,
    program: &'c FlatProgram,
    supports: &'c [Vec<Atom>],
    limits: &'c Limits,
    sat: Sat,
    step: Step,
    /// The thread that a `start_thread` adds.
    child: Own,
    circuits: Circuits,
    /// Where the threads stand, in binary: the one that moves, then the others.
    places: Vec<Vec<Literal>>,
    /// Whether a thread stands at a place of a slot.
    standing: FxHashMap<(usize, usize), Literal>,
    /// Numbers of each clause's slots: equal ones have one number.
    slots: Vec<Vec<usize>>,
    /// That variables stay as they are: shared, of the thread that moves, of the others, and its locks.
    stays: [Vec<Literal>; 4],
    /// By clause and who is in its slots: holds only if the clause does not, after the step.
    violations: FxHashMap<(usize, Vec<Who>), Literal>,
    questions: usize,
}

impl<'c> Checker<'c> {
    fn new(
        certificate: &'c Certificate,
        program: &'c FlatProgram,
        supports: &'c [Vec<Atom>],
        limits: &'c Limits,
    ) -> Result<Checker<'c>, Rejection> {
        let mut sat = Sat::new(limits);
        // Of a clause about somebody inside, one is that who moves.
        let passive = |clause: &Clause| match clause.when {
            When::Inside => clause.slots.len() - 1,
            When::Always | When::Free => clause.slots.len(),
        };
        let others = certificate.clauses.iter().map(passive).max().unwrap_or(0);
        let begins = sat.fresh();
        let stays = [
            sat.several(program.shared.len()),
            sat.several(program.locals.len()),
            sat.several(program.locals.len()),
            sat.several(2 * program.shared.len()),
        ];
        let asked: FxHashSet<Atom> = supports.iter().flatten().copied().collect();
        let mut old_shared = vec![false; program.shared.len()];
        let mut old_locals = vec![false; program.locals.len()];
        for atom in asked {
            match atom {
                Atom::OldShared(v) => old_shared[v.index()] = true,
                Atom::OldLocal(_, v) => old_locals[v.index()] = true,
                _ => {}
            }
        }
        // What is when a section begins is remembered, else what was remembered before.
        let pair = |sat: &mut Sat, stays: &[Literal]| {
            let now = sat.several(stays.len());
            let then = sat.several(stays.len());
            for ((stays, now), then) in stays.iter().zip(&now).zip(&then) {
                sat.equal_if(&[*stays], *now, *then);
            }
            (now, then)
        };
        let remembered = |sat: &mut Sat, now: &[Literal], asked: &[bool]| {
            let old = sat.several(now.len());
            let then = (0..now.len()).map(|v| match asked[v] {
                true => sat.ite(begins, now[v], old[v]),
                false => TRUE,
            });
            let then: Vec<Literal> = then.collect();
            (old, then)
        };
        let (now, then) = pair(&mut sat, &stays[0]);
        let (old, old_then) = remembered(&mut sat, &now, &old_shared);
        let (started, started_then) = (sat.fresh(), sat.fresh());
        let shared = [
            Shared { now, old, started },
            Shared { now: then, old: old_then, started: started_then },
        ];
        let thread = |sat: &mut Sat, locals: &[Literal], held: &[Literal]| {
            let (now, then) = pair(sat, locals);
            let (held, held_then) = pair(sat, held);
            let (old, old_then) = remembered(sat, &now, &old_locals);
            let young = sat.fresh();
            let young_then = sat.and(young, -begins);
            [
                Own { locals: now, old, held, young },
                Own { locals: then, old: old_then, held: held_then, young: young_then },
            ]
        };
        let active = thread(&mut sat, &stays[1], &stays[3]);
        let inside = [sat.fresh(), sat.fresh()];
        let always = vec![TRUE; 2 * program.shared.len()];
        let mut passive = Vec::new();
        for _ in 0..others {
            let there = sat.fresh();
            sat.clause([-there, started]);
            passive.push(Passive { there, own: thread(&mut sat, &stays[2], &always) });
        }
        let child = Own {
            locals: active[0].locals.clone(),
            old: sat.several(program.locals.len()),
            held: vec![FALSE; 2 * program.shared.len()],
            young: inside[0],
        };
        let bits = (usize::BITS - program.locations.len().leading_zeros()) as usize;
        let places = (0..=others).map(|_| sat.several(bits)).collect();
        let (remains, starts) = (sat.fresh(), sat.fresh());
        let step = Step { shared, active, inside, passive, begins, remains, starts };
        let mut numbers: FxHashMap<&Slot, usize> = FxHashMap::default();
        let slots = certificate.clauses.iter().map(|clause| {
            let number = |slot| {
                let fresh = numbers.len();
                *numbers.entry(slot).or_insert(fresh)
            };
            clause.slots.iter().map(number).collect()
        });
        let slots = slots.collect();
        let mut checker = Checker {
            certificate,
            program,
            supports,
            limits,
            sat,
            step,
            child,
            circuits: Circuits::default(),
            places,
            standing: FxHashMap::default(),
            slots,
            stays,
            violations: FxHashMap::default(),
            questions: 0,
        };
        checker.invariants();
        checker.premises()?;
        Ok(checker)
    }

    /// The program's own invariants, before the step and after it, of all threads that are there.
    fn invariants(&mut self) {
        let Step { shared, active, passive, remains, starts, .. } = &self.step;
        for side in 0..2 {
            let is_there = if side == 0 { TRUE } else { *remains };
            let others = passive.iter().map(|other| (other.there, &other.own[side]));
            let child = (side == 1).then_some((*starts, &self.child));
            let threads: Vec<(Literal, &Own)> =
                std::iter::once((is_there, &active[side])).chain(others).chain(child).collect();
            for each in &self.program.invariants {
                let is_of_two = each.condition.mentions_passive();
                for (number, (there, own)) in threads.iter().enumerate() {
                    let partners = threads.iter().enumerate().filter(|(at, _)| *at != number);
                    let partners = partners.map(|(_, (there, own))| (*there, Some(*own)));
                    let alone = std::iter::once((TRUE, None)).filter(|_| !is_of_two);
                    for (other, partner) in alone.chain(partners.filter(|_| is_of_two)) {
                        let with = (*own, partner);
                        let holds = invariant(&each.condition, &shared[side], with, &mut self.sat);
                        self.sat.clause([-there, -other, holds]);
                    }
                }
            }
        }
    }

    /// Whether a thread (0 moves, the others follow) stands at a location.
    fn stands_at(&mut self, thread: usize, place: LocationId) -> Literal {
        let bits = self.places[thread].iter().enumerate();
        let literals: Vec<Literal> =
            bits.map(|(at, bit)| if place.index() >> at & 1 == 1 { *bit } else { -bit }).collect();
        self.sat.all(literals)
    }

    /// Whether a thread stands where a slot of a clause says.
    fn stands(&mut self, thread: usize, clause: usize, slot: usize) -> Literal {
        let key = (thread, self.slots[clause][slot]);
        if let Some(known) = self.standing.get(&key) {
            return *known;
        }
        let certificate = self.certificate;
        let literal = match &certificate.clauses[clause].slots[slot] {
            Slot::Any => TRUE,
            Slot::At(places) => self.stands_at_one(thread, places),
        };
        self.standing.insert(key, literal);
        literal
    }

    fn stands_at_one(&mut self, thread: usize, places: &[LocationId]) -> Literal {
        let each: Vec<Literal> =
            places.iter().map(|place| self.stands_at(thread, *place)).collect();
        if let [one] = each.as_slice() {
            return *one;
        }
        let any = self.sat.fresh();
        each.iter().for_each(|one| self.sat.clause([-one, any]));
        self.sat.clause(each.iter().copied().chain([-any]));
        any
    }

    /// The invariant, before the step.
    fn premises(&mut self) -> Result<(), Rejection> {
        let all: Vec<LocationId> = self.program.iter().map(|(at, _)| at).collect();
        for thread in 0..self.places.len() {
            let somewhere = self.stands_at_one(thread, &all);
            self.sat.clause([somewhere]);
        }
        for (number, clause) in self.certificate.clauses.iter().enumerate() {
            self.limits.check()?;
            let mut tuples = Vec::new();
            tuples_of(clause, self.step.passive.len(), &mut Vec::new(), &mut tuples);
            for who in tuples {
                let mut literals = Vec::with_capacity(who.len() * 2 + 2);
                match clause.when {
                    When::Always => {}
                    When::Free => literals.push(self.step.inside[0]),
                    When::Inside => literals.push(-self.step.inside[0]),
                }
                for (slot, who) in who.iter().enumerate() {
                    let thread = match who {
                        Who::Passive(thread) => {
                            literals.push(-self.step.passive[*thread as usize].there);
                            *thread as usize + 1
                        }
                        Who::Active | Who::Child => 0,
                    };
                    literals.push(-self.stands(thread, number, slot));
                }
                let holds = self.circuits.literal(
                    clause.formula,
                    0,
                    &who,
                    (self.certificate, &self.step, &self.child),
                    &mut self.sat,
                );
                literals.push(holds);
                self.sat.clause(literals);
            }
        }
        Ok(())
    }

    /// What is assumed in questions about a statement: where the thread stands that moves, and what
    /// stays.
    fn at(&mut self, location: LocationId, changes: &Changes) -> Vec<Literal> {
        let mut assumptions = vec![self.stands_at(0, location)];
        let changed = [&changes.shared, &changes.own, &changes.passive, &changes.held];
        for (stays, changed) in self.stays.iter().zip(changed) {
            let mut stays = stays.clone();
            changed.iter().for_each(|v| stays[*v] = TRUE);
            assumptions.extend(stays.into_iter().filter(|l| *l != TRUE));
        }
        assumptions
    }

    fn ask(&mut self, assumptions: &[Literal]) -> Result<bool, Rejection> {
        self.questions += 1;
        is_possible(&mut self.sat, assumptions, self.limits)
    }

    fn safety(&mut self, location: LocationId) -> Result<(), Rejection> {
        let FlatStatement::Assert { condition, .. } = self.program.statement(location) else {
            return Ok(());
        };
        let fails = self.step.can_fail(condition, &mut self.sat);
        let stands = self.stands_at(0, location);
        if self.ask(&[stands, fails])? {
            return Err(Rejection::Refused {
                obligation: Obligation::Safety,
                location,
                position: self.program.location(location).position,
                line: 0,
            });
        }
        Ok(())
    }

    fn consecution(&mut self, location: LocationId) -> Result<(), Rejection> {
        let statement = self.program.statement(location);
        let changes = Changes::of(statement);
        let (mut ways, mut entry) = (Vec::new(), None);
        match statement {
            FlatStatement::EndThread => ways.push(None),
            FlatStatement::StartThread { entry: child, .. } => {
                entry = Some(*child);
                ways.extend(statement.successors().iter().copied().map(Some));
            }
            _ => ways.extend(statement.successors().iter().copied().map(Some)),
        }
        let mut assumptions = None;
        for next in ways {
            let violations = self.violated(statement, &changes, (location, next, entry));
            if violations.is_empty() {
                continue;
            }
            if assumptions.is_none() {
                let is_so = self.sat.fresh();
                self.step.is_of(statement, is_so, &mut self.sat);
                let started = self.step.shared[1].started;
                match entry {
                    Some(_) => self.sat.clause([-is_so, started]),
                    None => self.sat.equal_if(&[is_so], self.step.shared[0].started, started),
                }
                let mut all = self.at(location, &changes);
                all.push(is_so);
                assumptions = Some(all);
            }
            let Some(assumptions) = &assumptions else { continue };
            let any = self.sat.fresh();
            self.sat.clause(violations.iter().map(|(literal, _)| *literal).chain([-any]));
            let assumptions = [assumptions.as_slice(), &[any]].concat();
            if self.ask(&assumptions)? {
                let violated = violations.iter().find(|(literal, _)| self.sat.value(*literal));
                let line = violated.map_or(0, |(_, clause)| self.certificate.clauses[*clause].line);
                return Err(Rejection::Refused {
                    obligation: Obligation::Consecution,
                    location,
                    position: self.program.location(location).position,
                    line,
                });
            }
            self.sat.clause([-any]);
        }
        Ok(())
    }

    /// The ways in which a clause can fail after a step, each with the clause's number.
    fn violated(
        &mut self,
        statement: &FlatStatement,
        changes: &Changes,
        (location, next, entry): (LocationId, Option<LocationId>, Option<LocationId>),
    ) -> Vec<(Literal, usize)> {
        let leaves =
            matches!(statement, FlatStatement::AtomicEnd { .. } | FlatStatement::EndThread);
        let enters = matches!(statement, FlatStatement::AtomicBegin { .. });
        let mut found = Vec::new();
        for (number, clause) in self.certificate.clauses.iter().enumerate() {
            match clause.when {
                When::Free if enters => continue,
                When::Inside if leaves => continue,
                _ => {}
            }
            let applied_before = match clause.when {
                When::Always => true,
                When::Free => !leaves,
                When::Inside => !enters,
            };
            let slots = clause.slots.len();
            // Who has which slot: nobody of the two, or one, or both.
            let none = [None].into_iter();
            let moved: Vec<Option<usize>> = match (clause.when, next) {
                (When::Inside, Some(next)) if clause.slots[0].contains(next) => vec![Some(0)],
                (When::Inside, _) => continue,
                (_, Some(next)) => none
                    .chain((0..slots).filter(|s| clause.slots[*s].contains(next)).map(Some))
                    .collect(),
                (_, None) => none.collect(),
            };
            let born: Vec<Option<usize>> = match entry {
                Some(entry) => [None]
                    .into_iter()
                    .chain((0..slots).filter(|s| clause.slots[*s].contains(entry)).map(Some))
                    .collect(),
                None => vec![None],
            };
            for &moved in &moved {
                for &born in &born {
                    if moved.is_some() && moved == born {
                        continue;
                    }
                    let stood = moved.is_none_or(|slot| clause.slots[slot].contains(location));
                    let is_same =
                        |atom: &Atom| unchanged(*atom, moved, changes, enters, entry.is_some());
                    if born.is_none()
                        && stood
                        && applied_before
                        && self.supports[number].iter().all(is_same)
                    {
                        continue;
                    }
                    let mut passive = 0..;
                    let who: Vec<Who> = (0..slots)
                        .map(|slot| match slot {
                            slot if moved == Some(slot) => Who::Active,
                            slot if born == Some(slot) => Who::Child,
                            _ => Who::Passive(passive.next().unwrap_or(0)),
                        })
                        .collect();
                    let literal = self.violation(number, who);
                    if literal != FALSE {
                        found.push((literal, number));
                    }
                }
            }
        }
        found
    }

    /// A literal that holds only if a clause fails for these threads after the step.
    fn violation(&mut self, number: usize, who: Vec<Who>) -> Literal {
        if let Some(known) = self.violations.get(&(number, who.clone())) {
            return *known;
        }
        let clause = &self.certificate.clauses[number];
        let holds = self.circuits.literal(
            clause.formula,
            1,
            &who,
            (self.certificate, &self.step, &self.child),
            &mut self.sat,
        );
        let literal = match holds {
            TRUE => FALSE,
            holds => {
                let mut needed = vec![-holds];
                match clause.when {
                    When::Always => {}
                    When::Free => needed.push(-self.step.inside[1]),
                    When::Inside => needed.push(self.step.inside[1]),
                }
                for (slot, who) in who.iter().enumerate() {
                    match who {
                        Who::Passive(passive) => {
                            needed.push(self.step.passive[*passive as usize].there);
                            needed.push(self.stands(*passive as usize + 1, number, slot));
                        }
                        Who::Child => needed.push(self.step.starts),
                        Who::Active => {}
                    }
                }
                let literal = self.sat.fresh();
                needed.into_iter().for_each(|needed| self.sat.clause([-literal, needed]));
                literal
            }
        };
        self.violations.insert((number, who), literal);
        literal
    }
}

/// Whether what a clause asks for is surely the same after a step.
fn unchanged(
    atom: Atom,
    moved: Option<usize>,
    changes: &Changes,
    enters: bool,
    starts: bool,
) -> bool {
    let moves = |slot: u8| moved == Some(slot as usize);
    match atom {
        Atom::Shared(v) => !changes.shared.contains(&v.index()),
        Atom::OldShared(_) | Atom::OldLocal(..) | Atom::Young(_) => !enters,
        Atom::Started => !starts,
        Atom::Local(slot, v) if moves(slot) => !changes.own.contains(&v.index()),
        Atom::Local(_, v) => !changes.passive.contains(&v.index()),
        Atom::Held(slot, lock) => !(moves(slot) && changes.held.contains(&lock.index())),
    }
}

/// Who can be in a clause's slots before a step: the thread that moves, and others. These are taken
/// in the order of their numbers, as clauses after the step are, but where slots are alike: that
/// leaves out premises, which can make no wrong proof.
fn tuples_of(clause: &Clause, others: usize, chosen: &mut Vec<Who>, found: &mut Vec<Vec<Who>>) {
    let slot = chosen.len();
    if slot == clause.slots.len() {
        found.push(chosen.clone());
        return;
    }
    let is_first_inside = clause.when == When::Inside && slot == 0;
    if is_first_inside || clause.when != When::Inside && !chosen.contains(&Who::Active) {
        chosen.push(Who::Active);
        tuples_of(clause, others, chosen, found);
        chosen.pop();
    }
    if is_first_inside {
        return;
    }
    for number in 0..others {
        let who = Who::Passive(number as u8);
        let is_behind = chosen.iter().zip(&clause.slots).any(|(before, at)| {
            matches!(before, Who::Passive(before) if usize::from(*before) > number)
                && *at != clause.slots[slot]
        });
        if chosen.contains(&who) || is_behind {
            continue;
        }
        chosen.push(who);
        tuples_of(clause, others, chosen, found);
        chosen.pop();
    }
}
