//! An execution of the program that buffers were put into, found along one with buffers in the code.
//!
//! What threads do that others may see, or that begins to wait or reaches memory, is done in the same
//! order ([`Act`]s), with the same choices. What the pass has left out is done when something has to
//! wait for it: stores that it found nobody to see before they reach memory, and steps without acts.
//! Such stores take room in the interpreter's buffers. With a bound on that they make room for
//! others, where the memory model lets them reach memory; else the execution is none of the bound.

use std::collections::{BTreeMap, HashMap, VecDeque};

use sapa_ir::goto::interpret::{Inputs, Machine, Outcome, Request};
use sapa_ir::goto::{Location, MemoryOrder, Module, Op, Type};

use super::act::{Act, ActKind, Bytes, StoreId};
use super::counterexample::{Candidate, Counterexample, Initial};
use super::original::Original;
use super::record::Recorder;
use super::replay::{Departure, others};
use crate::automaton::Automaton;
use crate::check::ThreadBound;

/// Most instructions of a thread from one act to the next.
const MOST_INSTRUCTIONS: usize = 100_000;

/// What a choice was: a value, or contents of memory (offsets in bytes, widths in bits, values).
#[derive(Clone, Debug)]
enum Choice {
    Value(u128),
    Contents(Vec<(u64, u16, u128)>),
}

/// A thread, and a place of the text without the operation that is done there.
type Place = (u32, (u32, u32, u32));

fn place(thread: u32, location: Location) -> Place {
    (thread, (location.file.index() as u32, location.line, location.column))
}

/// What an execution of a module with buffers in its code does, to be done without.
pub(crate) struct Guide<'g> {
    acts: Vec<&'g Act>,
    choices: HashMap<Place, VecDeque<Choice>>,
    initial: &'g Initial,
}

impl<'g> Guide<'g> {
    /// From a candidate over a module with buffers, and what was executed when it was replayed.
    pub(crate) fn new(
        module: &Module,
        automaton: &Automaton,
        candidate: &'g Candidate,
        executed: &'g Counterexample,
    ) -> Self {
        let mut choices: HashMap<Place, VecDeque<Choice>> = HashMap::new();
        for step in &candidate.steps {
            let Some(root) = automaton.roots.get(step.root) else { continue };
            let function = module.function(root.function);
            for (position, &(block, index)) in (0u32..).zip(&step.path) {
                let instruction = function.block(block).instructions.get(index as usize);
                let Some(instruction) = instruction else { continue };
                let choice = match &instruction.op {
                    Op::Nondet { .. } => {
                        let at = step.input_positions.iter().position(|&at| at == position);
                        // What the candidate leaves open does not matter to it.
                        let value = at.and_then(|at| step.inputs.get(at)).copied();
                        Choice::Value(value.unwrap_or(0))
                    }
                    Op::HavocMemory { .. } => Choice::Contents(step.contents(position)),
                    _ => continue,
                };
                let at = place(step.thread, instruction.location);
                choices.entry(at).or_default().push_back(choice);
            }
        }
        Self { acts: executed.acts.iter().collect(), choices, initial: &candidate.initial }
    }

    /// The numbers that are chosen.
    pub(crate) fn values(&self) -> Vec<u128> {
        let all = self.choices.values().flatten();
        let mut values: Vec<u128> = all
            .filter_map(|choice| match choice {
                Choice::Value(value) => Some(*value),
                Choice::Contents(_) => None,
            })
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}

/// Executes the program as a guide says, up to a failure.
///
/// # Errors
/// Where it does not do what the guide says. Steps are the acts of the guide, from 1.
pub(crate) fn follow(
    original: &Original,
    threads: ThreadBound,
    guide: Guide<'_>,
) -> Result<Counterexample, Departure> {
    let module = &*original.module;
    let Guide { acts, choices, initial } = guide;
    let mut given = Given { choices, initial, here: None, unwritten: false };
    let machine = Machine::new(module, original.memory, threads.limit(), &mut given)
        .ok_or(Departure::NotStarted)?;
    let recorder = Recorder::new(module);
    let waits = BTreeMap::new();
    let room = original.most_waiting.map(|most| most as usize);
    let mut follower = Follower { module, machine, recorder, given, waits, room, most_started: 0 };
    for (number, act) in acts.iter().enumerate() {
        let done = match act.kind {
            ActKind::Reaches(store, _) => follower.reach_guided(act.thread, store).map(|()| None),
            ActKind::Writes(bytes) => follower.write(act, bytes),
            _ => follower.run_to(act),
        };
        match done {
            Ok(None) => {}
            Ok(Some((property, location))) => {
                let Follower { recorder, most_started, .. } = follower;
                return Ok(recorder.counterexample(property, location, most_started));
            }
            Err(why) => return Err(Departure::Ended { step: number + 1, why }),
        }
    }
    Err(Departure::NoFailure)
}

/// An assertion that fails, and its place.
type Failed = (String, Location);

/// The choices of a guide.
struct Given<'g> {
    choices: HashMap<Place, VecDeque<Choice>>,
    initial: &'g Initial,
    /// What is executed.
    here: Option<Place>,
    /// Whether it has read memory that nobody wrote.
    unwritten: bool,
}

