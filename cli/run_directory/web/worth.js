// What the models in use were worth, beside the first model and rules without a model, and whether chance explains it.

const THAN = {first: "the first model, never retrained", constant: "always the most frequent class, or the mean", last: "the last label known"};

// Above 0 where the models in use are better: in points of a hundred for shares, in per cent of the other's error for errors.
function gainOf(table, difference, value) {
  const better = table.lower ? -value : value;
  if (table.share) return {value: 100 * better, unit: "points"};
  if (table.lower && difference.other > 0) return {value: 100 * better / difference.other, unit: "%"};
  return {value: better, unit: ""};
}
const signed = (value, unit) => (value > 0 ? "+" : value < 0 ? "−" : "") + (unit ? fixed(Math.abs(value), 1) : number(Math.abs(value)));
function gainText(table, difference) {
  const {value, unit} = gainOf(table, difference, difference.models - difference.other);
  return signed(value, unit) + (unit ? " " + unit : "");
}
const verdictOf = (table, difference) => difference.low === null ? "too few samples to tell" : !difference.beyond ? "may be chance"
  : (table.lower ? difference.models < difference.other : difference.models > difference.other) ? "better" : "worse";

// A line for each difference: a dot with its interval, left of 0 where the models in use are worse.
function worthChart(table, width) {
  const all = table.differences.filter(difference => !difference.missing);
  const rows = all.map(difference => {
    const at = value => value === null ? null : gainOf(table, difference, value).value;
    const ends = [at(difference.low), at(difference.high)].filter(end => end !== null).sort((a, b) => a - b);
    return {difference, value: at(difference.models - difference.other), ends};
  });
  const values = rows.flatMap(row => [row.value, ...row.ends, 0]), narrow = isNarrow(width);
  const least = Math.min(...values), most = Math.max(...values), room = (most - least) * 0.08 || 1;
  const left = narrow ? 12 : 270, right = width - 16, each = narrow ? 52 : 34, height = rows.length * each + 44;
  const x = value => left + (value - (least - room)) / (most - least + 2 * room) * (right - left);
  const chart = svg("svg", {width, height, role: "img", "aria-label": "Differences of " + title(table) + " from the models in use, with their 95 % intervals"});
  const unit = gainOf(table, all[0], 0).unit;
  for (const tick of roundTicks(least - room, most + room, Math.floor((right - left) / 70))) {
    chart.append(svg("line", {x1: x(tick), x2: x(tick), y1: 4, y2: height - 38, stroke: colour(tick === 0 ? "ink" : "line")}),
      svg("text", {x: x(tick), y: height - 22, "text-anchor": "middle", class: "muted"}, signed(tick, "") || "0"));
  }
  chart.append(svg("text", {x: (left + right) / 2, y: height - 4, "text-anchor": "middle", class: "muted"}, table.measure + (unit ? ", in " + (unit === "%" ? "per cent of the other's" : unit) : "") + ": right of 0, the models in use are better"));
  rows.forEach((row, i) => {
    const y = i * each + (narrow ? 36 : 20), tone = colour(!row.difference.beyond ? "muted" : row.value > 0 ? "use" : "bad");
    chart.append(svg("text", {x: narrow ? left : left - 14, y: narrow ? y - 14 : y + 4, "text-anchor": narrow ? "start" : "end", class: "label"}, "against " + (row.difference.than === "constant" ? "the constant rule" : THAN[row.difference.than])));
    if (row.ends.length === 2) chart.append(svg("line", {x1: x(row.ends[0]), x2: x(row.ends[1]), y1: y, y2: y, stroke: tone, "stroke-width": 4, "stroke-linecap": "round"}));
    chart.append(svg("circle", {cx: x(row.value), cy: y, r: 6, fill: row.difference.beyond ? tone : colour("page"), stroke: tone, "stroke-width": 2}));
  });
  return chart;
}

function worthSection() {
  const tables = DATA.tables.filter(table => table.differences.length);
  if (!tables.length) return null;
  const known = tables.filter(table => table.differences.some(difference => !difference.missing));
  const why = [...new Set(tables.flatMap(table => table.differences.filter(difference => difference.missing).map(difference => title(table) + ": " + difference.missing)))];
  const host = el("figure");
  const picker = el("select", {"aria-label": "Measure of the worth"}, known.map((table, i) => el("option", {value: i}, title(table))));
  const draw = drawn(host, width => {
    const table = known[Number(picker.value)], rows = table.differences.filter(difference => !difference.missing);
    const bounds = difference => difference.low === null ? "–" : [difference.low, difference.high].map(end => gainOf(table, difference, end)).sort((a, b) => a.value - b.value).map(end => signed(end.value, end.unit)).join(" to ");
    return el("div", {}, worthChart(table, width), el("div", {class: "scroll", tabindex: 0}, tableOf([
      {label: "against", left: true, value: difference => THAN[difference.than]},
      {label: "it has", value: difference => shown(table, difference.other)}, {label: "models in use", value: difference => shown(table, difference.models)},
      {label: "difference", value: difference => gainText(table, difference)}, {label: "95 % interval", value: bounds},
      {label: "samples of both", value: difference => count(difference.samples) + (difference.share < 1 ? ", drawn from more" : "")},
      {label: "", left: true, value: difference => verdictOf(table, difference)}], rows)));
  });
  picker.addEventListener("change", draw);
  return section("What it was worth", "The models in use against others, sample by sample: both answer the same samples, so a hard sample is hard for both. " +
    "Where the interval holds 0, chance alone may make such a difference; the dot is then hollow.",
    known.length > 1 ? el("div", {class: "controls"}, el("label", {}, "Measure ", picker)) : null, known.length ? host : null,
    why.map(text => el("p", {class: "note"}, "Not compared: " + text + ".")));
}
