// The page from top to bottom.

function tiles() {
  const {run, triggers} = DATA, all = [];
  const tile = (value, text) => all.push(tileOf(value, text));
  const main = DATA.tables.find(table => table.means.active) || DATA.tables.find(table => table.means.last);
  if (main) {
    tile(shown(main, (main.means.active || main.means.last).value), main.measure + (main.means.active ? " of the models in use" : " of the last model") + (main.lower ? " (lower is better)" : ""));
    if (main.means.first) tile(shown(main, main.means.first.value), main.measure + " of the first model, never retrained");
    const worth = main.means.active && main.differences.find(difference => difference.than === "first" && !difference.missing);
    if (worth && !main.means.baselines.some(one => one.name === "constant" && one.wins)) tile(gainText(main, worth), "worth of retraining: " + (worth.beyond ? "beyond chance" : verdictOf(main, worth)));
    for (const one of main.means.baselines) tile(shown(main, one.value), main.measure + " of " + one.rule + (one.wins ? ": better than the models" : ""));
  }
  const trained = triggers.filter(trigger => !trigger.skip_reason).length;
  tile(count(trained), trained === 1 ? "training" : "trainings");
  if (trained < triggers.length) tile(count(triggers.length - trained), "skipped");
  const data = DATA.datasets.find(dataset => dataset.name === DATA.density.dataset);
  if (data) tile(count(data.samples), "samples, " + time(data.from).slice(0, 10) + " to " + time(data.to).slice(0, 10));
  if (run.finished !== null) tile(seconds((run.finished - run.started) / 1e3), "from start to end of the run");
  all.push(...leftOutTiles());
  return all;
}

function show() {
  const {run} = DATA;
  document.getElementById("state").append(el("span", {class: "state " + run.state}, run.state));
  for (const tag of run.tags) document.getElementById("state").append(" ", el("span", {class: "state"}, tag));
  document.getElementById("description").append(DATA.description);
  if (run.note) document.getElementById("description").after(el("p", {class: "note"}, "Note: " + run.note));
  document.getElementById("tiles").append(...tiles());
  if (run.error && !document.getElementById("headline").textContent.includes(run.error)) {
    document.getElementById("headline").after(el("p", {class: "error"}, run.error));
  }
  const {text, too_little} = DATA.untrained;
  present([DATA.failures.map(failure => el("p", {class: "error"}, "Lost: " + failure)),
    text ? el("p", {class: too_little ? "error" : "note"}, text[0].toUpperCase() + text.slice(1) + ".") : null,
    leftOutSection(), timelineSection(), worthSection(), comparedSection(), driftedSection(), compositeSection(), modelsSection(), matrixSection(), lossSection(), stagesSection(), costsSection(), keptSamplesSection(), selectionsSection(), importanceSection(), slicesSection(), confusionSection(), probabilitiesSection(), valuesSection(),
    triggersSection(), modelUseSection(), decisionsSection(), configurationSection(), glossarySection(WORDS)],
    "Run " + run.id + ", started " + minute(run.started) + (run.finished === null ? "" : ", ended " + minute(run.finished)) +
    ". Tidemill " + DATA.version + ". This file loads nothing; charts of curves are drawn by uPlot (MIT licence).");
}

show();
