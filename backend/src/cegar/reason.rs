//! Why the loop has no answer: data, of which words are made here and nowhere else.

use std::fmt;

use sapa_ir::boolean::error::Error;
use sapa_ir::goto::Location;
use sapa_limits::{Phase, Stopped};

use crate::abstraction::GivenUp;
use crate::bounded::GaveUp;
use crate::check::{Suspect, UnknownReason};
use crate::execution::{Departure, Place, at};
use crate::inconclusive::Kind;

/// Why there is no answer: all reasons that stood in the way, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reasons(pub Vec<Reason>);

/// Something that stood in the way of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A limit of the run, or of the engine that was at work.
    Stopped(Stopped),
    /// The most rounds of refinement ended without an answer.
    Iterations(usize),
    /// The most work was done.
    WorkLimit,
    /// No assertion fails while at most this number of stores wait in a buffer, but more may wait.
    MoreStoresMayWait(u32),
    /// The engine had no answer in a round.
    Engine {
        /// The round, counted from 1.
        round: usize,
        /// What the engine says.
        reason: UnknownReason,
    },
    /// The engine's over-approximation cannot exclude a failure.
    NotExcluded {
        /// The round, counted from 1.
        round: usize,
        /// Which failure.
        what: Suspected,
        /// How a run was looked for that has it.
        search: Search,
    },
    /// No new predicates refute a spurious trace.
    NoPredicates(Inseparable),
    /// A trace of the naive scheme is no run under sequential consistency, and perhaps one with buffers.
    NaiveTrace,
    /// Predicates over variables of these names were given up.
    GivenUp(GivenUp, Vec<String>),
    /// The solver gave up while it simulated a trace.
    HardTrace,
    /// The interpreter cannot execute a trace that the model of the program has.
    NotReplayed(Departure),
    /// A failure rests on values that are not modelled.
    Unmodelled {
        /// The assertion that may fail.
        property: String,
        /// Where it stands.
        at: Option<Place>,
        /// What returns the values, and where it is called.
        values: Vec<(String, Option<Place>)>,
    },
    /// A failure rests on memory of which the abstraction has no model.
    Unfollowed(Box<Unfollowed>),
    /// A trace is no run since a join waits for another thread than the abstraction takes it to wait for.
    UnknownThread(Option<Place>),
    /// A failure rests on stores that have waited and that the code of the store buffers has forgotten.
    Forgotten {
        /// The assertion that may fail.
        property: String,
        /// Where it stands.
        at: Option<Place>,
    },
    /// With recursive calls as threads an assertion fails, which says nothing of the program.
    RecursiveCalls {
        /// The assertion that may fail.
        property: String,
        /// Where it stands.
        at: Option<Place>,
    },
    /// The bounded engine does not treat the program: why, and where.
    Unfolding(GaveUp, Option<Place>),
    /// No assertion fails in runs of at most this many rounds, and there are longer ones: where they go on.
    LongerRuns(u32, Option<Place>),
    /// The abstraction is no well-formed program, which is an error of sapa.
    WrongProgram(Error),
    /// A counterexample does not end in an assertion, which is an error of sapa.
    NoAssertion,
}

/// A failure that rests on memory of which the abstraction has no model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfollowed {
    /// The assertion that may fail.
    pub property: String,
    /// Where it stands.
    pub at: Option<Place>,
    /// What is not followed.
    pub what: Unmodelled,
    /// Where it is read, or allocated.
    pub read: Option<Place>,
}

/// What the abstraction has no model of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmodelled {
    /// What memory holds that any number of objects, or too many scalars, have.
    Contents,
    /// Where an object is allocated.
    Address,
}

/// A failure that an over-approximation cannot exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suspected {
    /// Of an assertion of the source.
    Assertion {
        /// What it claims.
        text: String,
        /// Where it stands.
        at: Option<Place>,
    },
    /// Of a state of the Boolean program.
    State(Suspect),
}

/// How a run was looked for that an over-approximation cannot exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// It was not looked for.
    None,
    /// There is none with up to this number of threads besides the initial one.
    UpTo(u32),
    /// The search for it had no answer.
    CutOff(UnknownReason),
}

/// A spurious trace that no new predicates refute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inseparable {
    /// Who moves in each of its steps, and the last line of the step; 0 where that is not known.
    pub steps: Vec<(u32, u32)>,
    /// The step that no execution has, if there is one.
    pub at: Option<Impassable>,
}

/// A step of a spurious trace that no execution has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impassable {
    /// The step, counted from 1.
    pub step: usize,
    /// Who would take it.
    pub thread: u32,
    /// What that thread cannot pass.
    pub place: Option<Place>,
}

