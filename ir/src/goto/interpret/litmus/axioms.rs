//! The models as axioms, and random programs of which the runs of the interpreter must end as these
//! say: another definition of the models, without buffers.
//!
//! An execution is who every load reads from and the order in which memory gets the stores to each
//! variable. It is one of the model if these agree with the order of the program: for each variable
//! on its own, and for all of them together without what the model leaves open (Alglave, Maranget and
//! Tautschnig, Herding Cats, TOPLAS 2014, section 4: stores pass loads under TSO, and other stores under PSO;
//! who reads his own store may do so before others can).

use super::{Ends, MODELS, Outcome, Step, Threads, VARIABLES, is_allowed, module};
use crate::goto::MemoryModel;
use crate::random::Random;

/// An access of memory. An exchange is two.
#[derive(Clone, Debug)]
struct Access {
    thread: usize,
    /// Its step in the thread.
    step: usize,
    variable: String,
    /// What it stores; `None` for a load.
    stores: Option<u8>,
    /// Into which register a load goes.
    register: Option<String>,
    /// Whether it is a half of an exchange.
    locked: bool,
}

fn accesses(threads: &Threads) -> Vec<Access> {
    let mut found = Vec::new();
    for (thread, steps) in threads.iter().enumerate() {
        for (step, what) in steps.iter().enumerate() {
            let access = |variable: &str, stores, register: Option<&String>, locked| Access {
                thread,
                step,
                variable: variable.to_owned(),
                stores,
                register: register.cloned(),
                locked,
            };
            match what {
                Step::Store { to, value, .. } => found.push(access(to, Some(*value), None, false)),
                Step::Load { register, from } => {
                    found.push(access(from, None, Some(register), false));
                }
                Step::Exchange { register, of, value } => {
                    found.push(access(of, None, Some(register), true));
                    found.push(access(of, Some(*value), None, true));
                }
                Step::Fence { .. } => {}
            }
        }
    }
    found
}

/// Whether the model keeps two accesses of a thread, one before the other, in their order.
fn is_kept(threads: &Threads, before: &Access, after: &Access, model: MemoryModel) -> bool {
    // Whether nothing that waits is passed here, and whether no other store passes a store.
    let is_full = |step: &Step| match step {
        Step::Fence { order } | Step::Store { order, .. } => order == ".seq_cst",
        Step::Exchange { .. } => true,
        Step::Load { .. } => false,
    };
    let keeps_stores = |step: &Step| match step {
        Step::Fence { order } => order == ".release" || order == ".acq_rel",
        _ => false,
    };
    let is_release = |step: &Step| matches!(step, Step::Store { order, .. } if order == ".release");
    let steps = &threads[before.thread];
    let from_here_on = &steps[before.step..=after.step];
    let between = &from_here_on[1..];
    let stores = before.stores.is_some() && after.stores.is_some();
    model == MemoryModel::Sc
        || before.stores.is_none()
        || is_full(&steps[before.step])
        || between.iter().any(is_full)
        || (stores
            && (model == MemoryModel::Tso
                || before.variable == after.variable
                || is_release(&steps[after.step])
                || between.iter().any(keeps_stores)))
}

/// Whether a relation has no cycle.
fn is_acyclic(edges: &[Vec<bool>]) -> bool {
    let mut closed = edges.to_vec();
    let count = closed.len();
    for over in 0..count {
        let further = closed[over].clone();
        for row in closed.iter_mut().filter(|row| row[over]) {
            row.iter_mut().zip(&further).for_each(|(to, &further)| *to |= further);
        }
    }
    (0..count).all(|node| !closed[node][node])
}

