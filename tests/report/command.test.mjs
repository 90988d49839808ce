/* `npm run report` as it is used: what it asks for, what it writes, and that what is published is checked by the audit. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { inRoot, toolEnv } from "../../scripts/common.mjs";
import { endOf, exportJournal } from "../../scripts/export.mjs";
import { programFile } from "../../scripts/programs.mjs";
import { asked } from "../../scripts/sale_report.mjs";
import { speaker } from "../../web/report/text.js";
import { compileBefore } from "../support/programs.mjs";

const SMALL = inRoot("tools", "tests", "audit", "small_sale.jsonl");

compileBefore("report", "audit");

function folderOf(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "baton-report-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The command, as npm runs it. */
function command(args, env = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [inRoot("scripts", "sale_report.mjs"), ...args], {
    encoding: "utf8",
    env: toolEnv({ BATON_PREPARED: "1", BATON_ADMIN_TOKEN: "", ...env }),
  });
  return { status, stdout, stderr };
}

const audit = (...args) => spawnSync(programFile("audit"), args, { encoding: "utf8" });

test("what is asked for wrongly is named, with a cure", () => {
  const wrong = {
    "no --room and no --journal": [],
    "are both given": ["--room", "onsale", "--journal", SMALL],
    "--room is `On Sale`": ["--room", "On Sale"],
    "--url is `tickets`": ["--room", "a", "--url", "tickets"],
    "--lang is `fr`": ["--room", "a", "--lang", "fr"],
    "--lang is `english`": ["--room", "a", "--lang", "english"],
    "--edition is `0`": ["--room", "a", "--edition", "0"],
    "--from is `noon`": ["--room", "a", "--from", "noon"],
    "--time-zone is `Mars`": ["--room", "a", "--time-zone", "Mars"],
    "there is no nowhere": ["--journal", "nowhere"],
    "--beside: there is no nowhere": ["--room", "a", "--beside", SMALL, "--beside", "nowhere"],
    "Unknown option '--pubic'": ["--room", "a", "--pubic"],
    "Unexpected argument": ["onsale"],
  };
  for (const [what, args] of Object.entries(wrong)) {
    assert.throws(
      () => asked(args),
      ({ message }) => message.includes(what) && message.includes("cure:"),
      what,
    );
  }
  const { counted, url } = asked(["--room", "onsale", "--from", "2026-12-01T10:00+09:00", "--edition", "2"]);
  assert.deepEqual(counted, ["--edition", "2", "--from-ms", "1796086800000"]);
  assert.equal(url, "http://localhost:8787");
});

test("dates are written as the machine writes English, or as the country that is asked for", () => {
  const langOf = (own, ...more) => asked(["--room", "onsale", ...more], { own }).lang;
  assert.deepEqual(
    [langOf("en-GB"), langOf("de-DE"), langOf("ja-JP"), langOf("und"), langOf("de-DE", "--lang", "en-AU")],
    ["en-GB", "en", "en", "en", "en-AU"],
  );
  const momentIn = (lang) => speaker({ lang, timeZone: "UTC" }).moment(Date.UTC(2026, 10, 27, 12));
  assert.match(momentIn(langOf("en-GB")), /^27 Nov 2026, 12:00:00/);
  assert.match(momentIn("en"), /^Nov 27, 2026/);
});

