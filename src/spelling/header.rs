//! What the name of a request's header says. Origins believe some headers more than the request line, the connection or their own eyes: another path,
//! another host, another address. The gate judged the request, so from a client none of them goes on to the shop.
//!
//! A list of known names would always lack one, because each server puts words of its own before them (`X-`, `X-Envoy-`, `Daphne-`). So the words of a
//! name decide, by these rules:
//!
//! - **The last word says what the header holds**: `X-Anything-Original-Path` holds a path, `X-Path-Version` a version. A word elsewhere says little, and
//!   a rule about words anywhere would take `MCP-Protocol-Version`, `X-Host-Language` and many more away from honest shops.
//! - The word before it says whose: `X-Current-URL` is where a page is, `PayPal-Cert-URL` where a certificate, `X-Payment-Method` how somebody pays, and no
//!   server takes them for the request's.
//! - `Forwarded` anywhere is what a proxy says, not a client.
//! - What users and certificates are called is up to their proxies, so for these the proxies' own words stand here.

/// What a client's header would be to an origin that believes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderKind {
    /// It says nothing of the request that is not the client's to say.
    Ordinary,
    /// It has a character that CGI and its like read as `-`, so it may be another header in disguise.
    Odd,
    /// Another path, mount point, host, port, scheme, method or file than the gate judged.
    Moves,
    /// The address that the request comes from.
    Address,
    /// A user or a certificate that somebody else vouches for.
    Who,
    /// What Cloudflare tells of a request, where it stands in front: an address, a user, a certificate, a country, whether a robot asks.
    Platform,
}

impl HeaderKind {
    /// What the header claims, for the log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ordinary => "ordinary",
            Self::Odd => "a character that CGI reads as a hyphen",
            Self::Moves => "another path, host, scheme, method or file",
            Self::Address => "an address",
            Self::Who => "a user or a certificate",
            Self::Platform => "what Cloudflare writes, which does not stand in front",
        }
    }
}

/// The headers that the front sets itself, whatever a client sends.
const FORWARDED: [&str; 3] = ["x-forwarded-host", "x-forwarded-proto", "x-forwarded-for"];
/// Single names in which no word says that they move a request: a proxy for the origin's own requests, where CGI turns this header into `HTTP_PROXY`;
/// a request that a host of Next.js makes of itself, and what its middleware changes; files that Rack's `Sendfile` finds elsewhere; the matches of a route, as
/// a host of Next.js reports them; the whole request as a gateway of AWS tells it; where Apache NiFi is mounted.
const SINGLE: [&str; 16] = [
    "x-proxycontextpath",
    "x-proxyhost",
    "x-proxyscheme",
    "x-proxyport",
    "x-proxypath",
    "x-urlpath",
    "x-apigateway-event",
    "x-apigateway-context",
    "x-amzn-request-context",
    "x-middleware-override-headers",
    "x-middleware-set-cookie",
    "proxy",
    "x-middleware-subrequest",
    "x-accel-mapping",
    "x-sendfile-type",
    "x-now-route-matches",
];

/// Headers of Cloudflare's that go on whoever wrote them: the address, which whatever stands in front must set anyway, and what is signed.
const PROVEN: [&str; 2] = ["cf-connecting-ip", "cf-access-jwt-assertion"];

/// Single names by which proxies hand a user or a certificate on, without a word of which a rule could go: an honest page may well send `X-User-Id`. SiteMinder,
/// WebSEAL, mod_auth_cas, IIS, Posit, App Engine, Shibboleth, mobile networks, Istio, and what guides tell others to set.
const WHO: [&str; 27] = [
    "sm-user",
    "iv-user",
    "iv-groups",
    "iv-creds",
    "cas-user",
    "logon-user",
    "x-saml-nameid",
    "x-ldap-user",
    "x-rstudio-username",
    "x-remote-userid",
    "x-appengine-user-email",
    "x-proxiedentitieschain",
    "x-msisdn",
    "x-up-calling-line-id",
    "eppn",
    "x-ssl-cn",
    "sslclientcertsubject",
    "client-subject",
    "x-spiffe-id",
    "x-jwt-claim-sub",
    "user",
    "x-user",
    "x-username",
    "x-user-name",
    "x-email",
    "x-user-email",
    "x-verified",
];

