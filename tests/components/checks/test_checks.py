import json
import re
import sys

import pytest

from thresher.components.checks import (
    CitationPrecisionEvaluator,
    CitationRecallEvaluator,
    JsonSchemaEvaluator,
    JsonValidEvaluator,
    LanguageMatchEvaluator,
    RefusalEvaluator,
    SqlFormEvaluator,
    SqlRowsEvaluator,
    TextConditionsEvaluator,
    TextLengthEvaluator,
)
from thresher.errors import InputError, MissingDependencyError
from thresher.results import Status

SCHEMA = {"type": "object", "properties": {"ages": {"items": {"type": "integer"}}}, "required": ["ages"]}


def scores(metric, answers, **columns):
    result = metric.run(predicted_answers=answers, **columns)["result"]
    return [
        None if status else score
        for score, status in zip(result.item_scores().tolist(), result.status, strict=True)
    ]


def test_invalid_json_scores_zero_and_a_missing_answer_is_missing():
    result = JsonValidEvaluator().run(predicted_answers=["{}", "{", None])["result"]
    assert result.score == 0.5
    assert result.status.tolist() == [Status.SCORED, Status.SCORED, Status.MISSING]
    assert result.evidence[1] == {
        "problem": "line 1, column 2: expecting property name enclosed in double quotes"
    }


def test_a_mismatch_of_the_schema_names_its_path():
    answers = ['{"ages": [3.0, 4]}', '{"ages": [1, "2"]}', '{"ages": [NaN]}']
    result = JsonSchemaEvaluator(schema=SCHEMA).run(predicted_answers=answers)["result"]
    assert result.item_scores().tolist() == [1, 0, 0]
    problems = [entry.get("problem") for entry in result.evidence]
    assert problems == [None, "$.ages[1]: '2' is not of type 'integer'", "NaN is not a JSON value"]


@pytest.mark.parametrize(
    "reference", ["https://schemas.example/a.json", "file:///etc/passwd", "#/nope", "#no", "http://[x"]
)
def test_a_schema_that_is_elsewhere_is_refused(reference):
    message = f"the schema refers to {reference!r}, which is not loaded"
    with pytest.raises(InputError, match=re.escape(message)):
        JsonSchemaEvaluator(schema={"$ref": reference})
    metric = JsonSchemaEvaluator(schema={"properties": {"a": {"$ref": reference}}})
    with pytest.raises(InputError, match=re.escape(message)):
        metric.run(predicted_answers=['{"a": 1}'])


def doubled(last):
    """Each of 26 definitions refers twice to the next one."""
    parts = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(26)}
    return {"$defs": parts | {"a26": last}}


def nested(levels):
    schema = {}
    for _ in range(levels):
        schema = {"anyOf": [schema, schema]}
    return schema


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"$ref": "#"}, "refers to itself"),
        ({"anyOf": [{"type": "null"}, {"$ref": "#"}]}, "refers to itself"),
        ({"$dynamicAnchor": "x", "$dynamicRef": "#x"}, "refers to itself"),
        (
            {"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}},
            "refers to itself",
        ),
        (doubled({}) | {"$ref": "#/$defs/a0"}, "500,000 steps"),
        (doubled({}) | {"properties": {"a": {"$ref": "#/$defs/a0"}}}, "500,000 steps"),
        (nested(40), "100,000 parts"),
        ({"pattern": "((a{1000}){1000}){1000}"}, "repeats too often"),
    ],
)
def test_an_endless_schema_is_refused(schema, reason):
    with pytest.raises(InputError, match=reason):
        JsonSchemaEvaluator(schema=schema).run(predicted_answers=['"a"'])


SLOW = "^(a|a)*$"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"


@pytest.mark.parametrize(
    "schema",
    [
        {"propertyNames": {"pattern": SLOW}},
        {"patternProperties": {SLOW: {"type": "integer"}}},
        {"patternProperties": {SLOW: True}, "additionalProperties": False},
        {"allOf": [{"patternProperties": {SLOW: True}}], "unevaluatedProperties": False},
        {
            "$schema": DRAFT_2019,
            "allOf": [{"patternProperties": {SLOW: True}}],
            "unevaluatedProperties": False,
        },
    ],
)
def test_an_item_with_a_slow_pattern_fails_and_no_other(schema, monkeypatch):
    monkeypatch.setattr("thresher.kernels.checks.json_schema.SECONDS", 0.05)
    answers = [json.dumps({"a" * 40 + "!": 1}), '{"aa": 1}', '{"aaa": 1, "aa": 2}']
    result = JsonSchemaEvaluator(schema=schema).run(predicted_answers=answers)["result"]
    assert result.status.tolist() == [Status.FAILED, Status.SCORED, Status.SCORED]
    assert "takes longer than" in result.reasons[0]
    assert result.item_scores()[1:].tolist() == [1, 1]


