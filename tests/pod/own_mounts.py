"""Mounts that nobody else sees, and that are gone when the test is."""

import os
import pathlib
import subprocess
import sys

MARK = "SLUICE_POD_MOUNTS"
GROUPS = pathlib.Path("/sys/fs/cgroup")


def allowed():
    return subprocess.run(["unshare", "--mount", "true"], check=False,
                          capture_output=True).returncode == 0


def enter():
    """Starts this program again in a mount namespace of its own, once."""
    if os.environ.get(MARK):
        return
    os.environ[MARK] = "own"
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable,
                          *sys.argv])


def below(text, folder):
    """The mount points below a folder, of a /proc/self/mountinfo, the outer first. Pure."""
    found = [line.split()[4] for line in text.splitlines()]
    return sorted(each for each in found if each.startswith(f"{folder}/"))


def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)


def only_real_hierarchies(spare):
    """Where cgroups are of version 1, podman takes each folder in /sys/fs/cgroup for a hierarchy.
    Where one is none, which some init systems leave behind, it fails; then /sys/fs/cgroup is made
    again at `spare`, an empty folder, of those that are, and moved there."""
    real = below(pathlib.Path("/proc/self/mountinfo").read_text(), GROUPS)
    folders = [each for each in GROUPS.iterdir() if each.is_dir() and not each.is_symlink()]
    if not real or all(str(each) in real for each in folders):
        return
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", spare)
    for each in map(pathlib.Path, real):
        if each.parent == GROUPS:
            (spare / each.name).mkdir()
            mount("--bind", each, spare / each.name)
    for link in GROUPS.iterdir():
        if link.is_symlink() and (spare / link.readlink()).is_dir():
            (spare / link.name).symlink_to(link.readlink())
    subprocess.run(["umount", "--recursive", "--lazy", GROUPS], check=True)
    mount("--move", spare, GROUPS)
