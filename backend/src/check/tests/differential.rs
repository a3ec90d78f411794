//! Random flat programs, and the engines against the naive exploration of the plain semantics.
//!
//! `SAPA_DIFFERENTIAL_PROGRAMS` sets how many programs are tried.

use rand::{Rng, SeedableRng, rngs::SmallRng};
use sapa_ir::boolean::ast::Position;
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatInvariant, FlatProgram, FlatStatement, FlatVariable, Initial,
    LocalVar, Location, LocationId, ProcedureId, SharedVar, VariableRef,
};

use crate::check::*;
use crate::index::small_index;

/// How many variables random programs have.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    /// Shared ones, of which the last is the lock.
    pub(crate) shared: u32,
    /// Locals.
    pub(crate) locals: u32,
    /// Variables that are chosen freely in some steps, at once.
    pub(crate) free: u32,
    /// The most invariants.
    pub(crate) invariants: u32,
}

const SMALL: Size = Size { shared: 3, locals: 2, free: 0, invariants: 0 };

fn initial(random: &mut SmallRng) -> Initial {
    [Initial::Zero, Initial::Zero, Initial::One, Initial::Nondet][random.random_range(0..4)]
}

fn variables(random: &mut SmallRng, name: &str, count: u32) -> Vec<FlatVariable> {
    (0..count)
        .map(|at| FlatVariable { name: format!("{name}{at}"), initial: initial(random) })
        .collect()
}

/// Which variables an expression may mention.
#[derive(Clone, Copy, PartialEq)]
enum Mentions {
    Before,
    BeforePassive,
    After,
    AfterPassive,
}

fn variable(random: &mut SmallRng, size: Size, mentions: Mentions) -> VariableRef {
    let (shared, local) = (
        SharedVar(random.random_range(0..size.shared)),
        LocalVar(random.random_range(0..size.locals)),
    );
    let mut all = vec![VariableRef::Shared(shared), VariableRef::Local(local)];
    if mentions != Mentions::Before && mentions != Mentions::BeforePassive {
        all.extend([VariableRef::NextShared(shared), VariableRef::NextLocal(local)]);
    }
    if mentions == Mentions::BeforePassive || mentions == Mentions::AfterPassive {
        all.extend([VariableRef::Passive(local); 2]);
    }
    if mentions == Mentions::AfterPassive {
        all.extend([VariableRef::NextPassive(local); 2]);
    }
    all[random.random_range(0..all.len())]
}

fn expression(random: &mut SmallRng, size: Size, mentions: Mentions, depth: u32) -> FlatExpr {
    if depth == 0 || random.random_bool(0.3) {
        return match random.random_range(0..8) {
            0 => FlatExpr::Constant(random.random()),
            1 => FlatExpr::Nondet,
            _ => FlatExpr::Variable(variable(random, size, mentions)),
        };
    }
    let mut sub = || expression(random, size, mentions, depth - 1);
    let (a, b, c) = (sub(), sub(), sub());
    match random.random_range(0..8) {
        0 => FlatExpr::Not(Box::new(a)),
        1 => FlatExpr::And(vec![a, b]),
        2 => FlatExpr::Or(vec![a, b, c]),
        3 => FlatExpr::Xor(vec![a, b]),
        4 => FlatExpr::Equal(Box::new(a), Box::new(b)),
        5 => FlatExpr::Implies(Box::new(a), Box::new(b)),
        6 => FlatExpr::Conditional(Box::new(a), Box::new(b), Box::new(c)),
        _ => FlatExpr::Choose(Box::new(a), Box::new(b)),
    }
}

fn assignment(random: &mut SmallRng, size: Size) -> Assignment {
    let mut assignment = Assignment::default();
    for v in (0..size.shared).map(SharedVar) {
        if random.random_bool(0.4) {
            assignment.shared.push((v, expression(random, size, Mentions::Before, 2)));
        }
    }
    for v in (0..size.locals).map(LocalVar) {
        if random.random_bool(0.4) {
            assignment.local.push((v, expression(random, size, Mentions::Before, 2)));
        }
        if random.random_bool(0.25) {
            assignment.broadcast.push((v, expression(random, size, Mentions::BeforePassive, 2)));
        }
    }
    if random.random_bool(0.25) {
        assignment.constraint = Some(expression(random, size, Mentions::After, 2));
    }
    if random.random_bool(0.15) {
        let passive = FlatExpr::Variable(VariableRef::Passive(LocalVar(0)));
        let other = expression(random, size, Mentions::AfterPassive, 2);
        assignment.passive_constraint = Some(FlatExpr::Or(vec![passive, other]));
    }
    assignment
}

