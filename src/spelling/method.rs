//! What a request's method may mean to an origin, and which methods a path pattern can name.
//!
//! An origin may read another method than the one that was sent. Many frameworks treat a POST as a DELETE if a header or a form field says
//! so, and some take `post` for POST. So a POST belongs to the patterns of every unsafe method, and an unknown method to all patterns.
//! Nobody gets past a pattern that gates only DELETE by sending a POST.

/// A request's method, as patterns see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// GET, and HEAD, which is a GET without its body.
    Get,
    /// POST, which an origin may read as any unsafe method.
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
    /// DELETE
    Delete,
    /// Any other method, or one of these in another case. An origin may read it as any method, and a handler that looks at no method takes OPTIONS for GET.
    Unknown,
}

impl Method {
    /// Reads a request's method as sent. Case matters.
    #[must_use]
    pub fn of(method: &str) -> Self {
        match method {
            "GET" | "HEAD" => Self::Get,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "PATCH" => Self::Patch,
            "DELETE" => Self::Delete,
            _ => Self::Unknown,
        }
    }
}

/// A method that a pattern can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternMethod {
    /// `GET`, HEAD included.
    Get,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `PATCH`
    Patch,
    /// `DELETE`
    Delete,
}

impl PatternMethod {
    /// Reads a method, which must be in upper case. Returns `None` if a pattern cannot name it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "GET" => Self::Get,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "PATCH" => Self::Patch,
            "DELETE" => Self::Delete,
            _ => return None,
        })
    }

    /// Returns whether some origin may read a request with `method` as this method.
    #[must_use]
    pub fn takes(self, method: Method) -> bool {
        match method {
            Method::Unknown => true,
            Method::Post => self != Self::Get,
            other => self.is_very(other),
        }
    }

    /// Returns whether every origin reads a request with `method` as this method.
    #[must_use]
    pub fn is_very(self, method: Method) -> bool {
        matches!(
            (self, method),
            (Self::Get, Method::Get)
                | (Self::Post, Method::Post)
                | (Self::Put, Method::Put)
                | (Self::Patch, Method::Patch)
                | (Self::Delete, Method::Delete)
        )
    }

    /// Returns whether some request belongs to both methods: a POST belongs to all but GET.
    #[must_use]
    pub fn shares_requests_with(self, other: Self) -> bool {
        self == other || (self != Self::Get && other != Self::Get)
    }
}
