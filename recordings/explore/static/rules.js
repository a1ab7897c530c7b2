"use strict";
/*
 * What limits make of a profiled run: a minimum over the points at which a limit is reached.
 *
 * The data are described in docs/explore.md, "The data of a profile". This decides nothing of its
 * own: which amounts count where was worked out by the loop's rules, and a test holds every answer
 * of this file against them.
 */
const rules = (() => {
  const PARTS = 18; // decimal places that amounts and limits are compared in

  /** A decimal text or a whole number as a whole number of the smallest parts. */
  function exact(value) {
    if (typeof value === "number") return BigInt(value) * 10n ** BigInt(PARTS);
    const [whole, parts = ""] = value.split(".");
    return BigInt(whole + parts.slice(0, PARTS).padEnd(PARTS, "0"));
  }

  /** Whether this much used reaches a limit; what is unknown is above every limit. */
  function reached(bound, used, limit) {
    if (used === "unknown") return true;
    const amount = exact(used);
    const most = bound.limit === "max_seconds" ? exact(String(limit)) * 1000000n : exact(String(limit));
    return bound.stops_at_limit ? amount >= most : amount > most;
  }

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

  function equal(one, two) {
    if (one === null || two === null || one === undefined) return one === two;
    return exact(String(one)) === exact(String(two));
  }

  /** Why a limit cannot be tried on a run, or null. */
  function objection(run, bound, limits) {
    const name = bound.limit;
    const limit = limits[name];
    const told = run.named_limits.includes(name);
    if (told && (run.limits === null || !equal(run.limits[name], limit))) {
      return `${name}: the prompt told the model this limit`;
    }
    if (limit !== null && run.known[neededFor(name, limits)] === false) {
      return `${name}: what it counts is not recorded`;
    }
    return null;
  }

  function firstPoint(run, bound, limits) {
    const limit = limits[bound.limit];
    if (limit === null) return null;
    for (const [amount, point] of run.firing[seriesOf(bound.limit, limits)] ?? []) {
      if (reached(bound, amount, limit)) return point;
    }
    return null;
  }

  /** What a point has counted for a bound; repeats are no budget and are not among them. */
  function usedFor(name, point, limits) {
    switch (name) {
      case "max_steps": return point.step;
      case "max_seconds": return limits.clock === "wall" ? point.used.wall_us : point.used.model_us;
      case "max_cost_usd": return point.used.cost_unknown ? "unknown" : point.used.cost_usd;
      case "max_errors": return point.used.errors;
      default: return null;
    }
  }

  /** The limits that are reached at a point, in the order that decides. */
  function reachedAt(data, point, limits) {
    return data.bounds
      .filter((bound) => limits[bound.limit] !== null)
      .filter((bound) => usedFor(bound.limit, point, limits) !== null)
      .filter((bound) => reached(bound, usedFor(bound.limit, point, limits), limits[bound.limit]))
      .map((bound) => bound.limit);
  }

  /** What a set of limits makes of a run: { fate, step, reason, limit, also, point, why, cut }. */
  function whatIf(data, run, limits) {
    for (const bound of data.bounds) {
      const why = objection(run, bound, limits);
      if (why !== null) return { fate: "not_comparable", step: 0, reason: null, why, cut: false };
    }
    let hit = null;
    for (const bound of data.bounds) {
      const point = firstPoint(run, bound, limits);
      if (point !== null && (hit === null || point < hit.point)) hit = { point, bound };
    }
    if (hit === null) {
      const fate = run.ends_known ? "same" : "unknown";
      return { fate, step: run.steps.length, reason: null, cut: false };
    }
    const point = run.points[hit.point];
    const { reason, limit } = hit.bound;
    const stopped = run.end.kind === "stopped";
    const same = stopped && run.end.reason === reason && run.end.step === point.step;
    return {
      fate: same ? "same" : "stops",
      step: point.step,
      reason,
      limit,
      also: reachedAt(data, point, limits).filter((name) => name !== limit),
      point: hit.point,
      cut: !same && !(stopped && run.end.step === point.step),
    };
  }

  return { whatIf, reachedAt, usedFor, reached, exact };
})();
