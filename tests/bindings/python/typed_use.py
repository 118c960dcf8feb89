"""A program that uses the Python client, for mypy --strict; never executed."""
from __future__ import annotations

import asyncio
from pathlib import Path

import sluice


def work(numbers: list[int]) -> int:
    with sluice.permit(key="sum", memory=1 << 20, resources={"db": 1}, wait=1.5) as permit:
        points: int = permit.cost
    done = sluice.run(["make", Path("x")], check=True, cwd="/")
    with sluice.Governor(config=Path("/etc/sluice.yaml")) as governor:
        with governor.permit():
            pass
    return points + done.returncode + sum(numbers)


async def work_async() -> bytes:
    async with sluice.aio.permit("lint", cost=3) as permit:
        variables: dict[str, str] = permit.environment
    done = await sluice.aio.run(["env"], capture_output=True, env=variables)
    output: bytes = done.stdout
    return output


if __name__ == "__main__":
    work([1])
    asyncio.run(work_async())
