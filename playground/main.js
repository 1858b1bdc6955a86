// SPDX-License-Identifier: MIT
// The whole page: its state is the fields below, and lies in the address behind #.
"use strict";

const DEFAULTS = { dtype: "f16", dim: "4096, 4096", strides: "", box: "64, 64", estride: "1, 1", address: "0x7f0000000000", swizzle: "128B",
  interleave: "none", fill: "none", coord: "0, 64", shared: "0x400", line: "0", access: "16 bytes of a column, 8 lanes", cluster: "2, 1, 1",
  along: "x", whole: "", program: "init 1\narrive.expect_tx 8192\ncomplete_tx 4096\ntest_wait.parity 0\ncomplete_tx 4096\ntest_wait.parity 0", bits: "",
  start: "0x400", leading: "16", stride: "1024", base: "0", mode: "128B", rows: "16",
  layout: "Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,2)):((64,512),(1,8192))", ltype: "bf16", modes: "", corner: "0, 0" };
const OPTIONS = { dtype: TYPES, swizzle: SWIZZLES, interleave: INTERLEAVES, fill: FILLS };

function readLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const [id, value] of Object.entries(DEFAULTS)) $(id).value = given.has(id) ? given.get(id) : value;
  syncDescriptor(given.has("bits") ? "bits" : "start");
}

// Only what differs from the defaults is in the link.
function writeLink() {
  const state = new URLSearchParams();
  for (const [id, value] of Object.entries(DEFAULTS)) if (id !== "bits" && $(id).value !== value) state.set(id, $(id).value);
  const hash = state.toString();
  if (hash !== location.hash.slice(1)) history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}

function show() {
  const call = showMap();
  showTile(call);
  showCluster(call);
  showBarrier();
  showDescriptor(call);
  showLayout();
}

function change() {
  show();
  writeLink();
}

async function copyLink() {
  writeLink();
  try {
    await navigator.clipboard.writeText(location.href);
    $("linked").textContent = "copied";
  } catch {
    $("linked").textContent = location.href;
  }
}

async function start() {
  await openModel();
  for (const [id, names] of Object.entries(OPTIONS)) for (const name of names) $(id).append(make("option", name));
  listenToTile();
  listenToCluster();
  listenToDescriptor();
  listenToLayout();
  readLink();
  show();
  for (const id of Object.keys(DEFAULTS)) $(id).addEventListener("input", change);
  $("fill-map").addEventListener("click", () => { fillMap(); change(); });
  $("take-box").addEventListener("click", () => { if (takeBox()) change(); });
  $("link").addEventListener("click", copyLink);
  for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => { readLink(); show(); });
  document.body.dataset.ready = "yes";
}

start();
