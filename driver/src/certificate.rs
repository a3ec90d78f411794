//! Certificates of C programs: what the abstraction has proved as a text that can be proved again
//! (`sapa_certificate::module`).

use sapa_backend::cegar::{DecidedBy, Learned, Made, Observer, Seen};
use sapa_backend::check::{CheckOptions, Progress, Proof, ThreadBound, auto, check};
use sapa_certificate::module::{self, Problem, text};
use sapa_ir::goto::{MemoryModel, Module, Predicate};
use sapa_limits::{Limits, Phase, memory};
use sapa_passes::transform::recursion::has_calls_as_threads;

use crate::options::Options;
use crate::program::{Checked, Program};

/// How much is done for an invariant of a Boolean program that was proved already: some seconds.
const MOST_WORK: u64 = 1 << 30;

/// An observer that keeps what a certificate is made of: the last Boolean program; another observer sees what it sees.
pub struct Recorder<'o> {
    observer: &'o mut dyn Observer,
    /// The text of all but the invariant.
    draft: Option<String>,
    is_wanted: bool,
}

impl std::fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("draft", &self.draft).finish_non_exhaustive()
    }
}

impl<'o> Recorder<'o> {
    /// One that has seen nothing, and keeps what it sees if that is wanted.
    #[must_use]
    pub fn new(observer: &'o mut dyn Observer, is_wanted: bool) -> Self {
        Self { observer, draft: None, is_wanted }
    }

    /// The last Boolean program with the module and the places that its labels stand for, as
    /// the beginning of a certificate.
    #[must_use]
    pub fn draft(&self) -> Option<&str> {
        self.draft.as_deref()
    }
}

impl Observer for Recorder<'_> {
    fn iteration(&mut self, number: usize, vocabulary: &[Predicate]) {
        self.observer.iteration(number, vocabulary);
    }

    fn abstraction(&mut self, number: usize, made: &Made<'_>) {
        if self.is_wanted {
            let mut module: Module = made.module.clone();
            module.predicates = made.predicates.to_vec();
            module.cubes.clear();
            let parts = made.abstraction.parts(&module, made.automaton);
            self.draft = Some(text::draft(&parts));
        }
        self.observer.abstraction(number, made);
    }

    fn trace(&mut self, number: usize, seen: &Seen<'_>) {
        self.observer.trace(number, seen);
    }

    fn learned(&mut self, number: usize, module: &Module, learned: &Learned<'_>) {
        self.observer.learned(number, module, learned);
    }

    fn gave_up(&mut self, text: &str) {
        self.observer.gave_up(text);
    }

    fn checking(&mut self, progress: Progress) {
        self.observer.checking(progress);
    }
}

/// The certificate of a program that was checked with an observer; what is given was proved again. A proof of another kind
/// than the abstraction's has none, nor has one that rests on what a pass has found.
///
/// # Errors
/// Why there is none, in words.
pub fn certificate(
    options: &Options,
    checked: &Checked,
    recorder: &Recorder<'_>,
) -> Result<String, NoCertificate> {
    let never = |why: &str| Err(NoCertificate { why: why.to_owned(), is_final: true });
    if checked.safe_for(options).is_none() {
        return never("there is one of SUCCESSFUL only");
    }
    if checked.model != MemoryModel::Sc {
        return never("there are none under TSO and PSO");
    }
    if has_calls_as_threads(&checked.module) {
        return never("the proof takes recursive calls for threads");
    }
    if checked.report.verdict.decided_by() == Some(DecidedBy::NoAssertion) {
        return never("there is no assertion, and nothing to prove");
    }
    let is_final = options.limits.is_exceeded();
    of(checked, recorder, &options.limits).map_err(|why| NoCertificate { why, is_final })
}

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoCertificate {
    /// In words.
    pub why: String,
    /// Whether another proof would have none either.
    pub is_final: bool,
}

/// The certificate of another proof of a program, which is looked for: one by the abstraction alone. Both are given.
///
/// # Errors
/// Why there is none, in words.
pub fn other_proof(
    (program, options): (&Program, &Options),
    recorder: &mut Recorder<'_>,
) -> Result<(String, Checked), String> {
    recorder.draft = None;
    match program.check_certified(options, recorder) {
        Ok(Some(other)) if other.safe_for(options).is_some() => {
            let text = of(&other, recorder, &options.limits)?;
            Ok((text, other))
        }
        Ok(_) | Err(_) => Err("the abstraction alone has found no other".to_owned()),
    }
}

/// The text of the certificate of a proof, or why there is none.
fn of(checked: &Checked, recorder: &Recorder<'_>, limits: &Limits) -> Result<String, String> {
    match (checked.report.verdict.decided_by(), &recorder.draft) {
        (Some(DecidedBy::NoAssertion), _) => {
            Err("there is no assertion, and nothing to prove".to_owned())
        }
        (Some(DecidedBy::Engine(_)), Some(draft)) => completed(draft, limits),
        (Some(by), _) => {
            Err(format!("the proof ({by}) is none of the abstraction, of which certificates are"))
        }
        (None, _) => Err("there is one of SUCCESSFUL only".to_owned()),
    }
}

/// The beginning of a certificate with an invariant of its Boolean program, after the whole was proved again.
///
/// # Errors
/// Why there is none, in words.
pub fn completed(draft: &str, limits: &Limits) -> Result<String, String> {
    let text = with_invariant(draft, limits)?;
    // Whoever gets one can check it.
    match module::check(&text, "certificate", limits) {
        Ok(_) => Ok(text),
        Err(problem @ (Problem::Exceeded(_) | Problem::Unsupported { .. })) => {
            Err(problem.to_string())
        }
        Err(problem) => Err(format!("it would be refused: {problem}")),
    }
}

/// The beginning of a certificate with an invariant of its Boolean program.
///
/// # Errors
/// Why there is none, in words.
pub fn with_invariant(draft: &str, limits: &Limits) -> Result<String, String> {
    let _phase = limits.enter(Phase::ModelChecking(None));
    let program = text::program(draft, limits).map_err(|problem| problem.to_string())?;
    let proof = Proof::default();
    let resident = memory::resident().unwrap_or(0);
    let options = CheckOptions {
        limits: limits.clone(),
        memory_limit: limits.memory().map(|most| most.saturating_sub(resident)),
        max_work: Some(MOST_WORK),
        proof: Some(proof.clone()),
        ..CheckOptions::new(ThreadBound::Unbounded)
    };
    check(&auto::ENGINE, &program, &options, &mut |_| {});
    match proof.take() {
        Some(certificate) => Ok(text::finished(draft, &certificate)),
        None => {
            Err("for its Boolean program no invariant for any number of threads was found".into())
        }
    }
}
