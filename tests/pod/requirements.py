"""What a host must have for the pod test."""

import os
import pathlib
import shutil

import manifest
import own_mounts
from podman import Failed

BUSYBOX = "/bin/busybox"


def cannot(program):
    """Why nothing can be tried here; none: it can."""
    if os.geteuid() != 0:
        return "containers with limits need root"
    for tool in ("runc", "conmon", "buildah", "nsenter", "curl"):
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin"):
            return f"{tool} is not installed"
    if not shutil.which(program):
        return f"{program} is not installed"
    if not pathlib.Path(BUSYBOX).exists():
        return f"{BUSYBOX} is not there (busybox-static)"
    if not own_mounts.allowed():
        return "this host lets nobody have mounts of their own (unshare --mount)"
    try:
        manifest.render(pathlib.Path(__file__).resolve().parent)
    except manifest.Missing as problem:
        return str(problem)
    return None


def cannot_run_containers(podman):
    """Why this host runs no container at all; none: it does."""
    try:
        work = podman.script(["buildah", "from", "scratch"])
        podman.script(["buildah", "copy", "--quiet", work, BUSYBOX, BUSYBOX])
        podman.script(["buildah", "commit", "--quiet", work, "localhost/try"])
        podman.script(["buildah", "rm", work])
        podman.call("run", "--rm", "--network", "none", "--memory", "64m", "localhost/try",
                    BUSYBOX, "true")
    except Failed as problem:
        return str(problem).splitlines()[-1]
    return None
