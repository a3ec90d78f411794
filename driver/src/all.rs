//! All assertions of a program, one verdict each: `--all`.
//!
//! A run ends where an assertion fails. So one that was seen to fail becomes an end of the program, and what is left is
//! checked again, until all that is left is proved or undecided. What is undecided together is asked one
//! by one, with the program's end in place of all others: then a proof of one does not wait for that of another.

use sapa_backend::cegar::coverage::{Assertion, Reach};
use sapa_backend::cegar::{self, Verdict};
use sapa_ir::goto::Location;
use sapa_passes::transform::checks::assertions::end_at;

use crate::error::Error;
use crate::options::Options;
use crate::program::{Checked, Program};

/// What is known of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// A run fails it.
    Fails,
    /// It holds whenever a run comes to it.
    Proved,
    /// No run comes to it.
    NotReached,
    /// Neither is known.
    Unknown,
}

/// An assertion, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The assertion.
    pub assertion: Assertion,
    /// What is known.
    pub judgement: Judgement,
}

/// Most assertions that are asked about one by one.
const MOST_ALONE: usize = 32;

impl Program {
    /// Checks all assertions. After each answer `told` is given what is known now, and the answer: a failure
    /// is that of one assertion, a success that of all that were not decided before.
    ///
    /// # Errors
    /// If no engine can treat the program.
    pub fn check_all(
        &self,
        options: &Options,
        observer: &mut dyn cegar::Observer,
        told: &mut dyn FnMut(&[Judged], &Checked),
    ) -> Result<(), Error> {
        let unknown = |assertion| Judged { assertion, judgement: Judgement::Unknown };
        let mut all: Vec<Judged> = self.assertions().into_iter().map(unknown).collect();
        let mut rest = self.clone();
        loop {
            let checked = rest.check(options, observer)?;
            let failed = rest.judge(&mut all, None, &checked, options);
            told(&all, &checked);
            match failed {
                // Where it stands is an end of the program from now on.
                Some(failed) if rest.end_at(&failed) => {}
                Some(_) => return Ok(()),
                None => break,
            }
        }
        let left = all.iter().enumerate().filter(|(_, j)| j.judgement == Judgement::Unknown);
        let left: Vec<usize> = left.map(|(index, _)| index).collect();
        if left.len() < 2 || left.len() > MOST_ALONE {
            return Ok(());
        }
        for index in left {
            if options.limits.check().is_err() {
                break;
            }
            let asked = all[index].assertion.clone();
            let mut alone = rest.clone();
            alone.end_at_others(&asked);
            // What one question cannot be answered for is as undecided as before.
            let Ok(checked) = alone.check(options, observer) else { continue };
            alone.judge(&mut all, Some(index), &checked, options);
            told(&all, &checked);
        }
        Ok(())
    }

    /// Takes an answer about this program into what is known: of one assertion, or of all that are undecided. The
    /// assertion that fails, if one does.
    fn judge(
        &self,
        all: &mut Vec<Judged>,
        only: Option<usize>,
        checked: &Checked,
        options: &Options,
    ) -> Option<Assertion> {
        if let Verdict::Failed(failure) = &checked.report.verdict {
            let counterexample = &failure.counterexample;
            let failed = Assertion {
                location: counterexample.location,
                text: counterexample.property.clone(),
            };
            match all.iter_mut().find(|judged| judged.assertion == failed) {
                Some(judged) => judged.judgement = Judgement::Fails,
                // It stands in a model of the library, and counts where that is called.
                None => all.push(Judged { assertion: failed.clone(), judgement: Judgement::Fails }),
            }
            return Some(failed);
        }
        checked.safe_for(options)?;
        let reach = self.coverage(checked, options).map(|found| found.assertions);
        let reach = reach.unwrap_or_default();
        for (index, judged) in all.iter_mut().enumerate() {
            if judged.judgement != Judgement::Unknown || only.is_some_and(|only| only != index) {
                continue;
            }
            let found = reach.iter().find(|(assertion, _)| *assertion == judged.assertion);
            judged.judgement = match found {
                Some((_, Reach::Unreachable)) => Judgement::NotReached,
                _ => Judgement::Proved,
            };
        }
        None
    }

    /// Makes an end of the program of an assertion; whether there is one. If it stands in no source, those of its text
    /// are meant in all models of the library, and where it is a part of an operation in the program's own functions: what
    /// a property's pass asserts over ghosts, or a model that was inlined.
    fn end_at(&mut self, failed: &Assertion) -> bool {
        let is_of_source = self.assertions().contains(failed);
        self.end_where(|is_model, location, text| match (is_model, is_of_source) {
            (false, _) => location == failed.location && text == failed.text,
            (true, false) => text == failed.text,
            (true, true) => false,
        })
    }

    /// Makes ends of the program of all assertions but one of the source.
    fn end_at_others(&mut self, asked: &Assertion) {
        self.end_where(|is_model, location, text| {
            is_model || location != asked.location || text != asked.text
        });
    }

    fn end_where(&mut self, meant: impl Fn(bool, Location, &str) -> bool) -> bool {
        self.module.functions.iter_mut().fold(false, |changed, function| {
            let is_model = function.is_model();
            end_at(function, |location, text| meant(is_model, location, text)) || changed
        })
    }
}
