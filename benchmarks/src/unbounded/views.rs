//! Views of `k` threads, for any `k` (Abdulla, Haziza, Holík: All for the price of few), to be
//! compared with: what any `k` threads can be seen doing together. A configuration is taken to be
//! possible if all of its views are; steps are taken of those with one thread more than a view has.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::Answer;
use super::rows::{Config, Rows};

/// Whether one of the targets is in what is seen; and how many views there are.
#[must_use]
pub fn views(rows: &Rows<'_>, targets: &[Config], k: usize, deadline: Instant) -> (Answer, usize) {
    let mut seen: BTreeSet<Config> = BTreeSet::new();
    // Local states that are seen with a shared state, to try them as further threads.
    let mut locals: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut pending: Vec<Config> = Vec::new();
    let mut add = |config: Config, seen: &mut BTreeSet<Config>, pending: &mut Vec<Config>| {
        for view in parts(&config, k) {
            if seen.insert(view.clone()) {
                locals.entry(view.shared).or_default().extend(&view.threads);
                pending.push(view);
            }
        }
        locals.get(&config.shared).cloned().unwrap_or_default()
    };
    for config in rows.initial(k) {
        add(config, &mut seen, &mut pending);
    }
    while let Some(view) = pending.pop() {
        if Instant::now() > deadline {
            return (Answer::OutOfTime, seen.len());
        }
        let mut larger = vec![view.clone()];
        if view.threads.len() == k {
            let others = add(view.clone(), &mut seen, &mut pending);
            larger.extend(others.into_iter().map(|other| {
                Config::new(view.shared, [view.threads.as_slice(), &[other]].concat())
            }));
        }
        for config in larger {
            let is_possible = parts(&config, k).iter().all(|part| seen.contains(part));
            if is_possible {
                for after in rows.after(&config) {
                    add(after, &mut seen, &mut pending);
                }
            }
        }
    }
    // Each configuration was tried when the last of its parts came, from that one on.
    let is_seen = |target: &Config| parts(target, k).iter().all(|part| seen.contains(part));
    let answer = if targets.iter().any(is_seen) { Answer::Perhaps } else { Answer::Unreachable };
    (answer, seen.len())
}

/// The configurations with at most `k` of the threads.
fn parts(config: &Config, k: usize) -> Vec<Config> {
    let mut all: BTreeSet<Vec<u32>> = BTreeSet::from([Vec::new()]);
    for &thread in &config.threads {
        let few = all.iter().filter(|part| part.len() < k);
        let longer: Vec<Vec<u32>> = few.map(|p| [p.as_slice(), &[thread]].concat()).collect();
        all.extend(longer);
    }
    all.into_iter().map(|threads| Config { shared: config.shared, threads }).collect()
}
