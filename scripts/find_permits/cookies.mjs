// One person's cookies, kept as a browser keeps them (RFC 6265, by `tough-cookie`).

import { CookieJar } from "tough-cookie";

export class Cookies {
  #jar = new CookieJar();

  /** Keeps the cookies that an answer of `url` sets. */
  keep(url, lines = []) {
    for (const line of lines) this.#jar.setCookieSync(line, url.href, { ignoreError: true });
  }

  /** Returns the `Cookie` header for a request, the longest path first, or undefined. Localhost counts as secure, as in browsers. */
  header(url) {
    return this.#jar.getCookieStringSync(url.href) || undefined;
  }
}
