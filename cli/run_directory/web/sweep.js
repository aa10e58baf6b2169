// The settings of a sweep, from top to bottom.

const SWEPT = DATA.axes.filter(axis => axis.values.length > 1);
const SETTINGS = DATA.settings;
const BEST = DATA.best === null ? null : SETTINGS[DATA.best - 1];
const short = (name, most) => name.length > most ? name.slice(0, most - 1) + "…" : name;
const nameOf = setting => SWEPT.map(axis => axis.key.split(".").pop() + "=" + setting.values[axis.key]).join(" ") || "unchanged";
const bounds = setting => [setting.low !== undefined ? setting.low : setting.lowest, setting.high !== undefined ? setting.high : setting.highest];
const better = (a, b) => DATA.lower_is_better ? a.value - b.value : b.value - a.value;
const ordered = [...SETTINGS].sort((a, b) => b.rung - a.rung || (b.value !== null) - (a.value !== null) || better(a, b));
const lastRuns = setting => setting.runs.filter(run => run.rung === setting.rung);

function valuesChart(width) {
  const rows = ordered.filter(setting => setting.value !== null);
  const names = rows.map(setting => short(nameOf(setting), 40));
  const left = Math.min(width / 2.5, 16 + 7.2 * Math.max(...names.map(name => name.length))), right = width - 84, row = 26, top = 6;
  const bottom = top + row * rows.length;
  const x = scaleOf(rows.flatMap(setting => [setting.value, setting.baseline, ...bounds(setting)]).filter(value => value !== null && value !== undefined), left, right, width / 110, false);
  const chart = svg("svg", {width, height: bottom + 46, role: "img", "aria-label": DATA.measure + " of " + plural(rows.length, "setting")});
  x.ticks.forEach(tick => chart.append(svg("line", {x1: x.at(tick), x2: x.at(tick), y1: top, y2: bottom, stroke: colour("line")}),
    svg("text", {x: x.at(tick), y: bottom + 18, "text-anchor": "middle", class: "muted"}, number(tick))));
  rows.forEach((setting, i) => {
    const y = top + row * i + row / 2, [low, high] = bounds(setting), ink = colour(setting === BEST ? "use" : setting.fate === "done" ? "ink" : "muted");
    chart.append(svg("text", {x: left - 10, y: y + 4, "text-anchor": "end", "font-weight": setting === BEST ? 600 : 400}, names[i], svg("title", {}, nameOf(setting))));
    if (low !== undefined) chart.append(svg("line", {x1: x.at(low), x2: x.at(high), y1: y, y2: y, stroke: ink, "stroke-width": 2}));
    if (setting.baseline !== null) chart.append(svg("line", {x1: x.at(setting.baseline), x2: x.at(setting.baseline), y1: y - 9, y2: y + 9, stroke: colour("first"), "stroke-width": 2}, svg("title", {}, "without a model: " + setting.baseline_name)));
    chart.append(svg("circle", {cx: x.at(setting.value), cy: y, r: 5, fill: ink}, svg("title", {}, nameOf(setting) + ": " + number(setting.value) + ", " + setting.why)),
      svg("text", {x: right + 10, y: y + 4}, number(setting.value)));
  });
  chart.append(svg("text", {x: (left + right) / 2, y: bottom + 38, "text-anchor": "middle", class: "muted"}, DATA.measure + (DATA.lower_is_better ? ", lower is better" : "")));
  return chart;
}

function valuesSection() {
  if (!SETTINGS.some(setting => setting.value !== null)) return null;
  const host = el("figure");
  drawn(host, valuesChart);
  return section("Value by setting", (DATA.seeds.length ? "A point is the mean over the seeds, and its line goes from the lowest to the highest of them." : "A point is the value of a setting, and its line the 95 % interval.") +
    " An upright mark is the better rule without a model." + (DATA.halving ? " Settings that were halved are grey: their value is that of their last rung." : ""), host);
}

