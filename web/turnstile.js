/*
 * Turnstile's question on the waiting page, for rooms that ask it. Loads the platform's widget, sends the answer to the
 * room, and loads the page again. With the proof in the cookie, the visitor then gets a number.
 */

const API = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit";
const RETRY_MS = 5_000;

const place = document.getElementById("baton-turnstile");
const widget = place.appendChild(document.createElement("div"));
const script = document.createElement("script");
script.src = API;
script.onload = ask;
script.onerror = () => setTimeout(() => location.reload(), RETRY_MS);
const begin = () => document.head.append(script);
// A page that nobody sees yet asks nothing.
if (document.prerendering) document.addEventListener("prerenderingchange", begin, { once: true });
else begin();

function ask() {
  const { sitekey, action } = place.dataset;
  const id = globalThis.turnstile.render(widget, {
    sitekey,
    action,
    language: document.documentElement.lang,
    callback: async (token) => (await send(token)) || setTimeout(() => globalThis.turnstile.reset(id), RETRY_MS),
  });
}

/** Resolves to whether the room took the answer. */
async function send(token) {
  try {
    const answer = await fetch(`/__baton/${place.dataset.room}/verify`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
    if (answer.ok) goOn();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Loads the page again as its own link does (main.js). An operator's page may have none. */
function goOn() {
  /** @type {HTMLElement} */
  const link = document.querySelector("[data-go]");
  if (link) link.click();
  // A page that answered a form must not send that form again.
  else location.replace(document.body.dataset.back || location.href.split("#")[0]);
}
