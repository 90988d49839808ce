// One person over real HTTP: connection, cookies, redirects, forms, what is taken from pages, and whom it never asks. And Baton's proof,
// held to the very check that docs/origin/ offers.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Cookies } from "../../scripts/find_permits/cookies.mjs";
import { filledIn, formsOf } from "../../scripts/find_permits/forms.mjs";
import { askUntilReady } from "../../scripts/find_permits/poll.mjs";
import { Prover } from "../../scripts/find_permits/proof.mjs";
import { readSteps } from "../../scripts/find_permits/steps.mjs";
import { Visitor } from "../../scripts/find_permits/visitor.mjs";
import { Checker } from "../../kits/node/src/index.js";
import { startShop } from "../../demo/shop.mjs";

const closing = [];
after(() => closing.forEach((close) => close()));

/** A server that notes what it is asked; `answer(request, response, body)`. */
async function serve(answer) {
  const seen = { requests: [], connections: 0 };
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    seen.requests.push({ method: request.method, url: request.url, headers: request.headers, body });
    answer(request, response, body);
  });
  server.on("connection", () => {
    seen.connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close() && server.closeAllConnections());
  return { seen, base: new URL(`http://127.0.0.1:${server.address().port}`) };
}

function visitorOf(base, more = {}) {
  const visitor = new Visitor({ base, origins: [base.origin], mayAsk: () => null, timeoutMs: 5_000, ...more });
  closing.push(() => visitor.close());
  return visitor;
}
const stepsOf = (text) => readSteps("c.toml", text).steps;
async function walk(visitor, steps) {
  const answers = [];
  for (const step of steps) answers.push(await visitor.ask(step));
  return answers;
}

test("a visit is one connection, one browser's headers, its cookies, its form's hidden fields", async () => {
  const page =
    '<form action="/other" method="post"><input name="no" value="x"></form><form action="/pay" method="post"><input type="hidden" name="csrf" value="a&amp;b"><input name="who"></form>';
  const { seen, base } = await serve((request, response) => {
    if (request.url === "/")
      response.writeHead(200, { "set-cookie": ["guest=7; Path=/; HttpOnly", "old=1; Max-Age=0"], "content-encoding": "gzip" }).end(gzipSync(page));
    else if (request.url === "/pay") response.writeHead(303, { location: "/thanks?id=9", "set-cookie": "paid=yes; Path=/thanks" }).end();
    else response.end("<b data-order='9'>Thank you</b>");
  });
  const steps = stepsOf(
    `[[steps]]\nget = "/"\nalso = ["/a.css", "/b.js"]\n[[steps]]\npost = "/pay"\nform = { who = "p{person}" }\ncontains = "Thank you"\ntake = { order = "data-order='([0-9]+)'" }\n[[steps]]\nget = "/orders/{order}"\nalso = ["/a.css"]\nheaders = { X-Mine = "{order}" }\n[[steps]]\npost = "/api"\njson = { order = "{order}", note = 'a "{order}"' }\n`,
  );
  const answers = await walk(visitorOf(base), steps);
  assert.deepEqual(
    answers.map(({ isOk }) => isOk),
    [true, true, true, true],
    JSON.stringify(answers),
  );
  assert.equal(seen.connections, 1);
  assert.deepEqual(
    seen.requests.map(({ method, url }) => `${method} ${url}`),
    ["GET /", "GET /a.css", "GET /b.js", "POST /pay", "GET /thanks?id=9", "GET /orders/9", "POST /api"],
  );
  const [first, , , pay, thanks, order, api] = seen.requests;
  assert.match(first.headers["user-agent"], /^Mozilla\/5\.0 .*BatonFindPermits/);
  assert.equal(first.headers.cookie, undefined);
  assert.match(pay.body, /^csrf=a%26b&who=p\d+$/);
  assert.deepEqual([pay.headers.cookie, pay.headers.origin, pay.headers.referer], ["guest=7", base.origin, `${base.origin}/`]);
  assert.equal(thanks.headers.cookie, "paid=yes; guest=7");
  assert.deepEqual([order.headers.cookie, order.headers["x-mine"]], ["guest=7", "9"]);
  assert.deepEqual(JSON.parse(api.body), { order: "9", note: 'a "9"' });
});

test("somebody new has a connection, cookies and a number of their own", async () => {
  const { seen, base } = await serve((request, response) => response.writeHead(200, { "set-cookie": "guest=1" }).end());
  const steps = stepsOf('[[steps]]\nget = "/{person}/{random}"\n');
  for (const visitor of [visitorOf(base), visitorOf(base)]) await walk(visitor, steps);
  assert.equal(seen.connections, 2);
  assert.deepEqual(
    seen.requests.map(({ headers }) => headers.cookie),
    [undefined, undefined],
  );
  assert.equal(new Set(seen.requests.map(({ url }) => url.split("/")[1])).size, 2);
});

