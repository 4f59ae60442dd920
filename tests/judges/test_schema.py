import json

import jsonschema
import pytest

from thresher.judges import Rating, Texts, Verdicts
from thresher.judges.reply import read_reply

FORMS = [Texts("claims"), Verdicts(("1", "2")), Verdicts(("a1", "r1"), ("yes", "no", "idk")), Rating(1, 5)]


@pytest.mark.parametrize("form", FORMS)
def test_an_imagined_reply_satisfies_the_form_and_its_json_schema(form):
    imagined = form.imagine("One thing. Another thing! A third?")
    jsonschema.validate(json.loads(imagined), form.json_schema())
    assert read_reply(imagined, form).value


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
