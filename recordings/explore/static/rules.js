"use strict";
/*
 * What limits make of a profiled run: a minimum over the points at which a limit is reached.
 *
 * The data are described in docs/explore.md, "The data of a profile", and how the page packs them in
 * recordings/explore/packed.py. This decides nothing of its own: which amounts count where was worked
 * out by the loop's rules, and a test holds every answer of this file against them.
 */
const rules = (() => {
  /* ---- the data, unpacked as far as they are needed ---- */

  function named(names, row) {
    const found = {};
    for (let index = 0; index < names.length; index += 1) found[names[index]] = row[index];
    return found;
  }

  /** The data with a run as an object; its steps and points stay rows until somebody asks. */
  function unpacked(packed) {
    const { columns, shared } = packed;
    const runs = packed.runs.map((row) => {
      const run = named(columns.runs, row);
      for (const name of Object.keys(shared)) run[name] = shared[name][run[name]];
      run.at_end = named(columns.used, run.at_end);
      return run;
    });
    return { ...packed, runs };
  }

  function stepsOf(data, run) {
    const { columns } = data;
    return run.steps.map((row) => {
      const step = named(columns.steps, row);
      step.calls = step.calls.map((call) => named(columns.calls, call));
      return step;
    });
  }

  function pointOf(data, run, index) {
    const point = named(data.columns.points, run.points[index]);
    point.used = named(data.columns.used, point.used);
    return point;
  }

  /* ---- amounts, exactly ---- */

  /** A decimal text as a whole number of parts, of which it is `parts` to the unit. */
  function whole(text, parts) {
    const [units, rest = ""] = text.split(".");
    return BigInt(units + rest.padEnd(parts, "0"));
  }

  const partsOf = (text) => text.length - 1 - (text.includes(".") ? text.indexOf(".") : text.length - 1);

  /** How two decimal texts compare: below 0, 0, or above 0. */
  function compared(one, two) {
    // The nearest floating-point numbers of two amounts never stand the other way round, so only
    // those that fall together have to be looked at digit by digit.
    const difference = Number(one) - Number(two);
    if (difference !== 0) return difference;
    const [first, second] = [String(one), String(two)];
    if (first === second) return 0;
    const parts = Math.max(partsOf(first), partsOf(second));
    const [a, b] = [whole(first, parts), whole(second, parts)];
    return a < b ? -1 : Number(a > b);
  }

  /** Decimal seconds as a text of microseconds: the point, moved. */
  function microseconds(text) {
    const [units, rest = ""] = text.split(".");
    const parts = rest.padEnd(6, "0");
    return parts.length > 6 ? `${units}${parts.slice(0, 6)}.${parts.slice(6)}` : units + parts;
  }

  /** Whether this much used reaches what is tried; what is unknown is above every limit. */
  function reached({ bound, most }, used) {
    if (used === "unknown") return true;
    const difference = compared(used, most);
    return bound.stops_at_limit ? difference >= 0 : difference > 0;
  }

  /* ---- limits ---- */

  function seriesOf(name, limits) {
    if (name === "max_seconds") return `${name}/${limits.clock}/${limits.time_check}`;
    return name === "allowed_repeats" ? `${name}/${limits.repeat}` : name;
  }

  /** What has to be recorded for a limit to be tried, by its name in a run's "known". */
  function neededFor(name, limits) {
    if (name === "max_seconds") return `${name}/${limits.clock}`;
    const outcomes = name === "max_errors"
      || (name === "allowed_repeats" && limits.repeat === "after_success");
    return outcomes ? "outcomes" : name;
  }

  /** Limits made ready to be tried on many runs: one entry for each bound, in the deciding order. */
  function prepared(data, limits) {
    return data.bounds.map((bound) => {
      const limit = limits[bound.limit];
      const text = limit === null ? null : String(limit);
      return {
        bound,
        limit,
        most: text !== null && bound.limit === "max_seconds" ? microseconds(text) : text,
        series: data.series.indexOf(seriesOf(bound.limit, limits)),
        needed: neededFor(bound.limit, limits),
        clock: limits.clock,
      };
    });
  }

  function equal(one, two) {
    if (one === null || two === null || one === undefined) return one === two;
    return compared(one, two) === 0;
  }

  /** Why a limit cannot be tried on a run, or null. */
  function objection(run, { bound, limit, needed }) {
    const name = bound.limit;
    const told = run.named_limits.includes(name);
    if (told && (run.limits === null || !equal(run.limits[name], limit))) {
      return `${name}: the prompt told the model this limit`;
    }
    if (limit !== null && run.known[needed] === false) {
      return `${name}: what it counts is not recorded`;
    }
    return null;
  }

  function firstPoint(run, each) {
    if (each.limit === null) return null;
    for (const [amount, point] of run.firing[each.series]) {
      if (reached(each, amount)) return point;
    }
    return null;
  }

  /** What a point has counted for a bound; repeats are no budget and are not among them. */
  function usedFor({ bound, clock }, point) {
    switch (bound.limit) {
      case "max_steps": return point.step;
      case "max_seconds": return clock === "wall" ? point.used.wall_us : point.used.model_us;
      case "max_cost_usd": return point.used.cost_unknown ? "unknown" : point.used.cost_usd;
      case "max_errors": return point.used.errors;
      default: return null;
    }
  }

  /** The limits that are reached at a point, in the order that decides. */
  function reachedAt(tried, point) {
    return tried
      .filter((each) => each.limit !== null && usedFor(each, point) !== null)
      .filter((each) => reached(each, usedFor(each, point)))
      .map((each) => each.bound.limit);
  }

  /** What prepared limits make of a run: { fate, step, reason, limit, point, why, cut }. */
  function whatIf(data, run, tried) {
    for (const each of tried) {
      const why = objection(run, each);
      if (why !== null) return { fate: "not_comparable", step: 0, reason: null, why, cut: false };
    }
    let hit = null;
    let bound = null;
    for (const each of tried) {
      const point = firstPoint(run, each);
      if (point !== null && (hit === null || point < hit)) [hit, bound] = [point, each.bound];
    }
    if (hit === null) {
      const fate = run.ends_known ? "same" : "unknown";
      return { fate, step: run.steps.length, reason: null, cut: false };
    }
    const { step } = pointOf(data, run, hit);
    const { reason, limit } = bound;
    const stopped = run.end.kind === "stopped";
    const same = stopped && run.end.reason === reason && run.end.step === step;
    return {
      fate: same ? "same" : "stops",
      step,
      reason,
      limit,
      point: hit,
      cut: !same && !(stopped && run.end.step === step),
    };
  }

  /** The other limits that are reached where a run stops. */
  function alsoReached(data, run, tried, answer) {
    return reachedAt(tried, pointOf(data, run, answer.point)).filter((name) => name !== answer.limit);
  }

  return { unpacked, stepsOf, pointOf, prepared, whatIf, alsoReached, compared };
})();
