"""The provider shapes: read, validate, repair, render."""

from __future__ import annotations

from context_kit.wire._edit import CLIPPED, merge_users, user_message, with_texts
from context_kit.wire._faults import RULES, Fault, faults
from context_kit.wire._message import Message, Part, PartKind, Read, Reported, Role
from context_kit.wire._models import binds_reasoning, opens_with_thinking
from context_kit.wire._placeholder import PLACEHOLDER, late_result, placeholder
from context_kit.wire._read import read
from context_kit.wire._reasoning import without_reasoning
from context_kit.wire._render import render
from context_kit.wire._scan import scan, shape_of

__all__ = [
    "CLIPPED",
    "PLACEHOLDER",
    "RULES",
    "Fault",
    "Message",
    "Part",
    "PartKind",
    "Read",
    "Reported",
    "Role",
    "binds_reasoning",
    "faults",
    "late_result",
    "merge_users",
    "opens_with_thinking",
    "placeholder",
    "read",
    "render",
    "scan",
    "shape_of",
    "user_message",
    "with_texts",
    "without_reasoning",
]
