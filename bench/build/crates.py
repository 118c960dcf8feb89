"""A cargo project: Debian's source of ripgrep, built of the crates that Debian packages, without
network."""

import shutil

import real

NAME = "ripgrep"
SETTINGS = """[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
"""


def prepare(folder, kept, tell):
    """Downloads the source and what it is built with once, and leaves a copy of it, not built, at
    folder/ripgrep."""
    if not (kept / "complete").exists():
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        tell(f"{NAME}: downloading the source and its crates")
        real.fetch(kept, [NAME], tell, [NAME])
        next(kept.glob("rust-ripgrep-*/")).rename(kept / NAME)
        (kept / NAME / ".cargo").mkdir(exist_ok=True)
        (kept / NAME / ".cargo" / "config.toml").write_text(SETTINGS)
        (kept / NAME / "Cargo.lock").unlink(missing_ok=True)  # Of other versions of the crates.
        manifest = kept / NAME / "Cargo.toml"
        # A feature that Debian's crates do not have.
        manifest.write_text("".join(line for line in manifest.read_text().splitlines(True)
                                    if "simd-accel" not in line))
        (kept / "complete").touch()
    shutil.rmtree(folder / NAME, ignore_errors=True)
    real.copy(kept / NAME, folder / NAME)


def build(*options):
    """The words of the build; Debian's cargo, whatever else is installed."""
    line = (f"export CARGO_HOME=$PWD/cargo; cd {NAME} && "
            f"cargo build --offline {' '.join(options)} && touch ../{NAME}.done")
    return ["env", "PATH=/usr/bin:/bin", "sh", "-c", line]
