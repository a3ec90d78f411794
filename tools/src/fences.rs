//! `sapa fences`: all minimal sets of fences.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sapa_backend::cegar::{Failure as FailingRun, Observer, Verdict};
use sapa_driver::{Error, Fences, Found, Options, Program, Refuted, Sufficient, Watcher};
use sapa_ir::goto::{MemoryModel, NameId, mnemonic};
use sapa_limits::Limits;
use sapa_passes::transform::store_buffers::{self, Candidate};

use crate::arguments::{Memory, engine};
use crate::failure::{Failure, Message};
use crate::fence_sets::{Fence, FenceSet, FenceSets, Without};
use crate::loop_arguments::{LoopArguments, answered};
use crate::patch::Patcher;
use crate::report::{Decider, FailedAssertion, Part, Place, Reason, Report};
use crate::run::Draft;
use crate::source::Loaded;
use crate::statements::Statements;
use crate::watch::Watch;
use crate::{checked, counterexample, input};

/// The words of `sapa fences`.
#[derive(Debug, clap::Args)]
pub struct FenceArguments {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: LoopArguments,
    /// The memory model: 'tso' or 'x86' (total store order), or 'pso' (partial store order). Fences are full ones ('__sync_synchronize()', sequentially consistent), also under 'pso', where weaker ones may do.
    #[arg(long, value_name = "MODEL")]
    pub mm: Memory,
    /// Write each set as a patch into this folder: fences-1.patch, fences-2.patch, ….
    #[arg(long, value_name = "FOLDER")]
    pub patch: Option<PathBuf>,
}

/// Runs `sapa fences`.
///
/// # Errors
/// What is wrong with the command line, the program, or the folder for patches.
pub fn run(arguments: &FenceArguments, limits: &Limits, draft: &Draft) -> Result<(), Failure> {
    let FenceArguments { run, mm, patch } = arguments;
    let engine = engine(run.engine.as_deref())?;
    if mm.0 == MemoryModel::Sc {
        return Err(Failure::usage(
            "'--mm sc' needs no fences, as no store waits under sequential consistency; give '--mm \
             tso' or '--mm pso'",
        ));
    }
    if run.only("bp").is_some() {
        return Err(Failure::usage(
            "fences are for C programs and modules: Boolean programs have no store buffers",
        ));
    }
    let options = run.options(Some(mm.0), engine, limits)?;
    if options.memtrack {
        return Err(Failure::usage("no fences are looked for that 'valid-memtrack' needs"));
    }
    let watch = Watch::new(run.verbose, run.quiet, limits, None);
    let loaded = run.load(&options, draft)?;
    let mut sources = Statements::new(loaded.standard_input.as_deref());
    let memory = loaded.program.module.memory;
    if memory != MemoryModel::Sc {
        let word = mnemonic::word(mnemonic::MEMORY, &memory);
        let text = format!("the module has store buffers already: it says `memory {word}`");
        return Err(Failure::usage(text));
    }
    let mut drafting = Drafting { watch, options: &options, loaded: &loaded, draft };
    let fences = loaded
        .program
        .fences(&options, &mut drafting)
        .map_err(|error| Failure::of(&error, &mut sources))?;
    drop(drafting);
    let mut answer = Answer { options: &options, loaded: &loaded, fences: &fences, sources };
    let mut report = answer.report();
    if let Some(sets) = &mut report.fences {
        let mut patcher = Patcher::new(&run.source.files, &loaded.program.module, &options);
        for (set, found) in sets.sets.iter_mut().zip(&fences.sufficient) {
            if found.fences.is_empty() {
                continue;
            }
            match patcher.patch(&found.fences) {
                Ok(text) => set.patch = Some(text),
                Err(why) => set.no_patch = Some(why.to_string()),
            }
        }
    }
    let written = match patch {
        Some(folder) => write(folder, &mut report),
        None => Ok(()),
    };
    answered(draft, report);
    written
}

/// Puts the sets that are proved into the draft: whatever ends the run, they are shown.
struct Drafting<'a> {
    watch: Watch,
    options: &'a Options,
    loaded: &'a Loaded,
    draft: &'a Draft,
}

impl Watcher for Drafting<'_> {
    fn observer(&mut self) -> &mut dyn Observer {
        self.watch.observer()
    }

    fn checks(&mut self, number: usize, fences: &[&Candidate]) {
        self.watch.checks(number, fences);
    }

    fn proved(&mut self, fences: &Fences) {
        let Self { options, loaded, draft, .. } = *self;
        let sources = Statements::new(loaded.standard_input.as_deref());
        let sets = Answer { options, loaded, fences, sources }.sets();
        draft.change(|report| report.fences = Some(sets));
    }
}

