//! The words of the commands that run the loop.

use std::path::PathBuf;

use sapa_backend::abstraction;
use sapa_backend::check::Engine;
use sapa_driver::{BufferBound, Options};
use sapa_ir::goto::MemoryModel;
use sapa_limits::Limits;
use sapa_passes::Pipeline;

use crate::arguments::{Buffers, LimitArguments, ModeArgument, Threads};
use crate::failure::{Failure, Message};
use crate::report::{Report, Style};
use crate::run::Draft;
use crate::source::{Loaded, SourceArguments};
use crate::statements::Statements;

/// What is checked, and how.
#[derive(Debug, clap::Args)]
pub struct LoopArguments {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub source: SourceArguments,
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
    /// The model checker (default: auto); the list is below.
    #[arg(long)]
    pub engine: Option<String>,
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

impl LoopArguments {
    /// How the report is shown.
    #[must_use]
    pub fn style(&self) -> Style {
        Style { json: self.json, quiet: self.quiet, verbose: self.verbose }
    }

    /// The only file, if there is one and it has this ending.
    #[must_use]
    pub fn only(&self, extension: &str) -> Option<&PathBuf> {
        match self.source.files.as_slice() {
            [file] if file.extension().is_some_and(|found| found == extension) => Some(file),
            _ => None,
        }
    }

    /// All that is said of a run under a memory model.
    ///
    /// # Errors
    /// If words do not fit together, or the file of predicates cannot be read.
    pub fn options(
        &self,
        memory: MemoryModel,
        engine: &'static Engine,
        limits: &Limits,
    ) -> Result<Options, Failure> {
        let mode = self.mode.mode(self.threads.0, memory)?;
        if self.buffer_bound.is_some() && memory == MemoryModel::Sc {
            let text = "'--buffer-bound' is about stores that wait, and none do under '--mm sc'; \
                        give '--mm tso' or '--mm pso' too";
            return Err(Failure::usage(text));
        }
        let pipeline = Pipeline::parse(&self.passes).map_err(|error| Failure::pipeline(&error))?;
        Ok(Options {
            pipeline,
            memory,
            buffers: self.buffer_bound.map_or(BufferBound::Auto, |bound| bound.0),
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
