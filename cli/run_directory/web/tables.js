// What is best read as a table.

function triggersSection() {
  if (!DATA.triggers.length) return null;
  const listed = DATA.triggers.slice(0, 2000);
  const spent = trigger => Object.values(trigger.stages).reduce((a, b) => a + b, 0);
  return section("Triggers", DATA.ledger || null, folded(plural(DATA.triggers.length, "trigger"), listed.length <= 20,
    el("div", {class: "scroll broad", tabindex: 0}, tableOf([
      {label: "#", value: trigger => trigger.number}, {label: "trained to", left: true, value: trigger => time(trigger.at)},
      {label: "fired", left: true, value: trigger => minute(trigger.fired)},
      {label: "samples selected", value: trigger => count(trigger.samples)},
      {label: "of candidates", value: trigger => trigger.candidates ? count(trigger.candidates) : "–"},
      ...(listed.some(trigger => trigger.late) ? [{label: "late", value: trigger => count(trigger.late)}] : []),
      ...(listed.some(trigger => trigger.unlabelled) ? [{label: "unlabelled", value: trigger => count(trigger.unlabelled)}] : []),
      {label: "bad", value: trigger => count(trigger.bad)},
      {label: "model", value: trigger => trigger.model ? trigger.model + (trigger.removed ? " (removed)" : "") : "–"}, ...(new Set(listed.map(trigger => trigger.device || "")).size > 1 ? [{label: "device", left: true, value: trigger => trigger.device || "–"}] : []),
      {label: "last loss", value: trigger => trigger.stages.train === undefined ? "–" : number(trigger.loss)},
      {label: "time", value: trigger => seconds(spent(trigger))},
      ...(listed.some(trigger => trigger.reused_from) ? [{label: "reused from", value: trigger => trigger.reused_from || "–"}] : []),
      ...(listed.some(trigger => trigger.verdict) ? [{label: "what limited training", wrap: true, value: trigger => trigger.verdict || "–"}] : []),
      ...(listed.some(trigger => trigger.skip_reason) ? [{label: "why there is no model", wrap: true, value: trigger => trigger.skip_reason || "–"}] : [])], listed))));
}

function slicesSection() {
  if (!DATA.slices.length) return null;
  return section("Slices", "The same measures on parts of the data, by the model that was in use. “Lowest” and “highest” are single windows.",
    DATA.beyond_limits ? el("p", {class: "error"}, DATA.beyond_limits) : null,
    DATA.slices.map(table => [el("h3", {}, title(table)), el("div", {class: "scroll", tabindex: 0}, tableOf([
      {label: "slice", left: true, value: row => row.slice}, {label: "samples", value: row => count(row.samples)},
      {label: "in use", value: row => shown(table, row.value)}, {label: "lowest", value: row => shown(table, row.least)},
      {label: "highest", value: row => shown(table, row.most)}], table.rows))]));
}

function confusionSection() {
  if (!DATA.confusions.length) return null;
  return section("Which classes were predicted as which", "A row is the true class, a column the class that the model in use predicted. The share is that of the row. The diagonal shows the right predictions.",
    DATA.confusions.map(({dataset, classes, counts}) => {
      const sums = counts.map(row => row.reduce((a, b) => a + b, 0));
      return [el("h3", {}, dataset), el("div", {class: "scroll", tabindex: 0}, el("table", {class: "heat"},
        el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "true ↓  predicted →"), classes.map(name => el("th", {scope: "col"}, el("span", {}, name))))),
        el("tbody", {}, classes.map((name, row) => el("tr", {}, el("th", {scope: "row"}, name + " (" + count(sums[row]) + ")"),
          classes.map((_, column) => {
            const share = sums[row] ? counts[row][column] / sums[row] : 0, rgb = rampColour(share);
            const cell = el("td", {class: row === column ? "use" : null, title: count(counts[row][column])}, sums[row] ? (100 * share).toFixed(0) + " %" : "–");
            cell.style.background = "rgb(" + rgb + ")";
            cell.style.color = inkOn(rgb);
            return cell;
          }))))))];
    }));
}

function decisionsSection() {
  const {total, rows} = DATA.decisions;
  if (!rows.length) return null;
  const fired = rows.filter(row => row.fired).length;
  return section("Decisions", "Each time the trigger policy asked itself whether to retrain, what it looked at, and what it decided.",
    folded(plural(total, "decision") + (rows.length < total ? ", the first " + count(rows.length) + " listed" : ", " + count(fired) + " fired"), false,
      el("div", {class: "scroll", tabindex: 0}, tableOf([
        {label: "#", value: row => row.number}, {label: "event time", left: true, value: row => time(row.at)},
        {label: "new samples", value: row => count(row.samples)},
        {label: "decided", left: true, value: row => row.fired ? "fired trigger " + row.trigger : "not yet"},
        {label: "looked at", wrap: true, value: row => Object.entries(row.observed).map(([name, value]) => name.replace(/_seconds$/, "") + " " + figure(name, value)).join(", ")}], rows))));
}

function configurationSection() {
  return section("Configuration", null,
    ...DATA.set.map(text => el("p", {}, "set: " + text)),
    folded("As written", false, el("pre", {tabindex: 0}, DATA.config || "The pipeline's text was not kept.")),
    folded("With every field and its value", false, el("pre", {tabindex: 0}, DATA.resolved)));
}

const WORDS = {
  "event time": "When something happened in the world, as the data say. It is not when the sample was read or trained on.",
  "trigger": "A retraining: the moments in event time at which the policy said “now”, numbered from 1. Its model is #n.",
  "model": "What a trigger's training produced. It has seen no sample that happened after its trigger.",
  "window": "A stretch of event time on whose samples models are measured.",
  "in use": "The model of the last trigger before a window began. It would have answered at that time. It has not seen the window.",
  "trained on": "The model whose new training data are in the window. Its score there shows what it remembers. That is an upper bound and not a forecast.",
  "first model": "The model of trigger 1, as if the run had never retrained.",
  "samples selected": "The samples that the selection policy chose from the new ones (the candidates). Only they are trained on.",
  "bad": "Samples of the training set that could not be read, transformed or learnt from. Each counts once, not in each epoch.",
  "loss": "The value that training makes small. It is comparable only within a pipeline.",
  "baseline": "A rule that needs no model. It always says the most frequent class, or the mean, of the labels known when the model in use was trained; or it repeats the last label known. It is measured on the same samples as the models in use. A model that does not beat it has learned nothing of use.",
  "per sample": "For several windows: the mean, with each window weighted by its samples.",
  "pooled": "For several windows: the value over all their samples at once.",
  "mean over windows": "The mean weighted by samples. It is for areas under curves, which cannot be pooled.",
};
