//! What one thread can do from a set of shared valuations and a set of its own locals, worked out
//! once for each pair of sets and location, and split into products again.
//!
//! A state keeps shared variables and locals apart, so the image `T'` of a *splice statement*,
//! one that relates the two, must be taken apart into products of a shared set and a local set
//! (BOOM section 6.2). The paper expands by the values of the splice variables before the step.
//! Here `T'` itself is expanded, and only until the cofactors no longer depend on the shared
//! variables: they stand above all locals in the order, so the products are the nodes where the
//! diagram crosses from the one to the other, each with the union of the paths that lead there.
//! That is the coarsest partition of the shared valuations, and its cofactors are satisfiable by
//! construction. Which statements can need it is found syntactically, as in the paper.
//!
//! *Broadcasts* (SAPA section 4). Passive threads react independently of each other to the values
//! that the active thread reads and writes, the context. So in one context a class of `n` threads
//! with locals in `L` becomes a class of `n` threads with locals in `Q`, the image of `L`: nothing
//! is expanded, intersected and counted again, and `n` does not matter. The reaction of a class is
//! a diagram over contexts, which stand above the passive thread's locals: the same split gives
//! the contexts in which `Q` is the same. The common refinement over all classes is a partition of
//! the contexts; for each part the active thread's image is split as for a splice statement.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_bdd::{Bdd, LimitReached, Substitution, Var};
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, LocalVar, LocationId, VariableRef,
};

use super::INTERVAL;
use super::set::{SetId, Sets};
use crate::check::analysis::liveness::Liveness;
use crate::check::analysis::stops::stops;
use crate::check::symbolic::encode::Encoder;
use crate::check::symbolic::layout::{Bit, Side};
use crate::check::{CheckOptions, UnknownReason};

/// The slot of the thread that moves, and of any other.
pub(super) const ACTIVE: usize = 0;
pub(super) const PASSIVE: usize = 1;

/// What a remembered image takes besides its elements.
const REMEMBERED: usize = 192;

/// What a step does to the atomic section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Atomic {
    Keep,
    Enter,
    Leave,
}

/// One product of an image: from here on, shared and local valuations are independent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    pub(super) shared: SetId,
    /// `None` if the thread ends.
    pub(super) local: Option<(LocationId, SetId)>,
    pub(super) started: Option<(LocationId, SetId)>,
    pub(super) atomic: Atomic,
}

/// Which of the thread's states have no step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Blocked {
    Nothing,
    /// Those with these locals, whatever the shared variables are.
    Locals(SetId),
    Something,
}

/// The steps of a thread.
#[derive(Debug)]
pub(super) struct Steps {
    /// Its assertion can fail.
    pub(super) fails: bool,
    pub(super) moves: Vec<Move>,
    /// Instead, if there is no room for another thread.
    pub(super) moves_when_full: Option<Vec<Move>>,
    /// Instead of moves: the active thread's states before and after a broadcast.
    pub(super) broadcast: Option<Bdd>,
    pub(super) blocked: Blocked,
}

/// A relation between current and next values of the bits it writes; all others keep theirs.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) relation: Bdd,
    pub(super) written: Vec<Bit>,
    before: Bdd,
    after: Bdd,
    to_current: Substitution,
}

impl Change {
    fn image(&self, set: &Bdd) -> Result<Bdd, LimitReached> {
        set.and_exists(&self.relation, &self.before)?.substitute(&self.to_current)
    }

    /// Those of `set` that have no successor.
    fn blocked(&self, set: &Bdd) -> Result<Bdd, LimitReached> {
        set.minus(&self.relation.exists(&self.after)?)
    }
}

/// What a statement does to variables.
#[derive(Debug)]
pub(super) enum Effect {
    /// To shared variables and to locals, independently of each other.
    Apart { shared: Option<Change>, local: Option<Change> },
    /// A splice statement.
    Joint(Change),
    /// What happens to the active thread, and to each passive one.
    Broadcast { own: Change, passive: Change },
}

