// The shop's side of Baton, a waiting room in front of web sites. `Checker` tells which requests came through Baton; the check
// for Express and plain `http` is in `baton-kit/express`, that for Next.js in `baton-kit/next`. Nothing but Node is needed.

export { Checker, REASONS, SKEW_MAX_MS, macOf, refusalOf } from "./checker.js";
export { FenceGuard, NoLease, StaleFence, requireLease } from "./guard.js";
export { extend, release, stock } from "./headers.js";
export { MemoryStore, RedisStore, SqlStore } from "./stores.js";
