//! Sifting keeps every function, keeps groups together and finds the known good orders.

// Helpers outside `#[test]` functions unwrap as well: a failure is the test's.
#![allow(clippy::unwrap_used)]

use rand::{Rng, SeedableRng, rngs::SmallRng};
use sapa_bdd::{Bdd, BddManager, Cube, LimitReached, ManagerOptions, Var};

/// `x0 & y0 | x1 & y1 | …` where the first half of `vars` is x: linear only when each x is next
/// to its y.
fn try_pairs(manager: &BddManager, vars: &[Var]) -> Result<Bdd, LimitReached> {
    let (xs, ys) = vars.split_at(vars.len() / 2);
    xs.iter()
        .zip(ys)
        .try_fold(manager.bottom(), |f, (&x, &y)| f.or(&manager.var(x)?.and(&manager.var(y)?)?))
}

fn pairs(manager: &BddManager, vars: &[Var]) -> Bdd {
    try_pairs(manager, vars).unwrap()
}

/// A manager that reorders by itself as soon as it may.
fn restless() -> BddManager {
    BddManager::with_options(ManagerOptions {
        first_reordering: Some(16),
        ..ManagerOptions::default()
    })
}

#[test]
fn sifting_finds_the_linear_order_of_pairs() {
    let manager = BddManager::new();
    let vars = manager.new_vars(20);
    let f = pairs(&manager, &vars);
    assert!(f.size() > 1 << 10);
    let (before, after) = manager.reorder();
    assert!(before > 1 << 10);
    assert_eq!((after, f.size()), (21, 21));
    for i in 0..10 {
        assert_eq!(manager.level(vars[i]).abs_diff(manager.level(vars[10 + i])), 1);
    }
    // Built again in the new order, it is the same diagram.
    assert_eq!(pairs(&manager, &vars), f);
}

#[test]
fn groups_stay_together_and_in_order() {
    let manager = BddManager::new();
    let vars = manager.new_vars(24);
    // x0 x1 | x2 x3 | …: pairs of neighbours; the function pairs variable i with i + 12.
    vars.chunks(2).for_each(|pair| manager.group(pair));
    let f = pairs(&manager, &vars);
    let (before, after) = manager.reorder();
    assert!(after < before / 4, "{before} to {after}");
    for pair in vars.chunks(2) {
        assert_eq!(manager.level(pair[0]) + 1, manager.level(pair[1]));
    }
    assert_eq!(pairs(&manager, &vars), f);
}

/// Random diagrams over ten variables, evaluated at every assignment before and after.
#[test]
fn random_diagrams_keep_their_functions() {
    for seed in 0..40 {
        let mut random = SmallRng::seed_from_u64(seed);
        let manager = BddManager::new();
        let vars = manager.new_vars(10);
        if seed % 2 == 1 {
            vars[..9].chunks(3).for_each(|group| manager.group(group));
        }
        let mut pool: Vec<Bdd> = vars.iter().map(|&var| manager.var(var).unwrap()).collect();
        for _ in 0..60 {
            let [i, j, k] = [0; 3].map(|_: usize| random.random_range(0..pool.len()));
            pool.push(pool[i].ite(&pool[j], &!&pool[k]).unwrap());
        }
        // Some die, so that there is garbage and sharing.
        pool.retain(|_| random.random_bool(0.5));
        let values = |bdd: &Bdd| -> Vec<bool> {
            (0..1024u32).map(|a| bdd.evaluate(|var| a >> var.index() & 1 == 1)).collect()
        };
        let before: Vec<Vec<bool>> = pool.iter().map(values).collect();
        for round in 0..3 {
            manager.reorder();
            let after: Vec<Vec<bool>> = pool.iter().map(values).collect();
            assert_eq!(before, after, "seed {seed}, round {round}");
            assert_eq!(manager.statistics().nodes, manager.shared_size(&pool), "nothing leaks");
            // Operations find the nodes that are there: equal functions are equal handles.
            for (i, f) in pool.iter().enumerate() {
                let g = &pool[(i + 1) % pool.len()];
                let expected: Vec<bool> = before[i]
                    .iter()
                    .zip(&before[(i + 1) % pool.len()])
                    .map(|(a, b)| a & b)
                    .collect();
                let both = f.and(g).unwrap();
                assert_eq!(values(&both), expected);
                assert_eq!(both.or(f).unwrap(), *f);
            }
        }
    }
}

#[test]
fn reordering_happens_by_itself_when_asked_for() {
    let options = ManagerOptions {
        first_collection: 256,
        first_reordering: Some(256),
        ..ManagerOptions::default()
    };
    let manager = BddManager::with_options(options);
    let vars = manager.new_vars(40);
    // 2^20 nodes in the first order.
    let f = pairs(&manager, &vars);
    assert!(manager.statistics().reorderings > 0);
    assert!(manager.statistics().peak_nodes < 1 << 16);
    assert_eq!(pairs(&manager, &vars), f);
}

#[test]
fn the_first_reordering_does_not_wait_for_the_first_collection() {
    let manager = restless();
    let vars = manager.new_vars(12);
    let _f = pairs(&manager, &vars);
    assert!(manager.statistics().reorderings > 0);
}

