//! A game with what it brings along: how every [`GameHandle`] of the catalog is made.

use crate::Trouble;
use crate::answers::{
    Answer, CheckReport, Counts, IndexReport, IndexTier, LongestBySide, MoveAnswer, QueryAnswer, Rules,
    SolveAnswer, TurnCounts,
};
use crate::classic::{self, ClassicReport};
use crate::handle::{GameHandle, Method, Place, SolveRequest};
use crate::solved::AnyIndex;
use outplay_core::{
    Game, Index, InputError, LineBoard, LineGame, Mark, Notation, Picture, Tier, Tone, Turn, Value, Watch,
};
use outplay_solve::{Explored, SolveError, Tally, memo, plain};
use rustc_hash::FxHashSet;
use std::mem::size_of;

type MakeIndex<G> = Box<dyn Fn(&G) -> Option<Box<dyn AnyIndex<G>>> + Send + Sync>;
type ToBoard<G> = fn(&G, &<G as Game>::Position) -> LineBoard;

/// A game and its optional companions.
pub struct Entry<G: Game> {
    game: G,
    make_index: Option<MakeIndex<G>>,
    /// Sizes of the tight index's tiers: `Some(None)` if they exceed 128 bits.
    sizes: Option<Option<Vec<u128>>>,
    board: Option<ToBoard<G>>,
}

/// Up to this many positions are remembered to answer a query about a game without a table.
const QUERY_POSITIONS: u64 = 20_000_000;

impl<G: Game + Notation> Entry<G> {
    /// A game with nothing but its rules and notation.
    pub fn new(game: G) -> Entry<G> {
        Entry { game, make_index: None, sizes: None, board: None }
    }

