import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.reports.gates import parse
from thresher.reports.gates.files import read_gate_file
from thresher.reports.gates.grammar import SliceSelector, Threshold
from thresher.reports.gates.quantities.no_regression import NoRegression


@pytest.mark.parametrize(
    ("text", "keyword", "metric", "threshold"),
    [
        ("faithfulness>=0.8", "", "faithfulness", Threshold(">=", 0.8)),
        (" ndcg@10  >  .5 ", "", "ndcg@10", Threshold(">", 0.5)),
        ("cost <= -1.5e2", "", "cost", Threshold("<=", -150)),
        ("recall≥70%", "", "recall", Threshold(">=", 0.7)),
        ("toxicity≤0", "", "toxicity", Threshold("<=", 0)),
        ("recall>=baseline", "", "recall", Threshold(">=", 0, baseline=True)),
        ("recall>=baseline - 0.02", "", "recall", Threshold(">=", -0.02, baseline=True)),
        ("cost<baseline+5%", "", "cost", Threshold("<", 0.05, baseline=True)),
        ("min(recall)>=0.3", "min", "recall", Threshold(">=", 0.3)),
        ("max ( cost ) <= 3", "max", "cost", Threshold("<=", 3)),
        ("coverage(recall)>=95%", "coverage", "recall", Threshold(">=", 0.95)),
        ('"a(b)>=[c]">=1', "", "a(b)>=[c]", Threshold(">=", 1)),
        ("minimal>=1", "", "minimal", Threshold(">=", 1)),
    ],
)
def test_a_requirement_is_read(text, keyword, metric, threshold):
    requirement = parse(text)
    quantity = requirement.quantity
    assert (quantity.keyword, quantity.metrics, requirement.threshold) == (keyword, (metric,), threshold)
    assert quantity.slice is None


def test_a_share_of_items_has_a_threshold_of_its_own_and_one_for_each_item():
    requirement = parse("items(faithfulness[language=de] >= 0.5) >= 0.95")
    quantity = requirement.quantity
    assert (quantity.item_threshold, requirement.threshold) == (Threshold(">=", 0.5), Threshold(">=", 0.95))
    assert quantity.slice == SliceSelector(entry=("language", "de"))


@pytest.mark.parametrize(
    ("text", "selector"),
    [
        ("[language=de]", SliceSelector(entry=("language", "de"))),
        ("[by language]", SliceSelector(by="language")),
        ("[by=3]", SliceSelector(entry=("by", "3"))),
        ("[ topic = a=b ]", SliceSelector(entry=("topic", "a=b"))),
        ('[topic="a]"]', SliceSelector(entry=("topic", "a]"))),
        ('["by x"=1]', SliceSelector(entry=("by x", "1"))),
        ("[bytes=1]", SliceSelector(entry=("bytes", "1"))),
        ('[language == "d]e"]', SliceSelector(condition='language == "d]e"')),
        ("[rating >= 4 and not hard]", SliceSelector(condition="rating >= 4 and not hard")),
        ("[language in ['de', 'fr']]", SliceSelector(condition="language in ['de', 'fr']")),
    ],
)
def test_slices_are_read(text, selector):
    assert parse(f"recall{text}>=0.5").quantity.slice == selector


