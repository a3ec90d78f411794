//! Certificates of C programs: what the abstraction proves is proved again from them, and what is no proof is refused.
//!
//! `cargo test -p sapa-tests --test module_certificates -- --nocapture` prints how many there are of each kind, and
//! how long they took to find and to check. `SAPA_DAMAGED=N` says how many damaged ones are tried.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sapa_backend::cegar::{Made, Observer, Silent, Verdict};
use sapa_backend::check::Progress;
use sapa_certificate::module::{self, Obligation, Problem, text};
use sapa_driver::certificate::{Recorder, certificate, other_proof, with_invariant};
use sapa_driver::{Options, Program};
use sapa_ir::goto::{Module, Predicate, parse, verify};
use sapa_limits::Limits;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The programs of the papers with this ending.
fn programs(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["benchmarks/programs/sapa", "benchmarks/programs/literature"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("the programs are there");
        let paths = entries.map(|entry| entry.expect("it can be listed").path());
        found.extend(paths.filter(|path| path.to_string_lossy().ends_with(ending)));
    }
    found.sort();
    found
}

fn options(seconds: u64) -> Options {
    Options { limits: Limits::time(Duration::from_secs(seconds)), ..Options::default() }
}

#[test]
fn what_the_abstraction_proves_is_proved_again() {
    let (mut to_find, mut to_check) = (Duration::ZERO, Duration::ZERO);
    let (mut proofs, mut without) = (0, Vec::new());
    for file in programs("_safe.c") {
        let options = options(3);
        let program = Program::compile(&[&file], &options).expect("it compiles");
        let start = Instant::now();
        let mut silent = Silent;
        let mut recorder = Recorder::new(&mut silent, true);
        // Some take longer.
        let Ok(checked) = program.check(&options, &mut recorder) else { continue };
        let Verdict::Successful(_) = &checked.report.verdict else { continue };
        let found = certificate(&options, &checked, &recorder)
            .or_else(|_| other_proof((&program, &options), &mut recorder).map(|(text, _)| text));
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                without.push(format!("{}: {why}", file.display()));
                continue;
            }
        };
        to_find += start.elapsed();
        let start = Instant::now();
        let proved = module::check(&found, "certificate", &Limits::default());
        assert!(proved.is_ok(), "{}: {proved:?}", file.display());
        to_check += start.elapsed();
        proofs += 1;
    }
    println!("{proofs} proofs: {to_find:.1?} to find, {to_check:.1?} to check");
    println!("without: {without:#?}");
    assert!(proofs >= 25, "{proofs}, without: {without:?}");
    let refused = without.iter().find(|why| why.contains("refused"));
    assert_eq!(refused, None, "the abstraction proves it, and the checker does not");
    assert!(to_check < to_find);
}

/// Keeps the beginnings of certificates of all rounds.
#[derive(Default)]
struct Drafts(Vec<String>);

impl Observer for Drafts {
    fn iteration(&mut self, _: usize, _: &[Predicate]) {}
    fn checking(&mut self, _: Progress) {}
    fn abstraction(&mut self, _: usize, made: &Made<'_>) {
        let mut module: Module = made.module.clone();
        module.predicates = made.predicates.to_vec();
        module.cubes.clear();
        let parts = made.abstraction.parts(&module, made.automaton);
        self.0.push(text::draft(&parts));
    }
}

/// Random numbers that are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// A section of a file: the numbers of its lines.
fn section(lines: &[String], name: &str) -> std::ops::Range<usize> {
    let start =
        lines.iter().position(|line| *line == format!("== {name} ==")).map_or(0, |at| at + 1);
    let length = lines[start..].iter().position(|line| line.starts_with("== "));
    start..length.map_or(lines.len(), |length| start + length)
}

/// One of the lines of a section that have something in them.
fn pick(lines: &[String], of: &str, with: &str, random: &mut Random) -> Option<usize> {
    let all: Vec<usize> = section(lines, of).filter(|at| lines[*at].contains(with)).collect();
    all.get(random.below(all.len())).copied()
}

/// Puts something in one of the places where something else stands.
fn exchange(line: &mut String, from: &str, to: &str, random: &mut Random) {
    let places: Vec<usize> = line.match_indices(from).map(|(at, _)| at).collect();
    if let Some(at) = places.get(random.below(places.len())) {
        line.replace_range(*at..*at + from.len(), to);
    }
}

