//! What can be asked of a program: properties, each with the pass that puts its assertions there.

use std::fmt;

use sapa_ir::goto::Module;
use sapa_limits::Limits;
use thiserror::Error;

use crate::error::PassError;
use crate::pass::Pass;
use crate::pipeline::{Pipeline, Step};
use crate::transform::checks::{
    assertions, bounds, deadlock, division, leaks, overflow, pointers, races, scopes,
};

/// What is assumed of accesses that would be outside objects: such runs are cut off.
pub const VALID_POINTERS: &str = "assuming valid pointers and array indices";

/// What is left of that where accesses are known to lie within objects.
const NO_OTHERS: &str =
    "assuming that no null or dangling pointer is used, and that what is freed was allocated";

/// What is assumed of programs that free memory.
pub const FREED: &str = "assuming that freed memory is not used or allocated again";

/// What is assumed of signed operations, where the module says that they do not overflow.
pub const NO_OVERFLOW: &str = "assuming no signed overflow";

/// What is assumed of operations that C defines for some operands only.
pub const DEFINED: &str = "assuming that divisions and shifts are defined";

/// Something that may be asked of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name in options and reports.
    pub name: &'static str,
    /// What it means that it holds, in one line.
    pub summary: &'static str,
    /// The pass that asserts it. The program's own assertions are there already.
    pub pass: Option<Pass>,
    /// The assumptions that are none where this was proved: every run that they leave out fails here.
    pub settles: &'static [Settled],
}

/// An assumption that a property says something of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The assumption.
    pub assumption: &'static str,
    /// What is left of it.
    pub left: Option<&'static str>,
}

/// That there is no deadlock.
const DEADLOCK: &str = "deadlock";

/// The program's own assertions.
const ASSERTIONS: Property = Property {
    name: "assertions",
    summary: "no assertion of the program itself fails",
    pass: None,
    settles: &[],
};

/// All properties; the order is that of reports, and of the passes.
pub const PROPERTIES: &[Property] = &[
    ASSERTIONS,
    Property {
        name: "bounds",
        summary: "no index is outside its array, and no access through a pointer outside its object",
        pass: Some(bounds::PASS),
        settles: &[Settled { assumption: VALID_POINTERS, left: Some(NO_OTHERS) }],
    },
    Property {
        name: "leaks",
        summary: "what is allocated is freed before the program ends",
        pass: Some(leaks::PASS),
        settles: &[],
    },
    Property {
        name: "pointers",
        summary: "no access is through a null pointer, outside all objects, or to one that has ended; what is freed was allocated, and is freed once",
        pass: Some(pointers::PASS),
        settles: &[
            Settled { assumption: VALID_POINTERS, left: None },
            Settled {
                assumption: FREED,
                left: Some("assuming that freed memory is not allocated again"),
            },
        ],
    },
    Property {
        name: "overflow",
        summary: "no signed arithmetic overflows",
        pass: Some(overflow::PASS),
        settles: &[Settled { assumption: NO_OVERFLOW, left: None }],
    },
    Property {
        name: "division",
        summary: "no division is by zero, and no shift is as far as its operand is wide",
        pass: Some(division::PASS),
        settles: &[Settled { assumption: DEFINED, left: None }],
    },
    Property {
        name: "races",
        summary: "no two threads come to accesses of one place, one of them a write and not both atomic",
        pass: Some(races::PASS),
        settles: &[],
    },
    Property {
        name: DEADLOCK,
        summary: "no state is reached in which all threads wait for ever",
        pass: Some(deadlock::PASS),
        settles: &[],
    },
    Property {
        name: "termination-of-joins",
        summary: "no thread waits for ever for the end of another one where all threads wait for ever",
        pass: Some(deadlock::JOINS),
        settles: &[],
    },
];

/// The properties that are asked for: some of [`PROPERTIES`], in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    asked: Vec<Property>,
}

/// A word that is no property.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no property '{0}'; there are {known} and 'all'", known = Properties::all())]
pub struct UnknownProperty(pub String);

/// The program's own assertions.
impl Default for Properties {
    fn default() -> Self {
        Self { asked: vec![ASSERTIONS] }
    }
}

impl Properties {
    /// All that there are.
    #[must_use]
    pub fn all() -> Self {
        Self { asked: PROPERTIES.to_vec() }
    }

