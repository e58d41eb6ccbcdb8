"""What is known of each file: its newest content, rebuilt from reads and edits, or why it can't be known.

Nothing is guessed: an edit whose old text isn't found leaves the content unknown, or as it was known and unsure where
its answer doesn't say that it was made. A failed act changes nothing. One text per file is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from context_kit.tools._act import Act
from context_kit.tools._disturb import CODE_ALONE, Disturbance, disturbance
from context_kit.tools._patch import Change, parse_patch, replace_in
from context_kit.tools._paths import plain_path, same_file

__all__ = ["FileView", "Files"]

REGIONS = 12
"""Edited regions that are kept of a file ..."""
REGION = 4_000
"""... of at most so many characters each."""
CHANGERS = ("sed -i", "perl -", "git checkout", "git restore", "git apply", "patch ", "cp ", "mv ", "tee ", "python")
"""What is named as the reason why a text isn't known."""

UNSURE = "unsure: an edit's old text isn't in it, and its answer doesn't say that it was made"
"""What is noted of a file whose last edit may have done nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """What is known of one file."""

    path: str
    """As the agent last named it."""
    text: str | None = None
    """The newest known content, or the part of it that is known."""
    whole: bool = False
    """`text` is all of the file."""
    first: int = 0
    """First line of `text` where it is a part; 0 where unknown."""
    last: int = 0
    """Last line of it."""
    as_of: int = 0
    """Position of the newest act on it."""
    edited: bool = False
    edits: int = 0
    """How many times it was edited."""
    last_edit: int = 0
    """Position of the newest edit; 0 where there is none."""
    last_read: int = 0
    """Position of the newest read; 0 where there is none."""
    regions: tuple[str, ...] = ()
    """New texts of the newest edits, newest last, as they may be shown."""
    note: str = ""
    """Why the content isn't known whole, or what may have changed it since; else empty."""
    gone: bool = False
    """It was deleted or moved away."""

    @property
    def unsure(self) -> bool:
        """The newest edit of it may have done nothing."""
        return self.note == UNSURE


class Files:
    """What is known of the files of a session; acts are folded in, in order."""

    __slots__ = ("_by_name", "_views")

    def __init__(self) -> None:
        self._views: dict[str, FileView] = {}
        self._by_name: dict[str, list[str]] = {}

    @property
    def views(self) -> Mapping[str, FileView]:
        """By the longest name known; a read-only view, the newest acts last."""
        return MappingProxyType(self._views)

    def find(self, path: str) -> FileView | None:
        """The view of a file by any of its names."""
        key = self._key(path)
        return self._views.get(key) if key else None

    def fold(self, act: Act, position: int, shown: Act | None = None) -> None:
        """Take in one act that happened at this position of the log.

        Args:
            act: what was done, as it is.
            position: where its result stands.
            shown: the same act without its secrets, where it holds any: regions and notes are cut from that one.

        """
        if act.kind == "run":
            self._disturb(shown or act, position)
        if act.failed or not act.path or act.kind not in ("edit", "read"):
            return
        if act.kind == "read":
            self._put(act.path, lambda view: _after_read(view, act, position))
            return
        if act.gone and act.gone == act.path:
            self._put(act.path, lambda view: _after_removal(view, position))
            return
        if act.gone:
            self._move(act, position)
        self._put(act.path, lambda view: _after_edit(view, act, position, shown or act))

    def _put(self, path: str, change: Callable[[FileView], FileView]) -> None:
        key = self._key(path)
        view = self._views.pop(key) if key else FileView(path=path)
        longer = key if len(key) >= len(path) else path
        if key and longer != key:
            self._by_name[_name(key)].remove(key)
        if longer != key:
            self._by_name.setdefault(_name(longer), []).append(longer)
        after = change(view)
        self._views[longer] = after if after.path == path else replace(after, path=path)

    def _key(self, path: str) -> str:
        """The name under which the file is known; empty where it isn't, or where it could be several."""
        if path in self._views:
            return path
        found = [known for known in self._by_name.get(_name(path), ()) if same_file(known, path)]
        return found[0] if len(found) == 1 else ""

    def _move(self, act: Act, position: int) -> None:
        """The old name is gone; what was known of it is now known of the new one."""
        view = self.find(act.gone)
        if view is None:
            return
        self._put(act.gone, lambda old: _after_removal(old, position))
        self._put(act.path, lambda _: replace(view, as_of=position, gone=False))

    def _disturb(self, act: Act, position: int) -> None:
        """Commands that may change any file: what was known may no longer be all true."""
        found = disturbance(act)
        if found is None:
            return
        source = self.find(found.patch) if found.patch else None
        changes = parse_patch(source.text) if source is not None and source.whole and source.text else []
        for change in changes:
            self.fold(_patched(act, change), position)
        if changes:
            return
        for name in found.names:
            self.fold(Act(kind="edit", tool=act.tool, id=act.id, path=plain_path(name), command=act.command), position)
        if not found.names:
            self._doubt(found)

    def _doubt(self, found: Disturbance) -> None:
        note = f"`{found.by}` ran after this was seen"
        for key, view in self._views.items():
            if view.whole and not (found.code and key.endswith(CODE_ALONE)):
                self._views[key] = replace(view, whole=found.code, note=note)