@pytest.mark.parametrize(
    ("text", "quantity", "number"),
    [
        ("no-regression", NoRegression(()), 0),
        ("no-regression within 0.02", NoRegression((), margin=0.02), -0.02),
        ("no-regression(recall, f1) within 2%", NoRegression(("recall", "f1"), margin=0.02), -0.02),
        ("no-regression (recall) [by language]", NoRegression(("recall",), SliceSelector(by="language")), 0),
    ],
)
def test_no_regression(text, quantity, number):
    requirement = parse(text)
    assert requirement.quantity == quantity
    assert requirement.threshold == Threshold(">=", number, baseline=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "expected the name of a metric at the end"),
        ("recall", "expected >=, >, <= or < at the end"),
        ("recall=0.8", "at '=0.8'"),
        ("recall>=", "expected a number or baseline at the end"),
        ("recall>=high", "expected a number or baseline at 'high'"),
        ("recall>=nan", "expected a number or baseline"),
        ("recall>=0.8 or so", "remove 'or so' at the end"),
        ("recall>=baseline*2", "expected + or - and a number at '*2'"),
        ("recall>=baseline-", "expected a number at the end"),
        ("recall[language]>=1", "[language=ENTRY] or [by language] at"),
        ("recall[]>=1", "[language=ENTRY] or [by language] at"),
        ("recall[language=de>=1", "expected a column and its entry within [ ]"),
        ("items(recall)>=0.5", "expected >=, >, <= or < at ')>=0.5'"),
        ("min(recall>=0.5", "expected ) at"),
        ("no-regression within -0.1", "the margin is negative"),
        ("no-regression(recall", "expected ) at the end"),
        ("no-regression>=1", "remove '>=1' at the end"),
    ],
)
def test_an_unreadable_requirement_is_explained_in_one_line(text, expected):
    with pytest.raises(InputError) as error:
        parse(text)
    assert expected in str(error.value)
    assert repr(text) in str(error.value)
    assert "write e.g. valor_faithfulness>=0.8" in str(error.value)
    assert "\n" not in str(error.value)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        parse(text)
    except InputError as error:
        assert "requirement" in str(error)  # noqa: PT017  # most texts are refused, some are not


def test_a_threshold_is_written_without_a_zero_next_to_the_baseline():
    thresholds = [Threshold(">=", number, baseline=True) for number in (0.0, 0.02, -0.5)]
    assert [str(threshold) for threshold in thresholds] == [">=baseline", ">=baseline+0.02", ">=baseline-0.5"]


@pytest.mark.parametrize(("operator", "reached"), [(">=", [False, True, True]), (">", [False, False, True])])
def test_a_threshold_allows_for_the_last_digits_of_a_sum(operator, reached):
    numbers = {">=": [-1.1e-9, -1e-9, 0.0], ">": [0.0, 1e-9, 1.1e-9]}[operator]
    assert [Threshold(operator, 0.0).reached(number) for number in numbers] == reached
    downwards = "<=" if operator == ">=" else "<"
    assert [Threshold(downwards, 0.0).reached(-number) for number in numbers] == reached


@given(
    st.from_regex(r"[a-z_@0-9]+", fullmatch=True),
    st.sampled_from([">=", ">", "<=", "<"]),
    st.integers(-(10**6), 10**6).map(lambda number: number / 1000),
    st.booleans(),
)
def test_what_is_printed_is_read_back(name, operator, number, baseline):
    threshold = Threshold(operator, number, baseline)
    read = parse(f"{name}{threshold}").threshold
    assert (read.operator, read.baseline) == (operator, baseline)
    assert read.number == pytest.approx(number, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gate.yaml", "require:\n  - recall>=0.8\n  - no-regression\n"),
        ("list.yml", "- recall>=0.8\n- no-regression\n"),
        ("gate.toml", 'require = ["recall>=0.8", "no-regression"]\n'),
    ],
)
def test_requirements_come_from_files(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_gate_file(tmp_path / name).requirements == ["recall>=0.8", "no-regression"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.yaml", None, "cannot be read: No such file"),
        ("empty.yaml", "", "no requirements found"),
        ("odd.yaml", "require: [1]", "requirement 1 is 1, not a string"),
        ("key.yaml", "requires: [recall>=1]", "'requires' is unknown"),
        ("broken.yaml", "require: [", "not YAML"),
        ("broken.toml", "require = [", "not TOML"),
        ("latin.yaml", "require: [caf\xe9>=1]", "is not UTF-8; save the file as UTF-8"),
    ],
)
def test_files_that_cannot_be_used_are_named(tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as error:
        read_gate_file(tmp_path / name)
    assert message in str(error.value)
    assert name in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ('m[tag=""]>=1', ("tag", "")),
        ('m[tag="a"]>=1', ("tag", "a")),
        ('m["by x" = "a]"]>=1', ("by x", "a]")),
        ("m[tag=]>=1", ("tag", "")),
    ],
)
def test_quotes_around_entries_are_taken_away(text, entry):
    assert parse(text).quantity.slice.entry == entry
