//! `sapa check --output` writes files that keep to their formats, of every kind of verdict, and neither changes nor
//! loses a verdict.

use std::path::Path;
use std::process::{Command, Output};

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

/// Where programs of the tests lie: one that fails with a race, and one with several assertions.
const PROPERTIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/files/properties");

/// Runs `sapa check` in a folder, at a time that does not go on.
fn check(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(sapa_tests::tools::programs().join("sapa"))
        .arg("check")
        .args(arguments)
        .current_dir(folder)
        .env("SOURCE_DATE_EPOCH", "1000000000")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("it runs")
}

/// A run of which files are written.
struct Case {
    name: &'static str,
    arguments: Vec<String>,
    exit: i32,
}

/// Runs with all verdicts.
fn cases(folder: &Path) -> Vec<Case> {
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("it is written");
    };
    // A column behind a character of two bytes, and a name that has to be escaped in a URI.
    write("a b.c", "#include <assert.h>\nint main(void) { /* \u{e4} */ assert(0); }\n");
    write("wrong.c", "int main(void) {\n  return 1 +;\n}\n");
    write("broken.bp", "decl g := 1; void main() begin g := 0; E: assert(g) end");
    let case = |name, arguments: &[&str], exit| {
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        Case { name, arguments, exit }
    };
    let (race, all) =
        (format!("{PROPERTIES}/race_of_a_counter.c"), format!("{PROPERTIES}/all_failures.c"));
    vec![
        case("failed", &["a b.c"], 10),
        case("race", &["--property", "races", "-DBROKEN", &race], 10),
        case("successful", &["--property", "races", &race], 0),
        case("inconclusive", &["--passes", "dead-code", &race], 5),
        case("all", &["--all", "--property", "assertions,leaks", &all], 10),
        case("proved", &["--all", "-DSAFE", &all], 0),
        case("wrong", &["wrong.c"], 2),
        case("boolean", &["broken.bp"], 10),
    ]
}

