// Loaded before Baton's worker: keeps hold of the memories of its wasm instances, which the inspector does not count.

const memories = new Set();
const Native = WebAssembly.Instance;

WebAssembly.Instance = class extends Native {
  constructor(...args) {
    super(...args);
    const { memory } = this.exports;
    if (memory) memories.add(new WeakRef(memory));
  }
};

/** Bytes of all that are still in use. */
export function wasmBytes() {
  let bytes = 0;
  for (const reference of memories) {
    const memory = reference.deref();
    if (memory) bytes += memory.buffer.byteLength;
    else memories.delete(reference);
  }
  return bytes;
}