test("help is help; a mistake ends with 2 and no stack", () => {
  assert.match(command(["--help"]).stdout, /--public/);
  for (const args of [[], ["--room", "onsale"], ["--room", "onsale", "--url", "http://127.0.0.1:1"]]) {
    const { status, stderr } = command(args, args.length > 2 ? { BATON_ADMIN_TOKEN: "a token" } : {});
    assert.equal(status, 2, stderr);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});

test("report, tables and journal are written; nothing public before a yes", (t) => {
  const out = folderOf(t);
  const made = command(["--journal", SMALL, "--out", out, "--public", "--time-zone", "UTC"]);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /4 people, 3 got in\naudit: sound, 13 rows; fingerprint 0d71513561ac/);
  assert.match(made.stdout, /Who knows somebody's number[^]*With --yes it is/);
  assert.deepEqual(readdirSync(out).sort(), [
    "arrivals.csv",
    "course.csv",
    "heads.csv",
    "journal.ndjson",
    "numbers.csv",
    "people.csv",
    "report.html",
  ]);
  assert.match(readFileSync(path.join(out, "report.html"), "utf8"), /4 people came, 3 got in/);
  assert.equal(readFileSync(path.join(out, "journal.ndjson"), "utf8"), readFileSync(SMALL, "utf8"));
});

test("npm run audit hands the journal to the audit, and its verdict on", () => {
  const audited = (file) =>
    spawnSync(process.execPath, [inRoot("scripts", "audit.mjs"), "verify", file], {
      encoding: "utf8",
      env: toolEnv({ BATON_PREPARED: "1", INIT_CWD: path.dirname(SMALL) }),
    });
  const { status, stdout, stderr } = audited(path.basename(SMALL));
  assert.deepEqual([status, /^sound: room onsale/.test(stdout)], [0, true], stderr);
  assert.equal(audited("nowhere.jsonl").status, 2, "a relative file is one of the folder in which npm was called");
});

test("another sale's journal puts its figures beside this one's, and not into what is published", (t) => {
  const out = folderOf(t);
  assert.equal(command(["--journal", SMALL, "--out", out, "--beside", SMALL, "--public", "--yes", "--time-zone", "UTC"]).status, 0);
  const [report, page] = ["report.html", "public/index.html"].map((name) => readFileSync(path.join(out, name), "utf8"));
  assert.match(report, /<h2>Beside other sales<\/h2>/);
  assert.doesNotMatch(page, /Beside other sales/);
});

test("what is published names nobody, and the audit accepts it and no other", (t) => {
  const out = folderOf(t);
  assert.equal(command(["--journal", SMALL, "--out", out, "--public", "--yes", "--lang", "ja"]).status, 0);
  const [journal, page] = ["journal.ndjson", "index.html"].map((name) => path.join(out, "public", name));
  const html = readFileSync(page, "utf8");
  const fingerprint = html.match(/<code>([0-9a-f]{64})<\/code>/)[1];
  const verified = audit("verify", journal, "--fingerprint", fingerprint);
  assert.equal(verified.status, 0, verified.stderr);
  // Four people are too few for times of any of them.
  assert.match(html, /10人に満たない/);
  const text = readFileSync(journal, "utf8");
  for (const [, holders] of text.matchAll(/"(?:holder|by|to)":("[^"]+"|\[)/g)) assert.match(holders, /"(hand|tray|debt)"/);
  assert.ok(!text.includes('"holders":[{'));
  const rows = text.indexOf("\n");
  for (let nth = 0; nth < 60; nth++) {
    const at = rows + 1 + ((nth * 7_919) % (text.length - rows - 2));
    if (text[at] === "\n") continue;
    const other = text[at] === "7" ? "8" : "7";
    writeFileSync(journal, text.slice(0, at) + other + text.slice(at + 1));
    const { status } = audit("verify", journal, "--fingerprint", fingerprint);
    assert.notEqual(status, 0, `byte ${at}: ${text.slice(at - 20, at + 20)}`);
  }
});

test("an unsound journal makes a report that says so, ends with 1, and is not published", (t) => {
  const out = folderOf(t);
  const forged = path.join(out, "forged.jsonl");
  writeFileSync(forged, readFileSync(SMALL, "utf8").replace('"at_ms":1732158005000', '"at_ms":1732158005001'));
  const made = command(["--journal", forged, "--out", out, "--public", "--yes"]);
  assert.equal(made.status, 1, made.stderr);
  assert.match(made.stdout, /NOT SOUND: row 5/);
  assert.ok(!existsSync(path.join(out, "public")));
  assert.match(readFileSync(path.join(out, "report.html"), "utf8"), /class="verdict bad"/);
});

test("a journal that begins late is refused with the cure", (t) => {
  const out = folderOf(t);
  const late = path.join(out, "late.jsonl");
  const [header, , ...rows] = readFileSync(SMALL, "utf8").split("\n");
  writeFileSync(late, [header, ...rows].join("\n"));
  const { status, stderr } = command(["--journal", late, "--out", out]);
  assert.equal(status, 2);
  assert.match(stderr, /row 1 comes next, here is row 2[^]*journal_keep_days/);
});

/** A Baton that knows one journal, in pages of five rows. */
async function server(t, text) {
  const rows = text.trimEnd().split("\n").slice(1);
  const hashes = ["0".repeat(64), ...rows.map((row) => JSON.parse(row).hash)];
  const asks = [];
  const listener = createServer((request, response) => {
    const after = Number(new URL(request.url, "http://x").searchParams.get("after"));
    asks.push(after);
    const header = JSON.stringify({ baton_journal: 1, room: "onsale", after, previous: hashes[after] });
    response.end([header, ...rows.slice(after, after + 5), ""].join("\n"));
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  t.after(() => listener.close());
  return { url: `http://127.0.0.1:${listener.address().port}`, asks };
}

test("a journal that is there is gone on with, and another history is never put behind it", async (t) => {
  const out = path.join(folderOf(t), "journal.ndjson");
  const text = readFileSync(SMALL, "utf8");
  const { url, asks } = await server(t, text);
  const fetching = { url, room: "onsale", token: "a token", out };
  assert.deepEqual(await exportJournal(fetching), { after: 0, came: 13 });
  assert.deepEqual(asks, [0, 5, 10, 13]);
  assert.equal(audit("verify", out).status, 0);
  assert.deepEqual(await exportJournal(fetching), { after: 13, came: 0 });
  const kept = readFileSync(out, "utf8");
  const forged = kept.replaceAll(endOf(out).hash, "ab".repeat(32));
  writeFileSync(out, forged);
  await assert.rejects(exportJournal(fetching), /holds another history: its row 13[^]*cure:/);
  assert.equal(readFileSync(out, "utf8"), forged, "nothing was changed");
  copyFileSync(SMALL, out);
  writeFileSync(out, text.slice(0, -40));
  await assert.rejects(exportJournal(fetching), /its last line is not a row of a journal/);
});
