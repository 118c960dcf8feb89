// A moment of the record: the slider, and what stands below it instead of what is now.

import {byId, countText, fillBar, make, onMore, say, set, shortened, sync} from '/page/lists.js';
import * as text from '/page/text.js';

const answerMs = 45000;      // A reading takes 10 s at most, but those of all other users may come first.
const mostTries = 20;        // While the daemon says that it reads the record for others.
const mostLate = 2;          // Questions without an answer: one asked again goes to the end of the line.
const mostNames = 5000;
const steps = 1000;          // Of the slider, however long the record is.
const againMs = 30000;       // After the record could not be read.

const names = new Map();     // Of jobs that this page has seen, by number.
let onNow = () => {};
let moment = null;           // The chosen one, {at, occurrence}; null is now.
let wanted = null;           // The one to ask for next.
let asking = null;           // Until the last answer has come.
let latest = null;           // The last answer.

// What the lists of now call a job, so that it has its name here, too.
export function knowJobs(jobs, titleOf) {
  for (const job of jobs) names.set(job.number, titleOf(job));
  for (const number of names.keys()) {
    if (names.size <= mostNames) break;
    names.delete(number);
  }
}

const wait = ms => new Promise(done => setTimeout(done, ms));

// The answer as {reply, answer}; null if it does not come in time.
async function answerOf(path) {
  try {
    const reply = await fetch(path, {signal: AbortSignal.timeout(answerMs)});
    return {reply, answer: await reply.json()};
  } catch (failure) {
    if (failure.name === 'TimeoutError') return null;
    throw failure;
  }
}

// A moment, or now. Throws what the daemon says if there is no answer.
async function ask(chosen) {
  const occurrence = chosen?.occurrence ? `&occurrence=${chosen.occurrence}` : '';
  const path = chosen === null ? '/v1/record' : `/v1/record?at=${chosen.at / 1000}${occurrence}`;
  for (let tries = 1, late = 0; ; ++tries) {
    const answered = await answerOf(path);
    if (answered === null) ++late;
    if (answered?.reply.ok) return answered.answer;
    const error = answered?.answer.error ?? {code: 'record_busy', message: 'the daemon does not answer: try again'};
    // Another moment may have been chosen since.
    const isEnough = tries === mostTries || late === mostLate || wanted !== null;
    if (error.code !== 'record_busy' || isEnough) throw new Error(error.message);
    await wait(1000 * (answered?.reply.headers.get('Retry-After') ?? 1));
  }
}

// One question at a time, and always the last one: a slider moves faster than anybody reads.
async function askForWanted() {
  while (wanted !== null) {
    const asked = wanted;
    wanted = null;
    try {
      latest = await ask(asked);
      if (moment !== null) show();
    } catch (failure) {
      if (moment === asked) fail(failure.message);
    }
  }
  asking = null;
}

function fail(message) {
  say(byId('moment-note'), message);
  byId('moment-data').hidden = true;
}

// Chooses a time in milliseconds. A clock that was set back shows a time again: `occurrence` says
// which time that is, from 1; null is the last one.
function go(at, occurrence = null) {
  moment = {at, occurrence};
  wanted = moment;
  byId('moment').hidden = false;
  byId('live').hidden = true;
  say(byId('moment-title'), `At ${text.timeOfDay(at)}`);
  showControls();
  asking ??= askForWanted();
}

function goToNow() {
  moment = null;
  wanted = null;
  byId('moment').hidden = true;
  byId('live').hidden = false;
  showControls();
  onNow();
}

// To the 'previous' or the 'next' change of the window, in the order of the record.
async function goToChange(which) {
  try {
    await asking;
    if (moment === null) latest = await ask(null);
    const at = latest.record[`${which}_change`];
    if (at) go(Date.parse(at), latest.record[`${which}_occurrence`]);
  } catch (failure) {
    go(moment?.at ?? Date.now(), moment?.occurrence);
    fail(failure.message);
  }
}

// "2026-03-01T14:05:30" in this browser's zone, as its field wants it.
function fieldTime(at) {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}

