import nltk
import pytest
from nltk.corpus import LazyCorpusLoader
from nltk.corpus.reader import WordNetCorpusReader

from thresher.components.text.meteor import MeteorEvaluator
from thresher.errors import InputError


def test_the_best_reference_counts():
    out = MeteorEvaluator(synonyms=False).run(
        ["the cats sat", "x", None], [["a dog", "The cat sat."], "y", "z"]
    )
    assert out["individual_scores"][:2] == [pytest.approx(0.7549, abs=1e-4), 0.0]
    assert out["result"].n_scored == 2


def test_the_signature_tells_whether_and_which_wordnet():
    result = MeteorEvaluator(synonyms=False).run(["a"], ["a"])["result"]
    assert str(result.measures[0].signature) == (
        "meteor|synonyms:no|tokenizer:13a|alpha:0.9|beta:3.0|gamma:0.5|wordnet:none|version:1"
    )


def test_without_wordnet_it_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk.corpus, "wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, None))
    with pytest.raises(InputError, match="METEOR needs WordNet"):
        MeteorEvaluator().run(["a"], ["a"])


@pytest.mark.parametrize(
    "options", [{"tokenizer": "words"}, {"alpha": 1.5}, {"gamma": -1}, {"beta": -1}, {"beta": float("nan")}]
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        MeteorEvaluator(**options)
