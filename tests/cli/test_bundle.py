"""slimfly bundle: what to send with a bug report.  Secrets are planted in all
that it reads and looked for in all that it writes."""
import io
import json
import os
import subprocess
import tarfile
import tempfile

import harness
from harness import slimfly

# Texts that must not leave the machine, and where they are planted.
SECRETS = ["5ec7e75ec7e7", "hunter2", "tr0ub4dor", "s3cr3t-sa", "abcdefsecretxyz",
           "MIIEvQIBADANB", "eyJhbGciOiJIUzI1NiJ9", "grace", "heidi",
           "ivan.petrov"]
CONF = """\
# m_key 0x5ec7e75ec7e70001
m_key 0x5ec7e75ec7e70001
sm_key 0x5ec7e75ec7e70002
sa_key 0x5ec7e75ec7e70003
m_key_per_port TRUE
event_plugin_name osmslimfly
event_plugin_options {folder}/slimfly.conf
routing_engine layered,no_fallback
lmc\t2
log_file {folder}/opensm.log
admin_password hunter2
"""
OPTIONS = """\
# of grace, password hunter2
plan = {folder}/home/grace/plan/plan.json
status = {folder}/status.json
drained = {folder}/drained
jobs = {folder}/jobs
seed = 7
api_token = tr0ub4dor
"""
LOG = """\
Nov 18 06:00:00 [1] 0x02 -> layered: routed by grace from /home/heidi/x
Nov 18 06:00:01 [1] 0x01 -> m_key...................0x5ec7e75ec7e70004
Nov 18 06:00:02 [1] 0x01 -> bad SA_Key s3cr3t-sa: 0x5ec7e75ec7e70005
Nov 18 06:00:03 [1] 0x01 -> http://admin:hunter2@sm1/ ivan.petrov@sm2
Nov 18 06:00:04 [1] 0x01 -> Authorization: Bearer abcdefsecretxyz
Nov 18 06:00:05 [1] 0x01 -> eyJhbGciOiJIUzI1NiJ9.e30.sig
-----BEGIN PRIVATE KEY-----
MIIEvQIBADANB
-----END PRIVATE KEY-----
Nov 18 06:00:06 [1] 0x02 -> SUBNET UP
"""


def write(path, text):
    """Writes a file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def content(data):
    """The files of an archive, by name without its folder."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        return {member.name.removeprefix("slimfly-bundle/"):
                archive.extractfile(member).read().decode("utf-8")
                for member in archive.getmembers()}


