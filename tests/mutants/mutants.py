"""Builds kernels with patches applied into one binary, under the names of the patches, and runs cases on them.

A mutant is a patch over src/kernels with a header:

    Mutant: what is wrong
    Kernel: src/kernels/matmul/naive.cu      the file that is compiled
    Gate: indexing                           what must see it: indexing, precision, race, schedule, poison or fault
    Type: float                              the one element type it is compiled for
    Quick: yes                               part of the everyday tests
    Case: matmul m=17 n=33 k=20 recipe=exact algo=naive
    Case: ...

Each case must be red by that gate. The build folder must hold a built `warpmark`: its compile and link commands are
reused, with the patched text in the place of the original.
"""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# An index past a register array has no meaning, and might do no harm: it ends the process instead.
TRAPS = ("-fsanitize=bounds", "-fsanitize-undefined-trap-on-error")
GATES = ("indexing", "precision", "race", "schedule", "poison", "fault")


@dataclasses.dataclass
class Mutant:
    name: str
    kernel: str
    patched: dict  # path under the root -> text
    gate: str = ""
    dtype: str = "float"
    cases: tuple = ()
    what: str = ""
    quick: bool = False
    place: str = ""
    error: str = ""  # of its compilation
    race: bool = dataclasses.field(init=False)

    def __post_init__(self):
        self.race = self.gate == "race"

    @property
    def namespace(self):
        return "mutant_" + re.sub(r"\W", "_", self.name)


def apply_patch(patch, read):
    """{path: patched text} of a unified diff. Each hunk's old lines must occur exactly once, wherever that is."""
    texts, path, before, after = {}, None, [], []

    def finish_hunk():
        if not before and not after:
            return
        old, new = "".join(before), "".join(after)
        count = texts[path].count(old)
        if count != 1:
            raise ValueError(f"does not apply to {path}: its lines occur {count} times:\n{old}")
        texts[path] = texts[path].replace(old, new)
        before.clear()
        after.clear()

    for line in patch.splitlines(keepends=True):
        if line.startswith("--- "):
            finish_hunk()
        elif line.startswith("+++ b/"):
            path = line[len("+++ b/") :].strip()
            texts.setdefault(path, read(path))
        elif line.startswith("@@"):
            finish_hunk()
        elif path:
            if line[0] in " -":
                before.append(line[1:])
            if line[0] in " +":
                after.append(line[1:])
    finish_hunk()
    return texts


def read_mutant(path):
    """Throws ValueError for a header or a patch that is wrong."""
    header, patch = re.split(r"^(?=--- a/)", path.read_text(), maxsplit=1, flags=re.MULTILINE)
    fields = [line.split(": ", 1) for line in header.splitlines() if line]
    value = dict(fields)
    cases = tuple(text for key, text in fields if key == "Case")
    if value.get("Gate") not in GATES or not cases or len(cases) > 2:
        raise ValueError(f"{path.name}: needs a Gate of {', '.join(GATES)} and one or two Cases")
    try:
        patched = apply_patch(patch, lambda name: (ROOT / name).read_text())
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    return Mutant(path.stem, value["Kernel"], patched, value["Gate"], value.get("Type", "float"), cases,
                  value["Mutant"], value.get("Quick") == "yes", next(iter(patched)))


ONE_TYPE = """
template <class T, class Only, class Fn>
void for_type(Fn& fn) {
  if constexpr (std::is_same_v<T, Only>) fn.template operator()<T>();
}
"""


def registration(dtype):
    """registry/register.hpp with for_types cut down to one type: a third of the compile time."""
    text = (ROOT / "src/registry/register.hpp").read_text()
    loop = "(fn.template operator()<Ts>(), ...);"
    template = "template <class... Ts, class Fn>\n"
    if text.count(loop) != 1 or text.count(template) != 1:
        raise ValueError("src/registry/register.hpp: for_types is not as it was")
    text = text.replace(loop, f"(for_type<Ts, {dtype}>(fn), ...);").replace(template, ONE_TYPE + template)
    return text.replace("#include <vector>", "#include <type_traits>\n#include <vector>")


