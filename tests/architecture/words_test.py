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
# Names with so many meanings that nobody can grep for one: a function polls, samples or observes; it
# says what it takes, records or keeps. Tests may name their own helpers so.
# A duration is an interval or a timeout, not a look.
FORBIDDEN_IN_CODE = re.compile(r"\b(?:look|take|note|keep_in|keep_memory)\(|\b\w*Links\b|"
                               r"\b(?:[A-Z]\w+ look|look_up\w*|\w+_look|kLook\w*)(?=\s*[=({;,?:)])|"
                               r"\bLook(?:Up|Again)\b")

# In documents the subject comes first: "Waiting clients …", not "Who waits …". Questions may ask.
SUBJECT = re.compile(r"(?:^[\s>*-]*(?:\d+\. )?|[.:] |\| )(?:\*\*)?"
                     r"(?:Who|Whoever|What)\b(?! to do)(?![^.]*\?)")
# In code, "/// What it holds." may describe what it stands above; a sentence has a subject.
SUBJECT_IN_COMMENT = re.compile(r"(?:^\s*(?:///?<?|#) |\S.*(?:///?<?|#) )(?:Who|Whoever)\b(?![^.]*\?)|"
                                r"(?:^\s+|\S +)(?://|#) What\b(?! to\b)(?![^.]*\?)|"
                                r"(?://|#) .*[.;] (?:Who|Whoever|What)\b(?! to\b)(?![^.]*\?)")
# A message that begins so, or goes on so after a colon. Labels of expectations are not messages.
SUBJECT_IN_TEXT = re.compile(r"(?<!\"\")\"(?!\"\")(?:[^\"]*: )?(?:[Ww]ho|[Ww]hoever|[Ww]hat) (?:is|are|was|were|has|can|may|must|\w+s)\b")
CODE = (".cmake", ".cpp", ".h", ".in", ".py", ".sh", ".txt", ".yaml", ".yml")
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

    def test_name_functions_so_that_they_can_be_found(self):
        found = []
        for name in sources():
            if not name.endswith((".h", ".cpp")) or name.startswith("tests/"):
                continue
            found += [f"{name}:{number}: {line.strip()}" for number, line
                      in enumerate((SOURCE / name).read_text().splitlines(), 1)
                      if FORBIDDEN_IN_CODE.search(line)]
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

    def test_do_not_stand_for_a_subject_in_code(self):
        found = []
        for name in sources():
            path = SOURCE / name
            if name.endswith(".md") or path.suffix and path.suffix not in CODE:
                continue
            try:
                lines = path.read_text().splitlines()
            except (UnicodeDecodeError, FileNotFoundError):
                continue
            for number, line in enumerate(lines, 1):
                in_text = not name.startswith("tests/") and SUBJECT_IN_TEXT.search(line)
                if SUBJECT_IN_COMMENT.search(line) or in_text:
                    found.append(f"{name}:{number}: name the subject: {line.strip()}")
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