def test_patterns_of_names_keep_their_meaning():
    schema = {
        "patternProperties": {"^n": {"type": "integer"}, "s$": {"minimum": 3}},
        "additionalProperties": False,
    }
    metric = JsonSchemaEvaluator(schema=schema)
    answers = ['{"ns": 3}', '{"n": "3"}', '{"ns": 2}', '{"b": 1}', "{}"]
    result = metric.run(predicted_answers=answers)["result"]
    assert [entry.get("problem") for entry in result.evidence] == [
        None,
        "$.n: '3' is not of type 'integer'",
        "$.ns: 2 is less than the minimum of 3",
        "$: 'b' does not match any of the regexes: '^n', 's$'",
        None,
    ]


def test_items_beyond_the_limits_of_a_schema_fail():
    deep = '{"c":' * 400 + "{}" + "}" * 400
    metric = JsonSchemaEvaluator(schema={"uniqueItems": True, "properties": {"c": {"$ref": "#"}}})
    many = json.dumps([{"a": number} for number in range(3000)])
    result = metric.run(predicted_answers=[deep, many, "[1, 1]"])["result"]
    assert result.item_scores()[2] == 0
    assert "nested too deeply" in result.reasons[0]
    assert "500,000 steps" in result.reasons[1]


def test_answers_of_50_levels_are_checked():
    schema = {"type": "object", "properties": {"c": {"$ref": "#"}}}
    answers = ['{"c":' * 50 + inner + "}" * 50 for inner in ("{}", "3")]
    assert JsonSchemaEvaluator(schema=schema).run(predicted_answers=answers)[
        "result"
    ].item_scores().tolist() == [1, 0]


def test_a_local_reference_works():
    metric = JsonSchemaEvaluator(schema={"$ref": "#/$defs/a", "$defs": {"a": {"type": "array"}}})
    assert scores(metric, ["[]", "{}"]) == [1, 0]


def test_an_invalid_schema_is_refused_with_its_path():
    with pytest.raises(InputError, match=r"schema at \$\.type: 'text' is not valid"):
        JsonSchemaEvaluator(schema={"type": "text"})


def test_every_condition_is_in_the_evidence():
    metric = TextConditionsEvaluator(
        contains_all=["a", "x"],
        contains_none=["b"],
        contains_any=["x", "c"],
        starts_with=["a"],
        ends_with=["a"],
        equals=["ab", "abc"],
        matches=["^a.c$"],
    )
    result = metric.run(predicted_answers=["abc"])["result"]
    assert result.evidence[0] == {
        "met": [
            "contains 'a'",
            "contains 'x' or 'c'",
            "starts with 'a'",
            "equals 'ab' or 'abc'",
            "matches '^a.c$'",
        ],
        "not_met": ["contains 'x'", "does not contain 'b'", "ends with 'a'"],
    }
    assert result.score == pytest.approx(5 / 8)
    assert result.value("text_conditions_all") == 0


def test_items_have_their_own_conditions_in_addition():
    metric = TextConditionsEvaluator(contains_all=["a"])
    own = [{"contains_none": ["b"]}, None, {"equals": "a"}]
    assert scores(metric, ["ab", "ab", "a"], conditions=own) == [0.5, 1, 1]


def test_case_and_unicode_form_count_unless_an_option_says_otherwise():
    composed, parts = "\u00e9", "e\u0301"
    assert scores(TextConditionsEvaluator(contains_all=[composed]), [parts, composed.upper()]) == [0, 0]
    metric = TextConditionsEvaluator(
        contains_all=[composed.upper()], matches=[composed.upper()], lowercase=True, unicode_form="nfc"
    )
    assert scores(metric, [parts, composed]) == [1, 1]


def test_an_item_without_conditions_is_undefined():
    result = TextConditionsEvaluator().run(
        predicted_answers=["a", "a"], conditions=[{"equals": ["a"]}, None]
    )["result"]
    assert result.status.tolist() == [Status.SCORED, Status.UNDEFINED]
    with pytest.raises(InputError, match="text_conditions has no conditions"):
        TextConditionsEvaluator().run(predicted_answers=["a"])


