//! From the syntax tree to the flat form: names resolved, calls inlined, structure lowered.

mod assignment;
mod call;
mod joined;
mod recursion;
mod statement;

use super::ast::{
    Expression, Invariant, Position, Procedure, Program, Statement, StatementKind, Variable,
};
use super::error::Error;
use super::flat::{
    Assignment, FlatExpr, FlatInvariant, FlatProgram, FlatStatement, FlatVariable, Initial,
    LocalVar, Location, LocationId, ProcedureId, SharedVar, VariableRef,
};
use assignment::after_step;
use joined::joined_names;
use recursion::{Cycles, Levels, Unmade, WithThreads};
pub use recursion::{Recursion, is_recursive};
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_limits::Limits;

/// How a program is read.
#[derive(Clone, Debug)]
pub struct FlattenOptions {
    /// Variables without initial value start with 0 instead of either value.
    pub zero_initialised: bool,
    /// Reaching a statement with one of these labels is an error.
    pub error_labels: Vec<String>,
    /// The most locations the flat program may have.
    pub max_locations: usize,
    /// The largest size of all statements together, see [`FlatStatement::size`].
    pub max_size: usize,
    /// What becomes of recursive calls.
    pub recursion: Recursion,
    /// How long to go on.
    pub limits: Limits,
}

impl Default for FlattenOptions {
    fn default() -> Self {
        FlattenOptions {
            zero_initialised: false,
            error_labels: vec!["SLIC_ERROR".into()],
            max_locations: 1 << 20,
            max_size: 1 << 23,
            recursion: Recursion::Refused,
            limits: Limits::default(),
        }
    }
}

/// Deepest chain of calls that is inlined.
const MAX_CALL_DEPTH: usize = 100;

/// How deep statements may nest, those of inlined calls within the calls; keeps the stack small on
/// hostile input. A level takes about 1.5 kB of it where little is optimised.
const MAX_DEPTH: usize = 1000;

/// Flattens a program.
///
/// # Errors
/// The first name, arity or placement error, recursion that is refused, a program that gets too large, or a limit
/// that ends the work.
pub fn flatten(program: &Program, options: &FlattenOptions) -> Result<FlatProgram, Error> {
    let mut flattener = Flattener::declare(program, options)?;
    let main = flattener.procedure("main", Position::default())?;
    // Nobody gives the parameters of `main` values when the program starts, so they have those of
    // variables without initial value; its results are dropped as those of other threads are.
    let here = Place::new(main, program.procedures[main].position);
    let end = flattener.emit(here, FlatStatement::EndThread)?;
    let mut entry = flattener.instance(main, end)?;
    // Initial values that are no constants are assigned before anything else runs.
    for global in program.globals.iter().rev() {
        let value = match &global.initial {
            None | Some(Expression::Constant(_) | Expression::Nondet) => continue,
            Some(value) => value,
        };
        let here = Place { names: Names::Globals, ..Place::new(main, global.position) };
        let value = flattener.expression(here, value, Allowed::Active)?;
        let mut assignment = Assignment::default();
        flattener.set(here, &mut assignment, &global.name, value)?;
        entry = flattener.emit(here, FlatStatement::Assign { assignment, next: entry })?;
    }
    flattener.make_the_rest()?;
    let invariant = |invariant: &Invariant| {
        let here = Place { names: Names::Globals, ..Place::new(main, invariant.position) };
        let condition = flattener.expression(here, &invariant.condition, Allowed::Invariant)?;
        Ok(FlatInvariant { condition, position: invariant.position })
    };
    let invariants = program.invariants.iter().map(invariant).collect::<Result<Vec<_>, Error>>()?;
    flattener.finish_threads(&invariants)?;
    Ok(FlatProgram {
        shared: flattener.shared,
        locals: flattener.locals,
        invariants,
        locations: flattener.locations,
        procedures: program.procedures.iter().map(|p| p.name.clone()).collect(),
        heads: program.procedures.iter().map(|p| p.position).collect(),
        entry,
    })
}

#[derive(Clone, Copy)]
enum Slot {
    Shared(SharedVar),
    Local(LocalVar),
}

/// Where a location is made, and how names are read there.
#[derive(Clone, Copy)]
struct Place {
    frame: usize,
    names: Names,
    position: Position,
}

/// What a name can mean.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    /// Globals only: in invariants and the initial values of globals; no procedure's locals hide them.
    Globals,
    /// The locals of the procedure first.
    Procedure,
}

