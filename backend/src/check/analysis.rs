//! What engines ask about a flat program before they explore it.
//!
//! - `independence` – steps that no other thread sees or disturbs (BOOM section 7.3);
//! - [`liveness`] – which variables matter at a location;
//! - `stops` – where chains of skips and jumps lead.

pub(crate) mod independence;
pub mod liveness;
pub(crate) mod stops;
