// Frames to many sockets of one lobby. Each socket offers compression, as browsers do, and Baton refuses it. Measured are the CPU time
// of a frame, beside a bare loop that sends a constant of the same length to as many sockets; the share of a core while the line moves;
// and whether frames are on time.

import { Crowd } from "../lib/crowd.mjs";
import { Line, requestText } from "../lib/line.mjs";
import { LINE, cpuSeconds } from "../lib/stage.mjs";
import { output } from "../../scripts/common.mjs";

const TICK_MS = 1_000;
/** The most frames that a lobby sends in a second (src/lobby/frames.rs). */
const FRAMES_PER_S = 2_000;
/** workerd holds two open files for each socket, and some for itself. */
const FILES_PER_SOCKET = 2;
const FILES_ELSE = 1_000;
/** Frames that are measured in a round. */
const FRAMES = 3;

export const frames = {
  name: "frames",
  async begin(stage) {
    const count = Math.min(stage.options.sockets, socketsMax());
    if (count < stage.options.sockets)
      process.stderr.write(`frames: ${count} sockets, for this system lets a process have ${openFilesMax()} open files\n`);
    const ceilings = await stage.ceilings();
    const baton = await stage.baton({ watched: { ...LINE, tick_ms: TICK_MS, crowd: 10_000 } });
    const due_ms = Math.max(TICK_MS, (count / FRAMES_PER_S) * 1_000);
    const watched = stage.keep(
      await Crowd.open({ port: baton.port, path: "/__baton/watched/socket", count, cookies: await baton.visitors(count), compresses: true }),
    );
    const bare = stage.keep(await Crowd.open({ port: ceilings.port, path: "/relay/watched/socket", count }));
    const newcomers = await baton.visitors(1_000);
    const mover = await Line.open(baton.port);
    const teller = await Line.open(ceilings.port);
    let bytes = 0;

    /** Moves the line: one visitor joins. */
    const move = async () => {
      const host = `127.0.0.1:${baton.port}`;
      const { status } = await mover.send(
        requestText("POST", "/__baton/watched/join", { host, origin: `http://${host}`, cookie: newcomers.pop(), accept: "application/json" }),
      );
      if (status !== 201) throw new Error(`a join was answered ${status}`);
    };
    return {
      steps: {
        async frames() {
          watched.ping();
          await move();
          let last = await watched.next();
          const times = { frames: [], gaps: [], spreads: [] };
          const from = { cpu: cpuSeconds(baton.pid), at: performance.now() };
          const moving = setInterval(() => move().catch(() => {}), TICK_MS);
          for (let i = 0; i < FRAMES; i++) {
            const frame = await watched.next();
            times.gaps.push(frame.first_ms - last.first_ms);
            times.spreads.push(frame.last_ms - frame.first_ms);
            bytes = frame.bytes;
            last = frame;
          }
          clearInterval(moving);
          const cpu_ms = (cpuSeconds(baton.pid) - from.cpu) * 1_000;
          return {
            cpu_ms: cpu_ms / FRAMES,
            share: (cpu_ms / (performance.now() - from.at)) * 100,
            gap_ms: Math.max(...times.gaps),
            spread_ms: Math.max(...times.spreads),
          };
        },
        async bare() {
          bare.ping();
          const text = requestText("GET", `/relay/watched/frame/${bytes}`, { host: `127.0.0.1:${ceilings.port}` });
          const tell = async () => (await Promise.all([bare.next(), teller.send(text)]))[0];
          await tell();
          const from = cpuSeconds(ceilings.pid);
          const spreads = [];
          for (let i = 0; i < FRAMES; i++) {
            const { first_ms, last_ms } = await tell();
            spreads.push(last_ms - first_ms);
          }
          return { cpu_ms: ((cpuSeconds(ceilings.pid) - from) * 1_000) / FRAMES, spread_ms: Math.max(...spreads) };
        },
      },
      rows(of) {
        const sockets = `${count.toLocaleString("en")} sockets of one lobby`;
        const loop = "a bare loop, a constant";
        return [
          {
            what: `a frame (${bytes} bytes) to ${sockets}: CPU of the process`,
            value: of("frames", "cpu_ms"),
            unit: "ms",
            ceiling: of("bare", "cpu_ms"),
            ceiling_of: loop,
            target: "≤ 1.2×",
          },
          { what: "share of one core while the line moves", value: of("frames", "share"), unit: "%", target: "≤ 25 %" },
          {
            what: "from one frame to the next, the longest",
            value: of("frames", "gap_ms"),
            unit: "ms",
            ceiling: due_ms,
            ceiling_of: "when it is due",
            target: "≤ 1.1×",
          },
          {
            what: "from the first socket that has it to the last",
            value: of("frames", "spread_ms"),
            unit: "ms",
            ceiling: of("bare", "spread_ms"),
            ceiling_of: loop,
          },
        ];
      },
    };
  },
};

const openFilesMax = () => Number(output("sh", ["-c", "ulimit -n"])) || Infinity;
const socketsMax = () => Math.floor((openFilesMax() - FILES_ELSE) / FILES_PER_SOCKET);