impl Given<'_> {
    fn next(&mut self) -> Option<Choice> {
        self.choices.get_mut(&self.here?)?.pop_front()
    }
}

impl Inputs for Given<'_> {
    fn choose(&mut self, thread: u32, request: Request, _: u16) -> u128 {
        self.unwritten |= matches!(request, Request::Memory(_) | Request::Slot { .. });
        let found = match request {
            Request::Nondet => match self.next() {
                Some(Choice::Value(value)) => Some(value),
                Some(Choice::Contents(_)) | None => None,
            },
            request => self.initial.value(thread, request),
        };
        found.unwrap_or(0)
    }

    fn contents(&mut self, _: u32, _: &Type) -> Vec<(u64, u16, u128)> {
        match self.next() {
            Some(Choice::Contents(contents)) => contents,
            Some(Choice::Value(_)) | None => Vec::new(),
        }
    }
}

struct Follower<'m, 'g> {
    module: &'m Module,
    machine: Machine<'m>,
    recorder: Recorder<'m>,
    given: Given<'g>,
    /// What the stores of the guide that wait are here, if they wait here.
    waits: BTreeMap<StoreId, StoreId>,
    /// How many stores there is room for in a buffer.
    room: Option<usize>,
    most_started: u32,
}

impl Follower<'_, '_> {
    /// Lets a thread go on until it has done what the guide does; the assertion that fails on the
    /// way.
    fn run_to(&mut self, act: &Act) -> Result<Option<Failed>, String> {
        let thread = act.thread;
        for _ in 0..MOST_INSTRUCTIONS {
            let before = self.recorder.acts().len();
            match self.step(thread)? {
                Stepped::Failed(failed) => return Ok(Some(failed)),
                Stepped::Blocked(why) => {
                    if let Some(failed) = self.unblock(thread, &why)? {
                        return Ok(Some(failed));
                    }
                }
                Stepped::On => {}
            }
            let new = self.recorder.acts().get(before..).unwrap_or_default();
            let is_it = |new: &&Act| is_same(act, new);
            if let Some(&Act { kind, .. }) = new.iter().find(is_it) {
                if let (ActKind::Waits(guided, _), ActKind::Waits(store, _)) = (act.kind, kind) {
                    self.waits.insert(guided, store);
                }
                return Ok(None);
            }
        }
        Err("the thread does something else".to_owned())
    }

    fn step(&mut self, thread: u32) -> Result<Stepped, String> {
        let Some(position) = self.machine.position(thread) else {
            return Err("the thread has ended".to_owned());
        };
        let (function, block, index) = position;
        let instruction = self.module.function(function).block(block).instructions.get(index);
        if let Some(op) = instruction.map(|found| &found.op) {
            self.make_room(thread, op)?;
        }
        self.given.here = instruction.map(|found| place(thread, found.location));
        self.given.unwritten = false;
        let (machine, recorder) = (&mut self.machine, &mut self.recorder);
        recorder.before(machine, thread);
        let outcome = machine.step(thread, &mut self.given);
        let unwritten = self.given.unwritten;
        recorder.after(machine, thread, position, &outcome, unwritten);
        self.keep_room(thread)?;
        match outcome {
            Outcome::Continued(_) | Outcome::ThreadEnded | Outcome::Halted => Ok(Stepped::On),
            Outcome::Started(_) => {
                self.most_started = self.most_started.max(others(&self.machine));
                Ok(Stepped::On)
            }
            Outcome::AssertionFailed { property, location } => {
                Ok(Stepped::Failed((property, location)))
            }
            Outcome::Blocked(why) | Outcome::Undefined(why) => Ok(Stepped::Blocked(why.to_owned())),
            Outcome::InvalidAccess(_) => Err("an access is outside its object".to_owned()),
            Outcome::Unsupported(what) => Err(format!("the interpreter does not know {what}")),
        }
    }

