# %% [markdown]
# # 6. Detection and classification
#
# **You learn** to go from COCO files to average precision with confidence intervals, to compare two detectors, to see *how* each errs, and to
# choose the score threshold from which a detection counts; and the same choice for a classifier where one kind of error costs more than the
# other.
# **Time**: 15 minutes to read, a minute to run. **You need** `pip install 'thresher[plot]'`; no key, no network, no images.
#
# The data are drawn at random by [`make_boxes.py`](make_boxes.py): 80 images with 318 pieces of fruit, and two detectors.
# `careful` places boxes well and reports nothing when in doubt; `eager` finds more, places worse, and takes pears for apples. You know that;
# the evaluation does not, and should find out.

# %%
from thresher import evaluate
from thresher.datasets.coco import read_coco

metrics = ["detection_coco", "detection_error", "detection_precision_recall_curve"]
runs = {
    name: evaluate(metrics, read_coco("data/boxes/annotations.json", f"data/boxes/{name}.json"), name=name)
    for name in ("careful", "eager")
}
for name, results in runs.items():
    table = results.individual_aggregate_score_report("df").set_index("metric")
    for metric in (
        "detection_coco_map",
        "detection_coco_map_50",
        "detection_coco_map_75",
        "detection_coco_map_small",
    ):
        row = table.loc[metric]
        print(f"{name:8} {metric:15} {row.value:.3f} [{row.low:.3f}, {row.high:.3f}]")

# %% [markdown]
# These are the numbers of pycocotools, to the last digit (the tests of this repository compare them), each with a confidence interval. AP is
# not a mean over images, so it is usually reported without an interval. Here it is a function of statistics per image, and leaving
# out images one by one shows how much it varies.
#
# ## Which is better?
#
# The warnings below say that neither detector wrote predictions with scores near 0. Leaving out unsure predictions lowers average precision;
# here that is a property of the detectors that are compared.

# %%
import tempfile
from pathlib import Path

from shell import shell

from thresher import build

folder = tempfile.TemporaryDirectory()
place = Path(folder.name)
(place / "evaluation.yaml").write_text(build(["detection_coco"]).dumps(), encoding="utf-8")
for name in ("annotations", *runs):
    (place / f"{name}.json").write_bytes(Path(f"data/boxes/{name}.json").read_bytes())
for name in runs:
    shell(
        f"thresher run evaluation.yaml --gt annotations.json --data {name}.json --geometries boxes --quiet -o {name}.txt",
        place,
    )
shell("thresher compare runs/careful runs/eager", place)

# %% [markdown]
# Averaged over strict and lenient overlaps, `eager` is worse: `detection_coco_map` is the measure that this pipeline declares as *primary*, and the
# only one that is tested, with its full power. The other eleven are secondary: values and intervals, without verdicts. To test some of them,
# name them; their p-values are corrected for one another.

# %%
shell(
    "thresher compare runs/careful runs/eager --metric detection_coco_map_50 --metric detection_coco_map_75",
    place,
)

# %% [markdown]
# At a strict overlap (`detection_coco_map_75`) `eager` collapses: its boxes are inexact. At an overlap of one half (`detection_coco_map_50`) the verdict is
# `inconclusive`: the interval of the difference contains zero. The two are close in *finding* things and far apart in *placing* them, which
# `detection_coco_map` alone would have hidden.
#
# ## How does each err?
#
# Every error has a kind. For each kind: how much would AP rise if only these errors were corrected?

# %%
kinds = ("classification", "localization", "both", "duplicate", "background", "missed")
found = {
    name: results.individual_aggregate_score_report("df").set_index("metric")
    for name, results in runs.items()
}
print(f"{'AP50 that is lost by':22}{'careful':>9}{'eager':>9}")
for kind in kinds:
    values = [found[name].loc[f"detection_error_{kind}"].value for name in runs]
    print(f"{kind:22}{values[0]:9.3f}{values[1]:9.3f}")

# %%
import matplotlib.pyplot as plt
import numpy as np

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
for place, (name, values) in enumerate(found.items()):
    lost = [values.loc[f"detection_error_{kind}"].value for kind in kinds]
    left.barh(np.arange(len(kinds)) + 0.2 - 0.4 * place, lost, height=0.4, label=name)
