//! Which of a client's headers go on to the origin, by their names: those that some server or library reads as more than a header, and those that
//! honest browsers, pages, apps and proxies send.

use baton::gate::{Fate, HeaderKind, fate_of};
use baton::settings::{PassedHeaders, parse_origins};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// What becomes of a header where the operator names none.
pub(super) fn fate(name: &str, method: &str) -> Fate {
    fate_of(&name.to_ascii_lowercase(), method, &PassedHeaders::default())
}

/// Path, mount point, host, port, scheme, method and file.
#[rustfmt::skip]
const MOVING: [&str; 178] = [
    // The whole path.
    "X-Original-URL", "X-Original-URI", "X-Original-Path", "X-Originalurl", "X-Rewrite-URL", "X-Rewrite-Uri", "X-Rewriteurl", "X-MS-Original-URL",
    "X-Unencoded-Url", "X-Request-URL", "X-Request-URI", "X-Request-Path", "X-Requesturi", "Request-Uri", "Request-Path", "X-Forwarded-Url",
    "X-Forwarded-Uri", "X-Forwarded-Path", "X-Auth-Request-Redirect-Path", "X-Envoy-Original-Path", "X-Envoy-Path", "X-Invoke-Path", "X-Matched-Path",
    "X-Nextjs-Matched-Path", "X-Nextjs-Rewritten-Path", "X-Middleware-Rewrite", "X-Nextjs-Rewrite", "X-Raw-Path", "X-Full-Path", "X-Proxy-Url",
    "X-Proxy-Path", "X-Real-Path", "X-Real-Uri", "X-Backend-Path", "X-Upstream-Uri", "X-Path", "X-Url", "X-Uri", "Path", "Url", "Uri", "X-Target-Path",
    "X-Gateway-Path", "X-Origin-Path", "X-Kong-Request-Path", "X-Traefik-Path", "X-Replaced-Path", "X-Request-Target", "X-Original-Target",
    "X-Original-Query", "X-Original-Querystring", "X-Url-Override", "X-Path-Override", "X-Path-Original",
    "X-Now-Route-Matches", "X-Httpd-Request-Uri", "X-Pathname", "X-HTTP-DestinationURL", "Base-Url", "Http-Url", "X-Forward-Path",
    // Its beginning, at which an application is mounted.
    "Script-Name", "X-Script-Name", "X-Scriptname", "X-Forwarded-Script-Name", "X-Script-Url", "Path-Info", "X-Path-Info", "X-Pathinfo", "Path-Translated",
    "Daphne-Root-Path", "Root-Path", "X-Root-Path", "X-Rootpath", "X-Base-Path", "X-Basepath", "X-Base-Url", "X-Path-Base", "X-Context-Path",
    "X-Ingress-Path", "X-Path-Prefix", "X-Forwarded-Prefix", "X-Forwarded-Path-Prefix", "X-Prefix", "X-Url-Prefix", "X-Forwarded-Context",
    "X-Forwarded-Root", "X-App-Root", "X-Mount", "X-Forwarded-Basepath",
    // Another host or port.
    "Forwarded", "X-Host", "X-Original-Host", "X-Forwarded-Server", "X-Forwarded-Port", "X-Forwarded-Domain", "X-Original-Domain", "X-Backend-Host",
    "X-HTTP-Host-Override", "X-Host-Override", "X-Envoy-Original-Host", "X-Real-Host", "X-Proxy-Host", "X-Server-Name", "X-Host-Name", "X-Port",
    "X-Original-Authority", "X-Forward-Host", "X-Hostname", "X-Forwarded-Hostname", "X-Forwarder-Host",
    // Another scheme.
    "X-Scheme", "X-Url-Scheme", "X-Forwarded-Scheme", "X-Forwarded-Protocol", "X-Forwarded-Ssl", "X-Forwarded-Https", "X-Proto", "X-Protocol",
    "Front-End-Https", "Https", "X-Https",
    // Another method, as proxies report it; another file; a proxy for the origin's own requests.
    "X-Original-Method", "X-Forwarded-Method", "X-Rewrite-Method", "X-Any-Method-Override", "X-Accel-Mapping", "X-Sendfile-Type",
    "Proxy", "X-Override-Method", "X-Method", "Method", "X-HTTP-Verb", "X-Rest-Method", "X-Tunneled-Method", "X-Envoy-Method", "X-Original-Verb",
    "X-Custom-Method", "X-Method-Name", "X-HTTP-Method-Overrides", "X-HttpMethod", "X-HttpMethodOverride", "X-Middleware-Subrequest",
    // The same things by other words.
    "X-Vhost", "X-Virtualhost", "X-Domain", "Authority", "X-Authority", "X-Backend", "X-Upstream", "X-Hosts", "X-Server", "X-Mount-Point", "Mount-Point",
    "X-PathPrefix", "X-Subpath", "X-Query-String", "X-Secure", "X-Is-Secure", "X-Tls", "X-Port-Number", "XForwardedHost", "X-Original-Backend", "X-Real-Server",
    "X-Request-Domain", "X-Raw-Authority", "Tls",
    "X-ProxyContextPath", "X-ProxyHost", "X-ProxyScheme", "X-ProxyPort", "X-ProxyPath", "X-URLPath", "X-Apigateway-Event", "X-Apigateway-Context",
    "X-Amzn-Request-Context", "X-Middleware-Override-Headers", "X-Middleware-Set-Cookie",
];

