#!/usr/bin/env python3
"""Makes mutants of a kernel file by operators, runs cases on each and reports those that survive.

generate.py src/kernels/softmax/warp_row.cu --cases tests/mutants/softmax_warp_row.cases [--through OTHER.cu]
            [--build build/dev] [--type float] [--jobs N] [--race] [--check] [--markdown]

Operators, one place a mutant: < to <=, <= to <, > to >=, >= to >, += to =, && to ||, || to &&, + to -, - to +,
[i] to [i + 1] and [i - 1], a loop's bound + 1 and - 1, a statement dropped. `--through` compiles another file that
includes the mutated one. A survivor needs a reason in equivalent.json; with --check the exit code is 1 where one has
none, or where a reason is given for a mutant that does not survive.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import sys
import tempfile

import mutants as engine

HERE = pathlib.Path(__file__).resolve().parent
EQUIVALENT = HERE / "equivalent.json"

SWAPS = [
    ("< to <=", r"(?<=[\w)\]]) < (?=[\w(])", " <= "), ("<= to <", r" <= ", " < "),
    ("> to >=", r"(?<=[\w)\]]) > (?=[\w(])", " >= "), (">= to >", r" >= ", " > "),
    ("+= to =", r" \+= ", " = "), ("&& to ||", r" && ", " || "), ("|| to &&", r" \|\| ", " && "),
    ("+ to -", r" \+ ", " - "), ("- to +", r" - ", " + "),
    ("index + 1", r"(?<=\w)\[([^\[\]&]+)\]", r"[\1 + 1]"), ("index - 1", r"(?<=\w)\[([^\[\]&]+)\]", r"[\1 - 1]"),
    ("bound + 1", r"(?<=; )(\w+ <=? [^;]+);", r"\1 + 1;"), ("bound - 1", r"(?<=; )(\w+ <=? [^;]+);", r"\1 - 1;"),
]
# Lines that declare: their brackets are sizes, and dropping them only breaks the build.
DECLARATION = re.compile(r"^\s*(?:(?:const|constexpr|static|inline|using|typename|template|WM_SHARED|struct|class|return|auto)\b"
                         r"|[\w:]+(?:<[^;]*>)?[&*]? \w+(?:\[[^\]]*\])*(?: = [^;]*)?;)")
STATEMENT = re.compile(r"^\s*(?!(?:for|if|while|switch)\b)[\w.\->\[\]:&<>, +*/]+(?:\(.*\)| [+\-*/|&^]?= .*|\+\+|--)?;$")


def code_lines(text):
    """(number, line) from the first unnamed namespace to the registration, without comments."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("namespace")), 0)
    for number in range(first, len(lines)):
        line = lines[number]
        if re.match(r"void register_|Variant \w+\(|template <class T>\nVariant", line):
            return
        if not line.strip().startswith(("//", "#", "template", "static_assert", "/// ", "case ", "using ")):
            yield number, line


def changed_lines(line):
    """(operator, the line changed) for each place of each operator."""
    code = re.sub(r"//.*|\"[^\"]*\"", lambda match: " " * len(match.group()), line)
    declares = bool(DECLARATION.match(code))
    for operator, pattern, replacement in SWAPS:
        if declares and operator.startswith("index") and "=" not in code:
            continue
        for match in re.finditer(pattern, code):
            yield operator, line[: match.start()] + match.expand(replacement) + line[match.end() :]
    if not declares and STATEMENT.match(code.rstrip()):
        yield "statement dropped", re.match(r"\s*", line).group() + ";"


def generate(path, kernel, dtype, race):
    text = (engine.ROOT / path).read_text()
    lines = text.splitlines(keepends=True)
    made = []
    for number, line in code_lines(text):
        for operator, new in changed_lines(line):
            changed = [*lines[:number], new + "\n", *lines[number + 1 :]]
            mutant = engine.Mutant(f"g{len(made)}", kernel, {path: "".join(changed)}, "race" if race else "", dtype)
            mutant.what, mutant.place = operator, f"{number + 1}: `{line.strip()}`"
            mutant.key = (line.strip(), new.strip())
            made.append(mutant)
    return made


def known_reasons(path):
    entries = json.loads(EQUIVALENT.read_text()).get(path, []) if EQUIVALENT.exists() else []
    return {(entry["line"], entry["becomes"]): entry["reason"] for entry in entries}


def report(made, survivors, reasons, markdown):
    counts = collections.Counter()
    for mutant in made:
        state = "not compiled" if mutant.error else "equivalent" if mutant.key in reasons and mutant in survivors else (
            "survived" if mutant in survivors else "killed")
        counts[mutant.what, state] += 1
        counts["all", state] += 1
    states = ["killed", "equivalent", "survived", "not compiled"]
    if markdown:
        print("| operator | mutants | " + " | ".join(states) + " |\n|---|---|---|---|---|---|")
    for operator in [*dict.fromkeys(mutant.what for mutant in made), "all"]:
        row = [counts[operator, state] for state in states]
        cells = [f"`{operator}`" if " to " in operator and markdown else operator, sum(row), *row]
        print("| " + " | ".join(map(str, cells)).replace("||", "\\|\\|") + " |" if markdown else
              f"{operator:20} {sum(row):4} mutants: " + ", ".join(f"{n} {s}" for n, s in zip(row, states)))
    for mutant in survivors:
        line, new = mutant.key
        print(f"\n{mutant.place.split(':')[0]}: {line}\n  {mutant.what}: {new}\n  {reasons.get(mutant.key, 'SURVIVED')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--cases", required=True)
    parser.add_argument("--through")
    parser.add_argument("--build", default=str(engine.ROOT / "build/dev"))
    parser.add_argument("--type", default="float")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS", "1")))
    parser.add_argument("--race", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    path = os.path.relpath(pathlib.Path(options.file).resolve(), engine.ROOT)
    made = generate(path, options.through or path, options.type, options.race)
    lines = pathlib.Path(options.cases).read_text().splitlines()
    cases = tuple(line for line in lines if line and not line.startswith("#"))
    for mutant in made:
        mutant.cases = cases
    with tempfile.TemporaryDirectory(prefix="warpmark-mutants-") as folder:
        work = pathlib.Path(folder)
        red = engine.red_without_fault(pathlib.Path(options.build) / "warpmark", made[:1], work)
        if red:
            sys.exit("not green without a fault:\n" + "\n".join(red))
        tool = engine.Builder(options.build, work, options.jobs).binary(made)
        survivors = [mutant for mutant in made if not mutant.error]
        for case in cases:  # whoever is caught needs no further case
            for mutant in survivors:
                mutant.cases = (case,)
            records = engine.run_mutants(tool, survivors, work, timeout="2s")
            survivors = [mutant for mutant in survivors if not engine.seen_by(records[mutant.name][0])]
    reasons = known_reasons(path)
    report(made, survivors, reasons, options.markdown)
    unexplained = [mutant for mutant in survivors if mutant.key not in reasons]
    wrong = set(reasons) - {mutant.key for mutant in survivors}
    for line, new in sorted(wrong):
        print(f"\nequivalent.json: does not survive (any more): {line} -> {new}")
    return 1 if options.check and (unexplained or wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
