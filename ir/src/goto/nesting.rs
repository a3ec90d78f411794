//! How deep types, initialisers and expressions may nest.
//!
//! They are trees that are read from outside and walked by recursion; the limit
//! keeps every such walk within the stack. The parser, the decoder of the binary
//! form and the verifier all apply it.

use std::cell::Cell;

use serde::{Deserialize, Deserializer, de::Error};

/// Levels of nesting.
pub const MAX_NESTING: usize = 256;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Leaves a level even when decoding fails or panics.
struct Level;

impl Drop for Level {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}

/// Decodes what is one level deeper.
///
/// # Errors
/// Beyond [`MAX_NESTING`] levels, and whatever `T` reports.
pub(super) fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let depth = DEPTH.get();
    if depth >= MAX_NESTING {
        return Err(D::Error::custom(format_args!("nested more than {MAX_NESTING} levels deep")));
    }
    DEPTH.set(depth + 1);
    let _level = Level;
    T::deserialize(deserializer)
}