/// Where a client is.
#[rustfmt::skip]
const ADDRESSES: [&str; 40] = [
    "X-Real-IP", "X-Original-For", "X-Realip", "True-Client-IP", "Client-IP", "X-Client-IP", "X-Clientip", "X-Cluster-Client-IP", "X-Remote-IP", "X-Remoteip",
    "X-Remote-Addr", "Remote-Addr", "X-Remoteaddr", "Remote-Address", "X-Originating-IP", "Fastly-Client-IP", "Fly-Client-IP", "X-Azure-ClientIP",
    "X-Azure-SocketIP", "WL-Proxy-Client-IP", "Proxy-Client-IP", "X-Appengine-User-IP", "X-ProxyUser-IP", "X-Envoy-External-Address",
    "Cloudfront-Viewer-Address", "X-Original-Forwarded-For", "Forwarded-For", "X-Forwarded-By",
    "X-Forward-For", "X-Forwarder-For", "X-True-IP", "X-Vercel-Forwarded-For",
    "X-IP-Address", "X-Custom-IP-Authorization", "Caller-Ip", "X-Coming-From", "Coming-From", "X-Proxied-For", "X-Ip-Client", "X-Nokia-Ipaddress",
];

/// Who a client is, as somebody else vouches for it.
#[rustfmt::skip]
const VOUCHED: [&str; 88] = [
    "Remote-User", "X-Remote-User", "Remote-Groups", "Remote-Email", "X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Groups",
    "X-Forwarded-Preferred-Username", "X-Forwarded-Access-Token", "X-Auth-Request-User", "X-Auth-Request-Email", "X-Auth-Request-Groups",
    "X-Auth-Request-Access-Token", "X-Authenticated-User", "X-Goog-Authenticated-User-Email", "X-WebAuth-User", "X-Authentik-Username",
    "X-Pomerium-Jwt-Assertion", "Tailscale-User-Login", "X-Amzn-Oidc-Identity", "X-Amzn-Oidc-Data", "OIDC-Claim-Sub", "X-MS-Client-Principal",
    "X-MS-Client-Principal-Name", "X-Forwarded-Client-Cert", "X-Client-Cert", "Client-Cert", "Client-Cert-Chain", "X-Client-Certificate",
    "X-Arr-Clientcert", "X-SSL-Client-Verify", "SSL-Client-S-DN", "X-SSL-Cert", "X-Amzn-Mtls-Clientcert", "X-Client-Verify",
    "X-Auth-User", "Auth-User", "Proxy-User", "RemoteUser", "X-RemoteUser", "Remote-Name", "X-Vouch-User", "X-Consumer-Username", "X-Credential-Identifier",
    "X-Apigateway-Api-Userinfo", "Impersonate-User", "X-Client-Dn", "X-Client-Verified", "X-Peer-Certificate", "X-Cert-Subject",
    "User", "X-User", "X-Username", "X-User-Name", "X-Email", "X-User-Email", "X-Verified", "X-Dn", "X-Subject-Dn", "X-Consumer-Id",
    "X-Consumer-Custom-Id", "X-Anonymous-Consumer", "SM-User", "IV-User", "IV-Groups", "IV-Creds", "CAS-User", "Logon-User", "X-Saml-Nameid", "X-Ldap-User",
    "X-RStudio-Username", "X-Remote-Userid", "X-AppEngine-User-Email", "X-ProxiedEntitiesChain", "X-MSISDN", "X-UP-Calling-Line-ID", "Eppn", "X-Ssl-Cn",
    "SSLClientCertSubject", "Client-Subject", "X-Spiffe-Id", "X-Jwt-Claim-Sub", "X-Auth-Username", "X-Auth-Userid", "X-Auth-Email", "X-Auth-Subject",
    "X-Auth-Roles", "X-Auth-Groups",
];

