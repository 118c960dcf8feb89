"""Podman with everything of its own below one temporary folder: the host's is not touched."""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time

import own_mounts

CONTAINERS_CONF = """[containers]
default_ulimits = ["nofile={nofile}:{nofile}", "nproc={nproc}:{nproc}"]
netns = "none"
log_driver = "k8s-file"
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "none"
lock_type = "file"
tmp_dir = "{folder}/tmp"
static_dir = "{folder}/static"
volume_path = "{folder}/volumes"
[network]
network_config_dir = "{folder}/networks"
"""
STORAGE_CONF = """[storage]
driver = "vfs"
runroot = "{folder}/runroot"
graphroot = "{folder}/images"
"""
# Podman's default is more than the hard limit of some hosts, and it then starts nothing.
MOST_FILES, MOST_PROCESSES = 65536, 4096


def within_hard_limit(kind, most):
    hard = resource.getrlimit(kind)[1]
    return most if hard == resource.RLIM_INFINITY else min(hard, most)


class Failed(RuntimeError):
    pass


class Podman:
    def __init__(self, program):
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-pod-"))
        for name, text in (("containers.conf", CONTAINERS_CONF), ("storage.conf", STORAGE_CONF)):
            (self.folder / name).write_text(text.format(
                folder=self.folder,
                nofile=within_hard_limit(resource.RLIMIT_NOFILE, MOST_FILES),
                nproc=within_hard_limit(resource.RLIMIT_NPROC, MOST_PROCESSES)))
        (self.folder / "tmp").mkdir()
        (self.folder / "cgroup").mkdir()
        own_mounts.only_real_hierarchies(self.folder / "cgroup")
        self.groups_before = parents()
        self.environment = {**os.environ,
                            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
                            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
                            "TMPDIR": str(self.folder / "tmp")}

    def start(self, *arguments, **options):
        """A podman that goes on by itself."""
        return subprocess.Popen([self.program, *map(str, arguments)], env=self.environment,
                                text=True, **options)

    def run(self, *arguments, patience=60):
        """Its output, status and complaints."""
        try:
            return subprocess.run([self.program, *map(str, arguments)], env=self.environment,
                                  check=False, capture_output=True, text=True, timeout=patience)
        except subprocess.TimeoutExpired as late:
            said = b"".join(filter(None, (late.stdout, late.stderr))).decode(errors="replace")
            raise Failed(f"{late}; until then it said: {said.strip() or 'nothing'}") from late

    def call(self, *arguments, patience=60):
        """Its output; it must succeed."""
        done = self.run(*arguments, patience=patience)
        if done.returncode != 0:
            raise Failed(f"podman {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout.strip()

    def script(self, command, patience=600):
        """Another program that uses the same images, such as one that calls buildah."""
        done = subprocess.run(command, env=self.environment, check=False, text=True,
                              stdout=subprocess.PIPE, timeout=patience)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))} failed")
        return done.stdout.strip()

    def inspect(self, name):
        return json.loads(self.call("inspect", name))[0]

    def process_of(self, container):
        """The first process of a container, as the host numbers it; none if it does not run."""
        return self.inspect(container)["State"]["Pid"] or None

    def clean(self):
        """Ends everything and leaves nothing, whatever has happened."""
        self.run("pod", "rm", "--all", "--force", "--time", "0")
        self.run("rm", "--all", "--force", "--time", "0")
        self.run("volume", "rm", "--all", "--force")
        found = pathlib.Path("/proc/self/mountinfo").read_text()
        for mount in reversed(own_mounts.below(found, self.folder)):
            subprocess.run(["umount", "--lazy", mount], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in parents() - self.groups_before:
            remove_groups(folder)


def parents():
    """The groups that podman makes for pods, one in each hierarchy."""
    top = pathlib.Path("/sys/fs/cgroup")
    return set(top.glob("libpod_parent")) | set(top.glob("*/libpod_parent"))


def remove_groups(folder, patience=10):
    """The kernel holds a group for as long as what was killed in it has not gone."""
    until = time.monotonic() + patience
    for each in [*sorted(folder.rglob("*/"), reverse=True), folder]:
        while each.is_dir():
            try:
                each.rmdir()
            except OSError as problem:
                if time.monotonic() > until:
                    print(f"left behind: {each}: {problem.strerror}", flush=True)
                    break
                time.sleep(0.1)
