//! Reading and checking transition systems, by brute force and by what they were written from.

use rand::{Rng, SeedableRng, rngs::SmallRng};
use rustc_hash::FxHashSet;
use sapa_limits::Limits;

use super::*;
use crate::check::ThreadBound;

fn system(text: &str) -> TransitionSystem {
    read(text.as_bytes(), &Limits::default()).expect("a system")
}

fn wrong(text: &str) -> String {
    read(text.as_bytes(), &Limits::default()).expect_err("it is wrong").to_string()
}

fn options() -> CheckOptions {
    CheckOptions { max_states: Some(50_000), ..CheckOptions::new(ThreadBound::Unbounded) }
}

fn found(text: &str, target: &str, engine: &'static Engine) -> Found {
    let system = system(text);
    let target = system.target(target).expect("a target");
    check(&system, &system.begins(), &target, engine, &options(), &mut |_| {}).0
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let numbers = "expected the numbers of shared and of local states, found nothing";
    assert_eq!(wrong(""), format!("line 1, column 1: {numbers}"));
    assert_eq!(wrong("# only\n  \n"), format!("line 3, column 1: {numbers}"));
    let blanks = " ".repeat(1000);
    assert_eq!(wrong(&blanks), format!("line 1, column 1001: {numbers}"));
    assert_eq!(wrong("2 x"), "line 1, column 3: expected the number of local states, found 'x'");
    assert_eq!(
        wrong("2 99999999999"),
        "line 1, column 3: expected the number of local states, at most 16777216, found '99999999999'"
    );
    assert_eq!(wrong("2 33554432"), "line 1, column 3: more than 16777216 local states");
    assert_eq!(wrong("2 2 2"), "line 1, column 5: expected the end of the line, found '2'");
    assert_eq!(
        wrong("2 3\n0 0 -> 2 0"),
        "line 2, column 8: there is no shared state 2: there are 2, from 0 to 1"
    );
    assert_eq!(
        wrong("1 3\n\n0 3 -> 0 0"),
        "line 3, column 3: there is no local state 3: there are 3, from 0 to 2"
    );
    assert_eq!(wrong("1 1\n0 0 => 0 0"), "line 2, column 5: expected '->' or '+>', found '=>'");
    assert_eq!(wrong("1 1\n0 0 0 0"), "line 2, column 5: expected '->' or '+>', found '0'");
    assert_eq!(wrong("1 1\n0 0 -> 0 0 0 -> 0"), "line 2, column 14: expected '~>', found '->'");
    assert_eq!(
        wrong("1 1\n0 0 -> 0"),
        "line 2, column 9: expected a local state, found the end of the line"
    );
    for comment in ["# initial: 0|1", "#initial: 0|1"] {
        let expected = "line 2, column 1: there is no local state 1: there is one, 0";
        assert_eq!(wrong(&format!("1 1\n{comment}")), expected);
    }
    assert_eq!(wrong("1 1\n\u{e4}"), "line 2, column 1: expected a shared state, found '\u{fffd}'");
}

#[test]
fn targets_and_initial_configurations_are_read() {
    let system =
        system("3 4 # numbers\n0 0 +> 1 2 1 ~> 2 1~>3\n# target: *|3\n# initial: 0|0 1|1,1/2");
    let row =
        Row { from: (0, 0), starts: true, to: (1, 2), passive: vec![(1, 2), (1, 3)], line: 2 };
    assert_eq!(system.rows, [row]);
    assert_eq!(system.target, Some(Target { shared: None, threads: vec![3] }));
    let second = Configuration { shared: 1, threads: vec![1, 1], any: vec![2] };
    assert_eq!(system.initial[1], second);
    assert_eq!(system.target("2|1,1"), Ok(Target { shared: Some(2), threads: vec![1, 1] }));
    for text in ["3|1", "0|4", "0", "*|", "x|1", "0|1,,2"] {
        assert!(system.target(text).is_err(), "{text}");
    }
    for text in ["0|", "0", "3|0", "*|0"] {
        assert!(system.configuration(text).is_err(), "{text}");
    }
}

/// A lock: 0 is free, 1 taken; threads are out (0), or in (1).
const LOCK: &str = "2 2\n# initial: 0|/0\n0 0 -> 1 1\n1 1 -> 0 0\n";

