"""Answers of query pipelines: asked block by block, stored, and resumed.

```python
query = QueryPipeline(load_pipeline("rag.yaml"))
identity = answers_identity(pipeline=query.fingerprint(), settings={"retriever.top_k": 3})
store = AnswerStore("experiments/top_k=3/answers", identity, ids=data.ids)
with ReplyCache("experiments/replies.sqlite") as cache:
    for number in range(store.blocks):
        answer_questions(query, data.column("questions"), store, blocks=[number], cache=cache)
print(failures(store.responses()))
```

After an interruption the same lines continue: complete blocks are not asked again, failed questions are, and
cached replies of generators cost no call, even under another name of the configuration.
`answered_run.AnsweredRun` does all this in a run directory, and scores the answers.
"""

from thresher.pipelines.answering.query_pipeline import QueryPipeline
from thresher.pipelines.answering.questions import answer_questions, failures
from thresher.pipelines.answering.reply_cache import ReplyCache
from thresher.pipelines.answering.store import BLOCK, AnswerStore, answers_identity

__all__ = [
    "BLOCK",
    "AnswerStore",
    "QueryPipeline",
    "ReplyCache",
    "answer_questions",
    "answers_identity",
    "failures",
]
