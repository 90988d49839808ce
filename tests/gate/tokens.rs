//! The tokens of one room: what is issued is read back, and nothing else is believed. Baton's own answers carry them.

use super::asking::HOST;
use super::visit::LEASE;
use baton::facts::entry::EntryRefusal;
use baton::facts::units::{Edition, Fence, LobbyId, Number, VisitorId};
use baton::facts::voucher::{CODE_KEYS, CodeHash, Unspent, Voucher};
use baton::facts::wire::{LaneTold, LeaseTold, Limited, Share, State, Status, Told, Wish};
use baton::gate::{
    Asked, Client, Cookies, Draft, EntryVerdict, ErrorCode, Finished, Held, Here, Host, Identity, Issuer, Keeps, Notes, Outcome, Press, Reader,
    Scheme, TokensShown, Verdict, lease_shown,
};
use baton::settings::{self, RoomSettings};
use baton::token::{Entrant, EntryKeys, Keyring, Pass};
use serde_json::json;

const NOW: u64 = 1_800_000_000_000;
const ANN: VisitorId = VisitorId([1; 16]);
const BOB: VisitorId = VisitorId([2; 16]);

struct World {
    room: RoomSettings,
    host: Host,
    keyring: Keyring,
}

impl World {
    fn new() -> Self {
        let vars = json!({ "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 2, "entry": "optional" } } });
        let settings = settings::parse(&vars).expect("good settings");
        Self {
            room: settings.room("onsale").expect("the room").clone(),
            host: Host::parse(Scheme::Https, HOST).expect("a host"),
            keyring: Keyring::from_secrets(Some(&"k".repeat(32)), None).expect("a good secret"),
        }
    }

    fn cookies(&self) -> Cookies<'_> {
        Cookies::of_room(Scheme::Https, &self.host, &self.room)
    }

    fn issuer(&self) -> Issuer<'_> {
        Issuer {
            keyring: &self.keyring,
            cookies: self.cookies(),
            host: &self.host,
            room: &self.room,
            now_ms: NOW,
        }
    }

    fn shown(&self, set: &[String]) -> TokensShown<'_> {
        let pairs = set.iter().filter_map(|cookie| cookie.split(';').next());
        TokensShown {
            cookies: self.cookies(),
            host: &self.host,
            text: Some(pairs.collect::<Vec<_>>().join("; ")),
            knock: None,
        }
    }

    /// Who shows the cookies that were set by these.
    fn read(&self, set: &[String]) -> Identity {
        let entry_keys = EntryKeys::default();
        Identity::read(&self.shown(set), &self.keyring, &entry_keys, &self.room, NOW)
    }
}

fn asked(told: Told) -> Asked {
    Asked {
        told,
        lobby: LobbyId(3),
        joins: true,
        asked_at_ms: NOW,
    }
}

fn in_line() -> Told {
    Told {
        status: Status {
            state: State::Waiting,
            number: Some(Number(7)),
            edition: Some(Edition(1)),
            version: 40,
            ..Status::default()
        },
        ..Told::default()
    }
}

fn pass(visitor: VisitorId) -> Pass {
    asked(Told::default()).pass(&LEASE, visitor, 60_000)
}

#[test]
fn what_is_issued_after_an_answer_is_who_comes_back() {
    let world = World::new();
    let nobody = world.read(&[]);
    assert_eq!((nobody.visitor, nobody.lobby()), (None, None));
    let set = world.issuer().after(&nobody, ANN, &asked(in_line()));
    let ann = world.read(&set);
    assert_eq!((ann.visitor, ann.visitor_cookie), (Some(ANN), true));
    assert_eq!(ann.lobby(), Some(LobbyId(3)));
    let shown = ann.shown().expect("a place");
    assert_eq!((shown.number, shown.edition, shown.row.0), (Number(7), Edition(1), 40));
    // The same answer again sets nothing, and the end of the place clears the ticket alone.
    let again = world.issuer().after(&ann, ANN, &asked(in_line()));
    assert_eq!(again, Vec::<String>::new());
    let over = Told {
        status: Status {
            state: State::Over,
            ..Status::default()
        },
        ..Told::default()
    };
    let cleared = world.issuer().after(&ann, ANN, &asked(over));
    assert_eq!(cleared, vec![world.issuer().clear_ticket()]);
}

