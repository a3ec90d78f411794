//! From the syntax tree to the flat form: names resolved, calls inlined, structure lowered.

mod assignment;
mod joined;

use super::ast::{
    Expression, Position, Procedure, Program, Statement, StatementKind, Target, Variable,
};
use super::error::{Error, counted};
use super::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, FlatVariable, Initial, LocalVar, Location,
    LocationId, ProcedureId, SharedVar, VariableRef,
};
use assignment::{after_step, conjunction};
use joined::joined_names;
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
/// The first name, arity or placement error, recursion, a program that gets too large, or a limit
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
    flattener.make_spawned()?;
    Ok(FlatProgram {
        shared: flattener.shared,
        locals: flattener.locals,
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
    procedure: usize,
    names: Names,
    position: Position,
}

/// What a name can mean.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    /// Globals only: in the initial values of globals, which no procedure's locals hide.
    Globals,
    /// The locals of the procedure first.
    Procedure,
}

impl Place {
    fn new(procedure: usize, position: Position) -> Self {
        Place { procedure, names: Names::Procedure, position }
    }
}

/// Which variables an expression may mention.
#[derive(Clone, Copy, PartialEq)]
enum Allowed {
    Active,
    Passive,
    Constraint,
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
    /// Parameters and locals of each procedure.
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
    /// Spawned procedures whose copy is still to be made.
    unmade: Vec<usize>,
}

impl<'a> Flattener<'a> {
    fn declare(program: &'a Program, options: &'a FlattenOptions) -> Result<Self, Error> {
        let mut this = Flattener {
            program,
            options,
            globals: FxHashMap::default(),
            scopes: Vec::new(),
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
            this.declare_locals(procedure)?;
        }
        Ok(this)
    }

    fn local(&mut self, procedure: &Procedure, name: &str) -> LocalVar {
        // A local's start value matters only where its declaration is jumped over.
        let initial = if self.options.zero_initialised { Initial::Zero } else { Initial::Nondet };
        self.locals.push(FlatVariable { name: format!("{}::{name}", procedure.name), initial });
        LocalVar(self.locals.len() as u32 - 1)
    }

    /// The variable that a procedure declares under a name: its own, unless broadcasts mean all
    /// procedures' variables of the name.
    fn declared_local(&mut self, procedure: &Procedure, name: &str) -> LocalVar {
        match self.joined.get(name) {
            None => self.local(procedure, name),
            Some(Some(variable)) => *variable,
            Some(None) => {
                let variable = self.local(procedure, name);
                self.locals[variable.index()].name = format!("*::{name}");
                if let Some(joined) = self.joined.get_mut(name) {
                    *joined = Some(variable);
                }
                variable
            }
        }
    }

    fn declare_locals(&mut self, procedure: &'a Procedure) -> Result<(), Error> {
        let mut scope = FxHashMap::default();
        for name in &procedure.parameters {
            let slot = Slot::Local(self.declared_local(procedure, name));
            if scope.insert(name.as_str(), slot).is_some() {
                return Err(duplicate(procedure.position, name));
            }
        }
        let mut variables = Vec::new();
        declared(&procedure.body, &mut variables);
        for variable in variables {
            let slot = Slot::Local(self.declared_local(procedure, &variable.name));
            if scope.insert(variable.name.as_str(), slot).is_some() {
                return Err(duplicate(variable.position, &variable.name));
            }
        }
        let results =
            (0..procedure.returns).map(|i| self.local(procedure, &format!("return#{i}"))).collect();
        self.scopes.push(scope);
        self.results.push(results);
        Ok(())
    }

    fn procedure(&self, name: &str, position: Position) -> Result<usize, Error> {
        let found = self.procedures.get(name).copied();
        found.ok_or_else(|| Error::new(position, format!("there is no procedure `{name}`")))
    }

