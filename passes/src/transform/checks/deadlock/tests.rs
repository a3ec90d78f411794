//! Random small programs: an assertion of the pass can fail if and only if the program comes to a deadlock, by a
//! simulation of its own that has sets of waiting threads and knows nothing of the IR.

use std::collections::{BTreeSet, HashSet};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sapa_ir::goto::interpret::{Machine, Outcome};
use sapa_ir::goto::{MemoryModel, Module, parse, verify};

use crate::Pipeline;
use crate::transform::checks::choice::Choice;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Lock(u8),
    Unlock(u8),
    Read,
    Write,
    Release,
    Take,
    Post,
    Wait(u8, u8),
    Signal(u8),
    Broadcast(u8),
    /// Waits for the end of the thread of this number.
    Join(u8),
    Set(bool),
    /// Leaves out the next step if the flag is as it says.
    Unless(bool),
}

/// The programs of the threads: of the initial one, which starts the others first, and of these.
#[derive(Clone, Debug)]
struct Program {
    threads: Vec<Vec<Step>>,
    /// Whether the end of the first one ends the program.
    returns: bool,
    tokens: u8,
}

fn random(seed: u64) -> Program {
    let mut random = SmallRng::seed_from_u64(seed);
    let started = random.random_range(1..3);
    let joins = random.random_range(0..6);
    let with_conditions = random.random_range(0..2) == 0;
    let threads = (0..=started).map(|thread| {
        let mut steps = Vec::new();
        for _ in 0..random.random_range(1..4) {
            let (m, c) = (random.random_range(0..2), 0);
            match random.random_range(0..if with_conditions { 9 } else { 7 }) {
                0 | 1 => {
                    steps.push(Step::Lock(m));
                    if random.random_range(0..3) == 0 {
                        steps.extend([Step::Lock(1 - m), Step::Unlock(1 - m)]);
                    }
                    if random.random_range(0..5) > 0 {
                        steps.push(Step::Unlock(m));
                    }
                }
                2 => {
                    let kind =
                        if random.random_range(0..2) == 0 { Step::Read } else { Step::Write };
                    steps.extend([kind, Step::Release]);
                }
                3 => steps.push(Step::Take),
                4 => steps.push(Step::Post),
                5 => steps.push(Step::Set(random.random_range(0..2) == 0)),
                6 => {
                    steps.push(Step::Unless(random.random_range(0..2) == 0));
                    let step = [Step::Take, Step::Lock(m), Step::Post, Step::Unlock(m)];
                    steps.push(step[random.random_range(0..4)]);
                }
                7 => {
                    steps.push(Step::Lock(m));
                    if random.random_range(0..2) == 0 {
                        steps.push(Step::Unless(true));
                    }
                    steps.extend([Step::Wait(c, m), Step::Unlock(m)]);
                }
                _ => {
                    if random.random_range(0..2) == 0 {
                        steps.push(Step::Set(true));
                    }
                    let all = random.random_range(0..3) == 0;
                    steps.push(if all { Step::Broadcast(c) } else { Step::Signal(c) });
                }
            }
        }
        match joins {
            // Each other, or one the other one, or itself.
            0 if thread > 0 => steps.push(Step::Join(started + 1 - thread)),
            1 if thread == 1 => steps.push(Step::Join(started)),
            0 | 1 => {}
            _ if thread == 0 => {
                for joined in 1..=started {
                    if random.random_range(0..3) > 0 {
                        steps.push(Step::Join(joined));
                    }
                }
            }
            _ => {}
        }
        steps
    });
    let threads: Vec<Vec<Step>> = threads.collect();
    Program { threads, returns: random.random_range(0..3) > 0, tokens: random.random_range(0..2) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stands {
    At(usize),
    /// In the set of a condition variable, with a mutex to lock afterwards.
    Waits(usize, u8, u8),
    /// Woken.
    Locks(usize, u8),
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Stands>,
    mutexes: [bool; 2],
    lock: i32,
    tokens: u32,
    flag: bool,
    halted: bool,
}

/// The states that a step of a thread leads to; `None` if it waits.
fn after(program: &Program, state: &State, thread: usize) -> Option<Vec<State>> {
    let mut next = state.clone();
    let at = match state.threads[thread] {
        Stands::Ended => return None,
        Stands::Waits(at, _, mutex) => {
            // Without a signal; no deadlock counts on that.
            next.threads[thread] = Stands::Locks(at, mutex);
            return Some(vec![next]);
        }
        Stands::Locks(at, mutex) => {
            if state.mutexes[mutex as usize] {
                return None;
            }
            next.mutexes[mutex as usize] = true;
            next.threads[thread] = Stands::At(at);
            return Some(vec![next]);
        }
        Stands::At(at) => at,
    };
    next.threads[thread] = Stands::At(at + 1);
    let Some(step) = program.threads[thread].get(at) else {
        next.threads[thread] = Stands::Ended;
        next.halted = thread == 0 && program.returns;
        return Some(vec![next]);
    };
    match *step {
        Step::Lock(m) if state.mutexes[m as usize] => return None,
        Step::Lock(m) => next.mutexes[m as usize] = true,
        Step::Unlock(m) => next.mutexes[m as usize] = false,
        Step::Read if state.lock == -1 => return None,
        Step::Read => next.lock += 1,
        Step::Write if state.lock != 0 => return None,
        Step::Write => next.lock = -1,
        Step::Release => next.lock = if state.lock == -1 { 0 } else { state.lock - 1 },
        Step::Take if state.tokens == 0 => return None,
        Step::Take => next.tokens -= 1,
        Step::Post => next.tokens += 1,
        Step::Wait(c, m) => {
            next.mutexes[m as usize] = false;
            next.threads[thread] = Stands::Waits(at + 1, c, m);
        }
        Step::Signal(c) => {
            let woken: Vec<State> = (0..state.threads.len())
                .filter_map(|other| {
                    let Stands::Waits(at, of, mutex) = state.threads[other] else { return None };
                    let mut next = next.clone();
                    next.threads[other] = Stands::Locks(at, mutex);
                    (of == c).then_some(next)
                })
                .collect();
            return Some(if woken.is_empty() { vec![next] } else { woken });
        }
        Step::Broadcast(c) => {
            for other in &mut next.threads {
                if let Stands::Waits(at, of, mutex) = *other
                    && of == c
                {
                    *other = Stands::Locks(at, mutex);
                }
            }
        }
        Step::Join(other) if state.threads[other as usize] != Stands::Ended => return None,
        Step::Join(_) => {}
        Step::Set(value) => next.flag = value,
        Step::Unless(value) => {
            next.threads[thread] = Stands::At(at + if state.flag == value { 2 } else { 1 });
        }
    }
    Some(vec![next])
}

/// Whether a deadlock is reached; only those in which a thread waits in a join, if that is asked.
fn deadlocks(program: &Program, joins: bool) -> bool {
    let first = State {
        threads: vec![Stands::At(0); program.threads.len()],
        mutexes: [false; 2],
        lock: 0,
        tokens: u32::from(program.tokens),
        flag: false,
        halted: false,
    };
    let mut seen = HashSet::from([first.clone()]);
    let mut pending = vec![first];
    while let Some(state) = pending.pop() {
        if state.halted {
            continue;
        }
        let lives = |thread: &usize| state.threads[*thread] != Stands::Ended;
        let living: BTreeSet<usize> = (0..state.threads.len()).filter(lives).collect();
        let waits = |thread: &usize| {
            matches!(state.threads[*thread], Stands::Waits(..))
                || after(program, &state, *thread).is_none()
        };
        let in_join = |thread: &usize| match state.threads[*thread] {
            Stands::At(at) => matches!(program.threads[*thread].get(at), Some(Step::Join(_))),
            _ => false,
        };
        if !living.is_empty() && living.iter().all(waits) && (!joins || living.iter().any(in_join))
        {
            return true;
        }
        for thread in living {
            for next in after(program, &state, thread).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    pending.push(next);
                }
            }
        }
    }
    false
}

