// Load tools, and how each says what went well. Each has
//
//   debian, npm, pip   what it needs, in the versions that stand here
//   command   (url, html, at) → its command for some two hundred requests; with `html` it accepts HTML, as people who copy a browser's headers have it
//   says      (text) → `{ all, good }`: all requests, and those of which what it prints at the end says nothing bad
//   honest    `{ by }`, and its own `command` or `says` where they differ: the line, flag or figure by which it counts nobody who waits as good
//
// A tool that accepts HTML cannot tell the waiting page from the shop by its status. `honest` leaves it out, or looks at a header.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { inRoot } from "../../../scripts/common.mjs";

/** So many requests, by so many at once; where a tool counts time, for so long. */
const REQUESTS = 200;
const AT_ONCE = 10;
const FOR_S = 2;

const figure = (text, pattern) => Number(pattern.exec(text)?.[1] ?? 0);
/** Reads how many there are in all, less those that are bad. */
const less = (all, bad) => (text) => ({ all: figure(text, all), good: figure(text, all) - figure(text, bad) });
/** Reads how many there are in all, and how many of them are good. */
const outOf = (all, good) => (text) => ({ all: figure(text, all), good: figure(text, good) });
const accepts = (html) => (html ? ["-H", "Accept: text/html"] : []);

/** Writes a test for Artillery. `expects` are what its plugin of that name looks at. */
function artillery(url, html, at, expects) {
  const { origin, pathname } = new URL(url);
  const file = path.join(at.home, "load.json");
  const get = { url: pathname, ...(html && { headers: { accept: "text/html" } }), ...(expects && { expect: expects }) };
  writeFileSync(
    file,
    JSON.stringify({
      config: { target: origin, phases: [{ duration: FOR_S, arrivalCount: REQUESTS }], ...(expects && { plugins: { expect: {} } }) },
      scenarios: [{ flow: [{ get }] }],
    }),
  );
  return [`${at.npm}/node_modules/.bin/artillery`, "run", file];
}

const locust = (url, html, at, isHonest) => {
  const { origin, pathname } = new URL(url);
  return [
    "env",
    `LOAD_PATH=${pathname}`,
    ...(html ? ["LOAD_ACCEPT=text/html"] : []),
    ...(isHonest ? ["LOAD_LOOKS=yes"] : []),
    path.join(at.python, "locust"),
    "-f",
    inRoot("tests", "world", "load", "locustfile.py"),
    "--headless",
    "-u",
    String(AT_ONCE),
    "-r",
    String(AT_ONCE),
    "--run-time",
    `${FOR_S}s`,
    "--host",
    origin,
    "--json",
    "--loglevel",
    "ERROR",
  ];
};

export const TOOLS = {
  ab: {
    debian: ["apache2-utils"],
    version: ["ab", "-V"],
    command: (url, html) => ["ab", "-n", String(REQUESTS), "-c", String(AT_ONCE), ...accepts(html), url],
    says: less(/Complete requests: +(\d+)/, /Failed requests: +(\d+)/),
    honest: { by: "read `Non-2xx responses`", says: less(/Complete requests: +(\d+)/, /Non-2xx responses: +(\d+)/) },
  },
  wrk: {
    debian: ["wrk"],
    command: (url, html) => ["wrk", "-t", "1", "-c", String(AT_ONCE), "-d", `${FOR_S}s`, ...accepts(html), url],
    says: outOf(/(\d+) requests in/, /(\d+) requests in/),
    honest: { by: "read `Non-2xx or 3xx responses`", says: less(/(\d+) requests in/, /Non-2xx or 3xx responses: (\d+)/) },
  },
  h2load: {
    debian: ["nghttp2-client"],
    version: ["h2load", "--version"],
    command: (url, html) => ["h2load", "--h1", "-n", String(REQUESTS), "-c", String(AT_ONCE), ...accepts(html), url],
    says: outOf(/requests: (\d+) total/, /(\d+) succeeded/),
    honest: { by: "" },
  },
  siege: {
    debian: ["siege"],
    command: (url, html) => ["siege", "-b", "-N", "-c", String(AT_ONCE), "-r", String(REQUESTS / AT_ONCE), ...accepts(html), url],
    says: outOf(/"transactions":\s*(\d+)/, /"transactions":\s*(\d+)/),
    honest: { by: "read `successful_transactions`", says: outOf(/"transactions":\s*(\d+)/, /"successful_transactions":\s*(\d+)/) },
  },
  autocannon: {
    npm: { autocannon: "9.0.0", node: "22.23.3" },
    command: (url, html, at) => [
      `${at.npm}/node_modules/.bin/node`,
      `${at.npm}/node_modules/autocannon/autocannon.js`,
      "-a",
      String(REQUESTS),
      "-c",
      String(AT_ONCE),
      "--json",
      ...accepts(html),
      url,
    ],
    says: (text) => reportOf(text, (report) => ({ all: report.requests.total, good: report.requests.total - report.errors })),
    honest: { by: "read `2xx responses`", says: (text) => reportOf(text, (report) => ({ all: report.requests.total, good: report["2xx"] })) },
  },
  artillery: {
    npm: { artillery: "2.0.34", node: "22.23.3" },
    command: artillery,
    says: less(/vusers\.created:[ .]*(\d+)/, /vusers\.failed:[ .]*(\d+)/),
    honest: {
      by: "plugin `expect`, `statusCode: 200`; read `plugins.expect.failed`",
      command: (url, html, at) => artillery(url, html, at, [{ statusCode: 200 }]),
      says: less(/vusers\.created:[ .]*(\d+)/, /plugins\.expect\.failed:[ .]*(\d+)/),
    },
  },
  locust: {
    pip: { locust: "2.47.0" },
    command: locust,
    says: (text) => reportOf(text, (rows) => ({ all: rows[0].num_requests, good: rows[0].num_requests - rows[0].num_failures })),
    honest: {
      by: '`catch_response=True`, `if "Baton-State" in answer.headers: answer.failure("waits")`',
      command: (url, html, at) => locust(url, true, at, true),
    },
  },
};

/** Reads the JSON that a tool prints at the end, as an object or as a list. */
function reportOf(text, read) {
  const found = /^[[{][^]*[\]}]$/m.exec(text);
  return found ? read(JSON.parse(found[0])) : { all: 0, good: 0 };
}

/** Left out, with the reason. */
export const LEFT_OUT = { k6: "no registry that the set-up reaches has it" };

/** Returns the row of a tool: what it says of 429s, of the waiting page, and by its honest line. */
export function rowOf(name, version, { plain, html, honest }) {
  const cell = ({ all, good }) => (good === 0 ? "none" : good === all ? "all" : `${good} of ${all}`);
  return [`${name} ${version}`, cell(plain), cell(html), TOOLS[name].honest.by || "as it is", cell(honest)];
}

export const HEAD = ["tool", "`429`: good", "page: good", "honest", "then good"];
