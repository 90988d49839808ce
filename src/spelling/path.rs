//! Path matching that no spelling can evade. It matches the exact path that Baton sends on ([`gate::as_sent`]).
//!
//! An origin may decode once or twice, read `%2f` or `%5c` as a separator, cut at `;`, NUL or an encoded `?`, resolve `..` after decoding,
//! or drop what it cannot read. Baton cannot know which. So it asks each pattern twice:
//!
//! - **Does it match for sure?** ([`Pattern::surely_matches`]) Segments are decoded once and compared without regard to case.
//! - **Might it match?** ([`Pattern::may_match`]) In some reading of some origin. This errs on the side of yes.
//!
//! Every origin's reading lies between the two. If both answers name the same room, the request is that room's. If they differ, two origins
//! could read the request as two rooms', or as a room's and nobody's: [`gate::Gate::room_of`] says so, and the request gets a 400.
//! Case, empty segments, a slash at the end and an escape of an ordinary character make no difference to a pattern, and no doubt. Parameters behind whole
//! segments (`/buy;jsessionid=1`) are the room's whose path it is without them, if no other room's in any reading.
//!
//! A pattern is a path, with or without a method in front. `/buy` is that path; `/buy/*` is it and everything below (`/buy/**` says
//! the same); `/buy*` is whatever begins so; `/events/*/checkout` has any one segment in the middle. If two patterns match, the
//! more particular one counts ([`Particular`]).
//!
//! [`Pattern::may_match`] reads a path in these steps:
//!
//! 1. The path ends at the first literal `?` or `#`.
//! 2. Percent escapes (`%uXXXX` too) are decoded until nothing changes, at most [`DECODE_ROUNDS_MAX`](super::DECODE_ROUNDS_MAX) times.
//!    More rounds than that, or a malformed escape as sent, make it [`PathReading::is_malformed`].
//! 3. Bytes are read as UTF-8, overlong forms as the characters they hide. Full-width forms count as ASCII, and upper case as lower, by way of upper
//!    case. A letter and its mark may be one character, and a byte that is no UTF-8 may be a character of another set ([`PathToken::may_be`]).
//! 4. `/`, `\` and their look-alikes separate tokens; so do `;` and a decoded `?` or `#`. Control characters, invalid bytes, invisible
//!    characters and a left-over `%` are tried both as separators and as absent.
//! 5. A token loses the spaces around it, its trailing dots, and what follows `::`; it may also be a beginning that ends so. Empty and `.` tokens vanish.
//! 6. In a path without `..` and `;`, the pattern's tokens must stand at the beginning. In any other path it is enough that they
//!    occur *in this order* anywhere: whatever `..` takes away, a subsequence is left. In a path that begins with several slashes they may
//!    also stand behind the first token, which some origins take for a host ([`PathReading::behind_host`]).
//! 7. An exact pattern also matches a path that continues after a cut (`;`, a decoded `?` or `#`, a control character): an origin
//!    may stop reading there.
//! 8. In a path that origins read in more than one way, it is enough that what follows a `*` in the pattern occurs in order: what
//!    one origin takes for one segment is several segments to another, or none.
//!
//! A malformed escape in a path that no pattern may match is judged once more, by the worst decoder there is ([`Garbled`]).
//!
//! What an origin calls its resources is not covered, because it is no matter of spelling: `/buy.html` for `/buy` (write `/buy*`), 8.3
//! names. docs/stacks/other-names.md says what shops call theirs.
//!
//! All of it is O(length) for each decoding round, and allocates a few copies of the path.

use std::fmt;

use super::garbled::Garbled;
use super::letters::Text;
use super::method::{Method, PatternMethod};
use super::reading::{PathReading, PathToken, Piece, Tidy, classify, decode_once, tidy};
use super::written::{encode, upper_escapes};

/// The first segment of all paths of Baton's own calls.
const OWN: &str = "__baton";

