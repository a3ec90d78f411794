//! The fixed point over BDDs against the one that is listed.

use std::collections::BTreeSet;

use rand::{Rng, SeedableRng, rngs::SmallRng};
use sapa_bdd::{BddManager, Var};
use sapa_ir::boolean::flat::{FlatProgram, LocalVar, LocationId, SharedVar};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser::parse;
use sapa_limits::Limits;

use super::search::{Ended, Search};
use super::variables::ThreadBdds;
use super::{Kind, Place};
use crate::check::analysis::locks::{LockVariable, lock_candidates};
use crate::check::coverability::flat_threads::FlatThreads;
use crate::check::coverability::thread_states::{Views, thread_states};
use crate::check::coverability::thread_system::Budget;
use crate::check::semantics::replay::replay;
use crate::check::symbolic::held::Held;
use crate::check::tests::differential::{Size, program_of_branches, program_of_size};
use crate::check::thread_modular::{LockSets, symbolic};
use crate::check::{
    Answer, CheckOptions, Outcome, SafeFor, ThreadBound, UnknownReason, check, explicit,
    thread_modular,
};

fn options() -> CheckOptions {
    CheckOptions::new(ThreadBound::Unbounded)
}

fn program_of(text: &str) -> FlatProgram {
    flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap()
}

/// A thread state: location, whether it is inside an atomic section, shared variables, locals and
/// which locks are held.
type State = (LocationId, bool, Vec<bool>, Vec<bool>, Vec<LockVariable>);

/// The thread states that are listed: all, those from after a thread was started, and whether one
/// fails. `None` if there are too many.
fn listed(
    program: &FlatProgram,
    reliable: &[LockVariable],
) -> Option<(BTreeSet<State>, BTreeSet<State>, bool)> {
    let mut options = options();
    options.max_states = Some(20_000);
    options.max_work = Some(1 << 22);
    let mut system = FlatThreads::new(program, &options).expect("small");
    let mut nothing = |_| {};
    let mut budget = Budget::new(&options, &mut nothing);
    let Views { movers, company, candidate, .. } = thread_states(&mut system, &mut budget).ok()?;
    let locks = lock_candidates(program);
    let state = |shared, local| {
        let values = system.shared_values(shared).iter().collect();
        let own = system.local_state(local);
        let held = locks.iter().enumerate().filter(|(at, _)| own.locks >> at & 1 == 1);
        let held = held.map(|(_, lock)| *lock).filter(|lock| reliable.contains(lock));
        (own.location, own.in_atomic, values, own.locals.iter().collect(), held.collect())
    };
    let all = movers.iter().map(|&(shared, local)| state(shared, local)).collect();
    let started = company.iter().filter(|((_, inside), _)| inside.is_none());
    let started =
        started.flat_map(|(&(shared, _), locals)| locals.iter().map(move |&local| (shared, local)));
    Some((all, started.map(|(shared, local)| state(shared, local)).collect(), candidate.is_some()))
}

