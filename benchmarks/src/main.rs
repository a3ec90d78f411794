//! The benchmark commands.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use sapa_backend::abstraction::Mode;
use sapa_backend::check::{Engine, ThreadBound};
use sapa_benchmarks::programs::{HEADING, Settings, measure, programs};
use sapa_benchmarks::tables::{TableSettings, table1, table2};
use sapa_benchmarks::{abstraction, boom, boppo, growth, limits, relaxed, unbounded};
use sapa_ir::goto::Atomicity;

/// Measures sapa on the programs of the papers.
#[derive(Parser)]
#[command(name = "sapa-benchmarks", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The verdicts on the SAPA paper's 28 programs.
    Programs(Programs),
    /// Table 1 of the SAPA paper: safe programs, time over threads.
    Table1(Table),
    /// Table 2 of the SAPA paper: the sound method and the two unsound ones.
    Table2(Table),
    /// Tables 1 and 2 of the CUPEX paper: predicate and cube extrapolation under TSO and PSO.
    Relaxed(Relaxed),
    /// How the abstraction's time grows with the number of predicates.
    Abstraction,
    /// How time and memory of each phase grow with the program, over generated programs.
    Growth(Growth),
    /// The five comparisons of the BOOM paper, with plots.
    Boom(Boom),
    /// Table 4 of the BOPPO paper: threads without bound, programs of rising size.
    Boppo {
        /// Seconds for one program.
        #[arg(long, default_value_t = 60)]
        timeout: u64,
    },
    /// Searches for any number of threads, compared on the same inputs.
    Unbounded {
        /// Seconds for one run.
        #[arg(long, default_value_t = 10)]
        timeout: u64,
        /// Only inputs whose name contains this.
        #[arg(long, default_value = "")]
        filter: String,
    },
    /// One measurement of `boppo`.
    #[command(hide = true)]
    BoppoRow {
        /// The series.
        series: String,
        /// The size.
        size: usize,
        /// Seconds.
        #[arg(long, default_value_t = 60)]
        timeout: u64,
    },
    /// Whether --timeout and --memory-limit hold on programs that are made to be large.
    Limits(Limits),
    /// Prints the generated Boolean program of a seed.
    Generate {
        /// The seed.
        seed: u64,
        /// Without nondeterministic choices.
        #[arg(long)]
        determined: bool,
    },
    /// Prints the generated program of a family of `growth`.
    Program {
        /// The family.
        family: String,
        /// Its size.
        size: usize,
    },
    /// One measurement of `growth`: prints phases with microseconds and KiB.
    #[command(hide = true)]
    Measure {
        /// Nothing after the frontend.
        #[arg(long)]
        frontend_only: bool,
        /// The input.
        file: PathBuf,
    },
}

#[derive(clap::Args)]
struct Growth {
    /// Only families whose name contains this.
    #[arg(long, default_value = "")]
    filter: String,
    /// Seconds for one program.
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// Multiplies all sizes.
    #[arg(long, default_value_t = 1)]
    scale: usize,
}

#[derive(clap::Args)]
struct Boom {
    /// Seconds for one run.
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// How many generated programs of each kind.
    #[arg(long, default_value_t = 200)]
    generated: u64,
    /// Of N programs in a row that CEGAR made take one; this is N.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// No more threads than this besides the initial one.
    #[arg(long, default_value_t = 64)]
    most_threads: u32,
    /// Only this comparison (fig4, fig5-naive, fig5-spin, fig6, fig7 or fig8); may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Where plots, runs and summary go.
    #[arg(long, default_value = "target/boom")]
    output: PathBuf,
}

#[derive(clap::Args)]
struct Limits {
    /// Seconds that the runs with a limit on time may take.
    #[arg(long, default_value_t = 2.0)]
    timeout: f64,
    /// Megabytes that the runs with a limit on memory may have.
    #[arg(long, default_value_t = 100)]
    memory: u64,
    /// Seconds after which a run with a limit on memory ends in any case.
    #[arg(long, default_value_t = 6.0)]
    patience: f64,
    /// Only programs whose name contains this.
    #[arg(long, default_value = "")]
    filter: String,
}

