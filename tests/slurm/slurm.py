"""slurm.py -- a real Slurm on this machine for a test: a controller and a few
nodes, which all are this machine, with ports, keys and files of their own."""
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time

# Seconds after which something hangs: a guard only.
PATIENCE = 1200
# Below those that systems hand out, so that nobody gets one by chance.
PORTS = range(10000, 32000)
PATH = os.environ["PATH"] + ":/usr/sbin"
PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo",
            "srun"]


def why_not():
    """Why no Slurm can run here, or None."""
    missing = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
    if missing:
        return f"not installed: {', '.join(missing)}"
    if os.getuid() != 0:
        return "slurmd must be started by root"
    return None


def free_ports(count):
    """Ports that nobody has right now."""
    sockets = []
    while len(sockets) < count:
        one = socket.socket()
        try:
            one.bind(("0.0.0.0", random.choice(PORTS)))
            sockets.append(one)
        except OSError:
            one.close()
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """Runs in a folder of its own; use it in a with statement.  'settings' are
    more lines for slurm.conf."""

    def __init__(self, n_nodes, settings=""):
        self.folder = tempfile.mkdtemp(prefix="slimfly-slurm-")
        os.chmod(self.folder, 0o755)  # The socket of munged is for all.
        self.processes = []
        self.env = {**os.environ, "PATH": PATH,
                    "SLURM_CONF": f"{self.folder}/slurm.conf"}
        try:
            self._configure(n_nodes, settings)
            self._start_munged()
            self._start("slurmctld", "-D", "-i")
            for i in range(n_nodes):
                self._start("slurmd", "-D", "-N", f"node{i:04}")
            self.wait_idle(n_nodes)
        except BaseException:
            self.stop()
            raise

    def wait_idle(self, n_nodes):
        """Until all nodes are idle: what ran on them is all over."""
        self.until(lambda: self.run("sinfo", "-h", "-o", "%t %D").stdout
                   .strip() == f"idle {n_nodes}", "nodes are idle")

    def _configure(self, n_nodes, settings):
        folder = self.folder
        host = socket.gethostname().split(".")[0]
        ports = free_ports(n_nodes + 1)
        os.mkdir(f"{folder}/state")
        lines = f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
ReturnToService=2
{settings}
"""
        for i in range(n_nodes):
            lines += (f"NodeName=node{i:04} NodeHostname={host} "
                      f"NodeAddr=127.0.0.1 Port={ports[1 + i]} CPUs=1\n")
        lines += "PartitionName=all Nodes=ALL Default=YES State=UP\n"
        with open(f"{folder}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(lines)

    def _start(self, *args):
        with open(f"{self.folder}/output", "ab") as output:
            self.processes.append(subprocess.Popen(
                args, env=self.env, cwd=self.folder, stdout=output,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL))

    def _start_munged(self):
        key = f"{self.folder}/munge.key"
        with open(key, "wb") as file:
            file.write(os.urandom(128))
        os.chmod(key, 0o400)
        # --force: the folder above it may be anybody's.
        self._start("munged", "-F", "--force", "--socket",
                    f"{self.folder}/munge.socket", "--key-file", key,
                    "--pid-file", f"{self.folder}/munged.pid", "--log-file",
                    f"{self.folder}/munged.log", "--seed-file",
                    f"{self.folder}/munged.seed")
        self.until(lambda: os.path.exists(f"{self.folder}/munge.socket"),
                   "munged listens")

    def logged(self):
        """The ends of all logs."""
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".log") or name == "output":
                with open(f"{self.folder}/{name}", encoding="latin1") as file:
                    text += f"== {name}\n{file.read()[-1500:]}\n"
        return text

    def until(self, holds, what):
        """Waits until 'holds' returns something true, and returns it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            found = holds()
            if found:
                return found
            for process in self.processes:
                if process.poll() is not None:
                    raise RuntimeError(f"{process.args[0]} ended before "
                                       f"{what}:\n{self.logged()}")
            time.sleep(0.05)
        raise RuntimeError(f"not within {PATIENCE} seconds: {what}\n"
                           + self.logged())

    def run(self, *args):
        """Runs a program of Slurm, or one that calls such."""
        return subprocess.run(args, env=self.env, cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=PATIENCE, check=False)

    def submit(self, *args):
        """Submits a job that ends when its file does; returns its number and
        the file."""
        path = tempfile.mktemp(dir=self.folder, prefix="runs-")
        with open(path, "wb"):
            pass
        done = self.run("sbatch", "--parsable", "-o", "/dev/null", *args,
                        "--wrap", f"while [ -e {path} ]; do sleep 0.1; done")
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), path

    def stop(self):
        """Ends all of it."""
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
