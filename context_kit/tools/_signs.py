"""The signs of failure, kept as data: how tools, compilers and test runners say that it went wrong.

Each is anchored to the beginning of a line, so that a word in a file's text or in a search hit
is no sign. Sources: the tools' own messages, as they stand in public agent sessions.
"""

from __future__ import annotations

from context_kit._lazily import regex

__all__ = [
    "CHINESE",
    "COMPLAINT",
    "EXCEPTION",
    "FRAMES",
    "GENERIC",
    "REFUSALS",
    "REFUSED_LINE",
    "RUNNER",
    "SHELL",
    "SUMMED",
    "TRACES",
    "literals",
]

REFUSALS = (
    "<tool_use_error>",  # Claude Code
    "The user doesn't want to ",
    "[Request interrupted",
    "Permission to use ",
    "File has not been read yet",
    "File has been modified since",
    "File does not exist",
    "String to replace not found",
    "InputValidationError",
    "No replacement was performed",  # Anthropic's text editor, OpenHands
    "No changes made",
    "Found multiple matches",
    "No edits were made",
    "ERROR:\n",
    "Your proposed edit has introduced new syntax error(s)",  # SWE-agent
    "No file open",
    "Could not find the exact text",  # pi
    "Could not find ",
    "Failed to ",
    "failed to ",
    "Cannot ",
    "Can't ",
    "Unable to ",
    "Invalid ",
    "Request failed",
    "Error executing ",
    "Error calling ",
    "Tool execution failed",
    "[Operation Cancelled]",  # Gemini CLI
    "The tool execution failed",  # Cline
    "The user denied this operation",
    "This tool call failed",
    "oldString not found",  # opencode
    "apply_patch verification failed",  # Codex
    "write_stdin failed",
    "exec_command failed",
    "patch rejected",
    "Command aborted",
    "Operation aborted",
    "Tool call was aborted",
    "tool call error",
    "MCP error",
    "[no result",
    "no result:",
    "操作失败",
    "执行失败",
    "调用失败",
    "文件不存在",
    "未找到",
    "找不到",
    "无法",
    "权限不足",
    "拒绝访问",
)
"""How a tool that is no shell begins when it refuses."""

REFUSED_LINE = regex(
    r"(?:❌|✗|✖|⚠️?)?\s*(?:\*\*)?(?:"
    r"(?:[\w.]{0,40} ?)?(?:[Ee]rror|ERROR|Exception)(?:\s?\[[^\]\n]{0,60}\]|\s?\([^)\n]{0,60}\))?(?:\*\*)?\s?[:：]"
    r"|E[A-Z]{3,14}: "  # Node: EISDIR, ENOENT
    r"|[A-Z][A-Z ]{2,40}(?:NOT MET|FAILED|REJECTED|DENIED|NOT FOUND)\b"
    r"|\S{0,60}(?:错误|失败|异常)\s*[:：](?!\s*[0无])"
    r"|(?:Path|File|Directory|Tool|Function|Command|Resource)\b[^\n]{0,300}?"
    r"(?:does not exist|doesn't exist|not found|is not (?:a|available|allowed|supported|defined)\b|was not found)"
    r"|[^\n]{0,200}?(?:did not appear verbatim|is not unique|No such file or directory|Permission denied)"
    r"|[^\n]{0,80}\bnot found in (?:file|the file|content)\b"
    r"|(?:Found )?\d+ (?:matches|occurrences) (?:of the string|found)[^\n]{0,40}(?:but|;)"
    r")"
)
"""How the first line of a refusal reads."""

FRAMES = regex(r"(?:\s*\(no output\)\s*|\s*Error\s*|\s*\[?Command (?:produced|had) no output\.?\]?\s*)?$")
"""What is said in place of an output that is empty."""

COMPLAINT = regex(
    r"(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k)?sh|\(eval\)|\S{0,80}\.sh)(?::| \d+:)[^\n]{0,300}?"
    r"(?:not found|No such file|[Pp]ermission denied|syntax error|unexpected|can't cd|cannot|ambiguous|"
    r"Is a directory|not recognized|no matches found|bad |unbound|Argument list too long|parse error)"
    r"|(?:cat|head|tail|ls|sed|nl|find|grep|egrep|rg|cp|mv|rm|cd|mkdir|touch|chmod|diff|patch|tar|wc|stat|awk|jq|"
    r"xargs|ln|python3?|node|bash|sh|source|realpath|git|curl|wget|unzip|which|tee|sort|cut|less|pushd)"
    r": (?!Warning|warning)[^\n]{0,300}?(?:No such file|not found|[Pp]ermission denied|[Ii]s a directory|"
    r"Not a directory|"
    r"[Ii]nvalid|unrecognized|can't |cannot |could not|[Ee]rror|unterminated|unknown|missing|illegal|must be|too long|"
    r"not overwriting|command not found|Broken pipe|bad )"
    r"|\S{0,200}python[\d.]{0,5}: (?:No module named|can't open file)"
    r"|zsh: (?:command not found|no such file)"
    r"|fatal: |error: (?:pathspec|patch failed|failed to push|unknown|Your local|corrupt|could not|cannot|No such)"
    r"|'[^'\n]{1,60}' is not recognized as"
)
"""The shell or a plain program says itself that it couldn't."""

