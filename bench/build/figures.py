"""The figures: what each builds, and with which contenders."""

import dataclasses
import json
import os
import pathlib
import shlex
import subprocess

import contenders as overload
import crates
import jobset
import process
import real
import stamps

MB = 1 << 20
FIXED_WINDOW = ("window: {law: adaptive, initial: 20, minimum: 20, maximum: 20}\n"
                "sensors: {load: off, cpu_pressure: off, io_pressure: off}\n")


@dataclasses.dataclass(frozen=True)
class Place:
    """What a command is made from."""

    folder: pathlib.Path  # emptied before each run
    state: pathlib.Path  # of the contender's daemon, emptied unless warm
    sluice: str
    launcher: str
    programs: dict
    full: bool  # the job set of its full size


@dataclasses.dataclass(frozen=True)
class Contender:
    name: str
    command: object  # Place -> words
    warm_after: str = ""  # starts with the state of that one


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    about: str
    jobs: int
    limit_mb: object  # alone -> MB; 0: none
    prepare: object  # Place -> none
    contenders: tuple
    rounds: int
    done: object  # Place -> how many jobs succeeded
    facts: object = lambda place, log: {}


def governed(place, *words, options=()):
    return [place.sluice, "build", "--alone", "--json", "--state-dir", str(place.state), *options,
            "--", *words]


def served(place, *command):
    return overload.served(place.sluice, place.state, *command)


def made(pattern):
    return lambda place: sum(1 for _ in place.folder.glob(pattern))


def events(log):
    """{event: last object} of what `sluice build --json` said."""
    found = {}
    for line in log.splitlines():
        if line.startswith("{"):
            try:
                each = json.loads(line)
            except ValueError:
                continue
            found[each.get("event", "")] = each
    return found


def end_of(_, log):
    end = events(log).get("end", {})
    return {name: end[name] for name in ("runs", "most_held", "beyond") if name in end}


def rules(names, recipe):
    """A Makefile of many independent targets."""
    return (f"all: {' '.join(names)}\n" + "".join(
        f"{name}:\n\t@{recipe.replace('%', name)}\n" for name in names))


# Four builds at once of one job set.

def shape_of(place):
    return jobset.FULL if place.full else jobset.SHORT


def four_trees(place):
    for number in range(4):
        tree = place.folder / f"tree{number}"
        jobset.write(tree, jobset.jobs_of(shape_of(place), number + 1, "shuffled"), shape_of(place))
        jobset.clear_outputs(tree)


def in_trees(numbers, line):
    """Runs the line of shell in all these trees at once, each of whose numbers it knows as $n."""
    return ["sh", "-c", f"for n in {' '.join(map(str, numbers))}; do (cd tree$n && exec {line}) & "
            "pids=\"$pids $!\"; done; status=0; "
            "for pid in $pids; do wait $pid || status=1; done; exit $status"]


def side_by_side(*command):
    return in_trees(range(4), shlex.join(command))


def one_after_the_other(place):
    alone = json.loads((place.folder.parent / "alone.json").read_text())
    peaks = {kind: each["peak_mb"] for kind, each in alone.items()}
    lines = []
    for number in range(4):
        tree = place.folder / f"tree{number}"
        packing = overload.packing(
            tree / "oracle.json", jobset.jobs_of(shape_of(place), number + 1, "shuffled"), peaks,
            overload.sluices(2.9 * max(peaks.values())), "biggest-first")
        lines.append(f"(cd {tree} && {shlex.join(packing)}) || status=1")
    return ["sh", "-c", "status=0\n" + "\n".join(lines) + "\nexit $status"]


def four_governed(place):
    return served(place, *side_by_side(place.sluice, "build", "-v", "--", "make", "-k"))


def four_done(place):
    return sum(len(jobset.done(place.folder / f"tree{number}")) for number in range(4))


# A hundred recipes of a program that nobody listed.

def write_recipes(place, folder, count):
    names = [f"r{number}" for number in range(count)]
    (folder / "Makefile").write_text(
        rules(names, f"{place.programs['hold']} 300 300 700 && touch %"))


def recipes(place):
    write_recipes(place, place.folder, 100)


# The same of two users, each with a daemon that knows nothing of the other's.

USERS = (65532, 65533)


def two_users(place):
    for user in USERS:
        tree = place.folder / f"tree{user}"
        tree.mkdir()
        write_recipes(place, tree, 50)
        os.chown(tree, user, user)


