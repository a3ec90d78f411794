//! That a Boolean program can do whatever a module can.
//!
//! # Why it is right
//! A configuration of the module has shared memory and threads, each at an instruction of its function, with
//! registers (values, and source variables: what their last version was) and memory of its own. It is *represented*
//! by a configuration of the Boolean program, if
//! * the shared variables have the values of their predicates, which read shared memory only;
//! * there is a thread for each: one that has done nothing yet is at the label of its function, or at a jump to it, with any
//!   values of its variables; one at a place is at a label that stands for it, and its variables have the values
//!   of their predicates in it, as far as these read locals of its function or none. Others have any values;
//! * nobody is in an atomic section but, perhaps, one thread at a label that is not free.
//!
//! It is enough to look at runs of the module in which threads are interrupted at the places that have a free
//! label only, which is proved of these (`interruption`). So a run is made of *runs from one place to the next* (`execute`),
//! each by a thread that is the only one to act meanwhile. By induction every configuration between these is
//! represented by one that the Boolean program can reach, if
//! * **first values**: the shared variables may begin with the values of their predicates in memory as it is at first,
//!   and the initial thread begins at the label of the entry function;
//! * **start of a thread**: from the label of its function a thread comes to a free label of the first place, by an assignment
//!   that allows the values that its predicates have in it, whatever shared memory is then and whatever values it had.
//!   This happens with its first step: till then nobody changes what it has of its own. Its parameters may have any values;
//! * **step**: for each label and each run from its place, there is a way of the Boolean program from there to a label of the
//!   place where the run ends, which starts the thread that the run starts, and whose assignment allows the values
//!   that predicates have after it: of the shared variables and the thread's own, *and* of those of any other thread,
//!   of whatever function, wherever it is and whatever it has. That is asked for each other thread alone:
//!   one way is chosen for the run, and what it does to a thread does not depend on others, nor on what it chooses for them;
//! * **failure**: for each run that ends where an assertion does not hold, there is such a way to an assertion that
//!   always fails. Then the Boolean program fails, which its certificate excludes.
//!
//! A label that is not free at a place that has a free one as well must have a way there that changes nothing.
//!
//! All is asked of *any* values of memory and registers, not only of those that the module can reach: only the way to a place
//! tells what registers have to do with each other, by the definitions that dominate it. So what is proved needs no invariant of the module.
//! Runs in which something is not defined are none: what has no meaning in C ends a run. (Pointers that are read lead where
//! an address was taken (`pointers`), or end the run; of the heap nothing is known: what is read there is anything.)

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::boolean::flat::{FlatVariable, Initial, LocationId};
use sapa_ir::goto::{
    Atomicity, BinaryOp, CastOp, CompareOp, Expression, Function, FunctionId, Initializer,
    MemoryModel, Module, Op, Operand, Predicate, SignedOverflow, Type,
};
use sapa_limits::{Exceeded, Limits};

use super::code::{Code, Place};
use super::execute::{After, End, Run, Start, Still, runs};
use super::interruption;
use super::pointers::Pointers;
use super::predicate::{Registers, View, holds};
use super::text::{Read, read};
use super::ways::{
    Image, PassiveImage, Way, WayEnd, behind_jumps, forbidden, forbidden_passive, labels, ways,
};
use super::world::{Changed, Who, World};
use super::{Made, Obligation, Problem};
use crate::check::{self, Rejection};
use crate::sat::{FALSE, Literal, Sat, TRUE};

/// What was proved, and what is taken for granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// How the proof was found.
    pub by: String,
    /// Assertions of the module.
    pub assertions: usize,
    /// How its memory behaves.
    pub memory: MemoryModel,
    /// What is one step.
    pub atomicity: Atomicity,
    /// Predicates.
    pub predicates: usize,
    /// Labels that stand for places.
    pub places: usize,
    /// Runs from one place to the next.
    pub runs: usize,
    /// Clauses of the Boolean program's invariant.
    pub clauses: usize,
    /// Questions to the solver.
    pub questions: usize,
    /// What the module's notes and the rules of C take for granted.
    pub assumptions: Vec<String>,
    /// The files that the module says it was made of.
    pub sources: Vec<String>,
}

