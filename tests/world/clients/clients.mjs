// Clients without a browser, as programs and people in a shell use them. Each has
//
//   name      how the table calls it, if not by its key
//   npm, pip  packages in their versions; crates likewise, as Cargo.toml has them
//   debian    packages of Debian that it needs
//   version   the command that says its version; left out: that of its first package
//   needs     what keeps its place, if it does not by itself
//   waits     `{ by }`: what makes it come back by itself after a 429, if it can
//   prepare   (at): compiles what it needs
//
// and one of
//
//   program   (mode, at) → the command of a program that asks what each line of its input says; `at` has where everything is
//   each      (mode, method, url, at) → the command for one request
//   shows     (mode, url, at) → the command of a terminal's browser; `reload` is the key that loads the page again
//
// where `mode` is `alone` (nothing but the client), `kept` (with what it needs) or `waits`.

import { must } from "../../../scripts/common.mjs";

const hand =
  (name) =>
  ({ folder }) =>
    `${folder}/${name}`;
const python = (name) => ({ packages: {}, program: (mode, at) => [at.python, hand(`with_${name}.py`)(at), mode] });

export const CLIENTS = {
  curl: {
    debian: ["curl"],
    needs: "`-b jar -c jar`",
    waits: { by: "`--retry 9`" },
    each: (mode, method, url, at) => [
      "curl",
      "-s",
      "-X",
      method,
      ...(mode === "kept" ? ["-b", at.jar, "-c", at.jar] : []),
      ...(mode === "waits" ? ["--retry", "9"] : []),
      url,
    ],
  },
  wget: {
    debian: ["wget"],
    needs: "`--load-cookies jar --save-cookies jar --keep-session-cookies`",
    waits: { by: "`--retry-on-http-error=429`" },
    each: (mode, method, url, at) => [
      "wget",
      "-q",
      "-O",
      "/dev/null",
      `--ca-certificate=${at.ca}`,
      `--method=${method}`,
      ...(mode === "kept" ? ["--load-cookies", at.jar, "--save-cookies", at.jar, "--keep-session-cookies"] : []),
      ...(mode === "waits" ? ["--retry-on-http-error=429"] : []),
      url,
    ],
  },
  requests: {
    ...python("requests"),
    pip: { requests: "2.34.2", urllib3: "2.8.0" },
    needs: "`requests.Session()`",
    waits: { by: "`Retry(9, status_forcelist=[429])`" },
  },
  httpx: { ...python("httpx"), pip: { httpx: "0.28.1" }, needs: "`httpx.Client()`" },
  aiohttp: { ...python("aiohttp"), pip: { aiohttp: "3.14.5" } },
  fetch: {
    name: "Node's fetch",
    npm: { node: "22.23.3", "tough-cookie": "6.1.0", undici: "8.13.1" },
    waits: { by: "undici's `RetryAgent`" },
    needs: "tough-cookie: `jar.getCookieString(url)` before, `jar.setCookie(cookie, url)` for each of `getSetCookie()` after",
    program: (mode, at) => [`${at.npm}/node_modules/.bin/node`, `${at.npm}/fetch.mjs`, mode],
  },
  axios: {
    npm: { axios: "1.21.1", "axios-cookiejar-support": "7.0.0", "tough-cookie": "6.1.0", "axios-retry": "4.5.0", node: "22.23.3" },
    waits: { by: "axios-retry" },
    needs: "axios-cookiejar-support: `wrapper(axios.create({ jar: new CookieJar() }))`",
    program: (mode, at) => [`${at.npm}/node_modules/.bin/node`, `${at.npm}/axios.mjs`, mode],
  },
  guzzle: {
    name: "Guzzle",
    debian: ["php-guzzlehttp-guzzle", "php-cli", "php-curl"],
    needs: "`new Client(['cookies' => true])`",
    waits: { by: "`Middleware::retry`" },
    program: (mode, at) => ["php", "-d", `curl.cainfo=${at.ca}`, "-d", `openssl.cafile=${at.ca}`, hand("guzzle.php")(at), mode],
  },
  ruby: {
    name: "Ruby's Net::HTTP with http-cookie",
    debian: ["ruby-http-cookie", "ruby"],
    needs: "`HTTP::Cookie.cookie_value(jar.cookies(uri))` before, `jar.parse(each, uri)` after",
    program: (mode, at) => ["ruby", hand("http_cookie.rb")(at), mode],
  },
  lwp: {
    name: "Perl's LWP",
    debian: ["libwww-perl", "liblwp-protocol-https-perl", "libhttp-cookies-perl"],
    needs: "`LWP::UserAgent->new(cookie_jar => {})`",
    program: (mode, at) => ["perl", hand("lwp.pl")(at), mode],
  },
  go: {
    name: "Go's net/http",
    debian: ["golang-go"],
    version: ["go", "version"],
    needs: "`client.Jar, _ = cookiejar.New(nil)`",
    prepare: (at) =>
      must("go", ["build", "-o", `${at.work}/go-jar`, hand("jar.go")(at)], {
        quiet: true,
        env: { ...process.env, GOCACHE: `${at.work}/go-cache`, GOFLAGS: "-mod=mod", GO111MODULE: "off" },
      }),
    program: (mode, at) => [`${at.work}/go-jar`, mode],
  },
  java: {
    name: "Java's HttpClient",
    debian: ["openjdk-17-jdk-headless"],
    needs: "`HttpClient.newBuilder().cookieHandler(new CookieManager())`",
    prepare: (at) =>
      must("keytool", ["-importcert", "-noprompt", "-alias", "ca", "-file", at.ca, "-keystore", `${at.work}/trust.p12`, "-storepass", "changeit"], {
        quiet: true,
      }),
    program: (mode, at) => [
      "java",
      `-Djavax.net.ssl.trustStore=${at.work}/trust.p12`,
      "-Djavax.net.ssl.trustStorePassword=changeit",
      hand("Hands.java")(at),
      mode,
    ],
  },
  reqwest: {
    crates: { reqwest: { version: "=0.13.5", features: ["blocking", "cookies", "native-tls-no-alpn"] } },
    debian: ["libssl-dev", "pkg-config"],
    needs: "`Client::builder().cookie_store(true)`",
    program: (mode, at) => [at.compiled, mode],
  },
  lynx: {
    debian: ["lynx"],
    needs: "`-accept_all_cookies`, or *A* when it asks",
    reload: "\x12",
    shows: (mode, url) => `lynx ${mode === "alone" ? "" : "-accept_all_cookies"} '${url}'`,
  },
  w3m: {
    debian: ["w3m"],
    waits: { by: "`-o meta_refresh=1`" },
    reload: "R",
    shows: (mode, url, at) => `w3m -o ssl_ca_file='${at.ca}' ${mode === "waits" ? "-o meta_refresh=1" : ""} '${url}'`,
  },
  // It says `Accept: */*` and can be told nothing else: Baton takes it for a program, and whoever sits before it sees JSON.
  elinks: { debian: ["elinks"], reload: "\x12", shows: (mode, url) => `elinks '${url}'` },
};

/** Returns how the table calls a client. */
export const nameOf = (key) => CLIENTS[key].name ?? key;
