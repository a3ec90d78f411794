"""Tool-info module of sapa for BenchExec (API: BaseTool2).

sapa runs with --json, so that its answer is one line that is read here, not words for people.
"""

import json

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task

# What a failing assertion of a property violates in SV-COMP's words. Others are shown as they are.
VIOLATED = {
    "assertions": result.RESULT_FALSE_REACH,
    "bounds": result.RESULT_FALSE_DEREF,
    "pointers": result.RESULT_FALSE_DEREF,
    "leaks": result.RESULT_FALSE_MEMCLEANUP,
    "overflow": result.RESULT_FALSE_OVERFLOW,
    "races": result.RESULT_FALSE_DATARACE,
    "deadlock": result.RESULT_FALSE_DEADLOCK,
}

# Limits that sapa keeps by itself, in BenchExec's words.
LIMITS = {"out_of_time": result.RESULT_TIMEOUT, "out_of_memory": "OUT OF MEMORY"}

# Exit codes that are no verdict.
ERRORS = {1: "usage", 2: "input", 6: "internal"}


class Tool(benchexec.tools.template.BaseTool2):
    def executable(self, tool_locator):
        return tool_locator.find_executable("sapa")

    def name(self):
        return "sapa"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="sapa")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", "--json", *options]
        model = get_data_model_from_task(task, {ILP32: "ILP32", LP64: "LP64"})
        if model:
            command += ["--data-model", model]
        if task.property_file:
            command += ["--property", task.property_file]
        # sapa ends a little earlier than it would be ended, with a reason.
        if rlimits.walltime:
            command += ["--timeout", str(rlimits.walltime)]
        if rlimits.memory:
            command += ["--memory-limit", str(max(1, rlimits.memory * 95 // 100_000_000))]
        return command + list(task.input_files)

    def determine_result(self, run):
        report = find_report(run.output)
        code = run.exit_code.value
        if code in ERRORS:
            return f"{result.RESULT_ERROR} ({ERRORS[code]})"
        if report is None or code != report.get("exit_code"):
            return result.RESULT_ERROR
        verdict = report.get("verdict")
        if verdict == "successful":
            return result.RESULT_TRUE_PROP
        if verdict == "failed":
            failed = report.get("failed_assertion", {})
            name = failed.get("property", "assertions")
            if name == "pointers" and " freed" in failed.get("text", ""):
                return result.RESULT_FALSE_FREE
            return VIOLATED.get(name, f"{result.RESULT_FALSE_PROP}({name})")
        if verdict == "inconclusive":
            parts = report.get("reason", {}).get("parts", [])
            found = [LIMITS[part["kind"]] for part in parts if part.get("kind") in LIMITS]
            return found[0] if found else result.RESULT_UNKNOWN
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """A member of the report: its names with dots between, such as statistics.states; of a list its length."""
        value = find_report(output)
        for name in identifier.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return len(value) if isinstance(value, list) else value


def find_report(output):
    """The report in the output, which words on the standard error may stand around; None if there is none."""
    for line in reversed(list(output)):
        if line.startswith("{"):
            try:
                report = json.loads(line)
            except ValueError:
                continue
            if isinstance(report, dict):
                return report
    return None
