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
            "python3", "systemd-sysv"]


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

    def boot(self, script, timeout):
        """Boots it with its own systemd and network, runs a script of the
        shell there, and shuts it down.  What the script printed; None if this
        machine cannot boot it."""
        if not shutil.which("systemd-nspawn"):
            return None
        with open(self.path("/boot.sh"), "w", encoding="utf-8") as file:
            file.write(f"{script}\necho script ended\nsystemctl poweroff\n")
        with open(self.path("/lib/systemd/system/boot-test.service"), "w",
                  encoding="utf-8") as file:
            file.write("[Service]\nType=oneshot\nExecStart=/bin/sh /boot.sh\n"
                       "StandardOutput=file:/boot.log\n"
                       "StandardError=inherit\n")
        wants = self.path("/etc/systemd/system/multi-user.target.wants")
        os.makedirs(wants, exist_ok=True)
        os.symlink("/lib/systemd/system/boot-test.service",
                   f"{wants}/boot-test.service")
        try:
            subprocess.run(
                ["unshare", "--mount", "systemd-nspawn", "--quiet", "--boot",
                 "--register=no", "--keep-unit", "--private-network",
                 f"--directory={self.folder}"], stdin=subprocess.DEVNULL,
                capture_output=True, check=False, timeout=timeout)
        except subprocess.TimeoutExpired:
            pass
        try:
            with open(self.path("/boot.log"), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

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
