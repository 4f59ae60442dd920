"""Metrics of texts and rankings read whatever is given, or refuse it with one line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.cases import CASES, made
from thresher.components import metric_class, metric_names
from thresher.errors import InputError

NAMES = [
    name
    for name in metric_names()
    if metric_class(name).__module__.split(".")[2] in {"text", "retrieval", "recorded", "usage"}
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just("a"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.filterwarnings("ignore:bleu")
@pytest.mark.filterwarnings("ignore:.*no token is found in the references")
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(data=st.data())
def test_any_entry_is_scored_or_refused(name, data):
    inputs = {socket: list(entries) for socket, entries in CASES[name].inputs.items()}
    socket = data.draw(st.sampled_from(sorted(inputs)))
    if data.draw(st.booleans()):
        inputs[socket][1] = data.draw(JSON)
    else:
        inputs[socket] = data.draw(JSON)
    try:
        result = made(name).run(**inputs)["result"]
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017  # a result is the other fine end
    else:
        assert len(result) == len(inputs[socket])