/// Damages a part that says how the Boolean program abstracts the module: mostly so that it can do less.
fn damage(lines: &mut Vec<String>, random: &mut Random) {
    let exchanges = [
        ("program", "assert(0)", "skip"),
        ("program", "assert(0)", "assume(0)"),
        ("program", "*", "0"),
        ("program", "*", "1"),
        ("program", " & ", " | "),
        ("program", " constrain ", " constrain 0 & "),
        ("program", " constrain ", " constrain !b0 & "),
        ("program", " constrain ", " constrain b0 & "),
        ("program", "!(", "("),
        ("program", ": skip", ": assume(b0)"),
        ("program", ": skip", ": assume(!b0)"),
        ("program", "choose(", "(0 & choose("),
        ("program", "atomic_end", "skip"),
        ("program", "atomic_begin", "skip"),
        ("program", "start_thread_or_wait goto R1", "skip"),
        ("program", " := 0;", " := 1;"),
        ("program", " := 1;", " := 0;"),
        ("places", " free", " inside"),
        ("places", " inside", " free"),
        ("places", ":1 ", ":2 "),
        ("places", ":0 ", ":1 "),
        ("places", " R1 ", " R0 "),
        ("module", "predicate \"", "predicate \"true \" = true\npredicate \""),
        ("module", " = eq(", " = ne("),
        ("module", " = ne(", " = eq("),
        ("module", " = ult(", " = ule("),
        ("module", " = sle(", " = slt("),
    ];
    match random.below(8) {
        // A statement less.
        0 => {
            if let Some(at) = pick(lines, "program", ";", random) {
                lines.remove(at);
            }
        }
        // A way less.
        1 => {
            if let Some(at) = pick(lines, "program", "goto B", random) {
                let line = &mut lines[at];
                if let (Some(start), Some(end)) = (line.find("goto "), line.find(';')) {
                    let mut ways: Vec<String> =
                        line[start + 5..end].split(", ").map(str::to_owned).collect();
                    if ways.len() > 1 {
                        ways.remove(random.below(ways.len()));
                    }
                    line.replace_range(start + 5..end, &ways.join(", "));
                }
            }
        }
        // A place less.
        2 => {
            if let Some(at) = pick(lines, "places", "place", random) {
                lines.remove(at);
            }
        }
        // One predicate for another.
        3 => {
            let of: Vec<usize> = section(lines, "module")
                .filter(|at| lines[*at].starts_with("predicate "))
                .collect();
            if of.len() > 1 {
                lines.swap(of[random.below(of.len())], of[random.below(of.len())]);
            }
        }
        _ => {
            let (of, from, to) = exchanges[random.below(exchanges.len())];
            // The code of the module is not to be touched: it fails as it is.
            let with = if of == "module" { "predicate \"" } else { from };
            if let Some(at) = pick(lines, of, with, random) {
                exchange(&mut lines[at], from, to, random);
            }
        }
    }
}

fn kind(problem: &Problem) -> &'static str {
    match problem {
        Problem::Refused { obligation, .. } => obligation.name(),
        Problem::Malformed { .. } => "malformed",
        Problem::Unsupported { .. } => "not supported",
        Problem::Exceeded(_) => "limits",
    }
}

fn asked_for() -> usize {
    std::env::var("SAPA_DAMAGED").ok().and_then(|n| n.parse().ok()).unwrap_or(250)
}