test("what is not as expected is told: status, words, what is taken, time, a closed door", async () => {
  const { base } = await serve((request, response) => {
    if (request.url === "/slow") return;
    response.writeHead(Number(request.url.slice(1)) || 200).end("hello");
  });
  const ask = async (text, more) => await visitorOf(base, more).ask(stepsOf(`[[steps]]\n${text}\n`)[0]);
  assert.deepEqual(await ask('get = "/500"'), { isOk: false, status: 500, why: "status 500" });
  assert.equal((await ask('get = "/404"\nexpect = 404')).isOk, true);
  assert.equal((await ask('get = "/"\nexpect = 201')).why, "status 200, expected 201");
  assert.match((await ask('get = "/"\ncontains = "bye"')).why, /does not contain "bye"/);
  assert.match((await ask("get = \"/\"\ntake = { a = 'x(y)' }")).why, /holds no \{a\}/);
  assert.match((await ask('get = "/slow"', { timeoutMs: 200 })).why, /no answer within 0\.2 s/);
  const closed = new URL("http://127.0.0.1:1");
  assert.match((await visitorOf(closed).ask(stepsOf('[[steps]]\nget = "/"\n')[0])).why, /ECONNREFUSED/);
});

test("no host is asked that was not named, be it in a step or in a redirect; the run must end", async () => {
  const other = await serve((request, response) => response.end());
  const { base, seen } = await serve((request, response) => response.writeHead(302, { location: `${other.base.href}away` }).end());
  for (const path of ["/", `${other.base.href}step`]) {
    const answer = await visitorOf(base).ask(stepsOf(`[[steps]]\nget = "${path}"\n`)[0]);
    assert.deepEqual([answer.isOk, answer.mustStop], [false, true]);
    assert.match(answer.why, new RegExp(`^${other.base.origin} was not named: add it to hosts`));
  }
  assert.deepEqual([other.seen.requests.length, seen.requests.length], [0, 1]);
  const named = await visitorOf(base, { origins: [base.origin, other.base.origin] }).ask(stepsOf('[[steps]]\nget = "/"\n')[0]);
  assert.deepEqual([named.isOk, other.seen.requests.map(({ url }) => url)], [true, ["/away"]]);
});

test("a request that the caps forbid is not sent, and ends the run", async () => {
  const { base, seen } = await serve((request, response) => response.end());
  const answer = await visitorOf(base, { mayAsk: () => "more than 3 requests in a second" }).ask(stepsOf('[[steps]]\nget = "/"\n')[0]);
  assert.deepEqual([answer.isOk, answer.mustStop, answer.why, seen.requests.length], [false, true, "more than 3 requests in a second", 0]);
});

test("redirects in a circle end", async () => {
  const { base, seen } = await serve((request, response) => response.writeHead(302, { location: "/" }).end());
  const answer = await visitorOf(base).ask(stepsOf('[[steps]]\nget = "/"\n')[0]);
  assert.match(answer.why, /more than 5 redirects/);
  assert.equal(seen.requests.length, 6);
});

