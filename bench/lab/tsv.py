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


def from_line(kind, line):
    fields, words = dataclasses.fields(kind), line.rstrip("\n").split("\t")
    if len(words) != len(fields):
        raise ValueError(f"{len(words)} columns, {len(fields)} expected")
    read = {"dict": json.loads, "float": float, "int": int, "str": str}
    types = [field.type if isinstance(field.type, str) else field.type.__name__
             for field in fields]
    return kind(*(read[name](word) for name, word in zip(types, words)))


def header(kind):
    return "\t".join(field.name for field in dataclasses.fields(kind)) + "\n"


def load(kind, path):
    """The rows of a file; a line that was cut off by a kill is left out, as if never run."""
    path = pathlib.Path(path)
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if lines and lines[0] != header(kind):
        raise ValueError(f"{path}: columns of another version; move it aside or give --rows FILE")
    whole = [line for line in lines[1:] if line.endswith("\n")]
    return [from_line(kind, line) for line in whole]


def append(path, row):
    path = pathlib.Path(path)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    with open(path, "a", encoding="utf-8") as file:
        if not text:
            file.write(header(type(row)))
        elif not text.endswith("\n"):
            file.truncate(text.rfind("\n") + 1)
        file.write(to_line(row))
