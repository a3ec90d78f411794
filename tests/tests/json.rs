//! `--json` writes one object that agrees with `docs/report.schema.json`, whatever happens.

use std::path::{Path, PathBuf};
use std::process::Command;

use sapa_backend::inconclusive::Kind;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../docs/report.schema.json");

/// A program of `tools`.
fn program(name: &str) -> PathBuf {
    sapa_tests::tools::programs().join(name)
}

/// What does not agree with a schema, with the path to it. Knows the words that our schema uses and
/// refuses others, so that none is passed over.
fn disagreements(root: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    for (word, wanted) in schema.as_object().expect("a schema is an object") {
        let holds = match word.as_str() {
            "$schema" | "title" | "$defs" | "additionalProperties" => true,
            "$ref" => {
                let pointer = wanted.as_str().expect("a reference").trim_start_matches('#');
                let target = root.pointer(pointer).expect("the reference leads somewhere");
                disagreements(root, target, value, path, found);
                true
            }
            "type" => match wanted.as_str().expect("a type") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "number" => value.is_number(),
                "integer" => value.is_u64() || value.is_i64(),
                other => panic!("unknown type {other}"),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().expect("values").contains(value),
            "minimum" => value.as_f64().is_none_or(|v| v >= wanted.as_f64().expect("a number")),
            "anyOf" => wanted.as_array().expect("schemas").iter().any(|alternative| {
                let mut inner = Vec::new();
                disagreements(root, alternative, value, path, &mut inner);
                inner.is_empty()
            }),
            "required" => wanted
                .as_array()
                .expect("names")
                .iter()
                .all(|name| value.get(name.as_str().expect("a name")).is_some()),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    disagreements(root, wanted, item, &format!("{path}/{index}"), found);
                }
                true
            }
            "properties" => {
                for (name, inner) in value.as_object().into_iter().flatten() {
                    match wanted.get(name) {
                        Some(schema) => {
                            disagreements(root, schema, inner, &format!("{path}/{name}"), found);
                        }
                        // Our schemas are closed: what is not described must not be there.
                        None => found.push(format!("{path}/{name} is not in the schema")),
                    }
                }
                schema.get("additionalProperties") == Some(&Value::Bool(false))
            }
            other => panic!("unknown word {other}"),
        };
        if !holds {
            found.push(format!("{path}: `{word}` does not hold of {value}"));
        }
    }
}

/// Checks a report against the schema.
fn agrees(value: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let mut found = Vec::new();
    disagreements(&schema, &schema, value, "", &mut found);
    found
}

/// Runs a program in a folder; its report, which is the whole standard output, and its exit code.
fn report(program: &Path, folder: &Path, arguments: &[&str]) -> (Value, Option<i32>) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("it is text");
    assert_eq!(text.lines().count(), 1, "{arguments:?}: {text:?}");
    let value =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {text}"));
    (value, output.status.code())
}

/// Two threads add to a counter; broken without a lock.
fn counter(lock: &str) -> String {
    format!(
        "int n; void t(void) {{ {lock} int l = n; n = l + 1; assert(n == l + 1); {} }}\n\
         int main(void) {{ __CPROVER_ASYNC_1: t();\n __CPROVER_ASYNC_2: t(); }}\n",
        lock.replace("begin", "end")
    )
}

