"""Ground truth about sessions and windows that knows nothing of the library, shared by the benchmarks."""
