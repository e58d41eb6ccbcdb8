"""What withdraws a rule as a rule, and what only looks like it; English and Chinese.

A mark on a rule that still holds is worse than none, so each withdrawal stands beside one of another rule.
"""

from __future__ import annotations

import pytest

from context_kit import ContextManager
from context_kit.engrams import Later, sentences, taken_back
from context_kit.testing import assistant, user

WITHDRAWN = [
    ("The timeout is 30 seconds.", "Make the timeout 60 seconds."),
    ("Use Postgres for the orders service.", "Let's use MySQL for the orders service after all."),
    ("Never push to main.", "You may push to main now."),
    ("Do not change the public API.", "The freeze on the public API is lifted."),
    ("The port is 8080.", "Port 9090, not 8080."),
    ("Keep Python 3.9 support.", "We dropped 3.9 support yesterday."),
    ("Don't touch config.py.", "config.py is no longer off limits."),
    ("Don't touch config.py.", "You can edit config.py now."),
    ("Reports go to finance@x.org.", "Reports go to billing@x.org from now on."),
    ("The deadline is Friday.", "The deadline moved to Tuesday."),
    ("Do not use the network.", "Network access is ok now."),
    ("Use tabs.", "Spaces, please, instead of tabs."),
    ("No new dependencies.", "That no-dependency rule? Forget it."),
    ("Never commit without asking.", "You don't need to ask before committing any more."),
    ("Don't write tests yet.", "Now write the tests."),
    ("No new dependencies.", "The rule about no new dependencies is off, you may use lxml."),
    ("No new dependencies.", "You may add dependencies now."),
    ("No new dependencies.", "Forget the rule about dependencies: new dependencies are allowed."),
    ("No new dependencies.", "New dependencies are fine after all."),
    ("Do not change anything in tests/.", "You can change the tests now."),
    (
        "No new dependencies.",
        "One change of mind: the rule about no new dependencies is off, you may use lxml for the XML.",
    ),
    ("Don't touch the migrations folder.", "The migrations folder is fair game now."),
    ("No force pushes.", "The ban on force pushes is over."),
    ("Do not call the payment API.", "Calling the payment API is allowed again."),
    ("Don't add new endpoints yet.", "OK, add the new endpoints now."),
    ("Never deploy without my approval.", "You no longer need my approval to deploy."),
    ("Do not modify the schema.", "The schema freeze has ended, modify it as you need."),
    ("Support Python 3.8.", "We no longer support Python 3.8."),
    ("Do not use async code.", "The no-async rule is gone."),
    ("Always write type hints.", "Type hints are optional from now on."),
    ("不要修改 schema.sql。", "schema.sql 的冻结已经解除了。"),
    ("不要引入新依赖。", "不加依赖这条规矩作废了。"),
    ("先不要写测试。", "现在可以写测试了。"),
    ("没有我的同意不要部署。", "以后部署不用再问我了。"),
    ("禁止访问网络。", "网络访问已放开。"),
    ("不要用 lodash。", "lodash 的禁令取消了。"),
    ("Do not edit settings.yaml.", "settings.yaml is open for edits again."),
    ("No new tables in the database.", "The restriction on new tables has been lifted."),
    ("Do not use the internet.", "Internet access is allowed from now on."),
    ("Don't refactor the parser yet.", "Time to refactor the parser now."),
    ("Never merge without asking me.", "You can merge without asking me from now on."),
    ("Don't rename public functions.", "The rule against renaming public functions no longer applies."),
    ("Keep Node 14 compatibility.", "We've dropped Node 14 compatibility."),
    ("No global state.", "Forget the no-global-state rule."),
    ("Do not change the Dockerfile.", "That rule about the Dockerfile? Scrap it."),
    ("不要改动 Dockerfile。", "Dockerfile 现在不再受限了。"),
    ("禁止新建数据表。", "关于新建数据表的限制已取消。"),
    ("暂时不要重构解析器。", "现在开始重构解析器吧。"),
    ("合并前必须先问我。", "以后合并不用先问我了。"),
    ("不要联网。", "现在可以联网了。"),
    ("必须兼容 Node 14。", "我们已经放弃兼容 Node 14 了。"),
]
STANDING = [
    ("The timeout is 30 seconds.", "The login page took 45 seconds."),
    ("Use Postgres for the orders service.", "Use SQLite for the tests."),
    ("Never push to main.", "Push the branch feature-x."),
    ("Do not change the public API.", "You can change the private helpers."),
    ("The port is 8080.", "The port of the metrics server is 9090."),
    ("Do not add dependencies.", "I added a dependency graph to the docs."),
    ("The budget is 500 EUR.", "The flight costs 300 EUR."),
    ("Keep Python 3.9 support.", "My laptop runs Python 3.12."),
    ("Always run the linter before you commit.", "The linter is slow today."),
    ("Don't touch config.py.", "Show me config.py."),
    ("Never use float for money.", "Use float for the coordinates."),
    ("Reports go to finance@x.org.", "The alert goes to ops@x.org."),
    ("Do not delete the cache.", "Delete the log files."),
    ("Use tabs in the Makefile.", "Use spaces in Python files."),
    ("The deadline is Friday.", "The demo is Monday."),
    ("Don't touch the migrations folder.", "The migrations folder is fine now, thanks for checking."),
    ("No force pushes.", "The ban on pushes to develop is over."),
    ("Do not call the payment API.", "Calling the weather API is allowed again."),
    ("Don't add new endpoints yet.", "OK, add the new columns now."),
    ("Never deploy without my approval.", "You no longer need my approval to open a branch."),
    ("Do not modify the schema.", "The code freeze has ended."),
    ("Support Python 3.8.", "We no longer support Windows 7."),
    ("Do not use async code.", "The rule about no globals is gone."),
    ("Always write type hints.", "Docstrings are optional from now on."),
    ("不要修改 schema.sql。", "routes.py 的冻结已经解除了。"),
    ("不要引入新依赖。", "不写注释这条规矩作废了。"),
    ("先不要写测试。", "现在可以写文档了。"),
    ("没有我的同意不要部署。", "以后开分支不用再问我了。"),
    ("禁止访问网络。", "网络现在很慢。"),
    ("不要用 lodash。", "axios 的禁令取消了。"),
    ("Do not edit settings.yaml.", "settings.yaml is open in my editor again."),
    ("No new tables in the database.", "The restriction on upload size has been lifted."),
    ("Do not use the internet.", "The internet is slow from here right now."),
    ("Don't refactor the parser yet.", "Time to refactor the printer now."),
    ("Never merge without asking me.", "You can run the tests without asking me from now on."),
    ("Don't rename public functions.", "The rule against long lines no longer applies."),
    ("Keep Node 14 compatibility.", "We've dropped the old logo."),
    ("No global state.", "Forget the no-print rule."),
    ("Do not change the Dockerfile.", "That rule about the Dockerfile? It stays."),
    ("不要改动 Dockerfile。", "compose.yaml 现在不再受限了。"),
    ("禁止新建数据表。", "关于上传大小的限制已取消。"),
    ("暂时不要重构解析器。", "现在开始重构打印模块吧。"),
    ("合并前必须先问我。", "以后跑测试不用先问我了。"),
    ("不要联网。", "现在可以读缓存了。"),
    ("必须兼容 Node 14。", "我们已经放弃旧的图标了。"),
    ("Don't touch config.py.", "Don't forget the rule about config.py."),
    ("No new dependencies.", "The rule about no new dependencies is not lifted."),
    ("No new dependencies.", "The rule about dependencies will be lifted if the tests pass."),
    ("Never use float.", "The ban on float is lifted only for coordinates."),
    ("Never push to main.", "No need to ask before pushing to develop."),
    ("Never commit without asking.", "Never push without asking either."),
    ("不要引入新依赖。", "不要忘了依赖的规定。"),
    ("没有我的同意不要部署。", "部署还是要先问我。"),
]


