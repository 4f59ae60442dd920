"""The recipes of classification, detection and segmentation give the numbers of the golden cases."""

import pytest
from haystack import Pipeline

from thresher import build, load_recipe
from thresher.components.detection import DetectionMatcher
from thresher.pipelines.detection_recipes import DETECTION_RECIPES
from thresher.pipelines.library import recipe_text
from vision_cases import by_label, classification_inputs, detection_inputs, golden, pixel_inputs

COCO = "pycocotools_2.0.11"
both_ways = pytest.mark.parametrize(
    "load",
    [load_recipe, lambda name: Pipeline.loads(recipe_text(name), allowed_modules=["thresher"])],
    ids=["load_recipe", "Pipeline.loads"],
)


def metrics(pipeline, inputs):
    """What a pipeline says, its inputs fed to every component that asks for them."""
    fed = {
        component: {socket: inputs[socket] for socket in sockets if socket in inputs}
        for component, sockets in pipeline.inputs().items()
        if component != "collector"
    }
    return pipeline.run(fed)["collector"]["results"].metrics


@both_ways
def test_boxes(load):
    case = golden("od_11_coco_crowd_area")
    reported = metrics(load("object_detection"), detection_inputs(case))
    expected = list(case["expected"][COCO]["stats12"].values())
    twelve = [metric.value for name, metric in reported.items() if name.startswith("detection_coco_")]
    assert twelve == pytest.approx(expected, abs=1e-12)


def of_valor(compare_as):
    """Average precision and recall by Valor's rule, which the recipes leave to those who ask for it."""
    return build(
        [DetectionMatcher(compare_as=compare_as), "detection_average_precision", "detection_average_recall"]
    )


def test_boxes_by_the_rule_of_valor():
    case = golden("od_01_basic")
    reported = metrics(of_valor("box"), detection_inputs(case))
    table = reported["detection_average_precision"].result.detail("by_label")
    expected = {label: by_iou["0.5"] for label, by_iou in case["hand"]["AP"].items()}
    assert by_label(table, "ap_50") == pytest.approx(expected)
    service = case["expected"]["valor_api_0.33.19"]
    assert reported["detection_average_precision"].value == pytest.approx(
        service["mAPAveragedOverIOUs"]["class"]
    )
    assert reported["detection_average_recall"].value == pytest.approx(service["mAR"]["class"])


@pytest.mark.parametrize("name", ["is_01_geometry_iou", "is_02_raster"])
def test_masks_and_polygons_by_the_rule_of_valor(name):
    case = golden(name)
    reported = metrics(of_valor(None), detection_inputs(case))
    expected = known(case["expected"]["valor_api_0.33.19"]["AP"], "0.5")
    table = reported["detection_average_precision"].result.detail("by_label")
    assert by_label(table, "ap_50") == pytest.approx(expected)


@both_ways
@pytest.mark.parametrize("name", ["object_detection", "instance_segmentation"])
def test_one_mean_average_precision_in_a_recipe(load, name):
    reported = metrics(load(name), detection_inputs(golden("od_01_basic")))
    precise = [measure for measure in reported if "map" in measure.split("_")]
    assert precise == [
        f"detection_coco_map{size}" for size in ("", "_50", "_75", "_small", "_medium", "_large")
    ]
    assert not [
        measure for measure in reported if measure.startswith(("detection_detailed", "detection_average"))
    ]


RULES = {
    "kitti_detection": {"KITTI", "COCO"},
    "lvis_detection": {"LVIS"},
    "lvis_segmentation": {"LVIS"},
    "open_images_detection": {"Open Images", "Open Images V2"},
    "oriented_detection": {"COCO", "Pascal VOC"},
    "voc_detection": {"Pascal VOC"},
}


@pytest.mark.parametrize("name", DETECTION_RECIPES)
def test_every_row_of_a_recipe_names_its_rule(name):
    nothing = {"ground_truths": [], "predictions": []}
    rules = [metric.measure.rule for metric in metrics(load_recipe(name), nothing).values()]
    named = {rule.removeprefix("diagonal share; ").split(",")[0] for rule in rules}
    assert named == RULES.get(name, {"COCO"})


@both_ways
def test_the_accuracy_of_a_recipe_holds_the_confusion_matrix(load):
    reported = metrics(load("classification"), classification_inputs(golden("cls_01_basic")))
    matrix = reported["classification_accuracy"].result.detail("confusion_matrix")
    right = sum(row["count"] for row in matrix.rows() if row["truth"] == row["predicted"])
    assert reported["classification_accuracy"].value == pytest.approx(right / sum(matrix.columns["count"]))
    assert len(reported["classification_accuracy"].result.detail("confusion_examples")) == len(matrix)


def known(by_label, threshold):
    return {
        label: thresholds[threshold] for label, thresholds in by_label.items() if thresholds[threshold] != -1
    }


@both_ways
def test_labels(load):
    case = golden("cls_01_basic")
    reported = metrics(load("classification"), classification_inputs(case))
    expected = case["expected"]["valor_api_0.33.19"]
    assert reported["classification_accuracy"].value == pytest.approx(expected["Accuracy"]["class"])
    assert reported["classification_roc_auc"].value == pytest.approx(expected["ROCAUC"]["class"])
    for quantity in ("Precision", "Recall", "F1"):
        table = reported[f"classification_{quantity.lower()}_macro"].result.detail("by_label")
        assert by_label(table, quantity.lower()) == pytest.approx(expected[quantity])


@both_ways
def test_pixels(load):
    case = golden("ss_01_basic")
    reported = metrics(load("semantic_segmentation"), pixel_inputs(case))
    expected = case["expected"]["valor_api_0.33.19"]
    assert reported["segmentation_mean_iou"].value == pytest.approx(expected["mIOU"]["class"])
    assert by_label(reported["segmentation_mean_iou"].result.detail("by_label"), "iou") == pytest.approx(
        expected["IOU"]
    )
