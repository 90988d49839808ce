// What the runtime loads of the ceilings, around the compiled module.
import { fetch } from "packed";

export { Desk, Relay } from "packed";
export default { fetch };
