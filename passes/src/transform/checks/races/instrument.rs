//! The ghosts, and the code that reads and writes them.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, CastOp, CompareOp, Function, FunctionId, Global, GlobalId,
    Initializer, Location, Module, NameId, Op, Operand, Section, TerminatorKind, Type,
};
use sapa_limits::Limits;

use super::address::{Comparison, Form};
use super::conflict::{Check, Class, Races};
use super::orders::{END, Order, START, Through, ends_thread};
use super::site::Site;
use super::{PASS, RACE};
use crate::analysis::points_to::Object;
use crate::error::PassError;
use crate::transform::checks::record::object;
use crate::transform::checks::section::Inside;

/// The class of the access that a thread stands before, or 0.
const NUMBER: Type = Type::Int(32);

/// The ghosts, as far as they are needed.
#[derive(Clone)]
struct Ghosts {
    /// Who stands.
    race: GlobalId,
    /// The element that it accesses.
    index: Option<GlobalId>,
    /// The address that it accesses.
    address: Option<GlobalId>,
    /// Where some operations do not order accesses.
    follow: Option<Follow>,
    pointer_bits: u16,
}

/// Ghosts that follow what the access that is announced comes before (C11 5.1.2.4: happens before). All are 1 bit.
#[derive(Clone)]
struct Follow {
    /// Whether a thread has released through a channel what it did behind the access; by channel.
    released: Vec<GlobalId>,
    /// Local to threads: whether what the thread does is ordered behind the access.
    behind: GlobalId,
}

impl Follow {
    fn through(&self, through: Through) -> &[GlobalId] {
        match through {
            Through::All => &self.released,
            Through::Channel(of) => self.released.get(of..=of).unwrap_or_default(),
        }
    }
}

/// Puts the code in that lets threads stand, and that looks for them.
///
/// # Errors
/// A limit ended it.
pub(super) fn instrument(
    module: &mut Module,
    races: &Races,
    limits: &Limits,
) -> Result<(), PassError> {
    let pointer_bits = module.target.pointer_bits;
    let mut ghost = |name: &str, ty: Type, thread_local: bool| {
        module.add_global(Global {
            name: name.to_owned(),
            ty,
            initializer: Initializer::Zero,
            thread_local,
            constant: false,
            signed: false,
            location: Location::default(),
        })
    };
    let race = ghost(RACE, NUMBER, false);
    let has_index = races.classes.iter().any(|class| class.notes_index);
    let word = Type::Int(pointer_bits);
    let index = has_index.then(|| ghost("__CPROVER_race_index", word, false));
    let has_address = races.classes.iter().any(|class| class.notes_address);
    let address = has_address.then(|| ghost("__CPROVER_race_address", Type::Pointer, false));
    let follow = races.orders.as_ref().map(|orders| {
        let name = |channel| format!("__CPROVER_race_released_{channel}");
        let released = (0..orders.channels).map(|channel| ghost(&name(channel), BOOL, false));
        let released = released.collect();
        Follow { released, behind: ghost("__CPROVER_race_behind", BOOL, true) }
    });
    let ghosts = Ghosts { race, index, address, follow, pointer_bits };
    let operation = module.intern_name(PASS.name);
    let mut by_function: BTreeMap<FunctionId, BTreeMap<(BlockId, usize), Vec<usize>>> =
        BTreeMap::new();
    for (index, site) in races.sites.iter().enumerate() {
        if races.class_of[index].is_some() || !races.checks[index].is_empty() {
            let places = by_function.entry(site.function).or_default();
            places.entry(site.position).or_default().push(index);
        }
    }
    let nothing = BTreeMap::new();
    if let Some(orders) = &races.orders {
        let has_ends = |(id, function): (FunctionId, &Function)| {
            let mut ends = function.blocks.iter().map(|block| &block.terminator.kind);
            ends.any(|end| ends_thread(end, false)).then_some(id)
        };
        let ending: Vec<FunctionId> = module.functions().filter_map(has_ends).collect();
        for &id in orders.instructions.keys().chain(&orders.started).chain(&ending) {
            by_function.entry(id).or_default();
        }
    }
    for (id, places) in by_function {
        limits.check()?;
        let orders = races.orders.as_ref();
        let of_function = orders.and_then(|orders| orders.instructions.get(&id));
        let of_function = of_function.unwrap_or(&nothing);
        let is_started = orders.is_some_and(|orders| orders.started.contains(&id));
        let texts: BTreeMap<usize, Vec<String>> = places
            .values()
            .flatten()
            .map(|&site| {
                (site, races.checks[site].iter().map(|c| text(module, races, site, c)).collect())
            })
            .collect();
        let mut function = std::mem::take(&mut module.functions[id.index()]);
        if let Some(orders) = orders {
            release_at_ends(&mut function, (is_started, orders.fixed(END)), &ghosts, operation);
        }
        function.rewrite(|builder, position, instruction| {
            let sites = places.get(&position).map_or(&[][..], Vec::as_slice);
            let ordering = of_function.get(&position);
            let order = ordering.map(|ordering| ordering.order).unwrap_or_default();
            let otherwise = ordering.map(|ordering| ordering.otherwise).unwrap_or_default();
            let success = ordering.and_then(|ordering| ordering.success).map(Operand::Value);
            let through = ordering.map_or(Through::All, |ordering| ordering.through);
            let of_access = builder.location;
            let own = Location { operation: Some(operation), ..of_access };
            let mut code = Code { builder, ghosts: &ghosts };
            code.builder.location = own;
            if let Some(orders) = orders
                && is_started
                && position == (Function::ENTRY, 0)
            {
                code.acquire(orders.fixed(START), None);
            }
            for &site in sites {
                if let Some(class) = races.class_of[site] {
                    code.stand(&races.sites[site], &races.classes[class]);
                }
            }
            let is_access = matches!(instruction.op, Op::Load { .. } | Op::Store { .. });
            let is_checked = sites.iter().any(|&site| !races.checks[site].is_empty());
            let is_inside = sites.iter().any(|&s| races.sites[s].kind.inside != [Inside::Nothing])
                || ordering.is_some_and(|ordering| ordering.is_inside);
            let orders_something = order != Order::default() || otherwise != Order::default();
            // An access that is one step anyway is one with its check, and with what it orders.
            let is_step = !is_inside && (is_checked || orders_something && is_access);
            if is_step {
                code.builder.effect(Op::AtomicBegin(Section::Step));
            }
            if order.releases {
                code.release(through, success, is_step || is_inside);
            }
            let is_one = sites.iter().all(|&site| races.sites[site].scalar.is_some());
            let mut instruction = Some(instruction);
            let mut push = |code: &mut Code<'_, '_>| {
                if let Some(instruction) = instruction.take() {
                    code.builder.location = of_access;
                    code.builder.push(instruction);
                    code.builder.location = own;
                }
            };
            if is_one || !is_checked {
                push(&mut code);
            }
            match (order.acquires, otherwise.acquires, success) {
                (true, false, success) => code.acquire(through, success),
                (true, true, _) => code.acquire(through, None),
                (false, true, Some(success)) => {
                    let fails = code.builder.compare(CompareOp::Eq, success, Operand::bool(false));
                    code.acquire(through, Some(fails));
                }
                (false, ..) => {}
            }
            for &site in sites {
                let checks = races.checks[site].iter().zip(&texts[&site]);
                code.check(races, &races.sites[site], checks);
            }
            if is_step {
                code.builder.effect(Op::AtomicEnd);
            }
            push(&mut code);
            code.builder.location = of_access;
        });
        module.functions[id.index()] = function;
    }
    Ok(())
}

