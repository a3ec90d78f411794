//! Which thread-local variables matter at which location.
//!
//! A local is dead at a location if no execution from there depends on its value: it is
//! overwritten first, or only flows into variables that are dead themselves (faint variables).
//! Engines that set dead locals to 0 after each step keep reachability exact and store far fewer
//! states. Passive threads take part in other threads' broadcasts wherever they stand, so what a
//! broadcast reads of them is live wherever its target is live, and what a passive constraint
//! reads is live everywhere.

use std::collections::VecDeque;

use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, LocalVar, LocationId, VariableRef,
};

/// The live locals of each location, before its statement.
#[derive(Clone, Debug)]
pub struct Liveness {
    width: usize,
    /// `width` words a location.
    live: Vec<u64>,
    /// Locals that are live somewhere.
    somewhere: Vec<u64>,
}

/// A set of locals.
type Set = Vec<u64>;

fn insert(set: &mut [u64], variable: LocalVar) {
    set[variable.index() / 64] |= 1 << (variable.index() % 64);
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
    pub fn new(program: &FlatProgram) -> Self {
        let width = program.locals.len().div_ceil(64);
        let passive = Passive::new(program, width);
        let count = program.locations.len();
        let mut this = Liveness {
            width,
            live: passive.everywhere.repeat(count),
            somewhere: passive.everywhere.clone(),
        };
        let predecessors = predecessors(program);
        // Locations are mostly made last to first, so successors have lower numbers.
        let mut work: VecDeque<usize> = (0..count).collect();
        let mut waits = vec![true; count];
        while let Some(at) = work.pop_front() {
            waits[at] = false;
            let set = this.before(&program.locations[at].statement);
            let mut grown = this.extend(at, set, &passive.sources);
            let mut again = |location: &usize| {
                if !std::mem::replace(&mut waits[*location], true) {
                    work.push_back(*location);
                }
            };
            if !grown.is_empty() {
                predecessors[at].iter().for_each(&mut again);
            }
            // Broadcasts to what was live nowhere so far now matter.
            grown.retain(|variable| !contains(&this.somewhere, *variable));
            for variable in grown {
                insert(&mut this.somewhere, variable);
                passive.writers[variable.index()].iter().for_each(&mut again);
            }
        }
        this
    }

    /// Whether the value of a local can matter to a thread that stands at the location.
    pub fn is_live(&self, location: LocationId, variable: LocalVar) -> bool {
        contains(self.at(location), variable)
    }

    /// The live locals as a bit set: variable `v` is bit `v % 64` of word `v / 64`.
    pub fn at(&self, location: LocationId) -> &[u64] {
        let start = location.index() * self.width;
        &self.live[start..start + self.width]
    }

    /// Adds a set, and what flows into it by broadcasts, at a location; the locals that are new.
    fn extend(&mut self, at: usize, set: Set, sources: &[Vec<LocalVar>]) -> Vec<LocalVar> {
        let live = &mut self.live[at * self.width..(at + 1) * self.width];
        let mut grown = Vec::new();
        for (index, (old, word)) in live.iter_mut().zip(set).enumerate() {
            let mut new = word & !*old;
            *old |= word;
            while new != 0 {
                grown.push(LocalVar(index as u32 * 64 + new.trailing_zeros()));
                new &= new - 1;
            }
        }
        let mut next = 0;
        while let Some(variable) = grown.get(next).copied() {
            next += 1;
            for &source in &sources[variable.index()] {
                if !contains(live, source) {
                    insert(live, source);
                    grown.push(source);
                }
            }
        }
        grown
    }

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
                let after = set.clone();
                for (variable, _) in &assignment.local {
                    set[variable.index() / 64] &= !(1 << (variable.index() % 64));
                }
                let constrained = Constrained::new(self.width, assignment);
                for (variable, value) in &assignment.local {
                    if contains(&after, *variable) || contains(&constrained.next, *variable) {
                        read(&mut set, value);
                    }
                }
                assignment.shared.iter().for_each(|(_, value)| read(&mut set, value));
                for (variable, value) in &assignment.broadcast {
                    if contains(&self.somewhere, *variable)
                        || contains(&constrained.next_passive, *variable)
                    {
                        read(&mut set, value);
                    }
                }
                unite(&mut set, &constrained.before);
                // The next value of an unassigned variable is its present one.
                let mut kept = constrained.next;
                for (variable, _) in &assignment.local {
                    kept[variable.index() / 64] &= !(1 << (variable.index() % 64));
                }
                unite(&mut set, &kept);
            }
            _ => {}
        }
        set
    }
}

