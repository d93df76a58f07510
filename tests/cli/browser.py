"""browser.py -- a headless Chromium, driven by its DevTools protocol.

A Browser is one process; a Page of it has storage of its own, as a fresh
profile has, unless it shares the context of another page.
"""
import json
import os
import subprocess
import tempfile
import time

import websocket

import harness

# Seconds after which a condition does not come true any more; on a quiet
# machine it takes a fraction of a second.
PATIENCE = 1200

# As root in a container Chromium has no sandbox and little shared memory.  It
# must not call its maker.
FLAGS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
         "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync",
         "--remote-allow-origins=*", "--remote-debugging-port=0"]


class Page:
    """A tab.  All names of methods and members are those of DevTools."""

    def __init__(self, browser, context, target):
        self.browser, self.context, self.target = browser, context, target
        self.session = browser.call("Target.attachToTarget",
                                    targetId=target, flatten=True)["sessionId"]
        self.loader = None  # Of the document that is shown.
        for domain in "Page", "Network", "Runtime":
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def call(self, method, **params):
        """Sends a command and returns its result."""
        return self.browser.call(method, self.session, **params)

    def close(self):
        """Closes the tab."""
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.forget(self.session)

    def run(self, script):
        """The value of an expression in the page; waits for promises."""
        done = self.call("Runtime.evaluate", expression=script,
                         returnByValue=True, awaitPromise=True,
                         userGesture=True)
        if "exceptionDetails" in done:
            raise AssertionError(f"{script}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def wait(self, script):
        """Waits until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(script):
            assert time.monotonic() < end, script
            time.sleep(0.01)

    def open(self, address):
        """Loads an address, and waits until that is done."""
        self.browser.forget(self.session)
        self.loader = self.call("Page.navigate", url=address)["loaderId"]
        self.browser.event(lambda event: self._is_load(event) and
                           event["params"]["loaderId"] == self.loader)

    def reload(self):
        """Loads the page again."""
        self.browser.forget(self.session)
        self.call("Page.reload")
        done = self.browser.event(lambda event: self._is_load(event) and
                                  event["params"]["loaderId"] != self.loader)
        self.loader = done["params"]["loaderId"]

    def _is_load(self, event):
        return (event.get("sessionId") == self.session and
                event["method"] == "Page.lifecycleEvent" and
                event["params"]["name"] == "load")

    def requests(self):
        """The addresses that were asked for since the page was loaded."""
        return [event["params"]["request"]["url"]
                for event in self.browser.events
                if event.get("sessionId") == self.session and
                event["method"] == "Network.requestWillBeSent"]

    def press(self, key):
        """Presses a key and lets it go."""
        for kind in "rawKeyDown", "keyUp":
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def give_files(self, selector, *paths):
        """Chooses files for a file input."""
        document = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=document,
                         selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", files=list(paths), nodeId=node)


class Browser:
    """One process of Chromium with a profile that it forgets."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            ["chromium", *FLAGS, f"--user-data-dir={self.profile.name}",
             "about:blank"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.n_calls, self.events = 0, []
        self.socket = websocket.create_connection(
            self._address(), timeout=harness.PATIENCE)

    def _address(self):
        """Where it listens, which it writes into a file."""
        path = f"{self.profile.name}/DevToolsActivePort"
        end = time.monotonic() + harness.PATIENCE
        while True:
            try:
                with open(path, encoding="ascii") as file:
                    port, where = file.read().split("\n")
                return f"ws://127.0.0.1:{port}{where}"
            except (OSError, ValueError):
                assert self.process.poll() is None, "Chromium does not start"
                assert time.monotonic() < end, "Chromium does not listen"
                time.sleep(0.01)

    def call(self, method, session=None, **params):
        """Sends a command and returns its result."""
        self.n_calls += 1
        message = {"id": self.n_calls, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.n_calls:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def event(self, is_it):
        """Waits for an event for which 'is_it' holds."""
        seen = 0
        while True:
            for event in self.events[seen:]:
                if is_it(event):
                    return event
            seen = len(self.events)
            self.events.append(json.loads(self.socket.recv()))

    def forget(self, session):
        """Forgets the events of a page, or, for None, of the browser."""
        self.events = [event for event in self.events
                       if event.get("sessionId") != session]

    def page(self, like=None):
        """A new tab, which shares its storage with page 'like' alone."""
        context = like.context if like else self.call(
            "Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank",
                           browserContextId=context)["targetId"]
        return Page(self, context, target)

    def close(self):
        """Ends the process."""
        try:
            self.call("Browser.close")
        except (OSError, websocket.WebSocketException):
            pass
        self.socket.close()
        self.process.wait(timeout=harness.PATIENCE)
        self.profile.cleanup()


def address(path):
    """The address of a file."""
    return "file://" + os.path.abspath(path)