left.set_yticks(range(len(kinds)), kinds)
left.set(xlabel="AP50 that would be won", title="What to mend first")
left.legend()

curves = {}
for name, results in runs.items():
    rows = results.metric("detection_precision_recall_curve_best_f1").result.detail("curve").rows()
    points = {}
    for row in rows:
        entry = points.setdefault(row["threshold"], np.zeros(3))
        entry += [row["tp"], row["fp"], row["fn"]]
    curves[name] = points
    thresholds = sorted(points)
    scores = [2 * points[t][0] / (2 * points[t][0] + points[t][1] + points[t][2]) for t in thresholds]
    right.plot(thresholds, scores, marker="o", label=name)
right.set(
    xlabel="score from which a detection counts", ylabel="F1 over all labels", title="Where to put the bar"
)
right.legend()
plt.show()

# %% [markdown]
# `careful` loses nearly everything by *missing* objects: improve its recall, above all for small ones. `eager` loses by *calling pears
# apples*, then by placement; a second step could refine its boxes and correct its labels, but nothing can recover what `careful` never saw.
#
# ## Choose a score threshold
#
# A detector in use needs one threshold. F1 weighs a miss and a false alarm equally; use costs if they are not equal to you.

# %%
for name, points in curves.items():
    best = max(points, key=lambda t: 2 * points[t][0] / (2 * points[t][0] + points[t][1] + points[t][2]))
    hits, alarms, misses = points[best]
    print(
        f"{name:8} best F1 at {best:.2f}: precision {hits / (hits + alarms):.2f}, recall {hits / (hits + misses):.2f}"
    )

# %% [markdown]
# The recipe `object_detection` computes all of this at once: `thresher run object_detection --gt annotations.json --data careful.json`.
#
# ## Labels instead of boxes
#
# A second machine looks at one fruit at a time and decides whether it is spoiled: 400 fruits with their true labels and a score for each
# label, 120 of them spoiled, drawn at random by [`make_labels.py`](make_labels.py). The recipe `classification` reads the columns
# `score_...` as they are.

# %%
place = Path(folder.name)
(place / "spoiled.csv").write_bytes(Path("data/spoiled.csv").read_bytes())
shell("thresher run classification --data spoiled.csv --quiet -o spoiled.txt", place)
shell(
    "thresher report runs/spoiled --metric classification_accuracy --metric classification_recall_macro --metric classification_roc_auc",
    place,
)

# %%
shell("thresher report runs/spoiled --slice size --metric classification_accuracy", place)

# %% [markdown]
# It errs on small fruit: a quarter of it is classified wrongly, and chance does not explain that. But accuracy weighs both errors equally
# and uses the higher of two scores, which is a threshold of 0.5 that was never chosen. The labels can choose one: on half of the items, with
# the result reported on the other half, because a threshold looks better than it is on the items that it was chosen on.

# %%
by_labels = "thresher thresholds runs/spoiled --metric predictions --label ground_truths --positive spoiled"
shell(by_labels, place, width=160)

# %% [markdown]
# At this threshold 14 of 60 spoiled fruits pass (`fn`) and 18 of 140 sound ones are thrown away (`fp`). F1 treats these as equally bad. Here
# they are not: one spoiled fruit in a box costs as much as ten sound ones. So state the costs of the errors:

# %%
shell(f"{by_labels} --objective cost=1,10", place, width=160)

# %% [markdown]
# One spoiled fruit passes instead of 14, 63 sound ones are thrown away instead of 18, and a fruit costs 0.365 instead of
# (18 + 10 * 14) / 200 = 0.79. Neither threshold is *right*: they
# answer different questions. `other samples` shows how certain the choice is: another sample of such items might have chosen any threshold
# from 0.24 to 0.53.
#
# ## The decision
#
# *Ship `careful` where boxes are cut out or measured, with the threshold from the curve; use `eager` where a person checks every detection.*
# What the data cannot show: which of the two *finds* more at a lenient overlap. With 80 images the difference of AP50 can be anywhere between
# -0.15 and +0.03.
#
# *Sort out everything that scores 0.24 or more as spoiled, and have a person check small fruit.* The threshold follows from the costs; choose
# it again when they change. It is not precise yet: more labels would improve it.
