"""Tests of the tool-info module: which result an answer is, and which command line a task.

Run by tests/tests/benchexec.rs with the API of BenchExec if that is installed, or else with what stands in for it here. SAPA is
the program that is run; without it only fixed answers are looked at.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True


def stand_in():
    """Modules with the names of BenchExec's that the tool-info module uses."""
    result = types.ModuleType("benchexec.result")
    words = {
        "TRUE_PROP": "true",
        "FALSE_PROP": "false",
        "FALSE_REACH": "false(unreach-call)",
        "FALSE_DEREF": "false(valid-deref)",
        "FALSE_FREE": "false(valid-free)",
        "FALSE_MEMCLEANUP": "false(valid-memcleanup)",
        "FALSE_OVERFLOW": "false(no-overflow)",
        "FALSE_DATARACE": "false(no-data-race)",
        "FALSE_DEADLOCK": "false(no-deadlock)",
        "UNKNOWN": "unknown",
        "TIMEOUT": "TIMEOUT",
        "ERROR": "ERROR",
    }
    for name, word in words.items():
        setattr(result, f"RESULT_{name}", word)
    template = types.ModuleType("benchexec.tools.template")
    template.BaseTool2 = type("BaseTool2", (), {})
    template.UnsupportedFeatureException = type("UnsupportedFeatureException", (Exception,), {})
    util = types.ModuleType("benchexec.tools.sv_benchmarks_util")
    util.ILP32, util.LP64 = "ILP32", "LP64"

    def get_data_model_from_task(task, models):
        model = task.options.get("data_model")
        if model and model not in models:
            raise template.UnsupportedFeatureException
        return models.get(model)

    util.get_data_model_from_task = get_data_model_from_task
    package, tools = types.ModuleType("benchexec"), types.ModuleType("benchexec.tools")
    package.result, package.tools = result, tools
    tools.template, tools.sv_benchmarks_util = template, util
    for module in (package, tools, result, template, util):
        sys.modules[module.__name__] = module


try:
    import benchexec.tools.template
    API = "BenchExec's"
except ImportError:
    stand_in()
    API = "a stand-in for BenchExec's"

from toolinfo.sapa import Tool  # noqa: E402

Code = collections.namedtuple("Code", "value")
Run = collections.namedtuple("Run", "exit_code output")
Task = collections.namedtuple("Task", "input_files property_file options")
Limits = collections.namedtuple("Limits", "cputime cputime_hard walltime memory cpu_cores")


def result(code, *lines):
    return Tool().determine_result(Run(Code(code), [f"{line}\n" for line in lines]))


def report(verdict, code, **members):
    return json.dumps({"version": 1, "verdict": verdict, "exit_code": code, **members})


def failed(name, text=""):
    return report("failed", 10, failed_assertion={"text": text, "property": name})


class Results(unittest.TestCase):
    def test_verdicts(self):
        self.assertEqual(result(0, "warning: words", report("successful", 0)), "true")
        for name, text, wanted in [
            ("assertions", "x == 1", "false(unreach-call)"),
            ("races", "", "false(no-data-race)"),
            ("pointers", "no null pointer is used", "false(valid-deref)"),
            ("pointers", "nothing is freed twice", "false(valid-free)"),
            ("leaks", "what is allocated is freed", "false(valid-memcleanup)"),
            ("overflow", "", "false(no-overflow)"),
            ("deadlock", "", "false(no-deadlock)"),
            ("division", "", "false(division)"),
        ]:
            self.assertEqual(result(10, failed(name, text)), wanted)

    def test_no_verdict(self):
        for kind, wanted in [
            ("out_of_time", "TIMEOUT"),
            ("out_of_memory", "OUT OF MEMORY"),
            ("not_modelled", "unknown"),
        ]:
            line = report("inconclusive", 5, reason={"text": "", "parts": [{"kind": kind}]})
            self.assertEqual(result(5, line), wanted)
        for code in (1, 2, 6):
            self.assertTrue(result(code, report("bad_input", code)).startswith("ERROR ("))

    def test_no_answer_is_made_up(self):
        # Killed by a signal, words that look like a verdict, and a code that is of another verdict.
        self.assertEqual(result(None, report("successful", 0)), "ERROR")
        self.assertEqual(result(0, "VERIFICATION SUCCESSFUL"), "ERROR")
        self.assertEqual(result(0, failed("assertions")), "ERROR")
        self.assertEqual(result(0, "{", "{}"), "ERROR")
        self.assertEqual(result(0), "ERROR")

    def test_values(self):
        lines = [report("successful", 0, statistics={"states": 3, "rounds": [1, 2]})]
        values = [Tool().get_value_from_output(lines, name) for name in
                  ("statistics.states", "statistics.rounds", "verdict", "no.such")]
        self.assertEqual(values, [3, 2, "successful", None])

    def test_command_line(self):
        task = Task(["a.c"], "p.prp", {"language": "C", "data_model": "LP64"})
        limits = Limits(None, None, 60, 1_000_000_000, None)
        line = Tool().cmdline("sapa", ["--threads", "2"], task, limits)
        words = "sapa check --json --threads 2 --data-model LP64 --property p.prp --timeout 60 --memory-limit 9 a.c"
        self.assertEqual(line[:10], words.split()[:10])
        self.assertEqual(line[-1], "a.c")
        none = Limits(None, None, None, None, None)
        line = Tool().cmdline("sapa", [], Task(["a.c"], None, {}), none)
        self.assertEqual(line, ["sapa", "check", "--json", "a.c"])
        line = Tool().cmdline("sapa", [], Task(["a.c"], None, {"language": "C", "data_model": "ILP32"}), none)
        self.assertEqual(line, ["sapa", "check", "--json", "--data-model", "ILP32", "a.c"])

    @unittest.skipUnless("SAPA" in os.environ, "SAPA names no program")
    def test_real_answers(self):
        programs = ROOT / "tests" / "files" / "properties"
        race = str(programs / "race_of_a_counter.c")
        node = str(programs / "heap_node.c")
        for arguments, wanted in [
            (["--property", "races", race], "true"),
            (["--property", "races", race, "-DBROKEN"], "false(no-data-race)"),
            (["--property", "pointers,leaks", node, "-DKEPT"], "false(valid-memcleanup)"),
            (["--passes", "dead-code", race], "unknown"),
            (["--timeout", "0.000001", race], "TIMEOUT"),
            (["--nonsense", race], "ERROR (usage)"),
            (["no-such-file.c"], "ERROR (input)"),
        ]:
            command = Tool().cmdline(os.environ["SAPA"], arguments[:-1], Task(arguments[-1:], None, {}),
                                     Limits(None, None, None, None, None))
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(result(run.returncode, *run.stdout.splitlines()), wanted, arguments)


if __name__ == "__main__":
    print(f"with {API} API")
    unittest.main()
