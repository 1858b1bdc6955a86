// SPDX-License-Identifier: MIT
// An mbarrier, an instruction at a time: its word after each, what a wait says, and who came in the phase under way.
"use strict";

const TAKES_ONE = new Set(["arrive", "arrive_drop"]); // without a number: one arrival

// The instruction's name in the model's memory; "copy", a TMA load that lands, is no instruction.
function isInstruction(name) {
  wasm.stringToUTF8(name, place.text, 64);
  return name === "copy" || wasm._native_barrier_has(place.text) !== 0;
}

function stepOf(line) {
  const [name, number, ...rest] = line.trim().split(/\s+/);
  if (!isInstruction(name)) throw new Error(`'${name}' is not an mbarrier operation: init, arrive, arrive.expect_tx, expect_tx, complete_tx, arrive_drop, test_wait.parity and others`);
  if (rest.length) throw new Error(`${line}: one number at most`);
  const operand = number === undefined ? (TAKES_ONE.has(name) ? 1n : 0n) : numberOf(number, name);
  return { name, operand };
}

// Executes one step on the word in memory; the answer is a token, a count, true or false.
function runStep({ name, operand }) {
  if (name === "copy") {
    wasm._native_barrier_land(place.barrier, Number(operand), place.report);
    return { said: report(), answer: "" };
  }
  put64(place.numbers, Array(32).fill(operand));
  wasm._native_barrier_operate(place.barrier, place.text, 1, place.numbers, place.results, place.results + 256, place.report);
  const said = report(), ballot = get32(place.results + 256, 1)[0], value = get64(place.results, 1)[0];
  if (said.rule !== 0) return { said, answer: "fault" };
  return { said, answer: /wait/.test(name) ? String(ballot !== 0) : /^(arrive|pending)/.test(name) ? hex(value) : "" };
}

function fieldsNow() {
  const word = get64(place.barrier, 1)[0];
  wasm._native_barrier_fields(word, place.results);
  const [phase, error, pending, expected, tx] = get64(place.results, 5).map((v) => BigInt.asIntN(64, v));
  return { word, phase, error, pending, expected, tx };
}

function showBarrier() {
  const rows = [make("tr")];
  for (const name of ["", "instruction", "word", "phase", "pending", "expected", "tx", ""]) rows[0].append(make("th", name, { scope: "col" }));
  wasm._native_barrier_start(place.barrier);
  let came = [], stopped = null, phase = 0n;
  const warnings = new Map(); // the first of each rule
  const lines = $("program").value.split("\n").filter((line) => line.trim() !== "");
  lines.every((line, i) => {
    let step, result;
    try {
      step = stepOf(line);
      result = runStep(step);
    } catch (error) {
      stopped = { text: error.message };
      return false;
    }
    const f = fieldsNow(), row = make("tr");
    for (const text of [i, line.trim(), "0x" + f.word.toString(16).padStart(16, "0"), f.phase, f.pending, f.expected, f.tx, result.answer]) row.append(make("td", String(text)));
    rows.push(row);
    if (f.phase !== phase || step.name === "init") came = [];
    else if (!/wait|pending/.test(step.name)) came.push(`step ${i}: ${line.trim()}`);
    phase = f.phase;
    for (const finding of result.said.findings) if (!warnings.has(finding.rule)) warnings.set(finding.rule, finding);
    if (result.said.rule !== 0 && step.name !== "copy") stopped = { text: result.said.error ? `${line.trim()} ends the kernel with CUDA error ${result.said.error}:` : `${line.trim()} is no instruction of PTX:` };
    return !stopped;
  });
  $("steps").replaceChildren(...rows);
  const f = fieldsNow();
  wasm._native_barrier_reading(f.word, place.report);
  const waits = report().text;
  showFindings($("ledger"), stopped ? "bad" : f.error ? "bad" : "good", stopped ? stopped.text : waits, [...warnings.values()]);
  if (!stopped && came.length) $("ledger").append(make("p", `Came in this phase: ${came.join("; ")}.`));
}
