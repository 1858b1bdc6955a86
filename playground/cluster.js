// SPDX-License-Identifier: MIT
// A cluster that shares a tile: which slice each CTA loads, for whom, and where it lands.
"use strict";

const ALONG = ["x", "y", "z", "xy", "xz", "yz", "xyz"];
const alongBits = (name) => [..."xyz"].reduce((bits, d, i) => bits | (name.includes(d) ? 1 << i : 0), 0);

function sliceOf(size, along, rank, coord, whole) {
  put32(place.numbers, size);
  put32(place.numbers + 64, padded(coord, 0n));
  put64(place.numbers + 128, padded(whole, 0n));
  put64(place.results, Array(10).fill(0n));
  wasm._native_slice(place.image, place.numbers, along, rank, place.numbers + 64, place.numbers + 128, place.results);
  const [group, index, mask, offset, slices, ...at] = get64(place.results, 10).map((v) => BigInt.asIntN(64, v));
  return { group: Number(group), index: Number(index), mask: Number(mask), offset, slices: Number(slices), coord: at };
}

// The tile that the form names, or as many boxes as a group has CTAs along the outermost dimension.
function wholeTile(call, group) {
  const given = numbersOf($("whole").value, "Tile");
  if (given.length && given.length !== call.rank) throw new Error(`Tile: ${given.length} numbers, the tensor has ${call.rank} dimensions`);
  if (given.length) return given;
  const whole = tile.extent.slice(0, call.rank);
  whole[call.rank - 1] *= BigInt(group);
  return whole;
}

function showCluster(call) {
  $("slices").replaceChildren();
  if (!call || !tile) {
    showFindings($("cluster-says"), "warn", "There is no box to share.", []);
    return;
  }
  try {
    const size = padded(numbersOf($("cluster").value, "Cluster", { most: 3, bits: 16 }), 1n).slice(0, 3).map(Number);
    const ctas = size[0] * size[1] * size[2], along = alongBits($("along").value);
    if (ctas < 1 || ctas > 16) throw new Error(`Cluster: ${ctas} CTAs; a cluster has 1 to 16`);
    const group = sliceOf(size, along, 0, tile.coord, padded([1n], 1n)).group, whole = wholeTile(call, group);
    drawSlices(call, size, ctas, along, whole);
  } catch (error) {
    showFindings($("cluster-says"), "bad", error.message, []);
  }
}

function drawSlices(call, size, ctas, along, whole) {
  const all = Array.from({ length: ctas }, (_, rank) => sliceOf(size, along, rank, tile.coord, whole));
  const { slices, group } = all[0];
  if (slices !== group) {
    showFindings($("cluster-says"), "bad", `The tile of ${whole.join(" x ")} is ${slices === 0 ? "not made of whole boxes" : `${slices} boxes`}, and ${group} CTAs share it.`, []);
    return;
  }
  const each = Number(wasm._native_transaction_bytes(place.image));
  showFindings($("cluster-says"), "good", `Each CTA loads one of ${slices} slices and announces ${each * slices} bytes on its own barrier.`, []);
  const rows = [make("tr")];
  for (const name of ["CTA", "slice", "coordinates", "ctaMask", "behind the tile's start"]) rows[0].append(make("th", name, { scope: "col" }));
  all.forEach((slice, rank) => {
    const row = make("tr");
    for (const text of [rank, slice.index, `(${slice.coord.slice(0, call.rank).join(", ")})`, hex(slice.mask), `${slice.offset} bytes`]) row.append(make("td", String(text)));
    rows.push(row);
  });
  $("slices").replaceChildren(...rows);
}

function listenToCluster() {
  for (const name of ALONG) $("along").append(make("option", name));
}
