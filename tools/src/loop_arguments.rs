//! The words of the commands that run the loop.

use std::path::PathBuf;

use sapa_backend::abstraction;
use sapa_backend::check::Engine;
use sapa_driver::{BufferBound, Method, Options};
use sapa_ir::goto::MemoryModel;
use sapa_limits::Limits;
use sapa_passes::Pipeline;

use crate::arguments::{Buffers, LimitArguments, ModeArgument, Threads, engine, engines};
use crate::compile_commands;
use crate::compiler::CompilerOption;
use crate::configuration::nearest;
use crate::failure::{Failure, Message};
use crate::property::{Request, request};
use crate::report::{Report, Style};
use crate::run::Draft;
use crate::source::{Loaded, OutcomeArgument, OverflowArgument, SourceArguments, UnknownArgument};
use crate::statements::Statements;

/// What is checked, and how.
#[derive(Debug, clap::Args)]
pub struct LoopArguments {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub source: SourceArguments,
    /// Take what is not on the command line from this file (docs/configuration.md). Without FILES, it is 'sapa.toml' in this folder, or in the nearest one above that has one.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What to check, with commas between: 'assertions' (default: the program's own, alone), other properties of the list below, or 'all'; or a property file of SV-COMP (.prp).
    #[arg(long, value_name = "PROPERTIES|FILE", default_value = "assertions")]
    pub property: String,
    /// How many threads may exist at once besides the initial one: a number, or 'unbounded'.
    #[arg(long, default_value = "unbounded", allow_hyphen_values = true)]
    pub threads: Threads,
    /// How many stores may wait in a buffer, of a thread (tso) or of a thread and a place (pso): a number, or 'auto' for any number [default: auto].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub buffer_bound: Option<Buffers>,
    /// How mixed predicates are abstracted.
    #[arg(long, value_enum, default_value = "symmetry-aware")]
    pub mode: ModeArgument,
    /// Most predicates that one condition of the abstraction combines: with more it says more of the program and takes longer to make.
    #[arg(long, default_value_t = 3)]
    pub max_cube_length: usize,
    /// Most rounds of refinement.
    #[arg(long, default_value_t = 50)]
    pub iterations: usize,
    /// The passes that run before, as for sapa-opt; 'default' stands for those that run otherwise.
    #[arg(long, value_name = "PIPELINE", default_value = "default")]
    pub passes: String,
    /// The engine; the list is below. Without it, the abstraction with 'auto' and 'bounded' take turns.
    #[arg(long)]
    pub engine: Option<String>,
    /// How many rounds of each loop 'bounded' looks at (default: more and more).
    #[arg(long, value_name = "ROUNDS")]
    pub unwind: Option<u32>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArguments,
    /// Print the report as JSON (docs/json.md), whatever the answer or the error is.
    #[arg(long)]
    pub json: bool,
    /// Print what each round does.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print the verdict only.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// The engine that is none of the abstraction's.
const BOUNDED: &str = "bounded";

/// The engines for C programs, one a line, for help texts.
#[must_use]
pub fn methods() -> String {
    let text = engines();
    format!(
        "{text}\n  {BOUNDED:<16} runs with a bounded number of rounds, as one formula, without abstraction"
    )
}

impl LoopArguments {
    /// How the report is shown.
    #[must_use]
    pub fn style(&self) -> Style {
        Style { json: self.json, quiet: self.quiet, verbose: self.verbose }
    }

    /// Who looks for the answer.
    ///
    /// # Errors
    /// If words do not fit together.
    fn method(&self) -> Result<Method, Failure> {
        match (self.engine.as_deref(), self.unwind) {
            (Some(BOUNDED), Some(0)) => {
                Err(Failure::usage("'--unwind' is a number of rounds from 1 on"))
            }
            (Some(BOUNDED), rounds) => Ok(Method::Bounded(rounds)),
            (_, Some(_)) => Err(Failure::usage(
                "'--unwind' is about runs of bounded length; give '--engine bounded' too",
            )),
            (Some(_), None) => Ok(Method::Abstraction),
            (None, None) => Ok(Method::Turns),
        }
    }

    /// The model checker of the abstraction.
    ///
    /// # Errors
    /// If there is no such engine.
    pub fn engine(&self) -> Result<&'static Engine, Failure> {
        let name =
            self.engine.as_deref().filter(|&name| name != BOUNDED || self.only("bp").is_some());
        engine(name)
    }

    /// The only file, if there is one and it has this ending.
    #[must_use]
    pub fn only(&self, extension: &str) -> Option<&PathBuf> {
        match self.source.files.as_slice() {
            [file] if file.extension().is_some_and(|found| found == extension) => Some(file),
            _ => None,
        }
    }

