"""No piece of a secret reaches what is made from the log, wherever it stands and however the text around it is cut."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import ContextManager
from context_kit._redact._shapes import SHAPES
from context_kit.testing import Call, ScriptedLLM, assistant, tool_round, user
from context_kit.types import TaskSummary
from tests.talks import looks, texts

PIECE = 12
"""Characters of a secret that would give it away."""
TITLE = "[context record"
WORD = string.ascii_letters + string.digits


def drawn(seed: str, size: int, letters: str = WORD) -> str:
    rng = random.Random(seed)
    return "".join(rng.choice(letters) for _ in range(size))


def block(lines: int, *, head: str = "RSA ") -> str:
    """A private key of so many full lines."""
    body = "\n".join(drawn(f"{head}{lines}{at}", 64, WORD + "+/") for at in range(lines))
    return f"-----BEGIN {head}PRIVATE KEY-----\n{body}\n{drawn(head, 42)}==\n-----END {head}PRIVATE KEY-----"


HEX = "0123456789abcdef"
SECRETS = {
    "anthropic-key": "sk-ant-api03-" + drawn("a", 60),
    "openai-key": "sk-proj-" + drawn("b", 48),
    "github-token": "ghp_" + drawn("c", 36),
    "gitlab-token": "glpat-" + drawn("d", 20),
    "slack-token": "xoxb-" + drawn("e", 12, string.digits) + "-" + drawn("f", 24),
    "google-key": "AIza" + drawn("g", 35),
    "aws-key-id": "AKIA" + drawn("h", 16, string.ascii_uppercase),
    "aws-key": "ABSK" + drawn("i", 100),
    "stripe-key": "sk_live_" + drawn("j", 24),
    "npm-token": "npm_" + drawn("k", 36),
    "pypi-token": "pypi-" + drawn("l", 60),
    "huggingface-token": "hf_" + drawn("m", 34),
    "jwt": "eyJ" + drawn("n", 20) + "." + drawn("o", 40) + "." + drawn("p", 43),
    "api-key": "gsk_" + drawn("q", 40),
    "api-token": "dop_v1_" + drawn("r", 64, HEX),
    "shopify-token": "shpat_" + drawn("s", 32, HEX),
    "postman-key": "PMAK-" + drawn("t", 24, HEX) + "-" + drawn("u", 34, HEX),
    "databricks-token": "dapi" + drawn("v", 32, HEX),
    "atlassian-token": "ATATT3" + drawn("w", 80),
    "twilio-key": "SK" + drawn("x", 32, HEX),
    "age-key": "AGE-SECRET-KEY-1" + drawn("y", 58, string.ascii_uppercase),
    "1password-token": "ops_eyJ" + drawn("z", 90),
    "sendgrid-key": "SG." + drawn("A", 22) + "." + drawn("B", 43),
    "vault-token": "hvs." + drawn("C", 40),
    "google-token": "ya29." + drawn("D", 60),
    "telegram-token": "123456789:AA" + drawn("E", 33),
}
LONG = {
    "short key": block(2, head=""),
    "key": block(24),
    "long key": block(50),
    "certificate authority": block(90, head="OPENSSH "),
    "labelled": "DB_PASSWORD=" + drawn("pw", 30),
    "header": "Authorization: Bearer " + drawn("bearer", 40),
    "address": "postgres://admin:" + drawn("url", 24) + "@db.example.org/x",
}
LABELS = ("DB_PASSWORD=", "Authorization: Bearer ", "postgres://admin:", "@db.example.org/x")


def pieces(secret: str) -> set[str]:
    """Every piece that would give a secret away; a label, a frame or a short beginning doesn't."""
    for label in LABELS:
        secret = secret.replace(label, "\n")
    lines = [line for line in secret.split("\n") if not line.startswith("-----")]
    return {line[at : at + PIECE] for line in lines for at in range(len(line) - PIECE + 1)}


Place = Callable[[str, int], list[Call]]


def shell(command: str, result: str) -> Call:
    return Call("bash", {"command": command}, result=result)


def edited(path: str, old: str, new: str) -> Call:
    return Call("edit_file", {"path": path, "old_string": old, "new_string": new}, result="The file has been updated.")


