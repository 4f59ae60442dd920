# %% [markdown]
# # 4. Can this judge be trusted?
#
# **You learn** to compare a judge with your own labels, to correct its mean, and to measure whether the order of two answers influences it.
# **Time**: 15 minutes to read, seconds to run. **You need** tutorial 2 and `pip install 'thresher[semantic]'`; no key, no network.
#
# In tutorial 2 a small model was the judge, and several of its verdicts were plainly wrong. Here it judges all answers of two
# configurations with one short custom prompt ([tutorial 5](05_your_own_metric.ipynb) builds it): does the answer agree with the reference?
# `data/labels.csv` contains a label for each of these 80 answers: 1 if it gives what the reference gives, else 0. They were written for
# this tutorial by reading each answer with its question and reference, without the judge's verdict. Replace them with your own: it takes a
# quarter of an hour, and it is the best way to know your data.

# %%
import csv
from pathlib import Path

import rag

from thresher import evaluate, read_dataset
from thresher.components import CustomJudgeEvaluator
from thresher.judges import RecordedChatGenerator

answered = rag.run_configurations(rag.FINALISTS, RecordedChatGenerator(str(rag.ANSWERS)))
rows = [
    {**row, "id": f"{name.split('-')[0]}-{row['id']}"}
    for name, answers in answered.items()
    for row in answers
]
judge = RecordedChatGenerator(str(rag.JUDGEMENTS))
correct = CustomJudgeEvaluator.from_file("data/answer_correct.yaml", judge)
results = evaluate([correct], read_dataset(rows), name="both")
row = results.individual_aggregate_score_report("df").iloc[0]
print(
    f"the judge says: {row.value:.3f} [{row.low:.3f}, {row.high:.3f}], {row.scored} of {row['items']} scored"
)

# %% [markdown]
# ## Labels
#
# Usually there is no time to label everything. So draw a random sample into a sheet, without the judge's scores, which would bias the
# raters; here half of the items. (The labels that are filled in come from the file.)

# %%
import tempfile

with Path("data/labels.csv").open(encoding="utf-8", newline="") as file:
    labels = {entry["id"]: int(entry["label"]) for entry in csv.DictReader(file)}

sheet = results.draw_to_label(40, seed=1, metric="answer_correct")
drawn = [dict(zip(sheet.columns, entry, strict=True)) for entry in sheet.rows]
print(len(drawn), "drawn; the sheet's columns:", ", ".join(sheet.columns))

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "to_label.csv"
path.write_text(sheet.to_csv(), encoding="utf-8", newline="")
with path.open(encoding="utf-8", newline="") as file:
    filled = [{**entry, "label": labels[entry["id"]]} for entry in csv.DictReader(file)]
with path.open("w", encoding="utf-8", newline="") as file:
    writer = csv.DictWriter(file, filled[0])
    writer.writeheader()
    writer.writerows(filled)

# %% [markdown]
# ## How good is the judge?

# %%
report = results.judge_by_labels(str(path), "answer_correct")
print(report.table().to_dataframe().round(3).to_string(index=False))
for note in report.notes:
    print("note:", note)
print(report.reading)
print(
    f"mean of all 80 labels: {sum(labels.values()) / len(labels):.3f} (what the correction aims at, known here for once)"
)

# %% [markdown]
# Read three things in this output:
#
# * **It errs to one side.** Specificity is 1: nothing wrong was called right. Sensitivity is 0.58: two in five right answers were
#   called wrong. Such a judge is not useless but strict; its mean of 0.20 is half of the true value.
# * **The correction works, at a price.** 40 labels move the mean to 0.43. Its interval contains the 0.388 that all 80 labels give, but it
#   is wide, as the note says.
# * **Agreement beyond chance** (kappa 0.59) looks moderate and hides the direction of the errors. Look at sensitivity and specificity.
#
# Does a strict judge invalidate the comparison of the two configurations as well? If it is equally strict with both, a difference shrinks
# but keeps its sign. Here all labels are known, so this can be checked:

# %%
for name in ("embeddings", "bm25"):
    mine = [item for item, row in enumerate(rows) if row["id"].startswith(name)]
    judged = results.metric("answer_correct").scores[mine].mean()
    read = sum(labels[rows[item]["id"]] for item in mine) / len(mine)
    print(f"{name:11} judge {judged:.3f}   labels {read:.3f}")

# %% [markdown]
# The difference shrinks from 0.125 to 0.05 and keeps its sign. So the judge is insensitive rather than wrong: what it finds is real, and it
# misses much.
#
# ## Does the order of the answers influence it?
#
# Another way to compare is to show both answers and ask which is better. Then the *position* of an answer may count. So every pair
# was judged twice, once in each order (the 15 questions to which the two configurations gave different answers).

# %%
from thresher import PairwiseReport
from thresher.components import LlamaIndexPairwiseComparisonEvaluator

pairs = rag.differing(*answered.values())
outputs = LlamaIndexPairwiseComparisonEvaluator(judge).run(**pairs)
pairwise = PairwiseReport({("embeddings", "bm25"): outputs["result"]})
(won,) = pairwise.win_rates()
(bias,) = pairwise.biases()
print(
    f"embeddings won {won['wins']}, bm25 {won['losses']}, neither {won['ties']}: win rate {won['win_rate']:.2f} [{won['low']:.2f}, {won['high']:.2f}]"
)
print(
    f"both orders agree: {bias['consistency']:.2f}; the answer shown first was chosen: {bias['chose_shown_first']:.2f}"
)

# %%
both = {
    name: {row["id"].split("-")[1]: labels[row["id"]] for row in rows if row["id"].startswith(name)}
    for name in ("embeddings", "bm25")
}
better = sum(both["embeddings"][item] > both["bm25"][item] for item in both["bm25"])
worse = sum(both["embeddings"][item] < both["bm25"][item] for item in both["bm25"])
print(f"labels: embeddings right where bm25 is wrong {better} times, the other way round {worse} time")

# %% [markdown]
# Position influences this judge only a little overall (0.56, where 0.5 means none), but it often contradicts itself: in two of five pairs
# the verdict changes with the order. A contradicted pair counts as a win for neither, unless one order is a tie; judging both orders keeps
# such noise out of the result. Asked for the better of two, the judge prefers the embeddings 11 to 0, where the labels differ in 7 questions,
# one of them in favour of BM25. So at least five of its wins
# are pairs that the labels call equal or decide the other way.
#
# ## Test the judge with simple claims
#
# This test should come first, because it needs no labels: a *probe* sends 96 claims about 24 short texts to the judge, which plainly support
# half of them and do not support the other half. The recording contains the verdicts on the 40 claims about ten of the texts.

# %%
from thresher.judges import probe

report = probe(RecordedChatGenerator(str(rag.PROBE)), repeats=0)
print(f"{report.verdicts} verdicts, right: {report.agreement:.3f} (a coin: 0.5)")
print(
    f"of supported claims {report.agreement_supported:.2f}, of unsupported ones {report.agreement_unsupported:.2f}"
)
print(f"'yes' more often than it is true: {report.yes_bias:+.3f}")

# %% [markdown]
# It accepts nine of twenty claims that no text supports: on these it is too *lenient*, on our answers it was too *strict*. So a judge's
# bias depends on the task as much as on the judge, and a probe does not replace labels; but a judge that fails here is not worth labelling
# for. (The recording also contains the claims in reverse order and with a planted instruction: `report.order_bias`, `report.injection`. A
# live judge is also asked repeatedly, for probabilities, and for grades of empty answers: [how](../docs/howto/judges.md).)
#
# ## The decision
#
# *Use this judge to rank configurations, not to measure levels, and never report its mean without the correction.* Its verdicts point in
# the right direction, it calls nothing wrong right (21 of 21), and it misses two in five right answers. To state "45 % of the answers are
# right", label a hundred, or use a better judge and run this page again: `python record.py judgements --judge-model ...`.
