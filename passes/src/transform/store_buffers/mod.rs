//! `tso` and `pso`: the store buffers of a memory model become a part of the code, so that what was
//! executed under that model is executed under sequential consistency (docs/memory-models.md).
//!
//! The idea is that of Dan, Meshman, Vechev, Yahav, "Predicate Abstraction for Relaxed Memory
//! Models" (SAS 2013), section 3, who keep buffers in variables, bounded (`variables.rs`). By default
//! it is control here that knows which stores wait (`control/`).

mod access;
mod aggregate;
mod alone;
mod buffering;
mod code;
mod control;
mod delays;
mod effect;
mod fences;
mod pause;
mod print_delays;
mod queue;
mod rules;
mod sections;
mod shape;
mod variables;

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{
    BlockId, Entity, Expression, Function, FunctionId, Instruction, MemoryModel, Module, NameId,
    Op, Operand, ValueId, mnemonic,
};
use sapa_limits::Limits;

use self::alone::Alone;
use self::effect::Reader;
use self::rules::Rules;
use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};
use crate::transform::recursion::has_calls_as_threads;

pub use buffering::{Buffering, buffering};
pub use delays::is_robust;
pub use fences::{Candidate, Place, insert, places};
pub use print_delays::PASS as PRINT_DELAYS;
pub use queue::Held;
pub use rules::{OVERFLOW, Overflow};

const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "layout",
        kind: OptionKind::Word(&["control", "variables"]),
        summary: "which stores wait is in the control flow, or in variables, which needs k",
    },
    OptionSpec {
        name: "k",
        kind: OptionKind::Number(0),
        summary: "most stores that wait: of a thread (tso), or of a thread and a place (pso); 0: any number, \
                  with overflow=summary as long as the code sets a bound",
    },
    OptionSpec {
        name: "overflow",
        kind: OptionKind::Word(Overflow::WORDS),
        summary: "a store that would be one more fails an assertion (assert), waits for room (wait), or has an \
                  older one to the same object forgotten (summary, with layout=control: any number waits, and \
                  some runs are too many)",
    },
    OptionSpec {
        name: "delays",
        kind: OptionKind::Switch(false),
        summary: "with layout=control only a store that others may see to wait (print-delays) is the first to wait:                   fewer shapes of buffers, and more steps",
    },
];

/// Total store order.
pub const TSO: Pass = Pass {
    name: "tso",
    summary: "make the store buffers of x86 (total store order) a part of the code",
    options: OPTIONS,
    preserves: &[],
    run: Run::Module(|module, context| run(module, context, TSO.name, MemoryModel::Tso)),
};

/// Partial store order.
pub const PSO: Pass = Pass {
    name: "pso",
    summary: "make the store buffers of SPARC's partial store order a part of the code",
    options: OPTIONS,
    preserves: &[],
    run: Run::Module(|module, context| run(module, context, PSO.name, MemoryModel::Pso)),
};

/// What a store is a part of that reaches memory, in reports.
pub const FLUSH: &str = "reaches memory";

/// What the copy of a value is a part of by which a store begins to wait, and that of its address
/// before, if it waits with one.
pub const WAITS: &str = "waits";

/// Whether a module has code of store buffers that forgets some of what waits
/// ([`Overflow::Summary`]), so that not all of its runs are runs of the program.
#[must_use]
pub fn has_forgotten(module: &Module) -> bool {
    let Some(flush) = module.names.iter().position(|name| name == FLUSH).map(NameId::new) else {
        return false;
    };
    let mut code = module.functions.iter().flat_map(Function::instructions);
    code.any(|instruction| {
        matches!(instruction.op, Op::Nondet { unmodelled: Some(_) })
            && instruction.location.operation == Some(flush)
    })
}

/// A store that waits, as the variable that holds its value has it in its name: `x@2` is the second
/// of those to `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting<'n> {
    /// What is stored to; all stores of a thread to it have the same name, and no others.
    pub name: &'n str,
    /// Which of them it is, from 1; the oldest is the first.
    pub number: usize,
    /// Whether the variable holds the store's address in place of its value.
    pub is_address: bool,
}

impl<'n> Waiting<'n> {
    /// Reads the name of a variable of a function; `None` if it is of no store that waits.
    #[must_use]
    pub fn read(variable: &'n str) -> Option<Self> {
        let (is_address, rest) = match variable.strip_prefix('&') {
            Some(rest) => (true, rest),
            None => (false, variable),
        };
        let (name, number) = rest.rsplit_once('@')?;
        let number = number.trim_end_matches('\'').parse().ok()?;
        Some(Self { name, number, is_address })
    }

