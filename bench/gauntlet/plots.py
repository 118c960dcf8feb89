"""Draws the series of a run as a PNG, by gnuplot."""

import subprocess

import series

WIDTH, HEIGHT = 1000, 900

# Title, the columns that are drawn and their names, the lower and upper end of the scale.
PANELS = (
    ("at once", (("jobs", "jobs"), ("compilers", "compilers")), "[0:*]"),
    ("share", (("busy", "CPUs busy"), ("waiting", "a task waits for a CPU")), "[0:1.05]"),
    ("MB", (("memory_mb", "memory"),), "[0:*]"),
    ("points", (("window", "window"),), "[0:*]"),
)


def column(name):
    return series.COLUMNS.index(name) + 1


def panels_of(text):
    """Those that have something to show: only ours say what their window is."""
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    filled = {name for name in series.COLUMNS
              if any(len(row) >= column(name) and row[column(name) - 1] for row in rows)}
    return [(title, [each for each in curves if each[0] in filled], scale)
            for title, curves, scale in PANELS if any(each[0] in filled for each in curves)]


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def script(data, picture, title, panels):
    """What gnuplot is told."""
    lines = [f"set terminal png size {WIDTH},{HEIGHT} noenhanced",
             f"set output {quoted(picture)}", 'set datafile separator "\\t"',
             f"set multiplot layout {len(panels)},1 title {quoted(title)}",
             "set key outside right top width -12", "set lmargin 9", "set rmargin 28", "set grid"]
    for label, curves, scale in panels:
        drawn = [f"{quoted(data)} skip 1 using 1:{column(name)} with steps lw 2 "
                 f"title {quoted(words)}" for name, words in curves]
        lines += [f"set ylabel {quoted(label)}", f"set yrange {scale}"]
        lines += ["set xlabel 's'"] if (label, curves, scale) == panels[-1] else []
        lines.append("plot " + ", ".join(drawn))
    return "\n".join(lines + ["unset multiplot"]) + "\n"


def draw(data, picture, title):
    """False where there is nothing to draw or gnuplot does not draw it."""
    panels = panels_of(data.read_text())
    if not panels:
        return False
    picture.parent.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(["gnuplot"], input=script(data, picture, title, panels), text=True,
                            capture_output=True, check=False)
    return result.returncode == 0 and picture.exists()
