/* The report's sections of words and tables. Pure. */

import { escaped, filled, laneOf } from "./text.js";

/** The most rows of the chain that a page shows. The CSV and the journal have them all. */
const HEADS_SHOWN = 200;
/** The ways out of the line, in the order in which they are told. */
const WAYS = ["got_in", "gave_up", "lost", "missed_out", "sold_out", "dismissed", "reset", "wait"];
const CHECK = `import base64, hashlib, json
previous = bytes(32)
for line in map(json.loads, open("FILE")):
    if "baton_journal" in line:
        assert bytes.fromhex(line["previous"]) == previous
        continue
    numbers = b"".join(line[name].to_bytes(8, "little") for name in ("version", "at_ms", "wall_ms"))
    public = hashlib.sha256(base64.b64decode(line["facts"])).digest()
    private = bytes.fromhex(line.get("private", "00" * 32))
    previous = hashlib.sha256(previous + numbers + public + private).digest()
    assert line["hash"] == previous.hex(), line["version"]
print(previous.hex())`;

const section = (head, body) => `<section><h2>${escaped(head)}</h2>${body}</section>`;
const paragraph = (text) => (text ? `<p>${escaped(text)}</p>` : "");
export const heads = (names) =>
  `<thead><tr>${names.map(([name, isNumber]) => `<th${isNumber ? ' class="n"' : ""} scope="col">${escaped(name)}</th>`).join("")}</tr></thead>`;
export const wide = (label, table) => `<div class="wide" role="region" tabindex="0" aria-label="${escaped(label)}"><table>${table}</table></div>`;

export function peopleSection({ people, inside, counted }, { words: { people: words }, number }) {
  const all = WAYS.reduce((sum, way) => sum + people[way], 0);
  const shown = WAYS.filter((way) => people[way] > 0 || way === "got_in");
  const asides = {
    got_in: [
      people.walked_in > 0 && filled(words.of_walked_in, { count: number(people.walked_in) }),
      counted.unproven > 0 && filled(words.of_unproven, { count: number(counted.unproven) }),
    ].filter(Boolean),
  };
  const row = (way) => {
    const part = all > 0 ? (people[way] / all) * 100 : 0;
    const aside = (asides[way] ?? []).map((text) => `<small>${escaped(text)}</small>`).join("");
    return `<tr><td>${escaped(words[way])}${aside}</td><td class="n">${number(people[way])}</td><td class="n">${number(part)} %</td><td class="bars"><span class="bar" style="width:${part.toFixed(1)}%;min-width:2px"></span></td></tr>`;
  };
  const before = people.before > 0 ? ` ${number(people.before)} ${words.before}.` : "";
  const ended = inside.dismissed + inside.reset;
  const told = (values) => Object.fromEntries(Object.entries(values).map(([key, value]) => [key, number(value)]));
  const within = filled(words.inside, told({ released: inside.released, expired: inside.expired, ended, are: inside.are }));
  const numbers = told({ away: counted.went_away, back: counted.came_back, missed: counted.missed, calls: counted.calls, carried: counted.carried });
  const more = [counted.went_away > 0 && words.away, counted.calls > 0 && words.missed, counted.carried > 0 && words.carried].filter(Boolean);
  return section(
    words.head,
    `${paragraph(words.text + before)}<div class="wide" role="region" tabindex="0" aria-label="${escaped(words.head)}"><table><tbody>${shown.map(row).join("")}</tbody></table></div><p class="soft">${escaped([within, ...more.map((text) => filled(text, numbers))].join(" "))}</p>`,
  );
}

/** Returns a step of a schedule: when, and what it sets. A room's table keeps what it sets as pairs of key and JSON. */
function stepOf({ at, at_ms: atMs = Date.parse(at), set }, say) {
  const values = Array.isArray(set) ? set.map(([key, text]) => [key, JSON.parse(text)]) : Object.entries(set);
  return `${say.moment(atMs)}: ${values.map(([key, value]) => `${key} ${valueOf(value, say, key)}`).join(", ")}`;
}

/** Returns one of a list of values. */
function oneOf(one, say, key) {
  if (key === "schedule") return stepOf(one, say);
  if (["opens_at", "closes_at"].includes(key) && typeof one === "number") return say.moment(one);
  return typeof one === "object" ? JSON.stringify(one) : String(one);
}

/** Returns what is said of one lane, with the lane's name before it. */
const ofLane = (report, lane, text, { words }) => (lane === undefined ? text : filled(words.lanes.of_lane, { lane: laneOf(report, lane), text }));