    /// The name without what tells it from others.
    #[must_use]
    pub fn plain_name(&self) -> &'n str {
        self.name.trim_end_matches('\'')
    }
}

fn run(
    module: &mut Module,
    context: &mut Context<'_>,
    pass: &'static str,
    model: MemoryModel,
) -> Result<bool, PassError> {
    has_no_buffers(module, pass)?;
    let overflow = Overflow::of(context.options.word("overflow"));
    let in_variables = context.options.word("layout") == "variables";
    if in_variables && overflow == Overflow::Summary {
        let message = "with layout=variables nothing is forgotten of what waits: use layout=control for \
                       overflow=summary, or another overflow";
        return Err(PassError::new(pass, module, Entity::Module, message));
    }
    let bound = match context.options.number("k") {
        0 => None,
        bound => Some(usize::try_from(bound).unwrap_or(usize::MAX)),
    };
    let points_to = context.analyses.get::<PointsTo>(module)?;
    let once = context.analyses.get::<ExecutedOnce>(module)?;
    let (points_to, shared) = split(module, pass, model, &points_to, context.limits)?;
    let (threads, started) = (threads(module), started(module));
    let begin = if !in_variables && context.options.switch("delays") {
        // How many threads there may be at once is not known here.
        let search = delays::Search { pass, model, wait_for_room: true, limits: context.limits };
        let delays = search.of_scalars(module, &points_to, &shared, &once)?;
        Some(delays.into_iter().map(|delay| delay.store).collect::<BTreeSet<_>>())
    } else {
        None
    };
    let (flush, waits) = (module.intern_name(FLUSH), module.intern_name(WAITS));
    let overflows = module.intern_name(OVERFLOW);
    let limits = context.limits;
    let rules = Rules { pass, model, bound, overflow, flush, waits, overflows, limits };
    // The entry function may have other code by now.
    let alone = &Alone::new(module, |entry| started.contains(&entry));
    for id in threads {
        let reader = Reader { pass, model, module, points_to: &points_to, shared: &shared, alone };
        let mut effects = reader.read(id)?;
        if let Some(begin) = &begin {
            effects
                .restrict(|block, index| begin.contains(&Position { function: id, block, index }));
        }
        if in_variables {
            variables::run(module, id, &effects, &rules)?;
        } else {
            let copies = control::run(module, id, &effects, &rules)?;
            follow(module, id, &copies);
        }
    }
    module.memory = model;
    module.room =
        bound.filter(|_| overflow == Overflow::Wait).and_then(|bound| u32::try_from(bound).ok());
    Ok(true)
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    function: FunctionId,
    block: BlockId,
    index: usize,
}

fn has_no_buffers(module: &Module, pass: &'static str) -> Result<(), PassError> {
    let entity = Entity::Module;
    if module.memory != MemoryModel::Sc {
        let word = mnemonic::word(mnemonic::MEMORY, &module.memory);
        let message = format!("the module has buffers already: it says `memory {word}`");
        return Err(PassError::new(pass, module, entity, message));
    }
    if has_calls_as_threads(module) {
        let message = "recursive calls are threads here, which would leave stores that wait behind; \
                       run the pass on a module without the pass 'recursion'";
        return Err(PassError::new(pass, module, entity, message));
    }
    Ok(())
}

