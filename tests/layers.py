"""Data flows one way: a folder of lib/ uses only what stands above it.

Argument: the static library.  Sources tell which headers a folder includes,
the library which symbols its objects reference.  Public headers belong to the
folder that defines what they declare.

Also: the program and the examples include public headers only, no command is
long, no two rooms have files of the same name, and ARCHITECTURE.md names none
that are gone.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# The folders of lib/, and those that are still to come.  A sub folder
# ("ib/audit") may have a place of its own; otherwise it has that of the folder
# it is in.
ORDER = ["base", "field", "topology", "fabric", "plan", "design", "traffic",
         "routes", "layers", "lanes", "routing", "analysis", "failures", "sim", "ib",
         "eval", "survey", "ip", "settings", "io", "report", "monitor"]

# Folders that share nothing with others, wherever these stand: a folder, what
# it neither includes nor references, and why.
APART = [
    ("ib/audit", ["routes", "layers", "lanes", "routing"],
     "who judges tables must not repeat the mistakes of who makes them"),
    ("ip/audit", ["routes", "layers", "lanes", "routing"],
     "who judges routes must not repeat the mistakes of who makes them"),
]

MAX_COMMAND = 400  # Lines of a file.

# What breaks the rules all the same: (file, header or symbol): why.
EXEMPT = {}


def includes(path):
    """The includes of a file: quoted ones, and public headers in angle
    brackets."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s*(?:"|<(?=slimfly/))([^">]+)[">]',
                          file.read(), re.M)


def sources(folder):
    """All C files below a folder."""
    for top, _, names in sorted(os.walk(f"{ROOT}/{folder}")):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(top, name), ROOT)


def is_in(name, folder):
    """Whether the file or folder 'name', seen from lib/, is in 'folder'."""
    return name == folder or name.startswith(f"{folder}/")


def place(name):
    """The place in ORDER of the file or folder 'name'; None if it has none."""
    found = [folder for folder in ORDER if is_in(name, folder)]
    return ORDER.index(max(found, key=len)) if found else None


class Library:
    """Which source defines a symbol, and which it references."""

    def __init__(self, archive):
        members = {}
        for path in sources("lib"):
            name = os.path.relpath(path, "lib")
            if name.endswith(".c"):
                member = name.replace("/", "_") + ".o"
                assert member not in members, f"two sources of {member}"
                members[member] = name
        self.home, self.uses = {}, {}
        found = subprocess.run(["nm", archive], capture_output=True,
                               text=True, check=True).stdout
        for line in found.splitlines():
            words = line.split()
            if re.fullmatch(r"\S+\.o:", line):
                source = members[line[:-1]]
                self.uses[source] = set()
            elif len(words) == 2 and words[0] == "U":
                self.uses[source].add(words[1])
            elif len(words) == 3 and words[1] in "TDRBVW":
                self.home[words[2]] = source
        assert self.home and self.uses, f"{archive} has no symbols"


class Headers:
    """Where public headers belong."""

    def __init__(self, library):
        self.homes, self.includes = {}, {}
        for path in sources("include/slimfly"):
            with open(f"{ROOT}/{path}", encoding="utf-8") as file:
                text = file.read()
            name = os.path.relpath(path, "include")
            self.includes[name] = includes(f"{ROOT}/{path}")
            self.homes[name] = {library.home[symbol]
                                for symbol in self.declared(text)
                                if symbol in library.home}

    @staticmethod
    def declared(text):
        """What a header declares: names outside of comments and braces that
        are not those of types."""
        text = re.sub(r"/\*.*?\*/|^#.*?$", "", text, flags=re.S | re.M)
        n_left = 1
        while n_left:
            text, n_left = re.subn(r"\{[^{}]*\}", "", text)
        text = re.sub(r"\b(struct|enum|union)\s+\w+", "", text)
        return set(re.findall(r"\bsf_\w+", text))

    def place(self, name):
        """The place of the first folder that defines something of a header,
        or, if it declares nothing, of the last one that it includes."""
        if name not in self.homes:
            return 0
        if self.homes[name]:
            return min(place(home) for home in self.homes[name])
        return max((self.place(header) for header in self.includes[name]),
                   default=0)

    def is_of(self, name, folder):
        """Whether what a header declares is first defined in 'folder'."""
        return any(is_in(home, folder) and place(home) == self.place(name)
                   for home in self.homes.get(name, ()))


class Report:
    """Prints TAP, and knows which exemptions were needed."""

    def __init__(self):
        self.number, self.failed, self.needed = 0, False, set()

    def line(self, what, bad):
        """A case: 'bad' are lines, or (file, name, line) if these may be
        exempt."""
        left = []
        for found in bad:
            if isinstance(found, tuple):
                if found[:2] in EXEMPT:
                    self.needed.add(found[:2])
                    continue
                found = found[2]
            left.append(found)
        self.number += 1
        self.failed |= bool(left)
        print(f"{'not ok' if left else 'ok'} {self.number} - {what}")
        for found in left:
            print(f"# {found}")


def included(folder, headers, is_bad_folder, is_bad_header):
    """What sources of lib/'folder' include that they must not."""
    for path in sources(f"lib/{folder}"):
        for name in includes(f"{ROOT}/{path}"):
            if (is_bad_header(name) if name in headers.homes
                    else not name.startswith("slimfly/")
                    and is_bad_folder(os.path.dirname(name))):
                yield path, name, f"{path} includes {name}"


