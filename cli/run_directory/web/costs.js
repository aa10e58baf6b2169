// What the run has cost: processor time by stage, and money where there are prices.

const STAGE_COLOURS = {sync: "other", decide: "first", select: "select", fit: "fit", train: "train", store: "store", evaluate: "evaluate", retire: "muted"};

const bytes = n => n < 1000 ? count(n) + " B" : n < 1e6 ? (n / 1e3).toFixed(1) + " kB" : n < 1e9 ? (n / 1e6).toFixed(1) + " MB" : (n / 1e9).toFixed(2) + " GB";
const money = value => value !== 0 && value < 1 ? value.toFixed(6) : value.toFixed(2);

// The columns that have an amount anywhere, with the text of a cell.
function costColumns() {
  const {total, prices} = DATA.costs;
  const device = use => Object.values(use.device_seconds).reduce((sum, spent) => sum + spent, 0);
  const all = [["processors", use => use.processor_seconds, seconds], ["jobs", use => use.job_seconds, seconds],
    ["workers", use => use.worker_seconds, seconds], ["services", use => use.service_seconds, seconds], ["devices", device, seconds],
    ["read", use => use.bytes_read, bytes], ["sent", use => use.bytes_sent, bytes], ["stored", use => use.bytes_stored, bytes]];
  const used = all.filter(([, amount]) => amount(total) > 0);
  return prices ? used.concat([[prices.currency, use => use.money, money]]) : used;
}

function costsSection() {
  const {stages, total} = DATA.costs, whole = total.processor_seconds;
  if (!(whole > 0)) return null;
  const bar = el("div", {class: "whole", role: "img", "aria-label": "Shares of the run's processor time"});
  for (const [stage, use] of Object.entries(stages)) {
    const spent = use.processor_seconds;
    if (spent > 0) bar.append(el("div", {style: "flex: " + spent / whole + " 1 0; background: var(--" + (STAGE_COLOURS[stage] || "other") + ")",
      title: stage + ": " + seconds(spent)}));
  }
  const columns = costColumns();
  const row = (name, use) => el("tr", {}, el("th", {}, name), columns.map(([, amount, text]) => el("td", {}, text(amount(use)))));
  const table = el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "stage"), columns.map(([name]) => el("th", {}, name)))),
    el("tbody", {}, Object.entries(stages).map(([stage, use]) => row(stage, use)), row("all", total)));
  return section("What it cost", "The time on processors by stage: of the jobs of the run, of preprocessing workers, and of the services that worked for it.", bar, table);
}
