//! Every operation against truth tables of six variables.

// Helpers outside `#[test]` functions unwrap as well: a failure is the test's.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use proptest::prelude::*;
use sapa_bdd::{Bdd, BddManager, Cube, ManagerOptions, Var};

const VARS: usize = 6;

/// Bit `a` is the value under the assignment whose bits are `a`.
type Table = u64;

#[derive(Clone, Debug)]
enum Formula {
    Constant(bool),
    Var(usize),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Xor(Box<Formula>, Box<Formula>),
    Ite(Box<Formula>, Box<Formula>, Box<Formula>),
}

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Formula::Constant),
        (0..VARS).prop_map(Formula::Var),
        (0..VARS).prop_map(Formula::Var),
        (0..VARS).prop_map(Formula::Var),
    ];
    leaf.prop_recursive(6, 48, 3, |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            boxed.clone().prop_map(Formula::Not),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Formula::And(a, b)),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Formula::Or(a, b)),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Formula::Xor(a, b)),
            (boxed.clone(), boxed.clone(), boxed).prop_map(|(a, b, c)| Formula::Ite(a, b, c)),
        ]
    })
}

fn var_table(var: usize) -> Table {
    (0..64).filter(|a| a >> var & 1 == 1).fold(0, |table, a| table | 1 << a)
}

fn table(formula: &Formula) -> Table {
    match formula {
        Formula::Constant(value) => {
            if *value {
                !0
            } else {
                0
            }
        }
        Formula::Var(var) => var_table(*var),
        Formula::Not(a) => !table(a),
        Formula::And(a, b) => table(a) & table(b),
        Formula::Or(a, b) => table(a) | table(b),
        Formula::Xor(a, b) => table(a) ^ table(b),
        Formula::Ite(a, b, c) => (table(a) & table(b)) | (!table(a) & table(c)),
    }
}

fn build(manager: &BddManager, vars: &[Var], formula: &Formula) -> Bdd {
    let sub = |inner: &Formula| build(manager, vars, inner);
    match formula {
        Formula::Constant(value) => manager.constant(*value),
        Formula::Var(var) => manager.var(vars[*var]).unwrap(),
        Formula::Not(a) => !&sub(a),
        Formula::And(a, b) => sub(a).and(&sub(b)).unwrap(),
        Formula::Or(a, b) => sub(a).or(&sub(b)).unwrap(),
        Formula::Xor(a, b) => sub(a).xor(&sub(b)).unwrap(),
        Formula::Ite(a, b, c) => sub(a).ite(&sub(b), &sub(c)).unwrap(),
    }
}

fn table_of(bdd: &Bdd, vars: &[Var]) -> Table {
    let number_of = |var: Var| vars.iter().position(|&other| other == var).unwrap();
    (0..64u64)
        .filter(|a| bdd.evaluate(|var| a >> number_of(var) & 1 == 1))
        .fold(0, |table, a| table | 1 << a)
}

fn cofactor_table(f: Table, var: usize, value: bool) -> Table {
    (0..64u64)
        .filter(|a| {
            let fixed = if value { a | 1 << var } else { a & !(1 << var) };
            f >> fixed & 1 == 1
        })
        .fold(0, |table, a| table | 1 << a)
}

fn exists_table(f: Table, mask: u8) -> Table {
    (0..VARS)
        .filter(|var| mask >> var & 1 == 1)
        .fold(f, |f, var| cofactor_table(f, var, false) | cofactor_table(f, var, true))
}

fn chosen(vars: &[Var], mask: u8) -> Vec<Var> {
    vars.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, &var)| var).collect()
}

/// A manager that collects garbage at every opportunity, so that every test is a GC test too.
fn fresh() -> (BddManager, Vec<Var>) {
    let options = ManagerOptions { first_collection: 1, ..ManagerOptions::default() };
    let manager = BddManager::with_options(options);
    let vars = manager.new_vars(VARS);
    (manager, vars)
}

