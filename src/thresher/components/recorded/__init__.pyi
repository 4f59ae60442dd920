# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.recorded.recorded_scores import RecordedScoresEvaluator as RecordedScoresEvaluator
