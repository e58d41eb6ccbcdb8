"""Hooks in a settings file: put in and taken out again, and nothing else is touched, however the file is laid out."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from context_kit.cli import main
from context_kit.harness.hooks import AGENTS
from context_kit.harness.settings._jsonc import SettingsError, parse
from context_kit.harness.settings._ours import installed, with_hooks, without_hooks

COMMAND = "/opt/tools/context-kit"
CLAUDE = AGENTS["claude-code"]

LAID_OUT = {
    "comments": '{\n  // first\n  "model": "opus", // why\n  /* all\n     of it */\n  "env": {"A": "1"} // last\n}\n',
    "trailing commas": '{\n  "a": [1, 2,],\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"},],},],},\n}\n',
    "unknown keys": '{"zz": {"deep": [{"er": null}]}, "hooks": {"enabled": true, "disabled": ["y"], "notifications": 3}}',
    "tabs": '{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
    "four blanks": '{\n    "a": 1\n}',
    "one line": '{"a": 1, "b": [true, false]}',
    "windows": '{\r\n  "a": 1,\r\n  "hooks": {\r\n    "Stop": []\r\n  }\r\n}\r\n',
    "byte order mark": '\ufeff{"a": 1}\n',
    "empty object": "{}\n",
    "empty file": "",
    "blank file": "\n\n",
    "only a comment": "{\n  // nothing yet\n}\n",
    "comment at the end": '{\n  "a": 1 // one\n}\n// bye\n',
    "comment in hooks": '{\n  "hooks": {\n    // mine\n  }\n}\n',
    "doubled elsewhere": '{"a": 1, "a": 2}',
    "odd texts": '{"a": "// no comment, } ] \\" \\\\", "b": "/* nor */", "ключ": "值 😀"}',
    "hooks of others": (
        '{"hooks": {"SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "say hi"}]}]}}'
    ),
}


def comments(text: str) -> list[str]:
    """Comments of a text, texts in quotes aside."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    return re.findall(r"//[^\r\n]*|/\*.*?\*/", bare, re.DOTALL)


def plain(text: str) -> Any:
    """What an agent reads."""
    return parse(text.lstrip("\ufeff")).plain() if text.strip("\ufeff \r\n") else {}