/** Returns each lane's numbers, calls and waits; empty for a room without lanes. */
export function lanesSection({ lanes = [], is_public: isPublic, settings }, { words: { lanes: words }, number, duration }) {
  if (lanes.length === 0) return "";
  const byShares = settings.lanes_rule === "shares" && lanes.every(({ share }) => share !== null);
  const time = (ms) => (ms === null ? "–" : duration(ms));
  const row = (lane) => {
    const aside = lane.came_over > 0 ? `<small>${escaped(filled(words.came_over, { count: number(lane.came_over) }))}</small>` : "";
    const cells = [
      number(lane.issued + lane.walked_in) + aside,
      byShares && number(lane.share),
      number(lane.called + lane.walked_in),
      `${number(lane.calls_percent)} %`,
      time(lane.half_ms),
      time(lane.nine_of_ten_ms),
    ];
    return `<tr><td>${escaped(lane.title || lane.name || "–")}</td>${cells
      .filter((cell) => cell !== false)
      .map((cell) => `<td class="n">${cell}</td>`)
      .join("")}</tr>`;
  };
  /** @type {[string, boolean]} */
  const share = ["share", true];
  /** @type {[string, boolean][]} */
  const names = [["lane", false], ["issued", true], ...(byShares ? [share] : []), ["called", true], ["calls", true], ["half", true], ["nine", true]];
  const table = wide(words.head, `${heads(names.map(([key, isNumber]) => [words[key], isNumber]))}<tbody>${lanes.map(row).join("")}</tbody>`);
  return section(words.head, paragraph(isPublic ? `${words.text} ${words.public}` : words.text) + table);
}

/** Returns a message with its languages, as an operator sets it, or as the room keeps it. */
const messageOf = ({ any, by_language: kept, ...set }) =>
  [any, ...(kept ?? Object.entries(set)).map(([tag, text]) => `${tag}: ${text}`)].filter(Boolean).join(" · ");

