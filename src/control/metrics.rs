//! Metrics as OpenMetrics text, which Prometheus reads, or in its older text format. Names and units follow its conventions. The `HELP` line of
//! each metric says what the metric means.

use core::fmt;
use facts::entry::EntryRefusal;
use facts::proofs::ProofChecks;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use room::health::Condition;
use room::lanes::LaneReport;
use room::report::{Answers, Duration, Report};

/// A form of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// OpenMetrics 1.0, which names a counter's family without `_total`.
    OpenMetrics,
    /// Prometheus' text format 0.0.4, for tools that read no other.
    Plain,
}

impl Form {
    /// Returns the form that a reader asks for with `Accept`: the older one only if that is named and OpenMetrics is not. O(length).
    #[must_use]
    pub fn asked_by(accept: Option<&str>) -> Self {
        let accept = accept.unwrap_or_default().to_ascii_lowercase();
        let names = |media: &str| {
            let mut ranges = accept.split(',').map(|range| range.split(';').next());
            ranges.any(|name| name.is_some_and(|name| name.trim() == media))
        };
        if names("text/plain") && !names("application/openmetrics-text") {
            Self::Plain
        } else {
            Self::OpenMetrics
        }
    }

    /// Returns the form's media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Plain => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// Returns OpenMetrics text in this form. O(length).
    #[must_use]
    pub fn of(self, text: String) -> String {
        match self {
            Self::OpenMetrics => text,
            Self::Plain => plain(&text),
        }
    }
}

/// Returns OpenMetrics text in the older format: there a counter's family has the name of its series, and neither units nor an end are told.
fn plain(text: &str) -> String {
    let is_counter = |family: &str| text.contains(&format!("# TYPE {family} counter\n"));
    let mut plain = String::new();
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        let line = match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some("EOF" | "UNIT"), ..) => continue,
            (Some("#"), Some(what), Some(family), Some(rest)) if is_counter(family) => {
                format!("# {what} {family}_total {rest}")
            }
            _ => line.to_owned(),
        };
        plain.push_str(&line);
        plain.push('\n');
    }
    plain
}

type Label = (&'static str, String);

/// A value with its labels; the room's label is added later.
type Sample = (Vec<Label>, Value);

/// One value of a metric.
#[derive(Clone, Debug)]
enum Value {
    /// The value now.
    Gauge(u64),
    /// A count so far.
    Counter(u64),
    /// Seconds so far.
    Seconds(f64),
    /// Since the room began.
    Histogram(Histogram),
}

/// A histogram, as the text has it.
#[derive(Clone, Debug)]
struct Histogram {
    count: u64,
    sum_ms: u64,
    /// Every bucket by its end in seconds, also an empty one, so that no series comes and goes. The counts are not
    /// cumulative; the last bucket has no end.
    buckets: Vec<(f64, u64)>,
}

impl Histogram {
    /// Makes a histogram. Values in no bucket go into a last one, beyond the others.
    fn new(count: u64, sum_ms: u64, buckets: impl Iterator<Item = (f64, u64)>) -> Self {
        let mut buckets: Vec<(f64, u64)> = buckets.collect();
        let within = buckets.iter().map(|(_, count)| *count).sum();
        buckets.push((f64::INFINITY, count.saturating_sub(within)));
        Self { count, sum_ms, buckets }
    }
}

/// Reads a metric's values from the report of a room.
type Read = fn(&Report) -> Vec<Sample>;

/// A metric: its name, its meaning, its unit, its kind, and how to read its values.
struct Metric {
    name: &'static str,
    help: &'static str,
    seconds: bool,
    kind: MetricType,
    read: Read,
}

impl Metric {
    const fn new(kind: MetricType, name: &'static str, help: &'static str, read: Read) -> Self {
        Self {
            name,
            help,
            seconds: false,
            kind,
            read,
        }
    }

    /// Sets the unit to seconds. The text adds `_seconds` to the name.
    const fn in_seconds(self) -> Self {
        Self { seconds: true, ..self }
    }
}

const fn gauge(name: &'static str, help: &'static str, read: Read) -> Metric {
    Metric::new(MetricType::Gauge, name, help, read)
}

/// Makes a counter. The text adds `_total` to its name.
const fn counter(name: &'static str, help: &'static str, read: Read) -> Metric {
    Metric::new(MetricType::Counter, name, help, read)
}

const fn histogram(name: &'static str, help: &'static str, read: Read) -> Metric {
    Metric::new(MetricType::Histogram, name, help, read).in_seconds()
}

fn now(value: impl Into<u64>) -> Vec<Sample> {
    vec![(Vec::new(), Value::Gauge(value.into()))]
}

fn so_far(value: u64) -> Vec<Sample> {
    vec![(Vec::new(), Value::Counter(value))]
}

fn seconds(ms: u64) -> Vec<Sample> {
    vec![(Vec::new(), Value::Seconds(ms as f64 / 1_000.0))]
}

fn durations(of: &Duration) -> Vec<Sample> {
    vec![(Vec::new(), Value::Histogram(histogram_of(of)))]
}

fn by<T>(name: &'static str, wrap: fn(T) -> Value, values: Vec<(&'static str, T)>) -> Vec<Sample> {
    let labelled = |(label, value): (&str, T)| (vec![(name, label.to_owned())], wrap(value));
    values.into_iter().map(labelled).collect()
}

