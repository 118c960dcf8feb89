// Numbers, times and states as people read them.

const whole = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', {hour: '2-digit', minute: '2-digit', second: '2-digit'});
const day = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short'});

// Text of others without what turns the words around it, ends a line or is no text, like printable()
// in sensors/text.h.
const unshown = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export const printable = words => words.replace(unshown, '?');

// "cut 80 → 40 points": no line ends within the arrow, or before it.
export const arrows = words => words.replaceAll(' -> ', '\u00a0→ ');

// A name in a narrow place: a line ends behind an underscore rather than anywhere.
export const breakable = name => name.replaceAll('_', '_\u200b');

export const count = number => whole.format(number);

export const counted = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;

export const points = number => counted(number, 'point', 'points');

export const jobs = number => counted(number, 'job', 'jobs');

// To a tenth, for a quota may leave a part of one.
export const cpus = number => counted(Math.round(number * 10) / 10, 'CPU', 'CPUs');

// "4 min 03 s": the two largest units, as in the terminal; it keeps its width while it counts.
export function duration(seconds) {
  const units = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
  let rest = Math.max(0, Math.floor(seconds));
  const parts = [];
  for (const [unit, size] of units) {
    const number = Math.floor(rest / size);
    rest -= number * size;
    if (number > 0 || parts.length > 0) parts.push([number, unit]);
  }
  if (parts.length === 0) return '0 s';
  return parts.slice(0, 2).map(([number, unit], at) => `${String(number).padStart(at > 0 ? 2 : 1, '0')} ${unit}`)
      .join(' ');
}

export function timeOfDay(milliseconds) {
  const date = new Date(milliseconds);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`;
}

// Of a mark on an axis: seconds only where it is not at a whole minute.
export function axisTime(date) {
  const time = clock.format(date);
  return time.endsWith(':00') ? time.slice(0, 5) : time;
}

// A pressure is a share of the limit.
export function ofLimit(pressure) {
  if (pressure >= 100) return 'far over its limit';
  return pressure >= 10 ? `${count(Math.round(pressure))} × its limit`
                        : `${Math.round(pressure * 100)}% of its limit`;
}

// Of these a share of the limit says nothing: one is a switch, the other a count of a few jobs.
const unmeasured = new Set(['pause', 'starting']);

export const isMeasured = sensor => !unmeasured.has(sensor.name);

// How near to its limit a sensor is; empty where that says nothing.
export function share(sensor) {
  if (!isMeasured(sensor)) return '';
  return sensor.pressure === null ? 'never read' : ofLimit(sensor.pressure);
}

// Why a sensor is red below its limit, as in `sluice status`.
export function hysteresis(sensor) {
  const isHeld = sensor.verdict === 'red' && sensor.pressure < 1 && sensor.pressure >= sensor.resume;
  return isHeld ? `, red until below ${percent(sensor.resume)} of that` : '';
}

// What a sensor is, in a word or two.
export function verdict(sensor) {
  if (sensor.verdict === 'ignored') return 'ignored: cannot be read';
  if (!sensor.up) return `${sensor.verdict}: cannot be read`;
  if (!sensor.fresh) return `${sensor.verdict}: reading is old`;
  return sensor.verdict;
}

// Whether the daemon takes work, and if not, why.
export function accepting(status) {
  if (status.draining) return 'Draining: takes no more work';
  if (status.paused) return 'Paused by an operator';
  if (status.full) {
    const all = status.blockers ?? [status.full];
    return `Takes no new work now: ${all.map(each => each.message).join('; ')}`;
  }
  return status.registered ? 'Takes work' : 'Takes no work yet';
}

export const percent = part => `${Math.round(part * 100)}%`;

// How many tasks wait for each CPU, for which hundredths say something.
export const tasks = number => number.toFixed(2);

// The last change of the window, as the daemon says it.
export function change(last) {
  if (!last) return '';
  return `${duration(last.age)} ago: ${arrows(last.sentence)}`;
}