#[test]
fn threads_exclude_each_other() {
    for engine in [&auto::ENGINE, &coverability::ENGINE, &pairs::ENGINE] {
        let safe = found(LOCK, "*|1,1", engine);
        assert!(matches!(safe, Found::Unreachable(_)), "{}: {safe:?}", engine.name);
    }
    assert_eq!(found(LOCK, "*|1,1", &thread_modular::ENGINE), Found::Imprecise);
    let Found::Reached { steps, threads, .. } = found(LOCK, "1|1,0,0", &auto::ENGINE) else {
        panic!("three threads can be there")
    };
    assert_eq!(steps.iter().map(|step| step.row).collect::<Vec<_>>(), [0]);
    assert_eq!(threads, 3);
    let broken = LOCK.replace("1 1 -> 0 0", "1 1 -> 0 1");
    let Found::Reached { steps, .. } = found(&broken, "0|1,1", &auto::ENGINE) else {
        panic!("two threads are in")
    };
    assert_eq!(steps.len(), 4);
    assert!(matches!(found(&broken, "0|", &auto::ENGINE), Found::Reached { .. }));
}

/// Whether a configuration above the target is reachable with at most so many threads.
fn brute_force(system: &TransitionSystem, target: &Target, threads: usize) -> bool {
    let mut seen: FxHashSet<(u32, Vec<u32>)> = FxHashSet::default();
    let mut pending = vec![(0, vec![0])];
    while let Some((shared, locals)) = pending.pop() {
        if !seen.insert((shared, locals.clone())) {
            continue;
        }
        let count = |of: &[u32], local: u32| of.iter().filter(|other| **other == local).count();
        let covers =
            target.threads.iter().all(|l| count(&locals, *l) >= count(&target.threads, *l));
        if covers && target.shared.is_none_or(|wanted| wanted == shared) && !locals.is_empty() {
            return true;
        }
        for (at, local) in locals.iter().enumerate() {
            for row in system.rows.iter().filter(|row| row.from == (shared, *local)) {
                let mut ways: Vec<Vec<u32>> = vec![Vec::new()];
                for (other, state) in locals.iter().enumerate() {
                    let mut places: Vec<u32> =
                        row.passive.iter().filter(|p| p.0 == *state).map(|p| p.1).collect();
                    if other == at {
                        places = vec![if row.starts { *local } else { row.to.1 }];
                    } else if places.is_empty() {
                        places = vec![*state];
                    }
                    ways = ways
                        .iter()
                        .flat_map(|way| places.iter().map(|p| [way.as_slice(), &[*p]].concat()))
                        .collect();
                }
                for mut way in ways {
                    way.extend(row.starts.then_some(row.to.1));
                    way.sort_unstable();
                    if way.len() <= threads {
                        pending.push((row.to.0, way));
                    }
                }
            }
        }
    }
    false
}

#[test]
fn answers_agree_with_brute_force() {
    let mut random = SmallRng::seed_from_u64(31);
    let (mut reached, mut unreachable) = (0, 0);
    for case in 0..300 {
        let (shared, locals) = (random.random_range(1..4), random.random_range(2..6));
        let mut text = format!("{shared} {locals}\n");
        for _ in 0..random.random_range(3..12) {
            let mut pair = || (random.random_range(0..shared), random.random_range(0..locals));
            let ((s, l), (s2, l2)) = (pair(), pair());
            let arrow = if random.random_bool(0.3) { "+>" } else { "->" };
            text.push_str(&format!("{s} {l} {arrow} {s2} {l2}"));
            for _ in 0..random.random_range(0..3) {
                let mut state = || random.random_range(0..locals);
                text.push_str(&format!(" {} ~> {}", state(), state()));
            }
            text.push('\n');
        }
        let system = system(&text);
        let threads = (0..random.random_range(1..4)).map(|_| random.random_range(0..locals));
        let mut threads: Vec<u32> = threads.collect();
        threads.sort_unstable();
        let shared = Some(random.random_range(0..shared)).filter(|_| random.random_bool(0.7));
        let target = Target { shared, threads };
        let real = brute_force(&system, &target, 5);
        for engine in engines() {
            let (answer, _) =
                check(&system, &system.begins(), &target, engine, &options(), &mut |_| {});
            match answer {
                Found::Unreachable(_) => {
                    assert!(!real, "{case}, {}: {target:?}\n{text}", engine.name);
                    unreachable += usize::from(engine == &auto::ENGINE);
                }
                Found::Reached { .. } => reached += usize::from(engine == &auto::ENGINE),
                Found::Imprecise => assert_ne!(engine, &auto::ENGINE, "{case}\n{text}"),
                Found::Unknown(reason) => panic!("{case}: {reason}\n{text}"),
            }
            let decides = engine == &auto::ENGINE || engine == &coverability::ENGINE;
            if decides && real {
                assert!(matches!(answer_of(&system, &target), Found::Reached { .. }), "{case}");
            }
        }
    }
    assert!(reached > 60 && unreachable > 60, "{reached} {unreachable}");
}

fn answer_of(system: &TransitionSystem, target: &Target) -> Found {
    check(system, &system.begins(), target, &auto::ENGINE, &options(), &mut |_| {}).0
}
