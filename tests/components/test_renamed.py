import sys
import types

import pytest
from haystack import Pipeline, component

from thresher.components._renamed import keep_loading
from thresher.components.text.exact_match import ExactMatchEvaluator
from thresher.deprecation import Deprecated

OLD = "thresher.components.text.old_match.OldMatchEvaluator"


@pytest.fixture(autouse=True)
def _old_module(monkeypatch):
    """A module at the old path, and Haystack's registry as it was."""
    monkeypatch.setattr(component, "registry", dict(component.registry))
    monkeypatch.setitem(sys.modules, OLD.rpartition(".")[0], types.ModuleType("old_match"))
    keep_loading(OLD, ExactMatchEvaluator, Deprecated(since="0.2", until="0.3"))


def saved():
    pipeline = Pipeline()
    pipeline.add_component("match", ExactMatchEvaluator(normalization="squad"))
    return pipeline.dumps()


def test_a_pipeline_with_the_old_path_loads_the_new_class_and_warns_at_the_caller():
    text = saved().replace(f"{ExactMatchEvaluator.__module__}.ExactMatchEvaluator", OLD)
    assert OLD in text
    with pytest.warns(DeprecationWarning, match=f"component type {OLD} is deprecated") as caught:
        pipeline = Pipeline.loads(text)
    (warning,) = caught
    assert warning.filename == __file__
    loaded = pipeline.get_component("match")
    assert type(loaded) is ExactMatchEvaluator
    assert loaded.normalization == "squad"
    assert pipeline.dumps() == saved()
