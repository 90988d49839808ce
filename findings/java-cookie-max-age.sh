#!/usr/bin/env bash
# Java takes a cookie with Max-Age for one of RFC 2965, and sends it back as `$Version="1"; name="value";$Path="/"`; with Expires beside it, plain.
#
# Guessed:  Max-Age is the modern attribute and Expires the old one; whichever there is, the client sends `name=value`.
# Happens:  `java.net.CookieManager`, which `java.net.http.HttpClient` uses, gives a cookie with Max-Age and no Expires version 1. It then sends four
#           pairs, the value in quotes. A server that does not take the quotes off reads another value, and finds cookies named `$Version`, `$Path`.
# Matters:  a room that sets its cookie with Max-Age alone never recognises a Java client. Setting both attributes costs 40 bytes and cures it.
# Versions: Debian's OpenJDK 17 (openjdk-17-jdk-headless, required).
# Seen on 2026-11-27:
#   OpenJDK 17.0.15
#   Path=/ -> place=seven
#   Path=/; Expires -> place=seven
#   Path=/; Max-Age -> $Version="1"; place="seven";$Path="/";$Domain="127.0.0.1"
#   Path=/; Max-Age; Expires -> place=seven
set -euo pipefail
folder=$(mktemp -d); cd "$folder"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
command -v java > /dev/null || { echo "This needs Debian's package openjdk-17-jdk-headless."; exit 2; }

cat > Run.java <<'JAVA'
import com.sun.net.httpserver.HttpServer;
import java.net.*;
import java.net.http.*;
import java.net.http.HttpResponse.BodyHandlers;

public class Run {
  public static void main(String[] none) throws Exception {
    System.out.println("OpenJDK " + System.getProperty("java.version"));
    String expires = "Expires=Fri, 01 Jan 2038 00:00:00 GMT";
    for (String attributes : new String[] {"Path=/", "Path=/; " + expires, "Path=/; Max-Age=600", "Path=/; Max-Age=600; " + expires}) {
      HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
      server.createContext("/", exchange -> {
        String got = String.valueOf(exchange.getRequestHeaders().getFirst("Cookie"));
        exchange.getResponseHeaders().add("Set-Cookie", "place=seven; " + attributes);
        exchange.sendResponseHeaders(200, got.length());
        exchange.getResponseBody().write(got.getBytes());
        exchange.close();
      });
      server.start();
      HttpClient client = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
      HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/")).build();
      client.send(request, BodyHandlers.ofString());
      System.out.println(attributes.replaceAll("=[^;/]*(;|$)", "$1") + " -> " + client.send(request, BodyHandlers.ofString()).body());
      server.stop(0);
    }
  }
}
JAVA
java Run.java | tee seen
tail -n +2 seen | diff - <(cat <<'EXPECTED'
Path=/ -> place=seven
Path=/; Expires -> place=seven
Path=/; Max-Age -> $Version="1"; place="seven";$Path="/";$Domain="127.0.0.1"
Path=/; Max-Age; Expires -> place=seven
EXPECTED
)
