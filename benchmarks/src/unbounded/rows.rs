//! Transition systems as the searches that are compared take them: configurations with named
//! counts, steps and predecessors, one at a time.

use std::collections::BTreeMap;

use sapa_backend::check::transition_system::{Configuration, Row, Target, TransitionSystem};

/// A shared state and a multiset of threads, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Config {
    /// The shared state.
    pub shared: u32,
    /// The threads, by their local states.
    pub threads: Vec<u32>,
}

impl Config {
    /// Sorts the threads.
    #[must_use]
    pub fn new(shared: u32, mut threads: Vec<u32>) -> Config {
        threads.sort_unstable();
        Config { shared, threads }
    }

    /// Whether this has the threads of `other` among its own.
    #[must_use]
    pub fn covers(&self, other: &Config) -> bool {
        let mut mine = self.threads.iter();
        self.shared == other.shared && other.threads.iter().all(|t| mine.any(|own| own == t))
    }

    /// Without the thread at an index.
    #[must_use]
    pub fn without(&self, index: usize) -> Config {
        let mut threads = self.threads.clone();
        threads.remove(index);
        Config { shared: self.shared, threads }
    }
}

/// A system with its rows where they are looked for.
#[derive(Debug)]
pub struct Rows<'s> {
    system: &'s TransitionSystem,
    initial: Vec<Configuration>,
    from: BTreeMap<(u32, u32), Vec<&'s Row>>,
    to: BTreeMap<u32, Vec<&'s Row>>,
}

impl<'s> Rows<'s> {
    /// Prepares a system.
    #[must_use]
    pub fn new(system: &'s TransitionSystem) -> Rows<'s> {
        let mut from: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
        let mut to: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
        for row in &system.rows {
            from.entry(row.from).or_default().push(row);
            to.entry(row.to.0).or_default().push(row);
        }
        Rows { system, initial: system.begins(), from, to }
    }

    /// The minimal configurations of a target.
    #[must_use]
    pub fn minimal(&self, target: &Target) -> Vec<Config> {
        let shared: Vec<u32> = match target.shared {
            Some(shared) => vec![shared],
            None => (0..self.system.shared).collect(),
        };
        shared.into_iter().map(|shared| Config::new(shared, target.threads.clone())).collect()
    }

    /// Whether a configuration is among those that it begins with, or below one.
    #[must_use]
    pub fn is_initial(&self, config: &Config) -> bool {
        self.initial.iter().any(|initial| {
            let mut left = initial.threads.clone();
            initial.shared == config.shared
                && config.threads.iter().all(|thread| {
                    let named = left.iter().position(|other| other == thread);
                    named.map(|at| left.remove(at)).is_some() || initial.any.contains(thread)
                })
        })
    }

    /// The initial configurations and those below them, with at most `most` threads.
    #[must_use]
    pub fn initial(&self, most: usize) -> Vec<Config> {
        let mut found = Vec::new();
        for initial in &self.initial {
            let mut all: Vec<Vec<u32>> = vec![Vec::new()];
            for &thread in &initial.threads {
                let longer: Vec<_> =
                    all.iter().map(|c| [c.as_slice(), &[thread]].concat()).collect();
                all.extend(longer);
            }
            for &thread in &initial.any {
                let longer = all
                    .iter()
                    .flat_map(|c| (0..=most).map(|n| [c.as_slice(), &vec![thread; n]].concat()));
                all = longer.collect();
            }
            let few = all.into_iter().filter(|threads| threads.len() <= most);
            found.extend(few.map(|threads| Config::new(initial.shared, threads)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The configurations after one step.
    #[must_use]
    pub fn after(&self, config: &Config) -> Vec<Config> {
        let mut found = Vec::new();
        for (at, &local) in config.threads.iter().enumerate() {
            if at > 0 && config.threads[at - 1] == local {
                continue;
            }
            for row in self.from.get(&(config.shared, local)).into_iter().flatten() {
                let rest = config.without(at);
                for mut threads in spread(&rest.threads, |p| places(row, p)) {
                    threads.extend(row.starts.then_some(local));
                    threads.push(row.to.1);
                    found.push(Config::new(row.to.0, threads));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The minimal configurations from which one step leads above a configuration.
    #[must_use]
    pub fn before(&self, config: &Config) -> Vec<Config> {
        let mut found = Vec::new();
        for row in self.to.get(&config.shared).into_iter().flatten() {
            let joined = match row.starts {
                true => vec![row.from.1, row.to.1],
                false => vec![row.to.1],
            };
            let mut rest = config.threads.clone();
            for thread in joined {
                if let Some(at) = rest.iter().position(|other| *other == thread) {
                    rest.remove(at);
                }
            }
            for mut threads in spread(&rest, |after| self.sources(row, after)) {
                threads.push(row.from.1);
                found.push(Config::new(row.from.0, threads));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where a thread can be before a broadcast that is at `after` then.
    fn sources(&self, row: &Row, after: u32) -> Vec<u32> {
        if row.passive.is_empty() {
            return vec![after];
        }
        (0..self.system.locals).filter(|before| places(row, *before).contains(&after)).collect()
    }
}

/// Where a thread can be after a row's broadcast.
fn places(row: &Row, before: u32) -> Vec<u32> {
    let told = row.passive.iter().filter(|(from, _)| *from == before);
    let told: Vec<u32> = told.map(|(_, to)| *to).collect();
    if told.is_empty() { vec![before] } else { told }
}

/// Every way to send each thread to one of its places, up to order.
fn spread(threads: &[u32], places: impl Fn(u32) -> Vec<u32>) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for &thread in threads {
        let to = places(thread);
        let longer = all.iter().flat_map(|way| to.iter().map(|p| [way.as_slice(), &[*p]].concat()));
        let mut longer: Vec<Vec<u32>> = longer.collect();
        longer.iter_mut().for_each(|way| way.sort_unstable());
        longer.sort_unstable();
        longer.dedup();
        all = longer;
    }
    all
}