test("an answer that came through Baton's line is noticed by its cookies, and ends the run; the shop's own cookies do not", async () => {
  const cookies = {
    "/visitor": "__Host-baton-visitor=abc; Path=/; Secure",
    "/pass": "baton-onsale-pass=abc; Path=/",
    "/shared": "__Secure-baton-onsale-ticket=abc",
    "/shop": "batonique=1",
    "/none": "session=baton-onsale=1",
  };
  const { base } = await serve((request, response) => response.writeHead(200, { "set-cookie": cookies[request.url] }).end());
  const answers = await walk(
    visitorOf(base),
    stepsOf(
      Object.keys(cookies)
        .map((path) => `[[steps]]\nget = "${path}"\n`)
        .join(""),
    ),
  );
  assert.deepEqual(
    answers.map(({ isOk, mustStop = false }) => [isOk, mustStop]),
    [
      [false, true],
      [false, true],
      [false, true],
      [true, false],
      [true, false],
    ],
  );
  assert.match(answers[0].why, /is behind Baton's own line/);
});

test("a kept connection that the server closes is taken up once more, as browsers do", async () => {
  let count = 0;
  const { base } = await serve((request, response) => ((count += 1) === 2 ? request.socket.resetAndDestroy() : response.end()));
  const answers = await walk(visitorOf(base), stepsOf('[[steps]]\nget = "/a"\n[[steps]]\nget = "/b"\n'));
  assert.deepEqual([answers.map(({ isOk }) => isOk), count], [[true, true], 3]);
});

test("with ORIGIN_SECRET every request carries a proof that the origin's own check takes, and Baton-Target", async () => {
  const secret = "the staging secret";
  const checker = new Checker({ secret, hosts: ["tickets.example.com"], log: () => {} });
  const judged = [];
  const reasons = async () => (await Promise.all(judged)).map(({ reason }) => reason ?? null);
  const { seen, base } = await serve((request, response) => {
    judged.push(checker.check({ method: request.method, url: request.url, headers: request.headers }));
    response.end();
  });
  const prover = new Prover({ secret, room: "onsale", publicHost: "Tickets.example.com" });
  const steps = stepsOf('[[steps]]\nget = "/buy/?a=%2F"\n[[steps]]\npost = "/pay"\nform = { a = 1 }\n');
  for (const visitor of [visitorOf(base, { prover }), visitorOf(base, { prover })]) await walk(visitor, steps);
  assert.deepEqual(await reasons(), [null, null, null, null]);
  assert.deepEqual(
    seen.requests.map(({ headers }) => headers["baton-target"]),
    ["/buy/?a=%2F", "/pay", "/buy/?a=%2F", "/pay"],
  );
  const fences = seen.requests.map(({ headers }) => headers["baton-fence"]);
  assert.ok(fences[0] === fences[1] && fences[2] === fences[3] && Number(fences[2]) > Number(fences[0]), "a fence a person, and it grows");
  const wrong = new Prover({ secret: "another", room: "onsale", publicHost: "tickets.example.com" });
  await walk(visitorOf(base, { prover: wrong }), steps.slice(0, 1));
  assert.equal((await reasons()).at(-1), "mac", "the check can fail");
});

test("behind the check the shop sees its visitors' host: in Origin, in Referer, and in the cookies that it makes for https", async () => {
  const { seen, base } = await serve((request, response) => response.writeHead(200, { "Set-Cookie": "__Host-sid=1; Secure; Path=/" }).end());
  const prover = new Prover({ secret: "s", room: "onsale", publicHost: "tickets.example.com" });
  await walk(visitorOf(base, { prover }), stepsOf('[[steps]]\nget = "/buy/?a=1"\n[[steps]]\npost = "/pay"\nform = { a = 1 }\n'));
  const { origin, referer, cookie } = seen.requests[1].headers;
  assert.deepEqual(
    { origin, referer, cookie },
    { origin: "https://tickets.example.com", referer: "https://tickets.example.com/buy/?a=1", cookie: "__Host-sid=1" },
  );
});

test("the proof goes to the shop alone, not to the other hosts", async () => {
  const { base } = await serve((request, response) => response.end());
  const other = await serve((request, response) => response.end());
  const prover = new Prover({ secret: "s", room: "onsale", publicHost: "tickets.example.com" });
  await visitorOf(base, { prover, origins: [base.origin, other.base.origin] }).ask(stepsOf(`[[steps]]\nget = "${other.base.href}"\n`)[0]);
  assert.deepEqual(
    Object.keys(other.seen.requests[0].headers).filter((name) => name.startsWith("baton-")),
    [],
  );
});

test("the demo shop, shut to all but Baton, is bought out of by demo/checkout.toml", async () => {
  const { readFileSync } = await import("node:fs");
  const shop = await startShop({ originSecret: "shared", publicHosts: ["tickets.example.com"], lockMs: 0, seats: 10 });
  closing.push(() => shop.stop());
  const steps = stepsOf(readFileSync(new URL("../../demo/checkout.toml", import.meta.url), "utf8"));
  const base = new URL(shop.url);
  const prover = new Prover({ secret: "shared", room: "onsale", publicHost: "tickets.example.com" });
  const answers = await walk(visitorOf(base, { prover }), steps);
  assert.deepEqual(
    answers.map(({ isOk }) => isOk),
    [true, true, true],
    JSON.stringify(answers),
  );
  assert.equal(shop.stats().seats_sold, 2);
  assert.equal((await walk(visitorOf(base), steps))[1].status, 403, "without the proof the shop is shut");
});

test("cookies: whose they are, where, how long", ({ mock }) => {
  mock.timers.enable({ apis: ["Date"], now: 1_000 });
  const cookies = new Cookies();
  const at = (text) => new URL(text);
  cookies.keep(at("https://shop.example.com/a/b"), [
    "host=1",
    "wide=2; Domain=.example.com; Path=/",
    "deep=3; Path=/a/b",
    "safe=4; Secure; Path=/",
    "late=5; Max-Age=10; Path=/",
    "evil=6; Domain=other.com; Path=/",
    "gone=7; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    "=8",
  ]);
  assert.equal(cookies.header(at("https://shop.example.com/a/b")), "deep=3; host=1; wide=2; safe=4; late=5");
  assert.equal(cookies.header(at("https://shop.example.com/ab")), "wide=2; safe=4; late=5");
  assert.equal(cookies.header(at("http://pay.example.com/")), "wide=2");
  assert.equal(cookies.header(at("http://shop.example.com/")), "wide=2; late=5");
  assert.equal(cookies.header(at("https://other.com/")), undefined);
  mock.timers.setTime(11_001);
  assert.equal(cookies.header(at("https://shop.example.com/")), "wide=2; safe=4");
  cookies.keep(at("https://shop.example.com/"), ["wide=; Domain=example.com; Path=/; Max-Age=0"]);
  assert.equal(cookies.header(at("https://shop.example.com/")), "safe=4");
});

test("forms: what a browser would send, and nothing out of comments, scripts or other forms", () => {
  const page = `<!-- <form action="/pay"><input name=no></form> --><script>'<form action="/pay"><input name=no>'</script>
<form action=/pay method=POST><input type=hidden name=t value='a"b'><input name=q><input type=radio name=r value=1><input type=radio name=r value=2 checked>
<input type=checkbox name=c checked><input type=checkbox name=d><input name=off disabled value=x><input type=submit name=s value=go>
<select name=l><option value=one>1<option value=two selected>2</select><select name=m><option value=first></select><textarea name=x>
a &lt;b&gt; &#x41;</textarea></form><input name=outside value=1>`;
  const [form, ...more] = formsOf(page);
  assert.equal(more.length, 0);
  assert.deepEqual([form.action, form.method], ["/pay", "POST"]);
  assert.deepEqual(form.fields, [
    ["t", 'a"b'],
    ["q", ""],
    ["r", "2"],
    ["c", "on"],
    ["l", "two"],
    ["m", "first"],
    ["x", "a <b> A"],
  ]);
  const filled = filledIn(page, new URL("https://a.example/x"), new URL("https://a.example/pay"), { q: "new", z: "1" });
  assert.equal(filled.toString(), "t=a%22b&q=new&r=2&c=on&l=two&m=first&x=a+%3Cb%3E+A&z=1");
  assert.equal(filledIn(page, new URL("https://a.example/x"), new URL("https://a.example/else"), { z: "1" }).toString(), "z=1");
  const [between] = formsOf(
    "<table><tr><form action=/pay method=post><td><input name=a></td></tr><tr><td><input name=b></td></form></tr></table><input name=outside>",
  );
  assert.deepEqual(
    between.fields.map(([name]) => name),
    ["a", "b"],
    "a form between a table's rows holds what follows",
  );
});

test("of several forms the one is sent that goes there by the step's method and has its fields, never a dialog's", () => {
  const at = new URL("https://a.example/x");
  const sent = (page, given, method) => filledIn(page, at, at, given, method).toString();
  const dialog = "<form method=dialog><button>Close</button></form>";
  const search = "<form method=get><input name=q></form>";
  const order = "<form method=post><input type=hidden name=csrf value=1></form>";
  assert.equal(sent(dialog + order, { email: "e" }), "csrf=1&email=e");
  assert.equal(sent(search + order, { email: "e" }, "PUT"), "csrf=1&email=e");
  const newsletter = "<form method=post><input type=hidden name=csrf value=2><input name=news></form>";
  const pay = "<form method=post><input type=hidden name=csrf value=3><input name=email><input name=card></form>";
  assert.equal(sent(newsletter + pay, { email: "e", card: "4" }), "csrf=3&email=e&card=4");
  assert.equal(sent(dialog + search, { email: "e" }), "email=e");
});

test("work that the shop queues: a step asks until it is ready, as one step; not ready in time is an error that shows the answer", async () => {
  let asked = 0;
  const { seen, base } = await serve((request, response) => {
    if (request.url === "/order") response.end('<a href="wait?id=7">');
    else response.end(JSON.stringify({ ready: (asked += 1) % 3 === 0, text: "x".repeat(300) }));
  });
  const steps = stepsOf(
    `[[steps]]\npost = "/order"\ntake = { next = 'href="([^"]+)"' }\n[[steps]]\nget = "{next}"\nuntil = '"ready":true'\nevery_s = 0.1\nat_most_s = 10\n`,
  );
  const times = [];
  const clock = { now: () => times.at(-1) ?? 0 };
  const poll = (step) => askUntilReady(visitor, step, { clock, sleepUntil: async (ms) => times.push(ms) });
  const visitor = visitorOf(base);
  assert.equal((await poll(steps[0])).isOk, true);
  assert.equal((await poll(steps[1])).isOk, true);
  assert.deepEqual([times, seen.requests.at(-1).url, asked], [[100, 200], "/wait?id=7", 3]);
  const late = await poll({ ...steps[1], poll: { ...steps[1].poll, until: "never", at_most_ms: 1_000 } });
  assert.equal(late.isOk, false);
  assert.match(late.why, /^not ready within 1 s: .*"never".*It begins: "\{\\"ready\\":(true|false),.{0,200}"$/);
});
