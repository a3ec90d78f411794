//! The BDD variables for thread states, and the steps of one thread over them.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use sapa_bdd::{Bdd, BddManager, LimitReached, Substitution, Var};
use sapa_ir::boolean::flat::{
    Assignment, FlatProgram, FlatStatement, LocalVar, LocationId, SharedVar,
};

use super::change::Shape;
use crate::check::CheckOptions;
use crate::check::analysis::liveness::Liveness;
use crate::check::analysis::stops::stops;
use crate::check::symbolic::budget::Stop;
use crate::check::symbolic::encode::Encoder;
use crate::check::symbolic::held::Held;
use crate::check::symbolic::layout::{Bit, Layout, Part, Relation, Side, Slot};
use crate::check::symbolic::order::VariableOrder;

/// The slot of the thread whose state it is, and of the one that moves beside a passive one.
pub(crate) const ACTIVE: usize = 0;
/// The slot of a thread that a step of another changes.
pub(crate) const PASSIVE: usize = 1;

/// Conjuncts are multiplied as long as the product has no more nodes than this.
const CLUSTER: usize = 1 << 10;

/// A product of relations in which variables are quantified as soon as nothing else mentions them.
#[derive(Debug)]
pub(super) struct Product {
    /// What nothing but the set mentions.
    first: Bdd,
    factors: Vec<(Bdd, Bdd)>,
}

impl Product {
    /// `exists variables. set & factors`, in this order.
    fn new(
        manager: &BddManager,
        factors: Vec<Bdd>,
        variables: impl Iterator<Item = Var>,
    ) -> Result<Product, LimitReached> {
        let mut last: Vec<Vec<Var>> = vec![Vec::new(); factors.len() + 1];
        let supports: Vec<FxHashSet<Var>> =
            factors.iter().map(|factor| factor.support().into_iter().collect()).collect();
        for variable in variables {
            let mentioned = supports.iter().rposition(|support| support.contains(&variable));
            last[mentioned.map_or(0, |at| at + 1)].push(variable);
        }
        let mut cubes = last.iter().map(|variables| manager.cube(variables));
        let first = cubes.next().unwrap_or_else(|| Ok(manager.top()))?;
        let factors = factors.into_iter().zip(cubes).map(|(factor, cube)| Ok((factor, cube?)));
        Ok(Product { first, factors: factors.collect::<Result<_, _>>()? })
    }

    /// The product with a set.
    pub(super) fn with(&self, set: &Bdd) -> Result<Bdd, LimitReached> {
        let first = set.exists(&self.first)?;
        self.factors.iter().try_fold(first, |all, (factor, cube)| all.and_exists(factor, cube))
    }
}

/// What a step does to others: a relation over shared variables and a passive thread's locals.
#[derive(Debug)]
pub(super) struct Outward {
    /// Which variables it writes.
    pub(super) shape: Shape,
    /// Applied to states of the active thread, gives the relation over the passive slot.
    product: Product,
    /// Whether that mentions a passive thread.
    mentions_passive: bool,
}

/// An atomic section, by where it begins: what is written in it, and how the relation between
/// its beginning and its end is made one between before and after.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) shape: Shape,
    /// That nothing was written yet, and that no lock is held by both threads.
    begins: Bdd,
    ends: Substitution,
}

/// A program over BDDs, one thread at a time.
///
/// For each shared variable there are its values now and after a step, next to each other, with,
/// if it is written in an atomic section, its value when the section began; then the same for
/// locals, of the thread itself and of a passive one. Shared variables stand above all locals, as
/// all sets speak of them.
pub(crate) struct ThreadBdds<'p> {
    pub(crate) held: &'p Held,
    pub(crate) encoder: Encoder<'p>,
    /// The values when a section began.
    pub(crate) entry_shared: Vec<Option<Var>>,
    /// The passive thread's.
    pub(crate) entry_locals: Vec<Option<Var>>,
    pub(crate) stops: Vec<Vec<LocationId>>,
    liveness: Liveness,
    /// By set of live locals.
    dead: Vec<Option<Bdd>>,
    own: Vec<Option<Rc<Relation>>>,
    beside: Vec<Option<Rc<Relation>>>,
    outward: Vec<Option<Option<Rc<Outward>>>>,
    sections: Vec<Option<Rc<Section>>>,
    passive_to_active: Substitution,
    active_to_passive: Substitution,
    /// The locals of the active slot.
    own_locals: Bdd,
    holders: Bdd,
    /// That no lock is held by both threads.
    disjoint: Bdd,
    /// What invariants allow of a thread; `None` if there are none.
    allowed: Option<Bdd>,
}

