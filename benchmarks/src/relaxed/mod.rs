//! Tables 1 and 2 of the CUPEX paper (Dan, Meshman, Vechev, Yahav, SAS 2013), re-made: its figures beside ours, for
//! predicate extrapolation (PE) and cube extrapolation (CE), and for both layouts of store buffers.
//!
//! As in the paper each row is one abstraction and one check, without refinement. The predicates
//! are not given but those that the loop has found under sequential consistency; the fences are the first
//! minimal set of `programs/relaxed/fences.list`.

mod paper;

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sapa_backend::abstraction::{self, Abstractor, Cubes};
use sapa_backend::automaton::{Interruptions, Symbols, build};
use sapa_backend::cegar::{self, Silent, Verdict};
use sapa_backend::check::{self, Answer, CheckOptions, ThreadBound, auto};
use sapa_driver::{Checked, Options, Program};
use sapa_frontend::c::preprocess::{PreprocessorArgument, PreprocessorOptions};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::goto::{Cube, MemoryModel, Module, SignedOverflow};
use sapa_limits::Limits;
use sapa_passes::Pipeline;
use serde::Serialize;

pub use paper::{Figures, Times};

/// How the Boolean program is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Method {
    /// Under sequential consistency: all cubes that are short enough are searched for.
    #[serde(rename = "search")]
    Search,
    /// Predicate extrapolation: the same over extrapolated predicates.
    #[serde(rename = "PE")]
    Predicates,
    /// Cube extrapolation: only extrapolated cubes are tried.
    #[serde(rename = "CE")]
    Cubes,
}

impl Method {
    fn word(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Predicates => "PE",
            Self::Cubes => "CE",
        }
    }
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Settings {
    /// For a row.
    pub timeout: Duration,
    /// Room for stores where buffers are variables, and where code sets no bound.
    pub bound: u32,
    /// Most literals of a cube that is searched for; the paper's programs needed up to 4.
    pub max_cube_length: usize,
    /// Only algorithms whose file has this in its name.
    pub filter: String,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The paper's name of the algorithm.
    pub algorithm: &'static str,
    /// The memory model.
    pub model: &'static str,
    /// How the Boolean program was made.
    pub method: Method,
    /// Where buffers are, and their room; nothing under sequential consistency.
    pub layout: Option<String>,
    /// Predicates.
    pub predicates: usize,
    /// Cubes that were extrapolated, if that was done.
    pub cubes: Option<usize>,
    /// Cubes that the searches were for. A search that asks for each by itself, as the paper's, has as many calls.
    pub tried: u64,
    /// Calls of the SAT solver.
    pub calls: u64,
    /// Cubes of several predicates in the Boolean program.
    pub used: usize,
    /// Seconds of the abstraction.
    pub abstraction: f64,
    /// Seconds of model checking.
    pub checking: f64,
    /// States of model checking.
    pub states: usize,
    /// What came out: `proved`, `not proved`, or why there is nothing.
    pub outcome: String,
    /// Where it is not proved: what the loop says that goes on from there, and after how many seconds.
    pub refined: Option<(String, f64)>,
    /// What the paper says.
    pub paper: Option<Figures>,
}

/// The heading of the table, in Markdown. Behind the outcome is the paper.
pub const HEADING: &str = "| algorithm | model | method | layout | predicates | cubes | cubes to try | SAT calls | cubes used | abstraction (s) | checking (s) | states | outcome | refined | predicates | cubes | 1000 calls | build (s) | check (s) |\n\
     | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |";

impl Row {
    /// The row in Markdown.
    #[must_use]
    pub fn line(&self) -> String {
        let cubes = self.cubes.map_or("–".to_owned(), |cubes| cubes.to_string());
        let refined = self.refined.as_ref();
        let refined =
            refined.map_or("–".to_owned(), |(verdict, time)| format!("{verdict} ({time:.2} s)"));
        let mut line = format!(
            "| {} | {} | {} | {} | {} | {cubes} | {} | {} | {} | {:.3} | {:.3} | {} | {} | {refined} |",
            self.algorithm,
            self.model,
            self.method.word(),
            self.layout.as_deref().unwrap_or("–"),
            self.predicates,
            self.tried,
            self.calls,
            self.used,
            self.abstraction,
            self.checking,
            self.states,
            self.outcome,
        );
        let paper = match self.paper {
            None => " – | – | – | – | – |".to_owned(),
            Some(Figures { predicates, cubes, times }) => {
                let cubes = cubes.map_or("–".to_owned(), |cubes| cubes.to_string());
                let times = times
                    .map_or("T/O | – | –".to_owned(), |Times { calls, build, check }| {
                        format!("{calls} | {build} | {check}")
                    });
                format!(" {predicates} | {cubes} | {times} |")
            }
        };
        line.push_str(&paper);
        line
    }

