"""Whether the page shows moments of the record, and another configuration: checks like those of checks.py."""

import json
import time

import daemon as daemons
from need import need, settles

DATA = ('!document.getElementById("moment").hidden && !document.getElementById("moment-data").hidden')


def has_recorded(daemon, matches):
    def is_missing():
        try:
            return not matches(daemon.ask('GET', '/v1/record'))
        except RuntimeError as failure:   # Read for the page, or too slowly on a busy machine.
            if 'record_busy' in str(failure) or 'record_slow' in str(failure):
                return True
            raise
    need(settles(is_missing, 60), 'it is not on record within a minute')


def is_growth(change):
    return change is not None and 'heat' not in change['message']


def make_a_past(daemon):
    """A job that only the past has, and a cut while a sensor was red: its number, the time before
    the cut, and one at which the sensor was red."""
    job = daemon.submit(id='long-gone', key='secret-key', queue='release', cost=7)
    # Nothing is red any more that an earlier check made so, and the window has grown since: it is not
    # cut twice in a row, and there is a change before the cut.
    has_recorded(daemon, lambda now: not now['red'] and is_growth(now['last_change']) and any(
        each['id'] == 'long-gone' and each['code'] for each in now['waiting']))
    time.sleep(1)
    before = time.time()
    time.sleep(1)   # The field of the page has whole seconds.
    daemon.heat(97)
    has_recorded(daemon, lambda now: [each['sensor'] for each in now['red']] == ['heat'] and
                 'heat' in now['last_change']['message'])
    was_red = time.time()
    time.sleep(2)
    daemon.heat(31)
    has_recorded(daemon, lambda now: not now['red'])
    daemon.finish('long-gone')
    has_recorded(daemon, lambda now: all(each['id'] != 'long-gone' for each in now['waiting']))
    return job['number'], before, was_red


def go_to(page, seconds):
    """Chooses a time by the field, in the zone of the browser, which is UTC."""
    then = time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))
    page.run(f'(field => {{ field.value = "{then}"; field.dispatchEvent(new Event("change")); }})'
             '(document.getElementById("past-time"))')
    page.until(f'document.getElementById("moment-title").textContent.endsWith("{then[-8:]}")',
               'its time is the title')


def shows_a_moment(page, number, was_red):
    page.until('!document.getElementById("past").hidden', 'there is a slider')
    page.run('document.getElementById("past-slider").focus()')
    page.press('Home', 36)
    page.until(DATA, 'the slider begins where the record does')
    page.press('End', 35)
    page.until('document.getElementById("moment").hidden', 'and ends with what is now')
    page.press('ArrowLeft', 37)
    page.until(DATA, 'a moment is shown')
    need(page.run('document.getElementById("live").hidden'), 'and not what is now')
    go_to(page, was_red + 1)
    page.until('document.querySelector("#moment-sensors [data-verdict=red]")', 'a sensor was red')
    red = page.run('document.querySelector("#moment-sensors [data-verdict=red]").textContent')
    need('heat' in red and '97' in red, red)
    need(int(page.text('moment-size')) > 0, 'it has a window')
    page.run('document.getElementById("moment-waiting-more").click()')
    waiting = page.text('moment-waiting')
    need(f'#{number}' in waiting and 'queue (hidden) is paused' in waiting, waiting)
    need('release-2' in waiting, f'it has the names that the page knows: {waiting}')
    need('long-gone' not in waiting and 'secret-key' not in waiting, f'and no others: {waiting}')


