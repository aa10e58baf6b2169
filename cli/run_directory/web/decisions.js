// What the policies compared each time, and when the run was retrained.

function comparedChart(series, width) {
  const points = series.points;
  const format = (_, value) => number(value);
  const retrained = points.map(([, value,, fired]) => fired ? value : null);
  const values = points.flatMap(point => [point[1], point[2]]).filter(value => value !== null);
  const wide = values.every(value => value > 0) && Math.max(...values) > 100 * Math.min(...values);
  const unit = series.unit && series.unit !== series.quantity ? " (" + series.unit + ")" : "";
  return plot({width, height: 260, tzDate: utc, scales: {x: {time: true}, y: wide ? {distr: 3} : {}},
    series: [{label: "event time", value: (_, at) => at === null ? "–" : time(at * 1e3)},
      {label: series.quantity, stroke: colour("use"), width: 2, value: format, points: {show: points.length < 150, size: 4}},
      {label: "threshold", stroke: colour("first"), width: 1.5, dash: [8, 5], value: format, points: {show: false}},
      {label: "retrained", stroke: colour("bad"), width: 0, value: format, points: {show: true, size: 9, fill: colour("bad")}}],
    axes: axes("event time (UTC)", series.quantity + unit, null, timeAxis(width))},
    [points.map(point => point[0] / 1e3), points.map(point => point[1]), points.map(point => point[2]), retrained],
    series.quantity + " of " + series.policy + " at " + plural(points.length, "decision"));
}

function comparedSection() {
  const all = DATA.compared;
  if (!all.length) return null;
  const host = el("figure");
  const picker = el("select", {"aria-label": "Policy"}, all.map((series, i) => el("option", {value: i}, series.policy + ": " + series.quantity)));
  const draw = drawn(host, width => {
    const series = all[Number(picker.value)];
    const said = series.waiting ? "What the policy waited for before it could look at its deciding score. It says no until the solid line reaches the dashed one."
      : "It says yes where the solid line reaches the dashed one.";
    return el("div", {}, el("p", {class: "note"}, said), comparedChart(series, width),
      series.total > series.points.length ? el("p", {class: "note"}, "Of " + count(series.total) + " decisions, " + count(series.points.length) + " are drawn.") : "");
  });
  picker.addEventListener("change", draw);
  return section("Why it retrained", "What the trigger policy compared at each of its decisions. Dots mark the decisions that led to a training.",
    all.length > 1 ? el("div", {class: "controls"}, el("label", {}, "Policy ", picker)) : null, host);
}
