"""What fidelity counts: present word for word, brought back by an address that works, or lost."""

from __future__ import annotations

from typing import Any

import pytest

from context_kit import ContextManager, SummaryError
from context_kit.testing import Call, tool_round, user
from context_kit.typing import Message, Redact
from tests.talks import looks

CLASSES = ("files", "errors", "user", "contracts", "names", "numbers")


def ran(command: str, output: str, number: int) -> list[Message]:
    return [*tool_round([Call("Bash", {"command": command}, result=output, id=f"b{number}")], text="I run it.")]


def worked() -> list[Message]:
    """A session that edits, fails, decides and is corrected."""
    body = "def convert_rates(rows, base):\n    return rows\n\n\nclass RateTable:\n    size = 4\n"
    write = Call("Write", {"file_path": "src/rates.py", "content": body}, result="File created: src/rates.py", id="w1")
    return [
        user("Convert the rates. Never call the network."),
        *tool_round([write], text="I decided to keep 250 rows per page instead of 100 because of the limit."),
        *ran("pytest -q tests/test_rates.py", "Exit code 1\nKeyError: 'EUR'\n1 failed", 1),
        user("Correction: use port 9100 instead of port 8000."),
        *(message for number in range(20) for message in looks("chat", number)),
    ]


def test_every_class_of_facts_is_counted() -> None:
    """Files, open errors and verifying commands, constraints, declarations, identifiers, numbers of both sides."""
    ctx = ContextManager(8_000)
    ctx.add(worked())
    found = ctx.compact().fidelity
    assert tuple(found.classes) == CLASSES
    assert found.lost == ()
    expected = {name: survival.expected for name, survival in found.classes.items()}
    assert expected["errors"] == 2  # the open error and the command that met it
    assert expected["contracts"] == expected["names"] >= 2
    assert expected["numbers"] >= 4  # 250 and 100 by the assistant, 9100 and 8000 by the person
    assert expected["user"] >= 1
    for survival in found.classes.values():
        assert survival.present + survival.recoverable + len(survival.lost) == survival.expected


def test_what_is_only_recoverable_comes_back_by_its_address() -> None:
    """Recall by `mN` gives the message, the fact in it."""
    ctx = ContextManager(8_000)
    talk = worked()
    ctx.add(talk)
    ctx.compact()
    (found,) = ctx.recall("m2")
    assert "250 rows" in found.text


def withholding() -> Redact:
    """A caller's redaction that gives a long text once and then withholds it: what is gone from the archive for good."""
    given: set[str] = set()

    def redact(text: str) -> str:
        if len(text) < 160:
            return text
        known = text in given
        given.add(text)
        return "[withheld]" if known else text

    return redact


def crowded() -> list[Message]:
    """More distinct failures than a summary has room for, each behind a long output."""
    rounds = [
        ran(
            f"pytest -q tests/test_{n}.py",
            f"Exit code 1\n{'log ' * 90}\nRateError: the rate of {n * 37} is unknown to us",
            n,
        )
        for n in range(60)
    ]
    return [
        user("Convert the rates."),
        *(m for r in rounds for m in r),
        *(m for n in range(8) for m in looks("chat", n)),
    ]


def test_a_fact_that_the_archive_does_not_give_back_is_lost() -> None:
    """An address in the window is not enough; with the archive whole the same session loses nothing."""
    whole, withheld = ContextManager(6_000), ContextManager(6_000, redact=withholding())
    for ctx in (whole, withheld):
        ctx.add(crowded())
    assert whole.compact().fidelity.lost == ()
    lost = withheld.compact().fidelity.classes["errors"].lost
    assert lost
    assert all("RateError" in line for line in lost)
    assert not any(line in str(withheld.messages) for line in lost)


def test_strict_fidelity_raises_instead_of_a_commit() -> None:
    """The log is as before, the receipt says what would have been lost; with nothing lost strict changes nothing."""
    ctx = ContextManager(6_000, redact=withholding(), fidelity="strict")
    ctx.add(crowded())
    before = ctx.messages
    with pytest.raises(SummaryError, match="would be lost"):
        ctx.compact()
    assert ctx.messages == before
    assert ctx.summary is None
    (receipt,) = ctx.compactions
    assert receipt.outcome == "failed"
    assert receipt.fidelity.lost
    calm = ContextManager(6_000, fidelity="strict")
    calm.add(crowded())
    assert calm.compact().outcome == "applied"


@pytest.mark.parametrize("shape", ["chat", "anthropic", "responses"])
def test_no_shape_of_messages_loses_anything(shape: Any) -> None:
    """Whatever the wire looks like, each missing fact's own address gives it back."""
    from tests.talks import session

    ctx = ContextManager(8_000)
    ctx.add(session(shape, looked=30))
    assert ctx.compact().fidelity.lost == ()
