import numpy as np
import pytest

from thresher import EvaluationResults

INFINITE = (0, float("inf"))


def made(
    name,
    scores,
    ids=None,
    settings=None,
    *,
    primary=True,
    direction="higher",
    bounds=None,
    others=(),
    **inputs,
):
    """A run with the metric `score`; `others` are further metrics."""
    ids = [f"q{place}" for place in range(len(scores))] if ids is None else list(ids)
    metric = {"name": "score", "scores": list(scores), "direction": direction, "primary": primary}
    metric |= {} if bounds is None else {"bounds": bounds}
    data = {"inputs": {"id": ids, **inputs}, "metrics": [metric, *others]}
    results = EvaluationResults.from_dict(data, name=name)
    if settings is None:
        return results
    provenance = {**results.provenance, "settings": settings}
    return EvaluationResults(results.inputs, results.results, name=name, provenance=provenance)


def used(name, scores):
    """A metric of usage: seconds, tokens or money per item."""
    return {"name": name, "scores": list(scores), "direction": "lower", "bounds": INFINITE, "primary": False}


@pytest.fixture
def table():
    """Scores of 40 items (rows) and 4 runs; the last two are better."""
    generator = np.random.default_rng(5)
    items = generator.normal(0.5, 0.15, (40, 1))
    return np.clip(items + generator.normal(0, 0.1, (40, 4)) + [0.0, 0.0, 0.15, 0.16], 0, 1)


@pytest.fixture
def runs(table):
    return [made(name, scores) for name, scores in zip("abcd", table.T, strict=True)]