/// The reactions of a class to a broadcast: disjoint sets of contexts, each with the locals after.
type Reactions = Rc<[(Bdd, SetId)]>;

/// One part of a broadcast's image.
#[derive(Debug)]
pub(super) struct Reaction {
    /// The active thread's products.
    pub(super) moves: Vec<Move>,
    /// The locals of each passive class after, in the order that was asked for.
    pub(super) passive: Vec<SetId>,
}

/// The active thread's sets and location, and the passive classes.
type BroadcastKey = (SetId, SetId, LocationId, Box<[(LocationId, SetId)]>);

/// Figures for `--stats`.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Figures {
    pub(super) images: usize,
    /// Images of splice statements, starts and broadcasts.
    pub(super) splices: usize,
    /// Products that those images were split into.
    pub(super) cofactors: usize,
}

/// Computes and remembers images.
#[derive(Debug)]
pub(super) struct Images<'a> {
    pub(super) program: &'a FlatProgram,
    pub(super) encoder: Encoder<'a>,
    pub(super) sets: Sets,
    pub(super) stops: Vec<Vec<LocationId>>,
    pub(super) liveness: Liveness,
    pub(super) effects: Vec<Option<Effect>>,
    /// By set of live locals: the dead ones of the active slot, once they were asked for. Locations
    /// with the same live locals share them.
    dead: Vec<Option<Bdd>>,
    pub(super) to_passive: Substitution,
    to_active: Substitution,
    known: FxHashMap<(SetId, SetId, LocationId), Rc<Steps>>,
    reactions: FxHashMap<(LocationId, SetId, LocationId), Reactions>,
    broadcasts: FxHashMap<BroadcastKey, Rc<[Reaction]>>,
    /// Approximate size in bytes of what is remembered in these three.
    remembered: usize,
    pub(super) figures: Figures,
}

