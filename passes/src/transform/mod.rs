//! The passes, one a file.

pub mod inline;
pub mod lower_sync;
pub mod mem2reg;
pub mod unreachable;
pub mod verify;
