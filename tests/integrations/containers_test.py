"""podman in a build: compiles in containers are held and counted, as root and without."""
import os
import shutil
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pod"))

import own_mounts  # noqa: E402
from builds import ONE_AT_ONCE, BuildTest  # noqa: E402
from daemons import wait_for  # noqa: E402
from podman import Podman  # noqa: E402

PODMAN = os.environ.get("PODMAN", "podman")
NOBODY = 65534
# Computes for so many milliseconds of CPU time.
COMPILER = """\
#include <stdlib.h>
#include <time.h>
int main(int count, char **words) {
  clock_t until = clock() + CLOCKS_PER_SEC / 1000 * (count > 1 ? atoi(words[1]) : 0);
  while (clock() < until) {}
}
"""
ROOTLESS = """\
[containers]
netns = "none"
log_driver = "k8s-file"
default_ulimits = []
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "none"
lock_type = "file"
tmp_dir = "{folder}/tmp"
"""
ROOTLESS_STORAGE = """\
[storage]
driver = "vfs"
runroot = "{folder}/runroot"
graphroot = "{folder}/images"
[storage.options.vfs]
ignore_chown_errors = "true"
"""


class Containers(BuildTest):
    # podman itself would have the permit on which all of its container works.
    config = ONE_AT_ONCE + "build: {programs: {podman: free}}\n"

    def setUp(self):
        super().setUp()
        self.write("cc1.c", COMPILER)
        subprocess.run(["gcc", "-O1", "-static", "-o", "cc1", "cc1.c"], cwd=self.folder, check=True)
        with tarfile.open(self.folder / "image.tar", "w") as image:
            image.add(self.folder / "cc1", "cc1")

    def run_as_root(self):
        podman = Podman(PODMAN)
        self.addCleanup(podman.clean)
        podman.call("import", self.folder / "image.tar", "localhost/build")
        self.environment.update({name: value for name, value in podman.environment.items()
                                 if name.startswith("CONTAINERS_") or name == "TMPDIR"})
        return f"{PODMAN} run --rm --network none localhost/build"

    def run_as_nobody(self):
        folder = self.folder / "nobody"
        for each in (folder, folder / "tmp", folder / "run"):
            each.mkdir(mode=0o700)
        shutil.copy(shutil.which(PODMAN), folder / "podman")
        shutil.copy(self.folder / "image.tar", folder)
        (folder / "containers.conf").write_text(ROOTLESS.format(folder=folder))
        (folder / "storage.conf").write_text(ROOTLESS_STORAGE.format(folder=folder))
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", folder], check=True)
        self.folder.chmod(0o711)
        variables = {"HOME": folder, "TMPDIR": folder / "tmp", "XDG_RUNTIME_DIR": folder / "run",
                     "CONTAINERS_CONF": folder / "containers.conf",
                     "CONTAINERS_STORAGE_CONF": folder / "storage.conf"}
        podman = " ".join([f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups env --chdir={folder}",
                           *(f"{name}={value}" for name, value in variables.items()), str(folder / "podman")])
        subprocess.run(f"{podman} import image.tar localhost/build", shell=True, env=self.environment,
                       check=True, capture_output=True)
        return f"{podman} run --rm --network none localhost/build"

    def start_beside_a_busy_one(self, container):
        """Returns when a compile in a container waits, since another has the only permit until `room` is there."""
        building = self.start_build(
            "sh", "-c", "./cc1 600000 & busy=$!; (until [ -e room ]; do sleep 0.05; done; kill $busy) & sleep 0.3; "
                        f"{container} /cc1 2000; status=$?; touch room; wait; exit $status")
        wait_for(lambda: self.daemon.jobs() == (1, 1))
        return building

    def assert_held_until_there_is_room(self, container):
        building = self.start_beside_a_busy_one(container)
        self.write("room", "")
        end = self.end_of(building)
        self.assertEqual(len(self.runs_of(end, "cc1")), 2, end)
        self.assertEqual((end["most_running"], end["most_held"]), (1, 1), end)
        self.assert_none_without_permit(end)
        wait_for(lambda: self.daemon.jobs() == (0, 0))

    def test_a_compile_in_a_container_is_held(self):
        self.assert_held_until_there_is_room(self.run_as_root())

    def test_a_compile_in_a_container_of_another_user_is_held(self):
        self.assert_held_until_there_is_room(self.run_as_nobody())

    def test_a_container_goes_on_when_the_daemon_is_killed(self):
        building = self.start_beside_a_busy_one(self.run_as_root())
        self.daemon.kill()
        self.end_of(building)


if __name__ == "__main__":
    own_mounts.enter()
    unittest.main()
