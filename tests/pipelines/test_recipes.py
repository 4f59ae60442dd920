import json
import subprocess
import sys

import pytest
from haystack import Pipeline
from haystack.core.serialization import component_to_dict

from thresher import InputError, build, evaluate, load_pipeline, load_recipe, recipe_names
from thresher.components import metric_class
from thresher.components.detection import DetectionMatcher
from thresher.pipelines.judged import judged_components
from thresher.pipelines.library import RECIPES, built_recipe_text, recipe_text

every_recipe = pytest.mark.parametrize("name", recipe_names())


@every_recipe
def test_a_recipe_is_what_the_builder_dumps(name):
    assert recipe_text(name) == built_recipe_text(name), "run python scripts/write_recipes.py"


@every_recipe
def test_a_recipe_needs_the_mandatory_inputs_of_its_pipeline(name):
    sockets = load_recipe(name).inputs().values()
    needed = [socket for facts in sockets for socket, fact in facts.items() if fact["is_mandatory"]]
    assert sorted(RECIPES[name].needs) == sorted(set(needed))


def options_of(part):
    return component_to_dict(part, "part")["init_parameters"]


@every_recipe
def test_a_recipe_uses_the_defaults_unless_it_gives_a_reason(name):
    pipeline = load_recipe(name)
    changed = set()
    for node in pipeline.graph.nodes:
        part = pipeline.get_component(node)
        defaults = options_of(type(part)())
        changed |= {f"{node}.{key}" for key, value in options_of(part).items() if value != defaults[key]}
    assert changed == set(RECIPES[name].reasons)
    changed.remove("collector.primary")
    assert f"# comparisons test {', '.join(RECIPES[name].primary)}: " in recipe_text(name)
    assert all(f"# {option} is not the default: " in recipe_text(name) for option in changed)


def test_exact_match_is_one_number_wherever_it_is_reached_from():
    answers = {"question": ["a"], "response": ["paris."], "reference": ["Paris"]}
    ways = {
        "name": ["exact_match"],
        "class": [metric_class("exact_match")()],
        "recipe": "qa",
        "yaml": Pipeline.loads(build(["exact_match"]).dumps(), allowed_modules=["thresher"]),
    }
    measures = {way: evaluate(metrics, answers).metric("exact_match") for way, metrics in ways.items()}
    assert {way: measure.value for way, measure in measures.items()} == dict.fromkeys(ways, 1.0)
    assert len({str(measure.measure.signature) for measure in measures.values()}) == 1


@every_recipe
def test_haystack_itself_loads_it(name):
    loaded = Pipeline.loads(recipe_text(name), allowed_modules=["thresher"]).to_dict()
    ours = load_recipe(name).to_dict()
    for whole in (loaded, ours):  # Haystack writes connections in its own order
        whole["connections"].sort(key=lambda wire: sorted(wire.items()))
    assert loaded == ours


@pytest.mark.slow
@pytest.mark.parametrize("order", ["import thresher, haystack", "import haystack, thresher"])
def test_any_haystack_process_loads_them_after_importing_thresher(order):
    code = f"{order}\nimport json, sys\nfor text in json.load(sys.stdin): haystack.Pipeline.loads(text)"
    texts = json.dumps([recipe_text(name) for name in recipe_names()])
    process = subprocess.run([sys.executable, "-c", code], input=texts, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr


def test_a_recipe_without_a_judge_gets_its_judged_metrics_on_request():
    judged = RECIPES["agent"].judged
    assert judged_components(load_recipe("agent")) == []
    pipeline = load_recipe("agent", judged=True)
    assert tuple(judged_components(pipeline)) == judged
    assert {(name, "collector") for name in judged} < set(pipeline.graph.edges())
    assert load_recipe("rag", judged=True).dumps() == load_recipe("rag").dumps()


def test_unknown_recipes_are_answered_with_the_known():
    with pytest.raises(
        InputError,
        match=r"no recipe is called 'rags' \(did you mean 'rag'\?\); there are agent, boundary_segm",
    ):
        load_recipe("rags")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("components: [", "not YAML: while parsing a flow node"),
        ("components:\n  a:\n    type: os.path.Join\n    init_parameters: {}\nconnections: []", "os"),
        ("components:\n  a:\n    type: thresher.components.text.rouge.No\nconnections: []", "No"),
        ("just text", "it has no mapping `components`"),
        ("", "it has no mapping `components`"),
    ],
)
def test_files_that_are_no_pipeline_get_one_line(tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        load_pipeline(path)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        load_pipeline(tmp_path / "none.yaml")


def fed_by(pipeline):
    """Detection metrics by the matcher whose overlaps they get."""
    return {end: start for start, end in pipeline.graph.edges() if start.startswith("matcher")}


def test_one_matcher_is_added_for_all_detection_metrics():
    pipeline = build(["classification_accuracy", "detection_coco", "detection_f1"])
    assert fed_by(pipeline) == {"detection_coco": "matcher", "detection_f1": "matcher"}
    assert "matcher" not in build(["classification_accuracy"]).graph.nodes


def test_a_matcher_of_ones_own_feeds_the_metrics_after_it():
    f1 = metric_class("detection_f1")
    boxes, shapes = DetectionMatcher(compare_as="box"), DetectionMatcher()
    pipeline = build([f1(name="first"), boxes, f1(name="second"), shapes, f1(name="third")])
    assert fed_by(pipeline) == {"first": "matcher_3", "second": "matcher", "third": "matcher_2"}
    assert pipeline.get_component("matcher").compare_as == "box"
    named = build({"boxes": DetectionMatcher(compare_as="box"), "f1": "detection_f1"})
    assert list(named.graph.edges()) == [("boxes", "f1"), ("f1", "collector")]


def test_metrics_are_named_wired_and_kept_apart():
    recall = metric_class("retrieval_recall")
    pipeline = build(["token_f1", recall(top_k=1), recall(top_k=5)])
    assert sorted(pipeline.graph.nodes) == ["collector", "retrieval_recall", "retrieval_recall_2", "token_f1"]


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ([], "at least one metric"),
        ([DetectionMatcher()], "at least one metric"),
        ("rouge", "is one name"),
        (["mean_luck"], "no metric is called 'mean_luck'; `thresher list`"),
        ([object()], "is not a metric"),
    ],
)
def test_what_cannot_be_built(metrics, message):
    with pytest.raises(InputError, match=message):
        build(metrics)
