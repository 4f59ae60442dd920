"""Old names of measures resolve to the present names, with one warning, and run directories keep working."""

import warnings

import pytest

from thresher.components.catalogue import catalogue
from thresher.errors import InputError
from thresher.results import MetricResult
from thresher.results.primary import choose_primary
from thresher.results.renamed_measures import current_name, known_name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("recall", "retrieval_recall"),
        ("ndcg@10", "retrieval_ndcg@10"),
        ("f1_macro", "classification_f1_macro"),
        ("calibration_error_max", "classification_calibration_error_max"),
        ("pr_curve_best_f1", "classification_precision_recall_curve_best_f1"),
        ("detailed_pr_curve_best_f1", "classification_detailed_precision_recall_curve_best_f1"),
        ("detection_pr_curve_best_f1", "detection_precision_recall_curve_best_f1"),
        ("detailed_detection_pr_curve_best_f1", "detection_detailed_precision_recall_curve_best_f1"),
        ("map", "detection_average_precision"),
        ("map_50", "detection_average_precision_50"),
        ("mar", "detection_average_recall"),
        ("coco_map_small", "detection_coco_map_small"),
        ("miou_f1", "segmentation_mean_iou_f1"),
        ("faithfulness", "valor_faithfulness"),
        ("accuracy", "classification_accuracy"),
    ],
)
def test_an_old_name_leads_to_the_new_one(old, new):
    assert current_name(old) == new
    with pytest.warns(DeprecationWarning, match=rf"'{old}' is deprecated .* write '{new}'"):
        assert known_name(old, [new]) == new
    assert known_name(new, [old]) == old


def test_present_names_are_present_and_begin_with_the_name_of_their_metric():
    for entry in catalogue():
        for measure in entry.measures:
            assert current_name(measure.name) == measure.name
            stem = "rouge" if entry.name == "rouge" else f"{entry.name}"
            assert measure.name.startswith(stem) or entry.name == "recorded_scores"


def test_results_and_primary_measures_take_old_names():
    from thresher.components import metric_class

    result = metric_class("retrieval_recall")().run([["a", "b"]], [["a"]])["result"]
    with pytest.warns(DeprecationWarning, match="write 'retrieval_recall'"):
        assert result.value("recall") == 0.5
    with pytest.warns(DeprecationWarning, match="measure 'recall'") as caught:
        (chosen,) = choose_primary([result], ["recall"])
    assert chosen.primary == ("retrieval_recall",)
    assert len({str(warning.message) for warning in caught}) == 1
    with pytest.raises(InputError, match="no measure 'precision'"):
        choose_primary([result], ["precision"])


def test_a_renamed_result_differs_in_the_name_only():
    from thresher.components import metric_class

    result = metric_class("token_f1")().run(["a b"], ["a"])["result"]
    renamed = result.renamed({"token_f1": "overlap"})
    assert isinstance(renamed, MetricResult)
    assert [measure.name for measure in renamed.measures] == ["overlap", "token_f1_micro"]
    assert renamed.primary == ("overlap",)
    assert renamed.value() == result.value()
    differing = renamed.measure().signature.differences(result.measure().signature)
    assert differing == {"metric": ("overlap", "token_f1")}


def test_a_name_that_is_there_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert known_name("recall", ["recall", "retrieval_recall"]) == "recall"
