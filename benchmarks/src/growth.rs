//! How time and memory of each phase grow with the program: generated C at 1, 2, 4 and 8 times a
//! size, and goto binaries for the frontend.
//!
//! Every program is measured in a process of its own, which says how much memory each phase took.

mod binary;
mod families;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io};

use sapa_backend::abstraction::{self, Abstractor};
use sapa_backend::automaton::{Interruptions, Symbols, build};
use sapa_backend::check::{self, CheckOptions, ThreadBound, auto};
use sapa_driver::{Options, PredicateFile, Program};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_limits::Limits;

pub use families::{FAMILIES, Family};

/// How many times the first size the measurements are.
pub const FACTORS: [usize; 4] = [1, 2, 4, 8];

/// How the programs of all families are compiled, with the predicates of the abstraction.
#[must_use]
pub fn options() -> Options {
    let (name, text) = ("predicates".to_owned(), "g == 0\nmain::k == 0".to_owned());
    Options { predicates: Some(PredicateFile { name, text }), ..Options::default() }
}

/// Name of the family of goto binaries.
pub const BINARIES: &str = "goto-binary";

/// Bytes of the smallest goto binary.
const BINARY_BASE: usize = 2_500_000;

/// What one phase of one run took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// Its time.
    pub time: Duration,
    /// The most memory that the process held meanwhile, in KiB; 0 where the system does not say.
    pub memory: u64,
}

/// A run that was cut off, or all of its phases.
#[derive(Clone, Debug)]
pub struct Run {
    /// The phases that were completed.
    pub phases: Vec<Phase>,
    /// Why there are no more, if it did not end well.
    pub failure: Option<String>,
}

/// Writes the program of a family and a size into a folder.
///
/// # Errors
/// What the system says, that there is no such family, or that a fixture is not there.
pub fn generate(family: &str, size: usize, folder: &Path) -> io::Result<PathBuf> {
    if family == BINARIES {
        let file = folder.join(format!("{family}-{size}.gb"));
        fs::write(&file, binary::goto(size)?)?;
        return Ok(file);
    }
    let found = FAMILIES.iter().find(|known| known.name == family);
    let found = found.ok_or_else(|| io::Error::other(format!("no family '{family}'")))?;
    let file = folder.join(format!("{family}-{size}.c"));
    fs::write(&file, (found.generate)(size))?;
    Ok(file)
}

/// Takes a program through the phases, and tells of each when it is over.
///
/// # Errors
/// What a phase says.
pub fn measure(
    file: &Path,
    whole: bool,
    told: &mut dyn FnMut(&Phase) -> io::Result<()>,
) -> io::Result<()> {
    let mut watch = Watch { start: Instant::now(), told };
    watch.begin();
    let options = options();
    let program = Program::compile(&[file], &options).map_err(io::Error::other)?;
    watch.end("frontend")?;
    if !whole {
        return Ok(());
    }
    watch.begin();
    let module = program.lowered(&options, &mut []).map_err(io::Error::other)?;
    watch.end("passes")?;
    watch.begin();
    let mut symbols = Symbols::default();
    let automaton =
        build::build(&mut symbols, &module, Interruptions::Everywhere, &Limits::default())
            .map_err(io::Error::other)?;
    watch.end("automaton")?;
    watch.begin();
    let settings = abstraction::Options::default();
    let mut abstractor = Abstractor::new(symbols, &module, &automaton, settings);
    let abstraction = abstractor
        .program(&abstractor.given())
        .ok_or_else(|| io::Error::other("the abstraction was not finished"))?;
    watch.end("abstraction")?;
    watch.begin();
    let flat =
        flatten(&abstraction.program, &FlattenOptions::default()).map_err(io::Error::other)?;
    watch.end("flattening")?;
    watch.begin();
    // One more thread is enough for all that the programs start; more would be a measure of the
    // number of interleavings.
    let options = CheckOptions::new(ThreadBound::Bounded(1));
    let _ = check::check(&auto::ENGINE, &flat, &options, &mut |_| {});
    watch.end("checking")?;
    Ok(())
}

/// Measures phases.
struct Watch<'t> {
    start: Instant,
    told: &'t mut dyn FnMut(&Phase) -> io::Result<()>,
}

impl Watch<'_> {
    fn begin(&mut self) {
        // The system forgets the most memory so far; where it cannot, figures only grow.
        let _ = fs::write("/proc/self/clear_refs", "5");
        self.start = Instant::now();
    }

    fn end(&mut self, name: &str) -> io::Result<()> {
        let (name, time) = (name.to_owned(), self.start.elapsed());
        (self.told)(&Phase { name, time, memory: peak() })
    }
}

