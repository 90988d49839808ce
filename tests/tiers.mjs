// Which tests `npm test` runs. It runs what a change needs, the *quick* ones: one story an area, ten minutes on two cores. `npm run test:all` runs
// everything, and so does CI. A file that nobody lists here runs there alone; tests/commands/tiers.test.mjs sees to it that each
// area has its story.

/** Area → what of it is quick. All files of an area that needs no runtime are. @type {Record<string, "all" | string[]>} */
export const QUICK = {
  "tests/attack": ["attack"],
  "tests/bench": "all",
  "tests/catalogue": ["start", "table", "dependencies", "tokens"],
  "tests/commands": "all",
  "tests/crowds": "all",
  "tests/demo": "all",
  "tests/docs": "all",
  "tests/e2e": ["buy"],
  "tests/find_permits": ["meter", "steps", "usl", "verdict", "safety", "visitor"],
  "tests/kits": ["js"],
  "tests/origin": "all",
  "tests/paths": "all",
  "tests/page": ["assets", "line", "shown", "spread", "states", "desk_sentence", "written", "zones"],
  "tests/plan": "all",
  "tests/platform": ["deployment", "stories"],
  "tests/rehearse_live": "all",
  "tests/report": "all",
  "tests/runtime": [
    "answers",
    "carry",
    "desk",
    "doors_limits",
    "entry",
    "flow_baton",
    "flow_line",
    "front_arrive",
    "front_lease",
    "hall",
    "house",
    "openapi",
    "start",
  ],
  "tests/sale": "all",
  "tests/world": "all",
};

/** Areas of which nothing is quick, each with the reason. */
export const LONG = {
  "tests/chaos": "a runtime is killed for minutes",
  "tests/engines": "three browsers, which a machine need not have",
  "tests/faults": "crowds of fifty, for minutes",
  "tests/spellings": "ten thousand paths through four origins",
};

/** Native tests of which nothing is quick: whole state spaces, a million tickets, whole sales. */
export const LONG_NATIVE = {
  exhaustive: "every sequence of commands in small worlds",
  exhaustive_lobbies: "every sequence of commands of lobbies in small worlds",
  recovery: "a million tickets, and every bit of every row",
  advice: "hundreds of simulated sales",
  forecast: "forecasts of lines whose end is known on paper",
  frame: "what frames say in lines of every length",
  plan: "sales played many times",
  simulate: "whole worlds from seeds",
};