/// Proves what the text of a certificate says: that no assertion of its module fails, with any number of threads.
///
/// # Errors
/// What could not be proved, what is not supported, or what is wrong with the text.
pub fn check(text: &str, file: &str, limits: &Limits) -> Result<Proved, Problem> {
    let file = read(text, file, limits)?;
    let simulation = Simulation::new(&file, limits)?;
    let mut proved = simulation.prove()?;
    let of_program = check::check(&file.certificate, &file.program, limits).map_err(
        |rejection| match rejection {
            Rejection::Refused { obligation, position, line, .. } => Problem::Refused {
                obligation: Obligation::Invariant(obligation),
                what: obligation.unproved(line + file.before),
                at: "the Boolean program".to_owned(),
                line: position.line,
            },
            Rejection::Malformed { line, what } => {
                Problem::Malformed { line: line + file.before, column: 0, what }
            }
            Rejection::Exceeded(exceeded) => Problem::Exceeded(exceeded),
        },
    )?;
    proved.clauses = of_program.clauses;
    proved.questions += of_program.questions;
    proved.by.clone_from(&file.certificate.by);
    Ok(proved)
}

/// A label that stands for a place.
struct Station {
    location: LocationId,
    root: usize,
    place: Place,
    free: bool,
    line: u32,
}

/// A thread function.
struct Root<'f> {
    code: Code<'f>,
    /// Where its threads start.
    location: LocationId,
    /// The places that have labels.
    stops: FxHashSet<Place>,
    line: u32,
}

struct Simulation<'f> {
    file: &'f Read,
    limits: &'f Limits,
    roots: Vec<Root<'f>>,
    stations: Vec<Station>,
    by_location: FxHashMap<LocationId, usize>,
    /// The predicates of the shared variables and of the locals of the Boolean program.
    shared: Vec<&'f Predicate>,
    locals: Vec<&'f Predicate>,
    /// Whether the function of the initial thread is that of no other.
    is_single: bool,
    constants_stay: bool,
}

fn malformed<T>(line: u32, what: impl Into<String>) -> Made<T> {
    Err(Problem::Malformed { line, column: 0, what: what.into() })
}

fn unsupported<T>(what: &str) -> Made<T> {
    Err(Problem::Unsupported { what: what.to_owned(), at: None })
}

/// Whether an expression reads what threads have of their own.
fn reads_own(module: &Module, expression: &Expression) -> bool {
    let mut found = false;
    expression.for_each(&mut |e| {
        found |= match e {
            Expression::Variable { .. } | Expression::Value { .. } | Expression::Slot { .. } => {
                true
            }
            Expression::Global(id) => {
                module.globals.get(id.index()).is_none_or(|global| global.thread_local)
            }
            _ => false,
        };
    });
    found
}

/// Whether an initializer has the address of an object of which each thread has its own.
fn has_own_address(module: &Module, initializer: &Initializer) -> bool {
    match initializer {
        Initializer::Global(id, _) => {
            module.globals.get(id.index()).is_none_or(|global| global.thread_local)
        }
        Initializer::Aggregate(items) => items.iter().any(|item| has_own_address(module, item)),
        _ => false,
    }
}