#[test]
fn every_kind_of_report_agrees_with_the_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it is written");
    };
    write("safe.c", &counter("__CPROVER_atomic_begin();"));
    write("broken.c", &counter(""));
    write(
        "unknown.c",
        "int f(int *n) { int m = *n - 1; return *n ? f(&m) : 0; }
         int main(void) { int n = 3; assert(f(&n) == 0); }",
    );
    write("wrong.c", "int main(void) {\n  return 1 +;\n}\n");
    write("safe.bp", "decl g := 1; void main() begin assert(g) end");
    write("broken.bp", "decl g := 1; void main() begin g := 0; E: assert(g) end");
    write("wrong.bp", "void main() begin\n g := ; end");
    write("wrong.gir", "gir 1\nnonsense");
    let (sapa, mc) = (program("sapa"), program("sapa-mc"));
    let made = Command::new(program("sapa-cc"))
        .args(["broken.c", "-o", "broken.gir"])
        .current_dir(folder.path())
        .status();
    assert!(made.expect("sapa-cc runs").success());
    let goto = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/goto/asm_fence.hybrid.o");
    let goto = goto.to_str().expect("a path in UTF-8");
    let of_sapa: &[(&[&str], &str, i32)] = &[
        (&["safe.c"], "successful", 0),
        (&["safe.c", "--threads", "2", "--atomicity", "statement"], "successful", 0),
        (&["broken.c"], "failed", 10),
        (&["broken.c", "-q"], "failed", 10),
        (&["broken.c", "-v"], "failed", 10),
        (&["broken.gir"], "failed", 10),
        (&[goto, "--threads", "2"], "successful", 0),
        (&["unknown.c", "--engine", "auto"], "inconclusive", 5),
        (&["broken.c", "--iterations", "0", "--engine", "auto"], "inconclusive", 5),
        (&["broken.c", "--timeout", "0.000001"], "inconclusive", 5),
        (&["wrong.c"], "bad_input", 2),
        (&["wrong.gir"], "bad_input", 2),
        (&["missing.c"], "bad_input", 2),
        (&["safe.c", "--predicates", "wrong.c"], "bad_input", 2),
        (&["safe.bp"], "successful", 0),
        (&["broken.bp"], "failed", 10),
        (&["broken.bp", "--timeout", "0.000001"], "inconclusive", 5),
        (&["wrong.bp"], "bad_input", 2),
        (&["safe.c", "--engine", "best"], "usage_error", 1),
        (&["safe.c", "--mode", "symmetry-oblivious"], "usage_error", 1),
        (&["safe.c", "--no-such-option"], "usage_error", 1),
        (&["safe.c", "--threads", "many"], "usage_error", 1),
        (&[], "usage_error", 1),
    ];
    let of_mc: &[(&[&str], &str, i32)] = &[
        (&["safe.bp"], "successful", 0),
        (&["broken.bp", "--threads", "3", "--engine", "counter"], "failed", 10),
        (&["broken.bp", "--engine", "plain"], "inconclusive", 5),
        (&["wrong.bp"], "bad_input", 2),
        (&["safe.bp", "--error-label", "NONE"], "bad_input", 2),
        (&["missing.bp"], "bad_input", 2),
        (&["safe.bp", "--init", "one"], "usage_error", 1),
    ];
    let runs = of_sapa.iter().map(|run| (&sapa, &["check", "--json"][..], run));
    let runs = runs.chain(of_mc.iter().map(|run| (&mc, &["--json"][..], run)));
    for (program, first, (arguments, verdict, code)) in runs {
        let arguments = [first, arguments].concat();
        let (value, exit) = report(program, folder.path(), &arguments);
        assert_eq!(agrees(&value), Vec::<String>::new(), "{arguments:?}: {value}");
        assert_eq!(value["verdict"], *verdict, "{arguments:?}: {value}");
        assert_eq!((exit, &value["exit_code"]), (Some(*code), &Value::from(*code)), "{value}");
        let answered = matches!(*verdict, "successful" | "failed");
        let has_parts = value["reason"].get("parts").is_some();
        assert_eq!(has_parts, *verdict == "inconclusive", "{value}");
        assert_eq!(value.get("reason").is_none(), answered, "{value}");
        assert_eq!(value["threads"].get("holds_for").is_some(), answered, "{value}");
        for field in ["trace", "failed_assertion"] {
            assert_eq!(value.get(field).is_some(), *verdict == "failed", "{value}");
        }
    }
}