/// Reads the counts of a lane. A label tells several counts of one lane apart.
type OfLane = fn(&LaneReport) -> Vec<(Option<Label>, u64)>;

/// Reads a gauge of each lane.
fn by_lane(report: &Report, values: OfLane) -> Vec<Sample> {
    let samples = report.lanes.iter().flat_map(|lane| {
        let values = values(lane).into_iter();
        values.map(|(more, value)| {
            let labels = [("lane", lane.name.clone())].into_iter().chain(more);
            (labels.collect(), Value::Gauge(value))
        })
    });
    samples.collect()
}

const METRICS: &[Metric] = &[
    gauge("permits", "How many may be inside at once", |r| now(r.permits)),
    gauge("waiting", "Tickets in the line, by state", |r| {
        let called = u64::from(r.called);
        let states = vec![("present", r.present), ("away", r.away), ("called", called)];
        by("state", Value::Gauge, states)
    }),
    gauge("hall", "Entries of the hall, which wait for the opening", |r| now(r.in_hall)),
    gauge("lane_waiting", "Tickets in a lane's line, by state", |r| {
        by_lane(r, |lane| {
            let states = [("present", lane.present), ("away", lane.away), ("called", lane.called)];
            states.map(|(state, count)| (Some(("state", state.to_owned())), count)).to_vec()
        })
    }),
    gauge("lane_hall", "Entries of a lane's hall, which wait for its opening", |r| {
        by_lane(r, |lane| vec![(None, lane.in_hall)])
    }),
    gauge("lane_open", "Whether mode and hours let call who waits in a lane", |r| {
        by_lane(r, |lane| {
            let is_open = lane.mode.calls() && lane.opens_at_ms.is_none();
            vec![(None, is_open.into())]
        })
    }),
    gauge("lane_share", "Calls that a lane gets in its turn, where lanes have shares", |r| {
        by_lane(r, |lane| vec![(None, lane.share.into())])
    }),
    gauge("lane_called_lately", "Calls of a lane in the last minute", |r| {
        by_lane(r, |lane| vec![(None, lane.called_lately)])
    }),
    gauge("inside", "Permits in use", |r| now(r.inside)),
    gauge("free_permits", "Permits that nobody has, by place", |r| {
        let places = vec![("hand", r.hand.into()), ("tray", r.tray.into())];
        by("place", Value::Gauge, places)
    }),
    gauge("debt_permits", "Permits that vanish as they come back", |r| now(r.debt)),
    gauge("calling", "Whether mode and hours let call who waits", |r| {
        now(r.mode.calls() && r.opens_at_ms.is_none())
    }),
    gauge("lobbies", "Lobbies that ever spoke", |r| now(r.lobbies)),
    gauge(
        "unreached_lobbies",
        "Lobbies whose last push failed; they are tried again until one arrives",
        |r| now(r.unreached),
    ),
    gauge("untold_lobbies", "Lobbies that have not acknowledged what they must hear", |r| {
        now(r.untold)
    }),
    gauge(
        "call_depth",
        "Calls in the deepest chain between front, lobbies and room since the room came into memory; the platform allows 16",
        |r| now(r.call_depth),
    ),
    gauge(
        "schedule_steps",
        "Steps of the schedule in force, by how they stand; refused: the room could not carry one out",
        |r| {
            let count = |state| {
                let standing = r.schedule.iter().filter(|step| step.state == state);
                (state, standing.count() as u64)
            };
            by("state", Value::Gauge, ["due", "done", "refused", "passed"].map(count).to_vec())
        },
    ),
    counter("join_attempts", "Join attempts, repeats included", |r| so_far(r.totals.attempts)),
    counter("tickets_issued", "Tickets issued, by how", |r| {
        let how = vec![("line", r.totals.joined), ("walk_in", r.totals.walked_in)];
        by("how", Value::Counter, how)
    }),
    counter("calls", "Calls, by whom", |r| {
        let whom = vec![("usher", r.totals.called), ("baton", r.totals.handed)];
        by("by", Value::Counter, whom)
    }),
    counter("claims", "Calls that were answered", |r| so_far(r.totals.claimed)),
    counter("missed_calls", "Calls that nobody answered in time", |r| so_far(r.totals.missed)),
    counter(
        "leases_ended",
        "Leases that ended, by how; unproven: a walk-in that never showed its cookie",
        |r| {
            let expired = r.totals.expired.saturating_sub(r.totals.unproven);
            let how = vec![("released", r.totals.released), ("expired", expired), ("unproven", r.totals.unproven)];
            by("how", Value::Counter, how)
        },
    ),
    counter("places_lost", "Places in line that ended, by how", |r| {
        let how = vec![("left", r.totals.left), ("away", r.totals.grace_ended)];
        by("how", Value::Counter, how)
    }),
    histogram("wait", "From the number to the first call", |r| durations(&r.durations.wait)),
    histogram("claim_delay", "From the call to the claim", |r| durations(&r.durations.claim)),
    histogram(
        "hold",
        "From coming in to the lease's end, by how it ended; unproven walk-ins left out",
        |r| {
            let how = vec![
                ("released", histogram_of(&r.durations.released)),
                ("expired", histogram_of(&r.durations.expired)),
            ];
            by("how", Value::Histogram, how)
        },
    ),
    histogram(
        "handover",
        "For how long a permit that was claimed had been dead since its last holder",
        |r| durations(&r.durations.handover),
    ),
    counter(
        "dead_permit",
        "Permit-seconds in which a permit was called for and not yet taken, or free while somebody present waited",
        |r| seconds(r.dead_permit_ms),
    )
    .in_seconds(),
    counter("used_permit", "Permit-seconds in which a permit was in use", |r| {
        seconds(r.used_permit_ms)
    })
    .in_seconds(),
    counter(
        "origin_errors",
        "Errors of the origin's own that people inside were answered, while `origin_errors_max_percent` is set",
        |r| so_far(r.totals.origin_errors),
    ),
    gauge("origin_health", "How the origin is taken to be doing: 1 for the state it is in", |r| {
        let is = |state: Condition| u64::from(r.origin == state);
        let states = vec![
            ("well", is(Condition::Well)),
            ("failing", is(Condition::Failing)),
            ("recovering", is(Condition::Recovering)),
        ];
        by("state", Value::Gauge, states)
    }),
    histogram(
        "origin_answer",
        "How long the origin took to answer people inside, without errors, from the request sent to the headers received",
        |r| vec![(Vec::new(), Value::Histogram(histogram_of_answers(&r.answers)))],
    ),
    counter(
        "proofs_checked",
        "Proofs that the shop's check judged, by verdict: ok, or why it refuses, or would if it did not only report",
        |r| {
            let verdicts = ProofChecks::VERDICTS.into_iter();
            let counts = verdicts.zip(r.totals.proofs.counts()).collect();
            by("verdict", Value::Counter, counts)
        },
    ),
    counter("entry_refused", "Visits without an entry token that counts, by reason", |r| {
        let reasons = EntryRefusal::ALL.iter().map(|why| why.name());
        let counts = reasons.zip(r.totals.entry.counts()).collect();
        by("reason", Value::Counter, counts)
    }),
    counter(
        "commands_ignored",
        "Baton-Release and Baton-Extend that Baton ignored although the request shows a pass; the log says where (release_ignored)",
        |r| so_far(r.totals.unheeded),
    ),
    counter(
        "fail_open_requests",
        "Requests let in without a lease while the room could not be reached; told when it is back",
        |r| so_far(r.opened),
    ),
    counter("rolled_back", "Proofs that the room's data is older than what people were told", |r| {
        so_far(r.rolled_back)
    }),
    counter("journal_rows", "Rows in the journal", |r| so_far(r.version)),
];

