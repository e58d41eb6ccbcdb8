"""The long refactoring is a fair experiment: real, repeatable, and blind to the library."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import warnings
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

from benchmarks import refactoring
from benchmarks._judge import count_tokens
from benchmarks._refactoring import _wording as words
from benchmarks._refactoring._agent import decide
from benchmarks._refactoring._moves import Move
from benchmarks._refactoring._plain import Bigger, Everything, Freeform, RepeatAll, SelfNotes, Tail, tokens
from benchmarks._refactoring._play import STILL, Row, compactions_over, play
from benchmarks._refactoring._project import SYNC, Style, draw
from benchmarks._refactoring._prose import prose
from benchmarks._refactoring._referee import Referee
from benchmarks._refactoring._runner import run_unittest
from benchmarks._refactoring._sight import Sight
from benchmarks._refactoring._story import goal, turns
from benchmarks._refactoring._strategies import EXTRA, STRATEGIES, UNBOUND, Forgets, Setting
from benchmarks._refactoring._workshop import Workshop
from tests.llm.provider import BREAKS, Break, Provider
from tests.llm.replies import Reply

SEED, WINDOW = 3, 8_000
AGENT = ("_agent", "_progress", "_sight", "_tempted", "_wording", "_moves")
"""The modules by which the agent decides."""


@pytest.fixture(autouse=True, scope="module")
def tokenizer() -> None:
    """Load the judge's tokenizer once: it opens its data in a way that Python warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        count_tokens("once")


