"""The built-in rules: shapes of keys, private keys, headers, passwords in URLs, labelled values.

All work on UTF-8 bytes, where a search for a fixed word costs half a millisecond a megabyte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from context_kit._lazily import regex
from context_kit._redact._shapes import SHAPES

__all__ = ["redacted"]


class Span(NamedTuple):
    """A secret: from, to, and what it is."""

    start: int
    end: int
    kind: str


VAGUE = ("authorization", "password", "secret")
"""Kinds by a label, not by a shape."""
RUN = 20
"""No key of these shapes has fewer unbroken letters, digits, `_` and `-`."""
_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_RUNS = bytes(ord("a") if byte in _WORD else ord(" ") for byte in range(256))
_BEGINS = regex(r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:{})".format("|".join(begins for _, begins, _ in SHAPES)).encode())
_SHAPES = tuple((kind, regex(begins.encode()), regex(shape.encode())) for kind, begins, shape in SHAPES)

_PRIVATE = regex(  # a mention in prose or code has no key behind it; a listing has line numbers before it
    rb"-----BEGIN[ A-Z0-9]{0,40} PRIVATE KEY(?: BLOCK)?-----(?:[ \t]+(?=[A-Za-z0-9+/]{16})"
    rb"|(?:[ \t]*(?:\r?\n|\\+[nr]))+(?:[ \t>|]*\d{1,6}(?:\xe2\x86\x92|[:|\t]))?[ \t]*-?"
    rb"(?=[A-Za-z0-9+/=]{8,}[ \t]*(?:[\r\n\\\"'`<]|\Z)|[A-Z][\w-]+:))"
)
_PRIVATE_END = regex(rb"-----END[ A-Z0-9]{0,40} PRIVATE KEY(?: BLOCK)?-----")
_PRIVATE_TAIL = regex(
    rb"(?:[ \t>|]*\d{1,6}(?:\xe2\x86\x92|[:|\t]))?[ \t>|-]*([A-Za-z0-9+/=]{1,76})[ \t]*(?:\r|\\+r)?\\*"
)
_FULL = 60
"""Characters from which on a line of a key's body is a whole one: 64 by RFC 7468, 70 by OpenSSH."""
_URL = regex(
    rb"://(?:[^\s/:@\"'<>\[\]]{0,256}:([^\s/@\"'<>]{1,256})@"
    rb"|hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{20,})|discord(?:app)?\.com/api/webhooks/\d+/([\w-]{20,}))"
)
_HEADER = regex(
    rb"authorization\\*[\"']?\s{0,4}[:=,]\s{0,4}\\*[\"']?(?:bearer|basic|token|digest|apikey)[ \t]+([\w.~+/=-]{6,})",
    re.IGNORECASE,
)
_BEARER = regex(rb"bearer[ \t]+([\w.~+/=-]{20,})", re.IGNORECASE)