#[test]
fn a_ticket_is_believed_of_nobody_but_its_visitor() {
    let world = World::new();
    let set = world.issuer().after(&world.read(&[]), ANN, &asked(in_line()));
    let ticket = set.get(1).expect("the ticket").clone();
    let thief = world.read(&[world.issuer().visitor(BOB), ticket.clone()]);
    assert!(thief.bad_ticket && thief.ticket.is_none());
    assert_eq!(world.issuer().dead(&thief), vec![world.issuer().clear_ticket()]);
    let alone = world.read(&[ticket]);
    assert_eq!((alone.visitor, alone.bad_ticket), (None, true));
}

#[test]
fn a_pass_opens_the_shop_and_makes_nobody_its_holder() {
    let world = World::new();
    let bearer = world.read(&[world.issuer().pass(&pass(ANN))]);
    assert!(bearer.lease().is_some() && bearer.is_by_pass_alone());
    assert_eq!(bearer.by_name().visitor, None);
    assert_eq!(world.issuer().after(&bearer, ANN, &asked(in_line())), Vec::<String>::new());
    let alone = world.shown(&[world.issuer().pass(&pass(ANN))]);
    assert!(lease_shown(&alone, &world.keyring, &world.room, NOW).is_some());
    // Two that contradict each other prove neither, unless the visitor's own name is one of them.
    let two = [world.issuer().pass(&pass(ANN)), world.issuer().pass(&pass(BOB))];
    assert_eq!(world.read(&two).lease(), None);
    let [of_ann, of_bob] = two;
    let named = world.read(&[world.issuer().visitor(BOB), of_ann, of_bob]);
    assert_eq!(named.lease().map(|pass| pass.visitor), Some(BOB));
}

#[test]
fn without_a_ticket_the_place_is_that_of_the_visitors_own_lease() {
    let world = World::new();
    let of_ann = || world.issuer().pass(&pass(ANN));
    let place = |set: &[String]| {
        let identity = world.read(set);
        (identity.lobby(), identity.shown().map(|shown| shown.number))
    };
    let own = (Some(LobbyId(3)), Some(pass(ANN).number));
    assert_eq!(place(&[world.issuer().visitor(ANN), of_ann()]), own);
    assert_eq!(place(&[of_ann()]), own);
    assert_eq!(place(&[world.issuer().visitor(BOB), of_ann()]), (None, None));
}

#[test]
fn the_lobby_that_has_the_place_is_asked_and_else_that_of_the_address() {
    let world = World::new();
    let looked = std::cell::Cell::new(0);
    let address = || {
        looked.set(looked.get() + 1);
        None
    };
    let here = Here {
        room: &world.room,
        address: &address,
        dice: &|| [0; 16],
        now_ms: NOW,
    };
    let set = world.issuer().after(&world.read(&[]), ANN, &asked(in_line()));
    let ann = world.read(&set);
    let wish = Wish::Status { wait_ms: 0 };
    let mut question = ann.question(ANN, wish, Press::None, &here);
    assert_eq!((question.lobby(), question.ask().shown), (LobbyId(3), ann.shown()));
    assert_eq!(looked.get(), 0, "nothing is counted for a place that is there");
    // Another lobby would take the ticket for one of its own.
    let full = Told {
        full: true,
        ..Told::default()
    };
    assert!(matches!(question.hear(full, NOW), Ok(None)));
    assert_eq!((question.lobby(), question.ask().shown), (LobbyId(4), None));
    let heard = question.hear(Told::default(), NOW).expect("an answer");
    assert_eq!(heard.map(|asked| asked.lobby), Some(LobbyId(4)));
    let new = world.read(&[world.issuer().visitor(BOB)]);
    let ask = new.question(BOB, Wish::Join, Press::None, &here).ask();
    assert_eq!((ask.shown, ask.from, looked.get()), (None, None, 1));
}

