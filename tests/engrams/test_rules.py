"""A rule ends where a later sentence allows the forbidden thing itself or drops the required one, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit import ContextManager
from context_kit.engrams import Later, taken_back
from context_kit.engrams._sentences import sentences

HOLDS = """
Do not use requests. | Use httpx instead of requests.
Never use MD5. | Use SHA-256 instead of MD5.
Do not use pip. | Use uv instead of pip.
Do not use the root user. | Use the app user instead of the root user.
Never use print. | Use logging instead of print.
Never force push. | Open a pull request instead of a force push.
Avoid global state. | Use a class instead of global state.
You must not use MD5. | Switch from MD5 to SHA-256.
Do not use requests. | Replace requests with httpx.
Do not use requests. | Swap requests for httpx in the client.
Don't rely on the system clock. | Rely on the injected clock rather than the system clock.
Never delete the backups table. | Archive the rows instead of deleting the backups table.
Don't import numpy. | We moved from numpy to plain lists.
Do not edit the generated files. | Edit the templates instead of the generated files.
Stop using unittest. | Use pytest, not unittest.
Stay away from eval. | Use ast.literal_eval in place of eval.
Don't touch config.yaml. | Change defaults.yaml rather than config.yaml.
Do not commit to main. | Commit to a feature branch instead of main.
Never log passwords. | Log the user id instead of passwords.
No new dependencies. | Copy the helper instead of adding new dependencies.
Do not use requests. | As I said, use httpx instead of requests.
Never use tabs. | Convert the tabs to spaces.
Do not use requests. | We no longer use requests.
Do not use Redis. | Drop Redis.
Never use eval. | It is fine not to use eval.
Do not use React. | Actually, use Vue instead of React.
MD5 is forbidden. | Now use SHA-256 rather than MD5.
Do not install packages globally. | Install packages in a virtualenv instead of globally.
Never push to main. | You may push to the feature branch now.
Never push. | You may push if the tests pass.
Do not add dependencies. | Add a dependency graph view to the CLI.
Never delete the database. | Delete the temp files in build/.
Only edit files in src/. | Also update the README.
Don't touch config.yaml. | The config.yaml is fine now.
Don't use the staging database. | The staging database is fine.
Do not use MD5 for passwords. | Use MD5 for the cache keys.
Never push. | Never push, and no force push either.
Do not use requests. | Should we use requests?
Do not use requests. | If you need HTTP, you may use requests later.
Do not use requests. | You can't use requests.
Must support Python 3.8. | Drop Python 3.7 support.
Must support Python 3.8. | Python 3.8 is installed now.
Must keep the audit log. | Remove the debug log.
Always run the linter. | You can skip the docs.
Call it foo. | Rename bar to foo.
Call it foo. | Rename the file to baz.txt.
Call it foo. | Don't rename foo to bar.
Do not commit anything. | I committed the change to the log.
Do not use print. | Print the summary at the end.
Only use the standard library. | Use the standard library only.
Only use the standard library. | You can now use the new logger of the project.
不要用 MD5。 | 改用 SHA-256，不用 MD5 了。
禁止用 requests。 | 改用 httpx，不用 requests 了。
不要用 MD5。 | 用 SHA-256 代替 MD5。
不要使用 pip。 | 从 pip 换成 uv。
别用 print。 | 用 logging，而不是 print。
禁止使用全局变量。 | 把全局变量改成类属性。
不要用 eval。 | eval 不用了，改成 ast。
不许用 root 用户。 | 用 app 用户，不要用 root 用户。
不要修改 config.py。 | 改 settings.py，别改 config.py。
不要提交到 main。 | 可以提交到 dev 了。
不要推送。 | 测试通过的话可以推送。
不要推送。 | 可以推送吗？
不要用 jQuery。 | 把 jQuery 换成 React。
禁止删除数据。 | 可以删除缓存了。
必须支持 Python 3.8。 | 不用支持 Python 3.7 了。
只能用标准库。 | 只可以用标准库。
只能用标准库。 | 用标准库就可以了。
叫 foo。 | 把 bar 改名为 baz。
不要新增依赖。 | 可以不新增依赖。
不要使用第三方库。 | 不可以使用第三方库。
Do not deploy on Fridays. | Deploy the docs on Monday.
Do not deploy. | The deploy job is fine now.
Never delete files. | You can delete the comment in line 3.
Don't modify the schema. | You can change the query.
Don't rename anything. | Rename foo to bar.
Do not use class components. | Use function components instead of class components.
Avoid regex. | Parse it with a tokenizer rather than a regex.
Do not hardcode the URL. | Read the URL from the env instead of hardcoding it.
Do not use the old API. | Use the new API.
Don't use var. | Use const or let instead of var.
Do not run the tests in parallel. | Run the tests with -n 1.
Do not run the full test suite. | Run the unit tests.
Do not skip tests. | You can skip the intro.
Don't print to stdout. | Print to stderr instead of stdout.
Do not write to /etc. | Write to /tmp instead of /etc.
Do not call the API in tests. | Call the API in the client.
Don't call external services. | You may call the helper.
Do not use mutable defaults. | Use None as the default instead of a mutable default.
No comments in the code. | Add comments to the PR instead.
Do not add a new column. | Add the new column to the docs list.
You must not merge without review. | You may merge the docs PR.
Do not use npm. | We use pnpm now, npm is gone.
Don't use npm. | npm is deprecated, use pnpm.
Do not use MD5 or SHA-1. | Use SHA-256 instead of MD5 and SHA-1.
Do not use MD5 or SHA-1. | You may use SHA-1.
Never use eval. | You asked whether eval is fine: no.
Do not use requests. | requests is not allowed.
Do not use requests. | It's not okay to use requests.
Do not use requests. | Nobody may use requests.
Do not use requests. | Use anything but requests.
Do not use requests. | You can use everything except requests.
Do not use requests. | Remove requests and use httpx.
Do not use requests. | Migrate the client from requests to httpx.
Do not use requests. | Requests is slow, use httpx.
Do not use Docker. | The image is fine, use Podman instead of Docker.
Must support Windows. | Drop Windows line endings.
Must support Windows. | Drop support for macOS.
Must support Windows. | You don't have to support Linux.
Always write tests. | You don't need to write docs.
Always run the linter. | No need to run the linter twice.
Must use Python 3.12. | Drop Python 3.11.
You must keep the changelog. | Remove the changelog entry for 1.2.
Keep the API stable. | You may change the tests.
Call it foo. | Rename foo.py's helper to bar.
Call the service foo. | Rename food to bar.
Name it Widget. | Should we rename Widget to Gadget?
Call the class Foo. | Rename foo to bar in utils.py.
Only edit src/app.py. | You can now edit src/app.py.
Only use port 8000. | You can use pytest now.
Only use Postgres. | You may now use the cache.
Only touch files in src/. | You may now change src/util.py.
Use pytest only. | You can use the fixture now.
Only commit when I say so. | You may now push.
Do not push to origin. | You can push to the backup remote now.
Don't touch the tests. | Run the tests now.
Do not touch main.py. | The fix in main.py is fine.
Do not install anything. | Install steps are in the README.
Never commit secrets. | Commit the change now.
Never commit secrets. | OK, go ahead and commit.
Never log passwords. | You may now log the user id.
Stop using tabs. | Use spaces instead of tabs.
Don't reformat the code. | You may reformat the docs.
不要用 var。 | 用 const 代替 var。
不要用 npm。 | 换成 pnpm 吧。
不要用 npm。 | npm 已经不能用了。
不要用 npm。 | 不可以用 npm。
别用 class 组件。 | 改用函数组件，别用 class 组件。
不要调用外部服务。 | 可以调用内部接口了。
不要在测试里访问网络。 | 客户端可以访问网络。
禁止使用 MD5 和 SHA-1。 | 可以用 SHA-256 了。
不要删除备份表。 | 可以删除临时表了。
不要动 main.py。 | main.py 没问题。
不要运行测试。 | 是否可以运行测试？
不要推送到 main。 | 现在可以推送到 dev 了。
只能用标准库。 | 可以用新写的 logger 了。
只能修改 src 目录。 | 可以修改 src/app.py 了。
必须支持 Windows。 | 不用支持 macOS 了。
必须写测试。 | 不用写文档了。
必须保留日志。 | 不用保留缓存了。
命名为 foo。 | 不要把 foo 改名为 bar。
不要重构 parser。 | 可以重构 lexer 了。
Never use print() for debugging. | Use the logging module instead of print() for debugging.
Do not use `requests`. | Use `httpx` instead of `requests`.
Please never use any ORM. | Write raw SQL instead of using an ORM.
You are not allowed to use sudo. | Run it as the app user instead of using sudo.
We can't use GPL code. | Use MIT code instead of GPL code.
Don't ever commit to master. | Commit to develop instead of master.
Do not mock the database. | Use a real database instead of mocking the database.
Don't use inline styles. | Use Tailwind, not inline styles.
No jQuery! | Use vanilla JS rather than jQuery.
No inline styles. | Move the inline styles to a css file.
Never hardcode secrets. | Read secrets from env vars instead of hardcoding secrets.
Do not use wildcard imports. | Change the wildcard imports to explicit imports.
Don't use HTTP. | Switch everything from HTTP to HTTPS.
Avoid lodash. | Remove lodash, use native functions.
Don't use lodash. | I replaced lodash with native functions.
Do not use axios. | Fetch is fine, no axios.
Do not use axios. | axios was fine back then but not now.
Do not use axios. | I thought axios was fine.
Never use eval. | Using eval is still forbidden.
Never use eval. | Using eval is not fine.
Don't use Redux. | You could use Redux if we had more state.
Don't use Redux. | Would Redux be fine?
Don't use Redux. | Some people say Redux is fine.
Don't use Redux. | He said you may use Redux, but he is wrong.
Don't use Redux. | Use Redux Toolkit docs as a reference.
Don't use Redux. | In the old repo we use Redux.
Never deploy to production. | You may deploy to staging.
Never deploy to production. | Deploy to staging now, not to production.
Don't change the public API. | You can change the private helpers.
Don't change the public API. | Change the tests of the public API.
Don't delete user data. | Delete the user data export test.
Don't edit package.json. | You may edit package-lock.json.
Never edit the vendor folder. | Copy the file out of the vendor folder and edit the copy.
Do not add logging. | Add the import for the parser.
Do not add logging. | You may remove the logging.
Never run rm -rf. | Run git clean instead of rm -rf.
Do not run migrations on prod. | Run migrations on dev.
Don't open new PRs. | Open the PR page and read it.
Only use pytest. | Use pytest instead of unittest.
Only use Python 3.12. | You may use a venv now.
Only edit the README. | You may now run the linter.
Answer only in English. | You can use German names in tests now.
Must support Windows and macOS. | Drop Linux support.
Must support Windows. | Should we drop Windows support?
Must support Windows. | Don't drop Windows support.
Must support Windows. | If it is too hard, drop Windows support.
The API must stay stable. | Drop the table stable.
Must pass the linter. | Remove the linter warning.
Keep the tests green. | Remove the green button.
Always use UTC. | You don't need to use a library for UTC.
Name the branch fix-1. | Rename fix-10 to fix-11.
Call it foo. | I would rename foo to bar maybe.
Name it foo. | Rename the variable foo to bar in test_x.py.
不要用 lodash。 | 把 lodash 都换成原生函数。
不要用 lodash。 | 已经把 lodash 去掉了。
别用 Redux。 | 如果状态很多，可以用 Redux。
别用 Redux。 | 以前可以用 Redux，现在不行。
别用 Redux。 | 有人说 Redux 可以用。
不要部署到生产。 | 可以部署到测试环境了。
不要改公共接口。 | 可以改私有函数了。
不要改公共接口。 | 公共接口的测试可以改了。
禁止使用 sudo。 | 用普通用户代替 sudo。
不要用内联样式。 | 把内联样式挪到 css 文件里。
不要写死密钥。 | 从环境变量读密钥，不要写死。
必须支持 Windows。 | 不要放弃对 Windows 的支持。
必须支持 Windows。 | 要不要放弃对 Windows 的支持？
只能用 Python 3.12。 | 可以用 pytest 了。
只能用中文回复。 | 可以用 numpy 库了。
只能用中文回复。 | 变量名可以用英文了。
不要联网。 | 可以运行测试了。
Never delete files without asking. | Delete the files.
Never delete files without asking. | You may delete the file.
Do not edit files unless I say so. | Edit the file now.
Never delete branches. | You may delete the branch.
Never delete files. | Delete the file in build/.
Do not delete a table. | Delete the table.
未经允许不要删除文件。 | 可以删除文件了。
不要删除文件。 | 可以删除这个文件。
""".strip().splitlines()
"""A rule | what was said later and confirms it, or leaves it as it is."""

ENDED = """
Never push. | Now you may push.
Never push. | You can push now.
Never push. | Pushing is allowed now.
Don't commit anything. | OK, go ahead and commit.
Don't run the migrations. | You can run the migrations now.
Do not use requests. | Actually, use requests.
Do not use requests. | Go back to requests.
Do not use requests. | Use requests instead of httpx.
Never use MD5. | MD5 is allowed for this.
Never use MD5. | Switch from SHA-256 back to MD5.
Don't use React. | No wait, React is fine.
Don't use React. | React is fine after all.
Don't use React. | You may use React.
Avoid global state. | Global state is okay with me, wait, go with global state.
Don't touch config.yaml. | You may now edit config.yaml.
Don't touch config.yaml. | Editing config.yaml is fine now.
No new dependencies. | You may add dependencies now.
No new dependencies. | New dependencies are allowed now.
Never delete the backups table. | Feel free to delete the backups table.
Do not edit the generated files. | You are allowed to change the generated files.
Leave src/legacy.js untouched. | You can now edit src/legacy.js.
Do not commit to main. | From now on you can commit to main.
Stop using unittest. | Let's go back to unittest.
Avoid eval. | Use eval, it's fine after all.
MD5 is forbidden. | You may use MD5 again.
You must not call the network in tests. | It's okay to call the network in tests.
Do not install new packages. | I allow you to install packages.
Do not use the root user. | Forget the rule about the root user.
Must support Python 3.8. | Drop Python 3.8 support.
Must support Python 3.8. | Drop support for Python 3.8.
Must support Python 3.8. | Python 3.8 support is no longer needed.
We need to support IE11. | You no longer need to support IE11.
Always run the linter. | You don't have to run the linter anymore.
Always run the linter. | Stop running the linter.
Must keep the audit log. | Remove the audit log.
Keep Python 2 support. | We can drop Python 2 support now.
Call it foo. | Rename foo to bar.
Call it foo. | Change the name from foo to bar.
Name the helper load_all. | load_all is now called read_all.
Call the package acme. | Rename acme to zenith everywhere.
Only use the standard library. | You may use requests now.
Only edit files in src/. | You may now edit files in tests/ too.
只能用标准库。 | 可以用 requests 库了。
不要用 MD5。 | 可以用 MD5 了。
不要用 MD5。 | 还是用 MD5 吧。
不要用 MD5。 | MD5 可以用了。
禁止用 requests。 | 改回 requests。
别用 React。 | React 也没问题。
不要修改 config.py | 现在可以修改 config.py 了
不要推送。 | 现在可以推送了。
不许提交。 | 可以提交了。
不要提交到 main。 | 现在允许提交到 main 了。
禁止删除数据。 | 允许删除数据。
不要新增依赖。 | 可以添加新的依赖了。
别改测试。 | 测试可以改了。
不要使用第三方库。 | 第三方库可以用了。
必须支持 Python 3.8。 | 不用支持 Python 3.8 了。
必须兼容 IE11。 | 放弃对 IE11 的支持。
必须保留注释。 | 注释不用保留了。
务必运行 lint。 | 不需要运行 lint 了。
命名为 foo。 | 把 foo 改名为 bar。
名字叫 foo。 | foo 改名为 bar。
Don't deploy. | You may deploy now.
Don't merge the PR. | Feel free to merge the PR.
Do not run the full test suite. | Go ahead and run the full test suite.
Do not rename the class. | It's fine to rename the class now.
Don't modify the schema. | You're allowed to modify the schema now.
Do not use npm. | npm is allowed again.
Do not use npm. | On second thought, npm is fine.
Do not use npm. | I changed my mind about npm.
Don't add comments. | You can add comments after all.
Never force push. | You may force push now.
Do not call external services. | External services may be called now.
Do not edit the lock file. | The lock file can be edited now.
No mocks. | Mocks are allowed now.
No classes. | OK, you may use classes.
Refrain from using regex. | You can use regex after all.
Do not use any external libraries. | You may use external libraries now.
Do not touch the tests. | You can change the tests now.
Do not install anything. | You may install packages now.
Hands off the database. | You may now change the database.
Logging passwords is forbidden. | Logging passwords is allowed now.
Don't use a database. | Let's use a database after all.
Do not delete old logs. | Go ahead and delete the old logs.
Do not use Docker. | No, wait, Docker is OK.
Don't use Docker. | I'm fine with Docker.
We must not use Docker. | Docker is fine by me.
Do not use the GPU. | Switch back to the GPU.
You must run on Windows. | You no longer have to run on Windows.
The tool has to support YAML. | Let's drop YAML support.
Always add a changelog entry. | No need to add a changelog entry any more.
Make sure to support Safari. | Safari support is optional now.
Support Node 14. | Remove Node 14 support.
Must be compatible with Python 2. | Drop Python 2 compatibility.
Keep the legacy endpoint. | You can drop the legacy endpoint.
Name it Widget. | Rename Widget to Gadget.
The command is called sync. | The sync command is now called mirror.
Call the branch feature-x. | feature-x has been renamed to feature-y.
Use only the standard library. | You can use third-party packages now.
Stick to the standard library. | You may also use numpy now.
Only change the parser. | You may now change the lexer too.
不要部署。 | 可以部署了。
不要合并。 | 现在可以合并了。
不要用 npm。 | npm 又可以用了。
别用 Docker。 | 算了，用 Docker 吧。
不要加注释。 | 可以加注释了。
禁止访问网络。 | 现在允许访问网络了。
不能改数据库。 | 数据库可以改了。
不要重构 parser。 | 可以重构 parser 了。
请勿使用正则。 | 正则可以用了。
严禁推送到 main。 | 现在可以推送到 main 了。
不准删除日志。 | 日志可以删除了。
不要用全局变量。 | 全局变量没问题，可以用。
必须支持 IE11。 | 不再支持 IE11。
必须写测试。 | 不用写测试了。
一定要兼容 Python 2。 | 不需要兼容 Python 2 了。
把它叫做 foo。 | foo 改叫 bar。
只能修改 src 目录。 | 可以修改 tests 目录了。
只用标准库。 | 现在可以用第三方库了。
Never use any ORM. | You may use an ORM now.
No jQuery! | jQuery is allowed now.
You are not allowed to use sudo. | You may use sudo now.
Don't ever commit to master. | You may commit to master from now on.
Do not mock the database. | It's okay to mock the database now.
Don't use inline styles. | Inline styles are fine with me.
Don't use Redux. | Scratch that, use Redux.
Don't use Redux. | OK, Redux is acceptable.
Please don't use Redux. | Wait, let's use Redux.
Never deploy to production. | You can now deploy to production.
Don't change the public API. | Feel free to change the public API.
Don't delete user data. | You may delete user data now.
Don't edit package.json. | Editing package.json is allowed.
Do not add logging. | Adding logging is OK now.
Don't open new PRs. | You may open PRs now.
Do not use axios or jQuery. | You may use axios and jQuery now.
Don't refactor the parser. | You can refactor the parser now.
Do not rebase. | You may rebase now.
Never amend commits. | You can amend commits again.
Do not ask questions. | You may ask questions now.
Must support IE. | We no longer need to support IE.
You have to support IE. | IE support is not required any more.
All code must support Python 3.7. | Let's drop Python 3.7.
Always update the changelog. | You don't need to update the changelog any more.
Name the flag --fast. | Rename --fast to --quick.
The project is called acme. | acme was renamed to zen.
不要联网。 | 可以联网了。
不要使用 sudo。 | 现在可以使用 sudo 了。
别重构。 | 可以重构了。
不要升级依赖。 | 依赖可以升级了。
不要用 ORM。 | 还是用 ORM 吧。
不要用 ORM。 | ORM 也可以。
不要部署到生产。 | 现在可以部署到生产了。
必须支持 IE。 | 可以不支持 IE 了。
必须支持 IE。 | IE 不用支持了。
每次都要更新日志。 | 不用更新日志了。
项目名叫 acme。 | 把 acme 改成 zen。
不要写测试。 | 可以写测试了。
Never delete branches. | You may delete branches.
Never delete the files. | You may delete the files.
不要删除文件。 | 可以删除文件。
""".strip().splitlines()
"""A rule | what was said later and ends it."""


def ended_by(rule: str, later: str) -> int:
    """Position of the text that ends the rule: 2, where the later one does."""
    said = Later()
    said.add_text(1, rule)
    said.add_text(2, later)
    return taken_back(rule, 1, said)


@pytest.mark.parametrize("pair", HOLDS)
def test_a_rule_holds_where_its_thing_is_rejected_or_another_is_meant(pair: str) -> None:
    """B instead of A confirms the rule against A; a condition, a report, a part, another thing lift nothing."""
    assert ended_by(*pair.split(" | ")) == 0


@pytest.mark.parametrize("pair", ENDED)
def test_a_rule_ends_where_its_own_thing_is_allowed_dropped_or_renamed(pair: str) -> None:
    """Permission for the forbidden deed or thing, a requirement dropped, a name replaced."""
    assert ended_by(*pair.split(" | ")) == 2


FORBID = (
    "Do not use {x}. | Never use {x}. | Don't use {x} here. | You must not use {x}. | Avoid {x}. | Stop using {x}. | "
    "{x} is forbidden. | Please don't use {x}. | Never rely on {x}."
)
FORBID_ZH = "不要用 {x}。 | 禁止使用 {x}。 | 别用 {x}。 | 不许用 {x}。 | 请勿使用 {x}。 | 不能用 {x}。 | 严禁使用 {x}。"
REJECT = (
    "Use {y} instead of {x}. | Switch from {x} to {y}. | Replace {x} with {y}. | Use {y}, not {x}. | Drop {x}. | "
    "Use {y} rather than {x}. | We no longer use {x}. | Swap {x} for {y}. | Go with {y} in place of {x}. | "
    "Actually, use {y} instead of {x}. | From now on {y} as opposed to {x}. | {x} is not allowed. | {y} replaces {x}. | "
    "You may use {y} now instead of {x}. | I changed from {x} to {y}."
)
REJECT_ZH = (
    "改用 {y}，不用 {x} 了。 | 用 {y} 代替 {x}。 | 从 {x} 换成 {y}。 | 把 {x} 换成 {y}。 | 用 {y}，而不是 {x}。 | 不再用 {x}。 | "
    "{x} 不用了，改成 {y}。 | 弃用 {x}。 | 现在可以用 {y} 了，别用 {x}。 | 还是用 {y} 吧，不要 {x}。"
)
ALLOW = (
    "You may use {x} now. | Actually, use {x}. | Use {x} instead of {y}. | Switch back to {x}. | Go back to {x}. | "
    "No wait, {x} is fine. | It is fine to use {x}. | Replace {y} with {x}. | {x} is allowed. | You can use {x} again. | "
    "Use {x} after all. | Let's go with {x} rather than {y}. | {x} may be used now. | Feel free to use {x}."
)
ALLOW_ZH = (
    "可以用 {x} 了。 | 还是用 {x} 吧。 | 改用 {x}，不用 {y} 了。 | {x} 可以用了。 | 现在允许使用 {x}。 | 从 {y} 换回 {x}。 | "
    "用 {x}，而不是 {y}。 | 把 {y} 换成 {x}。 | {x} 也没问题。"
)
THINGS = (("requests", "httpx"), ("MD5", "SHA-256"), ("Docker", "Podman"), ("jQuery", "React"), ("eval", "ast"))


@pytest.mark.parametrize(
    ("rules", "rejecting", "allowing"),
    [(FORBID, REJECT, ALLOW), (FORBID_ZH, REJECT_ZH, ALLOW_ZH)],
    ids=["en", "zh"],
)
def test_each_wording_of_a_ban_is_lifted_by_what_allows_its_thing_alone(
    rules: str, rejecting: str, allowing: str
) -> None:
    """All ways to forbid against all ways to reject and to allow, over libraries, tools and algorithms."""
    for x, y in THINGS:
        for rule in rules.split(" | "):
            for later in rejecting.split(" | "):
                pair = rule.format(x=x), later.format(x=x, y=y)
                assert ended_by(*pair) == 0, pair
            for later in allowing.split(" | "):
                pair = rule.format(x=x), later.format(x=x, y=y)
                assert ended_by(*pair) == 2, pair
                other = rule.format(x="Fortran"), later.format(x=x, y=y)
                assert ended_by(*other) == 0, other


def window(rule: str, later: str, *, goal: str = "Build a CLI.") -> str:
    """The window after one compaction of a session with these texts."""
    ctx = ContextManager(2_500, llm=None)
    ctx.add({"role": "system", "content": "You are a coder."})
    filler = "blah blah is nice to have in the program. " * 60
    for text in (goal, f"Please look at everything. {filler}{rule} {filler}", later, "Go on then."):
        ctx.add({"role": "user", "content": text})
        ctx.add({"role": "assistant", "content": "OK, going on. " + "listing " * 200})
    ctx.compact()
    return str(ctx.messages)


def test_a_confirmed_ban_stays_a_standing_constraint_in_the_window() -> None:
    """It is kept word for word out of a long text, unmarked."""
    assert "Do not use requests." in window("Do not use requests.", "Use httpx instead of requests.")


@pytest.mark.parametrize(
    ("later", "marked"), [("Use httpx instead of requests.", False), ("You may use requests now.", True)]
)
def test_the_rule_in_a_goal_is_marked_where_it_was_lifted_only(later: str, marked: bool) -> None:
    """The goal's own sentences are judged like any other."""
    shown = window("Be nice.", later, goal="Build a CLI. Do not use requests.")
    assert "Do not use requests." in shown
    assert ("superseded" in shown) is marked


@given(st.text(alphabet="aAx9 .,:`不要用可以了叫改名为允许的'-", max_size=150))
def test_any_text_is_read_and_ends_nothing_of_its_own(text: str) -> None:
    """No wording fails, and no sentence lifts itself."""
    for sentence in sentences(text):
        assert ended_by(sentence, sentence) == 0
