"""The record of acts before they are done, so that a crash can be finished: rows, intents, acts."""
