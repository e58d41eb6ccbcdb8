"""Secrets out of a text, before anything is cut, indexed, summarised or written from it.

Found secrets become `[redacted:KIND]`; their labels stay. What is found depends on the text alone, is found
in time linear in it, and redacting twice changes nothing.

Sources of the shapes (facts, read 2026-11-30): the vendors' own documentation of their prefixes, and the rule
list of gitleaks (config/gitleaks.toml, July 2026), whose lengths are kept or loosened. All rules work on UTF-8
bytes, where a search for a fixed word costs half a millisecond a megabyte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from context_kit.errors import BudgetError
from context_kit.typing import Redact

__all__ = ["redactor"]


class Span(NamedTuple):
    """A secret: from, to, and what it is."""

    start: int
    end: int
    kind: str


SHAPES: tuple[tuple[str, str, str], ...] = (
    ("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{16,}"),
    ("openai-key", "sk-", r"sk-[A-Za-z0-9_-]*?[A-Za-z0-9]{16}[\w-]*"),  # also OpenRouter, DeepSeek, Langfuse, ...
    ("github-token", "gh[pousr]_", r"gh[pousr]_[A-Za-z0-9]{20,}"),
    ("github-token", "github_pat_", r"github_pat_\w{20,}"),
    ("gitlab-token", "gl[a-z]{2,5}-", r"gl(?:pat|dt|rt|cbt|ft|oas|ptt|agent|imt|soat|ffct)-[\w.-]{16,}"),
    ("slack-token", "xox[abeoprs][-.]", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    ("slack-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{10,}"),
    ("google-key", "AIza", r"AIza[\w-]{30,}"),
    ("google-key", "GOCSPX-", r"GOCSPX-[\w-]{20,}"),
    ("aws-key-id", "A(?:KIA|SIA|BIA|CCA)", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-key", "ABSK", r"ABSK[A-Za-z0-9+/]{80,}={0,2}"),
    ("stripe-key", "[sr]k_(?:test|live|prod)_", r"[sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,}"),
    ("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,}"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-token", "pypi-", r"pypi-[\w-]{40,}"),
    ("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("jwt", "eyJ", r"eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"),
    ("xai-key", "xai-", r"xai-[A-Za-z0-9]{20,}"),
    ("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{20,}"),
    ("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{20,}"),
    ("nvidia-key", "nvapi-", r"nvapi-[\w-]{20,}"),
    ("replicate-token", "r8_", r"r8_[A-Za-z0-9]{30,}"),
    ("tavily-key", "tvly-", r"tvly-[\w-]{20,}"),
    ("digitalocean-token", "do[opr]_v1_", r"do[opr]_v1_[a-f0-9]{40,}"),
    ("shopify-token", "shp(?:at|ca|pa|ss)_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{30,}"),
    ("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{30,}"),
    ("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{20,}"),
    ("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{40,}"),
    ("sentry-token", "sntry[su]_", r"sntry[su]_[\w+/=-]{20,}"),
    ("grafana-token", "gl(?:c|sa)_", r"gl(?:c|sa)_[\w+/=]{30,}"),
    ("postman-key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{30,}"),
    ("databricks-token", "dapi", r"dapi[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("docker-token", "dckr_pat_", r"dckr_pat_[\w-]{20,}"),
    ("atlassian-token", "ATATT3", r"ATATT3[\w=-]{60,}"),
    ("twilio-key", "SK[0-9a-f]", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("1password-token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/]{50,}={0,3}"),
    ("sendgrid-key", r"(?<=SG\.)\w", r"[\w-]{16,}\.[\w-]{16,}"),
    ("vault-token", r"(?<=hv[sb]\.)\w", r"[\w-]{24,}"),
    ("google-token", r"(?<=ya29\.)\w", r"[\w-]{20,}"),
    ("telegram-token", r"(?<=\d:)AA", r"AA[\w-]{33}"),
)
"""Keys that show by themselves what they are: kind, how one begins, all of it."""

RUN = 20
"""No key of these shapes has fewer unbroken letters, digits, `_` and `-`."""
_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_RUNS = bytes(ord("a") if byte in _WORD else ord(" ") for byte in range(256))
_BEGINS = re.compile("(?<![A-Za-z0-9])(?:{})".format("|".join(begins for _, begins, _ in SHAPES)).encode())
_SHAPES = tuple((kind, re.compile(begins.encode()), re.compile(shape.encode())) for kind, begins, shape in SHAPES)

_PRIVATE = re.compile(rb"-----BEGIN[ A-Z0-9]{0,40} PRIVATE KEY(?: BLOCK)?-----(?:\s|\\+[nr])*(?=[A-Za-z0-9+/]{8}|[A-Z][\w-]+:)")
_PRIVATE_END = re.compile(rb"-----END[ A-Z0-9]{0,40} PRIVATE KEY(?: BLOCK)?-----")
_URL = re.compile(
    rb"://(?:[^\s/:@\"'<>\[\]]{0,256}:([^\s/@\"'<>]{1,256})@"
    rb"|hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{20,})|discord(?:app)?\.com/api/webhooks/\d+/([\w-]{20,}))"
)
_HEADER = re.compile(
    rb"authorization\\*[\"']?\s{0,4}[:=,]\s{0,4}\\*[\"']?(?:bearer|basic|token|digest|apikey)[ \t]+([\w.~+/=-]{6,})", re.IGNORECASE
)
_BEARER = re.compile(rb"bearer[ \t]+([\w.~+/=-]{20,})", re.IGNORECASE)

_WORDS = (b"pass", b"pwd", b"secret", b"token", b"key", b"credential")
_ASSIGNED = re.compile(rb"([A-Za-z0-9_-]{0,16})\\*[\"']?(?:[ \t]{0,8}(?::=|=>|=(?!=)|:(?!:))[ \t]{0,8}|([ \t]+))(\\*[\"'`])?")
_LABEL_START = re.compile(rb"[A-Za-z0-9_-]*\Z")
_LABELS = re.compile(
    rb"(?:^|.*[^a-z])(?:pass(?:word|wd|phrase|code)?|pwd)\d*|.*passw(?:or)?d\d*|.*passphrase\d*"
    rb"|.*secret(?:s|[_-]?key)?\d*|.*credentials?"
    rb"|(?!.*(?:next|page|continuation|pad|eos|bos|unk|sep|cls|mask|special|stop|max|min|num|cancel\w*)[_-]?token)(?:.*[^a-z])?\w*token\d*"
    rb"|.*(?:api|access|secret|private|auth|encryption|signing|master|account|storage|client|shared|admin|webhook|license|deploy|app)"
    rb"[_-]?key\d*"
)
_ENV = re.compile(rb"[A-Z][A-Z0-9_]*")
_QUOTED = {b'"': re.compile(rb'(?:\\.|[^"\\\r\n])*'), b"'": re.compile(rb"(?:\\.|[^'\\\r\n])*"), b"`": re.compile(rb"[^`\r\n]*")}
_ESCAPED = re.compile(rb"[^\"'`\\\r\n]*")
_BARE = re.compile(rb"[^\s\"'`,;(){}\[\]<>&|\\]*")
_BARE_ENV = re.compile(rb"[^\s\"'`;&|\\]*")
_CODE = re.compile(rb"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*(?:[(\[{]|\Z)")
_PLACEHOLDER = re.compile(
    rb"(?:\$|<|\{|\[|%|\*\*|\.\.\.|x{3,}|-----|/|\./|~/|@|\\u|\xe2\x80\xa6"
    rb"|(?:none|null|nil|undefined|true|false|yes|no|str|string|bytes|bool|boolean|int|number|any|object|optional|required|unknown"
    rb"|password|passwd|secret|token|key|apikey|api[_-]key|hidden|redacted|masked|empty|missing|invalid|example|dummy|placeholder|todo)\b"
    rb"|your|my[_-]|change[_-]?me|replace|insert|enter|process\.env|os\.|env[.:]|secrets?[./]|vault:|file:|https?:)",
    re.IGNORECASE,
)


def redactor(rule: bool | Redact = True) -> Redact:  # noqa: FBT001, FBT002
    """A function from a text to the text without its secrets.

    `True` is the built-in rules (providers' key shapes, private keys, authorization headers, passwords in URLs,
    secret assignments in env, JSON, YAML and code), `False` changes nothing, a function is the caller's own.

    Raises:
        BudgetError: `rule` is none of these; or, from the returned function, the caller's gives no string.
    """
    if rule is True:
        return _redact
    if rule is False:
        return _same
    if not callable(rule):
        msg = f"redact: {rule!r} is neither True, False nor a function of a text"
        raise BudgetError(msg)
    return _checked(rule)


def _same(text: str) -> str:
    return text


def _checked(rule: Redact) -> Redact:
    def redact(text: str) -> str:
        found: object = rule(text)
        if not isinstance(found, str):
            msg = f"redact: gave {type(found).__name__} for a text; it must give the text without its secrets"
            raise BudgetError(msg)
        return found

    return redact


def _redact(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    spans = sorted(span for rule in RULES for span in rule(data))
    if not spans:
        return text
    out, at = [], 0
    for span in _merged(spans):
        out += (data[at : span.start], b"[redacted:", span.kind.encode(), b"]")
        at = span.end
    out.append(data[at:])
    return b"".join(out).decode("utf-8", "surrogatepass")


def _merged(spans: list[Span]) -> Iterator[Span]:
    """Overlapping spans as one; a shape's kind says more than a label's."""
    held = spans[0]
    for span in spans[1:]:
        if span.start >= held.end:
            yield held
            held = span
        else:
            kind = span.kind if held.kind in ("password", "secret", "authorization") else held.kind
            held = Span(held.start, max(held.end, span.end), kind)
    yield held


def _shapes(data: bytes) -> Iterator[Span]:
    runs = data.translate(_RUNS)
    start = runs.find(b"a" * RUN)
    while start >= 0:
        end = runs.find(b" ", start)
        end = len(runs) if end < 0 else end
        at = start
        while found := _BEGINS.search(data, at, end):
            span = _shape_at(data, found.start())
            if span:
                yield span
            at = max(found.end(), span.end if span else 0)
            end = max(end, at)
        start = runs.find(b"a" * RUN, end)


def _shape_at(data: bytes, at: int) -> Span | None:
    for kind, begins, shape in _SHAPES:
        if begins.match(data, at) and (found := shape.match(data, at)):
            return Span(at, found.end(), kind)
    return None


def _private_keys(data: bytes) -> Iterator[Span]:
    at = data.find(b"-----BEGIN")
    while at >= 0:
        if found := _PRIVATE.match(data, at):
            end = _PRIVATE_END.search(data, found.end())
            yield Span(at, end.end() if end else len(data), "private-key")
            if end is None:
                return
        at = data.find(b"-----BEGIN", found.end() if found else at + 1)


def _urls(data: bytes) -> Iterator[Span]:
    for at in _places(data, b"://"):
        if (found := _URL.match(data, at)) and found.lastindex and not _PLACEHOLDER.match(found[found.lastindex]):
            yield Span(*found.span(found.lastindex), "password" if found.lastindex == 1 else "webhook")


def _headers(data: bytes) -> Iterator[Span]:
    low = data.lower()
    for word, rule in ((b"authorization", _HEADER), (b"bearer", _BEARER)):
        for at in _places(low, word):
            if (found := rule.match(data, at)) and not _PLACEHOLDER.match(found[1]):
                yield Span(*found.span(1), "authorization")


def _labelled(data: bytes) -> Iterator[Span]:
    low = data.lower()
    for word in _WORDS:
        for at in _places(low, word):
            if (found := _ASSIGNED.match(data, at + len(word))) and (span := _value(data, at, found)):
                yield span


def _value(data: bytes, at: int, assigned: re.Match[bytes]) -> Span | None:
    """The secret that is assigned to the label around `at`, or None."""
    before = _LABEL_START.search(data, max(0, at - 40), at)
    label = (before[0] if before else b"") + data[at : assigned.end(1)]
    if not (_LABELS.fullmatch(label.lower()) or (_ENV.fullmatch(label) and label.endswith(b"_KEY"))):
        return None
    if assigned[2] is not None and not label.startswith(b"--"):
        return None
    start, quote = assigned.end(), assigned[3] or b""
    env = _ENV.fullmatch(label) is not None and data[assigned.end(1) : start].strip(b"\\\"' ") == b"="
    reads = _QUOTED[quote] if len(quote) == 1 else _ESCAPED if quote else _BARE_ENV if env else _BARE
    found = reads.match(data, start)
    value = found[0] if found else b""
    password = b"pass" in label.lower() or b"pwd" in label.lower()
    end = start + len(value)
    if _is_secret(value, data[end : end + 1], password=password, env=env, quoted=bool(quote)):
        return Span(start, end, "password" if password else "secret")
    return None


def _is_secret(value: bytes, after: bytes, *, password: bool, env: bool, quoted: bool) -> bool:
    """A value that is worth hiding: no placeholder, no prose, no code, and strong enough for its place."""
    size = len(value)
    if size < (4 if password else 8) or b" " in value or _PLACEHOLDER.match(value):
        return False
    digits = any(48 <= byte <= 57 for byte in value)
    if not quoted and not digits and (_CODE.match(value) if not env else _CODE.match(value + after) and not value.isalnum()):
        return False
    if not quoted and after in (b"(", b"[", b"{"):
        return False
    if value.isdigit() and not (password and (env or quoted)):
        return False
    return env or password or digits or (quoted and size >= 16)


def _places(data: bytes, word: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + len(word))


RULES: tuple[Callable[[bytes], Iterator[Span]], ...] = (_private_keys, _shapes, _urls, _headers, _labelled)
"""Every built-in rule, a function from the text's bytes to the secrets in it."""