/// The text that a run writes in a format.
fn written(folder: &Path, case: &Case, ending: &str) -> String {
    let name = format!("{}.{ending}", case.name);
    let mut arguments: Vec<&str> = case.arguments.iter().map(String::as_str).collect();
    arguments.extend(["--output", &name]);
    let output = check(folder, &arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(case.exit), "{}: {errors}", case.name);
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

/// What section 3 of SARIF 2.1.0 says of a location: of a region that it counts from 1, of an index that it is one of
/// the run's artifacts.
fn check_location(location: &Value, run: &Value) {
    let physical = &location["physicalLocation"];
    if let Some(uri) = physical["artifactLocation"]["uri"].as_str() {
        assert!(!uri.contains([' ', '<', '>', '#', '\\']), "{uri}");
    }
    if let Some(index) = physical["artifactLocation"]["index"].as_u64() {
        let artifact = &run["artifacts"][usize::try_from(index).expect("small")];
        assert_eq!(artifact["location"]["uri"], physical["artifactLocation"]["uri"]);
    }
    if let Some(region) = physical.get("region") {
        assert!(region["startLine"].as_u64().is_some_and(|line| line > 0), "{region}");
        assert!(region.get("startColumn").is_none_or(|c| c.as_u64().is_some_and(|c| c > 0)));
    }
    for logical in location["logicalLocations"].as_array().into_iter().flatten() {
        assert!(logical["name"].is_string(), "{logical}");
    }
}

/// Checks a result: its kind and level, its rule, its places, and that the flows of its threads are one order of steps.
fn check_result(result: &Value, run: &Value) {
    let (kind, level) = (result["kind"].as_str(), result["level"].as_str());
    assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
    match kind {
        Some("fail") => assert_eq!(level, Some("error")),
        Some("pass" | "open" | "notApplicable") => assert_eq!(level, Some("none")),
        other => panic!("kind {other:?}"),
    }
    let index = result["ruleIndex"].as_u64().expect("an index");
    let rule = &run["tool"]["driver"]["rules"][usize::try_from(index).expect("small")];
    assert_eq!(rule["id"], result["ruleId"]);
    let related = result["relatedLocations"].as_array().into_iter().flatten();
    for location in result["locations"].as_array().into_iter().flatten().chain(related) {
        check_location(location, run);
    }
    let mut orders = Vec::new();
    for flow in result["codeFlows"].as_array().into_iter().flatten() {
        let threads = flow["threadFlows"].as_array().expect("flows of threads");
        assert!(!threads.is_empty());
        for thread in threads {
            let steps = thread["locations"].as_array().expect("steps");
            let of_thread: Vec<u64> = steps
                .iter()
                .map(|step| step["executionOrder"].as_u64().expect("a number"))
                .collect();
            assert!(!steps.is_empty() && of_thread.is_sorted(), "{of_thread:?}");
            for step in steps {
                check_location(&step["location"], run);
                let importance = step["importance"].as_str();
                assert!(matches!(importance, Some("important" | "essential")), "{step}");
            }
            orders.extend(of_thread);
        }
    }
    orders.sort_unstable();
    assert!(orders.iter().copied().eq(1..=orders.len() as u64), "{orders:?}");
}

#[test]
fn sarif_has_what_its_specification_asks_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut kinds: Vec<(String, Vec<String>, bool)> = Vec::new();
    for case in cases(folder.path()) {
        let text = written(folder.path(), &case, "sarif");
        let log: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["name"], "sapa");
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["exitCode"], case.exit);
        assert_eq!(invocation["startTimeUtc"], "2001-09-09T01:46:40Z");
        let is_answered = matches!(case.exit, 0 | 10);
        assert_eq!(invocation["executionSuccessful"], is_answered, "{}", case.name);
        let notifications = invocation["toolExecutionNotifications"].as_array().expect("a list");
        assert!(is_answered || !notifications.is_empty(), "{}", case.name);
        for notification in notifications {
            assert!(notification["message"]["text"].is_string(), "{notification}");
            let level = notification["level"].as_str();
            assert!(matches!(level, Some("error" | "warning" | "note")), "{notification}");
            let places = notification["locations"].as_array().into_iter().flatten();
            places.for_each(|place| check_location(place, run));
        }
        let results = run["results"].as_array().expect("a list of results");
        results.iter().for_each(|result| check_result(result, run));
        let kind = |r: &Value| format!("{} {}", r["ruleId"], r["kind"]).replace('"', "");
        let has_flow = results.iter().any(|result| result.get("codeFlows").is_some());
        kinds.push((case.name.to_owned(), results.iter().map(kind).collect(), has_flow));
        match case.name {
            "failed" => {
                let place = &results[0]["locations"][0]["physicalLocation"];
                assert_eq!(place["artifactLocation"]["uri"], "a%20b.c");
                // In characters, not in bytes.
                assert_eq!(place["region"]["startColumn"], 26);
            }
            "race" => {
                let related = results[0]["relatedLocations"].as_array().expect("a list");
                assert_eq!(related.len(), 1, "the other access");
                assert_eq!(related[0]["physicalLocation"]["region"]["startLine"], 17);
                let threads = &results[0]["codeFlows"][0]["threadFlows"];
                assert_eq!(threads.as_array().map(Vec::len), Some(3));
            }
            _ => {}
        }
    }
    let fail = "assertions fail";
    let pass = "assertions pass";
    let wanted: [(&str, &[&str], bool); 8] = [
        ("failed", &[fail], true),
        ("race", &["races fail"], true),
        ("successful", &[], false),
        ("inconclusive", &[], false),
        ("all", &[fail, fail, pass, pass, "leaks fail"], true),
        ("proved", &[pass, pass], false),
        ("wrong", &[], false),
        ("boolean", &[fail], true),
    ];
    for ((name, found, has_flow), wanted) in kinds.iter().zip(wanted) {
        assert_eq!((name.as_str(), *has_flow), (wanted.0, wanted.2));
        assert_eq!(found, wanted.1, "{name}");
    }
}

