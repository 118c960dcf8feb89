"""Links between the documents lead somewhere."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")
INSTALL_DOCS = """
cmake_minimum_required(VERSION 3.25)
project(docs NONE)
set(CMAKE_INSTALL_DOCDIR doc)
include(%s/cmake/install_docs.cmake)
"""
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def documents(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [each for each in folders if each not in (".git", "build")]
        yield from (pathlib.Path(folder) / name for name in names if name.endswith(".md"))


def anchors(document):
    """As web pages make them of headings."""
    headings = re.findall(r"^#+ +(.*)$", CODE.sub(lambda code: code[0].strip("`"), document.read_text()),
                          re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def broken_links(document, root):
    for target in LINK.findall(CODE.sub("", document.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        other = (document.parent / path).resolve() if path else document
        if not other.exists():
            yield f"{document.relative_to(root)}: {target}: there is no such file"
        elif anchor and other.suffix == ".md" and anchor not in anchors(other):
            yield f"{document.relative_to(root)}: {target}: no heading has that name"


def install_docs(folder):
    (folder / "CMakeLists.txt").write_text(INSTALL_DOCS % SOURCE.as_posix())
    for command in (["-S", folder, "-B", folder / "build"],
                    ["--install", folder / "build", "--prefix", folder / "prefix"]):
        subprocess.run(["cmake", *command], check=True, stdout=subprocess.DEVNULL, timeout=30)
    return folder / "prefix"


class Links(unittest.TestCase):
    def broken_below(self, root):
        pages = list(documents(root))
        self.assertGreater(len(pages), 50)
        return [line for each in pages for line in broken_links(each, root)]

    def test_lead_to_files_and_headings_that_are_there(self):
        self.assertEqual(self.broken_below(SOURCE), [])

    def test_of_the_installed_pages_lead_to_what_is_installed(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = install_docs(pathlib.Path(folder).resolve())
            self.assertEqual(self.broken_below(prefix), [])


if __name__ == "__main__":
    unittest.main()
