"""A constant of a header has its name alone: a quick build compiles several sources together, where
a constant in the anonymous namespace of one source would hide it from the others in silence."""

import os
import pathlib
import re
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CONSTANT = re.compile(r"^(?:inline )?const(?:expr)? [^=({]*\b(k[A-Z]\w*)(?:\[\w*\])*(?: =|\{)", re.M)
NAMESPACE = re.compile(r"^namespace (sluice[\w:]*) \{", re.M)


def files(folder, ending):
    for path, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each not in (".git", "build", "tests")]
        yield from sorted(pathlib.Path(path) / name for name in names if name.endswith(ending))


def constants(folder, ending):
    """The name, the namespace and the file of each."""
    for file in files(folder, ending):
        text = file.read_text()
        space = NAMESPACE.search(text)
        for name in CONSTANT.findall(text):
            yield name, space.group(1) if space else "", str(file.relative_to(folder))


def clashes(folder):
    owners = {}
    for name, space, file in constants(folder, ".h"):
        owners.setdefault(name, []).append((space, file))
    for name, space, file in constants(folder, ".cpp"):
        for outer, owner in owners.get(name, []):
            if f"{space}::".startswith(f"{outer}::"):
                yield f"{file}: {name} is also defined in {owner}, with another value perhaps"


class Constants(unittest.TestCase):
    def test_none_has_the_name_of_one_in_a_header(self):
        self.assertGreater(len(list(constants(SOURCE, ".h"))), 50)
        self.assertEqual([], list(clashes(SOURCE)))

    def test_one_that_hides_another_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.h").write_text("namespace CLI {}\n"
                                      "namespace sluice::cli {\n"
                                      "inline constexpr Duration kWait = std::chrono::seconds(30);\n"
                                      "inline constexpr std::array<int, 2> kPair{1, 2};\n")
            (root / "b.cpp").write_text("namespace sluice::cli {\n"
                                        "constexpr Duration kWait = std::chrono::seconds(5);\n"
                                        "constexpr const char* kPair[] = {};\n"
                                        "constexpr int kOther = kWait;\n")
            (root / "c.cpp").write_text("namespace sluice::other {\nconstexpr int kWait = 5;\n")
            self.assertEqual(["b.cpp: kWait is also defined in a.h, with another value perhaps",
                              "b.cpp: kPair is also defined in a.h, with another value perhaps"],
                             list(clashes(root)))


if __name__ == "__main__":
    unittest.main()
