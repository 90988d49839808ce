// A shop behind Baton's own check answers only what came through Baton. With staging's ORIGIN_SECRET the test signs its requests as Baton would
// (docs/protocol.md, headers towards the origin), so that the shop can be asked without the line before it.

import { randomBytes } from "node:crypto";
import { macOf } from "../../kits/node/src/checker.js";

/** The lease of the test's people: an hour, longer than visits usually are. */
const LEASE_MS = 60 * 60_000;

/** Gives each person a number and a fence of their own. `publicHost`: the visitors' host, which the proof covers. */
export class Prover {
  #secret;
  #room;
  #publicHost;
  #last;

  constructor({ secret, room, publicHost, now = Date.now }) {
    this.#secret = secret;
    this.#room = room;
    this.#publicHost = publicHost.toLowerCase();
    // Shops refuse an older fence of the same ticket, so later runs begin above earlier ones.
    this.#last = now();
  }

  /** The origin of the shop's pages as visitors see them. */
  get publicOrigin() {
    return `https://${this.#publicHost}`;
  }

  /** Returns what makes the headers of each request of one person: `(method, target) => headers`. The target is path and query as they are sent. */
  person() {
    this.#last += 1;
    const [fence, endsAtMs] = [String(this.#last), Date.now() + LEASE_MS];
    return (method, target) => this.#headers({ method, target, fence, endsAtMs });
  }

  #headers({ method, target, fence, endsAtMs }) {
    const [t, nonce] = [String(Date.now()), randomBytes(8).toString("hex")];
    const mac = macOf({ secret: this.#secret, t, nonce, method, host: this.#publicHost, target, room: this.#room, fence });
    return {
      "baton-room": this.#room,
      "baton-ticket": fence,
      "baton-fence": fence,
      "baton-ends-at-ms": String(endsAtMs),
      "baton-target": target,
      "baton-proof": `v1;t=${t};n=${nonce};mac=${mac}`,
      "x-forwarded-host": this.#publicHost,
      "x-forwarded-proto": "https",
    };
  }
}
