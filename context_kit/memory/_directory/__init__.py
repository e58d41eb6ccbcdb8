"""A directory behind Anthropic's own memory tool."""
