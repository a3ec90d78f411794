//! Executions of flat Boolean programs, as the engines report them.

use super::flat::LocationId;

/// Values of numbered Boolean variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Valuation(Vec<bool>);

impl Valuation {
    /// All zero.
    pub fn zero(variables: usize) -> Self {
        Valuation(vec![false; variables])
    }
    /// The value of a variable.
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn get(&self, variable: usize) -> bool {
        self.0[variable]
    }
    /// Changes a variable.
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn set(&mut self, variable: usize, value: bool) {
        self.0[variable] = value;
    }
    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The values in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<bool> for Valuation {
    fn from_iter<I: IntoIterator<Item = bool>>(values: I) -> Self {
        Valuation(values.into_iter().collect())
    }
}

/// A thread in a [`TraceState`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThreadState {
    /// Its number: 0 is the initial thread; a started thread gets one more than the highest
    /// number then in use (at least 1), so numbers of ended threads can come back.
    pub thread: u32,
    /// Where it stands.
    pub location: LocationId,
    /// Its locals.
    pub locals: Valuation,
}

/// A complete state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TraceState {
    /// The shared variables.
    pub shared: Valuation,
    /// The threads that exist, by ascending number.
    pub threads: Vec<ThreadState>,
    /// The number of the thread inside an atomic section.
    pub atomic: Option<u32>,
}

impl TraceState {
    /// The thread with this number, if it exists.
    pub fn thread(&self, thread: u32) -> Option<&ThreadState> {
        self.threads.iter().find(|t| t.thread == thread)
    }
}

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Who moves.
    pub thread: u32,
    /// Where it stood, hence which statement it executed.
    pub location: LocationId,
    /// Where it stands after; `None` if it ended.
    pub successor: Option<LocationId>,
    /// The whole state after, broadcasts and started threads included.
    pub state: TraceState,
}

/// An execution that ends in a state in which an assertion can fail.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Trace {
    /// The state before the first step.
    pub initial: TraceState,
    /// The steps.
    pub steps: Vec<Step>,
    /// The thread whose assertion can fail in the last state.
    pub failing_thread: u32,
    /// The location of that assertion.
    pub failing_location: LocationId,
}

impl Trace {
    /// The most threads besides the initial one that exist at once.
    pub fn most_started(&self) -> u32 {
        let states = self.steps.iter().map(|step| &step.state);
        let started = states.map(|state| state.threads.iter().filter(|t| t.thread != 0).count());
        started.max().unwrap_or(0) as u32
    }
}