def by_users(*command):
    def words(place):
        each = shlex.join([place.sluice if word == "sluice" else word for word in command])
        return in_trees(USERS, "env HOME=$PWD XDG_STATE_HOME=$PWD "
                        f"setpriv --reuid=$n --regid=$n --clear-groups {each}")
    return words


# Short execs: one in ten lasts long enough to have to wait.

def short_execs(place):
    tool = place.folder / "renderer"
    tool.symlink_to(place.programs["stamp"])
    names = [f"e{number}" for number in range(500)]
    nine = "; ".join([str(place.programs["nothing"])] * 9)
    (place.folder / "Makefile").write_text(rules(names, f"{nine}; {tool} 60 stamps 200 200 && touch %"))


def read_stamps(place):
    path = place.folder / "stamps"
    return stamps.read(path.read_text()) if path.exists() else []


def exec_facts(place, log):
    stopped, below = stamps.held_below(read_stamps(place), 100)
    return dict(end_of(place, log), stopped=stopped, below_100_mb=below)


# Tiny compiles, and processes that do nothing: what recognition costs each.

def tiny(place):
    names = [f"t{number}" for number in range(3000)]
    for name in names:
        (place.folder / f"{name}.c").write_text(f"int {name}(int a) {{ return a; }}\n")
    (place.folder / "Makefile").write_text(rules(names, "gcc -c %.c -o %.o"))


def empty(place):
    (place.folder / "cc1").symlink_to(place.programs["nothing"])
    names = [f"t{number}" for number in range(3000)]
    (place.folder / "Makefile").write_text(
        f".PHONY: {' '.join(names)}\n" + rules(names, "./cc1 -quiet %.c -o %.s"))


def empty_done(place):
    counted = place.folder / "done"
    return counted.stat().st_size if counted.exists() else 0


# Hits of ccache while the window is full.

def ccached(place):
    for number in range(500):
        (place.folder / f"c{number}.c").write_text(f"int f{number}(int a) {{ return a + {number}; }}\n")
    names = [f"c{number}" for number in range(500)]
    (place.folder / "Makefile").write_text(rules(names, "ccache gcc -c %.c -o %.o"))
    (place.folder / "full.sh").write_text(
        "$1 run -- sleep 1000 & $1 run -- sleep 1000 & sleep 2\n"
        "[ -z \"$2\" ] || export CCACHE_PREFIX=$2\nmake -j4; status=$?\nkill %1 %2; exit $status\n")
    (place.folder / "full.yaml").write_text(FIXED_WINDOW)
    subprocess.run(["make", "-s", "-j2"], cwd=place.folder, check=True, env=ccache_variables(place),
                   stdout=subprocess.DEVNULL)
    for path in place.folder.glob("*.o"):
        path.unlink()


def ccache_variables(place):
    # The environment of the run: ccache takes other words for another language as a miss.
    return dict(process.clean_environment(), CCACHE_DIR=str(place.folder / "cache"), CCACHE_DIRECT="1")


def under_full_window(prefix):
    def command(place):
        return ["env", f"CCACHE_DIR={place.folder}/cache", f"SERVED_CONFIG={place.folder}/full.yaml",
                *served(place, "bash", "-m", "full.sh", place.sluice, place.launcher if prefix else "")]
    return command


# From the exit that makes room to the next start.

def room(place):
    for name in ("cc1", "gcc"):
        (place.folder / name).symlink_to(place.programs["stamp"])
    names = [f"n{number}" for number in range(150)]
    (place.folder / "held.mk").write_text(rules(names, "./cc1 200 stamps && touch %"))
    (place.folder / "launched.mk").write_text(
        rules(names, f"{place.launcher} ./gcc 200 stamps -c %.c && touch %"))
    (place.folder / "fixed.yaml").write_text(FIXED_WINDOW)


def room_by_recognition(place):
    return governed(place, "make", "-j52", "-f", "held.mk",
                    options=("--config", str(place.folder / "fixed.yaml")))


def room_by_launcher(place):
    return ["env", f"SERVED_CONFIG={place.folder}/fixed.yaml",
            *served(place, "make", "-j52", "-f", "launched.mk")]


def room_facts(place, log):
    times = [1000 * each for each in stamps.latencies(read_stamps(place))]
    shares = {f"p{round(100 * share)}_ms": round(stamps.percentile(times, share) or 0, 2)
              for share in (0.5, 0.95)}
    return dict(end_of(place, log), starts=len(times), **shares)


# Real packages, as the cell `real` of the gauntlet builds them.