@pytest.mark.slow
def test_a_pattern_that_takes_too_long_fails_the_item():
    metric = TextConditionsEvaluator(matches=["^(a|a)*(b|b)*(aa|a)*$"])
    result = metric.run(predicted_answers=["a" * 10 + "ba", "a" * 60_000 + "c"])["result"]
    assert result.status[1] == Status.FAILED
    assert "takes longer than 1 s" in result.reasons[1]


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"contain": ["a"]}, r"conditions\[0\]: unknown condition 'contain'"),
        ({"equals": [1]}, r"conditions\[0\]: equals is \[1\]; give a list of texts"),
        (["a"], r"conditions\[0\] is list; give a dict"),
        ({"matches": ["("]}, "is not a regular expression"),
    ],
)
def test_wrong_conditions_of_an_item_are_named(own, message):
    with pytest.raises(InputError, match=message):
        TextConditionsEvaluator().run(predicted_answers=["a"], conditions=[own])


def test_lengths_have_bounds():
    text = "One two. Three 3.5!\nFour"
    for unit, length in (("characters", 24), ("words", 6), ("sentences", 3)):
        result = TextLengthEvaluator(unit=unit, minimum=length, maximum=length).run(
            predicted_answers=[text, ""]
        )["result"]
        assert result.item_scores().tolist() == [1, 0], unit
        assert result.value("text_length_mean") == length / 2
    with pytest.raises(InputError, match="maximum=1 is below minimum=2"):
        TextLengthEvaluator(minimum=2, maximum=1)


def test_refusals_are_flagged_per_language():
    answers = [
        "I\u2019m  sorry, but I can\u2019t help with that.",
        "Das muss ich ablehnen.",
        "Paris.",
        "",
        None,
    ]
    assert scores(RefusalEvaluator(), answers) == [1, 0, 0, 0, None]
    assert scores(RefusalEvaluator(languages=["de"], phrases=["PARIS"]), answers) == [0, 1, 1, 0, None]
    assert RefusalEvaluator().run(predicted_answers=answers)["result"].evidence[0] == {
        "phrase": "i can't help with"
    }


def test_citations_point_to_contexts():
    answers = ["Blue [1], wet [doc 3]. Old [2-3].", "Nothing cited."]
    contexts = [["a", "b"]] * 2
    result = CitationPrecisionEvaluator().run(predicted_answers=answers, contexts=contexts)["result"]
    assert result.item_scores()[0] == 0.5
    assert result.status.tolist() == [Status.SCORED, Status.UNDEFINED]
    assert result.evidence[0] == {"cited": [1, 3, 2, 3], "dangling": [3]}
    assert scores(CitationPrecisionEvaluator(first_number=0), ["[0][2]"], contexts=contexts[:1]) == [0.5]


def test_sentences_with_a_citation_of_a_context_count():
    answers = ["Blue. [1] Wet [9]. Old\u3002[2]", "No citation.", "..."]
    result = CitationRecallEvaluator().run(predicted_answers=answers, contexts=[["a", "b"]] * 3)["result"]
    assert result.item_scores()[:2].tolist() == [pytest.approx(2 / 3), 0]
    assert result.status[2] == Status.UNDEFINED
    assert result.evidence[0] == {"without_citation": ["Wet [9]."]}
    assert result.value("citation_recall_micro") == 0.5


def test_a_wide_range_is_not_expanded():
    assert scores(CitationPrecisionEvaluator(), ["[1-1999]"], contexts=[["a"]]) == [0.5]


TABLES = [
    "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)",
    "CREATE TABLE t (a); INSERT INTO t VALUES (NULL)",
]


def test_queries_are_consistent_on_all_data_sets():
    queries = [
        "SELECT COUNT(a) FROM t",
        "SELECT a FROM t ORDER BY a DESC",
        "SELECT a FROM t",
        "SELECT b",
        None,
    ]
    references = [
        "SELECT COUNT(*) FROM t",
        "SELECT a FROM t",
        "SELECT a FROM t ORDER BY a DESC",
        "SELECT a FROM t",
        "SELECT 1",
    ]
    run = {"predicted_answers": queries, "ground_truth_answers": references}
    result = SqlRowsEvaluator(tables=TABLES).run(**run)["result"]
    assert result.item_scores()[:4].tolist() == [0, 1, 0, 0]
    assert result.status[4] == Status.MISSING
    assert [entry.get("problem") for entry in result.evidence[:4]] == [
        "data set 2: 1 row differs from the 1 of the reference",
        None,
        "data set 1: 2 rows differ from the 2 of the reference",
        "cannot be run: no such column: b",
    ]
    assert SqlRowsEvaluator(tables=TABLES[:1]).run(**run)["result"].item_scores()[0] == 1


