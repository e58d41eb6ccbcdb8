"""The two encodings, built from the rank files of this package and from nothing else.

No network, no cache folder, no temporary file: a damaged tiktoken cache can't matter, because
it is never read. The ranks are checked against the sha256 that tiktoken itself expects.
"""

from __future__ import annotations

import binascii
import gzip
import hashlib
import threading
import zlib
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, NamedTuple

from context_kit.errors import StoreError

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["EncodingName", "encoding", "encoding_of"]

EncodingName = Literal["o200k_base", "cl100k_base"]

DEFAULT: EncodingName = "o200k_base"
"""For every model whose tokeniser isn't public (Claude, Gemini, DeepSeek, ...) and for unknown ones."""

CL100K = ("gpt-4", "gpt-3.5", "gpt-35", "text-embedding-3", "text-embedding-ada-002", "davinci-002", "babbage-002")
"""Models of cl100k_base by prefix (tiktoken 0.14, model.py) ..."""
NOT_CL100K = ("gpt-4o", "gpt-4.1", "gpt-4.5")
"""... but for these."""

ROUTES = ("ft:", "openai.", "us.", "eu.", "apac.", "global.", "anthropic.", "meta.", "deepseek.", "google.", "azure.")
"""What gateways and fine-tuning put before a model's own name."""


class Spec(NamedTuple):
    """What makes an encoding, beside its ranks. Source: tiktoken 0.14, tiktoken_ext/openai_public.py."""

    sha256: str
    pattern: str
    special: dict[str, int]


_WORD_END = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
SPECS: dict[EncodingName, Spec] = {
    "o200k_base": Spec(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        "|".join(
            (
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + _WORD_END,
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + _WORD_END,
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            )
        ),
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
    "cl100k_base": Spec(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
}

_built: dict[EncodingName, Encoding] = {}
_building = threading.Lock()


def bare(model: str | None) -> str:
    """A model's own name: lower case, without vendor path, route and fine-tuning prefix."""
    name = (model or "").strip().lower().rpartition("/")[2]
    while True:
        for route in ROUTES:
            if name.startswith(route):
                name = name[len(route) :]
                break
        else:
            return name


def encoding_of(model: str | None) -> EncodingName:
    """The encoding that counts for a model; o200k_base where its tokeniser isn't public or isn't known."""
    name = bare(model)
    return "cl100k_base" if name.startswith(CL100K) and not name.startswith(NOT_CL100K) else DEFAULT


def encoding(name: EncodingName) -> Encoding:
    """The encoding by name, built once per process (about 0.2 s) whatever the number of threads.

    Raises:
        StoreError: the rank file of the installed package is missing or damaged.
    """
    found = _built.get(name)
    if found is None:
        with _building:
            found = _built.get(name) or _built.setdefault(name, _build(name))
    return found


def _build(name: EncodingName) -> Encoding:
    from tiktoken import Encoding

    spec = SPECS[name]
    return Encoding(name, pat_str=spec.pattern, mergeable_ranks=_ranks(name, spec), special_tokens=spec.special)


def _ranks(name: EncodingName, spec: Spec) -> dict[bytes, int]:
    packed = files("context_kit.tokens") / "_ranks" / f"{name}.tiktoken.gz"
    try:
        data = gzip.decompress(packed.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise StoreError(_damaged(name, repr(error))) from error
    found = hashlib.sha256(data).hexdigest()
    if found != spec.sha256:
        raise StoreError(_damaged(name, f"sha256 {found!r} instead of {spec.sha256!r}"))
    decode = binascii.a2b_base64
    # A line is `base64 rank`; that the ranks are 0, 1, 2, ... in order is part of what the sum vouches for.
    return {decode(token): rank for rank, token in enumerate(data.split()[::2])}


def _damaged(name: str, why: str) -> str:
    return f"the rank file of {name} in the installed package is damaged ({why}): reinstall context-kit"
