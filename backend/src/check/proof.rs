//! The invariants that engines have found, as certificates.
//!
//! Engines let threads stand at statements that do something ([`stops`]): skips and jumps are
//! walked at once. Who is on the way to several of them is in the states of all: a clause of a stop is one
//! of the locations before it too, and where there are several stops, all their clauses hold.
//! Who can only go round in skips does nothing any more, and has no clauses. Dead locals are not
//! in the formulas.
//!
//! What is not among an engine's states is excluded: by a clause that never holds for each place
//! where nobody is, and for those who are with nobody there. Which locks a thread holds is asked for by
//! `held`; that no two hold the same one, and that it is not free then, is what engines take for granted of locks that nobody
//! releases without holding them: these are clauses too.
//!
//! [`stops`]: super::analysis::stops

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use sapa_bdd::{Bdd, Var};
use sapa_certificate::check::MOST_SLOTS;
use sapa_certificate::{Atom, Builder, Certificate, Formula, Lock, Slot, When};
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocalVar, LocationId, SharedVar};
use sapa_ir::boolean::trace::Valuation;
use sapa_limits::Limits;

use super::analysis::locks::LockVariable;
use super::coverability::flat_threads::FlatThreads;
use super::coverability::thread_states::{FixedPoint, Seen};
use super::coverability::thread_system::{LocalId, Proved, SharedId, ThreadSystem};
use super::symbolic::budget::Stop;
use super::symbolic::named::backward::Element;
use super::symbolic::named::pairs::PairViews;
use super::symbolic::thread_states::search::Search;
use super::symbolic::thread_states::{Company, Kind, Place};
use super::{Method, UnknownReason};

/// Where engines put certificates; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Proof(Arc<Mutex<Option<Certificate>>>);

