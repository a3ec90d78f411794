//! The exact engines against the naive one on random programs, verdicts and reachable sets.
//!
//! `SAPA_DIFFERENTIAL_PROGRAMS` sets how many programs are tried.

use crate::check::semantics::simple::{fresh_number, initial_states, is_step, successors};
use crate::check::*;
use rustc_hash::FxHashSet;
use sapa_ir::boolean::flat::{FlatStatement, LocationId};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::generate::{GenerateOptions, generate};
use sapa_ir::boolean::parser::parse;
use sapa_ir::boolean::print::print;
use sapa_ir::boolean::trace::{Step, Trace, TraceState, Valuation};
use sapa_limits::Exceeded;
use std::time::Duration;

/// More states than this, and the naive search is not waited for.
const NAIVE_STATES: usize = 2_500;

fn program(seed: u64) -> (FlatProgram, String) {
    // Some have invariants, which make programs safe that are not.
    let invariants = if seed % 4 == 3 { 2 } else { 0 };
    let program = generate(seed, &GenerateOptions { invariants, ..GenerateOptions::default() });
    let flat = flatten(&program, &FlattenOptions::default()).unwrap();
    (flat, print(&program))
}

fn count(default: u64) -> u64 {
    let count = std::env::var("SAPA_DIFFERENTIAL_PROGRAMS").ok();
    count.and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// All states of the plain semantics, if they are few.
fn naive_states(program: &FlatProgram, bound: ThreadBound) -> Option<Vec<TraceState>> {
    let mut states: Vec<TraceState> = initial_states(program).collect();
    let mut known: FxHashSet<TraceState> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() {
        let state = states[at].clone();
        for step in successors(program, bound, &state, fresh_number(&state)) {
            if known.insert(step.state.clone()) {
                states.push(step.state);
            }
        }
        if states.len() > NAIVE_STATES {
            return None;
        }
        at += 1;
    }
    Some(states)
}

#[test]
fn explicit_agrees_with_naive() {
    let (mut safe, mut failing, mut abandoned) = (0, 0, 0);
    let total = count(400);
    for seed in 0..total {
        let (flat, text) = program(seed);
        for others in 0..=2 {
            let mut options = CheckOptions::new(ThreadBound::Bounded(others));
            options.max_states = Some(NAIVE_STATES);
            let expected = check(&simple::ENGINE, &flat, &options, &mut |_| {}).answer;
            options.max_states = Some(1 << 20);
            let found = check(&explicit::ENGINE, &flat, &options, &mut |_| {}).answer;
            match (&expected, &found) {
                (Answer::Safe { .. }, Answer::Safe { .. }) => safe += 1,
                (Answer::Failing { trace, .. }, Answer::Failing { trace: found, .. }) => {
                    // The naive search finds a shortest one.
                    assert!(found.steps.len() >= trace.steps.len(), "{seed}\n{text}");
                    failing += 1;
                }
                (Answer::Unknown(_), Answer::Safe { .. } | Answer::Failing { .. }) => {
                    abandoned += 1;
                }
                _ => panic!("{seed}, {others}: {expected:?} {found:?}\n{text}"),
            }
            options.max_states = None;
            for engine in [&explicit::ENGINE, &counter::ENGINE, &plain::ENGINE] {
                // The plain engine takes longest by far.
                if engine == &plain::ENGINE && seed % 8 != 0 {
                    continue;
                }
                for reduction in [false, true] {
                    options.partial_order_reduction = reduction;
                    let other = check(engine, &flat, &options, &mut |_| {}).answer;
                    assert_eq!(
                        std::mem::discriminant(&found),
                        std::mem::discriminant(&other),
                        "{engine:?}, reduction {reduction}, {seed}, {others}: {other:?}\n{text}"
                    );
                    // Breadth first: both are shortest in the steps that count.
                    if let (Answer::Failing { trace: a, .. }, Answer::Failing { trace: b, .. }) =
                        (&found, &other)
                        && engine == &counter::ENGINE
                        && !reduction
                    {
                        assert_eq!(visible(&flat, a), visible(&flat, b), "{seed}\n{text}");
                    }
                }
            }
        }
    }
    let figures = format!("{safe} safe, {failing} failing, {abandoned} too large");
    println!("{figures}");
    assert!(safe > total / 2 && failing > total / 2 && abandoned < 2 * total, "{figures}");
}

/// How many steps of a trace are neither skips nor gotos nor assignments that are taken for skips.
fn visible(program: &FlatProgram, trace: &Trace) -> usize {
    let idle = reduce::idle(program, &CheckOptions::new(ThreadBound::Unbounded)).unwrap();
    let silent = |step: &&Step| {
        let statement = program.statement(step.location);
        matches!(statement, FlatStatement::Skip { .. } | FlatStatement::Goto { .. })
            || idle.iter().any(|(location, _)| *location == step.location)
    };
    trace.steps.len() - trace.steps.iter().filter(silent).count()
}

#[test]
fn reachable_pairs_are_those_of_the_plain_semantics() {
    let mut compared = 0;
    for seed in 0..count(150) {
        let (flat, text) = program(seed);
        for others in 0..=1 {
            let bound = ThreadBound::Bounded(others);
            let Some(states) = naive_states(&flat, bound) else { continue };
            let expected: FxHashSet<(LocationId, Valuation)> = states
                .iter()
                .flat_map(|s| s.threads.iter().map(|t| (t.location, s.shared.clone())))
                .collect();
            let options = CheckOptions::new(bound);
            let found = explicit::reachable(&flat, &options, &mut |_| {}).unwrap();
            assert_eq!(found, expected, "{seed}, {others}\n{text}");
            let counted = counter::reachable(&flat, &options).unwrap();
            assert_eq!(counted, expected, "counter, {seed}, {others}\n{text}");
            if seed % 4 == 0 {
                let plain = plain::reachable(&flat, &options).unwrap();
                assert_eq!(plain, expected, "plain, {seed}, {others}\n{text}");
            }
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// A step is one of the successors iff testing it variable by variable says so.
#[test]
fn steps_are_the_listed_successors() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..100 {
        let (flat, text) = program(seed);
        let bound = ThreadBound::Bounded(2);
        let Some(states) = naive_states(&flat, ThreadBound::Bounded(1)) else { continue };
        let several = states.iter().filter(|s| s.threads.len() > 1);
        for state in several.step_by(5).take(60) {
            let fresh = fresh_number(state);
            let steps = successors(&flat, bound, state, fresh);
            for step in &steps {
                assert!(is_step(&flat, bound, state, fresh, step), "{seed}\n{text}");
                yes += 1;
                // Each change of one bit, location or number.
                for change in changes(step) {
                    let listed = steps.contains(&change);
                    assert_eq!(is_step(&flat, bound, state, fresh, &change), listed, "{seed}");
                    no += usize::from(!listed);
                }
            }
        }
    }
    assert!(yes > 1_000 && no > 1_000, "{yes} {no}");
}

fn changes(step: &Step) -> Vec<Step> {
    let mut changes = Vec::new();
    let mut change = |edit: &dyn Fn(&mut Step)| {
        let mut changed = step.clone();
        edit(&mut changed);
        changes.push(changed);
    };
    for v in 0..step.state.shared.len() {
        change(&|s| s.state.shared.set(v, !step.state.shared.get(v)));
    }
    for (index, thread) in step.state.threads.iter().enumerate() {
        for v in 0..thread.locals.len() {
            change(&|s| s.state.threads[index].locals.set(v, !thread.locals.get(v)));
        }
        change(&|s| s.state.threads[index].location.0 ^= 1);
        change(&|s| s.state.threads[index].thread += 7);
        change(&|s| s.state.atomic = s.state.atomic.xor(Some(thread.thread)));
        change(&|s| s.thread = thread.thread);
    }
    change(&|s| s.successor = None);
    change(&|s| s.location.0 ^= 1);
    changes
}

fn flat(text: &str) -> FlatProgram {
    flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap()
}

/// Ten stars in two passive threads: too many successors to list, but few that matter.
#[test]
fn wide_broadcasts_of_dead_variables_cost_nothing() {
    let names: Vec<_> = (0..24).map(|i| format!("t{i}")).collect();
    let broadcast = |value: &str| {
        let targets: Vec<_> = names.iter().map(|n| format!("[{n}]")).collect();
        let values: Vec<_> = names.iter().map(|_| value).collect();
        format!("{} := {}", targets.join(", "), values.join(", "))
    };
    let text = format!(
        "decl thread_local {}; decl go := 0;
         void w() begin assume(go); assert(t0 | CHECK); end
         void main() begin start_thread w(); start_thread w(); {}; go := 1; end",
        names.join(", "),
        broadcast("*"),
    );
    let options = CheckOptions::new(ThreadBound::Bounded(2));
    let run = |text: &str| check(&explicit::ENGINE, &flat(text), &options, &mut |_| {});
    let outcome = run(&text.replace("CHECK", "0"));
    assert!(matches!(outcome.answer, Answer::Failing { .. }), "{outcome:?}");
    let outcome = run(&text.replace("CHECK", "!t0"));
    assert!(matches!(outcome.answer, Answer::Safe { .. }), "{outcome:?}");
    assert!(outcome.statistics.states < 100, "{outcome:?}");
}

#[test]
fn limits_are_kept() {
    let text = "decl a, b, c, d, e, f, g, h, i, j, k, l;
        void main() begin start_thread w(); start_thread w(); w() end
        void w() begin L: a, b, c, d := *, *, *, *; e, f, g, h := *, *, *, *;
        i, j, k, l := *, *, *, *; goto L end";
    let program = flat(text);
    let run = |options: &CheckOptions| check(&explicit::ENGINE, &program, options, &mut |_| {});
    let reason = |options: &CheckOptions| match run(options).answer {
        Answer::Unknown(reason) => reason,
        answer => panic!("{answer:?}"),
    };
    let mut options = CheckOptions::new(ThreadBound::Bounded(2));
    options.max_states = Some(500);
    assert_eq!(reason(&options), UnknownReason::StateLimit(500));
    options.max_states = None;
    options.memory_limit = Some(1 << 10);
    assert_eq!(reason(&options), UnknownReason::Exceeded(Exceeded::Memory));
    options.memory_limit = None;
    options.limits = Limits::time(Duration::ZERO);
    assert_eq!(reason(&options), UnknownReason::Exceeded(Exceeded::Time));
    options.limits = Limits::default();
    options.limits.stop(Exceeded::Interrupted);
    assert_eq!(reason(&options), UnknownReason::Exceeded(Exceeded::Interrupted));
}

/// The acceptance test of the engines: `plain` and `explicit` agree for up to three threads,
/// and the engines for any number of threads never say safe where a failure is reachable.
#[test]
fn all_engines_agree_on_random_programs() {
    let (mut safe, mut failing, mut abandoned, mut unbounded_safe) = (0, 0, 0, 0);
    let total = count(30);
    for seed in 0..total {
        let (flat, text) = program(seed.wrapping_add(1 << 40));
        let mut fails = false;
        for others in 0..=2 {
            let mut options = CheckOptions::new(ThreadBound::Bounded(others));
            options.max_states = Some(1 << 18);
            options.memory_limit = Some(1 << 28);
            // Some programs are too large for one of the two; those are counted below.
            options.limits = Limits::time(Duration::from_secs(1));
            let explicit = check(&explicit::ENGINE, &flat, &options, &mut |_| {}).answer;
            options.limits = Limits::time(Duration::from_secs(1));
            let plain = check(&plain::ENGINE, &flat, &options, &mut |_| {}).answer;
            match (&explicit, &plain) {
                (Answer::Safe { .. }, Answer::Safe { .. }) => safe += 1,
                (Answer::Failing { .. }, Answer::Failing { .. }) => {
                    failing += 1;
                    fails = true;
                }
                (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) => abandoned += 1,
                _ => panic!("{seed}, {others}: {explicit:?} {plain:?}\n{text}"),
            }
            options.limits = Limits::time(Duration::from_secs(1));
            match (&explicit, check(&auto::ENGINE, &flat, &options, &mut |_| {}).answer) {
                (Answer::Safe { .. }, Answer::Failing { trace, .. }) => {
                    panic!("{seed}, {others}: auto fails: {trace:?}\n{text}")
                }
                (Answer::Failing { .. }, Answer::Safe { .. }) => {
                    panic!("{seed}, {others}: auto says safe\n{text}")
                }
                _ => {}
            }
        }
        let mut options = CheckOptions::new(ThreadBound::Unbounded);
        options.max_states = Some(20_000);
        options.limits = Limits::time(Duration::from_secs(2));
        for engine in [&thread_modular::ENGINE, &coverability::ENGINE] {
            let outcome = check(engine, &flat, &options, &mut |_| {}).answer;
            if let Answer::Safe { .. } = outcome {
                assert!(!fails, "{seed}: {engine:?} says safe\n{text}");
                unbounded_safe += 1;
            }
        }
    }
    let figures = format!(
        "{total} programs with up to 3 threads: {safe} safe, {failing} failing, {abandoned} too large; \
         {unbounded_safe} safe answers for any number of threads"
    );
    println!("{figures}");
    assert!(safe > total / 2 && failing > total / 2 && abandoned < total / 4, "{figures}");
    assert!(unbounded_safe > 0, "{figures}");
}

/// A step with 2^24 results is given up, not enumerated into memory.
#[test]
fn assignments_with_too_many_results_are_given_up() {
    let names: Vec<String> = (0..24).map(|i| format!("v{i}")).collect();
    let stars = vec!["*"; names.len()].join(", ");
    let all = names.join(", ");
    let sum = names.join(" & ");
    let source =
        format!("decl {all};\nvoid main() begin\n{all} := {stars};\nassert({sum});\nend\n");
    let zeros = names.iter().map(|name| format!("decl {name} := 0;\n")).collect::<String>();
    let source = source.replace(&format!("decl {all};\n"), &zeros);
    let program = flat(&source);
    let options = CheckOptions::new(ThreadBound::Bounded(0));
    match check(&explicit::ENGINE, &program, &options, &mut |_| {}).answer {
        Answer::Unknown(UnknownReason::Unsupported(what)) => {
            assert!(what.contains("results"), "{what}");
        }
        other => panic!("{other:?}"),
    }
}
