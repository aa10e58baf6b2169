// Policies that were tried on a history, from top to bottom.

const short = (name, most) => name.length > most ? name.slice(0, most - 1) + "…" : name;
const spell = value => value === null ? "–" : value < 2 * 86400 ? seconds(value) : number(value / 86400, 3) + " d";
const MATRIX = DATA.matrix;
const MEASURED = DATA.results.filter(result => result.value !== null);

// An axis of lengths of time, in a unit in which the longest is not a small number.
function lengths(label, field, lower) {
  const longest = Math.max(0, ...DATA.results.map(row => row[field] || 0));
  const [unit, length] = [["d", DAY], ["h", HOUR], ["min", MINUTE], ["s", 1e3]].find(([, millis]) => longest >= 2 * millis / 1e3) || ["s", 1e3];
  return {label, lower, of: row => row[field] === null ? null : row[field] / (length / 1e3), unit: " " + unit, show: value => number(value, 3) + " " + unit};
}
const COSTS = [{label: "samples trained on", whole: true, of: row => row.samples, show: value => count(Math.round(value))},
  lengths("training, forecast", "training_seconds", true), {label: "triggers", whole: true, of: row => row.num_triggers, show: value => count(Math.round(value))}];
const QUALITIES = [...(MATRIX ? [{label: title(MATRIX), lower: MATRIX.lower, scale: MATRIX.share ? 100 : 1, unit: MATRIX.share ? " %" : "", of: row => row.value, show: value => shown(MATRIX, value)}] : []),
  lengths("mean delay", "mean_delay_seconds", true)];

const known = (rows, ...axes) => rows.filter(row => axes.every(axis => axis.of(row) !== null));
const picker = (label, axes) => el("select", {"aria-label": label}, axes.map((axis, i) => el("option", {value: i}, axis.label)));

function paretoSection() {
  const costs = COSTS.filter(cost => known(DATA.results, cost).length), qualities = QUALITIES.filter(quality => known(DATA.results, quality).length);
  if (!qualities.length) return null;
  const host = el("figure"), across = picker("What it costs", costs), up = picker("What it brings", qualities);
  const draw = drawn(host, width => {
    const cost = costs[Number(across.value)], quality = qualities[Number(up.value)];
    const rows = known(DATA.results, cost, quality), front = frontOf(rows, cost, quality);
    const missing = DATA.results.filter(row => !rows.includes(row));
    return el("div", {}, paretoChart(width, rows, cost, quality),
      el("ul", {class: "keys"},
        el("li", {}, el("i", {class: "line", style: "border-color: var(--use); border-top-style: dashed"}), "unbeaten, by rising cost: ", el("b", {}, front.map(row => row.name).join(", "))),
        rows.length > front.length ? el("li", {}, "hollow points: another policy is at least as good and costs no more") : null),
      missing.length ? el("p", {class: "note"}, "Not drawn because a number is missing: " + missing.map(row => row.name).join(", ") + ".") : "");
  });
  across.addEventListener("change", draw);
  up.addEventListener("change", draw);
  return section("What costs what", "Each point is a policy. To the right is its cost, and up is its number, of which the axis says when lower is better. The dashed line joins the policies that no other policy beats. A better value than that of one of them costs more.",
    el("div", {class: "controls"}, el("label", {}, "Across ", across), qualities.length > 1 ? el("label", {}, "Up ", up) : null), host);
}

function triggersChart(width) {
  const names = DATA.results.map(result => short(result.name, 30));
  const left = Math.min(width / 3, 16 + 7.2 * Math.max(...names.map(name => name.length))), right = width - 70, row = 30, top = 6;
  const bottom = top + row * DATA.results.length, from = DATA.from, to = Math.max(DATA.to, DATA.from + 1);
  const x = at => left + (at - from) / (to - from) * (right - left);
  const chart = svg("svg", {width, height: bottom + 46, role: "img", "aria-label": "Triggers of each policy between " + time(from) + " and " + time(to)});
  DATA.results.forEach((result, i) => {
    const y = top + row * i, thick = result.triggers.length > 300 ? 0.5 : result.triggers.length > 80 ? 0.9 : 1.8;
    chart.append(svg("rect", {x: left, y: y + 3, width: right - left, height: row - 6, fill: colour("soft")}),
      svg("text", {x: left - 10, y: y + 19, "text-anchor": "end"}, names[i], svg("title", {}, result.name)),
      svg("text", {x: right + 10, y: y + 19}, count(result.num_triggers)));
    for (const at of result.triggers) chart.append(svg("line", {x1: x(at), x2: x(at), y1: y + 3, y2: y + row - 3, stroke: colour("first"), "stroke-width": thick}, svg("title", {}, result.name + ": " + time(at))));
  });
  timeScale(chart, {from, to, left, right, y: bottom + 14});
  return chart;
}

function triggersSection() {
  if (DATA.from === null || !DATA.results.some(result => result.triggers.length)) return null;
  const host = el("figure"), thinned = DATA.results.filter(result => result.triggers.length < result.num_triggers);
  drawn(host, triggersChart);
  return section("When each policy would have fired", "Each line is a trigger. The number of triggers is on the right.", host,
    thinned.length ? el("p", {class: "note"}, "Not every trigger is drawn of: " + thinned.map(result => result.name).join(", ") + ".") : null);
}

