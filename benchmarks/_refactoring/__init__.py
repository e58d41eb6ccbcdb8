"""The long refactoring, in parts: a project, a story, an agent, a referee, and the strategies."""
