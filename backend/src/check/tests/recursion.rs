//! Procedures that call themselves, against an interpreter with a stack: it goes through all states of
//! small random programs, with no more recursive calls at once than given.

use std::collections::{HashMap, HashSet};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sapa_ir::boolean::ast::{Expression, Program, Statement, StatementKind, Target};
use sapa_ir::boolean::flatten::{FlattenOptions, Recursion, flatten};
use sapa_ir::boolean::parser::parse;

use crate::check::recursion::{Beyond, check_recursive};
use crate::check::*;

/// A random program: `f` and `h` call each other and themselves, threads run `w`.
fn random(seed: u64) -> String {
    let mut random = SmallRng::seed_from_u64(seed);
    let (f, h) = (block(&mut random, &["p", "l"], 3, 0), block(&mut random, &["l"], 3, 0));
    let (w, main) = (block(&mut random, &["q", "l"], 3, 0), block(&mut random, &["l"], 3, 0));
    let value = expression(&mut random, &["p", "l"], 1);
    format!(
        "decl g0 := 0, g1, m := 0; decl thread_local t := 0;
         bool f(p) begin decl l; {f} return {value}; end
         void h() begin decl l := 0; {h} end
         void w(q) begin decl l := 1; {w} end
         void main() begin decl l := 0; {} {main} assert(g0 | !g1 | t | l); end",
        if random.random_bool(0.6) { "start_thread w(l);" } else { "" },
    )
}

fn expression(random: &mut SmallRng, locals: &[&str], depth: u32) -> String {
    let names = [locals, &["g0", "g1", "t"]].concat();
    match random.random_range(0..if depth == 0 { 7 } else { 11 }) {
        0..=4 => names[random.random_range(0..names.len())].to_owned(),
        5 => "*".to_owned(),
        6 => if random.random() { "1" } else { "0" }.to_owned(),
        7 => format!("!({})", expression(random, locals, depth - 1)),
        n => {
            let operator = ["&", "|", "^"][n as usize - 8];
            let [a, b] = [0, 1].map(|_| expression(random, locals, depth - 1));
            format!("(({a}) {operator} ({b}))")
        }
    }
}

fn block(random: &mut SmallRng, locals: &[&str], most: u32, depth: u32) -> String {
    let mut text = String::new();
    let targets = [locals, &["g0", "g1", "t"]].concat();
    for _ in 0..random.random_range(1..=most) {
        let target = targets[random.random_range(0..targets.len())];
        let value = expression(random, locals, 1);
        text += &match random.random_range(0..16) {
            0..=3 => format!("{target} := {value}; "),
            4 => format!("assume({value}); "),
            5 => format!("assert({value} | g0 | l); "),
            6..=8 => format!("{target} := f({value}); "),
            9 => "h(); ".to_owned(),
            10 if depth == 0 => format!("lock m; {} unlock m; ", block(random, locals, 2, 1)),
            11 if depth == 0 => {
                format!("atomic_begin; {target} := {value}; atomic_end; ")
            }
            12 if depth == 0 => format!("start_thread w({}); ", locals[0]),
            _ if depth < 2 => {
                let [a, b] = [0, 1].map(|_| block(random, locals, 2, depth + 1));
                format!("if ({value}) then {a} else {b} fi; ")
            }
            _ => "skip; ".to_owned(),
        };
    }
    text
}

