//! Checking under TSO and PSO.
//!
//! First the program is checked under sequential consistency, whose runs are runs of the other
//! models too, beside a search of its concrete states with stores that wait. That is all where nobody
//! sees that a store waits. Else what proves it there is what the loop starts with where the buffers
//! are a part of the code (Dan, Meshman, Vechev, Yahav, SAS 2013: from the proof under sequential
//! consistency to the proof under a relaxed model).

use std::sync::Arc;

use sapa_backend::abstraction::{self, Cubes, Mode};
use sapa_backend::cegar::{self, DecidedBy, Reason, Report, Verdict};
use sapa_backend::execution::original::{Extent, Original, SearchTurn};
use sapa_ir::goto::interpret::Incomplete;
use sapa_ir::goto::{MemoryModel, Module, mnemonic};
use sapa_limits::Limits;
use sapa_passes::Pipeline;
use sapa_passes::analysis::thread_bound::most_started;
use sapa_passes::transform::store_buffers::{self, OVERFLOW, Overflow};

use crate::error::{Error, Refused};
use crate::options::{BufferBound, Options};
use crate::program::{Buffers, Checked};

/// The largest bound that is tried before the question is left open.
const MAX_BOUND: u32 = 4;

/// States of a search for a run in which more stores wait than a bound.
const LOOK: usize = 1 << 12;

/// Checks a module without buffers under a memory model with buffers, with no more work in one run of the
/// loop than that, if it is given.
///
/// # Errors
/// If a pass or the backend cannot treat it.
pub(crate) fn check(
    module: Module,
    (model, most): (MemoryModel, Option<u64>),
    options: &Options,
    observer: &mut dyn cegar::Observer,
) -> Result<Checked, Error> {
    let naive = matches!(options.abstraction.mode, Mode::Naive { .. });
    let sound = Options {
        abstraction: abstraction::Options { mode: Mode::default(), ..options.abstraction },
        ..options.clone()
    };
    let of_sequential = if naive { &sound } else { options };
    let robust = !naive && is_robust(&module, model, options);
    let original =
        (!naive && !robust).then(|| original(&module, model, options.buffers, SearchTurn::First));
    let is_searched = original.is_some();
    let refinement = cegar::Options { original, ..of_sequential.refinement() };
    let mut sequential = Checked::refined(module.clone(), refinement, most, observer)?;
    let is_decided = match &sequential.report.verdict {
        // What fails without any store that waits fails.
        Verdict::Failed(_) => true,
        // The search of concrete states is with stores that wait.
        Verdict::Successful(proof) if proof.by == DecidedBy::ConcreteSearch => is_searched,
        Verdict::Successful(_) | Verdict::Inconclusive(_) => false,
    };
    if is_decided {
        sequential.model = model;
        let by_search = sequential.report.verdict.decided_by() == Some(DecidedBy::ConcreteSearch);
        sequential.buffers = match (options.buffers, &sequential.report.verdict) {
            (BufferBound::AtMost(bound), Verdict::Failed(_)) if by_search => Buffers::AtMost(bound),
            _ => Buffers::Any,
        };
        return Ok(sequential);
    }
    if is_cut_off(&sequential) {
        sequential.model = model;
        return Ok(sequential);
    }
    if robust {
        sequential.model = model;
        sequential.buffers = Buffers::Robust;
        return Ok(sequential);
    }
    let predicates = sequential.module.predicates.clone();
    let cubes = sequential.report.cubes.clone();
    let mut module = Module { predicates, cubes, ..module };
    if naive {
        // What holds without buffers need not hold with them.
        module.invariants.clear();
        // The abstraction itself has the buffers.
        let checked = Checked::as_it_is(module, options, observer)?;
        return Ok(Checked { model, buffers: Buffers::AtMost(1), ..checked });
    }
    with_buffers(module, (model, most), options, observer, (&sequential, is_searched))
}

/// Whether a pass refuses the program.
fn is_of_pass(error: &Error) -> bool {
    matches!(error, Error::Undecided(undecided) if matches!(undecided.refused, Refused::Pass(_)))
}

/// Whether there is no answer for want of work.
pub(crate) fn is_cut_off(checked: &Checked) -> bool {
    let reasons = match &checked.report.verdict {
        Verdict::Inconclusive(reasons) => reasons.0.as_slice(),
        Verdict::Successful(_) | Verdict::Failed(_) => &[],
    };
    reasons.contains(&Reason::WorkLimit)
}

/// A program, as its runs with stores that wait are searched: those that are asked for.
fn original(
    module: &Module,
    memory: MemoryModel,
    buffers: BufferBound,
    search: SearchTurn,
) -> Original {
    let most_waiting = match buffers {
        BufferBound::AtMost(bound) => Some(bound),
        BufferBound::Auto => None,
    };
    Original { module: Arc::new(module.clone()), memory, most_waiting, search }
}

