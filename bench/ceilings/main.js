// The module that the runtime loads for the ceilings: it wraps the compiled wasm.
import { fetch } from "packed";

export { Desk, Relay } from "packed";
export default { fetch };
