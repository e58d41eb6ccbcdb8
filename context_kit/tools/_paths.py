"""Names of files: two names are one file only where their components say so."""

from __future__ import annotations

__all__ = ["ALIKE", "join_path", "parts", "plain_path", "same_file", "twin_roots"]

ALIKE = 2
"""Components in which names of different sessions end alike, at least, where they may be one file."""


def plain_path(named: str) -> str:
    """A path without quotes, `./` and white space around it; empty where it spans lines."""
    path = named.strip()
    if len(path) > 1 and path[0] in "\"'`" and path[-1] == path[0]:
        path = path[1:-1]
    if len(path) > 1_000 or len(path.splitlines()) > 1:
        return ""
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def parts(path: str) -> tuple[str, ...]:
    """The components, without empty ones and dots; a leading `..` stays."""
    kept: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif part and part != ".":
            kept.append(part)
    return tuple(kept)


def rooted(path: str) -> bool:
    """True for an absolute path, of either kind of system, or one under the home."""
    return path.startswith(("/", "~", "\\")) or path[1:3] in (":\\", ":/")


def same_file(a: str, b: str, /) -> bool:
    """True where two names are one file, as far as names can tell.

    A relative name is the same file as a longer one that ends in its components: at least two
    of them, or one where the longer name is absolute.
    """
    if not a or not b:
        return False
    if a == b:
        return True
    ours, theirs = parts(a), parts(b)
    if ours == theirs:
        return bool(ours)
    if len(ours) > len(theirs):
        a, b, ours, theirs = b, a, theirs, ours
    if not ours or rooted(a) or theirs[-len(ours) :] != ours:
        return False
    return len(ours) > 1 or rooted(b)


def join_path(folder: str, path: str) -> str:
    """The path as seen from where the shell was before it changed into the folder."""
    if not folder or not path or rooted(path):
        return path
    path = "/".join(parts(folder + "/" + path))
    return "/" + path if folder.startswith("/") else path


def twin_roots(a: str, b: str, /) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The folders in which two absolute names begin to end alike, in `ALIKE` components or more.

    So ends a file of one repository that stands in two folders. None where they don't, and where one folder
    is within the other: then they are two files of one tree.
    """
    if not rooted(a) or not rooted(b):
        return None
    ours, theirs = parts(a), parts(b)
    alike = next((n for n, (x, y) in enumerate(zip(ours[::-1], theirs[::-1], strict=False)) if x != y), 0)
    above = ours[: len(ours) - alike], theirs[: len(theirs) - alike]
    nested = all(x == y for x, y in zip(*above, strict=False))
    return None if alike < ALIKE or nested else above
