//! The configuration once it is known to be good: typed, in ms, without a float.

pub use crate::lobby::Limits;

use super::grounds::Grounds;
use super::origins::Origins;
use super::schema::{CROWD_PER_LOBBY, LOBBIES_OF_ONE_PORTER, LOBBIES_WITHOUT_PORTER, PORTERS};
use super::sign_in::{Access, Oidc};
use crate::brand::scheme::Style;
use crate::brand::texts::Texts;
use crate::facts::config::RoomConfig;
use crate::outbox::Webhook;
use crate::spelling::{CookieDomain, Host, HostPattern};
use crate::token::Operator;

/// Which requests ask the room whether their pass still counts, although it is fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strict {
    /// None: a pass is honoured for `pass_ttl_s` without asking.
    #[default]
    Off,
    /// Those that may change something: any method but GET and HEAD, and WebSockets, of which nobody knows what they
    /// will carry.
    Unsafe,
    /// All.
    All,
}

/// What a room's `fail = "open"` allows, in each isolate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenPolicy {
    /// From the first failure on, ms.
    pub for_ms: u64,
    /// Requests in 1,000 s (thousandths of a request a second); 0: none.
    pub milli_per_s: u64,
}

/// Whether the shop signs who may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EntryPolicy {
    /// No token, invitation or code is looked at.
    #[default]
    Off,
    /// Who shows a token has one place for the account on all devices.
    Optional,
    /// Who shows none of them gets no number and does not go in.
    Required,
}

/// Everything about one room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomSettings {
    /// `[a-z0-9-]{1,32}`.
    pub name: String,
    /// To what its tokens are bound: its name, from the second generation on with that. A room that is made anew has nothing to do with
    /// the tokens of the one before.
    pub bound_as: String,
    /// Patterns that are gated, as written.
    pub paths: Vec<String>,
    /// Hosts as [`Host`] spells them; empty: every host.
    pub hosts: Vec<String>,
    /// The domain by which those hosts share cookies and tokens, so that one place counts at all of them.
    pub cookie_domain: Option<CookieDomain>,
    /// Patterns that are not, as written.
    pub bypass_paths: Vec<String>,
    /// Origins of apps whose pages may call without cookies, as browsers write them.
    pub app_origins: Vec<String>,
    /// What the core decides by.
    pub core: RoomConfig,
    /// People expected in line at once.
    pub crowd: u32,
    /// How long the unseen still count as present.
    pub linger_ms: u64,
    /// How long a link that carries a place lasts; 0: there are none.
    pub carry_within_ms: u64,
    /// How long a pass is honoured without asking.
    pub pass_ttl_ms: u64,
    /// Which requests ask in spite of a fresh pass.
    pub strict: Strict,
    /// What one address and one visitor may take.
    pub limits: Limits,
    /// Whether Turnstile must be answered before there is a number or a walk-in.
    pub turnstile: bool,
    /// Whether the shop's entry tokens count.
    pub entry: EntryPolicy,
    /// Whether one stands for an answer to Turnstile.
    pub entry_spares_turnstile: bool,
    /// Another one ends every staff link.
    pub staff_epoch: u32,
    /// Who is let in while the room cannot be reached; none: nobody without a pass.
    pub fail_open: Option<OpenPolicy>,
    /// The status of the waiting page for GET and HEAD.
    pub waiting_status: u16,
    /// Where the room's objects live.
    pub home: Home,
    /// How long journal rows stay, in days.
    pub journal_keep_days: u32,
    /// What the waiting page says in the operator's name.
    pub page: PageSettings,
    /// The row of the house that made it what it is; none: it stands in the file.
    pub defined: Option<u64>,
    /// Whether it is over: a room of the house whose paths stay shut. No live value opens it.
    pub is_over: bool,
}

/// Where a room's objects live. The platform decides that when one is first asked for, and never again: so all of it is
/// part of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The platform's location hint, or `auto`.
    pub location: String,
    /// Counted up by the operator.
    pub generation: u32,
    /// Where they must stay.
    pub jurisdiction: Option<String>,
}

impl Home {
    /// The platform's location hint, if one is given.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        Some(self.location.as_str()).filter(|location| *location != "auto")
    }

    /// The name of the object of this room: `onsale@apac.1`.
    #[must_use]
    pub fn name_of(&self, room: &str) -> String {
        format!("{room}@{}.{}", self.location, self.generation)
    }
}

/// The operator's words on a room's waiting page. Empty ones are not shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageSettings {
    /// Above everything.
    pub title: String,
    /// Where the logo lies.
    pub logo: String,
    /// Plain text.
    pub message: String,
    /// Where help is to be found.
    pub help_url: String,
    /// Its colours.
    pub style: Style,
    /// Its words, by language.
    pub texts: Texts,
}

impl PageSettings {
    /// What a page in this language says in the operator's words: its own, that for any language, the room's; empty: nothing.
    #[must_use]
    pub fn text(&self, language: &str, name: &str) -> &str {
        let of_room = match name {
            "title" => &self.title,
            "message" => &self.message,
            _ => "",
        };
        self.texts.get(language, name).unwrap_or(of_room)
    }
}

impl RoomSettings {
    /// The domain by which cookies and tokens are shared at this host: only at those that `hosts` names. O(hosts).
    #[must_use]
    pub fn shared_at(&self, host: &Host) -> Option<&CookieDomain> {
        let domain = self.cookie_domain.as_ref()?;
        let mut ours = self
            .hosts
            .iter()
            .filter_map(|host| HostPattern::parse(host));
        ours.any(|ours| ours.matches(host)).then_some(domain)
    }

    /// How many lobbies hold the room's visitors: one per 10,000 of the crowd, 1 to 256.
    #[must_use]
    pub fn lobbies(&self) -> u16 {
        let lobbies = u64::from(self.crowd).div_ceil(CROWD_PER_LOBBY).max(1);
        u16::try_from(lobbies).unwrap_or(u16::MAX)
    }

    /// How many porters stand between these and the room: none up to 4 lobbies, one up to 16, else two.
    #[must_use]
    pub fn porters(&self) -> u16 {
        let lobbies = self.lobbies();
        if lobbies <= LOBBIES_WITHOUT_PORTER {
            0
        } else if lobbies <= LOBBIES_OF_ONE_PORTER {
            1
        } else {
            PORTERS
        }
    }
}

/// The whole configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where requests go on to.
    pub origins: Origins,
    /// The key of Turnstile's widget, where a room uses it.
    pub turnstile_site_key: Option<String>,
    /// Who may operate, beside the holder of the secret.
    pub operators: Vec<Operator>,
    /// Cloudflare Access, whose assertions are believed; none: no assertion is looked at.
    pub access: Option<Access>,
    /// The identity provider to which the desk sends people.
    pub oidc: Option<Oidc>,
    /// Where the house may put rooms; none: there is no house.
    pub grounds: Option<Grounds>,
    /// Who else is told what happens.
    pub webhooks: Vec<Webhook>,
    /// The rooms by name, ascending.
    pub rooms: Vec<RoomSettings>,
}

impl Settings {
    /// The room of this name. O(log rooms).
    #[must_use]
    pub fn room(&self, name: &str) -> Option<&RoomSettings> {
        let at = self
            .rooms
            .binary_search_by(|room| room.name.as_str().cmp(name))
            .ok()?;
        self.rooms.get(at)
    }
}
