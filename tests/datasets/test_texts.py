import json

import pytest
from haystack import Document

from thresher import InputError, evaluate, read_dataset
from thresher.datasets.texts import check_texts

HALF = "so \ud83d"


@pytest.mark.parametrize(
    "entry",
    [
        HALF,
        ["a", HALF],
        {"deep": [{"er": HALF}]},
        {HALF: 1},
        Document(content=HALF, id="a"),
        [Document(id=HALF)],
    ],
)
def test_half_a_character_is_found_wherever_it_is(entry):
    data = read_dataset({"id": ["a", "b"], "question": ["x", "\U0001f600"], "note": ["fine", entry]})
    with pytest.raises(
        InputError, match=r"note of item 'b' \(entry 2 of the data\) holds half a character"
    ) as message:
        check_texts(data)
    assert str(message.value).isascii()


def test_texts_of_any_script_numbers_and_nothing_pass():
    check_texts(
        read_dataset({"question": ["ß", "\U0001f600", None], "n": [1, 2.5, None], "l": [[], None, [3]]})
    )


def test_it_is_told_before_anything_is_written_also_far_into_the_data(tmp_path):
    texts = ["x"] * 5000
    texts[4900] = HALF
    rows = [{"id": str(n), "question": t, "response": "x", "reference": "x"} for n, t in enumerate(texts)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=r"questions of item '4900' \(entry 4901 of the data\)"):
        evaluate("qa", tmp_path / "data.jsonl", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
