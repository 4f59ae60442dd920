"""METEOR against golden values of NLTK with WordNet 3.0; synonyms with a WordNet of two words."""

import json
import sys
from pathlib import Path

import nltk
import pytest
from nltk.corpus import CorpusReader, LazyCorpusLoader
from nltk.corpus.reader import WordNetCorpusReader

from thresher.errors import InputError
from thresher.kernels.text.meteor import Meteor

GOLDEN = Path(__file__).parents[2] / "golden" / "text"
CASES = [
    case
    for case in json.loads((GOLDEN / "meteor_nltk.json").read_text())["cases"]
    if "error" not in case["runs"][0]
]


@pytest.fixture
def wordnet_in(monkeypatch):
    """Make NLTK look for WordNet, anew, in one folder."""

    def look(folder):
        monkeypatch.setattr(nltk.data, "path", [str(folder)])
        wordnets = LazyCorpusLoader("omw-1.4", CorpusReader, r".*\.tab")
        monkeypatch.setattr(
            nltk.corpus, "wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, wordnets)
        )

    yield look
    wordnet = nltk.corpus.wordnet
    for file in getattr(wordnet, "__dict__", {}).get("_data_file_map", {}).values():
        file.close()  # NLTK leaves them open


@pytest.fixture
def tiny_wordnet(tmp_path):
    """A WordNet that knows that a car is an auto."""
    folder = tmp_path / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for name in ("cntlist.rev", "index.sense", "noun.exc", "verb.exc", "adj.exc", "adv.exc"):
        (folder / name).touch()
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"index.{part}").touch()
        (folder / f"data.{part}").touch()
    (folder / "lexnames").write_text("00\tnoun.artifact\t1\n")
    (folder / "data.adj").write_text("  1 WordNet 3.0 Copyright\n")
    (folder / "data.noun").write_text("00000000 00 n 02 car 0 auto 0 000 | a motor vehicle  \n")
    (folder / "index.noun").write_text("auto n 1 0 1 0 00000000  \ncar n 1 0 1 0 00000000  \n")
    return tmp_path


def best(meteor, case):
    texts = case["input"]["references"]
    return meteor.scores([case["input"]["hypothesis"]] * len(texts), texts).max()


def test_golden_values_to_the_bit_where_no_synonym_matters():
    plain = [case for case in CASES if not case.get("synonyms")]
    assert len(plain) > 60
    for case in plain:
        run = case["runs"][0]
        assert best(Meteor(**run["options"], synonyms=False), case) == run["expected"], case["input"]


def test_golden_values_to_the_bit_with_wordnet():
    meteor = Meteor()
    try:
        version = meteor.wordnet_version
    except InputError:
        pytest.skip("WordNet is not installed")
    if version != "3.0":
        pytest.skip(f"golden values are of WordNet 3.0, not {version}")
    for case in CASES:
        run = case["runs"][0]
        assert best(Meteor(**run["options"]), case) == run["expected"], case["input"]


def test_synonyms_align(wordnet_in, tiny_wordnet):
    wordnet_in(tiny_wordnet)
    pair = [["the", "car", "stops"]], [["the", "auto", "stops"]]
    assert Meteor().scores(*pair)[0] == pytest.approx(1 - 0.5 / 27)
    assert Meteor(synonyms=False).scores(*pair)[0] == pytest.approx(2 / 3 * (1 - 0.5))
    assert Meteor().wordnet_version == "3.0"


def test_without_wordnet_it_says_what_to_do(wordnet_in, tmp_path):
    wordnet_in(tmp_path)
    with pytest.raises(InputError, match=r"run `python -m nltk.downloader wordnet`.*or turn synonyms off"):
        Meteor().scores([["a"]], [["a"]])
    assert Meteor(synonyms=False).wordnet_version == "none"


def test_no_pairs_have_no_scores_and_need_no_nltk(monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk.translate.meteor_score", None)
    assert Meteor(synonyms=False).scores([], []).tolist() == []
    with pytest.raises(ImportError):
        Meteor(synonyms=False).scores([["a"]], [["a"]])
