//! The configuration once it is checked: typed, in ms, without a float.

pub use lobby::Limits;

use super::grounds::Grounds;
use super::origins::Origins;
pub use super::page::PageSettings;
use super::schema::{CROWD_PER_LOBBY, JURISDICTIONS, LOBBIES_OF_ONE_PORTER, LOBBIES_WITHOUT_PORTER, LOCATIONS, PORTERS};
use super::sign_in::{Access, Oidc};
use facts::config::RoomConfig;
use facts::units::Edition;
use outbox::Webhook;
use spelling::{CookieDomain, Host, HostPattern, Network};
use token::Operator;

/// Which requests ask the room whether their pass still counts, although it is fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strict {
    /// No request: Baton honours a fresh pass for `pass_ttl_s` without asking.
    #[default]
    Off,
    /// Those that may change something: any method but GET and HEAD, and WebSockets, because nobody knows what they will carry.
    Unsafe,
    /// All requests.
    All,
}

/// What a room's `fail = "open"` allows, in each isolate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenPolicy {
    /// How long after the first failure, in ms.
    pub for_ms: u64,
    /// Requests in 1,000 s (thousandths of a request a second); 0 means none.
    pub milli_per_s: u64,
}

/// Whether the shop signs who may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EntryPolicy {
    /// Baton looks at no token, invitation or code.
    #[default]
    Off,
    /// A visitor who shows a token has one place for the account on all devices.
    Optional,
    /// A visitor who shows no token, invitation or code gets no number and does not go in.
    Required,
}

/// What a search engine's crawler gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Crawlers {
    /// What everybody gets; but where others wait, an answer that keeps the address in the index.
    #[default]
    Wait,
    /// The shop's page, without a permit.
    Origin,
}

/// Who answers the preflights of other sites' pages to the room's paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PreflightPolicy {
    /// The shop.
    #[default]
    Shop,
    /// Baton: it refuses all but those of `app_origins` and `widget_origins`.
    Answer,
}

/// The entry of `widget_origins` that stands for every origin.
pub const ANY_ORIGIN: &str = "*";

/// The settings of one room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomSettings {
    /// The room's name, `[a-z0-9-]{1,32}`; the name of a rehearsal ends in `~`.
    pub name: String,
    /// The text that binds tokens to the room's name and home ([`Home::bound`]). A room that is made anew accepts no token of the one before.
    pub bound_as: String,
    /// The patterns that are gated, as written.
    pub paths: Vec<String>,
    /// Hosts as [`Host`] spells them; empty means every host.
    pub hosts: Vec<String>,
    /// The domain by which the hosts share cookies and tokens, so that one place counts at all of them.
    pub cookie_domain: Option<CookieDomain>,
    /// The patterns that are exceptions to `paths`, as written.
    pub bypass_paths: Vec<String>,
    /// Addresses and networks that go in beside the line.
    pub bypass_addresses: Vec<Network>,
    /// Origins of apps whose pages may call without cookies, as browsers write them.
    pub app_origins: Vec<String>,
    /// Origins of pages that embed the shop's widgets, as browsers write them, or [`ANY_ORIGIN`].
    pub widget_origins: Vec<String>,
    /// The settings that the core decides by.
    pub core: RoomConfig,
    /// How many people are expected in line at once.
    pub crowd: u32,
    /// How long a visitor who is not seen still counts as present, in ms.
    pub linger_ms: u64,
    /// How long a link that carries a place lasts, in ms; 0 means that there are no such links.
    pub carry_within_ms: u64,
    /// With how many people ahead the turn of an account that is away is near.
    pub near_ahead: u32,
    /// How long Baton honours a pass without asking, in ms.
    pub pass_ttl_ms: u64,
    /// Which requests ask the room in spite of a fresh pass.
    pub strict: Strict,
    /// What one address and one visitor may take.
    pub limits: Limits,
    /// Whether a visitor must answer Turnstile to get a number or walk in.
    pub turnstile: bool,
    /// Whether the shop's entry tokens count.
    pub entry: EntryPolicy,
    /// Whether an entry token stands for an answer to Turnstile.
    pub entry_spares_turnstile: bool,
    /// The epoch of the room's staff links: a new one ends every earlier link.
    pub staff_epoch: u32,
    /// Who goes in while the room cannot be reached; `None` means nobody without a pass.
    pub fail_open: Option<OpenPolicy>,
    /// The status of the waiting page for GET and HEAD.
    pub waiting_status: u16,
    /// What a search engine's crawler gets.
    pub crawlers: Crawlers,
    /// Who answers preflights.
    pub preflights: PreflightPolicy,
    /// Where the room's objects live.
    pub home: Home,
    /// How long journal rows stay, in days.
    pub journal_keep_days: u32,
    /// The path of the page where the shop begins, for those whom no gated page sent into line. Empty: the first of `paths`.
    pub page_start: String,
    /// What the waiting page says in the operator's name.
    pub page: PageSettings,
    /// The row of the house that last changed the room; `None` if the room stands in the file.
    pub defined: Option<u64>,
    /// The rooms of the file over which an owner of all rooms put this room of the house. It loses to every other room of the file.
    pub over: Vec<String>,
    /// Whether the room is over: a room of the house whose paths stay shut. No live value opens it.
    pub is_over: bool,
}