/// Clauses over the variables of one thread or two, which some states break.
fn invariants(random: &mut SmallRng, size: Size) -> Vec<FlatInvariant> {
    // Programs without are the same whatever the size says of this.
    let count = if size.invariants == 0 { 0 } else { random.random_range(0..=size.invariants) };
    let clause = |random: &mut SmallRng| {
        let literals = (0..random.random_range(2..=3)).map(|_| {
            let read = FlatExpr::Variable(variable(random, size, Mentions::BeforePassive));
            if random.random() { FlatExpr::Not(Box::new(read)) } else { read }
        });
        FlatExpr::Or(literals.collect())
    };
    (0..count)
        .map(|_| FlatInvariant { condition: clause(random), position: Position::default() })
        .collect()
}

/// An assignment of free choices to shared variables and locals, within a constraint at times.
fn choices(random: &mut SmallRng, size: Size) -> Assignment {
    let mut assignment = Assignment::default();
    let all = size.shared + size.locals;
    let first = random.random_range(0..all);
    for at in 0..random.random_range(1..=size.free).min(all) {
        match (first + at) % all {
            v if v < size.shared => assignment.shared.push((SharedVar(v), FlatExpr::Nondet)),
            v => assignment.local.push((LocalVar(v - size.shared), FlatExpr::Nondet)),
        }
    }
    if random.random_bool(0.7) {
        let parts: Vec<FlatExpr> = (0..random.random_range(1..=all))
            .map(|_| expression(random, size, Mentions::After, 1))
            .collect();
        assignment.constraint = Some(FlatExpr::And(parts));
    }
    assignment
}

/// A random program of up to 13 locations. The last shared variable is the lock; some
/// programs also assign to it.
pub(super) fn program(random: &mut SmallRng) -> FlatProgram {
    program_of_size(random, SMALL)
}

/// The same with so many variables.
pub(crate) fn program_of_size(random: &mut SmallRng, size: Size) -> FlatProgram {
    let count = random.random_range(6..14);
    let lock = SharedVar(size.shared - 1);
    let spoil_lock = random.random_bool(0.3);
    let statements = (0..count).map(|at| {
        let mut any = || LocationId(random.random_range(0..count));
        // Mostly straight on, so that programs get somewhere.
        let (a, b) = (any(), any());
        let next = if random.random_bool(0.8) { LocationId((at + 1) % count) } else { a };
        // Threads are started early, so that they meet.
        let early = at == 1 && random.random_bool(0.7);
        match if early { 5 } else { random.random_range(0..17) } {
            0 => FlatStatement::Skip { next },
            1 => FlatStatement::Goto { targets: vec![a, b] },
            2 => FlatStatement::Assume {
                condition: expression(random, size, Mentions::Before, 2),
                next,
            },
            3 | 4 => {
                let condition = expression(random, size, Mentions::Before, 1);
                let certain = expression(random, size, Mentions::Before, 0);
                FlatStatement::Assert { condition: FlatExpr::Or(vec![condition, certain]), next }
            }
            5 | 6 => FlatStatement::StartThread { entry: a, next, waits: random.random_bool(0.5) },
            7 => FlatStatement::EndThread,
            8 => FlatStatement::AtomicBegin { next },
            9 => FlatStatement::AtomicEnd { next },
            10 => FlatStatement::Lock { variable: lock, next },
            11 => FlatStatement::Unlock { variable: lock, next },
            _ => {
                let mut assignment = match size.free > 0 && random.random_bool(0.4) {
                    true => choices(random, size),
                    false => assignment(random, size),
                };
                if !spoil_lock {
                    assignment.shared.retain(|(target, _)| *target != lock);
                }
                FlatStatement::Assign { assignment, next }
            }
        }
    });
    let statements = statements.collect();
    let mut program = program_of(random, size, statements);
    if let Some(lock) = program.shared.last_mut() {
        lock.initial = Initial::Zero;
    }
    program
}

/// One or two variables of one thread, or shared ones, or their opposites.
fn literal(random: &mut SmallRng, size: Size) -> FlatExpr {
    let variable = FlatExpr::Variable(variable(random, size, Mentions::Before));
    if random.random() { variable } else { FlatExpr::Not(Box::new(variable)) }
}

