"""What `build` takes as a metric."""

import pytest

from metrics import function_metrics as functions
from thresher.components import RecordedScoresEvaluator
from thresher.errors import InputError
from thresher.pipelines import build


def test_a_class_is_built_with_its_defaults():
    assert build([functions.brevity]).get_component("brevity").tolerance == 1
    with pytest.raises(InputError, match=r"RecordedScoresEvaluator has no default for column: give"):
        build([RecordedScoresEvaluator])


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ([len], "len is a plain function; decorate it with @item_metric"),
        ([int], "int is not a metric; decorate the class with @metric"),
        ({"rouge": {"stemmer": True}}, r"mapping; write metric_class\('rouge'\)\(stemmer=True\)"),
    ],
)
def test_what_is_not_a_component_is_refused_with_the_remedy(metrics, message):
    with pytest.raises(InputError, match=message):
        build(metrics)
