"""Questions about what was said: what a person laid down, what the assistant decided and why, found and announced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from context_kit.engrams import Later, Said, constraints, sentences, taken_back
from context_kit.probes._gone import Gone, spread
from context_kit.probes._lines import LEAST, gaps, half
from context_kit.probes._telling import LONGEST, closed, concrete, novel, telling, unforeseen
from context_kit.probes._turns import rounds
from context_kit.probes._types import Probe
from context_kit.probes._words import GAP
from context_kit.summary import decided, decisions, intent
from context_kit.tools import normal_command

__all__ = ["asked", "commands", "grounds", "halves", "intents", "reasons", "rules", "statements"]

BEGINNING = 0.4
"""Share of a rule that its question quotes, at least."""
STARTS = 8
"""Characters of a rule that its question quotes, at least; a Han character counts for two."""
PAUSE = re.compile(r"[,;:，；：、—–]\s?|\s(?=(?:to|unless|without|before|after|when|if|because|except)\b)")
"""Where a sentence may be cut in two."""
RULE = 5
"""Words of a rule's second part that its first must not have."""
TAGGED = re.compile(r"</?[A-Za-z]|\{[\"']")
MOST = 4
"""So many sentences of one text are asked about."""
BECAUSE = re.compile(
    r"\b(?:because|since(?= (?:it|the|this|that|we|there|they))|so that|in order to)\b|因为|由于|以便", re.IGNORECASE
)
"""What a reason follows."""
WISH = re.compile(
    r"\W*(?:(?:since|if|as|because|when|and|but|so|well|actually|yes|no|okay|ok|also|then)[,\s]+)*"
    r"(?:i|we|my|our|i['’]\w+)\b(?!.{0,40}\b(?:never|forbid|insist|(?:don['’]?t|do not) want)\b)|"
    r"\W*(?:can|could|would|will) you\b",
    re.IGNORECASE,
)
"""How a request begins, or what a person tells of itself: no rule."""
DECIDES = re.compile(
    r"\b(?:decid|cho[os]|use[sd]?\b|using|instead|rather|go(?:ing)? with|went with|will\b|let['’]?s\b|keep|kept|switch|"
    r"prefer|opt|pick|replac|avoid|better|should|leav)|['’]ll\b|决定|选择|采用|改用|使用|保留|不用|而不是|应该|放弃",
    re.IGNORECASE,
)
"""What says that something was decided."""
AHEAD = re.compile(
    r"\blet(?:['’]s| me| us)\b|['’](?:ll|m going)\b|\b(?:will|next|now|going to|need to|have to|plan to|want to|"
    r"start|first|then|should|todo|remaining)\b|让我|接下来|下一步|我将|我会|现在|先|再|开始|准备|需要|继续|然后",
    re.IGNORECASE,
)
"""What says that something is still to come."""
DONE = re.compile(
    r"\W*(?:now,? )?(?:i(?:['’]ve| have)? (?:now |just |also |already )?\w+ed\b|(?:all|everything|it|this) "
    r"(?:is|are|was|were)\b)|\W*(?:已|我已|完成)",
    re.IGNORECASE,
)
"""How a report of what was done begins."""
SIGNS = re.compile(r"[{};=<>]|\w\(\w|^\s*(?:#|//|\*)")
"""Signs of code: a reason in it is a remark's."""
QUOTED = 200
"""Characters of what the assistant wrote in a question about what came next."""


def _left(gone: Gone, said: Sequence[Said]) -> list[Said]:
    """The texts that left, without their secrets, spread over the session."""
    return spread([gone.trail.clean(each, gone.redact) for each in said if each.position < gone.cut])


def rules(gone: Gone) -> Iterator[Probe]:
    """What a person forbade or demanded, as far as nothing later took it back."""
    return rounds(_rules(gone, said) for said in _left(gone, gone.trail.words))


def _rules(gone: Gone, said: Said) -> Iterator[Probe]:
    for sentence in gone.trail.once(constraints, said):
        if TAGGED.search(sentence) or WISH.match(sentence):
            continue
        if not taken_back(sentence, said.position, gone.trail.newer):
            found = list(islice(gaps(gone, "rule", "constraint", sentence, said.position), 1))
            yield from found or _goes_on(gone, sentence, said)


def _goes_on(gone: Gone, sentence: str, said: Said) -> Iterator[Probe]:
    """A rule that names nothing: its second part is asked for."""
    at = _middle(sentence)
    start, rest = sentence[:at].rstrip(), sentence[at:].strip()
    if not at or "\n" in sentence or len(rest) > LONGEST or sentence.rstrip()[-1] in "?？":
        return
    question = gone.ask("rule_goes_on", line=start)
    if gone.revised(sentence, rest, said.position):
        return
    if len(novel(rest, question)) < RULE or not all(other.lstrip().startswith(rest) for other in gone.after(start)):
        return
    address = f"m{said.position}"
    yield Probe(kind="constraint", question=question, answer=rest, address=address, difficulty="medium")


