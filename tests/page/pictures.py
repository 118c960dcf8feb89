"""The pictures of docs/page.md: a real daemon, a few minutes of a load that comes and goes."""

import time

MINUTES = 4
STEP = 2

# What the sensor reads, in turn, each for as long as the load needs to answer.
HEAT = [31, 38, 46, 52, 58, 63, 71, 78, 84, 91, 80, 66, 54, 49, 44, 52, 60, 69, 77, 83, 88, 74, 58,
        47, 41, 45, 52, 57, 63, 68]


def wave(daemon, seconds):
    """Jobs come in bursts and end one after the other."""
    number, began = 5000, time.monotonic()
    turn = 0
    while time.monotonic() < began + seconds:
        daemon.heat(HEAT[turn * len(HEAT) * STEP // int(seconds) % len(HEAT)])
        burst = 4 if turn % 30 in range(4, 13) else 1 if turn % 2 else 0
        for _ in range(burst):
            number += 1
            kind, cost = (('build', 10), ('test', 5), ('lint', 5))[number % 3]
            daemon.submit(id=f'{kind}-{number}', key=kind, cost=cost)
        running = daemon.ask('GET', '/v1/jobs?state=running&limit=1000')['jobs']
        over = [job for job in running if job['running_for'] > 12 and job['id'] != 'deploy-12']
        for job in over[:2]:
            daemon.finish(job['id'])
        turn += 1
        time.sleep(STEP)


def go_to_a_cut(page):
    page.run('document.getElementById("past-previous").click()')
    page.until('document.querySelector("#moment-cuts button")', 'there are cuts')
    page.run('document.querySelectorAll("#moment-cuts button")[2].click()')
    page.until('document.querySelector("#moment-cuts [aria-current=true]")', 'it is shown')


def make(world, folder):
    folder.mkdir(parents=True, exist_ok=True)
    page = world.open()   # Which has seen the jobs, and so knows their names.
    wave(world.daemon, MINUTES * 60)
    page.until('document.querySelector("#points-chart canvas")', 'there is a chart')
    for name, scheme, width, height, scale in (('page-light', 'light', 1440, 900, 1),
                                               ('page-dark', 'dark', 1440, 900, 1),
                                               ('page-phone', 'light', 390, 844, 1)):
        page.scheme(scheme)
        page.size(width, height, mobile=name == 'page-phone', scale=scale)
        time.sleep(2.5)  # The next events draw everything in its new size.
        path = folder / f'{name}.png'
        page.picture(path)
        print(f'{path}: {path.stat().st_size} bytes')
    go_to_a_cut(page)
    page.scheme('light')
    for name, width in (('page-past-light', 1400), ('page-past-phone', 390)):
        page.size(width, 900 if width > 390 else 844, mobile=width == 390)
        time.sleep(1)
        page.picture(folder / f'{name}.png')
