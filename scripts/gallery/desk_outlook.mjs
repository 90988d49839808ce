/* What a room tells for a forecast, half an hour into a sale: for the gallery and for tests of the outlook. */

const MINUTE_MS = 60_000;

/**
 * Returns the outlook of a sale half an hour old: 200 permits that were raised from 120, visits of about three minutes, 4,000 people who
 * wait, and fewer and fewer who come.
 */
export function outlookOf() {
  const now = Date.now();
  const minutes = Array.from({ length: 30 }, (_, at) => at);
  const inside = (at) => (at < 12 ? 120 + 3 * (at % 4) : 200 - (at % 3));
  let admitted = 0;
  const hour = minutes.map((at) => [now - (30 - at) * MINUTE_MS, 6_000 - 60 * at, inside(at), (admitted += Math.round(inside(at) / 3))]);
  const stays = [60, 90, 120, 150, 180, 210, 240, 300, 360].map((s, at) => [
    s * 1_000,
    [90, 160, 220, 260, 240, 200, 160, 120, 60][at],
    [30, 50, 70, 80, 80, 70, 50, 40, 20][at],
    at < 6 ? 33 : 0,
  ]);
  const issued = (share) => Math.round(admitted + 1 + 4_600 * (1 - (1 - share) ** 2));
  const line = Array.from({ length: 33 }, (_, at) => [
    now - Math.round((1 - at / 32) * 28 * MINUTE_MS),
    issued(at / 32),
    Math.round((4_000 / 4_600) * (issued(at / 32) - admitted - 1)),
  ]);
  return {
    format: 1,
    now_ms: now,
    mode: "open",
    permits: 200,
    permits_ramp: null,
    admissions_milli_per_s: 0,
    admissions_ramp: null,
    claim_within_ms: 30_000,
    lease_idle_ms: 300_000,
    tick_ms: 1_000,
    walk_in: true,
    present: 4_000,
    away: 600,
    called: 0,
    inside: 200,
    in_hall: 0,
    opens_at_ms: null,
    claimed: admitted,
    missed: 40,
    walked_in: 0,
    waited: [admitted, admitted * 9 * MINUTE_MS],
    passed_over: 30,
    stays,
    claims: [
      [2_000, 300],
      [4_000, 500],
      [8_000, 100],
    ],
    line,
    hour,
    stock: null,
    origin: "well",
  };
}
