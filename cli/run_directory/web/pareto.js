// What costs what: policies as points of a plane, and those of them that no other one beats.

// Every tick with as many digits as tell it from its neighbours.
function tickTexts(ticks, axis) {
  const scale = axis.scale || 1, step = Math.min(...ticks.slice(1).map((tick, i) => (tick - ticks[i]) * scale));
  const digits = Number.isFinite(step) && step > 0 ? Math.min(8, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))) : 0;
  const fixed = {minimumFractionDigits: digits, maximumFractionDigits: digits};
  return ticks.map(tick => ticks.length < 2 ? axis.show(tick) : (tick * scale).toLocaleString("en-US", fixed) + (axis.unit || ""));
}
function powerTicks(from, to) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power++) {
    for (const n of to / from > 300 ? [1] : [1, 2, 5]) if (n * 10 ** power >= from && n * 10 ** power <= to) ticks.push(Number((n * 10 ** power).toPrecision(12)));
  }
  return ticks;
}

// Maps values to pixels: by their logarithms where they are all above zero and far apart.
function scaleOf(values, from, to, most, atZero, whole) {
  let least = Math.min(...values), largest = Math.max(...values);
  const logarithmic = least > 0 && largest > 40 * least;
  if (logarithmic) { least /= 1.4; largest *= 1.4; } else {
    const room = (largest - least || Math.abs(largest) || 1) * 0.12;
    least = atZero && least * 2 < largest ? 0 : least - room;
    largest += room;
  }
  const place = logarithmic ? Math.log : value => value;
  return {logarithmic, ticks: logarithmic ? powerTicks(least, largest) : roundTicks(least, largest, most, whole),
    at: value => from + (place(value) - place(least)) / (place(largest) - place(least)) * (to - from)};
}

// The policies that are unbeaten: what costs no more is never better. By rising cost.
function frontOf(rows, cost, quality) {
  const better = (a, b) => quality.lower ? a < b : a > b;
  const front = [];
  for (const row of [...rows].sort((a, b) => cost.of(a) - cost.of(b) || (better(quality.of(a), quality.of(b)) ? -1 : 1))) {
    if (!front.length || better(quality.of(row), quality.of(front[front.length - 1]))) front.push(row);
  }
  return front;
}

const meets = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

// Puts a name beside its point where it covers neither another name nor a point; null where there is no room.
function placeLabel(name, point, taken, bounds) {
  const width = (point.first ? 7.7 : 7) * name.length + 4, height = 16;
  for (const away of [11, 22, 36]) {
    for (const [dx, dy] of [[1, 0], [0, -1], [-1, 0], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]]) {
      const box = {x: point.x + dx * away - (dx < 0 ? width : dx ? 0 : width / 2), y: point.y + dy * away - height / 2, width, height};
      const inside = box.x >= bounds.x && box.y >= bounds.y && box.x + width <= bounds.x + bounds.width && box.y + height <= bounds.y + bounds.height;
      if (inside && !taken.some(other => meets(box, other))) return {...box, far: away > 11};
    }
  }
  return null;
}

function paretoChart(width, rows, cost, quality) {
  const height = 400, left = 78, right = width - 16, top = 14, bottom = height - 52;
  const x = scaleOf(rows.map(cost.of), left, right, width / 110, true, cost.whole), y = scaleOf(rows.map(quality.of), bottom, top, 7, false);
  const front = frontOf(rows, cost, quality);
  const chart = svg("svg", {width, height, role: "img", "aria-label": quality.label + " against " + cost.label + " of " + count(rows.length) + " policies" +
    "; unbeaten: " + front.map(row => row.name).join(", ")});
  const textsOf = (scale, axis) => scale.logarithmic ? scale.ticks.map(tick => number(tick, 6) + (axis.unit || "")) : tickTexts(scale.ticks, axis);
  const rises = textsOf(y, quality), costs = textsOf(x, cost);
  y.ticks.forEach((tick, i) => {
    chart.append(svg("line", {x1: left, x2: right, y1: y.at(tick), y2: y.at(tick), stroke: colour("line")}),
      svg("text", {x: left - 8, y: y.at(tick) + 4, "text-anchor": "end"}, rises[i]));
  });
  x.ticks.forEach((tick, i) => {
    chart.append(svg("line", {x1: x.at(tick), x2: x.at(tick), y1: bottom, y2: bottom + 5, stroke: colour("muted")}),
      svg("text", {x: x.at(tick), y: bottom + 19, "text-anchor": "middle"}, costs[i]));
  });
  chart.append(svg("line", {x1: left, x2: right, y1: bottom, y2: bottom, stroke: colour("muted")}),
    svg("text", {x: (left + right) / 2, y: height - 8, "text-anchor": "middle"}, cost.label + (x.logarithmic ? " (logarithmic)" : "")),
    svg("text", {x: 16, y: (top + bottom) / 2, transform: "rotate(-90 16 " + (top + bottom) / 2 + ")", "text-anchor": "middle"},
      quality.label + (quality.lower ? ", lower is better" : "") + (y.logarithmic ? " (logarithmic)" : "")));
  const corners = front.map(row => ({x: x.at(cost.of(row)), y: y.at(quality.of(row))}));
  const steps = corners.map((corner, i) => (i ? "H" + corner.x + "V" : "M" + corner.x + " ") + corner.y).join("");
  chart.append(svg("path", {d: steps + "H" + right, fill: "none", stroke: colour("use"), "stroke-width": 2, "stroke-dasharray": "6 4"}));
  const points = rows.map(row => ({row, x: x.at(cost.of(row)), y: y.at(quality.of(row)), first: front.includes(row)}));
  const taken = points.map(point => ({x: point.x - 7, y: point.y - 7, width: 14, height: 14}));
  corners.forEach((corner, i) => {
    const next = corners[i + 1] || {x: right, y: corner.y};
    taken.push({x: corner.x, y: corner.y - 2, width: next.x - corner.x, height: 4},
      {x: next.x - 2, y: Math.min(corner.y, next.y), width: 4, height: Math.abs(next.y - corner.y)});
  });
  for (const point of points) {
    chart.append(svg("circle", {cx: point.x, cy: point.y, r: point.first ? 6.5 : 5, fill: point.first ? colour("use") : colour("page"), stroke: point.first ? colour("page") : colour("ink"), "stroke-width": 1.5},
      svg("title", {}, point.row.name + ": " + quality.label + " " + quality.show(quality.of(point.row)) + ", " + cost.label + " " + cost.show(cost.of(point.row)))));
  }
  for (const point of [...points].sort((a, b) => b.first - a.first)) {
    const name = short(point.row.name, 34), box = placeLabel(name, point, taken, {x: left + 2, y: top - 8, width: right - left, height: bottom - top + 6});
    if (!box) continue;
    taken.push(box);
    if (box.far) chart.append(svg("line", {x1: point.x, y1: point.y, x2: Math.max(box.x, Math.min(point.x, box.x + box.width)), y2: box.y + box.height / 2, stroke: colour("muted"), "stroke-width": 0.8}));
    chart.append(svg("text", {x: box.x + 2, y: box.y + 12, "font-weight": point.first ? 600 : 400, "paint-order": "stroke", stroke: colour("page"), "stroke-width": 3}, name));
  }
  return chart;
}