/** Returns a setting's value as it is written; of a ramp, where it leads. */
function valueOf(value, say, key = "") {
  const {
    words: { acts },
    duration,
  } = say;
  if (value === null || value === undefined || value === "") return acts.none_value;
  if (typeof value === "object" && !Array.isArray(value) && "to" in value)
    return filled(acts.ramp, { to: value.to, over: duration(value.over_s * 1_000) });
  if (typeof value.any === "string") return messageOf(value) || acts.none_value;
  if (Array.isArray(value))
    return value.length === 0 ? acts.none_value : value.map((one) => oneOf(one, say, key)).join(key === "schedule" ? "; " : ", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function told(act, report, say) {
  const isPublic = report.is_public;
  const words = say.words.acts;
  const changes = act.changes
    ?.map(({ key, from, to }) => filled(words.turned, { key, from: valueOf(from, say, key), to: valueOf(to, say, key) }))
    .join("; ");
  switch (act.what) {
    case "adjusted":
      return filled(words.adjusted, { changes });
    case "scheduled":
      return filled(words.scheduled, { changes });
    case "step_refused":
      return act.why
        ? filled(words.step_refused, { at: say.when(act.step_ms), why: act.why })
        : filled(words.step_refused_public, { at: say.when(act.step_ms) });
    case "step_passed":
      return filled(words.step_passed, { at: say.when(act.step_ms) });
    case "deployed":
      return filled(words.deployed, { changes });
    case "dismissed":
      return isPublic || act.number === undefined
        ? words.dismissed_public
        : ofLane(report, act.lane, filled(words.dismissed, { number: say.number(act.number) }), say);
    default:
      return filled(words.reset, { waiting: say.number(act.waiting), inside: say.number(act.inside) });
  }
}

/** Returns all that happened to the room, in order: `[{ at, row?, text, mark }]`. `mark` is its number in the charts. */
export function actsOf(report, say) {
  const words = say.words.acts;
  const door = ({ at_ms: at, is, lane }, nth) => {
    const [how, times] = typeof is === "string" ? [is, {}] : Object.entries(is)[0];
    // A door that is open at first did nothing yet.
    if (report.doors.findIndex((first) => first.lane === lane) === nth && how === "open") return null;
    return { at, text: ofLane(report, lane, how === "hall" ? filled(words.hall, { at: say.when(times.opens_at_ms) }) : words[how], say) };
  };
  const all = [
    ...report.acts.map((act) => ({ at: act.at_ms, row: act.row, text: told(act, report, say) })),
    ...report.doors.map(door).filter(Boolean),
    ...report.draws
      .filter(({ drawn }) => drawn)
      .map(({ drawn, lane }) => ({ at: drawn.at_ms, row: drawn.row, text: ofLane(report, lane, words.drawn, say) })),
    ...(report.is_public ? [] : report.stops.map(([at, until]) => ({ at, text: filled(words.stopped, { at: say.clock(until) }) }))),
  ];
  return all.sort((one, other) => one.at - other.at).map((act, nth) => ({ ...act, mark: String(nth + 1) }));
}

/** Returns the marks. Acts of the same moment share one, with their numbers joined. */
export function marksOf(acts) {
  const marks = new Map();
  for (const { at, mark } of acts) marks.set(at, [...(marks.get(at) ?? []), mark]);
  return [...marks].map(([at, numbers]) => ({ at, text: numbers.length > 1 ? `${numbers[0]}–${numbers.at(-1)}` : numbers[0] }));
}

export function actsSection(acts, report, { words: { acts: words }, when, number }) {
  if (acts.length === 0) return section(words.head, paragraph(words.none));
  const row = ({ at, row: of, text, mark }) =>
    `<tr><td><span class="number">${mark}</span></td><td>${escaped(when(at))}</td><td>${escaped(text)}</td><td class="n">${of ? number(of) : ""}</td></tr>`;
  const more = report.acts_more > 0 ? paragraph(filled(words.more, { count: number(report.acts_more) })) : "";
  return section(
    words.head,
    wide(
      words.head,
      `${heads([
        [words.mark, false],
        [words.time, false],
        [words.what, false],
        [words.row, true],
      ])}<tbody>${acts.map(row).join("")}</tbody>`,
    ) + more,
  );
}

export function drawsSection(report, say) {
  const { draws } = report;
  const {
    words: { draws: words },
    when,
    number,
  } = say;
  if (draws.length === 0) return "";
  const code = (text) => `<p><code>${escaped(text)}</code></p>`;
  const one = ({ committed_ms: committedMs, committed_row: committedRow, commitment, drawn, lane }) => {
    const committed = { at: when(committedMs), row: number(committedRow) };
    if (!drawn) return paragraph(ofLane(report, lane, filled(words.open, committed), say)) + code(commitment);
    const { way, seed, first, count } = drawn;
    const made = filled(words[way], {
      at: when(drawn.at_ms),
      row: number(drawn.row),
      count: number(count),
      first: number(first),
      last: number(first + count - 1),
    });
    return (
      paragraph(ofLane(report, lane, made, say)) +
      paragraph(filled(words.committed, committed)) +
      code(commitment) +
      paragraph(words.seed) +
      code(seed) +
      paragraph(words.check)
    );
  };
  return section(words.head, draws.map(one).join(""));
}

export function headsSection({ heads: chain, verdict }, { words: { heads: words }, when, number }) {
  const every = Math.ceil(chain.length / HEADS_SHOWN);
  const shown = chain.filter((_, nth) => (chain.length - 1 - nth) % every === 0);
  const row = ({ at_ms: at, row: of, hash }) =>
    `<tr><td>${escaped(when(at))}</td><td class="n">${number(of)}</td><td><code>${escaped(hash)}</code></td></tr>`;
  const table = wide(
    words.head,
    `${heads([
      [words.time, false],
      [words.row, true],
      [words.hash, false],
    ])}<tbody>${shown.map(row).join("")}</tbody>`,
  );
  return section(
    words.head,
    `${paragraph(words.fingerprint)}<p><code>${escaped(verdict.fingerprint)}</code></p>${paragraph(words.text)}<details><summary>${escaped(`${words.time}, ${words.row}, ${words.hash} (${number(shown.length)})`)}</summary>${table}</details>`,
  );
}

export function verifySection(report, journal, { words: { verify: words } }) {
  const [before, after] = words.text.split("{file}");
  const code = (text) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>`;
  return section(
    words.head,
    `<p>${escaped(before)}<a href="${escaped(journal)}" download>${escaped(journal)}</a>${escaped(after)}</p>${code(`audit verify ${journal}`)}
${paragraph(filled(words.noted, report))}${code(`audit verify ${journal} --fingerprint HASH`)}
${paragraph(words.story)}${code(`audit story ${journal} NUMBER`)}
${paragraph(words.chain)}${code(CHECK.replace("FILE", journal))}${paragraph(words.not)}`,
  );
}

export function settingsSection({ settings }, say) {
  const words = say.words.settings;
  const row = ([key, value]) => `<tr><td><code>${escaped(key)}</code></td><td>${escaped(valueOf(value, say, key))}</td></tr>`;
  return section(words.head, wide(words.head, `<tbody>${Object.entries(settings).map(row).join("")}</tbody>`));
}
