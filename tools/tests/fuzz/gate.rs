//! The targets for what the front decides alone: requests, hosts, credentials, cookies, headers, the page.

use super::worlds::gate;
use super::{Read, text};
use baton::control::Call;
use baton::facts::config::Mode;
use baton::gate::{
    COOKIE_TRIES_MAX, Cacheability, CarryCall, ComesFrom, CookieName, Cookies, EntryLink, ErrorCode, Host, HostPattern, Language, OriginVerdict,
    OwnCall, PageState, PageValues, Plan, Refusal, Release, Request, RoomCall, Scheme, Template, VisitorCall, WAIT_S_MAX, cache_control_with_cookie,
    cacheability, changed_credentials, check_origin, error_body, escape_html, is_baton_header, read_origin_commands, with_credentials,
};
use baton::settings::PageSettings;

const HOST: &str = "tickets.example";

/// Reads `METHOD scheme host path`, then lines of `name: value`. The gate must decide the same each time, and only what is allowed for such a
/// request.
///
/// Long because it asserts something else for each kind of plan.
pub fn request(bytes: &[u8]) -> Read {
    let all = text(bytes);
    let mut lines = all.lines();
    let words: Vec<&str> = lines.next().unwrap_or_default().splitn(4, ' ').collect();
    let &[method, scheme, host, path] = words.as_slice() else {
        return Read::No;
    };
    let pairs: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    let headers = |name: &str| {
        let found = pairs.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| (*value).to_owned())
    };
    let request = Request {
        method,
        scheme: Scheme::parse(scheme),
        host,
        path_and_query: path,
        has_body: false,
        headers: &headers,
    };
    let decided = gate().decide(&request);
    assert_eq!(format!("{decided:?}"), format!("{:?}", gate().decide(&request)));
    let foreign = request
        .parsed_host()
        .is_some_and(|host| check_origin(&request, &host, None) == OriginVerdict::Foreign);
    let check = |refusal: &Refusal| {
        let is_look = refusal.code == ErrorCode::Speculative;
        assert!(is_look || (400..500).contains(&refusal.code.status()), "{refusal:?}");
        assert_eq!(refusal.allow.is_some(), refusal.code.status() == 405);
        Read::No
    };
    match &decided {
        Plan::Refused(refusal) => return check(refusal),
        Plan::Own(OwnCall::Operators) => match Call::of(gate(), &request) {
            Ok(call) => {
                assert!(call.endpoint.methods.contains(&method), "{call:?}");
                assert!(!foreign || call.endpoint.from == ComesFrom::Anywhere, "{call:?} of another site");
            }
            Err(refusal) => return check(&refusal),
        },
        Plan::Own(OwnCall::Room {
            room,
            call: RoomCall::Visitor(call),
        }) => {
            assert!(gate().room(room).is_some(), "no room {room}");
            match call {
                VisitorCall::Status { wait_s } => assert!(*wait_s <= WAIT_S_MAX),
                _ => assert!(!foreign, "{call:?} of another site"),
            }
        }
        Plan::Own(OwnCall::Static { file }) => {
            let dots = file.split('/').any(|segment| segment.starts_with('.'));
            assert!(!dots && !file.starts_with('/') && !file.contains('\\'), "{file:?}");
        }
        Plan::Own(OwnCall::Room {
            room,
            call: RoomCall::Carry { call, .. },
        }) => {
            assert!(gate().room(room).is_some(), "no room {room}");
            assert!(!foreign || *call == CarryCall::Look, "{call:?}");
        }
        Plan::Own(_) | Plan::NotGated | Plan::Bypass(_) => {}
        Plan::Preflight { .. } => assert_eq!(method, "OPTIONS"),
        Plan::Entry(_, link) | Plan::StrayEntry(link) => {
            assert!(["GET", "HEAD"].contains(&method), "{method}");
            assert!(link.stays_here() && EntryLink::of(&link.path_and_query).is_none());
        }
        Plan::Gated(gated) => {
            assert!([200, 202, 429, 503].contains(&gated.waiting_status()));
        }
    }
    Read::Yes
}

