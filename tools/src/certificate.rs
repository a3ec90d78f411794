//! Certificates of Boolean programs: `--certificate` and `--check-certificate` of `sapa-mc`.

use std::path::Path;

use sapa_backend::check::Proof;
use sapa_certificate::check::{Proved, Rejection, check};
use sapa_certificate::text::{ReadError, parse};
use sapa_ir::boolean::flat::FlatProgram;
use sapa_limits::{Limits, Phase, Stopped};

use crate::failure::{Failure, Message};
use crate::statements::Statements;
use crate::verdict::Exit;
use crate::{input, message, output};

/// Writes the certificate of a success of a program, whose procedures may call themselves; where there is none, a line says why.
///
/// # Errors
/// If it cannot be written.
pub fn write(
    file: &Path,
    is_successful: bool,
    is_recursive: bool,
    proof: &Proof,
) -> Result<(), Failure> {
    let why = match (is_successful, proof.take()) {
        (true, _) if is_recursive => "programs whose procedures call themselves have none",
        (true, Some(certificate)) => {
            return input::write(Some(file), certificate.to_string().as_bytes());
        }
        (true, None) => {
            "what this proof rests on is no certificate, and none for any number of threads was found"
        }
        (false, _) => "there is one of SUCCESSFUL only",
    };
    message!("note: no certificate is written to {}: {why}", file.display());
    Ok(())
}

/// Re-proves a Boolean program's certificate (`-`: from the standard input), and says so.
///
/// # Errors
/// What could not be proved, or what is wrong with the certificate.
pub fn check_file(
    certificate: &Path,
    program: (&Path, &FlatProgram),
    limits: &Limits,
) -> Result<(), Failure> {
    let bytes = input::read_within(certificate, limits)?;
    let (proved, by) = check_text(&bytes, certificate, program, limits)?;
    let Proved { clauses, questions } = proved;
    let text = format!(
        "{}: no assertion fails, for any number of threads ({clauses} clauses by {by}; {questions} \
         questions)\nCERTIFICATE ACCEPTED\n",
        input::name(certificate)
    );
    output::print(text.as_bytes()).map_err(|error| {
        Failure::bad_input([Message::error(format!("cannot write <stdout>: {error}"))])
    })
}

/// Re-proves a certificate; what there was to prove, and how it was found.
///
/// # Errors
/// As those of [`check_file`].
fn check_text(
    bytes: &[u8],
    certificate: &Path,
    (path, program): (&Path, &FlatProgram),
    limits: &Limits,
) -> Result<(Proved, String), Failure> {
    let name = input::name(certificate);
    let at = |line: u32, what: String| {
        let mut sources = Statements::of(&name, bytes);
        Failure::bad_input([Message::error(what).at(&name, line, 0, &mut sources)])
    };
    let stopped = |why| Failure::stopped(Stopped { why, phase: Some(Phase::ModelChecking(None)) });
    let _phase = limits.enter(Phase::ModelChecking(None));
    let text = String::from_utf8_lossy(bytes);
    let read = parse(&text, program, limits).map_err(|error| match error {
        ReadError::Line { line, what } => at(line, what),
        ReadError::OtherProgram => at(2, error.to_string()),
        ReadError::Exceeded(why) => stopped(why),
    })?;
    let proved = check(&read, program, limits).map_err(|rejection| match rejection {
        Rejection::Refused { position, .. } => {
            let mut sources = Statements::default();
            let program = input::name(path);
            let message = Message::error(rejection.to_string());
            Failure::new(
                Exit::Failed,
                message.at(&program, position.line, position.column, &mut sources),
            )
        }
        Rejection::Malformed { line, what } => at(line, what),
        Rejection::Exceeded(why) => stopped(why),
    })?;
    Ok((proved, read.by))
}
