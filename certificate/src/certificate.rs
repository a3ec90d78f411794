//! What a certificate holds.

use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{FlatProgram, LocalVar, LocationId, SharedVar};

/// What a formula may ask of a configuration and of some of its threads, which have numbers in the
/// order of the clause's slots.
///
/// Besides the program's own variables there is what has happened. That is recorded, and read by
/// nothing in the program, so it changes no run:
/// * `started` – whether a `start_thread` was executed yet;
/// * `held` – whether the thread holds a [`Lock`];
/// * `old` – what a variable was when an atomic section was last begun;
/// * `young` – whether the thread was started within an atomic section, since the last one began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A shared variable.
    Shared(SharedVar),
    /// A shared variable when the last atomic section began.
    OldShared(SharedVar),
    /// Whether a thread was started yet.
    Started,
    /// A local of a thread.
    Local(u8, LocalVar),
    /// A local of a thread when the last atomic section began.
    OldLocal(u8, LocalVar),
    /// Whether a thread holds a lock.
    Held(u8, Lock),
    /// Whether a thread was started since the last atomic section began, within it.
    Young(u8),
}

/// A shared variable as a lock. Who sets it from `free` to the other value holds it from then on, and no more
/// when it sets it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lock {
    /// The variable.
    pub variable: SharedVar,
    /// Its value while nobody holds it.
    pub free: bool,
}

impl Lock {
    /// Both locks that a variable can be.
    pub(crate) fn both(variable: SharedVar) -> [Lock; 2] {
        [false, true].map(|free| Lock { variable, free })
    }

    /// Its place in lists of both locks of all variables.
    pub(crate) fn index(self) -> usize {
        2 * self.variable.index() + usize::from(self.free)
    }
}

/// A formula: a node of [`Certificate::nodes`], or a constant, perhaps negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Formula(u32);

impl Formula {
    /// Holds always.
    pub const TRUE: Formula = Formula(0);
    /// Holds never.
    pub const FALSE: Formula = Formula(1);

    pub(crate) fn of_node(index: usize) -> Formula {
        Formula((index as u32 + 1) << 1)
    }

    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Formula {
        Formula(self.0 ^ 1)
    }

    /// The same, or the opposite.
    #[must_use]
    pub fn negated_if(self, negated: bool) -> Formula {
        Formula(self.0 ^ u32::from(negated))
    }

    /// Whether it is negated; the constant that is negated is 0.
    #[must_use]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Index of the node; `None` for a constant.
    #[must_use]
    pub fn node(self) -> Option<usize> {
        (self.0 >> 1).checked_sub(1).map(|node| node as usize)
    }
}

/// A node of a decision diagram: `atom ? high : low`. Both are constants or earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What is asked.
    pub atom: Atom,
    /// What holds if it is 1.
    pub high: Formula,
    /// What holds if it is 0.
    pub low: Formula,
}

/// Which threads a clause is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum When {
    /// Any, whatever others do.
    Always,
    /// Threads outside atomic sections, while nobody is inside one.
    Free,
    /// The first is inside its atomic section, the others are not.
    Inside,
}

/// Where a thread stands that a clause is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// Anywhere.
    Any,
    /// At one of these locations, which are in rising order.
    At(Vec<LocationId>),
}

impl Slot {
    /// Whether a thread at a location can be meant.
    #[must_use]
    pub fn contains(&self, location: LocationId) -> bool {
        match self {
            Slot::Any => true,
            Slot::At(places) => places.binary_search(&location).is_ok(),
        }
    }
}

/// Whichever different threads stand where the slots say, the formula holds of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Which threads.
    pub when: When,
    /// Where they stand.
    pub slots: Vec<Slot>,
    /// What holds.
    pub formula: Formula,
    /// The line in the certificate's text; 0 if it was not read.
    pub line: u32,
}

