// What the kept answers of models say: which columns matter, whether probabilities hold, ROC curves, predictions beside the truth.

// Columns as bars, the most important one first; pale where chance alone may make the loss.
function importanceChart(one, width) {
  const rows = one.columns.slice(0, 40), style = {share: one.share, lower: one.lower};
  const gain = (column, value) => one.share ? 100 * value : one.lower && column.exchanged > 0 && column.intact > 0 ? 100 * value / column.intact : value;
  const unit = one.share ? "points" : one.lower ? "% of the error" : "";
  const bars = rows.map(column => ({column, value: gain(column, column.loss), low: column.low === undefined ? null : gain(column, column.low), high: column.high === undefined ? null : gain(column, column.high)}));
  const narrow = isNarrow(width), each = narrow ? 40 : 24, left = narrow ? 12 : 250, right = width - (narrow ? 66 : 84), height = bars.length * each + 42;
  const values = bars.flatMap(bar => [bar.value, bar.low, bar.high, 0]).filter(value => value !== null);
  const least = Math.min(...values), most = Math.max(...values) || 1;
  const x = value => left + (value - least) / (most - least || 1) * (right - left);
  const chart = svg("svg", {width, height, role: "img", "aria-label": "Loss of " + one.measure + " where a column is exchanged between samples: " + bars.slice(0, 5).map(bar => bar.column.column + " " + number(bar.value, 3)).join(", ")});
  for (const tick of roundTicks(least, most, Math.floor((right - left) / 80))) {
    chart.append(svg("line", {x1: x(tick), x2: x(tick), y1: 0, y2: height - 38, stroke: colour(tick === 0 ? "ink" : "line")}),
      svg("text", {x: x(tick), y: height - 22, "text-anchor": "middle", class: "muted"}, number(tick)));
  }
  chart.append(svg("text", {x: (left + right) / 2, y: height - 4, "text-anchor": "middle", class: "muted"}, "loss of " + one.measure + (unit ? ", " + unit : "")));
  bars.forEach((bar, i) => {
    const top = i * each + (narrow ? 18 : 4), middle = top + 7, beyond = bar.column.beyond_chance, tone = colour(beyond ? "use" : "muted");
    const name = bar.column.column, room = narrow ? 44 : 32, label = name.length > room ? name.slice(0, room - 1) + "…" : name;
    chart.append(svg("text", {x: narrow ? left : left - 10, y: narrow ? top - 5 : middle + 4, "text-anchor": narrow ? "start" : "end", class: "label"}, label, svg("title", {}, name)),
      svg("rect", {x: Math.min(x(0), x(bar.value)), y: top, width: Math.max(1, Math.abs(x(bar.value) - x(0))), height: 14, rx: 2, fill: tone, "fill-opacity": beyond ? 1 : 0.3}));
    if (bar.low !== null) chart.append(svg("line", {x1: x(bar.low), x2: x(bar.high), y1: middle, y2: middle, stroke: colour("ink"), "stroke-width": 1.5}),
      ...[bar.low, bar.high].map(end => svg("line", {x1: x(end), x2: x(end), y1: middle - 4, y2: middle + 4, stroke: colour("ink"), "stroke-width": 1.5})));
    chart.append(svg("text", {x: x(Math.max(bar.value, bar.high === null ? bar.value : bar.high, 0)) + 6, y: middle + 4, class: "muted label"}, signed(bar.value, style.share || style.lower ? "x" : "")));
  });
  return chart;
}

function importanceSection() {
  const all = DATA.importances.filter(one => one.columns.length), missing = DATA.importances.filter(one => one.missing);
  if (!all.length && !missing.length) return null;
  const parts = all.map(one => {
    const table = DATA.tables.find(table => table.measure === one.measure && table.evaluation === one.evaluation + 1) || {share: false, lower: false};
    const shaped = {...one, share: table.share, lower: table.lower}, host = el("figure");
    drawn(host, width => importanceChart(shaped, width));
    return [el("h3", {}, one.measure + " on " + one.dataset), host,
      el("p", {class: "note"}, "Measured on " + plural(one.samples, "sample") + " of the last " + (one.windows > 1 ? count(one.windows) + " windows" : "window") + ", with the models in use (the last is #" + one.trigger + ")." +
        (one.columns.length > 40 ? " " + count(one.columns.length - 40) + " less important columns are in the table." : "") +
        (one.columns_left_out ? " " + plural(one.columns_left_out, "further column") + " of the records were not looked at." : "")),
      folded("The same as a table", false, el("div", {class: "scroll", tabindex: 0}, tableOf([
        {label: "column", left: true, value: column => column.column}, {label: "intact", value: column => shown(table, column.intact)},
        {label: "exchanged", value: column => shown(table, column.exchanged)}, {label: "loss", value: column => shown(table, column.loss, 2)},
        {label: "95 % interval", value: column => column.low === undefined ? "–" : shown(table, column.low, 2) + " to " + shown(table, column.high, 2)},
        {label: "", left: true, value: column => column.beyond_chance ? "" : "may be chance"}], one.columns)))];
  });
  return section("Which columns matter", "What the measure loses where the samples exchange their values of one column. The model then has a wrong value there and right ones elsewhere. " +
    "Bars are pale where chance alone may make the loss. Columns that say the same share their importance: each can replace the other.",
    parts, missing.map(one => el("p", {class: "note"}, "On " + one.dataset + " it is unknown: " + one.missing + ".")));
}