// One line for each run of the last rung; the best setting is drawn last, over the others.
function curvesChart(width) {
  const lines = [...ordered].reverse().flatMap(setting => lastRuns(setting).filter(run => (run.windows || []).length > 1).map(run => ({setting, windows: run.windows})));
  const height = 320, left = 70, right = width - 16, top = 10, bottom = height - 50;
  const times = lines.flatMap(line => line.windows.flatMap(window => [Date.parse(window.from), Date.parse(window.to)]));
  const from = Math.min(...times), to = Math.max(...times, from + 1);
  const x = at => left + (at - from) / (to - from) * (right - left);
  const y = scaleOf(lines.flatMap(line => line.windows.map(window => window.value)), bottom, top, 6, false);
  const chart = svg("svg", {width, height, role: "img", "aria-label": DATA.measure + " over time of " + plural(lines.length, "run")});
  y.ticks.forEach(tick => chart.append(svg("line", {x1: left, x2: right, y1: y.at(tick), y2: y.at(tick), stroke: colour("line")}),
    svg("text", {x: left - 8, y: y.at(tick) + 4, "text-anchor": "end", class: "muted"}, number(tick))));
  for (const line of lines) {
    const isBest = line.setting === BEST;
    const points = line.windows.map(window => x((Date.parse(window.from) + Date.parse(window.to)) / 2) + " " + y.at(window.value)).join("L");
    chart.append(svg("path", {d: "M" + points, fill: "none", stroke: colour(isBest ? "use" : "muted"), "stroke-width": isBest ? 2.5 : 1, opacity: isBest ? 1 : 0.6},
      svg("title", {}, nameOf(line.setting))));
  }
  timeScale(chart, {from, to, left, right, y: bottom + 12});
  return chart;
}

function curvesSection() {
  if (!SETTINGS.some(setting => lastRuns(setting).some(run => (run.windows || []).length > 1))) return null;
  const host = el("figure");
  drawn(host, curvesChart);
  return section("Value over time", "The model in use in each window, one line for each run. The bold line is the best setting.", host);
}

function tableSection() {
  return section("All settings", null, el("div", {class: "scroll", tabindex: 0}, tableOf([
    ...SWEPT.map(axis => ({label: axis.key, left: true, value: row => row.values[axis.key]})),
    {label: DATA.measure || "value", value: row => number(row.value)},
    {label: DATA.seeds.length ? "lowest to highest" : "95 % interval", value: row => bounds(row)[0] === undefined ? "–" : number(bounds(row)[0]) + " to " + number(bounds(row)[1])},
    {label: "baseline", value: row => row.baseline === null ? "–" : number(row.baseline) + " " + row.baseline_name},
    {label: "training", value: row => seconds(row.training_seconds)},
    {label: "runs", left: true, value: row => row.runs.map(run => run.run === null ? "–" : run.run).join(", ")},
    {label: "fate", left: true, wrap: true, value: row => (row === BEST ? "best, " : "") + row.why},
  ], ordered)),
  DATA.halving ? el("p", {class: "note"}, "Rungs: " + DATA.halving.rungs.map(rung => plural(rung.settings, "setting") + " with " + (rung.effort === null ? "all " + DATA.halving.unit : plural(rung.effort, DATA.halving.unit.slice(0, -1)))).join(", then ") + ".") : null,
  DATA.best_pipeline ? folded("The pipeline with the best values", false, el("pre", {tabindex: 0}, DATA.best_pipeline)) : null);
}

const MEANINGS = {
  "setting": "One choice of a value for each key that is swept.",
  "fate": "done: it was run with the whole effort. halved: it was among the worse half of a rung, and was not run with more effort.",
  "training": "Seconds of training, over all seeds and rungs. A model that was taken from another run costs none.",
};

function show() {
  const fates = fate => SETTINGS.filter(setting => setting.fate === fate).length;
  const all = [tileOf(count(SETTINGS.length), SETTINGS.length === 1 ? "setting" : "settings"), tileOf(seconds(SETTINGS.reduce((sum, setting) => sum + setting.training_seconds, 0)), "of training")];
  if (DATA.seeds.length) all.push(tileOf(count(DATA.seeds.length), "seeds, " + DATA.seed_key + " " + DATA.seeds.join(", ")));
  if (BEST && BEST.value !== null) all.push(tileOf(number(BEST.value), DATA.measure + " of the best"));
  if (fates("failed")) all.push(tileOf(count(fates("failed")), "failed"));
  document.getElementById("tiles").append(...all);
  present([valuesSection(), curvesSection(), tableSection(), glossarySection(MEANINGS)], "Tidemill " + DATA.version + ". This file loads nothing.");
}

show();
