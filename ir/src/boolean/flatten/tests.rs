//! Tests of flattening.

use super::*;
use crate::boolean::parser::parse;

fn flat(text: &str) -> Result<FlatProgram, Error> {
    flatten(&parse(text).unwrap(), &FlattenOptions::default())
}

/// What is assigned before the procedures run.
fn first_assignment(text: &str) -> Assignment {
    let program = flat(text).unwrap();
    match program.statement(program.entry) {
        FlatStatement::Assign { assignment, .. } => assignment.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn initial_values_of_globals_are_about_globals() {
    let shared = |v| FlatExpr::Variable(VariableRef::Shared(SharedVar(v)));
    for hidden in ["", "decl a;", "decl b;", "decl a, b;"] {
        let text = format!("decl b := 0; decl a := b; void main() begin {hidden} skip end");
        let assignment = first_assignment(&text);
        assert_eq!(assignment.shared, [(SharedVar(1), shared(0))], "{hidden}");
        assert!(assignment.local.is_empty(), "{hidden}");
    }
    let error = flat("decl a := b; void main() begin decl b; skip end").unwrap_err();
    assert_eq!(error.to_string(), "1:6: the variable `b` is not declared");
}

#[test]
fn copies_of_expressions_are_bounded() {
    let wide = vec!["a"; 100].join(" | ");
    let mut text = format!("decl a; void f0() begin a := {wide}; end ");
    for n in 1..8 {
        text += &format!("void f{n}() begin f{0}(); f{0}(); end ", n - 1);
    }
    text += "void main() begin f7(); end";
    let program = parse(&text).unwrap();
    let flat = |max_size| flatten(&program, &FlattenOptions { max_size, ..Default::default() });
    assert!(flat(20_000).is_ok());
    let error = flat(10_000).unwrap_err();
    assert!(error.message.ends_with("more than 10000 parts after inlining"), "{error}");
}

#[test]
fn enforced_twice_is_enforced_once() {
    let enforced = "enforce(a); ".repeat(100);
    let text = format!("decl a, b; void main() begin {enforced} enforce(b); a := 1; end");
    let program = flat(&text).unwrap();
    let constraints = program.iter().find_map(|(_, location)| match &location.statement {
        FlatStatement::Assign { assignment, .. } => assignment.constraint.clone(),
        _ => None,
    });
    assert_eq!(constraints.map(|constraint| constraint.conjuncts().len()), Some(2));
}

/// Where each procedure's own `x` is kept, by the names of the flat program.
fn local_names(text: &str) -> Vec<String> {
    flat(text).unwrap().locals.into_iter().map(|variable| variable.name).collect()
}

#[test]
fn broadcasts_mean_the_variables_of_their_name_in_all_procedures() {
    let text = "void w(y) begin decl x, z; assert(!x) end
        void main() begin decl x, z; start_thread w(0); x, [x] := 1, 1 end";
    assert_eq!(local_names(text), ["w::y", "*::x", "w::z", "main::z"]);
    assert_eq!(local_names(&text.replace("[x] :=", "z :=")).len(), 5);
    for mention in ["x := [x]", "z := 1 constrain [x]", "z := 1 constrain '[x]"] {
        let text = text.replace("x, [x] := 1, 1", &format!("[z] := [z]; {mention}"));
        match mention.contains(":= [") {
            true => assert!(flat(&text).is_err()),
            false => assert_eq!(local_names(&text), ["w::y", "*::x", "*::z"], "{mention}"),
        }
    }
}

#[test]
fn a_thread_has_one_variable_of_a_broadcast_name() {
    let text = "void f() begin decl x; x := 1 end void g() begin f() end
        void main() begin decl x; [x] := 1; g() end";
    let error = flat(text).unwrap_err().to_string();
    assert!(error.starts_with("1:50: `f` declares `x` as `main` does"), "{error}");
    assert!(flat(&text.replace("g() end", "start_thread f() end")).is_ok());
    let text = "decl thread_local x; void f() begin decl x; x := 1 end
            void main() begin [x] := 1; f() end";
    let error = flat(text).unwrap_err().to_string();
    assert!(error.starts_with("2:31: `[x]` may be the thread-local global"), "{error}");
    assert!(flat(&text.replace("[x]", "x")).is_ok());
}

#[test]
fn main_may_have_parameters_and_results() {
    let program = flat("bool<2> main(a, b) begin return a, !b; end").unwrap();
    let names: Vec<_> = program.locals.iter().map(|local| local.name.as_str()).collect();
    assert_eq!(names, ["main::a", "main::b", "main::return#0", "main::return#1"]);
    assert!(program.locals.iter().all(|local| local.initial == Initial::Nondet));
    let FlatStatement::Assign { next, .. } = program.statement(program.entry) else {
        panic!("{:?}", program.statement(program.entry))
    };
    assert_eq!(program.statement(*next), &FlatStatement::EndThread);
    // Whoever calls or starts it gives values, as to any procedure.
    let error = flat("void main(a) begin start_thread main(); end").unwrap_err();
    assert_eq!(error.message, "`main` takes 1 argument and returns 0 values");
}

#[test]
fn a_label_is_on_one_statement() {
    let program = flat("decl g; void main() begin L: M: L: g := 1; goto L; end").unwrap();
    assert_eq!(program.locations[program.entry.index()].labels, ["L", "M"]);
    let error = flat("decl g; void main() begin L: g := 1; L: g := 0; end").unwrap_err();
    assert_eq!(error.message, "the label `L` is on two statements of the procedure");
    // Labels belong to procedures, as locals do.
    let text = "void f() begin L: skip; end void main() begin L: f(); end";
    assert!(flat(text).is_ok());
}

#[test]
fn messages_count_in_grammar() {
    let error = flat("bool<2> f(a) begin end void main() begin f() end").unwrap_err();
    assert_eq!(error.message, "`f` takes 1 argument and returns 2 values");
}

/// Procedures of which each calls the next within nested branches.
fn nested(procedures: usize, branches: usize) -> String {
    let body = |inner: &str| {
        format!("{}{inner}{}", "if (*) then ".repeat(branches), " fi".repeat(branches))
    };
    let mut text = format!("void f0() begin {} end\n", body("skip"));
    for n in 1..procedures {
        text += &format!("void f{n}() begin {} end\n", body(&format!("f{}()", n - 1)));
    }
    text + &format!("void main() begin f{}() end", procedures - 1)
}

#[test]
fn nesting_is_bounded_over_calls() {
    // Threads of tests have little stack, which is what this is about.
    assert!(flat(&nested(5, 190)).is_ok());
    assert!(flat(&nested(90, 10)).is_ok());
    let error = flat(&nested(90, 190)).unwrap_err();
    assert!(error.message.ends_with("nest more than 1000 levels deep"), "{error}");
    let starts = nested(90, 190).replace("if (*) then", "start_thread").replace(" fi", "");
    // A call alone would be a thread of its own, not nested.
    let starts = starts.replace("start_thread f", "start_thread _ := f").replace("void", "bool");
    let starts = starts.replace("bool main", "void main").replace("begin f89", "begin _ := f89");
    let error = flat(&starts).unwrap_err();
    assert!(error.message.ends_with("nest more than 1000 levels deep"), "{error}");
}
