//! What the loop is asked, what it tells on its way, and its answer.

use std::fmt;
use std::time::Duration;

use sapa_ir::goto::{Cube, Module, Predicate};
use sapa_limits::Limits;

use super::observed::{Learned, Made, Seen};
use super::reason::Reasons;
use crate::abstraction;
use crate::automaton::Interruptions;
use crate::check::{Engine, Progress, SafeFor, ThreadBound};
use crate::execution::counterexample::Counterexample;
use crate::execution::original::Original;

/// Settings of the loop.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many threads may exist at once besides the initial one.
    pub threads: ThreadBound,
    /// The model checker.
    pub engine: &'static Engine,
    /// Settings of the abstraction.
    pub abstraction: abstraction::Options,
    /// Most rounds.
    pub iterations: usize,
    /// When to give up. Of the memory, the engines' tables may take what is left when they begin.
    pub limits: Limits,
    /// The program under a memory model with buffers. The search of concrete states is of its runs,
    /// and says what holds under that model. For a module with buffers in its code, failures are
    /// executions of this program.
    pub original: Option<Original>,
    /// Where threads may be interrupted.
    pub interruptions: Interruptions,
    /// Whether a proof is wanted that a certificate can be made of: one that rests on a Boolean program alone.
    pub certified: bool,
}

/// Figures of one round.
#[derive(Clone, Copy, Debug, Default)]
pub struct Iteration {
    /// Predicates tracked.
    pub predicates: usize,
    /// States that the model checker stored.
    pub states: usize,
    /// Time of the abstraction.
    pub abstraction: Duration,
    /// Time of model checking.
    pub checking: Duration,
    /// Calls of the SAT solver by the abstraction, so far.
    pub sat_calls: u64,
}

/// Who wants to know how the loop gets on.
pub trait Observer {
    /// A round begins, with a vocabulary.
    fn iteration(&mut self, number: usize, vocabulary: &[Predicate]);
    /// The Boolean program of a round.
    fn abstraction(&mut self, number: usize, made: &Made<'_>) {
        let _ = (number, made);
    }
    /// The error trace of a round's Boolean program.
    fn trace(&mut self, number: usize, seen: &Seen<'_>) {
        let _ = (number, seen);
    }
    /// New predicates after a round.
    fn learned(&mut self, number: usize, module: &Module, learned: &Learned<'_>) {
        let _ = (number, module, learned);
    }
    /// Something was given up; `text` says what was, so far.
    fn gave_up(&mut self, text: &str) {
        let _ = text;
    }
    /// The model checker works.
    fn checking(&mut self, progress: Progress);
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn iteration(&mut self, _: usize, _: &[Predicate]) {}
    fn checking(&mut self, _: Progress) {}
}

/// The answer of the loop.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No assertion can fail.
    Successful(Proof),
    /// An assertion fails.
    Failed(Failure),
    /// No answer, and why.
    Inconclusive(Reasons),
}

/// That no assertion can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// For how many threads.
    pub threads: SafeFor,
    /// What proved it.
    pub by: DecidedBy,
}

/// That an assertion fails.
#[derive(Clone, Debug)]
pub struct Failure {
    /// An execution in which it does.
    pub counterexample: Box<Counterexample>,
    /// What found it.
    pub by: DecidedBy,
}

/// What found an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// Nothing had to: there is no assertion.
    NoAssertion,
    /// The invariants of the module: no assertion can fail.
    Invariants,
    /// An engine, or a method of one, on the Boolean program
    /// ([`Outcome::decided_by`](crate::check::Outcome::decided_by)).
    Engine(&'static str),
    /// The same, on the program in which one object of many is followed.
    OneOfMany(&'static str),
    /// The same as by an engine: it found a trace of the Boolean program, and the program has it.
    Trace(&'static str),
    /// The search of concrete states.
    ConcreteSearch,
    /// The search of states in which choices are variables.
    SymbolicSearch,
    /// A run at random.
    RandomRuns,
    /// The bounded engine: all runs, in which no loop has more rounds than this.
    AllRuns(u32),
    /// The bounded engine: one run.
    BoundedRuns,
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAssertion => f.write_str("no assertion"),
            Self::Invariants => f.write_str("invariants"),
            Self::Engine(by) => f.write_str(by),
            Self::OneOfMany(by) => write!(f, "{by}, one object of many followed"),
            Self::Trace(by) => write!(f, "trace of the abstraction ({by})"),
            Self::ConcreteSearch => f.write_str("search of concrete states"),
            Self::SymbolicSearch => f.write_str("search of symbolic states"),
            Self::RandomRuns => f.write_str("runs at random"),
            Self::AllRuns(0) => f.write_str("all runs"),
            Self::AllRuns(1) => f.write_str("all runs, loops left after at most 1 round"),
            Self::AllRuns(rounds) => {
                write!(f, "all runs, loops left after at most {rounds} rounds")
            }
            Self::BoundedRuns => f.write_str("runs of bounded length"),
        }
    }
}

impl Verdict {
    /// What found the answer, if there is one.
    #[must_use]
    pub fn decided_by(&self) -> Option<DecidedBy> {
        match self {
            Verdict::Successful(proof) => Some(proof.by),
            Verdict::Failed(failure) => Some(failure.by),
            Verdict::Inconclusive(_) => None,
        }
    }
}

/// The answer and how it came about.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// Figures of each round.
    pub iterations: Vec<Iteration>,
    /// Assumptions of the answer.
    pub notes: Vec<String>,
    /// The work that was done, in units of [`Statistics::work`](crate::check::Statistics::work).
    pub work: u64,
    /// For how many threads besides the initial one the answer was looked for: what was asked for,
    /// but all where the program cannot start more.
    pub threads: ThreadBound,
    /// How many threads the program starts at most, in all of a run, besides the initial one;
    /// `None` if that is not known.
    pub started: Option<u32>,
    /// The cubes of several predicates that the last Boolean program reads, over the vocabulary that the
    /// module has now: what a proof rests on.
    pub cubes: Vec<Cube>,
}
