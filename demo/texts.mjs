// The shop's words in each of its languages, and the choice of a language. Plain text only: pages.mjs escapes it.

const plural = (n, one, many) => (n === 1 ? one : many.replace("#", n.toLocaleString("en")));

export const TEXTS = {
  en: {
    artist: "Letters at Night",
    tour: "Winter tour: The Sea Is Listening",
    when: "Saturday, 12 December · 18:30",
    where: "Harbour Hall, Yokohama",
    blurb: "Four people, one piano, and songs for those who stay up late. One evening by the sea.",
    buy: "Buy tickets",
    free: "When many come at once, you get a numbered place in line. No need to reload.",
    choose: "How many seats?",
    seat: (n) => plural(n, "1 seat", "# seats"),
    price: "¥7,800 each, all seats reserved",
    book: "Book now",
    ticket: "Your number was",
    walkedIn: "Come on in.",
    left: (n) => plural(n, "1 seat left", "# seats left"),
    thanks: "Thank you. See you there!",
    booked: (n) => plural(n, "1 seat is yours.", "# seats are yours."),
    reference: "Booking",
    passedOn: "Your place in the shop has gone to the next person in line.",
    home: "Back to the artist’s page",
    soldOut: "Sold out",
    soldOutLong: "Every seat has found somebody. Thank you for coming.",
    fewer: (n) => `That many are not left any more. ${plural(n, "1 seat is", "# seats are")} still free.`,
    again: "Choose again",
    refused: "Please come in through the front door",
    refusedLong: "This page is reached from the ticket page only. If your visit is over, you can line up again.",
    missing: "There is nothing here",
    wrong: "Something in the form was wrong",
    broken: "The shop stumbled. Please try again.",
    demo: "Demo",
    send: "Send 30 visitors",
    sending: "30 visitors are on their way",
    sendHint: "They come within ten seconds, wait their turn, buy, and go. Press it, then buy tickets yourself.",
    inside: "in the shop",
    seatsLeft: "seats left",
    bookings: "bookings",
    served: "of the 30 served",
  },
  ja: {
    artist: "夜の手紙",
    tour: "冬のツアー「海は聴いている」",
    when: "12月12日（土）18:30開演",
    where: "横浜・ハーバーホール",
    blurb: "四人と一台のピアノ。夜更かしの人のための歌を、海辺のひと晩に。",
    buy: "チケットを購入する",
    free: "混み合うときは待ち番号をお渡しします。ページの再読み込みは不要です。",
    choose: "枚数をお選びください",
    seat: (n) => `${n}枚`,
    price: "全席指定 7,800円（税込）",
    book: "予約する",
    ticket: "お客様の待ち番号",
    walkedIn: "ようこそ。",
    left: (n) => `残り${n.toLocaleString("ja")}席`,
    thanks: "ありがとうございます。会場でお待ちしています。",
    booked: (n) => `${n}枚のご予約が完了しました。`,
    reference: "予約番号",
    passedOn: "お買い物の順番は、次にお待ちの方へ引き継がれました。",
    home: "アーティストのページへ戻る",
    soldOut: "完売しました",
    soldOutLong: "全席が完売しました。お越しいただきありがとうございました。",
    fewer: (n) => `ご希望の枚数はご用意できません。残りは${n}席です。`,
    again: "選び直す",
    refused: "入口からお入りください",
    refusedLong: "このページは購入ページからのみご覧いただけます。お時間が過ぎた場合は、もう一度お並びください。",
    missing: "ページが見つかりません",
    wrong: "入力内容に誤りがあります",
    broken: "エラーが発生しました。もう一度お試しください。",
    demo: "デモ",
    send: "30人の来場者を送る",
    sending: "30人が向かっています",
    sendHint: "10秒以内に来場し、順番を待ち、購入して帰ります。押したあと、ご自身でもお試しください。",
    inside: "購入中",
    seatsLeft: "残席",
    bookings: "予約",
    served: "30人中の購入済み",
  },
};

/** Returns the best language for an `Accept-Language` header; English if the header names none of the shop's. */
export function languageOf(header = "") {
  const wishes = header.split(",").map((part) => {
    const [tag, ...parameters] = part.trim().toLowerCase().split(";");
    const q = parameters.map((p) => /^\s*q=([\d.]+)$/.exec(p)?.[1]).find(Boolean);
    return { language: tag.split("-")[0], q: q === undefined ? 1 : Number(q) };
  });
  const ours = wishes.filter(({ language, q }) => Object.hasOwn(TEXTS, language) && q > 0);
  return ours.sort((a, b) => b.q - a.q)[0]?.language ?? "en";
}
