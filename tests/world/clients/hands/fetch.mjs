// Node's fetch: asks what each line of the input says, `METHOD URL`. The first argument is `alone`, `kept` (with what keeps the place) or `waits`.

import { createInterface } from "node:readline";
import { CookieJar } from "tough-cookie";
import { Agent, RetryAgent, fetch as patient } from "undici";

const mode = process.argv[2];
const jar = new CookieJar();
const dispatcher = new RetryAgent(new Agent());

async function ask(method, url) {
  if (mode === "alone") return fetch(url, { method });
  if (mode === "waits") return patient(url, { method, dispatcher });
  const answer = await fetch(url, { method, headers: { cookie: await jar.getCookieString(url) } });
  for (const cookie of answer.headers.getSetCookie()) await jar.setCookie(cookie, url);
  return answer;
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await ask(...line.split(" "));
  await answer.arrayBuffer();
  console.log(answer.status);
}
