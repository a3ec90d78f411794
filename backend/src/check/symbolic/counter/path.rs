//! From a failing item back to an initial state, as concrete states (BOOM section 6.3).
//!
//! Each item is a union of records, each found from one item by one class's move. Going back, the
//! state of a record is known: a shared valuation and each thread's locals; its predecessor is
//! picked from the relation of the step, restricted to what the item before allows.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_bdd::{Bdd, Cube, LimitReached, Var};
use sapa_ir::boolean::flat::{FlatStatement, LocalVar, LocationId};

use super::image::{ACTIVE, Change, Effect, PASSIVE};
use super::search::{Item, Origin, Record, Search, passive};
use super::set::SetId;
use super::state::{Class, Place, without};
use crate::check::semantics::counted::{CountedState, CountedThread};
use crate::check::symbolic::layout::{Bit, Side};

/// A valuation; dead locals are false.
type Values = Vec<bool>;

/// One state of an item: a shared valuation and, class by class, the locals of its threads.
#[derive(Clone, Debug)]
struct Concrete {
    shared: Values,
    threads: Vec<(Class, Vec<Values>)>,
}

/// What is known of a step when its predecessor is looked for.
struct Target<'c> {
    after: &'c Concrete,
    /// Where the thread that moved is, and its locals; `None` if it ended.
    moved: Option<(Place, Values)>,
    /// Where the thread that it started is, and its locals.
    started: Option<(Place, Values)>,
    /// All other threads.
    others: Vec<(Place, SetId, Values)>,
}

/// A shortest path to the item's failing assertion, as canonical states; `None` if the search is
/// wrong.
pub(super) fn path(
    search: &mut Search<'_>,
    item: u32,
    class: usize,
) -> Result<Option<Vec<CountedState>>, LimitReached> {
    let Some(mut state) = failing(search, item, class)? else { return Ok(None) };
    let mut number = item;
    let mut path = vec![counted(&state)];
    loop {
        let Some(record) = record_of(search, number, &mut state) else { return Ok(None) };
        let Some(origin) = record.from else { break };
        let Some(before) = predecessor(search, origin, &state)? else { return Ok(None) };
        state = before;
        number = origin.item;
        path.push(counted(&state));
    }
    path.reverse();
    Ok(Some(path))
}

fn counted(state: &Concrete) -> CountedState {
    let threads = state.threads.iter().flat_map(|(class, threads)| {
        threads.iter().map(|locals| CountedThread {
            location: class.place.location,
            initial: class.place.initial,
            holder: class.place.holder,
            locals: locals.clone(),
        })
    });
    CountedState { shared: state.shared.clone(), threads: threads.collect() }
}

/// Some state of the item in which a thread of the class fails its assertion.
fn failing(search: &Search<'_>, item: u32, class: usize) -> Result<Option<Concrete>, LimitReached> {
    let images = &search.images;
    let Item { classes, shared, .. } = &search.items[item as usize];
    let classes = search.classes.value(*classes);
    let Class { place, locals, .. } = classes[class];
    let FlatStatement::Assert { condition, .. } = images.program.statement(place.location) else {
        return Ok(None);
    };
    let set = images.encoder.where_false(ACTIVE, condition)?;
    let set = set.and(images.sets.get(*shared))?.and(images.sets.get(locals))?;
    let Some(cube) = set.pick_cube() else { return Ok(None) };
    let mut threads = Vec::with_capacity(classes.len());
    for (index, other) in classes.iter().enumerate() {
        let Some(any) = images.sets.get(other.locals).pick_cube() else { return Ok(None) };
        let any = locals_of(search, &any, ACTIVE, other.place.location);
        let mut values = vec![any; other.count as usize];
        if index == class {
            values[0] = locals_of(search, &cube, ACTIVE, place.location);
        }
        threads.push((*other, values));
    }
    Ok(Some(Concrete { shared: shared_of(search, &cube), threads }))
}