/// All orders of a list.
fn orders(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for (index, &first) in of.iter().enumerate() {
        let mut rest = of.to_vec();
        rest.remove(index);
        found.extend(orders(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    found
}

/// The outcomes that a model's axioms allow.
fn outcomes(threads: &Threads, model: MemoryModel) -> Vec<Outcome> {
    let accesses = accesses(threads);
    let stores_to = |variable: &str| -> Vec<usize> {
        let is = |i: &usize| accesses[*i].stores.is_some() && accesses[*i].variable == variable;
        (0..accesses.len()).filter(is).collect()
    };
    let loads: Vec<usize> = (0..accesses.len()).filter(|&i| accesses[i].stores.is_none()).collect();
    // Who each load reads from: `None` is what was there at first.
    let mut sources: Vec<Vec<Option<usize>>> = vec![Vec::new()];
    for &load in &loads {
        let stores = stores_to(&accesses[load].variable).into_iter().map(Some);
        let choices: Vec<Option<usize>> = std::iter::once(None).chain(stores).collect();
        let longer = |known: &Vec<Option<usize>>| -> Vec<Vec<Option<usize>>> {
            choices.iter().map(|&choice| [known.clone(), vec![choice]].concat()).collect()
        };
        sources = sources.iter().flat_map(longer).collect();
    }
    let mut memories: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for variable in VARIABLES {
        let all = orders(&stores_to(variable));
        let longer = |known: &Vec<Vec<usize>>| -> Vec<Vec<Vec<usize>>> {
            all.iter().map(|order| [known.clone(), vec![order.clone()]].concat()).collect()
        };
        memories = memories.iter().flat_map(longer).collect();
    }
    let mut found = Vec::new();
    for memory in &memories {
        for source in &sources {
            if is_execution(threads, &accesses, &loads, source, memory, model) {
                let mut outcome = registers(&accesses, &loads, source);
                for (variable, order) in VARIABLES.iter().zip(memory) {
                    let last = order.last().and_then(|&store| accesses[store].stores);
                    outcome.insert((*variable).to_owned(), last.unwrap_or(0));
                }
                if !found.contains(&outcome) {
                    found.push(outcome);
                }
            }
        }
    }
    found
}

/// What the registers hold.
fn registers(accesses: &[Access], loads: &[usize], source: &[Option<usize>]) -> Outcome {
    let value = |from: &Option<usize>| from.and_then(|store| accesses[store].stores).unwrap_or(0);
    let pairs = loads.iter().zip(source).map(|(&load, from)| {
        (accesses[load].register.clone().expect("a load has one"), value(from))
    });
    pairs.collect()
}

/// Whether the model has an execution with these sources of the loads and these orders of stores.
fn is_execution(
    threads: &Threads,
    accesses: &[Access],
    loads: &[usize],
    source: &[Option<usize>],
    memory: &[Vec<usize>],
    model: MemoryModel,
) -> bool {
    let count = accesses.len();
    let mut alone = vec![vec![false; count]; count];
    let mut together = alone.clone();
    for before in 0..count {
        for after in before + 1..count {
            let (a, b) = (&accesses[before], &accesses[after]);
            if a.thread == b.thread {
                alone[before][after] |= a.variable == b.variable;
                together[before][after] |= is_kept(threads, a, b, model);
            }
        }
    }
    let mut both = |from: usize, to: usize| {
        alone[from][to] = true;
        together[from][to] = true;
    };
    for order in memory {
        for (at, &before) in order.iter().enumerate() {
            order[at + 1..].iter().for_each(|&after| both(before, after));
        }
    }
    let order_of = |variable: &str| {
        let at = VARIABLES.iter().position(|name| *name == variable).expect("it is one");
        &memory[at]
    };
    for (&load, from) in loads.iter().zip(source) {
        let order = order_of(&accesses[load].variable);
        // It comes before the stores that come after the one it reads from.
        let later = match from {
            None => &order[..],
            Some(store) => {
                let at = order.iter().position(|other| other == store).expect("it is there");
                &order[at + 1..]
            }
        };
        for &store in later {
            both(load, store);
        }
        // Nothing comes between the halves of an exchange.
        if accesses[load].locked {
            let own = load + 1;
            let before = order.iter().take_while(|&&store| store != own).last().copied();
            if before != *from {
                return false;
            }
        }
    }
    for (&load, from) in loads.iter().zip(source) {
        if let Some(store) = *from {
            alone[store][load] = true;
            if accesses[store].thread != accesses[load].thread || accesses[store].locked {
                together[store][load] = true;
            }
        }
    }
    is_acyclic(&alone) && is_acyclic(&together)
}

fn pick(random: &mut Random, of: &[&str]) -> String {
    of[random.below(u32::try_from(of.len()).expect("it is short")) as usize].to_owned()
}

/// A program of a few steps.
fn random(random: &mut Random) -> Threads {
    let count = if random.chance(20) { 3 } else { 2 };
    let mut number = 0;
    let mut thread = |random: &mut Random| {
        let mut variable = random.below(2) as usize;
        let mut step = || {
            // What a thread does to one variable only, no other thread notices.
            variable = if random.chance(80) { 1 - variable } else { variable };
            let name = VARIABLES[variable].to_owned();
            number += 1;
            let register = format!("r{number}");
            match random.below(16) {
                0..=6 => {
                    let orders = ["", "", "", "", "", ".relaxed", ".release", ".seq_cst"];
                    Step::Store { to: name, value: number, order: pick(random, &orders) }
                }
                7..=13 => Step::Load { register, from: name },
                14 => Step::Exchange { register, of: name, value: number },
                _ => {
                    let orders = [".release", ".acq_rel", ".seq_cst", ".acquire"];
                    Step::Fence { order: pick(random, &orders) }
                }
            }
        };
        let first = [step(), step()];
        let last = (count == 2).then(&mut step);
        first.into_iter().chain(last).collect()
    };
    (0..count).map(|_| thread(random)).collect()
}

#[test]
fn runs_end_as_the_axioms_say() {
    let mut numbers = Random::new(1);
    // How many outcomes each model allows.
    let mut counts = [0; 3];
    for _ in 0..80 {
        let threads = random(&mut numbers);
        for (count, model) in counts.iter_mut().zip(MODELS) {
            let allowed = outcomes(&threads, model);
            for outcome in &allowed {
                let module = module(&threads, Ends::In(outcome));
                assert!(is_allowed(&module, model), "{model:?} {threads:?} {outcome:?}");
            }
            let others = module(&threads, Ends::InNoneOf(&allowed));
            assert!(!is_allowed(&others, model), "{model:?} {threads:?} {allowed:?}");
            *count += allowed.len();
        }
    }
    assert!(counts[0] + 10 < counts[1] && counts[1] + 10 < counts[2], "{counts:?}");
}

#[test]
fn full_fences_after_all_stores_make_the_models_equal() {
    let mut numbers = Random::new(2);
    for _ in 0..40 {
        let mut threads = random(&mut numbers);
        for thread in &mut threads {
            let full = Step::Fence { order: ".seq_cst".to_owned() };
            *thread = thread.iter().flat_map(|step| [step.clone(), full.clone()]).collect();
        }
        let allowed = outcomes(&threads, MemoryModel::Sc);
        let others = module(&threads, Ends::InNoneOf(&allowed));
        for model in MODELS {
            assert!(!is_allowed(&others, model), "{model:?} {threads:?} {allowed:?}");
        }
    }
}
