/* Asks the forecaster, a worker of its own that is loaded when somebody first wants a forecast. */

import { words } from "./words.js";

let worker;
let asked = 0;
const waiting = new Map();

/** False right after a first `npm start`, which builds the forecaster in the background. */
export const isBuilt = () => document.documentElement.dataset.forecaster !== "";

/** One worker for all rooms. Resolves to a forecast. */
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
