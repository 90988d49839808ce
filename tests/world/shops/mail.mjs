// Takes the mail that a shop sends, and delivers none of it.

import { once } from "node:events";
import net from "node:net";

/** Returns a mail's text: what is encoded in it is read. */
function textOf(raw) {
  const parts = raw.split(/\r?\n\r?\n/);
  return parts
    .map((part, at) => {
      const heads = parts[at - 1] ?? "";
      if (/transfer-encoding: base64/i.test(heads.split("\n--").at(-1))) return Buffer.from(part.split(/\n--/)[0], "base64").toString();
      return part.replaceAll(/=\r?\n/g, "").replaceAll(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
    })
    .join("\n\n");
}

/** Starts a mail server: `{ port, mails, stop }`, where `mails` are the texts of those that came. */
export async function startMail() {
  const mails = [];
  const server = net
    .createServer((socket) => {
      let heard = "",
        isData = false;
      const say = (line) => socket.write(`${line}\r\n`);
      say("220 nobody's mail");
      socket.on("error", () => socket.destroy());
      socket.setEncoding("latin1").on("data", (chunk) => {
        heard += chunk;
        for (;;) {
          const end = heard.indexOf(isData ? "\r\n.\r\n" : "\r\n");
          if (end === -1) return;
          const said = heard.slice(0, end);
          heard = heard.slice(end + (isData ? 5 : 2));
          if (isData) mails.push(textOf(said));
          const isBegun = !isData && /^data/i.test(said);
          isData = isBegun;
          say(isBegun ? "354 go on" : "250 as you say");
          if (/^quit/i.test(said)) socket.end();
        }
      });
    })
    .listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: server.address().port, mails, stop: () => new Promise((resolve) => server.close(resolve)) };
}
