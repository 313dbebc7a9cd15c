//! Player factory: constructs the players and evaluations of one game from spec strings such as `alphabeta:depth=7`.

use crate::alphabeta::{self, AlphaBeta};
use crate::helpful::HelpfulnessJudge;
use crate::helpfulness::MOST_K;
use crate::lines;
use crate::mobility::Mobility;
use crate::patterns::{self, PatternJudge, PatternPlayer};
use crate::race;
use crate::techniques::{self, Techniques};
use crate::words::ParsedSpec;
use crate::{
    EngineLauncher, ExactOracle, FeatureSet, Form, Greedy, Helpful, Judge, Levels, Mcts, MctsLimits,
    NativeChance, NoOpinion, Noisy, PROGRAMS, Perfect, PlayError, Player, PlayerKind, Playout, Polynomial,
    ROSTER, Random, SearcherFactory, Swindler, Weights, protocol,
};
use outplay_core::{
    AnyGame, AnyMove, AnyPosition, Chance, Game, InputError, LineBoard, Native, Notation, Turn, nearest,
};
use outplay_games::mnk::Mnk;
use outplay_patterns::{MOST_K as MOST_PATTERN_K, PatternEngine, Weights as PatternWeights};
use outplay_search::SearchLimits;
use outplay_solve::Fallible;
use std::sync::Arc;

/// Maximal nesting of `noisy:inner=…`; deeper specs are refused, since construction is recursive.
const MAX_NESTING: u32 = 4;

/// A game with everything that is needed to construct its players: searchers, exact values, files, engines.
#[derive(Clone)]
pub struct PlayerContext {
    /// The game.
    pub game: AnyGame,
    /// Searches for this game.
    pub minds: Arc<dyn SearcherFactory>,
    /// Exact values, if a table, a book or a solver provides them.
    pub truth: Option<Arc<dyn ExactOracle>>,
    /// Reads a file that a spec names; `None` where specs must not read files.
    pub files: Option<ReadFile>,
    /// Threads that one player may use for a move that only time limits.
    pub threads: usize,
    /// Starts external engines that a spec names; `None` where that is not allowed.
    pub outside: Option<Arc<dyn EngineLauncher>>,
    /// Players supplied by the caller, by name.
    pub guests: Vec<Guest>,
}

/// A player supplied by the caller: its name, which is its whole spec, and its constructor.
#[derive(Clone)]
pub struct Guest {
    /// The name.
    pub name: String,
    /// Constructs an instance that shares no state with other instances playing at the same time.
    pub make: Arc<dyn Fn() -> Box<dyn Player> + Send + Sync>,
}

/// Reads a file as text; the error is a sentence for the user.
pub type ReadFile = fn(&str) -> Result<String, String>;

impl PlayerContext {
    /// A game without exact values, files or external engines.
    pub fn new<G: Game + Notation>(game: Native<G>) -> PlayerContext {
        PlayerContext {
            game: AnyGame::of(game.clone()),
            minds: Arc::new(game),
            truth: None,
            files: None,
            threads: 1,
            outside: None,
            guests: Vec::new(),
        }
    }

    /// A game with dice.
    pub fn with_dice<G: Chance + Notation>(game: G) -> PlayerContext {
        let game = Native::new(game).dice();
        PlayerContext { minds: Arc::new(NativeChance(game.clone())), ..PlayerContext::new(game) }
    }

    /// Lists the legal moves of a player; an error at the end of the game and at chance nodes.
    pub(crate) fn legal(&self, pos: &AnyPosition) -> Result<Vec<AnyMove>, PlayError> {
        let mut moves = Vec::new();
        if self.game.turn(pos) != Turn::Chance {
            self.game.moves(pos, &mut moves);
        }
        if moves.is_empty() { Err(PlayError::NoMove) } else { Ok(moves) }
    }

    /// Constructs the player that a spec string describes.
    ///
    /// # Errors
    ///
    /// An unknown name, invalid options, or a player that this game does not support.
    pub fn player(&self, spec: &str) -> Result<Box<dyn Player>, PlayError> {
        self.nested_player(spec, 0)
    }