/// The program as a module. The handle of the thread of number `n` is `n + 1`.
fn module(program: &Program) -> Module {
    let mut text = format!(
        "gir 1\nglobal $m0: i32 = 0\nglobal $m1: i32 = 0\nglobal $l: i32 = 0\nglobal $s: i32 = {}\n\
         global $c0: [3 x i32] = zero\nglobal $f: i32 = 0\n",
        program.tokens
    );
    for (thread, steps) in program.threads.iter().enumerate() {
        let name = if thread == 0 { "main".to_owned() } else { format!("t{thread}") };
        text.push_str(&format!("define @{name}() {{\nbb0:\n"));
        let (mut values, mut blocks) = (0, 1);
        if thread == 0 {
            for other in 1..program.threads.len() {
                text.push_str(&format!("%{values}: i64 = spawn @t{other}()\n"));
                values += 1;
            }
        }
        let mut skips = None;
        for step in steps {
            let ends = skips.take();
            let line = match *step {
                Step::Lock(m) => format!("mutex_lock($m{m})"),
                Step::Unlock(m) => format!("mutex_unlock($m{m})"),
                Step::Read => "read_lock($l)".to_owned(),
                Step::Write => "write_lock($l)".to_owned(),
                Step::Release => "read_write_unlock($l)".to_owned(),
                Step::Take => "semaphore_wait($s)".to_owned(),
                Step::Post => "semaphore_post($s)".to_owned(),
                Step::Wait(c, m) => format!("condition_wait($c{c}, $m{m})"),
                Step::Signal(c) => format!("condition_signal($c{c})"),
                Step::Broadcast(c) => format!("condition_broadcast($c{c})"),
                Step::Join(other) => format!("join {}i64", other + 1),
                Step::Set(value) => format!("store i32, $f, {}i32", u8::from(value)),
                Step::Unless(value) => {
                    let compare = if value { "eq" } else { "ne" };
                    let line = format!(
                        "%{values}: i32 = load $f\n%{}: i1 = {compare} %{values}, 0i32\n\
                         branch %{}, bb{blocks}, bb{}\nbb{blocks}:",
                        values + 1,
                        values + 1,
                        blocks + 1
                    );
                    skips = Some(blocks + 1);
                    values += 2;
                    blocks += 2;
                    line
                }
            };
            text.push_str(&line);
            text.push('\n');
            if let Some(block) = ends {
                text.push_str(&format!("jump bb{block}\nbb{block}:\n"));
            }
        }
        if let Some(block) = skips {
            text.push_str(&format!("jump bb{block}\nbb{block}:\n"));
        }
        text.push_str(if thread == 0 && !program.returns {
            "end_thread\n}\n"
        } else {
            "return\n}\n"
        });
    }
    text.push_str("entry @main\n");
    let module = parse(&text, "random").unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(verify(&module), Ok(()), "{module}");
    module
}

