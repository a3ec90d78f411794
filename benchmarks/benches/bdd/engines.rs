//! The engines: ours, OxiDD's and biodivine-lib-bdd's, behind one trait. CUDD runs in a program
//! of its own, `peers/cudd.c`.

use std::time::{Duration, Instant};

use biodivine_lib_bdd as biodivine;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::util::SatCountCache;
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, Manager, ManagerRef};
use sapa_bdd::{BddManager, ManagerOptions};

use crate::script::{Instruction, Script};

/// Counts over more variables than that overflow a double.
const MOST_COUNTED: usize = 1000;

/// What a script asks of an engine.
trait Engine {
    type Function;
    fn var(&mut self, var: usize) -> Self::Function;
    fn cube(&mut self, vars: &[usize]) -> Self::Function;
    fn not(&mut self, a: &Self::Function) -> Self::Function;
    fn and(&mut self, a: &Self::Function, b: &Self::Function) -> Self::Function;
    fn or(&mut self, a: &Self::Function, b: &Self::Function) -> Self::Function;
    fn xor(&mut self, a: &Self::Function, b: &Self::Function) -> Self::Function;
    fn ite(&mut self, a: &Self::Function, b: &Self::Function, c: &Self::Function)
    -> Self::Function;
    fn and_exists(
        &mut self,
        a: &Self::Function,
        b: &Self::Function,
        cube: &Self::Function,
    ) -> Self::Function;
    /// Whether it can.
    fn reorder(&mut self) -> bool;
    fn density(&mut self, a: &Self::Function) -> f64;
}

/// The time between `Start` and `Stop`, and the densities; `None` if the engine cannot do it.
pub fn run(engine: &str, script: &Script) -> Option<(Duration, Vec<f64>)> {
    match engine {
        "sapa" => execute(&mut Sapa::new(script.vars), script),
        "oxidd" => execute(&mut OxiDd::new(script.vars), script),
        "biodivine" => execute(&mut Biodivine::new(script.vars), script),
        _ => None,
    }
}

fn execute<E: Engine>(engine: &mut E, script: &Script) -> Option<(Duration, Vec<f64>)> {
    let mut registers: Vec<Option<E::Function>> = (0..script.registers).map(|_| None).collect();
    let mut start = Instant::now();
    let mut time = Duration::ZERO;
    let mut densities = Vec::new();
    for instruction in &script.instructions {
        let get = |r: usize| registers.get(r).and_then(Option::as_ref);
        let (target, value) = match instruction {
            Instruction::Var(r, v) => (*r, engine.var(*v)),
            Instruction::Cube(r, vars) => (*r, engine.cube(vars)),
            Instruction::Not(r, a) => (*r, engine.not(get(*a)?)),
            Instruction::And(r, a, b) => (*r, engine.and(get(*a)?, get(*b)?)),
            Instruction::Or(r, a, b) => (*r, engine.or(get(*a)?, get(*b)?)),
            Instruction::Xor(r, a, b) => (*r, engine.xor(get(*a)?, get(*b)?)),
            Instruction::Ite(r, a, b, c) => (*r, engine.ite(get(*a)?, get(*b)?, get(*c)?)),
            Instruction::AndExists(r, a, b, c) => {
                (*r, engine.and_exists(get(*a)?, get(*b)?, get(*c)?))
            }
            Instruction::Free(r) => {
                registers[*r] = None;
                continue;
            }
            Instruction::Reorder => {
                if !engine.reorder() {
                    return None;
                }
                continue;
            }
            Instruction::Start => {
                start = Instant::now();
                continue;
            }
            Instruction::Stop => {
                time = start.elapsed();
                continue;
            }
            Instruction::Count(r) => {
                densities.push(engine.density(get(*r)?));
                continue;
            }
        };
        registers[target] = Some(value);
    }
    Some((time, densities))
}

struct Sapa {
    manager: BddManager,
    vars: Vec<sapa_bdd::Var>,
}

impl Sapa {
    fn new(vars: usize) -> Sapa {
        let manager = BddManager::with_options(ManagerOptions::default());
        let vars = manager.new_vars(vars);
        Sapa { manager, vars }
    }
}

/// The scripts stay far below every limit.
fn within<T, E: std::fmt::Debug>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("the engine gave up: {error:?}"))
}

impl Engine for Sapa {
    type Function = sapa_bdd::Bdd;
    fn var(&mut self, var: usize) -> sapa_bdd::Bdd {
        within(self.manager.var(self.vars[var]))
    }
    fn cube(&mut self, vars: &[usize]) -> sapa_bdd::Bdd {
        let vars: Vec<sapa_bdd::Var> = vars.iter().map(|&v| self.vars[v]).collect();
        within(self.manager.cube(&vars))
    }
    fn not(&mut self, a: &sapa_bdd::Bdd) -> sapa_bdd::Bdd {
        a.not()
    }
    fn and(&mut self, a: &sapa_bdd::Bdd, b: &sapa_bdd::Bdd) -> sapa_bdd::Bdd {
        within(a.and(b))
    }
    fn or(&mut self, a: &sapa_bdd::Bdd, b: &sapa_bdd::Bdd) -> sapa_bdd::Bdd {
        within(a.or(b))
    }
    fn xor(&mut self, a: &sapa_bdd::Bdd, b: &sapa_bdd::Bdd) -> sapa_bdd::Bdd {
        within(a.xor(b))
    }
    fn ite(&mut self, a: &sapa_bdd::Bdd, b: &sapa_bdd::Bdd, c: &sapa_bdd::Bdd) -> sapa_bdd::Bdd {
        within(a.ite(b, c))
    }
    fn and_exists(
        &mut self,
        a: &sapa_bdd::Bdd,
        b: &sapa_bdd::Bdd,
        cube: &sapa_bdd::Bdd,
    ) -> sapa_bdd::Bdd {
        within(a.and_exists(b, cube))
    }
    fn reorder(&mut self) -> bool {
        self.manager.reorder();
        true
    }
    fn density(&mut self, a: &sapa_bdd::Bdd) -> f64 {
        a.density()
    }
}