/// The elements of a document, each with its attributes; panics if it is not well-formed.
fn elements(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut found = Vec::new();
    let mut open = 0_i32;
    loop {
        let (element, is_open) = match reader.read_event().expect("well-formed") {
            Event::Start(element) => (element, true),
            Event::Empty(element) => (element, false),
            Event::End(_) => {
                open -= 1;
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        open += i32::from(is_open);
        let attributes = element.attributes().map(|attribute| {
            let attribute = attribute.expect("well-formed");
            (attribute.key.as_ref().to_owned(), attribute.value.to_string())
        });
        found.push((element.name().as_ref().to_owned(), attributes.collect()));
    }
    assert_eq!(open, 0, "all elements end");
    found
}

#[test]
fn junit_counts_its_test_cases() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut counts = Vec::new();
    for case in cases(folder.path()) {
        let found = elements(&written(folder.path(), &case, "xml"));
        let count = |name: &str| found.iter().filter(|(element, _)| element == name).count();
        let counted = [count("testcase"), count("failure"), count("error"), count("skipped")];
        for suite in ["testsuites", "testsuite"] {
            let (_, attributes) = found.iter().find(|(name, _)| name == suite).expect("a suite");
            let names = ["tests", "failures", "errors", "skipped"];
            for (name, counted) in names.iter().zip(counted) {
                let said = attributes.iter().find(|(key, _)| key == name).expect("a count");
                assert_eq!(said.1, counted.to_string(), "{}: {name}", case.name);
            }
        }
        counts.push((case.name, counted));
    }
    let wanted = [
        ("failed", [1, 1, 0, 0]),
        ("race", [1, 1, 0, 0]),
        ("successful", [1, 0, 0, 0]),
        ("inconclusive", [1, 0, 1, 0]),
        ("all", [5, 3, 0, 0]),
        ("proved", [2, 0, 0, 0]),
        ("wrong", [1, 0, 1, 0]),
        ("boolean", [1, 1, 0, 0]),
    ];
    assert_eq!(counts, wanted);
}

#[test]
fn a_file_that_cannot_be_written_costs_no_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.c"), "int main(void) { return 0; }").expect("written");
    // A device that is always full: nothing says so before something is written.
    let output = check(folder.path(), &["a.c", "--output", "sarif=/dev/full", "--output", "a.xml"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("VERIFICATION SUCCESSFUL\n"), "{text}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("cannot write /dev/full"), "{errors}");
    assert_eq!(output.status.code(), Some(2), "as a product that cannot be written");
    assert!(folder.path().join("a.xml").exists(), "the others are written");
}

#[test]
fn a_run_that_a_limit_ends_is_written_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let race = format!("{PROPERTIES}/race_of_a_counter.c");
    let arguments = [race.as_str(), "--timeout", "0.000001", "--output", "a.sarif"];
    let output = check(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(5));
    let text = std::fs::read_to_string(folder.path().join("a.sarif")).expect("it is written");
    let log: Value = serde_json::from_str(&text).expect("it is JSON");
    let notifications = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(notifications[0]["descriptor"]["id"], "out_of_time", "{notifications}");
}

/// A thread writes a value of the environment, which an assertion is about.
const CHOSEN: &str = "#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int x;
void *one(void *arg) {
    x = __VERIFIER_nondet_int();
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    pthread_join(t, 0);
    assert(x != 7);
    return 0;
}
";

/// The SHA-256 of a file, by another program.
fn sha256(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().expect("sha256sum runs");
    let text = String::from_utf8(output.stdout).expect("it is text");
    text.split_whitespace().next().expect("a hash").to_owned()
}

/// The data of an element, by key.
type Data = Vec<(String, String)>;

/// A graph with its data.
#[derive(Default)]
struct Graph {
    head: Data,
    /// Names and data.
    nodes: Vec<(String, Data)>,
    /// From where to where, and data.
    edges: Vec<([String; 2], Data)>,
}

/// The graph of a GraphML file.
fn graph(text: &str) -> Graph {
    let mut reader = Reader::from_str(text);
    let Graph { mut head, mut nodes, mut edges } = Graph::default();
    let (mut within, mut key) = ("graph", None::<String>);
    loop {
        let event = reader.read_event().expect("well-formed");
        let is_empty = matches!(event, Event::Empty(_));
        match event {
            Event::Start(element) | Event::Empty(element) => {
                let attribute = |name: &str| {
                    let found = element.try_get_attribute(name).expect("well-formed");
                    found.map(|found| found.value.to_string()).unwrap_or_default()
                };
                match element.name().as_ref() {
                    "node" => {
                        nodes.push((attribute("id"), Data::new()));
                        within = if is_empty { "graph" } else { "node" };
                    }
                    "edge" => {
                        edges.push(([attribute("source"), attribute("target")], Data::new()));
                        within = "edge";
                    }
                    "data" => key = Some(attribute("key")),
                    _ => {}
                }
            }
            Event::Text(value) => {
                let Some(key) = key.take() else { continue };
                let data = match within {
                    "node" => &mut nodes.last_mut().expect("a node").1,
                    "edge" => &mut edges.last_mut().expect("an edge").1,
                    _ => &mut head,
                };
                data.push((key, value.to_string()));
            }
            Event::End(element) if element.name().as_ref() != "data" => within = "graph",
            Event::Eof => return Graph { head, nodes, edges },
            _ => {}
        }
    }
}

fn get<'d>(data: &'d Data, key: &str) -> Option<&'d str> {
    data.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
}