// The slider and the field have whole seconds, and the record begins within one: there is nothing before.
function withinRecord(at) {
  const from = Date.parse(latest.record.from);
  return at < from && from - at < 1000 ? from : at;
}

function showControls() {
  if (!latest) return;
  const slider = byId('past-slider');
  const from = Math.floor(Date.parse(latest.record.from) / 1000);
  const span = Math.max(1, Math.ceil(Date.parse(latest.record.to) / 1000) - from);
  const step = Math.ceil(span / steps);
  const to = from + Math.ceil(span / step) * step;
  set(slider, 'min', from);
  set(slider, 'max', to);
  set(slider, 'step', step);
  const at = moment?.at ?? to * 1000;
  if (document.activeElement !== slider || moment === null) slider.value = at / 1000;
  set(slider, 'aria-valuetext', moment === null ? 'now' : text.timeOfDay(moment.at));
  const field = byId('past-time');
  if (document.activeElement !== field) field.value = moment === null ? '' : fieldTime(moment.at);
  byId('past-now').disabled = moment === null;
  byId('past-previous').disabled = !latest.record.previous_change;
  byId('past-next').disabled = moment === null || !latest.record.next_change;
  drawMarks(from * 1000, to * 1000);
}

// Triangles over the slider, as over the chart, at the cuts around the moment.
function drawMarks(from, to) {
  const canvas = byId('past-marks');
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width === 0) return;
  [canvas.width, canvas.height] = [width * scale, height * scale];
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--alarm');
  const thumb = 8;   // Half of the slider's handle, which stays within its track.
  for (const cut of latest.record.cuts) {
    const x = thumb + (Date.parse(cut.at) - from) / Math.max(1, to - from) * (width - 2 * thumb);
    context.beginPath();
    context.moveTo(x - 3, 0);
    context.lineTo(x + 3, 0);
    context.lineTo(x, height);
    context.fill();
  }
}

function show() {
  const now = latest;
  showControls();
  byId('moment-data').hidden = false;
  const problems = now.record.problems.map(each => `The record is damaged: ${each}.`);
  const silence = (Date.parse(now.at) - Date.parse(now.last_entry)) / 1000;
  if (silence > 10) {
    problems.unshift(`The last entry before is ${text.duration(silence)} older: the daemon was down, or ` +
                     'had nothing to record.');
  }
  if (now.occurrences > 1) {
    problems.unshift(`The clock was set back and showed this time ${now.occurrences} times: this is number ` +
                     `${now.occurrence}.`);
  }
  say(byId('moment-note'), problems.join(' '));
  showFigures(now);
  showJobs('waiting', now, 'next in line first', job => job.message);
  showJobs('running', now, 'longest-running first', () => '');
  showSensors(now);
  showCuts(now);
}

function showFigures(now) {
  const known = now.window !== null;
  say(byId('moment-usage'), known ? text.count(now.usage) : '–');
  say(byId('moment-size'), known ? text.count(now.window) : '–');
  fillBar(byId('moment-usage-bar'), now.usage ?? 0, now.window ?? 0,
          `${text.points(now.usage ?? 0)} of ${text.count(now.window ?? 0)}`);
  say(byId('moment-busy'), now.busy === null ? '–' : text.count(Math.round(now.busy * 100)));
  say(byId('moment-cause'),
      text.arrows(now.last_change?.message ?? 'The record has no earlier change of the window.'));
  say(byId('moment-cause-time'), now.last_change ? text.timeOfDay(Date.parse(now.last_change.at)) : '');
}

function title(job) {
  if (job.id) return job.id;
  return job.key ? `${job.key} #${job.job}` : names.get(job.job) ?? `#${job.job}`;
}

