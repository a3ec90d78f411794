//! Which accesses may race, and which of two stands.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{Entity, FunctionId, Module};
use sapa_limits::Limits;

use super::PASS;
use super::address::{Comparison, Form};
use super::orders::{Orders, Position};
use super::site::{Kind, Site, Sites};
use crate::analysis::points_to::{Object, Place};
use crate::error::PassError;
use crate::transform::checks::section::Inside;

/// Accesses that nothing tells apart, where threads may stand.
pub(super) struct Class {
    /// What `__CPROVER_race` is while one of them stands; from 1 on.
    pub number: u32,
    /// The sites, as indices.
    pub members: Vec<usize>,
    /// Whether the index of the element that is accessed is noted.
    pub notes_index: bool,
    /// Whether the address is noted.
    pub notes_address: bool,
    /// Whether threads go on that have announced one of them.
    pub goes_on: bool,
}

/// What a site checks.
pub(super) struct Check {
    /// The class, as an index.
    pub class: usize,
    /// Whether there is a race if a thread stands there.
    pub comparison: Comparison,
}

/// What there is to look for.
pub(super) struct Races {
    pub sites: Vec<Site>,
    pub classes: Vec<Class>,
    /// The class of each site where threads stand before it.
    pub class_of: Vec<Option<usize>>,
    /// What each site checks.
    pub checks: Vec<Vec<Check>>,
    /// What orders accesses, if threads go on that have announced one.
    pub orders: Option<Orders>,
}

/// Finds the pairs that may race, and lets one of each stand: as few kinds of accesses as possible, but greedily.
///
/// # Errors
/// A limit ended it, or none of two accesses can stand.
pub(super) fn find(module: &Module, sites: Sites, limits: &Limits) -> Result<Races, PassError> {
    let Sites { sites, single, orders, unordered } = sites;
    let mut kinds: BTreeMap<&Kind, Vec<usize>> = BTreeMap::new();
    for (index, site) in sites.iter().enumerate() {
        kinds.entry(&site.kind).or_default().push(index);
    }
    let kinds: Vec<(&Kind, Vec<usize>)> = kinds.into_iter().collect();
    let is_one = |kind: usize, is_such: &dyn Fn(Position) -> bool| {
        let mut members = kinds[kind].1.iter().map(|&site| &sites[site]);
        members.any(|site| is_such((site.function, site.position)))
    };
    let numbers = 0..kinds.len();
    let first: Vec<bool> =
        numbers.clone().map(|kind| is_one(kind, &|at| unordered.may_be_first(at))).collect();
    let second: Vec<bool> =
        numbers.map(|kind| is_one(kind, &|at| unordered.may_be_second(at))).collect();
    let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); kinds.len()];
    // Pairs of which one may come first in a run, and the other one second, without an order.
    let mut goes_on = BTreeSet::new();
    for (a, (kind, _)) in kinds.iter().enumerate() {
        limits.check()?;
        for (b, (other, _)) in kinds.iter().enumerate().take(a + 1) {
            if !may_race(module, kind, other, &single) {
                continue;
            }
            let before = goes_on.len();
            for (a, b) in [(a, b), (b, a)] {
                let is_told = !kinds[b].0.is_private && kinds[a].0.inside.len() == 1;
                if is_told && (first[a] || second[b]) {
                    goes_on.insert((a, b));
                }
            }
            // Nobody comes to an object together with a thread that alone knows it.
            if goes_on.len() > before || !kind.is_private && !other.is_private {
                neighbours[a].insert(b);
                neighbours[b].insert(a);
            }
        }
    }
    for (index, adjacent) in neighbours.iter().enumerate() {
        let (kind, members) = &kinds[index];
        if !adjacent.is_empty() && kind.inside.len() > 1 {
            let message = "this access may race, and is executed inside of atomic sections and outside; \
                           inline its function first";
            return Err(refused(&sites[members[0]], message));
        }
    }
    let mut standing = choose(&sites, &kinds, &neighbours)?;
    standing.extend(goes_on.iter().map(|&(first, _)| first));
    let mut classes = Vec::new();
    let mut class_of = vec![None; sites.len()];
    let mut checks: Vec<Vec<Check>> = sites.iter().map(|_| Vec::new()).collect();
    for (number, &standing_kind) in (1..).zip(&standing) {
        let (kind, members) = &kinds[standing_kind];
        let class = classes.len();
        let mut notes_index = false;
        let mut notes_address = false;
        for &other in &neighbours[standing_kind] {
            // Of two kinds of which both stand, the one that comes first is looked for.
            let is_needed = goes_on.contains(&(standing_kind, other));
            if !is_needed && other < standing_kind && standing.contains(&other) {
                continue;
            }
            let (other, others) = &kinds[other];
            let comparison = if kind.ends || other.ends {
                Comparison::Object
            } else {
                kind.form.comparison(kind.size, other.form, other.size, are_aligned(kind, other))
            };
            match comparison {
                Comparison::Always => {}
                Comparison::Index(_) => notes_index |= matches!(kind.form, Form::Element { .. }),
                Comparison::Equal | Comparison::Range | Comparison::Object => notes_address = true,
            }
            for &site in others {
                checks[site].push(Check { class, comparison });
            }
        }
        for &member in members {
            class_of[member] = Some(class);
        }
        let goes_on = goes_on.iter().any(|&(first, _)| first == standing_kind);
        let members = members.clone();
        classes.push(Class { number, members, notes_index, notes_address, goes_on });
    }
    let orders = classes.iter().any(|class| class.goes_on).then_some(orders);
    Ok(Races { classes, class_of, checks, sites, orders })
}

