"""by_ssh.py -- switches of a lab that are reached by ssh over a network for
management, as real ones are: a server in the namespace of each switch, and a
namespace from which they are reached.

Needs root, OpenSSH's client, and Dropbear as the server, since its package with
programs starts nothing on the machine.  All keys are made on the spot.
"""
import os
import pwd
import re
import shutil
import signal
import subprocess
import time

import harness
from namespaces import PATIENCE, run

SERVER = shutil.which("dropbear",
                      path=f"{os.environ.get('PATH', '')}:/usr/sbin")
PORT = "eth0"  # What a switch calls its port for management.


def refusal():
    """Why there can be no server here; None if there can be."""
    return None if SERVER and shutil.which("ssh") else "no dropbear and ssh"


class Management:
    """The network for management of a lab, as a context."""

    def __init__(self, lab, switches, folder):
        self.lab, self.switches, self.folder = lab, switches, folder
        self.space = f"sfip{os.getpid()}-mgmt"
        self.config = f"{folder}/ssh_config"
        self.servers = {}

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()

    def address(self, switch):
        """Where the server of a switch listens."""
        return f"192.0.2.{self.switches.index(switch) + 2}"

    def make(self):
        """Makes the network, keys and servers."""
        os.makedirs(self.folder)
        run("dropbearkey", "-t", "ed25519", "-f", f"{self.folder}/host")
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "",
            "-f", f"{self.folder}/user")
        os.makedirs(f"{self.folder}/home/.ssh", 0o700)
        shutil.copy(f"{self.folder}/user.pub",
                    f"{self.folder}/home/.ssh/authorized_keys")
        self.write_client()
        run("ip", "netns", "add", self.space)
        run("ip", "-n", self.space, "-batch", "-", stdin=(
            "link add br0 type bridge\naddr add 192.0.2.1/24 dev br0\n"
            "link set br0 up\nlink set lo up\n"))
        for switch in self.switches:
            inside = f"{self.lab}.{switch}"
            number = self.switches.index(switch)
            run("ip", "link", "add", PORT, "netns", inside, "type", "veth",
                "peer", "name", f"m{number}", "netns", self.space)
            run("ip", "-n", self.space, "link", "set", f"m{number}",
                "master", "br0", "up")
            run("ip", "-n", inside, "addr", "add",
                f"{self.address(switch)}/24", "dev", PORT)
            run("ip", "-n", inside, "link", "set", PORT, "up")
            self.start(switch)

    def write_client(self):
        """What ssh is to know, the key of the switches included."""
        key = " ".join(re.search(r"^(ssh-ed25519) (\S+)", run(
            "dropbearkey", "-y", "-f", f"{self.folder}/host"), re.M).groups())
        with open(f"{self.folder}/known", "w", encoding="utf-8") as file:
            file.writelines(f"{switch} {key}\n" for switch in self.switches)
        with open(self.config, "w", encoding="utf-8") as file:
            for switch in self.switches:
                file.write(f"Host {switch}\n"
                           f"HostName {self.address(switch)}\n"
                           f"HostKeyAlias {switch}\n")
            file.write(f"Host *\nUser root\nIdentitiesOnly yes\n"
                       f"IdentityFile {self.folder}/user\n"
                       f"UserKnownHostsFile {self.folder}/known\n"
                       f"GlobalKnownHostsFile /dev/null\n"
                       f"StrictHostKeyChecking yes\n")
            file.write(self.told())

    def told(self):
        """What doc/ip.md says that people put into their ssh_config."""
        with open(f"{harness.ROOT}/doc/ip.md", encoding="utf-8") as file:
            told = re.search(r"has, for the switches:\n\n((    .*\n)+)",
                             file.read())[1]
        return told.replace("~/.ssh", self.folder)

    def start(self, switch):
        """Starts the server of a switch, for which the home of root is a
        folder with our key."""
        path = f"{self.folder}/{switch}"
        # pylint: disable-next=consider-using-with
        self.servers[switch] = subprocess.Popen(
            ["ip", "netns", "exec", f"{self.lab}.{switch}", "sh", "-c",
             'mount --bind "$1" "$2" && shift 2 && exec "$@"', "sh",
             f"{self.folder}/home", pwd.getpwuid(0).pw_dir,
             SERVER, "-F", "-E", "-s", "-m", "-r", f"{self.folder}/host",
             "-p", f"{self.address(switch)}:22", "-P", f"{path}.pid"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + PATIENCE
        while not os.path.exists(f"{path}.pid"):
            code = self.servers[switch].poll()
            assert code is None, self.servers[switch].stderr.read()
            assert time.monotonic() < end, "dropbear does not start"
            time.sleep(.01)

    def stop(self, switch):
        """Ends the server of a switch, with the connections that it has."""
        server = self.servers.pop(switch)
        server.send_signal(signal.SIGTERM)
        server.wait(PATIENCE)
        server.stderr.close()
        for pid in run("ip", "netns", "pids",
                       f"{self.lab}.{switch}").split():
            try:
                os.kill(int(pid), signal.SIGTERM)
            except ProcessLookupError:
                pass

    def remove(self):
        """Ends all servers and removes the network."""
        for switch in list(self.servers):
            self.stop(switch)
        subprocess.run(["ip", "netns", "delete", self.space], check=False,
                       capture_output=True, timeout=PATIENCE)
