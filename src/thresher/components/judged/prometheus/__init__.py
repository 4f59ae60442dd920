"""Prometheus: grading by a rubric, in the reply format of its models or in plain JSON."""
