//! An exception to a room's paths: a pattern, perhaps with parameters that the query must have.
//!
//! Anybody can write a parameter into an address. So an exception with a query opens what is harmless without the *right* value, such as a receipt
//! that the shop shows for the token in a mail.

use super::{Method, Pattern, PatternError, without_query};

/// An exception of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    path: Pattern,
    parameters: Vec<Parameter>,
}

/// A parameter that the query must have.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    name: String,
    /// `None`: any value but an empty one.
    value: Option<String>,
}

impl Exception {
    /// Reads a pattern, perhaps followed by `?name=value`, and `&name=value` for each more parameter. `*` stands for any value.
    ///
    /// # Errors
    /// [`PatternError`] says why the text is no exception.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let (path, query) = match text.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (text, None),
        };
        let parameters = query.into_iter().flat_map(|query| query.split('&'));
        let parameters = parameters.map(|pair| Parameter::parse(pair).ok_or(PatternError::Query));
        Ok(Self {
            path: Pattern::parse(path)?,
            parameters: parameters.collect::<Result<_, _>>()?,
        })
    }

    /// Returns whether a request, as sent, is the exception's beyond doubt ([`Pattern::matches_strictly`]), and has all the parameters in exactly this
    /// spelling. Other parameters make no difference. O(parameters × length).
    #[must_use]
    pub fn matches_strictly(&self, method: Method, path_and_query: &str) -> bool {
        let query = path_and_query.split_once('?').map_or("", |(_, query)| query);
        let has = |wanted: &Parameter| query.split('&').any(|pair| wanted.is(pair));
        self.path.matches_strictly(method, without_query(path_and_query)) && self.parameters.iter().all(has)
    }
}

impl Parameter {
    fn parse(pair: &str) -> Option<Self> {
        let is_plain = |text: &str| {
            let ordinary = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
            !text.is_empty() && text.bytes().all(ordinary)
        };
        let (name, value) = pair.split_once('=')?;
        let is_any = value == "*";
        (is_plain(name) && (is_any || is_plain(value))).then(|| Self {
            name: name.to_owned(),
            value: (!is_any).then(|| value.to_owned()),
        })
    }

    fn is(&self, pair: &str) -> bool {
        let Some((name, value)) = pair.split_once('=') else {
            return false;
        };
        name == self.name
            && match &self.value {
                Some(wanted) => value == wanted,
                None => !value.is_empty(),
            }
    }
}
