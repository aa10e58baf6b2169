// Records that did not become samples.

const leftOutAmount = of => of.files === 0 ? count(of.records) : count(of.records) + " and " + count(of.files) + (of.files === 1 ? " file" : " files");

function leftOutTiles() {
  const all = [], {left_out: out} = DATA;
  if (out.records + out.files > 0) all.push(tileOf(leftOutAmount(out), "of " + count(out.of) + " records left out"));
  if (out.filtered > 0) all.push(tileOf(count(out.filtered), "records that do not satisfy `where`, which are not samples"));
  for (const of of out.not_taken) all.push(tileOf(plural(of.files, "file"), "of " + of.dataset + " that were there and were not taken: " + of.first.map(file => file.file).join(", ")));
  if (out.unlabelled > 0) all.push(tileOf(count(out.unlabelled), "samples without a label, not trained on and not measured"));
  return all;
}

function leftOutSection() {
  const {reasons, filters} = DATA.left_out;
  if (reasons.length + filters.length === 0) return null;
  return section("Left out", "Records of the files that did not become samples.", filters.length === 0 ? null : el("div", {class: "scroll", tabindex: 0}, tableOf([
    {label: "dataset", left: true, value: row => row.dataset},
    {label: "filtered", value: row => count(row.filtered)},
    {label: "of", value: row => count(row.of)},
    {label: "because they do not satisfy", wrap: true, value: row => row.where},
  ], filters)), reasons.length === 0 ? null : el("div", {class: "scroll", tabindex: 0}, tableOf([
    {label: "dataset", left: true, value: row => row.dataset},
    {label: "records", value: leftOutAmount},
    {label: "because", wrap: true, value: row => (row.reason === "" ? "reasons that are not listed" : row.first.reason) + (row.wanted ? " (as the dataset's spec asks)" : "")},
    {label: "first", wrap: true, value: row => row.first.file + (row.first.record === null ? "" : ", record " + count(row.first.record))},
  ], reasons)));
}
