//! The invariants of the engines are proofs, and what is damaged is accepted only if it is one still.
//!
//! What a certificate says is also evaluated in the configurations of runs, by the plain semantics:
//! what is accepted must hold in all of them.

use std::collections::{HashSet, VecDeque};

use rand::{Rng, SeedableRng, rngs::SmallRng};
use sapa_certificate::check::{Rejection, check as check_certificate};
use sapa_certificate::text::{ReadError, parse};
use sapa_certificate::{Atom, Certificate, Clause, Formula, When, fingerprint};
use sapa_ir::boolean::flat::{FlatExpr, FlatProgram, FlatStatement};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser::parse as parse_program;
use sapa_ir::boolean::trace::{TraceState, Valuation};
use sapa_limits::Limits;

use super::differential::{Size, program_of_branches, program_of_size};
use crate::check::coverability::symbolic::{Extent, symbolic};
use crate::check::thread_modular::{LockSets, symbolic as thread_states};
use crate::check::*;

/// How many random programs are tried: more are asked for by `SAPA_DIFFERENTIAL_PROGRAMS`.
fn programs() -> usize {
    let asked = std::env::var("SAPA_DIFFERENTIAL_PROGRAMS").ok().and_then(|n| n.parse().ok());
    asked.unwrap_or(150)
}

fn random_program(random: &mut SmallRng) -> FlatProgram {
    match random.random_range(0..4) {
        0 => program_of_branches(random),
        1 => program_of_size(random, Size { shared: 2, locals: 1, free: 0, invariants: 1 }),
        2 => program_of_size(random, Size { shared: 3, locals: 2, free: 3, invariants: 2 }),
        _ => {
            // Without assertions, so that there is more to find out and to keep.
            let mut program =
                program_of_size(random, Size { shared: 3, locals: 2, free: 3, invariants: 0 });
            for location in &mut program.locations {
                if let FlatStatement::Assert { condition, next } = location.statement.clone() {
                    location.statement = FlatStatement::Assume { condition, next };
                }
            }
            program
        }
    }
}

fn flat(text: &str) -> FlatProgram {
    flatten(&parse_program(text).expect("it parses"), &FlattenOptions::default())
        .expect("it is flat")
}

/// The ways to prove, each with its certificate of a program if it proves it.
fn certificates(program: &FlatProgram) -> Vec<(&'static str, Certificate)> {
    let mut found = Vec::new();
    let mut prove = |name, run: &dyn Fn(&CheckOptions) -> Outcome| {
        let proof = Proof::default();
        let options = CheckOptions {
            max_states: Some(20_000),
            max_work: Some(1 << 22),
            proof: Some(proof.clone()),
            ..CheckOptions::new(ThreadBound::Unbounded)
        };
        if let Answer::Safe { by, .. } = run(&options).answer
            && by != Method::Enlarging
        {
            found.push((name, proof.take().expect(name)));
        }
    };
    let mut none = |_: Progress| {};
    let none = std::cell::RefCell::new(&mut none as &mut dyn FnMut(Progress));
    prove("thread states, listed", &|options| {
        check(&thread_modular::ENGINE, program, options, &mut **none.borrow_mut())
    });
    prove("thread states, sets", &|options| {
        thread_states(program, options, LockSets::Used, &mut **none.borrow_mut())
    });
    prove("pairs, listed", &|options| {
        check(&pairs::ENGINE, program, options, &mut **none.borrow_mut())
    });
    prove("pairs, sets", &|options| {
        symbolic(program, options, Extent::Pairs, &mut **none.borrow_mut())
    });
    prove("backwards, listed", &|options| {
        check(&coverability::ENGINE, program, options, &mut **none.borrow_mut())
    });
    prove("backwards, sets", &|options| {
        symbolic(program, options, Extent::All, &mut **none.borrow_mut())
    });
    found
}

/// A state with the record of what has happened.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Recorded {
    state: TraceState,
    started: bool,
    old: Valuation,
    /// By thread: locals when the last section began, locks, whether it was started within it.
    own: Vec<(u32, Valuation, Vec<bool>, bool)>,
}