/// The record of the item that has this state; the state's classes become the record's.
fn record_of(search: &Search<'_>, item: u32, state: &mut Concrete) -> Option<Record> {
    search.items[item as usize].records.iter().find_map(|&number| {
        let record = search.records[number as usize];
        let shared = search.images.sets.get(record.shared);
        if !contains(shared, &bits_of(search, None), &state.shared) {
            return None;
        }
        let classes = search.classes.value(record.classes);
        let mut left: Vec<&(Class, Vec<Values>)> = state.threads.iter().collect();
        let mut threads = Vec::with_capacity(classes.len());
        let mut unmatched = Vec::new();
        for class in classes.iter() {
            match left.iter().position(|(own, _)| own == class) {
                Some(at) => threads.push(left.swap_remove(at).clone()),
                None => unmatched.push(*class),
            }
        }
        // Merging changes the locals of single threads and may unite their class with another.
        let left: Vec<(Place, &Values)> = left
            .iter()
            .flat_map(|(class, threads)| threads.iter().map(|locals| (class.place, locals)))
            .collect();
        threads.extend(assign(search, &unmatched, &left)?);
        *state = Concrete { shared: state.shared.clone(), threads };
        Some(record)
    })
}

/// Gives each class as many of the threads as it counts, all threads being given away: a bipartite
/// matching, by augmenting paths.
fn assign(
    search: &Search<'_>,
    classes: &[Class],
    threads: &[(Place, &Values)],
) -> Option<Vec<(Class, Vec<Values>)>> {
    let bits = bits_of(search, Some(ACTIVE));
    // The index of a class for each of its threads.
    let seats: Vec<usize> = classes
        .iter()
        .enumerate()
        .flat_map(|(at, class)| std::iter::repeat_n(at, class.count as usize))
        .collect();
    if seats.len() != threads.len() {
        return None;
    }
    let fits = |seat: usize, thread: usize| {
        let class = &classes[seats[seat]];
        let (place, locals) = threads[thread];
        place == class.place && contains(search.images.sets.get(class.locals), &bits, locals)
    };
    let mut seat_of: Vec<Option<usize>> = vec![None; threads.len()];
    for seat in 0..seats.len() {
        if !seat_one(seat, &fits, &mut seat_of, &mut vec![false; threads.len()]) {
            return None;
        }
    }
    let mut result: Vec<(Class, Vec<Values>)> =
        classes.iter().map(|class| (*class, Vec::new())).collect();
    for (thread, seat) in seat_of.iter().enumerate() {
        result[seats[(*seat)?]].1.push(threads[thread].1.clone());
    }
    Some(result)
}

/// Finds a thread for a seat, moving others if need be.
fn seat_one(
    seat: usize,
    fits: &impl Fn(usize, usize) -> bool,
    seat_of: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for thread in 0..seat_of.len() {
        if tried[thread] || !fits(seat, thread) {
            continue;
        }
        tried[thread] = true;
        if seat_of[thread].is_none_or(|other| seat_one(other, fits, seat_of, tried)) {
            seat_of[thread] = Some(seat);
            return true;
        }
    }
    false
}

/// A state of the item of origin with a step to this state.
fn predecessor(
    search: &mut Search<'_>,
    origin: Origin,
    state: &Concrete,
) -> Result<Option<Concrete>, LimitReached> {
    let item = search.items[origin.item as usize].clone();
    let mut classes = search.classes.value(item.classes).to_vec();
    let originals = classes.clone();
    if let Some((index, locals)) = origin.narrowed {
        classes[index as usize].locals = locals;
    }
    let mover = classes[origin.mover as usize];
    let steps = search.images.of(item.shared, mover.locals, mover.place.location)?;
    let rest = without(&classes, origin.mover as usize);
    // The locals after of each class of `rest`, in every part of the image.
    let mut afters: Vec<Vec<SetId>> = vec![rest.iter().map(|class| class.locals).collect()];
    if steps.broadcast.is_some() {
        let sets = (item.shared, mover.locals);
        let reactions = search.images.broadcast(sets, mover.place.location, &passive(&rest))?;
        afters = reactions.iter().map(|reaction| reaction.passive.clone()).collect();
    }
    for target in targets(search, mover.place, &rest, &afters, state) {
        let found = match &steps.broadcast {
            Some(_) => before_broadcast(search, &item, mover, &target)?,
            None => before_step(search, &item, mover, &target)?,
        };
        let Some((shared, own, others)) = found else { continue };
        let mut threads: Vec<(Class, Vec<Values>)> =
            originals.iter().map(|class| (*class, Vec::new())).collect();
        threads[origin.mover as usize].1.push(own);
        for (class, locals) in others {
            // `classes` and `originals` have the same order.
            let at = classes.iter().zip(&threads).position(|(c, (_, threads))| {
                (c.place, c.locals) == class && threads.len() < c.count as usize
            });
            if let Some(at) = at {
                threads[at].1.push(locals);
            }
        }
        if threads.iter().all(|(class, locals)| locals.len() == class.count as usize) {
            return Ok(Some(Concrete { shared, threads }));
        }
    }
    Ok(None)
}