def real_packages(place):
    kept = place.folder.parent / f"{place.folder.name}-kept"
    real.prepare(place.folder, kept, print)
    real.restore(place.folder, kept)


def real_builds(make):
    each = (f"(cd {package.name} && {package.build.format(make=make)}) && touch {package.name}.done"
            for package in real.PACKAGES)
    return ["sh", "-c", "; ".join(each)]


def real_by_make(number):
    return Contender(f"make-j{number}", lambda place: real_builds(f"make -j{number}"))


REAL = (*(real_by_make(number) for number in (1, 2, 3, 4, 8)),
        Contender("build-cold", lambda place: governed(place, *real_builds("make"))),
        Contender("build-warm", lambda place: governed(place, *real_builds("make")), "build-cold"))


# A cargo project.

def cargo_project(place):
    crates.prepare(place.folder, place.folder.parent / f"{place.folder.name}-kept", print)


def cargo_by_number(number):
    return Contender(f"cargo-j{number}", lambda place: crates.build(f"-j{number}"))


CARGO = (*(cargo_by_number(number) for number in (1, 2, 4, 8)),
         Contender("build-cold", lambda place: governed(place, *crates.build())),
         Contender("build-warm", lambda place: governed(place, *crates.build()), "build-cold"))


def plain_make(*words):
    return lambda place: ["make", "-k", *words]


def recognised_make(*words):
    return lambda place: governed(place, "make", "-k", *words)


def none(_):
    return 0


def all_figures(shape):
    return (
        Figure("hits", "500 ccache hits while the window is full", 500, none, ccached,
               (Contender("ccache", under_full_window(False)),
                Contender("ccache-launch", under_full_window(True))), 5, made("c*.o")),
        Figure("room", "from the exit that makes room to the next start, 50 held", 150, none, room,
               (Contender("build", room_by_recognition), Contender("launch", room_by_launcher)), 3,
               made("n[0-9]*"), room_facts),
        Figure("execs", "5,000 short execs, of which 500 take 260 ms and 200 MiB", 500, none,
               short_execs, (Contender("build", recognised_make("-j40")),), 1, made("e[0-9]*"),
               exec_facts),
        Figure("tiny", "3,000 compiles of one line of C by gcc", 3000, none, tiny,
               (Contender("make-j4", plain_make("-j4")),
                Contender("build", recognised_make("-j4"))), 5, made("t*.o"), end_of),
        Figure("empty", "3,000 runs of a program that does nothing, as cc1", 3000, none, empty,
               (Contender("make-j4", plain_make("-j4")),
                Contender("build", recognised_make("-j4"))), 5, empty_done, end_of),
        Figure("recipes", "100 unlisted recipes of 300 MiB in 2 GiB, cold", 100,
               lambda alone: 2048, recipes,
               (Contender("make-j8", plain_make("-j8")), Contender("build", recognised_make()),
                Contender("build-j100", recognised_make("-j100"))), 1, made("r[0-9]*"), end_of),
        Figure("users", "50 unlisted recipes of 300 MiB for each of two users in 3 GiB, cold", 100,
               lambda alone: 3072, two_users,
               (Contender("make-j8", by_users("make", "-k", "-j8")),
                Contender("build", by_users("sluice", "build", "--alone", "-v", "--", "make", "-k"))),
               1, made("tree*/r[0-9]*")),
        Figure("four", "four builds at once in 2.9 times the largest peak",
               4 * sum(shape.count.values()),
               lambda alone: round(2.9 * max(each.peak_mb for each in alone.values())), four_trees,
               (Contender("make-j4", lambda place: side_by_side("make", "-k", "-j4")),
                Contender("oracle", one_after_the_other), Contender("build-cold", four_governed),
                Contender("build-warm", four_governed, "build-cold")), 1, four_done),
        Figure("real", "redis, re2 and ten of nlohmann-json3's tests, memory plentiful", 3, none,
               real_packages, REAL, 3, made("*.done"), end_of),
        Figure("real-2gb", "the same in 2 GB", 3, lambda alone: 2000, real_packages, REAL, 1,
               made("*.done"), end_of),
        Figure("cargo", "ripgrep of the crates that Debian packages, memory plentiful", 1, none,
               cargo_project, CARGO, 3, made("*.done"), end_of),
        Figure("cargo-2gb", "the same in 2 GB", 1, lambda alone: 2000, cargo_project, CARGO, 1,
               made("*.done"), end_of),
    )