/// Puts in that the ends of threads release what they did; returns are ends of threads in functions that these are
/// started with.
fn release_at_ends(
    function: &mut Function,
    (is_started, through): (bool, Through),
    ghosts: &Ghosts,
    operation: NameId,
) {
    for block in (0..function.blocks.len()).map(BlockId::new) {
        let terminator = &function.block(block).terminator;
        let location = Location { operation: Some(operation), ..terminator.location };
        if ends_thread(&terminator.kind, is_started) {
            let mut builder = Builder::new(function, location);
            builder.switch_to(block);
            Code { builder: &mut builder, ghosts }.release(through, None, false);
        }
    }
}

struct Code<'b, 'f> {
    builder: &'b mut Builder<'f>,
    ghosts: &'b Ghosts,
}

impl Code<'_, '_> {
    /// Lets a thread stand before an access, if it chooses to.
    fn stand(&mut self, site: &Site, class: &Class) {
        let b = &mut *self.builder;
        let stands = b.nondet(BOOL);
        let (standing, going) = (b.add_block(), b.add_block());
        b.branch(stands, standing, going);
        b.switch_to(standing);
        let is_inside = site.kind.inside != [Inside::Nothing];
        if !is_inside {
            b.effect(Op::AtomicBegin(Section::Locked));
        }
        self.require_meaning(site);
        let b = &mut *self.builder;
        let before = b.load(NUMBER, Operand::Global(self.ghosts.race));
        let condition = b.compare(CompareOp::Eq, before, Operand::int(32, 0));
        b.effect(Op::Assume { condition });
        b.store(NUMBER, Operand::Global(self.ghosts.race), number(class));
        if let (true, Some(ghost), Some(index)) = (class.notes_index, self.ghosts.index, site.index)
        {
            self.builder.store(Type::Int(self.ghosts.pointer_bits), Operand::Global(ghost), index);
        }
        if let (true, Some(ghost)) = (class.notes_address, self.ghosts.address) {
            let address = self.stored_address(site);
            self.builder.store(Type::Pointer, Operand::Global(ghost), address);
        }
        let follow = self.ghosts.follow.as_ref().filter(|_| class.goes_on);
        if let Some(follow) = follow {
            self.builder.store(BOOL, Operand::Global(follow.behind), Operand::bool(true));
        }
        let b = &mut *self.builder;
        if !is_inside {
            b.effect(Op::AtomicEnd);
        }
        if follow.is_some() {
            b.jump(going);
        } else {
            b.effect(Op::Assume { condition: Operand::bool(false) });
            b.terminate(TerminatorKind::Unreachable);
        }
        b.switch_to(going);
    }

