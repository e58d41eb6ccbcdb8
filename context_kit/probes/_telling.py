"""Whether an answer tells something: it isn't trivial, isn't in its question, and can't be read off it."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = [
    "FILE",
    "HAN",
    "LONGEST",
    "NOVEL",
    "OTHER",
    "apart",
    "closed",
    "concrete",
    "novel",
    "often",
    "telling",
    "unforeseen",
    "words_of",
]

LONGEST = 120
"""Characters of an answer; a longer one is no single fact."""
SHORTEST = 3
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
PART = re.compile(rf"[A-Z]?[a-z\u00df-\u00f6\u00f8-\u00ff]+|[A-Z]+(?![a-z])|\d+|[{HAN}]")
"""The words that a name is made of: `loadUserById` has four."""
FEW = 2
NOVEL = 0.5
"""Share of an answer's letters that its question must not have."""
OTHER = 0.4
"""The same where the question tells nothing of what is asked for, such as what was run before."""
TRIVIAL = frozenset(
    "ok okay done true false none null yes no success successful failed error unknown default auto undefined empty "
    "void todo n/a nan string object number boolean int str list dict array value values test tests main return pass "
    "exit status info warning debug content text message type name id nil self this async await const undefined class "
    "error errors".split()
)
SMALL = frozenset(
    "a an and are as at be been by can could did do does for from had has have he her his how i if in into is it its "
    "me my no not of on or our she should so than that the their them then there these they this those to us was we "
    "were what when where which who why will with would you your".split()
)
KEYWORDS = frozenset(
    "return const let var if else elif for while function export import async await def class self this new err nil "
    "null true false none try catch except raise throw static public private func fn end do with from print".split()
)
"""Words of code that any line may have."""
COMMON = frozenset(
    "py js ts tsx jsx json md txt go rs src lib tmp home users test tests html css yml yaml toml".split()
)
"""Words that many paths have: they tell no path."""
FILE = re.compile(r"[\w~.@+/\\-]*[/\\][\w.@+-]+\.\w{1,8}")
"""A file's path: its name is what tells it, many have its folders."""
OFTEN = re.compile(
    r"20\d\d|100%?|\d0|\d\.0+|1234?5?6?|10+|42|128|255|256|512|1024|2048|4096|80|443|3000|5000|8000|8080|200|404|500"
)
CONCRETE = re.compile(
    rf"\d\d|\bE[A-Z]{{4,}}\b|[A-Za-z]\d|[a-z][A-Z]|\w[_/.@:]\w|[\"`“(\[{{]|(?<!\w)'\w|[{HAN}]{{2}}|--\w"
)


FAMILIAR = frozenset(
    "typescript javascript python github gitlab bitbucket git bash json html css yaml node nodejs npm react linux "
    "windows macos ios android docker ubuntu debian openai anthropic claude chatgpt postgresql postgres mysql sqlite "
    "mongodb redis graphql oauth oauth2 vscode xcode jquery nextjs django flask devops youtube paypal utf-8 kubernetes "
    "opentelemetry localstorage webassembly stackoverflow x86_64 amd64 arm64 aarch64 claude.md agents.md gemini.md "
    "readme.md __init__.py package.json index.ts index.js main.py setup.py".split()
)
"""Names that everybody knows: who sees the others of a list can guess them."""
IDLE = SMALL | KEYWORDS


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, names taken apart."""
    return tuple(found.lower() for found in PART.findall(text))


def novel(answer: str, question: str) -> tuple[str, ...]:
    """The words of an answer that say something and that its question doesn't have."""
    known = set(words_of(question))
    return tuple(word for word in words_of(answer) if word not in known and word not in IDLE and not _in(word, known))


def _in(word: str, known: set[str]) -> bool:
    """Whether a word is another form of one that is known: `edits` of `edit`."""
    return len(word) > SHORTEST and any(len(other) > SHORTEST and (word in other or other in word) for other in known)


def telling(answer: str, question: str, *, share: float = NOVEL) -> bool:
    """Whether an answer is one short fact that its question doesn't give away.

    Args:
        answer: as the log has it.
        question: the whole question.
        share: of the answer's letters that must be in words which the question doesn't have.
    """
    bare = answer.strip()
    if not SHORTEST <= len(bare) <= LONGEST or "\n" in bare or bare.strip("\"'`.,;:").lower() in TRIVIAL | FAMILIAR:
        return False
    if _squeezed(bare) in _squeezed(question):
        return False
    if FILE.fullmatch(bare):
        return apart(bare, question) and re.split(r"[/\\]", bare)[-1].lower() not in FAMILIAR
    told = [word for word in words_of(bare) if word not in IDLE]
    new = novel(bare, question)
    return sum(map(len, new)) >= SHORTEST - 1 and sum(map(len, new)) >= share * sum(map(len, told))


def often(number: str) -> bool:
    """Whether a number stands in many texts: a year, a round one, a port, a size."""
    return OFTEN.fullmatch(number) is not None


def concrete(text: str) -> bool:
    """Whether a text names something: a number, an identifier, a path, a quoted word; standing phrases don't."""
    return CONCRETE.search(text) is not None


def closed(text: str) -> bool:
    """Whether a piece of a text ends inside no code and no quotation."""
    return all(text.count(sign) % 2 == 0 for sign in ("`", '"', "**")) and text.count("“") == text.count("”")


def apart(path: str, question: str) -> bool:
    """Whether nothing in a question hints at a path's own name."""
    known = set(words_of(question))
    own = [word for word in words_of(path.rstrip("/").rpartition("/")[2]) if word not in COMMON and len(word) > 1]
    return bool(own) and all(word not in known and not _in(word, known) for word in own)


def unforeseen(command: str, question: str) -> bool:
    """Whether nobody reads a command off a question: three words and a half of it are new."""
    return len(novel(command, question)) > FEW and telling(command, question)


def _squeezed(text: str) -> str:
    return " ".join(_letters(text))


def _letters(text: str) -> Iterator[str]:
    for found in re.finditer(rf"[^\W{HAN}]+|[{HAN}]", text.lower()):
        yield found[0]
