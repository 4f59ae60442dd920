# %% [markdown]
# # 5. A metric of your own
#
# **You learn** to make a metric from a prompt, from a function, and as a component with statistics; and what every metric then
# has: intervals, slices, comparisons, gates, and laws that one call checks.
# **Time**: 15 minutes to read, seconds to run. **You need** tutorial 1; no key, no network.
#
# Tutorial 1 ended with an assistant that refuses too often. None of the shipped metrics counts that. So we make one.
#
# ## A prompt is a metric
#
# The quickest way: say in plain words what a judge should decide, and what its reply looks like. That is a YAML file.

# %%
from pathlib import Path

print(Path("data/answer_correct.yaml").read_text(encoding="utf-8"))

# %% [markdown]
# The template's variables are columns of the data, and that is all the wiring there is. Thresher fences what it fills in (an answer that
# says "ignore all instructions" stays data), adds the form of the reply, reads it, asks again when it cannot be
# read, keeps the reason as evidence, and puts a fingerprint of your prompt into the signature.
#
# The judge here is a recording of a real one: a language model of 1.5 billion parameters, asked once by
# `record.py`. Replace it by any Haystack ChatGenerator, or run that script against a better model.

# %%
import rag

from thresher import evaluate, read_dataset
from thresher.components import CustomJudgeEvaluator
from thresher.judges import RecordedChatGenerator

answers = read_dataset("data/first_answers.jsonl")
judge = RecordedChatGenerator(str(rag.JUDGEMENTS))
correct = CustomJudgeEvaluator.from_file("data/answer_correct.yaml", judge)
judged = evaluate([correct], answers, name="assistant")

row = judged.individual_aggregate_score_report("df").iloc[0]
print(f"{row.metric}: {row.value:.3f} [{row.low:.3f}, {row.high:.3f}], {row.scored} of {row['items']} scored")
print(row.signature)

# %% [markdown]
# Every number can be taken apart: the evidence of an item is what the judge said, word for word. `q16` is the right answer
# that scored zero in tutorial 1, because "12" and "Twelve" share no word.

# %%
result = judged.metric("answer_correct").result
for wanted in ("q16", "q04", "q31"):
    item = list(answers.ids).index(wanted)
    print(wanted, "|", answers.column("questions")[item], "|", answers.column("predicted_answers")[item])
    print("   ", result.evidence[item]["score"], "-", result.evidence[item]["reason"])

# %% [markdown]
# Is that judge right? Sometimes; its reasons are thin. [Tutorial 4](04_can_this_judge_be_trusted.ipynb) measures how often, and corrects for it. A metric that needs no judge
# does not have that problem, so where a computation can decide, let it.
#
# ## A function is a metric
#
# A plain function that scores one item, and a decorator. Its parameters are columns of the data, those after `*` are options. The
# module [`refusals.py`](refusals.py) has one, and it is found by its name.

# %%
import refusals

from thresher import build

rate = evaluate(build(["refusal_rate"]), answers).metric("refusal_rate").result
print(f"{rate.value():.3f}", rate.measures[0].signature)

# %% [markdown]
# ## A component is a metric
#
# How often an assistant refuses does not say how often it should. That needs statistics of an item and two quotients of their sums: a class with `@metric`.
# Its annotated fields are its options.

# %%
import inspect

print(inspect.getsource(refusals.RefusalEvaluator.run).split('"""')[2])

# %% [markdown]
# The metric does **not** return a mean. It returns *statistics per item*, and measures that are functions of their sums: the
# share of right behaviour is a mean of `score`, and `needless` is a quotient of two sums.

# %%
from refusals import RefusalEvaluator

results = evaluate([RefusalEvaluator()], answers, name="assistant")
table = results.individual_aggregate_score_report("df")
print(table[["metric", "value", "low", "high", "interval", "scored"]].round(3).to_string(index=False))

# %% [markdown]
# The intervals came without a line of code for them. So does a slice: weights of one and zero over the same statistics.

# %%
import numpy as np

result = results.metric("refusal_accuracy").result
for kind in ("single", "two-passage"):
    mask = np.array([entry == kind for entry in answers.column("kind")], dtype=float)
    print(f"{kind:12} needless refusals: {result.value('refusal_accuracy_needless', weights=mask):.2f}")

# %% [markdown]
# ## Laws
#
# Reports, slices, intervals, shards and files rely on laws that have nothing to do with what a metric measures. One call checks them, and each that
# does not hold is one sentence. A function that looks at other items breaks two.

# %%
from thresher.metrics import column_metric
from thresher.testing import check_metric

columns = {name: list(answers.column(name)) for name in ("predicted_answers", "ground_truth_documents")}
check_metric(RefusalEvaluator, columns, changes={"phrases": ["cannot"]})
check_metric(
    refusals.refusal_rate, {"predicted_answers": columns["predicted_answers"]}, changes={"phrase": "cannot"}
)


@column_metric
def longest(predicted_answers: list[str]) -> list[float]:
    return [len(answer) / max(map(len, predicted_answers)) for answer in predicted_answers]


laws = ["shards", "slices"]
inputs = {"predicted_answers": columns["predicted_answers"]}
for sentence in check_metric(longest, inputs, laws=laws, raise_on_failure=False):
    print(sentence)

# %% [markdown]
# ## The decision
#
# *Count refusals in every run from now on.* Two in five answerable questions are refused needlessly, and four of the six questions
# without an answer are answered anyway: the instruction fails in both directions, and one overall share of right behaviour would hide that. The metric needs no judge, costs nothing, and its two shares point to opposite repairs.
#
# On the command line, `thresher run refusal_accuracy --plugin refusals.py --data data/first_answers.jsonl` finds it, and a package makes
# its metrics known with an entry point. [Your own metric](../docs/extending.md) has all three sizes on one page, also a judged metric with
# several prompts. To ship a metric with Thresher itself, see [Contributing](../CONTRIBUTING.md).