def a_cut_leads_to_its_cause(page, before):
    go_to(page, before)
    cut = 'document.querySelector("#moment-cuts button:not([aria-current=true])")'
    page.until(f'{cut} && !document.querySelector("#moment-sensors [data-verdict=red]")',
               'before the cut it is not the last change')
    said = page.run(f'{cut}.querySelector(".why").textContent')
    at = page.run(f'{cut}.querySelector("time").textContent')
    page.run(f'{cut}.click()')
    page.until(f'document.getElementById("moment-title").textContent === "At {at}"', 'it went there')
    current = 'document.querySelector("#moment-cuts [aria-current=true] .why")'
    page.until(f'{current} && {current}.textContent === {json.dumps(said)}', 'the cut is marked')
    cause = page.text('moment-cause')
    need(cause == said and 'heat' in cause, f'{cause} is not {said}')
    page.run('document.getElementById("past-previous").click()')
    # Both may be in one second.
    is_cut = f'document.getElementById("moment-cause").textContent === {json.dumps(said)}'
    page.until(f'!({is_cut})', 'one change back')
    page.until('!document.getElementById("past-next").disabled', 'there is a next one')
    page.run('document.getElementById("past-next").click()')
    page.until(is_cut, 'and forward')
    return cause


def shows_the_past(world):
    """a moment of the record, and a cut's cause"""
    number, before, was_red = make_a_past(world.daemon)
    with world.another() as page:
        shows_a_moment(page, number, was_red)
        cause = a_cut_leads_to_its_cause(page, before)
        go_to(page, 978307200)
        page.until('document.getElementById("moment-note").textContent.includes("begins at")',
                   'a time before the record is said to be')
        page.run('document.getElementById("past-now").click()')
        need(page.run('document.getElementById("moment").hidden'), 'it is gone')
        need(not page.run('document.getElementById("live").hidden'), 'what is now is back')
        need(page.run('document.querySelector("#jobs-chart canvas").clientWidth') > 100,
             'with its charts')
        wrong = [each for each in page.complaints() if '404' not in each]
        need(not wrong, f'{wrong}')
    return cause


# Answers like those of a record whose clock was set back: its changes in their order, as seconds and
# the occurrence of that time. `asked` has the moments that the page asks for.
CLOCK_SET_BACK = """
const changes = [[300, 1], [540, 1], [360, 2], [540, 2], [700, 1]].map(
    ([second, occurrence]) => ({at: new Date(1.7e12 + second * 1000).toISOString(), occurrence}));
const real = window.fetch;
window.asked = [];
window.fetch = async (path, options) => {
  if (!String(path).startsWith('/v1/record')) return real(path, options);
  const reply = await real('/v1/record', options);
  if (!reply.ok) return reply;
  const answer = await reply.json();
  const query = new URL(path, location).searchParams;
  const at = query.has('at') ? new Date(query.get('at') * 1000).toISOString() : null;
  // Without an occurrence, it is the last one.
  const here = at === null ? changes.length : changes.findLastIndex(
      each => each.at === at && each.occurrence === Number(query.get('occurrence') ?? each.occurrence));
  window.asked.push(at === null ? 'now' : `${at.slice(14, 19)} ${changes[here].occurrence}`);
  const [previous, next] = [changes[here - 1], changes[here + 1]];
  answer.at = at ?? answer.at;
  [answer.occurrence, answer.occurrences] = [changes[here]?.occurrence ?? 1, at?.includes(':22:20') ? 2 : 1];
  Object.assign(answer.record, {
    previous_change: previous?.at ?? null, previous_occurrence: previous?.occurrence ?? null,
    next_change: next?.at ?? null, next_occurrence: next?.occurrence ?? null,
    cuts: changes.map(each => ({...each, from: 40, to: 20, cause: 'red', message: `number ${each.occurrence}`}))});
  return new Response(JSON.stringify(answer), {status: 200});
};
"""


def press_change(page, which):
    """Presses the button, and returns what the page then asked for."""
    before = page.run('window.asked.length')
    button = f'document.getElementById("past-{which}")'
    page.until(f'!{button}.disabled', f'there is a {which} change')
    page.run(f'{button}.click()')
    # From now, it asks first which change that is.
    page.until(f'window.asked.slice({before}).filter(each => each !== "now").length === 1', 'it asks for it')
    page.until('document.getElementById("moment-title").textContent.endsWith('
               'window.asked.at(-1).slice(0, 5))', 'its time is the title')
    return page.run('window.asked.at(-1)')


