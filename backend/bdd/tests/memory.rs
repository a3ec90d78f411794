//! Garbage collection, limits and the shape of diagrams.

// Helpers outside `#[test]` functions unwrap as well: a failure is the test's.
#![allow(clippy::unwrap_used)]

use rand::{Rng, SeedableRng, rngs::SmallRng};
use sapa_bdd::{Bdd, BddManager, ManagerOptions, Var};

/// The function that is true where an odd number of `vars` is.
fn parity(manager: &BddManager, vars: &[Var]) -> Bdd {
    vars.iter().fold(manager.bottom(), |f, &var| f.xor(&manager.var(var).unwrap()).unwrap())
}

#[test]
fn complement_edges_keep_parity_linear() {
    let manager = BddManager::new();
    let vars = manager.new_vars(20);
    assert_eq!(parity(&manager, &vars).size(), 21);
    assert_eq!(parity(&manager, &vars).sat_count(&vars), Some((1u32 << 19).into()));
}

#[test]
fn everything_is_freed_when_the_last_handle_goes() {
    let manager = BddManager::new();
    let vars = manager.new_vars(12);
    let f = parity(&manager, &vars);
    manager.collect_garbage();
    assert_eq!(manager.statistics().nodes, f.size());
    let copy = f.clone();
    drop(f);
    manager.collect_garbage();
    assert_eq!(manager.statistics().nodes, copy.size());
    drop(copy);
    manager.collect_garbage();
    assert_eq!(manager.statistics().nodes, 1);
}

#[test]
fn random_work_survives_constant_collection() {
    let options = ManagerOptions { first_collection: 1, ..ManagerOptions::default() };
    let manager = BddManager::with_options(options);
    let reference = BddManager::new();
    let (vars, reference_vars) = (manager.new_vars(8), reference.new_vars(8));
    let start = |manager: &BddManager, vars: &[Var]| -> Vec<Bdd> {
        vars.iter().map(|&var| manager.var(var).unwrap()).collect()
    };
    let mut pool = start(&manager, &vars);
    let mut expected = start(&reference, &reference_vars);
    let mut random = SmallRng::seed_from_u64(7);
    for step in 0..4000 {
        let [i, j, k, to] = [0; 4].map(|_: usize| random.random_range(0..pool.len()));
        let operation = random.random_range(0..4);
        let apply = |pool: &[Bdd], vars: &[Var], manager: &BddManager| match operation {
            0 => pool[i].and(&pool[j]).unwrap(),
            1 => pool[i].xor(&pool[j]).unwrap(),
            2 => pool[i].ite(&pool[j], &pool[k]).unwrap(),
            _ => !&pool[i].exists(&manager.cube(&[vars[j % 8]]).unwrap()).unwrap(),
        };
        let (new, new_expected) =
            (apply(&pool, &vars, &manager), apply(&expected, &reference_vars, &reference));
        assert_eq!(new.sat_count(&vars), new_expected.sat_count(&reference_vars), "step {step}");
        assert_eq!(new.size(), new_expected.size(), "step {step}");
        // Constants would flood the pool.
        let fill = if new.is_true() || new.is_false() { to % 8 } else { usize::MAX };
        pool[to] = if fill == usize::MAX { new } else { manager.var(vars[fill]).unwrap() };
        expected[to] = if fill == usize::MAX {
            new_expected
        } else {
            reference.var(reference_vars[fill]).unwrap()
        };
    }
    assert!(manager.statistics().collections > 100);
    let live = manager.shared_size(&pool);
    manager.collect_garbage();
    assert_eq!(manager.statistics().nodes, live, "nothing leaks and nothing is shared wrongly");
    for (ours, theirs) in pool.iter().zip(&expected) {
        for assignment in 0..256 {
            let value = |var: Var| assignment >> var.index() & 1 == 1;
            assert_eq!(ours.evaluate(value), theirs.evaluate(value));
        }
    }
}

/// `x0 & y0 | x1 & y1 | …` with all x before all y needs exponentially many nodes.
fn hard(manager: &BddManager, vars: &[Var]) -> Result<Bdd, sapa_bdd::LimitReached> {
    let half = vars.len() / 2;
    (0..half).try_fold(manager.bottom(), |f, i| {
        f.or(&manager.var(vars[i])?.and(&manager.var(vars[half + i])?)?)
    })
}

#[test]
fn the_node_limit_is_an_error_and_the_manager_stays_usable() {
    let options = ManagerOptions { node_limit: 2000, ..ManagerOptions::default() };
    let manager = BddManager::with_options(options);
    let vars = manager.new_vars(30);
    let kept = parity(&manager, &vars);
    let error = hard(&manager, &vars).unwrap_err();
    assert_eq!(error, sapa_bdd::LimitReached::Nodes(2000));
    assert!(error.to_string().contains("2000"));
    assert_eq!(kept.sat_count(&vars), Some((1u32 << 29).into()));
    assert!(hard(&manager, &vars[..10]).is_ok(), "garbage of the failed operation is reclaimed");
    assert!(manager.statistics().peak_nodes <= 2000);
}

#[test]
fn work_is_counted_and_limited_within_an_operation() {
    let run = |work_limit: Option<u64>| {
        let manager =
            BddManager::with_options(ManagerOptions { work_limit, ..ManagerOptions::default() });
        let vars = manager.new_vars(30);
        let result = hard(&manager, &vars);
        (result.map(|f| f.size()), manager.work())
    };
    let (size, work) = run(None);
    assert!(size.is_ok() && work > 1 << 15, "{work}");
    assert_eq!(run(None).1, work, "it is the same in each run");
    assert!(run(Some(work)).0.is_ok());
    let (error, done) = run(Some(work / 2));
    assert_eq!(error, Err(sapa_bdd::LimitReached::Work));
    assert!(done > work / 2 && done < work / 2 + (1 << 13), "{done} of {work}");
}

#[test]
fn a_large_function_grows_the_tables() {
    let manager = BddManager::new();
    let vars = manager.new_vars(24);
    let before = manager.statistics().computed_entries;
    let f = hard(&manager, &vars).unwrap();
    assert!(f.size() > 1 << 12);
    assert!(manager.statistics().computed_entries > before);
    assert!(manager.statistics().hits > 0);
}

#[test]
fn deep_diagrams_do_not_overflow() {
    let manager = BddManager::new();
    let vars = manager.new_vars(2000);
    let f = parity(&manager, &vars);
    assert_eq!(f.size(), 2001);
    assert_eq!(f.sat_count(&vars), Some(num_bigint::BigUint::from(1u32) << 1999));
    assert_eq!(f.density(), 0.5);
}

#[test]
fn dot_marks_complements() {
    let manager = BddManager::new();
    let vars = manager.new_vars(2);
    let f = parity(&manager, &vars);
    let text = manager.to_dot(&[("f", &f)], |var| format!("v\"{}", var.index()));
    assert!(text.starts_with("digraph"));
    assert!(text.contains("v\\\"0") && text.contains("arrowhead=dot") && text.contains("dashed"));
}

#[test]
#[should_panic(expected = "two managers")]
fn managers_do_not_mix() {
    let (a, b) = (BddManager::new(), BddManager::new());
    let _ = a.top().and(&b.bottom());
}
