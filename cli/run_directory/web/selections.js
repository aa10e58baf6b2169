// What was chosen for each trigger, of how much, and of which classes.

// Okabe and Ito's colours, which people with any kind of colour vision tell apart, and two more. A class has the same one in
// every report, by its number in the dataset; of two that would share one, the later takes the next that is free.
const CLASS_COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f5fa8", "#8c6d31"];
const CLASS_FILLS = (DATA.selections ? DATA.selections.class_numbers : []).reduce((fills, number) => {
  let at = number === null ? -1 : number % CLASS_COLOURS.length;
  while (at >= 0 && fills.includes(CLASS_COLOURS[at]) && fills.length < CLASS_COLOURS.length) at = (at + 1) % CLASS_COLOURS.length;
  return [...fills, at < 0 ? "var(--other)" : CLASS_COLOURS[at]];
}, []);
const classColour = i => CLASS_FILLS[i];

// One bar a trigger: `parts(selection)` are {value, fill, text} from below, or drawn beside one another.
function selectionBars(width, label, most, unit, parts, stacked) {
  const rows = DATA.selections.rows, left = 84, right = width - 14, top = 12, bottom = 150;
  const step = (right - left) / rows.length, bar = Math.min(46, step * 0.8);
  const y = value => bottom - value / Math.max(most, 1e-9) * (bottom - top);
  const chart = svg("svg", {width, height: 190, role: "img", "aria-label": label});
  for (const tick of roundTicks(0, most, 3, unit === count)) {
    chart.append(svg("line", {x1: left, x2: right, y1: y(tick), y2: y(tick), stroke: colour("line")}),
      svg("text", {x: left - 8, y: y(tick) + 4, "text-anchor": "end"}, unit(tick)));
  }
  const every = Math.ceil(rows.length / Math.max(1, Math.floor((right - left) / 34)));
  rows.forEach((row, i) => {
    const x = left + i * step + (step - bar) / 2, all = parts(row);
    const group = svg("g", {}, svg("title", {}, "trigger " + row.trigger + ": " + all.map(part => part.text).join(", ")));
    let below = 0;
    all.forEach((part, n) => {
      const across = stacked ? bar : bar / all.length;
      group.append(svg("rect", {x: stacked ? x : x + n * across, y: y(below + part.value), width: across,
        height: y(below) - y(below + part.value), fill: part.fill}));
      if (stacked) below += part.value;
    });
    chart.append(group);
    if (i % every === 0) chart.append(svg("text", {x: x + bar / 2, y: bottom + 16, "text-anchor": "middle"}, "#" + row.trigger));
  });
  chart.append(svg("text", {x: (left + right) / 2, y: 186, "text-anchor": "middle", class: "muted"}, "trigger"));
  return chart;
}

function countBars(width) {
  const most = Math.max(...DATA.selections.rows.map(row => row.candidates), 1);
  return selectionBars(width, "Candidates, chosen samples, and those of them that the previous training set also had, by trigger", most, count, row => [
    {value: row.candidates, fill: colour("bar"), text: plural(row.candidates, "candidate")},
    {value: row.samples, fill: colour("use"), text: count(row.samples) + " chosen"},
    {value: row.shared || 0, fill: colour("seen"), text: row.previous ? count(row.shared) + " of the " + count(row.previous) + " before" : "nothing before"}]);
}

function classBars(width) {
  return selectionBars(width, "Shares of classes in each training set", 1, share => (100 * share).toFixed(0) + " %", row =>
    row.shares.map((share, i) => ({value: share, fill: classColour(i), text: DATA.selections.classes[i] + " " + (100 * share).toFixed(1) + " %"})), true);
}

function selectionsSection() {
  const {rows, classes, total} = DATA.selections;
  if (!rows.length) return null;
  const key = (fill, ...text) => el("li", {}, el("i", {style: "background: " + fill}), ...text);
  const counts = el("figure"), shares = el("figure");
  drawn(counts, countBars);
  const parts = [el("ul", {class: "keys"}, key("var(--bar)", "candidates"), key("var(--use)", "chosen"), key("var(--seen)", "also chosen by the previous trigger")), counts];
  if (classes.length > 1) {
    drawn(shares, classBars);
    parts.push(el("h3", {}, "Shares of classes"), el("ul", {class: "keys"}, classes.map((name, i) => key(classColour(i), name))), shares);
  }
  const optional = value => value === null || value === undefined ? "–" : number(value);
  parts.push(folded("All selections", rows.length <= 12, el("div", {class: "scroll", tabindex: "0"}, tableOf([
    {label: "trigger", value: row => "#" + row.trigger}, {label: "policy", left: true, value: row => row.policy},
    {label: "candidates", value: row => count(row.candidates)}, {label: "chosen", value: row => count(row.samples)},
    {label: "shared", value: row => row.previous ? count(row.shared) : "–"}, {label: "never before", value: row => optional(row.fresh)},
    {label: "effective", value: row => optional(row.effective)}, {label: "seconds", value: row => optional(row.seconds)},
    {label: "remarks", wrap: true, value: row => row.remarks.join("; ")}], rows))));
  const methods = DATA.triggers.filter(trigger => trigger.downsampling);
  if (methods.length) {
    parts.push(el("h3", {}, "Downsampling"), el("div", {class: "scroll", tabindex: "0"}, tableOf([
      {label: "trigger", value: trigger => "#" + trigger.number}, {label: "method", left: true, value: trigger => trigger.downsampling.method},
      {label: "samples", value: trigger => count(trigger.downsampling.samples)},
      {label: "trained on", value: trigger => (100 * trigger.downsampling.share_trained).toFixed(1) + " %"},
      {label: "scoring", value: trigger => seconds(trigger.downsampling.seconds)}], methods)));
  }
  if (total > rows.length) parts.push(el("p", {class: "note"}, count(rows.length) + " of " + plural(total, "selection") + " are shown."));
  return section("Selections", "What each trigger could have trained on, what its policy chose from that, and how much of it the previous trigger had also chosen. " +
    "The effective number says how many equally weighted samples the weighted samples are worth.", ...parts);
}
