/*
 * "Move my place to another device": shows a link and its QR code. Only a button asks for it, and nothing else loads this
 * module. The build adds the words. The code is drawn here, so the link is sent to nobody.
 */

import { encode } from "uqr";
import { countryOf, timeText } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
/** The margin of light modules that cameras need around the code. */
const QUIET = 4;

const make = (name, properties = {}, children = []) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

function picture(text, label) {
  const { data, size } = encode(text, { ecc: "M", border: QUIET });
  const svg = document.createElementNS(SVG, "svg"),
    path = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  path.setAttribute("d", data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join(""));
  svg.append(path);
  return svg;
}

async function newLink(room) {
  const answer = await fetch(`/__baton/${room}/carry`, { method: "POST" });
  if (!answer.ok) throw new Error(`${answer.status}`);
  const { url, expires_at_ms } = await answer.json();
  // The device's clock may be wrong, so the time left is counted by the server's.
  const left = expires_at_ms - (Date.parse(answer.headers.get("date")) || Date.now());
  return { url: new URL(url, location.origin).href, endsAt: Date.now() + left };
}

/** Shows a new link in place of the button, and offers another when its time is over or when there was none to be had. */
export function open(button, words, styles) {
  const { room } = document.body.dataset;
  if (!document.querySelector(`link[href="${styles}"]`)) {
    document.head.append(make("link", { rel: "stylesheet", href: styles }));
  }
  const place = make("div", { className: "carry" });
  const said = make("p", { role: "status" });
  button.after(place);
  let ends = 0;
  show();

  async function show() {
    clearTimeout(ends);
    button.hidden = true;
    try {
      const { url, endsAt } = await newLink(room);
      const time = timeText(endsAt, Date.now(), countryOf(document.documentElement.lang, navigator.languages));
      const link = make("input", { readOnly: true, value: url });
      link.setAttribute("aria-label", words.link);
      const copy = make("button", { className: "button", type: "button", textContent: words.copy });
      copy.addEventListener("click", async () => {
        link.select();
        try {
          await navigator.clipboard.writeText(url);
          said.textContent = words.copied;
        } catch {}
      });
      said.textContent = words.text.replace("{time}", time);
      place.replaceChildren(said, picture(url, words.code), link, copy, make("p", { textContent: words.warning }));
      ends = setTimeout(() => again(words.over), endsAt - Date.now());
    } catch {
      again(words.failed);
    }
  }

  function again(why) {
    said.textContent = why;
    const renew = make("button", { className: "button", type: "button", textContent: words.renew });
    renew.addEventListener("click", show);
    place.replaceChildren(said, renew);
  }
}
