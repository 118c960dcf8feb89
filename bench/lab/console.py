"""What a benchmark says while it runs, and how it ends."""

import sys


def tell(line):
    print(line, file=sys.stderr, flush=True)


def run(program, main, *errors):
    """Ends with the status that `main` gives, or tells in one line what stopped it: also any of `errors`."""
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        tell("interrupted; rows so far are kept, the same command goes on from there")
        sys.exit(130)
    except (ValueError, RuntimeError, *errors) as error:
        tell(f"{program}: {error}")
        sys.exit(2)