    /// Lets stores of a thread reach memory until there is room for the one that it executes next.
    fn make_room(&mut self, thread: u32, next: &Op) -> Result<(), String> {
        let (Some(room), Op::Store { address, order, .. }) = (self.room, next) else {
            return Ok(());
        };
        let pointer = self.machine.value(thread, *address);
        let waits = *order != MemoryOrder::SequentiallyConsistent
            && self.machine.lets_wait(thread, pointer);
        while waits && self.machine.waiting_with(thread, pointer) >= room {
            self.flush_for_room(thread)?;
        }
        Ok(())
    }

    /// Lets stores of a thread reach memory until no more wait than there is room for: what copies
    /// an object, or makes one arbitrary, lets several wait at once.
    fn keep_room(&mut self, thread: u32) -> Result<(), String> {
        while self.room.is_some_and(|room| self.machine.exceeds(thread, room)) {
            self.flush_for_room(thread)?;
        }
        Ok(())
    }

    fn flush_for_room(&mut self, thread: u32) -> Result<(), String> {
        match self.flush_unguided(thread) {
            true => Ok(()),
            false => Err("more stores would wait than there is room for".to_owned()),
        }
    }

    /// Does what a thread may wait for and the guide does not mention: stores that reach memory, and
    /// what others do without an act.
    fn unblock(&mut self, thread: u32, why: &str) -> Result<Option<Failed>, String> {
        if self.flush_unguided(thread) {
            return Ok(None);
        }
        let mut progress = false;
        for other in self.machine.threads().into_iter().filter(|&other| other != thread) {
            while self.is_quiet(other) {
                match self.step(other)? {
                    Stepped::On => progress = true,
                    Stepped::Failed(failed) => return Ok(Some(failed)),
                    Stepped::Blocked(_) if self.flush_unguided(other) => progress = true,
                    Stepped::Blocked(_) => break,
                }
            }
        }
        match progress {
            true => Ok(None),
            false => Err(why.to_owned()),
        }
    }

    /// Whether what a thread does next is no act, nor becomes one.
    fn is_quiet(&self, thread: u32) -> bool {
        let Some((function, block, index)) = self.machine.position(thread) else { return false };
        match self.module.function(function).block(block).instructions.get(index) {
            Some(instruction) => match &instruction.op {
                Op::Nondet { .. } | Op::Assume { .. } | Op::Assert { .. } | Op::ThreadSelf => true,
                Op::AtomicEnd | Op::Fence { .. } => true,
                op => op.is_pure(),
            },
            None => true,
        }
    }

    /// Lets a store of a thread reach memory that does not wait in the guide, if there is one that
    /// can.
    fn flush_unguided(&mut self, thread: u32) -> bool {
        let ready = self.machine.ready(thread);
        let waiting = self.machine.waiting(thread);
        let index = self.unguided(thread).find_map(|(_, bytes)| {
            ready.iter().copied().find(|&index| waiting.get(index).is_some_and(|w| is_to(w, bytes)))
        });
        index.is_some_and(|index| self.reach_memory(thread, index))
    }

    /// The stores of a thread that wait here, and not in the guide.
    fn unguided(&self, thread: u32) -> impl Iterator<Item = (StoreId, Bytes)> {
        let is_guided = |store| self.waits.values().any(|guided| *guided == store);
        self.recorder.buffered(thread).filter(move |(store, _)| !is_guided(*store))
    }

    fn reach_memory(&mut self, thread: u32, index: usize) -> bool {
        match self.machine.reach_memory(thread, index) {
            Some(store) => {
                self.recorder.reached(&self.machine, thread, &store);
                true
            }
            None => false,
        }
    }

    /// Lets a thread write to memory. A store that waits here reaches memory, unless one of the guide
    /// has to before it: then nobody saw it in the guide, where it did not wait.
    fn write(&mut self, act: &Act, bytes: Bytes) -> Result<Option<Failed>, String> {
        let thread = act.thread;
        // Where the code does not say what waits, this may be a store that came before.
        let before = self.unguided(thread).find(|(_, known)| *known == bytes);
        if let Some((store, _)) = before
            && self.reach(thread, store)?
        {
            return Ok(None);
        }
        let before = self.recorder.acts().len();
        let failed = self.run_to(act)?;
        let new = self.recorder.acts().get(before..).unwrap_or_default();
        if let Some(ActKind::Waits(store, _)) =
            new.iter().find(|new| is_same(act, new)).map(|new| new.kind)
        {
            self.reach(thread, store)?;
        }
        Ok(failed)
    }