/// Where a room's objects live. The platform decides that when an object is first asked for, and never again, so another home means other objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The platform's location hint, or `auto`.
    pub location: String,
    /// Which room of this name it is: counted up by the operator in the file, by the house for its own rooms.
    pub generation: u32,
    /// Where the objects must stay by law; `None` means anywhere.
    pub jurisdiction: Option<String>,
}

impl Home {
    /// The platform's location hint; `None` if the platform chooses.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        Some(self.location.as_str()).filter(|location| *location != "auto")
    }

    /// Returns the name of this room's object: `onsale@apac.1`.
    #[must_use]
    pub fn name_of(&self, room: &str) -> String {
        format!("{room}@{}", self.objects())
    }

    /// Returns the edition in which a room begins here. Each home has a thousand of its own: no two homes of a room share one. Those of the last
    /// generation are just below those of rehearsals (`gate/headers.rs`).
    #[must_use]
    pub fn first_edition(&self) -> Edition {
        const EDITIONS: u32 = 1_000;
        const LOCATIONS_MAX: u32 = 16;
        const JURISDICTIONS_MAX: u32 = 4;
        let nth = |words: &[&str], wanted: &str| {
            let nth = words.iter().position(|word| *word == wanted);
            nth.and_then(|nth| u32::try_from(nth).ok()).unwrap_or(0)
        };
        let location = nth(LOCATIONS, &self.location);
        let jurisdiction = nth(JURISDICTIONS, self.jurisdiction.as_deref().unwrap_or(""));
        let generation = self.generation.saturating_sub(1);
        let homes = generation
            .saturating_mul(JURISDICTIONS_MAX)
            .saturating_add(jurisdiction)
            .saturating_mul(LOCATIONS_MAX)
            .saturating_add(location);
        Edition(homes.saturating_mul(EDITIONS).saturating_add(1))
    }

    /// Returns the home as one text for a header, which may have no space at its end: `apac.1`, `apac.1/eu`.
    #[must_use]
    pub fn text(&self) -> String {
        let objects = self.objects();
        match &self.jurisdiction {
            Some(jurisdiction) => format!("{objects}/{jurisdiction}"),
            None => objects,
        }
    }

    /// What the names of the room's objects say of its home: `apac.1`.
    fn objects(&self) -> String {
        format!("{}.{}", self.location, self.generation)
    }

    /// Reads what [`text`](Self::text) wrote. Returns `None` for anything else.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        let (objects, jurisdiction) = match text.split_once('/') {
            Some((objects, jurisdiction)) => (objects, Some(jurisdiction.to_owned())),
            None => (text, None),
        };
        let (location, generation) = objects.split_once('.')?;
        Some(Self {
            location: location.to_owned(),
            generation: generation.parse().ok()?,
            jurisdiction,
        })
    }

    /// Returns what the tokens of this room are bound to: another text for each home, since objects of another home count their fences from 1 again.
    /// It names only what differs from the defaults: `onsale`, `onsale@apac.2/eu`.
    #[must_use]
    pub fn bound(&self, room: &str) -> String {
        let mut bound = room.to_owned();
        let parts = [
            ('@', self.hint().map(str::to_owned)),
            ('.', Some(self.generation.to_string()).filter(|_| self.generation > 1)),
            ('/', self.jurisdiction.clone()),
        ];
        for (mark, part) in parts {
            if let Some(part) = part {
                bound.push(mark);
                bound.push_str(&part);
            }
        }
        bound
    }
}

impl RoomSettings {
    /// Returns the domain by which cookies and tokens are shared at this host; `None` if the room's `hosts` do not name the host. O(hosts).
    #[must_use]
    pub fn shared_at(&self, host: &Host) -> Option<&CookieDomain> {
        let domain = self.cookie_domain.as_ref()?;
        let mut ours = self.hosts.iter().filter_map(|host| HostPattern::parse(host));
        ours.any(|ours| ours.matches(host)).then_some(domain)
    }

    /// The number of lobbies that hold the room's visitors: one per 10,000 of the crowd, 1 to 256.
    #[must_use]
    pub fn lobbies(&self) -> u16 {
        let lobbies = u64::from(self.crowd).div_ceil(CROWD_PER_LOBBY).max(1);
        u16::try_from(lobbies).unwrap_or(u16::MAX)
    }

    /// The number of porters between the lobbies and the room: none up to 4 lobbies, one up to 16, else two.
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
    /// Where Baton forwards requests.
    pub origins: Origins,
    /// The key of Turnstile's widget, if it is set.
    pub turnstile_site_key: Option<String>,
    /// Who may operate, beside the holder of the secret.
    pub operators: Vec<Operator>,
    /// Cloudflare Access, whose assertions Baton believes; `None` means that it looks at no assertion.
    pub access: Option<Access>,
    /// The identity provider to which the desk sends people, if there is one.
    pub oidc: Option<Oidc>,
    /// Where the house may put rooms; `None` means that there is no house.
    pub grounds: Option<Grounds>,
    /// The webhooks, which are told what happens.
    pub webhooks: Vec<Webhook>,
    /// The rooms by name, ascending.
    pub rooms: Vec<RoomSettings>,
}

impl Settings {
    /// Returns the room of this name. O(log rooms).
    #[must_use]
    pub fn room(&self, name: &str) -> Option<&RoomSettings> {
        let at = self.rooms.binary_search_by(|room| room.name.as_str().cmp(name)).ok()?;
        self.rooms.get(at)
    }
}