impl<'a> Images<'a> {
    /// # Errors
    /// The limit that was reached.
    pub(super) fn new(
        program: &'a FlatProgram,
        encoder: Encoder<'a>,
        options: &CheckOptions,
        compress: bool,
    ) -> Result<Images<'a>, UnknownReason> {
        let liveness = Liveness::new(program, options)?;
        let layout = &encoder.layout;
        let manager = layout.manager.clone();
        let locals = |slot: usize| layout.slots[slot].locals.clone();
        let pairs = |from: usize, to: usize| -> Vec<(Var, Var)> {
            locals(from).iter().zip(&locals(to)).map(|(a, b)| (a.current, b.current)).collect()
        };
        let to_passive = manager.renaming(pairs(ACTIVE, PASSIVE))?;
        let to_active = manager.renaming(pairs(PASSIVE, ACTIVE))?;
        let mut effects = Vec::with_capacity(program.locations.len());
        for (location, record) in program.iter() {
            if location.index() % INTERVAL == 0
                && let Some(reason) = options.stop()
            {
                return Err(reason);
            }
            effects.push(effect(&encoder, &record.statement)?);
        }
        Ok(Images {
            program,
            sets: Sets::new(),
            stops: stops(program, compress),
            effects,
            dead: vec![None; liveness.sets()],
            liveness,
            to_passive,
            to_active,
            known: FxHashMap::default(),
            reactions: FxHashMap::default(),
            broadcasts: FxHashMap::default(),
            remembered: 0,
            figures: Figures::default(),
            encoder,
        })
    }

    /// A rough count of the bytes of sets and remembered images, without the BDDs' nodes.
    pub(super) fn bytes(&self) -> usize {
        self.sets.bytes() + self.liveness.bytes() + self.remembered
    }

    /// The dead locals of the active slot at a location, as quantification takes them.
    fn dead(&mut self, location: LocationId) -> Result<Bdd, LimitReached> {
        let set = self.liveness.set_at(location);
        if let Some(dead) = &self.dead[set] {
            return Ok(dead.clone());
        }
        let layout = &self.encoder.layout;
        let vars: Vec<Var> = (0u32..)
            .zip(&layout.slots[ACTIVE].locals)
            .filter(|(v, _)| !self.liveness.is_live(location, LocalVar(*v)))
            .map(|(_, bit)| bit.current)
            .collect();
        let dead = layout.manager.cube(&vars)?;
        self.dead[set] = Some(dead.clone());
        Ok(dead)
    }

    /// The initial shared valuations, and where the initial thread is with which locals.
    pub(super) fn initial(&mut self) -> Result<(SetId, Vec<(LocationId, SetId)>), LimitReached> {
        let (shared, locals) = self.encoder.initial_products()?;
        let shared = self.sets.number(shared);
        let arrivals = self.arrivals(self.program.entry, &locals)?;
        Ok((shared, arrivals))
    }

    /// Where a thread with these locals stops that arrives at a location; dead locals are free.
    fn arrivals(
        &mut self,
        location: LocationId,
        locals: &Bdd,
    ) -> Result<Vec<(LocationId, SetId)>, LimitReached> {
        let stops = self.stops[location.index()].clone();
        stops
            .into_iter()
            .map(|stop| {
                let locals = locals.exists(&self.dead(stop)?)?;
                Ok((stop, self.sets.number(locals)))
            })
            .collect()
    }

    /// What a thread with these locals does at a location.
    pub(super) fn of(
        &mut self,
        shared: SetId,
        locals: SetId,
        location: LocationId,
    ) -> Result<Rc<Steps>, LimitReached> {
        let key = (shared, locals, location);
        if let Some(steps) = self.known.get(&key) {
            return Ok(steps.clone());
        }
        self.figures.images += 1;
        let steps = Rc::new(self.work_out(shared, locals, location)?);
        self.remembered += REMEMBERED + size_of_val(steps.moves.as_slice());
        self.known.insert(key, steps.clone());
        Ok(steps)
    }

    fn work_out(
        &mut self,
        shared: SetId,
        locals: SetId,
        location: LocationId,
    ) -> Result<Steps, LimitReached> {
        let (s, l) = (self.sets.get(shared).clone(), self.sets.get(locals).clone());
        let mut steps = Steps {
            fails: false,
            moves: Vec::new(),
            moves_when_full: None,
            broadcast: None,
            blocked: Blocked::Nothing,
        };
        let moves = |arrivals: Vec<(LocationId, SetId)>, atomic: Atomic| {
            let one = |local| Move { shared, local: Some(local), started: None, atomic };
            arrivals.into_iter().map(one).collect::<Vec<Move>>()
        };
        match self.program.statement(location) {
            FlatStatement::Skip { next } => {
                steps.moves = moves(self.arrivals(*next, &l)?, Atomic::Keep);
            }
            FlatStatement::Goto { targets } => {
                for next in targets {
                    steps.moves.extend(moves(self.arrivals(*next, &l)?, Atomic::Keep));
                }
            }
            FlatStatement::Assert { condition, next } => {
                let fails = self.encoder.where_false(ACTIVE, condition)?;
                steps.fails = !s.and(&fails)?.and(&l)?.is_false();
                steps.moves = moves(self.arrivals(*next, &l)?, Atomic::Keep);
            }
            FlatStatement::AtomicBegin { next } => {
                steps.moves = moves(self.arrivals(*next, &l)?, Atomic::Enter);
            }
            FlatStatement::AtomicEnd { next } => {
                steps.moves = moves(self.arrivals(*next, &l)?, Atomic::Leave);
            }
            FlatStatement::EndThread => {
                let atomic = Atomic::Leave;
                steps.moves.push(Move { shared, local: None, started: None, atomic });
            }
            FlatStatement::StartThread { entry, next, waits } => {
                steps.moves = self.start(shared, &l, *entry, *next)?;
                let skip = if *waits { Vec::new() } else { self.arrivals(*next, &l)? };
                steps.moves_when_full = Some(moves(skip, Atomic::Keep));
            }
            FlatStatement::Assume { next, .. }
            | FlatStatement::Assign { next, .. }
            | FlatStatement::Lock { next, .. }
            | FlatStatement::Unlock { next, .. } => {
                self.change(shared, locals, location, *next, &mut steps)?;
            }
        }
        Ok(steps)
    }

    fn change(
        &mut self,
        shared: SetId,
        locals: SetId,
        location: LocationId,
        next: LocationId,
        steps: &mut Steps,
    ) -> Result<(), LimitReached> {
        let (s, l) = (self.sets.get(shared).clone(), self.sets.get(locals).clone());
        let Some(effect) = &self.effects[location.index()] else { return Ok(()) };
        match effect {
            Effect::Apart { shared: on_shared, local: on_local } => {
                let mut after = (s.clone(), l.clone());
                if let Some(change) = on_local {
                    after.1 = change.image(&l)?;
                    let blocked = change.blocked(&l)?;
                    if !blocked.is_false() {
                        steps.blocked = Blocked::Locals(self.sets.number(blocked));
                    }
                }
                if let Some(change) = on_shared {
                    after.0 = change.image(&s)?;
                    if !change.blocked(&s)?.is_false() {
                        steps.blocked = Blocked::Something;
                    }
                }
                if after.0.is_false() || after.1.is_false() {
                    return Ok(());
                }
                let shared = self.sets.number(after.0);
                for local in self.arrivals(next, &after.1)? {
                    let atomic = Atomic::Keep;
                    steps.moves.push(Move { shared, local: Some(local), started: None, atomic });
                }
            }
            Effect::Joint(change) => {
                let joint = s.and(&l)?;
                if !change.blocked(&joint)?.is_false() {
                    steps.blocked = Blocked::Something;
                }
                let image = change.image(&joint)?;
                steps.moves = self.split(&image, next)?;
            }
            Effect::Broadcast { own, .. } => {
                steps.broadcast = Some(s.and(&l)?.and(&own.relation)?);
                steps.blocked = Blocked::Something;
            }
        }
        Ok(())
    }

    /// Takes a set over shared variables and the active slot's locals apart into products, for a
    /// thread that arrives at `next`.
    fn split(&mut self, image: &Bdd, next: LocationId) -> Result<Vec<Move>, LimitReached> {
        self.figures.splices += 1;
        let mut moves = Vec::new();
        for stop in self.stops[next.index()].clone() {
            let image = image.exists(&self.dead(stop)?)?;
            let boundary = self.encoder.layout.first_level(ACTIVE);
            for (shared, locals) in image.split_at(boundary)? {
                self.figures.cofactors += 1;
                moves.push(Move {
                    shared: self.sets.number(shared),
                    local: Some((stop, self.sets.number(locals))),
                    started: None,
                    atomic: Atomic::Keep,
                });
            }
        }
        Ok(moves)
    }

    /// The new thread copies its parent's locals, which makes the two dependent: the pairs of
    /// both threads' live locals are split as a splice statement's image is.
    fn start(
        &mut self,
        shared: SetId,
        locals: &Bdd,
        entry: LocationId,
        next: LocationId,
    ) -> Result<Vec<Move>, LimitReached> {
        self.figures.splices += 1;
        let manager = self.encoder.layout.manager.clone();
        let boundary = self.encoder.layout.first_level(PASSIVE);
        let mut moves = Vec::new();
        for child_stop in self.stops[entry.index()].clone() {
            let mut pairs = locals.clone();
            let slots = &self.encoder.layout.slots;
            for (v, (mine, copy)) in
                slots[ACTIVE].locals.iter().zip(&slots[PASSIVE].locals).enumerate()
            {
                if self.liveness.is_live(child_stop, LocalVar(v as u32)) {
                    let same = manager.var(mine.current)?.iff(&manager.var(copy.current)?)?;
                    pairs = pairs.and(&same)?;
                }
            }
            for stop in self.stops[next.index()].clone() {
                let pairs = pairs.exists(&self.dead(stop)?)?;
                for (parent, child) in pairs.split_at(boundary)? {
                    self.figures.cofactors += 1;
                    let child = child.substitute(&self.to_active)?;
                    moves.push(Move {
                        shared,
                        local: Some((stop, self.sets.number(parent))),
                        started: Some((child_stop, self.sets.number(child))),
                        atomic: Atomic::Keep,
                    });
                }
            }
        }
        Ok(moves)
    }

    /// The image of a broadcast by a thread at `location`, given the passive classes' places and
    /// locals.
    pub(super) fn broadcast(
        &mut self,
        (shared, locals): (SetId, SetId),
        location: LocationId,
        passive: &[(LocationId, SetId)],
    ) -> Result<Rc<[Reaction]>, LimitReached> {
        let key: BroadcastKey = (shared, locals, location, passive.into());
        if let Some(reactions) = self.broadcasts.get(&key) {
            return Ok(reactions.clone());
        }
        self.figures.images += 1;
        let steps = self.of(shared, locals, location)?;
        let statement = self.program.statement(location);
        let (Some(joint), FlatStatement::Assign { next, .. }) = (&steps.broadcast, statement)
        else {
            return Ok(Rc::from([]));
        };
        let reactions: Rc<[Reaction]> = self.react(joint, location, *next, passive)?.into();
        let size = |reaction: &Reaction| {
            size_of_val(reaction.moves.as_slice()) + size_of_val(reaction.passive.as_slice())
        };
        self.remembered += REMEMBERED + size_of_val(passive) + size_of_val(&*reactions);
        self.remembered += reactions.iter().map(size).sum::<usize>();
        self.broadcasts.insert(key, reactions.clone());
        Ok(reactions)
    }

    fn react(
        &mut self,
        joint: &Bdd,
        location: LocationId,
        next: LocationId,
        passive: &[(LocationId, SetId)],
    ) -> Result<Vec<Reaction>, LimitReached> {
        let mut parts = vec![(joint.clone(), Vec::new())];
        for &(place, locals) in passive {
            let reactions = self.reactions(location, locals, place)?;
            let mut finer = Vec::new();
            for (contexts, after) in &parts {
                for (condition, reaction) in reactions.iter() {
                    let contexts = contexts.and(condition)?;
                    if !contexts.is_false() {
                        let mut after: Vec<SetId> = after.clone();
                        after.push(*reaction);
                        finer.push((contexts, after));
                    }
                }
            }
            parts = finer;
        }
        let mut reactions = Vec::with_capacity(parts.len());
        for (contexts, passive) in parts {
            let Some(Effect::Broadcast { own, .. }) = &self.effects[location.index()] else {
                continue;
            };
            let image = contexts.exists(&own.before)?.substitute(&own.to_current)?;
            let moves = self.split(&image, next)?;
            reactions.push(Reaction { moves, passive });
        }
        Ok(reactions)
    }

    fn reactions(
        &mut self,
        location: LocationId,
        locals: SetId,
        place: LocationId,
    ) -> Result<Reactions, LimitReached> {
        let key = (location, locals, place);
        if let Some(reactions) = self.reactions.get(&key) {
            return Ok(reactions.clone());
        }
        let passive = self.sets.get(locals).substitute(&self.to_passive)?;
        let Some(Effect::Broadcast { passive: change, .. }) = &self.effects[location.index()]
        else {
            return Ok(Rc::from([]));
        };
        // Contexts above, the passive thread's locals after the step below.
        let after = change.image(&passive)?;
        let dead = self.dead(place)?.substitute(&self.to_passive)?;
        let after = after.exists(&dead)?;
        let boundary = self.encoder.layout.first_level(PASSIVE);
        let mut reactions = Vec::new();
        for (contexts, locals) in after.split_at(boundary)? {
            let locals = locals.substitute(&self.to_active)?;
            reactions.push((contexts, self.sets.number(locals)));
        }
        let reactions: Reactions = reactions.into();
        self.remembered += REMEMBERED + size_of_val(&*reactions);
        self.reactions.insert(key, reactions.clone());
        Ok(reactions)
    }
}

