"""Secrets leave a text, their labels and everything else stay."""

from __future__ import annotations

import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit._redact import redactor
from context_kit.errors import BudgetError
from context_kit.typing import Redact

redact = redactor()

KEYS = {
    "openai-key": "sk-FAKEfakeFAKEfakeFAKEfakeFAKEfake",
    "anthropic-key": "sk-ant-api03-FAKEfake_FAKEfake-FAKEfakeFAKEfake00AA",
    "github-token": "ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake0000",
    "gitlab-token": "glpat-FAKEfakeFAKEfake0000",
    "slack-token": "xoxb-1234567890-1234567890-FAKEfake",
    "google-key": "AIzaFAKEfakeFAKEfakeFAKEfakeFAKEfake000",
    "aws-key-id": "AKIAFAKEFAKEFAKEFAKE",
    "stripe-key": "sk_live_FAKEfakeFAKEfake0000",
    "npm-token": "npm_FAKEfakeFAKEfakeFAKEfakeFAKEfake0000",
    "pypi-token": "pypi-AgEIcHlwaS5vcmcFAKEfakeFAKEfakeFAKEfakeFAKEfake0000",
    "huggingface-token": "hf_FAKEfakeFAKEfakeFAKEfakeFAKEfake00",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.FAKEfakeFAKEfakeFAKE",
    "api-key": "gsk_FAKEfakeFAKEfakeFAKE0000",
    "api-token": "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef",
}
LABELLED = {
    "AWS_SECRET_ACCESS_KEY={}": "FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfake",
    "export FOO_TOKEN={}": "FAKEfake1",
    "DB_PASSWORD={}": "hunter",
    "Authorization: Bearer {}": "FAKE.fake.FAKE",
    'curl -H "Authorization: Basic {}"': "dXNlcjpwYXNzd29yZA==",
    "DB=postgres://u:{}@db.example.org/x": "FAKEpw",
    '{{"api_key": "{}"}}': "FAKEfake12345",
    '{{\\"client_secret\\": \\"{}\\"}}': "FAKEfake12345",
    "password: {}": "hunter22",
    "PASSWORD = '{}'": "correct-horse",
    "deploy --password {}": "hunter22",
    "https://example.org/?api_key={}&page=2": "FAKEfake1234",
    "https://hooks.slack.com/services/{}": "T00000000/B00000000/FAKEfakeFAKEfake",
    "SG.{}": "FAKEfakeFAKEfakeFAKE00.FAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfake000",
}
INNOCENT = (
    "token = get_token()",
    "max_tokens=512",
    "total tokens: 123456",
    "password: string",
    "def login(password: str, token: str) -> None: ...",
    "API_KEY=$OPENAI_KEY",
    "API_KEY=<your key>",
    "API_KEY=your-api-key-here",
    "GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}",
    '"password": "********"',
    "password=None",
    "SECRET_KEY = os.environ['SECRET_KEY']",
    "secret_key = settings.SECRET_KEY",
    "next_token: CAESBmZha2UxMjM",
    "sort_key = lambda item: item.size",
    "12 passed: 3 failed",
    "PWD=/home/user/project",
    "Authorization: Bearer $TOKEN",
    "the bearer token authentication scheme of RFC 6750",
    '"password": "Password is required"',
    "pip install sk-learn-contrib-package-name",
    'if line == "-----BEGIN PRIVATE KEY-----": found = True',
    "the line -----BEGIN PRIVATE KEY----- starts a key block",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
)
BLOCK = "-----BEGIN RSA PRIVATE KEY-----\nFAKEfakeFAKEfakeFAKEfake\nFAKEfakeFAKEfake"
END = "\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(("kind", "key"), KEYS.items())
def test_a_key_goes_wherever_it_stands(kind: str, key: str) -> None:
    """A provider's key is replaced by its kind in prose, quotes, JSON and URLs, and nothing beside it is."""
    for frame in ("use {} now", "'{}'", "x={}\n", '{{"a": "{}"}}', "é {} 中文"):
        assert redact(frame.format(key)) == frame.format(f"[redacted:{kind}]")


@pytest.mark.parametrize(("frame", "secret"), LABELLED.items())
def test_a_labelled_secret_goes_and_its_label_stays(frame: str, secret: str) -> None:
    """What is assigned to a secret's name, sent in a header or put into a URL goes; the text around it stays."""
    before, after = frame.format("\0").split("\0")
    out = redact(f"first\n{frame.format(secret)}\nlast")
    assert out.startswith(f"first\n{before}[redacted:")
    assert out.endswith(f"]{after}\nlast")


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_no_secret_stays(text: str) -> None:
    """Placeholders, code, types, counters and prose are not secrets."""
    assert redact(text) == text