/// A metric with the values of all rooms, as the text has it.
#[derive(Debug)]
struct Written {
    kind: MetricType,
    samples: Vec<Sample>,
}

impl EncodeMetric for Written {
    fn encode(&self, mut encoder: MetricEncoder) -> Result<(), fmt::Error> {
        for (labels, value) in &self.samples {
            let mut encoder = encoder.encode_family(labels)?;
            match value {
                Value::Gauge(value) => encoder.encode_gauge(value)?,
                Value::Counter(value) => {
                    encoder.encode_counter::<NoLabelSet, _, u64>(value, None)?;
                }
                Value::Seconds(value) => {
                    encoder.encode_counter::<NoLabelSet, _, u64>(value, None)?;
                }
                Value::Histogram(histogram) => {
                    let sum_s = histogram.sum_ms as f64 / 1_000.0;
                    let (count, buckets) = (histogram.count, &histogram.buckets);
                    encoder.encode_histogram::<NoLabelSet>(sum_s, count, buckets, None)?;
                }
            }
        }
        Ok(())
    }

    fn metric_type(&self) -> MetricType {
        self.kind
    }
}

/// The buckets, as powers of two: their ends in 64ths of a second, each twice the one before, from 1/64 s to 18 hours.
const OCTAVES: core::ops::RangeInclusive<u32> = 0..=22;

