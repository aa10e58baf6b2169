// When data came, when triggers fired, which model was in use.

function rateUnit(span) {
  if (span > 20 * DAY) return {length: DAY, name: "day"};
  if (span > 20 * HOUR) return {length: HOUR, name: "hour"};
  if (span > 20 * MINUTE) return {length: MINUTE, name: "minute"};
  return {length: 1e3, name: "second"};
}

function timelineChart(width) {
  const bins = DATA.density.bins.filter(([from, to]) => to > from);
  const triggers = DATA.triggers.filter(trigger => !trigger.skip_reason);
  const ends = bins.flatMap(([from, to]) => [from, to]).concat(triggers.map(trigger => trigger.at));
  for (const dataset of DATA.datasets) if (dataset.name === DATA.density.dataset) ends.push(dataset.from, dataset.to);
  const from = Math.min(...ends), to = Math.max(...ends, from + 1);
  const left = 64, right = width - 14, top = 26, barsEnd = 116, spans = 136, spansEnd = 164, bottom = 180;
  const x = at => left + (at - from) / (to - from) * (right - left);
  const unit = rateUnit(to - from);
  const rates = bins.map(([begin, end, samples]) => samples / (end - begin) * unit.length);
  const most = Math.max(...rates, 1e-9);
  const chart = svg("svg", {width, height: 208, role: "img", "aria-label":
    plural(triggers.length, "trigger") + " between " + time(from) + " and " + time(to)});
  bins.forEach(([begin, end, samples], i) => chart.append(svg("rect", {x: x(begin), y: barsEnd - rates[i] / most * (barsEnd - top),
    width: Math.max(0.7, x(end) - x(begin) - 0.4), height: rates[i] / most * (barsEnd - top), fill: colour("bar")},
    svg("title", {}, time(begin) + " to " + time(end) + ": " + plural(samples, "sample")))));
  chart.append(svg("line", {x1: left, x2: right, y1: barsEnd, y2: barsEnd, stroke: colour("line")}),
    svg("text", {x: left - 8, y: top + 8, "text-anchor": "end"}, number(most, 2)),
    svg("text", {x: left - 8, y: barsEnd, "text-anchor": "end"}, "0"),
    svg("text", {x: 14, y: (top + barsEnd) / 2, class: "muted", transform: "rotate(-90 14 " + (top + barsEnd) / 2 + ")", "text-anchor": "middle"}, "samples / " + unit.name),
    svg("text", {x: left - 8, y: spans + 18, "text-anchor": "end", class: "muted"}, "in use"));
  // A name is shown where it covers neither the one before nor the end of its span.
  const lengthOf = text => 7.4 * text.length;
  let taken = -Infinity;
  triggers.forEach((trigger, i) => {
    const at = x(trigger.at), end = i + 1 < triggers.length ? x(triggers[i + 1].at) : right;
    chart.append(svg("rect", {x: at, y: spans, width: Math.max(0.5, end - at), height: spansEnd - spans, fill: colour(i % 2 ? "span-b" : "span-a")},
      svg("title", {}, "model of trigger " + trigger.number + ", in use from " + time(trigger.at))),
      svg("line", {x1: at, x2: at, y1: top - 4, y2: spansEnd, stroke: colour("first"), "stroke-opacity": Math.min(1, 80 / triggers.length), "stroke-width": triggers.length > 80 ? 0.6 : triggers.length > 30 ? 0.9 : 1.5},
        svg("title", {}, "trigger " + trigger.number + " at " + time(trigger.at) + ": trained on " + plural(trigger.samples, "sample"))));
    const name = "#" + trigger.number, half = lengthOf(name) / 2;
    if (at - half > taken + 9) {
      chart.append(svg("text", {x: at, y: 14, "text-anchor": "middle"}, name));
      taken = at + half;
    }
    const inside = ["model " + name, name].find(text => lengthOf(text) + 6 < end - at);
    if (inside) chart.append(svg("text", {x: (at + end) / 2, y: spans + 18, "text-anchor": "middle"}, inside));
  });
  timeScale(chart, {from, to, left, right, y: bottom});
  return chart;
}

function timelineSection() {
  if (!DATA.density.bins.length && !DATA.triggers.length) return null;
  const host = el("figure");
  drawn(host, timelineChart);
  return section("Timeline", "Bars: when the samples of " + DATA.density.dataset + " happened. Lines: triggers. These are the moments at which a model was trained on the samples so far. " +
    "Below: the time in which each model was the newest.", host);
}
