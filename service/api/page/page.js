// The page: fetches what is and what was, listens for what comes, and says when it cannot.

import {Charts, Hour} from '/page/charts.js';
import {
  byId, fillBar, onMore, say, showCuts, showOverview, showQueues, showSensors, showShadow, title,
} from '/page/lists.js';
import {initPast, knowJobs, showPast} from '/page/past.js';
import * as text from '/page/text.js';

const silenceMs = 5000;      // Events come every second: after this long without, nobody is there.
const againMs = 1000;        // Between attempts to come back.
const timelinePaceMs = 5000;  // The hour is not fetched more often, however often the window is cut.

const hour = new Hour();
const charts = new Charts();
let latest = null;      // The last status,
let latestAt = 0;       // and when it came, by performance.now().
let overview = null;    // The last jobs,
let timeline = null;     // and the last hour, as they came.
let cutsSeen = null;    // How often the window had become smaller, when the cuts were fetched.
let fetchedAt = -Infinity;
let source = null;
let heardAt = 0;        // By performance.now().
let lostSince = null;   // By the wall clock, while there is no connection.
let again = null;
let refusal = '';       // Why the daemon did not let this page listen, in its words.

const shrunk = status => Object.values(status.counters.window_decreases).reduce((a, b) => a + b, 0);

function showFigures(status) {
  const {window, jobs} = status;
  say(byId('size'), text.count(window.size));
  say(byId('usage'), text.count(window.usage));
  const share = window.size > 0 ? Math.round(window.usage / window.size * 100) : 0;
  fillBar(byId('usage-bar'), window.usage, window.size,
          `${text.points(window.usage)} of ${text.count(window.size)}`);
  say(byId('window-note'),
      `${share}% of the window; law ${window.law}, ${text.count(window.minimum)} to ${text.points(window.maximum)}`);
  say(byId('change-note'), text.change(window.last_change));
  showCpus(status.cpu);
  say(byId('running'), text.count(jobs.running));
  say(byId('running-unit'), jobs.running === 1 ? 'job' : 'jobs');
  const mean = text.points(Math.round(window.usage / Math.max(1, jobs.running)));
  say(byId('running-note'), jobs.starting > 0 ? `${text.count(jobs.starting)} starting`
      : jobs.running > 1 ? `${mean} each, on average` : '');
  say(byId('pending'), text.count(jobs.pending));
  say(byId('pending-unit'), jobs.pending === 1 ? 'job' : 'jobs');
  say(byId('pending-note'), jobs.pending === 0 ? '' :
      `${text.points(jobs.pending_cost)}; the oldest for ${text.duration(jobs.oldest_wait ?? 0)}`);
  showWorst(status.sensors);
}

function showCpus(cpu) {
  say(byId('busy'), cpu ? text.count(Math.round(cpu.busy * 100)) : '–');
  say(byId('cpu-note'), cpu
      ? `${text.tasks(cpu.waiting)} tasks wait for each of ${text.cpus(cpu.cpus)}` : 'not measured');
}

function showWorst(sensors) {
  const known = sensors.filter(sensor => sensor.pressure !== null && sensor.fresh &&
                                         (text.isMeasured(sensor) || sensor.verdict === 'red'));
  const worst = known.reduce((a, b) => a && a.pressure >= b.pressure ? a : b, null);
  say(byId('worst'), worst ? text.breakable(worst.name) : 'none');
  say(byId('worst-name'), worst ? text.verdict(worst) : '');
  say(byId('worst-note'), worst ? text.share(worst) || worst.sentence : 'no sensor is read');
  byId('worst').closest('.figure').dataset.verdict = worst ? worst.verdict : 'green';
}

function showState(status) {
  say(byId('state'), text.accepting(status));
  document.body.dataset.accepting = status.registered && !status.full ? 'yes' : 'no';
  say(byId('host'), location.host);
  sayTitle();
  const config = status.config_file ? `configured by ${status.config_file}` : 'with the defaults';
  say(byId('daemon'), `Sluice ${status.version}, process ${status.pid}, ` +
                      `up ${text.duration(status.uptime)}, ${config}.`);
}

