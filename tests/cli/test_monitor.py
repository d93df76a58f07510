"""'slimfly monitor': events, journal, signals, the web server by hand, and the
page in a browser.  What it discovers is made up (hall.py)."""
import json
import os
import re
import resource
import signal
import socket
import ssl
import subprocess

import browser
import hall
import harness
from monitored import Monitor, Stream, replace, wait_for

PATHS = ["/", "/monitor.js", "/monitor.css", "/plan.json", "/state.json",
         "/events.json", "/metrics", "/job.json?nodes=node0000"]
FAMILIES = ["sf:q=5", "ft2:ports=8", "ft3:ports=4", "hx2:4x4,p=2",
            "df:a=4,h=2,p=2", "xpander:k=4,lift=4,seed=1", "jellyfish:n=20,k=4,seed=1",
            "pf:q=3"]


class Hall(hall.Hall):
    """A hall with a monitor."""

    def start(self, spec, *options):
        super().start(spec, *options)
        self.write()

    def write(self, seed=1):
        """Whoever reads it never sees half of it."""
        path, self.found = self.found, self.found + ".draft"
        super().write(seed)
        self.found = path
        replace(path, path + ".draft")

    def monitor(self, *args, **kwargs):
        """Starts a monitor that looks often."""
        for option, value in ("--listen", "127.0.0.1:0"), ("--status", "none"):
            if option not in args:
                args = (option, value, *args)
        monitor = Monitor(self.plan, "--exec", f"cat {self.found}", "-n",
                          "0.2", *args, **kwargs)
        self.addCleanup(lambda: monitor.__exit__())
        return monitor

    def unplug(self, end):
        """Pulls a cable out of both its ports."""
        self.peers.pop(self.peers.pop(end))


