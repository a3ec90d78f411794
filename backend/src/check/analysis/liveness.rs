//! Which thread-local variables matter at which location.
//!
//! A local is dead at a location if no execution from there depends on its value: it is
//! overwritten first, or only flows into variables that are dead themselves (faint variables).
//! Engines that set dead locals to 0 after each step keep reachability exact and store far fewer
//! states. Passive threads take part in other threads' broadcasts wherever they stand, so what a
//! broadcast reads of them is live wherever its target is live, and what a passive constraint
//! reads is live everywhere.

mod passive;

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, LocalVar, LocationId, VariableRef,
};
use sapa_limits::Exceeded;

use crate::check::{CheckOptions, UnknownReason};
use passive::{Constrained, Passive};

/// The live locals of each location, before its statement. Locations with the same live locals
/// share one set, as most neighbours do.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// By location: which of the sets.
    live: Vec<u32>,
    sets: Vec<Rc<[u64]>>,
    /// Bytes of all this.
    bytes: usize,
}

/// A set of locals.
type Set = Vec<u64>;

/// How many locations are looked at between tests of the limits, at least.
const INTERVAL: usize = 256;

/// What a shared set takes besides its words: its counts and its place in the table.
const SHARED_SET: usize = 48;

fn insert(set: &mut [u64], variable: LocalVar) {
    set[variable.index() / 64] |= 1 << (variable.index() % 64);
}

fn remove(set: &mut [u64], variable: LocalVar) {
    set[variable.index() / 64] &= !(1 << (variable.index() % 64));
}

fn contains(set: &[u64], variable: LocalVar) -> bool {
    set[variable.index() / 64] >> (variable.index() % 64) & 1 == 1
}

fn unite(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
}

fn read(set: &mut [u64], expression: &FlatExpr) {
    expression.for_each_variable(&mut |variable| {
        if let VariableRef::Local(v) = variable {
            insert(set, v);
        }
    });
}

impl Liveness {
    /// The least solution of the dataflow equations, by a worklist.
    ///
    /// # Errors
    /// The time or memory limit that was reached before the solution; what there is then is of no
    /// use, as it lacks live locals.
    pub fn new(program: &FlatProgram, options: &CheckOptions) -> Result<Self, UnknownReason> {
        let mut solver = Solver::new(program, options)?;
        solver.solve()?;
        Ok(solver.finish())
    }

    /// Whether the value of a local can matter to a thread that stands at the location.
    pub fn is_live(&self, location: LocationId, variable: LocalVar) -> bool {
        contains(self.at(location), variable)
    }

    /// How many different sets there are.
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// The number of the location's set of live locals, below [`sets`](Liveness::sets).
    pub fn set_at(&self, location: LocationId) -> usize {
        self.live[location.index()] as usize
    }

    /// The live locals as a bit set: variable `v` is bit `v % 64` of word `v / 64`.
    pub fn at(&self, location: LocationId) -> &[u64] {
        &self.sets[self.set_at(location)]
    }

    /// How many bytes it takes, approximately.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The solution so far.
#[derive(Debug)]
struct Facts {
    /// Words of a set.
    width: usize,
    /// By location. What is the same is shared.
    live: Vec<Rc<[u64]>>,
    /// Locals that are live somewhere.
    somewhere: Set,
}

impl Facts {
    fn at(&self, location: LocationId) -> &[u64] {
        &self.live[location.index()]
    }

    /// What is live before a statement, given what is live after it.
    fn before(&self, statement: &FlatStatement) -> Set {
        let mut set = vec![0; self.width];
        for next in statement.successors() {
            unite(&mut set, self.at(*next));
        }
        match statement {
            FlatStatement::Assume { condition, .. } | FlatStatement::Assert { condition, .. } => {
                read(&mut set, condition);
            }
            // The new thread gets a copy of the locals.
            FlatStatement::StartThread { entry, .. } => unite(&mut set, self.at(*entry)),
            FlatStatement::Assign { assignment, .. } => {
                self.before_assignment(&mut set, assignment);
            }
            _ => {}
        }
        set
    }