    fn seconds(&self) -> f64 {
        self.abstraction + self.checking
    }

    fn is_proved(&self) -> bool {
        self.outcome == PROVED
    }
}

const PROVED: &str = "proved";

/// What is measured now, where somebody looks.
fn progress(text: &str) {
    if io::stderr().is_terminal() {
        eprintln!("{text}");
    }
}

/// An algorithm with fences for a model.
struct Task {
    algorithm: &'static str,
    model: MemoryModel,
    file: PathBuf,
    fences: String,
    options: Options,
}

/// The tasks of `fences.list`, in the paper's order.
fn tasks(folder: &Path, settings: &Settings) -> io::Result<Vec<Task>> {
    let list = std::fs::read_to_string(folder.join("fences.list"))?;
    let mut tasks = Vec::new();
    for (algorithm, name) in paper::ALGORITHMS {
        if !name.contains(&settings.filter) {
            continue;
        }
        for (word, model) in [("tso", MemoryModel::Tso), ("pso", MemoryModel::Pso)] {
            let line = list.lines().find_map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                (words.first() == Some(&word) && words.last() == Some(&name)).then_some(words)
            });
            let missing =
                || io::Error::other(format!("fences.list has no fences of {name} under {word}"));
            let words = line.ok_or_else(missing)?;
            let fences =
                words.get(1).and_then(|sets| sets.split(',').next()).ok_or_else(missing)?;
            let overflow = words.contains(&"absent").then_some(SignedOverflow::Absent);
            let define = PreprocessorArgument::Define(format!("FENCES={fences}"));
            let options = Options {
                preprocessor: PreprocessorOptions {
                    arguments: vec![define],
                    ..PreprocessorOptions::default()
                },
                signed_overflow: overflow,
                threads: ThreadBound::Bounded(2),
                ..Options::default()
            };
            let fences = (*fences).to_owned();
            tasks.push(Task { algorithm, model, file: folder.join(name), fences, options });
        }
    }
    Ok(tasks)
}

/// Measures; `told` is given each row, and lines between them.
///
/// # Errors
/// If a program is missing or cannot be compiled, or `told` fails.
pub fn measure(
    folder: &Path,
    settings: &Settings,
    told: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<Vec<Row>> {
    told(HEADING)?;
    let mut rows = Vec::new();
    let tasks = tasks(folder, settings)?;
    for (number, task) in tasks.iter().enumerate() {
        progress(&format!(
            "{} of {}: {} under {}",
            number + 1,
            tasks.len(),
            task.algorithm,
            word(task.model)
        ));
        for row in measure_task(task, settings)? {
            told(&row.line())?;
            rows.push(row);
        }
    }
    progress("Peterson with three entries");
    for line in summary(&rows) {
        told(&line)?;
    }
    if let Some(line) = three_entries(folder, settings)? {
        told(&line)?;
    }
    Ok(rows)
}

/// The module of a task after the passes, with what proves it under sequential consistency.
fn proved(task: &Task, settings: &Settings) -> io::Result<Module> {
    let limits = Limits::time(settings.timeout);
    let options = Options { limits, ..task.options.clone() };
    let program = Program::compile(&[&task.file], &options).map_err(io::Error::other)?;
    let module = program.lowered(&options, &mut []).map_err(io::Error::other)?;
    let checked = Checked::new(module, &options, &mut Silent).map_err(io::Error::other)?;
    match checked.report.verdict {
        Verdict::Successful(_) => Ok(checked.module),
        _ => Err(io::Error::other(format!(
            "{} with FENCES={} is not proved under sequential consistency in time",
            task.file.display(),
            task.fences
        ))),
    }
}

fn measure_task(task: &Task, settings: &Settings) -> io::Result<Vec<Row>> {
    let mut module = proved(task, settings)?;
    let mut rows = Vec::new();
    let (sequential, cubes) = row(task, &module, MemoryModel::Sc, Method::Search, None, settings);
    module.cubes = cubes;
    rows.push(sequential);
    let bound = settings.bound;
    for layout in [Layout::Control(None), Layout::Variables(bound)] {
        for method in [Method::Predicates, Method::Cubes] {
            let (mut found, _) = row(task, &module, task.model, method, Some(layout), settings);
            if found.outcome.starts_with(REFUSED) && layout == Layout::Control(None) {
                // The code sets no bound.
                let layout = Layout::Control(Some(bound));
                (found, _) = row(task, &module, task.model, method, Some(layout), settings);
            }
            rows.push(found);
        }
    }
    Ok(rows)
}

/// Where buffers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// In the control flow, with this room for stores, if a bound is needed.
    Control(Option<u32>),
    /// In variables.
    Variables(u32),
}

