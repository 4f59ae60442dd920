"""A panel of judges that answer alike scores as one of them does, for every judged metric."""

import numpy as np
import pytest
from haystack.components.generators.chat import MockChatGenerator

from laws.cases import CASES, made
from laws.test_planted_verdicts import JUDGED
from thresher.judges import estimating
from thresher.kernels.inference.panels import SCORES


@pytest.mark.parametrize("name", JUDGED)
def test_equal_judges_score_as_one(name):
    judges = [MockChatGenerator("-", model=model) for model in "abc"]
    inputs = CASES[name].inputs
    with estimating() as one:
        alone = made(name, chat_generator=judges[0]).run(**inputs)["result"]
    with estimating() as three:
        pooled = made(name, chat_generator=judges).run(**inputs)["result"]
    assert pooled.status.tolist() == alone.status.tolist()
    assert pooled.item_scores() == pytest.approx(alone.item_scores(), nan_ok=True)
    assert alone.n_scored
    assert pooled.score == pytest.approx(alone.score)
    scores = pooled.statistics[SCORES][pooled.scored]
    assert scores == pytest.approx(np.repeat(alone.item_scores()[alone.scored][:, None], 3, axis=1))
    assert one.calls < three.calls <= 3 * one.calls
    assert three.models["b"] == three.models["c"] <= three.models["a"]
    assert pooled.detail("judges").columns["coverage"] == [1.0] * 3