    /// Adds a tight index, built when it is first needed; `None` from `make` means that the game is too
    /// large for one.
    #[must_use]
    pub fn indexed<I: Index<G> + 'static>(mut self, make: fn(&G) -> Option<I>) -> Entry<G> {
        self.make_index = Some(Box::new(move |game| Some(Box::new(make(game)?))));
        self
    }

    /// Adds the sizes of the tight index's tiers, for games that may be too large to number.
    #[must_use]
    pub fn sizes(mut self, sizes: Option<Vec<u128>>) -> Entry<G> {
        self.sizes = Some(sizes);
        self
    }

    /// Says that the game is one of lines on a board.
    #[must_use]
    pub fn lines(mut self) -> Entry<G>
    where
        G: LineGame,
    {
        self.board = Some(|game, pos| game.board(pos));
        self
    }

    fn tight_index(&self) -> Option<Box<dyn AnyIndex<G>>> {
        self.make_index.as_ref().and_then(|make| make(&self.game))
    }

    /// Finds the position that a command is about.
    fn locate(&self, place: &Place) -> Result<G::Position, Trouble> {
        let moves = match place {
            Place::Position(text) => return Ok(self.game.read_position(text)?),
            Place::Start => return Ok(self.start()?),
            Place::Moves(moves) => moves,
        };
        let mut pos = self.start()?;
        for (i, word) in self.game.split_moves(moves).iter().enumerate() {
            let mv = self.game.read_move(&pos, word).map_err(|error| match error {
                InputError::Move { text, why } => {
                    InputError::Move { text, why: format!("as move {}: {why}", i + 1) }
                }
                other => other,
            })?;
            pos = self.game.play(&pos, mv);
        }
        Ok(pos)
    }

    fn start(&self) -> Result<G::Position, SolveError> {
        self.game.start().ok_or(SolveError::NoStart)
    }

    fn to_move(&self, pos: &G::Position) -> &'static str {
        if self.game.turn(pos) == Turn::Second { "second" } else { "first" }
    }

    /// The answer for a position with a known value.
    fn answer(&self, pos: &G::Position, value: Value) -> Answer {
        Answer::exact(value, self.game.tie_plies(pos))
    }

    /// The connect-k score of a value that counts from `pos`.
    fn score(&self, pos: &G::Position, value: Value) -> Option<i32> {
        let board = self.board.map(|board| board(&self.game, pos)).filter(|board| board.gravity)?;
        let Some(distance) = value.distance() else { return Some(0) };
        let end = board.stones() as i32 + distance as i32;
        Some(value.payoff().signum() * ((board.playable_cells() as i32 - end) / 2 + 1))
    }

    /// The moves of a position with their values for the player who makes them.
    fn move_values(
        &self,
        pos: &G::Position,
        value: impl Fn(&G::Position) -> Option<Value>,
    ) -> Vec<(G::Move, Value)> {
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let turn = self.game.turn(pos);
        let mut valued = Vec::new();
        for mv in moves {
            let next = self.game.play(pos, mv);
            if let Some(value) = value(&next) {
                valued.push((mv, value.before(self.game.turn(&next) == turn)));
            }
        }
        valued
    }

    /// The best moves, in the game's order.
    fn best(&self, pos: &G::Position, values: &[(G::Move, Value)]) -> Vec<String> {
        let best = values.iter().map(|(_, value)| *value).max();
        let is_best = |value: &Value| best.is_some_and(|best| value.cmp(&best).is_eq());
        let moves = values.iter().filter(|(_, value)| is_best(value));
        moves.map(|(mv, _)| self.game.write_move(pos, *mv)).collect()
    }

    /// One line of best play; stops when a position comes back.
    fn line(&self, pos: &G::Position, value: impl Fn(&G::Position) -> Option<Value>) -> Vec<String> {
        let mut pos = pos.clone();
        let mut seen = FxHashSet::default();
        let mut line = Vec::new();
        while seen.insert(pos.clone()) {
            let values = self.move_values(&pos, &value);
            // The first of equally good moves: `max_by_key` would take the last.
            let Some(best) = values.iter().map(|(_, value)| *value).max() else { break };
            let Some((mv, _)) = values.iter().find(|(_, value)| value.cmp(&best).is_eq()) else { break };
            line.push(self.game.write_move(&pos, *mv));
            pos = self.game.play(&pos, *mv);
        }
        line
    }

    /// How many positions a hash map may hold within so many bytes.
    fn most_positions(memory: u64) -> u64 {
        let each = 2 * (size_of::<G::Position>() + size_of::<Value>() + 8) as u64;
        (memory / each).max(1000)
    }

    fn solved(
        &self,
        request: &SolveRequest,
        method: Method,
        value: impl Fn(&G::Position) -> Option<Value>,
        tally: Option<&Tally>,
        nodes: u64,
    ) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        let values = self.move_values(&pos, &value);
        let found = value(&pos).ok_or(SolveError::Overflow)?;
        Ok(SolveAnswer {
            game: self.game.spec(),
            method: method.word(),
            position: Some(self.game.write_position(&pos)),
            to_move: Some(self.to_move(&pos)),
            answer: self.answer(&pos, found),
            best: self.best(&pos, &values),
            positions: tally.map(Counts::of),
            by_turn: tally.map(TurnCounts::of),
            merged: tally.is_some_and(|tally| tally.merged),
            longest: tally.map(LongestBySide::of),
            nodes,
            stored: None,
        })
    }

    fn solve_by_sweep(
        &self,
        index: &dyn AnyIndex<G>,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let needed = index.sweep_bytes(&self.game);
        if needed > u128::from(request.memory) {
            let gigabytes = |bytes: f64| bytes / 1e9;
            return Err(Trouble::Unable(format!(
                "this sweep needs {:.1} GB and --memory allows {:.1} GB; raise --memory, or solve a smaller board",
                gigabytes(needed as f64),
                gigabytes(request.memory as f64),
            )));
        }
        let start = self.start()?;
        let solved = index.sweep(&self.game, &start, watch)?;
        let tally = solved.tally();
        self.solved(request, Method::Sweep, |pos| solved.value(pos), Some(tally), tally.first_view().total())
    }
}

impl<G: Game + Notation> GameHandle for Entry<G> {
    fn spec(&self) -> String {
        self.game.spec()
    }

    fn warning(&self) -> Option<String> {
        self.game.warning()
    }