    /// Lets a store of the guide reach memory.
    fn reach_guided(&mut self, thread: u32, guided: StoreId) -> Result<(), String> {
        // It may not have waited here.
        let Some(store) = self.waits.remove(&guided) else { return Ok(()) };
        match self.reach(thread, store)? {
            true => Ok(()),
            false => Err("a store may not reach memory yet".to_owned()),
        }
    }

    /// Lets a store that waits reach memory, and those before it that must; whether none of these is
    /// of the guide.
    fn reach(&mut self, thread: u32, store: StoreId) -> Result<bool, String> {
        loop {
            let mut buffered = self.recorder.buffered(thread);
            let Some((_, bytes)) = buffered.find(|(id, _)| *id == store) else { return Ok(true) };
            drop(buffered);
            let waiting = self.machine.waiting(thread);
            let index = waiting.iter().position(|waiting| is_to(waiting, bytes));
            let Some(index) = index else { return Ok(true) };
            if self.reach_memory(thread, index) {
                return Ok(true);
            }
            if !self.flush_unguided(thread) {
                if !self.machine.ready(thread).is_empty() {
                    return Ok(false);
                }
                self.unblock(thread, "a store may not reach memory yet").map(drop)?;
            }
        }
    }
}

enum Stepped {
    On,
    Failed(Failed),
    Blocked(String),
}

fn is_to(waiting: &sapa_ir::goto::interpret::Waiting, bytes: Bytes) -> bool {
    u128::from(waiting.pointer) == bytes.pointer && waiting.bytes.len() as u64 == bytes.size
}

