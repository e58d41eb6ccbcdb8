"""Facts that get corrected: values of eight kinds, stated and taken back in many wordings, English and Chinese."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

__all__ = [
    "CORRECTED",
    "DECIDED",
    "EDITING",
    "KINDS",
    "NOTICED",
    "REDECIDED",
    "STATED",
    "Fact",
    "made_fact",
    "subjects",
]


@dataclass(slots=True)
class Fact:
    """One thing that has a value, and later another."""

    kind: str
    topic: str
    key: str
    """Its name in a file."""
    old: str
    new: str
    source: str
    """Who said it: `user`, `agent` or `file`."""
    stated_at: int
    corrected_at: int
    """After how many compactions."""


_SYLLABLES = "vel mor tan ri sol ke dar nu fi lo bra zen".split()
_LIBRARIES = (
    "httpx aiohttp msgspec orjson attrs pydantic click typer loguru structlog peewee sqlmodel arrow pendulum "
    "celery dramatiq flask starlette redis memcached kafka rabbitmq lxml selectolax"
).split()


def _word(rng: random.Random) -> str:
    return "".join(rng.sample(_SYLLABLES, 3))


def _port(rng: random.Random) -> str:
    return str(rng.randrange(20011, 59999))


def _version(rng: random.Random) -> str:
    return f"{rng.randrange(2, 30)}.{rng.randrange(11, 60)}.{rng.randrange(11, 90)}"


def _name(rng: random.Random) -> str:
    return _word(rng).capitalize() + rng.choice(("Client", "Store", "Router", "Broker"))


def _path(rng: random.Random) -> str:
    return f"/srv/{_word(rng)}/{_word(rng)}.{rng.choice(('sock', 'json', 'db', 'log'))}"


def _date(rng: random.Random) -> str:
    return f"20{rng.randrange(27, 40)}-{rng.randrange(1, 13):02}-{rng.randrange(10, 29)}"


def _library(rng: random.Random) -> str:
    return rng.choice(_LIBRARIES)


def _limit(rng: random.Random) -> str:
    return f"{rng.randrange(211, 997)} {rng.choice(('MB', 'ms', 'rows'))}"


def _shape(rng: random.Random) -> str:
    return f"{rng.choice(('GET', 'POST', 'PUT'))} /v{rng.randrange(2, 9)}/{_word(rng)}/{{id}}"


KINDS: dict[str, tuple[Callable[[random.Random], str], str, str, str]] = {
    "port": (_port, "the {who} port", "{who} 的端口", "{who}_port"),
    "version": (_version, "the {who} version", "{who} 的版本", "{who}_version"),
    "name": (_name, "the {who} class name", "{who} 的类名", "{who}_class"),
    "path": (_path, "the {who} socket path", "{who} 的套接字路径", "{who}_path"),
    "deadline": (_date, "the {who} deadline", "{who} 的截止日期", "{who}_deadline"),
    "library": (_library, "the library for {who}", "{who} 用的库", "{who}_library"),
    "limit": (_limit, "the {who} limit", "{who} 的上限", "{who}_limit"),
    "shape": (_shape, "the {who} endpoint", "{who} 的接口", "{who}_endpoint"),
}
"""By kind: its values, its topic in English and in Chinese, its key in a file."""
_WHO = "billing gateway search mailer uploads reports audit login catalog invoices".split()

STATED = {
    "en": (
        "{topic} is {old}.",
        "Use {old} as {topic}.",
        "For the record, {topic} is {old}.",
        "Please set {topic} to {old}.",
        "We settled on {old} for {topic}.",
        "{topic}: {old}",
    ),
    "zh": (
        "{topic}是 {old}。",
        "{topic}用 {old}。",
        "先说一下，{topic}是 {old}。",
        "请把{topic}设为 {old}。",
        "{topic}：{old}",
    ),
}
CORRECTED = {
    "en": (
        "Correction: {topic} is {new}, not {old}.",
        "Scrap that, {topic} should be {new}.",
        "Change of plan: use {new} for {topic} instead of {old}.",
        "I was wrong about {topic}, it is {new}.",
        "Please switch {topic} from {old} to {new}.",
        "Update: {topic} is now {new}.",
        "Forget {old}, {topic} has to be {new}.",
        "{topic} changed to {new} after the meeting.",
        "Actually, make {topic} {new}.",
        "We no longer use {old} for {topic}; it's {new} from now on.",
        "News from operations: {topic} becomes {new}.",
        "Sorry, a slip earlier: {topic} is {new}.",
        "Let's go with {new} rather than {old} for {topic}.",
        "Replace {old} with {new} as {topic}.",
    ),
    "zh": (
        "更正：{topic}是 {new}，不是 {old}。",
        "之前说错了，{topic}应该是 {new}。",
        "计划有变，{topic}改用 {new}，不用 {old} 了。",
        "{topic}改成 {new}。",
        "把{topic}从 {old} 换成 {new}。",
        "更新一下：{topic}现在是 {new}。",
        "别管 {old} 了，{topic}必须是 {new}。",
        "开会之后{topic}变为 {new}。",
        "其实{topic}用 {new} 就好。",
        "{topic}不再用 {old}，以后用 {new}。",
        "运维通知：{topic}调整为 {new}。",
        "抱歉，前面写错了，{topic}是 {new}。",
        "还是用 {new} 吧，{topic}不要 {old}。",
    ),
}
DECIDED = {
    "en": (
        "I'll use {old} for {topic} because it fits the other services.",
        "Decision: {topic} is {old}, since the tests expect it.",
        "I decided on {old} as {topic}, because it is the documented choice.",
        "I choose {old} for {topic}: it needs no migration.",
    ),
    "zh": (
        "{topic}我选 {old}，因为和其他服务一致。",
        "决定：{topic}为 {old}，因为测试这样要求。",
        "{topic}采用 {old}，原因是文档推荐它。",
    ),
}
REDECIDED = {
    "en": (
        "I'll use {new} for {topic} instead of {old}, because the first choice clashes.",
        "Decision changed: {topic} is {new}, since {old} is taken.",
        "I take back {old}: {topic} is {new} because the load test failed.",
        "I switch {topic} from {old} to {new}, because it is faster.",
        "On second thought {topic} should be {new}, because of the new limits.",
        "New decision: {topic} is {new}, since the old one was rejected in review.",
        "{topic} doesn't work with {old}, so I use {new}.",
        "I replace {old} with {new} as {topic}, because support ended.",
        "I no longer use {old} for {topic}; {new} it is, because of the licence.",
        "Correction of my earlier choice: {topic} is {new}.",
        "I go with {new} rather than {old} for {topic}, because users asked for it.",
        "Revising {topic}: {new}, because the earlier value broke the build.",
    ),
    "zh": (
        "{topic}改用 {new}，不用 {old}，因为原来的有冲突。",
        "决定变更：{topic}为 {new}，因为 {old} 已被占用。",
        "我撤回 {old}：{topic}用 {new}，因为压测没过。",
        "把{topic}从 {old} 换成 {new}，因为更快。",
        "再想想，{topic}应该是 {new}，因为限制变了。",
        "新的决定：{topic}是 {new}，因为旧的评审没通过。",
        "{topic}用 {old} 行不通，所以用 {new}。",
        "用 {new} 取代 {old} 作为{topic}，因为后者停止维护。",
        "{topic}不再用 {old}，改为 {new}，因为许可证问题。",
        "更正我之前的选择：{topic}是 {new}。",
        "{topic}选 {new} 而不是 {old}，因为用户要求。",
        "调整{topic}：{new}，因为之前的值导致构建失败。",
    ),
}
NOTICED = {
    "en": ("The settings say {topic} is {old}.", "I read the settings first.", "{key} is {old} in the settings."),
    "zh": ("配置里{topic}是 {old}。", "先读配置。", "配置中 {key} 是 {old}。"),
}
EDITING = {
    "en": (
        "I change {key} to {new} in the settings.",
        "{topic} becomes {new} in the settings.",
        "I set {key} to {new} instead of {old}.",
        "Now {key} goes from {old} to {new}.",
        "Updating {key} in the settings, it is {new} now.",
        "The settings get {new} for {topic}.",
        "Let me correct {key}: {new}.",
        "{key} was {old}, I make it {new}.",
        "I replace {old} with {new} in the settings.",
        "Fixing {topic} in the settings: {new}.",
        "With this edit {topic} is {new}.",
        "I write {new} for {key}, {old} is out of date.",
    ),
    "zh": (
        "把配置里的 {key} 改成 {new}。",
        "{topic}在配置中改为 {new}。",
        "将 {key} 从 {old} 改为 {new}。",
        "更新配置：{key} 现在是 {new}。",
        "配置里{topic}写成 {new}。",
        "修正 {key}：{new}。",
        "{key} 原来是 {old}，改成 {new}。",
        "在配置里用 {new} 替换 {old}。",
        "修改配置中的{topic}：{new}。",
        "这次编辑之后{topic}是 {new}。",
        "{key} 写 {new}，{old} 已过时。",
        "配置的 {key} 设为 {new}。",
    ),
}


def made_fact(rng: random.Random, kind: str, source: str, language: str, who: str, taken: set[str]) -> Fact:
    """A fact with two values that nothing else in the session uses."""
    make, english, chinese, key = KINDS[kind]
    values: list[str] = []
    while len(values) < 2:
        value = make(rng)
        if not any(value in other or other in value for other in taken):
            taken.add(value)
            values.append(value)
    topic = (english if language == "en" else chinese).format(who=who)
    stated = rng.randrange(2)
    later = stated + rng.randrange(3, 7)
    return Fact(kind, topic, key.format(who=who), values[0], values[1], source, stated, later)


def subjects(rng: random.Random) -> list[str]:
    """What the facts are about, in random order."""
    return rng.sample(_WHO, len(_WHO))
