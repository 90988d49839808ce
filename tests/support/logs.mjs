// The log of a running Baton, as whoever searches it sees it: its lines of JSON.

/** Every line of the log, parsed; what the runtime prints besides is passed over. */
export function logged(logs) {
  return logs
    .split("\n")
    .filter((line) => line.includes('{"level":'))
    .map((line) => JSON.parse(line.slice(line.indexOf('{"level":'))));
}

/** Those with this code. */
export const coded = (logs, wanted) => logged(logs).filter(({ code }) => code === wanted);
