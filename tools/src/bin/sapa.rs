//! `sapa check` and `sapa fences`: the whole loop on C.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use sapa_backend::cegar::Observer;
use sapa_backend::check::Engine;
use sapa_driver::certificate::Recorder;
use sapa_driver::{Checked, Options};
use sapa_limits::Limits;
use sapa_tools::arguments::{LimitArguments, Memory, ModeArgument, parse};
use sapa_tools::dump::Dump;
use sapa_tools::failure::{Failure, Message};
use sapa_tools::fences::{self, FenceArguments};
use sapa_tools::formats::{self, Context, Outputs, SharedOutputs};
use sapa_tools::lanes::text::Canvas;
use sapa_tools::loop_arguments::{LoopArguments, answered, methods};
use sapa_tools::lsp::{self, LspArguments};
use sapa_tools::observe::Reports;
use sapa_tools::page::Details;
use sapa_tools::products::Products;
use sapa_tools::read_files::ReadFiles;
use sapa_tools::report::{Assertions, Statistics};
use sapa_tools::report_file::{ReportFile, c_file, lanes};
use sapa_tools::reproducer::{Program as Reproduced, reproducer};
use sapa_tools::run::{Draft, answer, make};
use sapa_tools::source::Loaded;
use sapa_tools::statements::Statements;
use sapa_tools::verdict::Exit;
use sapa_tools::watch::Watch;
use sapa_tools::{apart, boolean, certificate, checked, input, message, property};

/// Proves or refutes assertions in multi-threaded C programs.
#[derive(Parser)]
#[command(name = "sapa", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the assertions of a C program.
    #[command(after_help = format!("{}\n\n{}\n\n{}", property::list(), formats::list(), methods()))]
    Check(Check),
    /// Find all minimal sets of fences with which the assertions of a C program hold under TSO or PSO.
    #[command(after_help = sapa_tools::arguments::engines())]
    Fences(FenceArguments),
    /// Re-prove a certificate that 'sapa check --certificate' has written for a C program, by SAT and without any engine.
    #[command(after_help = CERTIFICATE_EXITS)]
    CheckCertificate(CheckCertificate),
    /// Serve an editor over the Language Server Protocol: a C file is checked when it is opened or saved (docs/editor.md).
    Lsp(LspArguments),
}

/// The command of that name.
const CHECK_CERTIFICATE: &str = "check-certificate";

/// The exit codes of `sapa check-certificate`.
const CERTIFICATE_EXITS: &str = "Exit codes: 0 accepted; 10 refused: what could not be proved, and where; \
    2 the file cannot be read or is no certificate; 5 nothing is said: the module has what the checker does not support, \
    or a limit was reached; 1 usage.";

#[derive(clap::Args)]
struct CheckCertificate {
    /// The certificate ('-': the standard input).
    file: PathBuf,
    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(clap::Args)]
struct Check {
    #[command(flatten)]
    run: LoopArguments,
    /// The memory model: 'sc' (sequential consistency), 'tso' or 'x86' (total store order), or 'pso' (partial store order) [default: that of the module, which is 'sc' for what is compiled].
    #[arg(long, value_name = "MODEL")]
    mm: Option<Memory>,
    /// Go on after a failure, and say of each assertion whether it fails, is proved, or is not reached.
    #[arg(long)]
    all: bool,
    /// Write every intermediate of every iteration to a folder.
    #[arg(long, value_name = "FOLDER")]
    dump_dir: Option<PathBuf>,
    /// Write a certificate of a success to this file (docs/certificates.md): of a Boolean program an invariant, of a C program also the module, predicates and a Boolean program. Proofs by the abstraction, for any number of threads under 'sc', have one; with this option they are preferred to others.
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Write none of the files that the configuration names ('output', 'report', 'reproducer', 'certificate', 'dump-dir'): those of the command line alone.
    #[arg(long)]
    no_products: bool,
    /// Show a failing run as lanes, one for each thread, with locks, waiting stores, and which store a load reads from.
    #[arg(long, conflicts_with = "quiet")]
    lanes: bool,
    /// Write the report to a file too (docs/report.md); the ending of its name says how: '.html' (a page), '.svg' or '.txt' (the lanes).
    #[arg(long, value_name = "FILE")]
    report: Option<ReportFile>,
    /// Write the program with what forces the failing run to this file: compiled with gcc and run, the assertion fails (docs/report.md).
    #[arg(long, value_name = "FILE.c", value_parser = c_file)]
    reproducer: Option<PathBuf>,
    /// Also write the answer to a file for other tools, when the verdict is printed; may be given more than once (docs/formats.md). Without FORMAT the ending of the file says it; the list is below.
    #[arg(long, value_name = "[FORMAT=]FILE")]
    output: Vec<String>,
}

impl Command {
    /// The words of those that run the loop.
    fn run(&self) -> Option<&LoopArguments> {
        match self {
            Self::Check(check) => Some(&check.run),
            Self::Fences(fences) => Some(&fences.run),
            Self::CheckCertificate(_) | Self::Lsp(_) => None,
        }
    }