def test_private_key_blocks_go_whole() -> None:
    """Several blocks go one by one, one without an end to the end of its text, in JSON and in listings too."""
    assert redact(f"a\n{BLOCK}{END}\nb\n{BLOCK}{END}\nc") == "a\n[redacted:private-key]\nb\n[redacted:private-key]\nc"
    assert redact(f"a\n{BLOCK}{END}\nb\n{BLOCK}") == "a\n[redacted:private-key]\nb\n[redacted:private-key]"
    assert json.loads(redact(json.dumps({"k": BLOCK + END, "n": 1}))) == {"k": "[redacted:private-key]", "n": 1}
    assert "FAKE" not in redact(f"1→{BLOCK}".replace("\n", "\n     2→"))


LINES = [f"{number:064x}" for number in range(4)]


@pytest.mark.parametrize(
    "text",
    [
        "log\n" + "\n".join(LINES) + END,
        "log\r\n" + "\r\n".join(LINES) + END.replace("\n", "\r\n"),
        json.dumps({"text": "log\n" + "\n".join(LINES) + END}),
        "\n".join(f"{number:5}\t{line}" for number, line in enumerate([*LINES, END.strip()], start=30)),
        "log\n" + "\n".join(f"-{line}" for line in [*LINES, END.strip()]),
        LINES[0][20:] + "\n" + LINES[1] + END,
    ],
    ids=["plain", "crlf", "json", "numbered", "diff", "cut in a line"],
)
def test_a_private_key_without_its_first_lines_goes(text: str) -> None:
    """What is left of a key that was cut before it came here is found by its last line."""
    clean = redact(text)
    assert "[redacted:private-key]" in clean
    assert LINES[1] not in clean
    assert LINES[0][20:] not in clean
    assert "-----END" not in clean


def test_a_key_behind_an_escaped_line_break_goes() -> None:
    """A call's arguments are JSON: the escape before a key or a label is no letter of it."""
    text = json.dumps({"text": f"a\n{KEYS['openai-key']}\nDB_PASSWORD=hunter\n"})
    assert json.loads(redact(text))["text"] == "a\n[redacted:openai-key]\nDB_PASSWORD=[redacted:password]\n"


def test_a_key_at_every_position_of_a_long_line_goes_whole() -> None:
    """Wherever a key stands in a text full of keys, no part of one is left."""
    key = KEYS["openai-key"]
    for shift in range(9):
        assert "FAKE" not in redact("a" * 4 * shift + f" {key}" * 50)


def test_no_secret_means_the_same_object() -> None:
    """A text without secrets comes back as it is, lone surrogates included."""
    text = "plain \ud800 text"
    assert redact(text) is text
    assert redact(f"{text} {KEYS['npm-token']}") == f"{text} [redacted:npm-token]"


PIECES = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from([*KEYS.values(), *(frame.format(secret) for frame, secret in LABELLED.items()), BLOCK, END]),
        st.sampled_from(
            ["password=", 'token: "', "Bearer ", "://a:", "@", "[redacted:", "]", "sk-", '"', "\\", "\n", " "]
        ),
    ),
    max_size=8,
).map("".join)


@given(PIECES)
def test_twice_is_once(text: str) -> None:
    """Redacting what is redacted changes nothing."""
    once = redact(text)
    assert redact(once) == once


@given(st.sampled_from(sorted(KEYS.values())), st.text("ab c\n.,;", max_size=20), st.text("ab c\n.,;", max_size=20))
def test_no_key_survives(key: str, before: str, after: str) -> None:
    """A key that stands free is never left, whatever stands around it."""
    assert key not in redact(f"{before} {key} {after}")


@pytest.mark.parametrize("unit", ["sk-", "-eyJ", "token=", 'password="', "a-", "://a:b", "-----BEGIN ", "key = key\n"])
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    """A text made to lead the rules on comes back; a quadratic rule would not return from it."""
    assert isinstance(redact(unit * 40_000), str)


def test_the_rule_is_the_callers_choice() -> None:
    """False changes nothing, a function is used as it is, anything else is refused."""
    key = KEYS["jwt"]
    assert redactor(rule=False)(key) == key
    assert redactor(str.upper)("a") == "A"
    with pytest.raises(BudgetError, match="redact"):
        redactor(cast("Redact", "yes"))
    with pytest.raises(BudgetError, match="redact"):
        redactor(cast("Redact", len))("text")


def test_rules_of_ones_own_go_on_after_the_built_in_ones() -> None:
    """Each with what the one before gave; a list that holds no function is refused."""
    own = redactor(
        [lambda text: text.replace("Project Falcon", "[name]"), lambda text: text.replace("[name]", "[gone]")]
    )
    key = "sk-ant-" + "a1" * 20
    assert own(f"Project Falcon uses {key}") == "[gone] uses [redacted:anthropic-key]"
    with pytest.raises(BudgetError, match="list of such functions"):
        redactor(["Falcon"])  # type: ignore[list-item]
