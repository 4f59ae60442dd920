# %% [markdown]
# # 5. A metric of your own
#
# **You learn** to make a judged metric from a prompt, without a class, and a computed one as a component with a kernel; and
# what such a metric gets for nothing: intervals, slices, comparisons, gates, and laws that it can be held to.
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
# ## A computation is a metric
#
# Two pieces. The **kernel** is a plain function: texts in, a truth value out, with an example one can check in the head.
# The **component** is a Haystack component that calls it and hands back a `MetricResult`. Both stand in
# [`refusals.py`](refusals.py); here is the heart of it.

# %%
import inspect

import refusals

print(inspect.getsource(refusals.refuses))
print(inspect.getsource(refusals.RefusalEvaluator.run).split('"""')[2])

# %% [markdown]
# The metric does **not** return a mean. It returns *statistics per item*, and measures that are pure functions of them: the
# share of right behaviour is a mean of `score`, and `needless` is a quotient of two sums. That is the one idea of the
# house, and what follows is what it buys.

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
# A metric of this house keeps laws, and a test can hold yours to them. They are not about what it measures but about what
# anyone may do with it: cut the data, put shards together, keep it in a file, reload the pipeline.

# %%
from haystack.core.serialization import component_from_dict, component_to_dict

from thresher.results import MetricResult

texts, relevant = list(answers.column("predicted_answers")), list(answers.column("ground_truth_documents"))
metric = RefusalEvaluator()
whole = metric.run(texts, relevant)["result"]
names = [measure.name for measure in whole.measures]

shards = [metric.run(texts[:15], relevant[:15])["result"], metric.run(texts[15:], relevant[15:])["result"]]
together = MetricResult.concatenate(shards)
assert all(together.value(name) == whole.value(name) for name in names), "shards put together are the whole"

mask = np.array([1.0] * 15 + [0.0] * 25)
assert all(
    np.isclose(whole.value(name, weights=mask), shards[0].value(name), equal_nan=True) for name in names
), "a slice equals the value of the items it keeps"

back = list(reversed(range(len(texts))))
turned = metric.run([texts[item] for item in back], [relevant[item] for item in back])["result"]
assert all(np.isclose(turned.value(name), whole.value(name)) for name in names), "order does not count"

gone = metric.run([None, *texts[1:]], relevant)["result"]
assert gone.reasons[0] == "no entry in predicted_answers", "a missing answer is missing, not wrong"
assert (gone.item_scores()[1:] == whole.item_scores()[1:]).all(), "and changes nothing else"

again = component_from_dict(RefusalEvaluator, component_to_dict(metric, "refusals"), "refusals")
assert again.run(texts, relevant)["result"].value() == whole.value(), "a pipeline's file brings it back"

other = RefusalEvaluator(phrases=["cannot"]).run(texts, relevant)["result"]
assert str(other.measures[0].signature) != str(whole.measures[0].signature), "an option that counts is signed"
print("six laws hold; coverage with one answer missing:", f"{gone.n_scored} of {len(gone)}")

# %% [markdown]
# ## The decision
#
# *Count refusals in every run from now on.* Two in five answerable questions are refused needlessly, and four of the six questions
# without an answer are answered anyway: the instruction fails in both directions, and one overall share of right behaviour would hide that. The metric needs no judge, costs nothing, and its two shares point to opposite repairs.
#
# As a file: `thresher run my.yaml` finds the class if its module is importable and allowed
# (`HAYSTACK_DESERIALIZATION_ALLOWLIST=thresher,refusals`), like any Haystack component.
# To ship a metric with Thresher itself, see [Contributing](../CONTRIBUTING.md): kernel, component, one line in a table, a case for the laws.