/// A set of kinds that can stand, with one of each pair that may race.
fn choose(
    sites: &[Site],
    kinds: &[(&Kind, Vec<usize>)],
    neighbours: &[BTreeSet<usize>],
) -> Result<BTreeSet<usize>, PassError> {
    let can_stand = |kind: usize| can_stand(kinds[kind].0);
    let mut standing = BTreeSet::new();
    // Those of which no other one could stand in their place.
    for (a, adjacent) in neighbours.iter().enumerate() {
        if let Some(&b) = adjacent.iter().find(|&&b| b == a || !can_stand(b)) {
            if !can_stand(a) {
                let site = &sites[kinds[a].1[0]];
                let mut error = refused(
                    site,
                    "this access may race with another one, and both are in atomic sections that do not lock",
                );
                if let PassError::Refused { notes, .. } = &mut error {
                    notes.push((sites[kinds[b].1[0]].location, "the other one is here"));
                }
                return Err(error);
            }
            standing.insert(a);
        }
    }
    let open = |standing: &BTreeSet<usize>, a: usize| {
        if standing.contains(&a) {
            return 0;
        }
        neighbours[a].iter().filter(|b| !standing.contains(b)).count()
    };
    loop {
        let candidates = (0..kinds.len()).filter(|&a| can_stand(a) && open(&standing, a) > 0);
        let best = candidates.max_by_key(|&a| (open(&standing, a), std::cmp::Reverse(a)));
        match best {
            Some(best) => drop(standing.insert(best)),
            None => return Ok(standing),
        }
    }
}

fn can_stand(kind: &Kind) -> bool {
    kind.inside == [Inside::Nothing]
}

fn refused(site: &Site, message: &str) -> PassError {
    let (block, index) = site.position;
    let entity = Entity::Instruction(site.function, block, index);
    PassError::at(PASS.name, entity, site.location, message)
}

/// Whether accesses of two kinds may race: two of one kind too.
fn may_race(module: &Module, a: &Kind, b: &Kind, single: &BTreeSet<FunctionId>) -> bool {
    (a.is_write || b.is_write)
        && !(a.is_atomic && b.is_atomic)
        && a.threads.iter().any(|x| b.threads.iter().any(|y| x != y || !single.contains(x)))
        && pairs(a, b).any(|(x, y)| may_overlap(module, (x, a), (y, b)))
}

fn pairs<'k>(a: &'k Kind, b: &'k Kind) -> impl Iterator<Item = (&'k Place, &'k Place)> {
    a.places.iter().flat_map(|x| b.places.iter().map(move |y| (x, y)))
}

/// Whether accesses at two places may have a byte in common.
fn may_overlap(module: &Module, (x, a): (&Place, &Kind), (y, b): (&Place, &Kind)) -> bool {
    if a.ends || b.ends {
        return x.object.is_any() || y.object.is_any() || x.object == y.object;
    }
    let (x_size, y_size) = (a.size, b.size);
    let fits = |place: &Place, size: u64| {
        // What cannot be in the object is no access to it.
        let room = place.object.ty(module).map(|ty| ty.size(module));
        let offset = place.offsets.single();
        room.zip(offset).is_none_or(|(room, offset)| offset.saturating_add(size) <= room)
    };
    let is_any = x.object.is_any() || y.object.is_any();
    x.may_meet(x_size, *y, y_size) && (is_any || fits(x, x_size) && fits(y, y_size))
}

/// Whether accesses of two kinds are to the same bytes, or have none in common.
fn are_aligned(a: &Kind, b: &Kind) -> bool {
    a.size == b.size
        && pairs(a, b).all(|(x, y)| {
            let is_known = |object: Object| !object.is_any();
            is_known(x.object)
                && is_known(y.object)
                && (x.object != y.object || !x.offsets.may_straddle(a.size, y.offsets, b.size))
        })
}
