"""Everything in the repository that is no module: tests, fixtures, docs, legacy code, the changelog."""

from __future__ import annotations

import json
import random

from benchmarks._refactoring._project import SYNC, Module, Project
from benchmarks._refactoring._sources import source
from benchmarks._refactoring._wording import CACHE_NOTE, GUIDE, NOTES

__all__ = ["papers"]

RUN = '''"""What the tests share: one way to call both kinds of functions."""

import asyncio
import inspect
import json
import sys


def run(value):
    """The value of a call, awaited where it must be."""
    return asyncio.run(value) if inspect.isawaitable(value) else value


def settled(value):
    """The value of a call as text; nothing in it may still have to be awaited."""
    return json.dumps(run(value), sort_keys=True)


def log_rows(name, count):
    """Log as the application does."""
    for at in range(count):
        sys.stderr.write(f"DEBUG {name} row={at} state={'checked' if at % 3 else 'skipped'} cost={at * 7 % 11}\\n")
'''
TEMPERS = "calm plain short early late quiet sound exact open narrow steady even".split()
TOPICS = "names imports tests reviews timeouts cancellation shutdown logging tracing queues retries limits".split()


def papers(project: Project) -> dict[str, str]:
    """Path to text of the whole repository as the agent finds it."""
    rng = random.Random(f"papers {project.seed}")
    found = {module.path: source(project, module, SYNC) for module in project.modules}
    for folder in dict.fromkeys(path.rpartition("/")[0] for path in [*found]):
        found[f"{folder}/__init__.py"] = ""
    found[f"{project.package}/__init__.py"] = f'"""The {project.package} package."""\n'
    found["tests/__init__.py"] = RUN
    for module in project.modules:
        found[module.test] = _tests(module)
        rows = {key: {"name": f"{module.stem} {key}", "size": rng.randrange(1, 90)} for key in "abc"}
        found[f"fixtures/{module.stem}.json"] = json.dumps(rows, indent=1) + "\n"
        for mark in module.marks:
            if mark.startswith("twin: "):
                found[mark.split()[1]] = _twin(module)
    found[GUIDE] = _prose(rng, "How we write asynchronous code", 11, "", project.scale)
    found[NOTES] = _prose(rng, "Notes on the web layer", 7, CACHE_NOTE, project.scale)
    found["CHANGELOG.md"] = "# Changelog\n\n## Unreleased\n\n## 1.4.0\n\n- First public release.\n"
    found["requirements.txt"] = "python-dateutil>=2.9\n"
    return found


def _tests(module: Module) -> str:
    argument = '"name"' if module.layer == "core" and module.listed else '"a"'
    lines = ["import inspect", "import unittest", "", f"from {module.dotted} import *"]
    lines += ["from tests import log_rows, run, settled", "", ""]
    lines += [f"class {module.stem.title()}Test(unittest.TestCase):"]
    if module.stem == "clock":
        call = "run(call(name))"
        lines[6:6] = ["", "def call(name):", "    known = inspect.signature(stamp_clock).parameters", *_either("zone")]
        lines[6:6] = [""]
    elif module.stem == "guard":
        call = "run(call(name))"
        lines[6:6] = ["", "def call(name):", "    known = inspect.signature(check_guard).parameters", *_either("scope")]
        lines[6:6] = [""]
    else:
        call = f"run({module.function}(name))"
    lines += ["    def test_value(self):", f"        name = {argument}"]
    lines += [f'        log_rows("{module.dotted}", {module.chatter})'] if module.chatter else []
    lines += [f"        self.assertTrue({call})", "", "    def test_twice(self):", f"        name = {argument}"]
    same = call.replace("run(", "settled(", 1)
    lines += [f"        self.assertEqual({same}, {same})"]
    if module.layer == "data" or (module.layer != "core" and module.calls and module.listed):
        lines += ["", "    def test_missing(self):", "        with self.assertRaises(KeyError):"]
        lines += [f'            run({module.function}("nowhere"))']
    if module.filler:
        lines += ["", "    def test_band(self):", f'        self.assertEqual(band_{module.stem}(10**6), "over")']
    if module.describes:
        name = f"describe_{module.stem}"
        lines += ["", "    def test_plain(self):", f'        told = "{name} must stay a plain function"']
        lines += [f"        self.assertFalse(inspect.iscoroutinefunction({name}), told)"]
    return "\n".join(lines) + "\n"


def _either(name: str) -> list[str]:
    function = "stamp_clock" if name == "zone" else "check_guard"
    return [f'    return {function}(name, {name}="x") if "{name}" in known else {function}(name)', ""]


def _twin(module: Module) -> str:
    return "\n".join(
        [
            f'"""The old way to {module.stem}; another team\'s."""',
            "",
            f"def {module.function}_sync(key):",
            '    with open("fixtures/' + module.stem + '.json") as handle:',
            "        return handle.read()[key]",
            "",
        ]
    )


def _prose(rng: random.Random, title: str, sections: int, planted: str, scale: float) -> str:
    """A document of so many sections; one sentence is planted in the middle."""
    lines = [f"# {title}", ""]
    for at, topic in enumerate(rng.sample(TOPICS, sections)):
        tempers = rng.sample(TEMPERS, 4)
        lines += [f"## {topic.title()}", ""]
        lines += [f"Keep {topic} {tempers[0]} and {tempers[1]}: a reader should find {topic} where they are needed."]
        lines += [f"What is {tempers[2]} today may not be {tempers[3]} in a year; say so beside the code, in one line."]
        lines += [
            f"Rule {number} of {topic}: {TEMPERS[number % 12]} first." for number in range(1, round(6 * scale) - 5)
        ]
        lines += [planted] if planted and at == sections // 2 else []
        lines += [""]
    return "\n".join(lines)
