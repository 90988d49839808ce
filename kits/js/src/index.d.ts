export type Mode = "open" | "paused" | "bypass" | "closed" | "sold_out" | "drain" | "observe";

/** Why a place is over. */
export type Reason = "left" | "missed" | "away" | "released" | "expired" | "carried" | "reset" | "sold_out";

/** How things are in a room, as in docs/client.md, "Status". Times are Unix milliseconds (`_at_ms`) or seconds (`_s`). */
export interface Status {
  state: "none" | "hall" | "waiting" | "called" | "admitted" | "over";
  room: string;
  version: number;
  mode: Mode;
  /** Of this ticket alone in its edition. People are shown `lane.number` where there is one. */
  number?: number;
  /** `better`: the token names an earlier lane; joining moves the place to its end. */
  lane?: { name: string; title: string; number?: number; better?: true };
  /** Another lane is called first: there is no estimate. */
  behind?: true;
  edition?: number;
  /** The place in the hall, before everybody in it gets a number. */
  entry?: number;
  /** Of which lane's hall the entry is; left out for the first. */
  hall?: number;
  /** How those in the hall get their numbers. */
  draw?: "shuffle" | "arrival";
  ahead?: number;
  waiting?: number;
  eta_min_s?: number;
  eta_max_s?: number;
  /** Up to which number a seat can be expected; 0: perhaps none for anybody who waits. */
  seats_to?: number;
  opens_at_ms?: number;
  ends_at_ms?: number;
  claim_by_at_ms?: number;
  poll_after_s: number;
  /** Over how long those who lost their sockets spread their return; without a number: the first call is due in the last of so many seconds. */
  spread_s?: number;
  reason?: Reason;
  missed?: true;
  message?: string;
}

/** Where credentials live. Keep them as you keep a session: whoever has them has the place. */
export interface Store {
  get(): string | null | undefined | Promise<string | null | undefined>;
  set(credentials: string): void | Promise<void>;
}

export interface Options {
  /** The site's, such as `https://tickets.example.com`. */
  url: string;
  /** In memory, if left out. */
  store?: Store;
  fetch?: typeof fetch;
  /** `undefined` where there is none: then the line is asked instead. */
  WebSocket?: typeof WebSocket;
}

export interface Events {
  /** The number to show, and the title of its lane where the room has lanes. */
  number: [number: number, lane?: string];
  /** People in front. It never rises for one place. */
  ahead: [ahead: number];
  called: [];
  over: [reason?: Reason];
  status: [status: Status];
}

export class Baton {
  constructor(options: Options);
  on<Name extends keyof Events>(name: Name, listener: (...what: Events[Name]) => void): () => void;
  /** Resolves once the gated paths are open. Rejects with `Over`, `Refused`, or the signal's reason. */
  enter(room: string, options?: { signal?: AbortSignal }): Promise<Status & { in: true }>;
  fetch(room: string, input: string | URL, init?: RequestInit): Promise<Response>;
  leave(room: string): Promise<void>;
}

export class Over extends Error {
  room: string;
  reason?: Reason;
}

export class Refused extends Error {
  status: number;
  code?: string;
}
