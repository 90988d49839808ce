// Modules that are installed elsewhere: beside a shop, or in a release. Only what our code uses of them.

declare module "express" {
  import type { IncomingMessage, ServerResponse } from "node:http";
  import type { Visit } from "../kits/node/src/checker.js";
  interface Request extends IncomingMessage {
    body: Record<string, string>;
    protocol: string;
    get(header: string): string;
    baton: Visit;
  }
  interface Response extends ServerResponse {
    status(code: number): Response;
    send(text: string): Response;
    redirect(address: string): void;
  }
  type Handler = (request: Request, response: Response, next?: (error?: unknown) => void) => void;
  interface App {
    use(handler: Handler): void;
    get(path: string, handler: Handler): void;
    post(path: string, handler: Handler): void;
    listen(port: number, isListening: () => void): void;
  }
  function express(): App;
  namespace express {
    function urlencoded(options: { extended: boolean }): Handler;
  }
  export default express;
}

declare module "next/server.js" {
  export class NextResponse extends Response {
    static next(going: { request: { headers: Headers } }): NextResponse;
  }
}

declare module "baton-check" {
  export function initSync(of: { module: BufferSource }): void;
  /** Takes and returns JSON. */
  export function check(asked: string): string;
  export function reference(): string;
}
