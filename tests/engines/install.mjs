// Installs the engines of the tests in this folder, as Debian has them: Firefox ESR, WebKitGTK with its driver, a display without a screen. Chromium
// is installed with the page's tests. It names what cannot be had: the tests leave that engine out, and in CI fail without it.
//
//   node tests/engines/install.mjs

import { findProgram, run } from "../../scripts/common.mjs";
import { ENGINES, missing } from "../support/engines/programs.mjs";

const PACKAGES = ["firefox-esr", "webkit2gtk-driver", "xvfb"];

delete process.env.CI;
if (ENGINES.some(missing) && findProgram("apt-get")) {
  await run("apt-get", ["update", "-qq"]);
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...PACKAGES], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
for (const name of ENGINES) console.log(`${name}: ${missing(name) || "there"}`);
