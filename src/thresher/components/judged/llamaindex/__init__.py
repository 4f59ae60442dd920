"""LlamaIndex's evaluators: its definitions and thresholds with different prompts."""
