// In which order functions stand in a module, so that gzip finds most of what they share: it looks back 32 KiB. Pure.
//
// `alikeOrder` appends one function after another: each time the one that shares most with the last 32 KiB. It counts what functions share in runs of
// six bytes. A run that few functions have counts for more than one that many have, and a long function must share more. We tried the figures out on
// the worker: others near them give as much.

const WINDOW = 32 * 1024;
const RUN = 6;
/** Runs in more functions than this are in every window, and would cost most of the time. */
const OWNERS_MAX = 400;
const RARITY = -0.3;
const LENGTH = 0.6;

/** Returns the runs of one body, each once, as hashes: two runs with one hash only cost a little of the gain. */
function runsOf(body) {
  const runs = new Set();
  for (let from = 0; from + RUN <= body.length; from++) {
    let hash = 2166136261;
    for (let at = from; at < from + RUN; at++) hash = Math.imul(hash ^ body[at], 16777619);
    runs.add(hash >>> 0);
  }
  return runs;
}

/** Returns of each function the runs that it shares, as `{ owners, weight, inWindow }`: objects that the functions have in common. */
function sharedRuns(bodies) {
  const all = new Map();
  for (const [owner, body] of bodies.entries())
    for (const hash of runsOf(body)) {
      const run = all.get(hash);
      if (run) run.owners.push(owner);
      else all.set(hash, { owners: [owner], weight: 0, inWindow: 0 });
    }
  const shared = bodies.map(() => []);
  for (const run of all.values()) {
    if (run.owners.length === 1 || run.owners.length > OWNERS_MAX) continue;
    run.weight = run.owners.length ** RARITY;
    for (const owner of run.owners) shared[owner].push(run);
  }
  return shared;
}

/** Returns the indices of the bodies in the order in which like is beside like. The same bodies always give the same order. */
export function alikeOrder(bodies) {
  const shared = sharedRuns(bodies);
  const cost = bodies.map(({ length }) => length ** LENGTH);
  /** What each function has in common with the window. */
  const common = new Float64Array(bodies.length);
  const count = (run, sign) => {
    for (const owner of run.owners) common[owner] += sign * run.weight;
  };
  const left = new Set(bodies.keys());
  const order = [];
  let [first, bytes] = [0, 0];
  while (left.size > 0) {
    let best = -1;
    for (const each of left) if (best < 0 || common[each] / cost[each] > common[best] / cost[best]) best = each;
    left.delete(best);
    order.push(best);
    bytes += bodies[best].length;
    for (const run of shared[best]) if (run.inWindow++ === 0) count(run, 1);
    for (; bytes > WINDOW && first < order.length - 1; first++) {
      bytes -= bodies[order[first]].length;
      for (const run of shared[order[first]]) if (--run.inWindow === 0) count(run, -1);
    }
  }
  return order;
}

/** Returns for each body a name; sorted by name, the bodies are in the order above. */
export function namesInOrder(bodies) {
  const names = [];
  for (const [place, at] of alikeOrder(bodies).entries()) names[at] = String(place).padStart(6, "0");
  return names;
}