#[test]
fn a_voucher_that_gave_no_place_is_remembered_so() {
    let world = World::new();
    let entrant = Entrant::with_code([CodeHash(5); CODE_KEYS], NOW);
    let set = [world.issuer().visitor(ANN), world.issuer().entry(&entrant)];
    let ann = world.read(&set);
    assert!(matches!(ann.entry, EntryVerdict::Voucher(Voucher::Code(_))), "{:?}", ann.entry);
    let used = Told {
        unspent: Some(Unspent::Used),
        ..in_line()
    };
    let set = world.issuer().follows(&ann, ANN, &asked(used));
    let again = world.read(&[&[world.issuer().visitor(ANN)], set.as_slice()].concat());
    assert_eq!(again.entry, EntryVerdict::Nobody, "where nobody needs one");
    assert!(again.ticket.is_some(), "and the place stays");
}

/// Names the tokens that a client is to keep of a verdict; those that it is to drop have a minus.
fn kept(world: &World, identity: &Identity, (outcome, keeps): (Outcome, Keeps), asked: Option<Asked>) -> Vec<String> {
    let verdict = Verdict {
        outcome,
        identity: identity.clone(),
        visitor: identity.visitor,
        asked,
        keeps,
        notes: Notes::default(),
    };
    let set = world.issuer().kept(&verdict);
    let name = |cookie: &String| {
        let (pair, rest) = cookie.split_once(';').expect("attributes");
        let (name, value) = pair.split_once('=').expect("a pair");
        let name = ["visitor", "ticket", "pass", "entry"]
            .into_iter()
            .find(|kind| name.contains(kind))
            .expect("a kind");
        let is_dropped = value.is_empty() && rest.contains("Max-Age=0");
        if is_dropped { format!("-{name}") } else { name.to_owned() }
    };
    set.iter().map(name).collect()
}

#[test]
fn a_client_keeps_what_a_call_came_to() {
    let world = World::new();
    let issuer = world.issuer();
    let goes_in = Outcome::In(pass(ANN), Held::New);
    let bob = [issuer.visitor(BOB)];
    let ticket = issuer.after(&world.read(&[]), ANN, &asked(in_line())).remove(1);
    let ann = [issuer.visitor(ANN), ticket.clone(), issuer.pass(&pass(ANN))];
    let (nobody, bob, ann, thief) = (
        world.read(&[]),
        world.read(&bob),
        world.read(&ann),
        world.read(&[issuer.visitor(BOB), ticket]),
    );
    let of = |identity: &Identity, outcome, keeps| kept(&world, identity, (outcome, keeps), Some(asked(in_line())));
    let none: [&str; 0] = [];
    assert_eq!(of(&ann, Outcome::Unheard, Keeps::AsItIs), none);
    assert_eq!(of(&thief, Outcome::NoTicket, Keeps::Proven), ["-ticket"]);
    assert_eq!(of(&ann, Outcome::Challenged, Keeps::Proven), none, "what is proven stays");
    assert_eq!(of(&nobody, Outcome::Arriving, Keeps::Named(BOB)), ["visitor"]);
    assert_eq!(of(&bob, Outcome::Placed, Keeps::Told(BOB)), ["ticket"]);
    assert_eq!(of(&bob, Outcome::Placed, Keeps::ToldWithoutPass(BOB)), ["ticket"], "there is no pass");
    assert_eq!(of(&ann, Outcome::Placed, Keeps::ToldWithoutPass(ANN)), ["-pass"]);
    assert_eq!(of(&bob, goes_in, Keeps::ToldWithPass(BOB)), ["ticket", "pass"]);
    assert_eq!(of(&bob, Outcome::Placed, Keeps::ToldWithPass(BOB)), ["ticket"], "no lease, no pass");
    assert_eq!(of(&ann, Outcome::Left, Keeps::Nothing), ["-pass", "-ticket"]);
    assert_eq!(
        of(&bob, Outcome::Left, Keeps::Nothing),
        ["-pass", "-ticket"],
        "another tab may have got them"
    );
    // Who shows no name loses what is shown, and nothing else.
    assert_eq!(of(&nobody, Outcome::Left, Keeps::Nothing), none);
    let mut stray = world.read(&[issuer.pass(&pass(ANN))]).by_name();
    assert_eq!(of(&stray, Outcome::Left, Keeps::Nothing), ["-pass"]);
    stray.bad_ticket = true;
    assert_eq!(of(&stray, Outcome::Left, Keeps::Nothing), ["-pass", "-ticket"]);
}

