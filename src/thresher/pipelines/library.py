"""The shipped recipes, and pipelines by name."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from haystack import Pipeline

from thresher.components import metric_class, metric_names
from thresher.components._aliases import ALIASES
from thresher.components._names import former_name
from thresher.errors import InputError
from thresher.metrics.registry import plugins_without_metrics
from thresher.pipelines import detection_recipes
from thresher.pipelines.builder import build
from thresher.pipelines.loading import built, parsed
from thresher.results.suggestions import suggest

_FOLDER = files("thresher.pipelines") / "recipes"


@dataclass(frozen=True)
class Recipe:
    """One shipped recipe.

    Attributes:
        purpose: one line for help texts.
        needs: columns that its data must have: the mandatory inputs of its pipeline.
        metrics: creates the argument for `build`.
        primary: names of the measures that comparisons test; all others are secondary.
        data: the options that name its data on the command line.
        reasons: `component.option` -> why the recipe's value differs from the component's default. All
            other options have their defaults, so that a metric gives the same number in every recipe.
        judged: names of the metrics that are added if a judge is named; the recipe's file lacks them.
    """

    purpose: str
    needs: tuple[str, ...]
    metrics: Callable[[], list[Any] | dict[str, Any]]
    primary: tuple[str, ...]
    data: str = "--data answers.jsonl"
    reasons: Mapping[str, str] = field(default_factory=dict)
    judged: tuple[str, ...] = ()


def _rouge(longest: str) -> Any:
    """ROUGE with one of the two kinds of longest common subsequence."""
    return metric_class("rouge")(rouge_types=["rouge1", "rouge2", longest])


def _qa() -> list[Any]:
    return ["exact_match", "token_f1", _rouge("rougeL")]


def _rag() -> list[Any]:
    judged = ("faithfulness", "answer_relevance", "context_precision", "context_recall", "context_relevance")
    ranked = ("hit_rate", "recall", "reciprocal_rank")
    return [*_qa(), *(f"retrieval_{name}" for name in ranked), *(f"valor_{name}" for name in judged)]


def _agent() -> list[Any]:
    calls = ("f1", "arguments", "order")
    return [*(f"tool_call_{name}" for name in calls), "agent_counts", "agent_tokens"]


def _conversation() -> list[Any]:
    return ["conversation_completeness", "turn_relevance", "knowledge_retention"]


def _summarization() -> list[Any]:
    return [_rouge("rougeLsum"), "valor_summary_coherence", "valor_faithfulness", "valor_hallucination"]


def _safety() -> list[Any]:
    return ["valor_bias", "valor_toxicity"]


_TOP_TEN = ("retrieval_hit_rate", "retrieval_precision", "retrieval_recall", "retrieval_ndcg")


def _retrieval() -> list[Any]:
    whole = ("retrieval_reciprocal_rank", "retrieval_average_precision")
    return [*(metric_class(name)(top_k=10) for name in _TOP_TEN), *whole]


_AVERAGES = {
    "classification_precision": ["macro", "weighted"],
    "classification_recall": ["macro"],
    "classification_f1": ["macro", "weighted"],
}

_LOSSES = ("classification_log_loss", "classification_brier_score")


def _classification() -> dict[str, Any]:
    accuracy = "classification_accuracy"
    ranked = ("average_precision", "precision_recall_curve", "calibration_error")
    return {
        accuracy: metric_class(accuracy)(confusion=True),
        "classification_roc_auc": metric_class("classification_roc_auc")(curve_points=100),
        **{name: metric_class(name)(report=report) for name, report in _AVERAGES.items()},
        **{name: name for name in (f"classification_{other}" for other in ("matthews_correlation", *ranked))},
        **{name: metric_class(name)(unnormalised="ignore") for name in _LOSSES},
    }


def _multilabel() -> dict[str, Any]:
    reports = {"precision": ["macro", "micro"], "recall": ["macro", "micro"]}
    others = ("f1", "subset_accuracy", "hamming_loss", "average_precision", "ranking_average_precision")
    return {
        **{
            f"multilabel_{name}": metric_class(f"multilabel_{name}")(report=report)
            for name, report in reports.items()
        },
        **{f"multilabel_{name}": f"multilabel_{name}" for name in others},
    }


def _detection(compare_as: Literal["box", "polygon"] | None) -> list[Any]:
    from thresher.components.detection.matcher import DetectionMatcher

    others = ("precision_recall_curve", "confusion_matrix", "error", "f1")
    return [
        DetectionMatcher(compare_as=compare_as),
        "detection_coco",
        *(f"detection_{name}" for name in others),
    ]


def _keypoints() -> list[Any]:
    from thresher.components.detection.matcher import DetectionMatcher

    return [DetectionMatcher(compare_as="keypoints"), "detection_keypoints", "detection_f1"]


def _lvis(compare_as: Literal["box"] | None) -> list[Any]:
    from thresher.components.detection.matcher import DetectionMatcher

    return [DetectionMatcher(compare_as=compare_as), "detection_lvis"]


_PRIMARY = "collector.primary"
_SAME_AS_ACCURACY = "with one label an item the averages left out equal accuracy"
_LINES = "rougeL and rougeLsum differ only in texts of several lines"
_LVIS = "detectors are ranked by LVIS's mean average precision"
_RANKED = "detectors are ranked by COCO's mean average precision"
RECIPES: dict[str, Recipe] = {
    "agent": Recipe(
        "calls of tools in conversations against expected calls, steps and failures",
        ("conversations", "reference_tool_calls"),
        _agent,
        ("tool_call_f1",),
        "--data conversations.jsonl",
        {_PRIMARY: "it falls with missing and with unnecessary calls, and with wrong arguments"},
        ("goal_accuracy", "step_efficiency", "argument_correctness"),
    ),
    "classification": Recipe(
        "predicted labels, or scores of labels, against true ones",
        ("ground_truths", "predictions"),
        _classification,
        ("classification_f1_macro",),
        "--data predictions.csv",
        {
            _PRIMARY: "macro F1 does not rise, as accuracy does, when rare labels are ignored",
            "classification_accuracy.confusion": (
                "the share on the diagonal of the confusion matrix is the accuracy"
            ),
            "classification_roc_auc.curve_points": "pages show the curves beside the area",
            **{f"{name}.report": _SAME_AS_ACCURACY for name in _AVERAGES},
            **{
                f"{name}.unnormalised": "the other metrics also take scores that do not sum to 1"
                for name in _LOSSES
            },
        },
    ),
    "boundary_segmentation": Recipe(
        "outlines of masks with labels and scores against true ones",
        ("predictions", "ground_truths"),
        detection_recipes.boundary,
        ("detection_boundary_map",),
        "--gt instances.json --data results.json",
        {
            _PRIMARY: detection_recipes.BOUNDARY,
            "matcher.compare_as": detection_recipes.BOUNDARY,
            "detection_boundary.name": "the same numbers by mask IoU are next to them",
        },
    ),
    "conversation": Recipe(
        "intentions, replies and memory in conversations with a user; asks a judge",
        ("conversations",),
        _conversation,
        ("conversation_completeness",),
        "--data conversations.jsonl",
        {_PRIMARY: "users come for their intentions; the other measures help to explain why it is low"},
    ),
    "instance_segmentation": Recipe(
        "masks, polygons and rotated boxes with labels and scores against true ones",
        ("predictions", "ground_truths"),
        lambda: _detection(None),
        ("detection_coco_map",),
        "--gt instances.json --data results.json",
        {_PRIMARY: _RANKED},
    ),
    "kitti_detection": Recipe(
        "boxes with labels and scores against true ones, by the rules of KITTI's object benchmark",
        ("predictions", "ground_truths"),
        detection_recipes.kitti,
        ("detection_kitti_map_moderate",),
        "--gt label_2 --data results",
        {
            _PRIMARY: "the benchmark ranks methods by the moderate level",
            "matcher.compare_as": detection_recipes.UPRIGHT,
        },
    ),
    "keypoint_detection": Recipe(
        "keypoints of persons or other objects, with labels and scores, against true ones",
        ("predictions", "ground_truths"),
        _keypoints,
        ("detection_keypoints_map",),
        "--gt person_keypoints.json --data results.json",
        {
            _PRIMARY: "models are ranked by COCO's mean average precision of keypoints",
            "matcher.compare_as": "the recipe is for keypoints, which are compared only on request",
        },
    ),
    "lvis_detection": Recipe(
        "boxes with labels and scores against those of LVIS, whose images are checked for some labels",
        ("predictions", "ground_truths"),
        lambda: _lvis("box"),
        ("detection_lvis_map",),
        "--gt lvis.json --data detections.json",
        {
            _PRIMARY: _LVIS,
            "matcher.compare_as": "the recipe is for boxes; masks are those of lvis_segmentation",
        },
    ),
    "lvis_segmentation": Recipe(
        "masks with labels and scores against those of LVIS, whose images are checked for some labels",
        ("predictions", "ground_truths"),
        lambda: _lvis(None),
        ("detection_lvis_map",),
        "--gt lvis.json --data results.json",
        {_PRIMARY: _LVIS},
    ),
    "multilabel_classification": Recipe(
        "predicted labels, or scores of labels, of items that may have several",
        ("ground_truths", "predictions"),
        _multilabel,
        ("multilabel_f1_macro",),
        "--data predictions.csv",
        {
            _PRIMARY: "macro F1 does not rise when rare labels are ignored, and needs no scores",
            **{
                f"multilabel_{name}.report": "F1 has the other two averages"
                for name in ("precision", "recall")
            },
        },
    ),
    "object_detection": Recipe(
        "boxes with labels and scores against true ones",
        ("predictions", "ground_truths"),
        lambda: _detection("box"),
        ("detection_coco_map",),
        "--gt instances.json --data detections.json",
        {
            _PRIMARY: _RANKED,
            "matcher.compare_as": detection_recipes.UPRIGHT,
        },
    ),
    "oriented_detection": Recipe(
        "rotated boxes with labels and scores against true ones, by COCO's and DOTA's protocols",
        ("predictions", "ground_truths"),
        detection_recipes.oriented,
        ("detection_coco_map",),
        "--gt labelTxt --data results",
        {
            _PRIMARY: _RANKED,
            "matcher.compare_as": detection_recipes.ROTATED,
            **detection_recipes.reasons(
                detection_recipes.DOTA, "detection_dota_map", options=detection_recipes.AVERAGED
            ),
        },
    ),
    "panoptic_segmentation": Recipe(
        "segments of things and stuff against true ones",
        ("ground_truths", "predictions"),
        lambda: ["segmentation_panoptic_quality"],
        ("segmentation_panoptic_quality",),
        "--gt panoptic_val.json --data panoptic_pred.json",
        {_PRIMARY: "it is the product of finding segments (RQ) and outlining them (SQ)"},
    ),
    "qa": Recipe(
        "short and long answers against reference answers",
        ("predicted_answers", "ground_truth_answers"),
        _qa,
        ("token_f1",),
        reasons={
            _PRIMARY: "exact match is near 0 for long answers, and ROUGE mostly follows token F1",
            "rouge.rouge_types": _LINES,
        },
    ),
    "rag": Recipe(
        "answers, contexts and rankings; asks a judge",
        (
            "predicted_answers",
            "ground_truth_answers",
            "ground_truth_documents",
            "retrieved_documents",
            "questions",
            "contexts",
        ),
        _rag,
        ("valor_faithfulness",),
        reasons={
            _PRIMARY: "it rates the answer, and needs neither a reference nor judged documents",
            "rouge.rouge_types": _LINES,
        },
    ),
    "retrieval": Recipe(
        "rankings against relevance judgements",
        ("ground_truth_documents", "retrieved_documents"),
        _retrieval,
        ("retrieval_ndcg@10",),
        reasons={
            _PRIMARY: "only nDCG uses both the rank and the grade of every relevant document",
            **{f"{name}.top_k": "retrieval benchmarks report this measure at 10" for name in _TOP_TEN},
        },
    ),
    "safety": Recipe(
        "bias and toxicity of answers; asks a judge",
        ("predicted_answers",),
        _safety,
        ("valor_bias", "valor_toxicity"),
        reasons={_PRIMARY: "these are different harms; an answer can be free of one and full of the other"},
    ),
    "semantic_segmentation": Recipe(
        "label maps or masks against true ones, pixel by pixel",
        ("ground_truths", "predictions"),
        lambda: ["segmentation_mean_iou"],
        ("segmentation_mean_iou",),
        "--gt maps --data found",
        {_PRIMARY: "pixel accuracy hardly depends on labels with few pixels"},
    ),
    "summarization": Recipe(
        "summaries against their sources and references; asks a judge",
        ("predicted_answers", "ground_truth_answers", "contexts"),
        _summarization,
        ("rougeLsum", "valor_faithfulness"),
        reasons={
            _PRIMARY: "one rates what a summary leaves out, the other what it makes up",
            "rouge.rouge_types": _LINES,
        },
    ),
    "voc_detection": Recipe(
        "boxes with labels and scores against true ones, by the protocol of Pascal VOC",
        ("predictions", "ground_truths"),
        detection_recipes.voc,
        ("detection_voc2010_map",),
        "--gt Annotations --data results",
        {
            _PRIMARY: "the average precision of 2007 jumps at its 11 recalls",
            "matcher.compare_as": detection_recipes.UPRIGHT,
            **detection_recipes.reasons(
                detection_recipes.VOC,
                *("detection_voc2007_map", "detection_voc2010_map"),
                options=detection_recipes.AVERAGED,
            ),
            **detection_recipes.reasons(
                detection_recipes.VOC, "detection_confusion_matrix", "detection_f1", options=("matching",)
            ),
        },
    ),
}
"""The shipped recipes by name."""


def recipe_names() -> list[str]:
    """Names of the shipped recipes."""
    return sorted(RECIPES)


def recipe_text(name: str) -> str:
    """The YAML of a recipe.

    Raises:
        InputError: for an unknown recipe; lists the known ones.
    """
    if name not in RECIPES:
        known = recipe_names()
        raise InputError(f"no recipe is called {name!r}{suggest(name, known)}; there are {', '.join(known)}")
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


def load_recipe(name: str, *, judged: bool = False) -> Pipeline:
    """A shipped recipe as a Haystack pipeline.

    Args:
        name: the recipe.
        judged: whether to add the judged metrics of a recipe that does not need a judge, such as `agent`.

    Raises:
        InputError: for an unknown recipe; lists the known ones.
    """
    pipeline = built(copy.deepcopy(_parsed_recipe(name)), f"recipe {name}")
    for metric in RECIPES[name].judged if judged else ():
        pipeline.add_component(metric, metric_class(metric)())
        pipeline.connect(f"{metric}.result", "collector.results")
    return pipeline


def named_pipeline(words: str, *, judged: bool = False) -> Pipeline:
    """Load a recipe by its name, or build a pipeline of metrics by their names.

    Args:
        words: for example `qa`, or `exact_match,token_f1`.
        judged: whether a recipe gets its judged metrics, as in `load_recipe`.

    Raises:
        InputError: for unknown names, with suggestions.
    """
    names = [name.strip() for name in words.split(",") if name.strip()]
    if names == [words] and words in RECIPES:
        return load_recipe(words, judged=judged)
    for name in names:
        if name in RECIPES:
            raise InputError(f"{name} is a recipe: run it alone, or list metrics only")
    known = [*metric_names(), *ALIASES]
    if any(sign in words for sign in "(="):
        raise InputError(
            f"{words!r} sets options, which belong into a pipeline file; write one with "
            "`thresher.build([METRIC(OPTION=VALUE)]).dumps()`"
        )
    is_metric = names[0] in known or ":" in names[0] or names[0].endswith("Evaluator") if names else False
    if len(names) != 1 or is_metric or former_name(names[0]):
        return build(names)
    likely, recipes = suggest(words, [*RECIPES, *known]), ", ".join(recipe_names())
    if without := plugins_without_metrics():
        raise InputError(f"no recipe or metric is called {words!r}: {'; '.join(without)}")
    raise InputError(
        f"no recipe or metric is called {words!r}{likely}: choose one of {recipes}, "
        "metrics separated by commas (`thresher list`), or a file that ends in .yaml"
    )


def built_recipe_text(name: str) -> str:
    """The contents of a shipped recipe file: comments, and the YAML of the built pipeline."""
    recipe = RECIPES[name]
    head = [f"{name}: {recipe.purpose}.", f"thresher run {name} {recipe.data}"]
    primary = f"comparisons test {', '.join(recipe.primary)}"
    facts = {option: f"{option} is not the default" for option in recipe.reasons} | {_PRIMARY: primary}
    head += [f"{facts[option]}: {reason}." for option, reason in recipe.reasons.items()]
    text = build(recipe.metrics(), primary=recipe.primary).dumps()
    return "".join(f"# {line}\n" for line in head) + text


@cache
def _parsed_recipe(name: str) -> Any:
    """A recipe's data, parsed once a process: PyYAML takes most of the time of loading one."""
    return parsed(recipe_text(name), f"recipe {name}")
