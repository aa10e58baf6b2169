// Curves over time and over samples, drawn by uPlot.

const utc = stamp => uPlot.tzDate(new Date(stamp * 1e3), "Etc/UTC");

// Ticks at round times, as in the timeline.
function timeAxis(width) {
  const labels = new Map();
  return {
    splits: (_, axis, from, to) => timeTicks(from * 1e3, to * 1e3, Math.floor(width / 90)).map(tick => {
      labels.set(tick.at / 1e3, tick.label);
      return tick.at / 1e3;
    }),
    values: (_, splits) => splits.map(at => labels.get(at) || ""),
  };
}

function axes(xLabel, yLabel, values, x) {
  const common = {stroke: colour("muted"), font: "12px system-ui, sans-serif", labelFont: "13px system-ui, sans-serif",
    grid: {stroke: colour("line"), width: 1}, ticks: {stroke: colour("line"), width: 1}};
  return [{...common, label: xLabel, labelSize: 24, ...x}, {...common, label: yLabel, labelSize: 24, size: 62, ...(values ? {values} : {})}];
}

function plot(options, data, description) {
  const host = el("div", {role: "img", "aria-label": description});
  new uPlot({cursor: {points: {size: 7}}, ...options}, data, host);
  return host;
}

// What the models in use reached, window by window, beside the first model and each window's own. Up to 150 windows are steps
// from their beginnings to their ends, so that a window beside one without a value is drawn, too. More are points of a line, on
// which a value without neighbours is a dot.
function compositeChart(table, width) {
  const scale = table.share ? 100 : 1;
  const windows = table.windows;
  const stepped = windows.length <= 150;
  const ends = windows.map(([, to], i) => (i + 1 < windows.length ? Math.min(to, windows[i + 1][0]) : to) - 1);
  const xs = stepped ? windows.flatMap(([from], i) => [from / 1e3, Math.max(from, ends[i]) / 1e3]) : windows.map(([from, to]) => (from + to) / 2e3);
  const spread = column => stepped ? column.flatMap(value => [value, value]) : column;
  const pick = (series, at) => spread(series.map((point, i) => point && point[at] !== null && (series !== table.first || table.active[i]) ? point[at] * scale : null));
  const columns = {use: pick(table.active, 0), seen: pick(table.trained, 0), first: pick(table.first, 0),
    low: pick(table.active, 1), high: pick(table.active, 2)};
  const paths = uPlot.paths.linear();
  const format = (_, value) => value === null || value === undefined ? "–" : table.share ? fixed(value, 1) + " %" : number(value);
  const isAlone = (column, i) => column[i] !== null && !(i > 0 && column[i - 1] !== null) && !(i + 1 < column.length && column[i + 1] !== null);
  const alone = column => [...column.keys()].filter(i => isAlone(column, i));
  const line = (label, name, more) => ({label, stroke: colour(name), width: 2, paths, value: format, points: {show: false}, ...more});
  const drawnOf = (label, name, more) => line(label, name, {points: {show: alone(columns[name]).length > 0, filter: () => alone(columns[name]), size: 5}, ...more});
  const series = [{label: "window from", value: (_, at, __, i) => at === null ? "–" : time(windows[stepped ? i >> 1 : i][0])},
    drawnOf("trained on the window", "seen", {width: 1.5, dash: [2, 4], show: table.trained.some(Boolean)}),
    drawnOf("first model, never retrained", "first", {dash: [8, 5], show: Boolean(table.means.first)}),
    drawnOf("in use", "use", {width: 3})];
  const data = [xs, columns.seen, columns.first, columns.use];
  const bands = [];
  if (columns.low.some(value => value !== null)) {
    series.push(line("95 % from", "use", {width: 0.5, stroke: "transparent"}), line("95 % to", "use", {width: 0.5, stroke: "transparent"}));
    data.push(columns.low, columns.high);
    bands.push({series: [5, 4], fill: colour("use-soft")});
  }
  const finite = [].concat(...data.slice(1)).filter(value => value !== null);
  return plot({width, height: 300, series, bands, tzDate: utc, scales: {x: {time: true}},
    axes: axes("event time (UTC)", table.measure + (table.share ? " (%)" : ""), null, timeAxis(width))}, data,
    title(table) + " by window, " + (finite.length ? "from " + number(Math.min(...finite)) + " to " + number(Math.max(...finite)) : "no values"));
}

