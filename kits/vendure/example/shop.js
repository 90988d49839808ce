// Vendure with two tickets and a page that sells them:
//
//   node shop.js make      makes the tables, the tickets and the ways to pay, once
//   node shop.js           serves

import { fileURLToPath } from "node:url";
import { bootstrap, bootstrapWorker, DefaultJobQueuePlugin, dummyPaymentHandler, LanguageCode } from "@vendure/core";
import { populate } from "@vendure/core/cli/index.js";
import express from "express";
import { plugins } from "./plugins.js";

const { DATABASE_URL, PORT = 3000, SESSION_SECRET = "a secret of this shop's sessions" } = process.env;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const config = {
  apiOptions: {
    port: Number(PORT),
    adminApiPath: "admin-api",
    shopApiPath: "shop-api",
    cors: false,
    csrfPrevention: true,
    middleware: [{ route: "/tickets", handler: express.static(here("tickets")) }],
  },
  authOptions: {
    tokenMethod: ["bearer", "cookie"],
    superadminCredentials: { identifier: "superadmin", password: "superadmin" },
    cookieOptions: { secret: SESSION_SECRET },
  },
  dbConnectionOptions: { type: "postgres", url: DATABASE_URL, synchronize: process.argv[2] === "make" },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  plugins: [DefaultJobQueuePlugin.init({ pollInterval: 500 }), ...plugins],
};
const DATA = {
  defaultLanguage: LanguageCode.en,
  defaultZone: "Europe",
  countries: [{ code: "DE", name: "Germany", zone: "Europe" }],
  taxRates: [{ name: "None", percentage: 0 }],
  shippingMethods: [{ name: "By mail", price: 0 }],
  paymentMethods: [{ name: "By hand", handler: { code: dummyPaymentHandler.code, arguments: [{ name: "automaticSettle", value: "false" }] } }],
  collections: [],
};

if (process.argv[2] === "make") {
  const app = await populate(() => bootstrap(config), DATA, here("tickets.csv"));
  await app.close();
  process.exit();
}
await bootstrap(config);
await bootstrapWorker(config).then((worker) => worker.startJobQueue());
