//! A run for a thread state that was found (BOPPO section 3.2): its history, with a thread for
//! each other whose steps it was told of, which have histories of their own.
//!
//! A thread state has one parent or two. Going back over the first is the thread's own past; the
//! second, where there is one, is the state of another thread, whose step is a part of the run,
//! and whose past has to come before. So that one thread's past is not told twice, a thread of the
//! run that stands where the other is wanted, with the same locals, is that other. Whether all of
//! it together is a run of the program is for [`follow`](crate::check::symbolic::script::follow)
//! to say: the pasts of two thread states need not fit together.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_bdd::{Bdd, LimitReached, Var};
use sapa_ir::boolean::flat::{FlatStatement, LocalVar, LocationId, SharedVar};

use super::search::Search;
use super::variables::Section;
use super::{Cause, Company, Kind, Node};
use crate::check::symbolic::script::{Move, Script};

/// The moments before one, with what is seen at the earliest; nothing is before an initial state.
type Before = (Vec<Moment>, Option<Seen>);

/// Longer runs are not made: what one thread state was told of can have been told again and again.
const MOST_MOVES: usize = 1 << 12;

/// The most pasts that are looked for, one within the other.
const MOST_NESTED: usize = 32;

/// Values of variables; those that do not matter are not there.
type Values = FxHashMap<Var, bool>;

/// A thread state, and when it came.
#[derive(Clone, Debug)]
struct Seen {
    node: usize,
    event: usize,
    shared: Vec<bool>,
    own: Vec<bool>,
}

/// What happened between a thread state and the one before.
#[derive(Clone, Debug)]
enum Happened {
    /// The program began.
    Began,
    /// The thread took a step at this location.
    Stepped(LocationId),
    /// The thread was started by a step at this location; before, the one that is followed was who
    /// started it.
    Born(LocationId),
    /// Others took steps.
    Told(Acting),
}

/// Steps of one thread that others are told of: several, if it is inside an atomic section.
#[derive(Clone, Debug)]
struct Acting {
    /// Where it stands before them, and its locals.
    location: LocationId,
    own: Vec<bool>,
    /// The thread state that is, if it has to have a past.
    seen: Option<Seen>,
    steps: Vec<ActingStep>,
}

#[derive(Clone, Debug)]
struct ActingStep {
    location: LocationId,
    /// Where it arrives, which can be past skips and jumps, with which locals; `None` if it ends.
    after: Option<(LocationId, Vec<bool>)>,
}

#[derive(Clone, Debug)]
struct Moment {
    happened: Happened,
    location: LocationId,
    own: Vec<bool>,
}

/// Where a thread of the run is.
#[derive(Clone, Debug)]
struct Position {
    /// One of these.
    stops: Vec<LocationId>,
    own: Vec<bool>,
    /// The move that led there, and whether it started the thread.
    arrived: Option<(usize, bool)>,
}

struct Making<'a, 's, 'p> {
    search: &'a mut Search<'s, 'p>,
    initial: Option<LocationId>,
    moves: Vec<Move>,
    threads: Vec<Position>,
    /// Whose pasts are being told, so that they do not move.
    busy: Vec<usize>,
}

/// The run to a state of a node that fails, which was there before some time; `None` if its parts
/// do not fit together.
///
/// # Errors
/// If a limit is reached.
pub(crate) fn run_to(
    search: &mut Search<'_, '_>,
    node: usize,
    time: u32,
) -> Result<Option<Script>, LimitReached> {
    let location = search.nodes[node].location;
    let Some(fails) = search.system.fails(location)? else { return Ok(None) };
    let mut making =
        Making { search, initial: None, moves: Vec::new(), threads: Vec::new(), busy: Vec::new() };
    let Some(seen) = making.seen_in(node, time, &fails)? else { return Ok(None) };
    let Some(failing) = making.bring(&seen)? else { return Ok(None) };
    let Some(initial) = making.initial else { return Ok(None) };
    Ok(Some(Script { initial, moves: making.moves, failing }))
}

