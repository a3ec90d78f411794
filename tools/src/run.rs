//! How the tools run: the command line is parsed, the run is watched, and whatever ends it, there
//! is one answer or one message, and an exit code.
//!
//! [`answer`] is for tools whose product is a report, [`make`] for those that write another one.
//! A report is drafted while the run goes on ([`Draft`]). So nothing that is known is lost where a
//! limit, a signal or an error ends the run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sapa_backend::inconclusive::Kind;
use sapa_limits::{Limits, Stopped};

use crate::arguments::{LimitArguments, asks_for_json, parse};
use crate::failure::{Failure, Message};
use crate::input;
use crate::report::{Part, Report, Style};
use crate::verdict::{Exit, claim};
use crate::watchdog::{self, Ending};

/// What is made of a finished report besides what is printed.
type Product = Box<dyn Fn(&Report) -> Result<(), Failure> + Send>;

/// The report of a run so far, which the run and the watchdog share.
#[derive(Clone)]
pub struct Draft {
    report: Arc<Mutex<Report>>,
    products: Arc<Mutex<Vec<Product>>>,
}

impl Default for Draft {
    fn default() -> Self {
        let report = Arc::new(Mutex::new(Report::new(Exit::Inconclusive)));
        Self { report, products: Arc::default() }
    }
}

impl Draft {
    fn report(&self) -> MutexGuard<'_, Report> {
        // Changes are assignments of values that are made before, so that a panic leaves it whole.
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the report: what is known from now on.
    pub fn change(&self, change: impl FnOnce(&mut Report)) {
        change(&mut self.report());
    }

    /// Ends the draft with an error; what else is known stays.
    pub fn fail(&self, failure: Failure) {
        self.change(|report| {
            report.verdict = failure.exit;
            report.exit_code = failure.exit.code();
            report.reason = Some(failure.into());
        });
    }

    /// Has something made of the report after the verdict is printed, whatever ends the run: what goes wrong then loses no
    /// verdict.
    pub fn afterwards(&self, product: impl Fn(&Report) -> Result<(), Failure> + Send + 'static) {
        let mut products = self.products.lock().unwrap_or_else(PoisonError::into_inner);
        products.push(Box::new(product));
    }

    /// Has a file written after the verdict is printed.
    pub fn writes(&self, file: &Path, bytes: impl Into<Vec<u8>>) {
        let (file, bytes) = (file.to_owned(), bytes.into());
        self.afterwards(move |_| input::write(Some(&file), &bytes));
    }

    /// Makes what is to be made of the finished report, which has been shown, and says how the program is to end:
    /// what cannot be written is an error as a product is.
    fn make_products(&self, report: &Report, exit: Exit) -> Exit {
        let products =
            std::mem::take(&mut *self.products.lock().unwrap_or_else(PoisonError::into_inner));
        let failures = products.iter().filter_map(|product| product(report).err());
        failures.fold(exit, |_, failure| failure.print())
    }

    /// The report of a run that is over.
    #[must_use]
    pub fn finished(&self, limits: &Limits) -> Report {
        let mut report = self.report().clone();
        if report.verdict == Exit::Inconclusive && report.reason.is_none() {
            let part = limits.stopped().map_or_else(
                || Part::new(Kind::InternalError, "the run ended without an answer"),
                Part::from,
            );
            report.reason = Some(vec![part].into());
        }
        if report.is_verdict() {
            report.statistics.get_or_insert_default().add_run(limits);
        }
        report
    }
}

/// Runs a part of the program. A panic, which is an error of the program itself, becomes a failure
/// like others. What goes wrong after the limits have ended the run went wrong because of them,
/// perhaps: what is incomplete looks wrong.
fn guarded(limits: &Limits, run: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let result = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("of an unknown kind");
        Err(Failure::new(Exit::Internal, Message::internal(format!("{text}; please report it"))))
    });
    result.map_err(|failure| match (failure.exit, limits.stopped()) {
        (Exit::BadInput | Exit::Inconclusive, Some(stopped)) => Failure::stopped(stopped),
        _ => failure,
    })
}

/// Lets the watchdog begin.
fn watched(
    limits: &Limits,
    ending: impl Fn(Stopped) -> Ending + Send + 'static,
) -> Result<(), Failure> {
    watchdog::start(limits, ending).map_err(|error| {
        let text = format!("nobody can watch the limits: {error}");
        Failure::new(Exit::Internal, Message::internal(text))
    })
}