def others(value: Any) -> Any:
    """The settings without our hooks, and without what only held them."""
    if isinstance(value, list):
        kept = [
            others(each) for each in value if not (isinstance(each, dict) and "context-kit" in str(each.get("command")))
        ]
        return [each for each in kept if each != {"hooks": []} and each != {"matcher": "compact|resume", "hooks": []}]
    return {key: others(each) for key, each in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("agent", sorted(AGENTS))
@pytest.mark.parametrize("text", LAID_OUT.values(), ids=LAID_OUT)
def test_a_file_comes_back_exactly(tmp_path: Path, text: str, agent: str, capsys: Any) -> None:
    """Install and uninstall: the same bytes; in between every key, value and comment, and one hook for each event."""
    path = tmp_path / AGENTS[agent].folder / AGENTS[agent].settings
    path.parent.mkdir()
    path.write_bytes(text.encode())
    assert main(["hook", "install", agent, "--project", str(tmp_path)]) == 0
    between = path.read_bytes().decode()
    assert set(installed(between)) == set(AGENTS[agent].events)
    assert [comment for comment in comments(text) if comment not in comments(between)] == []
    before = plain(text)
    kept = others(plain(between))
    assert {key: kept[key] for key in before if key != "hooks"} == {
        key: before[key] for key in before if key != "hooks"
    }
    assert {key: each for key, each in kept.get("hooks", {}).items() if each != []} == {
        key: each for key, each in before.get("hooks", {}).items() if each != []
    }
    assert main(["hook", "install", agent, "--project", str(tmp_path)]) == 0
    assert path.read_bytes().decode() == between
    assert main(["hook", "uninstall", agent, "--project", str(tmp_path)]) == 0
    assert path.read_bytes() == text.encode()
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", LAID_OUT.values(), ids=LAID_OUT)
def test_what_was_changed_since_stays(tmp_path: Path, text: str) -> None:
    """Somebody edited the file after the install: uninstall takes only ours."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    main(["hook", "install", "claude-code", "--project", str(tmp_path)])
    changed = path.read_bytes().decode().replace("{", '{ /* new */ "theme": "dark",', 1)
    path.write_bytes(changed.encode())
    main(["hook", "uninstall", "claude-code", "--project", str(tmp_path)])
    after = path.read_bytes().decode()
    assert installed(after) == {}
    assert plain(after) == {"theme": "dark", **plain(text)}
    assert [each for each in [*comments(text), "/* new */"] if each not in comments(after)] == []


def test_what_was_changed_between_two_installs_stays(tmp_path: Path) -> None:
    """The second one, with another command, doesn't take the first one's memory for the truth."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "a": 1\n}\n', "utf-8")
    main(["hook", "install", "claude-code", "--project", str(tmp_path)])
    path.write_text(path.read_text("utf-8").replace('"a": 1', '"a": 2'), "utf-8")
    main(["hook", "install", "claude-code", "--project", str(tmp_path), "--store", "/elsewhere"])
    assert path.read_text("utf-8").count("--store /elsewhere") == len(CLAUDE.events)
    main(["hook", "uninstall", "claude-code", "--project", str(tmp_path)])
    assert path.read_text("utf-8") == '{\n  "a": 2\n}\n'


def test_nothing_is_left_of_a_file_that_was_not_there(tmp_path: Path) -> None:
    """Neither the file, nor its folder, nor what was kept beside it."""
    main(["hook", "install", "gemini", "--project", str(tmp_path)])
    assert (tmp_path / ".gemini" / "settings.json").is_file()
    main(["hook", "uninstall", "gemini", "--project", str(tmp_path)])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1',
        '{"a": 1}}',
        "[1]",
        "7",
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        '{"hooks": {}, "hooks": {}}',
        '{"hooks": {"Stop": [], "Stop": []}}',
        "{'a': 1}",
        '{"a": 1,, "b": 2}',
        '{"a" 1}',
        '{"a": tru}',
        "{" * 300,
        '{"a": "\n"}',
    ],
)
def test_what_cannot_be_edited_safely_is_refused(tmp_path: Path, text: str, capsys: Any) -> None:
    """In one line that names the file; not a byte is changed."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    assert main(["hook", "install", "claude-code", "--project", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines()), str(path) in err) == ("", 1, True)
    assert path.read_text("utf-8") == text
    assert len(list(path.parent.iterdir())) == 1


@pytest.mark.parametrize("data", ['{"a": "é"}'.encode("latin-1"), '{"a": 1}'.encode("utf-16"), b'{"a": "\0"}'])
def test_another_encoding_is_refused(tmp_path: Path, data: bytes) -> None:
    """A guess could harm it."""
    path = tmp_path / ".qwen" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(data)
    assert main(["hook", "install", "qwen", "--project", str(tmp_path)]) == 2
    assert path.read_bytes() == data


def test_a_read_only_file_is_refused(tmp_path: Path, capsys: Any) -> None:
    """Whoever asks: its owner has made it so."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text("{}", "utf-8")
    path.chmod(0o444)
    assert main(["hook", "install", "claude-code", "--project", str(tmp_path)]) == 2
    assert "read-only" in capsys.readouterr().err
    assert (path.read_text("utf-8"), stat.S_IMODE(path.stat().st_mode)) == ("{}", 0o444)


