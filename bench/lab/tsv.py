"""Rows of a dataclass in a TSV file that is only appended to."""

import dataclasses
import datetime
import json
import pathlib


def now():
    """The time in UTC, for a row."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def word_of(value):
    if isinstance(value, dict):
        return json.dumps(value, separators=(",", ":"))
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def to_line(row):
    words = [word_of(getattr(row, field.name)) for field in dataclasses.fields(row)]
    return "\t".join(words) + "\n"


def from_line(kind, line, columns=None):
    """`columns`: how many the file has; fields beyond them get their defaults."""
    fields, words = dataclasses.fields(kind)[:columns], line.rstrip("\n").split("\t")
    if len(words) != len(fields):
        raise ValueError(f"{len(words)} columns, {len(fields)} expected")
    read = {"dict": json.loads, "float": float, "int": int, "str": str}
    types = [field.type if isinstance(field.type, str) else field.type.__name__
             for field in fields]
    return kind(*(read[name](word) for name, word in zip(types, words)))


def header(kind):
    return "\t".join(field.name for field in dataclasses.fields(kind)) + "\n"


def columns_in(kind, line):
    """How many fields a file with this header has: all, or fewer if those that came later have
    defaults; none where it is another version's."""
    names, fields = line.rstrip("\n").split("\t"), dataclasses.fields(kind)
    later = fields[len(names):]
    known = names == [field.name for field in fields[:len(names)]]
    has_defaults = all(field.default is not dataclasses.MISSING for field in later)
    return len(names) if known and has_defaults else None


def load(kind, path):
    """The rows of a file; a line that was cut off by a kill is left out, as if never run."""
    path = pathlib.Path(path)
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    columns = columns_in(kind, lines[0]) if lines else None
    if lines and columns is None:
        raise ValueError(f"{path}: columns of another version; move it aside or give --rows FILE")
    whole = [line for line in lines[1:] if line.endswith("\n")]
    return [from_line(kind, line, columns) for line in whole]


def append(path, row):
    path = pathlib.Path(path)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if text and not text.startswith(header(type(row))):
        text = header(type(row)) + "".join(map(to_line, load(type(row), path)))
        path.write_text(text, encoding="utf-8")
    with open(path, "a", encoding="utf-8") as file:
        if not text:
            file.write(header(type(row)))
        elif not text.endswith("\n"):
            file.truncate(text.rfind("\n") + 1)
        file.write(to_line(row))