/// The most memory held, in KiB; 0 where the system does not say.
pub(crate) fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// One phase as a line, for `spawn` to read.
#[must_use]
pub fn line(phase: &Phase) -> String {
    format!("{} {} {}", phase.name, phase.time.as_micros(), phase.memory)
}

/// A phase that [`line()`] wrote.
#[must_use]
pub fn parse_line(line: &str) -> Option<Phase> {
    let mut words = line.split_whitespace();
    let name = words.next()?.to_owned();
    let time = Duration::from_micros(words.next()?.parse().ok()?);
    Some(Phase { name, time, memory: words.next()?.parse().ok()? })
}

/// Measures a file in another process of this program, for at most so long.
///
/// # Errors
/// If the process cannot be started.
fn spawn(file: &Path, whole: bool, timeout: Duration) -> io::Result<Run> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("measure")
        .args((!whole).then_some("--frontend-only"))
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let start = Instant::now();
    let mut failure = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > timeout {
            failure = Some("out of time".to_owned());
            child.kill()?;
            break child.wait()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    // Few lines are written: they have room in the pipe until here.
    let lines = child.stdout.take().map(|out| BufReader::new(out).lines());
    let phases = lines.into_iter().flatten().map_while(Result::ok);
    let phases = phases.filter_map(|line| parse_line(&line)).collect();
    if !status.success() && failure.is_none() {
        let text = child.stderr.take().map(io::read_to_string).transpose()?.unwrap_or_default();
        failure = Some(text.lines().next().unwrap_or("killed").to_owned());
    }
    Ok(Run { phases, failure })
}

/// Settings of [`table`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// Only families whose name contains this.
    pub filter: String,
    /// Time for one program.
    pub timeout: Duration,
    /// By what the sizes are multiplied.
    pub scale: usize,
}

/// Measures all families and writes a table: time and memory of each phase at each size, and how
/// they grow, as the exponent of a power of the size.
///
/// # Errors
/// If a program cannot be written, or a process not be started.
pub fn table(settings: &Settings, out: &mut dyn Write) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let sizes = FACTORS.map(|factor| format!("{factor}x")).join(" / ");
    writeln!(
        out,
        "| family | 1x is | phase | seconds at {sizes} | exponent | MiB at {sizes} | exponent |"
    )?;
    writeln!(out, "| --- | --- | --- | --- | ---: | --- | ---: |")?;
    let whole = FAMILIES.iter().map(|f| (f.name, f.unit, f.base, f.whole));
    for (name, unit, base, whole) in whole.chain([(BINARIES, "bytes", BINARY_BASE, false)]) {
        if !name.contains(&settings.filter) {
            continue;
        }
        let base = base * settings.scale;
        let mut runs = Vec::new();
        for factor in FACTORS {
            let file = generate(name, base * factor, folder.path())?;
            runs.push(spawn(&file, whole, settings.timeout)?);
            fs::remove_file(file)?;
        }
        let title = format!("{name} | {base} {unit}");
        write!(out, "{}", rows(&title, &runs))?;
        out.flush()?;
    }
    Ok(())
}

/// The rows of a family.
fn rows(title: &str, runs: &[Run]) -> String {
    let mut text = String::new();
    let names = runs.first().map(|run| run.phases.as_slice()).unwrap_or_default();
    for (index, Phase { name, .. }) in names.iter().enumerate() {
        let found = |run: &Run| run.phases.get(index).cloned();
        let times: Vec<Option<f64>> =
            runs.iter().map(|run| Some(found(run)?.time.as_secs_f64())).collect();
        let memory: Vec<Option<f64>> =
            runs.iter().map(|run| Some(found(run)?.memory as f64 / 1024.0)).collect();
        let _ = writeln!(
            text,
            "| {title} | {name} | {} | {} | {} | {} |",
            series(&times, 3),
            exponent(&times, 0.02),
            series(&memory, 0),
            exponent(&memory, 10.0),
        );
    }
    for (run, factor) in runs.iter().zip(FACTORS) {
        if let Some(failure) = &run.failure {
            let _ = writeln!(text, "| {title} | | {factor}x: {failure} | | | |");
        }
    }
    text
}

fn series(values: &[Option<f64>], digits: usize) -> String {
    let one = |value: &Option<f64>| match value {
        Some(value) => format!("{value:.digits$}"),
        None => "–".to_owned(),
    };
    values.iter().map(one).collect::<Vec<_>>().join(" / ")
}

/// The exponent of growth between the two largest sizes that were measured, if what is measured is
/// large enough to say it: 1 is linear.
fn exponent(values: &[Option<f64>], least: f64) -> String {
    let known: Vec<f64> = values.iter().copied().flatten().collect();
    match known.as_slice() {
        [.., before, last] if *last >= least && *before > 0.0 => {
            format!("{:.1}", (last / before).log2())
        }
        _ => "–".to_owned(),
    }
}
