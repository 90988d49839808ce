// Figures of many values. Pure.

/** Returns the mean; 0 if there are no values. */
export const mean = (values) => (values.length > 0 ? values.reduce((total, value) => total + value, 0) / values.length : 0);

/** Returns the value below which this share of a sorted list lies; `null` if the list is empty. */
export const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;

/** Returns the same, interpolated between its two neighbours. */
export function interpolated(sorted, share) {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  return sorted[below] + ((sorted[below + 1] ?? sorted[below]) - sorted[below]) * (place - below);
}
