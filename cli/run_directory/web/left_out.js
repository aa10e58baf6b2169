// Records that did not become samples.

const leftOutAmount = of => of.files === 0 ? count(of.records) : count(of.records) + " and " + count(of.files) + (of.files === 1 ? " file" : " files");

function leftOutTiles() {
  const all = [], {left_out: out} = DATA;
  if (out.records + out.files > 0) all.push(tileOf(leftOutAmount(out), "of " + count(out.of) + " records left out"));
  if (out.unlabelled > 0) all.push(tileOf(count(out.unlabelled), "samples without a label, not trained on and not measured"));
  return all;
}

function leftOutSection() {
  const {reasons} = DATA.left_out;
  if (reasons.length === 0) return null;
  return section("Left out", "Records of the files that did not become samples.", el("div", {class: "scroll", tabindex: 0}, tableOf([
    {label: "dataset", left: true, value: row => row.dataset},
    {label: "records", value: leftOutAmount},
    {label: "because", wrap: true, value: row => (row.reason === "" ? "reasons that are not listed" : row.first.reason) + (row.wanted ? " (as the dataset's spec asks)" : "")},
    {label: "first", wrap: true, value: row => row.first.file + (row.first.record === null ? "" : ", record " + count(row.first.record))},
  ], reasons)));
}
