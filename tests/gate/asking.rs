//! What the tests of the gate share: a few rooms, and a request to them.

use baton::control::Call;
use baton::gate::{Answer, Cookies, Gate, Host, Intent, OwnCall, Plan, Refusal, Request, Scheme, VisitKind};
use baton::settings;
use serde_json::{Value, json};

pub fn gate() -> Gate {
    let settings = settings::parse(&json!({ "ROOMS": {
        "onsale": { "paths": ["/buy/*"], "bypass_paths": ["/buy/static/*", "/buy/画像/*", "/buy/ok"], "permits": 2 },
        "exact": { "paths": ["/seat", "/"], "permits": 2 },
        "begins": { "paths": ["/vip*", "/shop/now/*"], "permits": 2, "waiting_status": 503 },
        "deep": { "paths": ["/buy/vip/*"], "permits": 2 },
        "named": { "paths": ["/b*"], "hosts": ["named.example"], "permits": 2 },
        "kana": { "paths": ["/チケット/*"], "permits": 2 },
    } }))
    .expect("good settings");
    Gate::new(&settings).expect("good patterns")
}

pub const HOST: &str = "tickets.example.com";
pub const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");

/// Sends a request to the gate and says in a few words what came out.
///
/// Long because it has an arm for each plan.
pub fn ask(method: &str, host: &str, path: &str, headers: &[(&str, &str)]) -> String {
    let headers: Vec<(String, String)> = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let look = move |name: &str| {
        headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.clone())
    };
    let local = host.starts_with("localhost");
    let scheme = if local { Scheme::Http } else { Scheme::Https };
    let request = Request {
        method,
        scheme,
        host,
        path_and_query: path,
        has_body: false,
        headers: &look,
    };
    let gate = gate();
    match gate.decide(&request) {
        Plan::NotGated => "open".to_owned(),
        Plan::Own(OwnCall::Operators) => match Call::of(&gate, &request) {
            Ok(call) => format!("{} {}", call.endpoint.name, Value::Object(call.values)),
            Err(refusal) => refused(&refusal),
        },
        Plan::Own(call) => format!("{call:?}"),
        Plan::Bypass(gated) => format!("bypass {}", gated.room.settings.name),
        Plan::Preflight { room, is_to_gated } => {
            let whose = if is_to_gated { "" } else { ", the shop's alone" };
            format!("preflight {}{whose}", room.settings.name)
        }
        Plan::StrayEntry(link) => format!("stray {}", link.path_and_query),
        Plan::Entry(room, link) => format!("entry {} {} {}", room.settings.name, link.token, link.path_and_query),
        Plan::Gated(gated) => {
            let Intent {
                visit,
                answer,
                walks_in,
                joins,
                is_click: _,
                router: _,
                is_speculative,
                is_part: _,
                is_foreign,
                is_framed: _,
            } = gated.intent;
            let answer = match answer {
                Answer::Page => "page",
                Answer::Link => "link",
                Answer::Json => "json",
            };
            let navigates = visit == VisitKind::Navigation;
            assert!(walks_in || !navigates);
            assert_eq!(joins, navigates && answer == "page");
            let sends = walks_in && !navigates;
            let name = &gated.room.settings.name;
            let note = match (is_speculative, is_foreign) {
                (true, true) => " looks, foreign",
                (true, false) => " looks",
                (false, true) => " foreign",
                (false, false) if sends => " walks in",
                (false, false) => "",
            };
            format!("{name} {visit:?} {answer} {}{note}", gated.waiting_status())
        }
        Plan::Refused(refusal) => refused(&refusal),
    }
}

fn refused(refusal: &Refusal) -> String {
    match &refusal.allow {
        Some(allow) => format!("{} allow {allow}", refusal.code.status()),
        None => format!("{} {}", refusal.code.status(), refusal.code.as_str()),
    }
}

pub fn cookies(scheme: Scheme, host: &str) -> Cookies<'static> {
    Cookies::new(scheme, &Host::parse(scheme, host).expect("a host"))
}
