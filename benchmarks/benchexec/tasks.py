#!/usr/bin/env python3
"""Writes task definitions of the programs of benchmarks/programs for BenchExec: `tasks.py FOLDER [FILTER]`.

A program whose name ends in _safe or _unsafe is a task; the name says the expected verdict. For each folder of programs
there is a list of its tasks (FOLDER/NAME.set), which sapa.xml includes.
"""

import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "programs"
PROPERTY = HERE / "properties" / "unreach-call.prp"
FOLDERS = ["literature", "sapa"]


def task(program, folder):
    """The text of a task; JSON strings are YAML."""
    quoted = lambda path: json.dumps(os.path.relpath(path, folder))
    verdict = "true" if program.stem.endswith("_safe") else "false"
    return (
        f'format_version: "2.0"\ninput_files: {quoted(program)}\n'
        f"properties:\n  - property_file: {quoted(PROPERTY)}\n    expected_verdict: {verdict}\n"
        "options:\n  language: C\n  data_model: LP64\n"
    )


def main(folder, wanted=""):
    folder = pathlib.Path(folder).resolve()
    for name in FOLDERS:
        tasks = folder / name
        tasks.mkdir(parents=True, exist_ok=True)
        names = []
        for program in sorted((PROGRAMS / name).glob("*.c")):
            if program.stem.endswith(("_safe", "_unsafe")) and wanted in program.stem:
                (tasks / f"{program.stem}.yml").write_text(task(program, tasks))
                names.append(f"{name}/{program.stem}.yml\n")
        (folder / f"{name}.set").write_text("".join(names))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(f"usage: {sys.argv[0]} FOLDER [FILTER]")
    main(*sys.argv[1:])
