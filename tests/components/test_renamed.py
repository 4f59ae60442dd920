import sys
import types

import pytest
from haystack import Pipeline, component

from thresher import components
from thresher.components._renamed import keep_loading
from thresher.components._table import FORMER, MODULES
from thresher.components.text.exact_match import ExactMatchEvaluator
from thresher.deprecation import Deprecated

OLD = "thresher.components.text.old_match.OldMatchEvaluator"


@pytest.fixture
def _old_module(monkeypatch):
    """A module at the old path, and Haystack's registry as it was."""
    monkeypatch.setattr(component, "registry", dict(component.registry))
    monkeypatch.setitem(sys.modules, OLD.rpartition(".")[0], types.ModuleType("old_match"))
    keep_loading(OLD, ExactMatchEvaluator, Deprecated(since="0.2", until="0.3"))


def saved():
    pipeline = Pipeline()
    pipeline.add_component("match", ExactMatchEvaluator(normalization="squad"))
    return pipeline.dumps()


@pytest.mark.usefixtures("_old_module")
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


@pytest.mark.parametrize("old", FORMER)
def test_a_metric_is_known_by_its_former_class_name(old):
    new = getattr(components, FORMER[old])
    with pytest.warns(DeprecationWarning, match=f"{old} is deprecated .*; write .*{FORMER[old]}"):
        assert getattr(components, old) is new
    with pytest.warns(DeprecationWarning, match=f"metric '{old}' is deprecated .* write "):
        assert components.metric_class(old) is new


@pytest.mark.parametrize("old", FORMER)
def test_a_pipeline_saved_under_a_former_name_has_the_new_name(old):
    """Pipelines store the default of `name`, which is not the choice of a user."""
    new = getattr(components, FORMER[old])
    former = f"thresher.components.{MODULES[FORMER[old]]}.{old}"
    data = new().to_dict() | {"type": former}
    data["init_parameters"]["name"] = component.registry[former].default_name
    with pytest.warns(DeprecationWarning, match=f"component type {former} is deprecated"):
        loaded = component.registry[former].from_dict(data)
    assert type(loaded) is new
    assert loaded.name == new().name
    data["init_parameters"]["name"] = "mine"
    with pytest.warns(DeprecationWarning, match="component type"):
        assert component.registry[former].from_dict(data).name == "mine"


def test_the_package_of_detection_had_short_names():
    from thresher.components import detection

    with pytest.warns(DeprecationWarning, match=r"write .*\.DetectionAverageRecall"):
        assert detection.AverageRecallEvaluator is detection.DetectionAverageRecallEvaluator


def test_a_whole_pipeline_of_former_names_runs_under_the_new_ones():
    saved = """
components:
  ndcg:
    init_parameters: {name: ndcg, top_k: 10}
    type: thresher.components.retrieval.ndcg.NdcgEvaluator
  collector:
    init_parameters: {haystack_metrics: null, primary: ["ndcg@10"], run_name: ""}
    type: thresher.reports.collector.EvaluationResultsCollector
connections:
- {receiver: collector.results, sender: ndcg.result}
"""
    with pytest.warns(DeprecationWarning, match="component type .*NdcgEvaluator is deprecated"):
        pipeline = Pipeline.loads(saved)
    data = {"ground_truth_documents": [["a"]], "retrieved_documents": [["a"]]}
    with pytest.warns(DeprecationWarning, match="write 'retrieval_ndcg@10'"):
        results = pipeline.run({"ndcg": data})["collector"]["results"]
    assert results.primary == ("retrieval_ndcg@10",)
