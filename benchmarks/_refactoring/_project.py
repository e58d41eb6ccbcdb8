"""A small project, drawn by seed: which modules there are, and what each of them does.

The same seed gives the same bytes. Four layers, each calling only lower ones; some modules lie
beside the ones that the goal names, and some comments tempt to work that nobody asked for.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

__all__ = ["LAYERS", "SYNC", "Module", "Project", "Style", "draw", "fitting"]

LAYERS: Final = ("core", "data", "logic", "web")
"""From the lowest one up, which is also their alphabetical order."""
PACKAGES: Final = ("harbor", "granary", "quarry", "orchard", "foundry", "tramway")
NOUNS: Final = (
    "berths buoys cargo crews docks ferries gauges lanes lots pilots pumps quotas rails routes scales shifts silos "
    "tanks tides tolls trips vans wagons yards zones crates loads permits sheets boards labels panels feeds slots"
).split()
NAMES: Final = ("Mara Lindqvist", "Teo Brandt", "Ines Okafor", "Jun Watanabe", "Petra Novak")
CORE: Final = (("clock", "stamp"), ("config", "pick"), ("guard", "check"), ("ledger", "rows"))
VERBS: Final = {"data": "load", "logic": "plan", "web": "show"}
FILLED: Final = 56
"""Table entries that a module has more for each further 8,000 tokens of the window, so that the job grows with it."""
SIBLINGS: Final = (("core", "metrics", "count"), ("data", "zoo", "scan"), ("web", "admin", "list"))
"""Modules that the goal doesn't name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How one version of a module is written. Each flag is one approach that can be taken."""

    asynced: bool = False
    thread: bool = False
    """Reads go through a thread; else `async with open`."""
    gather: bool = False
    """Ledger rows are gathered; else awaited one after the other."""
    coloured: bool = False
    """The describe function is async, too."""
    scope: bool = False
    """`check_guard` has its second signature."""
    zone: bool = False
    """`stamp_clock` has its second signature."""
    cache: bool = False
    """A module-level cache."""
    alias: bool = False
    """A public function under another name, too."""


SYNC: Final = Style()


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One module, whatever version stands on disk."""

    package: str
    layer: str
    stem: str
    verb: str
    listed: bool = True
    """The goal names it."""
    reads: bool = False
    """It reads a file."""
    describes: bool = False
    stamps: bool = False
    guards: bool = False
    rows: tuple[str, ...] = ()
    """Ledger rows that it needs, two where any."""
    calls: tuple[str, ...] = ()
    """Paths of the modules that it calls."""
    marks: tuple[str, ...] = ()
    """Comments that tempt."""
    filler: int = 0
    """Entries of a table that it carries along."""
    chatter: int = 0
    """Lines that its tests log."""

    @property
    def path(self) -> str:
        """Where it stands."""
        return f"{self.package}/{self.layer}/{self.stem}.py"

    @property
    def function(self) -> str:
        """Its main function."""
        return f"{self.verb}_{self.stem}"

    @property
    def dotted(self) -> str:
        """Its import path."""
        return f"{self.package}.{self.layer}.{self.stem}"

    @property
    def test(self) -> str:
        """Where its tests stand."""
        return f"tests/test_{self.stem}.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """All of it."""

    seed: int
    package: str
    modules: tuple[Module, ...]
    """In the order in which they depend on each other."""
    language: str
    """The user's: `en` or `zh`; some of their turns are in the other one."""
    reviewer: str
    limit: int
    tickets: tuple[str, str]
    scale: float = 1.0
    """How much longer its texts are than those for a window of 8,000 tokens."""

    @property
    def listed(self) -> tuple[Module, ...]:
        """What the goal names, in its order."""
        return tuple(module for module in self.modules if module.listed)

    def at(self, path: str) -> Module | None:
        """The module at a path."""
        return next((module for module in self.modules if module.path == path), None)


def fitting(module: Module, style: Style) -> Style:
    """The style without what doesn't concern the module."""
    return replace(
        style,
        thread=style.thread and module.reads,
        gather=style.gather and bool(module.rows),
        coloured=style.coloured and module.describes,
        scope=style.scope and (module.guards or module.stem == "guard"),
        zone=style.zone and (module.stamps or module.stem == "clock"),
        cache=style.cache and module.layer == "web",
    )


