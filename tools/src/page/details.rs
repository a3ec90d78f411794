//! What a page shows besides the report: what the run has used and found on the way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sapa_backend::cegar::Learned;
use sapa_ir::goto::{Module, Predicate};

use crate::read_files::ReadFiles;
use crate::report::Place;

/// What is noted while a run goes on; clones are the same notes.
#[derive(Clone, Debug, Default)]
pub struct Details(Arc<Mutex<Notes>>);

/// The notes.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// The files of the program, as they were named.
    pub files: Vec<String>,
    /// What was read of the standard input, if the program was.
    pub standard_input: Option<Vec<u8>>,
    /// The files that it was read from.
    pub read: ReadFiles,
    /// The rounds so far, by their numbers.
    pub rounds: BTreeMap<usize, Round>,
    /// Why predicates came in, by their texts.
    pub origins: BTreeMap<String, Origin>,
    /// The certificate of the proof.
    pub certificate: Option<String>,
}

/// What a round of refinement had.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    /// Its predicates.
    pub predicates: usize,
    /// The predicates that it brought.
    pub found: Vec<String>,
    /// How many steps the trace of its Boolean program has, if there was one.
    pub trace: Option<usize>,
}

/// Why a predicate came in.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The round whose trace it refutes.
    pub round: usize,
    /// The step of that trace that is not possible with it, from 1, and its place; else the whole trace is not.
    pub step: Option<(usize, Place)>,
}

impl Details {
    pub(super) fn notes(&self) -> MutexGuard<'_, Notes> {
        // Changes are insertions of values that are made before, so that a panic leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program: its files, and what was read of the standard input.
    pub fn program(&self, files: Vec<String>, standard_input: Option<&[u8]>) {
        let standard_input = standard_input.map(<[u8]>::to_vec);
        let mut notes = self.notes();
        (notes.files, notes.standard_input) = (files, standard_input);
    }

    /// The files that the program was read from: others are not shown, whatever places name.
    pub fn read(&self, files: ReadFiles) {
        self.notes().read = files;
    }

    /// A round begins.
    pub fn round(&self, number: usize, vocabulary: &[Predicate]) {
        let round = Round { predicates: vocabulary.len(), ..Round::default() };
        self.notes().rounds.insert(number, round);
    }

    /// The Boolean program of a round has a trace.
    pub fn trace(&self, number: usize, steps: usize) {
        self.notes().rounds.entry(number).or_default().trace = Some(steps);
    }

    /// A round has brought predicates.
    pub fn learned(&self, number: usize, module: &Module, learned: &Learned<'_>) {
        let step = learned.step.map(|(step, location)| (step + 1, Place::new(module, location)));
        let mut notes = self.notes();
        for predicate in learned.predicates {
            let origin = Origin { round: number, step: step.clone() };
            notes.origins.entry(predicate.text.clone()).or_insert(origin);
        }
        let found = learned.predicates.iter().map(|predicate| predicate.text.clone());
        notes.rounds.entry(number).or_default().found.extend(found);
    }

    /// The proof has a certificate.
    pub fn certificate(&self, text: String) {
        self.notes().certificate = Some(text);
    }
}