/// Whether the answer under sequential consistency is that under a memory model with buffers, too.
pub(crate) fn is_robust(module: &Module, model: MemoryModel, options: &Options) -> bool {
    let limits = &options.limits;
    let wait_for_room = options
        .threads
        .limit()
        .is_some_and(|limit| most_started(module, limits).is_none_or(|started| started > limit));
    // What the passes refuse is reported where they are run.
    store_buffers::is_robust(module, model, wait_for_room, limits).unwrap_or(false)
}

/// Checks a module without buffers, with the predicates that it has, under a memory model with
/// buffers. What is known of it under sequential consistency is that nothing fails, and perhaps that
/// a first search of concrete states with buffers has come to no answer.
///
/// # Errors
/// If a pass or the backend cannot treat it.
pub(crate) fn with_buffers(
    module: Module,
    (model, most): (MemoryModel, Option<u64>),
    options: &Options,
    observer: &mut dyn cegar::Observer,
    (proved, is_searched): (&Checked, bool),
) -> Result<Checked, Error> {
    let mut search = Search { module, model, most, options, observer, proved, is_searched };
    match options.buffers {
        BufferBound::AtMost(bound) => search.bounded(bound),
        BufferBound::Auto => search.unbounded(),
    }
}

/// Makes buffers a part of a module's code; `options` are those of the pass.
///
/// # Errors
/// If the pass cannot treat it.
pub(crate) fn buffered(
    mut module: Module,
    model: MemoryModel,
    options: &str,
    limits: &Limits,
) -> Result<Module, Error> {
    let pass = format!("{}{{{options}}}", mnemonic::word(mnemonic::MEMORY, &model));
    let pipeline = Pipeline::parse(&pass).unwrap_or_else(|error| panic!("{error}"));
    match pipeline.run_within(&mut module, &mut [], limits) {
        Ok(_) => Ok(module),
        Err(error) => Err(Error::refused(module, error)),
    }
}

/// The work of the loop before the proof under sequential consistency is extrapolated, and of that, in units
/// of [`Statistics::work`](sapa_backend::check::Statistics::work): some seconds. With much
/// less, the first abstraction of some programs would be made in vain.
const TURN: u64 = 1 << 28;

/// Puts the work and the rounds of a report before those of another.
pub(crate) fn follows(report: &mut Report, before: &Report) {
    report.work = report.work.saturating_add(before.work);
    let rounds = std::mem::replace(&mut report.iterations, before.iterations.clone());
    report.iterations.extend(rounds);
}

/// What is done for an answer.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Whether the loop has all the work that is allowed, and not just a turn.
    is_whole: bool,
    /// Whether concrete states are searched beside it.
    searches: bool,
}

/// All that there is.
const WHOLE: Effort = Effort { is_whole: true, searches: true };

struct Search<'s> {
    module: Module,
    model: MemoryModel,
    /// The most work of a run of the loop.
    most: Option<u64>,
    options: &'s Options,
    observer: &'s mut dyn cegar::Observer,
    /// The answer under sequential consistency.
    proved: &'s Checked,
    /// Whether there was a first search of concrete states.
    is_searched: bool,
}