impl Recorded {
    fn after(
        &self,
        program: &FlatProgram,
        thread: u32,
        location: usize,
        state: TraceState,
    ) -> Self {
        let mut after = Recorded { state, ..self.clone() };
        let is_inside = self.state.atomic == Some(thread);
        let statement = &program.locations[location].statement;
        match statement {
            FlatStatement::AtomicBegin { .. } if !is_inside => {
                after.old = self.state.shared.clone();
                for (number, old, _, young) in &mut after.own {
                    if let Some(thread) = self.state.thread(*number) {
                        *old = thread.locals.clone();
                    }
                    *young = false;
                }
            }
            FlatStatement::StartThread { .. } => after.started = true,
            _ => {}
        }
        let written = statement.as_assignment();
        for (variable, _) in written.iter().flat_map(|assignment| &assignment.shared) {
            let [before, now] =
                [&self.state, &after.state].map(|state| state.shared.get(variable.index()));
            for (number, _, held, _) in &mut after.own {
                for free in [false, true].into_iter().filter(|_| *number == thread) {
                    let held = &mut held[2 * variable.index() + usize::from(free)];
                    *held = now != free && (*held || before == free);
                }
            }
        }
        after.own.retain(|(number, ..)| after.state.thread(*number).is_some());
        for thread in &after.state.threads {
            if !after.own.iter().any(|(number, ..)| *number == thread.thread) {
                let held = vec![false; 2 * program.shared.len()];
                after.own.push((thread.thread, thread.locals.clone(), held, is_inside));
            }
        }
        after.own.sort_unstable_by_key(|(number, ..)| *number);
        after
    }
}

/// Configurations of runs with two threads besides the initial one; whether one fails.
fn recorded(program: &FlatProgram) -> (Vec<Recorded>, bool) {
    let (mut seen, mut queue) = (HashSet::new(), VecDeque::new());
    for state in simple::initial_states(program).take(16) {
        let own = vec![(
            0,
            state.threads[0].locals.clone(),
            vec![false; 2 * program.shared.len()],
            false,
        )];
        queue.push_back(Recorded { old: state.shared.clone(), started: false, own, state });
    }
    let mut fails = false;
    while let Some(at) = queue.pop_front() {
        if seen.len() >= 400 || !seen.insert(at.clone()) {
            continue;
        }
        fails |= simple::failure(program, &at.state).is_some();
        let fresh = simple::fresh_number(&at.state);
        let steps = simple::successors(program, ThreadBound::Bounded(2), &at.state, fresh);
        for step in steps.into_iter().take(64) {
            queue.push_back(at.after(program, step.thread, step.location.index(), step.state));
        }
    }
    (seen.into_iter().collect(), fails)
}

fn holds(certificate: &Certificate, formula: Formula, at: &Recorded, who: &[usize]) -> bool {
    let Some(number) = formula.node() else { return !formula.is_negated() };
    let node = certificate.nodes[number];
    let thread = |slot: u8| &at.state.threads[who[slot as usize]];
    let own = |slot: u8| {
        let number = thread(slot).thread;
        at.own.iter().find(|(other, ..)| *other == number).expect("a record")
    };
    let value = match node.atom {
        Atom::Shared(v) => at.state.shared.get(v.index()),
        Atom::OldShared(v) => at.old.get(v.index()),
        Atom::Started => at.started,
        Atom::Local(slot, v) => thread(slot).locals.get(v.index()),
        Atom::OldLocal(slot, v) => own(slot).1.get(v.index()),
        Atom::Held(slot, lock) => own(slot).2[2 * lock.variable.index() + usize::from(lock.free)],
        Atom::Young(slot) => own(slot).3,
    };
    let next = if value { node.high } else { node.low };
    holds(certificate, next, at, who) != formula.is_negated()
}