function showJobs(which, now, order, whyOf) {
  const jobs = shortened(`moment-${which}`, now[which], now.jobs[which]);
  say(byId(`moment-${which}-count`), countText(jobs.length, now.jobs[which], order));
  const create = () => make('li', '', make('span', 'name'), make('span', 'cost'), make('span', 'time'),
                            make('span', 'why'));
  sync(byId(`moment-${which}`), jobs, job => String(job.job), create, (node, job) => {
    const [name, cost, time, why] = node.children;
    say(name, title(job));
    say(cost, job.cost === null ? 'unknown' : text.points(job.cost));
    const since = job.since === null ? null : (Date.parse(now.at) - Date.parse(job.since)) / 1000;
    say(time, since === null ? '' : text.duration(since));
    const parts = [whyOf(job), job.id && job.key && !job.id.startsWith(job.key) ? job.key : '',
                   job.queue && job.queue !== 'default' ? `queue ${job.queue}` : ''];
    say(why, parts.filter(Boolean).join(', '));
  });
}

function showSensors(now) {
  const red = new Map(now.red.map(each => [each.sensor, each.message]));
  const all = [...new Set([...red.keys(), ...Object.keys(now.pressures)])]
      .map(name => ({name, pressure: now.pressures[name] ?? null, isRed: red.has(name)}));
  const create = () => make('li', '', make('h3'), make('p', 'verdict'), make('p', 'share'),
                            make('p', 'sentence'));
  sync(byId('moment-sensors'), all, sensor => sensor.name, create, (node, sensor) => {
    const [name, verdict, share, sentence] = node.children;
    set(node, 'data-verdict', sensor.isRed ? 'red' : 'green');
    say(name, sensor.name);
    say(verdict, sensor.isRed ? 'red' : 'green');
    say(share, text.share(sensor));
    say(sentence, sensor.isRed ? `when it turned red: ${red.get(sensor.name)}` : '');
  });
}

function showCuts(now) {
  const cuts = [...now.record.cuts].reverse();
  const create = () => {
    const button = make('button', '', make('time'), make('span', 'why'));
    button.type = 'button';
    const node = make('li', '', button);
    button.addEventListener('click', () => go(Date.parse(node.dataset.at), node.dataset.occurrence));
    return node;
  };
  sync(byId('moment-cuts'), cuts, cut => `${cut.at} ${cut.occurrence} ${cut.from}>${cut.to}`, create, (node, cut) => {
    const button = node.firstElementChild;
    const [time, why] = button.children;
    set(node, 'data-at', cut.at);
    set(node, 'data-occurrence', cut.occurrence);
    set(button, 'aria-current', cut.at === now.last_change?.at);
    say(time, text.timeOfDay(Date.parse(cut.at)));
    say(why, text.arrows(cut.message));
  });
  say(byId('moment-cuts-count'), cuts.length === 0 ? 'None on record.'
      : 'The nearest to this moment, newest first. Click one to go to it.');
}

// Called with each status: whether there is a record.
let isKnown = false;
export function showPast(status) {
  const isThere = Boolean(status.record);
  byId('past').hidden = !isThere || !latest;
  if (!isThere && moment !== null) goToNow();
  if (isThere && latest && moment === null) {
    latest.record.to = status.now;
    // When it was is asked for with the button: that there was one is enough for the button.
    if (status.window.last_change) latest.record.previous_change ??= status.now;
    showControls();
  }
  // A daemon's first entries come within a second.
  if (!isThere || isKnown || status.record.bytes === 0) return;
  isKnown = true;
  ask(null).then(answer => {
    latest ??= answer;
    byId('past').hidden = false;
    showControls();
  }, () => setTimeout(() => { isKnown = false; }, againMs));
}

// `returned`: called when the page shows what is now again.
export function initPast(returned) {
  onNow = returned;
  onMore(['moment-waiting', 'moment-running'], show);
  const slider = byId('past-slider');
  slider.addEventListener('input', () => {
    if (slider.value === slider.max) goToNow();
    else go(withinRecord(slider.valueAsNumber * 1000));
  });
  byId('past').addEventListener('keydown', event => { if (event.key === 'Escape') goToNow(); });
  byId('past-time').addEventListener('change', event => {
    const at = Date.parse(event.target.value);
    if (Number.isFinite(at)) go(withinRecord(at));
  });
  byId('past-previous').addEventListener('click', () => goToChange('previous'));
  byId('past-next').addEventListener('click', () => goToChange('next'));
  byId('past-now').addEventListener('click', goToNow);
  addEventListener('resize', showControls);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', showControls);
}