    fn limits(&self) -> LimitArguments {
        match self {
            Self::Check(check) => check.run.limits,
            Self::Fences(fences) => fences.run.limits,
            Self::CheckCertificate(check) => check.limits,
            Self::Lsp(_) => LimitArguments::default(),
        }
    }
}

/// Serves an editor until it ends.
fn serve() -> ! {
    let served = parse::<Arguments>().and_then(|_| {
        lsp::serve().map_err(|error| {
            let text = format!("the server cannot start: {error}");
            Failure::new(Exit::Internal, Message::internal(text))
        })
    });
    match served {
        Ok(code) => std::process::exit(i32::from(code)),
        Err(failure) => failure.print().end(),
    }
}

fn main() {
    let is_command = |name| std::env::args_os().nth(1).is_some_and(|word| word == name);
    // Its runs have limits, and it has none itself.
    if is_command(lsp::COMMAND) {
        serve();
    }
    // Its answer is about the certificate, and no report.
    if is_command(CHECK_CERTIFICATE) {
        make(
            |Arguments { command }: &Arguments| command.limits(),
            |Arguments { command }, limits| match command {
                Command::CheckCertificate(check) => {
                    certificate::check_module_file(&check.file, limits)
                }
                Command::Check(_) | Command::Fences(_) | Command::Lsp(_) => {
                    Err(Failure::usage(format!("'{CHECK_CERTIFICATE}' comes first")))
                }
            },
        );
    }
    answer(
        |Arguments { command }: &Arguments| {
            command.run().map(LoopArguments::style).unwrap_or_default()
        },
        |Arguments { command }| command.limits(),
        |Arguments { command }, limits, draft| {
            let result = match command {
                Command::Check(check) => {
                    let details = check.report.clone().map(|file| {
                        let details = Details::default();
                        let noted = details.clone();
                        draft.afterwards(move |report| match report.is_verdict() {
                            true => file.write(report, &noted),
                            false => Ok(()),
                        });
                        details
                    });
                    let result = run(check, limits, draft, details.as_ref());
                    if check.lanes {
                        draft.change(|report| {
                            report.trace_text = lanes(report, Canvas::of_standard_output());
                        });
                    }
                    result
                }
                Command::Fences(fences) => fences::run(fences, limits, draft),
                Command::CheckCertificate(_) => {
                    Err(Failure::usage(format!("'{CHECK_CERTIFICATE}' comes first")))
                }
                Command::Lsp(_) => Err(Failure::usage("'lsp' comes first")),
            };
            // An error has no figures.
            let is_answered = !matches!(&result, Err(error) if error.exit != Exit::Inconclusive);
            if command.run().is_some_and(|run| run.verbose) && is_answered {
                draft.change(|report| print_figures(report.statistics.as_ref(), limits));
            }
            result
        },
    )
}

fn boolean_options(
    run: &LoopArguments,
    engine: &'static Engine,
    limits: &Limits,
) -> boolean::Options {
    boolean::Options {
        threads: run.threads.0,
        engine,
        limits: limits.clone(),
        ..boolean::Options::default()
    }
}