#[derive(clap::Args)]
struct Relaxed {
    /// Seconds for one row.
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// Room for stores of a buffer in variables.
    #[arg(long, default_value_t = 1)]
    bound: u32,
    /// Most literals of a cube that is searched for; the paper's programs needed up to 4.
    #[arg(long, default_value_t = 3)]
    max_cube_length: usize,
    /// Only algorithms whose file has this in its name.
    #[arg(long, default_value = "")]
    filter: String,
    /// Print the rows as JSON, and the table to the standard error.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Table {
    /// Seconds for one run.
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// What one step of a thread is; the paper's are whole statements.
    #[arg(long, value_enum, default_value = "statement")]
    atomicity: AtomicityArgument,
    /// Where the table and the plot go.
    #[arg(long, default_value = "target/tables")]
    output: PathBuf,
}

impl Table {
    fn settings(&self) -> TableSettings {
        TableSettings {
            atomicity: self.atomicity.atomicity(),
            timeout: Duration::from_secs(self.timeout),
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum AtomicityArgument {
    Access,
    Statement,
}

impl AtomicityArgument {
    fn atomicity(self) -> Atomicity {
        match self {
            AtomicityArgument::Access => Atomicity::Access,
            AtomicityArgument::Statement => Atomicity::Statement,
        }
    }
}

/// The folder of the paper's programs.
fn own_programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/sapa")
}

#[derive(clap::Args)]
struct Programs {
    /// Only programs whose name contains this.
    #[arg(long, default_value = "")]
    filter: String,
    /// Threads besides the initial one, or 'unbounded'; 2 for safe programs and the header's for unsafe ones if not given.
    #[arg(long, value_parser = threads)]
    threads: Option<ThreadBound>,
    /// The engine; `auto` if not given.
    #[arg(long, value_parser = engine)]
    engine: Option<&'static Engine>,
    /// What one step of a thread is.
    #[arg(long, value_enum, default_value = "access")]
    atomicity: AtomicityArgument,
    /// Seconds for one program.
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// The folder of the programs.
    #[arg(long)]
    folder: Option<PathBuf>,
}

fn threads(text: &str) -> Result<ThreadBound, String> {
    match text {
        "unbounded" => Ok(ThreadBound::Unbounded),
        number => number
            .parse()
            .map(ThreadBound::Bounded)
            .map_err(|_| "expected a number of threads or 'unbounded'".to_owned()),
    }
}

fn engine(name: &str) -> Result<&'static Engine, String> {
    Engine::named(name).ok_or_else(|| format!("unknown engine '{name}'"))
}

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    let result = match Arguments::parse().command {
        Command::Programs(arguments) => run(&arguments, &mut out),
        Command::Boppo { timeout } => boppo::table(Duration::from_secs(timeout), &mut out),
        Command::Unbounded { timeout, filter } => {
            unbounded::table(&filter, Duration::from_secs(timeout), &mut out)
        }
        Command::BoppoRow { series, size, timeout } => {
            let row = boppo::measure(&series, size, Duration::from_secs(timeout));
            row.and_then(|row| writeln!(out, "{}", row.line())).map(|()| true)
        }
        Command::Boom(arguments) => {
            let settings = boom::Settings {
                timeout: Duration::from_secs(arguments.timeout),
                generated: arguments.generated,
                every: arguments.every,
                most_threads: arguments.most_threads,
                only: arguments.only,
            };
            boom::measure(&settings, &arguments.output).and_then(|summary| {
                out.write_all(summary.as_bytes())?;
                Ok(true)
            })
        }
        Command::Generate { seed, determined } => {
            let program = sapa_benchmarks::boolean::generated::generate(seed, !determined);
            write!(out, "{program}").map(|()| true)
        }
        Command::Table1(table) => {
            let mut line = |line: &str| writeln!(out, "{line}");
            table1(&own_programs(), &table.output, table.settings(), &mut line).map(|_| true)
        }
        Command::Table2(table) => {
            let mut line = |line: &str| writeln!(out, "{line}");
            table2(&own_programs(), &table.output, table.settings(), &mut line).map(|_| true)
        }
        Command::Relaxed(arguments) => relaxed(arguments, &mut out).map(|()| true),
        Command::Limits(arguments) => limits(arguments, &mut out),
        Command::Abstraction => predicates(&mut out).map(|()| true),
        Command::Growth(Growth { filter, timeout, scale }) => {
            let timeout = Duration::from_secs(timeout);
            let settings = growth::Settings { filter, timeout, scale };
            growth::table(&settings, &mut out).map(|()| true)
        }
        Command::Program { family, size } => program(&family, size, &mut out).map(|()| true),
        Command::Measure { frontend_only, file } => {
            let mut told = |phase: &growth::Phase| writeln!(out, "{}", growth::line(phase));
            growth::measure(&file, !frontend_only, &mut told).map(|()| true)
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // Whoever closes the pipe wants no more of it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the table of the abstraction's growth; each time is the median of five.
fn predicates(out: &mut impl Write) -> io::Result<()> {
    let file = own_programs().join("increment_lock_safe.c");
    writeln!(out, "| predicates | cube length | SATABS (s) | time (s) | SAT calls | cubes |")?;
    writeln!(out, "| ---: | ---: | ---: | ---: | ---: | ---: |")?;
    for (count, length) in [(4, 3), (8, 3), (12, 3), (12, 2), (20, 3), (40, 3), (80, 3)] {
        let mut runs = Vec::new();
        for _ in 0..5 {
            runs.push(abstraction::measure(&file, count, length)?);
        }
        runs.sort_by_key(|run| run.time);
        let known = abstraction::SATABS.iter().find(|(k, _)| *k == count && length == 3);
        let known = known.map_or("–".to_owned(), |(_, seconds)| format!("{seconds:.2}"));
        if let Some(run) = runs.get(2) {
            writeln!(
                out,
                "| {count} | {length} | {known} | {:.3} | {} | {} |",
                run.time.as_secs_f64(),
                run.calls,
                run.cubes
            )?;
        }
    }
    Ok(())
}

/// Prints the tables of relaxed memory models.
fn relaxed(arguments: Relaxed, out: &mut impl Write) -> io::Result<()> {
    let settings = relaxed::Settings {
        timeout: Duration::from_secs(arguments.timeout),
        bound: arguments.bound,
        max_cube_length: arguments.max_cube_length,
        filter: arguments.filter,
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/relaxed");
    let rows = relaxed::measure(&folder, &settings, &mut |line| match arguments.json {
        true => writeln!(io::stderr(), "{line}"),
        false => writeln!(out, "{line}"),
    })?;
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &rows).map_err(io::Error::other)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Prints the table of limits; whether all hold.
fn limits(arguments: Limits, out: &mut impl Write) -> io::Result<bool> {
    let settings = limits::Settings {
        timeout: Duration::from_secs_f64(arguments.timeout),
        memory: arguments.memory,
        patience: Duration::from_secs_f64(arguments.patience),
        filter: arguments.filter,
    };
    writeln!(out, "{}", limits::HEADING)?;
    let rows = limits::measure(&settings, &mut |row| writeln!(out, "{row}"))?;
    let over = rows.iter().filter(|row| !row.holds).count();
    writeln!(out, "\n{} runs, {over} of them not within their limits.", rows.len())?;
    Ok(over == 0)
}

/// Prints a generated program.
fn program(family: &str, size: usize, out: &mut impl Write) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = growth::generate(family, size, folder.path())?;
    io::copy(&mut std::fs::File::open(file)?, out)?;
    Ok(())
}

/// Prints the table; whether no verdict is wrong.
fn run(arguments: &Programs, out: &mut impl Write) -> io::Result<bool> {
    let settings = Settings {
        threads: arguments.threads,
        engine: arguments.engine,
        atomicity: arguments.atomicity.atomicity(),
        timeout: Duration::from_secs(arguments.timeout),
        mode: Mode::SymmetryAware,
    };
    let own = own_programs();
    let folder = arguments.folder.as_deref().unwrap_or(&own);
    writeln!(out, "{HEADING}")?;
    let mut rows = Vec::new();
    for program in programs(folder)?.iter().filter(|p| p.name.contains(&arguments.filter)) {
        let row = measure(program, &settings);
        writeln!(out, "{row}")?;
        if !row.reason.is_empty() {
            eprintln!("{}: {}", row.program.name, row.reason);
        }
        rows.push(row);
    }
    let count = |safe: bool, verdict: &str| {
        rows.iter().filter(|r| r.program.safe == safe && r.verdict == verdict).count()
    };
    let all = |safe: bool| rows.iter().filter(|r| r.program.safe == safe).count();
    let wrong = rows.iter().filter(|r| r.contradicts()).count();
    let time: Duration = rows.iter().map(|r| r.time).sum();
    writeln!(
        out,
        "\n{} of {} safe programs SUCCESSFUL, {} of {} unsafe ones FAILED, {wrong} verdicts wrong; {:.1} s in all.",
        count(true, "SUCCESSFUL"),
        all(true),
        count(false, "FAILED"),
        all(false),
        time.as_secs_f64()
    )?;
    Ok(wrong == 0)
}
