//! The five comparisons of BOOM section 7, re-made on `boolean/` and generated programs.
//!
//! Each engine checks each program for 2, 3, … threads besides the initial one until it runs out
//! of time. A comparison takes the runs that at least one of its two methods finished.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sapa_backend::check::{Answer, CheckOptions, Engine, Statistics, ThreadBound, check};
use sapa_backend::emit::promela;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_limits::Limits;

use crate::boolean::{self, generated};
use crate::plot::{self, Point};

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// An engine of ours, with or without partial-order reduction.
    Engine(&'static str, bool),
    /// Debian's Spin on our Promela, its own reduction on.
    Spin,
}

impl Method {
    fn name(self) -> String {
        match self {
            Method::Engine(engine, false) => engine.to_owned(),
            Method::Engine(engine, true) => format!("{engine} + POR"),
            Method::Spin => "spin".to_owned(),
        }
    }
}

const PLAIN: Method = Method::Engine("plain", false);
const COUNTER: Method = Method::Engine("counter", false);
const PLAIN_POR: Method = Method::Engine("plain", true);
const COUNTER_POR: Method = Method::Engine("counter", true);
const EXPLICIT: Method = Method::Engine("explicit", false);
const NAIVE: Method = Method::Engine("naive", false);

/// A comparison: file name, title, the methods of the x and the y axis.
const COMPARISONS: [(&str, &str, Method, Method); 6] = [
    ("fig4", "Counter abstraction against plain exploration (Fig. 4)", COUNTER, PLAIN),
    ("fig5-naive", "Explicit counting against no symmetry (Fig. 5)", EXPLICIT, NAIVE),
    ("fig5-spin", "Explicit counting against Spin (Fig. 5)", EXPLICIT, Method::Spin),
    ("fig6", "POR and counters against POR (Fig. 6)", COUNTER_POR, PLAIN_POR),
    ("fig7", "POR and counters against counters (Fig. 7)", COUNTER_POR, COUNTER),
    ("fig8", "Counters against POR (Fig. 8)", COUNTER, PLAIN_POR),
];

/// How much is measured.
#[derive(Clone, Debug)]
pub struct Settings {
    /// For one run.
    pub timeout: Duration,
    /// How many generated programs, of each kind.
    pub generated: u64,
    /// Of N programs of `boolean/cegar` in a row take one; this is N.
    pub every: usize,
    /// No more threads than this besides the initial one.
    pub most_threads: u32,
    /// Only these comparisons, by file name; all if empty.
    pub only: Vec<String>,
}

/// A program with the methods it is for.
struct Task {
    name: String,
    program: FlatProgram,
    methods: Vec<Method>,
}

/// One run.
#[derive(Clone, Debug)]
struct Run {
    program: usize,
    threads: u32,
    method: Method,
    /// `None` if it ran out of time or memory.
    finished: Option<Finished>,
    statistics: Statistics,
}

/// How a run ended that finished.
#[derive(Clone, Copy, Debug)]
struct Finished {
    failed: bool,
    seconds: f64,
}

/// Memory for one run.
const MEMORY: usize = 6 << 30;

/// Measures, writes the plots and a table of all runs to a folder, and returns the summary. What
/// is written is brought up to date after each program.
///
/// # Errors
/// If a comparison is unknown, a program cannot be read or a file not be written, or if two methods
/// contradict each other.
pub fn measure(settings: &Settings, folder: &Path) -> io::Result<String> {
    let known = |only: &&String| COMPARISONS.iter().all(|(file, ..)| file != only);
    if let Some(unknown) = settings.only.iter().find(known) {
        let names: Vec<&str> = COMPARISONS.iter().map(|(file, ..)| *file).collect();
        return Err(io::Error::other(format!(
            "there is no comparison {unknown}; expected one of {}",
            names.join(", ")
        )));
    }
    std::fs::create_dir_all(folder)?;
    let tasks = tasks(settings)?;
    let runs: Mutex<Vec<Run>> = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let worker = || -> io::Result<()> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(at) else { return Ok(()) };
            eprintln!("{} of {}: {}", at + 1, tasks.len(), task.name);
            let found = run_all(task, at, settings);
            let mut runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
            runs.extend(found);
            runs.sort_by_key(|run| (run.program, run.threads, run.method));
            report(&tasks, &runs, settings, folder)?;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    report(&tasks, &runs.into_inner().unwrap_or_else(PoisonError::into_inner), settings, folder)
}

