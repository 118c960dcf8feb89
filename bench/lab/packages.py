"""Debian packages of the programs that a benchmark needs."""

import os
import shutil
import subprocess


def apt_get(words, tell, folder=None):
    """Whether it succeeded; what it says of an error is told."""
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    result = subprocess.run(["apt-get", *words], env=environment, check=False, text=True,
                            capture_output=True, cwd=folder)
    if result.returncode != 0:
        tell(f"apt-get {words[0]}: {result.stderr.strip()}")
    return result.returncode == 0


def install(programs, packages, tell):
    """Installs the packages ({program: package}) of programs that are missing; returns those still
    missing."""
    missing = sorted(program for program in programs if shutil.which(program) is None)
    if not missing or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return missing
    chosen = [packages[program] for program in missing]
    tell(f"installing {' '.join(chosen)}")
    apt_get(["update", "-qq"], tell)
    apt_get(["install", "-y", "-qq", "--no-remove", "--no-install-recommends", *chosen], tell)
    return [program for program in missing if shutil.which(program) is None]
