"""Processes that need not load Haystack and the package again: they are forked from one that has.

`Forked(code, ...)` is like `subprocess.Popen([sys.executable, "-c", code, ...])` with pipes: a process with
its own id, which can be killed and stopped, and which shares nothing with the test but files and pipes.
A test of what is imported, or in which order, needs a fresh interpreter instead.
"""

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types
from contextlib import suppress
from functools import cache
from pathlib import Path

LOADED = (
    "haystack.components.builders",
    "haystack.components.generators.chat.openai",
    "haystack.components.retrievers.in_memory",
    "nltk",
    "pandas",
    "pyarrow.parquet",
    "scipy.stats",
    "thresher.cli.main",
    "thresher.pipelines.answering.evaluation",
    "thresher.pipelines.runner",
    "thresher.reports",
)
"""Modules that the server loads once; none starts a thread, which a fork would lose."""
COMMAND_LINE = "import sys\nfrom thresher.cli.main import main\nsys.exit(main(sys.argv[1:]))"
SCRIPT = "import runpy, sys\nrunpy.run_path(sys.argv[1], run_name='__main__')"
"""Programs to be run: `thresher` with words, and a script."""
REPORT = 16
"""Bytes of a number that the server reports."""


class Forked:
    """A process that runs code as its main program, with text pipes and a buffer for its errors.

    Args:
        code: the program.
        arguments: its `sys.argv[1:]`.
        folder: where it runs; default: here.
        environment: its variables; default: those of this process.
    """

    def __init__(self, code, *arguments, folder=None, environment=None):
        self.returncode = None
        environment = dict(os.environ if environment is None else environment)
        added = environment.get("PYTHONPATH", "").split(os.pathsep)
        order = {
            "code": code,
            "arguments": [str(argument) for argument in arguments],
            "folder": str(folder or Path.cwd()),
            "environment": environment,
            "path": ["", *filter(None, added), *sys.path],
        }
        given, stdin = os.pipe()
        stdout, printed = os.pipe()
        self._status, status = socket.socketpair()
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        with tempfile.TemporaryFile() as written:
            written.write(json.dumps(order).encode())
            written.seek(0)
            ends = [given, printed, self._errors.fileno(), status.fileno(), written.fileno()]
            socket.send_fds(_server(), [b"."], ends)
            self.stdin, self.stdout = os.fdopen(stdin, "w"), os.fdopen(stdout)
            status.close()
            os.close(given)
            os.close(printed)
            self.pid = int(self._status.recv(REPORT))

    def poll(self):
        """The exit code, or None while it runs."""
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self, timeout=None):
        """Wait for its end: the exit code, or minus the signal that ended it."""
        if self.returncode is None:
            self._status.settimeout(timeout)
            self.returncode = int(self._status.recv(REPORT))
        return self.returncode

    def communicate(self, timeout=None):
        """Close its input and wait for its end: what it printed, and its errors."""
        self.stdin.close()
        with self.stdout:
            printed = self.stdout.read()
        self.wait(timeout)
        with self._errors:
            self._errors.seek(0)
            errors = self._errors.read()
        self._status.close()
        return printed, errors

    def kill(self):
        """End it at once, whether it runs or is stopped."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def run(code, *arguments, **options):
    """Run code in a new process to its end, as `subprocess.run` with its output captured."""
    process = Forked(code, *arguments, **options)
    printed, errors = process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode, printed, errors)


@cache
def _server():
    """The socket of the process that all others are forked from."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, __file__, str(theirs.fileno())]
    server = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    atexit.register(server.wait)
    atexit.register(ours.close)  # called first; the server ends where its socket does
    return ours


def _serve(orders):
    """Fork a process for each order, and report its id and its end to the test.

    The order is returned in the new process; the server returns None at the end.
    """
    for name in LOADED:
        __import__(name)
    gc.freeze()  # so that no process copies the pages of what is loaded only to look for garbage
    ended, wake = socket.socketpair()
    wake.setblocking(False)  # noqa: FBT003  # its only form
    signal.set_wakeup_fd(wake.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running = {}
    while True:
        ready = select.select([orders, ended], [], [])[0]
        if ended in ready:
            ended.recv(REPORT)
            _report_ends(running)
        if orders not in ready:
            continue
        data, ends, _, _ = socket.recv_fds(orders, 1, 5)
        if not data:
            return None
        *streams, status, written = ends
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
            return _order(streams, written, [orders, ended, wake], [status, *running.values()])
        for end in (*streams, written):
            os.close(end)
        running[child] = status
        os.write(status, b"%*d" % (REPORT, child))


def _report_ends(running):
    """Report the exit codes of the processes that have ended, and forget them."""
    with suppress(ChildProcessError):  # there is none
        while True:
            child, code = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            status = running.pop(child)
            with suppress(BrokenPipeError):  # the test has ended before it
                os.write(status, b"%*d" % (REPORT, os.waitstatus_to_exitcode(code)))
            os.close(status)


def _order(streams, written, sockets, others):
    """Take the streams over, close what belongs to the server and to other processes, and read the order."""
    for server_socket in sockets:
        server_socket.close()
    for number in others:
        os.close(number)
    for number, end in enumerate(streams):
        os.dup2(end, number)
        os.close(end)
    with os.fdopen(written) as order:
        return json.load(order)


def _run(order):
    """Run the program where, and with what, the test asked for."""
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    sys.path[:] = order["path"]
    sys.argv = ["-c", *order["arguments"]]
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    code = 0
    try:
        exec(compile(order["code"], "<string>", "exec"), vars(module))  # noqa: S102
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        code = end.code or 0
    _end(module, code)


def _end(module, code):
    """End like an interpreter, but leave the modules of the server: clearing them copies all their pages.

    Threads are waited for, exit functions called and the program's own objects cleared. A stream that
    cannot be written is left to the interpreter.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    vars(module).clear()
    gc.collect()
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    _ordered = _serve(socket.socket(fileno=int(sys.argv[1])))
    if _ordered is not None:
        _run(_ordered)
