"""Own words for the prompts of any judged metric: `templates` and `labels`."""

import inspect
import json
import sys
from pathlib import Path

import pytest
from haystack import Pipeline

from components.judged.origins import Judge
from thresher import components
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.prompt import FOLDER
from thresher.judges.reply_instruction import labels_of, states_form
from thresher.judges.template_packs import shipped_names
from thresher.metrics import JudgedMetric
from thresher.metrics.own_words import invented_flows, steps_of

Faithfulness = components.ValorFaithfulnessEvaluator
CLAIMS = "Nenne die Behauptungen.\n{{ text }}"
VERDICTS = "Stützt der Kontext jede Behauptung?\n{{ contexts }}\n{{ claims }}"
GERMAN = {"valor/claims": CLAIMS, "valor/faithfulness": VERDICTS}
WORDS = {"yes": "ja", "no": "nein"}
ITEMS = {"contexts": [["The tower is 48 m high."]], "predicted_answers": ["It is 48 m high. It is old."]}
REQUIRED = {"RagasAspectCriticEvaluator": {"definition": "Is it polite?"}}
FURTHER = {
    "GoalAccuracyEvaluator": [{"compares": "summary"}],
    "JudgeLmEvaluator": [{"reply_format": "judgelm"}],
    "PrometheusAbsoluteGradingEvaluator": [{"reply_format": "prometheus"}],
    "PrometheusRelativeGradingEvaluator": [{"reply_format": "prometheus"}],
    "RagasFactualCorrectnessEvaluator": [{"atomicity": "high"}, {"coverage": "high"}],
    "ValorFaithfulnessEvaluator": [{"claims": "statements"}],
}
"""Options with which a metric has other prompts."""


class Scripted(Judge):
    """A judge with a list of replies, which stores system and user messages apart."""

    def __init__(self, replies):
        super().__init__(replies)
        self.systems = []

    def run(self, messages):
        self.systems += [message.text for message in messages[:-1]]
        return super().run(messages[-1:])


def judge(labels=("ja", "nein")):
    claims = json.dumps({"claims": ["It is 48 m high.", "It is old."]})
    verdicts = {str(n): {"reason": "-", "verdict": label} for n, label in enumerate(labels, 1)}
    return Scripted([claims, json.dumps(verdicts)])


def signature(metric):
    return dict(metric.run(**dict.fromkeys(ITEMS, ()))["result"].measures[0].signature.settings)


def judged_metrics():
    for name in components.__all__:
        made = getattr(components, name)
        if isinstance(made, type) and issubclass(made, JudgedMetric) and name != "CustomJudgeEvaluator":
            spans = [{"spans": True}] if "spans" in inspect.signature(made).parameters else []
            for options in ({}, *spans, *FURTHER.get(name, ())):
                yield made, REQUIRED.get(name, {}) | options


def imagined(metric, flows):
    outcomes = [rehearse(flow, lambda ask: ask.schema.imagine(ask.subject)) for flow in flows]
    return [reply.ask for outcome in outcomes for reply in outcome.replies]


@pytest.mark.slow
def test_every_judged_metric_takes_the_shipped_prompts_as_templates_and_asks_the_same():
    seen = set()
    for made, options in judged_metrics():
        shipped, own = made(**options), made(**options, templates=FOLDER)
        steps = steps_of(shipped, shipped._job)
        prompts = {step.name: repr(step) for step in steps.values()}
        assert {name: repr(text) for name, text in own.own_words.prompts.items()} == prompts, made
        asks = imagined(shipped, invented_flows(shipped, shipped._job))
        again = imagined(own, own.own_words.applied(invented_flows(own, own._job)))
        assert asks, made
        assert [ask.messages for ask in again] == [ask.messages for ask in asks], made
        assert [ask.schema for ask in again] == [ask.schema for ask in asks], made
        seen |= steps.keys()
    assert {*shipped_names()} - seen == set()


def test_every_shipped_prompt_states_the_form_of_its_replies():
    for made, options in judged_metrics():
        metric = made(**options)
        sources = {step.name: step.source for step in steps_of(metric, metric._job).values()}
        for ask in imagined(metric, invented_flows(metric, metric._job)):
            assert states_form(sources[ask.prompt], ask.schema), ask.prompt


