"""Every sentence and form of a gate, word by word: people, pull requests and CI systems read them.

After a change of wording, `UPDATE_TRANSCRIPTS=1 pytest tests/reports/gates/test_sentences.py` writes the
files of `transcripts/` anew; read their difference before it is committed.
"""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from thresher import EvaluationResults
from thresher.components import metric_class
from thresher.errors import InputError
from thresher.reports.gates.decision import digits_for
from thresher.reports.gates.gate import undecided
from thresher.reports.gates.renderers import markdown_escaped
from thresher.reports.rendering.text import csv_text, json_text
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics

TRANSCRIPTS = Path(__file__).parent / "transcripts"
EXAMPLES = (
    "; write e.g. valor_faithfulness>=0.8, valor_faithfulness>=baseline-0.02 or no-regression within 0.02"
)
HITS = [1] * 80 + [0] * 20
ALONE = [
    *("hit<=0.9", "hit>0.5", "hit<0.3", "hit<=0.5", "hit<0.8", "hit>0.95", "cost<=0.31"),
    *("min(hit)>=0.5", "max(cost)<=0.5", "max(cost)<0.4", "max(cost) > 0.4", "max(cost)>=0.4"),
    *("coverage(some)>=0.99", "coverage(some)>=0.9", "coverage(some[language=en])>=95%", "coverage(none)>=1"),
    *("items(cost<=0.3)>=0.4", "items(cost<0.3)>=60%", "items(hit>=1)>=0.8", "items(some>=1)>=0.5"),
    *("hit[language=de]>=0.9", "hit[by language]>=0.9", "hit[length >= 90]>=0.5", "hit[version=1]>=0.9"),
    *(
        "hit[language=fr]>=0.5",
        "hit[length >= 200]>=0.5",
        "hit[length=200]>=0.5",
        "none>=0.5",
        "min(none)>=0.1",
    ),
]
AGAINST = [
    *("no-regression(hit)", "no-regression(hit) within 0.05", "no-regression(hit) within 0.3"),
    *("no-regression(cost)", "no-regression(cost) within 0.3", "no-regression(cost, same) within 0.02"),
    *("no-regression(same)", "no-regression(hit)[language=en]", "no-regression(hit)[by language] within 5%"),
    *("graded>=baseline", "graded>=baseline-0.02", "graded>=baseline-0.055", "graded>=baseline+0.1"),
    *("graded<=baseline+0.1", "graded<=baseline-0.2", "graded > baseline - 5%", "graded<baseline"),
    *("coverage(some)>=baseline", "coverage(some)>=baseline-0.05", "coverage(hit[language=en])>=baseline"),
    *("min(hit)>=baseline", "max(cost)<=baseline", "max(cost)<=baseline+0.2", "hit[length >= 90]>=baseline"),
    *("items(graded>=0.5)>=baseline-0.1", "none>=baseline", "new>=baseline", "min(none)>=baseline"),
]


def check(name, text):
    path = TRANSCRIPTS / f"{name}.txt"
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        path.write_text(f"{text}\n", encoding="utf-8")
    assert f"{text}\n" == path.read_text(encoding="utf-8")


def rounded(text):
    """Text in which numbers have six digits: the last ones depend on the processor."""
    return re.sub(r"-?\d+\.\d{7,}", lambda number: f"{float(number[0]):.6g}", text)


def transcript(gate):
    """Per decision the requirement, its outcome and sentence, the coverage and the items to look at."""
    lines = []
    for each in gate.decisions:
        lines.append(f"{each.requirement} | {each.subject} | {each.outcome} by {each.decided_by}")
        lines.append(f"    {each.sentence} [{each.coverage}]")
        lines += [f"    look at {item}" for item in each.worst]
    return "\n".join([*lines, *gate.remarks, gate.summary])


@pytest.fixture
def run(made):
    return made(
        "candidate",
        lower=("cost",),
        bounds=(0, 1),
        inputs={"language": ["de"] * 50 + ["en"] * 50, "length": range(100), "version": [1.0, 2.5] * 50},
        hit=HITS,
        cost=[0.2] * 50 + [0.4] * 50,
        same=[0.5] * 100,
        graded=(0.5 + np.random.default_rng(5).normal(-0.04, 0.1, 100)).round(3).tolist(),
        some=[1.0] * 97 + [None] * 3,
        none=[None] * 100,
        new=[1] * 100,
    )