class Events(Hall):
    def test_a_cable_goes_and_comes_back(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        wait_for(lambda: monitor.json("/state.json")["discovered"], "state")
        stream = Stream(monitor.follow())
        self.addCleanup(stream.client.close)
        stream.until(lambda frame: "retry:" in frame)
        peer = self.peers["sf-0-0-0", 8]
        self.unplug(("sf-0-0-0", 8))
        self.write()
        began = monitor.wait_event(event="began")
        self.assertEqual((began["kind"], began["severity"], began["source"]),
                         ("missing", "critical", "cabling"))
        self.assertIn("sf-0-0-0 port 8", began["text"])
        self.assertIn("Plug in a cable", began["remedy"])
        frame = stream.until(lambda frame: '"event":"began"' in frame)
        self.assertIn(f"id: {began['id']}\n", frame)
        state = monitor.json("/state.json")
        self.assertEqual(state["n_open"], 1)
        self.assertEqual(state["states"].count("1"), 1)
        self.assertIn("slimfly_monitor_cables_right 374\n",
                      monitor.ask("/metrics")[2].decode())
        self.peers["sf-0-0-0", 8], self.peers[peer] = peer, ("sf-0-0-0", 8)
        self.write()
        ended = monitor.wait_event(event="ended")
        self.assertEqual(ended["cable"], began["cable"])
        stream.until(lambda frame: '"event":"ended"' in frame)
        self.assertEqual(monitor.stop(), 0)
        ids = [event["id"] for event in monitor.events()]
        self.assertEqual(ids, list(range(1, len(ids) + 1)))

    def test_every_family(self):
        for spec in FAMILIES:
            with self.subTest(spec):
                self.start(spec)
                with self.monitor() as monitor:
                    wait_for(lambda: monitor.json("/state.json")["discovered"],
                             "state")
                    state = monitor.json("/state.json")
                    self.assertEqual(state["n_open"], 0)
                    self.assertEqual(set(state["states"]), {"0"})
                    job = monitor.json("/job.json?nodes=node[0000-0003]")
                    self.assertEqual(len(job["nodes"]), 4)

    def test_a_restart_goes_on(self):
        self.start("sf:q=5")
        path = f"{self.folder}/events.jsonl"
        self.unplug(("sf-0-0-0", 8))
        self.write()

        def events():
            with open(path, encoding="utf-8") as file:
                return [json.loads(line) for line in file]

        def kinds():
            return [event["event"] for event in events()
                    if event["source"] == "cabling"]

        for sign in signal.SIGTERM, signal.SIGKILL, signal.SIGINT:
            monitor = self.monitor("--events", path)
            wait_for(lambda: kinds() == ["began"], kinds)
            # It has looked since, more often than a new event would need.
            n = int(re.search(r"discoveries_total (\d+)", monitor.ask(
                "/metrics")[2].decode()).group(1))
            wait_for(lambda: int(re.search(
                r"discoveries_total (\d+)",
                monitor.ask("/metrics")[2].decode()).group(1)) > n + 3, "look")
            monitor.stop(sign)
            self.assertEqual(kinds(), ["began"])
        ids = [event["id"] for event in events()]
        self.assertEqual(ids, list(range(1, len(ids) + 1)))

    def test_two_at_a_time(self):
        self.start("sf:q=5")
        path = f"{self.folder}/events.jsonl"
        monitor = self.monitor("--events", path)
        self.fails("monitor", self.plan, "--exec", "true", "--listen", "none",
                   "--events", path, says="another monitor writes")
        self.fails("monitor", self.plan, "--exec", "true", "--listen",
                   f"127.0.0.1:{monitor.port}", says="Address already in use")

    def test_logrotate(self):
        self.start("sf:q=5")
        path = f"{self.folder}/events.jsonl"
        monitor = self.monitor("--events", path)
        wait_for(lambda: os.path.getsize(path), "the first event")
        os.rename(path, path + ".1")
        monitor.process.send_signal(signal.SIGHUP)
        wait_for(lambda: os.path.exists(path), "a new file")
        self.unplug(("sf-0-0-0", 8))
        self.write()
        wait_for(lambda: os.path.getsize(path), "an event")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.loads(file.readline())["event"], "began")

    def test_a_full_disk(self):
        self.start("sf:q=5")
        path = f"{self.folder}/events.jsonl"

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (700, 1 << 30))

        monitor = self.monitor("--events", path, setup=limit)
        self.unplug(("sf-0-0-0", 8))
        self.write()
        wait_for(lambda: any("File too large" in line
                             for line in monitor.errors), "a complaint")
        faults = wait_for(lambda: [
            fault for fault in monitor.json("/state.json")["open"]
            if fault["kind"] == "no_events"], "a fault")
        self.assertIn("cannot write events", faults[0]["text"])
        with open(path, encoding="utf-8") as file:
            for line in file:
                json.loads(line)
        # There is room again: what was kept back is written.
        resource.prlimit(monitor.process.pid, resource.RLIMIT_FSIZE,
                         (1 << 30, 1 << 30))
        wait_for(lambda: not [
            fault for fault in monitor.json("/state.json")["open"]
            if fault["kind"] == "no_events"], "no fault")
        with open(path, encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        self.assertEqual([event["id"] for event in events],
                         list(range(1, len(events) + 1)))
        self.assertIn("began", [event["event"] for event in events])

    def test_it_ends_at_once(self):
        self.start("sf:q=5")
        for sign in signal.SIGTERM, signal.SIGINT:
            monitor = Monitor(self.plan, "--exec", "sleep 100000", "--status",
                              "none", "--listen", "127.0.0.1:0", "-t", "80000")
            followers = [monitor.follow() for _ in range(5)]
            self.assertEqual(monitor.stop(sign), 0)
            for follower in followers:
                follower.close()

    def test_a_discovery_that_fails(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        wait_for(lambda: monitor.json("/state.json")["discovered"], "state")
        os.remove(self.found)
        event = monitor.wait_event(event="began", kind="no_discovery")
        self.assertIn("cat", event["text"])
        self.write()
        monitor.wait_event(event="ended", kind="no_discovery")

    def test_the_status_of_the_manager(self):
        self.start("sf:q=5")
        status = f"{self.folder}/status.json"
        monitor = self.monitor("--status", status)
        event = monitor.wait_event(event="began", source="manager")
        self.assertEqual(event["kind"], "no_status")
        self.assertEqual(monitor.json("/state.json")["manager"]["verdict"],
                         "unknown")

    def test_what_cannot_be(self):
        self.start("sf:q=5")
        key = f"{self.folder}/key"
        with open(key, "w", encoding="ascii") as file:
            file.write("short\n")
        run = ("monitor", self.plan, "--exec", "true", "--listen")
        self.fails("monitor", says="expected a plan")
        self.fails("monitor", self.plan, "elsewhere", says="live:DEVICE:PORT")
        self.fails(*run, "0.0.0.0:0", says="needs TLS and a token")
        self.fails(*run, "nowhere", says="an address in numbers")
        self.fails(*run, "127.0.0.1:0", "--token", key, says="16 to 256")
        self.fails(*run, "127.0.0.1:0", "--tls-cert", key, says="both")
        self.fails(*run, "127.0.0.1:0", "--tls-cert", key, "--tls-key", key,
                   says="PEM")
        self.fails(*run, "127.0.0.1:0", "--events", "/nowhere/e",
                   says="/nowhere/e")
        os.chmod(key, 0o644)
        with open(key, "w", encoding="ascii") as file:
            file.write("abcdefghijklmnopqrstuvwxyz\n")
        self.fails(*run, "127.0.0.1:0", "--token", key, says="chmod o-r")
        with open(f"{self.folder}/e.state", "w", encoding="ascii") as file:
            file.write("{}")
        self.fails(*run, "127.0.0.1:0", "--events", f"{self.folder}/e",
                   says="slimfly.timeline")


class Server(Hall):
    def test_documents(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        wait_for(lambda: monitor.json("/state.json")["discovered"], "state")
        for path in PATHS:
            with self.subTest(path):
                status, headers, body = monitor.ask(path)
                self.assertEqual(status, 200)
                self.assertIn("default-src 'none'",
                              headers["content-security-policy"])
                self.assertEqual(headers["x-content-type-options"], "nosniff")
                # No other host is named, but for the namespace of SVG.
                found = set(re.findall(rb"[a-z]+://[^\s\"'`]+", body))
                self.assertLessEqual(found, {b"http://www.w3.org/2000/svg"})
                again = monitor.ask(path, method="HEAD")
                self.assertEqual((again[0], again[2]), (200, b""))
                self.assertEqual(again[1]["content-type"],
                                 headers["content-type"])
        plan = monitor.json("/plan.json")
        self.assertEqual((len(plan["cables"]), len(plan["nodes"])), (375, 250))

    def test_nothing_can_be_changed(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        for method in "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW":
            for path in "/", "/events", "/nowhere":
                status, headers, _ = monitor.ask(
                    path, method, headers=["Content-Length: 0"])
                self.assertEqual((status, headers.get("allow")),
                                 (405, "get, head"), (method, path))
        self.assertEqual(monitor.ask("/nowhere")[0], 404)
        self.assertEqual(monitor.ask("/../etc/passwd")[0], 404)
        self.assertEqual(monitor.ask("//")[0], 404)

    def test_bad_requests(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        for request in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                        b"\0" * 2000, b"GET /" + b"a" * 200000,
                        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000,
                        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1"
                        b"\r\n\r\n",
                        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length:"
                        b" 99999999\r\n\r\n" + b"x" * 100000,
                        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"):
            with monitor.connect() as client:
                try:
                    client.sendall(request)
                    client.shutdown(socket.SHUT_WR)
                    answer = client.recv(65536)
                except OSError: # It may be refused before all is sent.
                    answer = b""
                self.assertNotIn(b" 200 ", answer[:20], request[:30])
        self.assertEqual(monitor.ask("/")[0], 200)
        for name in "evil.example", f"evil.example:{monitor.port}", "[::2]":
            answer = monitor.raw(f"GET /state.json HTTP/1.1\r\nHost: {name}\r\n"
                                 "Connection: close\r\n\r\n".encode())
            self.assertIn(b" 403 ", answer[:20])

    def test_jobs(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        wait_for(lambda: monitor.json("/state.json")["discovered"], "state")
        one = monitor.json("/job.json?nodes=node%5B0000-0001%5D")
        # Both are on one switch: no link between switches.
        self.assertEqual([row[0] for row in one["cables"]], [0, 1])
        for text in ("", "node%5B", "node[0-", "x" * 2000, "%00", "%ff",
                     "node[0-99999999]"):
            answer = monitor.json(f"/job.json?nodes={text}")
            self.assertTrue(answer["failure"] or not answer["nodes"], text)

    def test_many_clients(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        followers = [monitor.follow() for _ in range(230)]
        self.addCleanup(lambda: [one.close() for one in followers])
        heads = [one.recv(4096) for one in followers]
        self.assertEqual(sum(b" 200 " in head[:20] for head in heads), 192)
        self.assertEqual(sum(b" 503 " in head[:20] for head in heads), 38)
        # Others are served all the same, and an event reaches each.
        self.assertEqual(monitor.ask("/")[0], 200)
        self.unplug(("sf-0-0-0", 8))
        self.write()
        for one, head in zip(followers, heads):
            if b" 200 " in head[:20]:
                Stream(one).until(lambda frame: '"event":"began"' in frame)
                one.close()

        def n_streams():
            return int(re.search(r"monitor_streams (\d+)", monitor.ask(
                "/metrics")[2].decode()).group(1))
        wait_for(lambda: n_streams() == 0, "streams that ended")

    def test_a_client_that_does_not_read(self):
        self.start("sf:q=11")
        monitor = self.monitor()
        idle = []
        for path in ["/plan.json"] * 20 + ["/events"] * 20:
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            client.connect(("127.0.0.1", monitor.port))
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
                           .encode())
            idle.append(client)
        self.addCleanup(lambda: [client.close() for client in idle])
        wait_for(lambda: monitor.json("/state.json")["discovered"], "state")
        self.unplug(("sf-0-0-0", 14))
        self.write()
        monitor.wait_event(event="began")
        self.assertEqual(monitor.stop(), 0)

    def test_a_stream_goes_on(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        self.unplug(("sf-0-0-0", 8))
        self.write()
        began = monitor.wait_event(event="began")
        with monitor.follow(["Last-Event-ID: 1"]) as client:
            frame = Stream(client).until(lambda frame: "began" in frame)
        self.assertIn(f"id: {began['id']}\n", frame)

    def test_tls_and_a_token(self):
        self.start("sf:q=5")
        cert, key, token = (f"{self.folder}/{name}"
                            for name in ("cert", "key", "token"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
             cert, "-days", "2", "-subj", "/CN=slimfly"], check=True,
            capture_output=True)
        word = "correct-horse-battery-staple"
        with open(os.open(token, os.O_CREAT | os.O_WRONLY, 0o600), "w",
                  encoding="ascii") as file:
            file.write(word + "\n")
        monitor = self.monitor("--listen", "0.0.0.0:0", "--tls-cert", cert,
                               "--tls-key", key, "--token", token)
        self.assertTrue(monitor.address.startswith("https://"))
        tls = ssl.create_default_context(cafile=cert)
        tls.check_hostname = False
        for path in PATHS + ["/events", "/nowhere"]:
            for headers in ([], ["Authorization: Bearer wrong-word-of-length"],
                            ["Cookie: slimfly-token="],
                            [f"Authorization: Bearer {word}x"],
                            [f"Authorization: Bearer {word[:-1]}"]):
                status, _, body = monitor.ask(path, tls=tls, headers=headers)
                self.assertEqual(status, 401, (path, headers))
                self.assertNotIn(b"sf:q=5", body)
        status, headers, _ = monitor.ask(f"/?token={word}", tls=tls)
        self.assertEqual((status, headers["location"]), (303, "/"))
        self.assertIn("httponly; samesite=strict; secure",
                      headers["set-cookie"])
        for good in (f"Authorization: Bearer {word}",
                     f"Cookie: slimfly-token={word}"):
            self.assertEqual(monitor.ask("/plan.json", tls=tls,
                                         headers=[good])[0], 200)
        self.assertNotIn(b"200", monitor.raw(
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[:20])


class Pages(Hall):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def open(self, monitor, view="racks"):
        page = self.browser.page()
        self.addCleanup(page.close)
        page.open(f"{monitor.address}#{view}")
        page.wait("document.getElementById('asof').textContent"
                  ".startsWith('as of')")
        return page

    def find(self, page, term):
        """Types a term into the search, and presses Enter."""
        page.run("document.getElementById('term').focus()")
        page.call("Input.insertText", text=term)
        for kind in "keyDown", "keyUp":
            page.call("Input.dispatchKeyEvent", type=kind, key="Enter",
                      code="Enter", windowsVirtualKeyCode=13, text="\r")

    def text(self, page, selector):
        return page.run(f"document.querySelector({json.dumps(selector)})"
                        ".innerText")

    def test_a_fault_appears(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        page = self.open(monitor)
        page.wait("document.querySelectorAll('.rack .c.s0').length === 550")
        self.assertIn("all 375 cables are right", self.text(page, "#verdict"))
        self.unplug(("sf-0-0-0", 8))
        self.write()
        page.wait("document.querySelectorAll('.rack .c.s1').length === 2")
        page.wait("document.getElementById('n-faults').textContent === '1'")
        page.run("document.getElementById('tab-faults').click()")
        self.assertIn("Plug in a cable", self.text(page, "#fault-list"))
        page.run("document.getElementById('tab-timeline').click()")
        self.assertIn("Missing cable", self.text(page, "#events li"))
        page.run("document.getElementById('tab-network').click()")
        page.wait("document.querySelectorAll('#graph .k.s1').length === 1")
        page.run("document.getElementById('graph-details').open = true")
        page.wait("document.querySelectorAll('#graph-table tbody tr').length"
                  " === 50")
        page.run("document.getElementById('tab-wiring').click()")
        self.assertIn("374 of 375 cables are right",
                      self.text(page, "#wiring"))
        page.run("document.querySelector('.tiles button').click()")
        page.wait("document.querySelectorAll('.todo li').length === 1")
        hosts = {re.match(r"[a-z]+://([^/]*)", url).group(1)
                 for url in page.requests() if not url.startswith("data:")}
        self.assertEqual(hosts, {f"127.0.0.1:{monitor.port}"})

    def test_the_cables_of_a_tray(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        page = self.open(monitor)
        page.run("document.getElementById('tab-timeline').click()")
        before = dict(self.peers)
        between = [(a, b) for a, b in self.peers.items()
                   if a < b and a[0] in self.switches and b[0] in self.switches]
        for a, b in between[:25]:
            del self.peers[a], self.peers[b]
        self.write()
        monitor.wait_event(event="began", sum=True)
        self.peers = before
        self.write()
        monitor.wait_event(event="ended", sum=True)
        first = "document.querySelector('#events li .text')"
        page.wait(f"{first} && {first}.innerText.includes('ended')")
        self.assertEqual(self.text(page, "#events li .text"),
                         "5 more of the same kind ended at the same time "
                         "(missing)")

    def test_search(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        page = self.open(monitor)
        self.find(page, "node0042")
        page.wait("!document.getElementById('panel').hidden")
        self.assertIn("Host node0042", self.text(page, "#panel"))
        self.assertEqual(page.run("document.querySelectorAll('.rack .c.pick')"
                                  ".length"), 1)
        page.run("document.getElementById('term').value = ''")
        self.find(page, "c00300")
        page.wait("document.getElementById('panel').innerText"
                  ".includes('Cable C00300')")
        page.run("document.getElementById('term').value = ''")
        self.find(page, "no such thing")
        page.wait("document.getElementById('hits').innerText"
                  ".includes('Nothing is called')")
        page.wait("document.getElementById('panel').hidden")
        page.run("document.getElementById('term').value = ''")
        self.find(page, "rack 3")
        page.wait("document.getElementById('live').textContent"
                  ".startsWith('Rack R3: 10 switches, 40 hosts')")
        self.assertEqual(page.run(
            "[...document.querySelectorAll('[aria-label]')].filter((e) => "
            "e.getAttribute('aria-label').includes('switchs')).length"), 0)
        page.run("document.getElementById('term').value = ''")
        self.find(page, "job node[0000-0003,0100-0103]")
        page.wait("document.getElementById('panel').innerText"
                  ".includes('shortest paths')")
        self.assertIn("2 switches", self.text(page, "#panel"))
        self.assertGreater(page.run(
            "document.querySelectorAll('.rack .c:is(.j1,.j2,.j3,.j4)').length"), 8)
        page.run("document.getElementById('term').value = ''")
        self.find(page, "job node[")
        page.wait("document.getElementById('hits').innerText"
                  ".includes('job: ')")

    def test_keyboard(self):
        self.start("sf:q=5")
        monitor = self.monitor()
        page = self.open(monitor)

        def press(key, code=0):
            for kind in "rawKeyDown", "keyUp":
                page.call("Input.dispatchKeyEvent", type=kind, key=key,
                          code=key, windowsVirtualKeyCode=code)

        press("/", 191)
        self.assertEqual(page.run("document.activeElement.id"), "term")
        page.run("document.getElementById('tab-racks').focus()")
        press("ArrowRight", 39)
        self.assertEqual(page.run("document.activeElement.id"), "tab-network")
        self.assertFalse(page.run("document.getElementById('network').hidden"))
        press("ArrowLeft", 37)
        page.run("document.querySelector('.rack svg').focus()")
        for key, code in (("ArrowRight", 39), ("ArrowRight", 39),
                          ("ArrowDown", 40), ("Enter", 13)):
            press(key, code)
        page.wait("document.getElementById('panel').innerText"
                  ".includes('Cable C00006')")
        self.assertIn("C00006", self.text(page, "#live"))
        press("Escape", 27)
        self.assertTrue(page.run("document.getElementById('panel').hidden"))
        # All that can be pressed has a name and can have the focus.
        self.assertEqual(page.run(
            "[...document.querySelectorAll('button,input,select,svg[tabindex]')]"
            ".filter((e) => !(e.innerText || e.labels?.length || "
            "e.getAttribute('aria-label'))).length"), 0)
        for tab in "racks", "network", "faults", "timeline", "wiring":
            self.assertEqual(page.run(
                f"document.getElementById('tab-{tab}')"
                ".getAttribute('aria-controls')"), tab)

    def test_a_tablet(self):
        self.start("sf:q=5")
        for end in [("sf-0-0-0", 8), ("sf-0-0-1", 9)]:
            self.unplug(end)
        self.swap(("sf-0-1-0", 8), ("sf-0-1-1", 8))
        self.write()
        monitor = self.monitor()
        page = self.browser.page()
        self.addCleanup(page.close)
        page.call("Emulation.setDeviceMetricsOverride", width=800, height=1200,
                  deviceScaleFactor=1, mobile=True)
        page.open(f"{monitor.address}#wiring")
        page.wait("document.getElementById('wiring').innerText"
                  ".includes('2 mistakes to mend')")
        self.assertLessEqual(page.run("document.documentElement.scrollWidth"),
                             800)
        # Fingers find what they press.
        self.assertEqual(page.run(
            "[...document.querySelectorAll('#wiring .tiles button')]"
            ".filter((e) => e.offsetHeight < 40).length"), 0)
        # The three racks with such cables stand out.
        self.assertEqual(page.run(
            "[...document.querySelectorAll('#wiring .tiles button')]"
            ".map((e) => getComputedStyle(e, null).borderLeftColor ==="
            " getComputedStyle(e, null).borderTopColor ? '.' : '!').join('')"),
            "!!!..")
        # On a phone nothing lies beside the screen, in any view.
        page.call("Emulation.setDeviceMetricsOverride", width=390, height=844,
                  deviceScaleFactor=1, mobile=True)
        for tab in "racks", "network", "faults", "timeline", "wiring":
            page.run(f"document.getElementById('tab-{tab}').click()")
            page.wait("document.documentElement.clientWidth === 390")
            self.assertLessEqual(
                page.run("document.documentElement.scrollWidth"), 390, tab)

    @harness.long
    def test_a_large_network(self):
        self.start("sf:q=17")
        self.unplug(("sf-0-0-0", 20))
        self.write()
        monitor = self.monitor()
        page = self.open(monitor)
        page.wait("document.querySelectorAll('.rack .c.s1').length === 2")
        self.assertEqual(page.run("document.querySelectorAll('.rack .c').length"),
                         7514 + 2 * 7225)
        page.run("document.getElementById('tab-network').click()")
        page.wait("document.querySelectorAll('#graph .k.s1').length === 1")
        page.run("document.querySelector('input[value=load]').click()")
        page.wait("document.querySelectorAll('#graph .k.lx').length === 7224")
        self.find(page, "job node[0000-0200]")
        page.wait("document.querySelectorAll('#graph .k:is(.j1,.j2,.j3,.j4)')"
                  ".length > 50")


if __name__ == "__main__":
    harness.main()
