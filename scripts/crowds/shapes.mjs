// The shapes of crowds, each with its source. Pure: a shape follows from its numbers and a seed, the same each time.
//
// A visitor is `{ at_ms, visitor, stay_ms }`: when the visitor comes, and how long after going in the visitor gives the permit back. Names of
// people begin with p, of bots with b.

import { between, diceOf } from "../dice.mjs";

const PEOPLE = 600;
const SPAN_MS = 600_000;
/**
 * How long people stay in the shop: 5 to 40 s, half of them less than 15 s (log-uniform). These times are ours, kept short
 * so that a trace plays quickly.
 */
const STAY_MS = [5_000, 40_000];
const SEED = 22;

const stay = (roll) => Math.round(Math.exp(between(roll, STAY_MS.map(Math.log))));
/** Returns a gap of a Poisson stream with this mean. */
const gap = (roll, meanMs) => -meanMs * Math.log(1 - roll());

/** Returns people who come at these moments, in order. */
function peopleAt(moments, roll) {
  const sorted = moments.map(Math.round).sort((a, b) => a - b);
  return sorted.map((atMs, nth) => ({ at_ms: atMs, visitor: `p${nth + 1}`, stay_ms: stay(roll) }));
}

/** Returns people who come at random, at a constant rate over the whole span. */
function evenly(roll, count) {
  return peopleAt(
    Array.from({ length: count }, () => between(roll, [0, SPAN_MS])),
    roll,
  );
}

/** A steep rise, a plateau and a long tail. The numbers are the ends of the phases and their shares of the crowd. */
function openingRush(roll) {
  const [riseEndMs, plateauEndMs, tailMeanMs] = [10_000, 60_000, 90_000];
  const moment = () => {
    const part = roll();
    if (part < 0.15) return riseEndMs * Math.sqrt(roll());
    if (part < 0.65) return between(roll, [riseEndMs, plateauEndMs]);
    return Math.min(SPAN_MS, plateauEndMs + gap(roll, tailMeanMs));
  };
  return peopleAt(Array.from({ length: PEOPLE }, moment), roll);
}

/** People come before a moment that everybody knows: the pressure to come is one over the time left, cut off a few seconds before the moment. */
function draw(roll) {
  const [opensMs, cutMs, lateMeanMs] = [300_000, 5_000, 60_000];
  const early = () => opensMs + cutMs - (opensMs + cutMs) * (cutMs / (opensMs + cutMs)) ** roll();
  const moment = () => (roll() < 0.8 ? early() : Math.min(SPAN_MS, opensMs + gap(roll, lateMeanMs)));
  return peopleAt(Array.from({ length: PEOPLE }, moment), roll);
}

/** A quiet sale of people. For one minute nine bots come for each person, in bursts every five seconds, and are done in a moment. */
function botWave(roll) {
  const [fromMs, untilMs, everyMs, burstMs, each] = [120_000, 180_000, 5_000, 150, 9];
  const people = evenly(roll, PEOPLE / 2);
  const inWave = people.filter(({ at_ms: atMs }) => atMs >= fromMs && atMs < untilMs).length;
  const bursts = (untilMs - fromMs) / everyMs;
  const bots = Array.from({ length: each * inWave }, (_, nth) => ({
    at_ms: Math.round(fromMs + (nth % bursts) * everyMs + between(roll, [0, burstMs])),
    visitor: `b${nth + 1}`,
    stay_ms: Math.round(between(roll, [1_000, 3_000])),
  }));
  return [...people, ...bots].sort((a, b) => a.at_ms - b.at_ms);
}

/** For 100 seconds 35 % of the payments fail: those who come then stay until the bank is back, and pay soon after. */
function bankOutage(roll) {
  const [fromMs, untilMs, share, backMs] = [200_000, 300_000, 0.35, [0, 15_000]];
  return evenly(roll, PEOPLE).map((person) => {
    const isHit = person.at_ms >= fromMs && person.at_ms < untilMs && roll() < share;
    return isHit ? { ...person, stay_ms: person.stay_ms + Math.round(untilMs - person.at_ms + between(roll, backMs)) } : person;
  });
}

/** For a minute 40 % of the phones have no network: people who would come then come just after, and people inside stay that much longer. */
function phoneNetwork(roll) {
  const [fromMs, untilMs, share, backMeanMs] = [240_000, 300_000, 0.4, 2_000];
  const moved = evenly(roll, PEOPLE).map((person) => {
    if (roll() >= share) return person;
    const { at_ms: atMs, stay_ms: stayMs } = person;
    if (atMs >= fromMs && atMs < untilMs) return { ...person, at_ms: Math.round(untilMs + gap(roll, backMeanMs)) };
    return atMs < fromMs && atMs + stayMs > fromMs ? { ...person, stay_ms: stayMs + untilMs - fromMs } : person;
  });
  return moved.sort((a, b) => a.at_ms - b.at_ms);
}

/** By name: how the shape is made, what it is, and its source. */
export const SHAPES = {
  opening_rush: {
    make: openingRush,
    what: "A sale opens at 0. Two thirds of the crowd within the first minute, then a tail",
    source:
      "Flash crowds rise, stay and fall in three phases: I. Ari, B. Hong, E. L. Miller, S. A. Brandt, D. D. E. Long, *Managing Flash Crowds on the Internet*, MASCOTS 2003, doi:10.1109/MASCOT.2003.1240667. The shares of the phases are ours",
  },
  draw: {
    make: draw,
    what: "A draw at 300 s. Four of five come before, ever more of them; the rest after",
    source:
      "Before a deadline the pressure to act is one over the time left: V. Alfi, G. Parisi, L. Pietronero, *Conference registration: how people react to a deadline*, Nature Physics 3, 746 (2007), doi:10.1038/nphys761. The four fifths are ours",
  },
  slow_burn: {
    make: (roll) => evenly(roll, PEOPLE),
    what: "One person a second on average, for ten minutes, as chance has it",
    source:
      "Within an hour, people's arrivals are well described as Poisson: V. Paxson, S. Floyd, *Wide-Area Traffic: The Failure of Poisson Modeling*, IEEE/ACM Transactions on Networking 3(3), 1995, doi:10.1109/90.392383",
  },
  bot_wave: {
    make: botWave,
    what: "A slow burn; from 120 s to 180 s nine bots for each person, in bursts every 5 s, done within 3 s",
    source:
      "14 million visitors, bots among them, for a sale to 1.5 million invited people: the chief executive of Liberty Media, Live Nation's largest owner, on 17 November 2022 (Music Times), and Ticketmaster's statement of that day (Variety). That the others were bots, and their bursts, is ours",
  },
  bank_outage: {
    make: bankOutage,
    what: "A slow burn; from 200 s to 300 s 35 % of those who come cannot pay until it is over",
    source:
      "At its peaks up to 35 % of payments failed: Visa Europe's letter to the Treasury Committee of 15 June 2018 on the disruption of 1 June (City A.M., 19 June 2018). That hit people try again until it works is ours",
  },
  phone_network: {
    make: phoneNetwork,
    what: "A slow burn; from 240 s to 300 s 40 % have no network: they come at once when it is back, and who is inside stays longer",
    source: "No measurement: a minute without one of a country's large networks. Both numbers are ours",
  },
};

/** Returns the trace as text: `at_ms,event,visitor,stay_ms`. */
export function traceOf(name) {
  const rows = SHAPES[name].make(diceOf(SEED)).map(({ at_ms: atMs, visitor, stay_ms: stayMs }) => `${atMs},arrive,${visitor},${stayMs}`);
  return `at_ms,event,visitor,stay_ms\n${rows.join("\n")}\n`;
}