impl Place {
    fn new(frame: usize, position: Position) -> Self {
        Place { frame, names: Names::Procedure, position }
    }
}

/// Which variables an expression may mention.
#[derive(Clone, Copy, PartialEq)]
enum Allowed {
    Active,
    Passive,
    Constraint,
    /// All threads' variables, and no choice.
    Invariant,
}

/// What a block needs to know about the procedure instance around it.
struct Instance {
    exit: LocationId,
    labels: FxHashMap<String, LocationId>,
    gotos: Vec<(LocationId, Vec<String>, Position)>,
}

struct Flattener<'a> {
    program: &'a Program,
    options: &'a FlattenOptions,
    globals: FxHashMap<&'a str, Slot>,
    /// Which procedure's variables each frame has. The first frames are the procedures themselves;
    /// further ones are those of recursive calls ([`Recursion::Depth`]).
    procedure_of: Vec<usize>,
    /// Parameters and locals of each frame.
    scopes: Vec<FxHashMap<&'a str, Slot>>,
    /// Names that mean the same variable in all procedures that declare them, once one has.
    joined: FxHashMap<&'a str, Option<LocalVar>>,
    results: Vec<Vec<LocalVar>>,
    procedures: FxHashMap<&'a str, usize>,
    shared: Vec<FlatVariable>,
    locals: Vec<FlatVariable>,
    locations: Vec<Location>,
    /// The size of all statements so far.
    size: usize,
    stack: Vec<usize>,
    /// How many statements are being flattened, each within the one before.
    depth: usize,
    /// Where threads that run a procedure start: one copy of each, whoever starts it.
    spawned: FxHashMap<usize, LocationId>,
    /// Copies of procedures that are still to be made.
    unmade: Vec<Unmade>,
    /// The calls within cycles of calls, where these are not refused.
    cycles: Cycles,
    /// What there is of recursive calls as threads.
    threads: WithThreads,
    /// What there is of recursive calls up to a depth.
    levels: Levels,
}

impl<'a> Flattener<'a> {
    fn declare(program: &'a Program, options: &'a FlattenOptions) -> Result<Self, Error> {
        let mut this = Flattener {
            program,
            options,
            globals: FxHashMap::default(),
            scopes: Vec::new(),
            procedure_of: Vec::new(),
            joined: joined_names(program)?.into_iter().map(|name| (name, None)).collect(),
            results: Vec::new(),
            procedures: FxHashMap::default(),
            shared: Vec::new(),
            locals: Vec::new(),
            locations: Vec::new(),
            size: 0,
            stack: Vec::new(),
            depth: 0,
            spawned: FxHashMap::default(),
            unmade: Vec::new(),
            cycles: Cycles::default(),
            threads: WithThreads::default(),
            levels: Levels::default(),
        };
        for global in &program.globals {
            let initial = match &global.initial {
                Some(Expression::Constant(true)) => Initial::One,
                Some(Expression::Constant(false)) => Initial::Zero,
                None if options.zero_initialised => Initial::Zero,
                _ => Initial::Nondet,
            };
            let variable = FlatVariable { name: global.name.clone(), initial };
            let slot = if global.thread_local {
                this.locals.push(variable);
                Slot::Local(LocalVar(this.locals.len() as u32 - 1))
            } else {
                this.shared.push(variable);
                Slot::Shared(SharedVar(this.shared.len() as u32 - 1))
            };
            if this.globals.insert(&global.name, slot).is_some() {
                return Err(duplicate(global.position, &global.name));
            }
        }
        for (index, procedure) in program.procedures.iter().enumerate() {
            if this.procedures.insert(&procedure.name, index).is_some() {
                return Err(duplicate(procedure.position, &procedure.name));
            }
            this.declare_locals(index, 0)?;
        }
        if options.recursion != Recursion::Refused {
            this.cycles = Cycles::of(program);
            this.refuse_two_of_one_name()?;
        }
        Ok(this)
    }

    fn local(&mut self, procedure: &Procedure, level: u32, name: &str) -> LocalVar {
        // A local's start value matters only where its declaration is jumped over.
        let initial = if self.options.zero_initialised { Initial::Zero } else { Initial::Nondet };
        let mut name = format!("{}::{name}", procedure.name);
        if level > 0 {
            name += &format!("@{level}");
        }
        self.locals.push(FlatVariable { name, initial });
        LocalVar(self.locals.len() as u32 - 1)
    }

