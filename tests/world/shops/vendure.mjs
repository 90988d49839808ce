// Vendure, as docs/stacks/vendure.md has it: PostgreSQL, the plugin, a storefront of one page.

import { withNode } from "../install.mjs";
import { dumps, emptyDatabase, restores } from "./database.mjs";

export const vendure = {
  name: "vendure",
  page: "docs/stacks/vendure.md",
  debian: ["postgresql"],
  ports: { front: "3000", postgres: "5432" },
  // npm takes a package of the same version for the same package.
  kept: ["kept", "package.json", "package-lock.json"],
  env: () => ({ ...withNode, VENDURE_DISABLE_TELEMETRY: "true" }),
  services: async (t) => ({ postgres: await emptyDatabase(t, "vendure") }),
  made: ({ sh, ports }) => sh(dumps("vendure", ports)),
  restore: ({ sh, ports }) => sh(`rm -rf node_modules/baton-*\n${restores("vendure", ports)}`),
  entrance: "/tickets/",
  goods: { free: "Free ticket", paid: "Paid ticket" },
  isEntrance: () => document.readyState === "complete" && document.querySelectorAll("input[name=ticket]").length > 0,
  async fill(person, goods) {
    await person.until(vendure.isEntrance);
    await person.click("label", vendure.goods[goods]);
    await person.type("input[name=mail]", "somebody@example.com");
    await person.click("form button");
    await person.until(vendure.isLast);
  },
  isLast: () => document.readyState === "complete" && document.querySelector("#pay")?.hidden === false,
  order: (person) => person.click("#pay"),
  isReceipt: () =>
    document.readyState === "complete" &&
    location.pathname === "/tickets/receipt.html" &&
    document.querySelector("[role=status]").textContent.startsWith("Order ") &&
    location.href,
  crowd: 1,
  health: "/health",
  /** The API for shops too, which the receipt asks. */
  open: ["/tickets/receipt.html?code=x", "/health"],
  guarded: {
    method: "POST",
    path: "/shop-api",
    headers: { "content-type": "application/json" },
    // What a list of words in the text would not find.
    body: JSON.stringify({
      query: "fragment F on Mutation { quick: addItemToOrder(productVariantId: 1, quantity: 1) { __typename } } mutation { ...F }",
    }),
  },
};
