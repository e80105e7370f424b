"use strict";
// Sorting, filtering, zoom and tooltips. The page reads without it; it asks nobody anything.
(() => {
const all = (what, inside = document) => [...inside.querySelectorAll(what)];
const one = (what, inside = document) => inside.querySelector(what);
const root = document.documentElement;
root.classList.add("js");

// Light and dark: what the system says, until the button says otherwise.
const theme = one("#theme");
if (theme) {
  const dark = () => root.classList.contains("dark") ||
    (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const next = dark() ? "light" : "dark";
    root.classList.remove("light", "dark");
    root.classList.add(next);
    name();
  });
  name();
}

// A link to a benchmark opens it.
const open = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
};
addEventListener("hashchange", open);
open();

// Scales, as the ones that drew the page.
const scale = (low, high, log, from, to) => ({
  low, high, log,
  at(v) {
    const share = log ? Math.log(Math.max(v, 1e-300) / low) / Math.log(high / low) : (v - low) / (high - low);
    return from + Math.min(1, Math.max(0, share)) * (to - from);
  },
  value(x) {
    const share = (x - from) / (to - from);
    return log ? low * Math.exp(share * Math.log(high / low)) : low + share * (high - low);
  },
  ticks(most) {
    if (log && high / low >= 4) {
      const found = [], decades = Math.log10(high / low);
      const digits = most / decades >= 3 ? [1, 2, 5] : most / decades >= 2 ? [1, 3] : [1];
      for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++)
        for (const d of digits) if (d * 10 ** p >= low && d * 10 ** p <= high) found.push(d * 10 ** p);
      return found;
    }
    const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(d => d * power).find(s => s >= rough * 0.999);
    const found = [];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high * (1 + 1e-9) && found.length < 2 * most; n++)
      found.push(n * step);
    return found;
  },
});
const units = { ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
  B: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]],
  "1/s": [[1e9, "G/s"], [1e6, "M/s"], [1e3, "k/s"], [1, "/s"]] };
const label = (v, unit) => {
  if (!unit) return String(+v.toPrecision(4));
  const [size, name] = units[unit].find(([size]) => v >= 0.9995 * size) || units[unit].at(-1);
  return +(v / size).toPrecision(4) + " " + name;
};
const own = svg => {
  const [low, high, kind] = svg.dataset.x.split(" ");
  return [+low, +high, kind === "log"];
};
const edges = svg => svg.dataset.r.split(" ").map(Number);

// Draws everything that hangs on a plot's horizontal scale anew.
const redraw = (svg, low, high) => {
  const [first, last, log] = own(svg), [from, to] = edges(svg);
  const x = scale(low, high, log, from, to), home = scale(first, last, log, from, to);
  svg.shown = x;
  for (const mark of all("[data-v]", svg)) {
    const [value, least, most] = mark.dataset.v.split(" ").map(Number);
    const line = one("line", mark), dot = one(".dot", mark);
    if (line) { line.setAttribute("x1", x.at(least)); line.setAttribute("x2", x.at(most)); }
    const y = dot.getAttribute("transform").split(/[ )]/)[1];
    dot.setAttribute("transform", `translate(${x.at(value)} ${y})`);
    dot.classList.toggle("beyond", value < low || value > high);
  }
  for (const band of all("[data-b]", svg)) {
    const [a, b] = band.dataset.b.split(" ").map(v => x.at(+v));
    band.setAttribute("x", a);
    band.setAttribute("width", b - a);
  }
  for (const rule of all("line.one", svg)) { rule.setAttribute("x1", x.at(1)); rule.setAttribute("x2", x.at(1)); }
  if (svg.classList.contains("strip")) {
    const lines = all(":scope > line.grid", svg), first = lines[0];
    lines.forEach(line => line.remove());
    if (first) for (const tick of x.ticks(6)) {
      const line = first.cloneNode();
      line.setAttribute("x1", x.at(tick));
      line.setAttribute("x2", x.at(tick));
      svg.prepend(line);
    }
  }
  const f = log ? Math.log : v => v, wide = (f(last) - f(first)) / (f(high) - f(low));
  const shift = from - (f(low) - f(first)) / (f(high) - f(low)) * (to - from) - from * wide;
  for (const path of all(".hist", svg)) path.setAttribute("transform", `matrix(${wide} 0 0 1 ${shift} 0)`);
  const axis = one(".axis.x", svg), old = axis && one("line", axis);
  if (!old) return;
  const [y1, y2] = [old.getAttribute("y1"), old.getAttribute("y2")], foot = one("text", axis).getAttribute("y");
  axis.replaceChildren();
  const make = (name, to, more) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in more) made.setAttribute(key, more[key]);
    axis.append(made);
    return made;
  };
  for (const tick of x.ticks(6)) {
    make("line", axis, { class: "grid", x1: x.at(tick), x2: x.at(tick), y1, y2 });
    make("text", axis, { class: "tick", x: x.at(tick), y: foot, "text-anchor": "middle" })
      .textContent = label(tick, svg.dataset.unit);
  }
};

