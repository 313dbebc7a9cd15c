//! Who knows the value of this position? One list of sources, asked in order, under every command.
//!
//! ```text
//!  rules     the game is over, or can be won at once                        nothing
//!  table     values on disk                                                 microseconds
//!  solved    a whole game that an earlier question left in memory           microseconds
//!  book      openings that come along, or that a user built                 microseconds
//!  planes    bit-planes of a board that take a blink                        milliseconds
//!  kept      what was found before and written down                         microseconds
//!  theory    nim-sums, pairs, boards on which nobody can make a line        microseconds
//!  connect   exact search where stones fall                                 as long as it takes
//!  planes    bit-planes of a board that take longer                         known beforehand
//!  proof     win, draw or loss of any other board                           as long as it takes
//!  means     mean payoffs of a game with dice                               as long as it takes
//!  memo      any other game, every position remembered                      as long as it takes
//!  loops     retrograde analysis of a game that goes round in circles       known beforehand
//!  engine    alpha-beta that asks whoever knows                             as long as it takes
//! ```
//!
//! Invariant: what a rung says is true. A rung that cannot tell within the budget says nothing, or bounds; what kept
//! it from answering is told in a sentence.

use crate::answers::Source;
use crate::entry::Entry;
use crate::request::QueryOptions;
use crate::{Trouble, sources};
use outplay_core::{AnyMove, AnyPosition, Deadline, Game, Payoff, Value, Watch};
use std::time::Duration;

/// What a position is worth to the player to move, as far as somebody knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Worth {
    /// Exactly this; without a distance if nobody found one.
    Exact(Value),
    /// What the *first* player gets in the mean: games with dice.
    Mean(f64),
    /// Something within these bounds.
    Between(Payoff, Payoff),
}

impl Worth {
    /// What a search by the generic engine found, in a game that pays `most` at most.
    pub(crate) fn found(answer: outplay_search::Answer, most: Payoff) -> Worth {
        use outplay_search::Answer;
        match answer {
            Answer::Exact(value) => Worth::Exact(value),
            Answer::Payoff(payoff) => Worth::Exact(Value::untimed(payoff)),
            Answer::Unknown { low, high, .. } => between(low.payoff().max(-most), high.payoff().min(most)),
        }
    }

    /// Whether nothing is left to find out.
    pub(crate) fn is_settled(self) -> bool {
        !matches!(self, Worth::Between(..))
    }

    /// The lowest and the highest payoff that are possible; means bound nothing.
    pub(crate) fn bounds(self, most: Payoff) -> (Payoff, Payoff) {
        match self {
            Worth::Exact(value) => (value.payoff(), value.payoff()),
            Worth::Mean(_) => (-most, most),
            Worth::Between(low, high) => (low, high),
        }
    }

    /// What both say together.
    pub(crate) fn and(self, other: Worth) -> Worth {
        match (self, other) {
            (Worth::Between(a, b), Worth::Between(c, d)) => between(a.max(c), b.min(d)),
            (Worth::Between(..), settled) => settled,
            (settled, _) => settled,
        }
    }

    /// The worth of a move that leads here, for the player who makes it.
    pub(crate) fn before(self, same_player: bool) -> Worth {
        match self {
            Worth::Exact(value) => Worth::Exact(value.before(same_player)),
            Worth::Between(low, high) if !same_player => Worth::Between(-high, -low),
            other => other,
        }
    }
}

/// Bounds that meet are a value.
pub(crate) fn between(low: Payoff, high: Payoff) -> Worth {
    if low == high { Worth::Exact(Value::untimed(low)) } else { Worth::Between(low, high) }
}

/// What is known of a position.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) worth: Worth,
    /// Moves that are certainly best; none if nobody said.
    pub(crate) best: Vec<AnyMove>,
    /// Who said so.
    pub(crate) source: Source,
    /// Positions looked at.
    pub(crate) nodes: u64,
    /// Positions of a search that a table answered, if it could ask one.
    pub(crate) probe_hits: Option<u64>,
}

impl Known {
    /// An exact value, or a mean, and nothing else.
    pub(crate) fn new(worth: Worth, source: Source) -> Known {
        Known { worth, best: Vec::new(), source, nodes: 0, probe_hits: None }
    }
}