impl Reason {
    /// Of which kind the reason is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Stopped(stopped) => stopped.why.into(),
            Self::Iterations(_) => Kind::IterationLimit,
            Self::WorkLimit => Kind::WorkLimit,
            Self::MoreStoresMayWait(_) | Self::Forgotten { .. } => Kind::BufferBound,
            Self::Engine { reason, .. } => reason.into(),
            Self::NotExcluded { .. } => Kind::OverApproximation,
            Self::RecursiveCalls { .. } => Kind::RecursiveCalls,
            Self::NoPredicates(_) | Self::NaiveTrace => Kind::NoPredicates,
            Self::GivenUp(..) => Kind::GivenUp,
            Self::HardTrace => Kind::HardTrace,
            Self::NotReplayed(_) => Kind::NotReplayed,
            Self::Unmodelled { .. } => Kind::UnmodelledValue,
            Self::Unfollowed(_) | Self::UnknownThread(_) => Kind::NotFollowed,
            Self::Unfolding(reason, _) => reason.into(),
            Self::LongerRuns(..) => Kind::UnwindLimit,
            Self::WrongProgram(_) | Self::NoAssertion => Kind::InternalError,
        }
    }

    /// The place of the source that it is about, if there is one: the assertion that may fail, the
    /// condition that nothing explains, or the access that is not modelled.
    #[must_use]
    pub fn location(&self) -> Option<Location> {
        let place = match self {
            Self::NotExcluded { what: Suspected::Assertion { at, .. }, .. } => at.as_ref(),
            Self::NoPredicates(Inseparable { at: Some(at), .. }) => at.place.as_ref(),
            Self::Unfollowed(what) => what.read.as_ref(),
            Self::NotReplayed(Departure::InvalidAccess(at))
            | Self::Unmodelled { at, .. }
            | Self::UnknownThread(at)
            | Self::Forgotten { at, .. }
            | Self::RecursiveCalls { at, .. }
            | Self::Unfolding(_, at)
            | Self::LongerRuns(_, at) => at.as_ref(),
            _ => None,
        };
        place.map(|place| place.location)
    }
}

impl From<Reason> for Reasons {
    fn from(reason: Reason) -> Self {
        Self(vec![reason])
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, reason) in self.0.iter().enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            write!(f, "{separator}{reason}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stopped) => write!(f, "{stopped}"),
            Self::Iterations(rounds) => write!(f, "no answer after {rounds} iterations"),
            Self::WorkLimit => f.write_str("the limit on work was reached"),
            Self::MoreStoresMayWait(bound) => write!(
                f,
                "no assertion fails in buffers with room for at most {bound} stores, but more may wait"
            ),
            Self::Engine { round, reason } => {
                write!(f, "{}: {reason}", Phase::ModelChecking(Some(*round)))
            }
            Self::NotExcluded { round, what, search } => {
                write!(f, "{}: {what}{search}", Phase::ModelChecking(Some(*round)))
            }
            Self::NoPredicates(trace) => write!(f, "{trace}"),
            Self::NaiveTrace => f.write_str(
                "the naive scheme has a trace that fails, and does not know which stores wait in it; \
                 check without --mode naive",
            ),
            Self::GivenUp(what, names) => f.write_str(&what.text(names)),
            Self::HardTrace => f.write_str("the solver gave up while it simulated a trace"),
            Self::NotReplayed(departure) => {
                write!(f, "a run that would fail is not confirmed by the interpreter: {departure}")
            }
            Self::Unmodelled { property, at: place, values } => {
                let value =
                    |(name, place): &(_, Option<_>)| format!("`{name}`{}", at(place.as_ref()));
                let values: Vec<String> = values.iter().map(value).collect();
                write!(
                    f,
                    "whether \"{property}\"{} fails rests on the value of {}, which is not modelled",
                    at(place.as_ref()),
                    values.join(", and of ")
                )
            }
            Self::Unfollowed(what) => write!(f, "{what}"),
            Self::UnknownThread(place) => {
                write!(f, "which thread is waited for{} is not known", at(place.as_ref()))
            }
            Self::Forgotten { property, at: place } => write!(
                f,
                "whether \"{property}\"{} fails rests on stores that were forgotten while they waited \
                 (overflow=summary); a larger k forgets fewer",
                at(place.as_ref())
            ),
            Self::RecursiveCalls { property, at: place } => write!(
                f,
                "\"{property}\"{} fails if a recursive call may return to any of the places that wait \
                 for it",
                at(place.as_ref())
            ),
            Self::Unfolding(reason, place) => {
                write!(f, "runs of bounded length: {reason}{}", at(place.as_ref()))
            }
            Self::LongerRuns(rounds, place) => write!(
                f,
                "no assertion fails in runs whose loops have at most {rounds} {}, and there are \
                 longer ones{}",
                if *rounds == 1 { "round" } else { "rounds" },
                at(place.as_ref())
            ),
            Self::WrongProgram(error) => {
                write!(f, "internal error: the Boolean program is wrong: {error}")
            }
            Self::NoAssertion => {
                f.write_str("internal error: a counterexample does not end in an assertion")
            }
        }
    }
}

impl fmt::Display for Unfollowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            Unmodelled::Contents => "what is read of the heap or of a large object",
            Unmodelled::Address => "where the object lies that is allocated",
        };
        let (at, read) = (at(self.at.as_ref()), at(self.read.as_ref()));
        write!(f, "whether \"{}\"{at} fails depends on {what}{read}", self.property)
    }
}

impl fmt::Display for Suspected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Assertion { text, at: place } => write!(
                f,
                "the over-approximation does not exclude that `{text}` fails{}",
                at(place.as_ref())
            ),
            Self::State(suspect) => write!(f, "{suspect}"),
        }
    }
}

impl fmt::Display for Search {
    /// As the rest of a sentence about what was looked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::UpTo(threads) => write!(
                f,
                ", and no run with at most {threads} threads besides the initial one comes to it"
            ),
            Self::CutOff(reason) => {
                write!(f, ", and a run that comes to it is not found: {reason}")
            }
        }
    }
}

impl fmt::Display for Inseparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.steps.iter().map(|(thread, line)| format!("T{thread}:{line}"));
        let steps = steps.collect::<Vec<_>>().join(" ");
        let Some(Impassable { step, thread, place }) = &self.at else {
            return write!(f, "no new predicates from the spurious trace {steps}");
        };
        let place = place.as_ref().map_or(String::new(), |place| format!("{} ", place));
        write!(
            f,
            "no new predicates separate step {step} of the spurious trace {steps}: \
             thread {thread} cannot pass {place}there, \
             but neither weakest preconditions nor templates over single threads and shared memory say why"
        )
    }
}