/// Makes accesses to scalars of the copies and choices of whole objects, where these wait. What
/// pointers point to, and what is shared, is told anew: allocations have other places in their
/// blocks then.
fn split(
    module: &mut Module,
    pass: &'static str,
    model: MemoryModel,
    points_to: &PointsTo,
    limits: &Limits,
) -> Result<(PointsTo, FxHashSet<Object>), PassError> {
    let shared = points_to.shared(module);
    let threads = threads(module);
    let started = started(module);
    let alone = Alone::new(module, |entry| started.contains(&entry));
    for &id in &threads {
        let touches = |op: &Op| -> BTreeSet<Object> {
            let mut found = BTreeSet::new();
            op.for_each_operand(|operand| found.extend(points_to.targets(id, operand)));
            found
        };
        let is_shared = |object: &Object| object.is_any() || shared.contains(object);
        let old = module.function(id).clone();
        let cfg = Cfg::new(&old);
        let waiting = touched_by_waiting(&old, touches, |position, objects| {
            objects.iter().any(is_shared) && !alone.at(id, position.0, position.1)
        });
        aggregate::split(module, id, pass, |(block, index), op| {
            let objects = touches(op);
            let waits = (waiting.iter().any(|object| object.is_any())
                || objects.iter().any(|object| is_shared(object) || waiting.contains(object)))
                && !alone.at(id, block, index);
            // Where nothing was stored to it yet, an object may begin its life in memory at once:
            // that is before its address gets there. Under PSO it need not be.
            let stores = |instruction: &Instruction| {
                matches!(instruction.op, Op::Store { .. } | Op::CopyMemory { .. }) && {
                    let others = touches(&instruction.op);
                    others.iter().any(|o| o.is_any() || objects.contains(o))
                        || objects.iter().any(|o| o.is_any())
                }
            };
            waits
                && (!matches!(op, Op::HavocMemory { .. })
                    || model == MemoryModel::Pso
                    || before(&old, &cfg, (block, index)).any(stores))
        })?;
    }
    let points_to = PointsTo::within(module, limits)?;
    let shared = points_to.shared(module);
    Ok((points_to, shared))
}

/// The functions that threads execute.
fn threads(module: &Module) -> BTreeSet<FunctionId> {
    started(module).into_iter().chain(module.entry).collect()
}

/// The functions with a body that threads are started with.
fn started(module: &Module) -> BTreeSet<FunctionId> {
    let instructions = module.functions.iter().flat_map(Function::instructions);
    let started = instructions.filter_map(|instruction| match instruction.op {
        Op::Spawn { function: Operand::Function(id), .. } => Some(id),
        _ => None,
    });
    started.filter(|id| module.function(*id).is_defined()).collect()
}

/// The objects that stores which wait may be to: those that `begins` says wait by themselves, and
/// those that may be to the same objects, which must not overtake them.
fn touched_by_waiting(
    function: &Function,
    touches: impl Fn(&Op) -> BTreeSet<Object>,
    begins: impl Fn((BlockId, usize), &BTreeSet<Object>) -> bool,
) -> BTreeSet<Object> {
    let mut found = BTreeSet::new();
    let mut left = Vec::new();
    for (block, data) in function.blocks() {
        for (index, instruction) in data.instructions.iter().enumerate() {
            if matches!(instruction.op, Op::Store { .. } | Op::CopyMemory { .. }) {
                let objects = touches(&instruction.op);
                if begins((block, index), &objects) {
                    found.extend(objects);
                } else {
                    left.push(objects);
                }
            }
        }
    }
    loop {
        let before = found.len();
        left.retain(|objects| {
            let meets = objects.iter().any(|object| found.contains(object));
            if meets {
                found.extend(objects);
            }
            !meets
        });
        if found.len() == before {
            return found;
        }
    }
}

/// The instructions that may be executed before one.
fn before<'f>(
    function: &'f Function,
    cfg: &Cfg,
    (block, index): (BlockId, usize),
) -> impl Iterator<Item = &'f Instruction> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<BlockId> = cfg.predecessors(block).to_vec();
    while let Some(block) = pending.pop() {
        if found.insert(block) {
            pending.extend(cfg.predecessors(block).iter().copied());
        }
    }
    let here = if found.contains(&block) { 0 } else { index };
    let blocks = found.into_iter().flat_map(|block| &function.block(block).instructions);
    blocks.chain(function.block(block).instructions.iter().take(here))
}

/// Predicates over a value are over each of its copies now. Those over several values of the
/// function, whose copies belong together in ways that nothing says, are dropped.
fn follow(module: &mut Module, id: FunctionId, copies: &control::Copies) {
    module.replace_predicates(|predicate| {
        let mut values = BTreeSet::<ValueId>::new();
        predicate.expression.for_each(&mut |e| {
            if let Expression::Value { function, value } = e
                && *function == id
            {
                values.insert(*value);
            }
        });
        let mut values = values.into_iter();
        match (values.next(), values.next()) {
            (None, _) => vec![predicate],
            (Some(value), None) => {
                let copy = |&copy: &ValueId| {
                    let mut predicate = predicate.clone();
                    predicate.expression.for_each_mut(&mut |e| {
                        if let Expression::Value { function, value } = e
                            && *function == id
                        {
                            *value = copy;
                        }
                    });
                    predicate
                };
                copies.get(&value).into_iter().flatten().map(copy).collect()
            }
            (Some(_), Some(_)) => Vec::new(),
        }
    });
}