class PlainHistory:
    """What a LangChain-style loop does: a list, of which the newest messages are kept."""

    def __init__(self, keep: int) -> None:
        self.keep, self.compactions = keep, 0
        self.messages: list[dict[str, Any]] = []

    def add(self, message: dict[str, Any], /) -> None:
        self.messages.append(message)

    def window(self) -> list[dict[str, Any]]:
        if len(self.messages) > self.keep:
            self.compactions += 1
            kept = self.messages[-self.keep * 2 // 3 :]
            while kept[0]["role"] == "tool":
                kept = kept[1:]
            self.messages = [self.messages[0], *kept]
        return self.messages


@cache
def row(name: str) -> Row:
    """One run of a strategy, played once."""
    return play(draw(SEED), STRATEGIES[name](Setting(window=WINDOW, seed=SEED)), name=name, window=WINDOW)


# -- the experiment --------------------------------------------------------------------


def test_an_agent_that_sees_all_makes_no_mistake() -> None:
    """With the whole history in view nothing is repeated, contradicted, added unasked or made up."""
    found = row("none")
    assert found.solved
    assert found.faults == 0
    assert 60 <= found.steps <= 150


def test_the_tail_alone_makes_every_kind() -> None:
    """Each kind of fault happens to an agent that keeps the newest messages only."""
    found = row("tail")
    assert found.compactions > 5
    assert min(found.repeated, found.contradicted, found.drift, found.invented) > 0


def test_a_plain_history_shows_the_same_agent() -> None:
    """The agent isn't tuned to the library: a trimmed list makes it fail, one that is whole doesn't."""
    trimmed = play(draw(SEED), PlainHistory(24), name="plain", window=WINDOW)
    assert trimmed.compactions > 5
    assert min(trimmed.repeated, trimmed.contradicted, trimmed.drift) > 3
    whole = play(draw(SEED), PlainHistory(10_000), name="plain", window=WINDOW)
    assert (whole.faults, whole.solved) == (0, True)


def test_the_default_solves_it_with_a_tenth_of_the_tail_s_faults() -> None:
    """All four kinds together; and no other strategy that compacts has fewer, but the one that also retrieves."""
    ours = row("default")
    assert ours.solved
    assert ours.compactions > 3
    assert 10 * ours.faults <= row("tail").faults
    for name in STRATEGIES:
        if name not in ("none", "layered"):
            assert row(name).faults >= ours.faults, name


def test_the_strategies_differ_where_the_articles_say() -> None:
    """The template lowers repeats, and engrams lower contradictions and drift below the template's."""
    tail, template, engrams = row("tail"), row("template"), row("template+engrams")
    assert template.repeated < tail.repeated / 2
    assert template.solved
    assert engrams.contradicted < template.contradicted / 2
    assert engrams.drift < template.drift / 2


@pytest.mark.parametrize("name", ["bigger", "freeform", "self-notes", "repeat-all"])
def test_the_ways_that_failed_fail(name: str) -> None:
    """A larger window, free-form text, notes in the history and all summaries repeated: none solves the job."""
    assert not row(name).solved
    assert row(name).faults > 0


def test_a_stuck_run_is_stopped() -> None:
    """An agent that changes nothing for so many steps is not waited for."""

    class Empty(Everything):
        def window(self) -> list[dict[str, Any]]:
            return super().window()[:1]

    found = play(draw(SEED), Empty(), name="empty", window=WINDOW)
    assert (found.steps, found.solved) == (STILL, False)


def test_a_run_can_be_repeated() -> None:
    """The same seed gives the same row, tokens and all."""
    again = STRATEGIES["default"](Setting(window=WINDOW))
    assert play(draw(SEED), again, name="default", window=WINDOW) == row("default")


# -- the agent -------------------------------------------------------------------------


def source(name: str) -> str:
    return (Path(refactoring.__file__).parent / "_refactoring" / f"{name}.py").read_text("utf-8")


@pytest.mark.parametrize("name", AGENT)
def test_the_agent_knows_no_library(name: str) -> None:
    """Its source has no heading, tag, mark or address of the bridge, and imports nothing of it."""
    from context_kit.bridge import bridge_words

    text = source(name)
    for imported in ast.walk(ast.parse(text)):
        if isinstance(imported, ast.ImportFrom):
            assert not str(imported.module).startswith("context_kit")
    for language in ("en", "zh"):
        told = bridge_words(language)
        for part in ("title", "in_hand", "tried", "goal", "kept", "steps", "files", "decisions", "failed", "todo"):
            assert getattr(told, part) not in text
    assert not re.search(r"recall\(|context record|\bm\{|## |\bm\d+\b", text)


def test_the_agent_has_no_memory() -> None:
    """The same window gives the same step, and an emptier one another."""
    project = draw(SEED)
    window = [{"role": "system", "content": "."}, {"role": "user", "content": goal(project)}]
    assert decide(Sight(window)) == decide(Sight(window))
    assert decide(Sight(window)).path == words.GUIDE
    assert decide(Sight(window[:1])).kind == "run"


@pytest.mark.parametrize("rule", ["tests", "dependency", "scope"])
def test_the_goal_states_its_constraints_word_for_word(rule: str) -> None:
    """For every seed, in the user's language, in one of the wordings that the agent looks for."""
    for seed in range(12):
        project = draw(seed)
        told = [wording for wording in words.RULES[rule] if wording in goal(project)]
        assert len(told) == 1
        assert told[0].isascii() == (project.language == "en")


def test_the_user_speaks_both_languages() -> None:
    """In the turns of some seeds both occur, and every rule comes before the module that tempts to break it."""
    texts = [turn.text for seed in range(6) for turn in turns(draw(seed))]
    assert any(text.isascii() for text in texts)
    assert any(not text.isascii() for text in texts)
    for seed in range(6):
        project = draw(seed)
        come = {turn.name: turn.after for turn in turns(project) if turn.kind == "rule"}
        for at, module in enumerate(project.listed):
            for mark, rule in (("twin", "legacy"), ("public", "changelog"), ("name", "rename")):
                if any(text.startswith(f"{mark}: ") for text in module.marks):
                    assert at >= come[rule], (seed, module.path, rule)


# -- workshop and referee --------------------------------------------------------------


def write(path: str, style: Style) -> Move:
    return Move(kind="write", path=path, style=style)


def test_the_approaches_fail_for_real(tmp_path: Path) -> None:
    """The runner's own output tells of each failed approach, and the right version passes."""
    shop = Workshop(draw(SEED), tmp_path)
    clock = shop.project.listed[0]
    right = Style(asynced=True, thread=True)
    assert "\nOK" in shop.run(f"python -m unittest tests.test_{clock.stem}")
    shop.do(write(clock.path, replace(right, thread=False)))
    assert words.FAILED["open"].search(shop.run(f"python -m unittest tests.test_{clock.stem}"))
    for module in shop.project.listed:
        shop.do(write(module.path, right))
    assert shop.solved()
    found = {
        "gather": next(module for module in shop.project.listed if module.rows),
        "plain": next(module for module in shop.project.listed if module.describes),
    }
    for name, module in found.items():
        shop.do(write(module.path, replace(right, gather=True, coloured=True)))
        assert words.FAILED[name].search(shop.run(f"python -m unittest tests.test_{module.stem}"))
        assert not shop.solved()
        shop.do(write(module.path, right))
    shop.change("guard")
    assert shop.solved()
    late = next(module for module in shop.project.listed if module.guards)
    shop.do(write(late.path, right))
    assert words.FAILED["scope"].search(shop.run(f"python -m unittest tests.test_{late.stem}"))


def test_the_warm_runner_says_what_the_cold_one_says(tmp_path: Path) -> None:
    """A pass, a failure, an error, a module that isn't there and the whole suite, before and after a change."""
    shop = Workshop(draw(SEED), tmp_path)
    first = shop.project.listed[0]
    for style in (SYNC, Style(asynced=True), Style(asynced=True, thread=True)):
        shop.do(write(first.path, style))
        for argv in (["tests.test_" + first.stem], ["tests.test_nowhere"], ["discover", "-s", "tests", "-t", "."]):
            command = [sys.executable, "-E", "-S", "-B", "-m", "unittest", *argv]
            cold = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            code, text = run_unittest(tmp_path, argv)
            assert (code, verdicts(text)) == (cold.returncode, verdicts(cold.stdout + cold.stderr))
            assert verdicts(text)


def verdicts(text: str) -> list[str]:
    """What an output tells of the tests; warnings of the interpreter come when it likes."""
    told = r"^(?:ERROR|FAIL|OK|FAILED|Ran|Traceback|\w+Error|  File .*tests/).*"
    return [re.sub(r"in \d+\.\d+s|0x\w+", "", line) for line in re.findall(told, text, re.MULTILINE)]


def test_the_referee_counts_what_was_done(tmp_path: Path) -> None:
    """A read of what is unchanged, a run with nothing changed, an approach given up, a file not named, a made-up id."""
    shop = Workshop(draw(SEED), tmp_path)
    referee = Referee(shop, ticket=shop.project.tickets[1])
    first, second = shop.project.listed[0], shop.project.listed[1]
    right, wrong = Style(asynced=True, thread=True), Style(asynced=True)
    for move in (
        Move(kind="read", path=first.path),
        Move(kind="read", path=first.path),
        write(first.path, wrong),
        Move(kind="read", path=first.path),
        Move(kind="run", command=f"python -m unittest tests.test_{first.stem}"),
        Move(kind="run", command=f"python -m unittest tests.test_{first.stem}"),
        write(second.path, wrong),
        write(first.path, right),
        write(first.path, right),
        Move(kind="edit", path="requirements.txt"),
        Move(kind="run", command='git commit -qam "Converted it (MADE-1)"'),
        Move(kind="run", command=f'git commit -qam "Converted it ({shop.project.tickets[0]})"'),
        Move(kind="say", answer="reviewer", say="Nobody does."),
    ):
        referee.before(move)
        _, _, output = shop.do(move) if move.kind != "say" else ("", {}, "")
        referee.after(move, output)
    expected = "repeated repeated contradicted repeated drift invented contradicted invented"
    assert [kind for kind, _ in referee.faults] == expected.split()


def test_nothing_of_this_machine_is_in_an_output(tmp_path: Path) -> None:
    """Paths, dates and times are evened out: two folders give the same bytes."""
    outputs: list[list[str]] = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        shop = Workshop(draw(SEED), folder)
        clock = shop.project.listed[0]
        shop.do(write(clock.path, Style(asynced=True)))
        commands = (f"python -m unittest tests.test_{clock.stem}", 'git commit -qam "x (A-1)"', "git log --oneline")
        outputs.append([shop.run(command) for command in (*commands, "grep -rn stamp_clock .", "git ls-files *.py")])
    assert outputs[0] == outputs[1]
    assert not any(str(tmp_path) in text for text in outputs[0])
    assert shop.styles[clock.path] != SYNC


@pytest.mark.parametrize("scale", [2.0, 4.0])
def test_a_larger_window_gets_a_longer_job(scale: float) -> None:
    """The texts grow with the window; what there is to do, and what is said of it, stays the same."""
    small, large = draw(SEED), draw(SEED, scale)
    for before, after in zip(small.modules, large.modules, strict=True):
        assert replace(after, filler=before.filler, chatter=before.chatter) == before
        assert after.filler > before.filler
    assert goal(small) == goal(large)
    for early, late in zip(turns(small), turns(large), strict=True):
        assert early == late or early.kind == "noise"
    history = Everything()
    found = play(large, history, name="none", window=WINDOW)
    assert (found.faults, found.solved) == (0, True)
    assert found.steps == row("none").steps
    assert tokens(history.window()) > 0.75 * scale * WINDOW * 4


# -- strategies and the command ----------------------------------------------------------


def test_the_tail_keeps_no_goal_and_no_broken_pair() -> None:
    """Over 75 % it keeps the system message and what fits in 40 %, never a result without its call."""
    tail, everything = Tail(2_000), Everything()
    for at in range(60):
        call = {"id": f"c{at}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        for message in (
            {"role": "system", "content": "Work."} if not at else {"role": "user", "content": f"go on {at}"},
            {"role": "assistant", "content": "word " * 20, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": "line " * 40},
        ):
            tail.add(message)
            everything.add(message)
        window = tail.window()
        assert tokens(window) <= 1_500
        assert window[0]["role"] == "system"
        assert window[1]["role"] != "tool"
    assert tail.compactions > 2
    assert len(everything.window()) == 180


def step(at: int) -> list[dict[str, Any]]:
    """A call with its result."""
    arguments = json.dumps({"command": 'git commit -qam "x"' if at % 3 == 2 else f"make part{at}"})
    call = {"id": f"c{at}", "type": "function", "function": {"name": "bash", "arguments": arguments}}
    return [
        {"role": "assistant", "content": f"Step {at} builds part {at} of the house.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{at}", "content": "line " * 60 + f"\nOK {at}"},
    ]


TASK = {"role": "user", "content": "Build the house. Do not paint the door. " + "It has many parts. " * 4}


@pytest.mark.parametrize("kind", [Bigger, Freeform, RepeatAll, SelfNotes, Tail])
def test_every_plain_window_fits_and_is_legal(kind: Any) -> None:
    """Whatever piles up: within its size, the system message first, no result without its call, the newest step last."""
    history, size = kind(1_500), 3_000 if kind is Bigger else 1_500
    history.add({"role": "system", "content": "Work."})
    history.add(TASK)
    for at in range(80):
        for message in step(at):
            history.add(message)
        window = history.window()
        assert tokens(window) <= size
        assert window[0]["role"] == "system"
        assert window[1]["role"] != "tool"
        assert any(message.get("tool_call_id") == f"c{at}" for message in window)
    assert (history.compactions == 0) == (kind is Bigger)


def test_a_larger_window_is_full_in_the_end() -> None:
    """Nothing is compacted; the goal drops off first."""
    history = Bigger(1_500)
    history.add({"role": "system", "content": "Work."})
    history.add(TASK)
    seen: list[bool] = []
    for at in range(60):
        for message in step(at):
            history.add(message)
        seen.append(TASK in history.window())
    assert seen == sorted(seen, reverse=True)
    assert seen[0]
    assert not seen[-1]


def test_all_summaries_are_repeated_until_they_fill_the_window() -> None:
    """Each compaction adds one; with so many, compactions come more often than with one summary."""
    repeating, once = RepeatAll(1_500), Freeform(1_500)
    for history in (repeating, once):
        for message in ({"role": "system", "content": "Work."}, TASK):
            history.add(message)
    shown: list[int] = []
    for at in range(300):
        for history in (repeating, once):
            for message in step(at):
                history.add(message)
            history.window()
        shown.append(sum(str(message["content"]).startswith("Summary ") for message in repeating.window()))
    assert max(shown) >= 8
    assert repeating.compactions > 1.5 * once.compactions


def test_notes_are_cut_like_all_else() -> None:
    """One after each commit, and none outlives the messages around it."""
    history = SelfNotes(1_500)
    history.add({"role": "system", "content": "Work."})
    history.add(TASK)
    for at in range(40):
        for message in step(at):
            history.add(message)
    text = json.dumps(history.window())
    assert "My notes of this round" in text
    assert "part 2 of" not in text
    assert "part 38 of" in text


def test_a_free_form_summary_is_short_and_takes_the_session_s_words() -> None:
    """It begins with the goal, keeps within its limit, and a summary of a summary has one goal and no second opening."""
    messages = [TASK, *(message for at in range(30) for message in step(at))]
    first = prose(messages, 120)
    again = prose([{"role": "user", "content": f"Here is a summary:\n\n{first}"}, *messages[1:]], 120)
    for text in (first, again):
        assert count_tokens(text) <= 120
        assert text.startswith("The user asked: Build the house.")
        assert text.count("The user asked") == 1
    told = "\n".join(str(message["content"]) for message in messages)
    assert all(line in told or line.startswith("I ran ") for line in first.removeprefix("The user asked: ").split("\n"))


def test_half_of_the_memory_is_forgotten() -> None:
    """With odds of nothing every record is kept, with even odds about half of them."""
    setting = Setting(window=WINDOW, seed=SEED)
    forgetful = Forgets(setting)
    play(draw(SEED), forgetful, name="memory", window=WINDOW)
    whole = Forgets(setting, odds=0.0)
    play(draw(SEED), whole, name="memory", window=WINDOW)
    some, all_ = len([*forgetful.store.read("")]), len([*whole.store.read("")])
    assert all_ / 4 < some < all_ * 3 / 4


def test_compactions_over_the_same_messages() -> None:
    """What a history shows doesn't change what comes: the count is the strategy's own."""
    messages = [TASK, *(message for at in range(40) for message in step(at))]
    counts = [compactions_over(messages, Tail(window)) for window in (100_000, 3_000, 1_500)]
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts[1] > 0


def test_the_rows_are_the_same_on_two_processes(tmp_path: Path) -> None:
    """And they come in the order of seeds, windows and strategies."""
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for jobs, out in zip(("1", "2"), files, strict=True):
        arguments = ["--seeds", "2", "--strategies", "tail,freeform,template", "--jobs", jobs, "--json", str(out)]
        assert refactoring.main(arguments) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    rows = json.loads(files[0].read_text("utf-8"))
    assert [(found["seed"], found["strategy"]) for found in rows] == [
        (seed, name) for seed in (1, 2) for name in ("tail", "freeform", "template")
    ]


def test_the_page_shows_the_sums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables between the page's marks, and a chart that says the same figures in words."""
    page, chart = tmp_path / "page.md", tmp_path / "chart.svg"
    page.write_text("# Page\n\n<!-- refactoring -->\n<!-- /refactoring -->\n\nrest\n", "utf-8")
    arguments = ["--seed", str(SEED), "--seeds", "1", "--strategies", "none,tail", "--equal"]
    assert refactoring.main([*arguments, "--markdown", str(page), "--svg", str(chart)]) == 0
    text, tail = page.read_text("utf-8"), row("tail")
    figures = (tail.repeated, tail.contradicted, tail.drift, tail.invented, tail.faults, tail.steps)
    assert f"| tail | {' | '.join(map(str, figures))} | {tail.tokens:,} | {tail.compactions} | 0/1 |" in text
    assert text.startswith("# Page\n")
    assert text.endswith("\n\nrest\n")
    assert f"tail: repeated {tail.repeated}, contradicted {tail.contradicted}" in chart.read_text("utf-8")
    assert "seed 3, window 8000" in capsys.readouterr().err


def test_the_strategies_by_name() -> None:
    """The eleven that are run, and the one that is run where it is asked for."""
    names = "none bigger tail freeform self-notes repeat-all template template+memory template+engrams layered default"
    assert [name for name in STRATEGIES if name not in EXTRA] == names.split()
    assert names.replace(" ", ",") == refactoring.LISTED
    assert EXTRA == ("template+memory-forgets",)
    assert UNBOUND == ("none", "bigger")


def test_the_command_writes_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One row for each seed, window and strategy, and a table."""
    out = tmp_path / "rows.json"
    arguments = ["--seed", str(SEED), "--seeds", "1", "--windows", str(WINDOW), "--strategies", "none,tail"]
    assert refactoring.main([*arguments, "--json", str(out)]) == 0
    rows = json.loads(out.read_text("utf-8"))
    keys = "strategy window seed repeated contradicted drift invented steps tokens compactions solved extracted".split()
    assert [[*found] for found in rows] == [keys, keys]
    assert [(found["strategy"], found["window"], found["seed"]) for found in rows] == [
        ("none", WINDOW, SEED),
        ("tail", WINDOW, SEED),
    ]
    assert "strategy" in capsys.readouterr().out


def test_a_model_writes_the_summaries_where_one_is_asked_for(tmp_path: Path) -> None:
    """The six fields and the free-form text come from the server; what it is sent is legal."""
    out, asked = tmp_path / "rows.json", "Summarise this conversation"
    with Provider(lambda seen: Reply(text="It was all done.") if asked in str(seen.body) else Reply()) as provider:
        arguments = ["--llm", "--base-url", f"{provider.url}/v1", "--model", "small", "--jobs", "1"]
        arguments += ["--seed", str(SEED), "--seeds", "1", "--strategies", "freeform,template", "--json", str(out)]
        assert refactoring.main(arguments) == 0
        free = [seen for seen in provider.seen if asked in str(seen.body)]
        rows = {found["strategy"]: found for found in json.loads(out.read_text("utf-8"))}
        assert len(free) == rows["freeform"]["compactions"]
        assert len(provider.seen) - len(free) >= rows["template"]["compactions"]
        assert provider.illegal == []
        assert {seen.body["model"] for seen in provider.seen} == {"small"}


LLM = ("--llm", "--model", "small", "--jobs", "1", "--seed", str(SEED), "--seeds", "1")


@pytest.mark.parametrize("name", ["html", "401"])
def test_a_model_that_fails_breaks_no_run(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each text that it failed at is an extracted one and is counted; where all are, the command says so and fails."""
    out = tmp_path / "rows.json"
    with Provider(lambda seen: Reply(text="yes") if "Say yes." in str(seen.body) else BREAKS[name]) as provider:
        arguments = [*LLM, "--base-url", f"{provider.url}/v1", "--strategies", "tail,freeform,template"]
        assert refactoring.main([*arguments, "--json", str(out)]) == 1
    rows = {found["strategy"]: found for found in json.loads(out.read_text("utf-8"))}
    for strategy in ("freeform", "template"):
        assert rows[strategy]["extracted"] == rows[strategy]["compactions"] > 0
    assert rows["tail"]["extracted"] == 0
    assert rows["freeform"] == {**asdict(row("freeform")), "extracted": rows["freeform"]["extracted"]}
    told = capsys.readouterr()
    assert f"failed at {sum(found['extracted'] for found in rows.values())} texts" in told.err
    assert "extracted" in told.out


def test_a_model_that_fails_now_and_then_is_counted(tmp_path: Path) -> None:
    """The other texts are its own, and the command succeeds."""
    out, asked = tmp_path / "rows.json", 0

    def play(_: object) -> Reply | Break:
        nonlocal asked
        asked += 1
        return Reply(text="It was all done.") if asked % 2 else BREAKS["html"]

    with Provider(play) as provider:
        arguments = [*LLM, "--base-url", f"{provider.url}/v1", "--strategies", "freeform"]
        assert refactoring.main([*arguments, "--json", str(out)]) == 0
    [found] = json.loads(out.read_text("utf-8"))
    assert 0 < found["extracted"] < found["compactions"]


@pytest.mark.parametrize("name", ["", "html", "401"])
def test_no_model_is_told_before_any_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A server that isn't there or answers no question is told in one line."""
    with Provider(lambda _: BREAKS[name]) as provider:
        url = f"{provider.url}/v1" if name else "http://127.0.0.1:9/v1"
        assert refactoring.main([*LLM, "--base-url", url, "--strategies", "freeform"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"refactoring: no model 'small' at {url}: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seeds", "0"], "no whole number above 0"),
        (["--jobs", "0"], "no whole number above 0"),
        (["--windows", "8000,many"], "no whole number above 0"),
        (["--windows", "-8000"], "no whole number above 0"),
        (["--strategies", "tail,,none"], "an empty name"),
        (["--json", "nowhere/rows.json"], "can't be written"),
        (["--svg", "."], "can't be written"),
    ],
)
def test_what_cannot_work_is_refused_before_any_run(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad usage costs 2 and is told with what would be right."""
    with pytest.raises(SystemExit) as error:
        refactoring.main(arguments)
    assert error.value.code == 2
    assert words in capsys.readouterr().err


def test_what_is_asked_for_twice_counts_once(tmp_path: Path) -> None:
    """A strategy and a window have one row for each seed."""
    out = tmp_path / "rows.json"
    arguments = ["--seed", str(SEED), "--seeds", "1", "--windows", f"{WINDOW},{WINDOW}", "--strategies", "tail,tail"]
    assert refactoring.main([*arguments, "--jobs", "1", "--json", str(out)]) == 0
    assert json.loads(out.read_text("utf-8")) == [asdict(row("tail"))]


def test_a_window_that_nothing_fits_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and no rows."""
    assert refactoring.main(["--windows", "100", "--seeds", "1", "--strategies", "template", "--jobs", "1"]) == 1
    assert "the window of 100 tokens" in capsys.readouterr().err.splitlines()[-1]


def test_a_row_without_a_compaction_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A history that is never full compares nothing."""
    monkeypatch.setitem(cast("dict[str, Any]", STRATEGIES), "tail", lambda _: Everything())
    arguments = ["--seed", str(SEED), "--seeds", "1", "--strategies", "tail", "--jobs", "1"]
    assert refactoring.main(arguments) == 1
    assert "never compacted" in capsys.readouterr().err


def test_an_unknown_strategy_is_bad_usage() -> None:
    """The command names those that it knows."""
    command = [sys.executable, "-m", "benchmarks.refactoring", "--strategies", "wish"]
    root = Path(refactoring.__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "default" in done.stderr