/// What follows the segments of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// `/buy`
    Exact,
    /// `/buy/*`: the path and everything below it.
    Below,
    /// `/buy*`
    Begins,
}

/// One segment of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// `*`: any one segment.
    Any,
    /// This text. In the last segment it may be only the beginning.
    Text(Text),
}

/// How particular a pattern is at one segment; greater is more particular. Patterns are compared segment by segment, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Particular {
    /// Everything below, by a `/*` or `/**` at the end.
    Everything,
    /// The pattern ends here.
    Ends,
    /// `*`
    AnySegment,
    /// A segment that is given by its beginning, and the length of that beginning in bytes.
    Begins(usize),
    /// A segment that is written out in full.
    Literal,
}

/// What a pattern asks of one segment of a path.
#[derive(Debug, Clone, Copy)]
enum Asks<'p> {
    Text(&'p str),
    Beginning(&'p str),
    Anything,
    /// The path has ended before it.
    End,
}

impl Asks<'_> {
    /// Returns whether some segment is what both ask for. `End` is that of no segment.
    fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::End, _) | (_, Self::End) => false,
            (Self::Anything, _) | (_, Self::Anything) => true,
            (Self::Text(own), Self::Text(others)) => own == others,
            (Self::Text(text), Self::Beginning(so)) | (Self::Beginning(so), Self::Text(text)) => text.starts_with(so),
            (Self::Beginning(own), Self::Beginning(others)) => own.starts_with(others) || others.starts_with(own),
        }
    }
}

/// A path pattern of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    method: Option<PatternMethod>,
    steps: Vec<Step>,
    tail: Tail,
    rank: Vec<Particular>,
    /// The path that a request must have to match strictly: percent-encoded, and without what a last `*` stands for.
    literal: String,
    /// The pattern as it stands in the configuration.
    text: String,
}

/// Why a text is not a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternError {
    /// The path does not begin with `/`.
    NoSlash,
    /// What precedes the path is not a method that a pattern can name ([`PatternMethod`]).
    Method,
    /// A `*` is neither a whole segment nor the last character, or a `**` is not the last segment.
    InnerStar,
    /// The path has more than one spelling: empty, `.` or `..` segments, trailing dots, `;`, `?`, `#`, `\`, or
    /// an escape that hides an ASCII character.
    NotPlain,
    /// The query of an exception is no list of parameters.
    Query,
    /// The path is below `/__baton`, where Baton's own calls are.
    Own,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSlash => "does not begin with \"/\", or with a method and \" /\"",
            Self::Method => "names a method that is none of GET, POST, PUT, PATCH and DELETE",
            Self::InnerStar => "has a \"*\" that is neither a whole segment nor its last character, or a \"**\" that is not its last segment",
            Self::NotPlain => "is not a plain path (no empty or dot segments, no \"?\", \"#\", \";\", \"\\\", no escaped ASCII)",
            Self::Own => "is below /__baton/, where Baton's own calls are and no room gates",
            Self::Query => "has a query that is not \"?name=value\" or \"?name=*\" in plain characters",
        })
    }
}

