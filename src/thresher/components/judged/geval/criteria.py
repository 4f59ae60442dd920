"""Named criteria: the four qualities of summaries that G-Eval was evaluated on."""

CRITERIA: dict[str, str] = {
    "coherence": (
        "Coherence: how well the sentences of the answer fit together. It should be ordered so that "
        "each sentence leads on to the next, and all of them to one body of information about the subject."
    ),
    "consistency": (
        "Consistency: whether the answer agrees in its facts with the contexts. Only statements that follow "
        "from the contexts are consistent; invented ones are not."
    ),
    "fluency": (
        "Fluency: how well the answer is written, in grammar, spelling, punctuation, choice of words and "
        "structure of sentences."
    ),
    "relevance": (
        "Relevance: how well the answer picks what matters out of the contexts. It should hold the important "
        "points only; repetitions and superfluous things count against it."
    ),
}
"""Name -> criteria."""
