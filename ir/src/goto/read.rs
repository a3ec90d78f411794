//! Reading a module in either form.

use thiserror::Error;

use super::binary::{self, BinaryError};
use super::module::Module;
use super::parse::{ParseErrors, Positions, parse, positions};
use super::verify::{VerifyErrors, verify};

/// Why bytes are no sound module.
#[derive(Clone, Debug, Error)]
pub enum ReadError {
    /// Neither binary form nor text.
    #[error("neither the text form (`gir 1`) nor the binary form of a module")]
    Form,
    /// Errors in the text form, with positions.
    #[error(transparent)]
    Text(#[from] ParseErrors),
    /// An error in the binary form.
    #[error(transparent)]
    Binary(#[from] BinaryError),
    /// The module breaks laws of the IR.
    #[error("the module is not sound:\n{errors}")]
    Unsound {
        /// The module.
        module: Box<Module>,
        /// The laws that it breaks.
        errors: VerifyErrors,
        /// Where its entities are in the text form; the binary form has no places.
        positions: Positions,
    },
}

/// Reads a module in text or binary form, told apart by the magic, and verifies
/// it. `file` names the input in errors.
///
/// # Errors
/// If it is neither form, or not sound.
pub fn read(bytes: &[u8], file: &str) -> Result<Module, ReadError> {
    let (module, text) = if bytes.starts_with(&binary::MAGIC) {
        (binary::decode(bytes)?, "")
    } else {
        let text = std::str::from_utf8(bytes).map_err(|_| ReadError::Form)?;
        (parse(text, file)?, text)
    };
    match verify(&module) {
        Ok(()) => Ok(module),
        // Sound modules do not pay for the places.
        Err(errors) => {
            let positions = positions(text);
            Err(ReadError::Unsound { module: Box::new(module), errors, positions })
        }
    }
}