def test_links_stay_links(tmp_path: Path) -> None:
    """The file behind a link is edited; its mode stays; a hard link still is one."""
    home = tmp_path / "dotfiles"
    home.mkdir()
    real = home / "claude.json"
    real.write_text('{"a": 1}\n', "utf-8")
    real.chmod(0o640)
    os.link(real, home / "same.json")
    (tmp_path / ".claude").mkdir()
    link = tmp_path / ".claude" / "settings.json"
    link.symlink_to(real)
    main(["hook", "install", "claude-code", "--project", str(tmp_path)])
    assert link.is_symlink()
    assert "context-kit" in real.read_text("utf-8")
    assert (home / "same.json").read_text("utf-8") == real.read_text("utf-8")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    main(["hook", "uninstall", "claude-code", "--project", str(tmp_path)])
    assert (link.is_symlink(), real.read_text("utf-8")) == (True, '{"a": 1}\n')
    assert sorted(each.name for each in home.iterdir()) == ["claude.json", "same.json"]


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    """There is no file to edit."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").symlink_to(tmp_path / ".claude" / "other.json")
    (tmp_path / ".claude" / "other.json").symlink_to(tmp_path / ".claude" / "settings.json")
    assert main(["hook", "install", "claude-code", "--project", str(tmp_path)]) == 2


def test_a_dry_run_changes_nothing(tmp_path: Path, capsys: Any) -> None:
    """It shows the difference."""
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"a": 1}', "utf-8")
    assert main(["hook", "install", "claude-code", "--project", str(tmp_path), "--dry-run"]) == 0
    assert '+    "SessionStart": [' in capsys.readouterr().out
    assert [(each.name, each.read_text("utf-8")) for each in path.parent.iterdir()] == [("settings.json", '{"a": 1}')]


@pytest.mark.parametrize(
    ("agent", "file", "text", "told"),
    [
        ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
        ("claude-code", ".claude/settings.local.json", '{"disableAllHooks": true}', "settings.local.json"),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled"),
        ("gemini", ".gemini/settings.json", "{}", "trusted folder"),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "config.toml"),
        ("codex", ".codex/hooks.json", "{}", "trusted it"),
        ("qwen", ".qwen/settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ],
)
def test_what_silences_the_hooks_is_said(
    tmp_path: Path, agent: str, file: str, text: str, told: str, capsys: Any
) -> None:
    """At the install, in one line; it isn't changed."""
    path = tmp_path / file
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    assert main(["hook", "install", agent, "--project", str(tmp_path)]) == 0
    assert told in capsys.readouterr().out


