import pickle

import pytest

from thresher import InputError
from thresher.results import Measure, MetricResult, Signature, Statistics, recorded_result
from thresher.results.plain_results import described
from thresher.results.primary import choose_primary
from thresher.results.storage import from_arrow, to_arrow

MEASURES = [Measure(Signature.of(name, {})) for name in ("f1", "precision", "recall")]


def made(primary=None):
    return MetricResult(MEASURES, Statistics({"score": [0.0, 1.0, 0.5]}), primary=primary)


@pytest.mark.parametrize(
    ("declared", "primary"),
    [(None, ("f1",)), (["recall", "f1"], ("f1", "recall")), (["recall"], ("recall",)), ((), ())],
)
def test_the_headline_is_primary_unless_a_metric_declares_otherwise(declared, primary):
    result = made(declared)
    assert result.primary == primary
    for same in (
        result.take([2, 0]),
        MetricResult.concatenate([result, result]),
        pickle.loads(pickle.dumps(result)),  # noqa: S301
        MetricResult.from_dict(result.to_dict()),
        from_arrow(described(result), to_arrow_chunks(result)),
    ):
        assert same.primary == primary


def to_arrow_chunks(result):
    import pyarrow as pa

    return {name: pa.chunked_array([array]) for name, array in to_arrow(result).items()}


def test_stored_results_that_do_not_say_have_their_headline():
    data = made(["recall"]).to_dict()
    del data["primary"]
    assert MetricResult.from_dict(data).primary == ("f1",)


def test_names_replace_what_the_metrics_declare():
    both = [made(), recorded_result("human", [1, 0, 1])]
    assert [result.primary for result in choose_primary(both, None)] == [("f1",), ("human",)]
    assert [result.primary for result in choose_primary(both, ["recall"])] == [("recall",), ()]


@pytest.mark.parametrize(
    ("primary", "message"),
    [
        ("f1", r"primary='f1' is one name; give a list of names: \['f1'\]"),
        ([], "must be a list of one or more names"),
        (5, "must be a list of one or more names"),
        ([None], "must be a list of one or more names"),
        (["recal"], r"no measure 'recal' here \(did you mean 'recall'\?\); there are f1, precision, recall"),
    ],
)
def test_what_cannot_be_primary(primary, message):
    with pytest.raises(InputError, match=message):
        choose_primary([made()], primary)


def test_a_metric_declares_its_own_measures_only():
    with pytest.raises(InputError, match="no measure 'mrr' here"):
        made(["mrr"])