EXCEPTION = regex(
    r"(?:E {1,7})?(?:Uncaught |Caused by: |thread '[^'\n]{0,80}' (?:\(\d+\) )?panicked at |\[)?"
    r"[A-Za-z_][\w.$]{0,120}(?:Error|Exception|Interrupt|Exit|NotReady|DoesNotExist|Failure|Fault|Timeout|"
    r"NotFound|Denied|Expired|Abort)(?: \[[A-Z_]+\])?(?::|\]?$)"
)
"""The line that names an exception: Python, JavaScript, Java."""

TRACES = ("Traceback (most recent call last)", "\n    at ", "panicked at", "panic: ", "goroutine 1 [", "SyntaxError: ")

RUNNER = regex(
    r"(?:=+ )?[^\n]{0,80}?\b[1-9]\d* (?:failed|errors?)\b[^\n]{0,60}?(?: in [\d.:]+ ?s|, \d+ total|passed|warning)"
    r"|FAILED(?: \(|\b[^\n]{0,200}::|$)|ERROR: (?:test|file or directory|not found|usage)|ERROR \S{1,200}(?:::| - )"
    r"|FAIL(?:ED|URE)?[ :\t!]|FAIL$|\s{0,12}--- FAIL: |test result: FAILED|failures:$|\s*[1-9]\d* failing\b"
    r"|Tests:?\s{1,12}[^\n]{0,40}?[1-9]\d* failed|\s*Test (?:Files|Suites)[: ]\s{0,12}[^\n]{0,40}?[1-9]\d* failed"
    r"|(?:\d+ \w+, ){0,4}\d+ tests?,[^\n]{0,60}? [1-9]\d* failures?|Total errors: [1-9]"
    r"|\d+ examples?, [1-9]\d* failures?"
    r"|FAILURES!|ERRORS!"
    r"|\d+% tests passed, [1-9]\d* tests failed|\[(?:ERROR|FAIL)\] |Failed!\s+-\s|BUILD FAIL|Build FAILED|"
    r"(?:✗|✖|×|✘|❌) \S|\s*Not OK|not ok \d|# fail [1-9]|[^\n]{0,60}task failed$|\s*[1-9]\d* problems? \([1-9]"
    r"|Pre-commit [^\n]{0,60}failed|[\w -]{1,60}\.{3,}Failed"
)
"""How test runners and builds sum up: pytest, unittest, go, cargo, jest, vitest, mocha, mix, rspec, phpunit, ctest,
TAP, Maven, Gradle, dotnet, pre-commit."""
SUMMED = ("ail", "FAIL", "rror", "ERROR", "Not OK", "not ok", "problem", "✗", "✖", "×", "✘", "❌")
"""Each line that `RUNNER` matches holds one of these: a quick look first, the expression is a slow one."""

GENERIC = regex(
    r"npm ERR!|npm error |go: \S|error Command failed|g?make(?:\[\d+\])?: \*\*\* |CMake Error|-- Configuring incomplete"
    r"|E: [A-Z]|error(?:\[E\d+\])?: |Error: |(?:ERROR|Error):?$|ERROR: |ERROR |Errors? during "
    r"|> Build (?:error|failed)|FATAL(?: ERROR)?[: ]"
    r"|\S{1,300}:\d+(?::\d+)?: (?:fatal )?error\b|\S{1,300}\(\d+,\d+\): error |\S{1,300}:\d+:\d+ - error TS"
    r"|(?:\./)?[\w./-]{1,300}\.(?:go|zig|swift|kt|hs|elm):\d+:\d+: |\*\* \(\w|undefined reference|collect2: error"
    r"|Found [1-9]\d* errors?\b|[1-9]\d* errors? (?:generated|found)|Segmentation fault|Killed$|Aborted \(core|"
    r"Compilation failed|== Compilation error|error TS\d|panic: |fatal error: |Could not compile|\s*\d+:\d+\s+error\s"
    r"|No module named |Module not found|Cannot find module|command timed out|Command timed out|\(timed out"
    r"|ModuleNotFoundError|ImportError"
)
"""Compilers, package managers and builds."""

SHELL = regex(r"\S{0,80}(?:command not found|: not found)$")

CHINESE = regex(
    r"(?:❌|✗|✖|×|\[|【)?\s*(?:\w{0,12}(?:错误|失败|异常)(?:\]|】)?\s*[:：](?!\s*[0无])"
    r"|(?:未找到|找不到|无法|不存在)[^\n]{0,80}|[\u4e00-\u9fff]{1,20}(?:失败|出错|异常|不存在)[!！。]?$)"
)


def literals(text: str) -> bool:
    """A cheap test before the expressions: False where no sign can be in the text."""
    return any(word in text for word in WORDS)


WORDS = (
    "rror",
    "ERR",
    "ail",
    "FAIL",
    "xception",
    "atal",
    "FATAL",
    "raceback",
    "panic",
    "***",
    "not found",
    "No such",
    "enied",
    "Not OK",
    "not ok",
    "✗",
    "✖",
    "×",
    "✘",
    "❌",
    "E: ",
    ": line ",
    "can't",
    "annot",
    "错",
    "失败",
    "异常",
    "未找到",
    "找不到",
    "无法",
    "不存在",
    "egmentation",
    "Killed",
    "bort",
    "ncomplete",
    "timed out",
    "undefined reference",
    "Module",
    "module",
    "nterrupt",
    ".go:",
    "sh: ",
    "Exit",
    "** (",
)
