//! The page as it is served: what is shown follows from the status, and text is shown as text.

use baton::brand::scheme::Style;
use baton::brand::texts::Texts;
use baton::facts::config::Mode;
use baton::facts::hall::Draw;
use baton::facts::wire::Status;
use baton::gate::{FrontWords, LINK_PAGE_POLICY, Language, PageState, PageValues, Template, TemplateError, link_page};
use baton::settings::PageSettings;
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

static PLAIN: PageSettings = PageSettings {
    title: String::new(),
    logo: String::new(),
    message: String::new(),
    help_url: String::new(),
    style: Style {
        css: String::new(),
        hash: String::new(),
    },
    texts: Texts::new(),
};

fn values() -> PageValues<'static> {
    PageValues {
        state: PageState::Waiting,
        reason: "",
        mode: Mode::Open,
        unsaid: "open",
        missed: true,
        near: false,
        not_submitted: false,
        room: "onsale",
        number: Some(41),
        lane: "Members & friends",
        behind: true,
        better: true,
        code: "unknown",
        ahead: None,
        waiting: Some(7),
        eta_min_s: Some(20),
        eta_max_s: Some(125),
        seats: "to",
        seats_to: Some(18_200),
        opens_at_ms: Some(1_700_000_061_000),
        draw: Some(Draw::Arrival),
        entry: Some(15),
        now_ms: 1_700_000_000_000,
        page: &PLAIN,
        language: "en",
        refresh_s: 20,
        back: "",
        start: "",
        message: "<script>alert('x' & \"y\")</script> {{room}}",
        status: "{\"message\":\"</script><!--\u{2028}{{room}}\"}",
    }
}

#[test]
fn sections_are_there_when_their_value_is() {
    let page = PageSettings {
        title: "<Spring> & {{room}}".to_owned(),
        ..PageSettings::default()
    };
    let named = PageValues { page: &page, ..values() };
    let filled = |text, values: PageValues<'_>| Template::parse(text).map(|template| template.fill(&values));
    let text = "{{#title}}{{title}} in {{room}}{{/title}}{{^ title }}{{state}}{{/ title }} {{opens_min}}";
    assert_eq!(filled(text, named).expect("good"), "&lt;Spring&gt; &amp; {{room}} in onsale 2");
    assert_eq!(filled(text, values()).expect("good"), "waiting 2");
    for (text, error) in [
        ("{{#title}}", TemplateError::Unclosed),
        ("{{/title}}", TemplateError::Tangled("/title".into())),
        ("{{#title}}{{/logo}}", TemplateError::Tangled("/logo".into())),
        ("{{#title}}{{#logo}}{{/logo}}{{/title}}", TemplateError::Tangled("#logo".into())),
        ("{{#nothing}}", TemplateError::Unknown("nothing".into())),
    ] {
        assert_eq!(filled(text, values()), Err(error), "{text}");
    }
}

#[test]
fn who_is_refused_and_who_finds_the_line_full_see_a_section_each() {
    let template = Template::parse("{{#refused}}refused{{/refused}}{{#full}}full{{/full}}").expect("good");
    for (state, shown) in [(PageState::Refused, "refused"), (PageState::Full, "full"), (PageState::Waiting, "")] {
        assert_eq!(template.fill(&PageValues { state, ..values() }), shown, "{state:?}");
    }
}

