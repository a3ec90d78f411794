//! Whether limits hold: programs that are made to be large, each with a limit on time and again with
//! one on memory. Every run is a process of its own, which is watched from here.

mod programs;
mod shapes;
mod tools;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

pub use programs::{Source, Task};
use sapa_limits::memory;

/// What is asked of the runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `--timeout` of the runs with a limit on time.
    pub timeout: Duration,
    /// `--memory-limit` of the others, in megabytes.
    pub memory: u64,
    /// `--timeout` of those: what takes little memory need not go on for ever.
    pub patience: Duration,
    /// Only programs whose name contains this.
    pub filter: String,
}

/// How much later than its limit a run may end.
const LATER: Duration = Duration::from_secs(1);

/// Time between two looks at a run.
const PAUSE: Duration = Duration::from_millis(2);

/// A run without an end of its own is killed after so much more time.
const KILLED: Duration = Duration::from_secs(30);

/// A run and what came of it.
#[derive(Clone, Debug)]
pub struct Row {
    /// The program.
    pub name: &'static str,
    /// The tool, and the model checker if it has one.
    pub engine: String,
    /// The limit in words.
    pub limit: String,
    /// The last line of the answer, or how the process ended without one.
    pub verdict: String,
    /// From start to end.
    pub time: Duration,
    /// The most resident memory, in megabytes.
    pub memory: f64,
    /// What was cut off, in sapa's words.
    pub cut_off: String,
    /// Whether the limits held, and there is exactly one verdict.
    pub holds: bool,
}

/// The heading of the table.
pub const HEADING: &str = "| program | tool | limit | verdict | time [s] | memory [MB] | cut off | |\n\
    | --- | --- | --- | --- | ---: | ---: | --- | --- |";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { name, engine, limit, verdict, time, memory, cut_off, holds } = self;
        let (time, word) = (time.as_secs_f64(), if *holds { "ok" } else { "NOT OK" });
        write!(
            f,
            "| {name} | {engine} | {limit} | {verdict} | {time:.2} | {memory:.0} | {cut_off} | {word} |"
        )
    }
}

/// Builds the command-line programs in the profile of this one; the folder they are in.
///
/// # Errors
/// If that fails.
pub fn build() -> io::Result<PathBuf> {
    let this = env::current_exe()?;
    let folder = this.parent().ok_or_else(|| io::Error::other("no folder"))?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "-p", "sapa-tools", "--bins"]);
    if folder.ends_with("release") {
        command.arg("--release");
    }
    let status = command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).status()?;
    match status.success() {
        true => Ok(folder.to_owned()),
        false => Err(io::Error::other("the command-line programs do not build")),
    }
}

/// Runs all programs under both limits; `line` is told each row.
///
/// # Errors
/// What the system says.
pub fn measure(
    settings: &Settings,
    line: &mut dyn FnMut(&Row) -> io::Result<()>,
) -> io::Result<Vec<Row>> {
    let (tools, folder) = (build()?, tempfile::tempdir()?);
    let mut all = programs::tasks(folder.path())?;
    let others = tools::tasks(&tools, folder.path(), &all)?;
    all.extend(others);
    let mut rows = Vec::new();
    for task in all.iter().filter(|task| task.name.contains(&settings.filter)) {
        for memory in [None, Some(settings.memory)] {
            let row = run(&tools, task, settings, memory)?;
            line(&row)?;
            rows.push(row);
        }
    }
    Ok(rows)
}

