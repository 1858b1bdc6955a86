// SPDX-License-Identifier: MIT
// The model behind plain JavaScript calls, and what every part of the page needs: numbers, elements, text.
"use strict";

const TYPES = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz"];
const SWIZZLES = ["none", "32B", "64B", "128B"], INTERLEAVES = ["none", "16B", "32B"], FILLS = ["none", "nan"];
const MAX_RANK = 5, REPORT_BYTES = 8 + 2 * 65536, FIELDS_BYTES = 200, RUN_BYTES = 24;

let wasm = null;   // the module; its memory may move when it grows
const place = {};  // where arguments and results lie in its memory

async function openModel() {
  wasm = await tmarefModel();
  for (const [name, bytes] of Object.entries({ report: REPORT_BYTES, fields: FIELDS_BYTES, image: 128, numbers: 512, results: 512, runs: RUN_BYTES, barrier: 8 + 8192, text: 64,
    layout: LAYOUT_BYTES, filling: FILLING_BYTES, operand: OPERAND_BYTES }))
    place[name] = wasm._malloc(bytes);
}

const view = () => new DataView(wasm.HEAPU8.buffer);
const put32 = (at, list) => list.forEach((v, i) => view().setInt32(at + 4 * i, Number(BigInt.asIntN(32, BigInt(v))), true));
const put64 = (at, list) => list.forEach((v, i) => view().setBigUint64(at + 8 * i, BigInt.asUintN(64, BigInt(v)), true));
const get32 = (at, count) => Array.from({ length: count }, (_, i) => view().getUint32(at + 4 * i, true));
const getS32 = (at, count) => Array.from({ length: count }, (_, i) => view().getInt32(at + 4 * i, true));
const get64 = (at, count) => Array.from({ length: count }, (_, i) => view().getBigUint64(at + 8 * i, true));

// What the last call said: the rule (0: none), the CUDA error, the findings, and their text as the command prints it.
function report() {
  const [rule, error] = get32(place.report, 2), text = wasm.UTF8ToString(place.report + 8);
  const heads = text.split("\n").filter((line) => /^ {2}\S.*, rule /.test(line)); // one line of each finding, as the command prints it
  const findings = JSON.parse(wasm.UTF8ToString(place.report + 8 + 65536)).map((finding, i) => ({ ...finding, head: heads[i].trim() }));
  return { rule, error, text, findings };
}

// "1,2,0x10" as numbers; throws a sentence for anything else.
function numbersOf(text, what, { most = MAX_RANK, signed = false, bits = 64 } = {}) {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  if (parts.length > most) throw new Error(`${what}: ${parts.length} numbers, at most ${most}`);
  return parts.map((part) => numberOf(part, what, { signed, bits }));
}

function numberOf(text, what, { signed = false, bits = 64 } = {}) {
  const match = /^(-?)(0x[0-9a-f]+|[0-9]+)$/i.exec(text.trim());
  if (!match) throw new Error(`${what}: '${text}' is not a whole number`);
  const value = match[1] ? -BigInt(match[2]) : BigInt(match[2]);
  const low = signed ? -(1n << BigInt(bits - 1)) : 0n, high = (1n << BigInt(signed ? bits - 1 : bits)) - 1n;
  if (value < low || value > high) throw new Error(`${what}: ${text} is outside ${low} to ${high}`);
  return value;
}

const padded = (list, rest) => [...list, ...Array(MAX_RANK).fill(rest)].slice(0, MAX_RANK);
const hex = (value) => "0x" + value.toString(16);
const $ = (id) => document.getElementById(id);

// An element with text and attributes.
function make(tag, text = "", attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// Puts a headline and findings in place of what `target` holds.
function showFindings(target, kind, headline, findings) {
  const parts = [make("div", headline, { class: kind })];
  for (const finding of findings) {
    const box = make("div", finding.head, { class: `finding ${finding.severity === "warning" ? "warn" : "bad"}` });
    box.append(make("p", finding.sentence), make("p", finding.advice));
    parts.push(box);
  }
  target.replaceChildren(...parts);
}
