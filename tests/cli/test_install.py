"""What 'make install' leaves is complete: a program of one's own can be built
against it, and run, with nothing but pkg-config.

Arguments: the program, the build folder, the C compiler.
"""
import os
import subprocess
import sys
import tempfile

import harness

BUILD, COMPILER = sys.argv[2:4]


class Install(harness.Case):
    def test_an_example_builds_and_runs_against_it(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild",
                            "--quiet", "--destdir", folder], check=True,
                           capture_output=True)
            found = {os.path.relpath(os.path.join(top, name), folder)
                     for top, _, names in os.walk(folder) for name in names}
            for tail in ("bin/slimfly", "include/slimfly/slimfly.h",
                         "include/slimfly/version.h", "libslimfly.so",
                         "libslimfly.a", "pkgconfig/slimfly.pc",
                         "man1/slimfly.1", "man1/slimfly-topology.1",
                         "man1/slimfly-design.1", "share/slimfly/prices.json",
                         "share/slimfly/paper-prices.json",
                         "share/slimfly/thresholds.json",
                         "share/slimfly/alerts.yml",
                         "bash-completion/completions/slimfly"):
                self.assertTrue(any(name.endswith(tail) for name in found),
                                (tail, sorted(found)))
            pc = next(name for name in found if name.endswith("slimfly.pc"))
            env = {**os.environ, "PKG_CONFIG_SYSROOT_DIR": folder,
                   "PKG_CONFIG_PATH": f"{folder}/{os.path.dirname(pc)}"}
            flags = subprocess.run(["pkg-config", "--cflags", "--libs",
                                    "slimfly"], env=env, capture_output=True,
                                   text=True, check=True).stdout.split()
            subprocess.run([*COMPILER.split(),
                            f"{harness.ROOT}/examples/shortest.c", "-o",
                            f"{folder}/shortest", *flags], check=True)
            library = f"{folder}/{os.path.dirname(os.path.dirname(pc))}"
            done = subprocess.run([f"{folder}/shortest", "sf:q=5"],
                                  env={**os.environ,
                                       "LD_LIBRARY_PATH": library},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("350 pairs at distance 1", done.stdout)

    def test_only_the_public_names_are_exported(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild",
                            "--quiet", "--destdir", folder], check=True,
                           capture_output=True)
            library = next(os.path.join(top, name)
                           for top, _, names in os.walk(folder)
                           for name in names if name == "libslimfly.so")
            out = subprocess.run(["nm", "-D", "--defined-only", library],
                                 capture_output=True, text=True,
                                 check=True).stdout
        names = {line.split()[-1] for line in out.splitlines()}
        names = {name for name in names if name.startswith("sf_")}
        headers = ""
        for name in os.listdir(f"{harness.ROOT}/include/slimfly"):
            with open(f"{harness.ROOT}/include/slimfly/{name}",
                      encoding="utf-8") as file:
                headers += file.read()
        self.assertGreater(len(names), 10)
        self.assertEqual([n for n in sorted(names) if n not in headers], [])


if __name__ == "__main__":
    harness.main()
