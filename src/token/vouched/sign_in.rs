//! Signs people in at an OpenID provider by the code flow (OpenID Connect Core, 3.1) with PKCE (RFC 7636, S256), state and nonce. All three
//! follow from one random seed in a signed cookie of this browser. So Baton keeps nothing, and a code that another browser, or another question,
//! brought back is worth nothing.

use form_urlencoded::Serializer;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::super::TokenError;
use super::super::codec;
use super::super::kinds::{Kind, Token, not_over};
use super::super::layout::layout;

/// The most bytes of the provider's configuration, and of its answer with the tokens.
pub const PROVIDER_BYTES_MAX: usize = 65_536;
/// The most bytes of an address.
const ADDRESS_BYTES_MAX: usize = 512;

/// The proof that somebody was sent to the provider from this browser. Bound to the host, and to the provider in the place of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Login {
    /// The secret from which state, nonce and verifier are made.
    pub seed: [u8; 32],
    /// When it ends, Unix ms.
    pub ends_at_ms: u64,
}

layout!(Login {
    seed: [u8; 32],
    ends_at_ms: u64,
});

impl Token for Login {
    const KIND: Kind = Kind::Login;
    const BOUND_TO_ROOM: bool = true;
    fn check(&self, now_ms: u64) -> Result<(), TokenError> {
        not_over(now_ms, self.ends_at_ms)
    }
}

impl Login {
    /// Returns the `state`, by which Baton knows that the provider answers this browser's question.
    #[must_use]
    pub fn state(&self) -> String {
        self.derived(b"state")
    }

    /// Returns the `nonce`, by which Baton knows that the ID token is of this sign-in.
    #[must_use]
    pub fn nonce(&self) -> String {
        self.derived(b"nonce")
    }

    /// Returns the `code_verifier`, by which the provider knows that whoever brings the code also asked for it.
    #[must_use]
    pub fn verifier(&self) -> String {
        self.derived(b"verifier")
    }

    /// Derives one of the three from the seed. None of them reveals another, or the seed.
    fn derived(&self, what: &[u8]) -> String {
        digest_of(&[what, &self.seed])
    }
}

/// Returns a hash of 43 characters, the least that PKCE allows.
fn digest_of(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    let hash: [u8; 32] = hash.finalize().into();
    codec::to_text(&hash)
}

/// The addresses of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    authorization: String,
    /// The address where a code becomes tokens.
    pub token: String,
    /// The address of the keys.
    pub keys: String,
    /// Whether the provider takes the secret in the header `Authorization`, rather than in the body.
    is_basic: bool,
}

impl Provider {
    /// Returns the address of a provider's configuration.
    #[must_use]
    pub fn configuration_url(issuer: &str) -> String {
        let issuer = issuer.trim_end_matches('/');
        format!("{issuer}/.well-known/openid-configuration")
    }

    /// Reads a provider's configuration. Returns `None` if it is not this issuer's, or if an address in it is missing or not secure.
    #[must_use]
    pub fn parse(issuer: &str, text: &str) -> Option<Self> {
        let told: Value = serde_json::from_str(text).ok()?;
        let told = |name: &str| told.get(name).cloned();
        let address = |name: &str| {
            let value = told(name)?;
            let address = value.as_str().filter(|text| is_secure_address(text));
            address.map(str::to_owned)
        };
        (told("issuer")?.as_str() == Some(issuer)).then_some(())?;
        let methods = told("token_endpoint_auth_methods_supported");
        let takes = |name: &str| {
            let methods = methods.as_ref().and_then(Value::as_array);
            methods.is_none_or(|methods| methods.iter().any(|one| one.as_str() == Some(name)))
        };
        Some(Self {
            authorization: address("authorization_endpoint")?,
            token: address("token_endpoint")?,
            keys: address("jwks_uri")?,
            is_basic: takes("client_secret_basic"),
        })
    }

    /// Returns the address to which the browser is sent.
    #[must_use]
    pub fn question(&self, client: &str, scopes: &str, back: &str, login: &Login) -> String {
        let challenge = digest_of(&[login.verifier().as_bytes()]);
        let query = Serializer::new(String::new())
            .append_pair("response_type", "code")
            .append_pair("client_id", client)
            .append_pair("redirect_uri", back)
            .append_pair("scope", scopes)
            .append_pair("state", &login.state())
            .append_pair("nonce", &login.nonce())
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            .finish();
        let sign = if self.authorization.contains('?') { '&' } else { '?' };
        format!("{}{sign}{query}", self.authorization)
    }

    /// Returns what is sent for the code: the body, and the header `Authorization` if the provider wants the secret there.
    #[must_use]
    pub fn exchange(&self, (client, secret): (&str, Option<&str>), (code, back): (&str, &str), login: &Login) -> (String, Option<String>) {
        let mut body = Serializer::new(String::new());
        body.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", back)
            .append_pair("client_id", client)
            .append_pair("code_verifier", &login.verifier());
        match secret {
            Some(secret) if self.is_basic => (body.finish(), Some(basic(client, secret))),
            Some(secret) => (body.append_pair("client_secret", secret).finish(), None),
            None => (body.finish(), None),
        }
    }
}

/// Writes the header's value (RFC 6749, 2.3.1): each part is written as in a form first.
fn basic(client: &str, secret: &str) -> String {
    use base64::Engine as _;
    let part = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = format!("{}:{}", part(client), part(secret));
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair))
}

/// What the provider sent the browser back with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returned {
    /// What becomes tokens; `None` if the provider refused.
    pub code: Option<String>,
    state: String,
}

impl Returned {
    /// Reads the query. A name that comes twice counts as missing.
    #[must_use]
    pub fn parse(path_and_query: &str) -> Self {
        let query = path_and_query.split_once('?').map_or("", |(_, query)| query);
        let value = |name: &str| {
            let pairs = form_urlencoded::parse(query.as_bytes());
            let mut values = pairs.filter(|(key, _)| key == name).map(|(_, value)| value);
            match (values.next(), values.next()) {
                (Some(value), None) => Some(value.into_owned()),
                _ => None,
            }
        };
        Self {
            code: value("code").filter(|code| !code.is_empty()),
            state: value("state").unwrap_or_default(),
        }
    }

    /// Returns whether it answers this browser's question.
    #[must_use]
    pub fn answers(&self, login: &Login) -> bool {
        use subtle::ConstantTimeEq;
        let expected = login.state();
        bool::from(self.state.as_bytes().ct_eq(expected.as_bytes()))
    }
}

/// Returns whether what is fetched from this address comes unchanged: by https, or from this machine.
#[must_use]
pub fn is_secure_address(text: &str) -> bool {
    let is_local = ["http://localhost", "http://127.0.0.1"].iter().any(|local| {
        let rest = text.strip_prefix(local);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    });
    let is_https = text.strip_prefix("https://").is_some_and(|rest| {
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        !host.is_empty()
    });
    let plain = |b: u8| b.is_ascii_graphic() && !b"\"\\<>#@".contains(&b);
    text.len() <= ADDRESS_BYTES_MAX && text.bytes().all(plain) && (is_local || is_https)
}