/// All ways to say which thread of the state moved, which it started, and of which class before
/// each other one was.
fn targets<'c>(
    search: &Search<'_>,
    mover: Place,
    rest: &[Class],
    afters: &[Vec<SetId>],
    state: &'c Concrete,
) -> Vec<Target<'c>> {
    let all: Vec<(Place, SetId, &Values)> = state
        .threads
        .iter()
        .flat_map(|(class, threads)| threads.iter().map(|t| (class.place, class.locals, t)))
        .collect();
    let statement = search.images.program.statement(mover.location);
    let count: usize = rest.iter().map(|class| class.count as usize).sum();
    let ends = matches!(statement, FlatStatement::EndThread);
    let starts = all.len() == count + 2;
    let mut chosen: Vec<(Option<usize>, Option<usize>)> = Vec::new();
    if ends {
        chosen.push((None, None));
    } else {
        for (at, (place, ..)) in all.iter().enumerate() {
            if place.initial != mover.initial {
                continue;
            }
            if starts {
                let others = (0..all.len()).filter(|&o| o != at && !all[o].0.initial);
                chosen.extend(others.map(|other| (Some(at), Some(other))));
            } else {
                chosen.push((Some(at), None));
            }
        }
    }
    // Threads that agree need not be tried one by one.
    let mut seen = FxHashSet::default();
    chosen.retain(|&(moved, started)| {
        seen.insert((moved.map(|at| all[at]), started.map(|at| all[at])))
    });
    let mut targets = Vec::new();
    for (moved, started) in chosen {
        let named = |at: Option<usize>| at.map(|at| (all[at].0, all[at].2.clone()));
        let others: Vec<(Place, SetId, &Values)> = all
            .iter()
            .enumerate()
            .filter(|(at, _)| Some(*at) != moved && Some(*at) != started)
            .map(|(_, thread)| *thread)
            .collect();
        for locals in afters {
            if let Some(others) = previous(search, rest, locals, &others) {
                let (moved, started) = (named(moved), named(started));
                targets.push(Target { after: state, moved, started, others });
            }
        }
    }
    targets
}

/// The class before of each thread that did not move: one that has the thread's class after. Where
/// invariants split classes, one in whose set after the thread's locals are.
fn previous(
    search: &Search<'_>,
    rest: &[Class],
    after: &[SetId],
    others: &[(Place, SetId, &Values)],
) -> Option<Vec<(Place, SetId, Values)>> {
    if search.is_cut() {
        let after = rest.iter().zip(after).map(|(class, after)| Class { locals: *after, ..*class });
        let after: Vec<Class> = after.collect();
        let threads: Vec<(Place, &Values)> =
            others.iter().map(|(place, _, values)| (*place, *values)).collect();
        let seated = assign(search, &after, &threads)?;
        let threads = rest.iter().zip(seated).flat_map(|(class, (_, threads))| {
            threads.into_iter().map(|values| (class.place, class.locals, values))
        });
        return Some(threads.collect());
    }
    let mut room: Vec<u32> = rest.iter().map(|class| class.count).collect();
    let mut result = Vec::with_capacity(others.len());
    for (place, locals, values) in others {
        let at = (0..rest.len())
            .find(|&at| room[at] > 0 && rest[at].place == *place && after[at] == *locals)?;
        room[at] -= 1;
        result.push((*place, rest[at].locals, (*values).clone()));
    }
    room.iter().all(|&room| room == 0).then_some(result)
}

