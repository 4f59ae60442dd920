import pytest

from thresher import EvaluationResults


@pytest.fixture
def made():
    """Results from scores by metric; `lower` names the metrics where lower is better."""

    def make(name="run", lower=(), bounds=None, inputs=None, **scores):
        size = len(next(iter(scores.values())))
        metrics = [
            {
                "name": metric,
                "scores": entries,
                "direction": "lower" if metric in lower else "higher",
                "bounds": bounds,
            }
            for metric, entries in scores.items()
        ]
        columns = {"id": [f"q{item}" for item in range(size)], **(inputs or {})}
        return EvaluationResults.from_dict({"run": name, "inputs": columns, "metrics": metrics})

    return make