#[test]
fn a_code_is_kept_unless_it_gave_no_place() {
    let world = World::new();
    let entrant = Entrant::with_code([CodeHash(5); CODE_KEYS], NOW);
    let ann = world.read(&[world.issuer().visitor(ANN), world.issuer().entry(&entrant)]);
    let keeps = (Outcome::Placed, Keeps::ToldWithCode(ANN));
    assert_eq!(kept(&world, &ann, keeps, Some(asked(in_line()))), ["ticket", "entry"]);
    let used = Told {
        unspent: Some(Unspent::Used),
        ..in_line()
    };
    let verdict = |told| Verdict {
        outcome: Outcome::Placed,
        identity: ann.clone(),
        visitor: Some(ANN),
        asked: Some(asked(told)),
        keeps: Keeps::ToldWithCode(ANN),
        notes: Notes::default(),
    };
    let named = world.issuer().visitor(ANN);
    let entry = |told| {
        let set = world.issuer().kept(&verdict(told));
        world.read(&[std::slice::from_ref(&named), set.as_slice()].concat()).entry
    };
    assert!(matches!(entry(in_line()), EntryVerdict::Voucher(_)));
    assert_eq!(entry(used), EntryVerdict::Nobody);
}

#[test]
fn a_code_that_was_not_judged_counts_as_untried() {
    let world = World::new();
    let entrant = Entrant::with_code([CodeHash(5); CODE_KEYS], NOW);
    let ann = world.read(&[world.issuer().visitor(ANN), world.issuer().entry(&entrant)]);
    let mut told = in_line();
    told.status.lane = Some(LaneTold {
        name: "fans".to_owned(),
        title: String::new(),
        number: None,
        better: true,
    });
    let told = |limited| Told { limited, ..told.clone() };
    let keeps = (Outcome::Placed, Keeps::Told(ANN));
    assert_eq!(kept(&world, &ann, keeps, Some(asked(told(None)))), ["ticket", "entry"]);
    let limited = Limited {
        by: Share::Visitor,
        retry_after_s: 20,
    };
    assert_eq!(kept(&world, &ann, keeps, Some(asked(told(Some(limited))))), ["ticket"]);
}

