//! `[[vars.WEBHOOKS]]` as it is read, and what is said of one that will not do.

use baton::outbox::{Kind, Secrets};
use baton::settings::{Settings, WEBHOOKS_MAX, check_outbox, parse, webhook_secrets};
use serde_json::{Value, json};

fn read(webhooks: Value) -> Result<Settings, String> {
    let vars = json!({
        "ORIGIN": "https://shop.example.net",
        "GROUNDS": { "paths": ["/events/*"], "hosts": ["events.example.com"] },
        "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 1, "hosts": ["tickets.example.com:8443"] } },
        "WEBHOOKS": webhooks,
    });
    parse(&vars).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })
}

#[test]
fn a_webhook_is_read_with_its_defaults() {
    let url = "https://hooks.example.org/baton";
    let settings = read(json!([
        { "name": "crm", "url": url },
        { "name": "log-2", "url": url, "rooms": ["onsale", "spring"], "kinds": ["room.reset"], "operators": true },
    ]));
    let webhooks = settings.unwrap().webhooks;
    assert_eq!((webhooks[0].rooms.len(), webhooks[0].kinds.len(), webhooks[0].operators), (0, 0, false));
    assert_eq!(webhooks[1].kinds, [Kind::RoomReset]);
    assert_eq!(webhooks[1].secret_name(), "WEBHOOK_SECRET_LOG_2");
    assert_eq!(read(Value::Null).unwrap().webhooks, []);
}

#[test]
fn what_is_wrong_is_named_with_its_cure() {
    let good = json!({ "name": "crm", "url": "https://hooks.example.org/" });
    let with = |key: &str, value: Value| {
        let mut table = good.clone();
        table[key] = value;
        json!([table])
    };
    let many: Vec<Value> = (0..=WEBHOOKS_MAX)
        .map(|at| json!({ "name": format!("a{at}"), "url": "https://hooks.example.org/" }))
        .collect();
    for (webhooks, said) in [
        (json!("x"), "WEBHOOKS = \"x\": is not a list of tables"),
        (json!(["x"]), "WEBHOOKS[0] = \"x\": is not a table"),
        (json!([{}]), "WEBHOOKS[0].name: is missing"),
        (with("name", json!("C R M")), "is no name of a webhook"),
        (json!([good, good]), "WEBHOOKS[1].name = \"crm\": is that of another webhook as well"),
        (with("url", json!("http://hooks.example.org/")), "does not begin with https://"),
        (with("kinds", json!(["room.nothing"])), "Choose among room.opened, room.closed"),
        (with("rooms", json!(["N O"])), "is not a list of this deployment's rooms"),
        (with("operators", json!("yes")), "is neither true nor false"),
        (with("secret", json!("whsec_hidden")), "WEBHOOKS[0].secret: is not a known key"),
        (json!(many), "at most 8 are allowed"),
    ] {
        let problems = read(webhooks).unwrap_err();
        assert!(problems.contains(said), "{said}: {problems}");
        assert!(!problems.contains("whsec_hidden"), "no value of an unknown key is shown");
    }
}

#[test]
fn c185_a_host_of_this_site_is_refused() {
    for host in [
        "tickets.example.com",
        "TICKETS.example.com",
        "tickets.example.com:8443",
        "events.example.com",
        "shop.example.net",
    ] {
        let problems = read(json!([{ "name": "crm", "url": format!("https://{host}/x") }])).unwrap_err();
        assert!(problems.contains("Baton would call itself"), "{host}: {problems}");
    }
}

#[test]
fn secrets_are_a_webhooks_own_or_that_of_all_and_none_stands_in_the_file() {
    let settings = read(json!([{ "name": "crm", "url": "https://hooks.example.org/" }])).unwrap();
    let hook = &settings.webhooks[0];
    let good = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let of = |set: &'static [(&'static str, &'static str)]| {
        webhook_secrets(hook, |name| set.iter().find_map(|(own, text)| (*own == name).then(|| (*text).to_owned())))
    };
    assert_eq!(
        of(&[("WEBHOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]),
        Ok(Secrets::parse(good).unwrap())
    );
    let both = of(&[
        ("WEBHOOK_SECRET", "bad"),
        ("WEBHOOK_SECRET_CRM", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    ]);
    assert!(both.is_ok(), "its own goes first");
    let said = of(&[]).unwrap_err().to_string();
    assert!(said.contains("WEBHOOK_SECRET_CRM: is not set") && said.contains("openssl"), "{said}");
    let said = of(&[("WEBHOOK_SECRET_CRM", "hidden-secret")]).unwrap_err().to_string();
    assert!(said.contains("is not whsec_") && !said.contains("hidden-secret"), "{said}");
    let file = parse(&json!({ "WEBHOOK_SECRET_CRM": good, "ROOMS": { "a": { "paths": ["/a"], "permits": 1 } } }));
    let said = file.unwrap_err()[0].to_string();
    assert!(
        said.contains("is a secret and must not be a plain variable") && !said.contains("MfKQ"),
        "{said}"
    );
}

#[test]
fn webhooks_without_an_outbox_are_a_problem() {
    let settings = read(json!([{ "name": "crm", "url": "https://hooks.example.org/" }])).unwrap();
    assert!(check_outbox(&settings, false).unwrap().to_string().contains("OutboxObject"));
    assert_eq!(check_outbox(&settings, true), None);
    assert_eq!(check_outbox(&read(json!([])).unwrap(), false), None);
}
