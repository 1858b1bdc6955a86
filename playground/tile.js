// SPDX-License-Identifier: MIT
// One box in shared memory: lines of 128 bytes, eight chunks in each; what lies in a chunk, and what it costs to read.
"use strict";

const LINES = 16, CHUNK = 16, LINE = 128;
let tile = null; // of the last drawing: the call, its runs, its chunks by shared address

// Accesses of a warp: bytes of each lane, and the place of lane l in the box before swizzling, from its rows' pitch.
const ACCESSES = {
  "nothing": null,
  "16 bytes of a column, 8 lanes": { bytes: 16, lanes: 8, at: (l, pitch) => l * pitch },
  "4 bytes of a column, 32 lanes": { bytes: 4, lanes: 32, at: (l, pitch) => l * pitch },
  "4 bytes of a row, 32 lanes": { bytes: 4, lanes: 32, at: (l) => 4 * l },
  "16 bytes of a row, 8 lanes": { bytes: 16, lanes: 8, at: (l) => 16 * l },
};

function swizzled(mode, addresses) {
  put32(place.numbers, addresses);
  wasm._native_swizzle(mode, BigInt(addresses.length), place.numbers, place.results);
  return get32(place.results, addresses.length);
}

// The pieces of the box, in the order of shared memory: at most as many as it has rows, with fill on both sides of each.
function runsOf(coord) {
  put32(place.numbers, padded(coord, 0n));
  put32(place.numbers + 64, [0, 0, 0]);
  const most = 3 * tile.steps.slice(1).reduce((rows, steps) => rows * Math.max(steps, 1), tile.call.interleave ? tile.steps[0] : 1);
  wasm._free(place.runs);
  place.runs = wasm._malloc(most * RUN_BYTES);
  const count = Number(wasm._native_runs(place.image, place.numbers, place.numbers + 64, BigInt(most), place.runs));
  return Array.from({ length: count }, (_, i) => {
    const at = place.runs + RUN_BYTES * i, [offset, bytes, fill] = get32(at + 8, 3);
    return { address: get64(at, 1)[0], offset, bytes, fill: fill !== 0 };
  });
}

// The element at a byte of the box (before swizzling): its place in the box and its coordinates.
function elementAt(offset) {
  const { call, steps, coord, pitch, step } = tile, row = Math.floor(offset / pitch), inner = Math.floor((offset % pitch) / step);
  const index = [inner];
  for (let i = 1, left = row; i < call.rank; left = Math.floor(left / steps[i]), i++) index.push(left % steps[i]);
  return index.map((k, i) => coord[i] + BigInt(k) * (i === 0 && call.interleave ? 1n : call.estride[i]));
}

const runAt = (offset) => tile.runs.find((run) => offset >= run.offset && offset < run.offset + run.bytes);

function pitchOf(call) {
  const span = [0, 32, 64, 128][call.swizzle], step = call.interleave ? 16 << (call.interleave - 1) : call.size;
  const row = Number(tile.steps[0]) * step;
  return [Math.max(call.interleave ? row : span || row, row), step];
}

// One chunk: what is in it, in words.
function describe(address) {
  const offset = swizzled(tile.call.swizzle, [address])[0] - tile.shared, run = offset < 0 ? undefined : runAt(offset);
  if (!run) return { text: "gap", title: `shared ${hex(address)}: no byte of the box`, kind: "none", offset };
  const element = elementAt(offset), name = `(${element.join(", ")})`;
  const where = run.fill ? "out of bounds: filled" : `global ${hex(run.address + BigInt(offset - run.offset))}`;
  return { text: name, kind: run.fill ? "fill" : "", offset, element, run,
    title: `shared ${hex(address)}: byte ${(offset % tile.pitch) % tile.step} of element ${name}; ${where}; bank ${(address / 4) % 32}; chunk ${(address / CHUNK) % 8} of line ${hex(address - (address % LINE))}; without swizzle ${hex(tile.shared + offset)}` };
}

function drawLine(line, read) {
  const row = make("tr", "", { role: "row" });
  row.append(make("th", hex(line), { scope: "row" }));
  for (let c = 0; c < 8; c++) {
    const address = line + CHUNK * c, said = describe(address);
    const cell = make("td", said.text, { role: "gridcell", tabindex: "-1", "data-address": address, "aria-label": said.title, title: said.title,
      style: `--chunk:${Math.floor((said.offset % LINE) / CHUNK)}` });
    cell.className = [said.kind, read.has(address) ? "read" : ""].filter(Boolean).join(" ");
    row.append(cell);
  }
  return row;
}

