"""The demo, as 'make demo' runs it: twice at the same time, and nothing is
left running."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
import harness  # noqa: E402


class Demo(harness.Case):
    def test_two_at_a_time(self):
        plugin = os.path.join(os.path.dirname(harness.PROGRAM), "opensm")
        with tempfile.TemporaryDirectory() as folder:
            running = [subprocess.Popen(
                [sys.executable, f"{harness.ROOT}/tools/demo.py",
                 harness.PROGRAM, plugin], cwd=folder, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                for _ in range(2)]
            for process in running:
                printed = process.communicate(timeout=harness.PATIENCE)[0]
                self.assertEqual(process.returncode, 0, printed)
                self.assertEqual(printed.count("SOUND"), 4, printed)
                self.assertNotIn("NOT SOUND", printed)
                self.assertIn("What to do, in this order:", printed)
                self.assertIn("the same tables as in the beginning", printed)
                self.assertEqual(
                    len(re.findall("repaired in", printed)), 3, printed)
            self.assertTrue(os.path.exists(f"{folder}/out/demo/plan"))
            left = subprocess.run(["pgrep", "-f", f"{folder}/out"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(left.stdout, "")


harness.main()