def test_the_users_own_settings_are_where_the_agent_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a project: the home directory, or where the agent's variable points."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    for agent in AGENTS:
        assert main(["hook", "install", agent]) == 0
    found = sorted(str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*.json") if "before" not in each.name)
    assert found == [".claude/settings.json", ".gemini/settings.json", ".qwen/settings.json", "elsewhere/hooks.json"]


def test_what_is_installed_calls_this_program(tmp_path: Path) -> None:
    """By an absolute path, in the agent's own unit of time, and at the start only after a compaction or a resume."""
    main(["hook", "install", "claude-code", "--project", str(tmp_path)])
    main(["hook", "install", "gemini", "--project", str(tmp_path)])
    claude = json.loads((tmp_path / ".claude" / "settings.json").read_text("utf-8"))["hooks"]
    gemini = json.loads((tmp_path / ".gemini" / "settings.json").read_text("utf-8"))["hooks"]
    (start,) = claude["SessionStart"]
    assert start["matcher"] == "compact|resume"
    assert start["hooks"][0]["command"].startswith(str(Path(sys.executable).parent))
    assert start["hooks"][0]["command"].endswith("hook SessionStart --agent claude-code")
    assert (start["hooks"][0]["timeout"], gemini["PreCompress"][0]["hooks"][0]["timeout"]) == (60, 60_000)


# -- anything -----------------------------------------------------------------------

SPACE = st.sampled_from(["", " ", "\n", "\n  ", "\t", " // c\n", "/* c */", "\n  // d\n  ", "\r\n"])
KEYS = st.sampled_from(["a", "hooks", "Stop", "PreCompact", "команда", "matcher", "b c", "enabled"])
PLAIN = st.sampled_from(["1", "-2.5e3", "true", "null", '"x"', '"// no"', '"\\u00e9\\n"', '""'])


@st.composite
def layouts(draw: st.DrawFn, deep: int = 3) -> str:
    """JSON in any layout, with comments and trailing commas."""
    kind = draw(st.integers(0, 2 if deep else 0))
    if kind == 0:
        return draw(PLAIN)
    inside: list[str] = []
    keys = draw(st.lists(KEYS, max_size=3, unique=True))
    for key in keys:
        value = draw(layouts(deep - 1))
        name = f"{json.dumps(key, ensure_ascii=False)}{draw(SPACE)}:{draw(SPACE)}" if kind == 1 else ""
        inside.append(f"{draw(SPACE)}{name}{value}{draw(SPACE)}")
    comma = draw(st.sampled_from(["", ","])) if inside else ""
    opening, closing = ("{", "}") if kind == 1 else ("[", "]")
    return f"{opening}{draw(SPACE)}{','.join(inside)}{comma}{draw(SPACE)}{closing}"


@settings(max_examples=600, deadline=None)
@example(text='{"hooks":{} // c\n,}', around=("", ""), agent="claude-code")
@example(text='{ // c\n"hooks":{}}', around=("", ""), agent="claude-code")
@example(text='{"hooks" /* c */ : {}}', around=("", ""), agent="claude-code")
@given(text=layouts(), around=st.tuples(SPACE, SPACE), agent=st.sampled_from(sorted(AGENTS)))
def test_nothing_is_lost_whatever_the_layout(text: str, around: tuple[str, str], agent: str) -> None:
    """Every value and every comment is there after the install, and after the uninstall; or it is refused."""
    text = f"{around[0]}{text}{around[1]}"
    try:
        between = with_hooks(text, AGENTS[agent], COMMAND)
    except SettingsError:
        return
    assert set(installed(between)) == set(AGENTS[agent].events)
    assert with_hooks(between, AGENTS[agent], COMMAND) == between
    after = without_hooks(between)
    assert installed(after) == {}
    assert sorted(comments(between)) == sorted(comments(text)) == sorted(comments(after))
    assert bare(plain(after)) == bare(plain(text))


def bare(value: Any) -> Any:
    """Settings without the empty lists under `hooks`, which may be ours."""
    hooks = {key: each for key, each in value.get("hooks", {}).items() if each != []}
    rest = {key: each for key, each in value.items() if key != "hooks"}
    return {**rest, "hooks": hooks} if hooks else rest


@settings(max_examples=200, deadline=None)
@given(text=layouts())
def test_comments_and_commas_change_no_value(text: str) -> None:
    """Without them it is the JSON that Python's own parser reads."""
    spaced = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or " ", text)
    strict = re.sub(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', lambda found: found[1] or "", spaced)
    assert parse(text).plain() == json.loads(strict)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='{}[]",:/*\\ \n\rat1\0', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Never another error, never a wait."""
    try:
        with_hooks(text, CLAUDE, COMMAND)
    except SettingsError as error:
        assert "\n" not in str(error)


def test_a_store_is_named_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent calls hooks from wherever it stands."""
    monkeypatch.chdir(tmp_path)
    assert main(["hook", "install", "claude-code", "--project", ".", "--store", "kept here"]) == 0
    commands = installed((tmp_path / ".claude" / "settings.json").read_text("utf-8"))
    assert {shlex.split(each[0])[-1] for each in commands.values()} == {str(tmp_path / "kept here")}


def test_hooks_for_oneself_in_a_project(tmp_path: Path, capsys: Any) -> None:
    """In the file that isn't shared; the shared one is left alone, and an install into it says what it holds."""
    where = ["claude-code", "--project", str(tmp_path)]
    assert main(["hook", "install", *where, "--local"]) == 0
    assert installed((tmp_path / ".claude" / "settings.local.json").read_text("utf-8"))
    assert not (tmp_path / ".claude" / "settings.json").exists()
    assert "use --local" not in capsys.readouterr().out
    assert main(["hook", "uninstall", *where, "--local"]) == 0
    assert not (tmp_path / ".claude").exists()
    assert main(["hook", "install", *where]) == 0
    assert "use --local" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["codex", "--project", "."], "leave --local out"), (["claude-code"], "--local goes with --project")],
)
def test_no_file_for_oneself_is_said(arguments: list[str], told: str, capsys: Any) -> None:
    """In one line, and nothing is changed."""
    assert main(["hook", "install", *arguments, "--local"]) == 2
    assert told in capsys.readouterr().err


def test_two_installs_leave_no_empty_folder(tmp_path: Path) -> None:
    """What the first one made, the uninstall takes away."""
    where = ["claude-code", "--project", str(tmp_path)]
    for store in ("a", "b"):
        assert main(["hook", "install", *where, "--store", str(tmp_path / store)]) == 0
    assert main(["hook", "uninstall", *where]) == 0
    assert not (tmp_path / ".claude").exists()


def test_what_silences_the_hooks_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """However the project is named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text('{"disableAllHooks": true}', "utf-8")
    assert main(["hook", "install", "claude-code", "--project", "."]) == 0
    assert capsys.readouterr().out.count("`disableAllHooks` is true") == 1