/// Compares the two fixed points of a program; whether the listed one ended.
fn compare(program: &FlatProgram, case: usize) -> bool {
    let mut locks = lock_candidates(program);
    loop {
        let held = Held::new(program, &locks);
        let manager = BddManager::new();
        let mut system = ThreadBdds::new(program, &held, manager, &options()).expect("small");
        let mut search = Search::new(&mut system, false);
        let ended = search.run::<UnknownReason>(false, &mut |_| Ok(())).expect("small");
        if let Ended::Foreign(holder) = ended {
            locks = held.without(holder);
            continue;
        }
        let Some((all, started, fails)) = listed(program, &locks) else { return false };
        assert_eq!(search.failing.is_some(), fails, "{case}: {program:#?}");
        let places = |of: &dyn Fn(Place) -> bool| {
            let mut by_location: std::collections::BTreeMap<(LocationId, bool), sapa_bdd::Bdd> =
                std::collections::BTreeMap::new();
            for node in &search.nodes {
                let Kind::Thread(place) = node.kind else { continue };
                if of(place) {
                    let key = (node.location, place.inside);
                    let sum = by_location.entry(key).or_insert(search.system.manager().bottom());
                    *sum = sum.or(&node.states).expect("small");
                }
            }
            by_location
        };
        for (expected, found) in
            [(&all, places(&|_| true)), (&started, places(&|place| place.started))]
        {
            let mut count = 0u64;
            for (&(location, _), set) in &found {
                let shared = (0..program.shared.len()).map(|v| SharedVar(v as u32));
                let live = (0..held.program.locals.len())
                    .filter(|v| search.system.is_live(location, *v))
                    .map(|v| search.system.local(LocalVar(v as u32)).current);
                let variables: Vec<Var> =
                    shared.map(|v| search.system.shared(v).current).chain(live).collect();
                let states = set.sat_count(&variables).expect("nothing but live variables");
                count += states.to_string().parse::<u64>().expect("few");
            }
            for (location, inside, shared, locals, held_locks) in expected {
                let set = found.get(&(*location, *inside));
                let set = set.unwrap_or_else(|| panic!("{case}: {location:?} {program:#?}"));
                let value = |variable: Var| {
                    let shared_at = (0..shared.len())
                        .find(|v| search.system.shared(SharedVar(*v as u32)).current == variable);
                    if let Some(v) = shared_at {
                        return shared[v];
                    }
                    let local_at = (0..held.program.locals.len())
                        .find(|v| search.system.local(LocalVar(*v as u32)).current == variable);
                    match local_at.expect("a variable of a thread") {
                        v if v < locals.len() => locals[v],
                        v => held_locks.contains(&locks[v - locals.len()]),
                    }
                };
                assert!(set.evaluate(value), "{case}: {location:?} {shared:?} {program:#?}");
            }
            assert_eq!(count, expected.len() as u64, "{case}: {program:#?}");
        }
        return true;
    }
}

/// How many random programs are tried: more are asked for by `SAPA_DIFFERENTIAL_PROGRAMS`.
fn programs() -> usize {
    let asked = std::env::var("SAPA_DIFFERENTIAL_PROGRAMS").ok().and_then(|n| n.parse().ok());
    asked.unwrap_or(300)
}

fn random_program(random: &mut SmallRng, invariants: u32) -> FlatProgram {
    let shared = random.random_range(1..=16);
    let locals = random.random_range(1..=8);
    let size = match random.random_bool(0.5) {
        true => Size { shared: shared.min(4), locals: locals.min(3), free: 7, invariants },
        false => Size { shared, locals, free: 24, invariants },
    };
    program_of_size(random, size)
}

#[test]
fn both_fixed_points_are_equal() {
    let mut random = SmallRng::seed_from_u64(11);
    // To list all states takes long.
    let (mut ended, programs) = (0, programs() / 3);
    for case in 0..programs {
        let program = random_program(&mut random, 0);
        ended += usize::from(compare(&program, case));
    }
    assert!(ended * 3 > programs, "{ended} of {programs}");
}

fn run(program: &FlatProgram, reduction: bool, lock_sets: LockSets) -> Outcome {
    let options = CheckOptions { partial_order_reduction: reduction, ..options() };
    symbolic(program, &options, lock_sets, &mut |_| {})
}

#[test]
fn answers_agree_with_those_for_few_threads() {
    let mut random = SmallRng::seed_from_u64(12);
    let (mut safe, mut proofs, mut failing, mut runs) = (0, 0, 0, 0);
    for case in 0..4 * programs() {
        let program = match case % 4 {
            0 => random_program(&mut random, if case % 16 == 12 { 2 } else { 0 }),
            _ => program_of_branches(&mut random),
        };
        let mut real = None;
        for others in 0..=4 {
            let mut options = CheckOptions::new(ThreadBound::Bounded(others));
            options.max_states = Some(4_000);
            options.max_work = Some(1 << 22);
            match check(&explicit::ENGINE, &program, &options, &mut |_| {}).answer {
                Answer::Safe { .. } => real = Some(false),
                Answer::Failing { .. } => {
                    real = Some(true);
                    break;
                }
                Answer::Imprecise(_) | Answer::Unknown(_) => break,
            }
        }
        let mut answers = Vec::new();
        for reduction in [false, true] {
            for lock_sets in [LockSets::Used, LockSets::Ignored] {
                let proved = match run(&program, reduction, lock_sets).answer {
                    Answer::Safe { threads: SafeFor::AllThreads, .. } => true,
                    Answer::Failing { trace, .. } => {
                        let replayed = replay(&program, ThreadBound::Unbounded, &trace);
                        assert_eq!(replayed, Ok(()), "{case}: {program:#?}");
                        runs += usize::from(!reduction && lock_sets == LockSets::Used);
                        false
                    }
                    Answer::Imprecise(_) => false,
                    answer => panic!("{case}: {answer:?} {program:#?}"),
                };
                assert!(!(proved && real == Some(true)), "{case}, {reduction}: {program:#?}");
                answers.push(proved);
            }
        }
        // The reduction changes nothing, and locks only help.
        assert_eq!(answers[0], answers[2], "{case}: {program:#?}");
        assert_eq!(answers[1], answers[3], "{case}: {program:#?}");
        assert!(answers[0] || !answers[1], "{case}: {program:#?}");
        proofs += usize::from(answers[0]);
        safe += usize::from(real == Some(false));
        failing += usize::from(real == Some(true));
    }
    // Nearly all failures are found, and runs with more threads besides.
    println!("{proofs} proofs, {safe} safe, {failing} failing, {runs} runs");
    assert!(runs * 10 > failing * 9, "{runs} of {failing}");
    assert!(proofs * 8 > programs() && safe * 2 > programs(), "{proofs} proofs, {safe} safe");
}