    /// Lists the kinds of players that this game supports.
    pub fn roster(&self) -> Vec<PlayerKind> {
        let fits = |spec: &str| self.player(spec).is_ok();
        // An example may name an evaluation that this game does not have.
        let fitting = |about: PlayerKind| match fits(about.example) {
            true => Some(about),
            false => fits(about.name).then_some(PlayerKind { example: about.name, ..about }),
        };
        let programs = PROGRAMS.into_iter().filter(|about| {
            self.outside.as_ref().is_some_and(|outside| outside.speaks(about.name, &self.game))
        });
        ROSTER.into_iter().filter_map(fitting).chain(programs).collect()
    }

    /// The levels of this game, from `random` to the strongest player available.
    pub fn levels(&self) -> Levels {
        Levels::of(self)
    }

    /// The spec of a searching player with a limit such as `depth=4` and the default evaluation of the game.
    pub fn looking(&self, limit: &str) -> String {
        format!("alphabeta:{limit},eval={}", self.fitting_evaluation())
    }

    /// The default evaluation of the game.
    fn fitting_evaluation(&self) -> &'static str {
        if self.suits_patterns() {
            return "patterns";
        }
        let fits = |eval: &&str| self.judge(eval).is_ok();
        ["lines", "race", "patterns", "mobility"].into_iter().find(fits).unwrap_or("zero")
    }

    /// Whether the pattern engine is the default search of `alphabeta` for this game.
    pub(crate) fn suits_patterns(&self) -> bool {
        let bits = self.game.get::<Mnk<u64>>().is_some() || self.game.get::<Mnk<u128>>().is_some();
        let start = self.game.start().and_then(|start| self.game.board(&start));
        start.is_some_and(|board| patterns::suits(&board, bits))
    }

    /// Parses the options of `patterns`: its weights, with the starting board.
    fn patterns(&self, words: &mut ParsedSpec) -> Result<(LineBoard, PatternWeights), InputError> {
        let start = self.board_at_start(words)?;
        let name = words.take("weights").unwrap_or_else(|| PatternWeights::NAMED[0].0.into());
        words.finish(&["weights"])?;
        let Some(weights) = patterns::weights(&name) else {
            let names = PatternWeights::NAMED.map(|(name, _)| format!("`weights={name}`")).join(" or ");
            return Err(words.error(format!("`weights={name}`: write {names}")));
        };
        if !PatternEngine::fits(&start) {
            let why = format!("`patterns` supports at most {MOST_PATTERN_K} in a row; try `eval=lines`");
            return Err(words.error(why));
        }
        Ok((start, weights))
    }

    fn nested_player(&self, spec: &str, depth: u32) -> Result<Box<dyn Player>, PlayError> {
        if protocol(spec).is_some() {
            return match &self.outside {
                Some(outside) => outside.player(spec, &self.game),
                None => Err(InputError::spec(
                    spec,
                    "external programs are not allowed as players here; choose a built-in player",
                )
                .into()),
            };
        }
        if let Some(guest) = self.guests.iter().find(|guest| guest.name == spec) {
            return Ok((guest.make)());
        }
        let mut words = ParsedSpec::parse(spec)?;
        let player: Box<dyn Player> = match words.name() {
            "random" => {
                words.finish(&[])?;
                Box::new(Random::new(self.game.clone()))
            }
            "greedy" => {
                let judge = words.take("eval").map(|eval| self.judge(&eval)).transpose()?;
                words.finish(&["eval"])?;
                Box::new(Greedy::new(self, judge))
            }
            "lines" => Box::new(Greedy::named(self, self.judge(spec)?)),
            "alphabeta" => {
                let default = if self.suits_patterns() { "patterns" } else { "zero" };
                let eval = words.take("eval").unwrap_or_else(|| default.into());
                let limits = alphabeta::limits(&mut words)?;
                let techniques = Techniques::read(&mut words)?;
                words.finish(&[&["depth", "time", "nodes", "eval"][..], &techniques::NAMES].concat())?;
                let judge = self.judge(&eval)?;
                self.allow(&words, &techniques, &eval)?;
                match self.fast(&eval, limits, &techniques)? {
                    Some(player) => player,
                    None => Box::new(AlphaBeta::by(self, judge, limits, techniques)),
                }
            }
            "helpful" => {
                let start = self.lines_board(&words)?;
                let form = match words.take("form").as_deref() {
                    None | Some("revised") => Form::Revised,
                    Some("first") => Form::First,
                    Some(other) => {
                        let why = format!("`form={other}`: write `form=revised` or `form=first`");
                        return Err(words.error(why).into());
                    }
                };
                words.finish(&["form"])?;
                if start.k > MOST_K {
                    return Err(words
                        .error(format!("`helpful` supports at most {MOST_K} in a row; try `random`"))
                        .into());
                }
                Box::new(Helpful::new(self, form))
            }
            "polynomial" => Box::new(Greedy::named(self, self.judge(spec)?)),
            "mcts" => {
                let (time, playouts) = (words.time("time")?, words.count("playouts")?);
                let nodes = words.count("nodes")?;
                let none = time.is_none() && playouts.is_none() && nodes.is_none();
                let exploration = words.number("c", 0.0, 100.0)?.unwrap_or(1.4);
                words.finish(&["time", "playouts", "nodes", "c"])?;
                let playouts = if none { Some(2000) } else { playouts };
                Box::new(Mcts::new(self, MctsLimits { playouts, nodes, time }, exploration))
            }
            "swindler" => {
                let horizon = words.number("horizon", 0.1, 1000.0)?.unwrap_or(Fallible::default().horizon);
                words.finish(&["horizon"])?;
                let model = Fallible { horizon, ..Fallible::default() };
                Box::new(Swindler::new(self.game.clone(), self.exact(&words)?, model))
            }
            "perfect" => {
                words.finish(&[])?;
                Box::new(Perfect::new(self.game.clone(), self.exact(&words)?))
            }
            "noisy" => {
                let p = words.number("p", 0.0, 1.0)?.unwrap_or(0.1);
                let Some(inner) = words.take("inner") else {
                    return Err(words
                        .error("`inner=PLAYER` is missing, as in `noisy:p=0.1,inner=greedy`")
                        .into());
                };
                words.finish(&["p", "inner"])?;
                if depth >= MAX_NESTING {
                    return Err(words
                        .error("`inner=` can be nested at most four deep; simplify the player's spec")
                        .into());
                }
                Box::new(Noisy::new(self.game.clone(), p, self.nested_player(&inner, depth + 1)?))
            }
            name => {
                let near = nearest(name, ROSTER.iter().map(|about| about.name));
                let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                let why = format!("there is no player called `{name}`; {near}`outplay players` lists them");
                return Err(words.error(why).into());
            }
        };
        Ok(player)
    }

    /// Constructs the evaluation that a spec string describes.
    ///
    /// # Errors
    ///
    /// An unknown name, invalid options, or an evaluation that this game does not support.
    pub fn judge(&self, spec: &str) -> Result<Arc<dyn Judge>, InputError> {
        let mut words = ParsedSpec::parse(spec)?;
        match words.name() {
            "zero" => {
                words.finish(&[])?;
                Ok(Arc::new(NoOpinion))
            }
            "lines" => {
                self.lines_board(&words)?;
                let weights = self.weights(&mut words)?;
                let why = "the extended features are for boards of up to 128 bits; use `weights=paper` here";
                lines::judge(&self.game, weights).ok_or_else(|| words.error(why))
            }
            "polynomial" => {
                self.lines_board(&words)?;
                let base = words.number("base", 1.0, 1000.0)?.unwrap_or(10.0);
                words.finish(&["base"])?;
                Ok(Arc::new(Polynomial::new(self.game.clone(), base)))
            }
            "helpful" => {
                let start = self.lines_board(&words)?;
                words.finish(&[])?;
                Ok(Arc::new(HelpfulnessJudge::new(self.game.clone(), &start)))
            }
            "patterns" => {
                let (_, weights) = self.patterns(&mut words)?;
                Ok(Arc::new(PatternJudge { game: self.game.clone(), weights }))
            }
            "mobility" => {
                words.finish(&[])?;
                Ok(Arc::new(Mobility { game: self.game.clone() }))
            }
            "race" => {
                words.finish(&[])?;
                let why = format!(
                    "the evaluation `race` supports only races with dice, and {} is not one; choose another evaluation",
                    self.game.spec()
                );
                race::judge(&self.game).ok_or_else(|| words.error(why))
            }
            "playout" => {
                let games = words.number("games", 1, 1_000_000)?.unwrap_or(20);
                words.finish(&["games"])?;
                Ok(Arc::new(Playout::new(self.minds.clone(), games)))
            }
            name => {
                let near = nearest(name, EVALUATIONS.into_iter());
                let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                let known = EVALUATIONS.join(", ");
                Err(words
                    .error(format!("there is no evaluation called `{name}`; {near}it is one of {known}")))
            }
        }
    }

    /// Refuses techniques that the game, or the search that would be used, does not support.
    fn allow(&self, words: &ParsedSpec, techniques: &Techniques, eval: &str) -> Result<(), InputError> {
        let game = self.game.spec();
        if self.game.has_dice() && *techniques != Techniques::default() {
            let why = "search techniques are for games without dice; with dice the search is Star2, which has no table and no choice of move ordering";
            return Err(words.error(why));
        }
        if techniques.named() && ParsedSpec::parse(eval)?.name() == "patterns" {
            let why = "`eval=patterns` has its own engine, with its own move ordering, threat search and keys; the only technique it accepts is `keep=`; for the others choose another evaluation, such as `eval=lines`";
            return Err(words.error(why));
        }
        let start = self.game.start().and_then(|start| self.game.board(&start));
        let lines = start.is_some_and(|board| !board.misere);
        if techniques.quiescence.is_some_and(|plies| plies > 0) && !lines {
            let why = format!(
                "`quiescence` follows moves that complete or block k in a row, which does not win {game}; leave it out"
            );
            return Err(words.error(why));
        }
        if techniques.order == Some(techniques::Order::Centre) && !self.game.has_board() {
            let why =
                format!("`order=centre` is for boards of k in a row, which {game} is not; try `order=best`");
            return Err(words.error(why));
        }
        Ok(())
    }

    /// The specialised search behind `alphabeta` (bitboards, patterns), for games and evaluations that have one; `None`
    /// if a named technique needs the generic search.
    fn fast(
        &self,
        eval: &str,
        limits: SearchLimits,
        techniques: &Techniques,
    ) -> Result<Option<Box<dyn Player>>, InputError> {
        let mut words = ParsedSpec::parse(eval)?;
        let weights = match words.name() {
            "zero" => None,
            "lines" => Some(self.weights(&mut words)?),
            "patterns" => {
                let (start, weights) = self.patterns(&mut words)?;
                let player = PatternPlayer::new(self, start, weights, limits, techniques.keep);
                return Ok(Some(Box::new(player)));
            }
            _ => return Ok(None),
        };
        if techniques.named() {
            return Ok(None);
        }
        Ok(lines::player(&self.game, weights, limits, techniques.keep))
    }

    /// Parses the weights of a `lines` spec.
    fn weights(&self, words: &mut ParsedSpec) -> Result<Weights, InputError> {
        let mut weights = match words.take("weights") {
            None => FeatureSet::Paper.preset(),
            Some(word) => match (FeatureSet::named(&word), self.files) {
                (Some(set), _) => set.preset(),
                (None, Some(read)) => {
                    let content = read(&word).map_err(|why| words.error(why))?;
                    let weights = Weights::from_file(&word, &content, &self.game.spec());
                    weights.map_err(|error| words.error(error.to_string()))?
                }
                (None, None) => {
                    let why = "weights cannot be read from files here; write `weights=paper`, `weights=extended` or single weights as in `centre=3`";
                    return Err(words.error(why));
                }
            },
        };
        for (name, value) in words.rest() {
            weights.put(&name, &value).map_err(|error| words.error(error.to_string()))?;
        }
        Ok(weights)
    }

    /// The starting board, for players of k-in-a-row games.
    fn board_at_start(&self, words: &ParsedSpec) -> Result<LineBoard, InputError> {
        let (name, game) = (words.name(), self.game.spec());
        let start = self.game.start().and_then(|start| self.game.board(&start));
        start.ok_or_else(|| {
            words.error(format!("`{name}` is for games of k in a row, which {game} is not; try `alphabeta`"))
        })
    }

    /// The same, but refuses misère games: for players that try to complete lines.
    fn lines_board(&self, words: &ParsedSpec) -> Result<LineBoard, InputError> {
        let board = self.board_at_start(words)?;
        if board.misere {
            let (name, game) = (words.name(), self.game.spec());
            return Err(words
                .error(format!("`{name}` tries to complete lines, which loses in {game}; try `alphabeta`")));
        }
        Ok(board)
    }

    fn exact(&self, words: &ParsedSpec) -> Result<Arc<dyn ExactOracle>, InputError> {
        self.truth.clone().ok_or_else(|| {
            let why = format!(
                "exact values of {} are not available here; try `alphabeta:time=1s`",
                self.game.spec()
            );
            words.error(why)
        })
    }
}

/// The evaluations that `eval=` accepts.
const EVALUATIONS: [&str; 8] =
    ["zero", "lines", "patterns", "polynomial", "helpful", "race", "mobility", "playout"];