    /// Turns what is live after an assignment into what is live before it.
    fn before_assignment(&self, set: &mut [u64], assignment: &Assignment) {
        let constrained = Constrained::new(self.width, assignment);
        // Which values matter is asked before any target is removed or value read.
        let matters: Vec<bool> = assignment
            .local
            .iter()
            .map(|(variable, _)| {
                contains(set, *variable)
                    || constrained.as_ref().is_some_and(|c| contains(&c.next, *variable))
            })
            .collect();
        assignment.local.iter().for_each(|(variable, _)| remove(set, *variable));
        for ((_, value), _) in assignment.local.iter().zip(matters).filter(|(_, matters)| *matters)
        {
            read(set, value);
        }
        assignment.shared.iter().for_each(|(_, value)| read(set, value));
        for (variable, value) in &assignment.broadcast {
            if contains(&self.somewhere, *variable)
                || constrained.as_ref().is_some_and(|c| contains(&c.next_passive, *variable))
            {
                read(set, value);
            }
        }
        if let Some(constrained) = constrained {
            unite(set, &constrained.before);
            // The next value of an unassigned variable is its present one.
            let mut kept = constrained.next;
            assignment.local.iter().for_each(|(variable, _)| remove(&mut kept, *variable));
            unite(set, &kept);
        }
    }
}

/// The worklist algorithm, which keeps to the limits.
struct Solver<'a> {
    program: &'a FlatProgram,
    options: &'a CheckOptions,
    passive: Passive,
    predecessors: Predecessors,
    facts: Facts,
    /// Bytes of all but the sets.
    fixed: usize,
    /// Each set that some location has, or had until the table was last cleaned up.
    known: FxHashMap<Rc<[u64]>, ()>,
    /// How many sets may be known before those that no location has any more are forgotten.
    clean_up_at: usize,
    work: VecDeque<u32>,
    waits: Vec<bool>,
}

impl<'a> Solver<'a> {
    fn new(program: &'a FlatProgram, options: &'a CheckOptions) -> Result<Self, UnknownReason> {
        let width = program.locals.len().div_ceil(64);
        let count = program.locations.len();
        // The fixed part, looked at before it is made.
        let per_location = size_of::<Rc<[u64]>>() + 4 * size_of::<u32>() + size_of::<bool>();
        let per_local = 2 * size_of::<Vec<u32>>();
        let fixed = count * per_location + program.locals.len() * per_local;
        within(options, fixed)?;
        let passive = Passive::new(program, width);
        let everywhere: Rc<[u64]> = Rc::from(passive.everywhere.as_slice());
        let somewhere = passive.everywhere.clone();
        let live = vec![everywhere.clone(); count];
        Ok(Solver {
            program,
            options,
            predecessors: Predecessors::new(program),
            passive,
            facts: Facts { width, live, somewhere },
            fixed,
            known: FxHashMap::from_iter([(everywhere, ())]),
            clean_up_at: 1 << 10,
            // Locations are mostly made last to first, so successors have lower numbers.
            work: (0..count as u32).collect(),
            waits: vec![true; count],
        })
    }

    fn solve(&mut self) -> Result<(), UnknownReason> {
        let mut looked = 0;
        while let Some(at) = self.work.pop_front() {
            if looked % INTERVAL == 0 {
                self.limits()?;
            }
            looked += 1;
            self.waits[at as usize] = false;
            self.visit(at);
        }
        Ok(())
    }

    fn visit(&mut self, at: u32) {
        let program = self.program;
        let statement = &program.locations[at as usize].statement;
        let mut set = self.facts.before(statement);
        let old = &self.facts.live[at as usize];
        unite(&mut set, old);
        if set[..] == old[..] {
            return;
        }
        self.passive.close_over(&mut set, old);
        let new_somewhere = not_in(&set, &self.facts.somewhere);
        unite(&mut self.facts.somewhere, &set);
        self.facts.live[at as usize] = self.shared(set);
        for index in self.predecessors.of(at) {
            push(&mut self.work, &mut self.waits, *index);
        }
        // Broadcasts to what was live nowhere so far now matter.
        for variable in new_somewhere {
            for writer in &self.passive.writers[variable.index()] {
                push(&mut self.work, &mut self.waits, *writer);
            }
        }
    }

    /// The set that all locations share that have these live locals.
    fn shared(&mut self, set: Set) -> Rc<[u64]> {
        if let Some((known, ())) = self.known.get_key_value(set.as_slice()) {
            return known.clone();
        }
        if self.known.len() >= self.clean_up_at {
            self.known.retain(|set, ()| Rc::strong_count(set) > 1);
            self.clean_up_at = (2 * self.known.len()).max(1 << 10);
        }
        let set: Rc<[u64]> = Rc::from(set);
        self.known.insert(set.clone(), ());
        set
    }

