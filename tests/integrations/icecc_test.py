"""icecc itself, with a scheduler and an iceccd of these tests alone: the compiles that it runs on this host."""
import os
import shutil
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from daemons import INTEGRATIONS, SOURCE, wait_for
from licences import LicensedBuildTest

UNPACKED = SOURCE / "build/tools/icecc/usr"
PATH = f"{UNPACKED}/bin:{UNPACKED}/sbin:/usr/bin:/usr/sbin:/bin"
LAUNCHER = str(INTEGRATIONS / "icecc/gcc")
NAMES = ("alpha", "beta", "eta", "delta", "epsilon", "zeta")
MAKE = "all: {objects}\n%.o: %.c\n\t$(CC) -c $< -o $@\n"
CC1 = """\
#!/bin/sh
case " $* " in *" -E "*) exec {cc1} "$@" ;; esac
exec licensed {cc1} "$@"
"""
# Root's would take work of others, and keep files in /run.
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def free_port():
    """The scheduler listens on it and on the next."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
                return port
            except (OSError, OverflowError):
                pass


class Icecc(LicensedBuildTest):
    @classmethod
    def setUpClass(cls):
        assert shutil.which("iceccd", path=PATH), "icecc is not below build/tools, where ./test puts it"
        folder = tempfile.TemporaryDirectory(prefix="sluice-icecc-")
        cls.addClassCleanup(folder.cleanup)
        cls.ice = Path(folder.name)
        # For nobody.
        cls.ice.chmod(0o777)
        port = free_port()
        network = f"sluice-{port}"
        cls.start_part("icecc-scheduler", "-i", "lo", "-p", str(port), "-n", network)
        cls.start_part("iceccd", "-i", "lo", "-s", f"127.0.0.1:{port}", "-n", network, "-N", "host", "-m", "8",
                       "--no-remote", "-b", str(cls.ice / "environments"))
        log = cls.ice / "iceccd.log"
        wait_for(lambda: log.exists() and "Connected to scheduler" in log.read_text(), lambda: log.read_text())

    @classmethod
    def start_part(cls, *words):
        program = shutil.copy(shutil.which(words[0], path=PATH), cls.ice)
        # ICECC_TESTS: they look for each other on this host alone.
        environment = {"PATH": PATH, "ICECC_TESTS": "1", "ICECC_TEST_SOCKET": str(cls.ice / "socket")}
        process = subprocess.Popen([program, *words[1:], "-vvv", "-l", f"{program}.log"], **NOBODY, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)

    def setUp(self):
        super().setUp()
        for name in NAMES:
            self.write(f"{name}.c", f"int {name}(void) {{ return 0; }}\n")
        self.write("Makefile", MAKE.format(objects=" ".join(f"{name}.o" for name in NAMES)))
        self.log = self.folder / "icecc.log"
        # Stands for this host's compiler, packed for others, which takes some seconds. No other gets it.
        packed = self.folder / "environment.tar.gz"
        packed.write_bytes(bytes(1000))
        self.environment.update(PATH=f"{self.tools}:{PATH}", ICECC_TEST_SOCKET=str(self.ice / "socket"),
                                ICECC_VERSION=str(packed), ICECC_LOGFILE=str(self.log), ICECC_DEBUG="debug",
                                COMPILER_PATH=str(self.tools), CCACHE_DIR=str(self.folder / "ccache"))
        self.licence_cc1()

    def licence_cc1(self):
        """Not gcc, which icecc calls by its full name."""
        for name in ("gcc", "cc"):
            (self.tools / name).unlink()
        cc1 = subprocess.check_output(["/usr/bin/gcc", "-print-prog-name=cc1"], text=True).strip()
        (self.tools / "cc1").write_text(CC1.format(cc1=cc1))
        (self.tools / "cc1").chmod(0o755)

    def fits_with_the_launcher(self, *words, **variables):
        self.succeed("sh", "-c", "rm -f *.o")
        self.log.write_text("")
        self.fits(*words, ICECC_CC=LAUNCHER, **variables)
        # The scheduler has sent each back to this host.
        log = self.log.read_text()
        self.assertEqual(log.count("building myself"), len(NAMES), log)

    def test_overruns_the_host_without_the_launcher_and_not_with_it(self):
        words = ["make", "-j8", "CC=icecc gcc"]
        self.overruns(*words)
        self.fits_with_the_launcher(*words)

    def test_overruns_the_host_below_ccache_without_the_launcher_and_not_with_it(self):
        words = ["make", "-j8", "CC=ccache gcc"]
        self.overruns(*words, CCACHE_PREFIX="icecc")
        self.fits_with_the_launcher(*words, CCACHE_PREFIX="icecc", CCACHE_DIR=str(self.folder / "empty"))

    def test_goes_on_when_the_daemon_dies(self):
        output = self.outlives_the_daemon("make", "-j8", "CC=icecc gcc", ICECC_CC=LAUNCHER)
        self.assertEqual(output.count("not governed"), 1, output)


if __name__ == "__main__":
    unittest.main()