/// Returns whether a header is Baton's own, in any spelling that CGI and its like read as one: they show an origin `Baton-Fence`, `Baton_Fence` and
/// sometimes `Baton.Fence` under one name.
#[must_use]
pub fn is_baton_header(name: &str) -> bool {
    const PREFIX: &[u8] = b"baton-";
    name.trim().as_bytes().get(..PREFIX.len()).is_some_and(|head| is_same(head, PREFIX))
}

/// Returns whether only Baton may say this to an origin: its own headers, and those of [`FORWARDED`], in any spelling that CGI reads as one.
#[must_use]
pub fn is_for_baton_to_say(name: &str) -> bool {
    let mut forwarded = FORWARDED.iter();
    is_baton_header(name) || forwarded.any(|known| is_same(name.as_bytes(), known.as_bytes()))
}

/// Returns whether the front replaces this header of a client's by its own. `name` is in lower case.
#[must_use]
pub fn is_replaced(name: &str) -> bool {
    FORWARDED.contains(&name)
}

/// Returns what the header of this name, which is in lower case, would be to an origin that believes it. Allocates nothing. O(length).
#[must_use]
pub fn header_kind(name: &str) -> HeaderKind {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if name.is_empty() || !name.bytes().all(is_plain) {
        return HeaderKind::Odd;
    }
    if is_of_browser_or_platform(name) {
        return HeaderKind::Ordinary;
    }
    if name.starts_with("cf-") && !PROVEN.contains(&name) {
        return HeaderKind::Platform;
    }
    if SINGLE.contains(&name) {
        return HeaderKind::Moves;
    }
    if WHO.contains(&name) {
        return HeaderKind::Who;
    }
    let mut before = "";
    let mut subject = "";
    let mut last = "";
    let (mut is_forwarded, mut is_vouched) = (false, false);
    for word in name.split('-') {
        (before, subject, last) = (subject, last, word);
        is_forwarded |= is_of_proxy(word);
        is_vouched |= vouches(subject, word);
    }
    if is_vouched || (is_forwarded && names_user(last)) {
        HeaderKind::Who
    } else if holds_address(subject, last) || (is_forwarded && matches!(last, "for" | "by")) {
        HeaderKind::Address
    } else if is_forwarded || moves(before, subject, last) {
        HeaderKind::Moves
    } else {
        HeaderKind::Ordinary
    }
}

/// Returns whether no script may set the header; or whether it is the request's own host, where a page of Next.js is, or of the [`PROVEN`] ones.
fn is_of_browser_or_platform(name: &str) -> bool {
    matches!(name, "host" | "next-url") || name.starts_with("sec-") || PROVEN.contains(&name) || name.starts_with("access-control-")
}

/// Returns whether a name that ends with these words holds a part of a request as a proxy, a gateway or CGI tells it.
fn moves(before: &str, subject: &str, last: &str) -> bool {
    match last {
        "path" | "uri" | "url" => !is_of_another(subject),
        // `Sec-CH-Prefers-Color-Scheme` has brothers by scripts; a resumable upload names its protocol.
        "scheme" => !matches!(subject, "color" | "colour"),
        "protocol" => subject != "upload",
        "prefix" | "root" | "mount" | "rewrite" | "proto" | "https" | "ssl" | "host" | "port" => true,
        "name" => matches!(subject, "script" | "server" | "host" | "path" | "method"),
        "info" | "translated" | "base" => matches!(subject, "path" | "url" | "script"),
        "method" | "verb" => !is_of_business(subject),
        "target" | "query" | "querystring" => is_told(subject),
        "domain" | "authority" | "server" | "backend" | "upstream" => is_told(subject) || is_head(subject),
        "secure" | "tls" => is_head(subject) || subject == "is",
        // `X-HTTP-Host-Override`, `X-Path-Original`.
        "override" | "overrides" | "original" => moves("", before, subject),
        // `X-Port-Number`, `X-Mount-Point`, `X-Query-String`.
        "number" => subject == "port",
        "point" => subject == "mount",
        "string" => subject == "query",
        "scriptname" | "pathinfo" | "pathname" | "hostname" | "servername" | "subpath" | "pathprefix" | "vhost" | "virtualhost" | "hosts"
        | "httpmethod" | "methodoverride" | "httpmethodoverride" => true,
        _ => is_glued(last),
    }
}

