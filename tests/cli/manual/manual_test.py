"""The manual pages as the build writes them: they render without a warning, fit a terminal of 80
columns, and hold all that --help and the configuration reference tell."""
import os
import re
import subprocess
import unittest
from pathlib import Path

FOLDER = Path(os.environ["SLUICE_MANUAL"])
COMMAND = os.environ["SLUICE_COMMAND"]
PAGES = sorted(FOLDER.glob("man?/*"))


def output_of(*words, **settings):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, **settings)
    return done.stdout, done.stderr


def rendered(page):
    """The page as a reader sees it, without bold and underline."""
    environment = dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8", MAN_KEEP_FORMATTING="")
    text, problems = output_of("man", "-l", str(page), env=environment)
    assert not problems, problems
    return re.sub(".\b", "", text)


def plain(text):
    """Without line breaks, hyphenation and the difference of hyphens."""
    text = re.sub("\N{HYPHEN}\n *", "", text)
    return re.sub(r"[\s\N{HYPHEN}-]", "", text)


class Manual(unittest.TestCase):
    def test_every_subcommand_has_a_page(self):
        help_text, _ = output_of(COMMAND, "--help")
        listed = help_text.split("Subcommands:\n")[1].split("\n\n")[0]
        names = set(re.findall(r"^  (\S+)", listed, re.MULTILINE)) - {"help", "version"}
        self.assertGreater(len(names), 18)
        pages = {page.name for page in PAGES}
        self.assertEqual({f"sluice-{name}.1" for name in names} - pages, set())
        self.assertLessEqual({"sluice.1", "sluice-launch.1", "sluice.yaml.5"}, pages)

    def test_no_page_gives_a_warning(self):
        for page in PAGES:
            _, problems = output_of("groff", "-man", "-Tutf8", "-ww", str(page))
            self.assertEqual(problems, "", page)
            problems, _ = output_of("mandoc", "-Tlint", "-W", "warning", str(page))
            self.assertEqual(problems, "", page)

    def test_every_page_fits_a_terminal(self):
        for page in PAGES:
            for line in rendered(page).splitlines():
                # Examples of JSON cannot be broken.
                self.assertLessEqual(len(line), 87 if "{" in line else 80, f"{page.name}: {line}")

    def test_every_page_has_its_sections_in_order(self):
        order = ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "EXIT STATUS", "ENVIRONMENT",
                 "FILES", "EXAMPLES", "SEE ALSO"]
        for page in FOLDER.glob("man1/*"):
            found = re.findall(r"^\.SH \"(.*)\"$", page.read_text(), re.M)
            self.assertEqual(found, [name for name in order if name in found], page.name)
            needed = {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"}
            self.assertLessEqual(needed, set(found), page.name)

    def test_a_page_tells_every_option_of_its_help(self):
        for page in FOLDER.glob("man1/sluice-*"):
            if page.name == "sluice-launch.1":
                continue
            help_text, _ = output_of(COMMAND, page.name[len("sluice-"):-2], "--help")
            before_examples = help_text.split("Examples:")[0]
            options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", before_examples))
            text = plain(rendered(page))
            for option in options:
                self.assertIn(option.replace("-", ""), text, page.name)

    def test_the_page_of_the_configuration_tells_every_key(self):
        reference, _ = output_of(COMMAND, "config", "reference")
        keys = re.findall(r"^\| `([a-z_.]+)` \| .* \| .* \|", reference, re.M)
        self.assertGreater(len(keys), 100)
        text = rendered(FOLDER / "man5/sluice.yaml.5")
        for key in keys:
            self.assertRegex(text, rf"(?m)^ +{re.escape(key)}\b")
        self.assertIn("HOW VALUES ARE WRITTEN", text)


if __name__ == "__main__":
    unittest.main()
