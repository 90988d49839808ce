/*
 * Shows the line. Attributes of body choose the words, which the page holds already; this fills in what moves. It only
 * ever sets text, never markup. The visible numbers may change every second, so they are hidden from screen readers,
 * which hear the place at most every 30 s and a change of state at once.
 */

export const SPEAK_MS = 30_000;
/** From here on the title of the tab counts along. */
const NEAR = 30;

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** "about 3–5 min": never narrower than measured, and never finer than it is worth. */
export function waitText([lowS, highS], lang, words) {
  const [unit, size, step] = highS <= 90 ? ["second", 1, 10] : highS <= 10_800 ? ["minute", 60, 1] : ["hour", 3600, 1];
  const low = Math.floor(lowS / size / step) * step;
  const high = Math.max(1, Math.ceil(highS / size / step)) * step;
  const format = new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "short" });
  if (!low) return fill(words.under, { time: format.format(high) });
  if (low === high) return fill(words.about, { time: format.format(high) });
  const time = format.formatRange ? format.formatRange(low, high) : `${low}–${format.format(high)}`;
  return fill(words.about, { time });
}

export function createView(document, words) {
  const { body, documentElement: root, title } = document;
  const lang = root.lang;
  const numbers = new Intl.NumberFormat(lang);
  const place = document.querySelector(".place");
  const progress = document.querySelector("progress");
  const spoken = document.getElementById("spoken"), alert = document.getElementById("alert");
  let spokenAt = -Infinity, speaker = 0, sentence = "", stateSaid = body.dataset.state;

  root.dataset.live = "";
  place.setAttribute("aria-hidden", "true");
  text("host", location.host);

  function text(name, value) {
    const element = document.querySelector(`[data-text=${name}]`);
    if (element.textContent !== value) element.textContent = value;
  }

  function speak() {
    speaker = 0;
    if (!sentence || spoken.textContent === sentence) return;
    spokenAt = Date.now();
    spoken.textContent = sentence;
  }

  /** The headline of the new state and its sentence, once, in the words that are on the screen. */
  function announce(state) {
    if (state === stateSaid) return;
    stateSaid = state;
    alert.textContent = state === "waiting" ? "" : [...document.querySelectorAll(".head h1, .head p")]
      .filter((element) => element.offsetParent).map((element) => element.textContent).join(". ");
  }

  function render(line) {
    const { state, number, ahead } = line;
    const eta = state === "waiting" && line.eta && line.mode !== "paused" ? waitText(line.eta, lang, words) : "";
    Object.assign(body.dataset, {
      state, reason: line.reason, mode: line.mode, missed: line.missed, number: number ?? "", ahead: ahead ?? "", eta, etaLow: "",
    });
    body.toggleAttribute("data-renumbered", line.renumbered);
    text("message", line.message);
    text("eta", eta);
    text("number", number ? numbers.format(number) : "");
    text("ahead", ahead === null ? "" : numbers.format(ahead));
    if (ahead !== null) progress.value = (line.joinedBehind - ahead) / (line.joinedBehind + 1);
    announce(state);

    const waiting = state === "waiting" && ahead !== null;
    const values = { title, number: number && numbers.format(number), ahead: waiting && numbers.format(ahead), eta };
    document.title = state === "called" || state === "admitted" ? fill(words.titleCalled, values)
      : state === "over" ? fill(words.titleOver, values)
      : waiting && ahead <= NEAR ? fill(words.titleAhead, values)
      : title;

    sentence = waiting ? fill(words.spoken, values) + (eta && ` ${fill(words.spokenEta, values)}`) : "";
    if (!sentence) spoken.textContent = "";
    else if (Date.now() - spokenAt >= SPEAK_MS) speak();
    else speaker ||= setTimeout(speak, SPEAK_MS - (Date.now() - spokenAt));
  }

  function showLink(up) {
    if (up) delete body.dataset.link;
    else if (body.dataset.link !== "lost") {
      body.dataset.link = "lost";
      // Not in a rush: the place is kept, and the sentence says so.
      spoken.textContent = document.querySelector("[data-note=lost]").textContent;
    }
  }

  return { render, showLink };
}
