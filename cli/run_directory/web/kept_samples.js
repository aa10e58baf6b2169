// What the trainings decided about keeping prepared samples, and what came of it.

const times = value => value === null ? "–" : fixed(value, 2) + "x";
const percent = share => (100 * share).toFixed(0) + " %";

function keptSamplesSection() {
  const {trainings, points, compared_by: trigger} = DATA.kept_samples;
  if (!trainings.length) return null;
  const kept = trainings.filter(row => row.kept_after !== null).length;
  const listed = el("div", {class: "scroll broad", tabindex: 0}, tableOf([
    {label: "trigger", value: row => row.trigger}, {label: "kept after", left: true, value: row => row.kept_after || "–"},
    {label: "predicted", value: row => times(row.predicted_speedup)}, {label: "measured", value: row => times(row.measured_speedup)},
    {label: "found", value: row => count(row.found)}, {label: "kept", value: row => count(row.kept)}, {label: "bytes kept", value: row => bytes(row.kept_bytes)},
    ...(trainings.some(row => row.refused) ? [{label: "no room for", value: row => count(row.refused)}] : []),
    ...(trainings.some(row => row.damaged) ? [{label: "damaged", value: row => count(row.damaged)}] : []),
    {label: "because", wrap: true, value: row => row.reason || "–"}], trainings));
  return section("Prepared samples that were kept", "How many times as fast a sample is prepared when its rows are found: as predicted when it was decided, and as measured.",
    folded(plural(trainings.length, "training") + ", " + count(kept) + " kept rows", trainings.length <= 20, listed),
    points.length ? [el("h3", {}, "The ops that trigger " + trigger + " compared"), el("div", {class: "scroll", tabindex: 0}, tableOf([
      {label: "after", left: true, value: row => row.op}, {label: "bytes of a row", value: row => count(row.row_bytes)},
      {label: "predicted", value: row => times(row.predicted_speedup)}, {label: "threads save", value: row => number(row.saved_seconds) + " s"},
      {label: "fit in memory", value: row => percent(row.in_memory)}, {label: "on disk", value: row => percent(row.on_disk)}], points))] : null);
}