impl Making<'_, '_, '_> {
    fn node(&self, node: usize) -> &Node {
        &self.search.nodes[node]
    }

    /// The earliest states of a node among these, and some of their values.
    fn earliest(
        &self,
        node: usize,
        before: u32,
        set: &Bdd,
    ) -> Result<Option<(usize, Values)>, LimitReached> {
        let events = &self.node(node).events;
        let all = events.partition_point(|event| event.time < before);
        let (mut low, mut high) = (0, all);
        while low < high {
            let middle = usize::midpoint(low, high);
            if events[middle].states.and(set)?.is_false() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == all {
            return Ok(None);
        }
        let found = events[low].states.and(set)?.pick_cube();
        Ok(found.map(|cube| (low, cube.literals().iter().copied().collect())))
    }

    fn seen_in(&self, node: usize, before: u32, set: &Bdd) -> Result<Option<Seen>, LimitReached> {
        let found = self.earliest(node, before, set)?;
        Ok(found.map(|(event, values)| Seen {
            node,
            event,
            shared: self.shared_of(&values, |bit| bit.current),
            own: self.own_of(&values),
        }))
    }

    fn shared_of(
        &self,
        values: &Values,
        side: impl Fn(crate::check::symbolic::layout::Bit) -> Var,
    ) -> Vec<bool> {
        let bits = self.search.system.encoder.layout.shared.iter();
        bits.map(|bit| values.get(&side(*bit)).copied().unwrap_or(false)).collect()
    }

    fn own_of(&self, values: &Values) -> Vec<bool> {
        let locals = (0..self.search.system.program().locals.len()).map(|v| LocalVar(v as u32));
        let value = |v: Var| values.get(&v).copied().unwrap_or(false);
        locals.map(|v| value(self.search.system.local(v).current)).collect()
    }

    fn passive_of(&self, values: &Values) -> Vec<bool> {
        let locals = (0..self.search.system.program().locals.len()).map(|v| LocalVar(v as u32));
        let value = |v: Var| values.get(&v).copied().unwrap_or(false);
        locals.map(|v| value(self.search.system.passive(v).current)).collect()
    }

    /// The states with these shared variables and these live locals.
    fn exactly(
        &self,
        location: LocationId,
        shared: &[bool],
        own: &[bool],
    ) -> Result<Bdd, LimitReached> {
        let system = &self.search.system;
        let bits = system.encoder.layout.shared.iter().map(|bit| bit.current);
        let mut literals: Vec<(Var, bool)> = bits.zip(shared.iter().copied()).collect();
        literals
            .extend(self.live(location, own).map(|(v, value)| (system.local(v).current, value)));
        system.manager().conjunction(literals)
    }

    fn live<'o>(
        &'o self,
        location: LocationId,
        own: &'o [bool],
    ) -> impl Iterator<Item = (LocalVar, bool)> + 'o {
        let live =
            own.iter().enumerate().filter(move |(v, _)| self.search.system.is_live(location, *v));
        live.map(|(v, value)| (LocalVar(v as u32), *value))
    }

    /// The state before, and what happened.
    fn before(&mut self, seen: &Seen) -> Result<Option<Before>, LimitReached> {
        let Node { location, kind, events, .. } = self.node(seen.node);
        let (location, event) = (*location, events[seen.event].clone());
        let Kind::Thread(_) = kind else { return Ok(None) };
        let moment = |happened| Moment { happened, location, own: seen.own.clone() };
        match event.cause {
            Cause::Initial => Ok(Some((vec![moment(Happened::Began)], None))),
            Cause::Step { from } => {
                let there = self.node(from).location;
                let after = self.exactly(location, &seen.shared, &seen.own)?;
                let set = self.before_step(there, &after)?;
                let before = self.seen_in(from, event.time, &set)?;
                Ok(before.map(|before| (vec![moment(Happened::Stepped(there))], Some(before))))
            }
            Cause::Born { from } => {
                let there = self.node(from).location;
                let set = self.parent(location, &seen.shared, &seen.own)?;
                let before = self.seen_in(from, event.time, &set)?;
                Ok(before.map(|before| (vec![moment(Happened::Born(there))], Some(before))))
            }
            Cause::Disturbed { change } => {
                for source in self.search.changes[change].sources.clone() {
                    let found = match self.node(source).kind {
                        Kind::Thread(_) => self.told_step(source, event.time, seen)?,
                        Kind::Company(Company::Any { section }) => {
                            self.told_section(source, section, event.time, seen)?
                        }
                        Kind::Company(Company::Child { .. }) => None,
                    };
                    if let Some((before, acting)) = found {
                        let told = vec![moment(Happened::Told(acting))];
                        return Ok(Some((told, Some(before))));
                    }
                }
                Ok(None)
            }
            Cause::Released { from } => self.released(from, event.time, seen, location),
        }
    }

    /// The states of a thread before a step of its own into these.
    fn before_step(&mut self, at: LocationId, after: &Bdd) -> Result<Bdd, LimitReached> {
        match self.search.system.program().statement(at).as_assignment() {
            Some(_) => self.search.system.own(at)?.preimage(after),
            None => Ok(after.clone()),
        }
    }

    /// The states in which a thread can start one with these locals.
    fn parent(
        &self,
        child: LocationId,
        shared: &[bool],
        own: &[bool],
    ) -> Result<Bdd, LimitReached> {
        let mut own = own.to_vec();
        own.truncate(self.search.system.held.own_locals());
        self.exactly(child, shared, &own)
    }

    /// By which single step of another thread the state came about: the state before, and the other.
    fn told_step(
        &mut self,
        source: usize,
        before: u32,
        seen: &Seen,
    ) -> Result<Option<(Seen, Acting)>, LimitReached> {
        let there = self.node(source).location;
        let location = self.node(seen.node).location;
        let system = &self.search.system;
        let statement = system.program().statement(there);
        let Some(assignment) = statement.as_assignment() else { return Ok(None) };
        let writes_shared = |v: SharedVar| assignment.shared.iter().any(|(target, _)| *target == v);
        let writes_passive =
            |v: LocalVar| assignment.broadcast.iter().any(|(target, _)| *target == v);
        let writes_own = |v: LocalVar| assignment.local.iter().any(|(target, _)| *target == v);
        let mut literals = Vec::new();
        for (v, &value) in seen.shared.iter().enumerate() {
            let v = SharedVar(v as u32);
            let bit = system.shared(v);
            literals.push((if writes_shared(v) { bit.next } else { bit.current }, value));
        }
        for (v, value) in self.live(location, &seen.own) {
            let bit = system.passive(v);
            literals.push((if writes_passive(v) { bit.next } else { bit.current }, value));
        }
        let mut set = system.manager().conjunction(literals)?;
        for conjunct in system.outward_conjuncts(&assignment)? {
            set = set.and(&conjunct)?;
        }
        let states_before = |node: usize| {
            let events = &self.node(node).events;
            let all = events.partition_point(|event| event.time < before);
            all.checked_sub(1).map(|last| events[last].states.clone())
        };
        let (Some(active), Some(passive)) = (states_before(source), states_before(seen.node))
        else {
            return Ok(None);
        };
        set = set.and(&active)?.and(&system.as_passive(&passive)?)?;
        let Some(cube) = set.pick_cube() else { return Ok(None) };
        let values: Values = cube.literals().iter().copied().collect();
        let value = |v: Var| values.get(&v).copied().unwrap_or(false);
        let shared = self.shared_of(&values, |bit| bit.current);
        let own = self.own_of(&values);
        let waiting = self.passive_of(&values);
        let own_after = own.iter().enumerate().map(|(v, &before)| {
            let v = LocalVar(v as u32);
            if writes_own(v) { value(system.local(v).next) } else { before }
        });
        let own_after: Vec<bool> = own_after.collect();
        let next = statement.successors().first().copied();
        let set = self.exactly(there, &shared, &own)?;
        let other = self.seen_in(source, before, &set)?;
        let set = self.exactly(location, &shared, &waiting)?;
        let same = self.seen_in(seen.node, before, &set)?;
        let steps = vec![ActingStep { location: there, after: next.map(|next| (next, own_after)) }];
        Ok(same
            .zip(other)
            .map(|(same, other)| (same, Acting { location: there, own, seen: Some(other), steps })))
    }

    /// By which atomic section of another thread the state came about.
    fn told_section(
        &mut self,
        company: usize,
        section: LocationId,
        before: u32,
        seen: &Seen,
    ) -> Result<Option<(Seen, Acting)>, LimitReached> {
        let location = self.node(seen.node).location;
        let begun = self.search.system.section(section)?;
        let system = &self.search.system;
        let shared = system.encoder.layout.shared.iter().map(|bit| bit.current);
        let mut literals: Vec<(Var, bool)> = shared.zip(seen.shared.iter().copied()).collect();
        let waiting = self.live(location, &seen.own);
        literals.extend(waiting.map(|(v, value)| (system.passive(v).current, value)));
        // Who waits was in a state of its place when the section began.
        let events = &self.node(seen.node).events;
        let all = events.partition_point(|event| event.time < before);
        let Some(last) = all.checked_sub(1) else { return Ok(None) };
        let there = system.as_passive(&events[last].states)?;
        let there = there.substitute(&self.when_begun(&begun)?)?;
        let set = system.manager().conjunction(literals)?.and(&there)?;
        let Some((event, values)) = self.earliest(company, before, &set)? else { return Ok(None) };
        let (steps, entered) = self.section_steps(company, event, values.clone())?;
        let Some((entered, at_begin)) = entered else { return Ok(None) };
        let waited = self.passive_of(&at_begin);
        let shared = self.shared_of(&at_begin, |bit| bit.current);
        let set = self.exactly(location, &shared, &waited)?;
        let same = self.seen_in(seen.node, before, &set)?;
        let (there, own) = (self.node(entered.node).location, entered.own.clone());
        let acting = Acting { location: there, own, seen: Some(entered), steps };
        Ok(same.map(|same| (same, acting)))
    }

    /// From values of shared variables and a passive thread's locals to those when a section began.
    fn when_begun(&self, section: &Section) -> Result<sapa_bdd::Substitution, LimitReached> {
        let system = &self.search.system;
        let program = system.program();
        let shared = (0..program.shared.len()).map(|v| SharedVar(v as u32));
        let shared = shared
            .filter_map(|v| Some((system.shared(v).current, system.entry_shared(section, v)?)));
        let locals = (0..program.locals.len()).map(|v| LocalVar(v as u32));
        let locals = locals
            .filter_map(|v| Some((system.passive(v).current, system.entry_local(section, v)?)));
        system.manager().renaming(shared.chain(locals))
    }

    /// The steps of a thread inside its atomic section up to some values of a company, from when it
    /// entered or started who waits: with the thread state in which it was then, and the values of
    /// the company after that.
    #[allow(clippy::type_complexity)]
    fn section_steps(
        &mut self,
        mut company: usize,
        mut event: usize,
        mut values: Values,
    ) -> Result<(Vec<ActingStep>, Option<(Seen, Values)>), LimitReached> {
        let mut steps = Vec::new();
        // Leaving.
        let location = self.node(company).location;
        let next = self.search.system.program().statement(location).successors().first().copied();
        let own = self.own_of(&values);
        steps.push(ActingStep { location, after: next.map(|next| (next, own)) });
        loop {
            let Node { location, events, .. } = self.node(company);
            let (location, found) = (*location, events[event].clone());
            let Cause::Step { from } = found.cause else { return Ok((steps, None)) };
            let there = self.node(from).location;
            let own = self.own_of(&values);
            if let Kind::Thread(_) = self.node(from).kind {
                let shared = self.shared_of(&values, |bit| bit.current);
                // The step that begins the section, or that starts who waits.
                let set = self.exactly(location, &shared, &own)?;
                let seen = self.seen_in(from, found.time, &set)?;
                if let FlatStatement::AtomicBegin { .. } =
                    self.search.system.program().statement(there)
                {
                    steps.push(ActingStep { location: there, after: Some((location, own)) });
                }
                steps.reverse();
                return Ok((steps, seen.map(|seen| (seen, values))));
            }
            steps.push(ActingStep { location: there, after: Some((location, own)) });
            let dead = |v: &Var| {
                (0..self.search.system.held.own_locals()).any(|at| {
                    self.search.system.local(LocalVar(at as u32)).current == *v
                        && !self.search.system.is_live(location, at)
                })
            };
            let literals = values.iter().filter(|(v, _)| !dead(v)).map(|(v, value)| (*v, *value));
            let after = self.search.system.manager().conjunction(literals.collect())?;
            let set = match self.search.system.program().statement(there).as_assignment() {
                Some(_) => self.search.system.beside(there)?.preimage(&after)?,
                None => after,
            };
            let Some(before) = self.earliest(from, found.time, &set)? else {
                return Ok((steps, None));
            };
            (company, event, values) = (from, before.0, before.1);
        }
    }

    /// The past of a thread that was started within an atomic section that is over.
    fn released(
        &mut self,
        company: usize,
        before: u32,
        seen: &Seen,
        location: LocationId,
    ) -> Result<Option<Before>, LimitReached> {
        let system = &self.search.system;
        let shared = system.encoder.layout.shared.iter().map(|bit| bit.current);
        let mut literals: Vec<(Var, bool)> = shared.zip(seen.shared.iter().copied()).collect();
        let waiting = self.live(location, &seen.own);
        literals.extend(waiting.map(|(v, value)| (system.passive(v).current, value)));
        let set = system.manager().conjunction(literals)?;
        let Some((event, values)) = self.earliest(company, before, &set)? else { return Ok(None) };
        let (steps, started) = self.section_steps(company, event, values)?;
        let Some((parent, values)) = started else { return Ok(None) };
        let there = self.node(parent.node).location;
        let born =
            Moment { happened: Happened::Born(there), location, own: self.passive_of(&values) };
        let Some(first) = steps.first() else { return Ok(None) };
        let acting =
            Acting { location: first.location, own: self.own_of(&values), seen: None, steps };
        let told = Moment { happened: Happened::Told(acting), location, own: seen.own.clone() };
        Ok(Some((vec![told, born], Some(parent))))
    }

    /// What happened from the beginning of the program to a thread state.
    fn past(&mut self, seen: &Seen) -> Result<Option<Vec<Moment>>, LimitReached> {
        let mut past = Vec::new();
        let mut at = Some(seen.clone());
        while let Some(seen) = at {
            let Some((moments, before)) = self.before(&seen)? else { return Ok(None) };
            past.extend(moments);
            if past.len() > MOST_MOVES {
                return Ok(None);
            }
            at = before;
        }
        past.reverse();
        Ok(Some(past))
    }

    /// The thread that stands at a location with these locals, of those that are not busy.
    fn standing(&self, location: LocationId, own: &[bool]) -> Option<usize> {
        let mut wanted = self.threads.iter().enumerate();
        let (thread, _) = wanted.find(|(thread, position)| {
            !self.busy.contains(thread)
                && position.stops.contains(&location)
                && self.live(location, own).eq(self.live(location, &position.own))
        })?;
        Some(thread)
    }

    /// The same of those whose pasts are being told.
    fn busy_standing(&self, location: LocationId, own: &[bool]) -> Option<usize> {
        self.busy.iter().copied().find(|thread| {
            let position = &self.threads[*thread];
            position.stops.contains(&location)
                && self.live(location, own).eq(self.live(location, &position.own))
        })
    }

    /// Lets a thread go on to a place by steps that write nothing; whether it is as it was there.
    fn come_back(&mut self, thread: usize, place: LocationId, own: &[bool]) -> bool {
        let program = self.search.system.program();
        let mut ways: VecDeque<Vec<LocationId>> =
            self.threads[thread].stops.iter().map(|stop| vec![*stop]).collect();
        let mut seen: FxHashSet<LocationId> = self.threads[thread].stops.iter().copied().collect();
        while let Some(way) = ways.pop_front() {
            let Some(&last) = way.last() else { continue };
            if last == place {
                for pair in way.windows(2) {
                    let after = self.threads[thread].own.clone();
                    self.act(thread, pair[0], Some((pair[1], after)));
                }
                self.settle(thread, place);
                return self.live(place, own).eq(self.live(place, &self.threads[thread].own));
            }
            let statement = program.statement(last);
            let quiet =
                matches!(statement, FlatStatement::Assume { .. } | FlatStatement::Assert { .. });
            for next in statement.successors().iter().filter(|_| quiet) {
                for stop in &self.search.system.stops[next.index()] {
                    if seen.insert(*stop) {
                        ways.push_back([way.as_slice(), &[*stop]].concat());
                    }
                }
            }
        }
        false
    }

    /// Decides where a thread stopped.
    fn settle(&mut self, thread: usize, location: LocationId) {
        let position = &mut self.threads[thread];
        position.stops = vec![location];
        match position.arrived.and_then(|(at, by_start)| Some((self.moves.get_mut(at)?, by_start)))
        {
            Some((step, true)) => step.started = Some(location),
            Some((step, false)) => step.successor = Some(location),
            None => {}
        }
    }

    /// Lets a thread take a step; the thread that it started.
    fn act(
        &mut self,
        thread: usize,
        location: LocationId,
        after: Option<(LocationId, Vec<bool>)>,
    ) -> Option<usize> {
        self.settle(thread, location);
        let number = self.moves.len();
        let stops = |next: LocationId| self.search.system.stops[next.index()].clone();
        let before = self.threads[thread].own.clone();
        let mut step = Move { thread, location, successor: None, started: None };
        match after {
            Some((next, own)) => {
                let stops = stops(next);
                step.successor = stops.first().copied();
                self.threads[thread] = Position { stops, own, arrived: Some((number, false)) };
            }
            None => {
                let none = Vec::new();
                self.threads[thread] = Position { stops: none, own: before.clone(), arrived: None };
            }
        }
        let mut child = None;
        if let FlatStatement::StartThread { entry, .. } =
            self.search.system.program().statement(location)
        {
            let stops = self.search.system.stops[entry.index()].clone();
            step.started = stops.first().copied();
            let mut own = before;
            own[self.search.system.held.holders()].fill(false);
            child = Some(self.threads.len());
            self.threads.push(Position { stops, own, arrived: Some((number, true)) });
        }
        self.moves.push(step);
        child
    }

    /// Brings a thread into a state that was seen; which one it is.
    fn bring(&mut self, seen: &Seen) -> Result<Option<usize>, LimitReached> {
        if self.busy.len() > MOST_NESTED {
            return Ok(None);
        }
        let location = self.node(seen.node).location;
        if let Some(thread) = self.standing(location, &seen.own) {
            self.settle(thread, location);
            return Ok(Some(thread));
        }
        let Some(past) = self.past(seen)? else { return Ok(None) };
        // From the last moment on at which a thread of the run is.
        let mut from = None;
        // Who has to come back to where it was, having started a thread meanwhile.
        let mut back: Option<(usize, LocationId, Vec<bool>)> = None;
        for (number, moment) in past.iter().enumerate().rev() {
            if let Some(thread) = self.standing(moment.location, &moment.own) {
                self.settle(thread, moment.location);
                from = Some((number + 1, thread));
                break;
            }
            let starts = past.iter().skip(number + 1);
            if starts.clone().any(|later| matches!(later.happened, Happened::Born(_)))
                && let Some(thread) = self.busy_standing(moment.location, &moment.own)
            {
                from = Some((number + 1, thread));
                back = Some((thread, moment.location, moment.own.clone()));
                break;
            }
        }
        let (first, mut thread) = match from {
            Some(from) => from,
            None if self.threads.is_empty() => {
                let Some(Moment { location, own, .. }) = past.first() else { return Ok(None) };
                self.initial = Some(*location);
                let (stops, own) = (vec![*location], own.clone());
                self.threads.push(Position { stops, own, arrived: None });
                (1, 0)
            }
            None => return Ok(None),
        };
        for Moment { happened, location, own } in past.into_iter().skip(first) {
            if self.moves.len() > MOST_MOVES {
                return Ok(None);
            }
            match happened {
                Happened::Began => return Ok(None),
                Happened::Stepped(there) => {
                    self.act(thread, there, Some((location, own)));
                    self.settle(thread, location);
                }
                Happened::Born(there) => {
                    let next =
                        self.search.system.program().statement(there).successors().first().copied();
                    let parent = self.threads[thread].own.clone();
                    let child = self.act(thread, there, next.map(|next| (next, parent)));
                    let Some(child) = child else { return Ok(None) };
                    if let Some((thread, place, own)) = back.take()
                        && !self.come_back(thread, place, &own)
                    {
                        return Ok(None);
                    }
                    thread = child;
                    self.settle(thread, location);
                    self.threads[thread].own = own;
                }
                Happened::Told(acting) => {
                    self.busy.push(thread);
                    let told = self.tell(acting)?;
                    self.busy.pop();
                    if !told {
                        return Ok(None);
                    }
                    self.threads[thread].own = own;
                }
            }
        }
        Ok(Some(thread))
    }

    /// Lets another thread act.
    fn tell(&mut self, acting: Acting) -> Result<bool, LimitReached> {
        let other = match &acting.seen {
            Some(seen) => self.bring(seen)?,
            None => self.standing(acting.location, &acting.own),
        };
        let Some(other) = other else { return Ok(false) };
        for ActingStep { location, after } in acting.steps {
            self.act(other, location, after);
        }
        Ok(true)
    }
}
