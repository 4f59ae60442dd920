"""Files of thresholds for a deployment."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest

from thresher import InputError, Thresholds, load_thresholds

DATA = {
    "schema": "thresher-thresholds/1",
    "metric": "detection_best_threshold",
    "objective": "f1",
    "direction": "higher",
    "positive": None,
    "default": 0.43,
    "thresholds": {"cat": 0.3, "ape": None},
}


def written(tmp_path, **changes):
    path = tmp_path / "thresholds.json"
    path.write_text(json.dumps(DATA | changes), encoding="utf-8")
    return path


def test_a_label_has_its_threshold_and_others_the_default(tmp_path):
    thresholds = load_thresholds(written(tmp_path))
    assert thresholds.apply("cat", 0.3)
    assert not thresholds.apply("cat", 0.29)
    assert not thresholds.apply("ape", 1.0)  # null keeps nothing
    assert thresholds.apply("new", 0.43)
    assert thresholds.of("dog") == 0.43
    assert not thresholds.apply("cat", math.nan)
    assert thresholds.keep(["cat", "dog"], [0.4, 0.4]) == [True, False]
    assert (thresholds.metric, thresholds.objective) == ("detection_best_threshold", "f1")


def test_labels_may_be_numbers(tmp_path):
    assert load_thresholds(written(tmp_path, thresholds={"3": 0.9})).of(3) == 0.9


def test_class_numbers_do_not_get_the_default_unnoticed(tmp_path):
    """Detectors return numbers, tensors among them; the file has names."""
    thresholds = load_thresholds(written(tmp_path))
    for label in (1, np.int64(1), np.array(1)):
        with pytest.raises(InputError, match=r"label 1 is a class number, .* 'cat'; .* names\[1\]"):
            thresholds.apply(label, 0.9)
    assert Thresholds(0.5).keep(np.array([1, 2]), np.array([0.6, 0.4])) == [True, False]
    assert Thresholds(0.5, {"1": 0.7}).of(np.int64(1)) == 0.7
    assert Thresholds(0.5).keep([1], np.array([0.6]))[0] is True
    with pytest.raises(InputError, match=r"apply\(label, score\) takes one"):
        thresholds.keep("cat", 0.5)
    with pytest.raises(InputError, match="2 scores for 1 label; give one score per label"):
        thresholds.keep(["cat"], [0.5, 0.6])


def test_lower_scores_may_be_the_good_ones():
    thresholds = Thresholds(0.5, direction="lower")
    assert thresholds.apply("", 0.4)
    assert not thresholds.apply("", 0.6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"schema": "thresher-thresholds/2"},
            "schema is 'thresher-thresholds/2', and this version reads 'thresher-thresholds/1'; write",
        ),
        (
            {"schema": "other/1"},
            r"not a file of thresholds, whose schema is 'thresher-thresholds/1' \(this one has 'other/1'\)",
        ),
        ({"default": "0.4"}, "default is '0.4'; give a number, or null"),
        ({"default": True}, "default is True"),
        ({"thresholds": {"cat": [1]}}, r"thresholds\['cat'\] is \[1\]"),
        ({"thresholds": [0.3]}, "thresholds must be an object"),
        ({"direction": "up"}, "direction is 'up'"),
    ],
)
def test_other_forms_are_refused_in_one_line(tmp_path, changes, message):
    with pytest.raises(InputError, match=message) as error:
        load_thresholds(written(tmp_path, **changes))
    assert "thresholds.json" in str(error.value)


def test_other_files_are_refused(tmp_path):
    for content in ("[]", "3", '{"schema": null}', '{"run": "a"}'):
        (tmp_path / "a.json").write_text(content)
        with pytest.raises(InputError, match=r"not a file of thresholds, whose .* has none") as error:
            load_thresholds(tmp_path / "a.json")
        assert str(error.value).endswith("; write one with `thresher thresholds RUN --export FILE`")
    with pytest.raises(InputError, match="cannot be read"):
        load_thresholds(tmp_path / "none.json")


def test_one_score_belongs_to_each_label():
    with pytest.raises(InputError, match="one score per label"):
        Thresholds(0.5).keep(["a"], [0.1, 0.2])


def test_the_loader_imports_neither_haystack_nor_numpy(tmp_path):
    code = (
        f"import sys; from thresher import load_thresholds; load_thresholds({str(written(tmp_path))!r}); "
        "print([name for name in ('haystack', 'numpy', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
