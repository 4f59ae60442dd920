from judges.speed import assert_linear
from thresher.components.judged.ragas._sentences import sentences


def test_long_space_before_many_marks_is_walked_once():
    assert_linear(lambda text: sentences(" " * len(text) + text), "a. b ")


def test_space_before_the_number_of_an_item_does_not_end_a_sentence():
    assert sentences("One.\n   2. Two.") == ["One.", "2. Two."]