// Tooltips.
const tip = one("#tip");
const say = (text, event) => {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(innerWidth - width - 4, event.clientX + 14)) + "px";
  tip.style.top = Math.max(4, event.clientY - height - 12) + "px";
};
const place = (svg, event) => {
  const box = svg.getBoundingClientRect();
  return (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
};

// The table: sorting within suites, filtering, layers, range of the plots.
const board = one("#board");
if (board) {
  const rows = all("tbody tr[data-name]", board);
  rows.forEach((row, at) => { row.place = at; });
  const key = (row, by) => {
    if (by === "name") return row.dataset.name;
    const cell = by === "base" ? one(".base", row) : one(`td[data-layer="${by}"]`, row);
    return cell && cell.dataset.k !== undefined ? +cell.dataset.k : NaN;
  };
  for (const button of all("[data-sort]", board)) button.addEventListener("click", () => {
    const head = button.closest("th"), was = head.getAttribute("aria-sort"), by = button.dataset.sort;
    // A layer's worst first, names from a to z; a second press turns it, a third brings the campaign's order back.
    const first = by === "name" ? "ascending" : "descending";
    const second = by === "name" ? "descending" : "ascending";
    const next = was === "none" ? first : was === first ? second : "none";
    for (const other of all("[aria-sort]", board)) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", next);
    const sign = next === "ascending" ? 1 : -1;
    const order = (a, b) => {
      if (next === "none") return a.place - b.place;
      const [x, y] = [key(a, by), key(b, by)];
      if (typeof x === "string") return sign * x.localeCompare(y);
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y) || a.place - b.place;
      return sign * (x - y) || a.place - b.place;
    };
    for (const body of board.tBodies) body.append(...all("tr[data-name]", body).sort(order));
  });

  const find = one("#find"), verdict = one("#verdict"), boxes = all("[data-layer]", one(".controls"));
  const filter = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const layers = new Set(boxes.filter(box => box.checked).map(box => box.dataset.layer));
    for (const row of rows) {
      const text = row.dataset.name + " " + row.parentNode.dataset.suite.toLowerCase();
      const judged = all("td[data-verdict]", row).some(cell =>
        layers.has(cell.dataset.layer) && (!verdict.value || cell.dataset.verdict === verdict.value));
      row.hidden = !(words.every(word => text.includes(word)) && (judged || !verdict.value));
    }
    for (const cell of all("[data-layer]", board)) cell.hidden = !layers.has(cell.dataset.layer);
    for (const mark of all(".strip [data-s]", board))
      mark.classList.toggle("off", !layers.has(String(mark.dataset.s - 1)));
    for (const body of board.tBodies) body.hidden = all("tr[data-name]", body).every(row => row.hidden);
    const left = rows.filter(row => !row.hidden).length;
    one("#shown").textContent = left === rows.length ? "" : `${left} of ${rows.length} benchmarks shown`;
  };
  find.addEventListener("input", filter);
  verdict.addEventListener("change", filter);
  boxes.forEach(box => box.addEventListener("change", filter));
  const range = one("#range");
  range.addEventListener("change", () => {
    for (const strip of all(".strip", board)) {
      const [low, high] = range.value ? range.value.split(" ").map(Number) : own(strip);
      redraw(strip, low, high);
    }
  });
  board.addEventListener("pointermove", event => {
    const strip = event.target.closest(".strip"), row = strip && strip.closest("tr");
    if (!row || !row.cells.length || row.parentNode.tagName === "THEAD") return say("");
    const lines = all("td.layer", row).filter(cell => !cell.hidden && cell.textContent.trim()).map(cell => {
      const parts = all("b, .word, .interval", cell).map(part => part.textContent);
      return cell.dataset.label + ": " + (parts.length ? parts.join(" ") : cell.textContent.trim());
    });
    say(lines.join("\n"), event);
  });
  board.addEventListener("pointerleave", () => say(""));
}

