// Which model the pipeline has in use, and how this run has changed that.

function modelUseSection() {
  const {in_use: inUse, changes} = DATA.model_use;
  if (inUse === "" && changes.length === 0) return null;
  const most = 100;
  return section("The model in use",
    (inUse === "" ? "The pipeline had no model in use when this page was made." : "When this page was made, the pipeline answered with " + inUse + ".") +
      (changes.length > most ? " The last " + most + " of " + count(changes.length) + " changes of this run:" : ""),
    changes.length === 0 ? null : el("div", {class: "scroll", tabindex: 0}, tableOf([
      {label: "at", left: true, value: row => minute(row.at)},
      {label: "trigger", value: row => row.trigger === 0 ? "" : count(row.trigger)},
      {label: "model in use then", value: row => row.model === 0 ? "none" : String(row.model)},
      {label: "because", wrap: true, value: row => row.text},
    ], changes.slice(0, most))));
}