class Bundle(harness.Case):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = self.place.name
        self.succeeds("plan", "sf:q=3", "-o",
                      f"{self.folder}/home/grace/plan")
        for name, text in (
                ("opensm.conf", CONF), ("slimfly.conf", OPTIONS),
                ("opensm.log", LOG), ("events.jsonl", '{"what": "grace"}\n'),
                ("drained", "# 2026-11-18T06:00:00Z grace: spare\n"),
                ("jobs", "1 ring node[0000-0003] # of heidi\n"),
                ("status.json", '{"host": "sm1", "secret": "hunter2"}\n'),
                ("routed/route.json", '{"by": "heidi@sm1", "seed": 7}\n')):
            write(f"{self.folder}/{name}",
                  text.replace("{folder}", self.folder))
        self.env = {"USER": "grace", "LOGNAME": "heidi",
                    "HOME": f"{self.folder}/home/grace",
                    "SOURCE_DATE_EPOCH": "1000000000"}

    def bundle(self, *options, conf="opensm.conf"):
        """The archive and the account of it."""
        done = subprocess.run(
            [harness.PROGRAM, "bundle", "--conf", f"{self.folder}/{conf}",
             "--events", f"{self.folder}/events.jsonl", "--no-live", "-o", "-",
             *options], capture_output=True, check=False,
            env={**os.environ, **self.env})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr.decode("utf-8")

    def test_no_secret_leaves(self):
        data, account = self.bundle("--routed", f"{self.folder}/routed")
        files = content(data)
        self.assertEqual(sorted(files), [
            "CONTENTS.txt", "drained", "events.jsonl", "jobs", "opensm.conf",
            "opensm.log", "plan.json", "route.json", "slimfly.conf",
            "status.json", "versions.txt"])
        for name, text in {**files, "account": account}.items():
            for secret in SECRETS:
                self.assertNotIn(secret, text, name)
        # What is no secret stays.
        self.assertEqual(files["opensm.conf"].splitlines()[0],
                         "event_plugin_name osmslimfly")
        self.assertIn("lmc 2\n", files["opensm.conf"])
        self.assertNotIn("key", files["opensm.conf"])
        self.assertIn("seed = 7\n", files["slimfly.conf"])
        self.assertIn("SUBNET UP", files["opensm.log"])
        self.assertEqual(json.loads(files["status.json"]),
                         {"host": "sm1", "secret": "[removed]"})
        with open(f"{self.folder}/home/grace/plan/plan.json",
                  encoding="utf-8") as file:
            plan = json.load(file)
        sent = json.loads(files["plan.json"])
        self.assertIn("grace", plan.pop("command"))
        self.assertNotIn("grace", sent.pop("command"))
        self.assertEqual(sent, plan)
        self.assertIn(f"slimfly {self.succeeds('--version').split()[1]}\n",
                      files["versions.txt"])
        self.assertIn("kernel Linux", files["versions.txt"])

    def test_says_what_is_in_it_and_what_is_not(self):
        os.remove(f"{self.folder}/status.json")
        data, account = self.bundle()
        self.assertIn(account.split("\n\n", 1)[1],
                      content(data)["CONTENTS.txt"])
        self.assertRegex(account, r"Left out:\n  status\.json +the status of "
                         r"the plugin: .*: No such file")
        self.assertIn("live/fabric.ibnetdiscover", account)
        self.assertIn("Removed: ", account)
        told = json.loads(self.bundle("--format", "json")[1])
        self.assertEqual(told["schema"], "slimfly.bundle")
        self.assertEqual({file["name"] for file in told["collected"]},
                         set(content(data)) - {"CONTENTS.txt"})
        self.assertEqual([file["name"] for file in told["left_out"]],
                         ["status.json", "live/fabric.ibnetdiscover"])
        self.assertEqual(told["removed"]["blocks"], 1)

    def test_the_same_bytes_twice_and_real_tar_reads_them(self):
        data = self.bundle()[0]
        self.assertEqual(data, self.bundle()[0])
        path = f"{self.folder}/b.tar.gz"
        with open(path, "wb") as file:
            file.write(data)
        out = subprocess.run(["tar", "-tvzf", path], capture_output=True,
                             text=True, check=True).stdout
        self.assertEqual(len(out.splitlines()), len(content(data)))
        self.assertNotIn("grace", out)

    def test_settings_of_ours_are_all_taken(self):
        self.succeeds("settings", "sf:q=3", "-o", f"{self.folder}/set")
        files = content(self.bundle(conf="set/opensm.conf")[0])
        with open(f"{self.folder}/set/opensm.conf", encoding="utf-8") as file:
            wanted = [line for line in file
                      if line.strip() and not line.startswith("#")]
        self.assertEqual(files["opensm.conf"].splitlines(keepends=True),
                         wanted)

    def test_a_fabric_that_was_discovered_is_compared(self):
        plan = f"{self.folder}/home/grace/plan"
        done = slimfly("bundle", plan, f"{plan}/fabric.ibnetdiscover", "-o",
                       f"{self.folder}/b.tar.gz", "--conf",
                       f"{self.folder}/opensm.conf", env=self.env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(f"{self.folder}/b.tar.gz", "rb") as file:
            files = content(file.read())
        self.assertIn("are as planned", files["live/verify.txt"])
        self.assertIn("Switch", files["live/fabric.ibnetdiscover"])

    def test_a_broken_plan_is_sent_as_it_is(self):
        plan = f"{self.folder}/home/grace/plan"
        write(f"{plan}/plan.json", "{ broken")
        done = slimfly("bundle", plan, f"{plan}/fabric.ibnetdiscover", "-o",
                       f"{self.folder}/b.tar.gz", env=self.env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(f"{self.folder}/b.tar.gz", "rb") as file:
            files = content(file.read())
        self.assertEqual(files["plan.json"], "{ broken")
        self.assertIn("live/verify.txt", files["CONTENTS.txt"])

    def test_a_spec_and_nothing_else(self):
        done = slimfly("bundle", "sf:q=5", "--no-live", "-o",
                       f"{self.folder}/b.tar.gz")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(f"{self.folder}/b.tar.gz", "rb") as file:
            self.assertEqual(content(file.read())["plan.txt"], "sf:q=5")

    def test_what_is_named_must_be_there(self):
        for words, says in (
                (["/nonexistent/plan"], "/nonexistent/plan: No such file"),
                (["sf:q=5", "/nonexistent"], "/nonexistent: No such file"),
                (["--log", "/nonexistent"], "/nonexistent: No such file"),
                (["a", "b", "c"], "found 3 words"),
                (["--no-live", "-o", "/nonexistent/b.tar.gz"],
                 "/nonexistent/b.tar.gz: No such file")):
            self.fails("bundle", *words, says=says)
        done = slimfly("bundle", "--no-live", "-o", "/dev/full")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("No space left", done.stderr)


if __name__ == "__main__":
    harness.main()