/// A cube's literals are put in the order of the moment at which it is built, not of the call.
#[test]
fn cubes_are_built_while_variables_move() {
    for count in (4..40).step_by(2) {
        let manager = restless();
        let vars = manager.new_vars(count);
        let literals = || vars.iter().map(|&var| (var, var.index() % 3 == 0));
        let f = pairs(&manager, &vars);
        let cube = manager.cube_of(&Cube::new(literals())).unwrap();
        for (var, value) in literals() {
            assert!(cube.is_subset_of(&manager.literal(var, value).unwrap()).unwrap());
        }
        assert_eq!(cube.sat_count(&vars), Some(1u32.into()));
        drop(f);
    }
}

/// What an iteration has still to walk stays what it was when the order changes under it.
#[test]
fn cubes_are_walked_while_variables_move() {
    let manager = BddManager::new();
    let vars = manager.new_vars(12);
    let f = pairs(&manager, &vars);
    let mut union = manager.bottom();
    for cube in f.cubes() {
        let cube = manager.cube_of(&cube).unwrap();
        assert!(union.and(&cube).unwrap().is_false(), "cubes overlap");
        union = union.or(&cube).unwrap();
        manager.reorder();
    }
    assert_eq!(union, f);
    let evaluated = f.evaluate(|var| {
        manager.reorder();
        var.index() % 6 == 1
    });
    assert!(evaluated);
}

#[test]
fn little_room_stops_sifting_and_breaks_nothing() {
    let options = ManagerOptions { node_limit: 1 << 11, ..ManagerOptions::default() };
    let manager = BddManager::with_options(options);
    let vars = manager.new_vars(18);
    let f = pairs(&manager, &vars);
    let before = f.sat_count(&vars);
    manager.reorder();
    assert_eq!(f.sat_count(&vars), before);
    assert!(manager.statistics().peak_nodes <= 1 << 11);
}

/// A random function of these variables, as large as the limits of the manager let it get.
fn random(manager: &BddManager, vars: &[Var], random: &mut SmallRng) -> Bdd {
    let mut f = manager.bottom();
    for _ in 0..40 {
        let literals = (0..4).map(|_| (vars[random.random_range(0..vars.len())], random.random()));
        let term = manager.conjunction(literals.collect()).and_then(|cube| f.xor(&cube));
        f = term.unwrap_or(f);
    }
    f
}

#[test]
fn sifting_never_leaves_more_nodes() {
    let mut source = SmallRng::seed_from_u64(11);
    for round in 0..3000 {
        let node_limit = source.random_range(30..300);
        let options = ManagerOptions { node_limit, ..ManagerOptions::default() };
        let manager = BddManager::with_options(options);
        let vars = manager.new_vars(9);
        if round % 2 == 0 {
            vars.chunks(3).for_each(|group| manager.group(&group[..2]));
        }
        let f = random(&manager, &vars, &mut source);
        let count = f.sat_count(&vars);
        let (before, after) = manager.reorder();
        assert!(after <= before, "{before} to {after} with {node_limit}");
        assert!(manager.statistics().peak_nodes <= node_limit);
        assert_eq!(f.sat_count(&vars), count);
    }
}

#[test]
fn the_memory_limit_is_an_error_value() {
    let options = ManagerOptions { memory_limit: Some(1 << 20), ..ManagerOptions::default() };
    let manager = BddManager::with_options(options);
    let vars = manager.new_vars(40);
    assert_eq!(try_pairs(&manager, &vars).unwrap_err(), LimitReached::Bytes(1 << 20));
    assert!(manager.statistics().bytes <= 1 << 20);
    assert!(pairs(&manager, &vars[..10]).size() > 10);
}

#[test]
fn the_deadline_ends_an_operation() {
    let options = ManagerOptions {
        limits: sapa_limits::Limits::time(std::time::Duration::ZERO),
        ..ManagerOptions::default()
    };
    let manager = BddManager::with_options(options);
    let vars = manager.new_vars(40);
    assert_eq!(try_pairs(&manager, &vars).unwrap_err(), LimitReached::Time);
}

/// Results that are remembered and nodes that exist take time too, if there are many.
#[test]
fn the_deadline_ends_operations_that_make_nothing() {
    let options = ManagerOptions {
        limits: sapa_limits::Limits::time(std::time::Duration::ZERO),
        ..ManagerOptions::default()
    };
    type Operation = fn(&BddManager, &[Var], &Bdd) -> Result<Bdd, LimitReached>;
    let operations: [Operation; 3] = [
        |manager, vars, _| manager.cube(vars),
        |manager, vars, _| manager.var(vars[0]),
        |_, _, f| f.and(f),
    ];
    for operation in operations {
        let manager = BddManager::with_options(options.clone());
        let vars = manager.new_vars(40);
        let f = manager.cube(&vars).unwrap();
        let all: Result<(), _> =
            (0..10_000).try_for_each(|_| operation(&manager, &vars, &f).map(drop));
        assert_eq!(all.unwrap_err(), LimitReached::Time);
    }
}

#[test]
fn managers_move_between_threads() {
    let manager = BddManager::new();
    let vars = manager.new_vars(12);
    let f = pairs(&manager, &vars);
    let (manager, f) = std::thread::spawn(move || {
        manager.reorder();
        let g = f.not();
        (manager, g)
    })
    .join()
    .unwrap();
    assert_eq!(pairs(&manager, &vars), !&f);
}
