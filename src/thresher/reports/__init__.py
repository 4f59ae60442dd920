"""Evaluation results and the reports made from them."""
