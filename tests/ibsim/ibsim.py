"""ibsim.py -- a simulated InfiniBand fabric for a test, and the real tools on
it.  Several can run side by side: each has a socket name of its own."""
import os
import shutil
import subprocess
import tempfile
import time

UMAD2SIM = subprocess.run(
    ["sh", "-c", "ls /usr/lib/*/umad2sim/libumad2sim.so | head -n 1"],
    capture_output=True, text=True, check=True).stdout.strip()
SUPPRESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "asan.supp")
PATH = os.environ["PATH"] + ":/usr/sbin"
# Seconds after which something hangs.  A guard only: a busy machine takes many
# times as long as a quiet one.
PATIENCE = 1200


class Ibsim:
    """Runs ibsim on a netlist; use it in a with statement."""

    n_started = 0

    def __init__(self, netlist, nodes=2048, switches=256, ports=13312):
        Ibsim.n_started += 1
        self.socket = f"slimfly-{os.getpid()}-{Ibsim.n_started}"
        self.folder = tempfile.mkdtemp(prefix="slimfly-ibsim-")
        self.console = f"{self.folder}/console"
        with open(self.console, "wb") as console:
            self.process = subprocess.Popen(
                ["ibsim", "-s", "-N", str(nodes), "-S", str(switches), "-P",
                 str(ports), "-L", "49151", os.path.abspath(netlist)],
                env={**os.environ, "PATH": PATH,
                     "IBSIM_SOCKNAME": self.socket},
                stdin=subprocess.PIPE, stdout=console,
                stderr=subprocess.STDOUT, cwd=self.folder)
        self._wait_until_ready()

    def _wait_until_ready(self):
        # The sockets of the ten clients are bound last.
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"ibsim ended: {self._printed()[-500:]}")
            with open("/proc/net/unix", encoding="ascii",
                      errors="replace") as sockets:
                if f"@{self.socket}:out9" in sockets.read():
                    return
            time.sleep(0.01)
        self.stop()
        raise RuntimeError(f"ibsim is not ready after {PATIENCE} seconds")

    def _printed(self, start=0):
        with open(self.console, "rb") as console:
            console.seek(start)
            return console.read().decode("latin1")

    def command(self, line):
        """Runs a console command, which must not complain."""
        assert len(line) < 127, line  # ibsim would run the rest as another.
        start = os.path.getsize(self.console)
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            printed = self._printed(start)
            # Others may print something after the prompt.
            if "sim> " in printed:
                assert "#" not in printed and "unknown" not in printed, \
                    (line, printed)
                return
            time.sleep(0.002)
        raise RuntimeError(f"no answer to {line!r}")

    def env(self):
        """The environment in which programs find this fabric."""
        return {**os.environ, "PATH": PATH, "LD_PRELOAD": UMAD2SIM,
                "IBSIM_SOCKNAME": self.socket,
                "ASAN_OPTIONS": f"suppressions={SUPPRESSIONS}"}

    def run(self, *args, timeout=PATIENCE):
        """Runs a program on the fabric."""
        return subprocess.run(args, env=self.env(), cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=timeout, check=False)

    def stop(self):
        """Ends it, by its own command if it still listens."""
        if self.process.poll() is None:
            try:
                self.process.stdin.write(b"Quit\n")
                self.process.stdin.flush()
                self.process.wait(100)
            except (BrokenPipeError, subprocess.TimeoutExpired):
                self.process.kill()
                self.process.wait()
        self.process.stdin.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