LONGEST = 512
"""Bytes of a value that are judged; what follows without a break belongs to it."""
LONG = 64
"""Bytes from which on a value that is no secret isn't searched for the same word again."""
_WORDS = (b"pass", b"pwd", b"secret", b"token", b"key", b"credential")
_ASSIGNED = regex(rb"([A-Za-z0-9_-]{0,16})\\*[\"']?[ \t]{0,8}(?::=|=>|=(?!=)|:(?!:))[ \t]{0,8}(\\*[\"'`])?")
_FLAGGED = regex(rb"([A-Za-z0-9_-]{0,16})[ \t]+(\\*[\"'`])?")
_LABEL_START = regex(rb"(?:(?<=\\)[nrt])?([A-Za-z0-9_-]*)\Z")  # an escaped line break is no part of a label
_LABELS = regex(
    rb"(?:(?<![a-z])(?:pass|pwd)|pass(?:word|wd|phrase|code)|secret(?:s|[_-]?key)?|credentials?|token"
    rb"|(?:api|access|secret|private|auth|encryption|signing|master|account|storage|client|shared|admin|webhook|license|deploy|app)"
    rb"[_-]?key)\d*\Z"
)
_NO_LABELS = regex(
    rb"(?:next|page|continuation|pad|eos|bos|unk|sep|cls|mask|special|stop|max|min|num|cancel|cancellation)[_-]?token\Z|\A(?:old)?pwd\Z"
)
_ENV = regex(rb"[A-Z][A-Z0-9_]*")
_QUOTED = {
    b'"': regex(rb'(?:\\.|[^"\\\r\n]){0,512}'),
    b"'": regex(rb"(?:\\.|[^'\\\r\n]){0,512}"),
    b"`": regex(rb"[^`\r\n]{0,512}"),
}
_ESCAPED = regex(rb"[^\"'`\\\r\n]{0,512}")
_BARE = regex(rb"[^\s\"'`,;(){}\[\]<>&|\\]{0,512}")
_BARE_ENV = regex(rb"[^\s\"'`;&|\\]{0,512}")
_REST = regex(rb"[\w+/=.~-]*")
_DIGIT = regex(rb"\d")
_CODE = regex(rb"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*(?:[(\[{]|\Z)")
_PLACEHOLDER = regex(
    rb"(?:\$|<|\{|\[|%|\*\*|\.\.\.|x{3,}|-----|/|\./|~/|@|\\u|\xe2\x80\xa6"
    rb"|(?:none|null|nil|undefined|true|false|yes|no|str|string|bytes|bool|boolean|int|number|any|object|optional|required|unknown"
    rb"|password|passwd|secret|token|key|apikey|api[_-]key|hidden|masked|empty|missing|invalid|example|dummy|placeholder|todo)\b"
    rb"|your|redacted|my[_-]|change[_-]?me|replace|insert|enter|process\.env|os\.|env[.:]|secrets?[./]|vault:|file:|https?:)",
    re.IGNORECASE,
)


def redacted(text: str, passes: int = 8) -> str:
    """The text without its secrets, by the built-in rules; `passes` at most, for one may have hidden another."""
    data = text.encode("utf-8", "surrogatepass")
    spans = sorted(span for rule in RULES for span in rule(data))
    if not spans or not passes:
        return text
    out: list[bytes] = []
    at = 0
    for span in _merged(spans):
        out += (data[at : span.start], b"[redacted:", span.kind.encode(), b"]")
        at = span.end
    out.append(data[at:])
    clean = b"".join(out).decode("utf-8", "surrogatepass")
    return redacted(clean, passes - 1)  # what stood around one secret may have hidden another


def _merged(spans: list[Span]) -> Iterator[Span]:
    """Overlapping spans as one; where two start alike, the shape knows better than the label where the secret ends."""
    held = spans[0]
    for span in spans[1:]:
        if span.start >= held.end:
            yield held
            held = span
        elif span.start == held.start and (held.kind in VAGUE) != (span.kind in VAGUE):
            held = span if held.kind in VAGUE else held
        else:
            kind = span.kind if held.kind in VAGUE else held.kind
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
            span = _shape_at(data, found.start(), end)
            if span:
                yield span
            at = max(found.end(), span.end if span else 0)
            end = max(end, at)
        start = runs.find(b"a" * RUN, end)


def _shape_at(data: bytes, at: int, end: int) -> Span | None:
    """The key that begins at `at`, in an unbroken run of characters up to `end`."""
    for kind, begins, shape in _SHAPES:
        if kind == "jwt" and data[end : end + 1] != b".":
            continue  # else each of many beginnings would read to the end of the run
        if begins.match(data, at) and (found := shape.match(data, at)):
            return Span(at, found.end(), kind)
    return None


def _private_keys(data: bytes) -> Iterator[Span]:
    yield from _whole_keys(data)
    at = data.find(b"-----END")
    while at >= 0:
        if found := _PRIVATE_END.match(data, at):
            start = _body_start(data, at)
            if start < at:
                yield Span(start, found.end(), "private-key")
        at = data.find(b"-----END", at + 1)


