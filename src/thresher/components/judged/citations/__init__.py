"""Whether the passages that an answer cites support it."""