/// Writes all patches, or none: where one cannot be written, the folder has the files that it had.
fn write(folder: &Path, report: &mut Report) -> Result<(), Failure> {
    let Some(sets) = report.fences.as_mut().filter(|sets| sets.complete) else { return Ok(()) };
    let mut written: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
    for (number, set) in sets.sets.iter_mut().enumerate() {
        let Some(text) = &set.patch else { continue };
        let path = folder.join(format!("fences-{}.patch", number + 1));
        let before = fs::read(&path).ok();
        let result =
            fs::create_dir_all(folder).and_then(|()| input::write_file(&path, text.as_bytes()));
        if let Err(error) = result {
            for (path, before) in written {
                // It was written a moment ago.
                let _ = match before {
                    Some(bytes) => input::write_file(&path, &bytes),
                    None => fs::remove_file(&path),
                };
            }
            let text = format!("cannot write {}: {error}", path.display());
            return Err(Failure::bad_input([Message::error(text)]));
        }
        set.patch_file = Some(path.display().to_string());
        written.push((path, before));
    }
    Ok(())
}

/// An answer that becomes a report.
struct Answer<'a> {
    options: &'a Options,
    loaded: &'a Loaded,
    fences: &'a Fences,
    sources: Statements,
}

impl Answer<'_> {
    fn standard_input(&self) -> Option<&[u8]> {
        self.loaded.standard_input.as_deref()
    }

    fn program(&self) -> (&Program, &Options) {
        (&self.loaded.program, self.options)
    }

    fn report(&mut self) -> Report {
        let fences = self.fences;
        match fences.found {
            Found::FailsSequentially => {
                checked::report(self.program(), &fences.sequential, self.standard_input())
            }
            Found::NothingHelps => {
                let Some(last) = fences.refuted.last() else {
                    return Report::inconclusive(Vec::new());
                };
                let mut report =
                    checked::report(self.program(), &last.checked, self.standard_input());
                report.assumptions.push("no set of fences helps".to_owned());
                report
            }
            Found::All => {
                let mut report = match fences.sufficient.first() {
                    Some(set) => {
                        checked::report(self.program(), &set.checked, self.standard_input())
                    }
                    None => Report::inconclusive(Vec::new()),
                };
                report.decided_by = None;
                report.fences = Some(self.sets());
                report
            }
            Found::Undecided => {
                let mut report = Report::inconclusive(self.reasons());
                if self.options.limits.stopped().is_some() {
                    // That is the reason, whatever else did not come to its end then.
                    report.reason = None;
                }
                report.fences = Some(self.sets());
                report
            }
        }
    }

    /// Why it is not known which sets suffice.
    fn reasons(&mut self) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        if let Verdict::Inconclusive(reasons) = &self.fences.sequential.report.verdict {
            let module = &self.fences.sequential.module;
            parts.extend(reasons.0.iter().map(|reason| Part::of_loop(module, reason)));
        }
        for open in &self.fences.undecided {
            match &open.answer {
                Ok(checked) => {
                    if let Verdict::Inconclusive(reasons) = &checked.report.verdict {
                        let of = |reason| Part::of_loop(&checked.module, reason);
                        parts.extend(reasons.0.iter().map(of));
                    }
                }
                Err(error) => parts.extend(self.parts(error)),
            }
        }
        let mut seen = BTreeSet::new();
        parts.retain(|part| seen.insert(part.text.clone()));
        parts
    }

    fn parts(&self, error: &Error) -> Vec<Part> {
        let mut sources = Statements::new(self.standard_input());
        Reason::from(Failure::of(error, &mut sources)).parts
    }

    fn sets(&mut self) -> FenceSets {
        let fences = self.fences;
        FenceSets {
            places: fences.candidates.len(),
            checks: fences.checks,
            complete: fences.found == Found::All,
            sets: fences.sufficient.iter().map(|set| self.set(set)).collect(),
        }
    }

    fn set(&mut self, set: &Sufficient) -> FenceSet {
        FenceSet {
            fences: set.fences.iter().map(|&place| self.fence(set, place)).collect(),
            proved_by: set.proof().map(|proof| Decider(proof.by)),
            patch: None,
            no_patch: None,
            patch_file: None,
        }
    }

    fn fence(&mut self, set: &Sufficient, place: store_buffers::Place) -> Fence {
        let module = &self.loaded.program.module;
        let candidate = self.fences.candidates.iter().find(|candidate| candidate.place == place);
        let function = candidate.map_or(NameId::new(0), |candidate| candidate.function);
        let at = Place::new(module, place.location(function));
        let statement = self.sources.at(&at.file, at.line, at.column.unwrap_or(0)).text;
        let without = self.fences.without(&set.fences, place);
        let without = without.and_then(|refuted| self.without(refuted, refuted.failure()?));
        Fence { place: at, statement, without }
    }

    fn without(&self, refuted: &Refuted, failure: &FailingRun) -> Option<Without> {
        let (module, run) = (&refuted.checked.module, &failure.counterexample);
        Some(Without {
            failed_assertion: FailedAssertion {
                text: run.property.clone(),
                property: Some(self.loaded.program.claims.property(run.location, &run.property)),
                place: Place::new(module, run.location),
            },
            trace: counterexample::steps(module, run, self.standard_input()),
        })
    }
}
