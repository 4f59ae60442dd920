# %% [markdown]
# # 1. First scores
#
# **You learn** to turn a file of answers into a table of scores, to read confidence intervals and coverage, to choose a threshold,
# and to inspect the answers below it, in Python and on the command line.
# **Time**: 10 minutes to read, seconds to run. **You need** `pip install thresher`; no key, no network.
#
# The data: a small assistant answers 40 questions about the trams, the harbour, the lighthouse museum, the water works
# and the library of an invented town. For each question an embedding search retrieved three passages, and a small
# language model wrote one sentence from them. `data/first_answers.jsonl` contains the answers, one question per line.

# %%
import json
from pathlib import Path

data = Path("data/first_answers.jsonl")
for line in data.read_text(encoding="utf-8").splitlines()[:2]:
    row = json.loads(line)
    print({name: row[name] for name in ("id", "question", "predicted_answer", "ground_truth_answers")})

# %% [markdown]
# ## A table of scores
#
# `read_dataset` knows the column names of the usual frameworks, so nothing has to be configured. `evaluate` takes a list
# of metrics (or the name of a recipe) and returns results that answer every question below without computing again.

# %%
from thresher import evaluate, read_dataset

answers = read_dataset(data)
results = evaluate(
    ["exact_match", "token_f1", "retrieval_hit_rate", "retrieval_recall"], answers, name="assistant"
)

table = results.individual_aggregate_score_report("df")
print(table[["metric", "value", "low", "high", "scored", "items"]].round(3).to_string(index=False))

# %% [markdown]
# Before the values, read three things:
#
# * **`low` and `high`** are a 95 % confidence interval. Forty questions are few, and the interval shows how few: an
#   equally good system may score anywhere in it on another forty questions.
# * **`scored` of `items`**. Six questions have no answer in the passages, so no passage is relevant to them, and their
#   recall is not zero but undefined. They are left out of the mean of `retrieval_recall`, and the table says so.
# * **The differences between metrics**. `retrieval_hit_rate` asks whether *any* relevant passage was retrieved, `retrieval_recall` what share of them,
#   and `token_f1` how many words the answer shares with the reference.
#
# `exact_match` compares whole sentences with short references and is nearly always zero; it is included to show that a metric can be
# the wrong one. The right metric depends on the decision it should support.

# %%
recall = results.metric("retrieval_recall")
print("coverage:", recall.coverage)
for item, reason in list(recall.result.reasons.items())[:2]:
    print(f"{answers.ids[item]}: {reason}")

# %% [markdown]
# ## A threshold, and the answers below it
#
# Where should a threshold be? Start with the quartiles of the item scores: the weakest quarter is below the first quartile.

# %%
bars = results.find_thresholds(["token_f1"], "df")
print(bars.round(3).to_string(index=False))

# %% [markdown]
# The first quartile is 0: at least a quarter of the answers share no word with the reference, so there is no meaningful "weakest quarter".
# So use a low threshold and read whole rows.

# %%
weak = results.find_inputs_below_threshold("token_f1", 0.1, "df")
print(len(weak), "answers score below 0.1; some of them:")
for row in weak.set_index("id", drop=False).loc[["q01", "q11", "q16", "q38"]].itertuples():
    print(
        f"\n{row.id}  {row.questions}\n  said:      {row.predicted_answers}\n  reference: {row.ground_truth_answers[0]}"
    )

# %% [markdown]
# Four answers, four causes, and each needs a different repair:
#
# * `q01` **refuses although it could answer**: the passage was retrieved. The model or its instruction is the cause, not the search.
# * `q11` **does not answer** the question.
# * `q16` **is right and scores zero**: "12" and "Twelve" share no word. The metric is the cause; tutorial 2 uses a judge.
# * `q38` **invents an answer** that the passages do not contain: the worst kind of error for users who rely on it.
#
# The first cause can be counted without reading: recall shows whether everything relevant was retrieved.

# %%
detailed = results.individual_detailed_score_report(output_format="df")
refused = detailed["predicted_answers"].str.startswith("The passages do not say")
found = detailed["retrieval_recall"] == 1.0
print(f"refused although everything was found: {(refused & found).sum()} of {found.sum()}")
print(
    f"refused where there is no answer: {(refused & detailed['retrieval_recall'].isna()).sum()} of {detailed['retrieval_recall'].isna().sum()}"
)

# %% [markdown]
# ## The same on the command line
#
# `thresher run` stores the run in a folder; every report is made from it, and nothing is computed twice.

# %%
import tempfile

from shell import shell

folder = tempfile.TemporaryDirectory()
(Path(folder.name) / "answers.jsonl").write_bytes(data.read_bytes())
shell("thresher run qa --data answers.jsonl --name assistant --quiet", folder.name)

# %%
shell("thresher thresholds runs/assistant --metric token_f1", folder.name)

# %%
shell(
    "thresher inputs-below runs/assistant --metric token_f1 --threshold 0.1 --format csv -o weak.csv",
    folder.name,
)
rows = (Path(folder.name) / "weak.csv").read_text(encoding="utf-8").count("\n") - 1
print(rows, "lines for a spreadsheet in weak.csv")

# %% [markdown]
# ## The decision
#
# *Do not ship, and do not change the search yet.* The search retrieved everything relevant for 29 of 34 questions. In 11 of these the
# assistant still refused, and it answered four of the six questions that have no answer. A
# better search cannot fix either: the instruction and the model come first.
#
# What 40 questions cannot show: whether recall is 0.81 or 0.96. Both are in its interval.
#
# Next: [eight configurations compared, with a judge](02_rag_experiment.ipynb).