#[test]
fn reads_say_which_event_wrote_what_they_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let buffering = "int x, y, a, b = 1, c, own;
        void t(void) { y = 1; c = y; b = x; }
        int main(void) { __CPROVER_ASYNC_1: t(); x = 1; own = x; a = y;
          int late = b, read = c; assert(own + read != 2 || a + late != 0); }";
    std::fs::write(folder.path().join("broken.c"), counter("")).expect("written");
    std::fs::write(folder.path().join("buffering.c"), buffering).expect("written");
    let sapa = program("sapa");
    let mut kinds = std::collections::BTreeSet::new();
    for words in [&["broken.c"][..], &["buffering.c", "--mm", "tso"], &["broken.c", "--all"]] {
        let arguments = [&["check", "--json"], words].concat();
        let (value, code) = report(&sapa, folder.path(), &arguments);
        assert_eq!((agrees(&value), code), (Vec::new(), Some(10)), "{words:?}: {value}");
        let trace = match words.contains(&"--all") {
            true => value["results"]
                .as_array()
                .expect("results")
                .iter()
                .find(|r| r["verdict"] == "fails"),
            false => Some(&value),
        };
        let trace = &trace.expect("one fails")["trace"];
        let steps = trace.as_array().expect("a trace");
        for (number, step) in steps.iter().enumerate() {
            let events = step["events"].as_array().expect("events");
            for (index, read) in
                events.iter().enumerate().filter(|(_, event)| event["kind"] == "read")
            {
                let source = &read["source"];
                kinds.insert(source["kind"].as_str().expect("each is known here").to_owned());
                if source["kind"] == "initial" {
                    assert!(source.get("step").is_none(), "{read}");
                    continue;
                }
                let at = |name: &str| source[name].as_u64().and_then(|n| usize::try_from(n).ok());
                let (from, event) = at("step").zip(at("event")).expect("there is a place");
                assert!((from, event) < (number, index), "{read}");
                let store = &steps[from]["events"][event];
                assert!(
                    ["write", "assign", "buffer", "reach"]
                        .iter()
                        .any(|kind| store["kind"] == *kind),
                    "{store}"
                );
                assert_eq!((&store["name"], &store["value"]), (&read["name"], &read["value"]));
                let waits = source["kind"] == "waiting";
                assert!(!waits || steps[from]["thread"] == step["thread"], "{read}");
            }
        }
    }
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    assert_eq!(kinds, ["initial", "store", "waiting"]);
}

#[test]
fn reports_on_fences_agree_with_the_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("files/fences");
    for (arguments, verdict, code) in [
        (&["--mm", "tso", "store_buffering.c"][..], "successful", 0),
        (&["--mm", "pso", "no_place.c"], "successful", 0),
        (&["--mm", "pso", "nothing_helps.c", "-DWRONG"], "failed", 10),
        (&["--mm", "tso", "store_buffering.c", "--timeout", "0.000001"], "inconclusive", 5),
        (&["--mm", "tso", "missing.c"], "bad_input", 2),
        (&["--mm", "sc", "store_buffering.c"], "usage_error", 1),
    ] {
        let arguments = [&["fences", "--json"][..], arguments].concat();
        let (value, exit) = report(&program("sapa"), &folder, &arguments);
        assert_eq!(agrees(&value), Vec::<String>::new(), "{arguments:?}: {value}");
        assert_eq!(value["verdict"], verdict, "{arguments:?}: {value}");
        assert_eq!((exit, &value["exit_code"]), (Some(code), &Value::from(code)), "{value}");
        let complete = value["fences"]["complete"].as_bool().unwrap_or(false);
        assert_eq!(complete, verdict == "successful", "{value}");
        for set in value["fences"]["sets"].as_array().into_iter().flatten() {
            assert!(set.get("patch").is_some() != set.get("no_patch").is_some(), "{set}");
            for fence in set["fences"].as_array().into_iter().flatten() {
                assert!(fence["without"]["trace"].is_array(), "{fence}");
            }
        }
    }
}

#[test]
fn errors_have_their_places() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.c"), "int main(void) {\n  return 1 +;\n}\n").expect("it");
    std::fs::write(folder.path().join("a.bp"), "void main() begin\n g := ; end").expect("it");
    for file in ["a.c", "a.bp"] {
        let (value, _) = report(&program("sapa"), folder.path(), &["check", "--json", file]);
        let message = &value["reason"]["messages"][0];
        assert_eq!((&message["file"], &message["line"]), (&file.into(), &2.into()), "{value}");
    }
}

#[test]
fn the_schema_can_be_disagreed_with() {
    let report = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let right = r#"{"version":1,"sapa":"0","verdict":"failed","exit_code":10,"assumptions":[],"warnings":[]}"#;
    assert_eq!(agrees(&report(right)), Vec::<String>::new());
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("\"failed\"", "\"VERIFICATION FAILED\""),
        ("\"warnings\":[]", "\"warnings\":[1]"),
        (",\"warnings\":[]", ""),
        ("{\"version\"", "{\"more\":1,\"version\""),
    ] {
        assert!(!agrees(&report(&right.replace(from, to))).is_empty(), "{from} -> {to}");
    }
}