PLACES: dict[str, Place] = {
    "long error": lambda secret, pad: [
        shell("./deploy.sh", "loading\n" * pad + secret + "\nError: refused\n" + "note\n" * (pad % 45) + "exit code 1")
    ],
    "error line": lambda secret, pad: [
        shell("make x", f"Error: {'a' * pad} {secret}\n"),
        shell("make y", "Error: other\n"),
    ],
    "error end": lambda secret, pad: [shell("make x", f"Error: it broke\n{'b' * pad} failed with {secret}\n")],
    "outcome": lambda secret, pad: [shell("pytest -q", "." * pad + f"\n{'c' * (pad % 220)} {secret}")],
    "edit": lambda secret, pad: [edited("certs/k.pem", "old\n" * (pad % 9), "text\n" * (pad % 50) + secret)],
    "edit of a key": lambda secret, pad: [edited("certs/k.pem", block(pad % 30 + 3, head="EC "), secret)],
    "long edit": lambda secret, pad: [edited("src/big.py", "x", "y" * (3_500 + pad) + " " + secret + "\nz = 1\n")],
    "setting": lambda secret, _: [edited(".env", "KEY=1", f'KEY="{secret}"'), edited("z.py", "a", "b")],
    "written": lambda secret, pad: [
        Call("write_file", {"path": "conf.yaml", "content": "a: 1\n" * pad}, result="ok"),
        Call("write_file", {"path": "conf.yaml", "content": "a: 2\n" * pad + f"key: |\n{secret}\n"}, result="ok"),
    ],
    "read": lambda secret, pad: [
        edited("app.toml", "port = 1", "port = 2"),
        Call("read_file", {"path": "app.toml"}, result="a = 1\n" * (pad % 60) + f"port = 3\nkey = '{secret}'\n"),
        edited("app.toml", "port = 3", "port = 4"),
    ],
    "command": lambda secret, pad: [shell(f"pytest -q {'d' * pad} --key '{secret}' tests", "1 passed in 0.1s")],
    "failed command": lambda secret, pad: [shell(f"deploy {'e' * pad} '{secret}' && make", "Error: no\nexit code 2")],
    "formatter": lambda secret, pad: [
        Call("write_file", {"path": "app.js", "content": "a\n"}, result="ok"),
        shell(f"npx eslint {'g' * (pad % 60)} --key '{secret}' --fix .", ""),
    ],
    "document": lambda secret, pad: [shell(f"cat > k.pem <<'EOF'\n{'f' * pad}\n{secret}\nEOF", "")],
}


def session(ctx: ContextManager, calls: list[Call], said: str) -> None:
    """The calls, then enough of something else that they leave the window."""
    ctx.add(user("Set it up."))
    for number, call in enumerate(calls):
        mine = Call(call.name, call.arguments, result=call.result, id=f"s{number}")
        ctx.add(tool_round([mine], shape="chat", text=said))
    ctx.add(user(f"Do you see? {said}"))
    for number in range(8):
        ctx.add(looks("chat", number, lines=ctx.usage.window // 40))
    ctx.compact()


def made(ctx: ContextManager, folder: Path) -> str:
    """All that is made from the log: bridge, journal, checkpoint, receipt, recall; the log itself has the originals."""
    files = [path for path in folder.rglob("*") if path.name in ("memory.jsonl", "checkpoint.md")]
    assert files
    kept = [path.read_text("utf-8") for path in files]
    records = [text for text in texts(ctx.messages) if TITLE in text]
    assert records
    asked = [found.text for query in ("m2", "m3", "key", "f:certs/k.pem@3", "f:k.pem@3") for found in ctx.recall(query)]
    told = [engram.text + engram.label for engram in ctx.engrams]
    return "\n".join([*records, *kept, *asked, *told, str(ctx.compactions)])


@pytest.mark.parametrize("place", PLACES)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_no_piece_of_a_secret_is_made_into_anything(
    place: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Bridge, journal, checkpoint, summariser's request, recall: a text is cut only once its secrets are out."""
    secret = data.draw(st.sampled_from([*SECRETS.values(), *LONG.values()]))
    pad = data.draw(st.integers(0, 520))
    window = data.draw(st.sampled_from((2_000, 8_000, 32_000)))
    folder = tmp_path_factory.mktemp("store")
    llm = ScriptedLLM([TaskSummary(original_goal="Set it up.").model_dump_json()] * 9)
    said = data.draw(st.sampled_from(("", f"We use {secret} and then {'b ' * (pad // 2)}")))
    ctx = ContextManager(window, store=folder, session="s", llm=data.draw(st.sampled_from((None, llm))))
    with ctx:
        session(ctx, PLACES[place](secret, pad), said)
        found = made(ctx, folder)
    found += "\n".join(f"{request.transcript}\n{request.focus}" for request in llm.requests)
    assert [piece for piece in pieces(secret) if piece in found] == []


@pytest.mark.parametrize("secret", [LONG["long key"], SECRETS["openai-key"]], ids=["key", "token"])
@pytest.mark.parametrize("where", ["action", "observation"])
def test_an_agent_that_acts_in_plain_text_gives_none_away(where: str, secret: str, tmp_path: Path) -> None:
    """Its words are the call, and the next user message is the result."""
    action = f"deploy --key '{secret}'" if where == "action" else "deploy"
    shown = "loading\n" * 9 + secret if where == "observation" else "loading"
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        ctx.add(user("Set it up."))
        ctx.add(assistant(f"Now the deployment.\n```bash\n{action}\n```"))
        ctx.add(user(f"<returncode>1</returncode>\n<output>\n{shown}\nError: refused\n</output>"))
        for number in range(8):
            ctx.add(looks("chat", number, lines=200))
        ctx.compact()
        found = made(ctx, tmp_path)
    assert "Error: refused" in found
    assert [piece for piece in pieces(secret) if piece in found] == []


def test_every_shape_is_tried() -> None:
    """A shape that is built in has a sample here."""
    assert set(SECRETS) == {kind for kind, _, _ in SHAPES}
