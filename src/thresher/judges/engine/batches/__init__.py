"""Asks in batches: rounds, the journal, and the batch APIs of providers."""
