"""The Debian packages: what they say of themselves, and, in long cases, built,
installed into a clean Debian, used, upgraded and purged.

Arguments: the program, the shared library.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402
from chroot import Chroot, Missing  # noqa: E402

LIBRARY = os.path.abspath(sys.argv[2])
DEBIAN = f"{harness.ROOT}/debian"
PACKAGES = {"slimfly", "opensm-plugin-slimfly", "slimfly-record",
            "libslimfly0", "libslimfly-dev"}
UNITS = ("slimfly-monitor", "slimfly-watch")
# Points of systemd's scale from 0, safe, to 10.
MAX_EXPOSURE = 2.0


# What is tried under systemd.  The monitor is given time by its own page.
BOOT = """
systemctl start slimfly-watch
while systemctl is-active --quiet slimfly-watch; do sleep 0.1; done
journalctl -u slimfly-watch --no-pager -o cat
if slimfly help monitor >/dev/null 2>&1; then
    systemctl start slimfly-monitor
    cat >/ask.py <<'END'
import sys, time, urllib.request
for _ in range(3000):
    try:
        text = urllib.request.urlopen(sys.argv[1]).read().decode()
        if "slimfly_monitor_cables_right 375" in text:
            print(text)
            break
    except OSError:
        pass
    time.sleep(0.1)
END
    python3 /ask.py http://127.0.0.1:9681/metrics
    logrotate --force /etc/logrotate.d/slimfly
    python3 /ask.py http://127.0.0.1:9681/metrics >/dev/null
    systemctl is-active --quiet slimfly-monitor && echo still active
    cd /var/log/slimfly && echo rotated *.jsonl *.jsonl.1
    journalctl -u slimfly-monitor --no-pager -o cat
    systemctl stop slimfly-monitor
