# %% [markdown]
# # 6. Detection
#
# **You learn** to go from COCO files to average precision with intervals, to compare two detectors, to see *how* each errs, and to choose
# the score from which a detection counts.
# **Time**: 15 minutes to read, a minute to run. **You need** `pip install 'thresher[plot]'`; no key, no network, no pictures.
#
# The data are drawn at random by [`make_boxes.py`](make_boxes.py): 80 pictures with 318 pieces of fruit, and two detectors.
# `careful` places boxes well and keeps silent when in doubt; `eager` finds more, places worse, and takes pears for apples. You know that; the
# evaluation does not, and should find out.

# %%
from thresher import evaluate
from thresher.datasets.coco import read_coco

metrics = ["coco_detection", "detection_error", "detection_precision_recall_curve"]
runs = {
    name: evaluate(metrics, read_coco("data/boxes/annotations.json", f"data/boxes/{name}.json"), name=name)
    for name in ("careful", "eager")
}
for name, results in runs.items():
    table = results.individual_aggregate_score_report("df").set_index("metric")
    for metric in ("coco_map", "coco_map_50", "coco_map_75", "coco_map_small"):
        row = table.loc[metric]
        print(f"{name:8} {metric:15} {row.value:.3f} [{row.low:.3f}, {row.high:.3f}]")

# %% [markdown]
# These are the numbers of pycocotools, to the last digit (the tests of this repository compare them), with an interval each. AP is no mean over pictures, so
# nobody gives it an interval usually; here it is a function of statistics per picture, and leaving pictures out one by one tells how much it wavers.
#
# ## Which is better?

# %%
import tempfile
from pathlib import Path

from shell import shell

from thresher import build

folder = tempfile.TemporaryDirectory()
place = Path(folder.name)
(place / "evaluation.yaml").write_text(build(["coco_detection"]).dumps(), encoding="utf-8")
for name in ("annotations", *runs):
    (place / f"{name}.json").write_bytes(Path(f"data/boxes/{name}.json").read_bytes())
for name in runs:
    shell(
        f"thresher run evaluation.yaml --gt annotations.json --data {name}.json --geometries boxes --quiet -o {name}.txt",
        place,
    )
shell("thresher compare runs/careful runs/eager", place)

# %% [markdown]
# It depends on what better means. Averaged over strict and lenient overlaps (`coco_map`), `eager` is worse beyond doubt, and at a strict one
# (`coco_map_75`) it collapses: its boxes are sloppy. But if an overlap of one half is enough (`coco_map_50`), it is undecided: the interval of the difference holds zero. A table that
# shows `coco_map` alone would have hidden that the two are close in *finding* things and far apart in *placing* them.
#
# ## How does each err?
#
# Every error has a kind, and the question for each is: how much would AP rise if just these were put right?

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
    rows = results.metric("detection_pr_curve_best_f1").result.detail("curve").rows()
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
# `careful` loses nearly everything by *missing*: mend its recall, above all of small things. `eager` loses by *calling pears apples*, then by placing; its
# boxes could be refined and its labels corrected by a second step, while what `careful` never saw nobody can correct.
#
# ## From which score on?
#
# A detector that is used needs one bar. F1 counts a miss and a false alarm alike; say so if they are not alike to you.

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
# ## The decision
#
# *Ship `careful` where boxes are cut out or measured, with the bar that the curve shows; take `eager` where a person looks at every find.* What the data cannot
# say: which of the two *finds* more at a lenient overlap. 80 pictures leave a difference of AP50 anywhere between -0.14 and +0.02.
