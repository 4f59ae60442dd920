import numpy as np
import pytest

from thresher.errors import InputError
from thresher.reports.slices.conditions import mask_of

COLUMNS = {
    "language": ["de", "en", None, "fr"],
    "length": [3, 8, float("nan"), 12],
    "hard": [True, False, None, True],
    "contexts": [["a"], ["a", "b"], None, []],
}


@pytest.mark.parametrize(
    ("condition", "items"),
    [
        ('language == "de"', [0]),
        ('language != "de"', [1, 3]),
        ('language in ["de", "fr"]', [0, 3]),
        ('language not in ("de", "fr")', [1]),
        ('"e" in language', [0, 1]),
        ("length > 3", [1, 3]),
        ("4 < length <= 12", [1, 3]),
        ("length > -1 and not hard", [1]),
        ('hard or language == "en"', [0, 1, 3]),
        ("hard", [0, 3]),
        ("len(contexts) >= 1", [0, 1]),
        ("language is None", [2]),
        ("length is not None", [0, 1, 3]),
        ("language == None", []),
    ],
)
def test_a_condition_holds_for_its_items(condition, items):
    assert np.flatnonzero(mask_of(condition, COLUMNS, 4)).tolist() == items


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("language ==", "cannot be read"),
        ('__import__("os").system("true")', "is not understood"),
        ("language.upper() == 'DE'", "is not understood"),
        ("[x for x in language]", "is not understood"),
        ("(lambda: 1)() == 1", "is not understood"),
        ("length + 1 > 3", "is not understood"),
        ("3", "is not understood"),
        ("country == 'de'", "no column 'country'; there are language, length, hard, contexts"),
        ("language > 3", "item 1 has 'de' and 3, which cannot be compared"),
    ],
)
def test_what_is_no_condition_is_refused_in_one_line(condition, message):
    with pytest.raises(InputError, match="condition") as caught:
        mask_of(condition, COLUMNS, 4)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
