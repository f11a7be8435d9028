"""What `benchmarks/ratios.py` and `benchmarks/peers.py` measure."""