impl Layout {
    fn text(self) -> String {
        match self {
            Self::Control(None) => "control".to_owned(),
            Self::Control(Some(bound)) => format!("control, k={bound}"),
            Self::Variables(bound) => format!("variables, k={bound}"),
        }
    }

    /// The pass that puts buffers into the code. As on a machine with such buffers, a store that is
    /// one too many waits for room.
    fn pass(self, model: MemoryModel) -> String {
        let word = word(model);
        match self {
            Self::Control(None) => word.to_owned(),
            Self::Control(Some(bound)) => format!("{word}{{k={bound},overflow=wait}}"),
            Self::Variables(bound) => {
                format!("{word}{{layout=variables,k={bound},overflow=wait}}")
            }
        }
    }
}

fn word(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => "sc",
        MemoryModel::Tso => "tso",
        MemoryModel::Pso => "pso",
    }
}

const REFUSED: &str = "refused";

/// One abstraction and one check; also the cubes that the Boolean program has.
fn row(
    task: &Task,
    proved: &Module,
    model: MemoryModel,
    method: Method,
    layout: Option<Layout>,
    settings: &Settings,
) -> (Row, Vec<Cube>) {
    let mut row = Row {
        algorithm: task.algorithm,
        model: word(model),
        method,
        layout: layout.map(Layout::text),
        predicates: proved.predicates.len(),
        cubes: None,
        tried: 0,
        calls: 0,
        used: 0,
        abstraction: 0.0,
        checking: 0.0,
        states: 0,
        outcome: String::new(),
        refined: None,
        paper: paper::figures(task.algorithm, model, method),
    };
    let limits = Limits::time(settings.timeout);
    let mut module = proved.clone();
    if let Some(layout) = layout {
        let cubes = if method == Method::Cubes { ",extrapolate-cubes" } else { "" };
        let passes = format!("{},extrapolate-predicates{cubes}", layout.pass(model));
        let pipeline = Pipeline::parse(&passes).unwrap_or_else(|error| panic!("{error}"));
        if let Err(error) = pipeline.run_within(&mut module, &mut [], &limits) {
            row.outcome = format!("{REFUSED}: {error}");
            return (row, Vec::new());
        }
        row.predicates = module.predicates.len();
        row.cubes = (method == Method::Cubes).then_some(module.cubes.len());
    }
    let cubes = if method == Method::Cubes { Cubes::Recorded } else { Cubes::All };
    let max_cube_length = settings.max_cube_length;
    let options =
        abstraction::Options { cubes, max_cube_length, ..abstraction::Options::default() };
    let cubes = one_check(&mut row, &module, options, task, &limits);
    if layout.is_some() && row.outcome == NOT_PROVED {
        let start = Instant::now();
        let limits = Limits::time(settings.timeout);
        let options = Options { limits, ..task.options.clone() };
        let verdict = match cegar::run(&mut module, options.refinement(), &mut Silent) {
            Ok(report) => match report.verdict {
                Verdict::Successful(_) => PROVED.to_owned(),
                Verdict::Failed(_) => "fails".to_owned(),
                Verdict::Inconclusive(_) => NOT_PROVED.to_owned(),
            },
            Err(error) => error.to_string(),
        };
        row.refined = Some((verdict, start.elapsed().as_secs_f64()));
    }
    (row, cubes)
}

const NOT_PROVED: &str = "not proved";
const OUT_OF_TIME: &str = "out of time";

