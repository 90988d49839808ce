/* Asks the forecaster, a worker of its own that loads when somebody first wants a forecast. */

import { words } from "./words.js";

let worker;
let asked = 0;
const waiting = new Map();

/** Returns whether the forecaster is built. Right after a first `npm start`, which builds it in the background, it is not. */
export const isBuilt = () => document.documentElement.dataset.forecaster !== "";

/** Resolves to a forecast. One worker serves all rooms. */
export function forecastOf(question) {
  if (!isBuilt()) return Promise.reject(new Error(words.outlook.later));
  if (!worker) {
    const { forecaster, advice } = document.documentElement.dataset;
    worker = new Worker(forecaster, { type: "module" });
    worker.postMessage({ wasm: advice });
    worker.addEventListener("message", ({ data: { id, forecast, error } }) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(error));
      else resolve(forecast);
    });
    worker.addEventListener("error", () => {
      for (const { reject } of waiting.values()) reject(new Error(words.outlook.unloaded));
      waiting.clear();
      worker = undefined;
    });
  }
  const id = ++asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, question });
  });
}