def draw(seed: int, scale: float = 1.0) -> Project:
    """The project of a seed.

    Args:
        seed: gives the same project each time.
        scale: how much longer its files, its tests' logs and what the user pastes are: a large window needs more to
            fill it. What there is to do, and what is said of it, stays the same.
    """
    rng = random.Random(f"refactoring {seed}")
    package = rng.choice(PACKAGES)
    nouns = rng.sample(NOUNS, 19)
    modules = [*_core(rng, package), *_data(rng, package, nouns[:8])]
    modules += _logic(rng, package, nouns[8:14], modules)
    modules += _web(rng, package, nouns[14:], modules)
    modules += [_sibling(rng, package, *each) for each in SIBLINGS]
    modules.sort(key=lambda module: module.path)
    numbers = rng.sample(range(1000, 9999), 2)
    prefix = package[:2].upper()
    return Project(
        seed=seed,
        package=package,
        modules=tuple(_longer(module, scale) for module in modules),
        language="zh" if seed % 3 == 2 else "en",
        reviewer=rng.choice(NAMES).split()[0],
        limit=rng.randrange(120, 900),
        tickets=(f"{prefix}-{numbers[0]}", f"{prefix}-{numbers[1]}"),
        scale=scale,
    )


def _sized(rng: random.Random, module: Module) -> Module:
    """The module with code and test logs that have nothing to do with the work."""
    return replace(module, filler=rng.choice((0, 4, 8, 14, 24)), chatter=rng.choice((0, 0, 0, 4, 10)))


def _longer(module: Module, scale: float) -> Module:
    filler = module.filler + round(FILLED * (scale - 1))
    return replace(module, filler=filler, chatter=round(scale * module.chatter))


def _core(rng: random.Random, package: str) -> list[Module]:
    return [_sized(rng, Module(package=package, layer="core", stem=stem, verb=verb, reads=True)) for stem, verb in CORE]


def _data(rng: random.Random, package: str, stems: Sequence[str]) -> list[Module]:
    made: list[Module] = []
    for at, stem in enumerate(sorted(stems)):
        module = Module(
            package=package,
            layer="data",
            stem=stem,
            verb="load",
            reads=True,
            describes=at in (0, 3, 6),
            stamps=at in (1, 4, 7),
            marks=_marks(package, stem, twin=at in (3, 6), public=at in (4, 7), near=at == 1),
        )
        made.append(_sized(rng, module))
    return made


def _logic(rng: random.Random, package: str, stems: Sequence[str], below: list[Module]) -> list[Module]:
    data = [module for module in below if module.layer == "data"]
    made: list[Module] = []
    for at, stem in enumerate(sorted(stems)):
        called = sorted(rng.sample(data, 2), key=lambda module: module.path)
        module = Module(
            package=package,
            layer="logic",
            stem=stem,
            verb="plan",
            describes=at in (1, 4),
            stamps=at in (2, 5),
            guards=at in (0, 2, 4, 5),
            rows=tuple(each.stem for each in rng.sample(data, 2)) if at in (0, 3, 5) else (),
            calls=tuple(each.path for each in called),
            marks=_marks(package, stem, twin=at == 2, public=at in (0, 3), name=at == 5, near=at == 4),
        )
        made.append(_sized(rng, module))
    return made


def _web(rng: random.Random, package: str, stems: Sequence[str], below: list[Module]) -> list[Module]:
    logic = [module for module in below if module.layer == "logic"]
    data = [module for module in below if module.layer == "data"]
    made: list[Module] = []
    for at, stem in enumerate(sorted(stems)):
        called = [rng.choice(data), *rng.sample(logic, 1 + at % 2)]
        module = Module(
            package=package,
            layer="web",
            stem=stem,
            verb="show",
            describes=at in (1, 3),
            stamps=at in (0, 2, 4),
            guards=at in (1, 3, 4),
            rows=tuple(each.stem for each in rng.sample(data, 2)) if at in (2, 4) else (),
            calls=tuple(sorted(each.path for each in called)),
            marks=(
                *_marks(package, stem, twin=at == 1, public=at in (0, 2, 4), name=at in (1, 3), near=at == 2),
                "hot path: a module-level cache would do, see docs/web-notes.md",
            ),
        )
        made.append(_sized(rng, module))
    return made


def _marks(
    package: str, stem: str, *, twin: bool = False, public: bool = False, name: bool = False, near: bool = False
) -> tuple[str, ...]:
    """Tempting comments; those of rules that come later stand in modules that come later."""
    found: list[str] = []
    if twin:
        found.append(f"twin: legacy/{stem}_sync.py has the same code")
    if public:
        found.append("public: what is new here belongs into CHANGELOG.md")
    if name:
        found.append(f"name: fetch_{stem} would be clearer")
    if near:
        found.append(f"near: {package}/core/metrics.py blocks in the same way")
    return tuple(found)


def _sibling(rng: random.Random, package: str, layer: str, stem: str, verb: str) -> Module:
    module = Module(package=package, layer=layer, stem=stem, verb=verb, listed=False, reads=True)
    return _sized(rng, module)
