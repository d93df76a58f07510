"""opensm.py -- a real OpenSM on a simulated fabric, with or without the
plugin; for tests and demonstrations."""
import json
import os
import signal
import subprocess
import time

from ibsim import PATIENCE

DEFAULTS = {"routing_engine": "layered,no_fallback", "lmc": 0, "qos": "TRUE",
            "max_op_vls": 5, "log_flags": "0x43", "force_log_flush": "TRUE",
            "sweep_interval": 0}


class OpenSM:
    """Runs OpenSM in a folder of its own, where it leaves log, dump files and
    cache; use it in a with statement.  'plugin' is the folder of
    libosmslimfly.so, 'options' what is said to it, 'conf' a configuration to
    take instead of the usual one; other settings go by the names of OpenSM's
    configuration."""

    def __init__(self, sim, folder, plugin=None, options="", host=None,
                 conf=None, **settings):
        self.sim, self.folder, self.n_seen = sim, folder, 0
        os.makedirs(folder, exist_ok=True)
        self.status_path = f"{folder}/status.json"
        settings = {**({} if conf else DEFAULTS), "dump_files_dir": folder,
                    **settings}
        env = {**sim.env(), "OSM_TMP_DIR": folder, "OSM_CACHE_DIR": folder}
        if plugin:
            env["LD_LIBRARY_PATH"] = os.path.abspath(plugin)
        if plugin and not conf:
            settings["event_plugin_name"] = "osmslimfly"
            settings["event_plugin_options"] = options
        if host:
            env["SIM_HOST"] = host
        with open(f"{folder}/conf", "w", encoding="utf-8") as file:
            if conf:
                with open(conf, encoding="utf-8") as given:
                    file.write(given.read())
            for key, value in settings.items():
                file.write(f"{key} {value}\n")
        with open(f"{folder}/output", "wb") as output:
            self.process = subprocess.Popen(
                ["opensm", "-F", f"{folder}/conf", "-f", f"{folder}/log"],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=env)

    def log(self):
        """What OpenSM has logged."""
        try:
            with open(f"{self.folder}/log", encoding="latin1") as log:
                return log.read()
        except FileNotFoundError:
            return ""

    def status(self):
        """What the plugin's status file says; empty if there is none yet."""
        try:
            with open(self.status_path, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def until(self, holds, what, timeout=PATIENCE):
        """Waits until 'holds' returns something true, and returns it."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            found = holds()
            if found:
                return found
            if self.process.poll() is not None:
                raise RuntimeError(f"opensm ended before {what}:\n"
                                   + self.log()[-2000:])
            time.sleep(0.02)
        raise RuntimeError(f"not within {timeout} seconds: {what}\n"
                           + self.log()[-2000:])

    def wait_up(self, timeout=PATIENCE):
        """Until the subnet has come up once more."""
        self.until(lambda: self.log().count("SUBNET UP") > self.n_seen,
                   "the subnet comes up", timeout)
        self.n_seen = self.log().count("SUBNET UP")

    def wait_status(self, timeout=PATIENCE, **expected):
        """Until the subnet is up and the status has 'expected' members, at
        the top or in its routing; then the status."""
        def holds():
            status = self.status()
            found = {**status, **(status.get("routing") or {})}
            return status.get("state") == "up" and all(
                found.get(key) == value for key, value in expected.items()) \
                and status
        return self.until(holds, f"status {expected}: {self.status()}",
                          timeout)

    def hangup(self):
        """Makes OpenSM read its configuration and sweep again."""
        self.process.send_signal(signal.SIGHUP)

    def stop(self):
        """Ends it, and waits for that."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(300)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
