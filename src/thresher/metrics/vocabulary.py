"""Words for options, inputs and errors that many metrics share; `@metric` puts them into docstrings."""

JUDGE_OPTIONS = {
    "chat_generator": (
        "the judge, any Haystack ChatGenerator, or several that vote, as a list or a `JudgePanel`; default: "
        "OpenAI's, configured by the environment."
    ),
    "spans": (
        "whether the judge copies the words of the answer that make each claim, which are located in the "
        "answer, and the words that support or contradict it; `characters` scores the characters of these "
        "words instead of the claims."
    ),
    "templates": (
        "own words for its prompts: name of a prompt -> template, file or `package:file`; or a folder or "
        "`package:folder` with files of these names. Default: the shipped prompts."
    ),
    "labels": "label of a reply -> word for it in the templates, e.g. `{yes: ja, no: nein}`.",
}
"""Option of a metric that asks a judge -> what it does."""

OPTIONS = {
    "name": "name of the measure in reports and files.",
    "top_k": (
        "number of retrieved documents that count, from the first; None for all. With a cutoff the "
        "measure is called `<name>@k`, unless `name` is given."
    ),
    "document_comparison_field": (
        "field that Documents are compared by: `content`, `id` or `meta.<key>`, with dots for nested "
        "keys. A Document without a value matches nothing. Plain ids are compared as texts. If ids on one "
        "side equal another field of the Documents on the other side, `run` raises an error that names "
        "the field."
    ),
    "document_grade_field": (
        "field with the grade of a relevant Document: `score` or `meta.<key>`; None ignores grades. A "
        "Document without a grade has grade 1. A grade of 0 or below means judged and not relevant."
    ),
    "ties": (
        "order of the retrieved documents: `input-order` unchanged, best first; `stable-score` by score, "
        "equal scores in their order; `trec` as trec_eval sorts."
    ),
    "min_grade": "lowest grade of a relevant document, above 0; None for any grade above 0.",
    "undefined": (
        "score of an item without a defined value, e.g. without relevant documents: `zero`, or none (`skip`)."
    ),
    "no_contexts": "score of an item without contexts: `zero`, or none (`skip`).",
    "no_references": "score of an item without references: `zero`, or none (`skip`).",
    "no_answer": "score of an item with a blank answer: `zero`, or none (`skip`).",
    "references": "score of an item with several references: the highest (`max`), or the `mean` over them.",
    "average": "average over labels that is the headline: `macro`, `micro` or `weighted`.",
    "report": (
        "averages that are measures, the headline among them; default: all three. Where each item has one "
        "label, micro precision, recall and F1 and weighted recall all equal accuracy."
    ),
    "positive": (
        "of two labels, the one whose probability a single score is; default: the one of the usual pair "
        "(1, true, yes)."
    ),
    "labels": "labels of the columns of a matrix of scores; default: 0, 1, ... or a usual pair of labels.",
    "direction": "which values are better: `higher` or `lower`.",
    "lowercase": "whether texts are lower-cased first.",
    "extract": (
        "part of the answer that must be JSON: the `whole` answer, its first `fence` (a block of Markdown), "
        "or the `first` object or list in it."
    ),
    "max_context_tokens": "approximate number of tokens of contexts in one prompt.",
    "matching": (
        "rule that pairs predictions with true objects. `valor`: by score, each with the best free "
        "object, once for all thresholds, as Valor's documentation says; `valor-code`: as Valor's "
        "releases do, where a prediction whose best object is taken gets no other; `coco`: anew at each "
        "threshold, as COCO's tools do; `voc`: as the kits of Pascal VOC and DOTA do, with the object that "
        "it overlaps most, taken or not, if the overlap is above the threshold."
    ),
    "iou_thresholds": "rising IoU thresholds; an overlap equal to a threshold reaches it.",
    "iou_threshold": "lowest overlap (IoU) of a match.",
    "threshold": "predictions with a lower score do not count.",
    "max_detections": "predictions per image and label that count, highest scores first; None for all.",
    "thresholds": "rising score thresholds; a score equal to a threshold reaches it.",
    "max_examples": "number of items that each cell names, the first in the order of the items.",
    "unlabelled": (
        "an item with an empty ground truth (`[]`) is left out (`ignore`), or counts as an item that has "
        "none of the labels (`negative`, as in Valor's service)."
    ),
    "arguments": (
        "comparison of the arguments of two calls of one tool, seen from the call that was made: `exact`; "
        "`subset`, some of the expected ones; `superset`, all of them and perhaps others; `ignore`; `share`, "
        "by the share of equal ones; or a dict of tool -> keys of the arguments that must be equal, with "
        "dots for nested ones (tools that it does not list need equal arguments)."
    ),
    "text": "comparison of texts among the arguments: `exact`, or after `casefold` or `strip`.",
    "order": (
        "which calls may be a pair: `any`; `ordered`, pairs in the order of both lists; `positions`, calls "
        "at one position of both lists."
    ),
    "turns": "the messages that count: `all`, or those after the user's `last` message.",
    "temperature": (
        "temperature of the samples, for judges with OpenAI's parameters; others keep their own."
    ),
}
"""Option -> what it does."""