fn histogram_of(duration: &Duration) -> Histogram {
    let bucket = |octave| {
        let end = 1_u64 << octave;
        let kept = duration.octaves.iter().find(|(units, _)| *units == end);
        (end as f64 / 64.0, kept.map_or(0, |(_, count)| *count))
    };
    Histogram::new(duration.count, duration.sum_ms, OCTAVES.map(bucket))
}

fn histogram_of_answers(answers: &Answers) -> Histogram {
    let octaves = answers.octaves.iter();
    let buckets = octaves.map(|(end_ms, count)| (*end_ms as f64 / 1_000.0, *count));
    Histogram::new(answers.count, answers.sum_ms, buckets)
}

/// Writes the text. A room that could not be reached has no report, and `baton_up` says so. O(rooms).
#[must_use]
pub fn text(rooms: &[(&str, Option<&Report>)]) -> String {
    let mut registry = Registry::with_prefix("baton");
    let up = Written {
        kind: MetricType::Gauge,
        samples: rooms
            .iter()
            .map(|(room, report)| (labels(room, Vec::new()), Value::Gauge(report.is_some().into())))
            .collect(),
    };
    registry.register("up", "Whether the room answered", up);
    for metric in METRICS {
        let reports = rooms.iter().filter_map(|(room, report)| Some((*room, (*report)?)));
        let samples = reports.flat_map(|(room, report)| {
            let samples = (metric.read)(report).into_iter();
            samples.map(move |(label, value)| (labels(room, label), value))
        });
        let written = Written {
            kind: metric.kind,
            samples: samples.collect(),
        };
        if metric.seconds {
            registry.register_with_unit(metric.name, metric.help, Unit::Seconds, written);
        } else {
            registry.register(metric.name, metric.help, written);
        }
    }
    let mut text = String::new();
    // Writing into a string never fails.
    let _ = encode(&mut text, &registry);
    text
}

fn labels(room: &str, more: Vec<Label>) -> Vec<Label> {
    let mut labels = vec![("room", room.to_owned())];
    labels.extend(more);
    labels
}
