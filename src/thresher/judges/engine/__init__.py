"""The one place that waits, retries, caches and counts."""
