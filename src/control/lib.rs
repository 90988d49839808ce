//! What operators may ask, and what they are told. Pure, as the gate is. No code that serves visitors imports it. The gate says that a request is for
//! operators, and this crate says what it asks.
//!
//! | file | what |
//! |---|---|
//! | `endpoints/` | the table of operators' endpoints |
//! | `call` | which of them a request is for |
//! | `narrow` | what an operator is told of an answer |
//! | `metrics` | a room's numbers as OpenMetrics text, or in Prometheus' older form |
//! | `openapi/` | the API as an OpenAPI document, a file in the docs and in the assets |

#![warn(unused_crate_dependencies)]

mod call;
mod endpoints;
mod narrow;

pub mod metrics;
pub mod openapi;

pub use call::Call;
pub use endpoints::{By, ENDPOINTS, Endpoint, Form, Gives, Made, Seen, Takes, WORDS, Where};
pub use narrow::narrow;
