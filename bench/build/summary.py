"""The rows of each figure for people, and as JSON. Pure."""

import statistics


def ratio(rows, contender, against):
    """The median over rounds of contender's time / that of `against`; none without a common round."""
    times = {}
    for row in rows:
        times.setdefault(row.round, {})[row.contender] = row.seconds
    ratios = [each[contender] / each[against] for each in times.values()
              if contender in each and against in each]
    return statistics.median(ratios) if ratios else None


def of(rows):
    """One object for each figure and contender, in the order of the rows."""
    found = {}
    for row in rows:
        found.setdefault((row.figure, row.contender), []).append(row)
    first = {}
    for figure, contender in found:
        first.setdefault(figure, contender)
    lines = []
    for (figure, contender), runs in found.items():
        everything = [row for row in rows if row.figure == figure]
        lines.append({
            "figure": figure, "contender": contender, "runs": len(runs),
            "seconds": statistics.median(row.seconds for row in runs),
            "ratio": ratio(everything, contender, first[figure]), "against": first[figure],
            "failed": sum(row.jobs - row.done for row in runs),
            "jobs": sum(row.jobs for row in runs), "oom_kills": sum(row.oom_kills for row in runs),
            "peak_mb": max(row.peak_mb for row in runs), "limit_mb": runs[0].limit_mb,
            "load": statistics.median(row.load for row in runs),
            "facts": [row.facts for row in runs]})
    return lines


def text_of(lines):
    out = [f"{'figure':<11}{'contender':<15}{'runs':>5}{'s':>8}{'ratio':>7}{'OOM':>5}"
           f"{'failed':>8}{'of':>7}{'peak MB':>9}{'limit':>7}{'load':>6}  facts"]
    for line in lines:
        shown = "-" if line["ratio"] is None else f"{line['ratio']:.3f}"
        facts = "; ".join(" ".join(f"{name}={value}" for name, value in each.items())
                          for each in line["facts"] if each)
        out.append(f"{line['figure']:<11}{line['contender']:<15}{line['runs']:>5}"
                   f"{line['seconds']:>8.1f}{shown:>7}{line['oom_kills']:>5}{line['failed']:>8}"
                   f"{line['jobs']:>7}{line['peak_mb']:>9.0f}{line['limit_mb']:>7}"
                   f"{line['load']:>6.1f}  {facts}")
    return "\n".join(out)
