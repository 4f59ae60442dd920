"""Custom metrics: a prompt, the form of the reply and a scale, without a class."""