fn one_check(
    row: &mut Row,
    module: &Module,
    options: abstraction::Options,
    task: &Task,
    limits: &Limits,
) -> Vec<Cube> {
    let start = Instant::now();
    let mut symbols = Symbols::default();
    let automaton = match build::build(&mut symbols, module, Interruptions::Everywhere, limits) {
        Ok(automaton) => automaton,
        Err(error) => {
            row.outcome = error.to_string();
            return Vec::new();
        }
    };
    let mut abstractor = Abstractor::new(symbols, module, &automaton, options);
    abstractor.strengthener.set_limits(limits);
    let made = abstractor.program(&abstractor.given());
    row.abstraction = start.elapsed().as_secs_f64();
    row.calls = abstractor.strengthener.sat_calls();
    row.tried = abstractor.strengthener.tried;
    let Some(made) = made else {
        row.outcome = OUT_OF_TIME.to_owned();
        return Vec::new();
    };
    row.used = made.cubes.len();
    let start = Instant::now();
    let options = FlattenOptions { limits: limits.clone(), ..FlattenOptions::default() };
    let flat = match flatten(&made.program, &options) {
        Ok(flat) => flat,
        Err(error) => {
            row.outcome = error.to_string();
            return made.cubes;
        }
    };
    let options = CheckOptions {
        limits: limits.clone(),
        partial_order_reduction: true,
        ..CheckOptions::new(task.options.threads)
    };
    let outcome = check::check(&auto::ENGINE, &flat, &options, &mut |_| {});
    row.checking = start.elapsed().as_secs_f64();
    row.states = outcome.statistics.states;
    row.outcome = match outcome.answer {
        Answer::Safe { .. } => PROVED,
        Answer::Failing { .. } | Answer::Imprecise(_) => NOT_PROVED,
        Answer::Unknown(_) => OUT_OF_TIME,
    }
    .to_owned();
    made.cubes
}

/// For each algorithm, model and layout how many times fewer cubes there are to try, and calls, by cube extrapolation.
fn summary(rows: &[Row]) -> Vec<String> {
    let mut text = String::from(
        "\n| algorithm | model | layout | cubes to try PE | CE | ratio | SAT calls PE | CE | ratio | paper's calls PE | CE | ratio |\n\
         | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    );
    for pair in rows.windows(2) {
        let [pe, ce] = pair else { continue };
        let is_pair = pe.method == Method::Predicates
            && ce.method == Method::Cubes
            && (pe.algorithm, pe.model, &pe.layout) == (ce.algorithm, ce.model, &ce.layout);
        // What ran out of time says nothing of all that there is to try.
        if !is_pair || ce.calls == 0 || pe.outcome == OUT_OF_TIME && pe.used == 0 {
            continue;
        }
        let thousands = |row: &Row| row.paper?.times.map(|times| times.calls);
        let printed = match (thousands(pe), thousands(ce)) {
            (Some(pe), Some(ce)) => format!("{pe} K | {ce} K | {:.0}", pe / ce),
            _ => "– | – | –".to_owned(),
        };
        let _ = write!(
            text,
            "\n| {} | {} | {} | {} | {} | {:.1} | {} | {} | {:.1} | {printed} |",
            pe.algorithm,
            pe.model,
            pe.layout.as_deref().unwrap_or("–"),
            pe.tried,
            ce.tried,
            ratio(pe.tried, ce.tried),
            pe.calls,
            ce.calls,
            ratio(pe.calls, ce.calls)
        );
    }
    text.lines().map(str::to_owned).collect()
}

#[allow(clippy::cast_precision_loss)]
fn ratio(a: u64, b: u64) -> f64 {
    a as f64 / b as f64
}

/// Peterson's algorithm under TSO, by extrapolated predicates: buffers in control, and in variables with three
/// entries.
fn three_entries(folder: &Path, settings: &Settings) -> io::Result<Option<String>> {
    let tasks = tasks(folder, settings)?;
    let is_it = |task: &&Task| task.algorithm == "Peterson" && task.model == MemoryModel::Tso;
    let Some(task) = tasks.iter().find(is_it) else { return Ok(None) };
    let module = proved(task, settings)?;
    let run =
        |layout| row(task, &module, MemoryModel::Tso, Method::Predicates, Some(layout), settings).0;
    let (control, variables) = (run(Layout::Control(None)), run(Layout::Variables(3)));
    let at_least = if variables.is_proved() { "" } else { "at least " };
    Ok(Some(format!(
        "\nPeterson under TSO by extrapolated predicates: control {:.3} s ({}), variables with three entries \
         {:.3} s ({}): {at_least}{:.0} times as long.",
        control.seconds(),
        control.outcome,
        variables.seconds(),
        variables.outcome,
        variables.seconds() / control.seconds()
    )))
}
