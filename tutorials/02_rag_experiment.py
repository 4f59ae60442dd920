# %% [markdown]
# # 2. A RAG experiment
#
# **You learn** to compare configurations of a retrieval-augmented system so that the result is a decision: is B better than A, where does
# it fail, can it be shipped?
# **Time**: 10 minutes to read, a minute to run. **You need** tutorial 1 and `pip install 'thresher[semantic]'`; no key, no network.
#
# ## The system
#
# 60 passages about an invented town, 40 questions. A Haystack pipeline retrieves chunks for a prompt, and a model answers in one sentence.
# Three settings make eight configurations: **BM25 or embeddings**, chunks of **25 or 100 words** (100 is a whole passage), and **1 or 3
# chunks** in the prompt. `experiment` calls a function of [`rag.py`](rag.py) that makes the pipeline of a configuration; in a YAML file it
# edits the parameters ([experiments](../docs/experiments.md)).

# %%
import tempfile
from pathlib import Path

import pandas as pd
import rag

from thresher import experiment

folder = tempfile.TemporaryDirectory()
place, questions = Path(folder.name), rag.DATA / "questions.jsonl"
print(rag.GRID)
print("searching with embeddings:", " -> ".join(rag.answering("embeddings", 25, 3).graph.nodes))

# %% [markdown]
# ## Screen with a retrieval metric
#
# Whether the right passages were retrieved needs no model. So first all eight run only as far as the search.

# %%
searched = experiment(
    rag.searching,
    questions,
    vary=rag.GRID,
    metrics="retrieval_recall",
    out=place / "search",
)
COLUMNS = ["may_be_best", "value", "low", "high", "difference", "difference_low", "difference_high"]
print(searched.leaderboard("df").set_index("run")[COLUMNS].round(3).to_string())
print()
print(searched.effects().to_dataframe().round(3).to_string(index=False))

# %% [markdown]
# `low` to `high` is where the value of one configuration may be on other questions. These intervals overlap, but every configuration got
# the *same* questions, so compare the `difference` to the best value; these intervals hold for all configurations together. `may_be_best`
# marks those to which no other is shown to be better. The second table is what each setting changes, averaged over the others:
#
# * **One chunk is not enough.** Three raise recall by 0.19 [0.07, 0.30], though single configurations with one chunk may still be the best.
# * **Search and chunk size are undecided**: `inconclusive` means that the interval contains losses as well as gains.
#
# But passages are not answers: a chunk may lack the right sentence, and a model may fail with all the information it needs. So no
# configuration is dropped yet.
#
# ## All eight configurations answer
#
# The answers are recordings of a real model of 1.5 billion parameters. Two things can be counted without a judge: the words shared with the
# reference (`token_f1`), and refusals (a metric that [tutorial 5](05_your_own_metric.ipynb) builds): `needless` counts refusals of the 34
# questions that have an answer, `missed` answers to the 6 that have none.

# %%
from refusals import RefusalEvaluator

answered = experiment(
    rag.answering,
    questions,
    vary=rag.GRID,
    metrics=["token_f1", RefusalEvaluator(), "retrieval_recall"],
    out=place / "answers",
)
board = answered.leaderboard("df").set_index("run")
for wrong, count in {"needless": 34, "missed": 6}.items():
    shares = [answered[name].metric(f"refusal_accuracy_{wrong}").value for name in board.index]
    board[wrong] = [round(count * share) for share in shares]
print(board[[*COLUMNS, "needless", "missed", "tokens"]].round(3).to_string())
print()
print(answered.effects(primary="token_f1").to_dataframe().round(3).to_string(index=False))

# %% [markdown]
# The order has changed, and nothing in it is certain: each of the eight may be the best. The metric that is named first orders the
# leaderboard, and the intervals are corrected for the three metrics. Retrieval metrics show what a model could
# know; what it makes of it is another measurement.
#
# ## What would a judge cost?
#
# The `rag` recipe judges with Valor's metrics: faithfulness, answer relevance, and precision, recall and relevance of contexts. Estimate
# the cost first, with the answers of one configuration (embeddings, 100 words, 3 chunks) and prices in dollars per million tokens:

# %%
from shell import shell

shell("thresher estimate rag --data data/first_answers.jsonl --price in=0.15,out=0.6")

# %% [markdown]
# Here the judge is the same small model, recorded on two processors in two to three minutes for the eight answers to *one* question. So it
# judges a random sample of 12 questions, the same for all configurations, every kind in proportion. The available time determined the
# number, before any score was known.
#
# ## Judge the sample
#
# Every mean is followed by its coverage (scored/all questions); the second table is the effect of `top_k`.

