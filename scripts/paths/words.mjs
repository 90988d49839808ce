// The words by which shops name their own addresses, in the languages whose shops we have seen. A word decides nothing alone: judge.mjs weighs it.

const wordsOf = (text) => new RegExp(`(?<![a-z])(?:${text})(?![a-z])`, "i");

/** What places the order. */
export const ORDER = wordsOf(
  "place|complete|confirm|finish|finali[sz]e|purchase|submit|order|orders|placeorder|completecart|pay|payment|payments|book|booking|reserve|registration|registrations|register|transaction|buchen|kaufen|bestellen|commander|comprar",
);
/** What leads to it. */
export const BASKET = wordsOf(
  "cart|carts|basket|bag|add|items?|lines?|remove|update|coupon|voucher|addresses|address|shipping|delivery|billing|email|customer|guest|contact|checkout|questions|warenkorb|panier|carrito",
);
/** What is put into a basket, and what an order needs before it is one. */
export const BASKET_THING = wordsOf(
  "cart|carts|basket|bag|items?|lines?|coupon|voucher|addresses|address|shipping|delivery|billing|customer|guest|contact",
);
/** What a buyer may send once all is over. */
export const AFTERWARDS = wordsOf("download|downloads|pdf|print|resend|ics|wallet|calendar|cancel|feedback|rating");
/** What a page after the order is called. */
export const THANKS = wordsOf(
  "thanks?|thank-?you|thankyou|success|succeeded|complete|completed|confirmation|confirmed|receipt|done|order-received|ordered|danke|merci|gracias|kiitos|grazie|finished",
);
/** What a page may be called that shows an order, or any other thing. */
export const SHOWS_ORDER = wordsOf("order|orders|booking|bookings|ticket|tickets|invoice|registration|registrations|reservation");
/** What a page before the order is called. */
export const BEFORE = wordsOf(
  "cart|basket|bag|shipping|delivery|address|addresses|payment-(?:details|method)|preview|login|signin|questions|warenkorb|panier",
);
/** What a buyer's page sends that is no part of the purchase. */
export const NOISE = wordsOf(
  "consent|cookies?|track|tracking|analytics|collect|log|logs|csp|csp-report|search|suggest|locale|language|lang|currency|i18n|newsletter|login|signin|signup|logout|csrf|telemetry|metrics|heartbeat|rum|recaptcha|captcha|wishlist|reviews?",
);
/** Hosts and paths of people who take money. */
export const PAYMENT =
  /stripe|paypal|adyen|mollie|klarna|braintree|checkout\.com|worldpay|saferpay|datatrans|wallee|payone|unzer|sumup|square|razorpay|gmopg|komoju|payu|3ds|acs/i;

/** Splits what names a request into words: `checkout/thankYou` → `checkout thank You`. */
export const spaced = (text) => text.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ");
