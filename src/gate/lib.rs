//! What the front decides without asking anybody: which room a request is for, what may be done with it, and which cookies and headers travel.
//! Pure: no clock, no I/O, no randomness. Nothing that a visitor sends can make it panic. It forwards nothing and answers nothing itself.
//!
//! | file | what |
//! |---|---|
//! | `sent` | a path as Baton sends it on |
//! | `rooms`, `index` | which room a path belongs to; which rooms are worth trying |
//! | `request`, `intent`, `routers`, `origin_check` | the facts of a request; what it wants; which router makes it; whether a call comes from the site itself |
//! | `calls`, `ways` | the calls to Baton itself; one way to use a route, and which one a request takes |
//! | `own` | which call a request to `/__baton/…` is |
//! | `plan` | [`Gate::decide`] |
//! | `cookies`, `credentials`, `headers`, `cache` | what is added to requests and answers, and what is taken out |
//! | `shown` | where a pass counts although the path needs none |
//! | `clearing` | the shop's `Clear-Site-Data`, which takes no place away |
//! | `relocate` | the origin's own address in its answers, replaced by the visitors' |
//! | `identity` | who a request shows itself to be |
//! | `asked`, `hops` | what lobbies are asked in a visitor's name; the way of a question to the lobby that answers it |
//! | `by_pass`, `arrival` | what a request comes to by its pass; without one, before a lobby is asked |
//! | `visit/`, `outcome` | a visit to a room's path, and a visitor's call, from what the request shows to what it comes to |
//! | `issuer` | the tokens that a client is to keep |
//! | `nearer` | which of two places a device keeps |
//! | `way_back` | where a form leads back to; whether an address leads to this very host |
//! | `crawlers` | which search engine crawls, by the addresses that it publishes, and what it may take into its index |
//! | `entry` | what a token of the shop's means for a visit |
//! | `turnstile` | what an answer to the platform's question proves |
//! | `guesses` | which addresses have guessed at operators' tokens too often |
//! | `looks` | which request looks again at what is no longer fresh |
//! | `fail_open`, `away` | who is let in while the room cannot be reached; which lobbies are not waited for, and what the log says of it |
//! | `heard_mode` | when somebody asks for a room's mode again |
//! | `pace` | how long pages wait before they join, when many come at once |
//! | `second` | how much passes in a second |
//! | `codes` | a code, as a visitor writes it and as Baton compares it |
//! | `draft` | an answer of Baton's own, until the platform takes it |
//! | `error`, `page`, `link_page`, `template`, `words` | what Baton answers |

#![warn(unused_crate_dependencies)]

mod arrival;
mod asked;
mod away;
mod by_pass;
mod cache;
mod calls;
mod clearing;
mod codes;
mod cookies;
mod crawlers;
mod credentials;
mod draft;
mod entry;
mod error;
mod fail_open;
mod guesses;
mod headers;
mod heard_mode;
mod hops;
mod identity;
mod index;
mod intent;
mod issuer;
mod link_page;
mod looks;
mod nearer;
mod origin_check;
mod outcome;
mod own;
mod pace;
mod page;
mod plan;
mod preflights;
mod relocate;
mod request;
mod rooms;
mod routers;
mod second;
mod sent;
mod shown;
mod template;
mod turnstile;
mod visit;
mod way_back;
mod ways;
mod words;

use headers::METHOD_OVERRIDES;

pub use arrival::{Arrival, First, Other, Terms};
pub use asked::{Asked, Here, Press, Question};
pub use away::{Away, News};
pub use brand::language::Language;
pub use by_pass::{ByPass, Ended, PassShown, Unheard};
pub use cache::{Cacheability, cache_control_with_cookie, cacheability, is_for_shared_caches, private_cache_control, said_to_shared};
pub use calls::{CarryCall, Openly, OwnCall, RoomCall, VisitorCall, WAIT_S_MAX};
pub use clearing::{CLEAR_SITE_DATA, Clearing};
pub use codes::{code_in_form, code_of};
pub use cookies::{COOKIE_TRIES_MAX, CookieKind, CookieName, Cookies, LANGUAGE_AGE_S, TICKET_AGE_S, VISITOR_AGE_S};
pub use crawlers::{CRAWLS_A_SECOND_MAX, is_crawler, sends_crawlers_on, state_to_index};
pub use credentials::{CREDENTIALS_HEADER, changed_credentials, with_credentials};
pub use draft::{Client, Draft, Finished, PRIVATE, RETRY_AFTER_S};
pub use entry::{
    Barred, ENTRY_HEADER, ENTRY_PARAMETER, EntryLink, EntryVerdict, better_entrant, entrant_unspent, gives_place_away, is_entry_text, judge_entry,
    lane_of,
};
pub use error::{ErrorCode, entry_body, error_body, waiting_body};
pub use fail_open::{Failed, Outage};
pub use guesses::{GUESSES_MAX, Guesses, SLOWED_MS};
pub use headers::{
    BYPASS_HEADER, Fate, OriginCommands, PREFLIGHT_HEADER, Pledge, Release, comes_back_to_preflight, fate_of, goes_with_preflight, origin_headers,
    read_checked, read_origin_commands, said_once,
};
pub use heard_mode::{HeardMode, MODE_PATIENCE_MS};
pub use hops::{ASK_AGAIN_MS, ASK_PATIENCE_MS, FULL_HOPS_MAX, Hops, MOVES_MAX, Silence, ask_patience_ms, home_lobby};
pub use identity::{Identity, TokensShown, lease_shown};
pub use intent::{Answer, Intent, VARY, VisitKind, Whence};
pub use issuer::Issuer;
pub use link_page::{LINK_PAGE_POLICY, link_page};
pub use looks::{Look, Looks};
pub use nearer::is_nearer;
pub use origin_check::{OriginVerdict, check_origin, differs_by_scheme, is_own_origin};
pub use outcome::{Held, Outcome, Wanted};
pub use own::speaks_credentials;
pub use pace::{Bookings, Load, Pace, Report, SPREAD_S_MAX, spread_s};
pub use page::{PageState, PageValues};
pub use plan::{Gated, Plan, Reader, Refusal};
pub use preflights::{Asked as PreflightAsked, Preflights, shop_answers_preflights};
pub use relocate::{ADDRESS_HEADERS, Relocation};
pub use request::{Headers, Request, SOCKET_PROTOCOL, SOCKET_TOKEN};
pub use rooms::{Claim, Gate, GateError, Room, Territory};
pub use routers::{ROUTER_HEADERS, Router, Word};
pub use second::Second;
pub use sent::as_sent;
pub use shown::{Unheeded, meant_release, path_shape};
pub use spelling::{
    Address, CookieDomain, DECODE_ROUNDS_MAX, Exception, Garbled, HeaderKind, Host, HostPattern, Method, Particular, PathReading, Pattern,
    PatternError, PatternMethod, Reading, Scheme, Site, check_app_origin, is_baton_header, tidied, without_query,
};
pub use template::{Template, TemplateError, escape_html, escape_json_in_script};
pub use turnstile::{SiteVerdict, TURNSTILE_ACTION, TURNSTILE_ANSWER_BYTES_MAX, Unproven, idempotency_key, turnstile_answer};
pub use visit::{Asking, Call, Connecting, Counting, Errand, Facts, Keeps, Notes, OutOfReach, Probing, Step, Verdict, Visit};
pub use way_back::{WayBack, path_of_origin, stays_here};
pub use ways::{ComesFrom, GET, POST, READ, Way, choose, number, query_value, rest_of, unknown_or_not_found};
pub use words::FrontWords;