# %%
from thresher.judges import RecordedChatGenerator

sample = rag.judged_questions()
judged = experiment(
    rag.answering,
    [row for row in rag.read_lines("questions.jsonl") if row["id"] in sample],
    vary=rag.GRID,
    recipe=rag.judged_recipe(RecordedChatGenerator(str(rag.RAG_JUDGEMENTS))),
    out=place / "judged",
)
PARTS = ["faithfulness", "answer_relevance", "context_precision", "context_recall", "context_relevance"]
METRICS = [f"valor_{part}" for part in PARTS]
means = {}
for name, run in judged.items():
    table = run.individual_aggregate_score_report("df").set_index("metric").loc[METRICS]
    means[name] = [f"{row.value:.2f} ({row.scored}/{row.items})" for row in table.itertuples()]
print(pd.DataFrame(means, PARTS).T.to_string())
print()
measures = [*METRICS, "retrieval_recall"]
effects = [row for measure in measures for row in judged.effects(primary=measure)]
print(pd.DataFrame(effects).query("setting == 'top_k'").round(3).to_string(index=False))

# %% [markdown]
# No judged metric shows an effect. That does not prove equality: the intervals are wide. Recall is the yardstick: its effect is shown on
# forty questions, and not on these twelve.
#
# ## Which questions fail, and why?
#
# First without a judge, over all 320 answers: were all relevant passages retrieved, and is the answer a refusal?

# %%
from refusals import refuses


def outcome(row):
    retrieved = "retrieved" if row["retrieval_recall"] == 1 else "not retrieved"
    question = retrieved if row["ground_truth_documents"] else "unanswerable"
    return f"{question}, {'refused' if refuses(row['predicted_answers'], ['do not say']) else 'answered'}"


outcomes = {
    name: run.individual_detailed_score_report(output_format="df").apply(outcome, axis=1).value_counts()
    for name, run in answered.items()
}
print(pd.DataFrame(outcomes).T.to_string())

# %% [markdown]
# Most can be gained where the passages were retrieved and the model refused. (Short chunks may lack the right sentence.) Now what the judge
# calls unfaithful, with its reason:

# %%
for name, run in judged.items():
    evidence = dict(zip(run.ids, run.metric("valor_faithfulness").result.evidence, strict=True))
    for row in run.find_inputs_below_threshold("valor_faithfulness", 0.5, "df").itertuples():
        print(f"{name:36} {row.id}  {row.predicted_answers}")
        print(f"{'':36}      {evidence[row.id]['claims'][0]['reason']}")

# %% [markdown]
# Six of the 13 answer `q39`, which has no answer, with another number from the passages: exactly what faithfulness is for. Others are
# errors of the judge: the four answers to `q07` are right, and 197 steps are not more than 197 steps. So small a judge recognises a plain
# invention, but not fine distinctions, and its errors affect some configurations more than others.
# [Tutorial 4](04_can_this_judge_be_trusted.ipynb) compares a judge with labels. A score of 1 means little, too: an answer that refuses
# makes no claim, and this recipe (`undefined: one`) gives it 1.
#
# ## What the data cannot show
#
# How large would a difference between two configurations have to be (`detectable`), and how many questions would show one of 0.1?

# %%
strongest = judged["search=embeddings,chunk=100,top_k=3"]
others = [run for run in judged.values() if run is not strongest]
table = strongest.comparative_aggregate_score_report(others, "df", metrics=METRICS)
for metric, detectable in table.groupby("metric", sort=False)["detectable"].median().items():
    print(f"{metric:24} {detectable:.2f}   {len(sample) * (detectable / 0.1) ** 2:4.0f} questions")

# %% [markdown]
# ## The decision
#
# * **Three chunks, not one.** They raise recall. That the answers are better for it is *not* shown, but what is not retrieved cannot be
#   answered, and the refusals that may hide the effect are fixed next.
# * **Continue with embeddings and chunks of 25 words.** Compared with whole passages, recall is 0.887 instead of 0.917, needless refusals
#   are as frequent, two of the six questions without an answer are answered instead of four, and a question needs 161 tokens instead of
#   270. No difference in quality is shown, so the cheaper one is chosen. BM25 is not refuted either; it is the choice without an encoder.
#   [Tutorial 7](07_in_ci.ipynb) tests formally whether such a change may be merged.
# * **Do not ship it yet.** For 12 of the 28 questions for which it retrieved everything, it refused. No search fixes that: the instruction
#   and the model come first; then run this page again.
# * **The judged metrics decided nothing here**, and should not have: too few questions, too weak a judge. To judge more with a better one:
#   `record.py rag --questions 40`, and `JUDGED = 40` in `rag.py`.
