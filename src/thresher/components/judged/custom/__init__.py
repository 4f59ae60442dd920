"""Metrics of the user's own: a prompt, the form of the reply and a scale, without a class."""