impl Search<'_> {
    /// For any number of stores that wait: without a bound if the code sets one, else with a bound
    /// that is proved not to be reached, or where some of what waits is forgotten.
    fn unbounded(&mut self) -> Result<Checked, Error> {
        match self.attempt(None, Overflow::Assert, WHOLE) {
            Err(error) if is_of_pass(&error) => {}
            Ok(Some(answer)) => return Ok(answer),
            Ok(None) => {}
            Err(error) => return Err(error),
        }
        let (mut bound, mut is_cut_short) = (1, false);
        let mut last = loop {
            if !self.overflows(bound)
                && let Some(answer) = self.attempt(Some(bound), Overflow::Assert, WHOLE)?
            {
                return Ok(answer);
            }
            if bound == 1 {
                match self.forgetting(false)? {
                    Some(answer) if !self.is_open(&answer) => return Ok(answer),
                    found => is_cut_short = found.is_some_and(|answer| is_cut_off(&answer)),
                }
            }
            // More may wait, but what fails with fewer fails.
            let answer = self.bounded(bound)?;
            if answer.report.verdict.decided_by() == Some(DecidedBy::ConcreteSearch) {
                // It is of runs of the program, without the bound.
                return Ok(Checked { buffers: Buffers::Any, ..answer });
            }
            if !matches!(answer.report.verdict, Verdict::Successful(_)) {
                return Ok(answer);
            }
            if bound == MAX_BOUND {
                break answer;
            }
            bound += 1;
        };
        if is_cut_short
            && let Some(answer) = self.forgetting(true)?
            && !matches!(answer.report.verdict, Verdict::Inconclusive(_))
        {
            return Ok(answer);
        }
        last.report.verdict = Verdict::Inconclusive(Reason::MoreStoresMayWait(bound).into());
        Ok(last)
    }

    /// For any number of stores that wait, of which some are forgotten: these are too many runs, so that
    /// there need be no answer. `None` if the pass cannot do it, or there is no room for what it cannot forget.
    fn forgetting(&mut self, is_whole: bool) -> Result<Option<Checked>, Error> {
        // A first search may save it all. Later ones are where nothing is forgotten.
        let effort = Effort { is_whole, searches: !self.is_searched };
        match self.attempt(None, Overflow::Summary, effort) {
            Err(error) if is_of_pass(&error) => Ok(None),
            found => found,
        }
    }

    /// For buffers with room for a number of stores.
    fn bounded(&mut self, bound: u32) -> Result<Checked, Error> {
        let answer = self.attempt(Some(bound), Overflow::Wait, WHOLE)?;
        // Stores wait for room, so that none is one too many.
        Ok(answer.unwrap_or_else(|| unreachable!("a store that waits for room has overflowed")))
    }

    /// Whether a short search finds a run in which more stores wait.
    fn overflows(&self, bound: u32) -> bool {
        let extent = Extent { states: LOOK, steps: LOOK << 7, ..Extent::default() };
        let (threads, limits) = (self.options.threads, &self.options.limits);
        let bounded =
            original(&self.module, self.model, BufferBound::AtMost(bound), SearchTurn::First);
        let found = bounded.explore(threads, &extent, limits);
        found.incomplete == Some(Incomplete::Waiting(bound as usize))
    }

    /// The answer where a number of stores may wait, and the next one exceeds that, waits or has another
    /// one forgotten; `None` if one does exceed it.
    fn attempt(
        &mut self,
        bound: Option<u32>,
        overflow: Overflow,
        effort: Effort,
    ) -> Result<Option<Checked>, Error> {
        let limits = &self.options.limits;
        let pass = format!("k={},overflow={}", bound.unwrap_or(0), overflow.word());
        let module = buffered(self.module.clone(), self.model, &pass, limits)?;
        let mut checked = self.in_turns(module, effort)?;
        if let Verdict::Failed(failure) = &checked.report.verdict
            && checked.module.operation(failure.counterexample.location) == Some(OVERFLOW)
        {
            return Ok(None);
        }
        checked.model = self.model;
        follows(&mut checked.report, &self.proved.report);
        Ok(Some(checked))
    }

    /// The answer of the loop on a module with buffers. Where it has none soon, the proof under
    /// sequential consistency is extrapolated first.
    fn in_turns(&mut self, module: Module, effort: Effort) -> Result<Checked, Error> {
        let extrapolates = !module.cubes.is_empty();
        let turn = (extrapolates || !effort.is_whole).then_some(TURN);
        let searches = effort.searches;
        let first = self.turn(module.clone(), (self.options.abstraction, turn), searches)?;
        if !extrapolates || !self.is_open(&first) {
            return Ok(first);
        }
        let mut before = first.report.clone();
        if let Some(mut second) = self.by_extrapolation(module.clone(), searches)? {
            follows(&mut second.report, &before);
            if !self.is_open(&second) {
                return Ok(second);
            }
            before = second.report;
        }
        // With more work the loop does no more, if it did not use what it had.
        let is_turn = !effort.is_whole || self.most.is_some_and(|most| most <= TURN);
        if first.report.work < TURN / 2 || is_turn {
            return Ok(first);
        }
        let mut last = self.turn(module, (self.options.abstraction, None), searches)?;
        follows(&mut last.report, &before);
        Ok(last)
    }

    /// Whether there is no answer, and time for one.
    fn is_open(&self, checked: &Checked) -> bool {
        matches!(checked.report.verdict, Verdict::Inconclusive(_))
            && !self.options.limits.is_exceeded()
    }

    /// The loop. With recorded cubes it has a single round: they are not refined.
    fn turn(
        &mut self,
        module: Module,
        (abstraction, most): (abstraction::Options, Option<u64>),
        searches: bool,
    ) -> Result<Checked, Error> {
        let search = match (searches, self.is_searched) {
            (false, _) => SearchTurn::Never,
            (true, false) => SearchTurn::First,
            (true, true) => SearchTurn::Later,
        };
        let original = Some(original(&self.module, self.model, self.options.buffers, search));
        let mut options = cegar::Options { original, abstraction, ..self.options.refinement() };
        if abstraction.cubes == Cubes::Recorded {
            options.iterations = 1;
        }
        self.is_searched |= searches;
        let most = most.into_iter().chain(self.most).min();
        Checked::refined(module, options, most, self.observer)
    }

    /// What cube extrapolation says of a module with buffers; `None` if there is nothing to extrapolate.
    fn by_extrapolation(
        &mut self,
        mut module: Module,
        searches: bool,
    ) -> Result<Option<Checked>, Error> {
        let pipeline = Pipeline::parse("extrapolate-predicates{rule4=false},extrapolate-cubes");
        let pipeline = pipeline.unwrap_or_else(|error| panic!("{error}"));
        if pipeline.run_within(&mut module, &mut [], &self.options.limits).is_err() {
            return Ok(None);
        }
        let abstraction =
            abstraction::Options { cubes: Cubes::Recorded, ..self.options.abstraction };
        self.turn(module, (abstraction, Some(TURN)), searches).map(Some)
    }
}
