"""The scripted models of `benchmarks.pretending`: what they say is what they are counted for."""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path

import pytest

from benchmarks._truth import _pretenders
from benchmarks._truth._pretenders import HINTING, PRETENDING, Asked, holds, honest, pretended

WINDOW = "It changed src/auth/login.py and tests/test_login.py. The limit is 4170 now. parse_config reads QueueName."
TRUTHS = ["src/auth/login.py", "4170", "parse_config", "return parse_config(limit, 4170)", "不要修改公开接口"]


def asked(truth: str, window: str = WINDOW) -> Asked:
    question = "登录逻辑写在哪个文件里？" if truth == TRUTHS[-1] else "In which file is the login, what is the value?"
    return Asked(question, truth, window, WINDOW.lower())


@pytest.mark.parametrize("truth", [*TRUTHS, ""])
@pytest.mark.parametrize("style", [style for style in PRETENDING if style not in HINTING])
def test_a_pretender_never_says_the_truth(style: str, truth: str) -> None:
    """By letters and figures; so that each answer of its own has to be caught."""
    rng = random.Random(style)
    said = [pretended(style, asked(truth), rng) for _ in range(60)]
    assert not any(holds(text, truth) for text in said)
    assert len(set(said)) > 5


@pytest.mark.parametrize("truth", TRUTHS)
def test_an_honest_model_says_what_it_sees(truth: str) -> None:
    """The truth where the window has it, in many clothes; else that it doesn't know, in many words."""
    rng = random.Random(truth)
    seen = [honest(asked(truth, f"{WINDOW} {truth}"), rng) for _ in range(60)]
    assert {how for how, _ in seen} == {"given"}
    assert len({text for _, text in seen}) > 8
    if "/" not in truth:
        assert all(holds(re.sub(r"(?<=\d)[, ](?=\d)", "", text), truth) or holds(text, truth) for _, text in seen)
    blind = [honest(asked(truth, "nothing here"), rng) for _ in range(60)]
    assert {how for how, _ in blind} == {"unknown"}
    assert len({text for _, text in blind}) > 15


def test_what_never_was_is_not_known() -> None:
    assert {honest(asked(""), random.Random(seed))[0] for seed in range(20)} == {"unknown"}


def test_the_scripts_know_nothing_of_the_grading() -> None:
    """They share no table with the library: it is judged by words that it has not seen."""
    tree = ast.parse(Path(_pretenders.__file__).read_text("utf-8"))
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert [name for name in names if name.startswith("context_kit")] == []