/// Whether an assertion fails; `None` if there are too many states. The program ends with the initial thread if
/// that returns.
fn fails(module: &Module, returns: bool) -> Option<bool> {
    const STATES: usize = 60_000;
    let mut inputs = Choice { value: 0, is_asked: false };
    let first = Machine::new(module, MemoryModel::Sc, None, &mut inputs).expect("a start");
    let mut seen = HashSet::from([first.clone()]);
    let mut pending = vec![first];
    while let Some(state) = pending.pop() {
        if returns && !state.exists(0) {
            continue;
        }
        for thread in state.threads() {
            for value in 0..2 {
                let mut after = state.clone();
                let mut choice = Choice { value, is_asked: false };
                match after.step(thread, &mut choice) {
                    Outcome::Continued(_) | Outcome::Started(_) | Outcome::ThreadEnded
                        if seen.insert(after.clone()) =>
                    {
                        pending.push(after);
                    }
                    Outcome::AssertionFailed { .. } => return Some(true),
                    Outcome::Unsupported(what) => panic!("{what}\n{module}"),
                    _ => {}
                }
                if !choice.is_asked {
                    break;
                }
            }
        }
        if seen.len() > STATES {
            return None;
        }
    }
    Some(false)
}

fn compare(pass: &str, joins: bool, seeds: std::ops::Range<u64>) {
    let (mut bad, mut good, mut open) = (0, 0, 0);
    for seed in seeds {
        let program = random(seed);
        let expected = deadlocks(&program, joins);
        let mut after = module(&program);
        let pipeline = Pipeline::parse(pass).expect("the pipeline");
        let before = after.clone();
        pipeline.run(&mut after, &mut []).expect("it runs");
        if after == before {
            assert!(!expected, "seed {seed} {program:?}");
            continue;
        }
        assert_eq!(verify(&after), Ok(()), "{after}");
        match fails(&after, program.returns) {
            None => open += 1,
            Some(found) => {
                assert_eq!(found, expected, "seed {seed} {program:?}\n{after}");
                if expected { bad += 1 } else { good += 1 }
            }
        }
    }
    assert!(
        bad > 10 && good > 10 && open < good + bad,
        "{bad} deadlocks, {good} safe, {open} open"
    );
}

#[test]
fn assertions_fail_where_there_are_deadlocks() {
    compare("check-deadlock", false, 0..90);
}

#[test]
fn joins_are_asked_for_alone() {
    compare("check-joins", true, 1000..1060);
}