// Read where nothing else of the page is seen: what is not known any more is not in it.
function sayTitle() {
  const isLost = document.body.dataset.link === 'lost';
  document.title = isLost || !latest ? `${isLost ? 'Not connected: ' : ''}Sluice`
      : `${latest.window.usage}/${latest.window.size} points, ${latest.jobs.pending} waiting: Sluice`;
}

function show(status) {
  latest = status;
  hour.resume = Object.fromEntries(status.sensors.map(each => [each.name, each.resume]));
  latestAt = performance.now();
  showState(status);
  showFigures(status);
  showPast(status);
  showQueues(status.queues);
  showSensors(status.sensors, hour);
  showShadow(status.shadow);
}

async function get(path) {
  const reply = await fetch(path, {signal: AbortSignal.timeout(silenceMs)});
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
  return reply.json();
}

async function fetchHour(keepOlder) {
  fetchedAt = performance.now();
  timeline = await get('/v1/timeline');
  hour.take(timeline, keepOlder, performance.now());
  if (latest) hour.add(latest, latestAt);
  drawHour();
  showLists();
}

function drawHour() {
  charts.draw(hour);
  const minutes = Math.round(hour.span() / 60000);
  say(byId('hour-title'), minutes >= 60 ? 'The last hour' : `The last ${minutes} min`);
}

function showLists() {
  if (overview) showOverview(overview, (latest?.queues.length ?? 0) > 1);
  if (timeline) showCuts({...timeline, cuts: hour.cuts});
}

// What fails is tried again with the next connection or the next cut.
const fetchHourIfCan = keepOlder => fetchHour(keepOlder).catch(() => { cutsSeen = null; });

function onStatus(status) {
  heardAt = performance.now();
  const isBack = document.body.dataset.link !== 'live';
  if (isBack) setLink('live');
  const goesOn = hour.add(status, heardAt);
  show(status);
  drawHour();
  const cuts = shrunk(status);
  const hasNews = cuts !== cutsSeen && performance.now() - fetchedAt > timelinePaceMs;
  if (isBack || !goesOn || hasNews) {
    cutsSeen = cuts;
    fetchHourIfCan(goesOn);
  }
}

function setLink(state) {
  if (state === 'live') {
    lostSince = null;
    refusal = '';
  } else if (lostSince === null) {
    lostSince = Date.now();
  }
  document.body.dataset.link = state;
  sayLink();
  sayTitle();
}

function sayLink() {
  const state = document.body.dataset.link;
  if (state === 'live') return say(byId('link'), 'Live');
  if (state === 'connecting') return say(byId('link'), 'Connecting');
  // Read out once, not every second: how long it has been follows from the time.
  say(byId('link'), `${refusal || `Not connected since ${text.timeOfDay(lostSince)}`}; trying again`);
}

function disconnect() {
  clearTimeout(again);
  source?.close();
  source = null;
}

// An EventSource tells that it was answered otherwise than with events, but not how.
async function refusedWith() {
  const reply = await fetch('/v1/events', {signal: AbortSignal.timeout(silenceMs)});
  if (!reply.ok) return (await reply.json()).error.message;
  await reply.body.cancel();
  return '';
}

async function onError() {
  const failed = source;
  const isRefused = failed.readyState === EventSource.CLOSED;
  const why = isRefused ? await refusedWith().catch(() => '') : '';
  if (source !== failed) return;
  refusal = why;
  lose();
}

function lose() {
  disconnect();
  setLink('lost');
  again = setTimeout(connect, againMs);
}

function connect() {
  disconnect();
  heardAt = performance.now();
  source = new EventSource('/v1/events');
  source.addEventListener('status', event => onStatus(JSON.parse(event.data)));
  source.addEventListener('jobs', event => {
    overview = JSON.parse(event.data);
    knowJobs(overview.jobs, title);
    showLists();
  });
  source.addEventListener('error', onError);
}

setInterval(() => {
  if (source && performance.now() - heardAt > silenceMs) lose();
}, 1000);

// A tab that nobody sees listens to nothing: browsers allow six connections to a host in all.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) disconnect();
  else connect();
});

onMore(['waiting', 'jobs', 'cuts'], showLists);
initPast(() => {
  charts.resize();
  if (latest) show(latest);
});
get('/v1/status').then(status => { if (!latest) show(status); }, () => {});
if (!document.hidden) connect();
