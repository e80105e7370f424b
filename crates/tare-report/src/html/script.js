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
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
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
// The sizes of a plot's unit ("1 ns;1000 µs"), as the report's own table has them.
const sizes = svg => (svg.dataset.sizes || "1 ").split(";").map(size => {
  const [many, ...name] = size.split(" ");
  return [+many, name.length && name[0] ? " " + name.join(" ") : ""];
});
// A value in its fitting size, to as many decimals as tell it from one that lies a step away.
const label = (v, step, sizes) => {
  const [size, name] = sizes.filter(([size]) => Math.abs(v) >= 0.9995 * size).at(-1) || sizes[0];
  const decimals = Math.min(12, Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-6))), digits = +(v / size).toFixed(decimals);
  return (Math.abs(digits) < 1e-4 && digits ? digits.toExponential(0) : digits) + name;
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
  const make = (name, more) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in more) made.setAttribute(key, more[key]);
    axis.append(made);
    return made;
  };
  const ticks = x.ticks(6), step = Math.min(...ticks.slice(1).map((tick, at) => tick - ticks[at]), high - low);
  let free = 0;
  for (const tick of ticks) {
    make("line", { class: "grid", x1: x.at(tick), x2: x.at(tick), y1, y2 });
    const text = label(tick, step, sizes(svg)), half = 4.3 * text.length;
    const middle = Math.max(half, Math.min(svg.viewBox.baseVal.width - half, x.at(tick)));
    if (middle - half < free) continue;
    make("text", { class: "tick", x: middle, y: foot, "text-anchor": "middle" }).textContent = text;
    free = middle + half + 4;
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
    // A word that no benchmark has may mean a layer: then those layers alone are shown.
    const meant = words.filter(word => !rows.some(row => row.dataset.find.includes(word)));
    const means = box => meant.every(word => box.dataset.find.includes(word));
    const named = meant.length > 0 && boxes.some(means);
    const layers = new Set(boxes.filter(box => box.checked && (!named || means(box))).map(box => box.dataset.layer));
    const asked = named ? words.filter(word => !meant.includes(word)) : words;
    for (const row of rows) {
      const judged = all("td[data-verdict]", row).some(cell =>
        layers.has(cell.dataset.layer) && (!verdict.value || cell.dataset.verdict === verdict.value));
      row.hidden = !(asked.every(word => row.dataset.find.includes(word)) && (judged || !verdict.value));
    }
    for (const cell of all("[data-layer]", board)) cell.hidden = !layers.has(cell.dataset.layer);
    for (const mark of all(".strip [data-s]", board))
      mark.classList.toggle("off", !layers.has(String(mark.dataset.s - 1)));
    for (const body of board.tBodies) body.hidden = all("tr[data-name]", body).every(row => row.hidden);
    const left = rows.filter(row => !row.hidden).length;
    const parts = left === rows.length ? [] : [`${left} of ${rows.length} benchmarks shown`];
    if (named) parts.push("on " + boxes.filter(means).map(box => box.dataset.name).join(", "));
    one("#shown").textContent = parts.join(" ");
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

// Histograms: pointing tells the counts, dragging zooms, a double click, Escape or the button shows all.
const show = (svg, low, high) => {
  const [first, last] = own(svg);
  redraw(svg, low, high);
  const whole = one(".whole", svg.closest("details"));
  if (whole) whole.hidden = low === first && high === last;
};
const zooms = svg => {
  const [low, high, log] = own(svg), [from, to] = edges(svg);
  const home = scale(low, high, log, from, to);
  svg.shown = home;
  const bins = all(".hist", svg).map(path => [path.dataset.name,
    new Map(path.dataset.n.split(" ").map(pair => pair.split(":").map(Number))), +path.dataset.bins]);
  const count = bins[0] ? bins[0][2] : 1, width = (to - from) / count;
  const within = event => Math.min(to, Math.max(from, place(svg, event)));
  let start = null, chosen = null;
  const choose = end => {
    if (!chosen) {
      chosen = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      chosen.setAttribute("class", "chosen");
      chosen.setAttribute("height", svg.viewBox.baseVal.height);
      svg.append(chosen);
    }
    chosen.setAttribute("x", Math.min(start, end));
    chosen.setAttribute("width", Math.abs(end - start));
  };
  const drop = () => { if (chosen) chosen.remove(); start = chosen = null; };
  svg.addEventListener("pointermove", event => {
    if (start !== null) choose(within(event));
    const bin = Math.min(count - 1, Math.floor((home.at(svg.shown.value(within(event))) - from) / width));
    const lines = bins.filter(([, counts]) => counts.get(bin)).map(([name, counts]) => `${name}: ${counts.get(bin)} samples`);
    const ends = [bin, bin + 1].map(n => home.value(from + n * width));
    const span = ends.map(v => label(v, (ends[1] - ends[0]) / 3, sizes(svg))).join(" to ");
    say(span + "\n" + (lines.join("\n") || "no samples"), event);
  });
  svg.addEventListener("pointerleave", () => { say(""); drop(); });
  svg.addEventListener("pointercancel", drop);
  svg.addEventListener("pointerdown", event => {
    if (event.button) return;
    start = within(event);
    // A drag that leaves the plot still ends in it.
    if (event.isTrusted) svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointerup", event => {
    if (start !== null && Math.abs(within(event) - start) > 8)
      show(svg, ...[start, within(event)].sort((a, b) => a - b).map(x => svg.shown.value(x)));
    drop();
  });
  svg.addEventListener("dblclick", () => show(svg, low, high));
};
// Flame graphs: a click shows what is below a function as wide as the whole, a word marks functions.
const kindle = svg => {
  const frames = all(".frame", svg).map(g => {
    const [x, width] = g.dataset.f.split(" ").map(Number);
    const rect = one("rect", g);
    return { g, rect, text: one("text", g), x, width, y: rect.getAttribute("y"), name: g.dataset.n, label: rect.dataset.l };
  });
  const [whole] = frames;
  const zoom = chosen => {
    for (const frame of frames) {
      const from = Math.max(frame.x, chosen.x), to = Math.min(frame.x + frame.width, chosen.x + chosen.width);
      const many = whole.width / chosen.width, width = (to - from) * many, x = whole.x + (from - chosen.x) * many;
      frame.g.style.display = width < 1 ? "none" : "";
      if (width < 1) continue;
      frame.rect.setAttribute("x", x);
      frame.rect.setAttribute("width", Math.max(0, width - 0.5));
      if (!frame.text) {
        frame.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
        frame.text.setAttribute("y", +frame.y + 12);
        frame.g.append(frame.text);
      }
      const letters = Math.floor(width / 6), name = frame.label;
      frame.text.setAttribute("x", x + 3);
      frame.text.textContent = letters < 3 ? "" : letters < name.length ? name.slice(0, letters - 1) + "…" : name;
    }
  };
  const of = event => frames.find(frame => frame.g === event.target.closest(".frame"));
  svg.addEventListener("click", event => { const frame = of(event); if (frame) zoom(frame); });
  svg.addEventListener("pointermove", event => { const frame = of(event); say(frame ? frame.g.dataset.t : "", event); });
  svg.addEventListener("pointerleave", () => say(""));
  // The share of the whole in functions of that name, each counted where it is outermost.
  svg.seek = word => {
    const found = frames.filter(frame => word && frame.name.toLowerCase().includes(word));
    frames.forEach(frame => frame.g.classList.toggle("found", found.includes(frame)));
    let share = 0, end = -1;
    for (const frame of found.sort((a, b) => a.x - b.x || b.width - a.width)) if (frame.x >= end - 1e-6) {
      share += frame.width / whole.width;
      end = frame.x + frame.width;
    }
    return share;
  };
};
const kindled = details => {
  const plots = all(".flame", details).filter(svg => !svg.seek), find = one(".seek", details);
  plots.forEach(kindle);
  if (find && plots.length) find.addEventListener("input", () => {
    const word = find.value.trim().toLowerCase();
    const shares = plots.map(svg => [svg.getAttribute("aria-label").replace("Flame graph of ", ""), svg.seek(word)]);
    one(".seen", details).textContent = word && shares.map(([name, share]) => `${name}: ${(100 * share).toFixed(1)}%`).join(", ");
  });
};
// Only what is opened is prepared; "toggle" does not bubble, so it is caught on its way down.
const prepare = details => {
  if (details.classList.contains("flames")) kindled(details);
  const plots = all(".zooms", details).filter(svg => !svg.shown);
  plots.forEach(zooms);
  const whole = one(".whole", details);
  if (whole && plots.length) whole.addEventListener("click", () => plots.forEach(svg => show(svg, ...own(svg))));
};
addEventListener("toggle", event => { if (event.target.open) prepare(event.target); }, true);
all("details[open]").forEach(prepare);
addEventListener("keydown", event => {
  if (event.key !== "Escape") return;
  say("");
  for (const svg of all(".zooms")) if (svg.shown) show(svg, ...own(svg));
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
