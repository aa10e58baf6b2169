// Every model on every window, as a table that is coloured by value.

const RAMP = [[255, 250, 214], [218, 240, 190], [150, 215, 190], [80, 182, 198], [38, 140, 190], [36, 90, 165], [26, 44, 110]];

function rampColour(share) {
  const place = Math.min(0.9999, Math.max(0, share)) * (RAMP.length - 1), i = Math.floor(place), part = place - i;
  return RAMP[i].map((low, channel) => Math.round(low + (RAMP[i + 1][channel] - low) * part));
}
// Black or white, whichever is read better: one of them has a contrast of at least 4.5 on any colour.
function luminance(rgb) {
  const [red, green, blue] = rgb.map(channel => channel / 255).map(level => level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
const inkOn = rgb => luminance(rgb) > 0.179 ? "#000000" : "#ffffff";

// From the worst to the best value; single extremes do not stretch the colours of a large matrix.
function colourRange(table) {
  const values = table.matrix.values.flat().filter(value => value !== null).sort((a, b) => a - b);
  if (!values.length) return [0, 1, false];
  const cut = values.length > 400 ? Math.floor(values.length * 0.01) : 0;
  const least = values[cut], most = values[values.length - 1 - cut];
  return table.lower ? [most, least, cut > 0] : [least, most, cut > 0];
}

function matrixTable(table, detail, width) {
  const {triggers, windows, values} = table.matrix;
  const [worst, best] = colourRange(table);
  // On a phone and on paper columns are as narrow as their numbers, so that more of them are seen at once.
  const narrow = isNarrow(width), small = narrow || onPaper(), each = (width - (narrow ? 48 : 150)) / windows.length;
  const density = windows.length > 80 || (onPaper() && each < 16) ? "dense" : windows.length > 40 || (onPaper() && each < 23) ? "tight tighter"
    : windows.length > 24 || small ? "tight" : windows.length <= 14 ? "wide" : "";
  const whole = windows.length > 16 || small;
  const brief = value => table.share ? fixed(value * 100, whole ? 0 : 1) : number(value, whole ? 2 : 3);
  const moment = at => time(at).slice(0, narrow ? 10 : 16);
  const trainedTo = Object.fromEntries(DATA.triggers.map(trigger => [trigger.number, trigger.at]));
  // Where cells are too small for a label each, one stands for ten.
  const group = density === "dense" ? 10 : 1, labelled = i => i % group === 0;
  const span = (i, size) => group > 1 ? Math.min(group, size - i) : null;
  const head = windows.map((window, i) => labelled(i) ? el("th", {scope: "col", colspan: span(i, windows.length)}, el("span", {}, moment(window[0]))) : null);
  const body = triggers.map((trigger, row) => el("tr", {},
    labelled(row) ? el("th", {scope: "row", rowspan: span(row, triggers.length)}, "#" + trigger + (narrow ? "" : " · " + moment(trainedTo[trigger]))) : null,
    windows.map((window, column) => {
      const value = values[row][column];
      const kind = (window[4] === trigger ? "use " : "") + (window[5] === trigger ? "seen" : "");
      const cell = el("td", {class: kind || null, "data-at": row + "," + column}, density === "dense" ? "" : value === null ? "–" : brief(value));
      if (value !== null) {
        const rgb = rampColour(best === worst ? 0.5 : (value - worst) / (best - worst));
        cell.style.background = "rgb(" + rgb + ")";
        cell.style.color = inkOn(rgb);
      }
      return cell;
    })));
  const shownTable = el("table", {class: "heat " + density},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, narrow ? "↓ →" : "trained to ↓  window from →"), head)), el("tbody", {}, body));
  shownTable.style.setProperty("--cell", Math.max(onPaper() ? 2 : 4, Math.min(12, Math.floor(Math.min(980, each * windows.length) / windows.length))) + "px");
  const scroll = el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Matrix of " + title(table) + "; move with the arrow keys"}, shownTable);
  let at = null;
  const select = (row, column) => {
    const cell = shownTable.querySelector('[data-at="' + row + "," + column + '"]');
    if (!cell) return;
    if (at) at.cell.classList.remove("at");
    at = {row, column, cell};
    cell.classList.add("at");
    const window = windows[column];
    detail.textContent = "Model #" + triggers[row] + " (trained to " + time(trainedTo[triggers[row]]) + ") on " + time(window[0]) + " to " + time(window[1]) +
      ", " + plural(window[2], "sample") + ": " + shown(table, values[row][column], 2) +
      (window[4] === triggers[row] ? "; it was in use" : "") + (window[5] === triggers[row] ? "; it was trained on this window" : "");
  };
  shownTable.addEventListener("pointerover", event => {
    const place = event.target.dataset && event.target.dataset.at;
    if (place) select(...place.split(",").map(Number));
  });
  scroll.addEventListener("keydown", event => {
    const move = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!move) return;
    event.preventDefault();
    if (at) select(at.row + move[0], at.column + move[1]); else select(0, 0);
    if (at) at.cell.scrollIntoView({block: "nearest", inline: "nearest"});
  });
  return scroll;
}

function matrixSection() {
  // Where only the model in use was measured, the curve above says all.
  const tables = DATA.tables.filter(table => table.matrix.triggers.length === 1 || table.matrix.values.some(row => row.filter(value => value !== null).length > 1) ||
    table.matrix.windows.length === 1);
  if (!tables.length) return null;
  const host = el("figure"), detail = el("p", {class: "detail", "aria-live": "polite"});
  const picker = el("select", {"aria-label": "Measure of the matrix"}, tables.map((table, i) => el("option", {value: i}, title(table))));
  const draw = drawn(host, width => {
    const table = tables[Number(picker.value)], {of} = table.matrix;
    const [worst, best, cut] = colourRange(table);
    const ramp = el("span", {class: "ramp"});
    ramp.style.background = "linear-gradient(to right," + RAMP.map(rgb => "rgb(" + rgb + ")") + ")";
    detail.textContent = "Point at a cell, or move to it with the arrow keys, to read its value.";
    return el("div", {},
      el("ul", {class: "keys"}, el("li", {}, "worse ", shown(table, worst), ramp, shown(table, best), " better" + (table.lower ? " (lower is better)" : "") +
        (cut ? "; the most extreme 2 % have the colours of the two ends" : "")),
        el("li", {}, el("span", {class: "swatch use"}), "in use in this window"), el("li", {}, el("span", {class: "swatch seen"}), "trained on this window")),
      matrixTable(table, detail, width), detail,
      of[0] > table.matrix.triggers.length || of[1] > table.matrix.windows.length
        ? el("p", {class: "note"}, "Thinned from " + of[0] + " models and " + of[1] + " windows; eval/matrix.csv of the run directory has all of them.") : "");
  });
  picker.addEventListener("change", draw);
  return section("Every model on every window",
    "A row is a model, named by its trigger and the time up to which it had seen data; a column is a window of event time. Read a row to see how long a model stays good, " +
    "a column to see which model fits that time best. Left of its dashed cells, a model is asked about the past; right of them, about the future." + (tables.every(table => table.share) ? " Numbers are percent." : ""),
    tables.length > 1 ? el("div", {class: "controls"}, el("label", {}, "Measure ", picker)) : null, host);
}