@pytest.fixture
def baseline(made):
    return made(
        "main",
        lower=("cost",),
        bounds=(0, 1),
        inputs={"language": ["de"] * 50 + ["en"] * 50, "length": range(100), "version": [1.0, 2.5] * 50},
        hit=[1] * 90 + [0] * 10,
        cost=[0.2] * 50 + [0.3] * 50,
        same=[0.5] * 100,
        graded=[0.5] * 100,
        some=[1.0] * 99 + [None],
        none=[None] * 100,
        gone=[1] * 100,
    )


def test_requirements_of_a_run_alone(run):
    check("alone", transcript(run.gate(ALONE)))


def test_requirements_against_a_baseline(run, baseline):
    check("against", transcript(run.gate(AGAINST, baseline=baseline)))


def test_decisions_by_value(run):
    requirements = ["hit>=0.75", "hit>=0.79996", "hit>=0.9", "cost<=0.5", "hit>0.8", "hit<=0.8", "none>=0.5"]
    check("by_value", transcript(run.gate(requirements, decide_by="value", level=0.9)))


def test_few_items(made):
    few, other = made("few", hit=[1, 0, 1], bounds=(0, 1)), made("other", hit=[0, 0, 1], bounds=(0, 1))
    one = made("one", hit=[1], bounds=(0, 1))
    texts = [transcript(few.gate(["hit>=0.5", "hit>=baseline", "no-regression(hit)"], baseline=other))]
    texts.append(transcript(one.gate(["hit>=0.5", "hit>=baseline-0.1"], baseline=one)))
    texts.append(transcript(few.gate(["hit>=baseline"], baseline=made("main", other=[1, 0, 1]))))
    check("few", "\n\n".join(texts))


@pytest.mark.parametrize(
    "form", ["terminal", "markdown", "junit", "annotations", "explanation", "table", "json"]
)
def test_the_forms_of_a_gate(run, baseline, form):
    requirements = [
        "hit>=0.5",
        "hit>=baseline",
        "no-regression(same)",
        "coverage(some)>=0.99",
        "new>=baseline",
    ]
    gate = run.gate(requirements, baseline=baseline, level=0.9)
    texts = {
        "terminal": str,
        "markdown": lambda gate: gate.to_markdown(),
        "junit": lambda gate: gate.to_junit(),
        "annotations": lambda gate: gate.render("github"),
        "explanation": lambda gate: gate.explanation(),
        "table": lambda gate: csv_text(gate.table()).replace("\r", ""),
        "json": lambda gate: rounded(json_text(gate)),
    }
    check(form, texts[form](gate))


def test_a_gate_without_a_run_that_can_be_read():
    gate = undecided("broken", ["hit>=0.5", "no-regression", "no-regression(a, b)"], "it is no run.")
    check("undecided", f"{transcript(gate)}\n\n{gate}\n\n{gate.to_junit()}\n\n{json_text(gate)}")


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        ("hit", "expected >=, >, <= or < at the end"),
        ("hit>=", "expected a number or baseline at the end"),
        ("hit>=x", "expected a number or baseline at 'x'"),
        ("hit=>1", "expected >=, >, <= or < at '=>1'"),
        (">=0.5", "expected the name of a metric at '>=0.5'"),
        ("hit>=baseline*2", "expected + or - and a number at '*2'"),
        ("hit>=baseline-", "expected a number at the end"),
        ("min(hit>=1", "expected ) at '>=1'"),
        ("items(hit)>=0.5", "expected >=, >, <= or < at ')>=0.5'"),
        ("hit[language]>=1", "expected [language=ENTRY] or [by language] at '[language]>=1'"),
        ("hit[tag]>=1", "expected [tag=ENTRY] or [by tag] at '[tag]>=1'"),
        ("hit[]>=1", "expected [language=ENTRY] or [by language] at '[]>=1'"),
        ("hit[tag=de>=1", "expected a column and its entry within [ ] at '[tag=de>=1'"),
        ("hit>=0.5 please", "remove 'please' at the end"),
        ("no-regression(", "expected the name of a metric at the end"),
        ("no-regression(a", "expected ) at the end"),
        ("no-regression(a,", "expected the name of a metric at the end"),
        ("no-regression within", "expected a number at the end"),
        ("no-regression within -0.1", "the margin is negative; give how much worse the run may be"),
        ("no-regression of hit", "remove 'of hit' at the end"),
    ],
)
def test_what_is_wrong_with_a_requirement(run, requirement, message):
    with pytest.raises(InputError) as error:
        run.gate([requirement])
    assert str(error.value) == f"requirement {requirement!r}: {message}{EXAMPLES}"