function resultsSection() {
  const cost = COSTS[0], quality = QUALITIES.find(axis => known(DATA.results, axis).length);
  const front = quality ? frontOf(known(DATA.results, cost, quality), cost, quality) : [];
  const alarms = DATA.results.some(result => result.false_alarms !== null);
  const faults = DATA.results.some(result => result.failed_decisions > 0);
  return section("All numbers", quality ? "Unbeaten: no policy that trains on as few samples has a better " + quality.label + "." : null,
    el("div", {class: "scroll", tabindex: 0}, tableOf([
      {label: "policy", left: true, value: row => row.name}, {label: "unbeaten", left: true, value: row => front.includes(row) ? "●" : ""},
      {label: "triggers", value: row => count(row.num_triggers)}, {label: "decisions", value: row => count(row.num_decisions)},
      ...(faults ? [{label: "of which the plug-in failed at", value: row => count(row.failed_decisions)}] : []),
      {label: "trained on", value: row => count(row.samples)}, {label: "training", value: row => spell(row.training_seconds)},
      ...(MATRIX ? [{label: MATRIX.measure, value: row => shown(MATRIX, row.value, 2)}, {label: "95 % interval", value: row => row.low === null ? "–" : shown(MATRIX, row.low, 2) + " to " + shown(MATRIX, row.high, 2)}, {label: "over", value: row => count(row.measured_samples)},
        {label: "left out", value: row => count(row.windows_left_out)}] : []),
      ...(alarms ? [{label: "false alarms", value: row => row.false_alarms === null ? "–" : number(row.false_alarms)}] : []),
      {label: "mean delay", value: row => spell(row.mean_delay_seconds)}, {label: "longest delay", value: row => spell(row.longest_delay_seconds)},
      {label: "remaining", value: row => count(row.leftover)}], DATA.results)),
    folded("The policies, with every field", false, DATA.results.map(result => [el("h3", {}, result.name), el("pre", {tabindex: 0}, result.policy)])));
}

function sourcesSection() {
  const {forecast} = DATA, measured = new Set(MEASURED.map(result => result.measured_samples));
  return section("How the numbers were forecast", null, el("ul", {class: "sources"},
    el("li", {}, "The policies were shown the " + plural(DATA.samples, "sample") + " of the history, and decided as they would in a replay. Nothing was trained."),
    DATA.unlabelled ? el("li", {}, "Of these, " + plural(DATA.unlabelled, "sample") + " have no label. Trainings leave them out, and so do the numbers of samples trained on.") : null,
    DATA.selection_filters ? el("li", {}, "The numbers of samples trained on are the most that the selection may choose: its `where` leaves some out.") : null,
    el("li", {}, forecast.trainings ? "Training: a straight line through the " + plural(forecast.trainings, "completed training") + " of the pipeline, " + seconds(forecast.base_seconds) + " and " +
      seconds(1000 * forecast.seconds_per_sample) + " for each 1,000 samples." : "Training: no training of the pipeline has completed, so there is nothing to forecast from."),
    el("li", {}, MATRIX ? title(MATRIX) + ": measured with the models of run " + MATRIX.run + ". In each window of its evaluation, the newest model counts that was trained on no more than the policy's last trigger before the window. The mean is over the samples of the windows."
      : "Quality: no run of the pipeline has evaluated its models by windows of time, so the value of the models is not known."),
    measured.size > 1 ? el("li", {}, "The policies are not measured on the same samples. A policy that begins later, or has no model in some windows, leaves these windows out.") : null,
    DATA.own_left_out ? el("li", {}, "The pipeline's own policy is not among them: " + DATA.own_left_out + ".") : null,
    DATA.not_taken.files ? el("li", {}, plural(DATA.not_taken.files, "file") + " of the dataset were not taken: " + DATA.not_taken.first.map(file => file.file + " (" + file.reason + ")").join(", ") + ".") : null,
    DATA.shuffles ? el("li", {}, "False alarms: triggers after the first one on " + (DATA.shuffles === 1 ? "a shuffled history" : count(DATA.shuffles) + " shuffled histories") + ", in which nothing drifts. The number is the mean.") : null));
}

const MEANINGS = {
  "trigger": "A moment in event time at which the policy would have had a model trained.",
  "delay": "The time from when a sample's label became known to the trigger that would have trained on it.",
  "unbeaten": "No policy with the same cost or less has a better value.",
  "trained on": "The samples that the pipeline's selection takes from the data of each trigger, over all triggers.",
  "remaining": "Samples after the last trigger.",
  "over": "The samples that the mean covers.",
  "left out": "Windows with samples that the mean does not count: those before the first trigger of the policy, before the first model of the run, or without a value for the model that stands for the policy's.",
};

function show() {
  const all = [tileOf(count(DATA.results.length), DATA.results.length === 1 ? "policy" : "policies"), tileOf(count(DATA.samples), DATA.from === null ? "samples" : "samples, " + time(DATA.from).slice(0, 10) + " to " + time(DATA.to).slice(0, 10))];
  const best = MEASURED.length ? MEASURED.reduce((a, b) => (MATRIX.lower ? b.value < a.value : b.value > a.value) ? b : a) : null;
  if (best) all.push(tileOf(shown(MATRIX, best.value), MATRIX.measure + " of " + short(best.name, 40) + (MATRIX.lower ? ", the lowest" : ", the highest")));
  const least = DATA.results.reduce((a, b) => b.samples < a.samples ? b : a, DATA.results[0]);
  if (least) all.push(tileOf(count(least.samples), "samples trained on by " + short(least.name, 40) + ", the fewest"));
  document.getElementById("tiles").append(...all);
  present([paretoSection(), triggersSection(), resultsSection(), sourcesSection(), glossarySection(MEANINGS)], "Tidemill " + DATA.version + ". This file loads nothing.");
}

show();
