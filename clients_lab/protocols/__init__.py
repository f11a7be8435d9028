"""The languages that clients speak to models: what a request asks, and how an answer is said."""
