//! Differential: random small C programs, `sapa check` against what they do.
//!
//! | module | holds |
//! | --- | --- |
//! | `scalars` | programs of all statements, over shared scalars, an array and some pointers |
//! | `template` | programs from tables of templates |
//! | `features` | the tables: one for each kind of memory or step that has gone wrong, or may |
//! | `loops` | loops that start and join threads, before and after they are unrolled |
//! | `recursion` | recursive calls, as they are and as threads |
//! | `compare` | a check against all runs of the interpreter |
//! | `invariants` | what the pass `invariants` says, against all runs |
//! | `memory` | memory that is used rightly and wrongly, against all runs |
//! | `native` | programs without threads against what gcc makes of them |
//!
//! `SAPA_DIFFERENTIAL_PROGRAMS=n` changes how many programs each test tries,
//! `SAPA_DIFFERENTIAL_SEED=n` where the seeds begin,
//! `SAPA_DIFFERENTIAL_FEATURE=name` takes templates of one table only. All contradictions are reported at the end.

mod added;
mod compare;
mod features;
mod invariants;
mod loops;
mod memory;
mod native;
mod recursion;
mod scalars;
mod template;

use std::process::ExitCode;
use std::sync::atomic::AtomicUsize;

use compare::{Judged, Settings, Tally, against_all_runs, all_runs, seeds};
use features::{CONCURRENT, SEQUENTIAL};
use libtest_mimic::Arguments;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use sapa_backend::cegar::Verdict;
use sapa_backend::check::auto;
use sapa_backend::inconclusive::Kind;
use sapa_ir::goto::Atomicity;
use sapa_tests::peers::{trial, trial_with};
use template::{Program, Writer};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        trial("verdicts_agree_with_all_interleavings", verdicts_agree_with_all_interleavings),
        trial(
            "verdicts_agree_with_all_interleavings_of_templates",
            verdicts_agree_with_all_interleavings_of_templates,
        ),
        trial_with(
            "gcc",
            native::is_there(),
            "verdicts_agree_with_compiled_programs",
            verdicts_agree_with_compiled_programs,
        ),
        trial(
            "invariants_hold_in_all_interleavings",
            invariants::invariants_hold_in_all_interleavings,
        ),
        trial(
            "recursive_calls_as_threads_have_all_runs",
            recursion::recursive_calls_as_threads_have_all_runs,
        ),
        trial(
            "memory_is_used_rightly_where_that_is_proved",
            memory::memory_is_used_rightly_where_that_is_proved,
        ),
        trial(
            "loops_of_threads_have_the_same_runs_unrolled",
            loops::loops_of_threads_have_the_same_runs_unrolled,
        ),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn verdicts_agree_with_all_interleavings() {
    all_of(30, |seed, unfolded| {
        let (source, started) = scalars::program(seed);
        // All threads have a place.
        let settings = Settings { bound: Some(started), ..Settings::of(seed, started) };
        Tally::of(&format!("scalars, seed {seed}"), &[], || {
            against_all_runs(&source, &[], &settings, unfolded)
        })
    });
}

fn verdicts_agree_with_all_interleavings_of_templates() {
    all_of(50, |seed, unfolded| {
        let mut writer = Writer::new(seed, CONCURRENT);
        let program = writer.concurrent();
        let mut settings = Settings::of(seed, program.started);
        if program.relay {
            settings = Settings { bound: Some(1), oblivious: true, ..settings };
        }
        let what = format!("seed {seed}, {:?}", program.features);
        Tally::of(&what, &program.features, || {
            against_all_runs(&program.source, &program.predicates, &settings, unfolded)
        })
    });
}

/// Compares a program for each of so many seeds, unless the environment says how many; the second
/// argument of `compared` counts what the bounded engine decides.
fn all_of(otherwise: u64, compared: impl Fn(u64, &AtomicUsize) -> Tally + Sync) {
    let unfolded = AtomicUsize::new(0);
    let tally = seeds(otherwise)
        .into_par_iter()
        .map(|seed| compared(seed, &unfolded))
        .reduce(Tally::default, Tally::and);
    let unfolded = unfolded.into_inner();
    println!("{unfolded} decided by runs of bounded length");
    tally.finish();
    assert!(unfolded > 0, "runs of bounded length decide nothing");
}

/// How many programs are in one binary.
const TOGETHER: usize = 50;

fn verdicts_agree_with_compiled_programs() {
    let (mut tally, mut defined) = (Tally::default(), 0);
    let seeds: Vec<u64> = seeds(60).collect();
    for seeds in seeds.chunks(TOGETHER) {
        let programs: Vec<Program> =
            seeds.iter().map(|seed| Writer::new(*seed, SEQUENTIAL).sequential()).collect();
        let runs = native::run(&programs);
        defined += runs.iter().filter(|runs| runs.all).count();
        let compared = (seeds, programs, runs).into_par_iter().map(|(seed, program, runs)| {
            let what = format!("compiled, seed {seed}, {:?}", program.features);
            Tally::of(&what, &program.features, || against_compiled(*seed, &program, runs))
        });
        tally = tally.and(compared.reduce(Tally::default, Tally::and));
    }
    println!("all runs of {defined} programs were seen and are defined");
    tally.finish();
    assert!(defined > seeds.len() / 2, "the sanitizers find something in too many programs");
}

fn against_compiled(seed: u64, program: &Program, runs: native::Runs) -> Result<Judged, String> {
    let settings = Settings {
        bound: [Some(0), None][seed as usize % 2],
        atomicity: Atomicity::Access,
        oblivious: false,
        engine: &auto::ENGINE,
        cube: 3,
    };
    let module = compare::compile(&program.source, settings.atomicity);
    // First the interpreter: if it is wrong, the frontend is.
    let found = all_runs(&module, settings.bound);
    if found.incomplete.is_none() && found.failure.is_none() && runs.fails {
        return Err(format!("the interpreter finds no failure, a run does\n{}", program.source));
    }
    if let Some(failure) = found.failure.as_ref().filter(|_| runs.all && !runs.fails) {
        let Program { source, .. } = program;
        return Err(format!("the interpreter fails '{}', no run does\n{source}", failure.property));
    }
    let verdict = match settings.check(module) {
        Ok(verdict) => verdict,
        Err(undecided) => return Ok(Judged::Open(vec![Kind::from(&undecided)])),
    };
    match verdict {
        Verdict::Successful(_) if runs.fails => {
            Err(format!("SUCCESSFUL, but a run fails\n{settings:?}\n{}", program.source))
        }
        Verdict::Failed(_) if runs.all && !runs.fails => {
            Err(format!("FAILED, but no run does\n{settings:?}\n{}", program.source))
        }
        Verdict::Successful(_) => Ok(Judged::Successful),
        Verdict::Failed(_) => Ok(Judged::Failed { beyond: !runs.fails }),
        Verdict::Inconclusive(reasons) => Judged::open(&reasons, &program.source),
    }
}