#[test]
fn an_answer_tells_of_tokens_as_its_client_hears_them() {
    let draft = || Draft::json(200, "{\"a\":1}".to_owned()).cookies(vec!["ticket=t".to_owned()]);
    let names = |finished: &Finished| finished.headers.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let plain = draft().finished(&Client::default());
    assert_eq!(names(&plain), ["Cache-Control", "X-Content-Type-Options", "Content-Type", "Set-Cookie"]);
    assert_eq!(plain.body.as_deref(), Some("{\"a\":1}"));
    let app = draft().finished(&Client {
        credentials: Some(""),
        reader: Some(Reader::App("https://app.example")),
        is_head: false,
    });
    assert!(!names(&app).contains(&"Set-Cookie"));
    assert_eq!(names(&app).iter().filter(|name| **name == "Access-Control-Expose-Headers").count(), 2);
    assert!(app.body.is_some_and(|body| body.contains("\"credentials\":")));
    // A page that embeds a widget reads the answer, and no credentials.
    let widget = draft().finished(&Client {
        credentials: Some(""),
        reader: Some(Reader::Widget("*")),
        is_head: false,
    });
    let exposed = widget.headers.iter().filter(|(name, _)| *name == "Access-Control-Expose-Headers");
    assert!(exposed.map(|(_, value)| value.as_str()).eq(["Baton-Page, Baton-State, Retry-After"]));
    let head = draft().finished(&Client {
        is_head: true,
        ..Client::default()
    });
    assert_eq!(head.body, None);
    let later = Draft::error(ErrorCode::RoomUnavailable).finished(&Client::default());
    assert!(later.headers.contains(&("Retry-After", "5".to_owned())) && later.status == 503);
    // What an object answered says so too.
    let comes_later = |status| names(&Draft::passed(status, String::new()).finished(&Client::default())).contains(&"Retry-After");
    assert_eq!([200, 409, 503].map(comes_later), [false, false, true]);
}

#[test]
fn only_the_same_lease_goes_on_as_the_pass_that_was_shown() {
    let world = World::new();
    let told = |lease| asked(Told { lease, ..Told::default() });
    let ann = pass(ANN);
    let later = LeaseTold {
        hard_in_ms: LEASE.hard_in_ms + 5_000,
        ..LEASE
    };
    let renewed = told(Some(later)).renewal(&ann, &world.room).expect("goes on");
    assert_eq!((renewed.visitor, renewed.fence, renewed.lobby), (ANN, ann.fence, LobbyId(3)));
    assert_eq!(renewed.hard_ends_at_ms, ann.hard_ends_at_ms + 5_000);
    let another = LeaseTold {
        fence: Fence(LEASE.fence.0 + 1),
        ..LEASE
    };
    assert_eq!(told(Some(another)).renewal(&ann, &world.room), None);
    assert_eq!(told(None).renewal(&ann, &world.room), None);
}

#[test]
fn who_shows_a_token_in_a_call_is_named_if_the_shop_vouches_and_the_better_token_is_kept() {
    let world = World::new();
    let keys = EntryKeys::default();
    let wrong = Entrant::refused(EntryRefusal::Unknown);
    let named = |identity: &mut Identity, entrant| {
        let mut names = 0;
        let kept = identity.shows(entrant, &keys, &world.issuer(), || {
            names += 1;
            Ok::<_, ()>(BOB)
        });
        (kept.expect("a name"), names)
    };
    let good = Entrant::with_code([CodeHash(5); CODE_KEYS], NOW);
    let mut nobody = world.read(&[]);
    assert_eq!(
        named(&mut nobody, good),
        (vec![world.issuer().visitor(BOB), world.issuer().entry(&good)], 1)
    );
    assert_eq!((nobody.visitor, nobody.visitor_cookie, nobody.needs_lane), (Some(BOB), true, true));
    assert!(nobody.voucher().is_some());
    // Whoever has a name keeps it, and no bad token takes the place of a good one.
    let mut ann = world.read(&[world.issuer().visitor(ANN), world.issuer().entry(&good)]);
    assert_eq!(named(&mut ann, wrong), (Vec::new(), 0));
    assert_eq!(ann.visitor, Some(ANN));
    assert!(matches!(ann.entry, EntryVerdict::Barred(_)), "it counts where tokens are optional, too");
    let mut stranger = world.read(&[]);
    assert_eq!(named(&mut stranger, wrong), (vec![world.issuer().entry(&wrong)], 0));
    assert_eq!((stranger.visitor, stranger.visitor_cookie), (None, false));
    let failed = world.read(&[]).shows(good, &keys, &world.issuer(), || Err("no dice"));
    assert_eq!(failed, Err("no dice"));
}