type Others = Vec<((Place, SetId), Values)>;

/// Shared valuation and locals of the mover before, and the others' locals before.
type Before = (Values, Values, Others);

fn before_step(
    search: &Search<'_>,
    item: &Item,
    mover: Class,
    target: &Target<'_>,
) -> Result<Option<Before>, LimitReached> {
    let images = &search.images;
    if !arrives(search, mover.place, target) {
        return Ok(None);
    }
    let mut set = images.sets.get(item.shared).and(images.sets.get(mover.locals))?;
    let changes: Vec<&Change> = match &images.effects[mover.place.location.index()] {
        None => Vec::new(),
        Some(Effect::Apart { shared, local }) => shared.iter().chain(local).collect(),
        Some(Effect::Joint(change)) => vec![change],
        Some(Effect::Broadcast { .. }) => return Ok(None),
    };
    for change in &changes {
        set = set.and(&change.relation)?;
    }
    let written: Vec<Bit> = changes.iter().flat_map(|change| change.written.clone()).collect();
    let set = set.and(&after_cube(search, &written, target)?)?;
    let set = match &target.started {
        // The child's locals are the parent's.
        Some((place, locals)) => {
            let literals = live(search, ACTIVE, place.location, locals);
            let literals = literals.into_iter().map(|(bit, value)| (bit.current, value));
            set.and(&images.encoder.layout.manager.conjunction(literals.collect())?)?
        }
        None => set,
    };
    let Some(cube) = set.pick_cube() else { return Ok(None) };
    let others =
        target.others.iter().map(|(place, locals, values)| ((*place, *locals), values.clone()));
    Ok(Some(before(search, mover, &cube, others.collect())))
}

fn before_broadcast(
    search: &Search<'_>,
    item: &Item,
    mover: Class,
    target: &Target<'_>,
) -> Result<Option<Before>, LimitReached> {
    let images = &search.images;
    let layout = &images.encoder.layout;
    let Some(Effect::Broadcast { own, passive }) = &images.effects[mover.place.location.index()]
    else {
        return Ok(None);
    };
    if !arrives(search, mover.place, target) {
        return Ok(None);
    }
    let set = images.sets.get(item.shared).and(images.sets.get(mover.locals))?;
    let set = set.and(&own.relation)?.and(&after_cube(search, &own.written, target)?)?;
    let passive_locals: Vec<Var> =
        layout.slots[PASSIVE].locals.iter().flat_map(|bit| [bit.current, bit.next]).collect();
    let passive_locals = layout.manager.cube(&passive_locals)?;
    let mut reacting = Vec::with_capacity(target.others.len());
    let mut contexts = set;
    for (place, locals, values) in &target.others {
        let became =
            became(search, &passive.written, live(search, PASSIVE, place.location, values))?;
        let unmoved = images.sets.get(*locals).substitute(&images.to_passive)?;
        let step = unmoved.and(&passive.relation)?.and(&became)?;
        contexts = contexts.and(&step.exists(&passive_locals)?)?;
        reacting.push(step);
    }
    let Some(cube) = contexts.pick_cube() else { return Ok(None) };
    // Fix the whole context, variables that the cube leaves free included.
    let context = bits_of(search, None).into_iter().chain(bits_of(search, Some(ACTIVE)));
    let context: Vec<(Var, bool)> = context
        .flat_map(|bit| [bit.current, bit.next])
        .map(|var| (var, cube.value(var).unwrap_or(false)))
        .collect();
    let fixed = layout.manager.conjunction(context)?;
    let mut others = Vec::with_capacity(reacting.len());
    for ((place, locals, _), step) in target.others.iter().zip(reacting) {
        let Some(cube) = step.and(&fixed)?.pick_cube() else { return Ok(None) };
        others.push(((*place, *locals), locals_of(search, &cube, PASSIVE, place.location)));
    }
    Ok(Some(before(search, mover, &cube, others)))
}

