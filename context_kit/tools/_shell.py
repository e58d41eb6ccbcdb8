"""What a shell command did beside running: files it wrote, showed or searched.

`run` comes first, then what it did, in order. A file's content is taken from a command only
where nothing else could have printed it or changed it on the way.
"""

from __future__ import annotations

from itertools import pairwise

from context_kit._lazily import regex
from context_kit.tools._act import Act, Call
from context_kit.tools._commands import manner, program
from context_kit.tools._numbered import shown
from context_kit.tools._paths import join_path, plain_path
from context_kit.tools._shelledits import UNSURE, edits, later_error, operands
from context_kit.tools._shellwords import Simple, names, simples

__all__ = ["looked_for", "run", "runs"]

SHOWS = names("cat head tail sed nl less more bat batcat")
SEARCHES = names("grep egrep fgrep zgrep rg ag ack find fd fdfind ls ll tree git-grep locate")
SILENT = names("cd pushd popd export set source . mkdir true test [ [[ sleep unset wait :")
MOST = 200
"""Commands of one line that are looked at."""
RANGE = regex(r"(\d{1,8})(?:,(\d{1,8}|\$))?p$")
COUNT = regex(r"-(?:n|-lines)?[= ]?(\d{1,8})$")


def run(call: Call) -> tuple[Act, ...]:
    """The acts of a tool that runs one command line."""
    command = call.words("command", "cmd", "CommandLine", "script", "code", "input") or ""
    if not command:
        words = call.items("command", "cmd")
        texts = [word for word in words if isinstance(word, str)]
        shell = (
            len(texts) > 2 and texts[1] in ("-lc", "-c", "-ic") and texts[0].rpartition("/")[2] in ("bash", "sh", "zsh")
        )
        command = texts[2] if shell else " ".join(texts)
    return runs(call, command)


def runs(call: Call, command: str, *, resumed: bool = False, error: str | None = None) -> tuple[Act, ...]:
    """The run of a command line and what it did; a resumed one has written its files already.

    Args:
        call: the call.
        command: its command line.
        resumed: it goes on from an earlier call.
        error: why it failed, or empty, where that is known; else it is judged by what was printed.

    """
    command = command.strip()
    error = call.broke(command) if error is None else error
    alive = call.seen.verdict == "running" and not error
    if alive and call.seen.session:
        call.running[call.seen.session] = command
    place = plain_path(
        call.words("workdir", "dir_path", "directory", "cwd", "working_directory", "workingDirectory") or ""
    )
    ran = call.act("run", error=error, command=command, place=place, ended=not alive)
    found = simples(command)
    known = [simple for simple in found if simple.words or simple.writes][:MOST]
    acts: list[Act] = [ran]
    folder = ""
    for index, simple in enumerate(known):
        words = program(simple)
        if words[:1] in (["cd"], ["pushd"]) and len(words) > 1:
            folder = join_path(folder, words[1]) if not words[1].startswith("-") else folder
            continue
        if not resumed:
            acts.extend(
                edits(
                    call,
                    command,
                    simple,
                    words,
                    folder,
                    error if index == len(known) - 1 else later_error(error, simple),
                )
            )
        if not alive:
            acts.extend(_looks(call, command, known, index, words, folder, error))
    return tuple(acts)


def _looks(
    call: Call, command: str, known: list[Simple], index: int, words: list[str], folder: str, error: str
) -> list[Act]:
    simple = known[index]
    name = words[0].rpartition("/")[2] if words else ""
    if simple.writes or simple.document is not None or (simple.piped and name not in SEARCHES):
        return []
    if name in SEARCHES or words[:2] == ["git", "grep"]:
        if simple.piped and not operands(words)[1:]:
            return []
        paths = operands(
            words, takes=("-e", "-A", "-B", "-C", "-g", "-m", "-t", "--glob", "-name", "-type", "-maxdepth")
        )
        paths = paths if name in ("ls", "find", "tree", "ll") else paths[1:]
        path = join_path(folder, plain_path(paths[0])) if len(paths) == 1 else ""
        return [call.act("search", error=error, command=command, path=path)]
    if name not in SHOWS or any(word.startswith("-i") for word in words[1:3] if name == "sed"):
        return []
    files, first, last = _shown_files(name, words)
    files = [path for path in files if not any(sign in path for sign in UNSURE)]
    pipes = _behind(known, index)
    alone = len(files) == 1 and not error and pipes is not None and _alone(known, index, len(pipes or []))
    acts: list[Act] = []
    for named in files:
        path = join_path(folder, plain_path(named))
        if not alone:
            acts.append(call.act("read", error=error, command=command, path=path))
            continue
        acts.append(_read(call, command, path, first, last, pipes or []))
    return acts


