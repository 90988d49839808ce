#!/usr/bin/env bash
# HTMLRewriter on a page that the origin compressed with zstd rewrites the compressed bytes, and hands on a page that nobody can unpack.
#
# Guessed:  text() reads no zstd, which is right, but deflate, and a made Response is packed as its header says. Nobody asked about HTMLRewriter before
#           the run; it ran beside the others.
# Happens:  it does so for gzip and br. zstd and deflate are plain bytes to it: text() gives them as they are. In zstd short texts stand as they are, so
#           HTMLRewriter finds an element there and changes it, length and all, and the answer keeps its Content-Encoding: zstd. A Response made of a
#           text with that header is sent as plain text under it.
# Matters:  browsers ask for zstd, and an origin or a proxy behind a waiting room may answer with it. A worker that puts a script or a banner into the shop's
#           pages breaks them for everybody whose browser said zstd, without an error in any log. Ask the origin for gzip and br alone.
# Versions: workerd 1.20261117.1 and node 22.23.3 (npm), compatibility date 2026-11-01.
# Seen on 2026-11-27:
#   workerd 2026-11-17
#   gzip: text() reads it, a made one is gzip, rewritten it is read and changed
#   br: text() reads it, a made one is br, rewritten it is read and changed
#   deflate: text() gives bytes, a made one is not deflate, rewritten it is read and as before
#   zstd: text() gives bytes, a made one is not zstd, rewritten it cannot be read
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund workerd@1.20261117.1 node@22.23.3
workerd=$(echo node_modules/@cloudflare/workerd-*/bin/workerd)
port=$(node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port')

cat > worker.mjs <<'JS'
const mark = { element(found) { found.setInnerContent("changed"); } };
export default {
  async fetch(request, env) {
    const [, how, encoding] = new URL(request.url).pathname.split("/");
    if (how === "made") return new Response("made ".repeat(50), { headers: { "content-encoding": encoding } });
    const answer = await env.ORIGIN.fetch(`http://origin.example/${encoding}`);
    if (how === "text") return new Response((await answer.text()).startsWith("<p>hello") ? "reads it" : "gives bytes");
    return new HTMLRewriter().on("p", mark).transform(answer);
  },
};
JS
cat > seer.mjs <<'JS'
import http from "node:http";
import zlib from "node:zlib";
const PACK = { gzip: zlib.gzipSync, br: zlib.brotliCompressSync, deflate: zlib.deflateSync, zstd: zlib.zstdCompressSync };
const UNPACK = { gzip: zlib.gunzipSync, br: zlib.brotliDecompressSync, deflate: zlib.inflateSync, zstd: zlib.zstdDecompressSync };
const [port, originPort] = process.argv.slice(2);
const origin = http.createServer(({ url }, response) => {
  const encoding = url.slice(1);
  response.writeHead(200, { "content-type": "text/html", "content-encoding": encoding });
  response.end(PACK[encoding]("<p>hello</p>".repeat(20)));
}).listen(originPort, "127.0.0.1");
await new Promise((listens) => origin.once("listening", listens));
const raw = (path) => new Promise((done, failed) => {
  const asked = http.get({ port, path, host: "127.0.0.1", headers: { "accept-encoding": "gzip, deflate, br, zstd" } }, async (answer) => done(Buffer.concat(await answer.toArray())));
  asked.on("error", failed);
});
while (!await raw("/text/gzip").catch(() => false)) await new Promise((later) => setTimeout(later, 100));
const unpacked = (encoding, bytes) => { try { return UNPACK[encoding](bytes).toString(); } catch { return undefined; } };
for (const encoding of Object.keys(PACK)) {
  const isMade = unpacked(encoding, await raw(`/made/${encoding}`))?.startsWith("made");
  const page = unpacked(encoding, await raw(`/rewritten/${encoding}`));
  const rewritten = page === undefined ? "cannot be read" : `is read and ${page.includes("changed") ? "changed" : "as before"}`;
  console.log(`${encoding}: text() ${await raw(`/text/${encoding}`)}, a made one is ${isMade ? "" : "not "}${encoding}, rewritten it ${rewritten}`);
}
process.exit();
JS
originPort=$(node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port')
cat > config.capnp <<CAPNP
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "origin", external = (address = "127.0.0.1:$originPort", http = ()))],
  sockets = [(name = "http", address = "127.0.0.1:$port", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")], compatibilityDate = "2026-11-01", bindings = [(name = "ORIGIN", service = "origin")]
);
CAPNP
"$workerd" serve config.capnp 2> log &
"$workerd" --version
node_modules/.bin/node --disable-warning=ExperimentalWarning seer.mjs "$port" "$originPort" | tee seen
diff seen - <<'EXPECTED'
gzip: text() reads it, a made one is gzip, rewritten it is read and changed
br: text() reads it, a made one is br, rewritten it is read and changed
deflate: text() gives bytes, a made one is not deflate, rewritten it is read and as before
zstd: text() gives bytes, a made one is not zstd, rewritten it cannot be read
EXPECTED
