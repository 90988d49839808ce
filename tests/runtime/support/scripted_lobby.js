// Stands where room and lobby objects stand, under the real front: for each call it asks the test what to do. Runs on workerd;
// `DIRECTOR` is the test's own server. See scripted.mjs. What it tells begins with the version of the form (src/facts/envelope.rs).

export { default } from "./entry.js";

class Scripted {
  #env;
  constructor(_ctx, env) {
    this.#env = env;
  }

  async fetch(request) {
    const headers = new Headers(request.headers);
    headers.set("Scripted-Object", this.constructor.name);
    headers.set("Scripted-Path", new URL(request.url).pathname);
    headers.delete("Upgrade");
    const order = await fetch(this.#env.DIRECTOR, { method: "POST", headers, body: await request.text() });
    const { throws, status = 200, told, text, socket, headers: more = {} } = await order.json();
    const said = told && `1${JSON.stringify(told)}`;
    if (throws) throw Object.assign(new Error("ordered"), throws);
    if (socket) {
      const [client, server] = Object.values(new WebSocketPair());
      server.accept();
      server.send(JSON.stringify(told.status));
      return new Response(null, { status: 101, webSocket: client, headers: { "Baton-Told": said } });
    }
    return new Response(text ?? said, { status, headers: { ...more, ...(said && { "Baton-Told": said }) } });
  }
}

export class LobbyObject extends Scripted {}
export class RoomObject extends Scripted {}
