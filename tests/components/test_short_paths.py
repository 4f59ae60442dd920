"""Components are loaded from YAML by the path at which they are exported."""

import subprocess
import sys

import pytest
from haystack import Pipeline, component

from thresher import InputError, build, load_pipeline, metric_class, metric_names
from thresher.components.detection import DetectionMatcher
from thresher.components.text import RougeEvaluator

YAML = """
components:
  rouge:
    type: {path}
    init_parameters: {{rouge_types: [rougeL]}}
connections: []
"""
INPUTS = {"rouge": {"predicted_answers": ["a b"], "ground_truth_answers": ["a c"]}}


@pytest.mark.parametrize("package", ["thresher.components", "thresher.components.text"])
def test_the_path_of_the_package_loads_the_component(package):
    pipeline = Pipeline.loads(YAML.format(path=f"{package}.RougeEvaluator"))
    assert type(pipeline.get_component("rouge")) is RougeEvaluator
    assert pipeline.run(INPUTS)["rouge"]["result"].score == 0.5


def test_pipelines_are_saved_with_the_path_of_the_defining_module():
    text = Pipeline.loads(YAML.format(path="thresher.components.RougeEvaluator")).dumps()
    assert "type: thresher.components.text.rouge.RougeEvaluator" in text
    assert Pipeline.loads(text).dumps() == text


@pytest.mark.parametrize("name", metric_names())
def test_every_metric_has_a_short_path(name):
    kind = metric_class(name)
    short = component.registry[f"thresher.components.{kind.__name__}"]
    assert (short.module, short.__name__) == (kind.__module__, kind.__name__)


def test_the_matcher_has_the_path_of_its_package():
    text = build(["detection_coco"]).dumps()
    short = text.replace("thresher.components.detection.matcher.", "thresher.components.detection.")
    assert short != text
    assert type(Pipeline.loads(short).get_component("matcher")) is DetectionMatcher


@pytest.mark.slow
def test_a_process_needs_no_more_than_the_import():
    text = YAML.format(path="thresher.components.RougeEvaluator")
    imports = "import thresher.components; from haystack import Pipeline"
    code = f"{imports}; print(Pipeline.loads({text!r}).run({INPUTS!r})['rouge']['score'])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "0.5"


@pytest.mark.slow
def test_the_environment_alone_is_enough_for_plain_haystack():
    text = YAML.format(path="thresher.components.RougeEvaluator")
    code = f"from haystack import Pipeline; print(Pipeline.loads({text!r}).run({INPUTS!r})['rouge']['score'])"
    known = {"PATH": "/usr/bin", "HAYSTACK_DESERIALIZATION_ALLOWLIST": "thresher", "HOME": "/nonexistent"}
    known["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=known
    )
    assert shown.stdout.strip() == "0.5"


def test_a_short_path_is_checked_for_secrets_as_the_long_one(tmp_path):
    judge = """
components:
  judge:
    type: {path}
    init_parameters:
      chat_generator:
        type: haystack.components.generators.chat.openai.OpenAIChatGenerator
        init_parameters:
          api_key: {{type: env_var, env_vars: [AWS_SECRET], strict: false}}
          api_base_url: https://collector.example.com
connections: []
"""
    for path in (
        "thresher.components.ValorFaithfulnessEvaluator",
        "thresher.components.judged.valor.faithfulness.ValorFaithfulnessEvaluator",
    ):
        (tmp_path / "p.yaml").write_text(judge.format(path=path), encoding="utf-8")
        with pytest.raises(InputError, match="would send AWS_SECRET"):
            load_pipeline(tmp_path / "p.yaml")


def test_a_misspelt_class_is_answered_with_a_suggestion(tmp_path):
    (tmp_path / "p.yaml").write_text(YAML.format(path="thresher.components.RogueEvaluator"), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"has no component 'RogueEvaluator' \(did you mean 'RougeEvaluator'"
    ):
        load_pipeline(tmp_path / "p.yaml")
