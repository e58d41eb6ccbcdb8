"""The scripted agent: twelve ticks in a real repository, gone on with from the files after it was killed.

    python -m benchmarks._ticks._agent FOLDER WINDOW KILL_AT RUNNER

What it does depends on the files alone: the next tick is the one that has no file, the fault is there or not.
In tick KILL_AT it kills itself with SIGKILL, once, after its edit and before the test.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._ticks._project import FAULTS, Fault, git, run_tests
from context_kit import ContextManager, Harness
from context_kit.testing import Call, assistant, tool_round, user

NODES = {"survey": ["fix"], "fix": ["review"], "review": ["fix", "done"], "done": []}
TASK = "Mend the faults of this project, one module a round. Do not change the tests. Keep every public name."
RECORD, BRIDGE, TICKS = "[tick record", "[context record", "## Ticks"
AGAIN, NEW = "incomplete error handling in parse_amount", "parse_amount should say which currency it means"
DRIFT = 7
"""Lines that tick 5 puts above the place that tick 3 mended."""


class Agent:
    """One process of the agent."""

    def __init__(self, folder: Path, window: int, kill_at: int, runner: str) -> None:
        self.folder, self.kill_at, self.runner = folder, kill_at, runner
        self.ctx = ContextManager.open(folder / "state", "night", window=window)
        self.harness = Harness(folder / ".harness")
        self.out = (folder / "out.jsonl").open("a", encoding="utf-8")
        self.calls = len(self.ctx.messages) * 1_000
        self.most = self.cost = 0
        self.seen = {*self.of_ticks()}

    def tell(self, **what: Any) -> None:
        """A line for the judge; it survives the kill."""
        self.out.write(json.dumps(what) + "\n")
        self.out.flush()
        os.fsync(self.out.fileno())

    def run(self) -> None:
        """Go on with the first tick that has no file."""
        first = not self.ctx.messages
        flow = self.harness.declare(NODES)
        self.tell(begun=os.getpid(), node=flow.node, first=first)
        if first:
            self.ctx.add(user(TASK))
            self.harness.require("every test passes")
            self.harness.require("no test was changed")
            self.harness.require("no public name was changed")
        for number in range(len(self.harness.numbers()) + 1, len(FAULTS) + 1):
            self.tick(number, FAULTS[number - 1])
        self.harness.judge("A1", "met", evidence="pytest passed in tick 12")
        self.harness.move("done")
        self.ctx.close()

    # -- one tick ----------------------------------------------------------------------

    def tick(self, number: int, fault: Fault) -> None:
        """Read, find, mend, check, commit."""
        self.most = self.cost = 0
        path = f"src/{fault.module}.py"
        with self.ctx.tick(f"round {number}: {fault.module}", harness=self.harness) as tick:
            self.harness.move("fix")
            self.tell(tick=tick.number, wanted=number, resumed=tick.resumed, node=self.harness.flow.node)
            tick.write("done", f"aim: {fault.said} (process {os.getpid()})")
            self.read(path)
            self.shell(fault.module)
            self.mend(path, fault)
            if number == self.kill_at and not (self.folder / "killed").exists():
                (self.folder / "killed").write_text(self.harness.flow.node, "utf-8")
                os.kill(os.getpid(), signal.SIGKILL)
            if number == 5:
                self.drift()
            self.shell(fault.module)
            self.harness.move("review")
            if number == 8:
                self.review()
            if number == len(FAULTS):
                self.shell()
            git(self.folder, "add", "-A")
            git(self.folder, "commit", "-q", "-m", f"round {number}")
        self.tell(
            closed=tick.number, most=self.most, cost=self.cost, compactions=self.applied, usage=self.ctx.usage.tokens
        )

    def read(self, path: str) -> None:
        text = (self.folder / path).read_text("utf-8")
        numbered = "\n".join(f"{at:>6}\t{line}" for at, line in enumerate(text.splitlines(), 1))
        self.step("read_file", {"path": path}, numbered, f"I read {path}.")

    def mend(self, path: str, fault: Fault) -> None:
        """Name the fault with its line, then edit; what is mended already stays."""
        file = self.folder / path
        text = file.read_text("utf-8")
        if fault.broken not in text:
            self.say(f"{path} has the edit already; I run its test again.")
            return
        line = text[: text.index(fault.broken)].count("\n") + 2
        file.write_text(text.replace(fault.broken, fault.mended), "utf-8")
        said = f"Problems in {path}:\n- {path}:{line} {fault.said}"
        self.step("edit_file", {"path": path, "old_string": fault.broken, "new_string": fault.mended}, "edited", said)
        if fault.module == "parser":
            (self.folder / "state" / "line").write_text(str(line), "utf-8")

    def drift(self) -> None:
        """Put lines above the place that tick 3 mended."""
        file = self.folder / "src/parser.py"
        old = file.read_text("utf-8")
        more = "".join(f"# note {at} on the amounts\n" for at in range(DRIFT))
        head = old.splitlines(keepends=True)[0]
        if more not in old:
            file.write_text(more + old, "utf-8")
            arguments = {"path": "src/parser.py", "old_string": head, "new_string": more + head}
            self.step("edit_file", arguments, "edited", "Some notes at the top of the parser.")

    def review(self) -> None:
        """A reviewer, who remembers nothing, reports what tick 3 mended, in other words and at its new line."""
        line = int((self.folder / "state" / "line").read_text("utf-8")) + DRIFT
        said = f"Findings of the review:\n1. `src/parser.py:{line}`: {AGAIN}\n2. `src/parser.py:{line + 1}`: {NEW}"
        self.step("review", {"what": "src"}, said, "I ask for a review.")
        answered = [text for text in self.texts() if RECORD in text and AGAIN in text]
        self.tell(again=line, answered=answered[-1] if answered else "")

    # -- messages ----------------------------------------------------------------------

    @property
    def applied(self) -> int:
        return sum(receipt.outcome == "applied" for receipt in self.ctx.compactions)

    def shell(self, module: str = "") -> None:
        command, printed = run_tests(self.folder, module, runner=self.runner)
        self.step("bash", {"command": command}, printed, "I run the tests.")

    def say(self, text: str) -> None:
        self.ready()
        for message in assistant(text):
            self.ctx.add(message)
        self.ctx.add(user("Go on."))

    def step(self, tool: str, arguments: dict[str, Any], result: str, said: str) -> None:
        self.ready()
        self.calls += 1
        for message in tool_round([Call(tool, arguments, result=result, id=f"call_{self.calls}")], text=said):
            self.ctx.add(message)
        self.ready()

    def ready(self) -> None:
        """Send nothing, but as a request would: what ticks take of the window is measured here."""
        before = self.applied
        self.ctx.prepare()
        told = self.of_ticks()
        self.most = max(self.most, count_tokens(told))
        self.cost += count_tokens([text for text in dict.fromkeys(told) if text not in self.seen])
        self.seen.update(told)
        if self.applied > before:
            page = next((text for text in self.texts() if text.startswith(BRIDGE)), "")
            checkpoint = (self.folder / "state/night/checkpoint.md").read_text("utf-8")
            self.tell(bridge=page, node=self.harness.flow.node, checkpoint=checkpoint)

    def of_ticks(self) -> list[str]:
        """What stands in the window of ticks: starts and answers, and the bridge's section."""
        told = [text for text in self.texts() if text.startswith(RECORD)]
        bridges = [text for text in self.texts() if text.startswith(BRIDGE) and TICKS in text]
        return [*told, *(text[text.index(TICKS) :].split("\n\n")[0] for text in bridges)]

    def texts(self) -> list[str]:
        return [message["content"] for message in self.ctx.messages if isinstance(message.get("content"), str)]


if __name__ == "__main__":
    Agent(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]).run()