fi
"""


def text_of(path):
    """All of a file of the tree."""
    with open(f"{harness.ROOT}/{path}", encoding="utf-8") as file:
        return file.read()


def version():
    """The version, where it is written."""
    return re.search(r"^  version: '(.*)',$", text_of("meson.build"), re.M)[1]


class Description(harness.Case):
    def test_the_version_is_the_same_everywhere(self):
        self.assertEqual(self.succeeds("--version"), f"slimfly {version()}\n")
        self.assertEqual(re.match(r"slimfly \((.*)\) ",
                                  text_of("debian/changelog"))[1], version())
        self.assertEqual(re.search(r"^## (\S+)", text_of("CHANGELOG.md"),
                                   re.M)[1], version())

    def test_packages_are_named_after_the_library(self):
        out = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True,
                             text=True, check=True).stdout
        soname = re.search(r"SONAME.*\[(.*)\]", out)[1]
        self.assertEqual(soname, "libslimfly.so.0")
        control = text_of("debian/control")
        self.assertEqual(set(re.findall(r"^Package: (\S+)", control, re.M)),
                         PACKAGES)
        self.assertTrue(text_of("debian/libslimfly0.symbols")
                        .startswith(f"{soname} libslimfly0 "))

    def test_no_function_of_the_library_has_vanished(self):
        done = subprocess.run([f"{harness.ROOT}/tools/symbols.py", "--check",
                               LIBRARY], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_is_built_is_what_packages_need(self):
        """Libraries for building stand in tools/packages.txt and again in
        debian/control."""
        needed = set(re.findall(r"^build *\| *(\S+-dev) ",
                                text_of("tools/packages.txt"), re.M))
        source = text_of("debian/control").split("\n\n")[0]
        self.assertEqual(needed - {"libc6-dev"} - set(
            re.findall(r"[a-z0-9-]+-dev\b", source)), set())

    def test_every_command_has_a_man_page(self):
        commands = re.findall(r"^  (\w+) ", self.succeeds("help"), re.M)
        listed = re.search(r"foreach command : \[(.*?)\]",
                           text_of("doc/meson.build"), re.S)[1]
        self.assertEqual(sorted(re.findall(r"'(\w+)'", listed)),
                         sorted(commands))

    def test_scripts_parse(self):
        scripts = [path for path in glob.glob(f"{DEBIAN}/*.*")
                   if path.endswith(("inst", "rm"))]
        self.assertNotEqual(scripts, [])
        for script in scripts:
            subprocess.run(["sh", "-n", script], check=True)

    def test_services_have_no_rights_that_they_do_not_need(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("there is no systemd-analyze")
        with tempfile.TemporaryDirectory() as folder:
            for unit in UNITS:
                path = f"{folder}/{unit}.service"
                shutil.copy(f"{DEBIAN}/slimfly.{unit}.service", path)
                done = subprocess.run(
                    ["systemd-analyze", "security", "--offline=true",
                     "--no-pager", f"--threshold={MAX_EXPOSURE * 10:.0f}",
                     path], capture_output=True, text=True, check=False)
                if "unrecognized option" in done.stderr:
                    self.skipTest("this systemd-analyze is too old")
                self.assertEqual(done.returncode, 0,
                                 done.stdout[-3000:] + done.stderr)
                level = re.search(r"exposure level .*: ([0-9.]+)",
                                  done.stdout)
                self.assertLessEqual(float(level[1]), MAX_EXPOSURE)


def field(package, name):
    """A field of a built package."""
    return subprocess.run(["dpkg-deb", "-f", package, name], check=True,
                          capture_output=True, text=True).stdout.strip()


def repack(package, folder, number):
    """The same package with another version, as the next release will be."""
    tree = tempfile.mkdtemp(dir=folder)
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    control = f"{tree}/DEBIAN/control"
    with open(control, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"^Version: .*$", f"Version: {number}", text, flags=re.M)
    text = text.replace(f"(= {version()})", f"(= {number})")
    with open(control, "w", encoding="utf-8") as file:
        file.write(text)
    path = f"{folder}/{field(package, 'Package')}_{number}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree,
                    path], check=True, capture_output=True)
    shutil.rmtree(tree)
    return path


class Packages(harness.Case):
    """Builds them once for all cases."""

    @classmethod
    def setUpClass(cls):
        for program in "dpkg-buildpackage", "dh", "lintian":
            if not shutil.which(program):
                raise unittest.SkipTest(f"there is no {program}")
        cls.folder = tempfile.mkdtemp(prefix="slimfly-deb-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        before = cls.tree()
        done = subprocess.run([f"{harness.ROOT}/tools/deb.sh", cls.folder],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        if cls.tree() != before:
            raise AssertionError("the build has changed the tree")
        cls.built = {field(path, "Package"): path
                     for path in glob.glob(f"{cls.folder}/*.deb")
                     if "-dbgsym_" not in path}

    @staticmethod
    def tree():
        """The files of the source tree, but for what is built there."""
        return {os.path.join(top, name)
                for top, folders, names in os.walk(harness.ROOT)
                if not top.startswith((f"{harness.ROOT}/build",
                                       f"{harness.ROOT}/out",
                                       f"{harness.ROOT}/.git"))
                for name in names if not name.endswith(".pyc")}

    @harness.long
    def test_all_are_built_for_this_opensm(self):
        self.assertEqual(set(self.built), PACKAGES)
        upstream = subprocess.run(
            ["dpkg-query", "-W", "-f", "${source:Upstream-Version}",
             "libopensm-dev"], capture_output=True, text=True,
            check=True).stdout
        self.assertIn(f"opensm (>= {upstream}), opensm (<< {upstream}.)",
                      field(self.built["opensm-plugin-slimfly"], "Depends"))
        for path in self.built.values():
            self.assertEqual(field(path, "Version"), version())

    @harness.long
    def test_lintian_has_nothing_to_say(self):
        done = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error,warning",
             *glob.glob(f"{self.folder}/*.changes")], capture_output=True,
            text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    @harness.long
    def test_services_that_run_go_on_after_an_upgrade(self):
        """They were stopped by an upgrade, and stayed so; a removal left them
        running."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "-e", self.built["slimfly"], folder],
                           check=True)
            scripts = {}
            for name in "preinst", "postinst", "prerm":
                if os.path.exists(f"{folder}/{name}"):
                    subprocess.run(["sh", "-n", f"{folder}/{name}"],
                                   check=True)
                    with open(f"{folder}/{name}", encoding="utf-8") as file:
                        scripts[name] = file.read()
        self.assertNotIn("stop", scripts.get("preinst", ""))
        for unit in UNITS:
            self.assertRegex(scripts["postinst"],
                             rf"deb-systemd-invoke try-restart .*{unit}")
            self.assertRegex(scripts["prerm"],
                             rf"deb-systemd-invoke stop .*{unit}")
        self.assertNotRegex(scripts["postinst"],
                            r"deb-systemd-invoke '?(start|restart)\b")
        self.assertIn('"$1" = remove', scripts["prerm"])

    @harness.long
    def test_a_program_is_built_with_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in "libslimfly0", "libslimfly-dev":
                subprocess.run(["dpkg", "-x", self.built[name], folder],
                               check=True)
            library = os.path.dirname(glob.glob(
                f"{folder}/usr/lib/*/libslimfly.a")[0])
            env = {**os.environ, "PKG_CONFIG_SYSROOT_DIR": folder,
                   "PKG_CONFIG_PATH": f"{library}/pkgconfig"}
            flags = subprocess.run(["pkg-config", "--cflags", "--libs",
                                    "slimfly"], env=env, capture_output=True,
                                   text=True, check=True).stdout.split()
            example = glob.glob(f"{folder}/usr/share/doc/libslimfly-dev/"
                                "examples/shortest.c")[0]
            subprocess.run(["gcc", example, "-o", f"{folder}/shortest",
                            *flags], check=True)
            out = subprocess.run([f"{folder}/shortest", "sf:q=5"],
                                 env={**os.environ,
                                      "LD_LIBRARY_PATH": library},
                                 capture_output=True, text=True, check=True)
            self.assertIn("350 pairs at distance 1", out.stdout)

    @harness.long
    def test_installed_used_upgraded_and_purged(self):
        try:
            chroot = Chroot()
        except Missing as why:
            self.skipTest(str(why))
        with chroot:
            self.installs(chroot)
            self.services_are_sound(chroot)
            self.services_run(chroot)
            self.demo_runs(chroot)
            self.logs_are_rotated(chroot)
            self.bundle_knows_the_packages(chroot)
            self.opensm_stays(chroot)
            self.upgrades(chroot)
            self.purges(chroot)

    def installs(self, chroot):
        """With what they depend on, from the machine's own sources."""
        for name in "slimfly", "opensm-plugin-slimfly", "libslimfly0":
            shutil.copy(self.built[name], chroot.path(f"/{name}.deb"))
        chroot.run("apt-get", "install", "-y", "--no-install-recommends",
                   "/slimfly.deb", "/opensm-plugin-slimfly.deb",
                   "/libslimfly0.deb")
        self.assertEqual(chroot.run("slimfly", "--version"),
                         f"slimfly {version()}\n")
        self.assertIn("rdma", chroot.run("id", "-nG", "slimfly").split())
        self.assertIn("slimfly", chroot.run(
            "bash", "-c", "source /usr/share/bash-completion/completions/"
            "slimfly && complete -p slimfly"))

    def services_are_sound(self, chroot):
        """Nothing is enabled before there is a plan."""
        for unit in UNITS:
            self.assertEqual(chroot.run(
                "systemd-analyze", "verify", "--man=no",
                f"/lib/systemd/system/{unit}.service"), "")
        self.assertEqual(glob.glob(chroot.path(
            "/etc/systemd/system/*/slimfly*")), [])

    def services_run(self, chroot):
        """Under a systemd of their own, with all that it takes from them.  A
        file stands in for the fabric."""
        chroot.run("slimfly", "plan", "sf:q=5", "-o", "/etc/slimfly/plan")
        with open(chroot.path("/etc/default/slimfly"), "a",
                  encoding="utf-8") as file:
            for name in "WATCH", "MONITOR":
                file.write(f"SLIMFLY_{name}_OPTIONS=\"--exec 'cat /etc/"
                           "slimfly/plan/fabric.ibnetdiscover'\"\n")
        said = chroot.boot(BOOT, harness.PATIENCE)
        if said is None:
            print("# services were not started: a chroot cannot be booted")
            return
        self.assertIn("script ended", said)
        self.assertIn("all is wired as planned", said)
        if "\n  monitor " in chroot.run("slimfly", "help"):
            self.assertIn("slimfly_monitor_cables_right 375", said)
            self.assertIn("rotated events.jsonl events.jsonl.1", said)
            self.assertIn("still active", said)

    def demo_runs(self, chroot):
        """Program and plugin are those of the packages, and OpenSM finds the
        plugin by itself: the folder that the demo gets has none."""
        for name in "tools", "tests/ibsim":
            shutil.copytree(f"{harness.ROOT}/{name}",
                            chroot.path(f"/demo/{name}"))
        said = chroot.run("sh", "-c", "cd /demo && exec python3 tools/demo.py "
                          "/usr/bin/slimfly /usr/share/slimfly")
        self.assertEqual(said.count("SOUND"), 4, said)
        self.assertNotIn("NOT SOUND", said)
        self.assertIn("the same tables as in the beginning", said)

    def logs_are_rotated(self, chroot):
        """As systemd would have made the folder."""
        shutil.rmtree(chroot.path("/var/log/slimfly"), ignore_errors=True)
        chroot.run("install", "-d", "-o", "slimfly", "-g", "slimfly",
                   "/var/log/slimfly")
        chroot.run("sh", "-c", "echo '{}' >/var/log/slimfly/events.jsonl; "
                   "chown slimfly: /var/log/slimfly/events.jsonl")
        chroot.run("logrotate", "--force", "/etc/logrotate.d/slimfly")
        self.assertEqual(sorted(os.listdir(chroot.path("/var/log/slimfly"))),
                         ["events.jsonl", "events.jsonl.1"])

    def bundle_knows_the_packages(self, chroot):
        """And is complete where all is in its usual place."""
        chroot.run("sh", "-c", "slimfly plan sf:q=5 -o /etc/slimfly/plan && "
                   "slimfly settings /etc/slimfly/plan -o /etc/opensm --only "
                   "opensm")
        chroot.run("slimfly", "bundle", "-o", "/tmp/fault.tar.gz")
        said = chroot.run("tar", "-xzOf", "/tmp/fault.tar.gz")
        for words in (f"package slimfly {version()}", "package opensm ",
                      "routing_engine layered", "plan = /etc/slimfly/plan"):
            self.assertIn(words, said)

    def opensm_stays(self, chroot):
        """Another OpenSM does not come without another plugin."""
        tree = chroot.path("/other")
        os.makedirs(f"{tree}/DEBIAN")
        with open(f"{tree}/DEBIAN/control", "w", encoding="utf-8") as file:
            file.write("Package: opensm\nVersion: 99-1\nArchitecture: all\n"
                       "Maintainer: Nobody <nobody@localhost>\n"
                       "Description: another version\n")
        subprocess.run(["dpkg-deb", "-b", tree, chroot.path("/other.deb")],
                       check=True, capture_output=True)
        said = chroot.run("apt-get", "-s", "-y", "--no-remove", "install",
                          "/other.deb", codes=(100,))
        self.assertIn("opensm-plugin-slimfly", said)

    def upgrades(self, chroot):
        """What the administrator changed stays."""
        conf = chroot.path("/etc/default/slimfly")
        with open(conf, "a", encoding="utf-8") as file:
            file.write("SLIMFLY_PLAN=/srv/plan\n")
        later = version() + "+later"
        paths = []
        for name in "slimfly", "opensm-plugin-slimfly", "libslimfly0":
            paths.append("/" + os.path.basename(
                repack(self.built[name], chroot.folder, later)))
        chroot.run("dpkg", "-i", *paths)
        self.assertIn(later, chroot.run("dpkg-query", "-W", "slimfly"))
        with open(conf, encoding="utf-8") as file:
            self.assertIn("SLIMFLY_PLAN=/srv/plan\n", file.read())
        self.assertIn("SOUND", chroot.run(
            "sh", "-c", "slimfly route sf:q=4 -o /tmp/routed >/dev/null && "
            "slimfly audit /tmp/routed"))

    def purges(self, chroot):
        """Nothing is left but what belongs to the administrator."""
        owned = chroot.run("dpkg", "-L", "slimfly", "libslimfly0",
                           "opensm-plugin-slimfly").split("\n")
        owned = {name for name in owned if name.startswith("/")
                 and not os.path.isdir(chroot.path(name))}
        self.assertGreater(len(owned), 20)
        chroot.run("apt-get", "purge", "-y", "slimfly", "libslimfly0",
                   "opensm-plugin-slimfly")
        left = [name for name in sorted(owned) + ["/var/log/slimfly"]
                if os.path.lexists(chroot.path(name))]
        self.assertEqual(left, [])
        self.assertTrue(os.path.exists(chroot.path("/etc/slimfly/plan")))
        self.assertTrue(os.path.exists(chroot.path("/usr/sbin/opensm")))


if __name__ == "__main__":
    harness.main()