fn run(
    check: &Check,
    limits: &Limits,
    draft: &Draft,
    details: Option<&Details>,
) -> Result<(), Failure> {
    let Check { run, mm, all, dump_dir, certificate, output, .. } = check;
    let mut products = Products::new(run.inputs());
    for (option, path) in [
        ("--report", check.report.as_ref().map(ReportFile::path)),
        ("--reproducer", check.reproducer.as_deref()),
        ("--certificate", certificate.as_deref()),
    ] {
        path.map_or(Ok(()), |path| products.add(option, path))?;
    }
    let context = Context::new(run.source.files.clone(), run.departs());
    let outputs = SharedOutputs::new(Outputs::new(output, context, &mut products)?);
    let mut read = ReadFiles::default();
    // What is wrong with other options is said below.
    if let Some(options) = run.source.options(limits).ok().filter(|_| !products.is_empty()) {
        read = ReadFiles::of(&run.source.files, None, &options);
        products.read(read.files())?;
    }
    let written = outputs.clone();
    draft.afterwards(move |report| written.write(report));
    if certificate.is_some() {
        if *all {
            let text = "'--certificate' is of one proof, and '--all' has one for each assertion";
            return Err(Failure::usage(text));
        }
        if !run.mode.is_sound() {
            let text = "'--certificate' is of proofs, and what an unsound '--mode' finds is none";
            return Err(Failure::usage(text));
        }
        if run.only("bp").is_none() && run.mode != ModeArgument::SymmetryAware {
            let text = "'--certificate' of a C program is of proofs for any number of threads, and those of \
                        '--mode symmetry-oblivious' are for a number";
            return Err(Failure::usage(text));
        }
    }
    if *all && check.reproducer.is_some() {
        let text = "'--reproducer' is of one run, and '--all' has one for each failure";
        return Err(Failure::usage(text));
    }
    if check.reproducer.is_some() && run.only("bp").is_some() {
        return Err(Failure::usage(
            "'--reproducer' is of C programs, and a Boolean program is none",
        ));
    }
    let engine = run.engine()?;
    if *all && (dump_dir.is_some() || run.only("bp").is_some()) {
        let text = "'--all' is about C programs and modules, and their checks are many: it goes neither with \
                    '--dump-dir' nor with a Boolean program";
        return Err(Failure::usage(text));
    }
    let mut dump = dump_dir.as_deref().map(Dump::new).transpose()?;
    let files = run.source.files.iter().map(|file| input::name(file));
    let note = |standard_input| {
        details.iter().for_each(|d| d.program(files.clone().collect(), standard_input));
    };
    note(None);
    if let Some(file) = run.only("bp") {
        if mm.is_some() {
            let text =
                "'--mm' is about C programs and modules: Boolean programs have no store buffers";
            return Err(Failure::usage(text));
        }
        let options = boolean::Options {
            certificate: certificate.clone(),
            ..boolean_options(run, engine, limits)
        };
        let result = boolean::check_file(file, &options, draft);
        if let (Some(dump), Ok(())) = (&mut dump, &result) {
            dump.boolean(file, &draft.finished(limits))?;
        }
        return result;
    }
    let options: Options = run.options(mm.map(|mm| mm.0), engine, limits)?;
    if options.memtrack && certificate.is_some() {
        let text = "'--certificate' is of assertions, and 'valid-memtrack' has none";
        return Err(Failure::usage(text));
    }
    let mut watch = Watch::new(run.verbose, run.quiet, limits, dump);
    watch.details = details.cloned();
    let loaded = run.load(&options, draft)?;
    note(loaded.standard_input.as_deref());
    outputs.read(loaded.standard_input.as_deref());
    if let Some(details) = details {
        if loaded.standard_input.is_some() {
            read = ReadFiles::of(&run.source.files, loaded.standard_input.as_deref(), &options);
        }
        details.read(read);
    }
    if *all {
        return sapa_tools::all::check(&loaded, &options, &mut watch, draft);
    }
    let Loaded { program, standard_input } = loaded;
    let mut sources = Statements::new(standard_input.as_deref());
    let mut failed = |error| Failure::of(&error, &mut sources);
    if watch.dump.is_none() && certificate.is_none() {
        let programs = program.property_by_property(&options).map_err(&mut failed)?;
        if !programs.is_empty() {
            let source = standard_input.as_deref();
            let failing = apart::check(programs, &options, &mut watch, draft, source)?;
            if let Some(checked) = failing {
                reproduce(check, (&options, source), &checked, draft);
            }
            return Ok(());
        }
    }
    let lowered = program.lowered(&options, &mut [&mut Reports]);
    if let (Some(dump), Ok(module)) = (&mut watch.dump, &lowered) {
        dump.module(module);
    }
    let mut recorder = Recorder::new(&mut watch, certificate.is_some());
    let observer: &mut dyn Observer = &mut recorder;
    let mut checked = program.check_lowered(lowered, &options, observer).map_err(failed)?;
    let standard_input = standard_input.as_deref();
    answered(draft, checked::report((&program, &options), &checked, standard_input));
    reproduce(check, (&options, standard_input), &checked, draft);
    if let Some(file) = certificate {
        let found = certificate::of_module((&program, &options), &checked, &mut recorder, file);
        if let Some(text) = found.text {
            details.iter().for_each(|details| details.certificate(text.clone()));
            draft.writes(file, text);
        }
        if let Some(other) = found.other {
            answered(draft, checked::report((&program, &options), &other, standard_input));
            checked = other;
        }
    }
    if checked.safe_for(&options).is_some()
        && let Some(unknown) = program.nothing_covered(&options)
    {
        draft.change(|report| report.assertions = Some(Assertions::new(&checked.module, &unknown)));
    }
    if let Some(coverage) = program.coverage(&checked, &options) {
        let assertions = Assertions::new(&checked.module, &coverage);
        draft.change(|report| report.assertions = Some(assertions));
    }
    Ok(())
}

/// Writes what fails as `checked` does, if that is asked for.
fn reproduce(
    check: &Check,
    (options, standard_input): (&Options, Option<&[u8]>),
    checked: &Checked,
    draft: &Draft,
) {
    let Some(file) = &check.reproducer else { return };
    let program = Reproduced { files: &check.run.source.files, standard_input, options };
    match reproducer(program, checked) {
        Ok(text) => draft.writes(file, text),
        Err(why) => message!("note: no reproducer is written to {}: {why}", file.display()),
    }
}

/// `-v`: the figures of a run, on the standard error.
fn print_figures(statistics: Option<&Statistics>, limits: &Limits) {
    let none = Statistics::default();
    let statistics = statistics.unwrap_or(&none);
    for predicate in &statistics.predicates {
        message!("predicate {predicate}");
    }
    for (number, round) in statistics.rounds.iter().enumerate() {
        message!(
            "iteration {}: {} predicates, {} states, abstraction {:.3} s, checking {:.3} s, {} SAT calls",
            number + 1,
            round.predicates,
            round.states,
            round.abstraction,
            round.checking,
            round.sat_calls
        );
    }
    message!("time {:.3} s", limits.elapsed().as_secs_f64());
}
