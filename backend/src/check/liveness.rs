//! Which thread-local variables matter at which location.
//!
//! A local is dead at a location if no execution from there depends on its value: it is
//! overwritten first, or only flows into variables that are dead themselves (faint variables).
//! Engines that set dead locals to 0 after each step keep reachability exact and store far fewer
//! states. Passive threads take part in other threads' broadcasts wherever they stand, so what a
//! broadcast reads of them is live wherever its target is live, and what a passive constraint
//! reads is live everywhere.

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
    /// The least solution of the dataflow equations, by iteration.
    pub fn new(program: &FlatProgram) -> Self {
        let width = program.locals.len().div_ceil(64);
        let mut this = Liveness {
            width,
            live: vec![0; width * program.locations.len()],
            somewhere: vec![0; width],
        };
        let mut changed = true;
        while changed {
            changed = false;
            // Locations are mostly made last to first, so successors have lower numbers.
            for (location, record) in program.iter() {
                let set = this.before(&record.statement);
                changed |= this.extend(location, &set);
                if let FlatStatement::Assign { assignment, .. } = &record.statement {
                    changed |= this.passive(program, assignment);
                }
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

    fn extend(&mut self, location: LocationId, set: &[u64]) -> bool {
        let start = location.index() * self.width;
        let mut changed = false;
        for (index, word) in set.iter().enumerate() {
            let old = &mut self.live[start + index];
            changed |= *word & !*old != 0;
            *old |= word;
            self.somewhere[index] |= word;
        }
        changed
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

    /// What an assignment reads of passive threads.
    fn passive(&mut self, program: &FlatProgram, assignment: &Assignment) -> bool {
        if !assignment.involves_passive() {
            return false;
        }
        let constrained = Constrained::new(self.width, assignment);
        let mut everywhere = constrained.passive;
        let mut kept = constrained.next_passive.clone();
        let mut flows = Vec::new();
        for (variable, value) in &assignment.broadcast {
            kept[variable.index() / 64] &= !(1 << (variable.index() % 64));
            let mut sources = vec![0; self.width];
            value.for_each_variable(&mut |v| {
                if let VariableRef::Passive(v) = v {
                    insert(&mut sources, v);
                }
            });
            if contains(&constrained.next_passive, *variable) {
                unite(&mut everywhere, &sources);
            } else {
                flows.push((*variable, sources));
            }
        }
        unite(&mut everywhere, &kept);
        let mut changed = false;
        for (location, _) in program.iter() {
            let mut set = everywhere.clone();
            for (variable, sources) in &flows {
                if self.is_live(location, *variable) {
                    unite(&mut set, sources);
                }
            }
            changed |= self.extend(location, &set);
        }
        changed
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