impl<'p> ThreadBdds<'p> {
    /// The variables of a program and what is the same for all steps; relations are made when they
    /// are asked for.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(crate) fn new(
        program: &FlatProgram,
        held: &'p Held,
        manager: BddManager,
        options: &CheckOptions,
    ) -> Result<ThreadBdds<'p>, Stop> {
        // The locals for locks are live everywhere, but nothing reads them.
        let liveness = Liveness::new(program, options)?;
        let program = &held.program;
        let count = program.locations.len();
        let mut in_sections = Shape::default();
        let begins = program.iter().filter_map(|(_, location)| match location.statement {
            FlatStatement::AtomicBegin { next } => Some(next),
            _ => None,
        });
        for begin in begins.collect::<Vec<_>>() {
            written_inside(program, &[begin], &mut in_sections);
        }
        let order = VariableOrder::new(program);
        let bit = || Bit { current: manager.new_var(), next: manager.new_var() };
        // Made in the variables' order, kept by their indices.
        let mut shared: Vec<(usize, Option<Var>, Bit)> = Vec::new();
        for &v in &order.shared {
            let is_written = in_sections.shared.binary_search(&SharedVar(v as u32)).is_ok();
            shared.push((v, is_written.then(|| manager.new_var()), bit()));
        }
        shared.sort_unstable_by_key(|(v, ..)| *v);
        let mut locals: Vec<(usize, [Bit; 2], Option<Var>)> = Vec::new();
        for &v in &order.locals {
            let is_written = in_sections.locals.binary_search(&LocalVar(v as u32)).is_ok();
            locals.push((v, [bit(), bit()], is_written.then(|| manager.new_var())));
        }
        locals.sort_unstable_by_key(|(v, ..)| *v);
        let entry_shared = shared.iter().map(|(_, entry, _)| *entry).collect();
        let shared = shared.iter().map(|(.., bit)| *bit).collect();
        let entry_locals = locals.iter().map(|(.., entry)| *entry).collect();
        let locals = [ACTIVE, PASSIVE].map(|slot| locals.iter().map(|v| v.1[slot]).collect());
        let slots = locals.map(|locals| Slot { location: Vec::new(), locals });
        let layout = Layout {
            manager: manager.clone(),
            shared,
            holder: Vec::new(),
            slots: slots.into(),
            absent: 0,
        };
        let (active, passive) = (&layout.slots[ACTIVE].locals, &layout.slots[PASSIVE].locals);
        let both = || passive.iter().zip(active);
        let pairs = both().flat_map(|(p, a)| [(p.current, a.current), (p.next, a.next)]);
        let passive_to_active = manager.renaming(pairs)?;
        let pairs = both().flat_map(|(p, a)| [(a.current, p.current), (a.next, p.next)]);
        let active_to_passive = manager.renaming(pairs)?;
        let current = |bits: &[Bit]| bits.iter().map(|bit| bit.current).collect::<Vec<Var>>();
        let own_locals = manager.cube(&current(active))?;
        let holders = manager.cube(&current(&active[held.holders()]))?;
        let mut disjoint = manager.top();
        for v in held.holders() {
            let both = manager.cube(&[active[v].current, passive[v].current])?;
            disjoint = disjoint.minus(&both)?;
        }
        let encoder = Encoder::with_layout(program, layout);
        let allowed = match program.invariants.is_empty() {
            true => None,
            false => Some(encoder.allowed_in(&[ACTIVE])?),
        };
        Ok(ThreadBdds {
            held,
            encoder,
            allowed,
            entry_shared,
            entry_locals,
            stops: stops(program, true),
            dead: vec![None; liveness.sets()],
            liveness,
            own: vec![None; count],
            beside: vec![None; count],
            outward: vec![None; count],
            sections: vec![None; count],
            passive_to_active,
            active_to_passive,
            own_locals,
            holders,
            disjoint,
        })
    }

    /// How many BDD variables there are at most.
    pub(crate) fn variables(program: &FlatProgram) -> usize {
        3 * program.shared.len() + 6 * program.locals.len() + 2
    }

    pub(crate) fn program(&self) -> &'p FlatProgram {
        &self.held.program
    }

    pub(crate) fn manager(&self) -> &BddManager {
        &self.encoder.layout.manager
    }

    /// The bit of a shared variable.
    pub(crate) fn shared(&self, variable: SharedVar) -> Bit {
        self.encoder.layout.shared[variable.index()]
    }

    /// The bit of a local of the thread itself.
    pub(crate) fn local(&self, variable: LocalVar) -> Bit {
        self.encoder.layout.slots[ACTIVE].locals[variable.index()]
    }

    /// The bit of a local of the passive thread.
    pub(crate) fn passive(&self, variable: LocalVar) -> Bit {
        self.encoder.layout.slots[PASSIVE].locals[variable.index()]
    }

    /// Whether a local matters to a thread at a location.
    pub(crate) fn is_live(&self, location: LocationId, variable: usize) -> bool {
        variable >= self.held.own_locals()
            || self.liveness.is_live(location, LocalVar(variable as u32))
    }

    /// A set without what it says of the thread's dead locals.
    pub(super) fn without_dead(
        &mut self,
        location: LocationId,
        set: &Bdd,
    ) -> Result<Bdd, LimitReached> {
        let number = self.liveness.set_at(location);
        if self.dead[number].is_none() {
            let locals = (0..self.held.own_locals()).map(|v| LocalVar(v as u32));
            let dead = locals.filter(|v| !self.liveness.is_live(location, *v));
            let dead: Vec<Var> = dead.map(|v| self.local(v).current).collect();
            self.dead[number] = Some(self.manager().cube(&dead)?);
        }
        match &self.dead[number] {
            Some(dead) => set.exists(dead),
            None => Ok(set.clone()),
        }
    }

    /// What invariants leave of states of a thread, or of one with another beside it.
    pub(super) fn cut_off(&self, set: &Bdd) -> Result<Bdd, LimitReached> {
        self.allowed.as_ref().map_or_else(|| Ok(set.clone()), |allowed| set.and(allowed))
    }

    /// The initial states of the initial thread, dead locals and all.
    pub(super) fn initial(&self) -> Result<Bdd, LimitReached> {
        let (shared, locals) = self.encoder.initial_products()?;
        shared.and(&locals)
    }

    /// The steps of a thread by a statement that writes variables or waits.
    pub(super) fn own(&mut self, location: LocationId) -> Result<Rc<Relation>, LimitReached> {
        if let Some(relation) = &self.own[location.index()] {
            return Ok(relation.clone());
        }
        let relation = Rc::new(self.make_own(location)?);
        self.own[location.index()] = Some(relation.clone());
        Ok(relation)
    }

    fn make_own(&self, location: LocationId) -> Result<Relation, LimitReached> {
        let manager = self.manager();
        let Some(assignment) = self.program().statement(location).as_assignment() else {
            return Relation::new(manager, ACTIVE, location.index(), Vec::new());
        };
        let (conjuncts, written) = self.encoder.own_conjuncts(ACTIVE, &assignment)?;
        let parts = finish(manager, cluster(manager, conjuncts)?, &written);
        Relation::new(manager, ACTIVE, location.index(), parts)
    }

    /// The same of a thread inside an atomic section, together with what becomes of the passive
    /// thread that waits for it.
    pub(super) fn beside(&mut self, location: LocationId) -> Result<Rc<Relation>, LimitReached> {
        if let Some(relation) = &self.beside[location.index()] {
            return Ok(relation.clone());
        }
        let relation = match self.program().statement(location).as_assignment() {
            Some(assignment) if assignment.involves_passive() => {
                let manager = self.manager();
                let (conjuncts, mut written) = self.encoder.own_conjuncts(ACTIVE, &assignment)?;
                let (change, passive) =
                    self.encoder.passive_change(ACTIVE, PASSIVE, &assignment)?;
                let mut factors = cluster(manager, conjuncts)?;
                factors.push(change);
                written.extend(passive);
                let parts = finish(manager, factors, &written);
                Rc::new(Relation::new(manager, ACTIVE, location.index(), parts)?)
            }
            _ => self.own(location)?,
        };
        self.beside[location.index()] = Some(relation.clone());
        Ok(relation)
    }

    /// Those of a company of an active and a passive thread that hold no lock both.
    pub(super) fn apart(&self, set: &Bdd) -> Result<Bdd, LimitReached> {
        set.and(&self.disjoint)
    }

    /// What the statement at a location does to others; `None` if nothing.
    pub(super) fn outward(
        &mut self,
        location: LocationId,
    ) -> Result<Option<Rc<Outward>>, LimitReached> {
        if let Some(outward) = &self.outward[location.index()] {
            return Ok(outward.clone());
        }
        let outward = self.make_outward(location)?.map(Rc::new);
        self.outward[location.index()] = Some(outward.clone());
        Ok(outward)
    }

    fn make_outward(&self, location: LocationId) -> Result<Option<Outward>, LimitReached> {
        let Some(assignment) = self.program().statement(location).as_assignment() else {
            return Ok(None);
        };
        let mut shape = Shape::default();
        shape.add(&assignment);
        if shape.is_empty() {
            return Ok(None);
        }
        let manager = self.manager();
        let conjuncts = self.outward_conjuncts(&assignment)?;
        let own = &self.encoder.layout.slots[ACTIVE].locals;
        let quantified = own.iter().flat_map(|bit| [bit.current, bit.next]);
        let product = Product::new(manager, cluster(manager, conjuncts)?, quantified)?;
        let mentions_passive = assignment.involves_passive() || !self.held.holders().is_empty();
        Ok(Some(Outward { shape, product, mentions_passive }))
    }

    /// What an assignment does to the thread itself and to a passive one.
    pub(super) fn outward_conjuncts(
        &self,
        assignment: &Assignment,
    ) -> Result<Vec<Bdd>, LimitReached> {
        let (mut conjuncts, _) = self.encoder.own_conjuncts(ACTIVE, assignment)?;
        if assignment.involves_passive() {
            conjuncts.push(self.encoder.passive_change(ACTIVE, PASSIVE, assignment)?.0);
        }
        // Condition (2d) of Definition 8, before the step and after it.
        if !self.held.holders().is_empty() {
            conjuncts.push(self.disjoint.clone());
        }
        let holders = self.held.holders();
        for (v, _) in assignment.local.iter().filter(|(v, _)| holders.contains(&v.index())) {
            let both = [self.local(*v).next, self.passive(*v).current];
            conjuncts.push(self.manager().cube(&both)?.not());
        }
        Ok(conjuncts)
    }

    /// States of the thread itself as those of the passive one.
    pub(super) fn as_passive(&self, states: &Bdd) -> Result<Bdd, LimitReached> {
        states.substitute(&self.active_to_passive)
    }

    /// The values of a shared variable and of a passive thread's local when a section began, if it
    /// writes them.
    pub(super) fn entry_shared(&self, section: &Section, v: SharedVar) -> Option<Var> {
        let is_written = section.shape.shared.binary_search(&v).is_ok();
        self.entry_shared[v.index()].filter(|_| is_written)
    }

    pub(super) fn entry_local(&self, section: &Section, v: LocalVar) -> Option<Var> {
        let is_written = section.shape.locals.binary_search(&v).is_ok();
        self.entry_locals[v.index()].filter(|_| is_written)
    }

    fn holders(&self, slot: usize) -> &[Bit] {
        &self.encoder.layout.slots[slot].locals[self.held.holders()]
    }

    /// What steps from these states do to others, as a relation over shared variables and the
    /// locals of whom they change.
    pub(super) fn changes(&self, outward: &Outward, from: &Bdd) -> Result<Bdd, LimitReached> {
        let relation = outward.product.with(from)?;
        if outward.mentions_passive {
            return relation.substitute(&self.passive_to_active);
        }
        Ok(relation)
    }

    /// The atomic section that begins at a location.
    pub(crate) fn section(&mut self, location: LocationId) -> Result<Rc<Section>, LimitReached> {
        if let Some(section) = &self.sections[location.index()] {
            return Ok(section.clone());
        }
        let section = Rc::new(self.make_section(location)?);
        self.sections[location.index()] = Some(section.clone());
        Ok(section)
    }

    fn make_section(&self, location: LocationId) -> Result<Section, LimitReached> {
        let manager = self.manager();
        let mut shape = Shape::default();
        written_inside(self.program(), self.program().statement(location).successors(), &mut shape);
        let layout = &self.encoder.layout;
        let mut begins = self.disjoint.clone();
        let mut renamed = Vec::new();
        for v in 0..layout.slots[PASSIVE].locals.len() {
            let v = LocalVar(v as u32);
            let (own, passive) = (self.local(v), self.passive(v));
            match self.entry_locals[v.index()] {
                Some(entry) if shape.locals.binary_search(&v).is_ok() => {
                    renamed.extend([(passive.current, own.next), (entry, own.current)]);
                    begins = begins.and(&self.same(entry, passive.current)?)?;
                }
                _ => renamed.push((passive.current, own.current)),
            }
        }
        // From below, so that each step adds on top of what there is.
        let mut written: Vec<SharedVar> = shape.shared.clone();
        written.sort_by_key(|v| std::cmp::Reverse(manager.level(self.shared(*v).current)));
        for v in written {
            if let Some(entry) = self.entry_shared[v.index()] {
                let bit = self.shared(v);
                renamed.extend([(bit.current, bit.next), (entry, bit.current)]);
                begins = begins.and(&self.same(entry, bit.current)?)?;
            }
        }
        Ok(Section { shape, begins, ends: manager.renaming(renamed)? })
    }

    fn same(&self, a: Var, b: Var) -> Result<Bdd, LimitReached> {
        self.manager().var(a)?.iff(&self.manager().var(b)?)
    }

    /// The company of threads that begin a section, with any others.
    pub(super) fn begin(&self, section: &Section, from: &Bdd) -> Result<Bdd, LimitReached> {
        from.and(&section.begins)
    }

    /// What a section did to others when a thread leaves it, as [`changes`](ThreadBdds::changes).
    pub(super) fn end(&self, section: &Section, company: &Bdd) -> Result<Bdd, LimitReached> {
        company.exists(&self.own_locals)?.substitute(&section.ends)
    }

    /// The states of a thread that was started in one of these states, at the location `at`.
    pub(super) fn child(&mut self, at: LocationId, from: &Bdd) -> Result<Bdd, LimitReached> {
        let from = self.holding_nothing(ACTIVE, &from.exists(&self.holders)?)?;
        self.without_dead(at, &from)
    }

    fn holding_nothing(&self, slot: usize, set: &Bdd) -> Result<Bdd, LimitReached> {
        let none = self.holders(slot).iter().map(|bit| (bit.current, false)).collect();
        set.and(&self.manager().conjunction(none)?)
    }

    /// The company of a thread that starts another inside its atomic section, with that one as the
    /// passive thread, which will be at the location `at`.
    pub(super) fn with_child(&self, at: LocationId, from: &Bdd) -> Result<Bdd, LimitReached> {
        let mut company = from.clone();
        for v in (0..self.held.own_locals()).rev().filter(|v| self.is_live(at, *v)) {
            let v = LocalVar(v as u32);
            let same = self.same(self.local(v).current, self.passive(v).current)?;
            company = company.and(&same)?;
        }
        self.holding_nothing(PASSIVE, &company)
    }

    /// The passive thread of a company, at the location `at`, as a thread state.
    pub(super) fn released(&mut self, at: LocationId, company: &Bdd) -> Result<Bdd, LimitReached> {
        let state = company.exists(&self.own_locals)?.substitute(&self.passive_to_active)?;
        self.without_dead(at, &state)
    }

    /// Where the assertion at a location can fail; `None` if there is none.
    pub(crate) fn fails(&self, location: LocationId) -> Result<Option<Bdd>, LimitReached> {
        match self.program().statement(location) {
            FlatStatement::Assert { condition, .. } => {
                self.encoder.where_false(ACTIVE, condition).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The local of a lock that a thread in some of these states gives back at a location without holding
    /// it.
    pub(super) fn releases_foreign(
        &self,
        location: LocationId,
        set: &Bdd,
    ) -> Result<Option<LocalVar>, LimitReached> {
        for (lock, holder) in self.held.freed(location) {
            let holds = self.manager().var(self.local(holder).current)?;
            let is_set = self.manager().var(self.shared(lock.variable).current)?;
            let others = set.minus(&holds)?;
            let taken = if lock.free { others.minus(&is_set)? } else { others.and(&is_set)? };
            if !taken.is_false() {
                return Ok(Some(holder));
            }
        }
        Ok(None)
    }
}

/// What is written in atomic sections from these locations on.
fn written_inside(program: &FlatProgram, from: &[LocationId], shape: &mut Shape) {
    let mut seen: FxHashSet<LocationId> = from.iter().copied().collect();
    let mut pending = from.to_vec();
    while let Some(location) = pending.pop() {
        let statement = program.statement(location);
        if let Some(assignment) = statement.as_assignment() {
            shape.add(&assignment);
        }
        if let FlatStatement::AtomicEnd { .. } = statement {
            continue;
        }
        pending.extend(statement.successors().iter().filter(|next| seen.insert(**next)));
    }
}

/// The same conjunction with as few conjuncts as can be had without large ones.
fn cluster(manager: &BddManager, conjuncts: Vec<Bdd>) -> Result<Vec<Bdd>, LimitReached> {
    let mut clusters: Vec<Bdd> = Vec::new();
    for conjunct in conjuncts {
        let joined = match clusters.last() {
            Some(last) => Some(last.and(&conjunct)?),
            None => None,
        };
        match joined.filter(|joined| joined.size_within(CLUSTER).is_some()) {
            Some(joined) => {
                clusters.pop();
                clusters.push(joined);
            }
            None => clusters.push(conjunct),
        }
    }
    clusters.retain(|cluster| !cluster.is_true());
    if clusters.is_empty() {
        clusters.push(manager.top());
    }
    Ok(clusters)
}

/// Conjuncts of a relation, each with the written bits that it is the last to mention.
fn finish(manager: &BddManager, conjuncts: Vec<Bdd>, written: &[Bit]) -> Vec<Part> {
    let supports: Vec<FxHashSet<Var>> =
        conjuncts.iter().map(|conjunct| conjunct.support().into_iter().collect()).collect();
    let mut parts: Vec<Part> =
        conjuncts.into_iter().map(|relation| Part { relation, finished: Vec::new() }).collect();
    if parts.is_empty() {
        parts.push(Part { relation: manager.top(), finished: Vec::new() });
    }
    for &bit in written {
        let mentions = |support: &FxHashSet<Var>| {
            support.contains(&bit.current) || support.contains(&bit.next)
        };
        let last = supports.iter().rposition(mentions).unwrap_or(0);
        parts[last].finished.push(bit);
    }
    parts
}

/// The variable of a bit on one side, as a cube.
pub(super) fn side(manager: &BddManager, bits: &[Bit], side: Side) -> Result<Bdd, LimitReached> {
    let variables: Vec<Var> = bits.iter().map(|bit| bit.side(side)).collect();
    manager.cube(&variables)
}