const means = table => {
  const mean = table.means, rows = [];
  const key = (name, text, value, dashed) => rows.push(el("li", {},
    el("i", {class: "line", style: "border-color: var(--" + name + "); border-top-style: " + dashed}), text, " ", el("b", {}, shown(table, value))));
  if (mean.active) key("use", "models in use, " + mean.active.how + ", over " + plural(mean.active.samples, "sample") + (mean.active.counts ? " (" + mean.active.counts.trim() + ")" : "") + ":", mean.active.value, "solid");
  if (mean.interval) rows.push(el("li", {}, "95 % interval of that mean: ", el("b", {}, shown(table, mean.interval[0]) + " to " + shown(table, mean.interval[1]))));
  if (mean.first) key("first", "first model, never retrained, on the same samples:", mean.first.value, "dashed");
  for (const one of mean.baselines) rows.push(el("li", {class: one.wins ? "error" : ""}, one.rule + ", on the same samples:", " ", el("b", {}, shown(table, one.value)), one.wins ? " – better than the models" : ""));
  if (table.trained.some(Boolean)) rows.push(el("li", {}, el("i", {class: "line", style: "border-color: var(--seen); border-top-style: dotted"}), "each model on the window that it was trained on"));
  return el("ul", {class: "keys"}, rows);
};

function compositeSection() {
  const tables = DATA.tables.filter(table => table.active.some(Boolean));
  if (!tables.length) return null;
  const host = el("figure");
  const picker = el("select", {"aria-label": "Measure"}, tables.map((table, i) => el("option", {value: i}, title(table))));
  const draw = drawn(host, width => {
    const table = tables[Number(picker.value)];
    return el("div", {}, means(table), compositeChart(table, width),
      table.lower ? el("p", {class: "note"}, "Lower is better.") : "",
      table.total > table.windows.length ? el("p", {class: "note"}, "Of " + count(table.total) + " windows, " + count(table.windows.length) + " are drawn.") : "",
      folded("The same as a table", false, el("div", {class: "scroll", tabindex: 0}, tableOf([
        {label: "window", left: true, value: i => time(table.windows[i][0]) + " to " + time(table.windows[i][1])},
        {label: "samples", value: i => count(table.windows[i][2])},
        {label: "model in use", value: i => table.active[i] ? "#" + table.active[i][3] : "–"},
        {label: "in use", value: i => shown(table, table.active[i] && table.active[i][0], 2)},
        {label: "95 % interval", value: i => table.active[i] && table.active[i][1] !== null ? shown(table, table.active[i][1]) + " to " + shown(table, table.active[i][2]) : "–"},
        {label: "first model", value: i => shown(table, table.first[i] && table.first[i][0], 2)},
        {label: "trained on it", value: i => shown(table, table.trained[i] && table.trained[i][0], 2)},
      ], table.windows.map((_, i) => i)))));
  });
  picker.addEventListener("change", draw);
  return section("Quality over time",
    "Each window of time has the score of the model that was in use in it. This is the latest model trained before the window began, so it had seen nothing of the window. " +
    "Where the solid line differs from the dashed one, retraining made the difference.",
    tables.length > 1 ? el("div", {class: "controls"}, el("label", {}, "Measure ", picker)) : null, host);
}

// For evaluations in which no model is ever in use, as on a test set: the score of each model.
function modelsSection() {
  const tables = DATA.tables.filter(table => !table.active.some(Boolean) && table.matrix.triggers.length > 1 && table.matrix.windows.length <= 5);
  if (!tables.length) return null;
  return section("Quality by model", "Each model on the same samples, in the order in which the models were trained.", tables.map(table => {
    const host = el("figure"), scale = table.share ? 100 : 1, {triggers, windows, values} = table.matrix;
    const names = ["use", "first", "seen", "evaluate", "fit"];
    drawn(host, width => plot({width, height: 240, scales: {x: {time: false}},
      series: [{label: "model", value: (_, value) => value === null ? "–" : "#" + value}, ...windows.map((window, i) => ({
        label: windows.length > 1 ? "from " + time(window[0]) : table.measure, stroke: colour(names[i]), width: 2, points: {show: triggers.length < 150, size: 6},
        value: (_, value) => value === null ? "–" : table.share ? fixed(value, 1) + " %" : number(value)}))],
      axes: axes("model, by its trigger", table.measure + (table.share ? " (%)" : ""), null, {incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]})},
      [triggers, ...windows.map((_, column) => values.map(row => row[column] === null ? null : row[column] * scale))], title(table) + " by model"));
    return [el("h3", {}, title(table) + ", " + plural(windows.reduce((sum, window) => sum + window[2], 0), "sample")), host];
  }));
}