fn before(search: &Search<'_>, mover: Class, cube: &Cube, others: Others) -> Before {
    let own = locals_of(search, cube, ACTIVE, mover.place.location);
    (shared_of(search, cube), own, others)
}

/// Whether control can go from the mover's place to where it and its child are.
fn arrives(search: &Search<'_>, mover: Place, target: &Target<'_>) -> bool {
    let images = &search.images;
    let statement = images.program.statement(mover.location);
    let stops_at =
        |next: &LocationId, place: &Place| images.stops[next.index()].contains(&place.location);
    let holder = match statement {
        FlatStatement::AtomicBegin { .. } => true,
        FlatStatement::AtomicEnd { .. } | FlatStatement::EndThread => false,
        _ => mover.holder,
    };
    let moved = target.moved.as_ref().is_none_or(|(place, _)| {
        place.holder == holder
            && place.initial == mover.initial
            && statement.successors().iter().any(|next| stops_at(next, place))
    });
    // What waits for room has started a thread.
    if matches!(statement, FlatStatement::StartThread { waits: true, .. })
        && target.started.is_none()
    {
        return false;
    }
    let started = target.started.as_ref().is_none_or(|(place, _)| match statement {
        FlatStatement::StartThread { entry, .. } => !place.holder && stops_at(entry, place),
        _ => false,
    });
    moved && started
}

/// That the written bits become what they are after the step, and all others are it before.
fn after_cube(
    search: &Search<'_>,
    written: &[Bit],
    target: &Target<'_>,
) -> Result<Bdd, LimitReached> {
    let shared = bits_of(search, None);
    let mut literals: Vec<(Bit, bool)> =
        shared.into_iter().zip(target.after.shared.iter().copied()).collect();
    if let Some((place, locals)) = &target.moved {
        literals.extend(live(search, ACTIVE, place.location, locals));
    }
    became(search, written, literals)
}

/// That these bits have these values: the written ones after the step, all others before.
fn became(
    search: &Search<'_>,
    written: &[Bit],
    literals: Vec<(Bit, bool)>,
) -> Result<Bdd, LimitReached> {
    let literals = literals.into_iter().map(|(bit, value)| {
        let side = if written.contains(&bit) { Side::Next } else { Side::Current };
        (bit.side(side), value)
    });
    search.images.encoder.layout.manager.conjunction(literals.collect())
}

/// The bits of the shared variables or of a slot's locals, in the order of the program's tables.
fn bits_of(search: &Search<'_>, slot: Option<usize>) -> Vec<Bit> {
    let layout = &search.images.encoder.layout;
    match slot {
        None => layout.shared.clone(),
        Some(slot) => layout.slots[slot].locals.clone(),
    }
}

/// The live locals' bits and values.
fn live(
    search: &Search<'_>,
    slot: usize,
    location: LocationId,
    values: &Values,
) -> Vec<(Bit, bool)> {
    let bits = bits_of(search, Some(slot)).into_iter().zip(values.iter().copied());
    let is_live = |v: usize| search.images.liveness.is_live(location, LocalVar(v as u32));
    bits.enumerate().filter(|(v, _)| is_live(*v)).map(|(_, pair)| pair).collect()
}

fn shared_of(search: &Search<'_>, cube: &Cube) -> Values {
    values_of(cube, &bits_of(search, None))
}

/// The locals of a cube, dead ones false.
fn locals_of(search: &Search<'_>, cube: &Cube, slot: usize, location: LocationId) -> Values {
    let values = values_of(cube, &bits_of(search, Some(slot)));
    let is_live = |v: usize| search.images.liveness.is_live(location, LocalVar(v as u32));
    values.into_iter().enumerate().map(|(v, value)| value && is_live(v)).collect()
}

fn values_of(cube: &Cube, bits: &[Bit]) -> Values {
    bits.iter().map(|bit| cube.value(bit.current).unwrap_or(false)).collect()
}

fn contains(set: &Bdd, bits: &[Bit], values: &[bool]) -> bool {
    let values: FxHashMap<Var, bool> =
        bits.iter().map(|bit| bit.current).zip(values.iter().copied()).collect();
    set.evaluate(|var| values.get(&var).copied().unwrap_or(false))
}
