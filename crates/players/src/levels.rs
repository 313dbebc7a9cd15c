//! Levels of strength: the players of a game from weakest to strongest; each level has a number and a name.

use crate::PlayerContext;
use outplay_core::{InputError, nearest};
use serde::{Serialize, Serializer};

/// All levels, weakest first, with their players; `alphabeta` takes the default evaluation of the game. A game offers
/// the levels whose players it supports.
const LEVELS: [(&str, &str); 10] = [
    ("Random", "random"),
    ("Careless", "noisy:p=0.3,inner=greedy"),
    ("Beginner", "greedy"),
    ("Novice", HELPFUL),
    ("Casual", "alphabeta:depth=2"),
    ("Club", "alphabeta:depth=4"),
    ("Strong", "alphabeta:depth=6"),
    ("Expert", "alphabeta:depth=8"),
    ("Master", "alphabeta:time=1s"),
    ("Perfect", "perfect"),
];

/// A level only of games for which the pattern engine is the default.
const HELPFUL: &str = "helpful";

/// A level of strength of a game: its number, its name and its player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StrengthLevel {
    /// Its number, from 1.
    pub number: usize,
    /// Its name, one word.
    pub name: &'static str,
    /// The canonical spec of its player.
    pub player: String,
}

/// The levels of a game, weakest first. In JSON these are two fields: `levels`, the specs, and `named_levels`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Levels(Vec<StrengthLevel>);

impl Levels {
    /// Numbers the levels in order.
    fn new(players: impl Iterator<Item = (&'static str, String)>) -> Levels {
        let number = |(place, (name, player))| StrengthLevel { number: place + 1, name, player };
        Levels(players.enumerate().map(number).collect())
    }

    /// A few levels that most games have, for lists that are not about one game.
    pub fn generic() -> Levels {
        let some = LEVELS.into_iter().filter(|(name, _)| !["Novice", "Strong", "Master"].contains(name));
        Levels::new(some.map(|(name, player)| (name, player.to_string())))
    }

    /// The levels that a game supports.
    pub(crate) fn of(kit: &PlayerContext) -> Levels {
        let fits = LEVELS.into_iter().filter(|(_, player)| *player != HELPFUL || kit.suits_patterns());
        Levels::new(fits.filter_map(|(name, spec)| {
            let spec = match spec.strip_prefix("alphabeta:") {
                Some(limit) => kit.looking(limit),
                None => spec.to_string(),
            };
            Some((name, kit.player(&spec).ok()?.spec()))
        }))
    }

    /// The levels without those whose player fails a test, numbered anew.
    #[must_use]
    pub fn retain(self, keep: impl Fn(&StrengthLevel) -> bool) -> Levels {
        let kept = self.0.into_iter().filter(keep);
        Levels::new(kept.map(|level| (level.name, level.player)))
    }

    /// The levels, weakest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &StrengthLevel> {
        self.0.iter()
    }

    /// The strongest level; every game has at least `random`.
    pub fn strongest(&self) -> &StrengthLevel {
        self.0.last().unwrap_or_else(|| unreachable!("`random` plays every game"))
    }

    /// The level with a number or a name, in capital or small letters.
    ///
    /// # Errors
    ///
    /// There is none; the error lists the levels.
    pub fn find(&self, word: &str) -> Result<&StrengthLevel, InputError> {
        let (word, number) = (word.trim(), word.trim().parse::<usize>().ok());
        let found =
            |level: &&StrengthLevel| number == Some(level.number) || level.name.eq_ignore_ascii_case(word);
        self.iter().find(found).ok_or_else(|| {
            let listed: Vec<String> =
                self.iter().map(|level| format!("{} {}", level.number, level.name)).collect();
            let small = word.to_lowercase();
            let names: Vec<String> = self.iter().map(|level| level.name.to_lowercase()).collect();
            let near = nearest(&small, names.iter().map(String::as_str));
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let why = format!("this game has no such level; {near}its levels are {}", listed.join(", "));
            InputError::spec(word, why)
        })
    }
}

impl Serialize for Levels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            levels: Vec<&'a str>,
            named_levels: &'a [StrengthLevel],
        }
        let levels = self.iter().map(|level| level.player.as_str()).collect();
        Fields { levels, named_levels: &self.0 }.serialize(serializer)
    }
}
