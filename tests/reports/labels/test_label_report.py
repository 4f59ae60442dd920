import json
import math

import numpy as np
import pytest
from openpyxl import load_workbook

from thresher import EvaluationResults
from thresher.errors import InputError
from thresher.kernels.inference import cohen_kappa, gwet_ac1, krippendorff_alpha, prediction_powered_mean
from thresher.reports.labels import draw, judge_by_labels, read_sheet
from thresher.reports.rendering.formats.excel import write_workbook
from thresher.reports.rendering.text import json_text
from thresher.reports.table import Table

RNG = np.random.default_rng(5)
TRUTH = (RNG.random(2000) < 0.6).astype(float)
VERDICTS = np.where(RNG.random(2000) < 0.85, TRUTH, 1.0)  # too kind: some bad ones are called good


@pytest.fixture
def run():
    return results(VERDICTS)


def results(scores, bounds=(0, 1), **more):
    inputs = {"id": [f"q{item}" for item in range(len(scores))]}
    metrics = [{"name": "good", "scores": list(scores), "bounds": bounds, **more}]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name="main")


def labelled(run, tmp_path, number=300, truth=TRUTH, name="sheet.csv"):
    table = draw(run, number, seed=2)
    rows = [[key, truth[int(key[1:])], drawn] for key, _, drawn in table.rows]
    lines = [
        "id,label,drawn",
        *(f'{key},{label:g},"{drawn}"' for key, label, drawn in rows),
    ]
    (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / name


def coefficients(report):
    return {(row.between, row.agreement.coefficient): row.agreement.value for row in report.agreement}


def test_all_numbers_are_based_on_items_with_score_and_label(run, tmp_path):
    path = labelled(run, tmp_path)
    report = run.judge_by_labels(path, "good")
    sheet = read_sheet(path)
    places = [int(key[1:]) for key in sheet.ids]
    judge, people = VERDICTS[places].tolist(), TRUTH[places].tolist()
    assert report.labelled == 300
    assert coefficients(report) == {
        ("judge and label", "cohen_kappa"): cohen_kappa(judge, people).value,
        ("judge and label", "krippendorff_alpha_nominal"): krippendorff_alpha([judge, people]).value,
        ("judge and label", "gwet_ac1"): gwet_ac1([judge, people]).value,
    }
    every = np.full(2000, math.nan)
    every[places] = people
    assert report.corrected == prediction_powered_mean(VERDICTS, every, bounds=(0, 1))
    quality = report.cut.quality
    good = np.array(people) == 1
    assert quality.sensitivity.value == np.mean(np.array(judge)[good] == 1)
    assert quality.specificity.value == np.mean(np.array(judge)[~good] == 0)
    assert report.notes == ()


def test_people_correct_a_kind_judge(run, tmp_path):
    report = run.judge_by_labels(labelled(run, tmp_path), "good")
    interval = report.corrected.interval
    assert interval.low < TRUTH.mean() < interval.high < VERDICTS.mean()
    assert "which is too high" in report.reading


def test_the_confusion_counts_labels_against_verdicts(run, tmp_path):
    report = run.judge_by_labels(labelled(run, tmp_path), "good")
    assert report.confusion.columns == ("label", "judge says 0", "judge says 1")
    assert sum(sum(row[1:]) for row in report.confusion.rows) == 300
    assert report.confusion[1]["judge says 0"] == 0  # the judge errs on one side only


def test_ratings_have_weighted_and_ordinal_coefficients_over_the_whole_scale():
    judge, people = [1, 2, 5, 5, 3] * 30, [1, 2, 5, 3, 3] * 30
    run = results(judge, bounds=(1, 5))
    report = run.judge_by_labels({f"q{item}": label for item, label in enumerate(people)}, "good")
    found = coefficients(report)
    scale = [1.0, 2.0, 3.0, 4.0, 5.0]
    for weights in ("linear", "quadratic"):
        expected = cohen_kappa(judge, people, categories=scale, weights=weights).value
        assert found["judge and label", f"cohen_kappa_{weights}"] == expected
    assert ("judge and label", "krippendorff_alpha_ordinal") in found
    assert len(report.confusion) == 5
    assert report.cut is None
    assert "pass a threshold" in " ".join(report.notes)
    good = run.judge_by_labels({f"q{item}": label for item, label in enumerate(people)}, "good", threshold=4)
    assert good.cut.quality.specificity.value == pytest.approx(3 / 4)


def test_measurements_have_interval_alpha_and_no_confusion():
    scores = RNG.random(200)
    run = results(scores)
    report = run.judge_by_labels(dict(zip(run.ids, (scores**2).tolist(), strict=True)), "good")
    assert list(coefficients(report)) == [("judge and label", "krippendorff_alpha_interval")]
    assert report.confusion is None


def test_where_lower_is_better_scores_up_to_the_threshold_are_good():
    run = results([0, 0, 1, 1] * 30, direction="lower")
    report = run.judge_by_labels(dict(zip(run.ids, [0, 0, 0, 1] * 30, strict=True)), "good")
    assert (report.cut.quality.sensitivity.value, report.cut.quality.specificity.value) == (
        pytest.approx(2 / 3),
        1.0,
    )


def test_raters_are_compared_with_the_judge_and_each_other(tmp_path):
    run = results([1, 0, 1, 1])
    (tmp_path / "s.csv").write_text("id,label_a,label_b\nq0,1,1\nq1,0,1\nq2,,0\nq3,1,\n")
    report = run.judge_by_labels(tmp_path / "s.csv", "good")
    assert report.raters == ("label_a", "label_b")
    assert {row.between for row in report.agreement} == {
        "judge and label_a",
        "judge and label_b",
        "label_a and label_b",
    }
    assert report.corrected.labels_only == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    assert report.cut.ties == 1
    assert "Raters are divided on 1 item," in " ".join(report.notes)
    chosen = run.judge_by_labels(tmp_path / "s.csv", "good", columns=["label_a"])
    assert (chosen.raters, chosen.labelled) == (("label_a",), 3)


def test_missing_labels_and_scores_are_noted_and_left_out(tmp_path):
    run = results([1, 0, None, 1])
    (tmp_path / "s.csv").write_text("id,label\nq0,1\nq1,\nq2,1\nq3,0\n")
    report = run.judge_by_labels(tmp_path / "s.csv", "good")
    assert report.labelled == 2
    notes = " ".join(report.notes)
    assert "Only 2 items are labelled; below 100" in notes
    assert "1 of 4 drawn items have no label" in notes
    assert "1 labelled item has no score of good" in notes
    assert "does not say that its items were drawn at random" in notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,label\nq0,1\nq0,0\n", "id 'q0' occurs twice, in rows 2 and 3; remove one"),
        ("id,label\nq0,1\n q0 ,0\n", "id 'q0' occurs twice, in rows 2 and 3; remove one"),
        ("id,label\nq0,1\nx9,0\n", "row 3: the run main has no item 'x9'"),
        (
            "id,label\nq0,good\n",
            "row 2 (id q0): label 'good' is not a number; enter one on the metric's scale",
        ),
        ("id,label\nq0,nan\n", "label 'nan' is not a number"),
        ("id,label\nq0,5\n", "row 2 (id q0): label 5 is outside the scale of good, 0 to 1"),
        ("id,label\nq0,\nq1,\n", "contains no label yet; fill in label"),
        ("id,label\nq2,1\n", "none of the labelled items has a score of good"),
        ("id,labels\nq0,1\n", "has no column 'label'; its columns are id, labels"),
        ("key,label\nq0,1\n", "has no column 'id'"),
        ("id,label\n ,1\n", "row 2 has no id"),
        ("", "has no column 'id'"),
        (None, "cannot be read: No such file"),
        ("id,label\nq0,\xe9\n", "is not UTF-8; save the file as UTF-8"),
    ],
)
def test_an_unusable_sheet_is_reported_in_one_line(tmp_path, text, message):
    path = tmp_path / "s.csv"
    if text is not None:
        path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as error:
        results([1, 0, None]).judge_by_labels(path, "good")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_unknown_metrics_are_refused(run, tmp_path):
    with pytest.raises(InputError, match="no metric 'other'"):
        run.judge_by_labels({"q0": 1}, "other")