/// Whether what is done is what the guide does. Addresses are not compared: those of objects that
/// are made in a run differ with the globals of the module.
fn is_same(guide: &Act, done: &Act) -> bool {
    use ActKind::{Begins, Changes, Fails, Reads, Waits, Writes};
    guide.thread == done.thread
        && guide.location.is_same_place(done.location)
        && match (guide.kind, done.kind) {
            // A store that nobody sees before it reaches memory does not wait in the guide; one of
            // a thread that is alone does not wait here.
            (Waits(..) | Writes(_), Waits(..) | Writes(_)) => true,
            (Reads(_), Reads(_)) | (Begins, Begins) | (Changes, Changes) | (Fails, Fails) => true,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sapa_ir::goto::MemoryModel;
    use sapa_limits::Limits;
    use sapa_passes::Pipeline;

    use super::*;
    use crate::automaton::leaf::Symbols;
    use crate::automaton::{Interruptions, build};
    use crate::cegar::simulate::{Simulation, simulate};
    use crate::execution::counterexample::{candidate, failing};
    use crate::execution::explore::{Explored, Explorer};
    use crate::execution::original::SearchTurn;
    use crate::execution::replay::replay;
    use crate::solver::Solver;

    /// Fails if a message is seen before what it is about. What is sent is chosen, and a store of the
    /// initial thread that is alone needs no buffer.
    const MESSAGE: &str = r#"gir 1
file "a.c"
global $data: i32 = 0
global $ready: i32 = 0
define @sender() {
bb0:
  %0: i32 = nondet  #2:11 of "a.c"
  %1: i1 = ne %0, 0i32
  assume %1
  store i32, $data, %0  #3:1
  store i32, $ready, 1i32  #4:1
  return
}
define @main() {
bb0:
  store i32, $data, 0i32  #8:1 of "a.c"
  %0: i64 = spawn @sender()  #9:1
  %1: i32 = load $ready  #10:1
  %2: i1 = eq %1, 1i32
  assume %2
  %3: i32 = load $data  #11:1
  %4: i1 = ne %3, 0i32
  assert %4, "it is there"  #12:1
  return
}
entry @main
"#;

    /// Fails if the store to `x` waits while another thread's global is read. Behind it there is one to
    /// an object whose address the thread gives to nobody but itself.
    const OWN: &str = r#"gir 1
file "a.c"
struct holder size 8 align 8 {
  own: ptr at 0
}
global $x: i32 = 0
global $y: i32 = 0
global $"__unbuffered_r": i32 = 1
define @first() {
  slot &own: i32
  slot &holder: struct holder
bb0:
  %2: ptr = field struct holder.own, &holder  #2:1 of "a.c"
  store ptr, %2, &own
  %0: ptr = load %2  #3:1
  store i32, $x, 1i32  #4:1
  store i32, %0, 1i32  #5:1
  %1: i32 = load $y  #6:1
  store i32, $"__unbuffered_r", %1  #7:1
  return
}
define @main() {
bb0:
  %0: i64 = spawn @first()  #11:1 of "a.c"
  store i32, $y, 1i32  #12:1
  fence.seq_cst  #13:1
  %1: i32 = load $x  #14:1
  %2: i1 = eq %1, 0i32
  assume %2
  %3: i32 = load $"__unbuffered_r"  #16:1
  %4: i1 = eq %3, 1i32
  assert %4, "it is seen"  #17:1
  return
}
entry @main
"#;

    /// Follows a failing execution of a program with the buffers of a pass in its code, where stores
    /// wait as under a model, in buffers with room for some.
    fn followed(
        text: &str,
        pass: &str,
        memory: MemoryModel,
        most_waiting: Option<u32>,
    ) -> Result<Counterexample, Departure> {
        let module = sapa_ir::goto::parse(text, "test").expect("the module is well-formed");
        let mut buffered = module.clone();
        let pipeline = Pipeline::parse(pass).expect("the passes are there");
        let limits = Limits::default();
        pipeline.run_within(&mut buffered, &mut [], &limits).expect("the pass can do it");
        let mut symbols = Symbols::default();
        let automaton = build::build(&mut symbols, &buffered, Interruptions::Everywhere, &limits)
            .expect("it is modelled");
        let threads = ThreadBound::Bounded(1);
        let mut explorer = Explorer::new(threads, None);
        let found = explorer.search(&buffered, &automaton, 0, &limits, true);
        let Some(Explored::Failure(trace)) = found else { panic!("it fails: {found:?}") };
        let found = simulate(&mut symbols, &automaton, &trace, &mut Solver::default());
        let Simulation::Feasible(choices) = found else { panic!("it is feasible: {found:?}") };
        let property = failing(&automaton, &trace).expect("it fails");
        let candidate = candidate(&automaton, &trace, property, &choices);
        let executed = replay(&buffered, threads, &candidate).expect("it is an execution");
        let guide = Guide::new(&buffered, &automaton, &candidate, &executed);
        let module = Arc::new(module);
        let original = Original { module, memory, most_waiting, search: SearchTurn::First };
        follow(&original, threads, guide)
    }

    fn texts(found: &Counterexample) -> Vec<String> {
        found.rows.iter().flat_map(|row| &row.events).map(|event| event.text()).collect()
    }

    #[test]
    fn the_program_does_what_it_does_with_buffers_in_its_code() {
        for pass in ["pso", "pso{layout=variables,k=2}", "pso{k=2,overflow=wait}"] {
            let found = followed(MESSAGE, pass, MemoryModel::Pso, None).expect("it fails too");
            assert_eq!((found.property.as_str(), found.location.line), ("it is there", 12));
            let texts = texts(&found);
            for text in ["ready = 1 (waits)", "ready = 1 reaches memory"] {
                assert!(texts.iter().any(|found| found == text), "{pass}: {texts:?}");
            }
            assert!(!texts.iter().any(|text| text.contains("data = 1 reaches")), "{texts:?}");
        }
    }

    #[test]
    fn what_the_model_does_not_allow_is_not_followed() {
        for memory in [MemoryModel::Tso, MemoryModel::Sc] {
            assert!(followed(MESSAGE, "pso", memory, None).is_err(), "{memory:?}");
        }
    }

    #[test]
    fn no_more_stores_wait_than_there_is_room_for() {
        let pass = "tso{k=1,overflow=wait}";
        let own = |text: &str, room| followed(text, pass, MemoryModel::Tso, room);
        // Behind the store that waits in the guide, the other one can only wait.
        assert!(own(OWN, None).is_ok());
        assert!(own(OWN, Some(2)).is_ok());
        let Err(Departure::Ended { why, .. }) = own(OWN, Some(1)) else { panic!("it is too much") };
        assert!(why.contains("room"), "{why}");
        // Before it, it makes room.
        let x = "  store i32, $x, 1i32  #4:1\n";
        let other = "  store i32, %0, 1i32  #5:1\n";
        let before = OWN.replace(&format!("{x}{other}"), &format!("{other}{x}"));
        assert_ne!(before, OWN);
        let texts = texts(&own(&before, Some(1)).expect("it is enough"));
        let at = |text: &str| texts.iter().position(|found| found == text);
        let (reaches, waits) = (at("own = 1 reaches memory"), at("x = 1 (waits)"));
        assert!(reaches.is_some() && reaches < waits, "{texts:?}");
    }
}