def _middle(sentence: str) -> int:
    """Where its second part begins: at a pause; in English at any word of its middle; 0 where nowhere."""
    least = max(int(len(sentence) * BEGINNING), STARTS // (1 + (sentence[:1] >= "\u3400")))
    pauses = [found.end() for found in PAUSE.finditer(sentence, least)]
    words = [found.start() for found in re.finditer(" ", sentence[least:])] if sentence.isascii() else []
    places = [*pauses, *(least + at for at in words)]
    return next((at for at in places if at < len(sentence) * 0.7 and closed(sentence[:at])), 0)


def reasons(gone: Gone) -> Iterator[Probe]:
    """Why the assistant decided so; of decisions without a reason what they name."""
    later = Later()
    for said, text in decided(gone.trail, gone.redact):
        later.add(said.position, [text])
    return rounds(_reasons(gone, said, later) for said in _left(gone, gone.trail.statements))


def _reasons(gone: Gone, said: Said, later: Later) -> Iterator[Probe]:
    for sentence, reason in gone.trail.once(decisions, said):
        stale = taken_back(sentence, said.position, later) or taken_back(sentence, said.position, gone.trail.newer)
        if not stale and not TAGGED.search(sentence) and DECIDES.search(sentence):
            why = _why(gone, said, sentence, reason)
            yield from why or islice(gaps(gone, "decided", "decision", sentence, said.position), 1)


def _why(gone: Gone, said: Said, sentence: str, reason: str) -> list[Probe]:
    """The reason of a decision; nothing where it has none, or another decision begins with the same words."""
    at = sentence.find(reason) if reason else -1
    line = f"{sentence[:at]}…{sentence[at + len(reason) :]}" if at >= 0 else sentence
    question = gone.ask("why", line=line)
    if not reason or len(reason) > LONGEST or len(novel(reason, question)) < 3 or not telling(reason, question):
        return []
    if gone.revised(sentence, reason, said.position):
        return []
    if at > 0 and not gone.once(sentence[:at], sentence[at + len(reason) :], reason):
        return []
    address = f"m{said.position}"
    return [Probe(kind="decision", question=question, answer=reason, address=address, difficulty="medium")]


def grounds(gone: Gone) -> Iterator[Probe]:
    """The reasons that the assistant gave for what it did and found."""
    return rounds(_grounds(gone, said) for said in _left(gone, gone.trail.statements))


def _grounds(gone: Gone, said: Said) -> Iterator[Probe]:
    for sentence in gone.trail.once(sentences, said):
        found = BECAUSE.search(sentence)
        if found is None or len(sentence) > 2 * LONGEST or TAGGED.search(sentence) or SIGNS.search(sentence):
            continue
        start, reason = sentence[: found.end()], sentence[found.end() :].strip(" .。!！")
        question = gone.ask("ground", line=f"{start} {GAP}")
        if len(start) < LEAST or not 12 <= len(reason) <= LONGEST or len(novel(reason, question)) < 4:
            continue
        if gone.revised(sentence, reason, said.position) or not concrete(reason):
            continue
        if all(other.strip(" .。!！").startswith(reason) for other in gone.after(start)):
            address = f"m{said.position}"
            yield Probe(kind="decision", question=question, answer=reason, address=address, difficulty="hard")


def intents(gone: Gone) -> Iterator[Probe]:
    """What the assistant announced as its next step."""
    return rounds(_intents(gone, said) for said in _left(gone, gone.trail.statements))


def _intents(gone: Gone, said: Said) -> Iterable[Probe]:
    line = gone.trail.once(intent, said)
    if not AHEAD.search(line) or DONE.match(line):
        return ()
    return islice(gaps(gone, "intended", "continuation", line, said.position), 1)


def commands(gone: Gone) -> Iterator[Probe]:
    """The command that followed what the assistant wrote."""
    said = {each.position: gone.trail.clean(each, gone.redact).text.strip() for each in gone.trail.statements}
    lines = {at: text.rpartition("\n")[2].strip() for at, text in said.items()}
    ran: dict[int, list[str]] = {}
    for deed in gone.deeds:
        if deed.act.kind == "run":
            ran.setdefault(deed.position, []).append(deed.act.command.strip())
    for position in spread(list(ran)):
        line = lines.get(position, "")
        if not line or len(line) > QUOTED or len(ran[position]) > 1 or sum(line in each for each in said.values()) > 1:
            continue
        command, question = ran[position][0], gone.ask("then_ran", line=line)
        if len(command) <= LONGEST and unforeseen(normal_command(command), question):
            address = f"m{position}"
            yield Probe(kind="continuation", question=question, answer=command, address=address, difficulty="medium")


def statements(gone: Gone) -> Iterator[Probe]:
    """What the assistant stated: the names, numbers and paths in it."""
    return rounds(islice(_of(gone, "said", said), MOST) for said in _left(gone, gone.trail.statements))


def asked(gone: Gone) -> Iterator[Probe]:
    """What a person wrote: the names, numbers and paths in it."""
    return rounds(islice(_of(gone, "asked", said), 2 * MOST) for said in _left(gone, gone.trail.words))


def _of(gone: Gone, form: str, said: Said) -> Iterator[Probe]:
    for sentence in gone.trail.once(sentences, said):
        yield from islice(gaps(gone, form, "recall", sentence, said.position), 1)


def halves(gone: Gone) -> Iterator[Probe]:
    """The second half of what the assistant wrote: where little else can be asked."""
    return rounds(islice(_halves(gone, said), MOST) for said in _left(gone, gone.trail.statements))


def _halves(gone: Gone, said: Said) -> Iterator[Probe]:
    for sentence in gone.trail.once(sentences, said):
        if "\n" not in sentence:
            yield from half(gone, "wrote_on", sentence, said.position)
