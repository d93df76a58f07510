"""monitored.py -- a running 'slimfly monitor' for a test: its events, its page,
and clients that speak HTTP by hand."""
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

import harness


def wait_for(holds, what):
    """Waits until 'holds' gives something true, which is returned."""
    end = time.monotonic() + harness.PATIENCE
    while True:
        found = holds()
        if found:
            return found
        assert time.monotonic() < end, what
        time.sleep(0.02)


class Monitor:
    """A process; use it in a with statement."""

    def __init__(self, *args, env=None, setup=None, cwd=None):
        self.process = subprocess.Popen(
            [harness.PROGRAM, "monitor", *args], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=cwd, preexec_fn=setup,
            env=env)
        self.lines, self.errors = [], []
        self.threads = [threading.Thread(target=self._read, args=pair)
                        for pair in ((self.process.stdout, self.lines),
                                     (self.process.stderr, self.errors))]
        for thread in self.threads:
            thread.start()
        self.address = wait_for(self._find_address, "no page")
        self.port = int(self.address.rsplit(":", 1)[1].rstrip("/"))

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))

    def _find_address(self):
        assert self.process.poll() is None, self.errors
        for line in self.errors:
            found = re.search(r"the page is at (\S+)", line)
            if found:
                return found.group(1)
        return None

    def events(self):
        """What was printed on standard output so far."""
        return [json.loads(line) for line in self.lines]

    def wait_event(self, about="", **wanted):
        """Waits for an event with these members, with 'about' in its text."""
        return wait_for(lambda: next(
            (event for event in self.events()
             if about in event["text"]
             and all(event[key] == value for key, value in wanted.items())),
            None), (about, wanted))

    def connect(self, tls=None):
        """A socket to the server."""
        plain = socket.create_connection(("127.0.0.1", self.port),
                                         timeout=harness.PATIENCE)
        return tls.wrap_socket(plain) if tls else plain

    def raw(self, request, tls=None):
        """All that is answered to some bytes until the server closes."""
        with self.connect(tls) as client:
            client.sendall(request)
            answer = b""
            try:
                while True:
                    part = client.recv(65536)
                    if not part:
                        return answer
                    answer += part
            except ConnectionResetError:
                return answer

    def ask(self, path="/", method="GET", tls=None, headers=()):
        """(status, headers, body) of a request."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}",
                 "Connection: close", *headers]
        answer = self.raw(("\r\n".join(lines) + "\r\n\r\n").encode(), tls)
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        return (int(first.split()[1]),
                dict(line.lower().split(": ", 1) for line in rest), body)

    def json(self, path):
        """A document."""
        status, _, body = self.ask(path)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def follow(self, headers=()):
        """A client of the stream, which has sent its request."""
        client = self.connect()
        lines = ["GET /events HTTP/1.1", "Host: localhost", *headers]
        client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return client

    def stop(self, number=signal.SIGTERM):
        """Ends it; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=harness.PATIENCE)
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.process.stdout.closed:
            self.stop()


class Stream:
    """Reads the events of a stream."""

    def __init__(self, client):
        self.client, self.text = client, b""

    def until(self, is_it):
        """Reads until a frame comes for which 'is_it' holds; returns it."""
        while True:
            for frame in self.text.decode(errors="replace").split("\n\n"):
                if is_it(frame):
                    return frame
            part = self.client.recv(65536)
            assert part, "the stream ended"
            self.text += part


def replace(path, source):
    """Puts the bytes of 'source' in the place of 'path' at once."""
    with open(source, "rb") as file:
        data = file.read()
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.replace(path + ".new", path)
