// The worker's module: what the runtime loads first.
export { default, RoomObject, LobbyObject } from "../../build/index.js";