/// The whole of a tool that answers with a report: parses the command line, runs, shows the report,
/// and ends the process. What the limits, a signal or an error ends has a report too, with all that
/// the run has put into the draft.
pub fn answer<A: clap::Parser>(
    style: impl FnOnce(&A) -> Style,
    limits: impl FnOnce(&A) -> LimitArguments,
    run: impl FnOnce(&A, &Limits, &Draft) -> Result<(), Failure>,
) -> ! {
    let start = Instant::now();
    match parse::<A>() {
        Ok(arguments) => {
            let (style, limits) = (style(&arguments), limits(&arguments).limits(start));
            let draft = Draft::default();
            let (last, bounds) = (draft.clone(), limits.clone());
            let ending = move |_| {
                let report = last.finished(&bounds);
                let (output, exit) = (report.text(style), report.verdict);
                let last = last.clone();
                let after = move || last.make_products(&report, exit);
                Ending { output, error: String::new(), after: Box::new(after) }
            };
            let result = watched(&limits, ending)
                .and_then(|()| guarded(&limits, || run(&arguments, &limits, &draft)));
            if let Err(failure) = result {
                draft.fail(failure);
            }
            let report = draft.finished(&limits);
            let exit = report.print(style);
            draft.make_products(&report, exit).end()
        }
        // Help and version, which are printed.
        Err(failure) if failure.exit == Exit::Successful => failure.exit.end(),
        Err(failure) => {
            let style = Style { json: asks_for_json(), ..Style::default() };
            Report::from(failure).print(style).end()
        }
    }
}

/// The whole of a tool that writes a product: parses the command line, runs, says what went wrong,
/// and ends the process.
pub fn make<A: clap::Parser>(
    limits: impl FnOnce(&A) -> LimitArguments,
    run: impl FnOnce(&A, &Limits) -> Result<(), Failure>,
) -> ! {
    let start = Instant::now();
    let result = parse::<A>().and_then(|arguments| {
        let limits = limits(&arguments).limits(start);
        let ending = |stopped| {
            let failure = Failure::stopped(stopped);
            let error = failure.messages.iter().map(|message| format!("{message}\n")).collect();
            let exit = failure.exit;
            Ending { output: String::new(), error, after: Box::new(move || exit) }
        };
        watched(&limits, ending)?;
        guarded(&limits, || run(&arguments, &limits))
    });
    let exit = match result {
        Ok(()) => Exit::Successful,
        Err(failure) => {
            // From here on the watchdog has nothing to say.
            claim();
            failure.print()
        }
    };
    exit.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning() -> Message {
        Message::error("something")
    }

    #[test]
    fn an_internal_error_is_a_report_too() {
        let (draft, limits) = (Draft::default(), Limits::default());
        draft.change(|report| report.warnings.push(warning()));
        let failure = guarded(&limits, || panic!("no such edge")).expect_err("it panics");
        draft.fail(failure);
        let report = draft.finished(&limits);
        assert_eq!((report.verdict, report.exit_code), (Exit::Internal, 6));
        assert_eq!(report.warnings, [warning()]);
        let text = serde_json::to_string(&report).expect("it is written");
        assert!(text.contains("no such edge"), "{text}");
    }

    #[test]
    fn what_is_proved_stays_proved_when_a_limit_ends_the_run() {
        let (draft, limits) = (Draft::default(), Limits::default());
        draft.change(|report| *report = Report::new(Exit::Successful));
        limits.stop(sapa_limits::Exceeded::Time);
        assert_eq!(draft.finished(&limits).verdict, Exit::Successful);
    }

    #[test]
    fn a_limit_is_the_reason_where_there_is_no_other() {
        let (draft, limits) = (Draft::default(), Limits::default());
        limits.stop(sapa_limits::Exceeded::Memory);
        let failure = || Err(Failure::bad_input([warning()]));
        draft.fail(guarded(&limits, failure).expect_err("it fails"));
        let report = draft.finished(&limits);
        assert_eq!(report.reason.map(|reason| reason.text).as_deref(), Some("out of memory"));
        assert!(report.statistics.is_some());
    }
}
