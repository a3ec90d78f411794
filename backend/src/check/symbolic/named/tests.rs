//! Views of pairs and minimal elements over BDDs against those that are listed, and against runs of
//! few threads.

use std::collections::BTreeSet;

use rand::{Rng, SeedableRng, rngs::SmallRng};
use rustc_hash::FxHashMap;
use sapa_bdd::{BddManager, Var};
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocalVar, LocationId};

use super::pairs::{PairViews, View};
use super::slots::Slots;
use crate::check::Proof;
use crate::check::analysis::locks::lock_candidates;
use crate::check::coverability::flat_threads::FlatThreads;
use crate::check::coverability::pairs::pair_views;
use crate::check::coverability::symbolic::{Extent, symbolic};
use crate::check::coverability::thread_system::Budget;
use crate::check::semantics::replay::replay;
use crate::check::symbolic::held::Held;
use crate::check::tests::differential::{Size, program_of_branches, program_of_size};
use crate::check::{
    Answer, CheckOptions, SafeFor, ThreadBound, UnknownReason, check, coverability, explicit,
};

fn options() -> CheckOptions {
    CheckOptions::new(ThreadBound::Unbounded)
}

/// How many random programs are tried: more are asked for by `SAPA_DIFFERENTIAL_PROGRAMS`.
fn programs() -> usize {
    let asked = std::env::var("SAPA_DIFFERENTIAL_PROGRAMS").ok().and_then(|n| n.parse().ok());
    asked.unwrap_or(200)
}

fn random_program(random: &mut SmallRng, invariants: u32) -> FlatProgram {
    let size = match random.random_bool(0.7) {
        true => Size {
            shared: random.random_range(1..=3),
            locals: random.random_range(1..=2),
            free: 5,
            invariants,
        },
        false => Size {
            shared: random.random_range(1..=16),
            locals: random.random_range(1..=8),
            free: 24,
            invariants,
        },
    };
    program_of_size(random, size)
}

/// A thread's own state: where it stands, its locals, and which locks it holds.
type Own = (LocationId, Vec<bool>);

/// Who is seen together: shared variables, the thread inside, and one or two outside.
type Company = (Vec<bool>, Option<Own>, Own, Option<Own>);

/// What pairs are seen doing, as a list; `None` if that is too long. Of two threads both orders are
/// there.
fn listed(program: &FlatProgram) -> Option<BTreeSet<Company>> {
    let mut options = options();
    options.max_states = Some(20_000);
    options.max_work = Some(1 << 21);
    // Over BDDs nobody asks who has written what; nor where a proof is to be checked.
    options.proof = Some(Proof::default());
    let mut system = FlatThreads::new(program, &options).expect("small");
    let mut nothing = |_| {};
    let mut budget = Budget::new(&options, &mut nothing);
    let views = pair_views(&mut system, &mut budget).ok()?;
    let locks = lock_candidates(program).len();
    let own = |local| {
        let state = system.local_state(local);
        let held = (0..locks).map(|lock| state.locks >> lock & 1 == 1);
        (state.location, state.locals.iter().chain(held).collect::<Vec<bool>>())
    };
    let mut all = BTreeSet::new();
    for &(shared, local) in &views.movers {
        let shared: Vec<bool> = system.shared_values(shared).iter().collect();
        // The one inside is listed as one outside that is nowhere.
        match system.local_state(local).in_atomic {
            true => all.insert((shared, Some(own(local)), (LocationId(u32::MAX), vec![]), None)),
            false => all.insert((shared, None, own(local), None)),
        };
    }
    for (&(shared, inside), locals) in &views.company {
        let shared: Vec<bool> = system.shared_values(shared).iter().collect();
        for &local in locals {
            all.insert((shared.clone(), inside.map(own), own(local), None));
        }
    }
    for (&(shared, inside), partners) in views.partners.iter().flatten() {
        let shared: Vec<bool> = system.shared_values(shared).iter().collect();
        for (&a, with) in partners {
            for &b in with {
                all.insert((shared.clone(), inside.map(own), own(a), Some(own(b))));
            }
        }
    }
    Some(all)
}

