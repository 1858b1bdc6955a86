// SPDX-License-Identifier: MIT
// The tensor map: from the form to the 128 bytes, or to every reason why there are none.
"use strict";

// The call that the form describes.
function readMap() {
  const dim = numbersOf($("dim").value, "Dimensions"), rank = dim.length, dtype = TYPES.indexOf($("dtype").value);
  if (rank === 0) throw new Error("Dimensions: at least one number");
  const interleave = INTERLEAVES.indexOf($("interleave").value);
  const given = numbersOf($("strides").value, "Strides", { most: 4 });
  const size = BigInt(wasm._native_dtype_bytes(dtype)), strides = [size];
  for (let i = 1; i < rank; i++) strides.push(given.length ? given[i - 1] : strides[i - 1] * dim[i - 1]);
  if (given.length && given.length !== rank - 1) throw new Error(`Strides: ${given.length} numbers, ${rank - 1} are needed`);
  const list = (id, what, rest) => {
    const values = numbersOf($(id).value, what, { bits: 32 });
    if (values.length && values.length !== rank) throw new Error(`${what}: ${values.length} numbers, the tensor has ${rank} dimensions`);
    return values.length ? values : Array(rank).fill(rest);
  };
  return { rank, dtype, interleave, dim, strides, box: list("box", "Box", 1n), estride: list("estride", "Element strides", 1n),
    address: numberOf($("address").value, "Address"), swizzle: SWIZZLES.indexOf($("swizzle").value), fill: FILLS.indexOf($("fill").value),
    size: Number(size) };
}

// Encodes it: the bytes in place.image, and what the call says.
function encode(call) {
  const at = place.fields;
  wasm.HEAPU8.fill(0, at, at + FIELDS_BYTES);
  put32(at, [0, call.rank, call.dtype, call.interleave, call.swizzle, 0, call.fill]);
  put64(at + 32, [call.address]);
  put64(at + 40, padded(call.dim, 0n));
  put64(at + 80, padded(call.strides, 0n));
  put32(at + 120, padded(call.box, 0n));
  put32(at + 140, padded(call.estride, 1n));
  wasm._native_encode(at, place.image, place.report);
  return report();
}

// The same for a terminal.
function commandOf(call) {
  const list = (values) => values.join(",");
  return ["tmaref encode", `--dtype ${TYPES[call.dtype]}`, `--dim ${list(call.dim)}`, call.rank > 1 ? `--strides ${list(call.strides.slice(1))}` : "",
    `--box ${list(call.box)}`, `--element-strides ${list(call.estride)}`, `--address ${hex(call.address)}`,
    `--swizzle ${SWIZZLES[call.swizzle]}`, `--interleave ${INTERLEAVES[call.interleave]}`, `--oob-fill ${FILLS[call.fill]}`].filter(Boolean).join(" ");
}

// Draws the section. Returns the call if there is a map.
function showMap() {
  $("bytes-of-map").hidden = true;
  let call;
  try {
    call = readMap();
  } catch (error) {
    showFindings($("verdict"), "bad", error.message, []);
    return null;
  }
  const said = encode(call);
  const headline = said.rule === 0 ? "The driver accepts it." : `cuTensorMapEncodeTiled returns CUDA_ERROR_INVALID_VALUE (${said.error}):`;
  showFindings($("verdict"), said.rule === 0 ? "good" : "bad", headline, said.findings);
  $("command").textContent = commandOf(call);
  $("bytes-of-map").hidden = false;
  const image = wasm.HEAPU8.subarray(place.image, place.image + 128);
  $("bytes").textContent = said.rule !== 0 ? "" : Array.from({ length: 8 }, (_, row) =>
    Array.from(image.subarray(16 * row, 16 * row + 16), (b) => b.toString(16).padStart(2, "0")).join(" ")).join("\n");
  return said.rule === 0 ? call : null;
}