/// Whether a clause holds of all threads of a configuration.
fn clause_holds(
    certificate: &Certificate,
    clause: &Clause,
    at: &Recorded,
    who: &mut Vec<usize>,
) -> bool {
    let Clause { when, slots, formula, .. } = clause;
    if who.len() == slots.len() {
        return holds(certificate, *formula, at, who);
    }
    let slot = who.len();
    (0..at.state.threads.len()).all(|number| {
        let thread = &at.state.threads[number];
        let is_inside = at.state.atomic == Some(thread.thread);
        let fits = match when {
            When::Always => true,
            When::Free => at.state.atomic.is_none(),
            When::Inside => is_inside == (slot == 0) && at.state.atomic.is_some(),
        };
        if !fits || who.contains(&number) || !slots[slot].contains(thread.location) {
            return true;
        }
        who.push(number);
        let all = clause_holds(certificate, clause, at, who);
        who.pop();
        all
    })
}

fn is_true(certificate: &Certificate, seen: &[Recorded]) -> bool {
    let all = |at: &Recorded| {
        certificate.clauses.iter().all(|c| clause_holds(certificate, c, at, &mut Vec::new()))
    };
    seen.iter().all(all)
}

#[test]
fn what_engines_prove_is_proved_again() {
    let limits = Limits::default();
    let mut random = SmallRng::seed_from_u64(21);
    let mut ways: Vec<&str> = Vec::new();
    for case in 0..programs() {
        let program = random_program(&mut random);
        let (seen, fails) = recorded(&program);
        for (name, certificate) in certificates(&program) {
            assert!(!fails, "case {case}: {name}");
            assert!(
                is_true(&certificate, &seen),
                "case {case}, {name}\n{certificate}\n{program:?}"
            );
            let text = certificate.to_string();
            let read = parse(&text, &program, &limits).expect(&text);
            assert_eq!(read.to_string(), text);
            let checked = check_certificate(&read, &program, &limits);
            assert!(checked.is_ok(), "case {case}, {name}: {checked:?}\n{text}\n{program:?}");
            ways.push(name);
        }
    }
    for name in ["thread states, listed", "thread states, sets", "pairs, listed", "pairs, sets"] {
        assert!(ways.iter().filter(|way| **way == name).count() > 10, "{name}: {ways:?}");
    }
}

#[test]
fn what_is_excluded_backwards_is_proved_again() {
    let limits = Limits::default();
    // Two permits, of which threads take one each: what pairs of threads see is not enough.
    let text = "decl one := 1, two := 1, a := 0, b := 0;
        void worker() begin
          AGAIN: atomic_begin; assume(one | two);
          if (one) then one := 0; else two := 0; fi; atomic_end;
          atomic_begin; assert(!(a & b)); if (a) then b := 1; else a := 1; fi; atomic_end;
          atomic_begin; if (b) then b := 0; else a := 0; fi;
          if (one) then two := 1; else one := 1; fi; atomic_end;
          goto AGAIN;
        end
        void main() begin MORE: start_thread worker(); goto MORE; end";
    let program = flat(text);
    let found = certificates(&program);
    let backwards: Vec<_> =
        found.iter().filter(|(_, certificate)| certificate.by == "backward search").collect();
    assert_eq!(backwards.len(), 2, "{found:?}");
    for (name, certificate) in backwards {
        let checked = check_certificate(certificate, &program, &limits);
        assert!(checked.is_ok(), "{name}: {checked:?}\n{certificate}");
        // Without one of the clauses that exclude something it is none.
        let mut less = certificate.clone();
        less.clauses.pop();
        assert!(check_certificate(&less, &program, &limits).is_err(), "{name}");
    }
}