def _patched(act: Act, change: Change) -> Act:
    """What a patch did to one file."""
    return Act(
        kind="edit",
        tool=act.tool,
        id=act.id,
        path=change.path,
        command=act.command,
        content=change.content,
        whole=change.content is not None,
        replacements=change.hunks,
        gone=change.gone,
    )


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _after_read(view: FileView, act: Act, position: int) -> FileView:
    view = replace(view, as_of=position, last_read=position, gone=False)
    content = act.content
    if content is None:
        return view
    if act.whole:
        return replace(view, text=content, whole=True, first=0, last=0, note="")
    if not content.strip():
        return view
    if view.text is not None and (view.whole or len(view.text) > len(content)) and content.rstrip("\n") in view.text:
        return view
    if (
        view.text is not None
        and not view.whole
        and act.first
        and view.last == act.first - 1
        and view.last_edit <= view.last_read
    ):
        joined = view.text if view.text.endswith("\n") else view.text + "\n"
        return replace(view, text=joined + content, last=act.last, note=_lines(view.first, act.last))
    if view.whole and view.text is not None:
        return replace(
            view, text=content, whole=False, first=act.first, last=act.last, note="a later read showed other text"
        )
    return replace(view, text=content, whole=False, first=act.first, last=act.last, note=_lines(act.first, act.last))


def _lines(first: int, last: int) -> str:
    return f"only lines {first} to {last} were read" if first and last else "only a part was read"


def _after_removal(view: FileView, position: int) -> FileView:
    return replace(
        view,
        text=None,
        whole=False,
        as_of=position,
        edited=True,
        edits=view.edits + 1,
        last_edit=position,
        gone=True,
        note="deleted",
    )


def _after_edit(view: FileView, act: Act, position: int, shown: Act) -> FileView:
    text, whole, note = _edited(view, act)
    regions = view.regions if note == UNSURE else _regions(view.regions, shown.replacements)
    if act.whole:
        regions = ()
    return replace(
        view,
        text=text,
        whole=whole,
        first=0 if whole else view.first,
        last=0 if whole else view.last,
        as_of=position,
        edited=True,
        edits=view.edits + 1,
        last_edit=position,
        regions=regions,
        note=note,
        gone=False,
    )


def _regions(before: Sequence[str], replacements: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Edited regions as they stand now, the newest last: an older one that was edited again shows the newer words."""
    kept = list(before)
    for old, new in replacements:
        if old.strip():
            kept = [region.replace(old, new) for region in kept if region.strip() not in old]
        kept = [region for region in kept if region.strip() and region.strip() not in new]
        if new.strip() and not any(new.strip() in region for region in kept):
            kept.append(new[:REGION])
    return tuple(kept[-REGIONS:])


def _edited(view: FileView, act: Act) -> tuple[str | None, bool, str]:
    """The text after an edit, whether it is all of the file, and why not."""
    if act.content is not None:
        return act.content, act.whole, "" if act.whole else "only a part is known"
    if act.gone and not act.replacements:
        return view.text, view.whole, view.note
    if not act.replacements:
        how = next(
            (sign.strip(" -") for sign in CHANGERS if sign in act.command), "a command" if act.command else act.tool
        )
        return None, False, f"changed by {how}, new text unknown"
    if view.text is None:
        return None, False, view.note or "never read whole, only edited"
    text = _ranged(view, act) if act.first else replace_in(view.text, act.replacements, every=act.every)
    if text is not None:
        return text, view.whole, view.note
    if not view.whole:
        return view.text, False, "edited outside the part that was read"
    if act.vague:
        return view.text, False, UNSURE
    return None, False, "an edit's old text wasn't found in what was known"


def _ranged(view: FileView, act: Act) -> str | None:
    """A range of lines replaced, or text put at the end; only where the whole is known."""
    assert view.text is not None
    new = "".join(text for _, text in act.replacements)
    if not view.whole:
        return None
    if act.first < 0:
        return view.text + ("" if view.text.endswith("\n") or not view.text else "\n") + new
    lines = view.text.splitlines(keepends=True)
    if act.first > len(lines) + 1 or act.last < act.first - 1:
        return None
    if act.first > 1 and lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return "".join([*lines[: act.first - 1], new, *lines[act.last :]])
