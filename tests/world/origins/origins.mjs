// The servers that are asked how they read paths, as data. Node's frameworks stand in tests/spellings/handlers.mjs, which CI asks too.
//
//   python    the shop of shop.py, and the package that gives the version
//   debian    packages that are unpacked, `runs` the program and its arguments, `files` name → text; `@dir@`, `@root@` and `@port@` as in the list of fronts
//   system    a program of this machine, with its arguments; `version` prints it
//   tomcat    what Tomcat makes of an encoded slash: as it comes, or as wide as it can be set
//
// Those that serve files have `buy/seat` below `@pages@`.

/** PyPI's packages, all in one environment. */
export const PYTHON = {
  Django: "5.2.19",
  Flask: "3.1.3",
  CherryPy: "18.10.0",
  aiohttp: "3.14.5",
  tornado: "6.6.1",
  starlette: "1.10.0",
  bottle: "0.13.4",
  falcon: "4.4.0",
  pyramid: "2.1",
  uvicorn: "0.54.0",
  hypercorn: "0.18.0",
  waitress: "3.0.2",
  gunicorn: "27.0.1",
  daphne: "4.2.3",
  sanic: "25.12.1",
  litestar: "2.25.0",
  granian: "2.8.9",
  blacksheep: "2.6.4",
  Quart: "0.22.0",
  muffin: "3.0.3",
  microdot: "2.7.0",
  robyn: "0.88.0",
};

const python = (shop, ...packages) => ({ python: shop, version: packages.map((name) => PYTHON[name]).join(", ") });

export const ORIGINS = {
  nginx: {
    debian: ["nginx"],
    runs: ["usr/sbin/nginx", "-p", "@dir@", "-c", "@dir@/nginx.conf", "-e", "stderr"],
    files: {
      "nginx.conf": `user root; daemon off; pid @dir@/pid; error_log stderr crit; events {}
http { access_log off; client_body_temp_path @dir@/b; proxy_temp_path @dir@/p; fastcgi_temp_path @dir@/f; uwsgi_temp_path @dir@/u; scgi_temp_path @dir@/s; default_type text/plain;
server { listen 127.0.0.1:@port@; location = /buy { return 200 buy; } location /buy/ { return 200 buy; } location / { return 200 other; } } }`,
    },
  },
  "Apache httpd": {
    debian: ["apache2-bin"],
    runs: ["usr/sbin/apache2", "-X", "-f", "@dir@/apache.conf"],
    files: {
      "apache.conf": `ServerRoot @dir@
ServerName shop
PidFile @dir@/pid
ErrorLog @dir@/log
User www-data
Group www-data
Mutex file:@dir@
LoadModule mpm_event_module @root@/usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module @root@/usr/lib/apache2/modules/mod_authz_core.so
Listen 127.0.0.1:@port@
DocumentRoot @pages@`,
    },
  },
  lighttpd: {
    debian: ["lighttpd"],
    runs: ["usr/sbin/lighttpd", "-D", "-f", "@dir@/lighttpd.conf", "-m", "@root@/usr/lib/lighttpd"],
    files: { "lighttpd.conf": 'server.document-root = "@pages@"\nserver.bind = "127.0.0.1"\nserver.port = @port@\nserver.errorlog = "@dir@/log"' },
  },
  Caddy: {
    debian: ["caddy"],
    runs: ["usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", "@dir@/Caddyfile"],
    files: {
      Caddyfile:
        "{\n    admin off\n    auto_https off\n    storage file_system @dir@/caddy\n}\nhttp://:@port@ {\n    bind 127.0.0.1\n    @buy path /buy /buy/*\n    respond @buy buy\n    respond other\n}",
    },
  },
  mini_httpd: { debian: ["mini-httpd"], runs: ["usr/sbin/mini_httpd", "-D", "-p", "@port@", "-d", "@pages@"], files: {} },
  webfs: { debian: ["webfs"], runs: ["usr/bin/webfsd", "-F", "-p", "@port@", "-r", "@pages@"], files: {} },
  merecat: { debian: ["merecat"], runs: ["usr/sbin/merecat", "-n", "-p", "@port@", "@pages@"], files: {} },
  CivetWeb: { debian: ["civetweb"], runs: ["usr/bin/civetweb", "-listening_ports", "127.0.0.1:@port@", "-document_root", "@pages@"], files: {} },
  "busybox httpd": { debian: ["busybox"], runs: ["bin/busybox", "httpd", "-f", "-p", "127.0.0.1:@port@", "-h", "@pages@"], files: {} },
  Tomcat: { tomcat: "reject" },
  "Tomcat, wide": { tomcat: "decode" },
  "PHP, parse_url": { system: ["php", "-S", "127.0.0.1:@port@", "@here@/shop.php"], version: ["php", "--version"] },
  "Werkzeug, Flask": python("flask", "Flask"),
  "gunicorn, Flask": python("flask-gunicorn", "gunicorn", "Flask"),
  "gunicorn, Django": python("django-gunicorn", "gunicorn", "Django"),
  "Daphne, Django": python("django-daphne", "daphne", "Django"),
  "waitress, Bottle": python("bottle-waitress", "waitress", "bottle"),
  "waitress, Falcon": python("falcon-waitress", "waitress", "falcon"),
  "waitress, Pyramid": python("pyramid-waitress", "waitress", "pyramid"),
  "uvicorn, Starlette": python("starlette-uvicorn", "uvicorn", "starlette"),
  "Hypercorn, Starlette": python("starlette-hypercorn", "hypercorn", "starlette"),
  "Granian, Litestar": python("litestar-granian", "granian", "litestar"),
  "uvicorn, BlackSheep": python("blacksheep-uvicorn", "uvicorn", "blacksheep"),
  "Hypercorn, Quart": python("quart-hypercorn", "hypercorn", "Quart"),
  "uvicorn, Muffin": python("muffin-uvicorn", "uvicorn", "muffin"),
  Sanic: python("sanic", "sanic"),
  Microdot: python("microdot", "microdot"),
  Robyn: python("robyn", "robyn"),
  CherryPy: python("cherrypy", "CherryPy"),
  aiohttp: python("aiohttp", "aiohttp"),
  Tornado: python("tornado", "tornado"),
};
