"""What a tool call means, read from real shapes of calls and results."""
