//! The binary form (`.girb`) of a module: magic, version, length, check sum,
//! and the module in bincode's variable-length encoding.
//!
//! All use of bincode is here, so that it can be exchanged.

use thiserror::Error;

use super::module::Module;

/// The first bytes of the binary form.
pub const MAGIC: [u8; 4] = *b"girb";

/// Version of the binary form. Any change of the types of a module changes it.
pub const VERSION: u32 = 7;

/// Size of the header in bytes: magic, version, length of the rest, check sum of the rest.
pub const HEADER: usize = 4 + 4 + 8 + 8;

/// Why bytes are no module.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BinaryError {
    /// The first bytes are others.
    #[error("not in the binary form: it starts with 'girb'")]
    Magic,
    /// Written by another version.
    #[error("version {0} of the binary form is not supported; this is version {VERSION}")]
    Version(u32),
    /// Bytes are missing or follow.
    #[error(
        "{found} bytes of content, expected {expected}: the file is cut off or has been added to"
    )]
    Length {
        /// Bytes there.
        found: u64,
        /// Bytes announced.
        expected: u64,
    },
    /// The check sum differs.
    #[error("the check sum does not fit: the file is damaged")]
    CheckSum,
    /// The content is no module.
    #[error("the content is no module: {0}")]
    Content(String),
}

/// The binary form of a module.
#[must_use]
pub fn encode(module: &Module) -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    // Writing to a vector cannot fail, and every type of a module can be written.
    let written = bincode::serde::encode_into_std_write(module, &mut bytes, configuration());
    debug_assert!(written.is_ok(), "{written:?}");
    seal(&bytes.split_off(HEADER))
}

/// Content under a header that fits it: magic, version, length and check sum.
/// What [`encode`] does last; fuzzers use it to get past the check sum.
#[must_use]
pub fn seal(content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + content.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((content.len() as u64).to_le_bytes());
    bytes.extend(check_sum(content).to_le_bytes());
    bytes.extend(content);
    bytes
}

/// Reads the binary form. The module is not verified.
///
/// # Errors
/// If the bytes are not the binary form of a module, whole and undamaged.
pub fn decode(bytes: &[u8]) -> Result<Module, BinaryError> {
    let rest = bytes.strip_prefix(&MAGIC).ok_or(BinaryError::Magic)?;
    let cut = || BinaryError::Length { found: 0, expected: HEADER as u64 };
    let (version, rest) = rest.split_first_chunk().ok_or_else(cut)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(BinaryError::Version(version));
    }
    let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
    let (sum, content) = rest.split_first_chunk().ok_or_else(cut)?;
    let (expected, found) = (u64::from_le_bytes(*length), content.len() as u64);
    if found != expected {
        return Err(BinaryError::Length { found, expected });
    }
    if u64::from_le_bytes(*sum) != check_sum(content) {
        return Err(BinaryError::CheckSum);
    }
    match bincode::serde::decode_from_slice(content, configuration()) {
        Ok((module, read)) if read == content.len() => Ok(module),
        Ok(_) => Err(BinaryError::Content("bytes are left over".to_owned())),
        Err(error) => Err(BinaryError::Content(error.to_string())),
    }
}

/// The limit keeps damaged lengths from asking for all memory.
fn configuration() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<{ 1 << 31 }>()
}

/// FNV-1a: against damage, not against malice.
fn check_sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
