"""LlamaIndex's evaluators: its definitions and thresholds, with prompts of our own and replies read whole."""
