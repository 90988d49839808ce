// The shop's pages as HTML. They work without JavaScript; keep.js and shop.js only add to them.
// Every value in a page goes through `html`, which escapes it.

import { SEATS_PER_BOOKING_MAX } from "./seats.mjs";
import { TEXTS } from "./texts.mjs";

class Safe {
  constructor(text) {
    this.text = text;
  }
}

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text) => String(text).replace(/[&<>"']/g, (c) => ESCAPES[c]);

/** A template tag. It escapes values unless `html` made them, joins arrays, and writes nothing for null. */
function html(strings, ...values) {
  const text = (value) => {
    if (value === null || value === undefined) return "";
    if (Array.isArray(value)) return value.map(text).join("");
    return value instanceof Safe ? value.text : escape(value);
  };
  return new Safe(strings.reduce((all, part, i) => all + text(values[i - 1]) + part));
}

const PICTURE = html`
<svg class="picture" viewBox="0 0 640 240" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false">
  <rect class="sky" width="640" height="240"/>
  <circle class="glow" cx="470" cy="96" r="84"/>
  <circle class="moon" cx="470" cy="96" r="44"/>
  <path class="far" d="M0 150 Q80 118 170 146 T340 140 T520 150 T640 138 V240 H0Z"/>
  <path class="mid" d="M0 178 Q90 156 180 176 T360 174 T540 180 T640 170 V240 H0Z"/>
  <path class="near" d="M0 208 Q80 190 160 206 T320 204 T480 210 T640 200 V240 H0Z"/>
  <path class="letter" d="M148 74 l62 -14 12 42 -62 15z M148 74 l39 25 23 -39"/>
</svg>`;

function layout({ language, title, body, scripts = null }) {
  const t = TEXTS[language];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${t.artist}</title>
<link rel="stylesheet" href="/shop/shop.css">
<link rel="icon" href="data:,">
${scripts}
</head>
<body>
<main class="card">
${PICTURE}
<div class="inner">
${body}
</div>
</main>
</body>
</html>
`.text;
}

const keep = (room) => html`<script src="/__baton/static/keep.js" data-room="${room}" defer></script>`;

export function startPage({ language, crowd }) {
  const t = TEXTS[language];
  const figure = (id, label) => html`<div><dd id="${id}">–</dd><dt>${label}</dt></div>`;
  const demo =
    crowd &&
    html`
<section class="demo" aria-labelledby="demo">
  <h2 id="demo">${t.demo}</h2>
  <form method="post" action="/shop/crowd"><button class="quiet" data-busy="${t.sending}">${t.send}</button></form>
  <p class="hint">${t.sendHint}</p>
  <dl class="figures">${figure("inside", t.inside)}${figure("seats_left", t.seatsLeft)}${figure("bookings", t.bookings)}
  ${figure("served", t.served)}</dl>
</section>`;
  return layout({
    language,
    title: t.tour,
    scripts: crowd && html`<script type="module" src="/shop/shop.js"></script>`,
    body: html`
<p class="tour">${t.tour}</p>
<h1>${t.artist}</h1>
<p class="facts">${t.when}<br>${t.where}</p>
<p>${t.blurb}</p>
<p><a class="button" href="/buy/">${t.buy}</a></p>
<p class="hint">${t.free}</p>
${demo}`,
  });
}

export function buyPage({ language, room, number, left, formKey }) {
  if (left === 0) return soldOutPage({ language, left });
  const t = TEXTS[language];
  const choices = Array.from({ length: Math.min(SEATS_PER_BOOKING_MAX, left) }, (_, i) => i + 1);
  const choice = (n) => html`
  <label><input type="radio" name="seats" value="${n}"${n === 1 ? html` checked` : null}><span>${t.seat(n)}</span></label>`;
  return layout({
    language,
    title: t.buy,
    scripts: keep(room),
    body: html`
<p class="ticket">${number ? html`${t.ticket} <strong>${number}</strong>` : t.walkedIn}</p>
<h1>${t.artist}</h1>
<p class="facts">${t.when}<br>${t.where}</p>
<form method="post" action="/buy/book">
  <input type="hidden" name="key" value="${formKey}">
  <fieldset><legend>${t.choose}</legend><div class="choices">${choices.map(choice)}</div></fieldset>
  <p class="hint">${t.price} · ${t.left(left)}</p>
  <button class="button">${t.book}</button>
</form>`,
  });
}

export function thanksPage({ language, booking }) {
  const t = TEXTS[language];
  return layout({
    language,
    title: t.thanks,
    body: html`
<p class="ticket">${t.reference} <strong>${booking.id}</strong></p>
<h1>${t.booked(booking.seats)}</h1>
<p class="facts">${t.when}<br>${t.where}</p>
<p>${t.thanks}</p>
<p class="hint">${t.passedOn}</p>
<p><a href="/">${t.home}</a></p>`,
  });
}

export function soldOutPage({ language, left }) {
  const t = TEXTS[language];
  return left > 0
    ? notePage({ language, title: t.fewer(left), text: t.price, link: ["/buy/", t.again] })
    : notePage({ language, title: t.soldOut, text: t.soldOutLong, link: ["/", t.home] });
}

/** Returns the page for a trouble: `refused`, `missing`, `wrong` or `broken`. */
export function troublePage({ language, trouble }) {
  const t = TEXTS[language];
  const text = trouble === "refused" ? t.refusedLong : "";
  return notePage({ language, title: t[trouble], text, link: ["/", t.home] });
}

function notePage({ language, title, text, link: [href, label] }) {
  return layout({
    language,
    title,
    body: html`<h1>${title}</h1><p>${text}</p><p><a class="button" href="${href}">${label}</a></p>`,
  });
}
