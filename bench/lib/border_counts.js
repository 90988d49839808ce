// Counts the calls across the border of any wasm instance that is created after this file was loaded.

let counts = {};

/** Returns the counts since the last call, such as `{ "out fetch": 1, "in fetch": 1 }`: `out` of the wasm, `in` to it. */
export function taken() {
  const told = counts;
  counts = {};
  return told;
}

const counted = (functions, way) =>
  Object.fromEntries(
    Object.entries(functions).map(([name, what]) => {
      if (typeof what !== "function") return [name, what];
      // wasm-bindgen appends a hash of the function's type to its name.
      const key = `${way} ${name.replace(/^__wbg_/, "").replace(/_?[0-9a-f]{16}$/, "")}`;
      return [
        name,
        (...args) => {
          counts[key] = (counts[key] ?? 0) + 1;
          return what(...args);
        },
      ];
    }),
  );

WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(Instance, [module, imports]) {
    const instance = new Instance(module, Object.fromEntries(Object.entries(imports).map(([from, functions]) => [from, counted(functions, "out")])));
    return { exports: counted(instance.exports, "in") };
  },
});
