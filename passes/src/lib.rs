//! Passes over the goto IR.
//!
//! * [`pass`] – what a pass is; [`option`] – its options.
//! * [`default_pipeline`] – what `sapa check` runs, and why.
//! * [`pipeline`] – pipelines as strings.
//! * [`property`] – what can be asked of a program, and the passes that assert it.
//! * [`manager`] – running them, under observers.
//! * [`analysis`] – analyses and their cache.
//! * [`transform`] – all passes, one a file, and the list of them.
//! * [`dot`] – graphs for the eye.
//! * [`error`] – why a pass fails.
//! * [`linear`] – linear algebra modulo powers of two.

pub mod analysis;
pub mod default_pipeline;
pub mod dot;
pub mod error;
pub mod linear;
pub mod manager;
pub mod option;
pub mod pass;
pub mod pipeline;
pub mod property;
pub mod transform;

pub use analysis::{Analyses, Analysis, AnalysisKind};
pub use default_pipeline::{NamedPipeline, PIPELINES, Reasoned};
pub use error::PassError;
pub use manager::{Event, Observer};
pub use option::{OptionKind, OptionSpec, OptionValue, Options};
pub use pass::{Context, Pass, Run};
pub use pipeline::{Pipeline, PipelineError, Step};
pub use property::{PROPERTIES, Properties, Property, UnknownProperty};
pub use transform::PASSES;