/// Without the style sheet too the page says what holds, and nothing else.
#[test]
fn what_is_for_another_state_is_hidden() {
    let text = "<p data-on=\"waiting called\"><p data-on=\"called\" id=a><p class=\"far\" data-on=\"waiting\"><p data-on=\"waiting\" class=\"near\">{{#room}}\
                <p data-why=\"left\"><p data-why=\"other\">{{/room}}<p data-unspent=\"used\"><p data-unspent=\"late\"><p data-by=\"shuffle\"><p data-by=\"arrival\"><p data-one=\"x\" data-on=\"\"><style>[data-on=\"x\"]";
    let template = Template::parse(text).expect("good");
    let shown = |values: PageValues<'_>| {
        let page = template.fill(&values);
        assert_eq!(page.replace(" hidden", ""), text.replace("{{#room}}", "").replace("{{/room}}", ""));
        assert!(page.ends_with("<p data-one=\"x\" data-on=\"\" hidden><style>[data-on=\"x\"]"), "{page}");
        let elements = page.split("<p").skip(1).map(|element| !element.contains(" hidden"));
        let letters = elements
            .zip("wcfnlouLsae".chars())
            .filter_map(|(is_shown, letter)| is_shown.then_some(letter));
        letters.collect::<String>()
    };
    let waiting = PageValues { code: "used", ..values() };
    assert_eq!(shown(waiting), "wfoua");
    assert_eq!(shown(PageValues { near: true, ..waiting }), "wnoua");
    assert_eq!(
        shown(PageValues {
            reason: "left",
            code: "asked",
            ..waiting
        }),
        "wfla"
    );
    assert_eq!(
        shown(PageValues {
            state: PageState::Called,
            reason: "early",
            code: "late",
            draw: None,
            ..waiting
        }),
        "wcLs"
    );
    assert_eq!(
        shown(PageValues {
            state: PageState::Over,
            ..waiting
        }),
        "oua"
    );
    for unclosed in ["<p data-on=\"waiting", "<p data-on=", "<p data-"] {
        assert_eq!(Template::parse(unclosed).expect("good").fill(&values()), unclosed);
    }
}

#[test]
fn the_operators_own_sentence_is_shown_in_the_state_that_it_is_for() {
    let sentences = [
        ("hall", "Doors at ten"),
        ("waiting", "Two seats each"),
        ("paused", "On again at ten"),
        ("closed", "Back on Friday"),
        ("sold_out", "See you in May"),
    ];
    let mut page = PageSettings::default();
    for (state, sentence) in sentences {
        page.texts.put("en", state, sentence);
    }
    for (state, sentence) in sentences {
        let text = format!("{{{{#text_{state}}}}}{{{{text_{state}}}}}{{{{/text_{state}}}}}");
        let template = Template::parse(&text).expect("good");
        let own = PageValues { page: &page, ..values() };
        assert_eq!(template.fill(&own), sentence, "{state}");
        assert_eq!(template.fill(&values()), "", "{state}");
    }
}

