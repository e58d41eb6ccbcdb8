"""The hands: a real folder with real files, real git and a real test runner.

The same project and the same steps give the same bytes: dates, times, paths and places in memory are evened out,
and a test run over the same files is done once in a process.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from benchmarks._refactoring._moves import Move
from benchmarks._refactoring._papers import papers
from benchmarks._refactoring._project import SYNC, Module, Project, Style, fitting
from benchmarks._refactoring._runner import run_unittest
from benchmarks._refactoring._sources import source

__all__ = ["Workshop"]

ROOT: Final = "/app"
"""What the folder is called in every output."""
TOOK: Final = re.compile(r"in \d+\.\d+s")
PLACE: Final = re.compile(r"\b0x[0-9a-f]{6,}")
"""Where an object lies in memory."""
LIBRARY: Final = str(Path(subprocess.__file__).parent)
"""Where this machine has Python's own modules."""
RUNS: Final[dict[tuple[str, str], str]] = {}
"""Outputs of test runs, by command and the files' digest."""


class Workshop:
    """One repository in work.

    Args:
        project: what stands in it.
        folder: an empty folder.
    """

    def __init__(self, project: Project, folder: Path) -> None:
        self.project = project
        self.folder = folder
        self.files: dict[str, str] = {}
        """What stands on disk now."""
        self.styles = {module.path: SYNC for module in project.modules}
        self.commits = 0
        for path, text in papers(project).items():
            self._write(path, text)
        self._git("init", "-q", "-b", "main")
        self._git("add", "-A")
        self._commit("First release")
        self.first = dict(self.files)

    # -- what the agent does ------------------------------------------------------

    def do(self, move: Move) -> tuple[str, dict[str, str], str]:
        """Carry a move out: the tool's name, its arguments, its output."""
        if move.kind == "read":
            return "read_file", {"path": move.path}, self.files.get(move.path, f"Error: no such file: {move.path}")
        if move.kind == "write":
            return self._wrote(move)
        if move.kind == "edit":
            old, new = self.replacement(move.path, move.about)
            self._write(move.path, self.files[move.path].replace(old, new, 1))
            arguments = {"path": move.path, "old_string": old, "new_string": new}
            return "edit_file", arguments, f"The file {move.path} has been edited."
        return "bash", {"command": move.command}, self.run(move.command)

    def _wrote(self, move: Move) -> tuple[str, dict[str, str], str]:
        text = self.text(move)
        lines = text.count("\n")
        module = self.project.at(move.path)
        if module is not None and move.style is not None:
            self.styles[move.path] = fitting(module, move.style)
        self._write(move.path, text)
        return "write_file", {"path": move.path, "content": text}, f"Wrote {lines} lines to {move.path}."

    def text(self, move: Move) -> str:
        """What a `write` would put on disk."""
        module = self.project.at(move.path)
        assert module is not None
        assert move.style is not None
        return source(self.project, module, fitting(module, move.style))

    def replacement(self, path: str, about: str = "") -> tuple[str, str]:
        """Old and new words of a side job in a file that is no module, taken up for one."""
        module = next((found for found in self.project.modules if found.test == path), None)
        if module is not None:
            old = f"self.assertFalse(inspect.iscoroutinefunction(describe_{module.stem}), told)"
            return old, f"self.assertTrue(callable(describe_{module.stem}), told)"
        if path == "requirements.txt":
            return "python-dateutil>=2.9\n", "python-dateutil>=2.9\naiofiles>=24.1\n"
        if path == "CHANGELOG.md":
            return "## Unreleased\n", f"## Unreleased\n\n- {about or 'The package'} is asynchronous.\n"
        return "def ", "async def "

    # -- commands -----------------------------------------------------------------

    def run(self, command: str) -> str:
        """The output of a command, with its exit code where that isn't 0."""
        words = shlex.split(command)
        if words[:3] == ["python", "-m", "unittest"]:
            key = (command, self.digest(".py"))
            if key not in RUNS:
                RUNS[key] = self._even(*run_unittest(self.folder, words[3:]))
            return RUNS[key]
        if words[:2] == ["git", "commit"]:
            return self._commit(words[-1])
        return self._output([*words, *(["--include=*.py"] if words[0] == "grep" else [])])

    def digest(self, ending: str = "") -> str:
        """What stands on disk, as a key."""
        found = blake2b(digest_size=12)
        for path in sorted(self.files):
            if path.endswith(ending):
                found.update(f"{path}\0{self.files[path]}\0".encode())
        return found.hexdigest()

    def _output(self, words: list[str]) -> str:
        done = subprocess.run(words, cwd=self.folder, env=self._env(), capture_output=True, text=True, check=False)
        text = done.stdout + done.stderr
        return self._even(
            done.returncode, "".join(sorted(text.splitlines(keepends=True))) if words[0] == "grep" else text
        )

    def _even(self, code: int, text: str) -> str:
        """An output without what differs from run to run."""
        text = TOOK.sub("in 0.041s", text).replace(str(self.folder), ROOT).replace(LIBRARY, "/usr/lib/python3")
        text = PLACE.sub("0x7f3a5c0de000", text).rstrip("\n") or "(no output)"
        return text if code == 0 else f"Exit code {code}\n{text}"

    def _env(self) -> dict[str, str]:
        date = f"2030-05-06T10:{self.commits // 60 % 60:02}:{self.commits % 60:02}+00:00"
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
            **{f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER") for what, text in IDENTITY.items()},
        }

    def _git(self, *words: str) -> str:
        return self._output(["git", *words])

    def _commit(self, message: str) -> str:
        self.commits += 1
        return self._git("commit", "-qam", message) if self.commits == 1 else self._git("commit", "-am", message)

    # -- what others do, and how it ends --------------------------------------------

    def change(self, stem: str) -> None:
        """The user's own commit: a signature in core, and the callers that are converted."""
        flag = {"guard": "scope", "clock": "zone"}[stem]
        for module in self.project.modules:
            style = self.styles[module.path]
            if style.asynced and fitting(module, replace(SYNC, **{flag: True})) != SYNC:
                self._put(module, replace(style, **{flag: True}))
        self._commit(f"core: {stem} takes a {flag}")

    def _put(self, module: Module, style: Style) -> None:
        self.styles[module.path] = style
        self._write(module.path, source(self.project, module, style))

    @property
    def converted(self) -> int:
        """How many of the named modules are async on disk."""
        return sum(self.styles[module.path].asynced for module in self.project.listed)

    def solved(self) -> bool:
        """Every named module is async, and the tests as they were at first pass."""
        for path, text in self.first.items():
            if path.startswith("tests/"):
                self._write(path, text)
        ran = self.run("python -m unittest discover -s tests -t .")
        return self.converted == len(self.project.listed) and "\nOK" in ran

    def _write(self, path: str, text: str) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        self.files[path] = text


IDENTITY: Final = {"NAME": "dev", "EMAIL": "dev@example.org"}
