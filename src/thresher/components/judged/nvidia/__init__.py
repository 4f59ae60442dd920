"""Nvidia's metrics as in ragas: the mean of two ratings; the prompts are not ragas'."""
