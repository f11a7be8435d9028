"""What the bars of `benchmarks/ratios.py` are measured by."""
