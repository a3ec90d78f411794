//! Reading a module in either form.

use thiserror::Error;

use super::binary::{self, BinaryError};
use super::module::Module;
use super::parse::{ParseErrors, parse};
use super::verify::{VerifyErrors, verify};

/// Why bytes are no sound module.
#[derive(Clone, Debug, Error)]
pub enum ReadError {
    /// Neither binary form nor text.
    #[error("{0}:1:1: {words}", words = ReadError::NEITHER)]
    Form(String),
    /// Errors in the text form, with positions.
    #[error(transparent)]
    Text(#[from] ParseErrors),
    /// An error in the binary form.
    #[error("{0}: {1}")]
    Binary(String, BinaryError),
    /// The module breaks laws of the IR.
    #[error("{0}: the module is not sound:\n{1}")]
    Unsound(String, VerifyErrors),
}

impl ReadError {
    /// What [`ReadError::Form`] says, without the place.
    pub const NEITHER: &str = "neither the text form (`gir 1`) nor the binary form of a module";
}

/// Reads a module in text or binary form, told apart by the magic, and verifies
/// it. `file` names the input in errors.
///
/// # Errors
/// If it is neither form, or not sound.
pub fn read(bytes: &[u8], file: &str) -> Result<Module, ReadError> {
    let module = if bytes.starts_with(&binary::MAGIC) {
        binary::decode(bytes).map_err(|error| ReadError::Binary(file.to_owned(), error))?
    } else {
        let text = std::str::from_utf8(bytes).map_err(|_| ReadError::Form(file.to_owned()))?;
        parse(text, file)?
    };
    verify(&module).map_err(|errors| ReadError::Unsound(file.to_owned(), errors))?;
    Ok(module)
}
