// SPDX-License-Identifier: MIT
// A CuTe layout: what it means, the box and swizzle that fill it, the descriptor that reads it, and where its elements lie.
"use strict";

const LAYOUT_BYTES = 2088, FILLING_BYTES = 1192, OPERAND_BYTES = 64; // of the structs in native.h, as wasm.c has them
const SHOWN = 16;                                                   // rows and columns of the picture

function withText(text, call) {
  const bytes = 4 * text.length + 1, at = wasm._malloc(bytes);
  wasm.stringToUTF8(text, at, bytes);
  const answer = call(at);
  wasm._free(at);
  return answer;
}

// What the last call left of a layout.
function layoutNow() {
  const at = place.layout, [rank, depth] = get32(at + 2072, 2), [size, cosize, offset] = get64(at + 1792, 3);
  return { text: wasm.UTF8ToString(at), size, cosize, offset, rank, depth, mode: get64(at + 1816, rank) };
}

// Why it left none, with a caret under the place in `of`.
function layoutReason(of) {
  const column = getS32(place.layout + 2080, 1)[0], why = wasm.UTF8ToString(place.layout + 1536);
  return why + (column >= 0 ? `\n${of}\n${" ".repeat(column)}^` : "");
}

function readLayout(text) {
  if (!withText(text, (at) => wasm._native_layout_read(at, place.layout))) throw new Error(layoutReason(text));
  return layoutNow();
}

function coalescedOf(text) {
  withText(text, (at) => wasm._native_layout_make(0, at, at, place.layout));
  return layoutNow().text;
}

// The copies that fill it, or `none`, the reason.
function fillingOf(layout, dtype, modes) {
  const at = place.filling;
  if (!withText(layout.text, (text) => wasm._native_layout_box(text, dtype, modes, at, place.layout))) return { none: layoutReason(layout.text) };
  const [rank, swizzle, loops] = get32(at, 3);
  const of = (list) => get64(at + list, loops), [counts, elements, bytes, dims] = [of(72), of(392), of(712), getS32(at + 1032, loops)];
  return { swizzle, mode: get32(at + 12, rank), align: get32(at + 32, 1)[0], offset: get32(at + 36, 1)[0], box: get32(at + 40, rank),
    copies: get64(at + 64, 1)[0], loops: counts.map((count, i) => ({ count, elements: elements[i], bytes: bytes[i], dim: dims[i] })) };
}

// The descriptor that reads it, or `none`, the reason.
function operandOf(layout, size) {
  const at = place.operand;
  if (!withText(layout.text, (text) => wasm._native_layout_operand(text, size, at, place.layout))) return { none: layoutReason(layout.text) };
  const [leading, stride, isMn, rows, k, steps] = get32(at + 8, 6);
  const starts = withText(layout.text, (text) => Array.from({ length: steps }, (_, i) => wasm._native_layout_start(text, size, i) >>> 0));
  return { bits: get64(at, 1)[0], leading, stride, isMn, rows, k, starts, atom: wasm.UTF8ToString(at + 32) };
}

function copiesText({ copies, loops }) {
  const each = loops.map(({ count, dim, elements, bytes }) =>
    `${count}${dim < 0 ? " stages," : ` along dimension ${dim}, ${elements} elements and`} ${bytes} bytes apart`);
  return copies + (each.length ? ": " : "") + each.join(", times ");
}

// The lines that `tmaref explain --layout` prints.
function layoutFacts(layout, size, filling, operand) {
  const facts = [["layout", layout.text],
    ["elements", `${layout.size} = ${layout.mode.join(" x ")} in ${layout.cosize} places; rank ${layout.rank}, depth ${layout.depth}`],
    ["coalesced", coalescedOf(layout.text)]];
  if (filling.none) facts.push(["box", `none: ${filling.none}`]);
  else facts.push(["box", `${filling.box.join(" x ")}: ${filling.box.map((n, i) => `${n} of mode ${filling.mode[i]}`).join(", ")}`],
    ["swizzle", SWIZZLES[filling.swizzle]], ["copies", copiesText(filling)],
    ["shared memory", `${(layout.offset + layout.cosize) * BigInt(size)} bytes, at a multiple of ${filling.align}` +
      (filling.offset ? `; the first copy goes ${filling.offset} bytes behind` : "")]);
  if (operand.none) return [...facts, ["wgmma", `none: ${operand.none}`]];
  const count = operand.starts.length;
  facts.push(["wgmma", `${operand.isMn ? "MN-major" : "K-major"}, as tiles of ${operand.atom}: ${operand.rows} rows of M or N, ${count} step${count === 1 ? "" : "s"} of k ${operand.k}`],
    ["descriptor", `0x${operand.bits.toString(16).padStart(16, "0")} + address / 16: leading offset ${operand.leading}, stride offset ${operand.stride}`]);
  if (count > 1) facts.push(["steps along K", `${operand.starts.slice(1).map((start) => `+${start - operand.starts[0]}`).join(", ")} bytes`]);
  return facts;
}

