"""What a command line does for good beside files: commits, pushes, pull requests, tags, releases, migrations.

An act counts where its own output shows it, or where the whole line passed and its exit code hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from context_kit._lazily import regex
from context_kit.tools._act import Act
from context_kit.tools._commands import manner, normal_command, plain_words, program
from context_kit.tools._envelope import unwrap
from context_kit.tools._shellwords import names, simples

__all__ = ["Lasting", "lasting", "lasts", "tried"]

SHOWN = 2_000
"""Characters of the line that tells; who shows it takes the secrets out and then cuts it."""
TAIL = 16_384
"""Characters at an output's end that are looked at."""

COMMITTED = r"\[[^\]\n]{1,200} [0-9a-f]{6,40}\] [^\n]*|[ \t]*\d+ files? changed[^\n]*"
PUSHED = r"[ +*=-]*(?:[0-9a-f]{6,40}\.{2,3}[0-9a-f]{6,40}|\[new (?:branch|tag)\])[^\n]*->[^\n]*"
MERGED = r"(?:Fast-forward|Merge made by|Successfully rebased|Updating [0-9a-f]{6,40}\.\.)[^\n]*"
SWITCHED = r"Switched to a new branch [^\n]*"
LINK = r"[^\n]*https?://\S[^\n]*"
RELEASED = (
    r"\+ \S+@\S+|View at:[^\n]*|[^\n]*(?:[Pp]ublished|[Uu]ploaded|configured|created|Apply complete|digest: )[^\n]*"
)
MIGRATED = r"[^\n]*(?:[Aa]ppl(?:y|ied|ying)|[Mm]igrat(?:ed|ing|ions?)|Running upgrade)\b[^\n]*"

KINDS = {
    "git commit": COMMITTED,
    "git push": PUSHED,
    "git tag *": "",
    "git merge *": MERGED,
    "git rebase *": MERGED,
    "git cherry-pick *": COMMITTED,
    "git revert *": COMMITTED,
    "git checkout -b *": SWITCHED,
    "git switch -c *": SWITCHED,
    **dict.fromkeys(
        (
            "gh pr create, gh pr merge, gh pr close, gh pr comment, gh pr review, gh issue create, gh issue close, "
            "gh issue comment, gh release create, glab mr create, glab mr merge, glab issue create"
        ).split(", "),
        LINK,
    ),
    **dict.fromkeys(
        (
            "npm publish, pnpm publish, yarn publish, cargo publish, twine upload, docker push, terraform apply, "
            "kubectl apply, helm install, helm upgrade, vercel deploy, fly deploy"
        ).split(", "),
        RELEASED,
    ),
    **dict.fromkeys(
        (
            "alembic upgrade, alembic downgrade, manage.py migrate, flask db upgrade, prisma migrate dev, "
            "prisma migrate deploy, prisma db push, rails db:migrate, rake db:migrate, mix ecto.migrate, "
            "knex migrate:latest, typeorm migration:run, sequelize db:migrate, sequelize-cli db:migrate, "
            "drizzle-kit push, drizzle-kit migrate, artisan migrate, flyway migrate, diesel migration run, "
            "sqlx migrate run, dbmate up, goose up"
        ).split(", "),
        MIGRATED,
    ),
}
"""What counts, and the line of its output that shows it; a star stands for a word of the caller's own."""
DENIED = regex(
    r"nothing (?:added )?to commit|no changes added|Everything up-to-date|\[(?:remote )?rejected\]|Already up to date|"
    r"is up to date|CONFLICT|error: failed to push|No pending migrations|No migrations to apply",
)
"""What is printed where nothing came of it."""
IDLE = names("--dry-run --list -l --help --abort --contains --points-at -n")
"""Options with which nothing is done."""
FIRST = frozenset(kind.split()[0] for kind in KINDS)
STARRED = {tuple(kind.split()): shows for kind, shows in KINDS.items()}
BY_FIRST = {name: [kind for kind in STARRED if kind[0] == name] for name in FIRST}
WORDED = regex(r"-[a-z]{0,4}m|--message|--title|-t")
"""Options that are followed by the words of the thing."""


