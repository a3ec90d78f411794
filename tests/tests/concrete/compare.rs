//! What `sapa check` says of a program, against all runs of the interpreter.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sapa_backend::abstraction::{self, Mode};
use sapa_backend::cegar::{Reason, Reasons, Silent, Verdict};
use sapa_backend::check::{Engine, ThreadBound, auto, explicit};
use sapa_backend::inconclusive::Kind;
use sapa_driver::{
    Checked, Error, INLINED, Options, PredicateFile, Program, Refused, add_predicates,
};
use sapa_ir::goto::interpret::{Exploration, ExploreOptions, explore};
use sapa_ir::goto::{Atomicity, MemoryModel, Module, verify};
use sapa_limits::Limits;
use sapa_passes::Pipeline;
use sapa_tests::bounded::bounded_runs_fail;

/// A number that the environment may give.
pub fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The seeds to try: `SAPA_DIFFERENTIAL_PROGRAMS` many, from `SAPA_DIFFERENTIAL_SEED`.
pub fn seeds(otherwise: u64) -> std::ops::Range<u64> {
    let first = number("SAPA_DIFFERENTIAL_SEED", 0);
    first..first + number("SAPA_DIFFERENTIAL_PROGRAMS", otherwise)
}

/// A module that is ready for the loop.
pub fn compile(source: &str, atomicity: Atomicity) -> Module {
    compile_with(source, atomicity, Pipeline::default())
}

/// A module after some passes.
pub fn compile_with(source: &str, atomicity: Atomicity, pipeline: Pipeline) -> Module {
    let options = Options { atomicity, pipeline, ..Options::default() };
    Program::compile_bytes("a.c", source.as_bytes(), &options)
        .and_then(|program| program.lowered(&options, &mut []))
        .unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// The module after passes that change its code, but not what it does.
fn optimised(module: &Module) -> Module {
    let mut module = module.clone();
    let passes = "constant-propagation,jump-threading,forward-arguments,\
                  simplify{rounds=3,nodes=1000},dead-code{drop-versions},slice";
    let pipeline = Pipeline::parse(passes).expect("the pipeline");
    pipeline.run(&mut module, &mut []).expect("the passes run");
    assert_eq!(verify(&module), Ok(()), "{module}");
    module
}

/// How a program is checked.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub bound: Option<u32>,
    pub atomicity: Atomicity,
    pub oblivious: bool,
    pub engine: &'static Engine,
    pub cube: usize,
}

impl Settings {
    /// Some that have all in their turn.
    pub fn of(seed: u64, started: u32) -> Self {
        let mut random = SmallRng::seed_from_u64(!seed);
        let mut of = |total: u32| random.random_range(0..total);
        // A bound below the number of started threads makes some wait for others' places.
        let bound = match of(6) {
            0 => None,
            1..=3 if started > 1 => Some(started - 1),
            _ => Some(started),
        };
        Self {
            bound,
            atomicity: if of(4) == 0 { Atomicity::Statement } else { Atomicity::Access },
            oblivious: of(3) == 0 && bound.is_some(),
            engine: if of(3) == 0 { &explicit::ENGINE } else { &auto::ENGINE },
            // Short cubes leave more to what refinement learns of single steps.
            cube: if of(2) == 0 { 1 } else { 3 },
        }
    }

    pub fn check(&self, module: Module) -> Result<Verdict, Refused> {
        let mode = match self.bound {
            Some(threads) if self.oblivious => Mode::SymmetryOblivious { threads },
            _ => Mode::SymmetryAware,
        };
        let options = Options {
            threads: self.bound.map_or(ThreadBound::Unbounded, ThreadBound::Bounded),
            engine: self.engine,
            abstraction: abstraction::Options {
                mode,
                max_cube_length: self.cube,
                ..abstraction::Options::default()
            },
            iterations: 6,
            limits: Limits::new(Instant::now(), Some(Duration::from_secs(3)), Some(2 << 30)),
            ..Options::default()
        };
        match Checked::new(module, &options, &mut Silent) {
            Ok(checked) => Ok(checked.report.verdict),
            Err(Error::Undecided(undecided)) => Err(undecided.refused),
            Err(error) => panic!("only the loop ran: {error}"),
        }
    }
}

/// All runs of a program whose choices are 0 or 1.
pub fn all_runs(module: &Module, bound: Option<u32>) -> Exploration {
    let options =
        ExploreOptions { threads: bound, max_states: 100_000, ..ExploreOptions::default() };
    explore(module, &options)
}

/// How many programs had which verdict, and what was contradicted.
#[derive(Default)]
pub struct Tally {
    successful: usize,
    failed: usize,
    /// Failures that no explored run has, of programs that were not explored to the end.
    beyond: usize,
    open: usize,
    reasons: BTreeMap<Kind, usize>,
    contradictions: Vec<String>,
    /// What programs with contradictions have.
    blamed: BTreeMap<String, usize>,
}

