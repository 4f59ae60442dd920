import json

import pytest

from thresher.judges.levels import Levels
from thresher.judges.schema import Misfit

SCALE = Levels.of(4, 0, 2)


def test_the_schema_lists_the_levels():
    assert SCALE.json_schema()["properties"]["rating"]["enum"] == [0, 2, 4]
    assert SCALE.read(json.loads(SCALE.imagine(""))).rating == 4


@pytest.mark.parametrize("said", [2, 2.0, "2", "2/4", "2 out of 4"])
def test_a_level_is_read(said):
    assert SCALE.read({"reason": "r", "rating": said}).rating == 2


@pytest.mark.parametrize("said", [1, 3, 6, -2, 2.5, True, None, "two"])
def test_what_is_no_level_is_not_read(said):
    with pytest.raises(Misfit):
        SCALE.read({"reason": "r", "rating": said})


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("4", 4),
        ("Rating: 4 (scale 0-4)", 4),
        ("On the scale 0, 2, 4: 2", 2),
        ("Of 0, 2 or 4 I choose 0.", 0),
        ("0/2/4 -> rating 2", 2),
        ("4 on the 0/2/4 scale", 4),
    ],
)
def test_plain_text_is_read_beside_its_scale(text, level):
    assert SCALE.read_text(text).rating == level


@pytest.mark.parametrize("text", ["3", "2 or 4", "none", "14", "Rating: 2 out of 10"])
def test_plain_text_without_a_single_level_is_not_read(text):
    with pytest.raises(Misfit):
        SCALE.read_text(text)


def test_negative_levels():
    assert Levels.of(-1, 0, 1).read_text("-1").rating == -1