/// Programs that fail, with Boolean programs that are changed until they do not fail: whatever
/// their certificate says, it is no proof.
#[test]
fn nothing_is_a_proof_for_a_program_that_fails() {
    let mut drafts = Vec::new();
    for file in programs("_unsafe.c") {
        let options = options(1);
        let program = Program::compile(&[&file], &options).expect("it compiles");
        let mut seen = Drafts::default();
        let _ = program.check_certified(&options, &mut seen);
        let last = seen.0.into_iter().rev().take(2).map(|draft| (file.clone(), draft));
        drafts.extend(last);
    }
    assert!(drafts.len() > 20, "{}", drafts.len());
    let mut random = Random(7);
    let (mut tried, mut found) = (0, BTreeMap::<&str, usize>::new());
    for round in 0.. {
        if tried >= asked_for() || round > 100 * asked_for() {
            break;
        }
        let (file, draft) = &drafts[random.below(drafts.len())];
        let mut lines: Vec<String> = draft.lines().map(str::to_owned).collect();
        // Without that most programs still fail.
        if random.below(3) > 0 {
            let (from, to) = [("assert(0)", "skip"), ("assert(0)", "assume(0)")][random.below(2)];
            lines.iter_mut().for_each(|line| *line = line.replace(from, to));
        }
        for _ in 0..random.below(4) {
            damage(&mut lines, &mut random);
        }
        let text = format!("{}\n", lines.join("\n"));
        let limits = Limits::time(Duration::from_secs(2));
        let Ok(text) = with_invariant(&text, &limits) else { continue };
        tried += 1;
        match module::check(&text, "certificate", &limits) {
            Ok(proved) => panic!("{}: accepted: {proved:?}\n{text}", file.display()),
            Err(problem) => *found.entry(kind(&problem)).or_default() += 1,
        }
    }
    println!("{tried} damaged certificates of programs that fail: {found:?}");
    assert!(tried >= asked_for(), "{tried}");
    assert!(found.contains_key("failure") && found.contains_key("step"), "{found:?}");
}

/// Certificates of programs that do not fail, with changes in the code: where one is accepted, the
/// changed module does not fail either.
#[test]
fn what_is_accepted_of_changed_modules_does_not_fail() {
    let mut texts = Vec::new();
    for file in programs("_safe.c").into_iter().take(12) {
        let options = options(2);
        let program = Program::compile(&[&file], &options).expect("it compiles");
        let mut silent = Silent;
        let mut recorder = Recorder::new(&mut silent, true);
        let Ok(checked) = program.check(&options, &mut recorder) else { continue };
        // Where another engine was first, the abstraction is asked alone.
        let found = certificate(&options, &checked, &recorder)
            .or_else(|_| other_proof((&program, &options), &mut recorder).map(|(text, _)| text));
        texts.extend(found);
    }
    assert!(texts.len() > 5, "{}", texts.len());
    let changes = [
        ("1i32", "2i32"),
        ("1i32", "0i32"),
        ("0i32", "1i32"),
        (" eq ", " ne "),
        (" ne ", " eq "),
        (" ult ", " ule "),
        (" slt ", " sle "),
        (" add ", " sub "),
        ("atomic_begin", "atomic_end"),
        ("assume %", "assert false, \"x\" ; %"),
        ("store", "; store"),
        ("assume", "; assume"),
        ("atomic", "; atomic"),
        ("= zero", "= nondet"),
        ("= 0", "= 1"),
    ];
    let mut random = Random(3);
    let (mut accepted, mut refused) = (0, BTreeMap::<&str, usize>::new());
    let mut tried = 0;
    for _ in 0..asked_for() * 4 {
        let original = &texts[random.below(texts.len())];
        let mut lines: Vec<String> = original.lines().map(str::to_owned).collect();
        let (from, to) = changes[random.below(changes.len())];
        let Some(at) = pick(&lines, "module", from, &mut random) else { continue };
        if lines[at].starts_with("predicate") {
            continue;
        }
        exchange(&mut lines[at], from, to, &mut random);
        let code = lines[section(&lines, "module")].join("\n");
        let Ok(module) = parse(&code, "module.gir") else { continue };
        if verify(&module).is_err() {
            continue;
        }
        tried += 1;
        let text = format!("{}\n", lines.join("\n"));
        match module::check(&text, "certificate", &Limits::time(Duration::from_secs(5))) {
            Err(problem) => *refused.entry(kind(&problem)).or_default() += 1,
            Ok(_) => {
                accepted += 1;
                let options = options(2);
                let mut plain = module.clone();
                plain.predicates.clear();
                let program = Program::new(plain, &options).expect("it is treated");
                let checked = program.check(&options, &mut Silent);
                let fails = checked
                    .is_ok_and(|checked| matches!(checked.report.verdict, Verdict::Failed(_)));
                assert!(!fails, "it was accepted, and fails:\n{text}");
            }
        }
    }
    println!("{tried} changed modules: {accepted} accepted, refused: {refused:?}");
    assert!(accepted > 0 && refused.values().sum::<usize>() > 0);
}