// Where the elements from `corner` on lie: mode 0 down, mode 1 to the right.
function drawElements(layout, size, corner) {
  const [first, side] = corner, columns = layout.rank > 1 ? layout.mode[1] : 1n, head = make("tr"), lines = [head];
  const shown = (from, all) => Array.from({ length: Math.max(0, Math.min(SHOWN, Number(all - from))) }, (_, i) => from + BigInt(i));
  const rows = shown(first, layout.mode[0]), across = shown(side, columns);
  head.append(make("th"));
  for (const column of across) head.append(make("th", String(column), { scope: "col" }));
  for (const row of rows) {
    put64(place.numbers, across.map((column) => row + column * layout.mode[0]));
    withText(layout.text, (text) => wasm._native_layout_indices(text, BigInt(across.length), place.numbers, place.results));
    const line = make("tr");
    line.append(make("th", String(row), { scope: "row" }));
    get64(place.results, across.length).forEach((index, i) => {
      const byte = Number(index) * size, chunk = Math.floor((byte % LINE) / CHUNK);
      line.append(make("td", String(index), { style: `--chunk:${chunk}`,
        title: `element (${row}, ${across[i]}): index ${index}, byte ${byte}; bank ${Math.floor(byte / 4) % 32}; chunk ${chunk} of line ${hex(byte - (byte % LINE))}` }));
    });
    lines.push(line);
  }
  $("elements").replaceChildren(...lines);
}

// What the form asks.
function layoutQuestion() {
  const layout = readLayout($("layout").value), dtype = TYPES.indexOf($("ltype").value), size = wasm._native_dtype_bytes(dtype);
  const modes = $("modes").value.trim() === "" ? Math.min(layout.rank, MAX_RANK) : Number(numberOf($("modes").value, "Modes", { bits: 8 }));
  if (modes < 1 || modes > Math.min(layout.rank, MAX_RANK)) throw new Error(`Modes: ${modes}; from 1 to ${Math.min(layout.rank, MAX_RANK)}`);
  const corner = padded(numbersOf($("corner").value, "First element", { most: 2, bits: 48 }), 0n);
  return { layout, dtype, size, modes, corner };
}

function showLayout() {
  $("layout-facts").replaceChildren();
  $("elements").replaceChildren();
  $("layout-command").textContent = "";
  $("fill-map").disabled = true;
  try {
    const { layout, dtype, size, modes, corner } = layoutQuestion(), filling = fillingOf(layout, dtype, modes);
    const [kind, headline] = filling.none ? ["bad", "No tensor copies fill it."] : ["good", `${filling.copies === 1n ? "One tensor copy fills" : `${filling.copies} tensor copies fill`} it.`];
    showFindings($("layout-says"), kind, headline, []);
    $("layout-facts").replaceChildren(...layoutFacts(layout, size, filling, operandOf(layout, size)).map(([name, text]) => {
      const row = make("tr");
      row.append(make("th", name, { scope: "row" }), make("td", text));
      return row;
    }));
    drawElements(layout, size, corner);
    $("layout-command").textContent = `tmaref explain --layout '${layout.text}' --dtype ${TYPES[dtype]}` + (modes < layout.rank ? ` --modes ${modes}` : "");
    $("fill-map").disabled = !!filling.none;
  } catch (error) {
    showFindings($("layout-says"), "bad", "", []);
    $("layout-says").append(make("pre", error.message));
  }
}

// The box that fills the layout becomes the tensor map above.
function fillMap() {
  const { layout, dtype, modes } = layoutQuestion(), filling = fillingOf(layout, dtype, modes), zeros = filling.box.map(() => 0);
  const set = { dtype: TYPES[dtype], dim: filling.mode.map((mode) => layout.mode[mode]).join(", "), strides: "", box: filling.box.join(", "),
    estride: filling.box.map(() => 1).join(", "), swizzle: SWIZZLES[filling.swizzle], interleave: "none", coord: zeros.join(", "), shared: hex(0x400 + filling.offset), line: "0" };
  for (const [id, value] of Object.entries(set)) $(id).value = value;
}

// The layout of the map's box, outermost dimension first, as wgmma's operands have them.
function takeBox() {
  if (!tile || !wasm._native_layout_of_box(place.image, place.layout)) {
    $("layout-says").append(make("p", "The box above is no layout of CuTe's: there is no map, or it is interleaved.", { class: "warn" }));
    return false;
  }
  $("layout").value = layoutNow().text;
  $("ltype").value = TYPES[tile.call.dtype];
  $("modes").value = "";
  return true;
}

function listenToLayout() {
  for (const name of TYPES) $("ltype").append(make("option", name));
}
