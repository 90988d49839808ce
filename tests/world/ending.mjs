// What a part of the world has opened is closed after it: when it is over, when it fails, and when somebody ends the command.

import os from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Resolves to what `act(t)` does. What it opened it has told `t.after(close)`; the last of it is closed first. */
export async function withEnding(act) {
  const opened = [];
  let ended;
  const close = async () => {
    const wrong = [];
    while (opened.length > 0)
      await opened
        .pop()()
        .catch((error) => wrong.push(error));
    if (wrong.length > 0) throw wrong[0];
  };
  const end = () => (ended ??= close());
  const leave = (signal) => end().finally(() => process.exit(128 + os.constants.signals[signal]));
  for (const signal of SIGNALS) process.on(signal, leave);
  try {
    return await act({ after: (each) => opened.push(async () => each()) });
  } finally {
    await end();
    for (const signal of SIGNALS) process.removeListener(signal, leave);
  }
}