/// Reads a host: it has one spelling, whatever the case of the input.
pub fn host(bytes: &[u8]) -> Read {
    let raw = text(bytes);
    for scheme in [Scheme::Http, Scheme::Https, Scheme::parse(&raw)] {
        let Some(host) = Host::parse(scheme, &raw) else {
            continue;
        };
        let spelt = host.as_str();
        assert_eq!(Host::parse(scheme, spelt).as_ref(), Some(&host), "{spelt:?}");
        assert_eq!(spelt, spelt.to_ascii_lowercase());
        assert_eq!(Host::parse(scheme, &raw.to_ascii_uppercase()).as_ref(), Some(&host));
        assert!(!spelt.contains(['/', '@', ' ', '?', '#', '\\', '%', ',']), "{spelt:?}");
        if let Some(pattern) = HostPattern::parse(&raw) {
            assert!(pattern.matches(&host), "{raw:?} misses itself");
        }
    }
    let pattern = HostPattern::parse(&raw);
    if let Some(pattern) = &pattern {
        let again = HostPattern::parse(&pattern.to_string());
        assert_eq!(again.as_ref(), Some(pattern));
    }
    assert_eq!(pattern.is_some(), Host::parse(Scheme::Https, &raw).is_some());
    pattern.is_some().into()
}

/// Reads credentials: the front returns them in a spelling that is safe in a header and in JSON, and returning them again changes nothing.
pub fn credentials(bytes: &[u8]) -> Read {
    let shown = text(bytes);
    let changes = ["onsale-ticket=AAAA".to_owned(), "onsale-pass=".to_owned()];
    let kept = changed_credentials(&shown, &[]);
    let changed = changed_credentials(&shown, &changes);
    for told in [&kept, &changed] {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_~=; ".contains(&b);
        assert!(told.bytes().all(plain), "{told:?}");
        assert_eq!(&changed_credentials(told, &[]), told);
        let json: serde_json::Value = serde_json::from_str(&with_credentials("{\"a\":1}", told)).expect("JSON");
        assert_eq!(json["credentials"], told.as_str());
    }
    let mut pairs = changed.split("; ");
    assert!(changed.len() <= 47 * 256 && !pairs.any(|pair| pair.starts_with("onsale-pass=")));
    let host = Host::parse(Scheme::Https, HOST).expect("a host");
    let spoken = Cookies::new(Scheme::Https, &host).as_credentials();
    let visitors = spoken.values(Some(&kept), CookieName::Visitor);
    assert!(visitors.iter().all(|token| !token.is_empty()), "{kept:?}");
    (!kept.is_empty()).into()
}

/// Reads a `Cookie` header: the gate takes out Baton's cookies and changes nobody else's. Long because it says once more what goes and what stays.
pub fn cookies(bytes: &[u8]) -> Read {
    const SEPARATORS: char = ';';
    // How the platform joins the lines of several `Cookie` headers.
    const LINES: &str = ", ";
    let header = text(bytes);
    let mut any = false;
    for (scheme, host) in [(Scheme::Https, HOST), (Scheme::Http, "localhost")] {
        let host = Host::parse(scheme, host).expect("a host");
        let cookies = Cookies::new(scheme, &host);
        let kept = cookies.without_own(&header);
        let left = kept.as_deref().unwrap_or_default();
        let own = |pair: &str| cookies.sets_own(pair);
        assert!(!left.split(SEPARATORS).any(own), "{left:?} has one of ours");
        // If the gate takes out one of ours, it also drops what cannot be written back.
        let goes = header.split(SEPARATORS).flat_map(|pair| pair.split(LINES)).any(own);
        let others = |text: &str| -> Vec<String> {
            let pairs = text.split(SEPARATORS).map(|pair| {
                let parts = pair.split(LINES).filter(|part| !own(part));
                parts.collect::<Vec<_>>().join(LINES).trim().to_owned()
            });
            pairs.filter(|pair| !(pair.is_empty() || goes && pair.contains('\u{FFFD}'))).collect()
        };
        assert_eq!(others(left), others(&header), "somebody else's cookie changed");
        if let Some(kept) = &kept {
            assert_eq!(cookies.without_own(kept).as_ref(), Some(kept));
        }
        if scheme == Scheme::Https {
            let named = |pair: &str| {
                let name = pair.split('=').next().unwrap_or_default().trim();
                name.to_ascii_lowercase().starts_with("__host-baton-")
            };
            assert!(!left.split(SEPARATORS).any(named), "{left:?} names one of ours");
        }
        for name in [
            CookieName::Visitor,
            CookieName::Ticket("onsale"),
            CookieName::Pass("onsale"),
            CookieName::Admin,
        ] {
            let values = cookies.values(Some(&header), name);
            assert!(values.len() <= COOKIE_TRIES_MAX);
            any |= !values.is_empty();
            for value in values {
                assert!(!value.contains(SEPARATORS));
                let sent = format!("{}={value}", cookies.name(name));
                assert!(own(&sent), "{sent:?} is not kept from the origin");
            }
            assert!(cookies.sets_own(&cookies.set(name, "x", 5)));
        }
    }
    any.into()
}

