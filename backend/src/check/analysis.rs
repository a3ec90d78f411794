//! What engines ask about a flat program before they explore it.
//!
//! - `flow` – orders of locations;
//! - `independence` – steps that no other thread sees or disturbs (BOOM section 7.3);
//! - [`liveness`] – which variables matter at a location;
//! - `locks` – which locks no two threads hold at once;
//! - `stops` – where chains of skips and jumps lead;
//! - `writers` – who may have written what a shared variable has.

pub(crate) mod flow;
pub(crate) mod independence;
pub mod liveness;
pub(crate) mod locks;
pub(crate) mod stops;
pub(crate) mod writers;
