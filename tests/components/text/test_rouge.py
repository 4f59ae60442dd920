import json
import warnings
from pathlib import Path

import pytest

from thresher.components.text.rouge import RougeEvaluator
from thresher.errors import InputError

GOLDEN = Path(__file__).parents[2] / "golden" / "text"


def test_each_type_takes_its_best_reference():
    seen = 0
    for case in json.loads((GOLDEN / "rouge.json").read_text())["cases"]:
        if len(case["input"]["references"]) < 2:
            continue
        for run in case["runs"]:
            evaluator = RougeEvaluator(**run["options"], report=["precision", "recall", "fmeasure"])
            result = evaluator.run([case["input"]["prediction"]], [case["input"]["references"]])["result"]
            for rouge_type, expected in run["expected"].items():
                names = (f"{rouge_type}_precision", f"{rouge_type}_recall", rouge_type)
                assert [result.value(name) for name in names] == list(expected.values()), case["input"]
                seen += 1
    assert seen > 100


def test_the_score_is_the_plain_mean_over_items():
    out = RougeEvaluator(rouge_types=["rouge1"]).run(["a b", "a b", None], ["a b", "c d", "x"])
    assert out["score"] == 0.5
    assert out["individual_scores"][:2] == [1.0, 0.0]
    assert out["result"].n_scored == 2


def test_measures_are_named_by_type_and_quantity():
    result = RougeEvaluator(rouge_types=["rouge1", "rougeL"], report=["fmeasure", "recall"]).run(
        ["a"], ["a"]
    )["result"]
    names = [measure.name for measure in result.measures]
    assert names == ["rouge1", "rouge1_recall", "rougeL", "rougeL_recall"]
    mine = RougeEvaluator(rouge_types=["rouge1"], name="summary").run(["a"], ["a"])["result"]
    assert mine.name == "summary_rouge1"


def test_the_signature_tells_what_changes_the_number_and_nothing_else():
    one = RougeEvaluator(rouge_types=["rouge1"], use_stemmer=True).run(["a"], ["a"])["result"]
    two = RougeEvaluator(rouge_types=["rouge1", "rouge2"], use_stemmer=True, report=["fmeasure", "recall"])
    assert str(one.measure("rouge1").signature) == "rouge1|use_stemmer:yes|tokenizer:rouge-score|version:1"
    assert two.run(["a"], ["a"])["result"].measure("rouge1").signature == one.measure("rouge1").signature


def test_references_without_a_token_are_counted():
    columns = ["好", "Да", "yes it is"], ["好", ["Да", "Yes"], ["да", "yes it is"]]
    with pytest.warns(UserWarning, match="references of 1 of 3 items: they score 0; use tokenizer='unicode'"):
        assert RougeEvaluator(rouge_types=["rouge1"]).run(*columns)["individual_scores"] == [0.0, 0.0, 1.0]
    assert RougeEvaluator(rouge_types=["rouge1"], tokenizer="unicode").run(*columns)["score"] == 1.0


def test_statistics_hold_all_three_quantities_of_every_type():
    statistics = RougeEvaluator(rouge_types=["rouge2"]).run(["a b c"], ["a b"])["result"].statistics
    assert {name: column.tolist() for name, column in statistics.items()} == {
        "rouge2.precision": [0.5],
        "rouge2.recall": [1.0],
        "rouge2.fmeasure": [2 / 3],
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rouge_types": ["rouge0"]}, "'rouge0' is not a ROUGE type"),
        ({"rouge_types": []}, "rouge_types=.* at least one"),
        ({"rouge_types": "rouge1"}, "rouge_types='rouge1' must be a list"),
        ({"rouge_types": ["rouge1", "rouge1"]}, "each named once"),
        ({"report": ["f1"]}, "report='f1' is unknown; choose one of precision, recall, fmeasure"),
        ({"tokenizer": "13a"}, "tokenizer='13a' is unknown"),
    ],
)
def test_unknown_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        RougeEvaluator(**options)


def test_valor_golden_values_in_its_own_shape():
    seen = 0
    for case in json.loads((GOLDEN / "rouge_valor.json").read_text())["cases"]:
        for run in case["runs"]:
            if "error" in run:
                continue
            options, given = run["options"], case["input"]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = RougeEvaluator(**options).run([given["prediction"]], [given["references"]])["result"]
            assert result.to_valor(parts=True) == [
                {
                    "type": "ROUGE",
                    "parameters": {"rouge_type": name, "use_stemmer": options.get("use_stemmer", False)},
                    "value": run["expected"][name],
                }
                for name in options["rouge_types"]
            ]
            assert result.to_valor() == [
                {
                    "type": "ROUGE",
                    "parameters": {
                        "rouge_types": options["rouge_types"],
                        "use_stemmer": options.get("use_stemmer", False),
                    },
                    "value": {name: run["expected"][name] for name in options["rouge_types"]},
                }
            ]
            seen += 1
    assert seen > 60


def test_numbers_that_valor_does_not_compute_have_no_valor_shape():
    evaluator = RougeEvaluator(rouge_types=["rouge1"], tokenizer="unicode", report=["recall"])
    assert evaluator.run(["a"], ["a"])["result"].to_valor() == []