/// Reads lines of headers: the gate knows Baton's headers in every spelling, and an origin's commands in one.
pub fn headers(bytes: &[u8]) -> Read {
    let all = text(bytes);
    let mut any = false;
    let lines: Vec<&str> = all.lines().collect();
    for line in &lines {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        // CGI reads every character that is neither a letter nor a digit as the same one.
        let plain = name.trim().to_ascii_lowercase();
        let plain = plain.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        assert_eq!(is_baton_header(name), plain.starts_with("baton-"), "{name:?}");
        any |= is_baton_header(name);
        let commands = read_origin_commands("onsale", Some(value), Some(value));
        assert_eq!(commands.release == Release::Now, ["1", "onsale"].contains(&value.trim()));
        if let Some(ms) = commands.extend_ms {
            assert!(ms > 0 && ms % 1_000 == 0);
            assert_eq!(value.trim().parse::<u64>().ok(), Some(ms / 1_000));
        }
        let language = Language::negotiate(Some(value));
        assert!(Language::ALL.contains(&language));
        for shared in [None, Some(*line)] {
            let judged = cacheability(Some(value), shared);
            let sent = cache_control_with_cookie(judged);
            assert_eq!(sent.is_none(), judged == Cacheability::Private);
            let whole = value.trim().to_ascii_lowercase();
            if shared.is_none() && whole == "no-store" {
                assert_eq!(judged, Cacheability::Private);
            }
        }
        if let Some(code) = ErrorCode::parse(value.trim()) {
            assert_eq!(code.as_str(), value.trim());
        }
    }
    any.into()
}

/// Reads a template, and also a text that an operator wants on the page: it must stay text there.
///
/// Long because it names each value of the page.
pub fn page(bytes: &[u8]) -> Read {
    const SAFE: &str = "<p title=\"{{message}}\">{{message}}</p><script>{{ status }}</script>";
    let said = text(bytes);
    let status = serde_json::json!({ "message": said }).to_string();
    let values = PageValues {
        state: PageState::Waiting,
        reason: "",
        mode: Mode::Open,
        unsaid: "open",
        missed: false,
        near: false,
        not_submitted: false,
        room: "onsale",
        number: Some(7),
        lane: "Members",
        behind: false,
        better: false,
        code: "asked",
        ahead: Some(3),
        waiting: Some(9),
        eta_min_s: Some(60),
        eta_max_s: Some(90),
        seats: "to",
        seats_to: Some(9),
        opens_at_ms: None,
        draw: None,
        entry: None,
        now_ms: 0,
        page: &PageSettings::default(),
        language: "en",
        back: "/buy/",
        start: "",
        refresh_s: 20,
        message: &said,
        status: &status,
    };
    let filled = Template::parse(SAFE).expect("a template").fill(&values);
    let mut escaped = String::new();
    escape_html(&said, &mut escaped);
    assert!(!escaped.contains(['<', '>', '"', '\'']), "{escaped:?}");
    let back = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .into_iter()
        .fold(escaped.clone(), |text, (from, to)| text.replace(from, to));
    assert_eq!(back, said);
    let head = format!("<p title=\"{escaped}\">{escaped}</p><script>");
    let rest = filled.strip_prefix(&head).expect("what was said, escaped");
    let json = rest.strip_suffix("</script>").expect("the end of the script");
    assert!(!json.contains(['<', '>', '&']), "{json:?}");
    let read: serde_json::Value = serde_json::from_str(json).expect("the same JSON");
    assert_eq!(read["message"], *said);
    let body = error_body(ErrorCode::BadRequest, Some(&said));
    let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(body["error"]["message"], *said);
    match Template::parse(&said) {
        Ok(template) => {
            let filled = template.fill(&values);
            assert!(said.contains("{{") || filled == said, "{filled:?}");
            Read::Yes
        }
        Err(_) => {
            assert!(said.contains("{{"), "refused {said:?}");
            Read::No
        }
    }
}
