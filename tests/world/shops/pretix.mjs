// pretix, as docs/stacks/pretix.md has it: nginx, gunicorn, Redis, the plugin.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { findProgram } from "../../../scripts/common.mjs";
import { startRedis } from "../../kits/support/databases.mjs";

const SBIN = ["/usr/sbin", "/usr/local/sbin"];
export const pretix = {
  name: "pretix",
  page: "docs/stacks/pretix.md",
  debian: ["nginx", "redis-server", "python3-venv"],
  ports: { front: "8000", inner: "8345", redis: "6379" },
  env: ({ shop, mail }) => ({ PRETIX_CONFIG_FILE: path.join(shop, "pretix.cfg"), PRETIX_MAIL_HOST: "127.0.0.1", PRETIX_MAIL_PORT: `${mail.port}` }),
  kept: ["data"],
  services: async (t) => ({ redis: (await startRedis(t)).port }),
  async start({ shop, ports, serve }) {
    writeFileSync(
      path.join(shop, "nginx.whole.conf"),
      `${process.getuid() === 0 ? "user root;" : ""} daemon off; worker_processes 1; pid ${shop}/nginx.pid; error_log stderr; events {}
http { access_log off; ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((each) => `${each}_temp_path ${shop}/tmp_${each};`).join(" ")} include /etc/nginx/mime.types; include ${shop}/nginx.conf; }`,
    );
    await serve(findProgram("nginx", SBIN), ["-p", shop, "-c", path.join(shop, "nginx.whole.conf"), "-e", "stderr"], { port: ports.front });
  },
  entrance: "/demo/fest/",
  goods: { free: 1, paid: 2 },
  isEntrance: () => document.readyState === "complete" && document.querySelector("#btn-add-to-cart") && true,
  /** From the entrance to the page whose button orders. */
  async fill(person, goods) {
    await person.until(isToStay);
    await person.type(`input[name=item_${pretix.goods[goods]}]`, "1");
    await person.click("#btn-add-to-cart");
    await person.click("button.btn-primary.btn-lg:not(#btn-add-to-cart)");
    await person.type("input[name=email]", "somebody@example.com");
    await next(person, "/checkout/questions/");
    if (goods === "paid") await next(person, "/checkout/payment/");
    await person.until(pretix.isLast);
  },
  isLast: () => document.readyState === "complete" && location.pathname.endsWith("/checkout/confirm/"),
  order: (person) => next(person, "/checkout/confirm/"),
  /** The receipt's address. */
  isReceipt: () => document.readyState === "complete" && /\/order\/[^/]+\/[^/]+\/$/.test(location.pathname) && location.href,
  mailed: /http:\S+\/order\/[A-Z0-9]+\/\w+\/\S*/,
  /** The page's shop from nothing has SQLite, which two buyers lock. */
  crowd: 1,
  health: "/healthcheck/",
  /** What is open while somebody waits. */
  open: ["/demo/fest/resend/", "/demo/fest/widget/product_list?lang=en", "/demo/fest/theme.css", "/control/login"],
  /** What the shop itself refuses without a permit, and answers otherwise with one. */
  guarded: { method: "GET", path: "/demo/fest/checkout/start" },
  /** A call that reserves. */
  reserve: { path: "/demo/fest/cart/add", body: "item_1=1" },
};

/**
 * By http pretix loads a tab's first page once again, for its cookie has another name there than its script looks for; true on the page after that. A page that
 * has stood for so long stays.
 */
function isToStay() {
  if (document.readyState !== "complete") return false;
  const first = (sessionStorage.storyFirst ??= `${performance.timeOrigin}`);
  return first !== `${performance.timeOrigin}` || performance.now() > 10_000;
}

const next = async (person, at) => {
  await person.until((wanted) => document.readyState === "complete" && location.pathname.endsWith(wanted), at);
  await person.click(".checkout-button-row button.btn-primary");
};