impl Pattern {
    /// Reads a pattern: a plain path with `*` as a segment or as its last character, with or without a method and a space in front.
    ///
    /// # Errors
    /// [`PatternError`] says why the text is not a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let (method, path) = match text.split_once(' ') {
            Some((method, path)) if !text.starts_with('/') && path.starts_with('/') => {
                let method = PatternMethod::parse(method).ok_or(PatternError::Method)?;
                (Some(method), path)
            }
            _ => (None, text),
        };
        if !path.starts_with('/') {
            return Err(PatternError::NoSlash);
        }
        let (literal, tail) = if let Some(above) = path.strip_suffix("/**") {
            (path.get(..above.len() + 1).unwrap_or_default(), Tail::Below)
        } else {
            match path.strip_suffix('*') {
                None => (path, Tail::Exact),
                Some(literal) if literal.ends_with('/') => (literal, Tail::Below),
                Some(literal) => (literal, Tail::Begins),
            }
        };
        let literal = encode(literal);
        if (literal.split('/')).any(|segment| segment.contains('*') && segment != "*") {
            return Err(PatternError::InnerStar);
        }
        // A segment that goes on after its literal part need not be plain at the end of that part: `/v1.*` is fine.
        let whole = if tail == Tail::Begins { format!("{literal}x") } else { literal.clone() };
        if !is_plain(&whole) {
            return Err(PatternError::NotPlain);
        }
        let steps = steps_of(&whole, tail);
        let is_text = |step: &Step| matches!(step, Step::Text(text) if matches!(tidy(&text.folded), Tidy::Token(_)));
        // `/.*` would begin with nothing to some origins.
        if tail == Tail::Begins && !steps.last().is_some_and(is_text) {
            return Err(PatternError::NotPlain);
        }
        if matches!(steps.first(), Some(Step::Text(first)) if first.folded == OWN) {
            return Err(PatternError::Own);
        }
        Ok(Self {
            rank: rank_of(&steps, tail),
            method,
            steps,
            tail,
            literal,
            text: text.to_owned(),
        })
    }

    /// Returns the pattern as it stands in the configuration.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns how particular the pattern is, segment by segment, and whether it names a method. Of two patterns whose segments are equally
    /// particular, one that names a method is more particular.
    #[must_use]
    pub fn rank(&self) -> (&[Particular], bool) {
        (&self.rank, self.method.is_some())
    }

    /// Returns whether the pattern gates requests with this method.
    #[must_use]
    pub fn takes(&self, method: Method) -> bool {
        self.method.is_none_or(|own| own.takes(method))
    }

    /// Returns whether some request belongs to both patterns and neither is more particular.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        let shares_method = match (self.method, other.method) {
            (None, None) => true,
            (Some(own), Some(others)) => own.shares_requests_with(others),
            _ => false,
        };
        shares_method && self.tail == other.tail && self.steps == other.steps
    }

    /// Returns whether some request belongs to both patterns. Methods keep no two patterns apart, because one that Baton does not know belongs to
    /// every pattern. Exact: there is such a path if and only if this says so. O(segments).
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let segments = self.steps.len().max(other.steps.len());
        (0..segments).all(|at| self.asks(at).meets(other.asks(at)))
    }

    fn asks(&self, at: usize) -> Asks<'_> {
        match self.steps.get(at) {
            Some(Step::Any) => Asks::Anything,
            Some(Step::Text(text)) if self.tail == Tail::Begins && at + 1 == self.steps.len() => Asks::Beginning(&text.folded),
            Some(Step::Text(text)) => Asks::Text(&text.folded),
            None if self.tail == Tail::Exact => Asks::End,
            None => Asks::Anything,
        }
    }

    /// Returns the segments that a path of this pattern has in every reading, in the form of [`PathReading::texts`].
    pub fn written_out(&self) -> impl Iterator<Item = &str> {
        let whole = match self.tail {
            Tail::Begins => self.steps.len().saturating_sub(1),
            Tail::Exact | Tail::Below => self.steps.len(),
        };
        self.steps.iter().take(whole).filter_map(|step| match step {
            Step::Any => None,
            Step::Text(text) => Some(text.folded.as_str()),
        })
    }

    /// Returns a text that is equal for all patterns that are [`same_as`](Self::same_as) each other. Patterns with different shapes never are.
    #[must_use]
    pub fn shape(&self) -> String {
        let mut shape = format!("{:?}", self.tail);
        for step in &self.steps {
            shape.push('/');
            shape.push_str(match step {
                Step::Any => "*",
                Step::Text(text) => &text.folded,
            });
        }
        shape
    }

    /// Returns whether the pattern can bound others: it has no method and is everything below a path that is written out.
    #[must_use]
    pub fn bounds_others(&self) -> bool {
        self.method.is_none() && self.tail == Tail::Below && !self.steps.contains(&Step::Any)
    }

    /// Returns whether the pattern gates every request.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.bounds_others() && self.steps.is_empty()
    }

    /// Returns whether every request of `other` lies below this pattern. `false` unless this pattern can [bound](Self::bounds_others) others.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let literal = match other.tail {
            // Nobody knows how a segment ends that is given only by its beginning.
            Tail::Begins => other.steps.len().saturating_sub(1),
            Tail::Exact | Tail::Below => other.steps.len(),
        };
        self.bounds_others() && self.steps.len() <= literal && other.steps.starts_with(&self.steps)
    }

    /// Returns a path of the pattern, for a link. Returns `None` if there is a `*` before the pattern's end, or the pattern gates no GET.
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        let is_one = !self.steps.contains(&Step::Any);
        (is_one && self.takes(Method::Get)).then_some(&self.literal)
    }

    /// Returns whether every origin reads this path as one of the pattern's. Errs on the side of no.
    #[must_use]
    pub fn surely_matches(&self, path: &PathReading) -> bool {
        let last = self.steps.len().saturating_sub(1);
        let mut rest = path.spelt.iter();
        let begins_so = self.steps.iter().enumerate().all(|(at, step)| {
            rest.next().is_some_and(|found| match step {
                Step::Any => found.is_whole,
                Step::Text(text) => {
                    let begins = at == last && self.tail == Tail::Begins;
                    (begins && found.begins_with(&text.folded)) || (found.is_whole && found.text == text.folded)
                }
            })
        });
        begins_so && !path.loses_tokens && (self.tail != Tail::Exact || rest.next().is_none())
    }

    /// Returns whether some origin might read this path as one of the pattern's. Errs on the side of yes.
    #[must_use]
    pub fn may_match(&self, path: &PathReading) -> bool {
        self.surely_matches(path)
            || (!path.has_one_reading()
                && [Some(&path.cut), path.joined.as_ref(), path.vague.as_ref()]
                    .into_iter()
                    .flatten()
                    .any(|tokens| self.matches_tokens(tokens, path)))
            || path.behind_host().iter().any(|path| self.may_match(path))
    }

    /// Returns whether some decoder might make a path of the pattern's out of this one. Errs on the side of yes: it looks for each text by itself,
    /// anywhere.
    #[must_use]
    pub fn may_be_hidden_in(&self, path: &Garbled) -> bool {
        self.steps.iter().all(|step| match step {
            Step::Any => true,
            Step::Text(text) => path.may_spell(&text.folded),
        })
    }

    fn matches_tokens(&self, tokens: &[PathToken], path: &PathReading) -> bool {
        let last = self.steps.len().saturating_sub(1);
        let fits = |at: usize, own: &Text, found: &PathToken| {
            let text = own.folded.as_str();
            let is_beginning = at == last && self.tail == Tail::Begins;
            let is_it = if is_beginning {
                // Some origin may find there the dot with which the beginning ends.
                let is_trimmed = || matches!(tidy(text), Tidy::Token(text) if text == found.text);
                found.text.starts_with(text) || (found.is_trimmed && is_trimmed())
            } else {
                found.text == text
            };
            is_it || found.may_be(own, is_beginning)
        };
        let mut rest = tokens.iter();
        let mut own = self.steps.iter().enumerate();
        if path.loses_tokens || (path.has_semicolon && !self.steps.is_empty()) {
            return own.all(|(at, step)| match step {
                Step::Any => true,
                Step::Text(text) => rest.any(|found| fits(at, text, found)),
            });
        }
        let mut is_behind_star = false;
        let begins_so = own.all(|(at, step)| match step {
            Step::Any => {
                is_behind_star = true;
                true
            }
            Step::Text(text) if is_behind_star => rest.any(|found| fits(at, text, found)),
            Step::Text(text) => rest.next().is_some_and(|found| fits(at, text, found)),
        });
        let may_end = || rest.clone().next().is_none_or(|more| more.after_cut);
        begins_so && (self.tail != Tail::Exact || is_behind_star || may_end())
    }

    /// Returns whether a request, as sent, is the pattern's beyond doubt: its path is plain and in exactly this spelling, case
    /// included, and every origin reads its method as the pattern's. This check is for exceptions, which no odd spelling may gain.
    /// Errs on the side of no. `path` has no query.
    #[must_use]
    pub fn matches_strictly(&self, method: Method, path: &str) -> bool {
        if !self.method.is_none_or(|own| own.is_very(method)) || !is_plain(path) {
            return false;
        }
        let path = upper_escapes(path);
        let mut own = self.literal.split('/').peekable();
        let mut found = path.split('/').peekable();
        while let Some(segment) = own.next() {
            let is_last = own.peek().is_none();
            match (is_last, self.tail, found.next()) {
                // The pattern `/buy/*` matches `/buy` itself and everything below.
                (true, Tail::Below, _) => return true,
                (_, _, None) => return false,
                (true, Tail::Begins, Some(text)) => return text.starts_with(segment),
                (_, _, Some(text)) if segment == "*" && !text.is_empty() => {}
                (_, _, Some(text)) if segment == text => {}
                _ => return false,
            }
        }
        found.next().is_none()
    }
}