/// What a statement does to variables; `None` for those that only move control or threads.
fn effect(
    encoder: &Encoder<'_>,
    statement: &FlatStatement,
) -> Result<Option<Effect>, LimitReached> {
    let Some(assignment) = statement.as_assignment() else { return Ok(None) };
    let change = |(relation, written): (Bdd, Vec<Bit>)| -> Result<Change, LimitReached> {
        let manager = &encoder.layout.manager;
        let side = |side: Side| {
            let vars: Vec<Var> = written.iter().map(|bit| bit.side(side)).collect();
            manager.cube(&vars)
        };
        let pairs = written.iter().map(|bit| (bit.next, bit.current));
        let (before, after) = (side(Side::Current)?, side(Side::Next)?);
        Ok(Change { relation, before, after, to_current: manager.renaming(pairs)?, written })
    };
    if assignment.involves_passive() {
        let own = change(encoder.own_change(ACTIVE, &assignment)?)?;
        let passive = change(encoder.passive_change(ACTIVE, PASSIVE, &assignment)?)?;
        return Ok(Some(Effect::Broadcast { own, passive }));
    }
    let Some((shared, local)) = apart(&assignment) else {
        let joint = change(encoder.own_change(ACTIVE, &assignment)?)?;
        return Ok(Some(Effect::Joint(joint)));
    };
    let part = |part: Assignment| -> Result<Option<Change>, LimitReached> {
        let empty = part == Assignment::default();
        let encode = || change(encoder.own_change(ACTIVE, &part)?);
        if empty { Ok(None) } else { encode().map(Some) }
    };
    Ok(Some(Effect::Apart { shared: part(shared)?, local: part(local)? }))
}

