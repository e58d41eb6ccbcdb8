"""Secrets out of a text, before anything is cut, indexed, summarised or written from it.

Found secrets become `[redacted:KIND]`; their labels stay. What is found depends on the text alone, is found
in time linear in it, and redacting twice changes nothing.
"""

from context_kit._redact._redactor import redactor

__all__ = ["redactor"]