fn short_statement(random: &mut SmallRng, size: Size, next: LocationId) -> FlatStatement {
    let shared = SharedVar(random.random_range(0..size.shared));
    let local = LocalVar(random.random_range(0..size.locals));
    let value = match random.random() {
        true => FlatExpr::Constant(random.random()),
        false => literal(random, size),
    };
    let mut assignment = Assignment::default();
    match random.random_range(0..10) {
        0..4 => assignment.shared.push((shared, value)),
        4 => assignment.local.push((local, value)),
        5 => {
            assignment.broadcast.push((local, value));
            if random.random() {
                assignment.shared.push((shared, literal(random, size)));
            }
        }
        6..8 => return FlatStatement::Assume { condition: literal(random, size), next },
        _ => {
            let condition = FlatExpr::Or(vec![literal(random, size), literal(random, size)]);
            return FlatStatement::Assert { condition, next };
        }
    }
    FlatStatement::Assign { assignment, next }
}

/// A random program of threads that run a few short statements each, one branch of some, while the
/// initial thread starts more: whether it fails depends on which threads do what for which others.
pub(crate) fn program_of_branches(random: &mut SmallRng) -> FlatProgram {
    let size = Size { shared: random.random_range(2..=4), locals: 1, free: 0, invariants: 0 };
    let worker = LocationId(1);
    let mut statements =
        vec![FlatStatement::StartThread { entry: worker, next: LocationId(0), waits: false }];
    statements.push(FlatStatement::Skip { next: worker });
    let mut targets = Vec::new();
    for _ in 0..random.random_range(2..=4) {
        targets.push(LocationId(small_index(statements.len())));
        let is_atomic = random.random_bool(0.3);
        let mut push = |statement: &mut dyn FnMut(LocationId) -> FlatStatement| {
            let next = LocationId(small_index(statements.len() + 1));
            statements.push(statement(next));
        };
        if is_atomic {
            push(&mut |next| FlatStatement::AtomicBegin { next });
        }
        for _ in 0..random.random_range(1..=3) {
            push(&mut |next| short_statement(random, size, next));
        }
        if is_atomic {
            push(&mut |next| FlatStatement::AtomicEnd { next });
            push(&mut |next| short_statement(random, size, next));
        }
        push(&mut |_| FlatStatement::EndThread);
    }
    statements[worker.index()] = FlatStatement::Goto { targets };
    program_of(random, size, statements)
}

fn program_of(random: &mut SmallRng, size: Size, statements: Vec<FlatStatement>) -> FlatProgram {
    let locations = statements.into_iter().enumerate().map(|(at, statement)| Location {
        statement,
        procedure: ProcedureId(0),
        position: Position { line: small_index(at + 1), column: 1 },
        labels: Vec::new(),
        origin: None,
    });
    FlatProgram {
        shared: variables(random, "g", size.shared),
        locals: variables(random, "l", size.locals),
        invariants: invariants(random, size),
        locations: locations.collect(),
        procedures: vec!["main".into()],
        heads: vec![Position::default()],
        entry: LocationId(0),
    }
}

fn run(
    engine: &'static Engine,
    program: &FlatProgram,
    threads: ThreadBound,
    states: usize,
) -> Answer {
    let mut options = CheckOptions::new(threads);
    options.max_states = Some(states);
    check(engine, program, &options, &mut |_| {}).answer
}

#[test]
fn engines_agree_with_the_plain_semantics() {
    let programs = std::env::var("SAPA_DIFFERENTIAL_PROGRAMS").ok().and_then(|n| n.parse().ok());
    let mut random = SmallRng::seed_from_u64(5);
    let figures = compare((0..programs.unwrap_or(400)).map(|_| program(&mut random)));
    let Figures { safe, failing, modular, runs, covered, refuted, three_valued, exact } = figures;
    let total = safe + failing;
    assert!(safe * 5 > total && failing * 5 > total && modular * 12 > total, "{figures:?}");
    assert!(covered >= modular && refuted >= failing, "{figures:?}");
    assert!(runs * 10 > failing * 9, "{figures:?}");
    assert!(three_valued * 4 > exact * 3, "{figures:?}");
}

#[test]
fn engines_agree_on_what_invariants_cut_off() {
    let programs = std::env::var("SAPA_DIFFERENTIAL_PROGRAMS").ok().and_then(|n| n.parse().ok());
    let mut random = SmallRng::seed_from_u64(6);
    let size = Size { invariants: 3, ..SMALL };
    let program = |_| program_of_size(&mut random, size);
    let figures = compare((0..programs.unwrap_or(300)).map(program));
    let Figures { safe, failing, covered, refuted, .. } = figures;
    // Runs of a program that is not monotone need not be found.
    assert!(covered * 2 > safe && refuted * 3 > failing * 2 && failing > 30, "{figures:?}");
}