/// The page and the schema know each kind of reason.
#[test]
fn kinds_of_reasons_are_explained() {
    let words = Kind::ALL.map(Kind::word);
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let known = &schema["$defs"]["part"]["properties"]["kind"]["enum"];
    assert_eq!(known, &Value::from(words.to_vec()));
    let page = include_str!("../../docs/inconclusive.md");
    let headings = page.lines().filter_map(|line| line.strip_prefix("## `"));
    let named: Vec<&str> = headings.filter_map(|rest| rest.strip_suffix('`')).collect();
    assert_eq!(named, words);
}

/// What stands in the way of a verdict has its kind, and its place in the source.
#[test]
fn reasons_have_kinds_and_places() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it is written");
    };
    write("broken.c", &counter(""));
    write(
        "recursive.c",
        "int f(int *n) { int m = *n - 1; return *n ? f(&m) : 0; }\n\
         int main(void) { int n = 3; assert(f(&n) == 0); }",
    );
    write(
        "returns.c",
        "int f(int n) { if (n > 0) { int m = f(n - 1); assert(m == n - 1); } return n; }\n\
         int main(void) { return f(3); }",
    );
    write(
        "library.c",
        "double sin(double);\nint main(void) {\n  assert(sin(1.0) < 0.9);\n  assert(sin(2.0) > 0.1);\n}\n",
    );
    write(
        "outside.c",
        "int main(void) {\n  int *p = (int *)__VERIFIER_nondet_ulong();\n  assert(*p == 0);\n}\n",
    );
    write("broken.bp", "decl g := 1; void main() begin g := 0; E: assert(g) end");
    let (sapa, mc) = (program("sapa"), program("sapa-mc"));
    type Run<'r> = (&'r Path, &'r [&'r str], &'r [(&'r str, Option<u64>)]);
    let runs: &[Run<'_>] = &[
        (
            &sapa,
            &["check", "broken.c", "--iterations", "0", "--engine", "auto"],
            &[("iteration_limit", None)],
        ),
        (&sapa, &["check", "broken.c", "--timeout", "0.000001"], &[("out_of_time", None)]),
        (&sapa, &["check", "broken.bp", "--timeout", "0.000001"], &[("out_of_time", None)]),
        (&sapa, &["check", "recursive.c", "--engine", "auto"], &[("refused", Some(1))]),
        (&sapa, &["check", "returns.c", "--engine", "auto"], &[("recursive_calls", Some(1))]),
        (
            &sapa,
            &["check", "recursive.c", "--engine", "bounded", "--unwind", "1"],
            &[("unwind_limit", Some(1))],
        ),
        (
            &sapa,
            &["check", "library.c", "--engine", "auto"],
            &[("unmodelled_value", Some(3)), ("unmodelled_value", Some(4))],
        ),
        (&sapa, &["check", "outside.c", "--engine", "auto"], &[("not_replayed", Some(3))]),
        (&mc, &["broken.bp", "--engine", "plain"], &[("engine_unfit", None)]),
    ];
    for (program, arguments, wanted) in runs {
        let arguments = [*arguments, &["--json"]].concat();
        let (value, _) = report(program, folder.path(), &arguments);
        assert_eq!(agrees(&value), Vec::<String>::new(), "{arguments:?}: {value}");
        let parts = value["reason"]["parts"].as_array().expect("there are parts");
        let found: Vec<_> =
            parts.iter().map(|part| (part["kind"].as_str(), part["line"].as_u64())).collect();
        let wanted: Vec<_> = wanted.iter().map(|&(kind, line)| (Some(kind), line)).collect();
        assert_eq!(found, wanted, "{arguments:?}: {value}");
        let texts: Vec<_> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        assert_eq!(value["reason"]["text"], texts.join("; "), "{value}");
    }
}

/// The page's example is a report too.
#[test]
fn the_example_of_the_page_agrees_with_the_schema() {
    let page = include_str!("../../docs/json.md");
    let text = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
    let value: Value = serde_json::from_str(text.expect("an example")).expect("it is JSON");
    assert_eq!(agrees(&value), Vec::<String>::new());
}
