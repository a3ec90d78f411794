//! Passes over the goto IR.
//!
//! * [`pass`] – what a pass is; [`option`] – its options.
//! * [`registry`] – the list of all passes.
//! * [`default_pipeline`] – what `sapa check` runs, and why.
//! * [`pipeline`] – pipelines as strings.
//! * [`manager`] – running them, under observers.
//! * [`analysis`] – analyses and their cache.
//! * [`transform`] – passes that change the module, one a file.
//! * [`dot`] – graphs for the eye.
//! * [`error`] – why a pass fails.

pub mod analysis;
pub mod default_pipeline;
pub mod dot;
pub mod error;
pub mod manager;
pub mod option;
pub mod pass;
pub mod pipeline;
pub mod registry;
pub mod transform;

pub use analysis::{Analyses, Analysis, AnalysisKind};
pub use default_pipeline::{NamedPipeline, PIPELINES, Reasoned};
pub use error::PassError;
pub use manager::{Event, Observer};
pub use option::{OptionKind, OptionSpec, OptionValue, Options};
pub use pass::{Context, Pass, Run};
pub use pipeline::{Pipeline, PipelineError, Step};
pub use registry::PASSES;
