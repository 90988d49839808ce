// The worker of a staging site, deployed by `npm run staging`: Baton as it is, with a banner on every page, the shop's too, so that nobody takes a
// rehearsal for a sale, and without a page for search engines. Production never loads this.
//
// The banner has no style of its own, because pages forbid styles that they do not bring themselves.

import inner from "../edge/entry.js";

export * from "../edge/entry.js";

/** The banner's text, in the languages of the waiting page (web/locales). */
export const TEXTS = {
  ar: "هذا موقع تجريبي. لا يُباع هنا شيء حقيقي.",
  de: "Dies ist eine Probeseite. Hier wird nichts wirklich verkauft.",
  en: "This is a rehearsal site. Nothing is really sold here.",
  es: "Este es un sitio de ensayo. Aquí no se vende nada de verdad.",
  fr: "Ceci est un site de répétition. Rien n’y est réellement vendu.",
  hi: "यह एक पूर्वाभ्यास साइट है। यहाँ वास्तव में कुछ नहीं बिकता।",
  id: "Ini situs latihan. Tidak ada yang benar-benar dijual di sini.",
  it: "Questo è un sito di prova. Qui non si vende nulla davvero.",
  ja: "これはリハーサル用のサイトです。実際の販売は行われません。",
  ko: "리허설용 사이트입니다. 실제로 판매되는 것은 없습니다.",
  pt: "Este é um site de ensaio. Nada é realmente vendido aqui.",
  th: "นี่คือเว็บไซต์ซ้อม ไม่มีการขายจริงที่นี่",
  vi: "Đây là trang chạy thử. Không có gì được bán thật ở đây.",
  "zh-Hans": "这是演练网站，此处不会真正出售任何东西。",
  "zh-Hant": "這是演練網站，此處不會真正出售任何東西。",
};

/** The text for a page in this language; English if the language is not known. */
export function textFor(lang) {
  if (/^zh-(hant|tw|hk|mo)\b/i.test(lang)) return TEXTS["zh-Hant"];
  if (/^zh\b/i.test(lang)) return TEXTS["zh-Hans"];
  return TEXTS[lang.toLowerCase().split("-")[0]] ?? TEXTS.en;
}

const banner = (lang) => `<p align="center" role="note" data-baton-staging><mark><b>${textFor(lang)}</b></mark></p>`;

/** Puts the banner at the beginning of a page's body, in the page's language. */
function withBanner(answer) {
  let lang = "en";
  return new HTMLRewriter()
    .on("html", {
      element: (html) => {
        lang = html.getAttribute("lang") ?? lang;
      },
    })
    .on("body", {
      element: (body) => {
        body.prepend(banner(lang), { html: true });
      },
    })
    .transform(answer);
}

export default {
  async fetch(request, env, ctx) {
    const answer = await inner.fetch(request, env, ctx);
    if (answer.webSocket) return answer;
    const marked = new Response(answer.body, answer);
    marked.headers.set("X-Robots-Tag", "noindex, nofollow");
    const isPage = answer.body !== null && /^text\/html\b/i.test(answer.headers.get("Content-Type") ?? "");
    return isPage ? withBanner(marked) : marked;
  },
};
