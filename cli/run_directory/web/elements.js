"use strict";
// Building blocks: elements whose text is always text, numbers and times for people, colours.

const DATA = JSON.parse(document.getElementById("data").textContent);

function make(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}
const el = (tag, attributes, ...children) => make(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  make(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// Pieces that depend on the width of the page or on the theme are drawn again when these change.
const redraws = [];
const PAPER = 680;  // What fits between the margins of A4 and of Letter.
const onPaper = () => document.documentElement.classList.contains("print");
const roomOf = host => Math.max(300, Math.min(host.clientWidth || 1100, onPaper() ? PAPER : Infinity));
const isNarrow = width => width < 560;
function drawn(host, draw) {
  const again = () => {
    // What was folded out stays so.
    const open = [...host.querySelectorAll("details")].map(part => part.open);
    host.replaceChildren(draw(roomOf(host)));
    host.querySelectorAll("details").forEach((part, i) => { part.open = open[i] || part.open; });
  };
  redraws.push(again);
  return again;
}
const redrawAll = () => redraws.forEach(again => again());

const count = n => n.toLocaleString("en-US");
const plural = (n, word) => count(n) + " " + word + (n === 1 ? "" : "s");
function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e12) return count(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(digits - 2);
  return String(Number(value.toPrecision(digits)));
}
// With a number of digits after the point. A tie goes to the even digit, as in the texts of the command line.
function fixed(value, digits) {
  const exact = value.toFixed(digits + 30), kept = exact.slice(0, -30), even = Number(kept.at(-1) === "." ? kept.at(-2) : kept.at(-1)) % 2 === 0;
  return even && /^50*$/.test(exact.slice(-30)) ? kept.replace(/\.$/, "") : value.toFixed(digits);
}
// A figure of a decision; its name says when it is of time.
const figure = (name, value) => name !== "seconds" && !name.endsWith("_seconds") ? number(value) :
  value < 2 * 86400 ? seconds(value) : number(value / 86400) + " d";
function seconds(value) {
  if (value < 0.995) return Math.round(value * 1000) + " ms";
  if (value < 60) return (value < 10 ? value.toFixed(1) : Math.round(value)) + " s";
  if (value < 3600) return Math.floor(value / 60) + " min " + String(Math.round(value % 60)).padStart(2, "0") + " s";
  return Math.floor(value / 3600) + " h " + String(Math.round(value % 3600 / 60)).padStart(2, "0") + " min";
}

// In UTC, as short as midnight and whole seconds allow.
function time(milliseconds) {
  const date = new Date(milliseconds);
  if (isNaN(date)) return "?";
  const text = date.toISOString();
  if (text.endsWith("T00:00:00.000Z")) return text.slice(0, -14);
  return text.replace("T", " ").replace(/:00\.000Z$|\.\d+Z$/, "");
}
const minute = milliseconds => new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ") + " UTC";

// A value of a measure: shares in percent.
function shown(table, value, digits = 1) {
  if (value === null || value === undefined) return "–";
  return table.share ? fixed(value * 100, digits) + " %" : number(value);
}
const title = table => table.measure + " on " + table.dataset;

// Round values between two numbers, at most about `most` of them.
function roundTicks(from, to, most, whole) {
  const raw = (to - from) / Math.max(1, most) || 1, power = 10 ** Math.floor(Math.log10(raw));
  const fine = [1, 2, 5, 10].map(n => n * power).find(length => length >= raw * 0.999);
  const step = whole ? Math.max(1, fine) : fine;
  const ticks = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) ticks.push(Number((n * step).toPrecision(12)));
  return ticks;
}
const MINUTE = 60e3, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
// Round points in UTC between two times, at most about `most` of them, each with a label.
function timeTicks(from, to, most) {
  const steps = [1, 10, 100, 1e3, 5e3, 15e3, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY];
  const step = steps.find(length => (to - from) / length <= most);
  const ticks = [];
  if (step) {
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push({at, label: time(at).slice(step < DAY ? 5 : 0)});
    return ticks;
  }
  const months = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200].find(n => (to - from) / (n * 30.4 * DAY) <= most) || 6000;
  const first = new Date(from);
  const start = first.getUTCFullYear() * 12 + first.getUTCMonth();
  for (let month = Math.ceil(start / months) * months; ; month += months) {
    const at = Date.UTC(Math.floor(month / 12), month % 12, 1);
    if (!(at <= to)) return ticks;
    if (at >= from) ticks.push({at, label: months % 12 ? time(at).slice(0, 7) : time(at).slice(0, 4)});
  }
}

function section(heading, how, ...content) {
  const id = heading.toLowerCase().replace(/[^a-z]+/g, "-");
  return el("section", {"aria-labelledby": id}, el("h2", {id}, heading), how && el("p", {class: "how"}, how), ...content);
}

// {label, left?, value(row)} by column.
function tableOf(columns, rows, caption) {
  return el("table", {},
    caption && el("caption", {}, caption),
    el("thead", {}, el("tr", {}, columns.map(column => el("th", {scope: "col", class: column.left || column.wrap ? "left" : null}, column.label)))),
    el("tbody", {}, rows.map(row => el("tr", {}, columns.map(column => el("td", {class: column.wrap ? "left wrap" : column.left ? "left" : null}, column.value(row)))))));
}
const folded = (summary, open, ...content) => el("details", open ? {open: ""} : {}, el("summary", {}, summary), ...content);
const tileOf = (value, text) => el("div", {class: "tile"}, el("b", {}, value), el("span", {}, text));
const glossarySection = words => section("Words", null, el("dl", {}, Object.entries(words).map(([word, meaning]) => [el("dt", {}, word), el("dd", {}, meaning)])));

// The time axis of a chart: ticks below `y`, and what they are.
function timeScale(chart, {from, to, left, right, y}) {
  const x = at => left + (at - from) / (to - from) * (right - left);
  for (const tick of timeTicks(from, to, Math.floor((right - left) / 90))) {
    if (x(tick.at) > right - 28) continue;
    chart.append(svg("line", {x1: x(tick.at), x2: x(tick.at), y1: y - 10, y2: y - 5, stroke: colour("muted")}),
      svg("text", {x: x(tick.at), y: y + 8, "text-anchor": "middle", class: "muted"}, tick.label));
  }
  chart.append(svg("text", {x: (left + right) / 2, y: y + 24, "text-anchor": "middle", class: "muted"}, "event time (UTC)"));
}

// Puts the page together and draws it, again whenever its width, its theme or its medium changes.
function present(parts, footer) {
  document.getElementById("sections").append(...parts.flat().filter(Boolean));
  document.getElementById("footer").append(footer);
  redrawAll();
  let pending = 0;
  addEventListener("resize", () => { cancelAnimationFrame(pending); pending = requestAnimationFrame(redrawAll); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  // Paper shows what is folded; afterwards it is folded again.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    document.documentElement.classList.add("print");
    redrawAll();
    unfolded = [...document.querySelectorAll("details:not([open])")];
    unfolded.forEach(part => { part.open = true; });
  });
  addEventListener("afterprint", () => {
    document.documentElement.classList.remove("print");
    unfolded.forEach(part => { part.open = false; });
    redrawAll();
  });
  document.documentElement.dataset.drawn = "yes";
}
