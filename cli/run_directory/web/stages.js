// Where the time went: of the whole run, and trigger by trigger.

const STAGES = ["select", "fit", "train", "store"];
const MEANING = {select: "choosing and sealing the samples", fit: "learning what the preparation needs, such as means", train: "training",
  store: "storing the model", evaluate: "measuring models on windows", other: "reading the stream, deciding, waiting"};

function stageSums() {
  const sums = {};
  for (const stage of STAGES) sums[stage] = DATA.triggers.reduce((sum, trigger) => sum + (trigger.stages[stage] || 0), 0);
  sums.evaluate = DATA.evaluate_seconds || 0;
  const known = Object.values(sums).reduce((a, b) => a + b, 0);
  sums.other = DATA.run.finished === null ? 0 : Math.max(0, (DATA.run.finished - DATA.run.started) / 1e3 - known);
  return sums;
}

function triggerBars(width) {
  const triggers = DATA.triggers, left = 84, right = width - 14, top = 12, bottom = 150;
  const total = trigger => STAGES.reduce((sum, stage) => sum + (trigger.stages[stage] || 0), 0);
  const most = Math.max(...triggers.map(total), 1e-9);
  const step = (right - left) / triggers.length, bar = Math.min(46, step * 0.8);
  const y = value => bottom - value / most * (bottom - top);
  const chart = svg("svg", {width, height: 190, role: "img", "aria-label": "Seconds of each trigger by stage, at most " + seconds(most)});
  for (const share of [0, 0.5, 1]) {
    chart.append(svg("line", {x1: left, x2: right, y1: y(share * most), y2: y(share * most), stroke: colour("line")}),
      svg("text", {x: left - 8, y: y(share * most) + 4, "text-anchor": "end"}, seconds(share * most)));
  }
  const every = Math.ceil(triggers.length / Math.max(1, Math.floor((right - left) / 34)));
  triggers.forEach((trigger, i) => {
    const x = left + i * step + (step - bar) / 2;
    let below = 0;
    const group = svg("g", {}, svg("title", {}, "trigger " + trigger.number + ": " +
      STAGES.filter(stage => trigger.stages[stage] !== undefined).map(stage => stage + " " + seconds(trigger.stages[stage])).join(", ")));
    for (const stage of STAGES) {
      const spent = trigger.stages[stage] || 0;
      group.append(svg("rect", {x, y: y(below + spent), width: bar, height: y(below) - y(below + spent), fill: colour(stage)}));
      below += spent;
    }
    chart.append(group);
    if (i % every === 0) chart.append(svg("text", {x: x + bar / 2, y: bottom + 16, "text-anchor": "middle"}, "#" + trigger.number));
  });
  chart.append(svg("text", {x: (left + right) / 2, y: 186, "text-anchor": "middle", class: "muted"}, "trigger"),
    svg("text", {x: 12, y: 80, "text-anchor": "middle", class: "muted", transform: "rotate(-90 12 80)"}, "time"));
  return chart;
}

function stagesSection() {
  if (!DATA.triggers.length) return null;
  const sums = stageSums(), whole = Object.values(sums).reduce((a, b) => a + b, 0) || 1;
  const bar = el("div", {class: "whole", role: "img", "aria-label": "Shares of the run's time"});
  const keys = el("ul", {class: "keys"});
  for (const [stage, spent] of Object.entries(sums)) {
    if (spent <= 0) continue;
    bar.append(el("div", {style: "flex: " + spent / whole + " 1 0; background: var(--" + stage + ")", title: stage + ": " + seconds(spent)}));
    keys.append(el("li", {title: MEANING[stage]}, el("i", {style: "background: var(--" + stage + ")"}), stage, " ", el("b", {}, seconds(spent)),
      " (" + (100 * spent / whole).toFixed(0) + " %)"));
  }
  const host = el("figure");
  drawn(host, triggerBars);
  return section("Where the time went", "Above, the whole run; below, each trigger by stage: " +
    STAGES.concat(["evaluate", "other"]).map(stage => stage + " is " + MEANING[stage]).join("; ") + ".", bar, keys, host);
}