#[test]
fn graphml_is_a_path_of_threads_that_exist() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("chosen.c"), CHOSEN).expect("written");
    let output = check(here, &["chosen.c", "--output", "a.graphml"]);
    assert_eq!(output.status.code(), Some(10));
    let text = std::fs::read_to_string(here.join("a.graphml")).expect("it is written");
    let Graph { head, nodes, edges } = graph(&text);
    for (key, wanted) in [
        ("witness-type", "violation_witness"),
        ("sourcecodelang", "C"),
        ("specification", "CHECK( init(main()), LTL(G ! call(reach_error())) )"),
        ("programfile", "chosen.c"),
        ("programhash", &sha256(&here.join("chosen.c"))),
        ("architecture", "64bit"),
        ("creationtime", "2001-09-09T01:46:40Z"),
    ] {
        assert_eq!(get(&head, key), Some(wanted), "{key}");
    }
    let with = |key: &str| -> Vec<&str> {
        let marked = nodes.iter().filter(|(_, data)| get(data, key) == Some("true"));
        marked.map(|(name, _)| name.as_str()).collect()
    };
    let (entry, violation) = (with("entry"), with("violation"));
    assert_eq!((entry.len(), violation.len()), (1, 1));
    // One path from the one to the other, by which threads exist before they act.
    let mut at = entry[0].to_owned();
    let mut threads: Vec<&str> = Vec::new();
    for ([from, to], data) in &edges {
        assert_eq!(*from, at);
        at.clone_from(to);
        if let Some(created) = get(data, "createThread") {
            assert!(!threads.contains(&created), "{created}");
            threads.push(created);
        }
        let thread = get(data, "threadId").expect("each edge has a thread");
        assert!(threads.contains(&thread), "{thread} of {threads:?}");
        if let Some(line) = get(data, "startline") {
            let line: usize = line.parse().expect("a number");
            assert!((1..=CHOSEN.lines().count()).contains(&line));
        }
        if get(data, "returnFromFunction").is_some() {
            threads.retain(|known| *known != thread);
        }
    }
    assert_eq!((at.as_str(), nodes.len()), (violation[0], edges.len() + 1));
    let assumed: Vec<&str> = edges.iter().filter_map(|(_, e)| get(e, "assumption")).collect();
    assert_eq!(assumed, ["x == 7;"]);
    let entered: Vec<&str> = edges.iter().filter_map(|(_, e)| get(e, "enterFunction")).collect();
    assert_eq!(entered, ["main", "one"]);
    assert!(edges.iter().any(|(_, edge)| get(edge, "returnFromFunction") == Some("one")));
}

