"""What is recorded before it is done, so that a crash can be finished: rows, intents, acts."""
