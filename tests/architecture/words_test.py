"""Words that a reader from outside would stumble over do not come back."""

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Decisions quote what was; this file names what it forbids.
EXCEPT = ("docs/decisions/", "CHANGELOG.md", "tests/architecture/words_test.py")
FORBIDDEN = re.compile(r"\b(anew|doors?|fate|former life|for want of|as of an?|tellers?)\b",
                       re.IGNORECASE)
# As parts of names.
FORBIDDEN_IN_NAMES = re.compile(r"\b\w*(?:Door|Teller|Hands)\b|"
                                r"\b\w+_(?:door|teller|hands)\b|\b(?:door|teller|hands)_\w*")

# In documents the subject comes first: "Waiting clients …", not "Who waits …". Questions may ask.
SUBJECT = re.compile(r"(?:^[\s>*-]*(?:\d+\. )?|[.:] |\| )(?:\*\*)?"
                     r"(?:Who|Whoever|What)\b(?! to do)(?![^.]*\?)")
HEADING_OR_CODE = re.compile(r"^#|^ {4}")


def sources():
    for folder, folders, names in os.walk(SOURCE):
        is_top = pathlib.Path(folder) == pathlib.Path(SOURCE)
        passed = (".git", "build", "__pycache__") if is_top else ("__pycache__",)
        folders[:] = [each for each in folders if each not in passed]
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
                      if FORBIDDEN.search(line) or FORBIDDEN_IN_NAMES.search(line)]
        self.assertEqual(found, [])

    def test_do_not_stand_for_a_subject_in_documents(self):
        found = []
        for name in sources():
            if not name.endswith(".md"):
                continue
            inside_code = False
            for number, line in enumerate((SOURCE / name).read_text().splitlines(), 1):
                if line.lstrip().startswith("```"):
                    inside_code = not inside_code
                elif not inside_code and not HEADING_OR_CODE.match(line) and SUBJECT.search(line):
                    found.append(f"{name}:{number}: name the subject: {line.strip()}")
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