    /// The variable that a procedure declares under a name: its own, unless broadcasts mean all
    /// procedures' variables of the name.
    fn declared_local(&mut self, procedure: &Procedure, level: u32, name: &str) -> LocalVar {
        match self.joined.get(name) {
            None => self.local(procedure, level, name),
            Some(Some(variable)) => *variable,
            Some(None) => {
                let variable = self.local(procedure, level, name);
                self.locals[variable.index()].name = format!("*::{name}");
                if let Some(joined) = self.joined.get_mut(name) {
                    *joined = Some(variable);
                }
                variable
            }
        }
    }

    /// Makes the variables of a procedure's frame; the frame.
    fn declare_locals(&mut self, index: usize, level: u32) -> Result<usize, Error> {
        let procedure = &self.program.procedures[index];
        let mut scope = FxHashMap::default();
        for name in &procedure.parameters {
            let slot = Slot::Local(self.declared_local(procedure, level, name));
            if scope.insert(name.as_str(), slot).is_some() {
                return Err(duplicate(procedure.position, name));
            }
        }
        let mut variables = Vec::new();
        declared(&procedure.body, &mut variables);
        for variable in variables {
            let slot = Slot::Local(self.declared_local(procedure, level, &variable.name));
            if scope.insert(variable.name.as_str(), slot).is_some() {
                return Err(duplicate(variable.position, &variable.name));
            }
        }
        let results = (0..procedure.returns)
            .map(|i| self.local(procedure, level, &format!("return#{i}")))
            .collect();
        self.procedure_of.push(index);
        self.scopes.push(scope);
        self.results.push(results);
        Ok(self.scopes.len() - 1)
    }

    fn procedure(&self, name: &str, position: Position) -> Result<usize, Error> {
        let found = self.procedures.get(name).copied();
        found.ok_or_else(|| Error::new(position, format!("there is no procedure `{name}`")))
    }

    fn slot(&self, here: Place, name: &str) -> Result<Slot, Error> {
        let local = match here.names {
            Names::Globals => None,
            Names::Procedure => self.scopes[here.frame].get(name),
        };
        local.or_else(|| self.globals.get(name)).copied().ok_or_else(|| {
            Error::new(here.position, format!("the variable `{name}` is not declared"))
        })
    }

    fn emit(&mut self, here: Place, statement: FlatStatement) -> Result<LocationId, Error> {
        let limits = &self.options.limits;
        limits.check().map_err(|exceeded| Error::new(here.position, exceeded.to_string()))?;
        if self.locations.len() >= self.options.max_locations {
            let message = format!(
                "the program has more than {} locations after inlining",
                self.options.max_locations
            );
            return Err(Error::new(here.position, message));
        }
        self.grow(here, statement.size())?;
        self.locations.push(Location {
            statement,
            procedure: ProcedureId(self.procedure_of[here.frame] as u32),
            position: here.position,
            labels: Vec::new(),
            origin: None,
        });
        Ok(LocationId(self.locations.len() as u32 - 1))
    }

    /// Counts what statements consist of, as copies of large ones need much more memory than their
    /// locations.
    fn grow(&mut self, here: Place, size: usize) -> Result<(), Error> {
        self.size = self.size.saturating_add(size);
        if self.size > self.options.max_size {
            let message = format!(
                "the program's expressions have more than {} parts after inlining",
                self.options.max_size
            );
            return Err(Error::new(here.position, message));
        }
        Ok(())
    }