/// Workers without end that take flags by assignments, mostly where these are free, and give them back, mostly
/// their own; between that they write and look at what others do.
fn program_of_flags(random: &mut SmallRng) -> String {
    let mut branches = Vec::new();
    for _ in 0..random.random_range(1..=3) {
        let flag = random.random_range(0..2);
        let (free, taken) = (flag == 0, flag != 0);
        let looks = if free { format!("f{flag}") } else { format!("!f{flag}") };
        let take = match random.random_range(0..7) {
            0 | 1 => format!("f{flag} := {} constrain {looks}", u8::from(taken)),
            2 | 3 => {
                format!("atomic_begin; assume({looks}); f{flag} := {}; atomic_end", u8::from(taken))
            }
            4 | 5 => format!("f{flag}, own := {}, {looks}; assume(own)", u8::from(taken)),
            _ => format!("f{flag} := {}", u8::from(taken)),
        };
        let given = if random.random_bool(0.85) { flag } else { 1 - flag };
        let give = match random.random_range(0..5) {
            0 => "skip".to_owned(),
            _ => format!("f{given} := {}", u8::from(given == 0)),
        };
        let variable = random.random_range(0..2);
        let inside = format!("assert(!g{variable}); g{variable} := 1; g{variable} := 0");
        branches.push(match random.random_range(0..8) {
            0 => format!("{take}; {give}; {inside}"),
            1 => format!("{inside}; {take}; {give}"),
            _ => format!("{take}; {inside}; {give}"),
        });
    }
    let last = branches.pop().unwrap_or_default();
    let choices = branches.iter().map(|branch| format!("if * then {branch} else "));
    let ends = "fi ".repeat(branches.len());
    format!(
        "decl f0 := 1, f1 := 0, g0 := 0, g1 := 0; decl thread_local own := 0;
         void worker() begin {} {last} {ends} end
         void main() begin while 1 do start_thread worker() od end",
        choices.collect::<String>()
    )
}

/// What two threads do not hold at once is found out for flags of all kinds, and for nothing else.
#[test]
fn flags_are_locks_only_where_they_exclude() {
    let mut random = SmallRng::seed_from_u64(13);
    let (mut helped, mut failing, programs) = (0, 0, programs());
    for case in 0..programs {
        let text = program_of_flags(&mut random);
        let program = program_of(&text);
        let mut options = CheckOptions::new(ThreadBound::Bounded(3));
        options.max_states = Some(20_000);
        let exact = check(&explicit::ENGINE, &program, &options, &mut |_| {}).answer;
        let is_failing = matches!(exact, Answer::Failing { .. });
        for reduction in [false, true] {
            let [with, without] = [LockSets::Used, LockSets::Ignored].map(|lock_sets| {
                matches!(run(&program, reduction, lock_sets).answer, Answer::Safe { .. })
            });
            assert!(!(with && is_failing), "{case}: {text}");
            assert!(with || !without, "{case}: {text}");
            helped += usize::from(with && !without && !reduction);
        }
        if case % 8 == 0 {
            compare(&program, case);
        }
        failing += usize::from(is_failing);
    }
    println!("{helped} proved by locks, {failing} failing of {programs}");
    assert!(helped * 10 > programs && failing * 10 > programs, "{helped}, {failing} of {programs}");
}

