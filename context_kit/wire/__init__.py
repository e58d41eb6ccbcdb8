"""The provider shapes: read, validate, repair, render."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_kit._lazily import names_of

if TYPE_CHECKING:
    from context_kit.wire._added import ADDED
    from context_kit.wire._alone import check_alone
    from context_kit.wire._called import Called, called
    from context_kit.wire._convert import FORMATS, convert, shape_named
    from context_kit.wire._dump import dump
    from context_kit.wire._edit import CLIPPED, merge_users, user_message, with_texts, without_media
    from context_kit.wire._faults import RULES, Fault, faults
    from context_kit.wire._marks import MOST_MARKS, cap_marks, marks, marks_beside, provider_compaction
    from context_kit.wire._message import Message, Part, PartKind, Read, Reported, Role
    from context_kit.wire._models import EDITS, binds_reasoning, opens_with_thinking, voids_reasoning
    from context_kit.wire._overflow import Overflow, overflow, overflow_in
    from context_kit.wire._placeholder import PLACEHOLDER, answered, late_result, placeholder
    from context_kit.wire._read import read
    from context_kit.wire._reasoning import without_reasoning
    from context_kit.wire._render import render, spoken
    from context_kit.wire._rules_responses import Tie, tied_to
    from context_kit.wire._scan import scan, shape_of
    from context_kit.wire._sendable import sendable, special
    from context_kit.wire._strict import NO_REPLY, STUB_COST, strict
    from context_kit.wire._systems import placed_systems, prefilled
    from context_kit.wire._usage import MOST_TOKENS

__all__ = [
    "ADDED",
    "CLIPPED",
    "EDITS",
    "FORMATS",
    "MOST_MARKS",
    "MOST_TOKENS",
    "NO_REPLY",
    "PLACEHOLDER",
    "RULES",
    "STUB_COST",
    "Called",
    "Fault",
    "Message",
    "Overflow",
    "Part",
    "PartKind",
    "Read",
    "Reported",
    "Role",
    "Tie",
    "answered",
    "binds_reasoning",
    "called",
    "cap_marks",
    "check_alone",
    "convert",
    "dump",
    "faults",
    "late_result",
    "marks",
    "marks_beside",
    "merge_users",
    "opens_with_thinking",
    "overflow",
    "overflow_in",
    "placed_systems",
    "placeholder",
    "prefilled",
    "provider_compaction",
    "read",
    "render",
    "scan",
    "sendable",
    "shape_named",
    "shape_of",
    "special",
    "spoken",
    "strict",
    "tied_to",
    "user_message",
    "voids_reasoning",
    "with_texts",
    "without_media",
    "without_reasoning",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "_added": "ADDED",
            "_alone": "check_alone",
            "_called": "Called called",
            "_convert": "FORMATS convert shape_named",
            "_dump": "dump",
            "_edit": "CLIPPED merge_users user_message with_texts without_media",
            "_faults": "RULES Fault faults",
            "_marks": "MOST_MARKS cap_marks marks marks_beside provider_compaction",
            "_message": "Message Part PartKind Read Reported Role",
            "_models": "EDITS binds_reasoning opens_with_thinking voids_reasoning",
            "_overflow": "Overflow overflow overflow_in",
            "_placeholder": "PLACEHOLDER answered late_result placeholder",
            "_read": "read",
            "_reasoning": "without_reasoning",
            "_render": "render spoken",
            "_rules_responses": "Tie tied_to",
            "_scan": "scan shape_of",
            "_sendable": "sendable special",
            "_strict": "NO_REPLY STUB_COST strict",
            "_systems": "placed_systems prefilled",
            "_usage": "MOST_TOKENS",
        },
    )
