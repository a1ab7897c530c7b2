"use strict";
/* The page: limits on the left, totals and runs on the right. Every text goes in as text. */
(() => {
  const data = rules.unpacked(JSON.parse(document.getElementById("data").textContent));
  const ROWS = 100; // runs that are shown at a time
  const WORTH = ["succeeded", "failed", "unknown"];
  const WORTH_WORDS = { succeeded: "succeeded", failed: "failed", unknown: "not labelled" };
  const FATES = ["same", "cut", "moved", "unknown", "not_comparable"];
  const FATE_WORDS = {
    same: "end as they did",
    cut: "cut: end earlier",
    moved: "stop at their end, for another reason",
    unknown: "would go on: unknown",
    not_comparable: "cannot be compared",
  };
  const MARKS = { ok: "●", error: "×", repeat: "↻", not_asked: "○", unknown: "?", answer: "◆" };
  const MARK_WORDS = {
    ok: "ok", error: "error", repeat: "repeat", not_asked: "not asked", unknown: "outcome unknown",
    answer: "the answer",
  };

  const $ = (id) => document.getElementById(id);
  let limits = structuredClone(data.presets[0].limits);
  let tried = [];
  let answers = [];
  let shown = { title: "all runs", test: () => true };
  let from = 0;
  let open = null;

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const seconds = (us) => `${(us / 1e6).toFixed(1)} s`;
  const dollars = (usd) => `US$${usd.toFixed(4)}`;

  /** Say that a button does nothing now. Not by "disabled": that would lose the focus on it. */
  function off(id, is) { $(id).setAttribute("aria-disabled", String(is)); }
  const isOff = (id) => $(id).getAttribute("aria-disabled") === "true";

  /* ---- limits ---- */

  const SLIDERS = [
    { name: "max_steps", label: "Steps", hint: "model calls", least: 0, step: 1, most: data.most.steps },
    { name: "max_seconds", label: "Seconds", hint: "", least: 0, step: 1, most: data.most.seconds },
    { name: "max_cost_usd", label: "Dollars", hint: "US$ a run", least: 0, step: 0.001, most: data.most.usd },
    { name: "max_errors", label: "Errors in a row", hint: "", least: 1, step: 1, most: data.most.errors },
    { name: "allowed_repeats", label: "Allowed repeats", hint: "", least: 0, step: 1, most: data.most.repeats },
  ];
  const CHOICES = [
    { name: "repeat", label: "A call is a repeat", options: { after_success: "after it went well", any: "whatever came of it" } },
    { name: "clock", label: "Seconds are", options: { model: "model time", wall: "run time" } },
    { name: "time_check", label: "Seconds are checked", options: { before_call: "before a model call", after_step: "after a step" } },
  ];

  function drawLimits() {
    const presets = element("div", { role: "group", "aria-label": "Presets" });
    for (const preset of data.presets) {
      presets.append(element("button", { type: "button", onclick: () => choose(preset.limits) }, preset.name));
    }
    $("presets").replaceChildren(presets);
    const parts = [];
    for (const each of SLIDERS) parts.push(slider(each));
    for (const each of CHOICES) parts.push(choice(each));
    $("limits").replaceChildren(...parts);
    showLimits();
  }

  function slider({ name, label, hint, least, step, most }) {
    const id = `limit-${name}`;
    return element("fieldset", {},
      element("legend", {}, hint ? `${label} (${hint})` : label),
      element("label", { class: "switch" },
        element("input", { type: "checkbox", id: `${id}-on`, onchange: (event) => {
          set(name, event.target.checked ? numberOf(id) : null);
        } }), " on"),
      element("input", { type: "range", id, min: least, max: Math.max(most, least + step), step,
        "aria-label": label, oninput: () => set(name, numberOf(id)) }),
      element("output", { id: `${id}-value`, for: id }));
  }

  const numberOf = (id) => $(id).value;

  function choice({ name, label, options }) {
    const select = element("select", { id: `limit-${name}`, onchange: (event) => set(name, event.target.value) });
    for (const [value, words] of Object.entries(options)) select.append(element("option", { value }, words));
    return element("p", {}, element("label", { for: `limit-${name}` }, label), " ", select);
  }

  function showLimits() {
    for (const { name } of SLIDERS) {
      const value = limits[name];
      $(`limit-${name}-on`).checked = value !== null;
      $(`limit-${name}`).disabled = value === null;
      if (value !== null) $(`limit-${name}`).value = value;
      $(`limit-${name}-value`).textContent = value === null ? "no limit" : String(value);
    }
    for (const { name } of CHOICES) $(`limit-${name}`).value = limits[name];
    $("lines").textContent = ["[limits]", ...Object.entries(limits)
      .filter(([name]) => data.settable.includes(name))
      .map(([name, value]) => `${name} = ${tomlValue(value)}`)].join("\n");
  }

  const tomlValue = (value) => value === null ? '"none"'
    : /^[0-9.]+$/.test(String(value)) ? String(value) : `"${value}"`;

  function set(name, value) { choose({ ...limits, [name]: value }); }

  function choose(chosen) {
    limits = structuredClone(chosen);
    showLimits();
    tryLimits();
  }

  /* ---- answers ---- */

  function fateOf(answer) {
    if (answer.fate !== "stops") return answer.fate;
    return answer.cut ? "cut" : "moved";
  }

  function tryLimits() {
    tried = rules.prepared(data, limits);
    answers = data.runs.map((run) => rules.whatIf(data, run, tried));
    drawTotals();
    drawStops();
    drawRuns();
    if (open !== null) drawRun();
  }

  function runsWhere(test) {
    const found = [];
    for (let index = 0; index < data.runs.length; index += 1) {
      if (test(data.runs[index], answers[index])) found.push(index);
    }
    return found;
  }

  /** A number of runs that opens them; `test` says which they are. */
  function number(title, test, found, of) {
    const share = of ? ` (${(100 * found / of).toFixed(1)} %)` : "";
    return element("button", { type: "button", class: "number", "aria-label": `${found} runs, ${title}`,
      onclick: () => show(title, test) }, `${found}${share}`);
  }

  /** How many runs there are of each key, in one pass over all. */
  function counted(keyOf) {
    const counts = new Map();
    answers.forEach((answer, index) => {
      const key = keyOf(data.runs[index], answer);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    return counts;
  }

  function drawTotals() {
    const head = element("tr", {}, element("th", { scope: "col" }, "runs that"));
    for (const worth of WORTH) head.append(element("th", { scope: "col" }, WORTH_WORDS[worth]));
    const all = counted((run) => run.success);
    const counts = counted((run, answer) => `${run.success} ${fateOf(answer)}`);
    const body = FATES.map((fate) => element("tr", { class: `fate-${fate}` },
      element("th", { scope: "row" }, FATE_WORDS[fate]),
      ...WORTH.map((worth) => {
        const test = (run, answer) => run.success === worth && fateOf(answer) === fate;
        const title = `${WORTH_WORDS[worth]}, ${FATE_WORDS[fate]}`;
        return element("td", {}, number(title, test, counts.get(`${worth} ${fate}`) ?? 0, all.get(worth)));
      })));
    $("totals").replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
    drawSaved();
  }

  function drawSaved() {
    let steps = 0, us = 0, usd = 0;
    answers.forEach((answer, index) => {
      if (answer.point === undefined) return;
      const run = data.runs[index];
      const { used } = rules.pointOf(data, run, answer.point);
      steps += run.steps.length - answer.step;
      us += run.at_end.model_us - used.model_us;
      usd += Number(run.at_end.cost_usd) - Number(used.cost_usd);
    });
    $("saved").textContent = `${count(steps, "model call")}, ${seconds(us)} of model time and `
      + `${dollars(usd)} not spent, as far as times and costs are recorded.`;
    $("told").textContent = `${count(answers.filter((answer) => answer.cut).length, "run")} cut`;
  }

  /** What ends a run under the limits: a reason, or why nobody can say. */
  const endingOf = (run, answer) => answer.reason
    ?? (answer.fate === "same" ? run.end.reason ?? run.end.kind : answer.fate);

  function drawStops() {
    const counts = counted(endingOf);
    const most = Math.max(1, ...counts.values());
    const rows = [...counts].sort((one, two) => two[1] - one[1]).map(([key, found]) => {
      const words = key.replaceAll("_", " ");
      const test = (run, answer) => endingOf(run, answer) === key;
      return element("tr", {}, element("th", { scope: "row" }, words),
        element("td", {}, element("meter", { min: 0, max: most, value: found, "aria-hidden": "true" })),
        element("td", {}, number(`ended by ${words}`, test, found)));
    });
    $("stops").replaceChildren(element("tbody", {}, ...rows));
  }

  /* ---- the list ---- */

  function show(title, test) {
    shown = { title, test };
    from = 0;
    drawRuns();
    $("runs-title").focus();
  }

  function drawRuns() {
    const words = $("search").value.trim().toLowerCase();
    const matches = (run) => !words
      || [run.run, run.ticket, run.model, run.source].some((text) => (text ?? "").toLowerCase().includes(words));
    const found = runsWhere((run, answer) => matches(run) && shown.test(run, answer));
    from = Math.min(from, Math.max(0, found.length - 1));
    from -= from % ROWS;
    $("runs-title").textContent = `${shown.title}: ${count(found.length, "run")}`;
    $("place").textContent = found.length > ROWS
      ? `${from + 1} to ${Math.min(from + ROWS, found.length)} of ${found.length}` : "";
    off("earlier", from === 0);
    off("later", from + ROWS >= found.length);
    $("runs").replaceChildren(...found.slice(from, from + ROWS).map(row));
  }

  function row(index) {
    const run = data.runs[index];
    const answer = answers[index];
    return element("li", { class: `worth-${run.success}` },
      element("button", { type: "button", class: "run", onclick: () => openRun(index),
        "aria-label": `${run.run}: ${summary(run, answer)}` },
        element("span", { class: "name" }, run.turn === null ? run.run : `${run.run}, turn ${run.turn}`),
        strip(run, answer),
        element("span", { class: "end" }, summary(run, answer))));
  }

  function summary(run, answer) {
    switch (answer.fate) {
      case "same": return `${(run.end.reason ?? run.end.kind).replaceAll("_", " ")}, as recorded`;
      case "stops": return `${answer.reason.replaceAll("_", " ")} at step ${answer.step} of ${run.steps.length}`;
      case "unknown": return "unknown beyond what is recorded";
      default: return answer.why;
    }
  }

  /** One mark for each call; what the limits cut is faint, the stop a bar. */
  function strip(run, answer) {
    const line = element("span", { class: "strip", "aria-hidden": "true" });
    const stop = answer.fate === "stops" ? rules.pointOf(data, run, answer.point) : null;
    for (const step of rules.stepsOf(data, run)) {
      const group = element("span", { class: "step" });
      const calls = step.calls.length ? step.calls : [null];
      calls.forEach((call, index) => {
        if (isStop(stop, step.step, call === null ? null : index)) group.append(bar());
        const state = markOf(step, call);
        const late = stop !== null && isLater(stop, step.step, index);
        group.append(element("span", { class: `mark ${state}${late ? " late" : ""}` }, MARKS[state]));
      });
      line.append(group);
      if (stop !== null && stop.place !== "call" && stop.step === step.step) line.append(bar());
    }
    if (stop !== null && stop.step === 0) line.prepend(bar());
    return line;
  }

  const bar = () => element("span", { class: "stop" }, "▌");
  const isStop = (stop, step, call) => stop !== null && stop.place === "call" && stop.step === step && stop.call === call;

  function isLater(stop, step, call) {
    if (step !== stop.step) return step > stop.step;
    return stop.place === "call" && call >= stop.call;
  }

  function markOf(step, call) {
    if (call === null) return step.answers ? "answer" : step.unusable || step.failed ? "error" : "unknown";
    if (call.finish) return call.state === "ok" ? "answer" : call.state;
    if (call.repeat !== null && call.state !== "not_asked") return "repeat";
    return call.state;
  }

  /* ---- one run, step by step ---- */

  let place = 0;

  function openRun(index) {
    open = index;
    place = 0;
    drawRun();
    $("run").showModal();
  }

  /** The events of a run in order: what was asked for, each check, each result, the end. */
  function eventsOf(run, answer) {
    const events = [];
    const checks = checksOf(run, answer);
    const at = (test) => checks.filter(({ point }) => test(point)).map(({ event }) => event);
    const before = (step) => at((point) => point.place === "before_call" && point.step === step - 1);
    for (const step of rules.stepsOf(data, run)) {
      events.push(...before(step.step));
      events.push({ kind: "request", step: step.step, text: `model call ${step.step}` });
      events.push({ kind: "reply", step: step.step, text: replyText(step), long: step.text });
      events.push(...at((point) => point.place === "during_call" && point.step === step.step));
      step.calls.forEach((call, index) => {
        events.push({ kind: "proposal", step: step.step, text: call.name, long: call.arguments });
        events.push(...at((point) => point.place === "call" && point.step === step.step && point.call === index));
        events.push({ kind: "result", step: step.step, text: resultText(call), long: call.result });
      });
      events.push(...at((point) => point.place === "after_step" && point.step === step.step));
    }
    events.push(...before(run.steps.length + 1));
    events.push({ kind: "end", step: run.steps.length, text: `recorded end: ${(run.end.reason ?? run.end.kind).replaceAll("_", " ")}${run.end.words ? `, ${run.end.words}` : ""}` });
    return events;
  }

  /** Each check of a run as an event, with the point at which it is made. */
  function checksOf(run, answer) {
    return run.points.map((_, index) => {
      const point = rules.pointOf(data, run, index);
      const stops = answer.point === index;
      const text = stops ? stopText(run, answer) : `checked: ${usedText(point)}`;
      return { point, event: { kind: stops ? "stop" : "check", step: point.step, text, long: null } };
    });
  }

  function stopText(run, answer) {
    const also = rules.alsoReached(data, run, tried, answer);
    return `stop: ${answer.reason.replaceAll("_", " ")} by ${answer.limit}`
      + (also.length ? `; also reached: ${also.join(", ")}` : "");
  }

  const usedText = ({ step, used }) => `${count(step, "step")}, ${seconds(used.model_us)} of model time, `
    + `${used.cost_unknown ? "cost unknown" : `US$${used.cost_usd}`}, ${count(used.errors, "error")} in a row`;

  function replyText(step) {
    if (step.failed) return `no reply: ${step.failed.replaceAll("_", " ")}`;
    const time = step.model_us === null ? "time unknown" : seconds(step.model_us);
    const what = step.answers ? "the answer" : step.unusable ? "no usable step: one error" : count(step.calls.length, "call");
    return `${what}; ${time}; ${step.tokens_in ?? "unknown"} tokens in, ${step.tokens_out ?? "unknown"} out`;
  }

  const resultText = (call) => {
    const state = call.finish && call.state === "ok" ? "answer" : call.state;
    return `${MARK_WORDS[state]}${call.code ? ` (${call.code})` : ""}${call.copy ? ", the result of an equal call" : ""}`;
  };

  function drawRun() {
    const run = data.runs[open];
    const answer = answers[open];
    const events = eventsOf(run, answer);
    place = Math.max(0, Math.min(place, events.length - 1));
    const stop = events.findIndex((event) => event.kind === "stop");
    $("run-title").textContent = `${run.run}: ${summary(run, answer)}`;
    $("run-facts").textContent = [run.ticket, run.model, run.source, WORTH_WORDS[run.success]].filter(Boolean).join(" · ");
    $("run-place").textContent = `${place + 1} of ${events.length}`;
    $("events").replaceChildren(...events.slice(0, place + 1).map((event, index) => {
      const late = stop >= 0 && index > stop;
      const item = element("li", { class: `event ${event.kind}${late ? " late" : ""}`, "aria-current": index === place ? "step" : null },
        element("span", { class: "kind" }, late ? `${event.kind}, beyond the stop` : event.kind), " ", event.text);
      if (event.long) item.append(element("pre", { tabindex: "0" }, event.long));
      return item;
    }));
    off("back", place === 0);
    off("next", place === events.length - 1);
    $("events").lastElementChild?.scrollIntoView({ block: "nearest" });
    $("run-done").textContent = events[place].text;
  }

  function step(by) { place += by; drawRun(); }

  /* ---- the trade-off of one limit ---- */

  function drawCurve() {
    const name = $("curve-limit").value;
    const each = SLIDERS.find((slider) => slider.name === name);
    const parts = Math.min(24, Math.round((each.most - each.least) / each.step));
    const points = [];
    for (let part = 0; part <= parts; part += 1) {
      const exact = each.least + (each.most - each.least) * part / Math.max(1, parts);
      const value = Math.round(exact / each.step) * each.step;
      const text = String(Number(value.toFixed(6)));
      points.push({ value: text, ...shares(rules.prepared(data, { ...limits, [name]: text })) });
    }
    $("curve").replaceChildren(curve(points, each.label));
    $("curve-table").replaceChildren(
      element("thead", {}, element("tr", {}, ...[each.label, "successes lost", "failures caught"].map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...points.map((point) => element("tr", {}, element("th", { scope: "row" }, point.value),
        element("td", {}, percent(point.lost)), element("td", {}, percent(point.caught))))));
  }

  const percent = (share) => share === null ? "none" : `${(100 * share).toFixed(1)} %`;

  function shares(others) {
    const found = { succeeded: [0, 0], failed: [0, 0], unknown: [0, 0] };
    for (const run of data.runs) {
      found[run.success][1] += 1;
      if (rules.whatIf(data, run, others).cut) found[run.success][0] += 1;
    }
    const share = ([cut, of]) => of ? cut / of : null;
    return { lost: share(found.succeeded), caught: share(found.failed) };
  }

  function curve(points, label) {
    const space = "http://www.w3.org/2000/svg";
    const make = (tag, attributes, text) => {
      const made = document.createElementNS(space, tag);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      if (text) made.textContent = text;
      return made;
    };
    const [width, height, left, top] = [460, 240, 50, 14];
    const plot = make("svg", { viewBox: `0 0 ${width + left + 20} ${height + 60}`, role: "img", "aria-label": `${label}: successes lost and failures caught, as in the table below` });
    const x = (index) => left + width * index / Math.max(1, points.length - 1);
    const y = (share) => top + height * (1 - share);
    for (const share of [0, 0.5, 1]) {
      plot.append(make("line", { x1: left, x2: left + width, y1: y(share), y2: y(share), class: "grid" }));
      plot.append(make("text", { x: 4, y: y(share) + 4 }, `${100 * share} %`));
    }
    for (const [name, words] of [["lost", "successes lost"], ["caught", "failures caught"]]) {
      if (points.every((point) => point[name] === null)) continue;
      plot.append(make("polyline", { class: name, points: points.map((point, index) => `${x(index)},${y(point[name] ?? 0)}`).join(" ") }));
      plot.append(make("text", { x: left + (name === "lost" ? 0 : 160), y: height + top + 40, class: name }, `${name === "lost" ? "━" : "┅"} ${words}`));
    }
    points.forEach((point, index) => {
      if (index % Math.ceil(points.length / 8) === 0) plot.append(make("text", { x: x(index), y: height + top + 18, "text-anchor": "middle" }, point.value));
    });
    return plot;
  }

  /* ---- start ---- */

  $("search").addEventListener("input", () => { from = 0; drawRuns(); });
  $("earlier").addEventListener("click", () => { if (!isOff("earlier")) { from -= ROWS; drawRuns(); } });
  $("later").addEventListener("click", () => { if (!isOff("later")) { from += ROWS; drawRuns(); } });
  $("all").addEventListener("click", () => show("all runs", () => true));
  $("back").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("close").addEventListener("click", () => $("run").close());
  $("run").addEventListener("close", () => { open = null; });
  $("run").addEventListener("keydown", (event) => {
    if (event.target.tagName === "PRE") return;
    if (event.key === "ArrowRight" || event.key === "ArrowDown") { step(1); event.preventDefault(); }
    if (event.key === "ArrowLeft" || event.key === "ArrowUp") { step(-1); event.preventDefault(); }
    if (event.key === "End") { step(1e6); event.preventDefault(); }
    if (event.key === "Home") { step(-1e6); event.preventDefault(); }
  });
  for (const { name, label } of SLIDERS) $("curve-limit").append(element("option", { value: name }, label));
  $("draw").addEventListener("click", drawCurve);
  drawLimits();
  tryLimits();
  document.documentElement.dataset.ready = "yes";
})();