/// `tests/fixtures/page_states.json` says what every status is shown as; the page's own script is held to it too.
#[test]
fn what_is_shown_follows_from_the_status() {
    let rows: serde_json::Value = serde_json::from_str(include_str!("../fixtures/page_states.json")).expect("JSON");
    let rows = rows.as_array().expect("a list");
    let mut unknown = Vec::new();
    for row in rows {
        let mut status = json!({"room": "onsale", "version": 1, "mode": "open", "poll_after_s": 1});
        let given = row["status"].as_object().expect("an object").clone();
        status.as_object_mut().expect("an object").extend(given);
        let Ok(status) = serde_json::from_value::<Status>(status) else {
            unknown.push(row["shown"].as_str().expect("a text"));
            continue;
        };
        let shown = PageState::shown(&status);
        let near = PageState::is_near(&status);
        assert_eq!(shown.as_str(), row["shown"], "{row}");
        assert_eq!(near, row["near"] == true, "{row}");
        let seats = row["seats"].as_str().unwrap_or_default();
        assert_eq!(PageState::seats(&status), seats, "{row}");
        assert_eq!(PageState::is_behind(&status), row["behind"] == true, "{row}");
        let unsaid = row["unsaid"].as_str().unwrap_or_else(|| status.mode.name());
        assert_eq!(PageState::unsaid(&status, "en"), unsaid, "{row}");
        let number = row["number"].as_u64().or(row["status"]["number"].as_u64());
        assert_eq!(status.shown_number(), number, "{row}");
    }
    unknown.dedup();
    // States and modes that pages know and this worker does not produce yet. Gone from here: true above.
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn the_page_and_its_words_name_only_what_there_is_to_fill_in() {
    assert!(Template::parse(include_str!("../../web/page.html")).is_ok());
    assert!(Template::parse(include_str!("../../web/locales/en.json")).is_ok());
}

#[test]
fn a_page_that_answers_a_form_says_where_its_sender_is() {
    let text = "{{notice}}|{{back}}|{{to}}|{{refresh_s}}{{refresh_to}}|{{start}}";
    let fill = |back, start| {
        let template = Template::parse(text).expect("good");
        template.fill(&PageValues {
            back,
            start,
            not_submitted: !back.is_empty(),
            ..values()
        })
    };
    assert_eq!(fill("", ""), "|||20|");
    assert_eq!(
        fill("/buy/seats?row=4&x='\"%2F", "/tickets"),
        "not_submitted|/buy/seats?row=4&amp;x=&#39;&quot;%2F|?to=%2Fbuy%2Fseats%3Frow%3D4%26x%3D%27%22%252F\
         |20;url=/buy/seats?row=4&amp;x=&#39;&quot;%2F|/tickets"
    );
}

/// The page for another's frame has one link, and nothing that acts, knows or says where anybody stands.
#[test]
fn the_page_in_anothers_frame_is_one_link() {
    for language in Language::ALL {
        let page = link_page(language, "/buy/x?a=1&b=\"<script>");
        let words = FrontWords::of(language);
        let link = format!(
            "<a href=\"/buy/x?a=1&amp;b=&quot;&lt;script&gt;\" target=\"_blank\" rel=\"noopener\">{}</a>",
            words.open_a_window
        );
        assert!(page.contains(&link) && page.contains(words.needs_a_window), "{page}");
        for one in ["<a ", " href="] {
            assert_eq!(page.matches(one).count(), 1, "{page}");
        }
        for nothing in ["<script", "<form", "<meta http-equiv", "data-", "src="] {
            assert!(!page.contains(nothing), "{nothing}: {page}");
        }
        let direction = if language == Language::Ar { "rtl" } else { "ltr" };
        let opening = format!("<html lang=\"{}\" dir=\"{direction}\">", language.tag());
        assert!(page.contains(&opening), "{page}");
    }
    assert!(LINK_PAGE_POLICY.contains("frame-ancestors *"));
    assert!(!LINK_PAGE_POLICY.contains("script-src"));
}

#[test]
fn a_page_shows_text_as_text() {
    let text = "<p title=\"{{message}}\" {{ state }}>{{reason}}|{{mode}}|{{unsaid}}|{{missed}}|{{notice}}|{{room}}|{{number}}|{{lane}}|{{behind}}|{{better}}|\
                {{ahead}}|{{waiting}}|{{eta_min}}-{{eta_max}}|{{refresh_s}}</p><script>{{status}}</script>";
    let page = Template::parse(text).expect("good").fill(&values());
    assert_eq!(
        page,
        "<p title=\"&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt; {{room}}\" waiting>\
         |open|open|true||onsale|41|Members &amp; friends|true|true||7|0-3|20</p>\
         <script>{\"message\":\"\\u003c/script\\u003e\\u003c!--\\u2028{{room}}\"}</script>"
    );
    let minutes = |eta_min_s, eta_max_s| {
        let template = Template::parse("{{eta_min}}-{{eta_max}}").expect("good");
        template.fill(&PageValues {
            eta_min_s,
            eta_max_s,
            ..values()
        })
    };
    for (min_s, max_s, expected) in [(0, 0, "0-1"), (59, 60, "0-1"), (60, 60, "1-2"), (119, 121, "1-3"), (500, 0, "8-9")] {
        assert_eq!(minutes(Some(min_s), Some(max_s)), expected);
    }
    assert_eq!(minutes(Some(5), None), "-", "both or neither");
    let _ = minutes(Some(u64::MAX), Some(u64::MAX));
    let json = page
        .split("<script>")
        .nth(1)
        .and_then(|rest| rest.split("</script>").next())
        .expect("there");
    let status: serde_json::Value = serde_json::from_str(json).expect("still JSON");
    assert_eq!(status["message"], "</script><!--\u{2028}{{room}}");
    assert_eq!(Template::parse("{{x").err(), Some(TemplateError::Unclosed));
    assert_eq!(Template::parse("{{nope}}").err(), Some(TemplateError::Unknown("nope".to_owned())));
    assert_eq!(Template::parse("").map(|t| t.fill(&values())), Ok(String::new()));
}
