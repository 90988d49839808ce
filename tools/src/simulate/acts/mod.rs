//! What happens in a world: each file acts on the whole of it. What the world is made of is in the files beside this folder, which know
//! nothing of it.
//!
//! | file | what |
//! |---|---|
//! | `weather`, `builds` | faults that come with time; builds side by side |
//! | `operator`, `schedule`, `lanes`, `vouchers` | what the operator sets, plans, and makes |
//! | `room`, `lobby`, `porter`, `asks` | the objects' platform; what visitors ask of lobbies, and their sockets |
//! | `front`, `calls` | what the front decides: visits to the gated path; calls to Baton itself |
//! | `accounts`, `people`, `calm` | visitors, and their accounts; the end, at which all are served |

mod accounts;
mod asks;
mod builds;
mod calls;
pub mod calm;
mod front;
mod lanes;
mod lobby;
mod operator;
mod people;
mod porter;
mod room;
mod schedule;
mod vouchers;
mod weather;

/// The operator's name in facts.
const OPERATOR: &str = "operator";
