"""Executors: who computes the chunks of a run.

The driver chooses the numbers of the chunks; an executor computes them, here, in other processes of this
machine, or on a cluster, and yields one small `ChunkOutcome` per chunk. What a chunk contains is committed
to the run directory by the process that computed it, and never passes through the driver.
"""
