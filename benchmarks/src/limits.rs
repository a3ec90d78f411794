//! Whether limits hold: programs that are made to be large, each with a limit on time and again with
//! one on memory. Every run is a process of its own, which is watched from here.

mod programs;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

pub use programs::{Task, tasks};

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
    /// The model checker.
    pub engine: &'static str,
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
pub const HEADING: &str = "| program | engine | limit | verdict | time [s] | memory [MB] | cut off | |\n\
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
    let mut rows = Vec::new();
    for task in tasks(folder.path())?.iter().filter(|task| task.name.contains(&settings.filter)) {
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
    let is_boolean = task.file.extension().is_some_and(|extension| extension == "bp");
    let mut command = if is_boolean {
        Command::new(tools.join("sapa-mc"))
    } else {
        let mut command = Command::new(tools.join("sapa"));
        command.arg("check");
        command
    };
    command
        .arg(&task.file)
        .args(task.arguments)
        .arg(format!("--timeout={}", timeout.as_secs_f64()));
    if !task.engine.is_empty() {
        command.args(["--engine", task.engine]);
    }
    let mut limit = format!("{} s", timeout.as_secs_f64());
    if let Some(megabytes) = memory {
        command.arg(format!("--memory-limit={megabytes}"));
        limit = format!("{megabytes} MB");
    }
    let output = tempfile::tempfile()?;
    let start = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(Stdio::null()).spawn()?;
    let (code, peak) = watch(&mut child, start, timeout + KILLED)?;
    let time = start.elapsed();
    let text = read(output)?;
    let verdicts: Vec<&str> =
        text.lines().filter(|line| line.starts_with("VERIFICATION ")).collect();
    let verdict = match (verdicts.as_slice(), code) {
        ([verdict], _) => verdict.trim_start_matches("VERIFICATION ").to_owned(),
        (_, Some(code)) => format!("{} verdicts, exit {code}", verdicts.len()),
        (_, None) => "killed".to_owned(),
    };
    let reason = text.lines().find_map(|line| line.strip_prefix("inconclusive: "));
    let megabytes = peak as f64 / f64::from(1 << 20);
    let fits = memory.is_none_or(|limit| megabytes <= limit as f64 * 1.1);
    Ok(Row {
        name: task.name,
        engine: task.engine,
        limit,
        verdict,
        time,
        memory: megabytes,
        cut_off: reason.unwrap_or("").chars().take(60).collect(),
        holds: verdicts.len() == 1 && time <= timeout + LATER && fits,
    })
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
