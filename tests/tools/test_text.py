"""Agents that act in plain text, and the texts that no person wrote."""

from __future__ import annotations

import pytest

from context_kit.tools import acts_in_text, looks_observed, text_acts

FOOTER = "\n(Open file: /r/a.py)\n(Current directory: /r)\nbash-$"


@pytest.mark.parametrize(
    ("said", "kind", "path"),
    [
        ("Let me look.\n\n```\nopen src/a.py 12\n```", "read", "src/a.py"),
        ("```\ncreate a.py\n```", "edit", "a.py"),
        ("Now:\n```\nedit 1:2\nx\nend_of_edit\n```", "edit", "/r/a.py"),
        ('```\nfind_file "a.py"\n```', "search", ""),
        ("```mswea_bash_command\nls -la\n```", "run", ""),
        ("THOUGHT: x\n\n```bash\npython a.py\n```", "run", ""),
        (
            "<function=str_replace_editor>\n<parameter=command>view</parameter>\n<parameter=path>/r/a.py</parameter>\n</function>",
            "read",
            "/r/a.py",
        ),
        ("<execute_bash>\nmake\n</execute_bash>", "run", ""),
        ("<write_to_file>\n<path>a.py</path>\n<content>\nx\n</content>\n</write_to_file>", "edit", "a.py"),
    ],
)
def test_the_last_thing_said_is_the_action(said: str, kind: str, path: str) -> None:
    """In each form that agents without tool calls use."""
    act = text_acts(said, f"x{FOOTER}")[0]
    assert (act.kind, act.path) == (kind, path)


@pytest.mark.parametrize(
    "said",
    ["Done.", "See:\n```python\nprint(1)\n```", "```\nERROR: no\n```", "```\nls\n```\nThat is how.", "a < b >", ""],
)
def test_prose_is_no_action(said: str) -> None:
    """Nor is code that is shown to a person."""
    assert not acts_in_text(said)
    assert text_acts(said, "ok") == ()


def test_a_failed_command_in_text_failed() -> None:
    """The observation is judged like any result."""
    (run, *_) = text_acts(
        "```\npython a.py\n```", f"Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'{FOOTER}"
    )
    assert (run.failed, run.error.endswith("KeyError: 'x'")) == (True, True)


@pytest.mark.parametrize(
    "text",
    [
        f"344{FOOTER}",
        "Observation: done",
        "<returncode>0</returncode>\n<output>\nx</output>",
        "EXECUTION RESULT of [execute_bash]:\nx",
        "<local-command-stdout>x</local-command-stdout>",
    ],
)
def test_observations_are_recognised(text: str) -> None:
    """By the frame that the agent puts around them."""
    assert looks_observed(text)


@pytest.mark.parametrize(
    "text",
    [
        "Please fix this:\nTraceback (most recent call last):\nKeyError: 1",
        "bash-$ is my prompt",
        f"We're currently solving the following issue within our repository.{FOOTER}",
        "不要改测试",
        "it ends with exit code 1.",
        "",
    ],
)
def test_what_a_person_writes_is_none(text: str) -> None:
    """A pasted log and a task with a prompt's footer are the user's words."""
    assert not looks_observed(text)