/// A file that is cut short, or of another version, is none.
#[test]
fn what_is_cut_short_is_not_accepted() {
    let file = root().join("benchmarks/programs/sapa/increment_cas_safe.c");
    let options = Options::default();
    let program = Program::compile(&[&file], &options).expect("it compiles");
    let mut silent = Silent;
    let mut recorder = Recorder::new(&mut silent, true);
    let checked = program.check(&options, &mut recorder).expect("it is treated");
    let found = match certificate(&options, &checked, &recorder) {
        Ok(found) => found,
        Err(_) => other_proof((&program, &options), &mut recorder).expect("there is one").0,
    };
    let limits = Limits::default();
    assert!(module::check(&found, "certificate", &limits).is_ok());
    let lines: Vec<&str> = found.lines().collect();
    for end in 0..lines.len() {
        let text = lines[..end].join("\n");
        let problem = module::check(&text, "certificate", &limits).expect_err("it is cut short");
        assert!(matches!(problem, Problem::Malformed { .. }), "{end}: {problem:?}");
    }
    let other = found.replacen("certificate 1", "certificate 2", 1);
    let problem = module::check(&other, "certificate", &limits).expect_err("it is another version");
    assert_eq!(problem.to_string(), "1:0: version 2 is unknown; this one reads 1");
}

/// Each is of a module that fails an assertion, and was once accepted.
#[test]
fn what_was_accepted_wrongly_is_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("unsound_certificates");
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is there");
    let limits = Limits::default();
    let check = |name: &str| module::check(&text(name), name, &limits).expect_err("it is no proof");
    let problem = check("broadcast_at_start.cert");
    assert!(
        matches!(problem, Problem::Refused { obligation: Obligation::Start, .. }),
        "{problem:?}"
    );
    let problem = check("own_object_in_initializer.cert");
    assert!(matches!(problem, Problem::Unsupported { .. }), "{problem:?}");
    for step in ["part_of_pointer.cert", "number_as_address.cert"] {
        let problem = check(step);
        assert!(
            matches!(problem, Problem::Refused { obligation: Obligation::Step, .. }),
            "{problem:?}"
        );
    }
}

/// The certificate of a program.
fn certified(source: &str) -> String {
    let options = options(20);
    let program = Program::compile_bytes("a.c", source.as_bytes(), &options).expect("it compiles");
    let mut silent = Silent;
    let mut recorder = Recorder::new(&mut silent, true);
    let checked = program.check(&options, &mut recorder).expect("it is treated");
    match certificate(&options, &checked, &recorder) {
        Ok(found) => found,
        Err(_) => other_proof((&program, &options), &mut recorder).expect("there is one").0,
    }
}

/// Changes of modules after which they fail, each of which one obligation excludes alone.
#[test]
fn no_obligation_is_idle() {
    let threads = "int main(void) { pthread_t t; for (;;) pthread_create(&t, 0, w, 0); }\n";
    let section = "#include <assert.h>\n#include <pthread.h>\nint x;\nvoid *w(void *a) {\n\
         __CPROVER_atomic_begin(); int t = x; x = t + 1; assert(x == t + 1); __CPROVER_atomic_end();\n\
         return 0; }\n";
    let own = "#include <assert.h>\n#include <pthread.h>\n_Thread_local int begun = 0;\nint x;\n\
         void *w(void *a) { x = 1; assert(begun == 0); x = 2; begun = 1; x = 3; return 0; }\n";
    let flag = "#include <assert.h>\n#include <pthread.h>\nint bad = 0, x;\n\
         void *w(void *a) { x = 1; assert(!bad); x = 2; return 0; }\n";
    let cases = [
        (
            section,
            &[
                ("\n  atomic_begin.locked  #", "\n  assume true  #"),
                ("\n  atomic_end  #", "\n  assume true  #"),
            ][..],
            "interruption",
        ),
        (
            own,
            &[(
                "global thread_local $begun: i32 signed = 0",
                "global thread_local $begun: i32 signed = 1",
            )],
            "start of a thread",
        ),
        (flag, &[("global $bad: i32 signed = 0", "global $bad: i32 signed = 1")], "first values"),
    ];
    for (source, changes, expected) in cases {
        let text = certified(&format!("{source}{threads}"));
        let mut changed = text.clone();
        for (from, to) in changes {
            assert!(changed.contains(from), "{from}\n{text}");
            changed = changed.replace(from, to);
        }
        let problem = module::check(&changed, "certificate", &Limits::default());
        match problem {
            Err(problem) => assert_eq!(kind(&problem), expected, "{problem}\n{changed}"),
            Ok(_) => panic!("{expected}: it is accepted:\n{changed}"),
        }
    }
}
