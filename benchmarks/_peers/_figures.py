"""The rows summed up, as a summary, a page and a chart; where a peer is better, all three say so."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks import _page
from benchmarks._peers._known import OURS, SHORT, Known
from benchmarks._peers._play import FINAL, Row
from benchmarks._peers._resume import CLASSES

__all__ = ["COST", "KEPT", "chart", "summed", "written"]

KEPT = 0.90
"""The least that ours keeps of all facts."""
COST = 0.31
"""The most that ours costs, against sessions that are never compacted."""
COSTS = (
    "Cost against the session that is never compacted, CPU time against bare tokenisation (median), final windows that "
    "count as zero (over the budget + illegal or failed), requests on the way that are too large + refused:"
)
Summary = dict[str, Any]


def summed(rows: Sequence[Row]) -> Summary:
    """By peer: what it keeps, costs and takes; who is above us, and whether ours holds its targets."""
    peers = {name: _peer([row for row in rows if row.peer == name]) for name in dict.fromkeys(r.peer for r in rows)}
    ours = [peers[name] for name in OURS if name in peers]
    above = [
        f"{name} keeps more {kind} than {mine}: {_percent(found['classes'][kind])} against "
        f"{_percent(peers[mine]['classes'][kind])}"
        for mine in OURS[:1]
        if mine in peers and not peers[mine]["missing"]
        for name, found in peers.items()
        if name not in OURS and not found["missing"]
        for kind in CLASSES
        if (found["classes"][kind]["share"] or 0) > (peers[mine]["classes"][kind]["share"] or 0)
    ]
    held = all(not each["missing"] and each["kept"] >= KEPT and each["cost"] <= COST for each in ours[:1]) and not above
    return {
        "held": held,
        "above": above,
        "better": _better(peers),
        "zero": [
            {"transcript": row.transcript, "window": row.window, "tokens": row.tokens, "budget": row.budget}
            for row in rows
            if row.peer == OURS[0] and row.transcript and (row.missing or row.over or not row.legal)
        ],
        "unmet": _unmet(rows),
        "peers": peers,
    }


def _unmet(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Transcripts and windows of which no peer left a legal window within the budget, and in which there are facts."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        if row.transcript and any(count["expected"] for count in row.classes.values()):
            found.setdefault((row.transcript, row.window), []).append(row)
    return [
        {"transcript": transcript, "window": window}
        for (transcript, window), each in found.items()
        if all(row.missing or row.over or not row.legal for row in each)
    ]


def _peer(rows: list[Row]) -> Summary:
    there = [row for row in rows if row.transcript]
    if not there:
        return {"missing": rows[0].missing}
    classes = {kind: _counted([row.classes[kind] for row in there]) for kind in CLASSES}
    whole = _counted([row.classes[kind] for row in there for kind in CLASSES])
    shares = sorted({share for row in there for share in row.shares}, reverse=True)
    windows = {str(share): _window([row for row in there if share in row.shares]) for share in shares}
    timed = [row.seconds_ratio for row in there if not row.missing]
    return {
        "missing": "",
        "classes": classes,
        "kept": whole["share"] or 0.0,
        "cost": _cost(there),
        "seconds": statistics.median(timed) if timed else None,
        "windows": windows,
        "runs": len(there),
        "over": sum(row.over for row in there),
        "illegal": sum(not row.legal and not row.missing for row in there),
        "failed": sum(bool(row.missing) for row in there),
        "requests": sum(row.requests for row in there),
        "overflows": sum(row.overflows for row in there),
        "refused": sum(row.refused for row in there),
        "compactions": sum(row.compactions for row in there),
    }


def _window(rows: list[Row]) -> Summary:
    return {"kept": _counted([row.classes[kind] for row in rows for kind in CLASSES])["share"], "cost": _cost(rows)}


def _counted(found: list[dict[str, Any]]) -> dict[str, Any]:
    expected, kept = sum(each["expected"] for each in found), sum(each["found"] for each in found)
    return {"expected": expected, "found": kept, "share": round(kept / expected, 4) if expected else None}


def _cost(rows: list[Row]) -> float:
    whole = sum(row.whole for row in rows)
    return round(sum(row.cost for row in rows) / whole, 4) if whole else 1.0


def _better(peers: dict[str, Summary]) -> list[str]:
    """Where a peer beats the library's default."""
    mine = peers.get(OURS[0], {"missing": "not run"})
    if mine["missing"]:
        return []
    found: list[str] = []
    for name, peer in peers.items():
        if name in OURS or peer["missing"]:
            continue
        kinds = [k for k in CLASSES if (peer["classes"][k]["share"] or 0) > (mine["classes"][k]["share"] or 0)]
        told = [f"keeps more {kind}" for kind in kinds]
        told += [f"costs less ({peer['cost']:.3f} against {mine['cost']:.3f})"] if peer["cost"] < mine["cost"] else []
        faster = peer["seconds"] is not None and mine["seconds"] is not None and peer["seconds"] < mine["seconds"]
        told += [f"takes less time ({peer['seconds']:.1f} against {mine['seconds']:.1f})"] if faster else []
        found += [f"{name} {', '.join(told)}"] if told else []
    return found


