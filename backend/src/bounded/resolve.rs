//! Where the addresses point that are read from memory: what is written there, to a fixed point.

use rustc_hash::FxHashMap;
use sapa_ir::goto::handle;
use sapa_limits::Exceeded;

use super::reason::GaveUp;
use super::targets::{Places, Values};
use super::unfold::{MIXED, Stop, Unfolder, value_of};
use super::unfolding::{Asked, Join, StepKind};

impl Unfolder<'_> {
    /// Finds the places of all events.
    ///
    /// # Errors
    /// If one may point anywhere, a store was taken for one that waits and does not, or a limit is
    /// reached.
    pub fn resolve(&mut self) -> Result<(), Stop> {
        if self.out.valid.is_empty() && self.out.asked.is_empty() {
            return Ok(());
        }
        loop {
            self.limits.check()?;
            self.targets.refresh();
            self.place_open_events()?;
            if !self.learn()? {
                break;
            }
        }
        for &(index, _) in &self.out.valid {
            let event = &mut self.out.events[index];
            let (address, size) = (event.address, event.size);
            if self.targets.is_undeclared(&self.symbols.store, &self.objects, address, size) {
                return Err(GaveUp::Address(event.location).into());
            }
            // What no write is known of is what nobody writes.
            event.places.get_or_insert_default();
        }
        for asked in &mut self.out.asked {
            let Asked { address, size, location, .. } = *asked;
            let is_undeclared =
                self.targets.is_undeclared(&self.symbols.store, &self.objects, address, size);
            match self.targets.places(&self.symbols.store, &self.objects, address, size) {
                Places::Known(places) if !is_undeclared => asked.places = places,
                // What no write is known of is what nobody writes.
                Places::Open if !is_undeclared => {}
                _ => return Err(GaveUp::Address(location).into()),
            }
        }
        self.waited_rightly()
    }

    /// Stores whose places were not known have waited: it is an error if one of these is of an object
    /// whose stores do not, since they overtake those that do.
    fn waited_rightly(&self) -> Result<(), Stop> {
        for &(index, _) in &self.out.valid {
            let event = &self.out.events[index];
            let waits = self.out.step(event.step).kind == StepKind::Reach;
            let mut places = event.places.iter().flatten();
            if waits && places.any(|&(object, _)| !self.is_buffered(object)) {
                return Err(GaveUp::Waits(MIXED, event.location).into());
            }
        }
        Ok(())
    }

    fn place_open_events(&mut self) -> Result<(), Stop> {
        for &(index, _) in &self.out.valid {
            let (address, size) = (self.out.events[index].address, self.out.events[index].size);
            let found = self.targets.places(&self.symbols.store, &self.objects, address, size);
            match found {
                Places::Known(places) => self.out.events[index].places = Some(places),
                Places::Open => {}
                Places::Unknown => {
                    return Err(GaveUp::Address(self.out.events[index].location).into());
                }
            }
        }
        Ok(())
    }

    /// Lets loads give what is written where they read; whether that is new.
    fn learn(&mut self) -> Result<bool, Exceeded> {
        let mut writes: FxHashMap<u64, Vec<(u64, usize)>> = FxHashMap::default();
        for (index, event) in self.out.events.iter().enumerate().filter(|(_, e)| e.is_write) {
            for &(object, offset) in event.places.iter().flatten() {
                writes.entry(object).or_default().push((offset, index));
            }
        }
        let mut is_new = self.learn_results()?;
        let mut pace = self.limits.pace();
        for index in 0..self.out.events.len() {
            let event = &self.out.events[index];
            if event.is_write {
                continue;
            }
            let (load, size) = (event.value, event.size);
            let thread = self.out.step(event.step).thread;
            for (object, offset) in event.places.clone().unwrap_or_default() {
                let initial = self.objects.initial(self.symbols, object, offset, size);
                let mut found = vec![(initial, true)];
                let here = writes.get(&object).map_or(&[][..], Vec::as_slice);
                for &(at, number) in here {
                    pace.work(1)?;
                    let write = &self.out.events[number];
                    // Nobody reads what the own thread writes later.
                    if number > index && self.out.step(write.step).thread == thread {
                        continue;
                    }
                    if at < offset + size && offset < at + write.size {
                        found.push((write.value, at == offset && write.size == size));
                    }
                }
                found.sort_unstable();
                found.dedup();
                self.note_unwritten();
                for (value, is_whole) in found {
                    let values = self.targets.values(&self.symbols.store, &self.objects, value);
                    let values = match values {
                        values if is_whole => values,
                        Values::Open => continue,
                        values @ (Values::Multiple(_) | Values::Unwritten) => values,
                        Values::Exact(all) if all.iter().all(|&value| value < 1 << 20) => {
                            Values::Multiple(0)
                        }
                        _ => Values::Unknown,
                    };
                    is_new |= self.targets.learn(
                        &self.symbols.store,
                        &self.objects,
                        (load, here.len()),
                        &values,
                    );
                }
            }
        }
        Ok(is_new)
    }

    /// Lets waiting for a thread give what that one ends with; whether that is new.
    fn learn_results(&mut self) -> Result<bool, Exceeded> {
        let mut is_new = false;
        for index in 0..self.out.joins.len() {
            self.limits.check()?;
            let Join { handle: of, result: Some(result), .. } = self.out.joins[index] else {
                continue;
            };
            let handles = self.targets.values(&self.symbols.store, &self.objects, of);
            for number in 0..self.out.threads.len() {
                let Some((_, _, value)) = self.out.threads[number].end else { continue };
                let own = u32::try_from(number).map_or(0, handle);
                if matches!(&handles, Values::Exact(all) if !all.contains(&own)) {
                    continue;
                }
                let values = match value {
                    Some(value) => {
                        let value = value_of(self.symbols, value, self.symbols.bits(result));
                        self.targets.values(&self.symbols.store, &self.objects, value)
                    }
                    // Some of its ends have no value, or one of another width.
                    None => Values::Unknown,
                };
                let load = (result, self.out.threads.len());
                is_new |= self.targets.learn(&self.symbols.store, &self.objects, load, &values);
            }
        }
        Ok(is_new)
    }

    /// Adds to what is contended by the accesses of all events; whether something is new.
    pub fn contend(&mut self, contended: &mut super::contention::Contended) -> bool {
        let mut is_new = false;
        for event in &self.out.events {
            let thread = self.out.step(event.step).thread;
            for &(object, offset) in event.places.iter().flatten() {
                let place = (object, offset, event.size);
                self.accesses.record(place, thread, event.moment, event.is_write);
                if let Some(object) = self.objects.get(object) {
                    // An access is an event as a whole or not at all.
                    is_new |= contended.insert(object.site, offset, event.size);
                }
            }
        }
        is_new |= self.accesses.contend(&self.objects, &self.out.threads, contended);
        is_new
    }
}
