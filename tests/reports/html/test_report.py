import base64
import hashlib
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from reports.html.cases import PLANTED, judged_run, pair, unpacked
from thresher import EvaluationResults, InputError
from thresher.errors import DataWarning
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.gates import gate
from thresher.reports.html import html_report
from thresher.reports.html.numbers import DASH, limits, number
from thresher.reports.slices.slice_comparison import SliceComparison
from thresher.reports.slices.slice_report import SliceReport
from thresher.reports.table import Table


class Page(HTMLParser):
    """What a browser would make of the file: its tags, and the text outside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.inside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = [tag] if tag in ("script", "style") else []

    def handle_endtag(self, tag):
        self.inside = [each for each in self.inside if each != tag]

    def handle_data(self, data):
        if not self.inside:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def plain(name, scores, **inputs):
    columns = {"id": [f"i{item}" for item in range(len(scores))], **inputs}
    metrics = [{"name": "hit", "scores": scores, "bounds": [0, 1]}]
    return EvaluationResults.from_dict({"inputs": columns, "metrics": metrics}, name=name)


def test_a_run_shows_value_interval_coverage_direction_signature_and_provenance():
    text = Page(html_report(pair()[1:])).text
    assert "second" in text
    value = pair()[1].metrics["faithfulness"].value
    assert f"faithfulness ↑ {value:.3f}" in text
    assert "29 / 30 1 failed" in text
    assert "latency ↓" in text
    assert "lower is better" in html_report(pair()[1:])
    assert "faithfulness|judge:judge-1|version:1" in text
    assert "made by a test" in text
    assert re.search(r"\[0\.\d{3}, 0\.\d{3}\]", text)


def test_a_comparison_tells_its_notes_first_and_then_the_differences():
    text = Page(html_report(pair(), remarks=["Read this."])).text
    row = ComparisonReport(pair()).rows[0].to_dict()
    assert text.index("Read this.") < text.index("29 items that both") < text.index("Comparison with A first")
    assert text.index("Comparison with A first") < text.index("scored / items")
    assert f"{row['wins']} / {row['ties']} / {row['losses']}" in text
    assert number(row["difference"], signed=True) in text


def test_every_difference_has_its_verdict_and_method_and_p_values_are_folded():
    report = ComparisonReport(pair())
    page = Page(html_report(pair()))
    table, _, statistics = page.text.partition("All statistics")
    row = report.rows[0]
    known = row.comparison.interval
    for cell in (
        f"{number(row.comparison.difference, signed=True)} {row.verdict}",
        f"{limits((known.low, known.high), signed=True)} {known.method}",
        f"{row.comparison.wins} / {row.comparison.ties} / {row.comparison.losses} {row.comparison.items}",
        *(each.sentence for each in report.rows),
        *report.reading,
    ):
        assert cell in table
    assert f"effect {row.comparison.effect_kind}" not in table
    assert "effect kind" in statistics
    assert known.method in statistics
    assert "detectable" in statistics
    assert ("p adjusted" in statistics, "p, corrected" in page.text) == (True, False)


def test_where_settings_differ_there_is_no_verdict_unless_asked_for():
    first, second = pair()
    other = judged_run("second", [1.0] * 30, ["same"] * 30, planted="2")
    second = EvaluationResults(second.inputs, [*other.results[:1], *second.results[1:]], name="second")
    text = Page(html_report([first, second])).text
    assert "faithfulness was computed with other settings in second than in first" in text
    assert "faithfulness: no verdict, because its settings differ." in text
    assert "not judged other settings" in text
    assert text.index("other settings in second") < text.index("not judged")
    assert "not judged" not in Page(html_report([first, second], verdicts="always")).text


def test_slices_of_a_run_and_of_a_comparison_have_a_section_of_their_own():
    report = SliceReport(pair()[0], "human_label")
    page = Page(html_report(pair()[:1], slice_by="human_label")).text
    worst = report.rows[0]
    assert f"{worst.name} {number(worst.estimate.value)} {report.verdict(worst)}" in page
    assert report.reading[0] in page
    compared = SliceComparison(pair(), ["latency > 1.5"])
    page = Page(html_report(pair(), slice_by=["latency > 1.5"])).text
    row = compared.rows[0]
    assert f"latency > 1.5 {number(row.comparison.first_value)} {number(row.comparison.second_value)}" in page
    assert row.sentence in page
    with pytest.raises(InputError, match="no column 'nowhere'"):
        html_report(pair(), slice_by="nowhere")


def test_only_the_metrics_asked_for_are_shown():
    text = html_report(pair(), metrics=["latency"])
    assert "faithfulness ↑" not in Page(text).text
    assert [each["name"] for each in unpacked(text)["metrics"]] == ["latency"]
    with pytest.raises(InputError, match="no metric 'nothing'"):
        html_report(pair(), metrics=["nothing"])


def scored(name, primary):
    metrics = [
        {"name": metric, "scores": [0.1 * item for item in range(5)], "primary": metric in primary}
        for metric in ("exact", "f1", "recall")
    ]
    return EvaluationResults.from_dict({"inputs": {"id": list("abcde")}, "metrics": metrics}, name=name)


@pytest.mark.parametrize(
    ("options", "opening"),
    [
        ({}, ["recall"]),
        ({"primary": ["f1"]}, ["f1"]),
        ({"metrics": ["f1", "exact"]}, ["f1", "exact"]),
        ({"margins": {"exact": 0.1}}, ["recall", "exact"]),
    ],
)
def test_a_comparison_opens_on_the_measures_that_it_tests_primary_ones_first(options, opening):
    packed = unpacked(html_report([scored("A", ["recall"]), scored("B", ["recall"])], **options))
    assert packed["primary"] == opening
    assert packed["opening"] == opening[0]


def test_primary_measures_come_first_in_every_section():
    text = html_report([scored("A", ["recall"])])
    assert [metric["name"] for metric in unpacked(text)["metrics"]] == ["recall", "exact", "f1"]
    overview, _, distributions = Page(text).text.partition("Signatures")
    for section in (overview, distributions):
        assert section.index("recall") < section.index("exact") < section.index("f1")


def test_a_gate_stands_before_the_figures():
    run = pair()[0]
    outcome = gate(run, ["faithfulness>=0.9", "latency<=5"])
    text = Page(html_report([run], gate=outcome)).text
    assert outcome.summary in text
    assert text.index(outcome.summary) < text.index("scored / items")
    for decision in outcome.decisions:
        assert f"{decision.outcome} {decision.requirement}" in text


def test_the_cost_of_judges_is_summed_over_all_sessions():
    asked = {"calls": 12, "known": 3, "prompt_tokens": 1000, "completion_tokens": 234, "models": {"m-1": 12}}
    provenance = {"asking": [{**asked, "cost": 0.25}, {**asked, "cost": 0.5, "notes": ["it was slow"]}]}
    run = pair()[0]
    run = EvaluationResults(run.inputs, run.results, name="first", provenance=provenance)
    summary = "24 calls to m-1, 6 answers known before, 2,468 tokens, cost 0.75; it was slow"
    assert summary in Page(html_report([run])).text
    assert f"A: {summary}" in Page(html_report([run, pair()[1]])).text
    asked |= {"cached_tokens": 300, "reasoning_tokens": 100}
    run = EvaluationResults(run.inputs, run.results, name="first", provenance={"asking": [asked, asked]})
    assert "2,468 tokens (600 of cached input, 200 of reasoning)" in Page(html_report([run])).text


def test_several_runs_are_each_compared_with_the_first():
    first, second = pair()
    third = EvaluationResults(second.inputs, second.results, name="third")
    text = Page(html_report([first, second, third])).text
    assert "A first B second C third" in text
    pairs = [ComparisonReport([first, other]) for other in (second, third)]
    for name, report in zip(("B second", "C third"), pairs, strict=True):
        start = text.index(f"{name} against A first")
        row = report.rows[0].comparison
        assert number(row.difference, signed=True) in text[start : start + 900]
        assert f"{row.wins} / {row.ties} / {row.losses}" in text[start : start + 900]


def test_of_many_runs_each_pair_shows_its_verdicts_and_folds_secondary_measures():
    runs = [scored(name, ["recall"]) for name in "ABCD"]
    text = html_report(runs)
    page = Page(text)
    assert "4 runs" in page.text
    assert text.count('class="pair-panel"') == 3
    for letter in "BCD":
        assert f"{letter} {letter} 1 inconclusive" in page.text
        assert f"{letter} {letter} against A A Inconclusive" in page.text.replace(
            "A inconclusive", "A Inconclusive"
        )
    assert page.text.count("2 secondary measures: not tested, no verdicts") == 3
    folded = text[text.index("2 secondary measures") :]
    assert folded.index("recall") > folded.index("exact")
    overview = page.text[page.text.index("Overview") :]
    assert overview.index("A A 0.200") < overview.index("By metric, with methods")


def test_many_notes_are_folded():
    runs = [scored("A", ["recall"])]
    page = html_report(runs, remarks=[f"Note {n}." for n in range(9)])
    assert "7 more notes" in page
    assert "more notes" not in html_report(runs, remarks=[f"Note {n}." for n in range(3)])


def test_further_tables_stand_under_their_headings():
    slices = Table(["language", "value", "verdict"], [["de", 0.5, "worse"], ["<b>", None, "better"]])
    page = Page(html_report(pair(), tables={"Slices by language": slices}))
    assert "Slices by language" in page.text
    assert f"de 0.500 worse <b> {DASH} better" in page.text
    assert "b" not in {tag for tag, _ in page.tags}


def test_the_file_needs_nothing_else_and_lets_nothing_else_run():
    text = html_report(pair())
    page = Page(text)
    loading = [
        value for _, each in page.tags for name, value in each.items() if name in ("src", "href", "data")
    ]
    assert loading
    assert all(value.startswith("#") for value in loading)
    (policy,) = [each["content"] for tag, each in page.tags if each.get("http-equiv")]
    scripts, styles = (re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL) for tag in ("script", "style"))
    for (code,) in (scripts, styles):
        assert base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert not [each for _, each in page.tags if "style" in each or any(name[:2] == "on" for name in each)]


def test_markup_in_the_data_stays_text_wherever_it_stands():
    slices = Table([f"column{PLANTED}"], [[PLANTED]])
    text = html_report(pair(PLANTED), remarks=[PLANTED], tables={f"Table{PLANTED}": slices})
    page = Page(text)
    assert "img" not in {tag for tag, _ in page.tags}
    assert sum(tag == "script" for tag, _ in page.tags) == 2
    assert page.text.count("<img src=x") > 10


def test_equal_runs_give_equal_files():
    assert html_report(pair(), max_rows=12) == html_report(pair(), max_rows=12)


def test_items_are_packed_with_their_texts_once():
    data = unpacked(html_report(pair()))
    assert data["ids"] == [f"t{item:03d}" for item in range(30)]
    assert len(data["texts"]) == len(set(data["texts"]))
    columns = {column["name"]: column for column in data["inputs"]}
    assert "ids" not in columns
    assert len(columns["questions"]["cells"]) == 1
    assert len(columns["predicted_answers"]["cells"]) == 2
    assert data["texts"][columns["questions"]["cells"][0][7]] == "How high is tower 7?"
    (faithfulness, _) = data["metrics"]
    assert faithfulness["runs"][1][4] is None
    source = data["sources"]["faithfulness"][1]
    assert source["status"] == {"4": 3}
    assert data["texts"][source["reasons"]["4"]] == "no answer"


def test_replies_are_kept_only_where_they_explain_a_missing_score():
    evidence = unpacked(html_report(pair()))["sources"]["faithfulness"][1]["evidence"]
    assert "replies" in evidence["4"]
    assert "replies" not in evidence["3"]
    assert "claims" in evidence["3"]


def test_a_large_run_embeds_some_items_and_says_so_while_figures_cover_all():
    run = plain("large", [item / 1000 for item in range(1000)])
    text = html_report([run], max_rows=90)
    data = unpacked(text)
    assert len(data["ids"]) == 90
    assert "i0" in data["ids"]
    assert sum(data["cuts"]["hit"][0]["all"]) == 1000
    shown = Page(text).text
    assert (
        "90 of 1,000 items are in this file, selected as: 60 worst, 30 random sample (seed 20240403)" in shown
    )
    assert "1,000 / 1,000" in shown


@pytest.mark.slow
def test_long_texts_are_cut_before_items_are_left_out():
    notes = [" ".join(f"{item * 37 % 1009 + word * 101 % 997}" for word in range(900)) for item in range(300)]
    run = plain("long", [item / 300 for item in range(300)], note=notes, question=notes)
    whole, figures = html_report([run]), len(html_report([run], max_rows=0).encode())
    items = len(whole.encode()) - figures
    text = html_report([run], max_bytes=figures + items // 2)
    assert len(text.encode()) <= figures + items // 2
    assert len(unpacked(text)["ids"]) == 300
    assert "to keep the file small" in Page(text).text
    assert "to keep the file small" not in Page(whole).text
    tiny = html_report([run], max_bytes=figures + items // 20)
    assert len(tiny.encode()) <= figures + items // 20
    assert 0 < len(unpacked(tiny)["ids"]) < 300


def pictures(count, side=60):
    """A run over images of random pixels, the worst in the middle."""
    found = []
    for seed in range(count):
        file = io.BytesIO()
        pixels = np.random.default_rng(seed).integers(0, 256, (side, side, 3), np.uint8)
        Image.fromarray(pixels).save(file, "PNG")
        found.append(f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}")
    scores = [abs(item - count // 2) / count for item in range(count)]
    boxes = [{"labels": ["cat"], "boxes": [[1, 1, 9, 9]]}] * count
    return plain("pictures", scores, image=found, ground_truths=boxes), found


def whole_pictures(text):
    """Places of the items that have their picture, and the pictures."""
    data = unpacked(text)
    column = next(each for each in data["inputs"] if each["kind"] == "picture")
    texts = [data["texts"][place] for place in column["cells"][0]]
    return {row: each for row, each in enumerate(texts) if each.startswith("data:")}


def test_pictures_are_whole_or_left_out_with_a_message():
    run, given = pictures(30)
    whole = html_report([run])
    assert list(whole_pictures(whole).values()) == given
    assert "left out" not in Page(whole).text
    figures = len(html_report([run], max_rows=0).encode())
    limit = figures + (len(whole.encode()) - figures) // 2
    with pytest.warns(
        DataWarning, match=r"\d+ of 30 pictures are left out of this file .*--max-mb, max_bytes="
    ):
        text = html_report([run], max_bytes=limit)
    assert len(text.encode()) <= limit
    found = whole_pictures(text)
    assert 8 <= len(found) <= 15
    assert all(each == given[row] for row, each in found.items())
    worst = sorted(range(30), key=lambda row: (abs(row - 15), row))
    assert set(found) == set(worst[: len(found)])
    assert len(unpacked(text)["ids"]) == 30
    assert f"{30 - len(found)} of 30 pictures are left out of this file" in Page(text).text


def test_texts_are_cut_beside_pictures_and_have_a_quarter_of_the_room():
    rng = np.random.default_rng(1)
    notes = [" ".join(map(str, rng.integers(0, 10**6, 900))) for _ in range(30)]
    given = pictures(30)[1]
    both = plain("both", [item / 30 for item in range(30)], image=given, note=notes)
    figures = len(html_report([both], max_rows=0).encode())
    with pytest.warns(DataWarning, match="pictures are left out"):
        text = html_report([both], max_bytes=figures + 100_000)
    assert 0 < len(whole_pictures(text)) < 30
    assert "are cut at" in Page(text).text
    assert len(text.encode()) <= figures + 100_000


def test_a_file_may_have_no_items_at_all():
    page = Page(html_report(pair(), max_rows=0))
    assert "Comparison with A first" in page.text
    assert not [each for _, each in page.tags if each.get("id") in ("payload", "items", "thresholds")]
    assert "0 items" in Page(html_report([plain("empty", [])])).text


def test_what_cannot_be_reported_is_refused():
    with pytest.raises(InputError, match="needs a run"):
        html_report([])
    with pytest.raises(InputError, match="must not be negative"):
        html_report(pair(), max_rows=-1)
    with pytest.raises(InputError, match="no items in common"):
        html_report(
            [plain("a", [1, 0]), EvaluationResults.from_dict({"inputs": {"id": ["x"]}, "metrics": []})]
        )