def _percent(count: dict[str, Any]) -> str:
    return "–" if count["share"] is None else f"{100 * count['share']:.0f} %"


def written(summary: Summary, peers: Sequence[Known], *, picture: str = "") -> str:
    """The page: tables, who is better where, the settings; `picture` is where the chart stands, seen from it."""
    there = {name: peer for name, peer in summary["peers"].items() if not peer["missing"]}
    expected = next(iter(there.values()))["classes"] if there else {}
    facts = ", ".join(f"{kind} {each['expected']}" for kind, each in expected.items())
    zero = [
        f"{each['transcript']} at {each['window']:,}: {each['tokens']:,} tokens where {each['budget']:,} are allowed"
        for each in summary["zero"]
    ]
    unmet = [f"{each['transcript']} at {each['window']:,} tokens" for each in summary["unmet"]]
    parts = [
        f"Facts kept in the final window, of at most {100 * FINAL:.0f} % of the window (expected: {facts}):",
        _kept(there),
        _page.image(picture, "Facts kept and cost, by peer") if picture else "",
        COSTS,
        _taken(there),
        _listed("Where a peer is better than the library's default:", summary["better"]) or _compared(there),
        _listed("Final windows of the library's default that count as zero:", zero),
        _listed("Final windows that nobody brought within the budget, so that they count as zero for all:", unmet),
        _listed("Not run:", [f"**{n}**: {each['missing']}" for n, each in summary["peers"].items() if each["missing"]]),
        _listed("Settings:", [f"**{known.name}**: {known.settings}" for known in peers]),
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _compared(there: dict[str, Summary]) -> str:
    """What is said where no peer is named as better."""
    if OURS[0] not in there:
        return "The library's default was not run: nothing is compared with it."
    if not there.keys() - set(OURS):
        return "No peer was run: the library's default is compared with none."
    return "No peer is better than the library's default in any of these figures."


def _listed(title: str, items: Sequence[str]) -> str:
    return "\n".join([title, "", *(f"- {item}" for item in items)]) if items else ""


def _kept(there: dict[str, Summary]) -> str:
    rows = [
        {"peer": name, "all": f"{100 * peer['kept']:.1f} %"}
        | {kind: _percent(peer["classes"][kind]) for kind in CLASSES}
        for name, peer in there.items()
    ]
    return _page.table(rows, {"peer": "", **{kind: kind for kind in CLASSES}, "all": "all"})


def _taken(there: dict[str, Summary]) -> str:
    shares = list(dict.fromkeys(share for peer in there.values() for share in peer["windows"]))
    rows = [
        {
            "peer": name,
            "zero": f"{peer['over']} + {peer['illegal'] + peer['failed']} of {peer['runs']}",
            "cost": f"{peer['cost']:.3f}",
            **{share: f"{each['cost']:.3f}" for share, each in peer["windows"].items()},
            "seconds": "–" if peer["seconds"] is None else f"{peer['seconds']:.1f}",
            "compactions": peer["compactions"],
            "bad": f"{peer['overflows']} + {peer['refused']} of {peer['requests']:,}",
        }
        for name, peer in there.items()
    ]
    headings = {"peer": "", "zero": "zero", "cost": "cost"}
    headings |= {share: f"cost at {100 * float(share):.0f} %" for share in shares}
    return _page.table(rows, headings | {"seconds": "time", "compactions": "compactions", "bad": "bad requests"})


def chart(summary: Summary) -> str:
    """Facts kept and cost, a row of bars for each peer."""
    there = {name: peer for name, peer in summary["peers"].items() if not peer["missing"]}
    series = {
        "facts kept": [round(100 * peer["kept"], 1) for peer in there.values()],
        "cost": [round(100 * peer["cost"], 1) for peer in there.values()],
    }
    note = "Facts of the session in the final window; cost with a prompt cache against no compaction."
    return _page.bars(
        [SHORT.get(name) or name for name in there], series, "A resumed session, peer by peer", note=note, unit="%"
    )