    fn slot(&self, here: Place, name: &str) -> Result<Slot, Error> {
        let local = match here.names {
            Names::Globals => None,
            Names::Procedure => self.scopes[here.procedure].get(name),
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
            procedure: ProcedureId(here.procedure as u32),
            position: here.position,
            labels: Vec::new(),
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
    fn instance(&mut self, procedure: usize, exit: LocationId) -> Result<LocationId, Error> {
        let source = &self.program.procedures[procedure];
        let here = Place::new(procedure, source.position);
        if self.stack.contains(&procedure) {
            let message = format!("`{}` is recursive, which is not supported", source.name);
            return Err(Error::new(source.position, message));
        }
        if self.stack.len() >= MAX_CALL_DEPTH {
            let message = format!("calls nest more than {MAX_CALL_DEPTH} levels deep");
            return Err(Error::new(source.position, message));
        }
        self.stack.push(procedure);
        let mut instance = Instance { exit, labels: FxHashMap::default(), gotos: Vec::new() };
        // Without a `return` the results are arbitrary.
        let fall = self.havoc(here, self.results[procedure].clone(), exit)?;
        let body = self.block(procedure, &source.body, fall, &mut instance, &[])?;
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
            .filter_map(|v| match self.scopes[procedure].get(v.name.as_str()) {
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
        procedure: usize,
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
                let here = Place::new(procedure, statement.position);
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
            next =
                self.labelled(procedure, statement, next, instance, &conditions[..count], false)?;
        }
        Ok(next)
    }

    /// `in_thread`: a new thread runs it and then ends.
    fn labelled(
        &mut self,
        procedure: usize,
        statement: &'a Statement,
        next: LocationId,
        instance: &mut Instance,
        enforced: &[FlatExpr],
        in_thread: bool,
    ) -> Result<LocationId, Error> {
        let here = Place::new(procedure, statement.position);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!(
                "statements, with those of the procedures that are called, nest more than \
                 {MAX_DEPTH} levels deep"
            );
            return Err(Error::new(here.position, message));
        }
        let starts = statement.labels.iter().any(|l| l.starts_with("ASYNC_"));
        let mut entry = if starts {
            let thread = self.started(here, &statement.kind, instance, enforced)?;
            self.emit(here, FlatStatement::StartThread { entry: thread, next, waits: false })?
        } else if in_thread {
            self.started(here, &statement.kind, instance, enforced)?
        } else {
            self.statement(here, &statement.kind, next, instance, enforced)?
        };
        if statement.labels.iter().any(|l| self.options.error_labels.contains(l)) {
            let condition = FlatExpr::Constant(false);
            entry = self.emit(here, FlatStatement::Assert { condition, next: entry })?;
        } else if !statement.labels.is_empty() && entry == next {
            entry = self.emit(here, FlatStatement::Skip { next })?;
        }
        // A label that one statement has twice names it no less.
        let mut labels: Vec<String> = Vec::new();
        for label in &statement.labels {
            if labels.contains(label) {
                continue;
            }
            labels.push(label.clone());
            if instance.labels.insert(label.clone(), entry).is_some() {
                let message = format!("the label `{label}` is on two statements of the procedure");
                return Err(Error::new(here.position, message));
            }
        }
        if !labels.is_empty() {
            self.locations[entry.index()].labels = labels;
        }
        self.depth -= 1;
        Ok(entry)
    }

    /// The entry of a thread that runs a statement and then ends.
    fn started(
        &mut self,
        here: Place,
        kind: &'a StatementKind,
        instance: &mut Instance,
        enforced: &[FlatExpr],
    ) -> Result<LocationId, Error> {
        if let StatementKind::Call { targets, callee, arguments } = kind
            && targets.is_empty()
        {
            let index = self.callee(here, callee, arguments, targets)?;
            let entry = self.spawn(index)?;
            return self.enter(here, index, arguments, entry);
        }
        let end = self.emit(here, FlatStatement::EndThread)?;
        let exit = std::mem::replace(&mut instance.exit, end);
        let entry = self.statement(here, kind, end, instance, enforced);
        instance.exit = exit;
        entry
    }

    /// The entry of the copy of a procedure that threads run. The copy is made at the very end,
    /// so a procedure may start threads that run itself.
    fn spawn(&mut self, procedure: usize) -> Result<LocationId, Error> {
        if let Some(entry) = self.spawned.get(&procedure) {
            return Ok(*entry);
        }
        // The successor is filled in when the copy is made.
        let position = self.program.procedures[procedure].position;
        let entry = self
            .emit(Place::new(procedure, position), FlatStatement::Goto { targets: Vec::new() })?;
        self.spawned.insert(procedure, entry);
        self.unmade.push(procedure);
        Ok(entry)
    }

    fn make_spawned(&mut self) -> Result<(), Error> {
        while let Some(procedure) = self.unmade.pop() {
            let position = self.program.procedures[procedure].position;
            let end = self.emit(Place::new(procedure, position), FlatStatement::EndThread)?;
            let next = self.instance(procedure, end)?;
            if let Some(entry) = self.spawned.get(&procedure) {
                self.locations[entry.index()].statement = FlatStatement::Skip { next };
            }
        }
        Ok(())
    }

    fn statement(
        &mut self,
        here: Place,
        kind: &'a StatementKind,
        next: LocationId,
        instance: &mut Instance,
        enforced: &[FlatExpr],
    ) -> Result<LocationId, Error> {
        match kind {
            StatementKind::Skip | StatementKind::Dead(_) | StatementKind::Sync(_) => {
                self.emit(here, FlatStatement::Skip { next })
            }
            StatementKind::Goto(labels) => {
                self.grow(here, labels.len())?;
                let targets = vec![next];
                let location = self.emit(here, FlatStatement::Goto { targets })?;
                instance.gotos.push((location, labels.clone(), here.position));
                Ok(location)
            }
            StatementKind::Assume(condition) | StatementKind::Enforce(condition) => {
                let condition = self.expression(here, condition, Allowed::Active)?;
                self.emit(here, FlatStatement::Assume { condition, next })
            }
            StatementKind::Assert(condition) => {
                let condition = self.expression(here, condition, Allowed::Active)?;
                self.emit(here, FlatStatement::Assert { condition, next })
            }
            StatementKind::AbortIf(condition) => {
                let condition = self.expression(here, condition, Allowed::Active)?;
                let condition = FlatExpr::Not(Box::new(condition));
                self.emit(here, FlatStatement::Assert { condition, next })
            }
            StatementKind::EndThread => self.emit(here, FlatStatement::EndThread),
            StatementKind::AtomicBegin => self.emit(here, FlatStatement::AtomicBegin { next }),
            StatementKind::AtomicEnd => self.emit(here, FlatStatement::AtomicEnd { next }),
            StatementKind::Assign { targets, values, constraint } => {
                self.assignment(here, targets, values, constraint.as_ref(), next, enforced)
            }
            StatementKind::Lock(name) => {
                let variable = self.lock(here, name)?;
                if enforced.is_empty() {
                    return self.emit(here, FlatStatement::Lock { variable, next });
                }
                let free = FlatExpr::Variable(VariableRef::Shared(variable));
                let mut constraint = vec![FlatExpr::Not(Box::new(free))];
                constraint.extend_from_slice(enforced);
                let assignment = Assignment {
                    shared: vec![(variable, FlatExpr::Constant(true))],
                    constraint: conjunction(constraint),
                    ..Assignment::default()
                };
                self.emit(here, FlatStatement::Assign { assignment, next })
            }
            StatementKind::Unlock(name) => {
                let variable = self.lock(here, name)?;
                if enforced.is_empty() {
                    return self.emit(here, FlatStatement::Unlock { variable, next });
                }
                let assignment = Assignment {
                    shared: vec![(variable, FlatExpr::Constant(false))],
                    constraint: conjunction(enforced.to_vec()),
                    ..Assignment::default()
                };
                self.emit(here, FlatStatement::Assign { assignment, next })
            }
            StatementKind::StartThread { waits, thread } => {
                let end = self.emit(here, FlatStatement::EndThread)?;
                let entry = self.labelled(here.procedure, thread, end, instance, enforced, true)?;
                self.emit(here, FlatStatement::StartThread { entry, next, waits: *waits })
            }
            StatementKind::If { branches, otherwise } => {
                let mut entry = match otherwise {
                    Some(body) => self.block(here.procedure, body, next, instance, enforced)?,
                    None => next,
                };
                for (condition, body) in branches.iter().rev() {
                    let body = self.block(here.procedure, body, next, instance, enforced)?;
                    entry = self.branch(here, condition, body, entry)?;
                }
                Ok(entry)
            }
            StatementKind::While { condition, body } => {
                let head = self.emit(here, FlatStatement::Skip { next })?;
                let body = self.block(here.procedure, body, head, instance, enforced)?;
                let test = self.branch(here, condition, body, next)?;
                self.locations[head.index()].statement = FlatStatement::Skip { next: test };
                Ok(head)
            }
            StatementKind::Return(values) => self.leave(here, values, instance.exit),
            StatementKind::Call { targets, callee, arguments } => {
                self.call(here, targets, callee, arguments, next, enforced)
            }
            StatementKind::Declare(variables) => {
                let mut next = next;
                for variable in variables.iter().rev() {
                    let value = match &variable.initial {
                        Some(value) => self.expression(here, value, Allowed::Active)?,
                        None => self.unknown(),
                    };
                    let mut assignment = Assignment::default();
                    self.set(here, &mut assignment, &variable.name, value)?;
                    next = self.emit(here, FlatStatement::Assign { assignment, next })?;
                }
                Ok(next)
            }
        }
    }

    fn lock(&self, here: Place, name: &str) -> Result<SharedVar, Error> {
        match self.slot(here, name)? {
            Slot::Shared(variable) => Ok(variable),
            Slot::Local(_) => {
                Err(Error::new(here.position, format!("the lock `{name}` must be shared")))
            }
        }
    }

    fn branch(
        &mut self,
        here: Place,
        condition: &Expression,
        then: LocationId,
        otherwise: LocationId,
    ) -> Result<LocationId, Error> {
        let condition = self.expression(here, condition, Allowed::Active)?;
        let negated = FlatExpr::Not(Box::new(condition.clone()));
        let yes = self.emit(here, FlatStatement::Assume { condition, next: then })?;
        let no = self.emit(here, FlatStatement::Assume { condition: negated, next: otherwise })?;
        self.emit(here, FlatStatement::Goto { targets: vec![yes, no] })
    }

    fn leave(
        &mut self,
        here: Place,
        values: &[Expression],
        exit: LocationId,
    ) -> Result<LocationId, Error> {
        let results = self.results[here.procedure].clone();
        if results.len() != values.len() {
            let message =
                format!("{} returned, {} declared", counted(values.len(), "value"), results.len());
            return Err(Error::new(here.position, message));
        }
        if values.is_empty() {
            return self.emit(here, FlatStatement::Skip { next: exit });
        }
        let values = self.all(here, values)?;
        let local = results.into_iter().zip(values).collect();
        let assignment = Assignment { local, ..Assignment::default() };
        self.emit(here, FlatStatement::Assign { assignment, next: exit })
    }

    fn all(&self, here: Place, values: &[Expression]) -> Result<Vec<FlatExpr>, Error> {
        values.iter().map(|v| self.expression(here, v, Allowed::Active)).collect()
    }

    fn call(
        &mut self,
        here: Place,
        targets: &[Target],
        callee: &str,
        arguments: &[Expression],
        next: LocationId,
        enforced: &[FlatExpr],
    ) -> Result<LocationId, Error> {
        let index = self.callee(here, callee, arguments, targets)?;
        let results = self.results[index].clone();
        let mut after = next;
        if !targets.is_empty() {
            let mut assignment = Assignment::default();
            for (target, result) in targets.iter().zip(results) {
                let value = FlatExpr::Variable(VariableRef::Local(result));
                self.target(here, &mut assignment, target, value)?;
            }
            assignment.constraint = conjunction(enforced.to_vec());
            after = self.emit(here, FlatStatement::Assign { assignment, next })?;
        }
        self.hides_no_joined(here, index)?;
        let entry = self.instance(index, after)?;
        self.enter(here, index, arguments, entry)
    }

    /// A variable that broadcasts mean in all procedures must not exist twice in one thread.
    fn hides_no_joined(&self, here: Place, callee: usize) -> Result<(), Error> {
        for name in self.joined.keys() {
            let declares = |procedure: &usize| self.scopes[*procedure].contains_key(name);
            if declares(&callee)
                && let Some(caller) = self.stack.iter().find(|procedure| declares(procedure))
            {
                let [caller, callee] =
                    [*caller, callee].map(|index| &self.program.procedures[index].name);
                let message = format!(
                    "`{callee}` declares `{name}` as `{caller}` does, from which it is called: \
                     `[{name}]` would mean two variables of one thread"
                );
                return Err(Error::new(here.position, message));
            }
        }
        Ok(())
    }

    /// The procedure that a call means, its arguments and targets counted.
    fn callee(
        &self,
        here: Place,
        callee: &str,
        arguments: &[Expression],
        targets: &[Target],
    ) -> Result<usize, Error> {
        let index = self.procedure(callee, here.position)?;
        let parameters = self.program.procedures[index].parameters.len();
        let results = self.results[index].len();
        if arguments.len() != parameters || (!targets.is_empty() && targets.len() != results) {
            let (takes, returns) = (counted(parameters, "argument"), counted(results, "value"));
            let message = format!("`{callee}` takes {takes} and returns {returns}");
            return Err(Error::new(here.position, message));
        }
        Ok(index)
    }

    /// Gives the parameters of a procedure their values before its `entry`.
    fn enter(
        &mut self,
        here: Place,
        index: usize,
        arguments: &[Expression],
        entry: LocationId,
    ) -> Result<LocationId, Error> {
        let procedure = &self.program.procedures[index];
        let mut assignment = Assignment::default();
        for (name, value) in procedure.parameters.iter().zip(self.all(here, arguments)?) {
            if let Some(Slot::Local(slot)) = self.scopes[index].get(name.as_str()) {
                assignment.local.push((*slot, value));
            }
        }
        if assignment.local.is_empty() {
            // Keeps the call's own line and labels apart from the body's.
            return self.emit(here, FlatStatement::Skip { next: entry });
        }
        self.emit(here, FlatStatement::Assign { assignment, next: entry })
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
mod tests {
    use super::*;
    use crate::boolean::parser::parse;

    fn flat(text: &str) -> Result<FlatProgram, Error> {
        flatten(&parse(text).unwrap(), &FlattenOptions::default())
    }

    /// What is assigned before the procedures run.
    fn first_assignment(text: &str) -> Assignment {
        let program = flat(text).unwrap();
        match program.statement(program.entry) {
            FlatStatement::Assign { assignment, .. } => assignment.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn initial_values_of_globals_are_about_globals() {
        let shared = |v| FlatExpr::Variable(VariableRef::Shared(SharedVar(v)));
        for hidden in ["", "decl a;", "decl b;", "decl a, b;"] {
            let text = format!("decl b := 0; decl a := b; void main() begin {hidden} skip end");
            let assignment = first_assignment(&text);
            assert_eq!(assignment.shared, [(SharedVar(1), shared(0))], "{hidden}");
            assert!(assignment.local.is_empty(), "{hidden}");
        }
        let error = flat("decl a := b; void main() begin decl b; skip end").unwrap_err();
        assert_eq!(error.to_string(), "1:6: the variable `b` is not declared");
    }

    #[test]
    fn copies_of_expressions_are_bounded() {
        let wide = vec!["a"; 100].join(" | ");
        let mut text = format!("decl a; void f0() begin a := {wide}; end ");
        for n in 1..8 {
            text += &format!("void f{n}() begin f{0}(); f{0}(); end ", n - 1);
        }
        text += "void main() begin f7(); end";
        let program = parse(&text).unwrap();
        let flat = |max_size| flatten(&program, &FlattenOptions { max_size, ..Default::default() });
        assert!(flat(20_000).is_ok());
        let error = flat(10_000).unwrap_err();
        assert!(error.message.ends_with("more than 10000 parts after inlining"), "{error}");
    }

    #[test]
    fn enforced_twice_is_enforced_once() {
        let enforced = "enforce(a); ".repeat(100);
        let text = format!("decl a, b; void main() begin {enforced} enforce(b); a := 1; end");
        let program = flat(&text).unwrap();
        let constraints = program.iter().find_map(|(_, location)| match &location.statement {
            FlatStatement::Assign { assignment, .. } => assignment.constraint.clone(),
            _ => None,
        });
        assert_eq!(constraints.map(|constraint| constraint.conjuncts().len()), Some(2));
    }

    /// Where each procedure's own `x` is kept, by the names of the flat program.
    fn local_names(text: &str) -> Vec<String> {
        flat(text).unwrap().locals.into_iter().map(|variable| variable.name).collect()
    }

    #[test]
    fn broadcasts_mean_the_variables_of_their_name_in_all_procedures() {
        let text = "void w(y) begin decl x, z; assert(!x) end
            void main() begin decl x, z; start_thread w(0); x, [x] := 1, 1 end";
        assert_eq!(local_names(text), ["w::y", "*::x", "w::z", "main::z"]);
        assert_eq!(local_names(&text.replace("[x] :=", "z :=")).len(), 5);
        for mention in ["x := [x]", "z := 1 constrain [x]", "z := 1 constrain '[x]"] {
            let text = text.replace("x, [x] := 1, 1", &format!("[z] := [z]; {mention}"));
            match mention.contains(":= [") {
                true => assert!(flat(&text).is_err()),
                false => assert_eq!(local_names(&text), ["w::y", "*::x", "*::z"], "{mention}"),
            }
        }
    }

    #[test]
    fn a_thread_has_one_variable_of_a_broadcast_name() {
        let text = "void f() begin decl x; x := 1 end void g() begin f() end
            void main() begin decl x; [x] := 1; g() end";
        let error = flat(text).unwrap_err().to_string();
        assert!(error.starts_with("1:50: `f` declares `x` as `main` does"), "{error}");
        assert!(flat(&text.replace("g() end", "start_thread f() end")).is_ok());
        let text = "decl thread_local x; void f() begin decl x; x := 1 end
            void main() begin [x] := 1; f() end";
        let error = flat(text).unwrap_err().to_string();
        assert!(error.starts_with("2:31: `[x]` may be the thread-local global"), "{error}");
        assert!(flat(&text.replace("[x]", "x")).is_ok());
    }

    #[test]
    fn main_may_have_parameters_and_results() {
        let program = flat("bool<2> main(a, b) begin return a, !b; end").unwrap();
        let names: Vec<_> = program.locals.iter().map(|local| local.name.as_str()).collect();
        assert_eq!(names, ["main::a", "main::b", "main::return#0", "main::return#1"]);
        assert!(program.locals.iter().all(|local| local.initial == Initial::Nondet));
        let FlatStatement::Assign { next, .. } = program.statement(program.entry) else {
            panic!("{:?}", program.statement(program.entry))
        };
        assert_eq!(program.statement(*next), &FlatStatement::EndThread);
        // Whoever calls or starts it gives values, as to any procedure.
        let error = flat("void main(a) begin start_thread main(); end").unwrap_err();
        assert_eq!(error.message, "`main` takes 1 argument and returns 0 values");
    }

    #[test]
    fn a_label_is_on_one_statement() {
        let program = flat("decl g; void main() begin L: M: L: g := 1; goto L; end").unwrap();
        assert_eq!(program.locations[program.entry.index()].labels, ["L", "M"]);
        let error = flat("decl g; void main() begin L: g := 1; L: g := 0; end").unwrap_err();
        assert_eq!(error.message, "the label `L` is on two statements of the procedure");
        // Labels belong to procedures, as locals do.
        let text = "void f() begin L: skip; end void main() begin L: f(); end";
        assert!(flat(text).is_ok());
    }

    #[test]
    fn messages_count_in_grammar() {
        let error = flat("bool<2> f(a) begin end void main() begin f() end").unwrap_err();
        assert_eq!(error.message, "`f` takes 1 argument and returns 2 values");
    }

    /// Procedures of which each calls the next within so many branches.
    fn nested(procedures: usize, branches: usize) -> String {
        let body = |inner: &str| {
            format!("{}{inner}{}", "if (*) then ".repeat(branches), " fi".repeat(branches))
        };
        let mut text = format!("void f0() begin {} end\n", body("skip"));
        for n in 1..procedures {
            text += &format!("void f{n}() begin {} end\n", body(&format!("f{}()", n - 1)));
        }
        text + &format!("void main() begin f{}() end", procedures - 1)
    }

    #[test]
    fn nesting_is_bounded_over_calls() {
        // Threads of tests have little stack, which is what this is about.
        assert!(flat(&nested(5, 190)).is_ok());
        assert!(flat(&nested(90, 10)).is_ok());
        let error = flat(&nested(90, 190)).unwrap_err();
        assert!(error.message.ends_with("nest more than 1000 levels deep"), "{error}");
        let starts = nested(90, 190).replace("if (*) then", "start_thread").replace(" fi", "");
        // A call alone would be a thread of its own, not nested.
        let starts =
            starts.replace("start_thread f", "start_thread _ := f").replace("void", "bool");
        let starts =
            starts.replace("bool main", "void main").replace("begin f89", "begin _ := f89");
        let error = flat(&starts).unwrap_err();
        assert!(error.message.ends_with("nest more than 1000 levels deep"), "{error}");
    }
}