def leads_through_a_clock_set_back(world):
    """each change of a record whose clock was set back"""
    with world.another(lambda page: page.ask('Page.addScriptToEvaluateOnNewDocument',
                                             source=CLOCK_SET_BACK)) as page:
        page.until('!document.getElementById("past").hidden', 'there is a slider')
        back = [press_change(page, 'previous') for _ in range(5)]
        forward = [press_change(page, 'next') for _ in range(4)]
        in_order = ['18:20 1', '22:20 1', '19:20 2', '22:20 2', '25:00 1']
        need(back == in_order[::-1], f'back: {back}')
        need(forward == in_order[1:], f'forward: {forward}')
        press_change(page, 'previous')
        page.until('document.getElementById("moment-note").textContent.includes("number 2")',
                   'it says which of both it is')
        page.run('[...document.querySelectorAll("#moment-cuts button")].at(-2).click()')
        page.until('window.asked.at(-1) === "22:20 1"', 'a cut leads to its own occurrence')


# The first questions about a moment are not answered in time.
TOO_LATE = """
const real = window.fetch;
window.late = 0;
window.mostLate = 1;
window.fetch = (path, options) => {
  if (!String(path).startsWith('/v1/record?at=') || window.late >= window.mostLate) return real(path, options);
  ++window.late;
  return Promise.reject(new DOMException('signal timed out', 'TimeoutError'));
};
"""


def asks_again_for_a_moment_that_comes_too_late(world):
    """a moment whose answer comes too late"""
    with world.another(lambda page: page.ask('Page.addScriptToEvaluateOnNewDocument', source=TOO_LATE)) as page:
        page.until('!document.getElementById("past").hidden', 'there is a slider')
        go_to(page, int(time.time()) - 2)
        page.until(DATA, 'it shows the moment after all')
        need(page.run('window.late') == 1, 'the first answer came too late')
        page.run('window.late = 0; window.mostLate = 99')
        go_to(page, int(time.time()) - 2)
        page.until('document.getElementById("moment-note").textContent.includes("does not answer")',
                   'it says that the daemon does not answer')
        need(page.run('window.late') == 2, 'it asks twice')


def has_no_slider_without_a_record(world):
    """no slider without a record"""
    daemon = daemons.Daemon(world.daemon.sluice)
    config = daemon.folder / 'sluice.yaml'
    config.write_text(config.read_text().replace('service: {', 'service: {record: {enabled: false}, '))
    try:
        daemon.start()
        page = world.browser.open(daemon.url)
        page.until('document.body.dataset.link === "live"', 'the page is connected')
        need(settles(lambda: page.text('usage') == '–'), 'it shows numbers')
        time.sleep(1.5)
        need(page.run('document.getElementById("past").hidden'), 'no slider')
        need(not page.complaints(), f'{page.complaints()}')
        need(not any('/v1/record' in each for each in page.addresses()), f'{page.addresses()}')
        page.close()
    finally:
        daemon.close()
    world.page.front()


def shows_another_configuration(world):
    """what another configuration would do"""
    need(world.page.run('document.getElementById("shadow").hidden'), 'nothing of it without one')
    daemon = daemons.Daemon(world.daemon.sluice)
    config, other = daemon.folder / 'sluice.yaml', daemon.folder / 'other.yaml'
    other.write_text(config.read_text().replace('law: adaptive, initial: 40', 'law: rfc, initial: 10'))
    try:
        daemon.start('--shadow', other)
        page = world.browser.open(daemon.url)
        page.until('!document.getElementById("shadow").hidden', 'it is there')
        need(page.text('shadow-file') == str(other), page.text('shadow-file'))
        page.until('document.getElementById("shadow-does").textContent.startsWith("window 10 points (rfc)")',
                   'its window')
        for number in range(3):
            daemon.submit(id=f'begun-{number}', cost=10)
        page.until('document.getElementById("shadow-does").textContent.includes("of 3 begun jobs wait")',
                   'what it would have done')
        said = page.text('shadow-does')
        # Nor that in the first second nothing is on record yet.
        need(not page.complaints(), f'{page.complaints()}')
        page.close()
    finally:
        daemon.close()
    world.page.front()
    return said
