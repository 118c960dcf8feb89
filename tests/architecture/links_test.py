"""Links between the documents lead somewhere."""

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def documents():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [each for each in folders if each not in (".git", "build")]
        yield from (pathlib.Path(folder) / name for name in names if name.endswith(".md"))


def anchors(document):
    """As web pages make them of headings."""
    headings = re.findall(r"^#+ +(.*)$", CODE.sub(lambda code: code[0].strip("`"), document.read_text()),
                          re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def broken_links(document):
    for target in LINK.findall(CODE.sub("", document.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        other = (document.parent / path).resolve() if path else document
        if not other.exists():
            yield f"{document.relative_to(SOURCE)}: {target}: there is no such file"
        elif anchor and other.suffix == ".md" and anchor not in anchors(other):
            yield f"{document.relative_to(SOURCE)}: {target}: no heading has that name"


class Links(unittest.TestCase):
    def test_lead_to_files_and_headings_that_are_there(self):
        self.assertEqual([line for each in documents() for line in broken_links(each)], [])


if __name__ == "__main__":
    unittest.main()