// The conflicts of the chosen access, and the chunks that it touches.
function access() {
  const chosen = ACCESSES[$("access").value], read = new Set();
  $("conflicts").textContent = "";
  if (!chosen) return read;
  const offsets = Array.from({ length: chosen.lanes }, (_, l) => tile.shared + chosen.at(l, tile.pitch));
  const addresses = swizzled(tile.call.swizzle, offsets), plain = count(offsets, chosen), cost = count(addresses, chosen);
  if (!plain || !cost) {
    $("conflicts").textContent = `The lanes' addresses are not multiples of ${chosen.bytes}.`;
    return read;
  }
  addresses.forEach((a) => read.add(a - (a % CHUNK)));
  $("conflicts").textContent = `${chosen.lanes} lanes that read ${chosen.bytes} bytes: ${cost[0]} wavefront${cost[0] === 1 ? "" : "s"}, ` +
    `without the swizzle ${plain[0]}, at least ${cost[2]}.`;
  return read;
}

function count(addresses, chosen) {
  put32(place.numbers, [...addresses, ...Array(32).fill(0)].slice(0, 32));
  wasm._native_bank(0, place.numbers, chosen.lanes === 32 ? -1 : (1 << chosen.lanes) - 1, chosen.bytes, place.results, place.report);
  return report().rule === 0 ? get32(place.results, 3) : null;
}

function showLoad(coord) {
  put32(place.numbers, padded(coord, 0n));
  wasm._native_load_check(place.image, place.numbers, tile.shared, place.report);
  const said = report(), bytes = wasm._native_transaction_bytes(place.image);
  const headline = said.rule === 0 ? `The load works; it tells the barrier ${bytes} bytes.` : `The load ends the kernel with CUDA error ${said.error}:`;
  showFindings($("load"), said.rule === 0 ? "good" : "bad", headline, said.findings);
}

// Draws the section for a map.
function showTile(call) {
  $("tile").replaceChildren();
  $("cell").textContent = $("conflicts").textContent = "";
  tile = null;
  if (!call) {
    showFindings($("load"), "warn", "There is no map to copy with.", []);
    return;
  }
  let coord, shared, line;
  try {
    coord = numbersOf($("coord").value, "Coordinates", { signed: true, bits: 32 });
    if (coord.length !== call.rank) throw new Error(`Coordinates: ${coord.length} numbers, the tensor has ${call.rank} dimensions`);
    shared = Number(numberOf($("shared").value, "Shared address", { bits: 18 }));
    line = Number(numberOf($("line").value, "First line", { bits: 16 }));
  } catch (error) {
    showFindings($("load"), "bad", error.message, []);
    return;
  }
  wasm._native_box_steps(place.image, place.results, place.results + 64);
  tile = { call, coord, shared, steps: get32(place.results, MAX_RANK), extent: get64(place.results + 64, MAX_RANK) };
  [tile.pitch, tile.step] = pitchOf(call);
  tile.runs = runsOf(coord);
  showLoad(coord);
  drawTile(line);
}

function drawTile(first) {
  const bytes = Number(wasm._native_box_bytes(place.image)), read = access();
  const begin = tile.shared - (tile.shared % LINE) + LINE * first, end = Math.min(begin + LINE * LINES, tile.shared + bytes);
  const head = make("tr", "", { role: "row" });
  head.append(make("th", "shared"));
  for (let c = 0; c < 8; c++) head.append(make("th", `banks ${4 * c}-${4 * c + 3}`, { scope: "col" }));
  const rows = [head];
  for (let line = begin; line < end; line += LINE) rows.push(drawLine(line, read));
  $("tile").replaceChildren(...rows);
  const cell = $("tile").querySelector("td");
  if (cell) cell.tabIndex = 0;
  if (end < tile.shared + bytes) $("cell").textContent = `${Math.ceil((tile.shared + bytes - end) / LINE)} more lines: raise "First line shown".`;
}

// Selects a chunk: by pointer, touch or arrow keys.
function selectCell(cell) {
  if (!cell || !cell.dataset.address) return;
  for (const other of $("tile").querySelectorAll("td")) {
    other.removeAttribute("aria-selected");
    other.tabIndex = -1;
  }
  cell.setAttribute("aria-selected", "true");
  cell.tabIndex = 0;
  $("cell").textContent = cell.title;
}

function moveCell(event) {
  const cell = event.target.closest("td"), step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 }[event.key];
  if (!cell || !step) return;
  const cells = [...$("tile").querySelectorAll("td")], next = cells[cells.indexOf(cell) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
  selectCell(next);
}

function listenToTile() {
  for (const name of Object.keys(ACCESSES)) $("access").append(make("option", name));
  $("tile").addEventListener("pointerover", (event) => selectCell(event.target.closest("td")));
  $("tile").addEventListener("click", (event) => selectCell(event.target.closest("td")));
  $("tile").addEventListener("keydown", moveCell);
}