@pytest.mark.parametrize(
    ("requirements", "options", "message"),
    [
        ([3], {}, f"requirement 3 is not a string{EXAMPLES}"),
        ([], {}, "a gate needs requirements; give one or more, e.g. valor_faithfulness>=0.8"),
        (["hit>=1"], {"decide_by": "luck"}, "decide_by='luck' is unknown; choose one of interval, value"),
        (["hit>=1"], {"verdicts": "no"}, "verdicts='no' is unknown; choose one of comparable, always"),
        (
            ["hit>=1"],
            {"margin": 0.1},
            "a margin is given, but no requirement is `no-regression` without `within`",
        ),
        (["hit>=1"], {"level": 2}, "level=2 must be a share between 0.5 and 1; give e.g. 0.95"),
        (
            ["hit>=baseline"],
            {},
            "requirement 'hit>=baseline' needs a baseline: give --baseline RUN (baseline= in Python)",
        ),
    ],
)
def test_what_is_wrong_with_a_gate(run, requirements, options, message):
    with pytest.raises(InputError) as error:
        run.gate(requirements, **options)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("value", "bar", "shown"),
    [
        (0.79996, 0.79998, "0.79996"),
        (0.80004, 0.80002, "0.80004"),
        (0.8, 0.8, "0.8"),
        (0.1 + 0.2, 0.3, "0.3"),
        (0.79996, 0.5, "0.8"),
    ],
)
def test_a_number_does_not_change_sides_by_rounding(value, bar, shown):
    assert digits_for(value, None, bar).value(value) == shown


def test_a_difference_next_to_a_bar_from_a_baseline_has_no_rounding_errors(made):
    run, baseline = made("new", hit=[0.8] * 30, bounds=(0, 1)), made("main", hit=[0.5] * 30, bounds=(0, 1))
    (decision,) = run.gate(["min(hit)>=baseline+0.3"], baseline=baseline).decisions
    assert decision.difference != 0.3
    assert "lowest hit is 0.8 against 0.5 (+0.3) on" in decision.sentence


def test_a_run_without_items(made):
    gate = made("empty", hit=[]).gate(["coverage(hit)>=0.5", "hit>=0.5"])
    check("empty", transcript(gate))


def test_markdown_is_shown_as_it_is():
    assert markdown_escaped("a<b> *c* _d_ `e` #f |g| ~h~ {i} [j]\\ @k\n1\t2") == (
        "a&lt;b&gt; \\*c\\* \\_d\\_ \\`e\\` \\#f \\|g\\| \\~h\\~ \\{i\\} \\[j\\]\\\\ &#64;k 1 2"
    )


def test_each_measure_of_a_metric_is_decided_by_its_own_scores():
    """Of the second measure, so that scores of the first measure cannot pass for it."""

    def run(name, first, second):
        measures = [
            Measure(Signature.of(each, {}), Mean(each), each, "higher", (0.0, 1.0))
            for each in ("first", "second")
        ]
        scores = Statistics({"first": np.array(first), "second": np.array(second)})
        return EvaluationResults({"id": range(50)}, [MetricResult(measures, scores)], name=name)

    candidate = run("new", [1.0] * 50, [0.25] * 30 + [0.75] * 20)
    requirements = ["min(second)>=0.5", "max(second)>=1", "items(second>=0.5)>=0.9", "coverage(second)>=1"]
    against = [
        "second>=baseline",
        "min(second)>=baseline",
        "items(second>=0.5)>=baseline",
        "no-regression(second)",
    ]
    gate = candidate.gate([*requirements, *against], baseline=run("main", [0.0] * 50, [0.75] * 50))
    check("measures", transcript(gate))


def test_what_keeps_a_decision_open(made):
    first = made("main", inputs={"question": ["a", "b"] * 10}, hit=[1] * 20, bounds=(0, 1))
    other = made("new", inputs={"question": ["a", "c"] * 10}, hit=[1] * 20, bounds=(0, 1))
    area = metric_class("classification_roc_auc")().run(
        ground_truths=["yes"] * 4, predictions=[{"yes": 0.5, "no": 0.5}] * 4
    )
    texts = [transcript(other.gate(["hit>=baseline-0.5"], baseline=first))]
    gate = EvaluationResults({}, [area["result"]], name="area").gate(["classification_roc_auc>=0.5"])
    texts += [transcript(gate), str(gate)]
    zeros = made("zeros", hit=[0] * 20, bounds=(0, 1))
    texts.append(transcript(zeros.gate(["hit<=0.2", "hit<=0", "hit>=0.1"])))
    check("open", "\n\n".join(texts))