def shell(command, cwd):
    done = subprocess.run(command, shell=isinstance(command, str), cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        words = command if isinstance(command, str) else shlex.join(map(str, command))
        raise RuntimeError(f"{words}\n{done.stdout}{done.stderr}")
    return done.stdout


class Builder:
    def __init__(self, build, work, jobs=1):
        self.build = pathlib.Path(build).resolve()
        self.work = pathlib.Path(work).resolve()
        self.jobs = jobs
        entries = json.loads((self.build / "compile_commands.json").read_text())
        self.commands = {os.path.relpath(entry["file"], self.build): entry["command"] for entry in entries}

    def binary(self, mutants):
        """The tool over the mutants that compile; the others get their `error`."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self.compile, mutants))
        built = [mutant for mutant in mutants if not mutant.error]
        parts = [self.link(flavour, [mutant for mutant in built if mutant.race == race])
                 for flavour, race in (("emu", False), ("emu_race", True))]
        return self.link_tool(dict(parts))

    def flavour_command(self, flavour, stem):
        return self.commands[f"kernels/{flavour}/{stem}.cpp"]

    def compile_command(self, command, source, target, folder, namespace, debug):
        words = shlex.split(command)
        kept, skip = [], False
        for word in words:
            if skip or word.startswith("-DWM_FLAVOUR=") or word == "-c" or word == "-o":
                skip = word in ("-c", "-o")
                continue
            if re.fullmatch(r"-O[23]|-g\d?", word):
                continue
            if word == f"-I{ROOT / 'src'}" and folder:
                kept.append(f"-I{folder / 'src'}")
            kept.append(word)
        return [*kept, f"-DWM_FLAVOUR={namespace}", "-O1", "-g" if debug else "-g0", "-w", *TRAPS, "-c", str(source), "-o", str(target)]

    def compile(self, mutant):
        folder = self.work / mutant.name
        kernel = pathlib.Path(mutant.kernel)
        stem = f"{kernel.parent.name}_{kernel.stem}"
        self.write(folder / "src/registry/register.hpp", registration(mutant.dtype))
        for path, text in mutant.patched.items():
            self.write(folder / path, text)
        source = self.write(folder / "mutant.cpp", f'#include "{kernel.relative_to("src")}"\n')
        command = self.compile_command(self.flavour_command("emu_race" if mutant.race else "emu", stem), source,
                                       folder / "mutant.o", folder, mutant.namespace, mutant.race)
        try:
            shell(command, self.build)
        except RuntimeError as error:
            mutant.error = str(error)

    def link(self, flavour, mutants):
        """(object of the flavour in the build folder, one with the mutants instead): only register_all stays visible."""
        namespace = f"{flavour}_kernels"
        declarations, calls = "", ""
        for mutant in mutants:
            kernel = pathlib.Path(mutant.kernel)
            register = f"register_{kernel.parent.name}_{kernel.stem}"
            declarations += f"namespace wm::{mutant.namespace} {{ void {register}(Catalog&); }}\n"
            calls += f'  add(catalog, "{mutant.namespace}", &wm::{mutant.namespace}::{register});\n'
        # The tool knows the algorithms of the plain flavour, so that one has the others too.
        race = "wm::emu_race_kernels"
        if flavour == "emu":
            declarations += f"namespace {race} {{ void register_all(wm::Catalog&); }}\n"
            calls += f"  {race}::register_all(catalog);\n"
        text = f"""#include "registry/catalog.hpp"
{declarations}
namespace wm::{namespace} {{
namespace {{
void add(Catalog& catalog, const char* name, void (*enter)(Catalog&)) {{
  Catalog own;
  enter(own);
  for (Variant variant : own.variants()) {{
    variant.id.algorithm = name;
    catalog.add(variant);
  }}
}}
}}
void register_all(Catalog& catalog);
void register_all(Catalog& catalog) {{
{calls}  (void)catalog;
  (void)&add;
}}
}}
"""
        source = self.write(self.work / f"{flavour}.cpp", text)
        start, whole = self.work / f"{flavour}_register.o", self.work / f"{flavour}.o"
        shell(self.compile_command(self.flavour_command("emu", "register_all"), source, start, None, namespace, False), self.build)
        objects = [str(self.work / mutant.name / "mutant.o") for mutant in mutants]
        shell(["ld", "-r", "--force-group-allocation", "-o", f"{whole}.all", str(start), *objects], self.work)
        shell(["objcopy", "-w", f"--keep-global-symbol=*{namespace}*register_all*", f"{whole}.all", str(whole)], self.work)
        return f"kernels/{flavour}/{flavour}_kernels.o", str(whole)

    def link_tool(self, objects):
        command = shell(["ninja", "-t", "commands", "warpmark"], self.build).splitlines()[-1]
        tool = self.work / "warpmark_mutants"
        for old, new in objects.items():
            if old not in command:
                raise ValueError(f"{old} is not in the link command of warpmark")
            command = re.sub(rf"(?<!\S){re.escape(old)}(?!\S)", new, command)
        shell(re.sub(r"-o warpmark(?!\S)", f"-o {shlex.quote(str(tool))}", command), self.build)
        return tool

    @staticmethod
    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


def seen_by(record):
    """The gate that turned a record red; empty where it is not red."""
    status, reason = record["status"], record["reason"]
    if status == "failed":
        if "under schedule" in reason:
            return "schedule"
        return "indexing" if record["recipe"].startswith("exact") else "precision"
    if status == "nondeterministic":
        probe = re.match(r"probe (\w+)", reason).group(1)
        return "poison" if probe.endswith("_poison") else probe
    if status == "error":
        return "race" if "race at" in reason else "fault"
    return ""


CASES_A_RUN = 400  # a command line has limits


def run_cases(tool, cases, work, timeout="20s"):
    """A record for each case string, in order."""
    records = []
    for first in range(0, len(cases), CASES_A_RUN):
        records += run_some(tool, cases[first : first + CASES_A_RUN], work, timeout)
    return records


def run_some(tool, cases, work, timeout):
    words = [word for case in cases for word in ("--case", case)]
    done = subprocess.run(
        [str(tool), "run", *words, "--stages", "verify,determinism", "--timeout", timeout, "--jobs", "1", "--format", "jsonl",
         "--no-progress", "--force", "--out", str(work / "out")],
        capture_output=True, text=True)
    if done.returncode not in (0, 1, 4):
        raise RuntimeError(f"{tool}: exit {done.returncode}\n{done.stderr}")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    records = sorted((record for record in records if "algorithm" in record), key=lambda record: record["index"])
    if len(records) != len(cases):
        raise RuntimeError(f"{tool}: {len(records)} records of {len(cases)} cases")
    return records


def on_device(mutant, case):
    return f"{case} device={'emu-race' if mutant.race else 'emu'}"


def run_mutants(tool, mutants, work, timeout="20s"):
    """{mutant name: records of its cases, in order}"""
    cases = [(mutant.name, on_device(mutant, re.sub(r"\balgo=\S+", f"algo={mutant.namespace}", case)))
             for mutant in mutants for case in mutant.cases]
    found = {mutant.name: [] for mutant in mutants}
    for (name, _), record in zip(cases, run_cases(tool, [case for _, case in cases], work, timeout)):
        found[name].append(record)
    return found


def red_without_fault(tool, mutants, work):
    """Cases that are not green on the kernel as it is: they would prove nothing."""
    cases = sorted({on_device(mutant, case) for mutant in mutants for case in mutant.cases})
    return [f"{case}: {record['status']}: {record['reason']}"
            for case, record in zip(cases, run_cases(tool, cases, work)) if record["status"] != "passed"]
