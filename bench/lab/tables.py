"""A table for people, in sections."""


def fill(word, width):
    return f"{word:<{-width}}" if width < 0 else f"{word:>{width}}"


def table(columns, lines, title_of, remarks_of=lambda line: ()):
    """`columns`: title, width (negative: to the left), how a line fills it. Lines of one title form a section; each
    may have remarks below it."""
    out, title = [], None
    for line in lines:
        if title_of(line) != title:
            title = title_of(line)
            out += ["", title, "".join(fill(name, width) for name, width, _ in columns)]
        out.append("".join(fill(value(line), width) for _, width, value in columns))
        out += remarks_of(line)
    return "\n".join(out).lstrip("\n")