@pytest.mark.slow
def test_labels_of_every_judged_metric_can_be_translated():
    for made, options in judged_metrics():
        shipped = made(**options)
        asks = imagined(shipped, invented_flows(shipped, shipped._job))
        words = {label: f"{label}-x" for ask in asks for label in labels_of(ask.schema)}
        own = made(**options, templates=FOLDER, labels=words)
        again = imagined(own, own.own_words.applied(invented_flows(own, own._job)))
        assert {label for ask in again for label in labels_of(ask.schema)} == {*words.values()}, made
        for ask in again:
            assert all(f'"{word}"' in ask.text for word in labels_of(ask.schema)), made


def test_own_words_are_asked_with_the_form_appended_and_labels_read_back():
    asked = judge()
    out = Faithfulness(asked, templates=GERMAN, labels=WORDS).run(**ITEMS)
    assert out["score"] == 0.5
    claims = out["result"].evidence[0]["claims"]
    assert [claim["verdict"] for claim in claims] == ["yes", "no"]
    assert asked.prompts[0].startswith("Nenne die Behauptungen.\n<text ")
    assert asked.prompts[0].endswith('one JSON object of this form: {"claims": ["...", ...]}')
    form = '{"1": {"reason": "...", "verdict": "ja" | "nein"}, "2": (the same)}'
    assert asked.prompts[1].endswith(f"Reply with one JSON object of this form: {form}")


def test_an_english_label_is_no_verdict_once_labels_are_translated():
    verdicts = [judge(("yes", "no")).replies[1]] * 5
    out = Faithfulness(Scripted([judge().replies[0], *verdicts]), templates=GERMAN, labels=WORDS).run(**ITEMS)
    assert (
        out["result"]
        .reasons[0]
        .startswith("valor/faithfulness: no verdict on 2 of 2 (it has no verdict (ja/nein)")
    )


def test_a_template_that_states_the_form_is_sent_as_it_is():
    stated = f'{VERDICTS}\nAntworte mit "reason" und "verdict": "ja" bzw. "nein".'
    asked = judge()
    Faithfulness(asked, templates=GERMAN | {"valor/faithfulness": stated}, labels=WORDS).run(**ITEMS)
    assert asked.prompts[1].endswith('"ja" bzw. "nein".')


def test_a_second_request_is_in_the_same_words_with_its_note():
    asked = Scripted(["?", *judge(("yes", "no")).replies])
    Faithfulness(asked, templates={"valor/claims": CLAIMS}).run(**ITEMS)
    assert asked.prompts[1].startswith(asked.prompts[0])
    assert "Attempt 2 of 5" in asked.prompts[1]


def test_files_folders_and_resources_of_packages_are_read(tmp_path, monkeypatch):
    pack = tmp_path / "words_of_others" / "german"
    (pack / "valor").mkdir(parents=True)
    (tmp_path / "words_of_others" / "__init__.py").touch()
    for name, text in GERMAN.items():
        (pack / f"{name}.jinja").write_text(text)
    (pack / "labels.yaml").write_text("yes: ja\nno: nein\n")
    (pack / "system.txt").write_text("Du bewertest Texte.")
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = Faithfulness(templates=pack)
    assert folder.labels == WORDS
    assert folder.templates == GERMAN | {"system": "Du bewertest Texte."}
    resource = Faithfulness(templates="words_of_others:german")
    assert (resource.templates, resource.labels) == (folder.templates, folder.labels)
    file = pack / "valor" / "claims.jinja"
    for value in (str(file), file, "words_of_others:german/valor/claims.jinja", CLAIMS):
        assert Faithfulness(templates={"valor/claims": value}).templates == {"valor/claims": CLAIMS}


def test_the_system_message_alone_may_be_in_own_words():
    asked = judge(("yes", "no"))
    Faithfulness(asked, templates={"system": "Du bewertest Texte."}).run(**ITEMS)
    assert asked.systems == ["Du bewertest Texte."] * 2
    assert asked.prompts[0].startswith("List the factual claims")


def test_the_signature_has_the_fingerprints_of_own_words_and_the_labels():
    shipped, own = signature(Faithfulness()), signature(Faithfulness(templates=GERMAN, labels=WORDS))
    assert "labels" not in shipped
    assert "templates" not in own
    assert own["labels"] == "no=nein,yes=ja"
    names = [prompt.partition("@")[0] for prompt in own["prompts"].split(",")]
    assert names == ["valor/claims", "valor/faithfulness"]
    assert set(own["prompts"].split(",")).isdisjoint(shipped["prompts"].split(","))
    one = signature(Faithfulness(templates={"valor/claims": CLAIMS}))
    assert one["prompts"].split(",")[1] == shipped["prompts"].split(",")[1]
    system = signature(Faithfulness(templates={"system": "Be exact."}))
    assert set(system["prompts"].split(",")).isdisjoint(shipped["prompts"].split(","))