    /// One inlined copy of a procedure's body; returns its entry.
    fn instance(&mut self, frame: usize, exit: LocationId) -> Result<LocationId, Error> {
        let source = &self.program.procedures[self.procedure_of[frame]];
        let here = Place::new(frame, source.position);
        if self.stack.contains(&frame) {
            let message = format!("`{}` is recursive, which is not supported", source.name);
            return Err(Error::new(source.position, message));
        }
        if self.stack.len() >= MAX_CALL_DEPTH {
            let message = format!("calls nest more than {MAX_CALL_DEPTH} levels deep");
            return Err(Error::new(source.position, message));
        }
        self.stack.push(frame);
        let tower = self.enter_tower(frame);
        let mut instance = Instance { exit, labels: FxHashMap::default(), gotos: Vec::new() };
        // Without a `return` the results are arbitrary.
        let fall = self.havoc(here, self.results[frame].clone(), exit)?;
        let body = self.block(frame, &source.body, fall, &mut instance, &[])?;
        // Locals that are not declared first could be read before their declaration.
        let mut leading = 0;
        while let Some(statement) = source.body.get(leading)
            && self.declares_first(here, statement)?
        {
            leading += 1;
        }
        let mut late = Vec::new();
        declared(&source.body[leading..], &mut late);
        let late = late
            .into_iter()
            .filter_map(|v| match self.scopes[frame].get(v.name.as_str()) {
                Some(Slot::Local(slot)) => Some(*slot),
                _ => None,
            })
            .collect();
        let entry = self.havoc(here, late, body)?;
        for (location, labels, position) in std::mem::take(&mut instance.gotos) {
            let targets = labels.iter().map(|label| {
                instance.labels.get(label).copied().ok_or_else(|| {
                    let message = format!("there is no label `{label}` in `{}`", source.name);
                    Error::new(position, message)
                })
            });
            let targets = targets.collect::<Result<Vec<_>, _>>()?;
            self.locations[location.index()].statement = FlatStatement::Goto { targets };
        }
        self.leave_tower(tower);
        self.stack.pop();
        Ok(entry)
    }

    /// Whether whoever enters the procedure executes this declaration, and it reads no local.
    fn declares_first(&self, here: Place, statement: &Statement) -> Result<bool, Error> {
        let StatementKind::Declare(variables) = &statement.kind else { return Ok(false) };
        let mut reads_local = false;
        for initial in variables.iter().filter_map(|variable| variable.initial.as_ref()) {
            self.expression(here, initial, Allowed::Active)?.for_each_variable(&mut |variable| {
                reads_local |= matches!(variable, VariableRef::Local(_));
            });
        }
        Ok(statement.labels.is_empty() && !reads_local)
    }

    fn havoc(
        &mut self,
        here: Place,
        variables: Vec<LocalVar>,
        next: LocationId,
    ) -> Result<LocationId, Error> {
        if variables.is_empty() {
            return Ok(next);
        }
        let value = self.unknown();
        let local = variables.into_iter().map(|v| (v, value.clone())).collect();
        let assignment = Assignment { local, ..Assignment::default() };
        self.emit(here, FlatStatement::Assign { assignment, next })
    }

    fn unknown(&self) -> FlatExpr {
        if self.options.zero_initialised { FlatExpr::Constant(false) } else { FlatExpr::Nondet }
    }

    /// Statements are compiled last to first, so that each knows its successor.
    fn block(
        &mut self,
        frame: usize,
        statements: &'a [Statement],
        next: LocationId,
        instance: &mut Instance,
        enforced: &[FlatExpr],
    ) -> Result<LocationId, Error> {
        let mut conditions = enforced.to_vec();
        // Enforced twice is enforced once: each assignment gets a copy.
        let mut known: FxHashSet<FlatExpr> = FxHashSet::default();
        let mut active = Vec::with_capacity(statements.len());
        for statement in statements {
            active.push(conditions.len());
            if let StatementKind::Enforce(condition) = &statement.kind {
                let here = Place::new(frame, statement.position);
                let condition = self.expression(here, condition, Allowed::Active)?;
                let condition = after_step(&condition);
                if known.is_empty() {
                    known.extend(enforced.iter().cloned());
                }
                if known.insert(condition.clone()) {
                    conditions.push(condition);
                }
            }
        }
        let mut next = next;
        for (statement, count) in statements.iter().zip(active).rev() {
            next = self.labelled(frame, statement, next, instance, &conditions[..count], false)?;
        }
        Ok(next)
    }
}

fn declared<'a>(block: &'a [Statement], found: &mut Vec<&'a Variable>) {
    for statement in block {
        match &statement.kind {
            StatementKind::Declare(variables) => found.extend(variables),
            StatementKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| declared(body, found));
                otherwise.iter().for_each(|body| declared(body, found));
            }
            StatementKind::While { body, .. } => declared(body, found),
            StatementKind::StartThread { thread, .. } => {
                declared(std::slice::from_ref(&**thread), found);
            }
            _ => {}
        }
    }
}

fn duplicate(position: Position, name: &str) -> Error {
    Error::new(position, format!("`{name}` is declared twice"))
}

#[cfg(test)]
mod tests;
