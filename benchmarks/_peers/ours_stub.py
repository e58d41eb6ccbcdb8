"""The library itself, with the stub as the model that writes its summaries."""

from __future__ import annotations

import json
from typing import Any

from benchmarks._peers._protocol import Job, Stub, serve
from benchmarks._peers.ours import Ours
from context_kit import SummaryRequest


def fields(found: dict[str, list[str]]) -> dict[str, Any]:
    """The picked lines in the six fields: what every peer gets as text."""
    return {
        "original_goal": " ".join(found["Goal"]),
        "completed_steps": [{"text": line, "files": []} for line in found["Commands"]],
        "current_files": [{"path": line, "state": ""} for line in found["Files"]],
        "key_decisions": [{"decision": line, "reason": ""} for line in found["Constraints"] + found["Signatures"]],
        "failed_attempts": [{"attempt": line, "error": ""} for line in found["Errors"]],
        "todo": found["Latest"],
    }


def stubbed(job: Job, stub: Stub) -> Ours:
    """The stub reads the transcript as the library shows it."""

    def llm(request: SummaryRequest) -> str:
        found = stub.picked(f"{request.instructions}\n{request.transcript}", request.transcript)
        return json.dumps(fields(found), ensure_ascii=False)

    return Ours(job, llm)


if __name__ == "__main__":
    serve(stubbed)
