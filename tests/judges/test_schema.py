import json
from dataclasses import dataclass, field

import jsonschema
import pytest

from thresher.judges import Rating, Texts, Verdicts
from thresher.judges.reply import DISAGREE, read_reply

FORMS = [Texts("claims"), Verdicts(("1", "2")), Verdicts(("a1", "r1"), ("yes", "no", "idk")), Rating(1, 5)]


@pytest.mark.parametrize("form", FORMS)
def test_an_imagined_reply_satisfies_the_form_and_its_json_schema(form):
    imagined = form.imagine("One thing. Another thing! A third?")
    jsonschema.validate(json.loads(imagined), form.json_schema())
    assert read_reply(imagined, form).value


@pytest.mark.parametrize("form", FORMS)
def test_a_value_is_about_the_ids_of_its_gists(form):
    value = form.read(json.loads(form.imagine("One thing.")))
    assert set(form.about(value)) == form.gists(value).keys() != set()


def test_a_value_without_ids_is_about_nothing():
    assert read_reply("{}", Verdicts(())).problem == DISAGREE


@pytest.mark.parametrize("form", FORMS)
def test_json_schemas_keep_to_what_strict_structured_output_takes(form):
    def check(node):
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert node["required"] == list(node["properties"])
            for part in node.values():
                check(part)

    check(form.json_schema())


def test_every_id_is_required_so_that_a_strict_judge_leaves_none_out():
    schema = Verdicts(("1", "2", "3")).json_schema()
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"1": {"reason": "", "verdict": "yes"}}, schema)


def test_one_statement_a_sentence_is_imagined():
    assert json.loads(Texts("claims").imagine("It is. Is it? 是。"))["claims"] == ["It is.", "Is it?", "是。"]


@dataclass(frozen=True)
class Unhashable(Texts):
    labels: list = field(default_factory=list)


@pytest.mark.parametrize("form", [*FORMS, Unhashable("claims")])
def test_the_text_of_a_form_is_its_schema(form):
    assert json.loads(form.form) == form.json_schema()


def test_forms_that_differ_have_texts_that_differ():
    forms = [*FORMS, Verdicts(("1", "3")), Rating(0, 5), Texts("statements")]
    assert len({form.form for form in forms}) == len(forms)
