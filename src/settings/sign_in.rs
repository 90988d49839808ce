//! Reads who vouches for operators' addresses: `[vars.ACCESS]` (Cloudflare Access, which stands before Baton) and `[vars.OIDC]` (an identity provider
//! to which the desk sends people). Neither lets anybody in by itself: the address must be an operator's.

use serde_json::{Map, Value};

use super::Problem;
use super::problem::unknown;
use token::is_secure_address;

/// The most bytes of a text, such as an identifier.
const TEXT_BYTES_MAX: usize = 512;
/// The path under which Access publishes its keys.
const ACCESS_CERTS: &str = "/cdn-cgi/access/certs";

/// The keys of `ACCESS`, and below them those of `OIDC`.
pub(super) const ACCESS_KEYS: [&str; 3] = ["audience", "certs_url", "issuer"];
pub(super) const OIDC_KEYS: [&str; 3] = ["client_id", "issuer", "scopes"];

/// Cloudflare Access, whose assertions Baton believes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The team's domain, `https://team.cloudflareaccess.com`.
    pub issuer: String,
    /// The application's AUD tag.
    pub audience: String,
    /// The address of the team's keys.
    pub certs_url: String,
}

/// An identity provider that speaks OpenID Connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oidc {
    /// The provider as its tokens name it. Baton finds the provider's configuration from it.
    pub issuer: String,
    /// The name by which the provider knows Baton.
    pub client_id: String,
    /// The scopes that Baton asks for.
    pub scopes: String,
}

/// Reads `ACCESS`, if it is there.
pub(super) fn parse_access(value: Option<&Value>, problems: &mut Vec<Problem>) -> Option<Access> {
    let mut reader = Reader::of("ACCESS", value, &ACCESS_KEYS, problems)?;
    let issuer = reader.address("issuer", "https://team.cloudflareaccess.com");
    let audience = reader.text("audience", "the AUD tag that the dashboard shows");
    let certs_url = if reader.table.contains_key("certs_url") {
        reader.address("certs_url", "https://team.cloudflareaccess.com/cdn-cgi/access/certs")
    } else {
        let issuer = issuer.as_ref();
        issuer.map(|issuer| format!("{}{ACCESS_CERTS}", issuer.trim_end_matches('/')))
    };
    Some(Access {
        issuer: issuer?,
        audience: audience?,
        certs_url: certs_url?,
    })
}

/// Reads `OIDC`, if it is there.
pub(super) fn parse_oidc(value: Option<&Value>, problems: &mut Vec<Problem>) -> Option<Oidc> {
    let mut reader = Reader::of("OIDC", value, &OIDC_KEYS, problems)?;
    let issuer = reader.address("issuer", "https://accounts.example.com");
    let client_id = reader.text("client_id", "what the provider calls this application");
    let scopes = if reader.table.contains_key("scopes") {
        reader.text("scopes", "openid email")
    } else {
        Some("openid email".to_owned())
    };
    if let Some(scopes) = &scopes
        && !["openid", "email"].iter().all(|one| scopes.split(' ').any(|scope| scope == *one))
    {
        reader.wrong("scopes", "lacks openid or email", "Write scopes = \"openid email\"");
    }
    Some(Oidc {
        issuer: issuer?,
        client_id: client_id?,
        scopes: scopes?,
    })
}

struct Reader<'a> {
    at: &'static str,
    table: &'a Map<String, Value>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Reader<'a> {
    fn of(at: &'static str, value: Option<&'a Value>, keys: &[&str], problems: &'a mut Vec<Problem>) -> Option<Self> {
        let value = value.filter(|value| !value.is_null())?;
        let Some(table) = value.as_object() else {
            let cure = format!("Write [vars.{at}] with {}", keys.join(", "));
            problems.push(Problem::new(at, Some(value), "is not a table", cure));
            return None;
        };
        for (key, value) in table {
            if !keys.contains(&key.as_str()) {
                // The value is not shown: somebody may have put a secret here.
                let value = if key.contains("secret") { &Value::Null } else { value };
                problems.push(unknown(at, key, value, keys));
            }
        }
        Some(Self { at, table, problems })
    }

    fn wrong(&mut self, key: &str, what: &str, cure: &str) {
        let value = self.table.get(key);
        let what = if value.is_some() { what } else { "is missing" };
        let at = format!("{}.{key}", self.at);
        self.problems.push(Problem::new(at, value, what, cure));
    }

    fn text(&mut self, key: &str, such_as: &str) -> Option<String> {
        let text = self.table.get(key).and_then(Value::as_str);
        let is_plain = |text: &&str| {
            let plain = text.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
            (1..=TEXT_BYTES_MAX).contains(&text.len()) && plain
        };
        let found = text.filter(is_plain).map(str::to_owned);
        if found.is_none() {
            self.wrong(key, "is no plain text", &format!("Write {key} = \"…\": {such_as}"));
        }
        found
    }

    fn address(&mut self, key: &str, such_as: &str) -> Option<String> {
        let text = self.table.get(key).and_then(Value::as_str);
        let found = text.filter(|text| is_secure_address(text)).map(str::to_owned);
        if found.is_none() {
            let cure = format!("Write {key} = \"{such_as}\"");
            self.wrong(key, "is no https address", &cure);
        }
        found
    }
}
