// The lists of the page. Whatever comes from outside is set as text, never as markup.

import {sparkline} from '/page/charts.js';
import * as text from '/page/text.js';

export const byId = id => document.getElementById(id);

// Writes only what differs, so that a page full of lists costs nothing while nothing changes.
export function say(node, words) {
  const shown = text.printable(words);
  if (node.textContent !== shown) node.textContent = shown;
}

export function set(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

export function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

// Has `list` hold one child for each item, made by `create` and kept by its key; `fill` updates it.
export function sync(list, items, keyOf, create, fill) {
  const known = new Map([...list.children].map(node => [node.dataset.key, node]));
  let next = list.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let node = known.get(key);
    known.delete(key);
    if (!node) {
      node = create();
      node.dataset.key = key;
    }
    if (node === next) next = next.nextElementSibling;
    else list.insertBefore(node, next);
    fill(node, item);
  }
  // Whatever stands behind the last one is of no item, also where two had the same key.
  while (next) {
    const gone = next;
    next = next.nextElementSibling;
    gone.remove();
  }
}

// What another configuration would do; nothing without one.
export function showShadow(shadow) {
  byId('shadow').hidden = !shadow;
  if (!shadow) return;
  say(byId('shadow-file'), shadow.config_file);
  say(byId('shadow-does'), shadow.sentence);
  sync(byId('shadow-differences'), shadow.differences, words => words, () => make('li', ''), say);
}

// A bar of which `full` is all; `value` beyond that fills it.
export function fillBar(bar, value, full, words) {
  const share = full > 0 ? Math.min(1, value / full) : 0;
  bar.firstElementChild.style.width = `${(share * 100).toFixed(1)}%`;
  set(bar, 'aria-valuemax', full);
  set(bar, 'aria-valuenow', Math.min(value, full));
  set(bar, 'aria-valuetext', words);
}

// A sensor's bar has room above the limit, which is marked at four fifths.
const barEnd = 1.25;

function makeSensor() {
  const bar = make('div', 'bar limited', make('span'));
  bar.setAttribute('role', 'meter');
  bar.setAttribute('aria-valuemin', 0);
  const trace = make('canvas', 'trace');
  trace.setAttribute('aria-hidden', 'true');
  return make('li', '', make('h3'), make('p', 'verdict'), bar, make('p', 'share'), trace,
              make('p', 'sentence'));
}

export function showSensors(sensors, hour) {
  sync(byId('sensors'), sensors, sensor => sensor.name, makeSensor, (node, sensor) => {
    const [name, verdict, bar, share, trace, sentence] = node.children;
    const pressure = sensor.pressure;
    const words = text.share(sensor);
    say(name, sensor.name);
    say(verdict, text.verdict(sensor));
    set(node, 'data-verdict', sensor.fresh ? sensor.verdict : 'blind');
    set(bar, 'aria-label', `Pressure of ${sensor.name}`);
    for (const part of [bar, trace]) part.classList.toggle('blank', !text.isMeasured(sensor));
    fillBar(bar, pressure ?? 0, barEnd, words);
    say(share, words);
    say(sentence, sensor.failure ?? (sensor.sentence ?? '') + text.hysteresis(sensor));
    sparkline(trace, hour, sensor.name);
  });
}

// The jobs whose explanation somebody has opened.
const explained = new Set();

// Its lines.
async function explanationOf(id) {
  const reply = await fetch(`/v1/jobs/${encodeURIComponent(id)}`, {signal: AbortSignal.timeout(5000)});
  const answer = await reply.json();
  if (!reply.ok) return [answer.error.message];
  return answer.explain?.text ?? [`The job is ${answer.state}.`];
}

function showExplanation(node) {
  const id = node.dataset.key;
  const [name, , , , explanation] = node.children;
  explanation.hidden = !explained.has(id);
  set(name, 'aria-expanded', explained.has(id));
  if (explanation.hidden) return;
  explanationOf(id).then(lines => {
    explanation.textContent = lines.map(text.printable).join('\n');
  }, () => {});
}

function makeJob() {
  const name = make('a', 'name');
  const node = make('li', '', name, make('span', 'cost'), make('span', 'time'), make('span', 'why'),
                    make('pre', 'explanation'));
  name.addEventListener('click', event => {
    event.preventDefault();
    if (!explained.delete(node.dataset.key)) explained.add(node.dataset.key);
    showExplanation(node);
  });
  return node;
}

// Lists are short until somebody asks for all of one: what waits is to be seen without scrolling.
const shortLength = 5;
const expanded = new Set();