def test_a_pipeline_in_yaml_holds_the_texts(tmp_path):
    file = tmp_path / "claims.jinja"
    file.write_text(CLAIMS)
    pipeline = Pipeline()
    pipeline.add_component("f", Faithfulness(templates={"valor/claims": file}, labels=None))
    text = pipeline.dumps()
    file.unlink()
    assert Pipeline.loads(text).get_component("f").templates == {"valor/claims": CLAIMS}


def test_words_may_be_set_later_and_add_to_those_before():
    metric = Faithfulness(templates={"valor/claims": CLAIMS})
    metric.use_templates({"valor/faithfulness": VERDICTS}, WORDS)
    assert metric.templates == GERMAN
    assert metric.own_words.prompts.keys() == GERMAN.keys()


def plain(source):
    return {"valor/faithfulness": f"{{# reply: text #}}{source}"}


@pytest.mark.parametrize(
    ("templates", "labels", "message"),
    [
        ({"valor/claim": CLAIMS}, None, r"step 'valor/claim' is unknown; .*did you mean 'valor/claims'"),
        (
            {"valor/claims": "Claims?\n{{ texts }}"},
            None,
            "variable texts of valor/claims is unknown; .* text",
        ),
        (
            {"valor/faithfulness": "Which? {{ claims }}"},
            None,
            r"the template of valor/faithfulness lacks \{\{ contexts \}\}; it must have",
        ),
        ({"valor/claims": "{% for t in text %}{{ t }}{% endfor %}"}, None, "text is inserted whole"),
        ({"valor/claims": "{{ text"}, None, "the template of valor/claims is not a jinja template"),
        ({"valor/claims": "missing.jinja"}, None, "'missing.jinja' is not a file, and has no {{ variable }}"),
        (
            {"valor/claims": 3},
            None,
            r"templates\['valor/claims'\] must be a template, a file or package:file",
        ),
        ("missing", None, "templates: missing is not a folder"),
        ("no_such_package:german", None, "no package no_such_package is installed as files"),
        ("own_words.german:x", None, r"no package own_words\.german is installed as files"),
        ("__main__:x", None, "no package __main__ is installed as files"),
        (plain(VERDICTS), None, "asks for a plain text, but Verdicts can be read from a JSON object only"),
        (None, WORDS, "labels are words of own templates; give templates too"),
        (GERMAN, {"maybe": "vielleicht"}, "labels: 'maybe' is unknown; choose one of no, yes"),
        (GERMAN, {"yes": "ja", "no": "JA"}, "two labels have the word 'ja'"),
        (GERMAN, {"yes": " "}, "labels must map labels to words"),
    ],
)
def test_mistakes_are_named_before_any_call(templates, labels, message):
    with pytest.raises(InputError, match=message):
        Faithfulness(templates=templates, labels=labels)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, r"holds no file \*.jinja"),
        ({"valor/claim": CLAIMS}, r"template 'valor/claim' is unknown.*did you mean 'valor/claims'"),
        ({"ragas/statements": "{{ question }}{{ text }}"}, "has no template for valor/claims, valor/faithf"),
    ],
)
def test_mistakes_of_folders_are_named(tmp_path, files, message):
    for name, text in files.items():
        path = Path(tmp_path, f"{name}.jinja")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with pytest.raises(InputError, match=message):
        Faithfulness(templates=tmp_path)


def test_a_package_of_templates_is_found_without_its_code(tmp_path, monkeypatch):
    """A pipeline file may name any package, also one that does something when it is imported."""
    for package in ("own_words", "own_words/german"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise SystemExit('imported')")
    (tmp_path / "module_alone.py").write_text("raise SystemExit('imported')")
    pack = tmp_path / "own_words" / "german" / "pack" / "valor"
    pack.mkdir(parents=True)
    (pack / "claims.jinja").write_text(CLAIMS)
    monkeypatch.syspath_prepend(tmp_path)
    templates = Faithfulness(templates="own_words.german:pack").templates
    assert templates == {"valor/claims": CLAIMS}
    with pytest.raises(InputError, match="no package module_alone is installed as files"):
        Faithfulness(templates="module_alone:pack")
    assert not {"own_words", "module_alone"} & set(sys.modules)
