"""Real packages: Debian's sources, built by their own build commands, without network."""

import dataclasses
import os
import pathlib
import shutil
import subprocess

import jobs
import packages

# Of some 60 tests of nlohmann-json3: those that take a compiler 1 to 5 s.
JSON_TESTS = ("allocator", "alt-string", "capacity", "convenience", "hash", "items", "json_pointer",
              "meta", "udl", "wstring")


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    pattern: str  # of the folder that apt-get source makes
    prepare: str  # shell, once; empty: nothing
    build: str  # shell; {make} stands for the contender
    cpu_s: float  # about, for estimates


PACKAGES = (
    Package("redis", "redis-*/", "", "{make} -C src MALLOC=libc redis-server", 40.0),
    # Debian takes out what is generated.
    Package("re2", "re2-*/",
            "make REBUILD_TABLES=1 re2/perl_groups.cc re2/unicode_casefold.cc "
            "re2/unicode_groups.cc",
            "{make} obj/libre2.a", 20.0),
    Package("nlohmann-json3", "nlohmann-json3-*/",
            "cmake -S . -B b -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Debug -DJSON_BuildTests=ON "
            "-DJSON_TestDataDirectory=/nonexistent",
            "{make} -C b " + " ".join(f"test-{name}_cpp11" for name in JSON_TESTS), 35.0),
)


# To configure them.
NEEDED = ("cmake", "dpkg-dev", "make", "perl", "python3", "python3-six", "unicode-data")


def job_of(package):
    """The whole package as one job, which says that it succeeded like all others."""
    return jobs.Job(package.name, "package", package.build, package.cpu_s, package.cpu_s)


def builds():
    return tuple((package.name, (job_of(package),)) for package in PACKAGES)


def source_lists():
    """Lines of a sources.list for the Debian suites that this host has packages of: these, and
    their sources."""
    words = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
             "Created-By: Packages", "Origin: Debian"]
    found = subprocess.run(words, check=True, text=True, capture_output=True).stdout.splitlines()
    if not found:
        raise RuntimeError("real packages need a Debian suite; apt knows none")
    return "".join(f"{kind} {line}\n" for line in sorted(set(found)) for kind in ("deb", "deb-src"))


def fetch(folder, names, tell, needs_of=()):
    """Downloads and unpacks sources, and installs what Debian builds those of `needs_of` with; the
    host's own package lists are left alone."""
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    packages.apt_get(["update", "-qq"], tell)
    (folder / "sources.list").write_text(source_lists())
    own = ["-o", f"Dir::Etc::sourcelist={folder}/sources.list",
           "-o", "Dir::Etc::sourceparts=/dev/null", "-o", f"Dir::State::lists={folder}/lists"]
    install = ["-y", "-qq", "--no-remove", "--no-install-recommends"]
    packages.apt_get(["install", *install, *NEEDED], tell)
    calls = [["update", "-qq"]]
    if needs_of:
        calls.append(["build-dep", *install, *needs_of])
    calls.append(["source", "-qq", *names])
    if not all(packages.apt_get([*own, *call], tell, folder) for call in calls):
        raise RuntimeError(f"the sources of {', '.join(names)} cannot be downloaded")


def prepare(folder, kept, tell):
    """Unpacks and configures each package at folder/NAME and keeps a copy of that at kept/NAME."""
    if (kept / "complete").exists():
        return
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    tell("real: downloading and configuring the sources")
    fetch(kept, [package.name for package in PACKAGES], tell)
    for package in PACKAGES:
        target = folder / package.name
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        next(kept.glob(package.pattern)).rename(target)
        if package.prepare:
            run(package.prepare, target)
        copy(target, kept / package.name)
    (kept / "complete").touch()


def run(line, folder):
    # Debian's python3, which has the packages that Debian installs.
    environment = dict(os.environ, PATH="/usr/bin:/bin")
    result = subprocess.run(["sh", "-c", line], cwd=folder, check=False, text=True, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise RuntimeError(f"{line}: {result.stdout[-1000:]}")


def copy(source, target):
    # Times are kept, so that make considers the same files up to date.
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def restore(folder, kept):
    """Each package as it was configured, at the place where it was: paths are in its files."""
    for package in PACKAGES:
        target = pathlib.Path(folder) / package.name
        shutil.rmtree(target, ignore_errors=True)
        copy(kept / package.name, target)
        (target / "o").mkdir()
