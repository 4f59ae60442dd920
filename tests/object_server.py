"""An S3-compatible server on loopback, and a gateway in front of it that refuses, delays, forgets and dies.

The server is moto's, in a process; it holds its objects in memory. The gateway is what clients connect to:
it can be stopped in the middle of requests and started again while the objects stay, as when a machine of a
store fails.
"""

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "Zq8-Secret-Of-The-Bucket-41x"  # noqa: S105  # the server checks none
BUCKET = "bucket"
_MOTO = "from moto.server import main; import sys; main(['-H', '127.0.0.1', '-p', sys.argv[1]])"
_NOT_FORWARDED = {"connection", "transfer-encoding", "date", "server", "content-length"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running_moto():
    """The port of a server with one empty bucket."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", _MOTO, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _make_bucket(process, port)
        yield port
    finally:
        process.kill()
        process.wait()


def _make_bucket(process, port):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("PUT", f"/{BUCKET}")
            assert connection.getresponse().status == 200
            return
        time.sleep(0.05)
    raise AssertionError("moto did not start")


class Gateway:
    """Forwards requests; `faults` decides what happens to each.

    Attributes:
        faults: functions of method and path that return an HTTP status to answer with, "lost" (forward, then
            drop the connection), "late" (wait, then forward), "no conditions" (forward without If-headers),
            or None.
        requests: method and path of each request so far.
    """

    def __init__(self, upstream):
        self.upstream, self.port = upstream, free_port()
        self.faults, self.requests = [], []
        self._server = None
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def environment(self):
        return {
            "AWS_ACCESS_KEY_ID": "AKIA-Key-Of-The-Bucket-7",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.url,
        }

    def start(self):
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                gateway._open.add(self.connection)

            def handle_one_request(self):
                with suppress(OSError):  # a client that left, or a gateway that was stopped
                    super().handle_one_request()
                    return
                self.close_connection = True

            def __getattr__(self, name):
                if name.startswith("do_"):
                    return lambda: gateway._answer(self)
                raise AttributeError(name)

            def log_message(self, *_):
                pass

        self._open, self._running = set(), True
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        """Refuse connections, and drop those that are open."""
        self._running = False
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def fail(self, action, times, method="PUT", part=""):
        """Let the next requests of a kind fail."""
        left = [times]

        def fault(verb, path):
            if verb == method and part in path and left[0]:
                left[0] -= 1
                return action
            return None

        self.faults.append(fault)

    def _answer(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        if not self._running:  # a connection that was opened while the gateway stopped
            handler.close_connection = True
            return
        self.requests.append((handler.command, handler.path))
        action = next(filter(None, (fault(handler.command, handler.path) for fault in self.faults)), None)
        if isinstance(action, int):
            self._reply(handler, action, {}, f"<Error><Code>Code{action}</Code></Error>".encode())
            return
        if action == "late":
            time.sleep(0.5)
        headers = {name: value for name, value in handler.headers.items() if name.lower() != "connection"}
        if action == "no conditions":
            headers = {name: value for name, value in headers.items() if not name.lower().startswith("if-")}
        status, given, content = self._forward(handler, headers, body)
        if action == "lost":
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        self._reply(handler, status, given, content)

    def _forward(self, handler, headers, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=30)
        connection.request(handler.command, handler.path, body, headers)
        response = connection.getresponse()
        content = response.read()
        given = {name: value for name, value in response.getheaders() if name.lower() not in _NOT_FORWARDED}
        given["Content-Length"] = response.headers.get("Content-Length") or str(len(content))
        connection.close()
        return response.status, given, content

    def _reply(self, handler, status, headers, content):
        handler.send_response(status)
        for name, value in ({"Content-Length": str(len(content))} | headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(b"" if handler.command == "HEAD" else content)


def environment_of(gateway):
    """The variables of a process that uses the gateway."""
    return {**os.environ, **gateway.environment()}