fn run(tools: &Path, task: &Task, settings: &Settings, memory: Option<u64>) -> io::Result<Row> {
    let timeout = if memory.is_some() { settings.patience } else { settings.timeout };
    let (tool, first) = task.tool.split_first().ok_or_else(|| io::Error::other("no tool"))?;
    let mut command = Command::new(tools.join(tool));
    command.args(first);
    match task.source {
        Source::File => command.arg(&task.file),
        Source::Standard | Source::Silence => command.arg("-"),
    };
    command.args(&task.arguments).arg(format!("--timeout={}", timeout.as_secs_f64()));
    if !task.engine.is_empty() {
        command.args(["--engine", task.engine]);
    }
    let mut limit = format!("{} s", timeout.as_secs_f64());
    if let Some(megabytes) = memory {
        command.arg(format!("--memory-limit={megabytes}"));
        limit = format!("{megabytes} MB");
    }
    let (output, errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let input = match task.source {
        Source::File => Stdio::null(),
        Source::Standard => fs::File::open(&task.file)?.into(),
        Source::Silence => Stdio::piped(),
    };
    command.stdin(input).stdout(output.try_clone()?).stderr(errors.try_clone()?);
    let start = Instant::now();
    let mut child = command.spawn()?;
    // Waiting for the child would close it.
    let silence = child.stdin.take();
    let (code, peak) = watch(&mut child, start, timeout + KILLED)?;
    let time = start.elapsed();
    drop(silence);
    let (text, errors) = (read(output)?, read(errors)?);
    let answers = task.tool == programs::CHECK || task.tool == programs::MODEL_CHECK;
    let (verdict, reason, is_one) = match answers {
        true => answer(&text, code),
        false => product(tool, &errors, code),
    };
    let megabytes = peak as f64 / f64::from(1 << 20);
    let fits = memory.is_none_or(|limit| megabytes <= limit as f64 * 1.1);
    Ok(Row {
        name: task.name,
        engine: [*tool, task.engine].join(" ").trim_end().to_owned(),
        limit,
        verdict,
        time,
        memory: megabytes,
        cut_off: reason.chars().take(60).collect(),
        holds: is_one && time <= timeout + LATER && fits,
    })
}

/// What a tool has answered, why there is no answer, and whether there is exactly one verdict.
fn answer(text: &str, code: Option<i32>) -> (String, String, bool) {
    let verdicts: Vec<&str> =
        text.lines().filter(|line| line.starts_with("VERIFICATION ")).collect();
    let verdict = match (verdicts.as_slice(), code) {
        ([verdict], _) => verdict.trim_start_matches("VERIFICATION ").to_owned(),
        (_, Some(code)) => format!("{} verdicts, exit {code}", verdicts.len()),
        (_, None) => "killed".to_owned(),
    };
    let reason = text.lines().find_map(|line| line.strip_prefix("inconclusive: ")).unwrap_or("");
    (verdict, reason.to_owned(), verdicts.len() == 1)
}

/// The same for a tool that writes a product, or says once why not.
fn product(tool: &str, errors: &str, code: Option<i32>) -> (String, String, bool) {
    let last = errors.lines().last().unwrap_or("").to_owned();
    match code {
        Some(0) => ("written".to_owned(), String::new(), true),
        Some(5) => {
            let said = errors.lines().filter(|line| line.starts_with("error: ")).count();
            (String::new(), last.trim_start_matches("error: ").to_owned(), said == 1)
        }
        // What a format cannot hold is refused, in time.
        Some(2) if tool == "sapa-translate" => ("refused".to_owned(), last, true),
        Some(code) => (format!("exit {code}"), last, false),
        None => ("killed".to_owned(), last, false),
    }
}

/// Waits for a process, which is killed in the end; its exit code, and the most resident memory that
/// it had, in bytes.
fn watch(child: &mut Child, start: Instant, longest: Duration) -> io::Result<(Option<i32>, u64)> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        // The system keeps the peak: only what is added in the last moment is missed.
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        peak = peak.max(kilobytes.unwrap_or(0) << 10);
        // With what the preprocessor has in use.
        peak = peak.max(memory::resident_tree(child.id()) as u64);
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), peak));
        }
        if start.elapsed() > longest {
            child.kill()?;
        }
        thread::sleep(PAUSE);
    }
}

/// What a process wrote into a file.
fn read(mut file: fs::File) -> io::Result<String> {
    use io::{Read, Seek};
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