    fn solve(&self, request: &SolveRequest, watch: &dyn Watch) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        let most = Self::most_positions(request.memory);
        let tight =
            || self.tight_index().filter(|index| index.sweep_bytes(&self.game) <= u128::from(request.memory));
        match request.method {
            Method::Plain => {
                watch.stage("searching", 0);
                let found = plain(&self.game, &pos, watch)?;
                // The values of the moves cost as much again; plain minimax remembers nothing.
                let value = |next: &G::Position| plain(&self.game, next, watch).ok().map(|found| found.value);
                let known = |next: &G::Position| if *next == pos { Some(found.value) } else { value(next) };
                self.solved(request, Method::Plain, known, None, found.nodes)
            }
            Method::Memo => {
                watch.stage("searching", 0);
                let memo = memo(&self.game, &pos, most, watch)?;
                let tally = memo.tally(&self.game);
                self.solved(request, Method::Memo, |pos| memo.value(pos), Some(&tally), memo.found().nodes)
            }
            Method::Sweep => match self.tight_index() {
                Some(index) => self.solve_by_sweep(&*index, request, watch),
                None => {
                    watch.stage("exploring", 0);
                    let index = Explored::new(&self.game, &self.start()?, most, watch)?;
                    self.solve_by_sweep(&index, request, watch)
                }
            },
            Method::Auto => {
                let method = if tight().is_some() { Method::Sweep } else { Method::Memo };
                self.solve(&SolveRequest { method, ..request.clone() }, watch)
            }
        }
    }

    fn query(&self, place: &Place, memory: u64, watch: &dyn Watch) -> Result<QueryAnswer, Trouble> {
        let pos = self.locate(place)?;
        let blank = QueryAnswer {
            game: self.game.spec(),
            position: self.game.write_position(&pos),
            to_move: self.to_move(&pos),
            answer: Answer::unknown(-self.game.best_payoff(), self.game.best_payoff()),
            score: None,
            best: Vec::new(),
            moves: Vec::new(),
            line: Vec::new(),
            source: "rules",
        };
        if let Some(payoff) = self.game.outcome(&pos) {
            let value = Value::new(self.game.turn(&pos).sees(payoff), 0);
            return Ok(QueryAnswer {
                answer: self.answer(&pos, value),
                score: self.score(&pos, value),
                ..blank
            });
        }
        watch.stage("searching", 0);
        let most = Self::most_positions(memory).min(QUERY_POSITIONS);
        let memo = match memo(&self.game, &pos, most, watch) {
            Ok(memo) => memo,
            Err(SolveError::TooLarge(_)) => return Ok(QueryAnswer { source: "search", ..blank }),
            Err(error) => return Err(error.into()),
        };
        let value = memo.found().value;
        let values = self.move_values(&pos, |pos| memo.value(pos));
        let moves = values.iter().map(|&(mv, value)| MoveAnswer {
            mv: self.game.write_move(&pos, mv),
            answer: self.answer(&pos, value),
            score: self.score(&pos, value),
        });
        Ok(QueryAnswer {
            answer: self.answer(&pos, value),
            score: self.score(&pos, value),
            best: self.best(&pos, &values),
            moves: moves.collect(),
            line: self.line(&pos, |pos| memo.value(pos)),
            source: "search",
            ..blank
        })
    }

    fn draw(&self, place: &Place, values: Option<&QueryAnswer>) -> Result<Picture, Trouble> {
        let pos = self.locate(place)?;
        let mut marks = Vec::new();
        for answer in values.map(|values| values.moves.as_slice()).unwrap_or_default() {
            let distance = answer.answer.distance.map(|plies| plies.to_string()).unwrap_or_default();
            let (text, tone) = match answer.answer.value {
                "win" => (format!("+{distance}"), Tone::Win),
                "draw" => ("=".to_string(), Tone::Draw),
                "loss" => (format!("-{distance}"), Tone::Loss),
                _ => continue,
            };
            marks.push(Mark { mv: self.game.read_move(&pos, &answer.mv)?, text, tone });
        }
        Ok(self.game.draw(&pos, &marks))
    }

    fn rules(&self, place: &Place, most: u64, watch: &dyn Watch) -> Result<Rules, Trouble> {
        let start = self.locate(place)?;
        let listed = self.game.textbook_positions().filter(|listed| listed.len() as u64 <= most);
        let positions = match listed {
            Some(listed) => listed,
            None => Explored::new(&self.game, &start, most, watch)?.positions().to_vec(),
        };
        let name = |pos: &G::Position| self.game.textbook(pos);
        let place_of = |pos: &G::Position| positions.iter().position(|known| known == pos);
        let (mut successors, mut terminals) = (Vec::new(), Vec::new());
        let mut moves = Vec::new();
        for pos in &positions {
            if let Some(payoff) = self.game.outcome(pos) {
                terminals.push((name(pos), payoff));
                continue;
            }
            moves.clear();
            self.game.moves(pos, &mut moves);
            let mut next: Vec<G::Position> = moves.iter().map(|&mv| self.game.play(pos, mv)).collect();
            next.sort_by_key(&place_of);
            next.dedup();
            successors.push((name(pos), next.iter().map(name).collect()));
        }
        let spec = self.game.spec();
        Ok(Rules {
            game: spec,
            positions: positions.iter().map(name).collect(),
            start: name(&start),
            successors,
            terminals,
        })
    }

    fn index(&self, memory: u64, count: bool, watch: &dyn Watch) -> Result<IndexReport, Trouble> {
        let game = self.game.spec();
        if let Some(sizes) = &self.sizes {
            let size = sizes.as_ref().map(|sizes| sizes.iter().sum());
            let fits = |size: u128| size / 8 <= u128::from(memory);
            let counted = match (self.tight_index(), size) {
                (Some(index), Some(size)) if count && fits(size) => {
                    Some(index.reach(&self.game, &self.start()?, watch)?)
                }
                _ => None,
            };
            let reachable = |t: usize| counted.as_ref().map(|reach| reach.count(Tier(t as u32)));
            let tiers: Vec<IndexTier> = sizes
                .iter()
                .flatten()
                .enumerate()
                .map(|(t, &size)| IndexTier { tier: format!("{t:02}"), size, reachable: reachable(t) })
                .collect();
            let total =
                counted.is_some().then(|| tiers.iter().filter_map(|tier| tier.reachable).sum::<u64>());
            let ratio = total.zip(size).map(|(reached, size): (u64, u128)| reached as f64 / size as f64);
            return Ok(IndexReport { game, index: "tight", tiers, size, reachable: total, ratio });
        }
        watch.stage("exploring", 0);
        let explored = Explored::new(&self.game, &self.start()?, Self::most_positions(memory), watch)?;
        let size = |size: u64| (u128::from(size), Some(size));
        let tiers = explored.tier_names().into_iter().zip(explored.sizes()).map(|(tier, len)| {
            let (size, reachable) = size(len);
            IndexTier { tier, size, reachable }
        });
        let (total, reachable) = size(explored.positions().len() as u64);
        let tiers = tiers.collect();
        Ok(IndexReport { game, index: "explored", tiers, size: Some(total), reachable, ratio: Some(1.0) })
    }

    fn check(&self, most: u64, watch: &dyn Watch) -> Result<CheckReport, Trouble> {
        watch.stage("exploring", 0);
        let unknown = CheckReport {
            game: self.game.spec(),
            two_players: None,
            zero_sum: true,
            finite: None,
            deterministic: None,
            perfect_information: true,
            acyclic: None,
            positions: 0,
            moves: 0,
            complete: false,
        };
        let explored = match Explored::new(&self.game, &self.start()?, most, watch) {
            Ok(explored) => explored,
            Err(SolveError::TooLarge(seen)) => return Ok(CheckReport { positions: seen, ..unknown }),
            Err(error) => return Err(error.into()),
        };
        let turns = |turn: Turn| {
            let mut moves = Vec::new();
            explored.positions().iter().any(|pos| {
                moves.clear();
                self.game.moves(pos, &mut moves);
                self.game.turn(pos) == turn && !moves.is_empty()
            })
        };
        Ok(CheckReport {
            two_players: Some(turns(Turn::First) && turns(Turn::Second)),
            finite: Some(true),
            deterministic: Some(!explored.has_chance()),
            acyclic: Some(!explored.has_loops()),
            positions: explored.positions().len() as u64,
            moves: explored.moves(),
            complete: true,
            ..unknown
        })
    }

    fn classic(&self, trials: u32, seconds: f64, watch: &dyn Watch) -> Result<ClassicReport, Trouble> {
        let start = self.start()?;
        match self.tight_index() {
            Some(index) => classic::run(&self.game, &*index, &start, trials, seconds, watch),
            None => {
                let index = Explored::new(&self.game, &start, QUERY_POSITIONS, watch)?;
                classic::run(&self.game, &index, &start, trials, seconds, watch)
            }
        }
    }
}