/// The waypoints of a YAML witness, each with its segment, its words, and its line, column and thread.
fn waypoints(text: &str) -> Vec<(usize, String, [usize; 3])> {
    let (mut found, mut segment) = (Vec::<(usize, String, [usize; 3])>::new(), 0);
    for line in text.lines().map(str::trim) {
        if line == "- segment:" {
            segment += 1;
        } else if line == "- waypoint:" {
            found.push((segment, String::new(), [0; 3]));
        } else if let (Some((key, value)), Some(last)) = (line.split_once(": "), found.last_mut()) {
            let number = || value.parse().expect("a number");
            match key {
                "line" => last.2[0] = number(),
                "column" => last.2[1] = number(),
                "thread_id" => last.2[2] = number(),
                "type" => last.1.push_str(value),
                "value" => last.1.push_str(&format!(" {}", value.trim_matches('"'))),
                _ => {}
            }
        }
    }
    found
}

#[test]
fn yaml_is_a_sequence_of_waypoints_to_the_target() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("chosen.c"), CHOSEN).expect("written");
    let output = check(here, &["chosen.c", "--output", "a.yml"]);
    assert_eq!(output.status.code(), Some(10));
    let text = std::fs::read_to_string(here.join("a.yml")).expect("it is written");
    let hash = sha256(&here.join("chosen.c"));
    for wanted in [
        "- entry_type: violation_sequence",
        "    format_version: \"2.2\"",
        "    creation_time: \"2001-09-09T01:46:40Z\"",
        &format!("        \"chosen.c\": \"{hash}\""),
        "      data_model: \"LP64\"",
    ] {
        assert!(text.lines().any(|line| line == wanted), "{wanted}: {text}");
    }
    let found = waypoints(&text);
    let found: Vec<(usize, &str, [usize; 3])> =
        found.iter().map(|(segment, words, at)| (*segment, words.as_str(), *at)).collect();
    let wanted = [
        // Right parentheses of calls, or starts of statements.
        (1, "function_enter", [11, 33, 0]),
        (2, "function_return \\\\result == 7", [6, 31, 1]),
        (3, "assumption 1", [12, 5, 0]),
        (4, "target", [13, 5, 0]),
    ];
    assert_eq!(found, wanted, "{text}");
}

#[test]
fn the_accesses_of_a_race_are_both_the_target() {
    let folder = tempfile::tempdir().expect("a folder");
    let race = std::fs::read_to_string(format!("{PROPERTIES}/race_of_a_counter.c"));
    let race = format!("#define BROKEN\n{}", race.expect("it is there"));
    std::fs::write(folder.path().join("race.c"), race).expect("written");
    let arguments = ["race.c", "--property", "races", "--output", "a.yml", "--output", "a.graphml"];
    assert_eq!(check(folder.path(), &arguments).status.code(), Some(10));
    let text = std::fs::read_to_string(folder.path().join("a.yml")).expect("it is written");
    assert!(
        text.contains("specification: \"CHECK( init(main()), LTL(G ! data-race) )\""),
        "{text}"
    );
    let found = waypoints(&text);
    let last = found.last().expect("a waypoint").0;
    let targets: Vec<_> = found.iter().filter(|(segment, ..)| *segment == last).collect();
    assert_eq!(targets.len(), 2);
    assert!(targets.iter().all(|(_, words, _)| words == "target"));
    assert_ne!(targets[0].2[2], targets[1].2[2], "they are of two threads");
    assert_eq!([targets[0].2[0], targets[1].2[0]], [18, 13]);
    assert_eq!(found.iter().filter(|(_, words, _)| words == "target").count(), 2);
}