def _read(call: Call, command: str, path: str, first: int, last: int, pipes: list[list[str]]) -> Act:
    for words in pipes:
        _, begin, end = _shown_files(words[0].rpartition("/")[2], [*words, "-"])
        first, last = (begin or first), (end or last)
    seen = shown(call.seen.body)
    text = seen.text if seen.text.endswith("\n") or not seen.text else seen.text + "\n"
    count = text.count("\n")
    part = bool(first or last or seen.cut)
    begin = seen.first or (max(first, 1) if first >= 0 and part else 0)
    begin = 0 if first < 0 and not seen.first else begin
    end = seen.last or (begin + count - 1 if begin and part else 0)
    short = part and not seen.cut and begin == 1 and last > 0 and count < last
    whole = (not part or short) and not _clipped(call.said)
    return call.act(
        "read",
        error="",
        command=command,
        path=path,
        content=text,
        whole=whole,
        first=0 if whole else begin,
        last=0 if whole else end,
    )


CLIPPED = (
    "truncated",
    "Truncated",
    "characters omitted",
    "chars elided",
    "elided",
    "output too large",
    "Output too large",
    "omitted",
)


def _clipped(said: str) -> bool:
    """The agent cut the output and says so: in the first or last lines, or, as Codex does, in the middle."""
    if any(sign in said[:400] or sign in said[-400:] for sign in CLIPPED):
        return True
    return " tokens truncated" in said or " characters elided" in said or ("\n... [" in said and " lines" in said)


def _behind(known: list[Simple], index: int) -> list[list[str]] | None:
    """The programs that its output runs through, where each only cuts lines out of it; else None."""
    found: list[list[str]] = []
    while known[index].pipes and index + 1 < len(known):
        index += 1
        words = program(known[index])
        name = words[0].rpartition("/")[2] if words else ""
        if name not in ("head", "tail", "sed") or known[index].writes or _shown_files(name, [*words, "-"])[0] != ["-"]:
            return None
        found.append(words)
    return found


def _alone(known: list[Simple], index: int, behind: int) -> bool:
    """True where no other command of the line prints anything."""
    others = known[:index] + known[index + 1 + behind :]
    return all(each.name in SILENT or (each.document is not None and bool(each.writes)) for each in others)


def _shown_files(name: str, words: list[str]) -> tuple[list[str], int, int]:
    """The files a viewer shows, the first and the last line; first is -1 where it counts from the end."""
    plain = operands(words, takes=("-n", "-c", "--lines") if name in ("head", "tail") else ("-e", "-b", "-w", "-v"))
    if words[-1:] == ["-"]:
        plain.append("-")
    if name == "sed":
        ranges = [found for word in words[1:] if (found := RANGE.match(word.strip()))]
        if len(ranges) != 1 or "-n" not in words:
            return ([], 0, 0)
        begin, end = int(ranges[0].group(1)), ranges[0].group(2)
        files = [word for word in plain if not RANGE.match(word.strip())]
        return files, begin, begin if end is None else 0 if end == "$" else int(end)
    if name in ("head", "tail"):
        counts = [int(found.group(1)) for word in words[1:] if (found := COUNT.match(word))]
        counts += [int(after) for word, after in pairwise(words) if word in ("-n", "--lines") and after.isdigit()]
        start = [int(word[1:]) for word in words[1:] if word[:1] == "+" and word[1:].isdigit()]
        plain = [word for word in plain if word[:1] != "+"]
        if name == "head":
            return plain, 1, counts[0] if counts else 10
        return plain, start[0] if start else -1, 0
    return plain, 0, 0


def looked_for(command: str) -> tuple[str, ...]:
    """The files that a command line only wanted to see; empty for one that does more, or says none."""
    if not manner(command).views:
        return ()
    found: list[str] = []
    folder = ""
    for simple in simples(command):
        words = program(simple)
        name = words[0].rpartition("/")[2] if words else ""
        if name == "cd":
            folder = join_path(folder, words[1]) if len(words) == 2 else folder
        elif name in SHOWS or name in SEARCHES:
            counts = ("-n", "-c", "--lines") if name in ("head", "tail") else ("-e", "-A", "-B", "-C", "-g", "-m", "-t")
            plain = operands(words, takes=counts)
            listed = name in ("ls", "ll", "tree", "find") or (name in SHOWS and name != "sed")
            files = plain[:1] if name == "find" else plain if listed else plain[1:]
            found += [join_path(folder, plain_path(file)) for file in files if not any(sign in file for sign in UNSURE)]
    return tuple(dict.fromkeys(filter(None, found)))
