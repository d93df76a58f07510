"""What doc/operations.md tells people to type exists: commands, options, units
and files."""
import glob
import os
import re

import handbook
import harness


class Handbook(harness.Case):
    def commands(self):
        """The commands that there are."""
        return re.findall(r"^  (\w+) ", self.succeeds("help"), re.M)

    def options(self, command):
        """Its options, long and short."""
        spelled = re.findall(r"^  (?:(-\w), |    )(--[\w-]+)",
                             self.succeeds("help", command), re.M)
        return {name for pair in spelled for name in pair}

    def test_commands_and_options_exist(self):
        known, n_seen = self.commands(), 0
        for words in [*handbook.blocks(), *handbook.inline()]:
            if words[:1] != ["slimfly"]:
                continue
            n_seen += 1
            self.assertIn(words[1], known, words)
            for word in words[2:]:
                if word.startswith("-") and word != "-":
                    self.assertIn(word, self.options(words[1]), words)
        self.assertGreater(n_seen, 20)

    def test_services_exist(self):
        units = {os.path.basename(path).split(".")[1] for path in
                 glob.glob(f"{harness.ROOT}/debian/slimfly.*.service")}
        shown = set(re.findall(r"(?:systemctl|journalctl) [^`\n]*?"
                               r"\b(slimfly-\w+)", handbook.text()))
        self.assertEqual(shown, units)

    def test_links_lead_somewhere(self):
        text = handbook.text()
        anchors = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
                   for title in re.findall(r"^#+ (.*)$", text, re.M)}
        for file, anchor in re.findall(r"\]\(([\w./-]*)#?([\w-]*)\)", text):
            if file:
                path = f"{harness.ROOT}/doc/{file}"
                self.assertTrue(os.path.exists(path), file)
                with open(path, encoding="utf-8") as other:
                    titles = {re.sub(r"[^\w -]", "", title).lower()
                              .replace(" ", "-") for title in
                              re.findall(r"^#+ (.*)$", other.read(), re.M)}
            else:
                titles = anchors
            if anchor:
                self.assertIn(anchor, titles)


if __name__ == "__main__":
    harness.main()
