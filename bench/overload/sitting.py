"""One sitting: all contenders one after the other in each cell, so that drift meets them alike."""

import rows

LIMITS = (1.45, 1.9, 2.9)
REST_S = 5.0

# What a run takes as a multiple of its bound (work over CPUs, or the largest job): from experience.
SLACK = {"make-j2": 1.5, "make-j8-l2": 1.6, "make-j4": 1.5, "make-j8": 1.9, "ninja": 1.6,
         "parallel-memfree": 2.0}
USUAL_SLACK = 1.2


def cells(limits, seeds, hard=True):
    """Every limit with every seed; heavy first at every limit; the tenant at the loosest."""
    plan = [rows.Cell(limit, seed) for limit in limits for seed in seeds]
    if hard and seeds:
        plan += [rows.Cell(limit, seeds[0], "heavy-first") for limit in limits]
        plan.append(rows.Cell(max(limits), seeds[0], "shuffled", 1))
    return plan


def runs_of(plan, contenders, done_keys, jobset_id):
    """(cell, contender) of what is still to be run, in order."""
    return [(cell, contender) for cell in plan for contender in contenders
            if (jobset_id, cell, contender.name) not in done_keys]


def estimate_s(contender_name, alone, count, cpus):
    """Seconds that a run probably takes; for people, nothing depends on it."""
    cpu = sum(alone[kind].cpu_s * count[kind] for kind in alone)
    serial = sum(alone[kind].wall_s * count[kind] for kind in alone)
    if contender_name == "make-j1":
        return serial
    bound = max(cpu / cpus, max(each.wall_s for each in alone.values()))
    return bound * SLACK.get(contender_name, USUAL_SLACK)


def run_all(todo, run, tell, append):
    """Runs what is to be run; `run` gives the row, or none with the reason where it cannot run."""
    for number, (cell, contender) in enumerate(todo, 1):
        tell(f"[{number}/{len(todo)}] {cell.title()}: {contender.name} ...")
        row, reason = run(cell, contender)
        if row is None:
            tell(f"    left out: {reason}")
            continue
        append(row)
        tell("    " + sentence(row))


def sentence(row):
    text = f"{row.total_s:.1f} s"
    if row.repair_s:
        text += f" ({row.first_s:.1f} s and {row.repair_s:.1f} s of repair)"
    text += f", {row.cpu_s:.1f} CPU s, peak {row.peak_mb:.0f} of {row.limit_mb} MB"
    for value, word in ((row.oom_kills, "OOM kills"), (row.failed, "failed jobs"),
                        (row.repeated, "compilations repeated"),
                        (row.unbuilt, "jobs never built")):
        if value:
            text += f", {value} {word}"
    return text
