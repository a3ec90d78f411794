//! Who abstracts: what all abstractions of a run have in common.

use rustc_hash::FxHashMap;
use sapa_ir::goto::Module;

use super::exclusion::Exclusions;
use super::plan::{Code, Planner, StepPlan};
use super::step::{AbstractStep, Cube, Value, Variable};
use super::strengthen::Strengthener;
use super::vocabulary::{Class, PredicateId, Predicates};
use super::{Abstraction, Options, program};
use crate::automaton::leaf::Symbols;
use crate::automaton::{Automaton, EdgeId};

/// Abstracts a program over any of the predicates of a run.
#[derive(Debug)]
pub struct Abstractor<'a> {
    /// All terms.
    pub symbols: Symbols,
    /// The program.
    pub module: &'a Module,
    /// Its threads.
    pub automaton: &'a Automaton,
    /// The operator F.
    pub strengthener: Strengthener,
    /// All predicates of the run.
    pub predicates: Predicates,
    /// What is known of single edges. It is so whatever predicates are tracked.
    pub exclusions: Exclusions,
    /// Settings, which may change from one abstraction to the next.
    pub options: Options,
}

/// The abstraction of a part of a program.
pub(crate) struct Parts {
    /// First values of the predicates that exist before threads start.
    pub(crate) initial: Vec<(Variable, Value)>,
    /// What happens when threads start.
    pub(crate) starts: FxHashMap<Code, AbstractStep>,
    /// Edges, each in the copies for its slots.
    pub(crate) edges: FxHashMap<(EdgeId, Option<u32>), AbstractStep>,
}

impl<'a> Abstractor<'a> {
    /// For an automaton of the module, over whose terms `symbols` are.
    #[must_use]
    pub fn new(
        mut symbols: Symbols,
        module: &'a Module,
        automaton: &'a Automaton,
        options: Options,
    ) -> Self {
        let predicates = Predicates::new(&mut symbols, module, automaton);
        let strengthener = Strengthener::default();
        let exclusions = Exclusions::default();
        Self { symbols, module, automaton, strengthener, predicates, exclusions, options }
    }

    /// The vocabulary of the module.
    #[must_use]
    pub fn given(&self) -> Vec<PredicateId> {
        (0..).map(PredicateId).take(self.module.predicates.len()).collect()
    }

    /// The Boolean program over a vocabulary; `None` if a limit or the budget of the strengthener
    /// ended its making.
    pub fn program(&mut self, vocabulary: &[PredicateId]) -> Option<Abstraction> {
        program::program(self, vocabulary)
    }

    /// The abstraction of some code's beginning, and of edges; under the conditions of
    /// [`program`](Self::program).
    pub(crate) fn parts(
        &mut self,
        vocabulary: &[PredicateId],
        codes: &[Code],
        edges: &[(EdgeId, Option<u32>)],
    ) -> Option<Parts> {
        let tracked = self.predicates.tracked(vocabulary);
        let mut planner = Planner {
            symbols: &mut self.symbols,
            automaton: self.automaton,
            strengthener: &mut self.strengthener,
            tracked: &tracked,
            codes,
            options: self.options,
        };
        let mut contradictions = FxHashMap::default();
        let mut starts = Vec::with_capacity(codes.len());
        for &code in codes {
            let root = code.root;
            contradictions.entry(root).or_insert_with(|| planner.contradictions(root));
            starts.push((code, planner.start(code)));
        }
        let mut steps = Vec::with_capacity(edges.len());
        for &(edge, slot) in edges {
            if planner.strengthener.is_over() {
                return None;
            }
            steps.push((edge, slot, planner.edge(edge, slot)));
        }
        let mut initial = Vec::new();
        match self.options.mode.expanded().filter(|_| codes.iter().any(|code| code.slot.is_some()))
        {
            Some(threads) => {
                for slot in 0..=threads {
                    for tracked in &tracked {
                        if (slot == 0 || tracked.class != Class::Shared)
                            && planner.has(slot, tracked)
                        {
                            initial.push(planner.initial(tracked, Some(slot)));
                        }
                    }
                }
            }
            None => {
                for tracked in tracked.iter().filter(|t| t.is_stored_shared(self.options.mode)) {
                    initial.push(planner.initial(tracked, None));
                }
            }
        }
        let questions = contradictions.values();
        let questions = questions.chain(starts.iter().flat_map(|(_, start)| start.questions()));
        let questions = questions.chain(steps.iter().flat_map(|(_, _, step)| step.questions()));
        let questions = questions.chain(initial.iter().flat_map(|value| value.questions()));
        if !self.strengthener.solve(&self.symbols.store, questions) {
            return None;
        }
        let answers = &self.strengthener;
        let contradictions: FxHashMap<usize, Vec<Cube>> = contradictions
            .into_iter()
            .map(|(root, question)| (root, answers.answer(&question)))
            .collect();
        let initial = initial.iter().map(|value| value.value(answers)).collect();
        let start = |(code, plan): (Code, StepPlan)| {
            (code, plan.assemble(answers, code.root, &contradictions[&code.root], &[], &tracked))
        };
        let step = |(edge, slot, plan): (EdgeId, Option<u32>, StepPlan)| {
            let root = self.automaton.edge(edge).root;
            let exclusions = self.exclusions.get(&edge).map_or(&[][..], Vec::as_slice);
            let step = plan.assemble(answers, root, &contradictions[&root], exclusions, &tracked);
            ((edge, slot), step)
        };
        Some(Parts {
            initial,
            starts: starts.into_iter().map(start).collect(),
            edges: steps.into_iter().map(step).collect(),
        })
    }
}