/// What engines made of programs.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    /// Of few threads.
    safe: usize,
    failing: usize,
    /// Proofs and runs by `thread-modular`.
    modular: usize,
    runs: usize,
    /// The same by `coverability`.
    covered: usize,
    refuted: usize,
    /// Proofs by `three-valued`, of so many.
    three_valued: usize,
    exact: usize,
}

/// Compares all engines on programs.
fn compare(programs: impl Iterator<Item = FlatProgram>) -> Figures {
    let mut figures = Figures::default();
    for (case, program) in programs.enumerate() {
        let Figures { safe, failing, modular, runs, covered, refuted, three_valued, exact } =
            &mut figures;
        let mut real = false;
        for others in 0..=2 {
            let bound = ThreadBound::Bounded(others);
            let expected = match run(&simple::ENGINE, &program, bound, 3_000) {
                Answer::Safe { .. } => false,
                Answer::Failing { .. } => true,
                Answer::Imprecise(_) | Answer::Unknown(_) => break,
            };
            real |= expected;
            for engine in [&explicit::ENGINE, &counter::ENGINE, &plain::ENGINE, &auto::ENGINE] {
                for reduction in [false, true] {
                    let mut options = CheckOptions::new(bound);
                    options.partial_order_reduction = reduction;
                    let found = match check(engine, &program, &options, &mut |_| {}).answer {
                        Answer::Safe { .. } => false,
                        Answer::Failing { .. } => true,
                        outcome => panic!(
                            "{engine:?}, reduction {reduction}, {case}, {others}: {outcome:?} \
                             {program:#?}"
                        ),
                    };
                    assert_eq!(
                        found, expected,
                        "{engine:?}, reduction {reduction}, {case}, {others}: {program:#?}"
                    );
                }
            }
            match run(&three_valued::ENGINE, &program, bound, 100_000) {
                Answer::Safe { .. } => {
                    assert!(!expected, "three-valued, {case}, {others}: {program:#?}");
                    *three_valued += 1;
                }
                Answer::Imprecise(_) => {}
                outcome => panic!("three-valued, {case}, {others}: {outcome:?} {program:#?}"),
            }
            *exact += usize::from(!expected);
            let options = CheckOptions::new(bound);
            let counted = counter::reachable(&program, &options);
            let listed = explicit::reachable(&program, &options, &mut |_| {});
            assert!(counted == listed, "reachable, {case}, {others}: {program:#?}");
            match run(&plain::ENGINE, &program, bound, 1 << 20) {
                Answer::Safe { .. } => assert!(!expected, "plain, {case}, {others}: {program:#?}"),
                Answer::Failing { .. } => {
                    assert!(expected, "plain, {case}, {others}: {program:#?}");
                }
                outcome => panic!("plain, {case}, {others}: {outcome:?} {program:#?}"),
            }
        }
        *safe += usize::from(!real);
        *failing += usize::from(real);
        for engine in [&thread_modular::ENGINE, &pairs::ENGINE] {
            match run(engine, &program, ThreadBound::Unbounded, 100_000) {
                Answer::Safe { .. } => {
                    assert!(!real, "{}, {case}: {program:#?}", engine.name);
                    *modular += 1;
                }
                // A run is replayed before it is believed.
                Answer::Failing { .. } if engine == &thread_modular::ENGINE => *runs += 1,
                Answer::Imprecise(_) | Answer::Unknown(UnknownReason::StateLimit(_)) => {}
                outcome => panic!("{}, {case}: {outcome:?} {program:#?}", engine.name),
            }
        }
        for bound in [ThreadBound::Unbounded, ThreadBound::Bounded(2)] {
            match run(&coverability::ENGINE, &program, bound, 2_000) {
                Answer::Safe { .. } => {
                    assert!(!real, "coverability, {case}: {program:#?}");
                    *covered += 1;
                }
                Answer::Failing { .. } => *refuted += 1,
                Answer::Unknown(UnknownReason::ReplayFailed(error)) => {
                    panic!("coverability, {case}, {bound:?}: {error} {program:#?}")
                }
                Answer::Imprecise(_) | Answer::Unknown(_) => {}
            }
        }
    }
    println!("{figures:?}");
    figures
}