/// Returns whether a method after this word is one of paying, sending or signing in, and no request's.
fn is_of_business(word: &str) -> bool {
    let of_order = matches!(word, "payment" | "pay" | "billing" | "checkout" | "shipping" | "delivery" | "contact");
    of_order || matches!(word, "auth" | "authentication" | "login" | "signature")
}

/// Returns whether nothing, or `X`, stands before a word: it names the whole of what it says.
fn is_head(word: &str) -> bool {
    matches!(word, "" | "x")
}

/// Returns whether a word says that something is as it was before a proxy.
fn is_told(word: &str) -> bool {
    matches!(
        word,
        "original" | "orig" | "real" | "request" | "requested" | "rewrite" | "rewritten" | "raw"
    )
}

/// Returns whether an address after this word is that of a page, of where it leads, or of something that a payment service tells of: no server takes it
/// for the request's own.
fn is_of_another(word: &str) -> bool {
    let of_page = matches!(word, "current" | "page" | "callback" | "return" | "redirect" | "referer" | "referrer");
    of_page || matches!(word, "cert" | "chain" | "resource" | "webhook")
}

/// Returns whether only a proxy begins so what it says.
fn is_of_proxy(word: &str) -> bool {
    let is_joined = word.starts_with("forwarded") || word.starts_with("xforwarded");
    is_joined || matches!(word, "forward" | "forwarder")
}

/// Returns whether a word is two of these in one, such as `originalurl`.
fn is_glued(word: &str) -> bool {
    let parts = ["url", "uri", "path", "prefix", "host", "proto", "scheme"];
    let mut heads = parts.iter().filter_map(|part| word.strip_suffix(part));
    heads.any(|head| is_told(head) || matches!(head, "base" | "root" | "context" | "mount" | "destination"))
}

/// Returns whether a name that ends with these words holds the address of a client.
fn holds_address(subject: &str, last: &str) -> bool {
    match last {
        "ip" | "ips" | "ipv4" | "ipv6" | "addr" | "clientip" | "realip" | "remoteip" | "socketip" | "remoteaddr" => true,
        "address" => matches!(
            subject,
            "client" | "remote" | "real" | "viewer" | "external" | "peer" | "source" | "original" | "ip"
        ),
        "authorization" => subject == "ip",
        "from" => subject == "coming",
        "for" => matches!(subject, "proxied" | "original"),
        "client" => subject == "ip",
        "ipaddress" => true,
        _ => false,
    }
}

/// Returns whether these two words, one after the other, are how some proxy begins what it knows of a user or of a client's certificate.
fn vouches(first: &str, second: &str) -> bool {
    match second {
        "webauth" | "authentik" | "authelia" | "pomerium" | "authenticated" | "clientcert" | "mtls" => true,
        "remoteuser" | "userinfo" => true,
        "request" => first == "auth",
        "cert" | "certificate" => matches!(first, "client" | "ssl" | "tls" | "peer"),
        "client" => matches!(first, "ssl" | "tls"),
        "principal" | "verify" | "verified" => first == "client",
        "consumer" | "dn" => true,
        "subject" => matches!(first, "cert" | "auth"),
        "user" => matches!(first, "remote" | "tailscale" | "auth" | "proxy" | "vouch" | "impersonate"),
        "username" => matches!(first, "remote" | "auth"),
        "userid" | "roles" => first == "auth",
        "email" | "groups" if first == "auth" => true,
        "identifier" => first == "credential",
        "groups" | "group" | "email" | "ident" | "name" => first == "remote",
        "oidc" => first == "amzn",
        "claim" => first == "oidc",
        _ => false,
    }
}

/// Returns whether what a proxy forwards under this last word is a user or a proof of one.
fn names_user(last: &str) -> bool {
    matches!(last, "user" | "username" | "email" | "groups" | "token" | "cert" | "login" | "roles")
}

fn is_same(name: &[u8], known: &[u8]) -> bool {
    name.len() == known.len() && name.iter().zip(known).all(|(a, b)| plain(*a) == *b)
}

/// Returns a byte of a header's name as CGI reads it, except that letters are in lower case and `_` is `-`.
const fn plain(byte: u8) -> u8 {
    if byte.is_ascii_alphanumeric() { byte.to_ascii_lowercase() } else { b'-' }
}