@pytest.mark.parametrize("text", ["id;label\nq0;1\nq1;0\n", "\ufeffid,label\r\nq0,1\r\nq1,0\r\n\r\n"])
def test_what_spreadsheets_save_is_read(tmp_path, text):
    (tmp_path / "s.csv").write_text(text, encoding="utf-8", newline="")
    assert read_sheet(tmp_path / "s.csv").raters == {"label": (1.0, 0.0)}


def test_ids_come_back_with_their_spaces_and_signs(tmp_path):
    ids = ["a", " a", "a\t", "\ta", "=a", " =a", "'=a", "\uff1da", "a\nb"]
    data = {"inputs": {"id": ids}, "metrics": [{"name": "good", "scores": [1, 0, 0, 1, 0, 1, 1, 0, 0]}]}
    run = EvaluationResults.from_dict(data)
    table = draw(run, len(ids))
    labels = {key: data["metrics"][0]["scores"][ids.index(key)] for key, *_ in table.rows}
    filled = Table(table.columns, [(key, labels[key], *rest) for key, _, *rest in table.rows])
    write_workbook(tmp_path / "s.xlsx", {"labels": filled})
    (tmp_path / "s.csv").write_text(filled.to_csv(), encoding="utf-8", newline="")
    for name in ("s.csv", "s.xlsx"):
        report = run.judge_by_labels(tmp_path / name, "good")
        assert {row.agreement.value for row in report.agreement} == {1.0}


def test_a_workbook_goes_out_and_comes_back(run, tmp_path):
    path = tmp_path / "s.xlsx"
    write_workbook(path, {"labels": draw(run, 3)})
    book = load_workbook(path)
    for row in range(2, 5):
        book.active.cell(row, 2).value = 1
    book.save(path)
    sheet = read_sheet(path)
    assert sheet.raters["label"] == (1.0, 1.0, 1.0)
    assert sheet.drawn == "3 of 2000 items at random, seed 0"


def test_a_file_that_is_not_a_workbook_is_refused(tmp_path):
    (tmp_path / "s.xlsx").write_text("no")
    with pytest.raises(InputError, match="is not an Excel workbook"):
        read_sheet(tmp_path / "s.xlsx")


def test_the_report_is_a_table_and_strict_json(run, tmp_path):
    report = run.judge_by_labels(labelled(run, tmp_path), "good")
    data = json.loads(json_text(report), parse_constant=pytest.fail)
    assert data["labelled"] == 300
    assert data["corrected"]["method"] == "ppi++"
    assert data["quality"]["sensitivity"]["interval"]["method"] == "one-more"
    assert "corrected_mean" in report.table()["number"]


def test_labels_may_be_given_by_id_and_none_is_no_label():
    report = judge_by_labels(results([1, 0, 1]), {"q0": 1, "q1": None, "q2": 0}, "good")
    assert report.labelled == 2
