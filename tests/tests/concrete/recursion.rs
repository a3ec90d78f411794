//! Random programs whose functions call themselves and each other: all runs of them, against those with
//! calls as threads, and against what `sapa check` says.

use std::fmt::Write;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use sapa_backend::cegar::{Silent, Verdict};
use sapa_backend::check::ThreadBound;
use sapa_driver::{Checked, Error, Options, Program};
use sapa_ir::goto::interpret::{Exploration, ExploreOptions, explore};
use sapa_ir::goto::{Atomicity, Module, verify};
use sapa_limits::Limits;
use sapa_passes::Pipeline;
use sapa_passes::transform::recursion::has_calls_as_threads;

use super::compare::{compile_with, seeds};

/// The default pipeline, up to values, with calls as they are.
const WITH_CALLS: &str = "lower-sync,unreachable-blocks,mem2reg";

pub fn recursive_calls_as_threads_have_all_runs() {
    let found: Vec<Found> = seeds(80).into_par_iter().map(of_program).collect();
    let count = |is: fn(&Found) -> bool| found.iter().filter(|found| is(found)).count();
    let (fail, proved) = (count(|found| found.fails), count(|found| found.proved));
    let (whole, failed) = (count(|found| found.all_runs), count(|found| found.failed));
    println!("{fail} fail, {failed} were found to, {proved} proved, all runs of {whole} were seen");
    let wrong: Vec<&String> = found.iter().filter_map(|found| found.wrong.as_ref()).collect();
    assert!(wrong.is_empty(), "{} are wrong: {}", wrong.len(), wrong[0]);
    assert!(fail > 10 && proved > 5 && whole > 20, "the programs have too little to say");
}

#[derive(Default)]
struct Found {
    fails: bool,
    all_runs: bool,
    proved: bool,
    failed: bool,
    wrong: Option<String>,
}

/// All runs, as far as a few states go: calls without end take memory even between two states.
fn all_runs(module: &Module, threads: Option<u32>) -> Exploration {
    let (max_states, max_bytes, max_steps) = (10_000, 1 << 27, 1 << 18);
    let options =
        ExploreOptions { threads, max_states, max_bytes, max_steps, ..ExploreOptions::default() };
    explore(module, &options)
}

fn of_program(seed: u64) -> Found {
    let source = program(seed);
    let passed = |passes: &str| {
        let pipeline = Pipeline::parse(passes).expect("the pipeline");
        compile_with(&source, Atomicity::Access, pipeline)
    };
    let mut found = Found::default();
    let before = all_runs(&passed(WITH_CALLS), Some(1));
    found.fails = before.failure.is_some();
    found.all_runs = before.incomplete.is_none();
    let translated = passed("default");
    assert_eq!(verify(&translated), Ok(()), "{translated}");
    let after = all_runs(&translated, None);
    let mut contradict = |what: &str| {
        found.wrong = Some(format!("seed {seed}: {what}\n{source}\n{translated}"));
    };
    if before.failure.is_some() && after.failure.is_none() && after.incomplete.is_none() {
        contradict("a failure is lost");
    }
    let options = Options {
        threads: ThreadBound::Bounded(1),
        iterations: 6,
        limits: Limits::new(Instant::now(), Some(Duration::from_secs(1)), Some(1 << 30)),
        ..Options::default()
    };
    match Checked::new(translated.clone(), &options, &mut Silent).map(|c| c.report.verdict) {
        Ok(Verdict::Successful(_)) if before.failure.is_some() => contradict("it was proved"),
        Ok(Verdict::Failed(_)) if has_calls_as_threads(&translated) => {
            contradict("a failure was believed");
        }
        Ok(Verdict::Successful(_)) => found.proved = has_calls_as_threads(&translated),
        Ok(_) | Err(Error::Undecided(_)) => {}
        Err(error) => panic!("only the loop ran: {error}"),
    }
    let mut contradict = |what: &str| found.wrong = Some(format!("seed {seed}: {what}\n{source}"));
    // What is to be compiled has its time, however busy the machine is.
    let limits =
        |seconds| Limits::new(Instant::now(), Some(Duration::from_secs(seconds)), Some(1 << 30));
    let options = Options { limits: limits(60), ..options };
    let whole = Program::compile_bytes("a.c", source.as_bytes(), &options).expect("it compiles");
    let options = Options { limits: limits(1), ..options };
    match whole.check(&options, &mut Silent).map(|checked| checked.report.verdict) {
        Ok(Verdict::Successful(_)) if before.failure.is_some() => contradict("it was proved"),
        Ok(Verdict::Failed(_)) => {
            found.failed = true;
            if before.failure.is_none() && before.incomplete.is_none() && !before.sampled {
                contradict("it fails");
            }
        }
        Ok(_) | Err(Error::Undecided(_)) => {}
        Err(error) => panic!("{error}"),
    }
    found
}

/// Two functions that may call each other and themselves, and a thread that does so too. Some count
/// their depth.
fn program(seed: u64) -> String {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut text = "#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int g, h; int any(void); int g_of(int, int); void r(int);\n"
        .to_owned();
    let bounded = random.random_range(0..4) > 0;
    let stop = if bounded { "if (d <= 0) " } else { "if (any()) " };
    let body = |random: &mut SmallRng, most: usize| {
        (0..random.random_range(1..=most)).map(|_| statement(random, 0)).collect::<String>()
    };
    let (f, r) = (body(&mut random, 3), body(&mut random, 2));
    let value = ["x", "l", "x + l", "g", "!x"][random.random_range(0..5)];
    let _ = write!(
        text,
        "int f(int d, int x) {{ int l = 0; {stop}return x; {f} return {value}; }}
void r(int d) {{ int l = 1, x = g; {stop}return; {r} }}
void *t(void *a) {{ int l = 0, x = 0, d = {}; {} return 0; }}
int main(void) {{ int l = 0, x = 1, d = {}; pthread_t p; {} {} __CPROVER_assert(g + h + l < {}, \"end\"); }}\n",
        random.random_range(1..3),
        body(&mut random, 2),
        random.random_range(1..3),
        if random.random_range(0..3) > 0 { "pthread_create(&p, 0, t, 0);" } else { "" },
        body(&mut random, 2),
        random.random_range(1..4),
    );
    text.replace("int g_of(int, int); ", "int f(int, int); ")
}

fn statement(random: &mut SmallRng, depth: u32) -> String {
    let target = ["g", "h", "l", "x"][random.random_range(0..4)];
    let value = ["0", "1", "x", "l", "g", "!g", "!x"][random.random_range(0..7)];
    match random.random_range(0..14) {
        0..=2 => format!("{target} = {value}; "),
        3..=5 => format!("{target} = f(d - 1, {value}); "),
        6 | 7 => "r(d - 1); ".to_owned(),
        8 => format!("__CPROVER_assert({target} < 2, \"claim\"); "),
        9 => format!("__CPROVER_assert({target} == {value} || l == 0, \"claim\"); "),
        10 if depth == 0 => {
            format!("pthread_mutex_lock(&m); {}pthread_mutex_unlock(&m); ", statement(random, 1))
        }
        11 if depth == 0 => format!("pthread_mutex_unlock(&m); {}", statement(random, 1)),
        _ if depth < 2 => {
            let [a, b] = [(); 2].map(|()| statement(random, depth + 1));
            format!("if ({value}) {{ {a}}} else {{ {b}}} ")
        }
        _ => "g = 1; g = 0; ".to_owned(),
    }
}
