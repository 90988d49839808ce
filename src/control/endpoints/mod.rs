//! What an operator may ask, one row for each endpoint (`rows.rs`): method, path, role, body, answer, and which object answers. Routes, roles, the API's
//! document, the list in docs/api.md and the desk's calls are made of it, so an endpoint is a row and the function that answers.

mod rows;

pub use rows::{ENDPOINTS, WORDS};

use gate::{ComesFrom, GET, READ};
use token::Role;

/// One endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endpoint {
    /// Its name: the document's `operationId`, and the desk's function.
    pub name: &'static str,
    /// The methods; the first is the one that is documented.
    pub methods: &'static [&'static str],
    /// Its path below `/__baton/`. A segment such as `{room}` stands for a value.
    pub path: &'static str,
    /// Whether a request may come from anywhere; see [`ComesFrom`].
    pub from: ComesFrom,
    /// The role that it needs, and where. `None`: nobody need be known yet.
    pub needs: Option<(Role, Where)>,
    /// What the query may have.
    pub query: &'static [Query],
    /// Whether `If-Match` counts.
    pub seen: Seen,
    /// The body.
    pub takes: Takes,
    /// The answer.
    pub gives: Gives,
    /// Who answers.
    pub by: By,
    /// The statuses of further errors, beside those that follow from the row.
    pub errors: &'static [u16],
}

pub(super) const PATCH: &[&str] = &["PATCH"];
pub(super) const PUT: &[&str] = &["PUT"];
pub(super) const DELETE: &[&str] = &["DELETE"];

/// Where an endpoint needs its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In the room of its path.
    Room,
    /// In the operator's own rooms, of which alone the answer tells.
    Own,
    /// In the whole deployment, without a list of rooms.
    All,
}

impl Where {
    /// Returns its name in the document.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Room => "room",
            Self::Own => "own",
            Self::All => "all",
        }
    }
}

/// A value that a query may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// Its name in the query.
    pub name: &'static str,
    /// How it is read.
    pub form: Form,
    /// Its name among the document's parameters.
    pub parameter: &'static str,
}

/// How a value of a query is read. One that cannot be read is a 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A number of at most 2^53 − 1; 0 if it is left out.
    Number,
    /// A number of at most 2^53 − 1, which may be left out.
    SomeNumber,
    /// A number of 32 bits; 0 if it is left out.
    Narrow,
    /// Where a ticket's story goes on: a [`Mark`](room::tale::Mark).
    Mark,
    /// A room, or the house.
    Journal,
    /// Any text.
    Text,
}

/// Whether `If-Match` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It does not.
    No,
    /// If it is sent, nobody may have changed anything since.
    May,
    /// It must be sent, for this must never be done to a state that nobody has looked at.
    Must,
}

/// The body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// None.
    Nothing,
    /// A JSON object.
    Json {
        /// The name of its schema.
        schema: &'static str,
        /// The most bytes.
        bytes_max: usize,
        /// Whether it may be left out.
        may_lack: bool,
        /// What to send, said to whoever sends anything else.
        cure: &'static str,
    },
    /// The bytes of a picture.
    Picture,
}

/// The answer to a request that went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// 204.
    Nothing,
    /// 200 and JSON of this schema.
    Json(&'static str),
    /// As `Json`; the answer's `revision` is the `ETag` too.
    Tagged(&'static str),
    /// 201 and JSON of this schema.
    Made(&'static str),
    /// 200 and JSON lines: a head of this schema, then rows.
    Lines,
    /// 200 and a page.
    Page,
    /// 303 to another address.
    Elsewhere,
    /// 200 and metrics, in the form that `Accept` asks for.
    Metrics,
}

impl Gives {
    /// Returns the status.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::Nothing => 204,
            Self::Made(_) => 201,
            Self::Elsewhere => 303,
            _ => 200,
        }
    }
}

