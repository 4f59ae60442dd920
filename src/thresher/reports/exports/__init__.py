"""Runs in the forms of other tools: Haystack, ragas, Hugging Face datasets, MLflow."""
