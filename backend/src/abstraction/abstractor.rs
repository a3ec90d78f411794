//! Who abstracts: what all abstractions of a run have in common.

use rustc_hash::FxHashMap;
use sapa_ir::goto::Module;

use super::between::Meeting;
use super::exclusion::Exclusions;
use super::plan::{Code, Planner, StepPlan, ValuePlan};
use super::recorded::Recorded;
use super::standing::Standing;
use super::step::{AbstractStep, Cube, Value, Variable};
use super::strengthen::Strengthener;
use super::vocabulary::{PredicateId, Predicates};
use super::{Mode, Options};
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
    /// What nobody finds while a thread stands somewhere, as far as traces have needed it.
    pub standing: Vec<Standing>,
    /// The cubes of the module.
    recorded: Recorded,
    /// Settings, which may change from one abstraction to the next.
    pub options: Options,
}

/// A step to abstract: an edge in some code, or the beginning of threads there.
pub(crate) type StepKey = (Code, Option<EdgeId>);

/// The abstraction of a part of a program.
pub(crate) struct Parts {
    /// First values of the predicates that exist before threads start.
    pub(crate) initial: Vec<(Variable, Value)>,
    /// The steps.
    pub(crate) steps: FxHashMap<StepKey, AbstractStep>,
    /// What no two threads have together.
    pub(crate) never: Vec<Cube>,
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
        let recorded = Recorded::new(module, &predicates);
        let exclusions = Exclusions::default();
        let standing = Vec::new();
        Self {
            recorded,
            symbols,
            module,
            automaton,
            strengthener,
            predicates,
            exclusions,
            standing,
            options,
        }
    }

    /// The vocabulary of the module.
    #[must_use]
    pub fn given(&self) -> Vec<PredicateId> {
        (0..).map(PredicateId).take(self.module.predicates.len()).collect()
    }

    /// What is said in an abstraction over a vocabulary of where threads stand.
    pub(crate) fn standing(&self, vocabulary: &[PredicateId]) -> Vec<Standing> {
        let is_said = |standing: &&Standing| vocabulary.contains(&standing.literal.0);
        let is_aware = self.options.mode == Mode::SymmetryAware;
        self.standing.iter().filter(is_said).filter(|_| is_aware).cloned().collect()
    }

    /// The abstraction of some steps over a vocabulary, and of the initial state; `None` if a limit or
    /// the budget of the strengthener ended its making.
    pub(crate) fn parts(
        &mut self,
        vocabulary: &[PredicateId],
        wanted: &[StepKey],
    ) -> Option<Parts> {
        let tracked = self.predicates.tracked(vocabulary);
        let quantified = self.predicates.quantified(vocabulary, self.options.mode);
        let begun = wanted.iter().filter(|(_, edge)| edge.is_none());
        let mut planner = Planner {
            symbols: &mut self.symbols,
            automaton: self.automaton,
            strengthener: &mut self.strengthener,
            tracked: &tracked,
            quantified: &quantified,
            predicates: &self.predicates,
            codes: begun.map(|(code, _)| *code).collect(),
            options: self.options,
            recorded: &self.recorded,
        };
        let mut contradictions = FxHashMap::default();
        let mut plans = Vec::with_capacity(wanted.len());
        for &(code, edge) in wanted {
            if planner.strengthener.is_over() {
                return None;
            }
            let root = code.root;
            contradictions.entry(root).or_insert_with(|| planner.contradictions(root));
            plans.push(match edge {
                Some(edge) => planner.edge(edge, code.slot),
                None => planner.start(code),
            });
        }
        let initial = planner.initial_values();
        let meetings = planner.meetings();
        let steps = plans.iter().flat_map(StepPlan::questions);
        let questions = contradictions.values().chain(steps);
        let questions = questions.chain(initial.iter().flat_map(ValuePlan::questions));
        let questions = questions.chain(meetings.iter().map(Meeting::question));
        if !self.strengthener.solve(&self.symbols.store, questions) {
            return None;
        }
        let answers = &self.strengthener;
        let standing = self.standing(vocabulary);
        let answer = |(root, question): (usize, _)| (root, answers.answer(&question));
        let contradictions: FxHashMap<usize, Vec<Cube>> =
            contradictions.into_iter().map(answer).collect();
        let step = |(&(code, edge), plan): (&StepKey, StepPlan)| {
            let exclusions = edge.and_then(|edge| self.exclusions.get(&edge));
            let exclusions = exclusions.map_or(&[][..], Vec::as_slice);
            let impossible = &contradictions[&code.root];
            let mut step = plan.assemble(answers, code.root, impossible, exclusions, &tracked);
            standing.iter().for_each(|s| s.follow(self.automaton, (code, edge), &mut step));
            ((code, edge), step)
        };
        Some(Parts {
            initial: initial.iter().map(|value| value.value(answers)).collect(),
            steps: wanted.iter().zip(plans).map(step).collect(),
            never: meetings
                .iter()
                .flat_map(|meeting| meeting.cubes(answers))
                .chain(standing.iter().map(Standing::never))
                .collect(),
        })
    }
}