// Histograms: pointing tells the counts, dragging zooms, a double click or Escape shows all.
const zooms = svg => {
  const [low, high, log] = own(svg), [from, to] = edges(svg);
  const home = scale(low, high, log, from, to);
  svg.shown = home;
  const bins = all(".hist", svg).map(path => [path.dataset.name,
    new Map(path.dataset.n.split(" ").map(pair => pair.split(":").map(Number))), +path.dataset.bins]);
  const count = bins[0] ? bins[0][2] : 1, width = (to - from) / count;
  let start = null;
  svg.addEventListener("pointermove", event => {
    const bin = Math.floor((home.at(svg.shown.value(place(svg, event))) - from) / width);
    const lines = bins.filter(([, counts]) => counts.get(bin)).map(([name, counts]) => `${name}: ${counts.get(bin)} samples`);
    const span = [bin, bin + 1].map(n => label(home.value(from + n * width), svg.dataset.unit)).join(" to ");
    say(span + "\n" + (lines.join("\n") || "no samples"), event);
  });
  svg.addEventListener("pointerleave", () => { say(""); start = null; });
  svg.addEventListener("pointerdown", event => { start = place(svg, event); event.preventDefault(); });
  svg.addEventListener("pointerup", event => {
    const end = place(svg, event), [a, b] = [Math.min(start, end), Math.max(start, end)].map(x => svg.shown.value(x));
    if (start !== null && Math.abs(end - start) > 8) redraw(svg, Math.max(a, low), Math.min(b, high));
    start = null;
  });
  svg.addEventListener("dblclick", () => redraw(svg, low, high));
};
// Only what is opened is prepared; "toggle" does not bubble, so it is caught on its way down.
const prepare = details => {
  for (const svg of all(".zooms", details)) if (!svg.shown) zooms(svg);
};
addEventListener("toggle", event => { if (event.target.open) prepare(event.target); }, true);
all("details[open]").forEach(prepare);
addEventListener("keydown", event => {
  if (event.key !== "Escape") return;
  say("");
  for (const svg of all(".zooms")) if (svg.shown) redraw(svg, ...own(svg));
});

// A page that a server keeps up to date: fetched again while its campaign runs.
const live = one("[data-live]");
if (live) {
  const events = new EventSource(live.dataset.live);
  events.onmessage = event => {
    const now = JSON.parse(event.data);
    for (const part of all("[data-part]", live)) {
      const value = now[part.dataset.part];
      if (part.tagName === "PROGRESS") { part.max = now.planned || 1; part.value = value; }
      else if (value !== undefined) part.textContent = value;
    }
    if (now.ended) { events.close(); location.reload(); }
  };
}
})();