    fn bytes(&self) -> usize {
        self.fixed + self.known.len() * (self.facts.width * 8 + SHARED_SET)
    }

    fn limits(&self) -> Result<(), UnknownReason> {
        within(self.options, self.bytes())?;
        self.options.stop().map_or(Ok(()), Err)
    }

    fn finish(&self) -> Liveness {
        let mut numbers: FxHashMap<&[u64], u32> = FxHashMap::default();
        let mut sets = Vec::new();
        let mut live = Vec::with_capacity(self.facts.live.len());
        for set in &self.facts.live {
            let next = sets.len() as u32;
            let number = *numbers.entry(set).or_insert(next);
            if number == next {
                sets.push(set.clone());
            }
            live.push(number);
        }
        let bytes = size_of_val(&*live) + sets.len() * (self.facts.width * 8 + SHARED_SET);
        Liveness { live, sets, bytes }
    }
}

/// Whether a number of bytes is within the limit.
fn within(options: &CheckOptions, bytes: usize) -> Result<(), UnknownReason> {
    match options.memory_limit.filter(|limit| bytes > *limit) {
        Some(_) => Err(UnknownReason::Exceeded(Exceeded::Memory)),
        None => Ok(()),
    }
}

fn push(work: &mut VecDeque<u32>, waits: &mut [bool], location: u32) {
    if !std::mem::replace(&mut waits[location as usize], true) {
        work.push_back(location);
    }
}

/// The members of the first set that are not in the second.
fn not_in(set: &[u64], other: &[u64]) -> Vec<LocalVar> {
    let mut found = Vec::new();
    for (index, (word, other)) in (0u32..).zip(set.iter().zip(other)) {
        let mut new = word & !other;
        while new != 0 {
            found.push(LocalVar(index * 64 + new.trailing_zeros()));
            new &= new - 1;
        }
    }
    found
}