impl Proof {
    /// The certificate of the last proof, if that has one.
    #[must_use]
    pub fn take(&self) -> Option<Certificate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether there is one.
    pub(super) fn is_there(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Keeps it, unless the checker would not look at it.
    fn put(&self, certificate: Certificate) {
        if certificate.clauses.iter().any(|clause| clause.slots.len() > MOST_SLOTS) {
            return;
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(certificate);
    }
}

/// The stops of a program, with all from where a thread comes to them by skips and jumps.
struct Stops {
    before: BTreeMap<LocationId, Vec<LocationId>>,
}

impl Stops {
    fn new(program: &FlatProgram, stops: &[Vec<LocationId>]) -> Stops {
        let is_jump = |location: LocationId| {
            let statement = program.statement(location);
            matches!(statement, FlatStatement::Skip { .. } | FlatStatement::Goto { .. })
        };
        // From where a statement is reached that does something.
        let mut before: Vec<Vec<LocationId>> = vec![Vec::new(); program.locations.len()];
        for (at, location) in program.iter() {
            for next in location.statement.successors() {
                before[next.index()].push(at);
            }
        }
        let mut acts = vec![false; program.locations.len()];
        let all = program.iter().map(|(at, _)| at);
        let mut pending: Vec<LocationId> = all.filter(|at| !is_jump(*at)).collect();
        while let Some(at) = pending.pop() {
            if !std::mem::replace(&mut acts[at.index()], true) {
                pending.extend(before[at.index()].iter().filter(|from| is_jump(**from)));
            }
        }
        let mut behind: BTreeMap<LocationId, Vec<LocationId>> = BTreeMap::new();
        for (from, stops) in stops.iter().enumerate() {
            for stop in stops.iter().filter(|stop| acts[stop.index()]) {
                behind.entry(*stop).or_default().push(LocationId(from as u32));
            }
        }
        Stops { before: behind }
    }

    fn slot(&self, stop: LocationId) -> Slot {
        Slot::At(self.before.get(&stop).cloned().unwrap_or_default())
    }

    fn slots(&self, stops: &[LocationId]) -> Vec<Slot> {
        stops.iter().map(|stop| self.slot(*stop)).collect()
    }
}

/// Formulas by the stops of the threads that they are about.
type Formulas = BTreeMap<Vec<LocationId>, Formula>;

/// A certificate in the making.
struct Draft {
    builder: Builder,
    stops: Stops,
}

impl Draft {
    fn new(program: &FlatProgram, stops: &[Vec<LocationId>], by: Method) -> Draft {
        let by = by.words().unwrap_or("states");
        Draft { builder: Builder::new(program, by), stops: Stops::new(program, stops) }
    }

    /// Adds formulas for as many threads each, and that there are no others with the first of them
    /// where `firsts` says. Threads outside are in rising order.
    fn only(&mut self, when: When, firsts: &[Vec<LocationId>], formulas: &Formulas) {
        for (stops, formula) in formulas {
            let slots = self.stops.slots(stops);
            self.builder.clause(when, slots, *formula);
        }
        for first in firsts {
            let outside = if when == When::Inside { first.get(1..) } else { Some(&**first) };
            let least = outside.and_then(<[LocationId]>::last).copied();
            let mut key = first.clone();
            let absent = self.stops.before.iter().filter(|(stop, _)| {
                key.truncate(first.len());
                key.push(**stop);
                least.is_none_or(|least| **stop >= least) && !formulas.contains_key(&key)
            });
            let mut places: Vec<LocationId> =
                absent.flat_map(|(_, before)| before).copied().collect();
            places.sort_unstable();
            places.dedup();
            if !places.is_empty() {
                let mut slots = self.stops.slots(first);
                slots.push(Slot::At(places));
                self.builder.clause(when, slots, Formula::FALSE);
            }
        }
    }

    /// What is so of locks that nobody releases without holding them.
    fn locks(&mut self, locks: impl Iterator<Item = LockVariable>) {
        for lock in locks {
            let (first, second) = (held(0, lock), held(1, lock));
            let (if_set, if_not) =
                (Formula::TRUE.negated_if(lock.free), Formula::FALSE.negated_if(lock.free));
            let is_taken = self.builder.ite(Atom::Shared(lock.variable), if_set, if_not);
            let taken = self.builder.ite(first, is_taken, Formula::TRUE);
            self.builder.clause(When::Always, vec![Slot::Any], taken);
            let other = self.builder.ite(second, Formula::FALSE, Formula::TRUE);
            let apart = self.builder.ite(first, other, Formula::TRUE);
            self.builder.clause(When::Always, vec![Slot::Any, Slot::Any], apart);
        }
    }
}

/// Whether the thread in a slot holds a lock.
fn held(slot: u8, LockVariable { variable, free }: LockVariable) -> Atom {
    Atom::Held(slot, Lock { variable, free })
}

/// Valuations by the stops of the threads that they are about.
type Lists = BTreeMap<Vec<LocationId>, Vec<Vec<bool>>>;

/// Lists of states as formulas.
struct FromLists<'s, 'p> {
    system: &'s FlatThreads<'p>,
    locks: Vec<(LockVariable, u32)>,
    draft: Draft,
}

impl FromLists<'_, '_> {
    fn stop(&self, local: LocalId) -> LocationId {
        self.system.local_state(local).location
    }

    /// What is known of a thread at a stop, in a slot.
    fn atoms(&self, stop: LocationId, slot: usize) -> Vec<Atom> {
        let steps = self.system.steps();
        let locals = (0..steps.program.locals.len()).map(|v| LocalVar(v as u32));
        let live = locals.filter(|v| steps.liveness.is_live(stop, *v));
        let live = live.map(|v| Atom::Local(slot as u8, v));
        live.chain(self.locks.iter().map(|(lock, _)| held(slot as u8, *lock))).collect()
    }

    fn valuation(&self, shared: SharedId, threads: &[LocalId]) -> Vec<bool> {
        let mut valuation: Vec<bool> = self.system.shared_values(shared).iter().collect();
        let liveness = &self.system.steps().liveness;
        for thread in threads {
            let state = self.system.local_state(*thread);
            let live =
                |(v, value)| liveness.is_live(state.location, LocalVar(v as u32)).then_some(value);
            valuation.extend(Valuation::iter(&state.locals).enumerate().filter_map(live));
            valuation.extend(self.locks.iter().map(|(_, bit)| state.locks >> bit & 1 == 1));
        }
        valuation
    }

    fn add(&self, lists: &mut Lists, shared: SharedId, threads: &[LocalId]) {
        let stops = threads.iter().map(|thread| self.stop(*thread)).collect();
        lists.entry(stops).or_default().push(self.valuation(shared, threads));
    }

    fn formula(&mut self, stops: &[LocationId], valuations: Vec<Vec<bool>>) -> Formula {
        let shared = self.system.steps().program.shared.len();
        let mut atoms: Vec<Atom> = (0..shared).map(|v| Atom::Shared(SharedVar(v as u32))).collect();
        for (slot, stop) in stops.iter().enumerate() {
            atoms.extend(self.atoms(*stop, slot));
        }
        self.draft.builder.set(&atoms, valuations)
    }

    fn formulas(&mut self, lists: Lists) -> Formulas {
        lists
            .into_iter()
            .map(|(stops, l)| {
                let f = self.formula(&stops, l);
                (stops, f)
            })
            .collect()
    }

    /// The fixed point of what single threads see: who waits for a thread inside is a pair with it.
    fn thread_states(&mut self, fixed_point: &FixedPoint) {
        let mut seen: [[Lists; 2]; 2] = Default::default();
        let mut waiting = Lists::new();
        for seen_one in &fixed_point.seen {
            match *seen_one {
                Seen::Thread { shared, local, started } => {
                    let inside = usize::from(self.system.in_atomic(local));
                    let mut lists = std::mem::take(&mut seen[inside][usize::from(started)]);
                    self.add(&mut lists, shared, &[local]);
                    seen[inside][usize::from(started)] = lists;
                }
                Seen::Waiting { shared, local, inside } => {
                    self.add(&mut waiting, shared, &[inside, local]);
                }
            }
        }
        let reliable = self.locks.iter().filter(|(_, bit)| fixed_point.reliable >> bit & 1 == 1);
        let reliable: Vec<LockVariable> = reliable.map(|(lock, _)| *lock).collect();
        self.draft.locks(reliable.into_iter());
        let mut firsts = Vec::new();
        for (when, [alone, started]) in [When::Free, When::Inside].into_iter().zip(seen) {
            let (alone, started) = (self.formulas(alone), self.formulas(started));
            let mut both = Formulas::new();
            for stops in alone.keys().chain(started.keys()) {
                let of = |formulas: &Formulas| formulas.get(stops).copied();
                let (high, low) = (of(&started), of(&alone));
                let (high, low) = (high.unwrap_or(Formula::FALSE), low.unwrap_or(Formula::FALSE));
                both.insert(stops.clone(), self.draft.builder.ite(Atom::Started, high, low));
            }
            if when == When::Inside {
                firsts = both.keys().cloned().collect();
            }
            self.draft.only(when, &[Vec::new()], &both);
        }
        let waiting = self.formulas(waiting);
        self.draft.only(When::Inside, &firsts, &waiting);
    }

    /// What pairs of threads can be seen doing.
    fn pairs(&mut self, proved: &Proved) {
        let views = &proved.views;
        let (mut free, mut inside) = (Lists::new(), Lists::new());
        for &(shared, local) in &views.movers {
            let lists = if self.system.in_atomic(local) { &mut inside } else { &mut free };
            self.add(lists, shared, &[local]);
        }
        let (mut free_pairs, mut waiting, mut waiting_pairs) = <(Lists, Lists, Lists)>::default();
        for (&(shared, within), company) in &views.company {
            if let Some(within) = within {
                company.iter().for_each(|one| self.add(&mut waiting, shared, &[within, *one]));
            }
        }
        for (&(shared, within), partners) in views.partners.iter().flatten() {
            for (&one, others) in partners {
                for &other in others.iter().filter(|other| self.stop(one) <= self.stop(**other)) {
                    match within {
                        Some(within) => {
                            self.add(&mut waiting_pairs, shared, &[within, one, other]);
                        }
                        None => self.add(&mut free_pairs, shared, &[one, other]),
                    }
                }
            }
        }
        let formulas = [free, free_pairs, inside, waiting, waiting_pairs].map(|l| self.formulas(l));
        self.draft.views(&formulas);
    }

    /// The configurations from which a failure could be reached, by their minimal elements.
    fn excluded(&mut self, proved: &Proved) {
        let mut lists: BTreeMap<(bool, Vec<LocationId>), Vec<Vec<bool>>> = BTreeMap::new();
        for (inside, marking) in &proved.excluded {
            let each = marking.counts().iter();
            let mut threads: Vec<LocalId> =
                each.flat_map(|(local, count)| (0..*count).map(|_| *local)).collect();
            threads.sort_by_key(|local| self.stop(*local));
            let threads: Vec<LocalId> = inside.iter().copied().chain(threads).collect();
            let stops = threads.iter().map(|thread| self.stop(*thread)).collect();
            let valuation = self.valuation(marking.shared, &threads);
            lists.entry((inside.is_some(), stops)).or_default().push(valuation);
        }
        for ((inside, stops), valuations) in lists {
            let when = if inside { When::Inside } else { When::Free };
            let excluded = self.formula(&stops, valuations);
            let slots = self.draft.stops.slots(&stops);
            self.draft.builder.clause(when, slots, excluded.negated());
        }
    }
}

impl Draft {
    /// Views: of one thread and of two outside, of one inside, and of that with one and with two.
    fn views(&mut self, [free, pairs, inside, waiting, waiting_pairs]: &[Formulas; 5]) {
        let keys = |formulas: &Formulas| formulas.keys().cloned().collect::<Vec<_>>();
        self.only(When::Free, &[Vec::new()], free);
        self.only(When::Free, &keys(free), pairs);
        self.only(When::Inside, &[Vec::new()], inside);
        self.only(When::Inside, &keys(inside), waiting);
        self.only(When::Inside, &keys(waiting), waiting_pairs);
    }
}

/// BDDs as formulas over what their variables stand for.
struct Exporter {
    atoms: FxHashMap<Var, Atom>,
    known: FxHashMap<Bdd, Formula>,
}

impl Exporter {
    fn new(atoms: FxHashMap<Var, Atom>) -> Exporter {
        Exporter { atoms, known: FxHashMap::default() }
    }

    /// Recurses once for each variable, as the operations on BDDs do.
    fn formula(
        &mut self,
        set: &Bdd,
        builder: &mut Builder,
        limits: &Limits,
    ) -> Result<Formula, Stop> {
        let Some((var, low, high)) = set.children() else {
            return Ok(Formula::FALSE.negated_if(set.is_true()));
        };
        if let Some(known) = self.known.get(set) {
            return Ok(*known);
        }
        if self.known.len().is_multiple_of(1 << 12) {
            limits.check().map_err(UnknownReason::from)?;
        }
        let low = self.formula(&low, builder, limits)?;
        let high = self.formula(&high, builder, limits)?;
        let Some(atom) = self.atoms.get(&var) else {
            return Err(UnknownReason::Internal("a proof asks for an unknown variable").into());
        };
        let formula = builder.ite(*atom, high, low);
        self.known.insert(set.clone(), formula);
        Ok(formula)
    }
}

impl Proof {
    /// Of a proof over lists.
    pub(super) fn of_lists(
        &self,
        system: &FlatThreads<'_>,
        proved: &Proved,
        by: Method,
        limits: &Limits,
    ) -> Result<(), UnknownReason> {
        limits.check()?;
        let steps = system.steps();
        let locks = steps.locks.iter().copied().zip(0..).collect();
        let draft = Draft::new(steps.program, &steps.stops, by);
        let mut from = FromLists { system, locks, draft };
        match &proved.views.fixed_point {
            Some(fixed_point) => from.thread_states(fixed_point),
            None => from.pairs(proved),
        }
        from.excluded(proved);
        self.put(from.draft.builder.finish());
        Ok(())
    }

    /// Of the fixed point of thread states over BDDs.
    pub(super) fn of_thread_states(
        &self,
        program: &FlatProgram,
        search: &mut Search<'_, '_>,
        limits: &Limits,
    ) -> Result<(), Stop> {
        let system = &mut *search.system;
        let (held, manager) = (system.held, system.manager().clone());
        let mut draft = Draft::new(program, &system.stops, Method::ThreadStates);
        draft.locks(held.locks().iter().copied());
        let lock = |v: usize| {
            let number = v.checked_sub(held.own_locals())?;
            held.locks().get(number).copied()
        };
        let own = |slot: u8, v: LocalVar| match lock(v.index()) {
            Some(lock) => self::held(slot, lock),
            None => Atom::Local(slot, v),
        };
        let shared: Vec<SharedVar> =
            (0..held.program.shared.len()).map(|v| SharedVar(v as u32)).collect();
        let locals: Vec<LocalVar> =
            (0..held.program.locals.len()).map(|v| LocalVar(v as u32)).collect();
        // As things are now; and as they were when the section began, for the states of who waits.
        let (mut now, mut then) = <(FxHashMap<Var, Atom>, FxHashMap<Var, Atom>)>::default();
        for &v in &shared {
            let (bit, entry) = (system.shared(v).current, system.entry_shared[v.index()]);
            now.insert(bit, Atom::Shared(v));
            now.extend(entry.map(|entry| (entry, Atom::OldShared(v))));
            let before = if entry.is_some() { Atom::OldShared(v) } else { Atom::Shared(v) };
            then.insert(bit, before);
        }
        for &v in &locals {
            let entry = system.entry_locals[v.index()];
            now.insert(system.local(v).current, own(0, v));
            now.insert(system.passive(v).current, own(1, v));
            now.extend(entry.map(|entry| (entry, Atom::OldLocal(1, v))));
            let before = if entry.is_some() { Atom::OldLocal(1, v) } else { own(1, v) };
            then.insert(system.local(v).current, before);
        }
        let (mut now, mut then) = (Exporter::new(now), Exporter::new(then));
        let mut threads: [BTreeMap<LocationId, [Formula; 2]>; 2] = Default::default();
        let mut waiting: Formulas = Formulas::new();
        let mut any: BTreeMap<LocationId, Bdd> = BTreeMap::new();
        let mut children: BTreeMap<LocationId, BTreeMap<LocationId, Formula>> = BTreeMap::new();
        for node in &search.nodes {
            let (at, states) = (node.location, &node.states);
            match node.kind {
                Kind::Thread(Place { inside, started }) => {
                    let formula = now.formula(states, &mut draft.builder, limits)?;
                    let of = threads[usize::from(inside)].entry(at);
                    of.or_insert([Formula::FALSE; 2])[usize::from(started)] = formula;
                    if started && !inside {
                        let formula = then.formula(states, &mut draft.builder, limits)?;
                        waiting.insert(vec![at], formula);
                    }
                }
                Kind::Company(Company::Any { section }) => {
                    // What this section does not write is as it was.
                    let shape = system.section(section)?.shape.clone();
                    let mut all = states.clone();
                    let mut same: Vec<(Var, Var)> = Vec::new();
                    for &v in locals.iter().filter(|v| !shape.locals.contains(v)) {
                        let entry = system.entry_locals[v.index()];
                        same.extend(entry.map(|entry| (entry, system.passive(v).current)));
                    }
                    for &v in shared.iter().filter(|v| !shape.shared.contains(v)) {
                        let entry = system.entry_shared[v.index()];
                        same.extend(entry.map(|entry| (entry, system.shared(v).current)));
                    }
                    same.sort_by_key(|(entry, _)| std::cmp::Reverse(manager.level(*entry)));
                    for (entry, bit) in same {
                        all = all.and(&manager.var(entry)?.iff(&manager.var(bit)?)?)?;
                    }
                    let known = any.entry(at).or_insert_with(|| manager.bottom());
                    *known = known.or(&all)?;
                }
                Kind::Company(Company::Child { at: child }) => {
                    let formula = now.formula(states, &mut draft.builder, limits)?;
                    children.entry(at).or_default().insert(child, formula);
                }
            }
        }
        let mut firsts = Vec::new();
        for (when, formulas) in [When::Free, When::Inside].into_iter().zip(threads) {
            let both = formulas.into_iter().map(|(at, [alone, started])| {
                (vec![at], draft.builder.ite(Atom::Started, started, alone))
            });
            let both: Formulas = both.collect();
            if when == When::Inside {
                firsts = both.keys().filter_map(|stops| stops.first().copied()).collect();
            }
            draft.only(when, &[Vec::new()], &both);
        }
        if firsts.is_empty() {
            self.put(draft.builder.finish());
            return Ok(());
        }
        // Who waits was what it is known to be when the section began, or was started since then.
        let young = |draft: &mut Draft, high, low| draft.builder.ite(Atom::Young(1), high, low);
        let mut nowhere: Vec<LocationId> = Vec::new();
        for (stop, before) in &draft.stops.before {
            if !waiting.contains_key([*stop].as_slice()) {
                nowhere.extend(before);
            }
        }
        nowhere.sort_unstable();
        nowhere.dedup();
        let is_child = young(&mut draft, Formula::TRUE, Formula::FALSE);
        draft.builder.clause(When::Inside, vec![Slot::Any, Slot::At(nowhere)], is_child);
        for (stops, formula) in waiting {
            let formula = young(&mut draft, Formula::TRUE, formula);
            let slots = vec![Slot::Any, draft.stops.slot(stops[0])];
            draft.builder.clause(When::Inside, slots, formula);
        }
        for first in firsts {
            let related = match any.get(&first) {
                Some(related) => now.formula(related, &mut draft.builder, limits)?,
                None => Formula::FALSE,
            };
            let related = young(&mut draft, Formula::TRUE, related);
            let slot = draft.stops.slot(first);
            draft.builder.clause(When::Inside, vec![slot.clone(), Slot::Any], related);
            let born = children.remove(&first).unwrap_or_default();
            let mut nowhere: Vec<LocationId> = Vec::new();
            for (stop, before) in draft.stops.before.clone() {
                match born.get(&stop) {
                    Some(formula) => {
                        let formula = young(&mut draft, *formula, Formula::TRUE);
                        let slots = vec![slot.clone(), Slot::At(before)];
                        draft.builder.clause(When::Inside, slots, formula);
                    }
                    None => nowhere.extend(before),
                }
            }
            nowhere.sort_unstable();
            nowhere.dedup();
            let no_child = is_child.negated();
            draft.builder.clause(When::Inside, vec![slot, Slot::At(nowhere)], no_child);
        }
        self.put(draft.builder.finish());
        Ok(())
    }

    /// Of views of pairs over BDDs, and of elements that are excluded beside them.
    pub(super) fn of_pairs(
        &self,
        program: &FlatProgram,
        views: &PairViews<'_, '_>,
        excluded: &[Element],
        by: Method,
        limits: &Limits,
    ) -> Result<(), Stop> {
        let slots = &*views.slots;
        let stops: Vec<Vec<LocationId>> =
            program.iter().map(|(at, _)| slots.stops(at).to_vec()).collect();
        let mut draft = Draft::new(program, &stops, by);
        // Who is inside has slot 0; without anybody, the first outside is in slot 1 there.
        let atoms = |first: usize| {
            let mut atoms: FxHashMap<Var, Atom> = FxHashMap::default();
            let shared = slots.shared().enumerate();
            atoms.extend(shared.map(|(v, var)| (var, Atom::Shared(SharedVar(v as u32)))));
            for slot in first..slots.count() {
                for v in 0..slots.program.locals.len() {
                    let number = v.checked_sub(slots.held.own_locals());
                    let lock = number.and_then(|number| slots.held.locks().get(number));
                    let (place, v) = ((slot - first) as u8, LocalVar(v as u32));
                    let atom = lock.map_or(Atom::Local(place, v), |l| held(place, *l));
                    atoms.insert(slots.local(slot, v), atom);
                }
            }
            Exporter::new(atoms)
        };
        let (mut with_inside, mut without) = (atoms(0), atoms(1));
        let mut formulas: [Formulas; 5] = Default::default();
        for (view, states) in views.all() {
            let outside = view.outside.into_iter().flatten();
            let stops: Vec<LocationId> = view.inside.into_iter().chain(outside).collect();
            let (exporter, kind) = match view.inside {
                None => (&mut without, stops.len().wrapping_sub(1)),
                Some(_) => (&mut with_inside, stops.len() + 1),
            };
            let formula = exporter.formula(states, &mut draft.builder, limits)?;
            if let Some(formulas) = formulas.get_mut(kind) {
                formulas.insert(stops, formula);
            }
        }
        draft.views(&formulas);
        for Element { named, states, .. } in excluded {
            let stops: Vec<LocationId> =
                named.inside.into_iter().chain(named.outside.iter().copied()).collect();
            let (exporter, when) = match named.inside {
                None => (&mut without, When::Free),
                Some(_) => (&mut with_inside, When::Inside),
            };
            let formula = exporter.formula(states, &mut draft.builder, limits)?;
            let slots = draft.stops.slots(&stops);
            draft.builder.clause(when, slots, formula.negated());
        }
        self.put(draft.builder.finish());
        Ok(())
    }
}