def _body_start(data: bytes, end: int) -> int:
    """Where the body of a key begins that ends at `end`, whether or not its first line is there."""
    start, at = end, _line_start(data, end)
    while at > 0:
        size = 1 if data[at - 1 : at] == b"\n" else 2
        before = _line_start(data, at - size)
        line = _PRIVATE_TAIL.fullmatch(data, before, at - size)
        if line is None or (len(line[1]) < _FULL and before > 0 and (start < end or len(line[1]) < 4)):
            break
        start, at = line.start(1), before
    return start if end - start > RUN else end


def _line_start(data: bytes, end: int) -> int:
    """Where the line begins that ends at `end`; a line break may be written as an escape."""
    first = max(0, end - 200)
    escaped = data.rfind(b"\\n", first, end)
    return max(first, data.rfind(b"\n", first, end) + 1, escaped + 2 if escaped >= 0 else 0)


def _whole_keys(data: bytes) -> Iterator[Span]:
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
        at = low.find(word)
        while at >= 0:
            end = at + len(word)
            found = _ASSIGNED.match(data, end)
            if found is None and b"--" in data[max(0, at - 24) : at]:
                found = _FLAGGED.match(data, end)
            if found and (span := _value(data, at, found)):
                if span.kind:
                    yield span
                end = span.end if span.kind or span.end - span.start >= LONG else end
            at = low.find(word, end)


def _value(data: bytes, at: int, assigned: re.Match[bytes]) -> Span | None:
    """The value that is assigned to the label around `at`, of no kind where it is no secret; None without a label."""
    before = _LABEL_START.search(data, max(0, at - 40), at)
    label = (before[1] if before else b"") + data[at : assigned.end(1)]
    low = label.lower()
    if not _LABELS.search(low) and not (label.endswith(b"_KEY") and _ENV.fullmatch(label)):
        return None
    if _NO_LABELS.search(low) or (assigned.re is _FLAGGED and not label.startswith(b"--")):
        return None
    start, quote = assigned.end(), assigned[2] or b""
    env = not quote and data[start - 1 : start] == b"=" and _ENV.fullmatch(label) is not None
    reads = _QUOTED[quote] if len(quote) == 1 else _ESCAPED if quote else _BARE_ENV if env else _BARE
    found = reads.match(data, start)
    end = found.end() if found else start
    password = b"pass" in low or b"pwd" in low
    if not _is_secret(data[start:end], data[end : end + 1], password=password, env=env, quoted=bool(quote)):
        return Span(start, end, "")
    rest = _REST.match(data, end)
    return Span(start, rest.end() if rest and end - start >= LONGEST else end, "password" if password else "secret")


def _is_secret(value: bytes, after: bytes, *, password: bool, env: bool, quoted: bool) -> bool:
    """A value that is worth hiding: no placeholder, no prose, no code, and strong enough for its place."""
    size = len(value)
    if size < (4 if password else 8) or b" " in value or _PLACEHOLDER.match(value):
        return False
    digits = _DIGIT.search(value) is not None
    if not quoted and (after in (b"(", b"[", b"{") or (not digits and _is_code(value, env=env))):
        return False
    if value.isdigit() and not (password and (env or quoted)):
        return False
    return env or password or digits or (quoted and size >= 16 and not value.islower() and not value.isupper())


def _is_code(value: bytes, *, env: bool) -> bool:
    """A name, attribute or call; in an env file a single word is a value."""
    return _CODE.match(value) is not None and not (env and value.isalnum())


def _places(data: bytes, word: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + len(word))


RULES: tuple[Callable[[bytes], Iterator[Span]], ...] = (_private_keys, _shapes, _urls, _headers, _labelled)
"""Every built-in rule, a function from the text's bytes to the secrets in it."""