struct OxiDd {
    manager: BCDDManagerRef,
    vars: usize,
}

impl OxiDd {
    fn new(vars: usize) -> OxiDd {
        let manager = oxidd::bcdd::new_manager(1 << 26, 1 << 22, 1);
        manager.with_manager_exclusive(|m| {
            m.add_vars(vars as u32);
        });
        OxiDd { manager, vars }
    }
}

impl Engine for OxiDd {
    type Function = BCDDFunction;
    fn var(&mut self, var: usize) -> BCDDFunction {
        self.manager.with_manager_shared(|m| within(BCDDFunction::var(m, var as u32)))
    }
    fn cube(&mut self, vars: &[usize]) -> BCDDFunction {
        let top = self.manager.with_manager_shared(|m| BCDDFunction::t(m));
        vars.iter().rev().fold(top, |cube, &v| within(cube.and(&self.var(v))))
    }
    fn not(&mut self, a: &BCDDFunction) -> BCDDFunction {
        within(a.not())
    }
    fn and(&mut self, a: &BCDDFunction, b: &BCDDFunction) -> BCDDFunction {
        within(a.and(b))
    }
    fn or(&mut self, a: &BCDDFunction, b: &BCDDFunction) -> BCDDFunction {
        within(a.or(b))
    }
    fn xor(&mut self, a: &BCDDFunction, b: &BCDDFunction) -> BCDDFunction {
        within(a.xor(b))
    }
    fn ite(&mut self, a: &BCDDFunction, b: &BCDDFunction, c: &BCDDFunction) -> BCDDFunction {
        within(a.ite(b, c))
    }
    fn and_exists(
        &mut self,
        a: &BCDDFunction,
        b: &BCDDFunction,
        cube: &BCDDFunction,
    ) -> BCDDFunction {
        within(a.apply_exists(BooleanOperator::And, b, cube))
    }
    fn reorder(&mut self) -> bool {
        false
    }
    fn density(&mut self, a: &BCDDFunction) -> f64 {
        let mut cache: SatCountCache<oxidd::util::num::F64, std::hash::RandomState> =
            SatCountCache::default();
        if self.vars > MOST_COUNTED {
            return f64::NAN;
        }
        let vars = self.vars as u32;
        a.sat_count(vars, &mut cache).0 / 2f64.powi(vars as i32)
    }
}

struct Biodivine {
    set: biodivine::BddVariableSet,
    vars: Vec<biodivine::BddVariable>,
}

impl Biodivine {
    fn new(vars: usize) -> Biodivine {
        let set = biodivine::BddVariableSet::new_anonymous(vars as u16);
        let vars = set.variables();
        Biodivine { set, vars }
    }
}

impl Engine for Biodivine {
    /// A cube is used as the list of its variables.
    type Function = biodivine::Bdd;
    fn var(&mut self, var: usize) -> biodivine::Bdd {
        self.set.mk_var(self.vars[var])
    }
    fn cube(&mut self, vars: &[usize]) -> biodivine::Bdd {
        let vars: Vec<biodivine::BddVariable> = vars.iter().map(|&v| self.vars[v]).collect();
        let literals: Vec<(biodivine::BddVariable, bool)> =
            vars.into_iter().map(|v| (v, true)).collect();
        self.set.mk_conjunctive_clause(&biodivine::BddPartialValuation::from_values(&literals))
    }
    fn not(&mut self, a: &biodivine::Bdd) -> biodivine::Bdd {
        a.not()
    }
    fn and(&mut self, a: &biodivine::Bdd, b: &biodivine::Bdd) -> biodivine::Bdd {
        a.and(b)
    }
    fn or(&mut self, a: &biodivine::Bdd, b: &biodivine::Bdd) -> biodivine::Bdd {
        a.or(b)
    }
    fn xor(&mut self, a: &biodivine::Bdd, b: &biodivine::Bdd) -> biodivine::Bdd {
        a.xor(b)
    }
    fn ite(
        &mut self,
        a: &biodivine::Bdd,
        b: &biodivine::Bdd,
        c: &biodivine::Bdd,
    ) -> biodivine::Bdd {
        biodivine::Bdd::if_then_else(a, b, c)
    }
    fn and_exists(
        &mut self,
        a: &biodivine::Bdd,
        b: &biodivine::Bdd,
        cube: &biodivine::Bdd,
    ) -> biodivine::Bdd {
        let vars: Vec<biodivine::BddVariable> = cube.support_set().into_iter().collect();
        biodivine::Bdd::binary_op_with_exists(a, b, biodivine::op_function::and, &vars)
    }
    fn reorder(&mut self) -> bool {
        false
    }
    fn density(&mut self, a: &biodivine::Bdd) -> f64 {
        if self.vars.len() > MOST_COUNTED {
            return f64::NAN;
        }
        a.cardinality() / 2f64.powi(self.vars.len() as i32)
    }
}
