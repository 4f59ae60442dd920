import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.distance import edit_distance as nltk_edit_distance

from thresher.kernels.text import interning
from thresher.kernels.text.edit_distance import edit_distances, edit_similarity

GOLDEN = Path(__file__).parents[2] / "golden" / "text"
CASES = json.loads((GOLDEN / "edit_distance.json").read_text())["cases"]


def test_golden_values():
    assert len(CASES) > 40
    predictions = [case["input"]["prediction"] for case in CASES]
    references = [case["input"]["reference"] for case in CASES]
    expected = [case["runs"][0]["expected"] for case in CASES]
    for name, key in (("levenshtein", "levenshtein"), ("osa", "osa"), ("damerau_levenshtein", "damerau")):
        edits = edit_distances(predictions, references, name).edits.tolist()
        assert edits == [case[key] for case in expected]
    for name in ("levenshtein", "indel"):
        found = edit_similarity(edit_distances(predictions, references, name), name).tolist()
        assert found == [case[f"{name}_normalized_similarity"] for case in expected]
    words = edit_distances(predictions, references, tokenize=str.split)
    assert words.edits.tolist() == [case["word_levenshtein"] for case in expected]
    for edits, reference, case in zip(words.edits, words.reference, expected, strict=True):
        assert reference == 0 or edits / reference == case["wer"]


few = st.text("abc ", max_size=10)


@given(few, few)
def test_levenshtein_is_that_of_nltk(prediction, reference):
    assert edit_distances([prediction], [reference]).edits[0] == nltk_edit_distance(prediction, reference)
    words = edit_distances([prediction], [reference], tokenize=str.split)
    assert words.edits[0] == nltk_edit_distance(prediction.split(), reference.split())


def test_small_blocks_change_nothing(monkeypatch):
    pairs = ["a b c", "b a", "x y z"] * 5, ["a c b", "a b", "z"] * 5
    whole = edit_distances(*pairs, tokenize=str.split).edits.tolist()
    monkeypatch.setattr(interning, "BLOCK_CHARACTERS", 10)
    monkeypatch.setattr(interning, "_LARGE_VOCABULARY", 2)
    assert edit_distances(*pairs, tokenize=str.split).edits.tolist() == whole == [2, 2, 2] * 5


def test_no_pairs_have_no_distances():
    assert edit_similarity(edit_distances([], [])).tolist() == []