/// What asking a source costs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cost {
    /// Next to nothing.
    Free,
    /// So much time, known beforehand.
    About(Duration),
    /// Nobody knows how long; whether an answer can be expected within a minute.
    Open { likely: bool },
    /// It cannot answer.
    Never,
    /// It could answer if it were allowed to use more; the sentence says what of.
    Beyond(String),
}

/// A question to a source.
pub(crate) struct Ask<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) pos: &'a AnyPosition,
    /// Whether win, draw or loss is enough.
    pub(crate) verdict: bool,
    pub(crate) options: &'a QueryOptions,
    /// Time and the wish to stop; it stops when either has come.
    pub(crate) clock: &'a Deadline<'a>,
}

impl Ask<'_> {
    /// Whether there is time for work that takes so long.
    pub(crate) fn has_time_for(&self, time: Duration) -> bool {
        self.clock.rest().is_none_or(|rest| time <= rest)
    }

    /// What work that was cut short by the clock is worth: nothing, unless somebody wished to stop.
    pub(crate) fn unless_late<T>(&self, result: Result<T, Trouble>) -> Result<Option<T>, Trouble> {
        match result {
            Ok(found) => Ok(Some(found)),
            Err(trouble) if trouble.is_stop() && self.clock.passed() => Ok(None),
            Err(trouble) => Err(trouble),
        }
    }
}

/// One way to know a value, and what asking costs.
pub(crate) trait Rung: Sync {
    /// What asking would cost.
    fn cost(&self, ask: &Ask<'_>) -> Cost;

    /// What the source knows; `None` if it cannot tell after all.
    ///
    /// # Errors
    ///
    /// A damaged source, or a wish to stop. Time that is up is no error.
    fn value(&self, ask: &Ask<'_>) -> Result<Option<Known>, Trouble>;
}

/// How far up the ladder a question may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Only what is free or takes a blink.
    AtOnce,
    /// All of it.
    Far,
}

/// What nobody waits for.
const BLINK: Duration = Duration::from_millis(15);

/// A question's way up the ladder, for one game and one budget.
pub(crate) struct Ladder<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) options: &'a QueryOptions,
    pub(crate) clock: &'a Deadline<'a>,
    pub(crate) reach: Reach,
}

impl Ladder<'_> {
    /// Asks one source after the other until one knows; `verdict` says that win, draw or loss is enough, and `say`
    /// hears what a limit prevented.
    pub(crate) fn ask(
        &self,
        pos: &AnyPosition,
        verdict: bool,
        say: &mut dyn FnMut(String),
    ) -> Result<Known, Trouble> {
        let most = self.entry.game().best_payoff();
        let mut known = Known::new(Worth::Between(-most, most), Source::Search);
        let ask = Ask { entry: self.entry, pos, verdict, options: self.options, clock: self.clock };
        for rung in sources::LADDER {
            let wanted = match rung.cost(&ask) {
                Cost::Free => true,
                Cost::About(time) => self.reach == Reach::Far || time <= BLINK,
                Cost::Open { .. } => self.reach == Reach::Far && !self.clock.stopped(),
                Cost::Never => false,
                Cost::Beyond(why) => {
                    if self.reach == Reach::Far {
                        say(why);
                    }
                    false
                }
            };
            if !wanted {
                continue;
            }
            if let Some(found) = rung.value(&ask)? {
                known = Known {
                    worth: known.worth.and(found.worth),
                    best: if found.best.is_empty() { known.best } else { found.best },
                    source: found.source,
                    nodes: known.nodes + found.nodes,
                    probe_hits: found.probe_hits.or(known.probe_hits),
                };
            }
            if known.worth.is_settled() {
                break;
            }
        }
        Ok(known)
    }

    /// Whether an exact answer can be expected: one that is free, that fits in the budget, or that a search mostly
    /// finds.
    pub(crate) fn is_likely(&self, pos: &AnyPosition) -> bool {
        let ask = Ask { entry: self.entry, pos, verdict: false, options: self.options, clock: self.clock };
        sources::LADDER.iter().any(|rung| match rung.cost(&ask) {
            // What is free may still know nothing: only asking tells, and costs nothing.
            Cost::Free => matches!(rung.value(&ask), Ok(Some(known)) if known.worth.is_settled()),
            Cost::About(_) => true,
            Cost::Open { likely } => likely,
            Cost::Never | Cost::Beyond(_) => false,
        })
    }
}
