// The last hour: rows of numbers, three charts that share a cursor, and a small trace per sensor.

import {axisTime, count, percent, tasks, timeOfDay} from '/page/text.js';

const spanMs = 3600 * 1000;
const leastMs = 5 * 60 * 1000;
const jumpMs = 5000;   // What comes may be late, but not by more: then nobody is said to be there.

// Rows {time, window, usage, pending, running, busy, waiting, sensors: {name: pressure}}, oldest first;
// null is not known. The last one may be provisional: it moves until it is a step away from the one
// before.
export class Hour {
  rows = [];
  cuts = [];
  stepMs = 5000;
  resume = {};    // By sensor: below which pressure a red one turns green.
  ahead = null;   // The daemon's clock, of this page's own one, which nobody sets.

  // What the daemon has kept; rows from before it started stay, if this page saw them. `heard`: when
  // it came, by performance.now().
  take(timeline, keepOlder, heard) {
    const now = Date.parse(timeline.now);
    this.ahead = now - heard;
    this.stepMs = timeline.step * 1000;
    const names = Object.keys(timeline.sensors);
    const fresh = timeline.age.map((age, at) => ({
      time: now - age * 1000,
      window: timeline.window[at], usage: timeline.usage[at],
      pending: timeline.pending[at], running: timeline.running[at],
      busy: timeline.busy[at], waiting: timeline.waiting[at],
      sensors: Object.fromEntries(names.map(name => [name, timeline.sensors[name][at]])),
    }));
    const start = fresh.length > 0 ? fresh[0].time : now;
    const older = keepOlder ? this.rows.filter(row => row.time < start - 1000) : [];
    this.rows = older.concat(fresh);
    this.cuts = timeline.cuts.map(cut => ({...cut, time: now - cut.age * 1000}));
  }

  // One status. False: its clock does not go on from the last row's, but was set back or forward: the
  // hour must be fetched again.
  add(status, heard) {
    const time = Date.parse(status.now);
    const last = this.rows.at(-1);
    const jumped = this.ahead !== null && time - heard > this.ahead + jumpMs;
    if (last && (jumped || time < last.time - 1000)) return false;
    this.ahead = time - heard;
    const row = {
      time, window: status.window.size, usage: status.window.usage,
      pending: status.jobs.pending, running: status.jobs.running,
      busy: status.cpu?.busy ?? null, waiting: status.cpu?.waiting ?? null,
      sensors: Object.fromEntries(
          status.sensors.map(each => [each.name, each.fresh ? each.pressure : null])),
    };
    const before = this.rows.at(-2);
    if (last && before && last.time - before.time < this.stepMs * 0.9) this.rows.pop();
    this.rows.push(row);
    while (this.rows[0].time < time - spanMs) this.rows.shift();
    return true;
  }

  // Stretches {sensor, from, last, to} in which a sensor was red: from its limit on until below what
  // it resumes at. `last` is the last row that was red, `to` the first that was not.
  redStretches() {
    const open = new Map();
    const stretches = [];
    let last = null;
    for (const row of this.rows) {
      const isAway = last && row.time - last.time > this.stepMs * 3;
      for (const [sensor, pressure] of Object.entries(row.sensors)) {
        const stretch = isAway ? undefined : open.get(sensor);
        const isRed = pressure !== null && pressure >= (stretch ? this.resume[sensor] ?? 1 : 1);
        if (isRed && !stretch) {
          open.set(sensor, {sensor, from: row.time, last: row.time, to: row.time});
          stretches.push(open.get(sensor));
        } else if (stretch) {
          stretch.to = row.time;
          if (isRed) stretch.last = row.time;
          else open.delete(sensor);
        }
      }
      last = row;
    }
    return stretches;
  }

  end() { return this.rows.at(-1)?.time ?? Date.now(); }

  // How much of it there is to draw: a daemon's first minutes are not squeezed into a corner.
  span() { return Math.max(leastMs, Math.min(spanMs, this.end() - (this.rows[0]?.time ?? 0))); }

  // The rows with an empty one wherever the daemon stood still or was away, so that no line is
  // drawn across.
  withGaps() {
    const rows = [];
    let last = null;
    for (const row of this.rows) {
      const isAway = last && row.time - last.time > this.stepMs * 3;
      if (isAway) rows.push({time: last.time + 1, sensors: {}});
      rows.push(row);
      last = row;
    }
    return rows;
  }
}

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// No legend of dygraphs' own: it writes style attributes, which this page's policy forbids.
function withoutLegend() {
  Dygraph.PLUGINS = Dygraph.PLUGINS.filter(plugin => plugin !== Dygraph.Plugins.Legend);
}

