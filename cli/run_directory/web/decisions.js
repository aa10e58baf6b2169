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

// Which columns had drifted where a policy of drift by columns said yes.
function driftedSection() {
  if (!DATA.drifted.length) return null;
  return section("Which columns drifted", "The column that had drifted most at each decision at which a drift policy said yes, or that completed the share of columns that it waits for.",
    DATA.drifted.map(one => [DATA.drifted.length > 1 ? el("h3", {}, one.policy) : null,
      one.columns.length ? el("div", {class: "scroll", tabindex: 0}, tableOf([
        {label: "column", left: true, value: row => row.column}, {label: "statistic", left: true, value: () => one.statistic},
        {label: "decisions", value: row => count(row.decisions)}, {label: "highest score", value: row => number(row.score)}, {label: "threshold then", value: row => number(row.threshold)},
        {label: "first", left: true, value: row => row.first_at.slice(0, 16).replace("T", " ")}, {label: "last", left: true, value: row => row.last_at.slice(0, 16).replace("T", " ")},
        {label: "triggers", wrap: true, value: row => row.triggers.slice(0, 12).map(trigger => "#" + trigger).join(", ") + (row.triggers.length > 12 ? " and " + (row.triggers.length - 12) + " more" : "") || "–"}], one.columns)) : null,
      el("p", {class: "note"}, one.drifted ? "Of " + plural(one.decisions, "decision") + " that compared columns, " + count(one.drifted) + " found drift." : "None of " + plural(one.decisions, "decision") + " that compared columns found drift.")]));
}