/// Compares with the views over BDDs; whether the list ended.
fn compare(program: &FlatProgram, case: usize) -> bool {
    let Some(expected) = listed(program) else { return false };
    let held = Held::new(program, &lock_candidates(program));
    let mut slots = Slots::new(program, &held, 3, BddManager::new(), &options()).expect("small");
    let mut views = PairViews::new(&mut slots);
    views.run::<UnknownReason>(&mut |_| Ok(())).expect("small");
    let variables = |views: &PairViews<'_, '_>, slot: usize, place: LocationId| {
        let live = (0..held.program.locals.len()).map(|v| LocalVar(v as u32));
        let live = live.filter(|v| views.slots.is_live(place, *v));
        live.map(|v| views.slots.local(slot, v)).collect::<Vec<Var>>()
    };
    let mut count = 0;
    for (view, states) in views.all() {
        let mut all: Vec<Var> = views.slots.shared().collect();
        let places = view.inside.map(|place| (0, place)).into_iter();
        let outside = (1..).zip(view.outside.into_iter().flatten());
        for (slot, place) in places.chain(outside) {
            all.extend(variables(&views, slot, place));
        }
        let number = states.sat_count(&all).expect("nothing but live variables").to_string();
        let number: usize = number.parse().expect("few");
        let twice = matches!(view.outside, [Some(a), Some(b)] if a != b);
        count += number * (1 + usize::from(twice));
    }
    for (shared, inside, first, second) in &expected {
        let place = |own: &Own| own.0;
        let inside_at = inside.as_ref().map(place);
        let (view, order) = match second {
            Some(second) => {
                let (view, swap) = View::two(inside_at, first.0, second.0);
                (view, if swap { [second, first] } else { [first, second] })
            }
            None if first.0 == LocationId(u32::MAX) => {
                (View { inside: inside_at, outside: [None, None] }, [first, first])
            }
            None => (View::one(inside_at, first.0), [first, first]),
        };
        let mut values: FxHashMap<Var, bool> =
            views.slots.shared().zip(shared.iter().copied()).collect();
        let threads = inside.iter().map(|own| (0, own)).chain((1..).zip(order));
        for (slot, (_, locals)) in threads {
            for (v, value) in locals.iter().enumerate() {
                values.insert(views.slots.local(slot, LocalVar(v as u32)), *value);
            }
        }
        let states = views.states(&view);
        let states = states.unwrap_or_else(|| panic!("{case}: {view:?} {program:#?}"));
        let holds = states.evaluate(|variable| values.get(&variable).copied().unwrap_or(false));
        assert!(holds, "{case}: {view:?} {shared:?} {program:#?}");
    }
    assert_eq!(count, expected.len(), "{case}: {program:#?}");
    true
}

#[test]
fn views_of_pairs_are_equal() {
    let mut random = SmallRng::seed_from_u64(21);
    let mut ended = 0;
    for case in 0..programs() {
        let program = random_program(&mut random, 0);
        ended += usize::from(compare(&program, case));
    }
    assert!(ended * 2 > programs(), "{ended} of {}", programs());
}

/// Whether a broadcast of the program can wait for others, or invariants cut off what it leads to.
fn may_block(program: &FlatProgram) -> bool {
    !program.invariants.is_empty()
        || program.iter().any(|(_, location)| match &location.statement {
            FlatStatement::Assign { assignment, .. } => assignment.passive_constraint.is_some(),
            _ => false,
        })
}

#[test]
fn answers_agree_with_those_for_few_threads_and_with_lists() {
    let mut random = SmallRng::seed_from_u64(22);
    let (mut safe, mut failing, mut compared, mut wide) = (0, 0, 0, 0);
    for case in 0..2 * programs() {
        let program = match case % 2 {
            0 => random_program(&mut random, if case % 8 == 6 { 2 } else { 0 }),
            _ => program_of_branches(&mut random),
        };
        let mut limited = options();
        limited.max_work = Some(1 << 24);
        let answer = symbolic(&program, &limited, Extent::All, &mut |_| {}).answer;
        let found = match &answer {
            Answer::Safe { threads: SafeFor::AllThreads, .. } => Some(false),
            Answer::Failing { trace, .. } => {
                let replayed = replay(&program, ThreadBound::Unbounded, trace);
                assert_eq!(replayed, Ok(()), "{case}: {program:#?}");
                Some(true)
            }
            Answer::Imprecise(_) | Answer::Unknown(UnknownReason::Undecided) => {
                assert!(may_block(&program), "{case}: {answer:?} {program:#?}");
                None
            }
            Answer::Unknown(UnknownReason::WorkLimit) => None,
            answer => panic!("{case}: {answer:?} {program:#?}"),
        };
        safe += usize::from(found == Some(false));
        failing += usize::from(found == Some(true));
        wide += usize::from(found.is_some() && program.shared.len() > 8);
        for others in 0..=3 {
            let mut options = CheckOptions::new(ThreadBound::Bounded(others));
            options.max_states = Some(3_000);
            options.max_work = Some(1 << 22);
            match check(&explicit::ENGINE, &program, &options, &mut |_| {}).answer {
                Answer::Failing { .. } => {
                    assert_ne!(found, Some(false), "{case}: {program:#?}");
                    break;
                }
                Answer::Safe { .. } => {}
                Answer::Imprecise(_) | Answer::Unknown(_) => break,
            }
        }
        let mut options = options();
        options.max_states = Some(2_000);
        options.max_work = Some(1 << 20);
        let listed = match check(&coverability::ENGINE, &program, &options, &mut |_| {}).answer {
            Answer::Safe { .. } => Some(false),
            Answer::Failing { .. } => Some(true),
            Answer::Imprecise(_) | Answer::Unknown(_) => None,
        };
        if let (Some(found), Some(listed)) = (found, listed) {
            assert_eq!(found, listed, "{case}: {program:#?}");
            compared += 1;
        }
    }
    let figures = format!("{safe} safe, {failing} failing, {compared} compared, {wide} wide");
    println!("{figures}");
    assert!(safe * 4 > programs() && failing * 8 > programs(), "{figures}");
    assert!(compared * 2 > programs() && wide * 10 > programs(), "{figures}");
}