impl Tally {
    /// What a program shows, or the contradiction in it.
    pub fn of(what: &str, features: &[&str], run: impl FnOnce() -> Result<Judged, String>) -> Self {
        let judged = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&t| t.to_owned()));
            Err(format!("panic: {}", text.unwrap_or_default()))
        });
        match judged {
            Ok(Judged::Successful) => Self { successful: 1, ..Self::default() },
            Ok(Judged::Failed { beyond }) => {
                Self { failed: 1, beyond: usize::from(beyond), ..Self::default() }
            }
            Ok(Judged::Open(kinds)) => {
                let mut reasons = BTreeMap::new();
                kinds.into_iter().for_each(|kind| *reasons.entry(kind).or_default() += 1);
                Self { open: 1, reasons, ..Self::default() }
            }
            Err(words) => Self {
                contradictions: vec![format!("{what}: {words}")],
                blamed: BTreeMap::from([(features.join("+"), 1)]),
                ..Self::default()
            },
        }
    }

    /// What two sets of programs show.
    pub fn and(mut self, other: Self) -> Self {
        self.successful += other.successful;
        self.failed += other.failed;
        self.beyond += other.beyond;
        self.open += other.open;
        for (kind, count) in other.reasons {
            *self.reasons.entry(kind).or_default() += count;
        }
        self.contradictions.extend(other.contradictions);
        for (features, count) in other.blamed {
            *self.blamed.entry(features).or_default() += count;
        }
        self
    }

    /// Fails if there was a contradiction, or nothing to contradict.
    pub fn finish(&self) {
        let Self { successful, failed, beyond, open, .. } = self;
        println!(
            "{successful} successful, {failed} failed ({beyond} beyond what was explored), {open} inconclusive: {:?}",
            self.reasons
        );
        let (count, blamed) = (self.contradictions.len(), &self.blamed);
        assert!(
            count == 0,
            "{count} contradictions, with {blamed:?}\n{}",
            self.contradictions.join("\n")
        );
        assert!(*successful > 0 && *failed > 0, "the programs are too easy");
    }
}

/// A verdict that nothing contradicts.
pub enum Judged {
    Successful,
    Failed { beyond: bool },
    Open(Vec<Kind>),
}

impl Judged {
    /// No verdict; the errors of sapa are contradictions too.
    pub fn open(reasons: &Reasons, told: &str) -> Result<Self, String> {
        let kinds: Vec<Kind> = reasons.0.iter().map(Reason::kind).collect();
        match kinds.contains(&Kind::InternalError) {
            true => Err(format!("{reasons}\n{told}")),
            false => Ok(Self::Open(kinds)),
        }
    }
}

/// Compares what the bounded engine says of a program with all its runs: whether it says anything.
fn against_bounded_runs(
    source: &str,
    settings: &Settings,
    expected: &Exploration,
) -> Result<bool, String> {
    let pipeline = Pipeline::parse(INLINED).expect("the passes");
    let options = Options { atomicity: settings.atomicity, pipeline, ..Options::default() };
    let lowered = Program::compile_bytes("a.c", source.as_bytes(), &options)
        .and_then(|program| program.lowered(&options, &mut []));
    // What the passes refuse is not unfolded.
    let Ok(module) = lowered else { return Ok(false) };
    let fails = bounded_runs_fail(&module, settings.bound, MemoryModel::Sc, &[1, 2, 4]);
    match (fails, &expected.failure) {
        (Some(false), Some(failure)) => Err(format!(
            "no run of bounded length fails, but '{}' does in line {}\n{settings:?}\n{source}",
            failure.property, failure.location.line
        )),
        (Some(true), None) if expected.incomplete.is_none() => {
            Err(format!("a run of bounded length fails, but nothing fails\n{settings:?}\n{source}"))
        }
        _ => Ok(fails.is_some()),
    }
}

/// Checks a program, against all its runs; `unfolded` counts those that the bounded engine decides, too.
pub fn against_all_runs(
    source: &str,
    predicates: &[String],
    settings: &Settings,
    unfolded: &AtomicUsize,
) -> Result<Judged, String> {
    let mut module = compile(source, settings.atomicity);
    let expected = all_runs(&module, settings.bound);
    if let Some(failure) = &expected.failure
        && failure.execute(&module, settings.bound).is_none()
    {
        return Err(format!("it does not replay: {failure:?}\n{source}"));
    }
    let optimised = optimised(&module);
    let again = all_runs(&optimised, settings.bound);
    if expected.incomplete.is_none()
        && again.incomplete.is_none()
        && again.failure.is_some() != expected.failure.is_some()
    {
        return Err(format!("the passes change what can fail\n{source}\n{module}\n{optimised}"));
    }
    let is_unfolded = against_bounded_runs(source, settings, &expected)?;
    unfolded.fetch_add(usize::from(is_unfolded), Ordering::Relaxed);
    // Those that are about what the passes left.
    for text in predicates {
        let given = PredicateFile { name: "given".to_owned(), text: text.clone() };
        let _ = add_predicates(&mut module, &given);
    }
    let told = format!("{settings:?} {predicates:?}\n{source}");
    let verdict = match settings.check(module) {
        Ok(verdict) => verdict,
        Err(undecided) => return Ok(Judged::Open(vec![Kind::from(&undecided)])),
    };
    match verdict {
        Verdict::Successful(_) => match &expected.failure {
            Some(failure) => Err(format!(
                "SUCCESSFUL, but '{}' fails in line {}\n{told}",
                failure.property, failure.location.line
            )),
            None => Ok(Judged::Successful),
        },
        Verdict::Failed(_) => {
            // What was not explored may fail.
            let beyond = expected.failure.is_none();
            if beyond && expected.incomplete.is_none() {
                return Err(format!("FAILED, but nothing fails\n{told}"));
            }
            Ok(Judged::Failed { beyond })
        }
        Verdict::Inconclusive(reasons) => Judged::open(&reasons, &told),
    }
}
