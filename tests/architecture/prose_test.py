"""Documents read well as text: lines of prose are short, and cells of tables hold no paragraphs."""

import os
import pathlib
import re
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = 119
CELL = 200
URL = re.compile(r"[a-z]+://[^\s)>\]]+")
BAR = re.compile(r"(?<!\\)\|")


def documents():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [each for each in folders if each not in (".git", "build")]
        yield from sorted(pathlib.Path(folder) / name for name in names if name.endswith(".md"))


def complaint(line):
    """What to do about a line outside of code blocks; none: it is fine."""
    if line.lstrip().startswith("|"):
        longest = max(len(cell.strip()) for cell in BAR.split(line))
        if longest > CELL:
            return (f"a table cell of {longest} characters, {CELL} at most: keep a short answer "
                    "in the cell and put the rest into prose below the table")
    elif len(URL.sub("", line)) > COLUMNS:
        return f"a line of {len(line)} columns, {COLUMNS} at most: wrap the paragraph at about 100"
    return None


def complaints(document, name):
    inside_code = False
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside_code = not inside_code
        elif not inside_code and (text := complaint(line)):
            yield f"{name}:{number}: {text}"


class Prose(unittest.TestCase):
    def complaints_of(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(text)
            file.flush()
            return [each.split(": ")[0] for each in complaints(pathlib.Path(file.name), "x.md")]

    def test_is_wrapped_and_cells_are_short(self):
        found = [line for each in documents()
                 for line in complaints(each, each.relative_to(SOURCE).as_posix())]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_may_not_run_on(self):
        self.assertEqual(self.complaints_of("short\n\n" + "word " * 24 + "\n"), ["x.md:3"])
        self.assertEqual(self.complaints_of("x" * COLUMNS + "\n"), [])

    def test_may_hold_a_long_address(self):
        self.assertEqual(self.complaints_of("[here](https://example.com/" + "a" * 200 + ")\n"), [])

    def test_does_not_bound_code_blocks(self):
        long = "x" * 200
        self.assertEqual(self.complaints_of(f"```\n{long}\n```\n{long}\n"), ["x.md:4"])

    def test_may_not_stand_in_a_cell_as_a_paragraph(self):
        row = "| key | {} |\n"
        self.assertEqual(self.complaints_of(row.format("x" * 200)), [])
        self.assertEqual(self.complaints_of(row.format("x" * 201)), ["x.md:1"])
        self.assertEqual(self.complaints_of(("| " + "x" * 150) * 3 + " |\n"), [])


if __name__ == "__main__":
    unittest.main()
