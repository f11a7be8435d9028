"""The matrix of bad deeds: what a step can do to what is not its own, judged from outside."""