/// An assignment as one to shared variables that reads shared ones only, and one to locals that
/// reads locals only; `None` for splice statements. Choices in different conjuncts of the
/// constraint are independent, so each conjunct can stand alone.
fn apart(assignment: &Assignment) -> Option<(Assignment, Assignment)> {
    let (mut shared, mut local) = (Assignment::default(), Assignment::default());
    for (target, value) in &assignment.shared {
        if mentions(value).1 {
            return None;
        }
        shared.shared.push((*target, value.clone()));
    }
    for (target, value) in &assignment.local {
        if mentions(value).0 {
            return None;
        }
        local.local.push((*target, value.clone()));
    }
    let (mut on_shared, mut on_local) = (Vec::new(), Vec::new());
    for conjunct in assignment.constraint.iter().flat_map(FlatExpr::conjuncts) {
        match mentions(conjunct) {
            (true, true) => return None,
            (_, false) => on_shared.push(conjunct.clone()),
            (false, true) => on_local.push(conjunct.clone()),
        }
    }
    let all =
        |conjuncts: Vec<FlatExpr>| (!conjuncts.is_empty()).then_some(FlatExpr::And(conjuncts));
    shared.constraint = all(on_shared);
    local.constraint = all(on_local);
    Some((shared, local))
}

/// Whether an expression mentions shared variables, and whether it mentions locals.
fn mentions(expression: &FlatExpr) -> (bool, bool) {
    let mut found = (false, false);
    expression.for_each_variable(&mut |variable| match variable {
        VariableRef::Shared(_) | VariableRef::NextShared(_) => found.0 = true,
        _ => found.1 = true,
    });
    found
}