/// What honest clients, and what stands in front, send.
#[rustfmt::skip]
const ORDINARY: [&str; 166] = [
    // Browsers.
    "Host", "User-Agent", "Accept", "Accept-Language", "Accept-Encoding", "Accept-Charset", "Referer", "Origin", "Cookie", "Cookie2", "Authorization",
    "Proxy-Authorization", "Cache-Control", "Pragma", "Connection", "Keep-Alive", "Upgrade", "Upgrade-Insecure-Requests", "DNT", "Sec-GPC", "Priority", "TE",
    "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location", "Content-Range", "Content-Disposition", "Content-MD5",
    "Transfer-Encoding", "Trailer", "Expect", "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Date", "Via",
    "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-Fetch-Dest", "Sec-Purpose", "Purpose", "X-Moz", "Service-Worker",
    "Service-Worker-Navigation-Preload", "Last-Event-ID", "Ping-From", "Ping-To", "Early-Data", "Http2-Settings", "Save-Data", "Downlink", "Ect", "Rtt",
    "Device-Memory", "Viewport-Width", "Width", "Dpr", "Sec-CH-UA", "Sec-CH-UA-Platform", "Sec-CH-Prefers-Color-Scheme", "Sec-CH-Viewport-Width",
    "Sec-WebSocket-Key", "Sec-WebSocket-Protocol", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions", "Access-Control-Request-Method",
    "Access-Control-Request-Headers", "Depth", "Destination", "Overwrite", "SOAPAction",
    // Pages and their routers.
    "X-Requested-With", "X-CSRF-Token", "X-CSRFToken", "X-XSRF-Token", "HX-Request", "HX-Boosted", "HX-Current-URL", "HX-Target", "HX-Trigger-Name",
    "HX-History-Restore-Request", "Turbo-Frame", "X-Turbo-Request-Id", "X-PJAX", "X-PJAX-Container", "X-Inertia", "X-Inertia-Version",
    "X-Inertia-Partial-Component", "X-Inertia-Partial-Data", "X-Up-Version", "X-Up-Target", "X-Up-Context", "X-Up-Mode", "X-Up-Fail-Target", "X-Livewire",
    "RSC", "Next-Url", "Next-Action", "Next-Router-State-Tree", "Next-Router-Prefetch", "Next-Router-Segment-Prefetch", "X-Nextjs-Data",
    "X-Middleware-Prefetch", "X-SvelteKit-Action", "X-Current-Url", "X-Page-Url", "X-Color-Scheme",
    // Apps, their APIs, traces.
    "X-Api-Key", "X-Api-Version", "X-Auth-Token", "X-User-Id", "X-Client-Version", "X-Shopify-Storefront-Access-Token", "X-Shopify-Shop-Domain",
    "Apollographql-Client-Name", "X-Apollo-Operation-Name", "GraphQL-Preflight", "Connect-Protocol-Version", "MCP-Protocol-Version", "X-Grpc-Web",
    "X-Goog-Upload-Protocol", "Upload-Offset", "Idempotency-Key", "X-Payment-Method", "X-Shipping-Address", "X-Redirect-Uri", "X-Request-Id",
    "X-Correlation-Id", "Traceparent", "Tracestate", "Baggage", "Sentry-Trace", "X-Datadog-Origin", "X-Datadog-Parent-Id", "X-B3-TraceId",
    "X-Cloud-Trace-Context", "X-Amzn-Trace-Id", "X-Amz-Date", "X-Shipping-Method", "X-Delivery-Method", "X-Auth-Method", "X-Shop-Domain", "X-Filename",
    "X-File-Name", "X-Customer-Name", "X-Username-Hint",
    // What payment services and their like call a shop with.
    "PayPal-Cert-Url", "PayPal-Transmission-Sig", "Stripe-Signature", "X-Goog-Resource-URI", "X-Goog-Channel-Id", "SignatureCertChainUrl",
    "X-Shopify-Hmac-Sha256", "X-WC-Webhook-Source", "X-Twilio-Signature", "X-Hub-Signature-256", "Ce-Source", "Max-Forwards",
    // Cloudflare.
    "CF-Connecting-IP", "CF-Ray",
];
#[rustfmt::skip]
const PLATFORM: [&str; 9] = [
    "CF-Visitor", "CF-IPCountry", "CF-Worker", "CDN-Loop", "CF-Access-Jwt-Assertion", "CF-Access-Authenticated-User-Email", "X-Forwarded-Host",
    "X-Forwarded-Proto", "X-Forwarded-For",
];

