"""Scores that something else produced."""

from thresher.components.recorded.recorded_scores import RecordedScoresEvaluator

__all__ = ["RecordedScoresEvaluator"]