#[test]
fn a_witness_claims_no_more_than_the_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let safe = format!("{PROPERTIES}/race_of_a_counter.c");
    let cycle = std::fs::read_to_string(format!("{PROPERTIES}/deadlock_of_two_mutexes.c"));
    let cycle = format!("#define BROKEN\n{}", cycle.expect("it is there"));
    std::fs::write(here.join("cycle.c"), cycle).expect("written");
    // Safe and unsafe, but for what options make of it.
    let other = "#include <assert.h>\nint sensor(void); int x;
        #ifndef X\n#define X 1\n#endif\nint main(void) { x = X; assert(x == 1); assert(sensor() < 9); }";
    std::fs::write(here.join("other.c"), other).expect("written");
    let stub = "int sensor(void) { return 3; } int boot(void) { return 0; }";
    std::fs::write(here.join("stub.c"), stub).expect("written");
    std::fs::write(here.join("safe.c"), "int boot(void) { return 0; }\n#include \"other.c\"\n")
        .expect("written");
    std::fs::write(
        here.join("many.c"),
        // Right as long as there is one thread at a time.
        "int busy; void t(void) { __CPROVER_assert(!busy, \"\"); busy = 1; busy = 0; }
         int main(void) { while (1) { __CPROVER_ASYNC_1: t(); } }",
    )
    .expect("written");
    std::fs::write(
        here.join("waits.c"),
        "int x, y, a, b; void t(void) { y = 1; b = x; __CPROVER_atomic_begin(); __CPROVER_assert(a != 2 || b != 0, \"\"); __CPROVER_atomic_end(); }
         int main(void) { __CPROVER_ASYNC_1: t(); x = 1; a = y == 0 ? 2 : 1; }",
    )
    .expect("written");
    let none: &[(&[&str], i32, &str)] = &[
        (&["--passes", "dead-code", &safe], 5, "there is one of SUCCESSFUL and FAILED only"),
        (&["--property", "deadlock", "cycle.c"], 10, "no property that is 'deadlock'"),
        (&["--mm", "tso", "waits.c"], 10, "sequential consistency"),
        (&["--threads", "1", "many.c"], 0, "the proof is for 1"),
        (&["other.c", "--stubs", "stub.c"], 0, "what '--stubs' makes"),
        (&["other.c", "-DX=2"], 10, "what '--cc' makes"),
        (&["safe.c", "--entry", "boot"], 0, "what '--entry' makes"),
        (&[&safe, "--atomicity", "statement"], 0, "what '--atomicity' makes"),
        (&[&safe, "--mode", "mixed-as-shared"], 0, "what '--mode' makes"),
    ];
    for (arguments, exit, why) in none {
        for name in ["a.graphml", "a.yml"] {
            let output = check(here, &[*arguments, &["--output", name]].concat());
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(*exit), "{arguments:?}: {errors}");
            assert!(
                errors.contains(why) && errors.contains("note: no "),
                "{arguments:?}: {errors}"
            );
            assert!(!here.join(name).exists(), "{arguments:?}");
        }
    }
    // A proof for any number of threads.
    for (name, wanted) in
        [("b.graphml", "correctness_witness"), ("b.yml", "entry_type: invariant_set")]
    {
        assert_eq!(check(here, &[&safe, "--output", name]).status.code(), Some(0));
        let text = std::fs::read_to_string(here.join(name)).expect("it is written");
        assert!(text.contains(wanted) && text.contains("call(reach_error())"), "{text}");
    }
}
