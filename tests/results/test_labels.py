import json

import pytest

from thresher.errors import InputError
from thresher.results.labels import Label, code_type, encode, merge_vocabularies, vocabulary_of


def test_plain_labels_have_no_key():
    assert Label.of(3) == Label("", "3")
    assert Label.of(Label("colour", "red")) == Label("colour", "red")


@pytest.mark.parametrize("wrong", [None, 0.5, True, ["cat"]])
def test_what_is_no_label_is_refused(wrong):
    with pytest.raises(InputError, match="is not a label; give a string"):
        Label.of(wrong)


def test_the_order_of_a_vocabulary_does_not_depend_on_first_sight():
    labels = [Label.of(text) for text in "badc"]
    assert vocabulary_of(labels) == vocabulary_of(labels[::-1])


def test_merged_codes_name_the_same_labels_and_keep_no_label():
    one, two = vocabulary_of(map(Label.of, "ac")), vocabulary_of(map(Label.of, "bc"))
    merged, (first, second) = merge_vocabularies([one, two])
    assert [str(label) for label in merged] == ["a", "b", "c"]
    assert first[encode([one[1], None], one)].tolist() == [2, -1]
    assert second[encode([two[0], two[1]], two)].tolist() == [1, 2]


def test_labels_survive_as_plain_data():
    for label in (Label("a", "b"), Label("", "a:b"), Label("schlüssel", '"')):
        assert Label.of(json.loads(json.dumps(label.plain()))) == label


def test_codes_are_as_small_as_the_vocabulary_allows():
    assert [code_type(size)(0).itemsize for size in (0, 128, 129, 32768, 32769)] == [1, 1, 2, 2, 4]
