// SPDX-License-Identifier: MIT
// A matrix descriptor of wgmma for a K-major operand: its fields, and whether the rows that it reads are those of the tile.
"use strict";

const MODES = ["none", "128B", "64B", "32B"], K_BYTES = 32; // one instruction's depth

function bitsOfFields() {
  const field = (id, what) => Number(numberOf($(id).value, what, { bits: 32 }));
  put32(place.numbers, [field("start", "Start"), field("leading", "Leading offset"), field("stride", "Stride offset"), field("base", "Base offset"), MODES.indexOf($("mode").value)]);
  return BigInt.asUintN(64, wasm._native_descriptor_pack(place.numbers));
}

function fieldsOfBits(bits) {
  wasm._native_descriptor_unpack(bits, place.results);
  const [start, leading, stride, base, mode] = get32(place.results, 5);
  Object.entries({ start: hex(start), leading, stride, base, mode: MODES[mode] }).forEach(([id, value]) => { $(id).value = value; });
}

// Which field was written last decides: the 64 bits, or their parts.
function syncDescriptor(from) {
  try {
    if (from === "bits") fieldsOfBits(numberOf($("bits").value, "Descriptor"));
    else $("bits").value = "0x" + bitsOfFields().toString(16).padStart(16, "0");
  } catch (error) {
    showFindings($("descriptor-says"), "bad", error.message, []);
  }
}

// Row r of the operand should be row r of the box, and bytes 0 to 31 along K those from the start of the descriptor on.
function wantedAt(row, k, start) {
  const first = swizzled(tile.call.swizzle, [start])[0] - tile.shared;
  return first + row * tile.pitch + k;
}

function showDescriptor(call) {
  $("pieces").replaceChildren();
  let bits, rows, start;
  try {
    bits = numberOf($("bits").value, "Descriptor");
    rows = Number(numberOf($("rows").value, "Rows", { bits: 8 }));
    start = Number(numberOf($("start").value, "Start", { bits: 32 }));
  } catch (error) {
    showFindings($("descriptor-says"), "bad", error.message, []);
    return;
  }
  if (!call || !tile) {
    showFindings($("descriptor-says"), "warn", "There is no tile to lay it over.", []);
    return;
  }
  drawPieces(bits, rows, start);
}

function drawPieces(bits, rows, start) {
  const head = make("tr"), lines = [head];
  let wrong = 0;
  for (const name of ["row", "K bytes 0-15", "K bytes 16-31"]) head.append(make("th", name, { scope: "col" }));
  for (let row = 0; row < rows; row++) {
    const line = make("tr");
    line.append(make("th", String(row), { scope: "row" }));
    for (let k = 0; k < K_BYTES; k += CHUNK) {
      const address = wasm._native_descriptor_address(bits, row, k) >>> 0, said = describe(address);
      const isRight = said.run && said.offset === wantedAt(row, k, start);
      if (!isRight) wrong++;
      line.append(make("td", `${hex(address)} ${said.text}`, { class: said.run ? (isRight ? "" : "wrong") : "none wrong", style: `--chunk:${Math.floor((said.offset % LINE) / CHUNK)}`, title: said.title }));
    }
    lines.push(line);
  }
  $("pieces").replaceChildren(...lines);
  const total = 2 * rows;
  showFindings($("descriptor-says"), wrong ? "bad" : "good", wrong ? `${wrong} of ${total} pieces of 16 bytes are not those of the tile's rows.` :
    `All ${total} pieces of 16 bytes are those of the tile's rows: row r of the operand is row r of the box.`, []);
}

function listenToDescriptor() {
  for (const name of MODES) $("mode").append(make("option", name));
  for (const id of ["bits", "start", "leading", "stride", "base", "mode"]) $(id).addEventListener("input", () => syncDescriptor(id));
}