/// The locations before each location; a started thread comes from where it is started.
struct Predecessors {
    /// Where each location's begin in `all`; and the end.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Predecessors {
    fn new(program: &FlatProgram) -> Predecessors {
        let mut starts = vec![0; program.locations.len() + 1];
        edges(program, |_, to| starts[to.index() + 1] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut all = vec![0; sum as usize];
        let mut free = starts.clone();
        edges(program, |from, to| {
            all[free[to.index()] as usize] = from.0;
            free[to.index()] += 1;
        });
        Predecessors { starts, all }
    }

    fn of(&self, location: u32) -> &[u32] {
        let location = location as usize;
        &self.all[self.starts[location] as usize..self.starts[location + 1] as usize]
    }
}

/// Shows each pair of locations such that what is live at the second matters at the first.
fn edges(program: &FlatProgram, mut show: impl FnMut(LocationId, LocationId)) {
    for (at, location) in program.iter() {
        location.statement.successors().iter().for_each(|next| show(at, *next));
        if let FlatStatement::StartThread { entry, .. } = &location.statement {
            show(at, *entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::ThreadBound;
    use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
    use sapa_ir::boolean::parser::parse;

    fn unlimited() -> CheckOptions {
        CheckOptions::new(ThreadBound::Unbounded)
    }

    /// A program with many locals and locations, of which each reads a local if `read`.
    fn large(locals: usize, locations: usize, read: bool) -> FlatProgram {
        let names: Vec<String> = (0..locals).map(|n| format!("l{n}")).collect();
        let mut text = format!("void main() begin decl {}; ", names.join(", "));
        for n in 0..locations {
            let name = &names[n % locals];
            text +=
                &if read { format!("assert({name}); ") } else { format!("{name} := !{name}; ") };
        }
        flatten(&parse(&(text + "assert(l1); end")).unwrap(), &FlattenOptions::default()).unwrap()
    }

    #[test]
    fn locations_share_their_sets() {
        let program = large(2_000, 20_000, false);
        let mut options = unlimited();
        options.memory_limit = Some(2_000_000);
        let liveness = Liveness::new(&program, &options).unwrap();
        assert!(liveness.bytes() < 20_000 * 40, "{}", liveness.bytes());
    }

    #[test]
    fn limits_end_the_analysis() {
        let program = large(1_000, 1_000, true);
        let mut options = unlimited();
        assert!(Liveness::new(&program, &options).is_ok());
        options.memory_limit = Some(100_000);
        assert_eq!(
            Liveness::new(&program, &options).err(),
            Some(UnknownReason::Exceeded(Exceeded::Memory))
        );
        let mut options = unlimited();
        options.limits = sapa_limits::Limits::time(std::time::Duration::ZERO);
        assert_eq!(
            Liveness::new(&program, &options).err(),
            Some(UnknownReason::Exceeded(Exceeded::Time))
        );
    }

    /// The names of the live variables at a label.
    fn live(text: &str, label: &str) -> Vec<String> {
        let program = flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap();
        let liveness = Liveness::new(&program, &unlimited()).unwrap();
        let location = program.labelled(label).next().unwrap();
        (0..program.locals.len())
            .filter(|v| liveness.is_live(location, LocalVar(*v as u32)))
            .map(|v| program.locals[v].name.clone())
            .collect()
    }

    /// Asserts that a set is among what is live at a location.
    #[track_caller]
    fn assert_live(liveness: &Liveness, location: LocationId, set: &[u64]) {
        let missing = liveness.at(location).iter().zip(set).any(|(live, word)| word & !live != 0);
        assert!(!missing, "{location:?} lacks some of {set:?}");
    }

    #[test]
    fn random_programs_satisfy_the_equations() {
        use sapa_ir::boolean::generate::{GenerateOptions, generate};
        let mut broadcasts = 0;
        for seed in 0..500 {
            let program = generate(seed, &GenerateOptions::default());
            let program = flatten(&program, &FlattenOptions::default()).unwrap();
            let options = unlimited();
            let mut solver = Solver::new(&program, &options).unwrap();
            solver.solve().unwrap();
            let (facts, liveness) = (&solver.facts, solver.finish());
            for (at, location) in program.iter() {
                assert_live(&liveness, at, &facts.before(&location.statement));
                let FlatStatement::Assign { assignment, .. } = &location.statement else {
                    continue;
                };
                let constrained = Constrained::new(facts.width, assignment);
                let passive = constrained.as_ref().map_or(&[][..], |c| &c.passive);
                let next_passive = constrained.as_ref().map_or(&[][..], |c| &c.next_passive);
                for (there, _) in program.iter() {
                    assert_live(&liveness, there, passive);
                    for (variable, value) in &assignment.broadcast {
                        let matters = liveness.is_live(there, *variable)
                            || (!next_passive.is_empty() && contains(next_passive, *variable));
                        value.for_each_variable(&mut |read| {
                            if let VariableRef::Passive(source) = read {
                                broadcasts += 1;
                                assert!(!matters || liveness.is_live(there, source));
                            }
                        });
                    }
                }
                assert!((0..program.locals.len() as u32).map(LocalVar).all(|variable| {
                    let somewhere = program.iter().any(|(at, _)| liveness.is_live(at, variable));
                    contains(&facts.somewhere, variable) == somewhere
                }));
            }
        }
        assert!(broadcasts > 1000, "{broadcasts}");
    }

    #[test]
    fn overwritten_and_faint_variables_are_dead() {
        let text = "decl thread_local a, b, c, d;
            void main() begin A: b := c; B: c := a; C: assert(b); D: d := d end";
        assert_eq!(live(text, "A"), ["c"]);
        assert_eq!(live(text, "B"), ["b"]);
        assert!(live(text, "D").is_empty());
    }

    #[test]
    fn started_threads_read_the_copies() {
        let text = "decl thread_local a;
            void main() begin A: start_thread goto B; C: goto E; B: assert(a); E: skip end";
        assert_eq!(live(text, "A"), ["a"]);
        assert!(live(text, "C").is_empty());
    }

    #[test]
    fn broadcasts_read_passive_threads_where_their_target_is_live() {
        let text = "decl thread_local a, b, c;
            void main() begin A: [a] := [b]; B: assert(a); C: skip; D: c := 0; a := 1; goto B end";
        assert_eq!(live(text, "B"), ["a", "b"]);
        // `a` is live wherever the jump back to B is still to come and does not overwrite it.
        assert_eq!(live(text, "D"), ["b"]);
        let constrained = text.replace(":= [b]", ":= * constrain '[a] => [c]");
        assert_eq!(live(&constrained, "D"), ["c"]);
    }

    #[test]
    fn constraints_read_the_next_values_of_what_they_do_not_assign() {
        let text = "decl thread_local a, b;
            void main() begin A: a := * constrain 'a = 'b; B: skip end";
        assert_eq!(live(text, "A"), ["b"]);
        assert!(live(text, "B").is_empty());
    }
}
