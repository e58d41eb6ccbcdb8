"""Texts that stand in the user's role although no person wrote them."""

from __future__ import annotations

__all__ = ["ADDED", "BEGUN", "LATE", "MADE", "PICTURES", "SEALED_SUMMARY", "SUMMARY", "SYSTEM"]

SYSTEM = "[system message]"
BEGUN = "[the conversation begins with the assistant's words]"
PICTURES = "[from the result of {name}, call {id}]"
"""Before pictures of a result that stand in a user message."""
SUMMARY = "[summary made by the provider of the conversation before this place]"
SEALED_SUMMARY = "[the provider compacted what stood before this place; its summary is sealed]"
MADE = "[made by the assistant]"
LATE = "[result of the call {id}, which no longer waits for it]"
ADDED = tuple(text.partition("{")[0] for text in (SYSTEM, BEGUN, PICTURES, SUMMARY, SEALED_SUMMARY, MADE, LATE))
"""How they begin."""