// Under a stepped line, and nothing where there is no value: dygraphs' own filler paints such a
// stretch below zero.
function fillSteps({dygraph, drawingContext: context, points, setName, color}) {
  if (!dygraph.getBooleanOption('fillGraph', setName)) return;
  const floor = dygraph.toDomYCoord(0);
  context.fillStyle = color;
  context.globalAlpha = 0.15;
  context.beginPath();
  points.slice(1).forEach((next, at) => {
    const {canvasx: x, canvasy: y} = points[at];
    if (Number.isFinite(y)) context.rect(x, y, next.canvasx - x, floor - y);
  });
  context.fill();
}

class Chart {
  constructor(node, readout, names, fields, styles, says = {}) {
    this.says = says;     // By field: a value in words, where that is not a whole number; `least`: of the axis.
    this.node = node;
    this.readout = readout;
    this.names = names;
    this.fields = fields;
    this.styles = styles;
    this.rows = [];
    this.chosen = null;   // The time under the cursor.
    this.others = [];
    node.addEventListener('keydown', event => this.onKey(event));
    node.addEventListener('blur', () => this.choose(null));
  }

  table(rows) {
    return rows.map(row => [new Date(row.time), ...this.fields.map(field => row[field] ?? null)]);
  }

  draw(rows, hour, cuts, stretches) {
    this.rows = rows;
    this.cuts = cuts;
    this.stretches = stretches;
    const changing = {file: this.table(rows), dateWindow: [hour.end() - hour.span(), hour.end()],
                      ...this.range()};
    if (this.graph) this.graph.updateOptions(changing);
    else this.make(changing);
    if (this.chosen !== null) this.select();
  }

  // An idle host looks idle: its axis does not end at a few percent.
  range() {
    if (!this.says.least) return {};
    const values = this.rows.flatMap(row => this.fields.map(field => row[field] ?? 0));
    return {valueRange: [0, 1.05 * Math.max(this.says.least, ...values)]};
  }

  make(changing) {
    const options = {...changing, ...this.fixed(), ...this.look()};
    this.graph = new Dygraph(this.node, changing.file, options);
  }

  fixed() {
    return {
      labels: ['Time', ...this.names], legend: 'never', stepPlot: true, includeZero: true,
      plotter: [fillSteps, Dygraph.Plotters.linePlotter],
      interactionModel: {}, highlightCircleSize: 3, strokeWidth: 1.5, xRangePad: 0, yRangePad: 8,
      axes: {
        x: {drawGrid: false, axisLabelFormatter: axisTime, axisLabelWidth: 64,
            pixelsPerLabel: 90},
        y: {axisLabelFormatter: number => Number.isInteger(number) || this.says.axis
                ? (this.says.axis ?? count)(number) : '',
            axisLabelWidth: 44, pixelsPerLabel: 28},
      },
      highlightCallback: (event, time) => this.choose(time),
      unhighlightCallback: () => this.choose(null),
      underlayCallback: (context, area, graph) => {
        this.markStretches(context, area, graph);
        this.markCuts(context, area, graph);
      },
    };
  }

  // What follows the colour scheme.
  look() {
    const series = {};
    this.names.forEach((name, at) => {
      const {colour: of, ...more} = this.styles[at];
      series[name] = {color: colour(of), ...more};
    });
    return {series, gridLineColor: colour('--line'), axisLineColor: colour('--line')};
  }

  restyle() { this.graph?.updateOptions(this.look()); }

  // A band in which something was red, with the name of the sensor where there is room for it.
  markStretches(context, area, graph) {
    context.save();
    context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    let named = -Infinity;   // Where the last name ends.
    for (const {sensor, from, to} of this.stretches) {
      const left = Math.max(area.x, graph.toDomXCoord(from));
      const right = Math.min(area.x + area.w, Math.max(left + 2, graph.toDomXCoord(to)));
      if (right <= area.x) continue;
      context.fillStyle = colour('--alarm');
      context.globalAlpha = 0.13;
      context.fillRect(left, area.y, right - left, area.h);
      context.globalAlpha = 1;
      const words = `${sensor} red`;
      const end = left + 4 + context.measureText(words).width;
      if (left < named || end > area.x + area.w) continue;
      context.fillText(words, left + 4, area.y + 20);
      named = end;
    }
    context.restore();
  }

  markCuts(context, area, graph) {
    context.fillStyle = colour('--alarm');
    for (const cut of this.cuts ?? []) {
      const x = graph.toDomXCoord(cut.time);
      if (x < area.x || x > area.x + area.w) continue;
      context.beginPath();
      context.moveTo(x - 4, area.y);
      context.lineTo(x + 4, area.y);
      context.lineTo(x, area.y + 7);
      context.fill();
    }
  }

