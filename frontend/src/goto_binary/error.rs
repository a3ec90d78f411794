//! What can be wrong with a goto binary.

use sapa_limits::Exceeded;
use thiserror::Error;

/// Why bytes are no goto binary. Offsets are in bytes from the start of the file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// The bytes end too early.
    #[error("{file}: offset {offset}: the file ends here, {expected} expected")]
    End {
        /// The file.
        file: String,
        /// Bytes of the file before the place of the error.
        offset: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// Bytes that mean nothing here.
    #[error("{file}: offset {offset}: {message}")]
    Content {
        /// The file.
        file: String,
        /// Bytes of the file before the place of the error.
        offset: usize,
        /// What is wrong.
        message: String,
    },
    /// The run has to end.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
    /// A version of the format that is not read.
    #[error(
        "{file}: offset 4: version {version} of the goto-binary format is not supported; versions 5 and 6 (CBMC 5.12 to 6.x) are"
    )]
    Version {
        /// The file.
        file: String,
        /// The version.
        version: u64,
    },
    /// A container without a goto binary in it.
    #[error("{file}: {message}")]
    Container {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
}