/// An invariant of a Boolean program, for any number of threads: all clauses hold in all
/// configurations that can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The [`fingerprint`] of the program.
    pub program: u64,
    /// How the proof was found, in words; for people.
    pub by: String,
    /// The nodes of all formulas.
    pub nodes: Vec<Node>,
    /// The clauses.
    pub clauses: Vec<Clause>,
}

impl Certificate {
    /// One that says nothing.
    #[must_use]
    pub fn new(program: &FlatProgram, by: &str) -> Certificate {
        let (nodes, clauses) = Default::default();
        Certificate { program: fingerprint(program), by: by.to_owned(), nodes, clauses }
    }
}

/// Makes a certificate; equal nodes are one.
#[derive(Debug)]
pub struct Builder {
    certificate: Certificate,
    known: FxHashMap<Node, Formula>,
}

impl Builder {
    /// A certificate of a program without clauses.
    #[must_use]
    pub fn new(program: &FlatProgram, by: &str) -> Builder {
        Builder { certificate: Certificate::new(program, by), known: FxHashMap::default() }
    }

    /// `atom ? high : low`.
    pub fn ite(&mut self, atom: Atom, high: Formula, low: Formula) -> Formula {
        if high == low {
            return high;
        }
        // One of two opposites is kept.
        if high.is_negated() {
            return self.ite(atom, high.negated(), low.negated()).negated();
        }
        let node = Node { atom, high, low };
        let nodes = &mut self.certificate.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            Formula::of_node(nodes.len() - 1)
        })
    }

    /// The literals of a cube, all of which hold, before `rest`.
    pub fn cube(
        &mut self,
        literals: impl DoubleEndedIterator<Item = (Atom, bool)>,
        rest: Formula,
    ) -> Formula {
        literals.rev().fold(rest, |rest, (atom, value)| match value {
            true => self.ite(atom, rest, Formula::FALSE),
            false => self.ite(atom, Formula::FALSE, rest),
        })
    }

    /// The valuations in a list, of these atoms in this order.
    pub fn set(&mut self, atoms: &[Atom], mut valuations: Vec<Vec<bool>>) -> Formula {
        valuations.sort_unstable();
        valuations.dedup();
        self.sorted(atoms, &valuations, 0)
    }

    fn sorted(&mut self, atoms: &[Atom], valuations: &[Vec<bool>], at: usize) -> Formula {
        if valuations.is_empty() {
            return Formula::FALSE;
        }
        let Some(atom) = atoms.get(at) else { return Formula::TRUE };
        let ones = valuations.partition_point(|v| !v.get(at).copied().unwrap_or(false));
        let low = self.sorted(atoms, &valuations[..ones], at + 1);
        let high = self.sorted(atoms, &valuations[ones..], at + 1);
        self.ite(*atom, high, low)
    }

    /// Adds a clause; one that says nothing, or of nobody, is left out.
    pub fn clause(&mut self, when: When, slots: Vec<Slot>, formula: Formula) {
        let is_of_nobody = slots.iter().any(|slot| matches!(slot, Slot::At(at) if at.is_empty()));
        if formula != Formula::TRUE && !is_of_nobody {
            self.certificate.clauses.push(Clause { when, slots, formula, line: 0 });
        }
    }

    /// The certificate.
    #[must_use]
    pub fn finish(self) -> Certificate {
        self.certificate
    }
}

/// A number that tells programs apart: FNV-1a over the flat form's variables and statements, with
/// where they stand in the source. It is for messages; whether the invariant is one of the program is proved.
#[must_use]
pub fn fingerprint(program: &FlatProgram) -> u64 {
    struct Hash(u64);
    impl std::fmt::Write for Hash {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            for byte in text.bytes() {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
            Ok(())
        }
    }
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    // Writing to it does not fail.
    let _ = std::fmt::write(
        &mut hash,
        format_args!(
            "{:?}{:?}{:?}{:?}",
            program.shared, program.locals, program.entry, program.invariants
        ),
    );
    for location in &program.locations {
        let _ = std::fmt::write(
            &mut hash,
            format_args!("{:?}{:?}", location.statement, location.position),
        );
    }
    hash.0
}
