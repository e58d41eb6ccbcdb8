"""The provider shapes: read, validate, repair, render."""

from __future__ import annotations

from context_kit.wire._edit import CLIPPED, alternate, merge_users, user_message, with_texts
from context_kit.wire._faults import RULES, Fault, faults
from context_kit.wire._marks import MOST_MARKS, cap_marks, marks, provider_compaction
from context_kit.wire._message import Message, Part, PartKind, Read, Reported, Role
from context_kit.wire._models import binds_reasoning, opens_with_thinking
from context_kit.wire._placeholder import PLACEHOLDER, late_result, placeholder
from context_kit.wire._read import read
from context_kit.wire._reasoning import without_reasoning
from context_kit.wire._render import render
from context_kit.wire._scan import scan, shape_of

__all__ = [
    "CLIPPED",
    "MOST_MARKS",
    "PLACEHOLDER",
    "RULES",
    "Fault",
    "Message",
    "Part",
    "PartKind",
    "Read",
    "Reported",
    "Role",
    "alternate",
    "binds_reasoning",
    "cap_marks",
    "faults",
    "late_result",
    "marks",
    "merge_users",
    "opens_with_thinking",
    "placeholder",
    "provider_compaction",
    "read",
    "render",
    "scan",
    "shape_of",
    "user_message",
    "with_texts",
    "without_reasoning",
]
