//! Passes over the goto IR.
//!
//! * [`manager`] – what a pass is, the registry and pipelines.
//! * [`transform`] – the passes, one a file.
//! * [`error`] – why a pass fails.

pub mod error;
pub mod manager;
pub mod transform;

pub use error::PassError;
pub use manager::{DEFAULT_PIPELINE, PASSES, Pass, Pipeline, PipelineError};
