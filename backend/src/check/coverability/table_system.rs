//! Random systems given by tables, to test the explorations against brute force.

use std::rc::Rc;

use rand::{Rng, rngs::SmallRng};
use rustc_hash::FxHashSet;

use super::thread_system::{BroadcastId, Budget, LocalId, Move, Moves, SharedId, ThreadSystem};
use crate::check::UnknownReason;

pub(crate) const SHARED: u32 = 3;
pub(crate) const LOCALS: u32 = 5;

/// A system of `SHARED` valuations and `LOCALS` local states; the last local state is atomic.
#[derive(Debug)]
pub(crate) struct TableSystem {
    moves: Vec<Rc<Moves>>,
    broadcasts: Vec<Vec<Rc<[LocalId]>>>,
}

const ATOMIC: u32 = LOCALS - 1;

impl TableSystem {
    /// A random system; passive threads never enter or leave the atomic state.
    pub(crate) fn random(random: &mut SmallRng) -> TableSystem {
        let blocking = random.random_bool(0.3);
        let broadcasts: Vec<Vec<Rc<[LocalId]>>> = (0..2)
            .map(|_| (0..LOCALS).map(|local| passive_results(random, local, blocking)).collect())
            .collect();
        let moves = (0..SHARED * LOCALS)
            .map(|_| {
                let count = random.random_range(0..3);
                let moves = (0..count).map(|_| random_move(random)).collect();
                let fails = random.random_bool(0.06);
                Rc::new(Moves { moves, fails, foreign_unlocks: 0 })
            })
            .collect();
        TableSystem { moves, broadcasts }
    }

    /// Whether some broadcast blocks for some thread.
    fn blocks(&self) -> bool {
        self.broadcasts.iter().flatten().any(|results| results.is_empty())
    }

    /// Whether a failing state is reachable with at most `threads` threads, by naming each.
    pub(crate) fn brute_force(&self, threads: usize) -> bool {
        let mut seen: FxHashSet<(u32, Vec<u32>)> = FxHashSet::default();
        let mut pending = vec![(0, vec![0])];
        while let Some((shared, locals)) = pending.pop() {
            if !seen.insert((shared, locals.clone())) {
                continue;
            }
            let inside = locals.iter().position(|&local| local == ATOMIC);
            for at in 0..locals.len() {
                if inside.is_some_and(|inside| inside != at) {
                    continue;
                }
                let moves = &self.moves[(shared * LOCALS + locals[at]) as usize];
                if moves.fails {
                    return true;
                }
                for step in &moves.moves {
                    for next in self.after(&locals, at, step) {
                        if next.len() <= threads {
                            pending.push((step.shared.0, next));
                        }
                    }
                }
            }
        }
        false
    }

    fn after(&self, locals: &[u32], active: usize, step: &Move) -> Vec<Vec<u32>> {
        let mut results = vec![Vec::new()];
        for (at, &local) in locals.iter().enumerate() {
            let places: Vec<u32> = match step.broadcast {
                _ if at == active => Vec::new(),
                None => vec![local],
                Some(broadcast) => self.broadcasts[broadcast.0 as usize][local as usize]
                    .iter()
                    .map(|place| place.0)
                    .collect(),
            };
            if at != active {
                results = results
                    .iter()
                    .flat_map(|prefix: &Vec<u32>| {
                        places.iter().map(|&place| [prefix.as_slice(), &[place]].concat())
                    })
                    .collect();
            }
        }
        for result in &mut results {
            result.extend([step.local, step.spawned].into_iter().flatten().map(|local| local.0));
        }
        results
    }
}

fn passive_results(random: &mut SmallRng, local: u32, blocking: bool) -> Rc<[LocalId]> {
    if local == ATOMIC {
        return Rc::from([LocalId(local)]);
    }
    if blocking && random.random_bool(0.3) {
        return Rc::from([]);
    }
    let mut places: Vec<LocalId> =
        (0..random.random_range(1..3)).map(|_| LocalId(random.random_range(0..ATOMIC))).collect();
    places.sort_unstable();
    places.dedup();
    Rc::from(places)
}

fn random_move(random: &mut SmallRng) -> Move {
    Move {
        shared: SharedId(random.random_range(0..SHARED)),
        local: random.random_bool(0.9).then(|| LocalId(random.random_range(0..LOCALS))),
        spawned: random.random_bool(0.25).then(|| LocalId(random.random_range(0..ATOMIC))),
        broadcast: random.random_bool(0.25).then(|| BroadcastId(random.random_range(0..2))),
    }
}

impl ThreadSystem for TableSystem {
    fn initial(
        &mut self,
        _budget: &mut Budget<'_>,
    ) -> Result<Vec<(SharedId, LocalId)>, UnknownReason> {
        Ok(vec![(SharedId(0), LocalId(0))])
    }

    fn moves(&mut self, shared: SharedId, local: LocalId) -> Result<Rc<Moves>, UnknownReason> {
        Ok(self.moves[(shared.0 * LOCALS + local.0) as usize].clone())
    }

    fn passive(
        &mut self,
        broadcast: BroadcastId,
        local: LocalId,
    ) -> Result<Rc<[LocalId]>, UnknownReason> {
        Ok(self.broadcasts[broadcast.0 as usize][local.0 as usize].clone())
    }

    fn in_atomic(&self, local: LocalId) -> bool {
        local.0 == ATOMIC
    }

    fn locks(&self, _local: LocalId) -> u64 {
        0
    }

    fn bytes(&self) -> usize {
        0
    }
}

mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::check::coverability::backward::{Backward, backward};
    use crate::check::coverability::cover::{Covered, Effort, cover};
    use crate::check::coverability::enlarge::{Enlarged, Precision, enlarge};
    use crate::check::coverability::expand::{CountedRun, expand};
    use crate::check::coverability::marking::Count;
    use crate::check::coverability::named_run::name_threads;
    use crate::check::coverability::pairs::pair_views;
    use crate::check::coverability::thread_states::thread_states;
    use crate::check::{CheckOptions, ThreadBound};

    /// Every step of the named run is one that the tables allow.
    fn assert_real(system: &mut TableSystem, run: &CountedRun) {
        let named = name_threads(run).expect("counts fit");
        let mut before = named.initial;
        assert_eq!((before.shared, before.local(0)), (SharedId(0), Some(LocalId(0))));
        for step in &named.steps {
            let at = before.threads.iter().position(|&(number, _)| number == step.thread);
            let locals = |threads: &[(u32, LocalId)]| -> Vec<u32> {
                threads.iter().map(|(_, local)| local.0).collect()
            };
            let at = at.expect("the thread lives");
            let active = before.threads[at].1;
            assert!(system.moves(before.shared, active).unwrap().moves.contains(&step.step));
            // `after` lists the active thread behind the passive ones.
            let mut expected = step.after.threads.clone();
            let own = expected.iter().position(|&(number, _)| number == step.thread);
            let spawned = step.step.spawned.and_then(|_| expected.pop());
            let own = own.map(|own| expected.remove(own));
            expected.extend(own.into_iter().chain(spawned));
            let possible = system.after(&locals(&before.threads), at, &step.step);
            assert!(possible.contains(&locals(&expected)));
            before = step.after.clone();
        }
        let failing = before.local(named.failing).expect("the failing thread lives");
        assert!(system.moves(before.shared, failing).unwrap().fails);
    }

    #[test]
    fn explorations_agree_with_brute_force() {
        let mut options = CheckOptions::new(ThreadBound::Unbounded);
        options.max_states = Some(20_000);
        let mut quiet = |_| {};
        let budget = &mut Budget::new(&options, &mut quiet);
        let mut random = SmallRng::seed_from_u64(11);
        let (mut pairs_safe, mut backward_safe, mut backward_unsafe) = (0, 0, 0);
        let (mut safe, mut modular_safe, mut unsafe_, mut undecided) = (0, 0, 0, 0);
        for case in 0..1500 {
            let mut system = TableSystem::random(&mut random);
            let real = system.brute_force(3);
            let run = expand(&mut system, 3, budget).expect("small");
            assert_eq!(run.is_some(), real, "case {case}: {system:?}");
            unsafe_ += usize::from(real);
            if let Some(run) = &run {
                assert_real(&mut system, run);
            }
            match cover(&mut system, &Effort::FULL, Count::MAX, budget) {
                Ok(Covered::Safe(_)) => assert!(!system.brute_force(4), "case {case}"),
                Ok(Covered::Unsafe(run, _)) => assert_real(&mut system, &run),
                Ok(Covered::Candidate(_)) | Err(_) => assert!(!real, "case {case}"),
            }
            let modular = thread_states(&mut system, budget).expect("small").candidate.is_none();
            modular_safe += usize::from(modular);
            assert!(!(modular && real), "thread-modular, case {case}: {system:?}");
            let pairs = pair_views(&mut system, budget).expect("small");
            let by_pairs = pairs.candidate.is_none();
            assert!(!by_pairs || !system.brute_force(4), "pairs, case {case}: {system:?}");
            pairs_safe += usize::from(by_pairs);
            let singles = thread_states(&mut system, budget).expect("small");
            let mut answers = Vec::new();
            for views in [&pairs, &singles] {
                match backward(&mut system, views, budget).expect("few states") {
                    Backward::Safe(_) => {
                        assert!(!system.brute_force(4), "backward, case {case}: {system:?}");
                        backward_safe += 1;
                        answers.push(true);
                    }
                    Backward::Unsafe(run) => {
                        assert_real(&mut system, &run);
                        backward_unsafe += 1;
                        answers.push(false);
                    }
                    // With at most two blocking states most runs are found all the same.
                    Backward::Blocked => assert!(system.blocks(), "case {case}: {system:?}"),
                }
            }
            assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "case {case}");
            assert!(!by_pairs || answers.contains(&true), "case {case}: {system:?}");
            let mut proved = false;
            for (limit, width) in [(1, 1), (1, 100_000), (2, 100_000), (3, 100_000)] {
                match enlarge(&mut system, Precision { limit, width }, budget) {
                    Ok(Enlarged::Safe) => {
                        assert!(!real, "limit {limit}, case {case}: {system:?}");
                        proved = true;
                    }
                    Ok(Enlarged::Candidate(_)) => assert!(
                        !proved,
                        "a higher limit lost a proof: {limit}, case {case}: {system:?}"
                    ),
                    Err(stop) => assert_eq!(stop, UnknownReason::StateLimit(20_000)),
                }
            }
            assert!(!modular || proved, "coverability is at least as precise, case {case}");
            safe += usize::from(proved);
            undecided += usize::from(!proved && !real);
        }
        // The counts keep the test honest: all outcomes occur, and few cases stay open.
        assert!(
            safe > 300 && unsafe_ > 100 && modular_safe > 100,
            "{safe} {unsafe_} {modular_safe}"
        );
        assert!(backward_safe >= 2 * safe, "{backward_safe} {safe}");
        assert!(backward_unsafe >= 2 * unsafe_ - 20, "{backward_unsafe} {unsafe_}");
        assert!(modular_safe < pairs_safe, "{modular_safe} {pairs_safe}");
        assert!(modular_safe < safe, "{modular_safe} {safe}");
        assert!(undecided < 60, "{undecided}");
    }
}