    /// Releases what the thread did through a channel, if it has succeeded: others may be behind it from now on. In one step, which is open already if
    /// `is_inside` says so.
    fn release(&mut self, through: Through, succeeds: Option<Operand>, is_inside: bool) {
        let Some(follow) = &self.ghosts.follow else { return };
        let b = &mut *self.builder;
        if !is_inside {
            b.effect(Op::AtomicBegin(Section::Locked));
        }
        let mut behind = b.load(BOOL, Operand::Global(follow.behind));
        if let Some(succeeds) = succeeds {
            behind = b.binary(BinaryOp::And, behind, succeeds, false);
        }
        for &channel in follow.through(through) {
            let before = b.load(BOOL, Operand::Global(channel));
            let released = b.binary(BinaryOp::Or, before, behind, false);
            b.store(BOOL, Operand::Global(channel), released);
        }
        if !is_inside {
            b.effect(Op::AtomicEnd);
        }
    }

    /// Puts the thread behind what others have released through a channel, if it has `succeeded`.
    fn acquire(&mut self, through: Through, succeeded: Option<Operand>) {
        let Some(follow) = &self.ghosts.follow else { return };
        let b = &mut *self.builder;
        let mut behind = b.load(BOOL, Operand::Global(follow.behind));
        for &channel in follow.through(through) {
            let mut released = b.load(BOOL, Operand::Global(channel));
            if let Some(succeeded) = succeeded {
                released = b.binary(BinaryOp::And, released, succeeded, false);
            }
            behind = b.binary(BinaryOp::Or, behind, released, false);
        }
        b.store(BOOL, Operand::Global(follow.behind), behind);
    }

    /// Cuts off what would access nothing: such an access is no part of a race.
    fn require_meaning(&mut self, site: &Site) {
        match (site.kind.form, site.index, &site.scalar) {
            (Form::Element { count, .. }, Some(index), _) => {
                let count = Operand::int(self.ghosts.pointer_bits, u128::from(count));
                let condition = self.builder.compare(CompareOp::UnsignedLt, index, count);
                self.builder.effect(Op::Assume { condition });
            }
            (Form::Pointer, _, Some(ty)) => drop(self.builder.load(ty.clone(), site.address)),
            _ => {}
        }
    }

    /// The index of the element of a size that is accessed.
    fn index(&self, site: &Site, stride: u64) -> Operand {
        let fixed = site.kind.form.element(stride).unwrap_or_default();
        site.index.unwrap_or(Operand::int(self.ghosts.pointer_bits, u128::from(fixed)))
    }

    /// The address as it is noted: where it may be that of an object that other threads know nothing of, it is a
    /// guess that is right, so that nobody takes the object for one that they may come to.
    fn stored_address(&mut self, site: &Site) -> Operand {
        if !site.kind.is_mixed {
            return site.address;
        }
        let guess = self.builder.nondet(Type::Pointer);
        let condition = self.builder.compare(CompareOp::Eq, guess, site.address);
        self.builder.effect(Op::Assume { condition });
        guess
    }

