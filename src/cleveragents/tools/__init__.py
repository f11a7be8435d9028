"""The tools that a step may call, and the effects that each declares."""
