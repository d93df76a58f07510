"""chroot.py -- a clean Debian in a folder, from the sources that apt of this
machine is configured with."""
import glob
import os
import re
import shutil
import subprocess
import tempfile

# What the demo needs beside our packages.
PROGRAMS = ["infiniband-diags", "ibsim-utils", "logrotate", "opensm",
            "python3"]


def codename():
    """The name of this machine's release; None if it is not Debian."""
    with open("/etc/os-release", encoding="utf-8") as file:
        found = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', file.read(), re.M))
    return found.get("VERSION_CODENAME") if found.get("ID") == "debian" else None


def sources(release):
    """Files of apt that name sources of this release."""
    for path in ["/etc/apt/sources.list",
                 *sorted(glob.glob("/etc/apt/sources.list.d/*.sources")),
                 *sorted(glob.glob("/etc/apt/sources.list.d/*.list"))]:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                lines = [line for line in file if not line.startswith("#")]
            if re.search(rf"\b{release}\b", "".join(lines)):
                yield path


class Missing(Exception):
    """Why there cannot be one here."""


class Chroot:
    """Makes it in a temporary folder; use it in a with statement."""

    def __init__(self):
        release = codename()
        if os.getuid() != 0:
            raise Missing("needs root")
        if not shutil.which("mmdebstrap"):
            raise Missing("mmdebstrap is not installed")
        if not release or not list(sources(release)):
            raise Missing("apt names no sources of a Debian release")
        self.folder = tempfile.mkdtemp(prefix="slimfly-chroot-")
        done = subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=apt", "--mode=root",
             f"--include={','.join(PROGRAMS)}", "--skip=cleanup/apt", release,
             self.folder, *sources(release)], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.remove()
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            raise Missing(f"no clean Debian could be made: {lines[-1]}")

    def run(self, *command, codes=(0,), env=None):
        """Runs a command inside, with processes and mounts of its own, which
        end with it."""
        mounts = ("mount -t proc proc /proc && mount -t tmpfs tmpfs /dev/shm "
                  "2>/dev/null; exec \"$@\"")
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child",
             "chroot", self.folder, "sh", "-c", mounts, "sh", *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive",
                 "LC_ALL": "C.UTF-8", "HOME": "/root",
                 "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **(env or {})})
        if done.returncode not in codes:
            raise AssertionError(f"{' '.join(command)}: exit code "
                                 f"{done.returncode}\n{done.stdout[-6000:]}")
        return done.stdout

    def path(self, name):
        """A file of it, seen from outside."""
        return self.folder + name

    def remove(self):
        """Removes it; nothing is mounted there."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()