/// A text with something else in it, or less.
fn damaged(text: &str, random: &mut SmallRng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = random.random_range(2..lines.len());
    let line = lines[at].clone();
    match random.random_range(0..6) {
        // A clause less, or a node.
        0 => drop(lines.remove(at)),
        // A literal flipped: of a node, or of a clause.
        1 if line.contains(" ? ") => {
            let (head, branches) = line.split_once(" ? ").expect("a node");
            let (high, low) = branches.split_once(" : ").expect("a node");
            lines[at] = format!("{head} ? {low} : {high}");
        }
        1 | 2 if line.contains(": ") => {
            let (head, formula) = line.rsplit_once(": ").expect("a formula");
            let formula = formula.strip_prefix('!').map_or(format!("!{formula}"), str::to_owned);
            lines[at] = format!("{head}: {formula}");
        }
        // A state less: a branch is cut off.
        3 if line.contains(" ? ") => {
            let (head, _) = line.rsplit_once(" : ").expect("a node");
            lines[at] = format!("{head} : 0");
        }
        // Another location or variable.
        4 => {
            let digit = |c: char| c.is_ascii_digit();
            if let Some(place) = line.rfind(digit) {
                let other = random.random_range(0..4).to_string();
                lines[at].replace_range(place..=place, &other);
            }
        }
        // Cut short.
        _ => lines.truncate(at),
    }
    lines.join("\n") + "\n"
}

/// The program with another statement, or none, somewhere.
fn changed(program: &FlatProgram, random: &mut SmallRng) -> FlatProgram {
    let mut other = program.clone();
    let at = random.random_range(0..other.locations.len());
    let statement = &mut other.locations[at].statement;
    let next = statement.successors().first().copied();
    match (statement, next) {
        (FlatStatement::Assert { condition, .. }, _) => {
            *condition = FlatExpr::Not(Box::new(condition.clone()));
        }
        (statement, Some(next)) => *statement = FlatStatement::Skip { next },
        (_, None) => {}
    }
    other
}

#[test]
fn what_is_damaged_is_accepted_only_if_it_is_a_proof() {
    let limits = Limits::default();
    let mut random = SmallRng::seed_from_u64(22);
    let (mut tried, mut refused, mut unreadable, mut accepted, mut of_unsafe) = (0, 0, 0, 0, 0);
    while tried < 1000 {
        let program = random_program(&mut random);
        let (seen, _) = recorded(&program);
        for (name, certificate) in certificates(&program) {
            let text = certificate.to_string();
            for _ in 0..6 {
                let text = damaged(&text, &mut random);
                tried += 1;
                match parse(&text, &program, &limits) {
                    Ok(read) => match check_certificate(&read, &program, &limits) {
                        Ok(_) => {
                            accepted += 1;
                            assert!(is_true(&read, &seen), "{name}\n{text}\n{program:?}");
                        }
                        Err(Rejection::Refused { .. }) => refused += 1,
                        Err(Rejection::Malformed { .. }) => unreadable += 1,
                        Err(other) => panic!("{other}"),
                    },
                    Err(ReadError::Line { .. }) => unreadable += 1,
                    Err(other) => panic!("{other}"),
                }
            }
            // The same for a program that is not quite the same.
            let other = changed(&program, &mut random);
            if other == program {
                continue;
            }
            assert_eq!(parse(&text, &other, &limits), Err(ReadError::OtherProgram));
            tried += 1;
            let read = Certificate { program: fingerprint(&other), ..certificate };
            let (seen, fails) = recorded(&other);
            if check_certificate(&read, &other, &limits).is_ok() {
                assert!(!fails, "{name}\n{text}\n{other:?}");
                assert!(is_true(&read, &seen), "{name}\n{text}\n{other:?}");
            } else {
                of_unsafe += usize::from(fails);
            }
        }
    }
    // Each happens.
    assert!(refused > 100 && unreadable > 100 && accepted > 10 && of_unsafe > 0);
}

#[test]
fn an_invariant_that_says_nothing_proves_nothing() {
    let limits = Limits::default();
    let text = "decl g := 0; void main() begin g := 0; assert(!g) end";
    let program = flat(text);
    let empty = Certificate::new(&program, "nothing");
    let rejected = check_certificate(&empty, &program, &limits).expect_err("it proves nothing");
    let Rejection::Refused { obligation, position, .. } = rejected else { panic!("{rejected}") };
    assert_eq!((obligation.name(), position.line), ("safety", 1));
}
