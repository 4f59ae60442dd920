"""Packing many images: what does not fit is foreseen, not tried."""

import numpy as np
import pytest

from thresher import EvaluationResults
from thresher.reports.html.items import payload as packing
from thresher.results import Measure, MetricResult, Signature, Statistics

ITEMS = 1200


def run(seed):
    rng = np.random.default_rng(seed)
    boxes = np.sort(rng.uniform(0, 500, (ITEMS, 20, 4)), axis=2)
    scores = rng.random((ITEMS, 20))
    images = [
        {"labels": ["cat"] * 20, "boxes": each.tolist(), "scores": own.tolist()}
        for each, own in zip(boxes, scores, strict=True)
    ]
    inputs = {"id": [str(item) for item in range(ITEMS)], "predictions": images}
    measure = Measure(Signature.of("share", {}))
    return EvaluationResults(
        inputs, [MetricResult([measure], Statistics({"score": scores[:, 0]}))], name=str(seed)
    )


@pytest.mark.slow
def test_how_many_images_fit_is_foreseen_and_nothing_is_packed_twice(monkeypatch):
    tries = []

    def counted(data, texts, room, fitted=packing._fitted):
        tries.append(len(data["ids"]))
        return fitted(data, texts, room)

    monkeypatch.setattr(packing, "_fitted", counted)
    runs = [run(1), run(2)]
    whole = packing.payload(runs, ["a", "b"], most=10_000, room=100_000_000, seed=0)
    assert whole.embedded == ITEMS == tries.pop()
    half = packing.payload(runs, ["a", "b"], most=10_000, room=len(whole.text) // 2, seed=0)
    assert tries == [half.embedded]
    assert 0.4 < half.embedded / ITEMS < 0.55
    assert len(half.text) <= len(whole.text) // 2
