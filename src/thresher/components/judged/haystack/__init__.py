"""Haystack's own judged metrics, drop-in: the same sockets, definitions and outputs, on the asking engine."""
