//! What the loop answers, as a report.

use sapa_backend::cegar::{self, Verdict};
use sapa_backend::inconclusive::Kind;
use sapa_driver::{Checked, Options, Program};
use sapa_ir::goto::{Location, MemoryModel, mnemonic};

use crate::counterexample;
use crate::report::{
    self, Asked, Bound, Decider, FailedAssertion, Part, Place, Report, Round, Statistics, Threads,
};
use crate::verdict::Exit;

/// Why nothing is known of `valid-memtrack` where all else is proved: the program allocates.
fn untracked(program: &Program, options: &Options, allocation: Location) -> Part {
    let place = Place::new(&program.module, allocation);
    let how = program.module.operation(allocation).unwrap_or("an instruction");
    let at = program.module.describe(allocation);
    let leaks = match options.properties.has("leaks") {
        true => {
            "; that it is freed before the program ends, which is proved, says nothing of runs that do not come to that end"
        }
        false => "; 'leaks' would ask whether it is freed before the program ends",
    };
    let text = format!(
        "'valid-memtrack' is not checked: whether something points to what {how} allocates at {at}, until it is freed, is not followed{leaks} \
         ({} is proved)",
        options.properties
    );
    Part { kind: Kind::NotChecked, text, place: Some(place) }
}

/// The report on an answer of the loop. `standard_input` is what was read there, if the program was.
#[must_use]
pub fn report(
    (program, options): (&Program, &Options),
    checked: &Checked,
    standard_input: Option<&[u8]>,
) -> Report {
    let Checked { module, report: answer, model, buffers } = checked;
    let asked = Bound(options.threads);
    let (mut report, holds_for) = match &answer.verdict {
        Verdict::Successful(proof) => {
            let report = match program.allocates.filter(|_| options.memtrack) {
                Some(place) => Report::inconclusive(vec![untracked(program, options, place)]),
                None => Report::new(Exit::Successful),
            };
            (report, Some(Bound::from(proof.threads)))
        }
        Verdict::Failed(cegar::Failure { counterexample, .. }) => {
            let mut report = Report::new(Exit::Failed);
            let steps = counterexample::steps(module, counterexample, standard_input);
            report.trace_text = counterexample::text(module, counterexample, &steps);
            report.trace = Some(steps);
            let (location, text) = (counterexample.location, counterexample.property.clone());
            report.failed_assertion = Some(FailedAssertion {
                property: Some(program.claims.property(location, &text)),
                text,
                place: Place::new(module, location),
            });
            (report, Some(Bound(answer.threads)))
        }
        Verdict::Inconclusive(reasons) => {
            let parts = reasons.0.iter().map(|reason| Part::of_loop(module, reason)).collect();
            (Report::inconclusive(parts), None)
        }
    };
    let in_trace = match &answer.verdict {
        Verdict::Failed(failure) => Some(failure.counterexample.most_started),
        _ => None,
    };
    report.threads = Some(Threads { asked, holds_for, most_started: answer.started, in_trace });
    report.decided_by = answer.verdict.decided_by().map(Decider);
    report.properties = Some(Asked::from(&options.properties));
    report.pointer_bits = Some(module.target.pointer_bits);
    report.memory_model = Some(mnemonic::word(mnemonic::MEMORY, model));
    report.buffers = (*model != MemoryModel::Sc).then_some(*buffers).map(report::Buffers);
    report.atomicity = Some(report::atomicity(module.atomicity));
    report.assumptions.extend(checked.notes(options));
    let warning = options.abstraction.mode.warning();
    report.assumptions.extend(warning.map(str::to_owned));
    let rounds = answer.iterations.iter().map(|round| Round {
        predicates: round.predicates,
        states: round.states,
        abstraction: round.abstraction.as_secs_f64(),
        checking: round.checking.as_secs_f64(),
        sat_calls: round.sat_calls,
    });
    report.statistics = Some(Statistics {
        rounds: rounds.collect(),
        predicates: module.predicates.iter().map(|p| p.text.clone()).collect(),
        states: answer.iterations.iter().map(|round| round.states).max().unwrap_or(0),
        sat_calls: answer.iterations.iter().map(|round| round.sat_calls).max().unwrap_or(0),
        ..Statistics::default()
    });
    report
}
