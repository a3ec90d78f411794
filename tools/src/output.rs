//! Writing to the standard output and the standard error: nothing else in the tools does.
//!
//! Whoever closes a pipe early (`sapa-mc … | head -1`) wants no more of it. That is no error, so
//! the tools end as they would have otherwise, with their exit codes, and say nothing about it;
//! `println!` and `eprintln!` would panic.

use std::fmt;
use std::io::{self, Write};

/// Writes to the standard output at once.
///
/// # Errors
/// If what was written is lost for another reason than a closed pipe, such as a full disk.
pub fn print(bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes.as_ref()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes to the standard error. Nobody can be told if that fails, so nothing happens then.
pub fn print_error(text: fmt::Arguments<'_>) {
    let mut out = io::stderr().lock();
    let _ = out.write_fmt(text).and_then(|()| out.flush());
}

/// Writes a line to the standard error, as `eprintln!` does, but a closed pipe is no panic.
#[macro_export]
macro_rules! message {
    ($($argument:tt)*) => {
        $crate::output::print_error(format_args!("{}\n", format_args!($($argument)*)))
    };
}

/// Writes to the standard error without ending the line, as `eprint!` does, but a closed pipe is
/// no panic.
#[macro_export]
macro_rules! message_part {
    ($($argument:tt)*) => {
        $crate::output::print_error(format_args!($($argument)*))
    };
}
