//! Certificates: `--certificate` and `--check-certificate` of `sapa-mc`, `--certificate` of `sapa check`, and
//! `sapa check-certificate`.

use std::path::Path;

use sapa_backend::check::Proof;
use sapa_certificate::check::{Proved, Rejection, check};
use sapa_certificate::module::{self, Problem};
use sapa_certificate::text::{ReadError, parse};
use sapa_driver::certificate::{NoCertificate, Recorder, certificate, other_proof};
use sapa_driver::{Checked, Options, Program};
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::goto::mnemonic;
use sapa_limits::{Limits, Phase, Stopped};

use crate::failure::{Failure, Message};
use crate::statements::Statements;
use crate::verdict::Exit;
use crate::{input, message, output, report};

/// The certificate of a success of a program, whose procedures may call themselves; where there is none, a line says why.
#[must_use]
pub fn of_program(
    file: &Path,
    is_successful: bool,
    is_recursive: bool,
    proof: &Proof,
) -> Option<String> {
    let why = match (is_successful, proof.take()) {
        (true, _) if is_recursive => "programs whose procedures call themselves have none",
        (true, Some(certificate)) => {
            return Some(certificate.to_string());
        }
        (true, None) => {
            "what this proof rests on is no certificate, and none for any number of threads was found"
        }
        (false, _) => "there is one of SUCCESSFUL only",
    };
    message!("note: no certificate is written to {}: {why}", file.display());
    None
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

/// A certificate that was looked for.
#[derive(Debug, Default)]
pub struct Found {
    /// What is to be written, if anything is.
    pub text: Option<String>,
    /// What was checked for it, if that is not what was checked before.
    pub other: Option<Checked>,
}

/// The certificate of a C program that was checked; where there is none, a line says why.
pub fn of_module(
    program: (&Program, &Options),
    checked: &Checked,
    recorder: &mut Recorder<'_>,
    file: &Path,
) -> Found {
    let none = |why: &str| {
        message!("note: no certificate is written to {}: {why}", file.display());
        Found::default()
    };
    let why = match certificate(program.1, checked, recorder) {
        Ok(text) => return Found { text: Some(text), other: None },
        Err(NoCertificate { why, is_final: true }) => return none(&why),
        Err(NoCertificate { why, .. }) => why,
    };
    // What comes may take long, and a limit may end it.
    message!("note: another proof is looked for, as there is no certificate of this one: {why}");
    match other_proof(program, recorder) {
        Ok((text, other)) => Found { text: Some(text), other: Some(other) },
        Err(why) => none(&why),
    }
}

/// Re-proves the certificate of a C program (`-`: from the standard input), and says so.
///
/// # Errors
/// What could not be proved, or what is wrong with the certificate.
pub fn check_module_file(certificate: &Path, limits: &Limits) -> Result<(), Failure> {
    let bytes = input::read_within(certificate, limits)?;
    let name = input::name(certificate);
    let stopped = |why| Failure::stopped(Stopped { why, phase: Some(Phase::ModelChecking(None)) });
    let _phase = limits.enter(Phase::ModelChecking(None));
    let text = String::from_utf8_lossy(&bytes);
    let at = |line: u32, column: u32, what: String| {
        let mut sources = Statements::of(&name, &bytes);
        match line {
            0 => Message::error(what).in_file(&name),
            line => Message::error(what).at(&name, line, column, &mut sources),
        }
    };
    let proved = module::check(&text, &name, limits).map_err(|problem| {
        let what = problem.to_string();
        match problem {
            Problem::Refused { line, .. } => Failure::new(Exit::Failed, at(line, 0, what)),
            Problem::Unsupported { .. } => Failure::new(Exit::Inconclusive, at(0, 0, what)),
            Problem::Malformed { line, column, what } => {
                Failure::bad_input([at(line, column, what)])
            }
            Problem::Exceeded(why) => stopped(why),
        }
    })?;
    let module::Proved { by, assertions, predicates, places, runs, clauses, questions, .. } =
        &proved;
    let model =
        report::model_text(mnemonic::word(mnemonic::MEMORY, &proved.memory)).unwrap_or_default();
    let mut text = format!(
        "{name}: no assertion of the module fails, for any number of threads, {model}, {} atomicity \
         (assertions: {assertions}, predicates: {predicates}, places: {places}, runs between them: {runs}, clauses: {clauses} by \
         {by}, questions: {questions})\n",
        report::atomicity(proved.atomicity)
    );
    for assumption in &proved.assumptions {
        text.push_str(&format!("{assumption}\n"));
    }
    text.push_str(&format!(
        "not proved here: that the module is what its source means ({}), with an assertion for all that was to be \
         checked\nCERTIFICATE ACCEPTED\n",
        proved.sources.join(", ")
    ));
    output::print(text.as_bytes()).map_err(|error| {
        Failure::bad_input([Message::error(format!("cannot write <stdout>: {error}"))])
    })
}