    /// The files that the run is known to read: a product that had one of their names would replace it.
    #[must_use]
    pub fn inputs(&self) -> Vec<PathBuf> {
        let SourceArguments { files, stubs, predicates, compile_commands, .. } = &self.source;
        let property = PathBuf::from(&self.property);
        let configuration = self.config.clone().or_else(nearest);
        let database = compile_commands.as_deref().map(compile_commands::file);
        let named = files.iter().chain(stubs).chain(predicates).cloned();
        named.chain([property]).chain(configuration).chain(database).collect()
    }

    /// The option with which what is checked is not the inputs alone, as C and SV-COMP's rules have them, if there is one.
    #[must_use]
    pub fn departs(&self) -> Option<&'static str> {
        let source = &self.source;
        let is_told = || {
            let mut told = source.compiler.iter().filter_map(CompilerOption::argument);
            told.any(|argument| !argument.is_about_language())
        };
        let is_preprocessed = |file: &PathBuf| file.extension().is_some_and(|e| e == "i");
        let options = [
            ("--stubs", !source.stubs.is_empty()),
            ("--entry", source.entry.as_deref().is_some_and(|entry| entry != "main")),
            (
                "--unknown-functions",
                source.unknown_functions.is_some_and(|u| u != UnknownArgument::Refuse),
            ),
            ("--signed-overflow", source.signed_overflow == Some(OverflowArgument::Absent)),
            ("--allocations", source.allocations == Some(OutcomeArgument::MayFail)),
            ("--thread-creation", source.thread_creation == Some(OutcomeArgument::MayFail)),
            ("--mode", !self.mode.is_sound()),
            ("--compile-commands", source.compile_commands.is_some()),
            ("--cc", !source.files.iter().all(is_preprocessed) && is_told()),
        ];
        options.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// All that is said of a run under a memory model, if one is asked for.
    ///
    /// # Errors
    /// If words do not fit together, or the file of predicates cannot be read.
    pub fn options(
        &self,
        memory: Option<MemoryModel>,
        engine: &'static Engine,
        limits: &Limits,
    ) -> Result<Options, Failure> {
        let has_buffers = memory.is_some_and(|memory| memory != MemoryModel::Sc);
        let mode = self.mode.mode(self.threads.0, memory.unwrap_or_default())?;
        if self.buffer_bound.is_some() && !has_buffers {
            let text = "'--buffer-bound' is about stores that wait, and none do under '--mm sc'; \
                        give '--mm tso' or '--mm pso' too";
            return Err(Failure::usage(text));
        }
        if self.engine.as_deref() == Some(BOUNDED) && self.buffer_bound.is_some() {
            let text = "'--engine bounded' looks at runs with buffers of any size; \
                        leave '--buffer-bound' out, or '--engine'";
            return Err(Failure::usage(text));
        }
        let pipeline = Pipeline::parse(&self.passes).map_err(|error| Failure::pipeline(&error))?;
        let Request { properties, memtrack } = request(&self.property)?;
        Ok(Options {
            properties,
            memtrack,
            pipeline,
            memory,
            buffers: self.buffer_bound.map_or(BufferBound::Auto, |bound| bound.0),
            method: self.method()?,
            threads: self.threads.0,
            engine,
            abstraction: abstraction::Options {
                mode,
                max_cube_length: self.max_cube_length,
                ..abstraction::Options::default()
            },
            iterations: self.iterations,
            ..self.source.options(limits)?
        })
    }

    /// Reads the program, prints what there is to warn of, and drafts what is known of a report.
    ///
    /// # Errors
    /// As those of [`SourceArguments::load`].
    pub fn load(&self, options: &Options, draft: &Draft) -> Result<Loaded, Failure> {
        let loaded = self.source.load(options)?;
        let mut sources = Statements::new(loaded.standard_input.as_deref());
        let warnings = loaded.program.warnings.iter();
        let warnings: Vec<Message> =
            warnings.map(|warning| Message::of_diagnostic(warning, &mut sources)).collect();
        warnings.iter().for_each(Message::print);
        let passes = Some(&options.pipeline).filter(|pipeline| **pipeline != Pipeline::default());
        draft.change(|report| {
            report.warnings = warnings;
            report.passes = passes.map(Pipeline::to_string);
        });
        Ok(loaded)
    }
}

/// Takes an answer into the report that was drafted with the program.
pub fn answered(draft: &Draft, report: Report) {
    draft.change(|draft| {
        let (warnings, passes) = (std::mem::take(&mut draft.warnings), draft.passes.take());
        *draft = Report { warnings, passes, ..report }
    });
}
