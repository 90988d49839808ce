/*
 * Decides what the page shows, as one pure function of what is known of the line and of the link to it. No document, no
 * words, no clock. `PageState::shown` in src/gate/page.rs decides the same for the page as it is served.
 * tests/fixtures/page_states.json holds both to the same answers.
 */

/** With this many people ahead or fewer it is almost the visitor's turn, if the measured wait is at most `NEAR_S`. */
const NEAR = 5;
const NEAR_S = 300;
/** Here the visitor has no place, or the page says that nobody answers: no line about the link, which promises that a place is kept. */
const UNKEPT = ["arriving", "closed", "over", "cookies", "unreachable"];

/**
 * Returns the attributes of body: `{state, reason, mode, unsaid, missed, near, number, lane, behind, ahead, seats, link, renumbered, why}`.
 *
 * `link` is `{up, answers, cookies, reached, served}`: whether the line is in touch, whether something else answers in its
 * place, whether the browser keeps cookies, whether the line was ever heard. `served` is the `{state, reason}` of the page
 * where the front has the last word: without the shop's token, or with the place on another device.
 */
export function shown(line, link) {
  const state = stateOf(line, link);
  const waits = state === "waiting";
  return {
    state,
    reason: state === "over" ? line.reason : (link.served?.reason ?? ""),
    mode: line.mode,
    unsaid: line.message ? "" : line.mode,
    missed: waits && line.missed ? "true" : "",
    near: waits && isNear(line) ? "true" : "",
    number: line.number ?? "",
    lane: line.lane?.title ?? "",
    behind: waits && line.behind ? "true" : "",
    ahead: line.ahead ?? "",
    seats: waits ? seatsOf(line) : "",
    renumbered: waits && line.renumbered ? "true" : "",
    why: waits && !stands(line.mode) ? line.why : "",
    link: link.up || link.served || UNKEPT.includes(state) ? "" : link.answers ? "busy" : "lost",
  };
}

/** Returns whether nobody is called in this mode. */
export const stands = (mode) => mode === "paused" || mode === "closed" || mode === "sold_out";

function stateOf({ state, reason, mode }, { up, answers, cookies, reached, served }) {
  if (served) return served.state;
  if (!cookies) return "cookies";
  if (!reached || (state === "arriving" && !up && !answers)) return "unreachable";
  if (state === "over") return reason === "sold_out" ? "sold_out" : "over";
  if (["called", "admitted"].includes(state)) return state;
  if (mode === "sold_out") return "sold_out";
  if (state === "arriving" && ["closed", "drain"].includes(mode)) return "closed";
  return state;
}

/** Returns whether this number can expect a seat: `to` if it can, `beyond` if it cannot, `none` if perhaps nobody who waits can. */
function seatsOf({ number, seatsTo }) {
  if (seatsTo === null || number === null) return "";
  return seatsTo === 0 ? "none" : number <= seatsTo ? "to" : "beyond";
}

function isNear({ mode, ahead, eta, behind }) {
  return !stands(mode) && !behind && ahead !== null && ahead <= NEAR && eta?.[1] <= NEAR_S;
}
