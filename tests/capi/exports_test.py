"""libsluice.so exports the calls of sluice.h and nothing else, under its own version."""

import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = os.environ["SLUICE_LIBRARY"]
VERSION = "LIBSLUICE_0"


def exported():
    """"name@VERSION" each; nm marks the default version by two @, and lists the version itself."""
    listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, text=True,
                            capture_output=True, timeout=30).stdout
    names = [line.split()[-1].replace("@@", "@") for line in listed.splitlines()]
    return sorted(name for name in names if name != VERSION)


def declared():
    header = (SOURCE / "include/sluice.h").read_text()
    return sorted(re.findall(r"SLUICE_EXPORT[^;]*?\b(sluice_\w+)\(", header))


def listed():
    """Those of the symbols file of the Debian package."""
    lines = (SOURCE / "capi/libsluice0.symbols").read_text().splitlines()
    names = [line.split()[0] for line in lines if line.startswith(" ")]
    return sorted(name for name in names if name != f"{VERSION}@{VERSION}")


class Exports(unittest.TestCase):
    def test_are_those_of_the_symbols_file(self):
        self.assertEqual(listed(), exported())

    def test_are_the_calls_of_the_header(self):
        self.assertEqual([name.split("@")[0] for name in listed()], declared())

    def test_belong_to_one_version(self):
        self.assertEqual({name.split("@")[-1] for name in exported()}, {VERSION})

    def test_name_the_major_version_in_the_soname(self):
        headers = subprocess.run(["objdump", "-p", LIBRARY], check=True, text=True,
                                 capture_output=True, timeout=30).stdout
        self.assertRegex(headers, r"SONAME\s+libsluice\.so\.0\n")


if __name__ == "__main__":
    unittest.main()