    /// Those with these names.
    ///
    /// # Errors
    /// If there is none of a name.
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Self, UnknownProperty> {
        let names: Vec<&str> = names.into_iter().collect();
        let known = |name: &str| PROPERTIES.iter().any(|property| property.name == name);
        if let Some(unknown) = names.iter().find(|name| !known(name)) {
            return Err(UnknownProperty((*unknown).to_owned()));
        }
        let asked = PROPERTIES.iter().filter(|property| names.contains(&property.name));
        Ok(Self { asked: asked.copied().collect() })
    }

    /// Reads names with commas between them; `all` stands for all.
    ///
    /// # Errors
    /// If there is none of a name.
    pub fn parse(text: &str) -> Result<Self, UnknownProperty> {
        if text.split(',').any(|name| name.trim() == "all") {
            Ok(Self::all())
        } else {
            Self::named(text.split(',').map(str::trim))
        }
    }

    /// Their names.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.asked.iter().map(|property| property.name).collect()
    }

    /// The names of those that are not asked for.
    #[must_use]
    pub fn others(&self) -> Vec<&'static str> {
        let others = PROPERTIES.iter().filter(|property| !self.asked.contains(property));
        others.map(|property| property.name).collect()
    }

    /// Whether one is asked for.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.asked.iter().any(|property| property.name == name)
    }

    /// What is left of an assumption, as some of it may be asserted.
    #[must_use]
    pub fn left_of<'a>(&self, assumption: &'a str) -> Option<&'a str> {
        let settled = self.asked.iter().flat_map(|property| property.settles);
        let mut left = settled.filter(|s| s.assumption == assumption).map(|settled| settled.left);
        let first = left.next().unwrap_or(Some(assumption));
        // One that leaves nothing of it is enough.
        if left.any(|left| left.is_none()) { None } else { first }
    }

    /// The passes that make assertions of what is asked for, and of nothing else. The pass that ends runs where
    /// the program's own assertions fail comes first, as those of the others are asked for. What both `bounds` and
    /// `pointers` would assert is left to `pointers`.
    #[must_use]
    pub fn pipeline(&self) -> Pipeline {
        let ends = (!self.asked.contains(&ASSERTIONS)).then_some(assertions::PASS);
        let passes = ends.into_iter().chain(self.asked.iter().filter_map(|property| property.pass));
        let mut steps: Vec<Step> = passes.map(Step::new).collect();
        let has_pointers = steps.iter().any(|step| step.pass == pointers::PASS);
        for step in steps.iter_mut().filter(|step| has_pointers && step.pass == bounds::PASS) {
            step.options.set_switch(bounds::THROUGH_POINTERS.name, false);
        }
        Pipeline { steps }
    }

    /// The same for each property by itself, with its name. A run that fails none of them fails no two; so the program has all of them if it
    /// has each, given that runs which are undefined otherwise are failures of others that are asked for.
    #[must_use]
    pub fn pipelines(&self) -> Vec<(&'static str, Pipeline)> {
        let joint = self.pipeline();
        let all_deadlocks = self.has(DEADLOCK);
        let asked = self.asked.iter().filter(|property| {
            // That is a part of what the other one asserts.
            !(all_deadlocks && property.pass == Some(deadlock::JOINS))
        });
        let of = |property: &Property| {
            let own = joint.steps.iter().find(|step| Some(step.pass) == property.pass);
            let ends = own.map(|_| Step::new(assertions::PASS));
            let steps = ends.into_iter().chain(own.cloned()).collect();
            (property.name, Pipeline { steps })
        };
        asked.map(of).collect()
    }

    /// Takes what is only said for others than these passes out of a module: whoever does not look for uses of locals that
    /// have ended has no use for where they end.
    pub fn prepare(pipeline: &Pipeline, module: &mut Module) {
        if !pipeline.steps.iter().any(|step| step.pass == pointers::PASS) {
            scopes::forget(module);
        }
    }

    /// Puts assertions into a module, so that it has those that are asked for.
    ///
    /// # Errors
    /// If a pass cannot treat the module, or a limit ends it.
    pub fn assert(&self, module: &mut Module, limits: &Limits) -> Result<(), PassError> {
        let pipeline = self.pipeline();
        Self::prepare(&pipeline, module);
        pipeline.run_within(module, &mut [], limits)
    }
}

impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().join(", "))
    }
}
