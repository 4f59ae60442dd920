import pytest

from thresher.components.judged._inputs import read
from thresher.errors import InputError


def test_entries_come_by_socket_in_their_order_and_only_of_items_that_are_present():
    items, entries = read(
        contexts=[["a", "b"], "c", None], ground_truth_answers=None, questions=["p", "q", "r"]
    )
    assert items.present == [0, 1]
    assert entries == [[["a", "b"], None, "p"], [["c"], None, "q"]]
    assert items.reasons == {2: "no entry in contexts"}


@pytest.mark.parametrize(
    ("sockets", "message"),
    [
        ({"questions": ["p", 3]}, "questions[1] is int; give a text"),
        ({"contexts": [3]}, "contexts[0] is int; give a list of texts"),
        ({"questions": ["p"], "contexts": [[], []]}, "questions has 1, contexts has 2"),
    ],
)
def test_what_is_no_text_is_named(sockets, message):
    with pytest.raises(InputError) as caught:
        read(**sockets)
    assert message in str(caught.value)