  // The cursor, here and in the other charts; null takes it away.
  choose(time) {
    for (const chart of [this, ...this.others]) {
      chart.chosen = time;
      chart.select();
    }
  }

  // The row under the cursor, or where that row has moved on: the last one is provisional.
  chosenRow() {
    const at = this.rows.findIndex(row => row.time >= this.chosen);
    return at < 0 ? this.rows.length - 1 : at;
  }

  select() {
    if (!this.graph) return;
    if (this.chosen === null || this.rows.length === 0) {
      this.graph.clearSelection();
      this.readout.textContent = '';
      return;
    }
    const at = this.chosenRow();
    this.graph.setSelection(at);
    const row = this.rows[at];
    const values = this.fields.map((field, each) => row[field] === undefined || row[field] === null ? ''
        : `${this.names[each].toLowerCase()} ${(this.says[field] ?? count)(row[field])}`).filter(Boolean);
    const red = this.stretches.filter(each => each.from <= row.time && row.time <= each.last)
        .map(each => `, ${each.sensor} red`).join('');
    this.readout.textContent = `${timeOfDay(row.time)}: ${values.join(', ') || 'no data'}${red}`;
  }

  onKey(event) {
    const steps = {ArrowLeft: -1, ArrowRight: 1, PageUp: -12, PageDown: 12,
                   Home: -Infinity, End: Infinity};
    const step = steps[event.key];
    if (event.key === 'Escape') this.choose(null);
    if (step === undefined || this.rows.length === 0) return;
    event.preventDefault();
    const last = this.rows.length - 1;
    const from = this.chosen === null ? last + 1 : this.chosenRow();
    this.choose(this.rows[Math.max(0, Math.min(last, from + step))].time);
  }
}

export class Charts {
  constructor() {
    const node = id => document.getElementById(id);
    this.points = new Chart(node('points-chart'), node('points-readout'), ['Window', 'In use'],
                            ['window', 'usage'],
                            [{colour: '--ink'},
                             {colour: '--accent', fillGraph: true, strokeWidth: 2}]);
    this.jobs = new Chart(node('jobs-chart'), node('jobs-readout'), ['Waiting', 'Running'],
                          ['pending', 'running'],
                          [{colour: '--ink', strokePattern: [4, 3]},
                           {colour: '--accent', strokeWidth: 2}]);
    this.cpus = new Chart(node('cpu-chart'), node('cpu-readout'), ['Waiting', 'Busy'],
                          ['waiting', 'busy'],
                          [{colour: '--ink', strokePattern: [4, 3]},
                           {colour: '--accent', strokeWidth: 2}],
                          {waiting: tasks, busy: percent, axis: tasks, least: 1});
    this.all = [this.points, this.jobs, this.cpus];
    for (const chart of this.all) chart.others = this.all.filter(other => other !== chart);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      for (const chart of this.all) chart.restyle();
    });
  }

  // After they were hidden.
  resize() {
    for (const chart of this.all) chart.graph?.resize();
  }

  draw(hour) {
    if (!window.Dygraph) return;   // Numbers come first, and the library after them.
    withoutLegend();
    const rows = hour.withGaps();
    this.points.draw(rows, hour, hour.cuts, hour.redStretches());
    this.jobs.draw(rows, hour, [], []);
    this.cpus.draw(rows, hour, [], []);
  }
}

// A sensor's pressure over the hour, with its limit as a line: nothing to read off, but to see.
export function sparkline(canvas, hour, name) {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width === 0 || height === 0) return;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const top = 1.25;
  const y = pressure => height - 1 - Math.min(pressure, top) / top * (height - 2);
  const [end, span] = [hour.end(), hour.span()];
  const x = time => width - (end - time) / span * width;
  context.strokeStyle = colour('--line');
  context.beginPath();
  context.moveTo(0, y(1));
  context.lineTo(width, y(1));
  context.stroke();
  context.strokeStyle = colour('--ink');
  context.lineWidth = 1.2;
  context.beginPath();
  let last = null;
  for (const row of hour.rows) {
    const pressure = row.sensors[name] ?? null;
    if (pressure !== null) {
      const joins = last && row.time - last.time <= hour.stepMs * 3;
      if (joins) context.lineTo(x(row.time), y(pressure));
      else context.moveTo(x(row.time), y(pressure));
    }
    last = pressure === null ? null : row;
  }
  context.stroke();
}
