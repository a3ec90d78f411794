//! `extrapolate-predicates`, `extrapolate-cubes`, `drop-buffer-cubes`: from what proves a program under sequential
//! consistency to what may prove it with store buffers (Dan, Meshman, Vechev, Yahav, "Predicate
//! Abstraction for Relaxed Memory Models", SAS 2013, sections 4 and 5; CUPEX).
//!
//! Predicates and cubes are candidates: the abstraction asks for each what it says. So these passes
//! cannot make a wrong proof, whatever they add or leave out.
//!
//! | file | holds |
//! | --- | --- |
//! | `buffers` | which buffers a module's code has |
//! | `lift` | expressions over memory as expressions over what waits |
//! | `predicates` | Rules 1 to 7 for predicates |
//! | `cubes` | the same for cubes, and cubes without what waits |

mod buffers;
mod cubes;
mod lift;
mod predicates;

pub use cubes::{DROP, EXTRAPOLATE as CUBES};
pub use predicates::PASS as PREDICATES;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    Entity, Expression, FunctionId, MemoryModel, Module, Predicate, VariableId, c_text::c_text,
};

use self::buffers::{Buffer, is_defined, variables};
use self::lift::Rules;
use crate::analysis::points_to::PointsTo;
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec, Options};
use crate::pass::Context;

const RULE_5: OptionSpec = OptionSpec {
    name: "rule5",
    kind: OptionKind::Switch(true),
    summary: "nothing is said of waiting stores to what the thread never stores to",
};

const RULE_6: OptionSpec = OptionSpec {
    name: "rule6",
    kind: OptionKind::Switch(true),
    summary: "one shared variable is replaced by the same waiting store wherever it occurs",
};

const RULE_7: OptionSpec = OptionSpec {
    name: "rule7",
    kind: OptionKind::Switch(false),
    summary: "one shared variable at most is replaced, as where a fence is between any two stores",
};

/// The rules that options choose about what is replaced together.
fn rules(options: &Options) -> Rules {
    Rules {
        stored_only: options.switch(RULE_5.name),
        one_version: options.switch(RULE_6.name),
        one_variable: options.switch(RULE_7.name),
    }
}

/// The buffers of a module that is to have some.
///
/// # Errors
/// It has none, or its predicates are over buffers that it does not have, or a limit ends it.
fn buffers(
    module: &Module,
    pass: &'static str,
    points_to: &PointsTo,
    context: &Context<'_>,
) -> Result<Vec<Buffer>, PassError> {
    if module.memory == MemoryModel::Sc {
        let message =
            "the module has no store buffers, it says `memory sc`: run 'tso' or 'pso' before";
        return Err(PassError::new(pass, module, Entity::Module, message));
    }
    let buffers = Buffer::all(module, points_to, context.limits)?;
    for predicate in &module.predicates {
        if let Some((function, variable)) = missing(module, &predicate.expression) {
            let of = module.function(function);
            let name = of.variables.get(variable.index()).map_or("?", |found| found.name.as_str());
            let message = format!(
                "the predicate `{}` is over `{name}`, but no store of `{}` waits there: the buffer has \
                 fewer entries, or is of another thread or model",
                predicate.text, of.name
            );
            return Err(PassError::new(pass, module, Entity::Function(function), message));
        }
    }
    Ok(buffers)
}

/// A variable that is called as one of a buffer, and is none.
fn missing(module: &Module, expression: &Expression) -> Option<(FunctionId, VariableId)> {
    let mut found = None;
    expression.for_each(&mut |e| {
        if let Expression::Variable { function, variable } = e
            && let Some(of) = module.functions.get(function.index())
            && !is_defined(of, *variable)
            && variables(module, of).any(|(id, _)| id == *variable)
        {
            found = found.or(Some((*function, *variable)));
        }
    });
    found
}

/// The vocabulary of a module, to which predicates are added.
struct Vocabulary {
    places: FxHashMap<Expression, u32>,
    /// How many predicates there were.
    before: usize,
    added: Vec<Expression>,
}

impl Vocabulary {
    fn of(module: &Module) -> Self {
        let places =
            module.predicates.iter().map(|predicate| predicate.expression.clone()).zip(0..);
        let before = module.predicates.len();
        Self { places: places.collect(), before, added: Vec::new() }
    }

    /// The place of a predicate, which is added if it is not there.
    fn place(&mut self, expression: Expression) -> u32 {
        let next = self.before + self.added.len();
        let next = u32::try_from(next).expect("predicates fit in memory");
        if let Some(&place) = self.places.get(&expression) {
            return place;
        }
        self.places.insert(expression.clone(), next);
        self.added.push(expression);
        next
    }

    /// Adds predicates that are not there.
    fn extend(&mut self, expressions: impl IntoIterator<Item = Expression>) {
        for expression in expressions {
            self.place(expression);
        }
    }

    /// Puts what was added into the module; whether that was anything.
    fn add_to(self, module: &mut Module) -> bool {
        for expression in &self.added {
            let text = c_text(module, expression);
            module.predicates.push(Predicate { expression: expression.clone(), text });
        }
        !self.added.is_empty()
    }
}