// One training after the other on one axis of samples.
function lossChart(width) {
  const xs = [], train = [], validation = [], starts = [];
  let before = 0;
  for (const trigger of DATA.triggers) {
    if (!trigger.curve.length) continue;
    starts.push({at: before, number: trigger.number});
    if (xs.length) { xs.push(before); train.push(null); validation.push(null); }
    for (const [samples, loss, held] of trigger.curve) {
      xs.push(before + samples); train.push(loss); validation.push(held === undefined ? null : held);
    }
    before = xs[xs.length - 1];
  }
  const losses = train.concat(validation).filter(value => value !== null);
  const logarithmic = losses.every(value => value > 0) && Math.max(...losses) > 30 * Math.min(...losses);
  const held = validation.some(value => value !== null);
  const every = Math.ceil(starts.length / Math.max(1, Math.floor(width / 40)));
  const format = (_, value) => number(value);
  const dots = train.length < 150;
  const mark = chart => {
    const {ctx, bbox} = chart;
    ctx.save();
    ctx.strokeStyle = colour("line"); ctx.fillStyle = colour("muted");
    ctx.font = 11 * devicePixelRatio + "px system-ui, sans-serif"; ctx.textAlign = "left";
    starts.forEach((start, i) => {
      const x = Math.round(chart.valToPos(start.at, "x", true));
      if (starts.length <= 400) { ctx.beginPath(); ctx.moveTo(x, bbox.top); ctx.lineTo(x, bbox.top + bbox.height); ctx.stroke(); }
      if (i % every === 0) ctx.fillText("#" + start.number, x + 4 * devicePixelRatio, bbox.top + 12 * devicePixelRatio);
    });
    ctx.restore();
  };
  const series = [{label: "samples", value: (_, value) => value === null ? "–" : count(value)},
    {label: "training loss", stroke: colour("use"), width: 2, value: format, points: {show: dots, size: 4}, spanGaps: false}];
  const data = [xs, train];
  if (held) { series.push({label: "held-out loss", stroke: colour("first"), width: 2, value: format, spanGaps: true, points: {show: dots, size: 4}}); data.push(validation); }
  return plot({width, height: 260, series, hooks: {drawClear: [mark]}, scales: {x: {time: false}, y: logarithmic ? {distr: 3} : {}},
    axes: axes(isNarrow(width) ? "samples trained on" : "samples trained on, all trainings one after the other", "loss" + (logarithmic ? " (logarithmic)" : ""),
      logarithmic ? (_, values) => values.map(value => value === null ? "" : number(value, 3)) : null, {space: 90})}, data,
    "Loss from " + number(losses[0]) + " to " + number(losses[losses.length - 1]) + " over " + starts.length + " trainings");
}

// Where each training began and ended.
function lossEndsChart(width) {
  const trained = DATA.triggers.filter(trigger => trigger.stages.train !== undefined && trigger.loss !== null);
  const line = (label, name, dash) => ({label, stroke: colour(name), width: 2, dash, points: {show: trained.length < 150, size: 5}, value: (_, value) => number(value)});
  const series = [{label: "trigger"}, line("last loss", "use")];
  const data = [trained.map(trigger => trigger.number), trained.map(trigger => trigger.loss)];
  if (trained.some(trigger => trigger.curve.length)) {
    series.push(line("first loss", "first", [6, 4]));
    data.push(trained.map(trigger => trigger.curve.length ? trigger.curve[0][1] : null));
  }
  return plot({width, height: 230, scales: {x: {time: false}}, series, axes: axes("trigger", "loss", null, {incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]})}, data, "Loss at the end of each training");
}

function lossSection() {
  const host = el("figure");
  const curves = DATA.triggers.filter(trigger => trigger.curve.length).length;
  if (!DATA.triggers.some(trigger => trigger.stages.train !== undefined)) return null;
  if (curves > 0 && curves <= 40) {
    drawn(host, lossChart);
    return section("Loss", "How the loss fell during each training (#n is the training of trigger n; its epochs follow each other). " +
      "If a curve still falls at its end, use more epochs. If it jumps, use a lower learning rate.", host);
  }
  drawn(host, lossEndsChart);
  return section("Loss", "The loss at the end of each training" + (curves ? " and at its beginning; metrics.csv of the run directory has the values between." : "."), host);
}
