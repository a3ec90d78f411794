#!/usr/bin/env python3
"""Runs sapa, ESBMC and ThreadSanitizer on the programs of benchmarks/programs/everyday, and prints the table of docs/comparison.md.

    python3 compare.py --sapa SAPA --esbmc ESBMC [--every 8] [--first 0] [--limit 30] [--output rows.json]

Each program is run as it is (safe) and with -DBROKEN. Every N-th by name is taken, from the given one on, so that nobody chooses. The limit is on the
processor time of a process, as other work on the machine makes no difference to it; a run also ends after four times that by the clock.

ThreadSanitizer is no verifier: the program is compiled with gcc's -fsanitize=thread and run up to 100 times, as often as the limit allows. What counts
is whether the assertion failed in one of the runs; whether a race was reported is a column of its own.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs" / "everyday"
ESBMC = ["--no-bounds-check", "--no-pointer-check", "--no-div-by-zero-check"]
# Few changes of threads and few rounds of loops: what fails, fails; what does not is not proved.
SEARCH = [*ESBMC, "--unwind", "10", "--no-unwinding-assertions", "--context-bound", "2"]
# All of them, more and more rounds: a success is a proof.
PROOF = [*ESBMC, "--incremental-bmc", "--falsify-context-bound", "3"]
MEMORY = 4 << 30
RUNS = 100


def run(command, limit, memory=True):
    """The exit code (None beyond the limit), the output, and the processor time in seconds."""

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 1))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, preexec_fn=limits, start_new_session=True
        )
        try:
            code = process.wait(timeout=4 * limit)
        except subprocess.TimeoutExpired:
            code = None
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        process.wait()
        output.seek(0)
        text = output.read().decode(errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    killed = code is not None and code in (-9, -24)
    return (None if seconds > limit or killed else code), text, seconds


def sapa(tool, program, defines, limit, options=()):
    code, _, seconds = run([tool, "check", str(program), *defines, *options], limit)
    return {0: "safe", 10: "fails"}.get(code, "–"), seconds


def races(tool, program, defines, limit):
    """Whether sapa finds a race, which is to be compared with what the sanitizer reports."""
    answer, seconds = sapa(tool, program, defines, limit, ["--property", "races"])
    return {"safe": "none", "fails": "race"}.get(answer, "–"), seconds


def esbmc(tool, program, defines, limit, options):
    """A failure counts if it is of an assertion of the program: not of memory, nor of unwinding."""
    code, text, seconds = run([tool, str(program), *defines, *options], limit)
    if code == 0 and "VERIFICATION SUCCESSFUL" in text:
        return "safe", seconds
    if code == 1 and "VERIFICATION FAILED" in text:
        violated = text.split("Violated property:")[-1].strip().split("\n\n")[0]
        is_assertion = "assertion" in violated and "unwinding assertion" not in violated
        return ("fails" if is_assertion else "other"), seconds
    return ("–" if code is None or "imed out" in text else "error"), seconds


def sanitizer(program, defines, limit):
    """Whether an assertion failed, whether a race was reported, and the time."""
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/program"
        flags = ["-g", "-O1", "-pthread", "-fsanitize=thread", "-w", *defines]
        code, _, _ = run(["gcc", *flags, str(program), "-o", binary, "-lm"], 60)
        if code != 0:
            return "error", False, 0.0
        total, raced, fails, clock = 0.0, False, False, time.monotonic()
        for _ in range(RUNS):
            command = ["setarch", "-R", binary]
            code, text, seconds = run(command, 5, memory=False)
            total += seconds
            raced |= "data race" in text
            fails |= "Assertion" in text
            if fails or total > limit or time.monotonic() - clock > 4 * limit:
                break
        return ("fails" if fails else "–"), raced, total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sapa", required=True)
    parser.add_argument("--esbmc", required=True)
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--limit", type=float, default=30)
    parser.add_argument("--tools", default="sapa,races,sanitizer,search,proof")
    parser.add_argument("--output", default="/dev/null")
    options = parser.parse_args()
    rows = []
    for program in sorted(PROGRAMS.glob("*.c"))[options.first :: options.every]:
        for defines, right in ([], "safe"), (["-DBROKEN"], "fails"):
            row = {"program": program.stem, "right": right}
            given = (program, defines, options.limit)
            row["sapa"] = sapa(options.sapa, *given) if "sapa" in options.tools else ("", 0.0)
            row["sanitizer"] = sanitizer(*given) if "sanitizer" in options.tools else ("", False, 0.0)
            for name, words in ("search", SEARCH), ("proof", PROOF):
                row[name] = esbmc(options.esbmc, *given, words) if name in options.tools else ("", 0.0)
            row["races"] = races(options.sapa, *given) if "races" in options.tools else ("", 0.0)
            rows.append(row)
            pathlib.Path(options.output).write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    show(rows)


def show(rows):
    """The rows as a table, and below it how many answers of each tool are right, and wrong."""
    heads = ["program", "right", "sapa", "s", "ESBMC, bounded", "s", "ESBMC, all runs", "s", "failed when run"]
    heads += ["sanitizer: race", "sapa: race", "s"]
    print("|", " | ".join(heads), "|")
    print("|", " | ".join("---:" if head == "s" else "---" for head in heads), "|")
    for row in rows:
        words = [f"`{row['program']}`", row["right"]]
        for tool in "sapa", "search", "proof":
            answer, seconds = row[tool]
            if tool == "search" and answer == "safe":
                answer = "none found"
            words += [answer, f"{seconds:.1f}" if answer else ""]
        fails, raced, _ = row["sanitizer"]
        found, seconds = row["races"]
        words += [fails, "race" if raced else "–", found, f"{seconds:.1f}"]
        print("|", " | ".join(words), "|")
    print()
    for tool in "sapa", "search", "proof", "sanitizer":
        asked = [row for row in rows if row[tool][0]]
        counts = []
        for right, wrong in ("safe", "fails"), ("fails", "safe"):
            of = [row[tool][0] for row in asked if row["right"] == right]
            counts.append(f"{right}: {of.count(right)} of {len(of)}, the contrary {of.count(wrong)}")
        print(f"{tool}: {'; '.join(counts)}")


if __name__ == "__main__":
    main()