/// Returns the segments of an encoded literal, and the beginning of a segment if the literal ends with one. That beginning has one more character in
/// `whole`, so that it keeps a dot or a blank at its end.
fn steps_of(whole: &str, tail: Tail) -> Vec<Step> {
    let written = whole.split('/').filter(|segment| !segment.is_empty());
    let written = written.map(|segment| decode_once(segment.as_bytes()).bytes);
    let mut steps: Vec<Step> = (written.zip(PathReading::new(whole).cut))
        .map(|(written, token)| match token.text.as_str() {
            "*" => Step::Any,
            _ => Step::Text(Text {
                folded: token.text,
                written: String::from_utf8_lossy(&written).to_lowercase(),
            }),
        })
        .collect();
    if let (Tail::Begins, Some(Step::Text(text))) = (tail, steps.last_mut()) {
        text.folded.pop();
        text.written.pop();
    }
    steps
}

fn rank_of(steps: &[Step], tail: Tail) -> Vec<Particular> {
    let last = steps.len().saturating_sub(1);
    let of_step = |(at, step): (usize, &Step)| match step {
        Step::Any => Particular::AnySegment,
        Step::Text(text) if at == last && tail == Tail::Begins => Particular::Begins(text.folded.len()),
        Step::Text(_) => Particular::Literal,
    };
    let end = match tail {
        Tail::Exact => Some(Particular::Ends),
        Tail::Below => Some(Particular::Everything),
        Tail::Begins => None,
    };
    steps.iter().enumerate().map(of_step).chain(end).collect()
}

/// Returns whether a path (without query) has only one reading.
fn is_plain(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else {
        return false;
    };
    let segments = rest.split('/').count();
    rest.split('/').enumerate().all(|(at, segment)| {
        // The last segment may be empty, by a trailing slash.
        (segment.is_empty() && at + 1 == segments) || is_plain_segment(segment)
    })
}

fn is_plain_segment(segment: &str) -> bool {
    let ordinary = |b: u8| b.is_ascii_alphanumeric() || b"-._~!$&'()*+,=:@%".contains(&b);
    let decoded = decode_once(segment.as_bytes());
    let hides_ascii = segment
        .as_bytes()
        .windows(3)
        .any(|window| matches!(window, [b'%', a, b] if *a < b'8' && !(*a == b'2' && *b == b'0')));
    let Ok(text) = String::from_utf8(decoded.bytes) else {
        return false;
    };
    segment.bytes().all(ordinary)
        && !decoded.malformed
        && !hides_ascii
        && matches!(tidy(&text), Tidy::Token(tidied) if tidied == text)
        && text
            .chars()
            .all(|c| matches!(classify(c), Piece::Char(_)) && !('\u{FF01}'..='\u{FF5E}').contains(&c))
}
