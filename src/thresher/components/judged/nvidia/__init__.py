"""Nvidia's metrics, as ragas has them: two ratings of one thing, averaged; the prompts are our own."""
