// axios: asks what each line of the input says, `METHOD URL`. The first argument is `alone`, `kept` (with what keeps the place) or `waits`.

import { createInterface } from "node:readline";
import axios from "axios";
import { wrapper } from "axios-cookiejar-support";
import axiosRetry from "axios-retry";
import { CookieJar } from "tough-cookie";

const mode = process.argv[2];
const client = mode === "kept" ? wrapper(axios.create({ jar: new CookieJar() })) : axios.create();
if (mode === "waits") axiosRetry(client, { retries: 9, retryCondition: ({ response }) => response?.status === 429 });
for await (const line of createInterface({ input: process.stdin })) {
  const [method, url] = line.split(" ");
  const { status } = await client.request({ method, url }).catch(({ response }) => response);
  console.log(status);
}
