"""Methods of `EvaluationResults` by topic; `evaluation_results.py` puts them together."""