    /// Asserts that no thread stands before an access that races with a site's.
    fn check<'t>(
        &mut self,
        races: &Races,
        site: &Site,
        checks: impl Iterator<Item = (&'t Check, &'t String)>,
    ) {
        let mut seen = None;
        for (check, text) in checks {
            let class = &races.classes[check.class];
            let b = &mut *self.builder;
            let follow = self.ghosts.follow.as_ref();
            let (race, behind) = *seen.get_or_insert_with(|| {
                let race = b.load(NUMBER, Operand::Global(self.ghosts.race));
                (race, follow.map(|follow| b.load(BOOL, Operand::Global(follow.behind))))
            });
            let mut condition = b.compare(CompareOp::Ne, race, number(class));
            if let Some(behind) = behind.filter(|_| class.goes_on) {
                condition = b.binary(BinaryOp::Or, condition, behind, false);
            }
            let standing = &races.sites[class.members[0]];
            if let Some(apart) = self.apart(site, standing, check.comparison) {
                condition = self.builder.binary(BinaryOp::Or, condition, apart, false);
            }
            self.builder.effect(Op::Assert { condition, property: text.clone() });
        }
    }

    /// Whether what a site accesses has no byte in common with what was noted; `None` if it always has one.
    fn apart(&mut self, site: &Site, standing: &Site, comparison: Comparison) -> Option<Operand> {
        let bits = self.ghosts.pointer_bits;
        let word = Type::Int(bits);
        match comparison {
            Comparison::Always => None,
            Comparison::Index(stride) => {
                let index = self.index(site, stride);
                let noted = match standing.index {
                    Some(_) => self.builder.load(word, Operand::Global(self.ghosts.index?)),
                    None => self.index(standing, stride),
                };
                Some(self.builder.compare(CompareOp::Ne, noted, index))
            }
            Comparison::Equal => {
                let noted = self.builder.load(Type::Pointer, Operand::Global(self.ghosts.address?));
                Some(self.builder.compare(CompareOp::Ne, noted, site.address))
            }
            Comparison::Range => {
                let noted = self.builder.load(Type::Pointer, Operand::Global(self.ghosts.address?));
                let b = &mut *self.builder;
                let noted = b.cast(CastOp::PointerToInt, noted, word.clone());
                let here = b.cast(CastOp::PointerToInt, site.address, word);
                let behind = b.binary(BinaryOp::Sub, here, noted, false);
                let before = b.binary(BinaryOp::Sub, noted, here, false);
                let size = |site: &Site| Operand::int(bits, u128::from(site.kind.size));
                let behind = b.compare(CompareOp::UnsignedLe, size(standing), behind);
                let before = b.compare(CompareOp::UnsignedLe, size(site), before);
                Some(b.binary(BinaryOp::And, behind, before, false))
            }
            Comparison::Object => {
                let noted = self.builder.load(Type::Pointer, Operand::Global(self.ghosts.address?));
                let b = &mut *self.builder;
                let noted = b.cast(CastOp::PointerToInt, noted, word.clone());
                let noted = object(b, noted, bits);
                let here = b.cast(CastOp::PointerToInt, site.address, word);
                // Null may be freed, and is in no object.
                let is_none = b.compare(CompareOp::Eq, here, Operand::int(bits, 0));
                let here = object(b, here, bits);
                let is_other = b.compare(CompareOp::Ne, noted, here);
                Some(b.binary(BinaryOp::Or, is_other, is_none, false))
            }
        }
    }
}

fn number(class: &Class) -> Operand {
    Operand::int(32, u128::from(class.number))
}

/// Places that a text names.
const NAMED: usize = 3;

/// What a check asserts, in words.
fn text(module: &Module, races: &Races, site: usize, check: &Check) -> String {
    let word = |site: &Site| match (site.kind.ends, site.kind.is_write) {
        (true, _) => "free",
        (_, true) => "write",
        (_, false) => "read",
    };
    let class = &races.classes[check.class];
    let here = &races.sites[site];
    let standing = &races.sites[class.members[0]];
    let of = objects(module, here);
    let places: BTreeSet<String> =
        class.members.iter().map(|&site| module.describe(races.sites[site].location)).collect();
    let own = module.describe(here.location);
    if places.len() == 1 && places.contains(&own) && word(here) == word(standing) {
        return format!("no data race: this {} of {of} by two threads", word(here));
    }
    let count = places.len();
    let mut named: Vec<String> = places.into_iter().take(NAMED).collect();
    if count > NAMED {
        named.push(format!("{} other places", count - NAMED));
    }
    let named = match named.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    format!("no data race: this {} of {of} and the {} at {named}", word(here), word(standing))
}

/// What a site accesses, in words.
fn objects(module: &Module, site: &Site) -> String {
    let name = |object: Object| match object {
        Object::Global(id) => module.globals.get(id.index()).map(|global| global.name.clone()),
        Object::Slot(id, slot) => {
            let slots = &module.functions.get(id.index())?.slots;
            slots.get(slot.index()).map(|slot| slot.name.clone())
        }
        _ => None,
    };
    let text = |place: &crate::analysis::points_to::Place| {
        let name = name(place.object)?;
        Some(format!("'{}'", place.text(module, &name)))
    };
    match site.kind.places.as_slice() {
        [place] => text(place).unwrap_or_else(|| "memory".to_owned()),
        [a, b] => match (text(a), text(b)) {
            (Some(a), Some(b)) => format!("{a} or {b}"),
            _ => "memory".to_owned(),
        },
        _ => "memory".to_owned(),
    }
}