// A square chart of shares from 0 to 1, with its two axes.
function unitSquare(width, label, xLabel, yLabel) {
  const size = Math.min(420, width - 70), left = 52, top = 8;
  const chart = svg("svg", {width: left + size + 14, height: top + size + 46, role: "img", "aria-label": label});
  const x = share => left + share * size, y = share => top + (1 - share) * size;
  for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    chart.append(svg("line", {x1: x(tick), x2: x(tick), y1: y(0), y2: y(1), stroke: colour("line")}), svg("line", {x1: x(0), x2: x(1), y1: y(tick), y2: y(tick), stroke: colour("line")}),
      svg("text", {x: x(tick), y: y(0) + 17, "text-anchor": "middle", class: "muted"}, number(tick)), svg("text", {x: x(0) - 8, y: y(tick) + 4, "text-anchor": "end", class: "muted"}, number(tick)));
  }
  chart.append(svg("line", {x1: x(0), x2: x(1), y1: y(0), y2: y(1), stroke: colour("first"), "stroke-width": 1.5, "stroke-dasharray": "7 5"}),
    svg("text", {x: x(0.5), y: y(0) + 38, "text-anchor": "middle", class: "muted"}, xLabel),
    svg("text", {x: 12, y: y(0.5), "text-anchor": "middle", class: "muted", transform: "rotate(-90 12 " + y(0.5) + ")"}, yLabel));
  return {chart, x, y, size};
}

function calibrationChart(curve, width) {
  const what = curve.of_class ? "class " + curve.of_class : "the predicted class";
  const {chart, x, y} = unitSquare(width, "Calibration: " + curve.bins.map(bin => number(bin.probability, 2) + " came true in " + number(bin.share, 2)).join(", "), "probability of " + what, curve.of_class ? "how often it was that class" : "how often it was right");
  const most = Math.max(...curve.bins.map(bin => bin.samples));
  for (const bin of curve.bins) {
    chart.append(svg("line", {x1: x(bin.probability), x2: x(bin.probability), y1: y(bin.probability), y2: y(bin.share), stroke: colour("use"), "stroke-opacity": 0.45, "stroke-width": 2}));
  }
  chart.append(svg("polyline", {points: curve.bins.map(bin => x(bin.probability) + "," + y(bin.share)).join(" "), fill: "none", stroke: colour("use"), "stroke-width": 1.5}));
  for (const bin of curve.bins) {
    chart.append(svg("circle", {cx: x(bin.probability), cy: y(bin.share), r: 3 + 3 * Math.sqrt(bin.samples / most), fill: colour("use"), stroke: colour("page")},
      svg("title", {}, "probability " + number(bin.from, 3) + " to " + number(bin.to, 3) + ": came true in " + fixed(100 * bin.share, 1) + " % of " + plural(bin.samples, "sample"))));
  }
  return chart;
}

function rocChart(curve, width) {
  const {chart, x, y} = unitSquare(width, "ROC curve with an area of " + number(curve.area, 3), "false positives, of the other class", "true positives, of class " + curve.of_class);
  chart.append(svg("polygon", {points: [[0, 0], ...curve.points, [1, 0]].map(point => x(point[0]) + "," + y(point[1])).join(" "), fill: colour("use-soft")}),
    svg("polyline", {points: curve.points.map(point => x(point[0]) + "," + y(point[1])).join(" "), fill: "none", stroke: colour("use"), "stroke-width": 2.5}));
  const half = curve.points.filter(point => point[2] >= 0.5).pop();
  if (half) chart.append(svg("circle", {cx: x(half[0]), cy: y(half[1]), r: 5, fill: colour("use"), stroke: colour("page")}, svg("title", {}, "at a probability of .5")),
    svg("text", {x: Math.min(x(half[0]) + 9, x(1) - 84), y: y(half[1]) + 16}, "at .5"));
  return chart;
}