/// The locations before each location; a started thread comes from where it is started.
fn predecessors(program: &FlatProgram) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); program.locations.len()];
    for (at, location) in program.iter() {
        let entry = match &location.statement {
            FlatStatement::StartThread { entry, .. } => Some(entry),
            _ => None,
        };
        for next in location.statement.successors().iter().chain(entry) {
            predecessors[next.index()].push(at.index());
        }
    }
    predecessors
}

/// How the broadcasts of a program use the locals of passive threads.
struct Passive {
    /// What constraints read.
    everywhere: Set,
    /// For each local, the others that broadcasts compute it from.
    sources: Vec<Vec<LocalVar>>,
    /// For each local, the locations of the broadcasts to it.
    writers: Vec<Vec<usize>>,
}

impl Passive {
    fn new(program: &FlatProgram, width: usize) -> Passive {
        let count = program.locals.len();
        let mut this = Passive {
            everywhere: vec![0; width],
            sources: vec![Vec::new(); count],
            writers: vec![Vec::new(); count],
        };
        for (at, location) in program.iter() {
            if let FlatStatement::Assign { assignment, .. } = &location.statement
                && assignment.involves_passive()
            {
                this.add(at, assignment);
            }
        }
        for sources in &mut this.sources {
            sources.sort_unstable();
            sources.dedup();
        }
        this.close();
        this
    }

    /// What flows into what is read everywhere is read everywhere.
    fn close(&mut self) {
        let read = |local: &LocalVar| contains(&self.everywhere, *local);
        let locals = (0..self.sources.len() as u32).map(LocalVar);
        let mut work: Vec<LocalVar> = locals.filter(read).collect();
        while let Some(local) = work.pop() {
            for &source in &self.sources[local.index()] {
                if !contains(&self.everywhere, source) {
                    insert(&mut self.everywhere, source);
                    work.push(source);
                }
            }
        }
    }

    fn add(&mut self, at: LocationId, assignment: &Assignment) {
        let constrained = Constrained::new(self.everywhere.len(), assignment);
        // The next value of an unassigned variable is its present one.
        let mut kept = constrained.next_passive.clone();
        for (variable, value) in &assignment.broadcast {
            kept[variable.index() / 64] &= !(1 << (variable.index() % 64));
            self.writers[variable.index()].push(at.index());
            value.for_each_variable(&mut |read| {
                let VariableRef::Passive(source) = read else { return };
                if contains(&constrained.next_passive, *variable) {
                    insert(&mut self.everywhere, source);
                } else {
                    self.sources[variable.index()].push(source);
                }
            });
        }
        unite(&mut self.everywhere, &constrained.passive);
        unite(&mut self.everywhere, &kept);
    }
}

/// The locals that the constraints of an assignment mention.
struct Constrained {
    before: Set,
    next: Set,
    passive: Set,
    next_passive: Set,
}

impl Constrained {
    fn new(width: usize, assignment: &Assignment) -> Self {
        let mut this = Constrained {
            before: vec![0; width],
            next: vec![0; width],
            passive: vec![0; width],
            next_passive: vec![0; width],
        };
        let constraints = assignment.constraint.iter().chain(&assignment.passive_constraint);
        for constraint in constraints {
            constraint.for_each_variable(&mut |variable| match variable {
                VariableRef::Local(v) => insert(&mut this.before, v),
                VariableRef::NextLocal(v) => insert(&mut this.next, v),
                VariableRef::Passive(v) => insert(&mut this.passive, v),
                VariableRef::NextPassive(v) => insert(&mut this.next_passive, v),
                VariableRef::Shared(_) | VariableRef::NextShared(_) => {}
            });
        }
        this
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
    use sapa_ir::boolean::parser::parse;

    /// The names of the live variables at a label.
    fn live(text: &str, label: &str) -> Vec<String> {
        let program = flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap();
        let liveness = Liveness::new(&program);
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
            let liveness = Liveness::new(&program);
            for (at, location) in program.iter() {
                assert_live(&liveness, at, &liveness.before(&location.statement));
                let FlatStatement::Assign { assignment, .. } = &location.statement else {
                    continue;
                };
                let constrained = Constrained::new(liveness.width, assignment);
                for (there, _) in program.iter() {
                    assert_live(&liveness, there, &constrained.passive);
                    for (variable, value) in &assignment.broadcast {
                        let matters = liveness.is_live(there, *variable)
                            || contains(&constrained.next_passive, *variable);
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
                    contains(&liveness.somewhere, variable) == somewhere
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
