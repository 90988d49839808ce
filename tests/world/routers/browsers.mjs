// The browsers that clients need, each started when it is first wanted.

import { DESKTOP, launch, newPage } from "../../page/browser.mjs";
import { canBeHeaded, launchHeaded } from "./headed.mjs";

export class Browsers {
  #plain;
  #headed;

  /** Why a client cannot be asked here, or false. */
  static lacks(client) {
    return client.headed && !canBeHeaded() && "no display here: node tests/engines/install.mjs installs one";
  }

  /** Somebody new before a client: `{ page, context: { close } }`. */
  async visit({ headed }) {
    if (headed) return (await (this.#headed ??= launchHeaded())).newVisit();
    return newPage(await (this.#plain ??= launch()), { viewport: DESKTOP, expectNetworkErrors: true });
  }

  async close() {
    await Promise.all([this.#plain, this.#headed].map(async (browser) => (await browser)?.close()));
  }
}
