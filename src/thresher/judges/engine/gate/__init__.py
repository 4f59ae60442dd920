"""One rate limit, token limit, budget and circuit breaker for all workers of a run.

The host of a run (its driver) makes one `Gate` and answers for it; each worker opens its session with a
connection to it. The limits and the budget of the whole run are given on both sides: the gate applies them,
and the worker's session reports them.

In processes of one machine:

```python
with serving(Gate(GateLimits.of(limits, max_calls=1000))) as address:  # in the driver
    start_workers(address)  # `GateAddress` is plain data, and secret

with GateConnection(address) as gate, asking(limits=limits, max_calls=1000, gate=gate):  # in a worker
    evaluate(...)
```

In an actor of another engine: `Gate(limits)` is the actor's state and `lease` its method (`LeaseRequest` and
`Lease` are plain dataclasses, `to_dict` and `from_dict` make JSON of them). The worker passes
`GateCalls(call, errors)`: `call(request)` asks the actor, `errors` are raised while it cannot be reached.
A gate that is started again knows nothing; the workers give it their totals with the next call.

```python
actor = ray.remote(num_cpus=0, max_restarts=-1)(Gate).remote(limits)  # in the driver
calls = GateCalls(lambda request: ray.get(actor.lease.remote(request)), (ray.exceptions.RayActorError,))
```

A worker whose gate is gone sends nothing from the end of its current lease on (3 seconds) and says so within
5 seconds: its remaining asks fail, and its part of the run stays unfinished.
"""

from thresher.judges.engine.gate.calls import GateCalls
from thresher.judges.engine.gate.connection import GateAddress, GateConnection
from thresher.judges.engine.gate.gate import Gate
from thresher.judges.engine.gate.messages import (
    Gatekeeper,
    GateLimits,
    GateLostError,
    Lease,
    LeaseRequest,
    Money,
    Usage,
)
from thresher.judges.engine.gate.server import serving

__all__ = [
    "Gate",
    "GateAddress",
    "GateCalls",
    "GateConnection",
    "GateLimits",
    "GateLostError",
    "Gatekeeper",
    "Lease",
    "LeaseRequest",
    "Money",
    "Usage",
    "serving",
]