SOCKETS = {
    "questions": "one text per item; None leaves the item out as missing.",
    "predicted_answers": "one text per item; None leaves the item out as missing.",
    "second_predicted_answers": (
        "one text per item, of the second system; None leaves the item out as missing."
    ),
    "contexts": (
        "per item a list of passages, as retrieved, best first; None leaves the item out as missing."
    ),
    "ground_truth_answers": "per item a text, or a list of texts; None leaves the item out as missing.",
    "ground_truth_contexts": (
        "per item a list of the passages that a right answer is based on; None leaves the item out as "
        "missing."
    ),
    "retrieved_documents": (
        "per item the retrieved documents, best first: a list of Documents, of ids or of (id, score) "
        "pairs; None leaves the item out as missing."
    ),
    "ground_truth_documents": (
        "per item the relevant documents: a list of Documents, of ids or of (id, grade) pairs, or a "
        "mapping from ids to grades; None leaves the item out as missing."
    ),
    "ground_truths": (
        "per item the true label: a text, a whole number, a `Label(key, value)`, or one per key as a list "
        "of labels or a dict key -> value. None leaves the item out as missing."
    ),
    "predictions": (
        "per item the predicted label in the same forms, or scores: a dict label -> score or key -> dict "
        "of value -> score, all labels or only the best; or a `LabelScores` matrix. None leaves the item "
        "out as missing."
    ),
    "conversations": (
        "per item the messages of a conversation, as Haystack's `ChatMessage`s or as dicts in the layout of "
        "any framework; None leaves the item out as missing."
    ),
    "reference_conversations": (
        "per item the messages of the conversation as it should be; None leaves the item out as missing."
    ),
    "reference_tool_calls": (
        "per item the expected calls of tools, in order: Haystack's `ToolCall`s, dicts with `name` and "
        "`args`, or a conversation, whose calls count; None leaves the item out as missing."
    ),
    "reference_topics": (
        "per item the topics that the assistant should answer: a list of texts; None leaves the item out as "
        "missing."
    ),
    "matches": "output of a `DetectionMatcher`, one entry per image.",
    "difficulty_levels": (
        "per image and true object the easiest level of KITTI's benchmark that includes it: `easy`, "
        "`moderate`, `hard` or `none`, as `read_kitti` gives them; None leaves the image out as missing."
    ),
    "conditions": (
        "per item a dict of further conditions: name of an option -> texts; None leaves the item to the "
        "options of the metric."
    ),
    "rubrics": "per item its own rubric; None leaves the item to the rubric of the metric.",
}
"""Input of `run` -> what it takes."""

RETURNS = (
    "`score`: mean over the scored items; `individual_scores`: one per item, NaN for an item without a "
    "score; `result`: statistics, status and reasons, as a MetricResult."
)

ERRORS = (
    "for an option with a wrong type or value; from `run` for inputs of unequal length and entries that "
    "cannot be read."
)
JUDGE_ERRORS = (
    "for an option with a wrong type or value; from `run` for inputs of unequal length, entries that "
    "are not texts, and a judge that cannot be used."
)