/// What a procedure is compiled to.
enum Code<'a> {
    Assign(&'a str, &'a Expression),
    /// Either value.
    Havoc(&'a str),
    Assume(&'a Expression),
    Assert(&'a Expression),
    /// Goes on if the expression can be true, and at the place if it can be false.
    Branch(&'a Expression, usize),
    Jump(usize),
    Call(&'a str, &'a [Expression], Option<&'a str>),
    Return(&'a [Expression]),
    Start(&'a str, &'a [Expression]),
    Lock(&'a str),
    Unlock(&'a str),
    AtomicBegin,
    AtomicEnd,
    Skip,
}

fn compile<'a>(block: &'a [Statement], code: &mut Vec<Code<'a>>) {
    for statement in block {
        match &statement.kind {
            StatementKind::Skip => code.push(Code::Skip),
            StatementKind::Declare(variables) => {
                for variable in variables {
                    code.push(match &variable.initial {
                        Some(value) => Code::Assign(&variable.name, value),
                        None => Code::Havoc(&variable.name),
                    });
                }
            }
            StatementKind::Assign { targets, values, .. } => {
                let Target::Variable { name, .. } = &targets[0] else { panic!() };
                code.push(Code::Assign(name, &values[0]));
            }
            StatementKind::Assume(e) => code.push(Code::Assume(e)),
            StatementKind::Assert(e) => code.push(Code::Assert(e)),
            StatementKind::Lock(m) => code.push(Code::Lock(m)),
            StatementKind::Unlock(m) => code.push(Code::Unlock(m)),
            StatementKind::AtomicBegin => code.push(Code::AtomicBegin),
            StatementKind::AtomicEnd => code.push(Code::AtomicEnd),
            StatementKind::Return(values) => code.push(Code::Return(values)),
            StatementKind::Call { targets, callee, arguments } => {
                let target = targets.first().map(|target| match target {
                    Target::Variable { name, .. } => name.as_str(),
                    Target::Ignore => panic!(),
                });
                code.push(Code::Call(callee, arguments, target));
            }
            StatementKind::StartThread { thread, .. } => match &thread.kind {
                StatementKind::Call { callee, arguments, .. } => {
                    code.push(Code::Start(callee, arguments));
                }
                other => panic!("{other:?}"),
            },
            StatementKind::If { branches, otherwise } => {
                let (condition, then) = &branches[0];
                let branch = code.len();
                code.push(Code::Skip);
                compile(then, code);
                let jump = code.len();
                code.push(Code::Skip);
                code[branch] = Code::Branch(condition, code.len());
                compile(otherwise.as_deref().unwrap_or(&[]), code);
                code[jump] = Code::Jump(code.len());
            }
            other => panic!("{other:?}"),
        }
    }
}

type Values = Vec<(String, bool)>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Frame {
    procedure: String,
    at: usize,
    locals: Values,
    /// Whether it was entered by a recursive call.
    recursive: bool,
    /// What a callee has returned, and is still to be assigned.
    returned: Option<(String, bool)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    stack: Vec<Frame>,
    own: Values,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    shared: Values,
    threads: Vec<Thread>,
    holder: Option<usize>,
}

/// Whether the expression can be 0, and whether it can be 1.
fn evaluate(e: &Expression, read: &dyn Fn(&str) -> bool) -> [bool; 2] {
    let all = |es: &[Expression], f: fn([bool; 2], [bool; 2]) -> [bool; 2]| {
        es.iter().map(|e| evaluate(e, read)).reduce(f).unwrap()
    };
    match e {
        Expression::Constant(value) => [!value, *value],
        Expression::Nondet => [true, true],
        Expression::Variable { name, .. } => [!read(name), read(name)],
        Expression::Not(e) => {
            let [no, yes] = evaluate(e, read);
            [yes, no]
        }
        Expression::And(es) => all(es, |a, b| [a[0] || b[0], a[1] && b[1]]),
        Expression::Or(es) => all(es, |a, b| [a[0] && b[0], a[1] || b[1]]),
        Expression::Xor(es) => {
            all(es, |a, b| [a[0] && b[0] || a[1] && b[1], a[0] && b[1] || a[1] && b[0]])
        }
        other => panic!("{other:?}"),
    }
}

fn choices(can: [bool; 2]) -> impl Iterator<Item = bool> {
    [false, true].into_iter().filter(move |value| can[usize::from(*value)])
}

struct Machine<'a> {
    code: HashMap<&'a str, Vec<Code<'a>>>,
    parameters: HashMap<&'a str, &'a [String]>,
    /// Which procedures each calls, directly or through others.
    reaches: HashMap<&'a str, HashSet<&'a str>>,
    most_threads: usize,
    most_depth: usize,
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program, most_threads: usize, most_depth: usize) -> Self {
        let mut code = HashMap::new();
        let mut reaches: HashMap<&str, HashSet<&str>> = HashMap::new();
        for procedure in &program.procedures {
            let mut body = Vec::new();
            compile(&procedure.body, &mut body);
            let callees = body.iter().filter_map(|code| match code {
                Code::Call(callee, ..) => Some(*callee),
                _ => None,
            });
            reaches.insert(&procedure.name, callees.collect());
            code.insert(procedure.name.as_str(), body);
        }
        for _ in 0..program.procedures.len() {
            for (name, old) in reaches.clone() {
                let more =
                    old.iter().flat_map(|callee| reaches[callee].clone()).collect::<Vec<_>>();
                reaches.get_mut(name).unwrap().extend(more);
            }
        }
        let parameters = program.procedures.iter();
        let parameters = parameters.map(|p| (p.name.as_str(), p.parameters.as_slice())).collect();
        Machine { code, parameters, reaches, most_threads, most_depth }
    }

    /// Whether some state fails.
    fn fails(&self, program: &Program) -> Option<bool> {
        let mut states: Vec<State> = Vec::new();
        for choice in 0..2_usize {
            let value = |e: &Option<Expression>| match e {
                Some(Expression::Constant(value)) => *value,
                _ => choice == 1,
            };
            let of = |own: bool| -> Values {
                let globals = program.globals.iter().filter(|global| global.thread_local == own);
                globals.map(|global| (global.name.clone(), value(&global.initial))).collect()
            };
            let main = Frame {
                procedure: "main".into(),
                at: 0,
                locals: Vec::new(),
                recursive: false,
                returned: None,
            };
            let thread = Thread { stack: vec![main], own: of(true) };
            states.push(State { shared: of(false), threads: vec![thread], holder: None });
        }
        let mut seen: HashSet<State> = states.iter().cloned().collect();
        while let Some(state) = states.pop() {
            if seen.len() > 60_000 {
                return None;
            }
            for thread in 0..state.threads.len() {
                if state.holder.is_some_and(|holder| holder != thread) {
                    continue;
                }
                let mut next = Vec::new();
                if self.step(&state, thread, &mut next) {
                    return Some(true);
                }
                for state in next {
                    if seen.insert(state.clone()) {
                        states.push(state);
                    }
                }
            }
        }
        Some(false)
    }

    /// The states after a step of a thread; whether it fails.
    fn step(&self, state: &State, index: usize, next: &mut Vec<State>) -> bool {
        let thread = &state.threads[index];
        let top = thread.stack.len() - 1;
        let frame = &thread.stack[top];
        let read = |name: &str| {
            let all = frame.locals.iter().chain(&thread.own).chain(&state.shared);
            all.into_iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name}")).1
        };
        let write = |state: &mut State, name: &str, value: bool, declares: bool| {
            let thread = &mut state.threads[index];
            let Some(frame) = thread.stack.last_mut() else { return };
            if declares && frame.locals.iter().all(|(known, _)| known != name) {
                frame.locals.push((name.to_owned(), value));
                return;
            }
            let all = frame.locals.iter_mut().chain(&mut thread.own).chain(&mut state.shared);
            all.into_iter().find(|(known, _)| known == name).unwrap().1 = value;
        };
        let mut after = state.clone();
        if let Some((name, value)) = &frame.returned {
            after.threads[index].stack[top].returned = None;
            write(&mut after, name, *value, false);
            next.push(after);
            return false;
        }
        let leave = |value: Option<bool>, next: &mut Vec<State>| {
            let mut after = state.clone();
            let stack = &mut after.threads[index].stack;
            stack.pop();
            let Some(caller) = stack.last_mut() else {
                after.threads.remove(index);
                after.holder = None;
                next.push(after);
                return;
            };
            let Code::Call(_, _, target) = &self.code[caller.procedure.as_str()][caller.at - 1]
            else {
                panic!()
            };
            caller.returned = target.map(|target| (target.to_owned(), value.unwrap()));
            next.push(after);
        };
        let Some(code) = self.code[frame.procedure.as_str()].get(frame.at) else {
            leave(None, next);
            return false;
        };
        after.threads[index].stack[top].at += 1;
        match code {
            Code::Skip => next.push(after),
            Code::Jump(to) => {
                after.threads[index].stack[top].at = *to;
                next.push(after);
            }
            Code::Assign(name, value) => {
                let declares =
                    thread.own.iter().chain(&state.shared).all(|(known, _)| known != name);
                for value in choices(evaluate(value, &read)) {
                    let mut after = after.clone();
                    write(&mut after, name, value, declares);
                    next.push(after);
                }
            }
            Code::Havoc(name) => {
                for value in [false, true] {
                    let mut after = after.clone();
                    write(&mut after, name, value, true);
                    next.push(after);
                }
            }
            Code::Assume(e) => next.extend(evaluate(e, &read)[1].then_some(after)),
            Code::Assert(e) => {
                next.push(after);
                return evaluate(e, &read)[0];
            }
            Code::Branch(e, otherwise) => {
                for value in choices(evaluate(e, &read)) {
                    let mut after = after.clone();
                    if !value {
                        after.threads[index].stack[top].at = *otherwise;
                    }
                    next.push(after);
                }
            }
            Code::Return(values) => match values.first() {
                None => leave(None, next),
                Some(value) => {
                    choices(evaluate(value, &read)).for_each(|value| leave(Some(value), next));
                }
            },
            Code::Call(callee, arguments, _) => {
                let recursive = self.reaches[callee].contains(frame.procedure.as_str());
                let depth = thread.stack.iter().filter(|frame| frame.recursive).count();
                if recursive && depth == self.most_depth {
                    return false;
                }
                let can = arguments.first().map_or([true, false], |e| evaluate(e, &read));
                for value in choices(can) {
                    let mut after = after.clone();
                    let frame = self.frame(callee, value, recursive);
                    after.threads[index].stack.push(frame);
                    next.push(after);
                }
            }
            Code::Start(callee, arguments) => {
                if state.threads.len() <= self.most_threads {
                    for value in choices(evaluate(&arguments[0], &read)) {
                        let mut after = after.clone();
                        let stack = vec![self.frame(callee, value, false)];
                        after.threads.push(Thread { stack, own: thread.own.clone() });
                        next.push(after);
                    }
                } else {
                    next.push(after);
                }
            }
            Code::Lock(m) => {
                if !read(m) {
                    write(&mut after, m, true, false);
                    next.push(after);
                }
            }
            Code::Unlock(m) => {
                write(&mut after, m, false, false);
                next.push(after);
            }
            Code::AtomicBegin => {
                after.holder = Some(index);
                next.push(after);
            }
            Code::AtomicEnd => {
                after.holder = None;
                next.push(after);
            }
        }
        false
    }

    fn frame(&self, callee: &str, value: bool, recursive: bool) -> Frame {
        let locals = self.parameters[callee].iter().map(|name| (name.clone(), value)).collect();
        Frame { procedure: callee.into(), at: 0, locals, recursive, returned: None }
    }
}

fn ask(
    engine: &'static Engine,
    program: &Program,
    recursion: Recursion,
    threads: ThreadBound,
) -> Answer {
    let flat = flatten(program, &FlattenOptions { recursion, ..Default::default() }).unwrap();
    let options = CheckOptions { max_work: Some(1 << 24), ..CheckOptions::new(threads) };
    check(engine, &flat, &options, &mut |_| {}).answer
}

#[test]
fn translations_of_recursion_against_an_interpreter_with_a_stack() {
    let threads = ThreadBound::Bounded(1);
    let (mut fail, mut proved, mut whole, mut compared) = (0, 0, 0, 0);
    for seed in 0..300 {
        let text = random(seed);
        let program = parse(&text).unwrap();
        let mut fails_at = Vec::new();
        for depth in [1, 2] {
            let Some(fails) = Machine::new(&program, 1, depth).fails(&program) else { continue };
            fails_at.push(fails);
            let most = u32::try_from(depth).unwrap();
            let followed = Recursion::Depth { most, fails_deeper: false };
            match ask(&explicit::ENGINE, &program, followed, threads) {
                Answer::Unknown(_) => {}
                answer => {
                    compared += 1;
                    assert_eq!(matches!(answer, Answer::Failing { .. }), fails, "{depth}\n{text}");
                }
            }
        }
        let some_fail = fails_at.contains(&true);
        fail += usize::from(some_fail);
        let followed = Recursion::Depth { most: 1, fails_deeper: true };
        let is_whole = ask(&explicit::ENGINE, &program, followed, threads);
        if let Answer::Safe { .. } = is_whole {
            whole += 1;
            assert!(!some_fail, "{text}");
        }
        let asked = [(&coverability::ENGINE, None), (&thread_modular::ENGINE, None)];
        for (engine, most) in [&asked[..], &[(&coverability::ENGINE, Some(1))]].concat() {
            let translated = Recursion::Threads { most };
            let answer = ask(engine, &program, translated, ThreadBound::Unbounded);
            if let Answer::Safe { .. } = answer {
                proved += 1;
                assert!(!some_fail, "{engine:?}\n{text}");
            }
        }
        let options = CheckOptions { max_work: Some(1 << 24), ..CheckOptions::new(threads) };
        let reading = FlattenOptions::default();
        let checked = check_recursive(&auto::ENGINE, &program, &reading, &options, &mut |_| {});
        match checked.unwrap().outcome.answer {
            Answer::Safe { .. } => assert!(!some_fail, "{text}"),
            Answer::Unknown(UnknownReason::Recursive { followed, .. }) => {
                assert!(followed < 2 || !some_fail, "{text}");
            }
            _ => {}
        }
    }
    // Each kind of answer was compared often enough to mean something.
    println!("{fail} fail, {proved} proofs with threads, {whole} whole, {compared} compared");
    assert!(fail > 50 && proved > 50 && whole > 5 && compared > 300);
}

#[track_caller]
fn checked(text: &str, threads: ThreadBound) -> Answer {
    let program = parse(text).unwrap();
    let options = CheckOptions::new(threads);
    let reading = FlattenOptions::default();
    let checked = check_recursive(&auto::ENGINE, &program, &reading, &options, &mut |_| {});
    checked.unwrap().outcome.answer
}

/// Failures behind the return of a recursive call: each needs something else of what comes back.
#[test]
fn what_comes_back_from_calls_as_threads_is_all_that_may() {
    let after = [
        // That it returns at all, once and again, and where the caller's locals are.
        "void f(n) begin if n then f(0); assert(0) fi end",
        "void f(n) begin if n then f(0); f(0); assert(0) fi end",
        "void f(n) begin decl l := n; if n then f(0); assert(!l) fi end",
        "void f(n) begin decl l := n; if n then f(0); assert(!n | !l) fi end",
        // Its result, of either value.
        "bool f(n) begin decl r := 1; if n then r := f(0); assert(r) fi; return n; end",
        "bool f(n) begin decl r := 0; if n then r := f(0); assert(!r) fi; return !n; end",
        // What it does to shared variables, and to those of the thread.
        "void f(n) begin if n then f(0); assert(!g) else g := 1 fi end",
        "void f(n) begin if n then f(0); assert(!t) else t := 1 fi end",
        "void f(n) begin if n then t := 1; f(0); assert(t) else t := !t fi end",
        // Through another procedure.
        "void h(n) begin f(n) end void f(n) begin if n then h(0); assert(0) fi end",
    ];
    for text in after {
        let main = if text.starts_with("bool") { "decl r; r := f(1)" } else { "f(1)" };
        for main in [main.to_owned(), format!("while * do start_thread w() od; {main}")] {
            let text = format!(
                "decl g := 0; decl thread_local t := 0; {text} void w() begin skip end
                 void main() begin {main} end"
            );
            let program = parse(&text).unwrap();
            let asked = [
                (&coverability::ENGINE, None),
                (&thread_modular::ENGINE, None),
                (&coverability::ENGINE, Some(1)),
            ];
            for (engine, most) in asked {
                let translated = Recursion::Threads { most };
                let answer = ask(engine, &program, translated, ThreadBound::Unbounded);
                assert!(!matches!(answer, Answer::Safe { .. }), "{engine:?} {most:?}\n{text}");
            }
            let answer = checked(&text, ThreadBound::Unbounded);
            assert!(matches!(answer, Answer::Failing { .. }), "{answer:?}\n{text}");
        }
    }
}

#[test]
fn threads_of_calls_do_not_count() {
    // With any number of threads the calls suffice to meet; with none there is nobody to meet.
    let text = "decl g := 0; void f() begin if (*) then f() fi; assert(!g); g := 1; g := 0 end
        void main() begin f() end";
    for threads in [ThreadBound::Bounded(0), ThreadBound::Unbounded] {
        assert!(matches!(checked(text, threads), Answer::Safe { .. }));
    }
    let text = text.replace("begin f() end", "begin start_thread f(); f() end");
    assert!(matches!(checked(&text, ThreadBound::Bounded(1)), Answer::Failing { .. }));
    // Where there is no room, nothing is started; where there is when one has ended, something is.
    assert!(matches!(checked(&text, ThreadBound::Bounded(0)), Answer::Safe { .. }));
    let text = text.replace("start_thread f(); f()", "L: start_thread f(); goto L");
    assert!(matches!(checked(&text, ThreadBound::Bounded(1)), Answer::Safe { .. }));
    assert!(matches!(checked(&text, ThreadBound::Bounded(2)), Answer::Failing { .. }));
}

#[test]
fn what_cannot_be_a_thread_is_said() {
    let refused = |text: &str, why: &str| {
        let answer = checked(text, ThreadBound::Bounded(1));
        let Answer::Unknown(UnknownReason::Recursive { beyond, .. }) = answer else {
            panic!("{answer:?}")
        };
        let Beyond::Refused(error) = beyond else { panic!("{beyond:?}") };
        assert!(error.message.contains(why), "{error}");
    };
    let f = "void f() begin if (*) then f() fi end";
    let text = format!("{f} void main() begin atomic_begin; f(); atomic_end end");
    refused(&text, "inside an atomic section");
    let text = "void f() begin if (*) then f() fi; atomic_begin end
        void main() begin f() end";
    refused(text, "may end inside an atomic section");
    let text =
        "decl thread_local t := 0; void f() begin t := 1 constrain ![t]; if (*) then f() fi end
        void main() begin f() end";
    refused(text, "a constraint on passive threads");
    let text = "decl g := 0; decl thread_local t := 0; invariant !(t & [t]);
        void f() begin t := 1; if (*) then f() fi end void main() begin f(); assert(!g) end";
    refused(text, "an invariant of threads");
    let text = text.replace("!(t & [t])", "!g | !g");
    assert!(matches!(checked(&text, ThreadBound::Bounded(1)), Answer::Safe { .. }));
    let text = "void f() begin L: if (*) then f() fi; if (*) then start_thread goto L fi end
        void main() begin f() end";
    refused(text, "would return from that call too");
}
