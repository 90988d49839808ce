//! Metrics as OpenMetrics text, which Prometheus reads. Names and units follow its conventions;
//! what each one means is its own `HELP` line.

use crate::room::health::Condition;
use crate::room::report::Report;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The media type of the text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

type Labels = Vec<(&'static str, String)>;

/// A value under its labels; the first of them is the room.
type Sample = (Option<(&'static str, &'static str)>, u64);

struct Metric {
    name: &'static str,
    help: &'static str,
    counts: bool,
    read: fn(&Report) -> Vec<Sample>,
}

const fn gauge(name: &'static str, help: &'static str, read: fn(&Report) -> Vec<Sample>) -> Metric {
    Metric {
        name,
        help,
        counts: false,
        read,
    }
}

/// The text adds `_total` to its name.
const fn counter(
    name: &'static str,
    help: &'static str,
    read: fn(&Report) -> Vec<Sample>,
) -> Metric {
    Metric {
        name,
        help,
        counts: true,
        read,
    }
}

const METRICS: &[Metric] = &[
    gauge("permits", "How many may be inside at once", |r| {
        vec![(None, r.permits.into())]
    }),
    gauge("waiting", "Tickets in the line, by state", |r| {
        vec![
            (Some(("state", "present")), r.present),
            (Some(("state", "away")), r.away),
            (Some(("state", "called")), r.called.into()),
        ]
    }),
    gauge("inside", "Permits in use", |r| {
        vec![(None, r.inside.into())]
    }),
    gauge("free_permits", "Permits that nobody has, by place", |r| {
        vec![
            (Some(("place", "hand")), r.hand.into()),
            (Some(("place", "tray")), r.tray.into()),
        ]
    }),
    gauge(
        "debt_permits",
        "Permits that vanish as they come back",
        |r| vec![(None, r.debt.into())],
    ),
    gauge("lobbies", "Lobbies that ever spoke", |r| {
        vec![(None, r.lobbies.into())]
    }),
    counter("join_attempts", "Join attempts, repeats included", |r| {
        vec![(None, r.totals.attempts)]
    }),
    counter("tickets_issued", "Tickets issued, by how", |r| {
        vec![
            (Some(("how", "line")), r.totals.joined),
            (Some(("how", "walk_in")), r.totals.walked_in),
        ]
    }),
    counter("calls", "Calls, by whom", |r| {
        vec![
            (Some(("by", "usher")), r.totals.called),
            (Some(("by", "baton")), r.totals.handed),
        ]
    }),
    counter("claims", "Calls that were answered", |r| {
        vec![(None, r.totals.claimed)]
    }),
    counter("missed_calls", "Calls that nobody answered in time", |r| {
        vec![(None, r.totals.missed)]
    }),
    counter("leases_ended", "Leases that ended, by how", |r| {
        vec![
            (Some(("how", "released")), r.totals.released),
            (Some(("how", "expired")), r.totals.expired),
        ]
    }),
    counter("places_lost", "Places in line that ended, by how", |r| {
        vec![
            (Some(("how", "left")), r.totals.left),
            (Some(("how", "away")), r.totals.grace_ended),
        ]
    }),
    counter(
        "origin_errors",
        "Errors of the origin's own that people inside were answered, while `origin_errors_max_percent` is set",
        |r| vec![(None, r.totals.origin_errors)],
    ),
    gauge(
        "origin_health",
        "How the origin is taken to be doing: 1 for the state it is in",
        |r| {
            let is = |state: Condition| u64::from(r.origin == state);
            vec![
                (Some(("state", "well")), is(Condition::Well)),
                (Some(("state", "failing")), is(Condition::Failing)),
                (Some(("state", "recovering")), is(Condition::Recovering)),
            ]
        },
    ),
    counter(
        "fail_open_requests",
        "Requests let in without a lease while the room could not be reached; told when it is back",
        |r| vec![(None, r.opened)],
    ),
    counter("journal_rows", "Rows in the journal", |r| {
        vec![(None, r.version)]
    }),
];

/// The text. A room that could not be reached has no report; `baton_up` says so. O(rooms).
#[must_use]
pub fn text(rooms: &[(&str, Option<&Report>)]) -> String {
    let mut registry = Registry::with_prefix("baton");
    let up = Family::<Labels, Gauge>::default();
    registry.register("up", "Whether the room answered", up.clone());
    for (room, report) in rooms {
        up.get_or_create(&labels(room, None))
            .set(report.is_some().into());
    }
    for metric in METRICS {
        let reports = rooms
            .iter()
            .filter_map(|(room, report)| Some((*room, (*report)?)));
        let samples = reports.flat_map(|(room, report)| {
            let samples = (metric.read)(report).into_iter();
            samples.map(move |(label, value)| (labels(room, label), value))
        });
        if metric.counts {
            let family = Family::<Labels, Counter>::default();
            for (labels, value) in samples {
                family.get_or_create(&labels).inc_by(value);
            }
            registry.register(metric.name, metric.help, family);
        } else {
            let family = Family::<Labels, Gauge>::default();
            for (labels, value) in samples {
                let value = i64::try_from(value).unwrap_or(i64::MAX);
                family.get_or_create(&labels).set(value);
            }
            registry.register(metric.name, metric.help, family);
        }
    }
    let mut text = String::new();
    // Writing into a string never fails.
    let _ = encode(&mut text, &registry);
    text
}

fn labels(room: &str, more: Option<(&'static str, &'static str)>) -> Labels {
    let mut labels = vec![("room", room.to_owned())];
    labels.extend(more.map(|(name, value)| (name, value.to_owned())));
    labels
}
