"""The text of a module in each style: the sync one, the right async one, and the ways that fail.

Every version is real code; which of them works is for the tests to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks._refactoring._project import Module, Project, Style

__all__ = ["source"]

DOCS = {
    "core": "Part of the ground floor: {stem}.",
    "data": "Rows of {stem}, one file, read anew at each call.",
    "logic": "What follows for {stem} from the rows below.",
    "web": "The page of {stem}, as text.",
}
BANDS = (
    "amber ash birch cedar clay coal coral cork dune elm fern flint frost hazel iris jade kelp lime maple mint".split()
)


def source(project: Project, module: Module, style: Style) -> str:
    """A module's text."""
    called = [found for path in module.calls if (found := project.at(path)) is not None]
    blocks = [_head(module, style, called), *_table(module), _main(module, style, called)]
    if module.describes:
        blocks.append(_describe(module, style))
    if style.alias:
        blocks.append(f"fetch_{module.stem} = {module.function}\n")
    return "\n\n".join(blocks)


def _head(module: Module, style: Style, called: list[Module]) -> str:
    lines = [f'"""{DOCS[module.layer].format(stem=module.stem)}"""', ""]
    lines += [f"# {mark}" for mark in module.marks]
    lines += ["import asyncio"] if style.asynced and ((module.reads and style.thread) or style.gather) else []
    lines += ["import asyncio"] if style.asynced and module.stem == "ledger" and "import asyncio" not in lines else []
    lines += ["import json", "from pathlib import Path"] if module.reads else []
    lines += [""] if len(lines) > 2 else []
    package = module.package
    lines += [f"from {package}.core.clock import stamp_clock"] if module.stamps else []
    lines += [f"from {package}.core.guard import check_guard"] if module.guards else []
    lines += [f"from {package}.core.ledger import rows_ledger"] if module.rows else []
    lines += [f"from {each.dotted} import {each.function}" for each in called]
    if module.reads:
        lines += ["", f'SOURCE = Path(__file__).parents[2] / "fixtures" / "{module.stem}.json"']
    if module.stem == "ledger":
        lines += ['BUSY = {"now": False}']
    if style.cache:
        lines += ["", "_CACHE: dict[str, str] = {}"]
    return "\n".join(lines) + "\n"


def _table(module: Module) -> Iterator[str]:
    """Code that has nothing to do with input and output."""
    if not module.filler:
        return
    entries = [f'    "{BANDS[at % len(BANDS)]}{at}": {17 * at + len(module.stem)},' for at in range(module.filler)]
    yield "\n".join(
        [
            f"LIMITS_{module.stem.upper()} = {{",
            *entries,
            "}",
            "",
            "",
            f"def band_{module.stem}(value: int) -> str:",
            '    """The band that a value falls into."""',
            f"    for name, limit in LIMITS_{module.stem.upper()}.items():",
            "        if value < limit:",
            "            return name",
            '    return "over"',
            "",
        ]
    )


def _main(module: Module, style: Style, called: list[Module]) -> str:
    if module.layer == "core" and module.listed:
        return _core(module, style)
    prefix, wait = ("async ", "await ") if style.asynced else ("", "")
    kind = "str" if module.layer == "web" else "dict[str, object]"
    lines = [f"{prefix}def {module.function}(key: str) -> {kind}:", f'    """{module.verb.title()} one by its key."""']
    if style.cache:
        lines += ["    if key in _CACHE:", "        return _CACHE[key]"]
    if module.guards:
        scope = f', scope="{module.stem}"' if style.scope else ""
        lines.append(f"    token = {wait}check_guard(key{scope})")
    lines += list(_rows(module, style, wait)) if module.rows else []
    lines += (
        list(_reading(style)) + ["    row = dict(rows[key])"] if module.reads else ["    row: dict[str, object] = {}"]
    )
    lines += [f'    row["{each.stem}"] = {wait}{each.function}(key)' for each in called]
    lines += ['    row["token"] = token'] if module.guards else []
    if module.stamps:
        zone = ', zone="utc"' if style.zone else ""
        lines.append(f'    row["seen"] = {wait}stamp_clock("{module.stem}"{zone})')
    lines += ['    row["total"] = first + second'] if module.rows else []
    if module.layer == "web":
        lines += [
            "    text = repr(sorted(row))",
            *(["    _CACHE[key] = text"] if style.cache else []),
            "    return text",
        ]
    else:
        lines += ["    return row"]
    return "\n".join(lines) + "\n"


def _rows(module: Module, style: Style, wait: str) -> Iterator[str]:
    first, second = (f'rows_ledger("{name}")' for name in module.rows)
    if style.gather:
        yield f"    first, second = await asyncio.gather({first}, {second})"
    else:
        yield f"    first = {wait}{first}"
        yield f"    second = {wait}{second}"


def _reading(style: Style) -> Iterator[str]:
    if style.asynced and style.thread:
        yield '    rows = json.loads(await asyncio.to_thread(SOURCE.read_text, encoding="utf-8"))'
        return
    prefix, wait = ("async ", "await ") if style.asynced else ("", "")
    yield f'    {prefix}with open(SOURCE, encoding="utf-8") as handle:'
    yield f"        rows = json.loads({wait}handle.read())"


def _core(module: Module, style: Style) -> str:
    prefix = "async " if style.asynced else ""
    names = {"clock": "name", "config": "name", "guard": "key", "ledger": "name"}
    extra = {"clock": ", *, zone: str" if style.zone else "", "guard": ", *, scope: str" if style.scope else ""}
    name, more = names[module.stem], extra.get(module.stem, "")
    kind = "int" if module.stem == "ledger" else "str"
    lines = [f"{prefix}def {module.function}({name}: str{more}) -> {kind}:"]
    lines += [f'    """What {module.stem} has for a {name}."""']
    if module.stem == "ledger":
        lines += [
            '    if BUSY["now"]:',
            '        raise RuntimeError("ledger cursor is busy")',
            '    BUSY["now"] = True',
        ]
        lines += ["    try:", *(f"    {line}" for line in _reading(style))]
        lines += ["        await asyncio.sleep(0)"] if style.asynced else []
        lines += [
            '        return int(rows.get(name, {"size": 1})["size"])',
            "    finally:",
            '        BUSY["now"] = False',
        ]
        return "\n".join(lines) + "\n"
    lines += list(_reading(style))
    told = {
        "clock": ' + ("/" + zone)' if style.zone else "",
        "guard": ' + ("/" + scope)' if style.scope else "",
    }.get(module.stem, "")
    lines.append(f'    return str(rows.get({name}, {{"name": "{module.stem}"}})["name"]){told}')
    return "\n".join(lines) + "\n"


def _describe(module: Module, style: Style) -> str:
    prefix = "async " if style.asynced and style.coloured else ""
    return "\n".join(
        [
            f"{prefix}def describe_{module.stem}(row: dict[str, object]) -> str:",
            f'    """One line about a row of {module.stem}; only computes."""',
            '    return ", ".join(f"{key}={value}" for key, value in sorted(row.items()) if value)',
            "",
        ]
    )
