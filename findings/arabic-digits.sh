#!/usr/bin/env bash
# The digits of Arabic ("ar") depend on the age of the Unicode data: the edge worker writes 12 where the shop's PHP or Java writes ١٢.
#
# Guessed:  a language has its digits; "ar" has Arabic-Indic ones, in every program that asks ICU.
# Happens:  newer data (ICU 78, and workerd's) has Latin digits for plain "ar", older data (ICU 72 and 74, and Java 17's own) Arabic-Indic ones.
#           Persian is the same everywhere.
# Matters:  the number in a mail, in the shop and on the waiting page look unlike for one person, and two people compare tickets and see other signs.
#           Name the digits (`ar-u-nu-latn`), or the country (ar-EG, ar-AE), and all agree.
# Versions: workerd 1.20261117.1, node 18.20.8 and 24.21.0 (npm); Debian's php8.2-intl and openjdk-17-jdk-headless (required).
# Seen on 2026-11-27:
#   workerd: 12 12 ١٢ ۱۲
#   Node 24: 12 12 ١٢ ۱۲
#   Node 18: ١٢ 12 ١٢ ۱۲
#   PHP 8.2: ١٢ 12 ١٢ ۱۲
#   Java 17: ١٢ 12 ١٢ ۱۲
#   ICU: Node 24 78.3, Node 18 74.2, PHP 72.1
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v php > /dev/null || { echo "This needs Debian's package php-cli and php-intl."; exit 2; }
command -v java > /dev/null || { echo "This needs Debian's package openjdk-17-jdk-headless."; exit 2; }
install() { npm install --silent --no-audit --no-fund --prefix "$1" "$2"; }
install new node@24.21.0; install old node@18.20.8; install edge workerd@1.20261117.1
port=$(node -p 'const s = require("net").createServer().listen(0); const { port } = s.address(); s.close(); port')

say='["ar", "ar-u-nu-latn", "ar-EG", "fa"].map((language) => new Intl.NumberFormat(language).format(12)).join(" ")'
cat > config.capnp <<CAPNP
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .main)], sockets = [(name = "http", address = "127.0.0.1:$port", http = (), service = "main")]);
const main :Workerd.Worker = (modules = [(name = "worker", esModule = embed "worker.mjs")], compatibilityDate = "2026-11-01");
CAPNP
echo "export default { fetch: () => new Response($say) };" > worker.mjs
edge/node_modules/@cloudflare/workerd-*/bin/workerd serve config.capnp 2> log &
cat > Run.java <<'JAVA'
import java.text.NumberFormat;
import java.util.*;
public class Run {
  public static void main(String[] languages) {
    StringJoiner said = new StringJoiner(" ");
    for (String language : languages) said.add(NumberFormat.getInstance(Locale.forLanguageTag(language)).format(12));
    new java.io.PrintStream(System.out, true, java.nio.charset.StandardCharsets.UTF_8).println(said);
  }
}
JAVA
until curl -s -o /dev/null "http://127.0.0.1:$port/"; do sleep 0.1; done
{
  echo "workerd: $(curl -s "http://127.0.0.1:$port/")"
  echo "Node 24: $(new/node_modules/.bin/node -p "$say")"
  echo "Node 18: $(old/node_modules/.bin/node -p "$say")"
  echo "PHP 8.2: $(php -r 'echo implode(" ", array_map(fn ($language) => (new NumberFormatter($language, NumberFormatter::DECIMAL))->format(12), ["ar", "ar-u-nu-latn", "ar-EG", "fa"]));')"
  echo "Java 17: $(java Run.java ar ar-u-nu-latn ar-EG fa)"
} > seen
cat seen
echo "ICU: Node 24 $(new/node_modules/.bin/node -p process.versions.icu), Node 18 $(old/node_modules/.bin/node -p process.versions.icu), PHP $(php -r 'echo INTL_ICU_VERSION;')"
diff seen - <<'EXPECTED'
workerd: 12 12 ١٢ ۱۲
Node 24: 12 12 ١٢ ۱۲
Node 18: ١٢ 12 ١٢ ۱۲
PHP 8.2: ١٢ 12 ١٢ ۱۲
Java 17: ١٢ 12 ١٢ ۱۲
EXPECTED
