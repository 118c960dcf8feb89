"""sbuild below `sluice build`: compilers in its chroot, and in its user namespace, are held until they fit."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pod"))

import own_mounts  # noqa: E402
from builds import BuildTest  # noqa: E402
from daemons import wait_for  # noqa: E402

CHROOT = os.environ.get("CHROOT", "")
FILES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
# Computes, to be held meanwhile, then needs one of two licences for as long again.
COMPILER = """\
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static void compute(void) {
  clock_t until = clock() + CLOCKS_PER_SEC / 2;
  while (clock() < until) {}
}
int main(void) {
  const char *licence = "licence1";
  compute();
  if (mkdir(licence, 0777) != 0 && mkdir(licence = "licence2", 0777) != 0) return 1;
  compute();
  return rmdir(licence);
}
"""
MAKEFILE = f"all: {' '.join(FILES)}\n{' '.join(FILES)}:\n\t./cc1 $@.c\n"
CONTROL = """\
Source: licensed
Section: misc
Priority: optional
Maintainer: Nobody <nobody@example.invalid>
Standards-Version: 4.6.2
Rules-Requires-Root: no

Package: licensed
Architecture: any
Description: needs licences
 It is compiled by a compiler that does.
"""
CHANGELOG = """\
licensed (1.0) unstable; urgency=medium

  * Begins.

 -- Nobody <nobody@example.invalid>  Thu, 26 Nov 2026 00:00:00 +0000
"""
RULES = """\
#!/usr/bin/make -f
build build-arch build-indep:
\tgcc -o cc1 licensed.c
\t$(MAKE) -j6
binary binary-arch binary-indep: build
\tmkdir -p debian/tmp/DEBIAN
\tdpkg-gencontrol
\tdpkg-deb --build debian/tmp ..
clean:
\trm -rf cc1 debian/tmp debian/files
"""
SBUILD = ("env", "-u", "MAKEFLAGS", "sbuild", "--chroot-mode=unshare", f"--chroot={CHROOT}", "--dist=bookworm",
          "--no-run-lintian", "--no-apt-update", "--no-apt-upgrade", "--no-apt-distupgrade", "--no-clean-source", "--build-dir=.",
          "licensed-1.0")


class Sbuild(BuildTest):
    def setUp(self):
        super().setUp()
        self.write("licensed-1.0/licensed.c", COMPILER)
        self.write("licensed-1.0/Makefile", MAKEFILE)
        self.write("licensed-1.0/debian/control", CONTROL)
        self.write("licensed-1.0/debian/changelog", CHANGELOG)
        self.write("licensed-1.0/debian/source/format", "3.0 (native)\n")
        self.write("licensed-1.0/debian/rules", RULES)
        (self.folder / "licensed-1.0/debian/rules").chmod(0o755)

    def log(self):
        return next(self.folder.glob("licensed_1.0_*.build")).read_text(errors="replace")

    def is_built(self):
        return any(self.folder.glob("licensed_1.0_*.deb"))

    def test_overruns_the_host_without_sluice_and_not_with_it(self):
        alone = self.start(*SBUILD)
        alone.communicate(timeout=300)
        self.assertNotEqual(alone.returncode, 0)
        self.assertIn("[Makefile:3: ", self.log())
        self.assertFalse(self.is_built())
        end = self.build(*SBUILD)
        self.assertTrue(self.is_built(), self.log())
        self.assertGreater(end["most_held"], 0, end)
        self.assert_none_without_permit(end)

    def test_goes_on_when_the_daemon_dies(self):
        # No licence is missing, since none is needed.
        self.write("licensed-1.0/Makefile", MAKEFILE.replace("./cc1", "cd $$(mktemp -d) && $(CURDIR)/cc1"))
        building = self.start_build(*SBUILD)
        wait_for(lambda: self.daemon.jobs()[1] >= 3, self.daemon.jobs)
        self.daemon.kill()
        self.end_of(building)
        self.assertTrue(self.is_built(), self.log())


def become_root_of_others():
    """Numbers of users for root's user namespaces, which nobody else sees."""
    own_mounts.enter()
    own = Path("/run/sluice-test-subid")
    own.write_text("root:100000:65536\n")
    for each in ("/etc/subuid", "/etc/subgid"):
        own_mounts.mount("--bind", own, each)


if __name__ == "__main__":
    assert Path(CHROOT).exists(), "CHROOT names no Debian for sbuild: ./test compilers makes it"
    become_root_of_others()
    unittest.main()
