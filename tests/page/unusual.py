"""Names, clocks and hours that are not as usual: checks like those of checks.py."""

import json

from need import need


def markup_is_shown_as_text(world):
    """markup in names is text"""
    # An id holds neither blanks nor slashes.
    name, key = '<u>b<script>window.hacked=1', '<img src=x onerror="window.hacked=1"><b>x</b>'
    world.daemon.submit(id=name, key=key, queue='release', priority=9)
    world.page.until(f'document.getElementById("waiting").textContent.includes({json.dumps(name)})',
                     'its name is shown as it is')
    need(key in world.page.text('waiting'), 'its key is shown as it is')
    made = world.page.run('window.hacked || !!document.querySelector("main :is(img, u, b, script)")')
    need(not made, 'it became markup')
    world.daemon.finish(''.join(f'%{byte:02X}' for byte in name.encode()))


def names_stay_in_their_place(world):
    """names that turn words round or stand high"""
    turned = 'rate-limit:1:\u202eabc\u009b\u2066'
    world.daemon.submit(id='turned', key='\u202egnp.exe', queue='release', priority=9)
    for number in (1, 2):
        world.daemon.submit(id=f'limited-{number}', key='z' + '\u0301' * 100, cost=1, reasons=[turned], priority=9)
    world.page.until('document.getElementById("waiting").textContent.includes("gnp.exe")', 'it is shown')
    world.page.until('document.getElementById("waiting").textContent.includes("rate limit")', 'the reason is shown', 60)
    shown = world.page.text('waiting') + world.page.text('jobs')
    need('?gnp.exe' in shown and 'rate limit 1:?abc??:' in shown, shown)
    need(not set('\u202e\u009b\u2066') & set(shown), shown)
    open_rows = world.page.run('[...document.querySelectorAll("main li")].filter('
                               'each => getComputedStyle(each).overflow !== "hidden").length')
    need(open_rows == 0, f'{open_rows} rows let their text out')
    for name in ('turned', 'limited-1', 'limited-2'):
        world.daemon.finish(name)


CUTS_IN_ONE_SECOND = """import('/page/lists.js').then(({showCuts}) => {
  const cut = at => ({at, time: Date.parse(at), from: 80, to: 20, cause: 'reload', sensor: null, reason: ''});
  const rows = cuts => {
    showCuts({cuts: cuts.map(cut), cuts_forgotten: 0});
    return document.querySelectorAll('#cuts li').length;
  };
  const [one, other] = ['2026-01-02T03:04:05.010Z', '2026-01-02T03:04:05.090Z'];
  return [[one, other], [one, other], [one, one, other], [one, one, other], [one], []].map(rows);
})"""


def lists_each_cut_once(world):
    """cuts that are alike"""
    rows = world.page.run(CUTS_IN_ONE_SECOND)
    need(rows == [2, 2, 3, 3, 1, 0], f'rows {rows}')


# What Hour says to statuses that come `seconds` after the first, while its clock says `clock`.
CLOCK_THAT_JUMPS = """import('/page/charts.js').then(({Hour}) => {
  const status = clock => ({now: new Date(1.7e12 + clock * 1000).toISOString(), sensors: [],
                            window: {size: 80, usage: 40}, jobs: {pending: 0, running: 0}});
  const hour = new Hour();
  const add = (seconds, clock) => [hour.add(status(clock), 5e6 + seconds * 1000), hour.rows.length];
  for (let seconds = 0; seconds <= 500; seconds += 5) add(seconds, seconds);
  return [add(501, 501), add(504, 502), add(505, 505), add(565, 565), add(566, 566 + 7200), add(567, 567 + 7200),
          add(567, 67)];
})"""


def notices_a_clock_that_was_set(world):
    """a clock that was set forward or back"""
    said = world.page.run(CLOCK_THAT_JUMPS)
    goes_on = [each for each, _ in said]
    need(goes_on == [True] * 4 + [False] * 3, f'{said}')
    need(said[-1][1] >= 100, f'the hour is gone: {said}')


# The colours of a column of the chart at each of these times, in seconds before its end.
GAP = """import('/page/charts.js').then(({Hour, Charts}) => {
  const hour = new Hour();
  const end = Date.now();
  const row = age => ({time: end - age * 1000, window: 80, usage: 70, pending: 0, running: 7, sensors: {}});
  for (let age = 250; age >= 0; age -= 5) if (age < 100 || age > 150) hour.rows.push(row(age));
  const chart = document.getElementById('points-chart');
  chart.replaceChildren();
  const charts = new Charts();
  charts.draw(hour);
  const canvas = chart.querySelector('canvas');
  const scale = canvas.width / canvas.clientWidth;
  return [275, 125, 50].map(age => {
    const x = Math.round(charts.points.graph.toDomXCoord(end - age * 1000) * scale);
    return [...canvas.getContext('2d').getImageData(x, 0, 1, canvas.height).data].join();
  });
})"""


def leaves_a_gap_empty(world):
    """a stretch of which nothing is known"""
    with world.another() as page:
        page.until('document.querySelector("#points-chart canvas")', 'there is a chart')
        before, gap, behind = page.run(GAP)
    need(gap == before, 'it looks other than the time before the first row')
    need(gap != behind, 'it looks like any other')