function probabilitiesSection() {
  const {calibration, roc} = DATA.figures;
  if (!calibration.length) return null;
  return section("Probabilities", "Of the models in use. The first chart has samples of similar probability: a point on the dashed line came true as often as it said; below it, the models are too sure. " +
    "The larger a point, the more samples. The second is for two classes: whoever takes a lower probability for enough finds more of the class, and more of the other by mistake; guessing stays on the dashed line.",
    calibration.map(curve => {
      const of_same = roc.find(other => other.evaluation === curve.evaluation), left = el("figure"), right = el("figure");
      drawn(left, width => calibrationChart(curve, width));
      if (of_same) drawn(right, width => rocChart(of_same, width));
      return [el("h3", {}, curve.dataset), el("div", {class: "pair"},
        el("div", {}, el("p", {class: "note"}, "Calibration error ", el("b", {}, fixed(100 * curve.error, 1) + " %"), ", over " + plural(curve.samples, "sample") + " in " + plural(curve.bins.length, "bin") + " of about equal number."), left),
        of_same ? el("div", {}, el("p", {class: "note"}, "Area ", el("b", {}, fixed(of_same.area, 3)), ", of all " + plural(of_same.samples, "sample") + " at once; the measure roc_auc is a mean over windows."), right) : null),
      folded("The bins as a table", false, el("div", {class: "scroll", tabindex: 0}, tableOf([
        {label: "probability", left: true, value: bin => number(bin.from, 3) + " to " + number(bin.to, 3)}, {label: "samples", value: bin => count(bin.samples)},
        {label: "mean probability", value: bin => fixed(100 * bin.probability, 1) + " %"}, {label: "came true", value: bin => fixed(100 * bin.share, 1) + " %"}], curve.bins)))];
    }));
}

function valueGridChart(grid, width) {
  const size = Math.min(460, width - 92), left = 76, top = 8, each = size / grid.parts;
  const chart = svg("svg", {width: left + size + 14, height: top + size + 46, role: "img", "aria-label": "Predicted against actual values of " + plural(grid.samples, "sample")});
  const x = value => left + (value - grid.from) / (grid.to - grid.from) * size, y = value => top + size - (value - grid.from) / (grid.to - grid.from) * size;
  const most = Math.max(...grid.cells.map(cell => cell[2]));
  chart.append(svg("rect", {x: left, y: top, width: size, height: size, fill: colour("soft")}));
  for (const tick of roundTicks(grid.from, grid.to, Math.floor(size / 80))) {
    chart.append(svg("line", {x1: x(tick), x2: x(tick), y1: top, y2: top + size, stroke: colour("line")}), svg("line", {x1: left, x2: left + size, y1: y(tick), y2: y(tick), stroke: colour("line")}),
      svg("text", {x: x(tick), y: top + size + 17, "text-anchor": "middle", class: "muted"}, number(tick)), svg("text", {x: left - 8, y: y(tick) + 4, "text-anchor": "end", class: "muted"}, number(tick)));
  }
  const range = place => number(grid.from + place * (grid.to - grid.from) / grid.parts, 3) + " to " + number(grid.from + (place + 1) * (grid.to - grid.from) / grid.parts, 3);
  for (const [truth, predicted, samples] of grid.cells) {
    chart.append(svg("rect", {x: left + truth * each, y: top + size - (predicted + 1) * each, width: each + 0.3, height: each + 0.3, fill: "rgb(" + rampColour(0.15 + 0.85 * Math.log(1 + samples) / Math.log(1 + most)) + ")"},
      svg("title", {}, "actual " + range(truth) + ", predicted " + range(predicted) + ": " + plural(samples, "sample"))));
  }
  chart.append(svg("line", {x1: left, x2: left + size, y1: top + size, y2: top, stroke: colour("first"), "stroke-width": 1.5, "stroke-dasharray": "7 5"}),
    svg("text", {x: left + size / 2, y: top + size + 38, "text-anchor": "middle", class: "muted"}, "actual"),
    svg("text", {x: 12, y: top + size / 2, "text-anchor": "middle", class: "muted", transform: "rotate(-90 12 " + (top + size / 2) + ")"}, "predicted"));
  return chart;
}

function valuesSection() {
  const grids = DATA.figures.predicted_actual;
  if (!grids.length) return null;
  return section("Predicted and actual values", "Of the models in use. A sample on the dashed line was predicted exactly; above it, too high. The darker a square, the more samples.",
    grids.map(grid => {
      const host = el("figure");
      drawn(host, width => valueGridChart(grid, width));
      return [el("h3", {}, grid.dataset), host, el("p", {class: "note"}, plural(grid.samples, "sample") + (grid.beyond ? ", of which " + count(grid.beyond) + " are beyond the axes" : "") + ".")];
    }));
}