// The rows of a list that are to be shown, with the button below it that says how many more there
// are to be had, of `all`.
export function shortened(name, rows, all) {
  const button = byId(`${name}-more`);
  const isLong = expanded.has(name);
  button.hidden = rows.length <= shortLength;
  const most = all > rows.length ? `Show ${rows.length} of ${text.count(all)}` : `Show all ${rows.length}`;
  say(button, isLong ? `Show the first ${shortLength} only` : most);
  set(button, 'aria-expanded', isLong);
  return isLong ? rows : rows.slice(0, shortLength);
}

// Has each list's button show all or few of it; `redraw` is called then.
export function onMore(names, redraw) {
  for (const name of names) {
    byId(`${name}-more`).addEventListener('click', () => {
      if (!expanded.delete(name)) expanded.add(name);
      redraw();
    });
  }
}

function showJobs(list, jobs, timeOf, whyOf) {
  sync(list, jobs, job => job.id, makeJob, (node, job) => {
    const [name, cost, time, why] = node.children;
    say(name, title(job));
    set(name, 'title', job.id);
    set(name, 'href', `/v1/jobs/${encodeURIComponent(job.id)}`);
    showExplanation(node);
    say(cost, text.points(job.cost));
    say(time, timeOf(job));
    say(why, whyOf(job));
  });
}

// A job that nobody named goes by its key, with its number to tell it from others.
const isNumbered = job => job.key && /^[0-9]+$/.test(job.id);
export const title = job => isNumbered(job) ? `${job.key} #${job.id}` : job.id;

// What it is: its key and, where there is a choice and no word of it yet, its queue.
function kind(job, hasQueues) {
  const parts = [];
  if (job.key && !isNumbered(job) && !job.id.startsWith(job.key)) parts.push(job.key);
  if (hasQueues && job.queue !== 'default' && job.refusal?.code !== 'queue_paused') parts.push(`queue ${job.queue}`);
  if (job.priority !== 0) parts.push(`priority ${job.priority}`);
  return parts.join(', ');
}

function whyWaiting(job, hasQueues) {
  const why = job.refusal ? job.refusal.message : 'starts next';
  const what = kind(job, hasQueues);
  return what ? `${why} (${what})` : why;
}

function howRunning(job, hasQueues) {
  const parts = [kind(job, hasQueues)];
  if (job.suspended) parts.push(`suspended: ${job.suspended.message}`);
  if (job.starting) parts.push('starting');
  return parts.filter(Boolean).join('; ');
}

export function countText(shown, all, order) {
  if (all === 0) return 'None.';
  if (all === 1) return '1 job.';
  if (shown === all) return `${text.jobs(all)}, ${order}.`;
  return `${text.count(shown)} of ${text.jobs(all)} shown, ${order}.`;
}

export function showOverview(overview, hasQueues) {
  const running = shortened('jobs', overview.jobs.filter(job => job.state === 'running'),
                            overview.running);
  const waiting = shortened('waiting', overview.jobs.filter(job => job.state === 'pending'),
                            overview.pending);
  showJobs(byId('jobs'), running, job => text.duration(job.running_for ?? 0),
           job => howRunning(job, hasQueues));
  showJobs(byId('waiting'), waiting, job => text.duration(job.age),
           job => whyWaiting(job, hasQueues));
  say(byId('jobs-count'), countText(running.length, overview.running, 'longest-running first'));
  say(byId('waiting-count'), countText(waiting.length, overview.pending, 'next in line first'));
}

export function showQueues(queues) {
  const told = queues.length > 1 ? queues : queues.filter(queue => queue.paused);
  sync(byId('queues'), told, queue => queue.name,
       () => make('li', '', make('span', 'name'), make('span', 'why')), (node, queue) => {
    const [name, what] = node.children;
    say(name, queue.name);
    const paused = queue.paused ? 'paused; ' : '';
    const ended = queue.branch_of ? `, ${text.count(queue.ended)} done` : '';
    say(what, `${paused}${text.count(queue.running)} running, ` +
              `${text.count(queue.pending)} waiting${ended}`);
  });
}

export function showCuts(timeline) {
  const kept = [...timeline.cuts].reverse();
  const cuts = shortened('cuts', kept, kept.length);
  const key = cut => `${cut.from}>${cut.to}@${cut.at}`;
  const create = () => make('li', '', make('time'), make('span', 'why'));
  sync(byId('cuts'), cuts, key, create, (node, cut) => {
    const [time, why] = node.children;
    set(time, 'datetime', cut.at);
    say(time, text.timeOfDay(cut.time));
    say(why, text.arrows(cut.reason));
  });
  const older = timeline.cuts_forgotten;
  const all = kept.length + older;
  const since = 'since the daemon started';
  say(byId('cuts-count'), all === 0 ? `None ${since}.`
      : older === 0 ? `${text.counted(all, 'cut', 'cuts')} ${since}, newest first.`
                    : `The last ${kept.length} of ${text.count(all)} ${since}, newest first.`);
}