def test_a_query_beyond_a_limit_fails_and_a_broken_reference_is_named():
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    metric = SqlRowsEvaluator(tables=TABLES)
    result = metric.run(predicted_answers=[endless], ground_truth_answers=["SELECT 1"])["result"]
    assert result.status[0] == Status.FAILED
    assert result.reasons == {0: "the query has more than 10000 rows"}
    with pytest.raises(InputError, match=r"ground_truth_answers\[0\]: the reference query cannot be run"):
        metric.run(predicted_answers=["SELECT 1"], ground_truth_answers=["SELECT"])


def test_answers_in_the_wrong_language_score_0():
    answers = [
        "Der Zug fährt um neun Uhr.",
        "The train leaves at nine.",
        "Поезд отправляется в девять часов.",
    ]
    outputs = LanguageMatchEvaluator(language="de").run(predicted_answers=answers)
    assert outputs["individual_scores"] == [1.0, 0.0, 0.0]
    assert outputs["result"].evidence[1] == {"expected": "de", "language": "en", "script": "latin"}


def test_without_a_given_language_the_question_decides():
    questions = ["Wann fährt der Zug nach Bern?", "When does the train to Bern leave?", "Bern?"]
    answers = ["It leaves at nine, from the first platform."] * 3
    result = LanguageMatchEvaluator().run(predicted_answers=answers, questions=questions)["result"]
    assert result.item_scores()[:2].tolist() == [0.0, 1.0]
    assert result.status[2] == Status.UNDEFINED
    assert result.reasons == {2: "the language of the question is not decided"}


def test_texts_without_a_language_are_undefined_and_other_scripts_are_not():
    answers = ["Paris", "Kubernetes Docker Swarm", "Kubernetes Docker Swarm"]
    result = LanguageMatchEvaluator(language="fr").run(predicted_answers=answers)["result"]
    assert result.reasons == {
        0: "the answer is too short to have a language",
        1: "the answer has too few function words to decide its language",
        2: "the answer has too few function words to decide its language",
    }
    japanese = LanguageMatchEvaluator(language="ja").run(predicted_answers=answers)["result"]
    assert japanese.item_scores()[1:].tolist() == [0.0, 0.0]


def test_an_expected_language_is_needed():
    with pytest.raises(InputError, match="give the option `language`, or the input `questions`"):
        LanguageMatchEvaluator().run(predicted_answers=["Paris."])


def test_forms_of_queries():
    queries = ["select a from t where 1 = x", "SELECT b FROM t", "SELECT zz FROM t", "DROP TABLE t", None]
    references = [["SELECT 1", "SELECT t.a FROM t WHERE x = 1"], *["SELECT a FROM t"] * 4]
    run = {"predicted_answers": queries, "ground_truth_answers": references}
    result = SqlFormEvaluator(columns={"t": ["a", "b", "x"]}).run(**run)["result"]
    assert result.item_scores()[:4].tolist() == [1, 0, 0, 0]
    assert result.status[4] == Status.MISSING
    problems = [entry.get("problem", "") for entry in result.evidence[:4]]
    assert problems[:2] == ["", "the form differs from that of the reference"]
    assert problems[2].startswith("cannot be read: Column 'zz' could not be resolved")
    assert problems[3] == "cannot be read: the text is not one query"
    assert SqlFormEvaluator().run(**run)["score"] == 0


def test_a_broken_reference_and_an_unknown_dialect_are_named():
    metric = SqlFormEvaluator(columns={"t": ["a"]})
    for reference in ("SELECT b FROM t", "SELECT 1; SELECT 2", "SELECT FROM WHERE", "(" * 5000):
        with pytest.raises(
            InputError, match=r"ground_truth_answers\[0\]: the reference query cannot be read: "
        ):
            metric.run(predicted_answers=["SELECT 1"], ground_truth_answers=[reference])
    with pytest.raises(InputError, match="dialect: Unknown dialect 'klingon'"):
        SqlFormEvaluator(dialect="klingon")


def test_without_sqlglot_the_extra_is_named_when_queries_are_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    evaluator = SqlFormEvaluator(dialect="none")  # not known to be wrong
    assert len(evaluator.run(predicted_answers=[], ground_truth_answers=[])["result"]) == 0
    with pytest.raises(MissingDependencyError, match=r"thresher\[sql\]"):
        evaluator.run(predicted_answers=["SELECT 1"], ground_truth_answers=["SELECT 1"])
