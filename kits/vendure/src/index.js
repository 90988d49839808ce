// Vendure's plugin: checks what came through Baton, refuses mutations that reserve to whoever holds no permit, and gives the permit back with the order.

import { APP_INTERCEPTOR } from "@nestjs/core";
import { ForbiddenError, LogLevel, VendurePlugin } from "@vendure/core";
import { NoLease, release, requireLease } from "baton-kit";
import { throughBaton } from "baton-kit/express";
import { mergeMap } from "rxjs";

/** By name and not by path: the API has one address for everything. */
const RESERVING = ["addItemToOrder", "addItemsToOrder", "adjustOrderLine", "transitionOrderToState", "addPaymentToOrder"];

/** Of both APIs only that of the operators lists these. */
const isShops = (info) => info.parentType.name === "Mutation" && !info.schema.getQueryType().getFields().administrators;

/** Stands around each resolver, outside its transaction. */
class Permit {
  constructor(reserving) {
    this.reserving = new Set(reserving);
  }

  intercept(context, next) {
    if (context.getType() !== "graphql") return next.handle();
    const [, , { req }, info] = context.getArgs();
    if (!isShops(info)) return next.handle();
    if (this.reserving.has(info.fieldName)) refuseStrangers(req);
    return next.handle().pipe(mergeMap((answer) => given(answer, req.res)));
  }
}

/** Waits for the resolver's transaction: an order that was not kept gives nothing back. */
async function given(answer, response) {
  const order = await answer;
  if (order?.orderPlacedAt) release(response);
  return order;
}

function refuseStrangers(request) {
  try {
    requireLease(request.baton);
  } catch (error) {
    if (!(error instanceof NoLease)) throw error;
    const refused = new ForbiddenError(LogLevel.Verbose);
    refused.extensions.http = { status: 403 };
    throw refused;
  }
}

/**
 * Returns the plugin, which stands before others in `plugins`. Takes the settings of a `Checker`, and in `reserving` the names of further mutations that
 * reserve, such as those of a payment plugin.
 */
export function batonPlugin({ reserving = [], ...settings }) {
  class BatonPlugin {}
  VendurePlugin({
    compatibility: "^3.7.0",
    providers: [{ provide: APP_INTERCEPTOR, useValue: new Permit([...RESERVING, ...reserving]) }],
    configuration: (config) => {
      config.apiOptions.middleware.unshift({ route: "/", beforeListen: true, handler: throughBaton(settings) });
      return config;
    },
  })(BatonPlugin);
  return BatonPlugin;
}