class Lasting(NamedTuple):
    """One thing that was done for good."""

    what: str
    """The program with what it did: `git commit`, `gh pr create`."""
    told: str
    """The line of its output that shows it, word for word; else the words that it was given; may be empty."""


def lasting(act: Act, /) -> Iterator[Lasting]:
    """What a command did for good, in its order."""
    if act.kind != "run" or act.refused or not act.ended or not any(name in act.command for name in FIRST):
        return
    shown: dict[str, list[str]] = {}
    sure = not act.failed and not manner(act.command).hides and not DENIED.search(act.output[-TAIL:])
    for simple in simples(act.command):
        words = _words(program(simple))
        kind = _kind(words)
        if not kind or IDLE & set(words):
            continue
        line = STARRED[kind]
        lines = shown.setdefault(line, _lines(line, act.output)[::-1] if line else [])
        what = " ".join(word if word != "*" else given for word, given in zip(kind, _plain(words, kind), strict=False))
        if lines:
            yield Lasting(what, lines.pop().strip()[:SHOWN])
        elif sure:
            yield Lasting(what, _given(words))


def lasts(what: str, /) -> bool:
    """Whether words such as `git commit` name something that is done for good."""
    return bool(_kind(what.split()))


def tried(command: str, /) -> str:
    """A command line in a form in which two tries of it compare equal.

    The message of a commit, the title and text of a pull request, and what is staged before a commit are not part of
    what is tried.
    """
    if not any(name in command for name in ("commit", "pr create", "mr create")):
        return normal_command(command)
    kept: list[str] = []
    worded = False
    for simple in simples(command):
        words = program(simple)
        plain = plain_words(words)
        if plain[:1] == ["cd"] or plain[:2] == ["git", "add"] or (simple.piped and plain[:1] in (["tail"], ["head"])):
            continue
        if plain[:2] == ["git", "commit"] or plain[:3] in (["gh", "pr", "create"], ["glab", "mr", "create"]):
            words, worded = plain[: 2 + (plain[0] != "git")], True
        kept.append(" ".join(words))
    return " && ".join(kept) if worded else normal_command(command)


def _words(words: list[str]) -> list[str]:
    """A command's words from its program's name on: `python3 manage.py migrate` begins with `manage.py`."""
    names_of = [word.rpartition("/")[2] for word in words[:2]]
    runs_file = names_of[:1] and names_of[0].rstrip("0123456789.") in ("python", "php") and len(words) > 2
    return [names_of[1], *words[2:]] if runs_file else [*names_of[:1], *words[1:]]


def _kind(words: list[str]) -> tuple[str, ...]:
    """The kind that a command is of; empty where it is of none."""
    kinds = BY_FIRST.get(words[0], ()) if words else ()
    return next((kind for kind in kinds if _fits(kind, _plain(words, kind))), ())


def _plain(words: list[str], kind: tuple[str, ...]) -> list[str]:
    """A command's words without its options, those that the kind names aside."""
    named = [word for word in kind if word.startswith("-") and word in words]
    plain = plain_words(words)
    if not named:
        return plain
    at = words.index(named[0])
    return [*plain[:2], *words[at:]]


def _fits(kind: tuple[str, ...], plain: list[str]) -> bool:
    return len(plain) >= len(kind) and all(each in ("*", word) for each, word in zip(kind, plain, strict=False))


def _lines(line: str, output: str) -> list[str]:
    found = regex(rf"(?m)^(?:{line})$").findall(unwrap(output).body[-TAIL:])
    return [each for each in found if not each.lstrip().startswith(tuple("0123456789"))] or found[:1]


def _given(words: list[str]) -> str:
    """The first line of the words that a commit or a request was given."""
    given = (words[at + 1] for at, word in enumerate(words[:-1]) if WORDED.fullmatch(word))
    text = next(given, "").strip()
    return text.partition("\n")[0][:SHOWN] if not text.startswith("$(") else ""