def stale(rule: str, later: str) -> bool:
    """Whether a later text takes a sentence of an earlier one back."""
    newer = Later()
    newer.add_text(1, rule)
    newer.add_text(3, later)
    return any(taken_back(sentence, 1, newer) for sentence in sentences(rule))


@pytest.mark.parametrize(("rule", "later"), WITHDRAWN)
def test_a_rule_that_is_withdrawn_is_stale(rule: str, later: str) -> None:
    """Lifted, over, off, fair game, no need to ask, begun, taken back: whatever the words."""
    assert stale(rule, later)


@pytest.mark.parametrize(("rule", "later"), STANDING)
def test_a_rule_that_another_text_only_resembles_stands(rule: str, later: str) -> None:
    """Another rule withdrawn, a state told, a part, a condition, a reminder."""
    assert not stale(rule, later)


def test_the_record_marks_a_withdrawn_rule() -> None:
    """What the agent reads after a compaction names the text that counts."""
    ctx = ContextManager(8_000)
    ctx.add([user("Write the importer."), *assistant("I begin.")])
    ctx.add([user("Don't touch config.py."), *assistant("Understood. " + "looked at part. " * 300)])
    ctx.add([user("config.py is no longer off limits."), *assistant("mapped rows to columns. " * 900)])
    ctx.add([user("Go on."), *assistant("mapped more rows. " * 400)])
    ctx.compact()
    line = next(line for line in str(ctx.messages[0]["content"]).splitlines() if "Don't touch config.py." in line)
    assert "superseded in part: what m5 says is newer" in line
