"""What starting a job costs: 1,000 commands that do nothing, two at a time."""

import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

COMMAND = "/bin/true"

# Room for two jobs of 10 points; what others do on the host does not hold them back.
TWO_AT_A_TIME = """\
window: {law: adaptive, initial: 20, minimum: 20, maximum: 20}
cost: {model: formula, base: 5, per_node: 5}
sensors: {load: off, io_pressure: off}
"""


def contenders(sluice):
    """{name: (program it needs, command)}, to be run in a folder that write() made."""
    batch = [sluice, "batch", "-f", "jobs.txt"]
    return {
        "batch-off": (sluice, [*batch, "--cgroups", "off"]),
        "batch-auto": (sluice, [*batch, "--cgroups", "auto"]),
        # The semicolon in its recipe makes make start a shell, as most recipes do.
        "make-j2": ("make", ["make", "-s", "-j2"]),
        "xargs-P2": ("xargs", ["sh", "-c", "exec xargs -P2 -I{} sh -c {} <jobs.txt"]),
        "parallel-j2": ("parallel", ["sh", "-c", "exec parallel -j2 <jobs.txt"]),
    }


def write(folder, count):
    folder = pathlib.Path(folder)
    (folder / "jobs.txt").write_text(f"{COMMAND}\n" * count)
    names = " ".join(f"job{number}" for number in range(count))
    (folder / "Makefile").write_text(f".PHONY: {names}\nall: {names}\n{names}:\n\t@{COMMAND};\n")
    (folder / "sluice.yaml").write_text(TWO_AT_A_TIME)


def once(command, folder):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "SLUICE_SOCKET")}
    began = time.perf_counter()
    result = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - began
    return seconds, result.returncode, result.stderr.decode(errors="replace").strip()


def measure(sluice, count, repeats, tell):
    """({name: [ms per job of each repetition]}, {name: why it was left out}), interleaved."""
    times, left_out = {}, {}
    with tempfile.TemporaryDirectory(prefix="sluice-overhead-") as folder:
        write(folder, count)
        for repeat in range(repeats):
            for name, (program, command) in contenders(sluice).items():
                if name in left_out:
                    continue
                if shutil.which(program) is None:
                    left_out[name] = f"{program} is not there"
                    continue
                if name.startswith("batch"):
                    command = [*command, "--config", "sluice.yaml"]
                seconds, status, said = once(command, folder)
                if status != 0:
                    left_out[name] = f"exit status {status}: {said[-200:]}"
                    continue
                times.setdefault(name, []).append(1000.0 * seconds / count)
                tell(f"[{repeat + 1}/{repeats}] {name}: {times[name][-1]:.2f} ms per job")
    return times, left_out


def medians(times):
    return {name: statistics.median(each) for name, each in times.items()}


def text_of(times, left_out, count):
    lines = [f"{count} no-op jobs, two at a time, ms per job", "",
             f"{'contender':<14}{'median':>8}{'least':>8}{'most':>8}{'runs':>6}"]
    for name, each in times.items():
        lines.append(f"{name:<14}{statistics.median(each):8.2f}{min(each):8.2f}{max(each):8.2f}"
                     f"{len(each):6d}")
    lines += [f"{name:<14}left out: {why}" for name, why in left_out.items()]
    return "\n".join(lines)