/// Whether a comparison is asked for.
fn wanted(settings: &Settings, file: &str) -> bool {
    settings.only.is_empty() || settings.only.iter().any(|only| only == file)
}

/// Writes what is known so far, and returns the summary.
fn report(tasks: &[Task], runs: &[Run], settings: &Settings, folder: &Path) -> io::Result<String> {
    contradictions(tasks, runs)?;
    std::fs::write(folder.join("runs.csv"), csv(tasks, runs))?;
    let mut summary = String::new();
    let _ = writeln!(
        summary,
        "| comparison | runs | faster | with 3 threads or more | geometric mean, both finished | both above 0.1 s | the slower above 0.1 s | finished by one only |"
    );
    let _ = writeln!(summary, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (file, title, x, y) in COMPARISONS.into_iter().filter(|(file, ..)| wanted(settings, file)) {
        let points = points(runs, x, y, settings.timeout.as_secs_f64());
        let names = (x.name(), y.name());
        let path = folder.join(format!("{file}.svg"));
        let scattered: Vec<Point> = points.iter().map(|(point, ..)| *point).collect();
        let limit = settings.timeout.as_secs_f64();
        plot::scatter(&path, title, (&names.0, &names.1), limit, &scattered)?;
        let _ = writeln!(summary, "{}", row(&names, &points));
    }
    if tasks.iter().any(|task| task.methods.contains(&COUNTER)) {
        let _ = writeln!(summary, "\n{}", splices(tasks, runs));
    }
    std::fs::write(folder.join("summary.md"), &summary)?;
    Ok(summary)
}

fn tasks(settings: &Settings) -> io::Result<Vec<Task>> {
    let compared = |methods: &[Method]| -> Vec<Method> {
        let asked = |method| {
            COMPARISONS
                .iter()
                .any(|(file, _, x, y)| wanted(settings, file) && (*x == method || *y == method))
        };
        methods.iter().copied().filter(|method| asked(*method)).collect()
    };
    let symbolic = compared(&[PLAIN, COUNTER, PLAIN_POR, COUNTER_POR]);
    let explicit = compared(&[EXPLICIT, NAIVE, Method::Spin]);
    let mut tasks = Vec::new();
    let mut skipped = 0;
    for program in boolean::programs()? {
        let classic = program.path.parent().is_some_and(|folder| folder.ends_with("classic"));
        skipped += 1;
        if classic || skipped % settings.every.max(1) == 0 {
            let methods = symbolic.clone();
            tasks.push(Task { name: program.name, program: program.flat, methods });
        }
    }
    for seed in 0..settings.generated {
        for (choices, methods, kind) in
            [(true, &symbolic, "generated"), (false, &explicit, "determined")]
        {
            let program = generated::generate(seed, choices);
            let program = flatten(&program, &FlattenOptions::default())
                .map_err(|error| io::Error::other(error.to_string()))?;
            let name = format!("{kind}-{seed}");
            tasks.push(Task { name, program, methods: methods.clone() });
        }
    }
    tasks.retain(|task| !task.methods.is_empty());
    Ok(tasks)
}

fn run_all(task: &Task, program: usize, settings: &Settings) -> Vec<Run> {
    let mut runs = Vec::new();
    for &method in &task.methods {
        for threads in 2..=settings.most_threads {
            let (finished, statistics) = match method {
                Method::Engine(engine, reduction) => {
                    engine_run(&task.program, engine, reduction, threads, settings.timeout)
                }
                Method::Spin => match spin_run(&task.program, threads, settings.timeout) {
                    Ok(finished) => (finished, Statistics::default()),
                    Err(error) => {
                        eprintln!("{}: spin: {error}", task.name);
                        break;
                    }
                },
            };
            runs.push(Run { program, threads, method, finished, statistics });
            if finished.is_none() {
                break;
            }
        }
    }
    runs
}

fn engine_run(
    program: &FlatProgram,
    engine: &str,
    reduction: bool,
    threads: u32,
    timeout: Duration,
) -> (Option<Finished>, Statistics) {
    let Some(engine) = Engine::named(engine) else { return (None, Statistics::default()) };
    let options = CheckOptions {
        limits: Limits::time(timeout),
        memory_limit: Some(MEMORY),
        partial_order_reduction: reduction,
        ..CheckOptions::new(ThreadBound::Bounded(threads))
    };
    let start = Instant::now();
    let outcome = check(engine, program, &options, &mut |_| {});
    let finished = |failed| Some(Finished { failed, seconds: start.elapsed().as_secs_f64() });
    let finished = match outcome.answer {
        Answer::Safe { .. } => finished(false),
        Answer::Failing { .. } => finished(true),
        Answer::Imprecise(_) | Answer::Unknown(_) => None,
    };
    (finished, outcome.statistics)
}

/// Whether Spin finds an error, by its verifier's own clock; `None` if it did not finish.
fn spin_run(
    program: &FlatProgram,
    threads: u32,
    timeout: Duration,
) -> io::Result<Option<Finished>> {
    let folder = tempfile::tempdir()?;
    let text = promela::emit(program, Some(threads))
        .map_err(|error| io::Error::other(error.to_string()))?;
    std::fs::write(folder.path().join("p.pml"), text)?;
    let quiet = |command: &mut Command| command.current_dir(folder.path()).output();
    quiet(Command::new("spin").args(["-a", "p.pml"]))?;
    let flags = ["-w", "-O2", "-DSAFETY", "-DNOFAIR", "-DMEMLIM=6000", "-o", "pan", "pan.c"];
    quiet(Command::new("cc").args(flags))?;
    let seconds = timeout.as_secs().max(1).to_string();
    let mut pan = Command::new("timeout");
    let output = quiet(pan.args([&seconds, "./pan", "-m10000000", "-w24"]))?;
    let report = String::from_utf8_lossy(&output.stdout);
    // Spin's own clock, which leaves out the allocation of its tables.
    let elapsed = report.lines().find_map(|line| line.strip_prefix("pan: elapsed time "));
    let seconds = elapsed.and_then(|text| text.split(' ').next()?.parse().ok()).unwrap_or(0.0);
    let failed = report.contains("assertion violated");
    let finished =
        report.contains("errors:") && (failed || !report.contains("Search not completed"));
    Ok(finished.then_some(Finished { failed, seconds }))
}

/// Two methods must not contradict each other on a program and number of threads.
fn contradictions(tasks: &[Task], runs: &[Run]) -> io::Result<()> {
    let mut verdicts: BTreeMap<(usize, u32), (Method, bool)> = BTreeMap::new();
    for run in runs {
        let Some(finished) = run.finished else { continue };
        let (method, failed) =
            *verdicts.entry((run.program, run.threads)).or_insert((run.method, finished.failed));
        if failed != finished.failed {
            return Err(io::Error::other(format!(
                "{} with {} threads: {} and {} contradict each other",
                tasks[run.program].name,
                run.threads,
                method.name(),
                run.method.name()
            )));
        }
    }
    Ok(())
}

/// The point of each run, and which of the two finished.
fn points(runs: &[Run], x: Method, y: Method, limit: f64) -> Vec<(Point, bool, bool)> {
    let times = |method: Method| -> BTreeMap<(usize, u32), Option<f64>> {
        let of = runs.iter().filter(|run| run.method == method);
        of.map(|run| ((run.program, run.threads), run.finished.map(|f| f.seconds))).collect()
    };
    let (xs, ys) = (times(x), times(y));
    let keys: std::collections::BTreeSet<(usize, u32)> =
        xs.keys().chain(ys.keys()).copied().collect();
    let programs = |of: &BTreeMap<(usize, u32), Option<f64>>| -> std::collections::BTreeSet<usize> {
        of.keys().map(|(program, _)| *program).collect()
    };
    let (with_x, with_y) = (programs(&xs), programs(&ys));
    keys.into_iter()
        .filter(|(program, _)| with_x.contains(program) && with_y.contains(program))
        .filter_map(|key| {
            let (a, b) = (xs.get(&key).copied().flatten(), ys.get(&key).copied().flatten());
            if a.is_none() && b.is_none() {
                return None;
            }
            let seconds = |time: Option<f64>| time.unwrap_or(limit).clamp(plot::SMALLEST, limit);
            let point = Point { x: seconds(a), y: seconds(b), threads: key.1 };
            Some((point, a.is_some(), b.is_some()))
        })
        .collect()
}

fn row(names: &(String, String), points: &[(Point, bool, bool)]) -> String {
    let faster = |of: &mut dyn Iterator<Item = &(Point, bool, bool)>| {
        let (mut won, mut all) = (0, 0);
        for (point, ..) in of {
            all += 1;
            won += usize::from(point.x < point.y);
        }
        if all == 0 {
            "–".to_owned()
        } else {
            format!("{:.0}% of {all}", 100.0 * won as f64 / all as f64)
        }
    };
    let mean = |of: &mut dyn Iterator<Item = &(Point, bool, bool)>| {
        let ratios: Vec<f64> = of.map(|(point, ..)| (point.y / point.x).ln()).collect();
        let count = ratios.len();
        if count == 0 {
            return "–".to_owned();
        }
        format!("{:.1}× of {count}", (ratios.iter().sum::<f64>() / count as f64).exp())
    };
    // Two times below the clock say nothing of which was faster.
    let told_apart =
        || points.iter().filter(|(p, ..)| p.x > plot::SMALLEST || p.y > plot::SMALLEST);
    let both = || points.iter().filter(|(_, x, y)| *x && *y);
    let only_x = points.iter().filter(|(_, x, y)| *x && !y).count();
    let only_y = points.iter().filter(|(_, x, y)| !x && *y).count();
    format!(
        "| {} vs {} | {} | {} | {} | {} | {} | {} | {only_x} / {only_y} |",
        names.0,
        names.1,
        points.len(),
        faster(&mut told_apart()),
        faster(&mut told_apart().filter(|(p, ..)| p.threads >= 3)),
        mean(&mut both()),
        mean(&mut both().filter(|(p, ..)| p.x > 0.1 && p.y > 0.1)),
        mean(&mut both().filter(|(p, ..)| p.x > 0.1 || p.y > 0.1)),
    )
}

/// What splice statements cost the counter engine.
fn splices(tasks: &[Task], runs: &[Run]) -> String {
    let (mut images, mut splices, mut cofactors, mut merges) = (0, 0, 0, 0);
    for run in runs.iter().filter(|run| run.method == COUNTER) {
        let figures = run.statistics.symbolic.unwrap_or_default();
        images += figures.images;
        splices += figures.splices;
        cofactors += figures.cofactors;
        merges += figures.merges;
    }
    let (mut statements, mut broadcasts) = (0, 0);
    for task in tasks.iter().filter(|task| task.methods.contains(&COUNTER)) {
        for location in &task.program.locations {
            statements += 1;
            if let FlatStatement::Assign { assignment, .. } = &location.statement {
                broadcasts += usize::from(assignment.involves_passive());
            }
        }
    }
    format!(
        "counter: {images} images, {splices} of splice statements, starts and broadcasts, \
         {cofactors} satisfiable cofactors, {:.2} per splice; {merges} merges. \
         {broadcasts} of {statements} statements are broadcasts.",
        cofactors as f64 / splices.max(1) as f64
    )
}

fn csv(tasks: &[Task], runs: &[Run]) -> String {
    let mut text =
        String::from("program,threads,method,seconds,failed,states,images,splices,cofactors\n");
    for run in runs {
        let seconds = run.finished.map_or(String::new(), |run| format!("{:.4}", run.seconds));
        let s = &run.statistics;
        let symbolic = s.symbolic.unwrap_or_default();
        let _ = writeln!(
            text,
            "{},{},{},{seconds},{},{},{},{},{}",
            tasks[run.program].name,
            run.threads,
            run.method.name(),
            u8::from(run.finished.is_some_and(|run| run.failed)),
            s.states,
            symbolic.images,
            symbolic.splices,
            symbolic.cofactors
        );
    }
    text
}
