import pytest

from thresher.datasets import read_dataset
from thresher.errors import InputError
from thresher.results.choices import check_choice


def test_a_known_choice_passes():
    check_choice("ties", "trec", ("input-order", "trec"))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("Trec", "ties='Trec' is unknown; choose one of input-order, trec (did you mean 'trec'?)"),
        ("zzz", "ties='zzz' is unknown; choose one of input-order, trec"),
        (None, "ties=None is unknown; choose one of input-order, trec"),
        (["trec"], "ties=['trec'] is unknown; choose one of input-order, trec"),
    ],
)
def test_an_unknown_choice_is_reported_with_all_choices_and_a_similar_one(value, message):
    with pytest.raises(InputError) as caught:
        check_choice("ties", value, ("input-order", "trec"))
    assert str(caught.value) == message


def test_readers_suggest_a_similar_choice(tmp_path):
    with pytest.raises(InputError, match=r"format='jsonlines' .* \(did you mean 'json"):
        read_dataset(tmp_path / "a.txt", format="jsonlines")
