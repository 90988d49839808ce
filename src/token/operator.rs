//! The operator's token, as it comes with `Authorization: Bearer …` or is typed in at the desk.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Knows the operator's token when it sees it, and can tell nobody what it is.
#[derive(Clone, Debug)]
pub struct OperatorToken {
    digest: [u8; 32],
}

impl OperatorToken {
    /// From `BATON_ADMIN_TOKEN`. `None` when it is empty: then there is no operator.
    #[must_use]
    pub fn new(secret: &str) -> Option<Self> {
        let set = !secret.is_empty();
        set.then(|| Self {
            digest: Sha256::digest(secret.as_bytes()).into(),
        })
    }

    /// Whether an `Authorization` header carries this token. Takes as long whatever is wrong with
    /// the token: the digests are compared, all of them.
    #[must_use]
    pub fn is_shown_by(&self, authorization: &str) -> bool {
        let Some((scheme, token)) = authorization.split_once(' ') else {
            return false;
        };
        // Not lazily: what is wrong with the scheme must not show in the time either.
        let same = self.is(token.trim());
        scheme.eq_ignore_ascii_case("bearer") && same
    }

    /// Whether this is the token. Takes as long whatever is wrong with it.
    #[must_use]
    pub fn is(&self, token: &str) -> bool {
        let shown: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        bool::from(shown.ct_eq(&self.digest))
    }

    /// What a [`Desk`](super::Desk) token is bound to. Goes into a MAC and never leaves.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        super::codec::to_text(&self.digest)
    }
}
