// The least worker that asks an object through a header, and hands on what it says: the ceiling of a status poll in `rows/older.mjs`.
export default {
  async fetch(request, env) {
    const headers = { "Baton-Said": request.headers.get("Cookie") ?? "" };
    const answer = await env.DESK.getByName("desk").fetch("https://baton/ask", { method: "POST", headers });
    return new Response(answer.headers.get("Baton-Said"));
  },
};

/** Counts. */
export class Desk {
  #count = 0;

  fetch(request) {
    this.#count += request.headers.has("Baton-Said") ? 1 : 0;
    return new Response(null, { headers: { "Baton-Said": String(this.#count) } });
  }
}
