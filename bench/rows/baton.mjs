// The baton: from a holder who leaves until the next visitor's socket is told. It runs beside objects that do nothing but pass the word on (`hop`:
// one more object and one row; `hop2`: also the row that Baton has to write), and beside the shortest way (`relay`). One of each kind follows the
// other, so that whatever else the machine does burdens all alike. The baton through a porter runs beside as many objects in a row (`ported`).

import { percentile } from "../lib/figures.mjs";
import { Line, openSocket, requestText } from "../lib/line.mjs";
import { ONE_PERMIT, Room } from "../lib/room.mjs";

/** A room for so large a crowd has five lobbies, and so a porter. */
const PORTED_CROWD = 50_000;

export const theBaton = {
  name: "baton",
  async begin(stage) {
    const ceilings = await stage.ceilings();
    const baton = await stage.baton({ left: ONE_PERMIT, released: ONE_PERMIT, ported: { ...ONE_PERMIT, crowd: PORTED_CROWD } });
    const relays = {};
    for (const kind of ["relay", "hop", "hop2", "onward", "ported"]) relays[kind] = await Relay.open(ceilings.port, kind);
    const rooms = { left: await Room.open(baton, "left"), released: await Room.open(baton, "released"), ported: await Room.open(baton, "ported") };
    const ways = {
      relay: () => relays.relay.time(),
      hop: () => relays.hop.time(),
      hop2: () => relays.hop2.time(),
      left: () => rooms.left.time(() => rooms.left.leave()),
      through: () => relays.ported.time(),
      ported: () => rooms.ported.time(() => rooms.ported.leave()),
      onward: () => relays.onward.time(),
      released: () => rooms.released.time(() => rooms.released.release()),
    };
    return {
      steps: {
        async all() {
          const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
          for (let i = 0; i < stage.options.pairs; i++) {
            for (const [name, time] of Object.entries(ways)) times[name].push(await time());
          }
          const figures = {};
          for (const name of Object.keys(ways)) for (const percent of [50, 99]) figures[`${name}_p${percent}`] = percentile(times[name], percent);
          return figures;
        },
      },
      rows(of) {
        const row = (what, way, percent, ceiling, ceiling_of, target) => ({
          what: `${what}, p${percent}`,
          value: of("all", `${way}_p${percent}`),
          unit: "ms",
          ceiling: of("all", `${ceiling}_p${percent}`),
          ceiling_of,
          target,
        });
        const sent = "baton: leave → next told";
        const both = "the same hops, both rows";
        const answered = "baton: request, origin says release → next told";
        const hops = "the same hops, one insert";
        return [
          row(sent, "left", 50, "hop", hops, "≤ 1.2×"),
          row(sent, "left", 99, "hop", hops, "≤ 1.3×"),
          row(sent, "left", 50, "relay", "the bare relay", "≤ 3.5×"),
          row(sent, "left", 99, "relay", "the bare relay", "≤ 5×"),
          row(`${sent}, through a porter`, "ported", 50, "through", "as many hops, one insert", "≤ 1.2×"),
          row(`${sent}, through a porter`, "ported", 99, "through", "as many hops, one insert", "≤ 1.3×"),
          row(sent, "left", 50, "hop2", both),
          row(sent, "left", 99, "hop2", both),
          row(answered, "released", 50, "onward", "the same hops beside the origin"),
          row(answered, "released", 99, "onward", "the same hops beside the origin"),
          row("the same hops, one insert", "hop", 50, "relay", "the bare relay"),
        ];
      },
    };
  },
};

/** A socket in a ceiling's object, and the connection that makes the object tell it. */
class Relay {
  constructor(line, text) {
    this.line = line;
    this.text = text;
  }

  static async open(port, kind) {
    const name = `pair-${kind}`;
    const relay = new Relay(await Line.open(port), requestText("GET", `/${kind}/${name}/send`, { host: `127.0.0.1:${port}` }));
    await openSocket(port, `/relay/${name}/socket`, { onMessage: () => relay.heard?.(performance.now()) });
    return relay;
  }

  async time() {
    const told = new Promise((resolve) => {
      this.heard = resolve;
    });
    const at = performance.now();
    const [toldAt, { status }] = await Promise.all([told, this.line.send(this.text)]);
    if (status !== 200) throw new Error(`a relay answered ${status}`);
    return toldAt - at;
  }
}