/// BOPPO Fig. 4, with threads without end.
const LOCKED: &str = "decl g := 0, l := 0;
    void f() begin L1: lock l; L2: assert(!g); L3: g := 1; L4: g := 0; L5: unlock l; L6: skip; end
    void main() begin while 1 do start_thread f() od end";

#[test]
fn a_critical_section_needs_lock_sets() {
    let program = program_of(LOCKED);
    for reduction in [false, true] {
        let with = run(&program, reduction, LockSets::Used);
        assert!(matches!(with.answer, Answer::Safe { .. }), "{with:?}");
        let without = run(&program, reduction, LockSets::Ignored);
        assert!(matches!(without.answer, Answer::Imprecise(_)), "{without:?}");
    }
    let by_name = check(&thread_modular::ENGINE, &program, &options(), &mut |_| {});
    assert!(matches!(by_name.answer, Answer::Safe { .. }), "{by_name:?}");
}

/// Programs of the series ART-V and ART-PC (BOPPO section 5).
fn series(variables: usize, assignments: usize) -> FlatProgram {
    let names: Vec<String> = (0..variables).map(|v| format!("g{v} := 0")).collect();
    let body: Vec<String> =
        (0..assignments).map(|at| format!("g{} := *;", at % variables)).collect();
    program_of(&format!(
        "decl ok := 1, {}; void worker() begin {} assert(ok) end
         void main() begin while 1 do start_thread worker() od end",
        names.join(", "),
        body.join(" ")
    ))
}

/// Images grow as the program does: two or three for each statement and variable, where looking at
/// all pairs would take a million.
#[test]
fn images_are_few_where_there_are_many_variables_or_locations() {
    for (variables, assignments) in [(1000, 1000), (10, 1000)] {
        let program = series(variables, assignments);
        for reduction in [false, true] {
            let outcome = run(&program, reduction, LockSets::Used);
            assert!(matches!(outcome.answer, Answer::Safe { .. }), "{outcome:?}");
            let symbolic = outcome.statistics.symbolic.expect("figures");
            assert!(symbolic.images < 20_000, "{symbolic:?}");
            println!("{variables} {assignments} {:?}", outcome.statistics);
        }
    }
}

#[test]
fn steps_with_many_free_choices_are_no_matter() {
    let many = |count: usize, constraint: &str| {
        let names: Vec<String> = (0..count).map(|v| format!("g{v}")).collect();
        let list = names.join(", ");
        let stars = vec!["*"; count].join(", ");
        program_of(&format!(
            "decl {list}; void w() begin {list} := {stars} {constraint}; assert(!g0 | g1 | !g2) end
             void main() begin g0 := 0; while 1 do start_thread w() od end"
        ))
    };
    let free = check(&thread_modular::ENGINE, &many(40, ""), &options(), &mut |_| {});
    assert!(!matches!(free.answer, Answer::Safe { .. } | Answer::Unknown(_)), "{free:?}");
    let bound = many(40, "constrain 'g0 => 'g1");
    let safe = check(&thread_modular::ENGINE, &bound, &options(), &mut |_| {});
    assert!(matches!(safe.answer, Answer::Safe { .. }), "{safe:?}");
}

#[test]
fn limits_hold() {
    let program = series(400, 400);
    for (limit, reason) in [
        (CheckOptions { max_work: Some(1 << 12), ..options() }, UnknownReason::WorkLimit),
        (CheckOptions { max_states: Some(1 << 10), ..options() }, UnknownReason::StateLimit(1024)),
    ] {
        let outcome = symbolic(&program, &limit, LockSets::Used, &mut |_| {});
        assert_eq!(outcome.answer, Answer::Unknown(reason));
    }
    let limits = Limits::time(std::time::Duration::ZERO);
    let outcome =
        symbolic(&program, &CheckOptions { limits, ..options() }, LockSets::Used, &mut |_| {});
    assert!(matches!(outcome.answer, Answer::Unknown(UnknownReason::Exceeded(_))), "{outcome:?}");
}