#[test]
fn c120_what_moves_a_request_does_not_go_on() {
    for (names, kind) in [
        (&MOVING[..], HeaderKind::Moves),
        (&ADDRESSES, HeaderKind::Address),
        (&VOUCHED, HeaderKind::Who),
    ] {
        for name in names {
            for method in ["GET", "POST"] {
                let expected = match *name {
                    "X-Auth-Request-Redirect-Path" => HeaderKind::Who,
                    _ => kind,
                };
                assert_eq!(fate(name, method), Fate::Stays(expected), "{method} {name}");
            }
            let in_cgi = name.replace('-', "_");
            let stays = matches!(fate(&in_cgi, "GET"), Fate::Stays(_));
            assert!(stays, "{in_cgi}");
        }
    }
}

#[test]
fn what_honest_clients_send_goes_on() {
    for name in ORDINARY.iter().chain(&PLATFORM) {
        for method in ["GET", "POST", "OPTIONS"] {
            assert_eq!(fate(name, method), Fate::Goes, "{method} {name}");
        }
    }
}

#[test]
fn c70_another_spelling_is_another_header_in_disguise() {
    for name in ["api_key", "x.y", "a!b", "", "accept_language", "x-naïve"] {
        assert_eq!(fate(name, "GET"), Fate::Stays(HeaderKind::Odd), "{name}");
    }
    for name in ["Baton-Fence", "baton_fence", "Baton.Proof", "X_Forwarded_Host", "x.forwarded-for"] {
        assert_eq!(fate(name, "GET"), Fate::Ours, "{name}");
    }
}

#[test]
fn c69_a_method_in_a_header_goes_on_with_a_post() {
    for name in ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"] {
        for (method, expected) in [
            ("POST", Fate::Goes),
            ("GET", Fate::Stays(HeaderKind::Moves)),
            ("HEAD", Fate::Stays(HeaderKind::Moves)),
            ("OPTIONS", Fate::Stays(HeaderKind::Moves)),
        ] {
            assert_eq!(fate(name, method), expected, "{method} {name}");
        }
    }
}

#[test]
fn what_the_operator_names_goes_on() {
    let vars = json!({ "PASS_HEADERS": ["api_key", "X-Store-Path"], "FRONT_HEADERS": ["X-Real-IP", "X-SSL-Client-Verify"] });
    let origins = parse_origins(vars.as_object().expect("a table")).expect("good");
    let fate = |name| fate_of(name, "GET", &origins.headers);
    for name in ["api_key", "x-store-path", "x-real-ip", "x-ssl-client-verify"] {
        assert_eq!(fate(name), Fate::Goes, "{name}");
    }
    assert_eq!(fate("api.key"), Fate::Stays(HeaderKind::Odd));
    assert_eq!(fate("x-client-ip"), Fate::Stays(HeaderKind::Address));
    assert_eq!(fate("baton_fence"), Fate::Ours);
}

#[test]
fn without_cloudflare_in_front_nobody_says_what_it_says() {
    let read = |vars: serde_json::Value| parse_origins(vars.as_object().expect("a table")).expect("good").headers;
    let alone = read(json!({ "CLOUDFLARE": false, "FRONT_HEADERS": ["CF-IPCountry"] }));
    let kept = [
        "cf-connecting-ipv6",
        "cf-pseudo-ipv4",
        "cf-access-authenticated-user-email",
        "cf-tls-client-auth",
        "cf-client-cert-sha256",
        "cf-verified-bot",
        "cf-visitor",
        "cf-anything-new",
    ];
    for name in kept {
        assert_eq!(fate_of(name, "GET", &alone), Fate::Stays(HeaderKind::Platform), "{name}");
        assert_eq!(fate(name, "GET"), Fate::Goes, "{name}: Cloudflare writes it over a client's");
    }
    // What stands in front sets the address, the assertion is signed, and the operator names the country.
    for name in ["cf-connecting-ip", "cf-access-jwt-assertion", "cf-ipcountry"] {
        assert_eq!(fate_of(name, "GET", &alone), Fate::Goes, "{name}");
    }
    let bad = json!({ "CLOUDFLARE": "no" });
    let problems = parse_origins(bad.as_object().expect("a table")).expect_err("no switch");
    assert_eq!(problems[0].key, "CLOUDFLARE");
}
