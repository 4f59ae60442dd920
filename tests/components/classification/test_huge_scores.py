"""Whole numbers beyond the largest float, which JSON allows, are refused as the infinities that they are."""

import pytest

from thresher.components import metric_class
from thresher.datasets import read_labels
from thresher.errors import InputError

HUGE = 10**5000
TABLE = {"y_true": ["a", "b"], "score_a": [HUGE, 0.5], "score_b": [0.1, 0.2]}
DICTS = [{"a": HUGE, "b": 0.5}, {"a": 0.5, "b": 0.5}]
ROWS = [[HUGE, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize("predictions", [DICTS, ROWS, read_labels(TABLE).column("predictions")])
def test_of_classification(predictions):
    evaluator = metric_class("classification_roc_auc")(labels=["a", "b"])
    with pytest.raises(InputError, match=r"predictions\[0\] scores a with inf; give a finite score"):
        evaluator.run(["a", "b"], predictions)


def test_of_several_labels():
    with pytest.raises(InputError, match=r"predictions\[0\] scores 'a' with inf; give a finite number"):
        metric_class("multilabel_f1")().run([["a"], ["b"]], DICTS)