/// Who answers. Where an object does, its answer is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The room's object, asked by this path.
    Room(&'static str),
    /// The object of the room's rehearsal.
    Stage(&'static str),
    /// The house.
    House(&'static str),
    /// The outbox.
    Outbox(&'static str),
    /// The front, which gathers from several or knows what no object does.
    Front(Made),
}

/// What the front makes itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// The desk's page.
    Desk,
    /// Which ways to sign in there are.
    Ways,
    /// The desk's cookie, for a token.
    SignIn,
    /// No more session.
    SignOut,
    /// The way to the identity provider.
    ToProvider,
    /// The way back from there.
    FromProvider,
    /// The API's document.
    Document,
    /// Every room, gathered from the rooms and the house.
    Rooms,
    /// Every room in numbers, gathered likewise.
    Metrics,
    /// Who did what, gathered from the journals.
    Actions,
    /// What front, lobby and room measure of the way between them.
    Probe,
    /// A rehearsal, for which the room is asked and its rehearsal's object begun.
    BeginRehearsal,
    /// The end of one.
    EndRehearsal,
    /// The end of an account's place: only the front reads the account's name.
    LeaveFor,
    /// A sheet, whose codes only the front reads.
    MakeSheet,
    /// Signed invitations.
    Invitations,
    /// A signed link for one of the staff.
    StaffLink,
    /// A picture to be kept: its bytes are no JSON.
    PutImage,
}

impl Endpoint {
    const fn new(methods: &'static [&'static str], path: &'static str) -> Self {
        Self {
            name: "",
            methods,
            path,
            from: ComesFrom::Ours,
            needs: None,
            query: &[],
            seen: Seen::No,
            takes: Takes::Nothing,
            gives: Gives::Nothing,
            by: By::Front(Made::Desk),
            errors: &[],
        }
    }

    const fn get(path: &'static str) -> Self {
        Self::new(GET, path)
    }

    /// What links, redirects and scrapers ask for, with HEAD too.
    const fn read(path: &'static str) -> Self {
        Self::new(READ, path).anywhere()
    }

    const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    const fn anywhere(self) -> Self {
        let from = ComesFrom::Anywhere;
        Self { from, ..self }
    }

    const fn needs(self, role: Role, within: Where) -> Self {
        let needs = Some((role, within));
        Self { needs, ..self }
    }

    const fn query(self, query: &'static [Query]) -> Self {
        Self { query, ..self }
    }

    const fn seen(self, seen: Seen) -> Self {
        Self { seen, ..self }
    }

    const fn takes(self, schema: &'static str, bytes_max: usize, cure: &'static str) -> Self {
        let takes = Takes::Json {
            schema,
            bytes_max,
            may_lack: false,
            cure,
        };
        Self { takes, ..self }
    }

    const fn may_take(self, schema: &'static str, bytes_max: usize, cure: &'static str) -> Self {
        let takes = Takes::Json {
            schema,
            bytes_max,
            may_lack: true,
            cure,
        };
        Self { takes, ..self }
    }

    const fn takes_picture(self) -> Self {
        let takes = Takes::Picture;
        Self { takes, ..self }
    }

    const fn by(self, by: By, gives: Gives) -> Self {
        Self { by, gives, ..self }
    }

    const fn or(self, errors: &'static [u16]) -> Self {
        Self { errors, ..self }
    }

    /// The method that is documented.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.methods.first().copied().unwrap_or_default()
    }

    /// Returns the names of the values in its path, in order.
    pub fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(part_name)
    }

    /// Returns the values in a path below `/__baton/` with their names, or `None` if the path is another's.
    pub(super) fn values_in<'p>(&self, path: &'p str) -> Option<Vec<(&'static str, &'p str)>> {
        let mut values = Vec::new();
        let (mut own, mut asked) = (self.path.split('/'), path.split('/'));
        loop {
            match (own.next(), asked.next()) {
                (None, None) => return Some(values),
                (Some(own), Some(asked)) => match part_name(own) {
                    Some(name) => values.push((name, asked)),
                    None if own == asked => {}
                    None => return None,
                },
                _ => return None,
            }
        }
    }

    /// Returns the statuses of its errors, in order: those that follow from the row, and the others that it names.
    #[must_use]
    pub fn error_statuses(&self) -> Vec<u16> {
        let mut statuses = vec![404];
        if self.needs.is_some() {
            statuses.extend([401, 403, 429, 503]);
        }
        let reads = !self.query.is_empty() || self.parts().any(|part| NUMBERS.contains(&part));
        match self.takes {
            Takes::Nothing if !reads => {}
            Takes::Nothing => statuses.push(400),
            Takes::Json { .. } | Takes::Picture => statuses.extend([400, 413]),
        }
        match self.seen {
            Seen::No => {}
            Seen::May => statuses.push(412),
            Seen::Must => statuses.extend([412, 428]),
        }
        statuses.extend(self.errors);
        statuses.sort_unstable();
        statuses.dedup();
        statuses
    }
}

/// The parts of a path that are numbers.
pub(super) const NUMBERS: [&str; 3] = ["number", "fence", "sheet"];

fn part_name(segment: &'static str) -> Option<&'static str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}