def referenced(folder, library, is_bad):
    """What objects of lib/'folder' reference that they must not."""
    for source, symbols in sorted(library.uses.items()):
        for symbol in sorted(symbols):
            home = library.home.get(symbol)
            if is_in(source, folder) and home and is_bad(source, home):
                yield (f"lib/{source}", symbol,
                       f"lib/{source} references {symbol} of lib/{home}")


def check_order(report, library, headers):
    """A folder includes and references only what stands above it."""
    for folder in sorted(os.listdir(f"{ROOT}/lib")):
        if not os.path.isdir(f"{ROOT}/lib/{folder}"):
            continue
        if place(folder) is None:
            report.line(f"lib/{folder} has a place",
                        [f"lib/{folder} is not in ORDER"])
            continue
        bad = []
        for path in sources(f"lib/{folder}"):
            own = place(os.path.relpath(path, "lib"))
            for name in includes(f"{ROOT}/{path}"):
                other = (headers.place(name) if name.startswith("slimfly/")
                         else place(os.path.dirname(name)))
                if other is None or other > own:
                    bad.append((path, name, f"{path} includes {name}"))
        report.line(f"lib/{folder} includes only what stands above it", bad)
        report.line(
            f"lib/{folder} references only what stands above it",
            referenced(folder, library,
                       lambda source, home: place(home) > place(source)))
    report.line(
        "public headers include only those of what stands above them",
        [(f"include/{name}", other, f"include/{name} includes {other}")
         for name, others in headers.includes.items() for other in others
         if headers.place(other) > headers.place(name)])


def check_apart(report, library, headers):
    """Some folders share nothing with others."""
    for folder, others, why in APART:
        bad = [f"lib/{name}, which APART names, is not there" for name in (folder, *others)
               if not os.path.isdir(f"{ROOT}/lib/{name}")]
        bad += included(
            folder, headers,
            lambda name: any(is_in(name, other) for other in others),
            lambda name: any(headers.is_of(name, other) for other in others))
        bad += referenced(
            folder, library,
            lambda _, home: any(is_in(home, other) for other in others))
        report.line(f"lib/{folder} shares nothing with {', '.join(others)}: "
                    f"{why}", bad)


def check_includes(report, what, folders, is_good):
    """Folders outside of lib/."""
    report.line(what, [f"{path} includes {name}" for folder in folders
                       for path in sources(folder)
                       for name in includes(f"{ROOT}/{path}")
                       if not is_good(name)])


def check_commands(report):
    """Commands are thin: what they do is in rooms of its own."""
    long = []
    for path in sources("cli"):
        with open(f"{ROOT}/{path}", encoding="utf-8") as file:
            n_lines = sum(1 for _ in file)
        if os.path.basename(path).startswith("cmd_") and n_lines > MAX_COMMAND:
            long.append(f"{path} has {n_lines} lines")
    report.line(f"no command has more than {MAX_COMMAND} lines", long)


def check_names(report):
    """A file is known by its name alone, wherever somebody reads it: in the
    list of a debugger, in a comment, in an editor.  A public header may be
    called as the source that defines what it declares."""
    rooms = {}
    for folder in ("lib", "cli", "opensm", "record"):
        for path in sources(folder):
            name = os.path.splitext(os.path.basename(path))[0]
            rooms.setdefault(name, set()).add(os.path.dirname(path))
    report.line("no two rooms have files of the same name",
                [f"{name} is in {' and in '.join(sorted(found))}"
                 for name, found in sorted(rooms.items()) if len(found) > 1])


def check_document(report):
    """Files move; what newcomers read first moves with them."""
    paths = [os.path.relpath(os.path.join(top, name), ROOT)
             for folder in ("bench", "cli", "examples", "include", "lib", "opensm",
                            "record", "tests", "tools")
             for top, _, names in os.walk(f"{ROOT}/{folder}") for name in names]
    with open(f"{ROOT}/ARCHITECTURE.md", encoding="utf-8") as file:
        named = re.findall(r"`([\w./]+\.(?:c|h|py|sh))`", file.read())
    report.line("ARCHITECTURE.md names files that are there",
                [f"{name} is not there" for name in sorted(set(named))
                 if "NAME" not in name
                 and not any(f"/{path}".endswith(f"/{name}") for path in paths)])


def main():
    library = Library(sys.argv[1])
    headers = Headers(library)
    report = Report()
    print("TAP version 13")
    check_order(report, library, headers)
    check_apart(report, library, headers)
    own = set(os.listdir(f"{ROOT}/cli"))
    check_includes(report, "the program includes public headers only",
                   ("cli", "examples"),
                   lambda name: name.startswith("slimfly/") or name in own)
    check_includes(report, "the plugin includes public headers only, and what "
                   "lies at the base", ("opensm",),
                   lambda name: "/" not in name
                   or name.startswith(("slimfly/", "base/")))
    check_commands(report)
    check_names(report)
    check_document(report)
    report.line("every exemption is needed",
                [f"{file}, {name}: not needed" for file, name in EXEMPT
                 if (file, name) not in report.needed])
    print(f"1..{report.number}")
    return 1 if report.failed else 0


sys.exit(main())
