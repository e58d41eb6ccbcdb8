"""Behind `benchmarks/ticks.py`: the project, the agent, the judge."""
