"""Words that a reader from outside would stumble over do not come back."""

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Decisions quote what was; this file names what it forbids.
EXCEPT = ("docs/decisions/", "CHANGELOG.md", "tests/house/words_test.py")
FORBIDDEN = re.compile(r"\b(anew|fate|former life|for want of|as of an?)\b", re.IGNORECASE)


def sources():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [each for each in folders if each not in (".git", "build", "__pycache__")]
        for name in names:
            path = (pathlib.Path(folder) / name).relative_to(SOURCE).as_posix()
            if not path.startswith(EXCEPT):
                yield path


class Words(unittest.TestCase):
    def test_are_those_of_the_field(self):
        found = []
        for name in sources():
            try:
                lines = (SOURCE / name).read_text().splitlines()
            except (UnicodeDecodeError, FileNotFoundError):
                continue
            found += [f"{name}:{number}: {line.strip()}" for number, line in enumerate(lines, 1)
                      if FORBIDDEN.search(line)]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