impl<'f> Simulation<'f> {
    fn new(file: &'f Read, limits: &'f Limits) -> Made<Self> {
        let module = &file.module;
        if module.memory != MemoryModel::Sc {
            return unsupported("a module with store buffers in its code");
        }
        if module.globals.iter().any(|global| has_own_address(module, &global.initializer)) {
            return unsupported("a global that begins as the address of a thread's own object");
        }
        if !file.program.invariants.is_empty() {
            return unsupported("an invariant of the Boolean program (predicates between threads)");
        }
        let predicate = |variable: &FlatVariable| {
            let number = variable.name.strip_prefix('b').and_then(|n| n.parse::<usize>().ok());
            match number.and_then(|number| module.predicates.get(number)) {
                Some(predicate) if !predicate.expression.has_other() => Ok(predicate),
                Some(_) => unsupported("a predicate between threads"),
                None => unsupported(&format!(
                    "the variable `{}` of the Boolean program, which stands for no predicate",
                    variable.name
                )),
            }
        };
        let shared: Vec<&Predicate> =
            file.program.shared.iter().map(predicate).collect::<Made<_>>()?;
        let locals: Vec<&Predicate> =
            file.program.locals.iter().map(predicate).collect::<Made<_>>()?;
        if let Some(own) = shared.iter().find(|p| reads_own(module, &p.expression)) {
            let what = format!("`{}` is a shared variable, and what it reads is not", own.text);
            return malformed(1, what);
        }
        let labels = labels(&file.program);
        let location = |label: &str, line: u32| match labels.get(label).map(Vec::as_slice) {
            Some([one]) => Ok(*one),
            _ => malformed(line, format!("the Boolean program has no label `{label}`, or several")),
        };
        let mut roots = Vec::new();
        for (root, line) in &file.roots {
            limits.check()?;
            let code = Code::new(module, root.function)?;
            let location = location(&root.label, *line)?;
            roots.push(Root { code, location, stops: FxHashSet::default(), line: *line });
        }
        let mut stations = Vec::new();
        let mut by_location = FxHashMap::default();
        for (label, line) in &file.places {
            let at = location(&label.label, *line)?;
            if by_location.insert(at, stations.len()).is_some() {
                return malformed(*line, "this location stands for a place already");
            }
            let place = label.place();
            roots[label.root].stops.insert(place);
            let (root, free) = (label.root, label.free);
            stations.push(Station { location: at, root, place, free, line: *line });
        }
        let is_op = |wanted: fn(&Op, Option<FunctionId>) -> bool| {
            let functions = roots.iter().map(|root: &Root<'_>| root.code.function);
            let mut all = functions.flat_map(Function::instructions);
            all.any(|instruction| wanted(&instruction.op, module.entry))
        };
        let is_single = !is_op(|op, entry| match op {
            Op::Spawn { function: Operand::Function(function), .. } => Some(*function) == entry,
            Op::Spawn { .. } => true,
            _ => false,
        });
        let pointers = Pointers::new(module, roots.iter().map(|root| &root.code), limits)?;
        let pointers = Rc::new(pointers);
        roots.iter_mut().for_each(|root| root.code.pointers = Rc::clone(&pointers));
        let constants_stay = !roots.iter().any(|root: &Root<'_>| root.code.may_write_constants());
        roots.iter_mut().for_each(|root| root.code.constants_stay = constants_stay);
        Ok(Self {
            file,
            limits,
            roots,
            stations,
            by_location,
            shared,
            locals,
            is_single,
            constants_stay,
        })
    }

    fn prove(&self) -> Made<Proved> {
        let module = &self.file.module;
        let mut proved = Proved {
            assertions: module
                .functions
                .iter()
                .flat_map(Function::instructions)
                .filter(|instruction| matches!(instruction.op, Op::Assert { .. }))
                .count(),
            memory: module.memory,
            atomicity: module.atomicity,
            predicates: module.predicates.len(),
            places: self.stations.len(),
            assumptions: assumptions(module),
            sources: module.files.clone(),
            ..Proved::default()
        };
        let entry = self.roots.iter().position(|root| {
            let entry = behind_jumps(&self.file.program, self.file.program.entry);
            Some(root.code.id) == module.entry && root.location == entry
        });
        let Some(entry) = entry else {
            return malformed(1, "the Boolean program does not begin with the entry of the module");
        };
        for (number, root) in self.roots.iter().enumerate() {
            let free = self.stations.iter().filter(|s| s.root == number && s.free);
            let free: FxHashSet<Place> = free.map(|station| station.place).collect();
            interruption::enough(&root.code, &free, self.limits)?;
        }
        self.first_values(entry, &mut proved)?;
        for number in 0..self.roots.len() {
            self.start(number, &mut proved)?;
        }
        for station in &self.stations {
            self.limits.check()?;
            self.steps(station, &mut proved)?;
        }
        Ok(proved)
    }

    fn world(&self) -> World<'f> {
        World::new(&self.file.module, Sat::new(self.limits), self.constants_stay)
    }

    fn is_possible(
        &self,
        world: &mut World<'_>,
        assumptions: &[Literal],
        proved: &mut Proved,
    ) -> Made<bool> {
        if assumptions.contains(&FALSE) {
            return Ok(false);
        }
        proved.questions += 1;
        match world.sat.solve(assumptions) {
            Some(possible) => Ok(possible),
            None => {
                self.limits.check()?;
                // The solver gives up for no other reason.
                Err(Problem::Exceeded(Exceeded::Interrupted))
            }
        }
    }

    /// The values of predicates, in a state that some registers are of.
    fn values(
        world: &mut World<'_>,
        view: &View<'_, '_>,
        registers: &mut dyn Registers,
        predicates: &[&Predicate],
    ) -> Made<Vec<Literal>> {
        predicates.iter().map(|p| holds(world, view, registers, &p.expression)).collect()
    }

    /// The values of the locals of a thread of a function; `None` where any value will do.
    fn own_values(
        &self,
        world: &mut World<'_>,
        view: &View<'_, '_>,
        registers: &mut dyn Registers,
    ) -> Made<Vec<Option<Literal>>> {
        let is_visible = |p: &Predicate| p.expression.function().is_none_or(|f| f == view.code.id);
        let each = self.locals.iter().map(|predicate| match is_visible(predicate) {
            true => holds(world, view, registers, &predicate.expression).map(Some),
            false => Ok(None),
        });
        each.collect()
    }

    fn or_any(world: &mut World<'_>, values: &[Option<Literal>]) -> Vec<Literal> {
        values.iter().map(|value| value.unwrap_or_else(|| world.sat.fresh())).collect()
    }

    fn first_values(&self, entry: usize, proved: &mut Proved) -> Made<()> {
        let code = &self.roots[entry].code;
        let mut world = self.world().with_new_memory();
        let place = (Function::ENTRY, 0);
        let mut start = Start::new(code, place);
        let run = start.nothing();
        let view = View { code, who: Who::Active, changed: &run.changed };
        let mut registers = After { code, start: &mut start, run: &run };
        let values = Self::values(&mut world, &view, &mut registers, &self.shared)?;
        for (at, (variable, value)) in self.file.program.shared.iter().zip(values).enumerate() {
            let differs = match variable.initial {
                Initial::Zero => value,
                Initial::One => -value,
                Initial::Nondet => FALSE,
            };
            if self.is_possible(&mut world, &[differs], proved)? {
                return Err(Problem::Refused {
                    obligation: Obligation::Initiation,
                    what: format!(
                        "`{}` may have another value at first than the Boolean program says",
                        self.shared[at].text
                    ),
                    at: self.file.module.describe(code.location(place)),
                    line: 0,
                });
            }
        }
        Ok(())
    }

    fn is_station(&self, location: LocationId) -> bool {
        self.by_location.contains_key(&location)
    }

    fn start(&self, number: usize, proved: &mut Proved) -> Made<()> {
        let root = &self.roots[number];
        let code = &root.code;
        let mut world = self.world().with_new_thread();
        let place = (Function::ENTRY, 0);
        let mut start = Start::new(code, place);
        let run = start.nothing();
        let view = View { code, who: Who::Active, changed: &run.changed };
        let mut registers = After { code, start: &mut start, run: &run };
        let shared = Self::values(&mut world, &view, &mut registers, &self.shared)?;
        let after = self.own_values(&mut world, &view, &mut registers)?;
        let before: Vec<Literal> = after.iter().map(|_| world.sat.fresh()).collect();
        let shared = [shared.clone(), shared];
        let image = Image { shared, active: before, active_after: after };
        let passive = self.passive_images(number, &mut world, &Changed::default())?;
        let all = ways(&self.file.program, root.location, false, |at| self.is_station(at))?;
        let is_right =
            |way: &&Way<'_>| way.started.is_none() && self.leads(way, number, place, Some(true));
        for way in all.iter().filter(is_right) {
            let Some(forbidden) = self.forbidden(&mut world, way, &image, &passive) else {
                return Ok(());
            };
            if !self.is_possible(&mut world, &[forbidden.any], proved)? {
                return Ok(());
            }
        }
        Err(Problem::Refused {
            obligation: Obligation::Start,
            what: "the Boolean program does not allow what a thread may begin with".to_owned(),
            at: self.file.module.describe(code.location(place)),
            line: root.line,
        })
    }

    /// Whether a way leads to a label of a place, and with such a label agrees about atomic sections.
    fn leads(&self, way: &Way<'_>, root: usize, place: Place, free: Option<bool>) -> bool {
        let WayEnd::At(location) = way.end else { return false };
        let station = self.by_location.get(&location).and_then(|at| self.stations.get(*at));
        station.is_some_and(|station| {
            station.root == root
                && station.place == place
                && station.free != way.inside
                && free.is_none_or(|free| free == station.free)
        })
    }

    /// What a way does not allow of what happened.
    fn forbidden(
        &self,
        world: &mut World<'_>,
        way: &Way<'_>,
        image: &Image,
        passive: &[PassiveImage],
    ) -> Option<Forbidden> {
        let nothing = Default::default();
        let assignment = way.step.as_ref().map_or(&nothing, |(_, assignment)| &**assignment);
        let mut all = forbidden(assignment, image, &mut world.sat);
        for passive in passive {
            all.extend(forbidden_passive(assignment, image, passive, &mut world.sat));
        }
        all.retain(|literal| *literal != FALSE);
        if all.is_empty() {
            return None;
        }
        if all.contains(&TRUE) {
            return Some(Forbidden { any: TRUE });
        }
        let any = world.sat.fresh();
        world.sat.clause(all.iter().copied().chain([-any]));
        Some(Forbidden { any })
    }

    fn steps(&self, station: &Station, proved: &mut Proved) -> Made<()> {
        let root = &self.roots[station.root];
        let code = &root.code;
        let mut world = self.world();
        let mut start = Start::new(code, station.place);
        let has_free = self
            .stations
            .iter()
            .any(|other| other.root == station.root && other.place == station.place && other.free);
        let all =
            ways(&self.file.program, station.location, !station.free, |at| self.is_station(at))?;
        if !station.free && has_free {
            // Others may act here, and so must they there.
            let run = start.nothing();
            let free = Some(true);
            return self.allowed(station, &mut world, &mut start, &run, (&all, free), proved);
        }
        let found = runs(code, &mut world, &mut start, &root.stops, self.limits)?;
        proved.runs += found.len();
        for run in &found {
            self.limits.check()?;
            self.allowed(station, &mut world, &mut start, run, (&all, None), proved)?;
        }
        Ok(())
    }

    /// That one of the ways allows what a run does.
    fn allowed(
        &self,
        station: &Station,
        world: &mut World<'f>,
        start: &mut Start<'f>,
        run: &Run,
        (all, free): (&[Way<'_>], Option<bool>),
        proved: &mut Proved,
    ) -> Made<()> {
        let root = station.root;
        let code = &self.roots[root].code;
        let started = match run.started {
            None => None,
            Some(function) => {
                let started = self.roots.iter().find(|root| root.code.id == function);
                let Some(started) = started else {
                    return Err(code.unsupported("a thread without a label", run.last));
                };
                Some(started.location)
            }
        };
        let is_right = |way: &&Way<'_>| {
            way.started == started
                && match &run.end {
                    End::At(place) => self.leads(way, root, *place, free),
                    End::Thread => way.end == WayEnd::Thread,
                    End::Failure { .. } => way.end == WayEnd::Failure,
                }
        };
        let right: Vec<&Way<'_>> = all.iter().filter(is_right).collect();
        let nothing = start.nothing();
        let image = self.image(code, world, start, (&nothing, run))?;
        let passive = self.passive_images(root, world, &run.changed)?;
        for way in &right {
            let Some(forbidden) = self.forbidden(world, way, &image, &passive) else {
                return Ok(());
            };
            let mut assumptions = run.conditions.clone();
            assumptions.push(forbidden.any);
            if !self.is_possible(world, &assumptions, proved)? {
                return Ok(());
            }
        }
        // Perhaps nobody ever does this.
        if !self.is_possible(world, &run.conditions, proved)? {
            return Ok(());
        }
        let to = self.file.module.describe(run.last);
        let (obligation, what) = match &run.end {
            End::Failure { property } => (
                Obligation::Failure,
                format!(
                    "`{property}` may fail here (line {}), and the Boolean program does not",
                    station.line
                ),
            ),
            End::Thread | End::At(_) => (
                Obligation::Step,
                format!(
                    "a thread may come here from {} (line {}), and the Boolean program does not allow what \
                     it may do{}",
                    self.file.module.describe(code.location(station.place)),
                    station.line,
                    if right.is_empty() { ": it has no way there" } else { "" }
                ),
            ),
        };
        Err(Problem::Refused { obligation, what, at: to, line: self.line(station, &right) })
    }

    /// The line of the statement that does not allow something, or of the label that it is missing at.
    fn line(&self, station: &Station, right: &[&Way<'_>]) -> u32 {
        let step = right.iter().find_map(|way| way.step.as_ref());
        let location = step.map_or(station.location, |(location, _)| *location);
        self.file.program.location(location).position.line
    }

    fn image(
        &self,
        code: &Code<'f>,
        world: &mut World<'f>,
        start: &mut Start<'f>,
        (nothing, run): (&Run, &Run),
    ) -> Made<Image> {
        let mut sides = Vec::new();
        for run in [nothing, run] {
            let view = View { code, who: Who::Active, changed: &run.changed };
            let mut registers = After { code, start: &mut *start, run };
            let shared = Self::values(world, &view, &mut registers, &self.shared)?;
            let own = self.own_values(world, &view, &mut registers)?;
            sides.push((shared, own));
        }
        let (after, active_after) = sides.pop().unwrap_or_default();
        let (before, active) = sides.pop().unwrap_or_default();
        let active = Self::or_any(world, &active);
        Ok(Image { shared: [before, after], active, active_after })
    }

    /// The values of threads that do not move, one for each function.
    fn passive_images(
        &self,
        active: usize,
        world: &mut World<'f>,
        changed: &Changed,
    ) -> Made<Vec<PassiveImage>> {
        let mut found = Vec::new();
        let nothing = Changed::default();
        for (number, root) in self.roots.iter().enumerate() {
            let is_entry = Some(root.code.id) == self.file.module.entry;
            if number == active && is_entry && self.is_single {
                continue;
            }
            let code = &root.code;
            let who = Who::Passive(code.id);
            let mut registers = Still { code };
            let view = View { code, who, changed: &nothing };
            let before = self.own_values(world, &view, &mut registers)?;
            let before = Self::or_any(world, &before);
            let view = View { code, who, changed };
            let after = self.own_values(world, &view, &mut registers)?;
            found.push(PassiveImage { before, after });
        }
        Ok(found)
    }
}

struct Forbidden {
    /// Holds only if something is not allowed.
    any: Literal,
}

/// What is taken for granted of runs.
fn assumptions(module: &Module) -> Vec<String> {
    let mut found = module.notes.clone();
    let mut note = |text: &str| {
        if found.iter().all(|known| known != text) {
            found.push(text.to_owned());
        }
    };
    let code = || module.functions.iter().flat_map(Function::instructions);
    let by_value = |operand: &Operand| matches!(operand, Operand::Value(_));
    if code().any(|instruction| match &instruction.op {
        Op::Load { address, .. } | Op::Store { address, .. } | Op::HavocMemory { address, .. } => {
            by_value(address)
        }
        Op::CopyMemory { destination, source, .. } => by_value(destination) || by_value(source),
        _ => false,
    }) {
        note("assuming valid pointers and array indices");
        note("assuming that no number is made the address of another object");
    }
    if module.atomicity == Atomicity::Statement {
        note("assuming that each C statement is one step");
    }
    let shows_layout = |function: &Function, op: &Op| match op {
        Op::Cast { op: CastOp::PointerToInt | CastOp::IntToPointer, .. } => true,
        Op::Compare { op: CompareOp::Eq | CompareOp::Ne, .. } => false,
        Op::Compare { a, .. } => function.operand_type(*a) == Type::Pointer,
        _ => false,
    };
    let mut functions = module.functions.iter();
    if functions.any(|f| f.instructions().any(|instruction| shows_layout(f, &instruction.op))) {
        note("assuming one layout of memory: the program computes with addresses");
    }
    if module.signed_overflow == SignedOverflow::Absent {
        note("assuming no signed overflow");
    }
    let is_undefined = |op: &Op| match op {
        Op::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, .. } => false,
        op => op.may_be_undefined(module.signed_overflow),
    };
    if code().any(|instruction| is_undefined(&instruction.op)) {
        note("assuming that divisions and shifts are defined");
    }
    found
}