fn cube_table(cube: &Cube, vars: &[Var]) -> Table {
    cube.literals().iter().fold(!0, |table, (var, value)| {
        let column = var_table(vars.iter().position(|other| other == var).unwrap());
        table & if *value { column } else { !column }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn connectives_agree_and_are_canonical(f in formula(), g in formula()) {
        let (manager, vars) = fresh();
        let (bf, bg) = (build(&manager, &vars, &f), build(&manager, &vars, &g));
        let (tf, tg) = (table(&f), table(&g));
        prop_assert_eq!(table_of(&bf, &vars), tf);
        prop_assert_eq!(bf == bg, tf == tg);
        prop_assert_eq!(bf == !&bg, tf == !tg);
        prop_assert_eq!(table_of(&bf.implies(&bg).unwrap(), &vars), !tf | tg);
        prop_assert_eq!(table_of(&bf.iff(&bg).unwrap(), &vars), !(tf ^ tg));
        prop_assert_eq!(table_of(&bf.minus(&bg).unwrap(), &vars), tf & !tg);
        prop_assert_eq!(bf.is_subset_of(&bg).unwrap(), tf & !tg == 0);
    }

    #[test]
    fn quantifiers_agree(f in formula(), g in formula(), mask in 0u8..64) {
        let (manager, vars) = fresh();
        let (bf, bg) = (build(&manager, &vars, &f), build(&manager, &vars, &g));
        let cube = manager.cube(&chosen(&vars, mask)).unwrap();
        let (tf, tg) = (table(&f), table(&g));
        prop_assert_eq!(table_of(&bf.exists(&cube).unwrap(), &vars), exists_table(tf, mask));
        prop_assert_eq!(table_of(&bf.forall(&cube).unwrap(), &vars), !exists_table(!tf, mask));
        let product = bf.and_exists(&bg, &cube).unwrap();
        prop_assert_eq!(table_of(&product, &vars), exists_table(tf & tg, mask));
    }

    #[test]
    fn substitution_is_simultaneous(f in formula(), by in prop::collection::vec(formula(), VARS)) {
        let (manager, vars) = fresh();
        let bf = build(&manager, &vars, &f);
        let functions: Vec<Bdd> = by.iter().map(|g| build(&manager, &vars, g)).collect();
        let tables: Vec<Table> = by.iter().map(table).collect();
        // Variable 0 is left alone.
        let pairs = vars.iter().copied().zip(functions).skip(1);
        let result = bf.substitute(&manager.substitution(pairs)).unwrap();
        let expected = (0..64u64).filter(|a| {
            let mapped = (1..VARS).fold(a & 1, |m, v| m | (tables[v] >> a & 1) << v);
            table(&f) >> mapped & 1 == 1
        }).fold(0, |t, a| t | 1 << a);
        prop_assert_eq!(table_of(&result, &vars), expected);
    }

    #[test]
    fn renaming_permutes(f in formula(), shuffle in Just((0..VARS).collect::<Vec<_>>()).prop_shuffle()) {
        let (manager, vars) = fresh();
        let bf = build(&manager, &vars, &f);
        let there = manager.renaming((0..VARS).map(|v| (vars[v], vars[shuffle[v]]))).unwrap();
        let back = manager.renaming((0..VARS).map(|v| (vars[shuffle[v]], vars[v]))).unwrap();
        let renamed = bf.substitute(&there).unwrap();
        let expected = (0..64u64).filter(|a| {
            let mapped = (0..VARS).fold(0, |m, v| m | (a >> shuffle[v] & 1) << v);
            table(&f) >> mapped & 1 == 1
        }).fold(0, |t, a| t | 1 << a);
        prop_assert_eq!(table_of(&renamed, &vars), expected);
        prop_assert_eq!(renamed.substitute(&back).unwrap(), bf);
    }

    #[test]
    fn cofactors_and_restriction_agree(f in formula(), g in formula(), mask in 0u8..64, values in 0u8..64) {
        let (manager, vars) = fresh();
        let bf = build(&manager, &vars, &f);
        let literals = Cube::new(chosen(&vars, mask).into_iter().map(|var| {
            (var, values >> var.index() & 1 == 1)
        }));
        let cube = manager.cube_of(&literals).unwrap();
        let expected = (0..VARS).filter(|v| mask >> v & 1 == 1)
            .fold(table(&f), |t, v| cofactor_table(t, v, values >> v & 1 == 1));
        prop_assert_eq!(table_of(&bf.cofactor(&cube).unwrap(), &vars), expected);
        let care = build(&manager, &vars, &g);
        let small = bf.restrict(&care).unwrap();
        prop_assert_eq!(table_of(&small, &vars) & table(&g), table(&f) & table(&g));
        let constrained = bf.constrain(&care).unwrap();
        prop_assert_eq!(table_of(&constrained, &vars) & table(&g), table(&f) & table(&g));
        // The generalised cofactor commutes with the connectives.
        let negated = (!&bf).constrain(&care).unwrap();
        if !care.is_false() {
            prop_assert_eq!(negated, !&constrained);
            prop_assert!(small.support().iter().all(|var| bf.support().contains(var)));
        }
    }

    #[test]
    fn counting_support_and_enumeration_agree(f in formula()) {
        let (manager, vars) = fresh();
        let bf = build(&manager, &vars, &f);
        let tf = table(&f);
        prop_assert_eq!(bf.sat_count(&vars), Some(tf.count_ones().into()));
        prop_assert_eq!(bf.density(), f64::from(tf.count_ones()) / 64.0);
        let support: Vec<usize> = (0..VARS)
            .filter(|&v| cofactor_table(tf, v, false) != cofactor_table(tf, v, true)).collect();
        prop_assert_eq!(bf.support().iter().map(|var| var.index()).collect::<Vec<_>>(), support);
        let all: Vec<Vec<bool>> = bf.assignments(&vars).collect();
        let distinct: HashSet<u64> = all.iter()
            .map(|bits| bits.iter().enumerate().fold(0, |a, (v, &bit)| a | u64::from(bit) << v))
            .collect();
        prop_assert_eq!(all.len(), distinct.len());
        prop_assert_eq!(distinct.iter().fold(0, |t, a| t | 1u64 << a), tf);
        let mut union = 0;
        for cube in bf.cubes() {
            let cube = cube_table(&cube, &vars);
            prop_assert_eq!(union & cube, 0, "path cubes are disjoint");
            union |= cube;
        }
        prop_assert_eq!(union, tf);
        prop_assert_eq!(bf.pick_cube().is_none(), tf == 0);
    }
}
