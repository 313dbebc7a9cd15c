//! A game with what it brings along: how every [`GameHandle`] of the catalog is made.

use crate::Trouble;
use crate::answers::{
    ChanceReport, CheckReport, ChoiceAnswer, IndexReport, IndexTier, MoveAnswer, PositionsReport,
    ProbeReport, QueryAnswer, Rules, SearchReport, SolveAnswer, StatsReport, TreeReport, VerifyReport, View,
};
use crate::classic::{self, ClassicReport};
use crate::cycles::{Cycles, Loops};
use crate::dice::Dice;
use crate::handle::{ChooseRequest, GameHandle, Place, QueryOptions, SolveRequest};
use crate::history::{History, HistoryStep};
use crate::loops::Remembered;
use crate::means::Known;
use crate::oracle::Oracle;
use crate::puzzles::Puzzle;
use crate::reasons::Why;
use crate::solved::AnyIndex;
use crate::tables::Opened;
use crate::viewing::PlayerList;
use crate::whole::Whole;
use outplay_arena::matches::{MatchReport, MatchRequest};
use outplay_arena::tune::{TuneReport, TuneRequest};
use outplay_connect::Solver;
use outplay_core::{
    Chance, Game, Index, LineBoard, LineGame, Mark, Notation, Picture, Predecessors, Rolls, Tier, Tone, Turn,
    Watch,
};
use outplay_players::Falls;
use outplay_solve::{Explored, SolveError};
use outplay_table::Values;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

type MakeIndex<G> = Arc<dyn Fn(&G) -> Option<Box<dyn AnyIndex<G>>> + Send + Sync>;
type MakeLoops<G> = Arc<dyn Fn(&G) -> Box<dyn Cycles<G>> + Send + Sync>;
type Graph<G> = fn(Arc<Explored<G>>) -> Box<dyn Cycles<G>>;
pub(crate) type ToBoard<G> = fn(&G, &<G as Game>::Position) -> LineBoard;

/// A game and its optional companions.
pub struct Entry<G: Game> {
    pub(crate) game: G,
    make_index: Option<MakeIndex<G>>,
    /// Sizes of the tight index's tiers: `Some(None)` if they exceed 128 bits.
    sizes: Option<Option<Vec<u128>>>,
    pub(crate) board: Option<ToBoard<G>>,
    make_loops: Option<MakeLoops<G>>,
    /// Makes a solver of explored positions; none for games that never go round in circles.
    pub(crate) graph: Option<Graph<G>>,
    pub(crate) dice: Option<Arc<Dice<G>>>,
    /// The falls of the dice as players ask for them.
    pub(crate) falls: Option<Falls<G>>,
    /// All positions that play reaches, once somebody needed them.
    explored: OnceLock<Arc<Explored<G>>>,
    /// Values of a small game without a table, once somebody asked for one.
    pub(crate) remembered: Arc<OnceLock<Remembered<G>>>,
    /// The same for a game with dice.
    pub(crate) means: Arc<OnceLock<Known<G>>>,
    /// The table of the last query and the directory it is in: values of a complete table never change.
    pub(crate) opened: Mutex<Option<(PathBuf, Arc<Opened<G>>)>>,
    /// The same for a game with dice.
    pub(crate) mean_table: Mutex<Option<(PathBuf, Arc<Known<G>>)>>,
    /// The connect-k solver of the last query: what it learned serves the next.
    pub(crate) solver: Mutex<Option<Solver>>,
    /// The planes of the whole game, if it is small.
    pub(crate) whole: Mutex<Option<Arc<Whole>>>,
    /// The exact knowledge that players were given last.
    pub(crate) oracle: Mutex<Option<Arc<Oracle<G>>>>,
}

/// Up to this many positions are remembered to answer a query about a game without a table.
pub(crate) const QUERY_POSITIONS: u64 = 20_000_000;

impl<G: Game + Notation> Entry<G> {
    /// A game with nothing but its rules and notation.
    pub fn new(game: G) -> Entry<G> {
        Entry { graph: Some(|explored| Box::new(Loops::listed(explored))), ..Entry::acyclic(game) }
    }

    /// The same for a game in which play never returns to an earlier position, or that brings a solver of its own
    /// along: [`Entry::loops`], [`Entry::dice`] or [`Entry::rolls`].
    pub fn acyclic(game: G) -> Entry<G> {
        Entry {
            game,
            make_index: None,
            sizes: None,
            board: None,
            make_loops: None,
            graph: None,
            dice: None,
            falls: None,
            explored: OnceLock::new(),
            remembered: Arc::new(OnceLock::new()),
            means: Arc::new(OnceLock::new()),
            opened: Mutex::new(None),
            mean_table: Mutex::new(None),
            solver: Mutex::new(None),
            whole: Mutex::new(None),
            oracle: Mutex::new(None),
        }
    }

    /// Adds a tight index, built when it is first needed; `None` from `make` means that the game is too
    /// large for one.
    #[must_use]
    pub fn indexed<I: Index<G> + 'static>(mut self, make: fn(&G) -> Option<I>) -> Entry<G> {
        self.make_index = Some(Arc::new(move |game| Some(Box::new(make(game)?))));
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

    /// Says that play can go round in circles and adds an index that knows predecessors, built when it is first
    /// needed. (A game that only has forward moves needs no such call: it is explored.)
    #[must_use]
    pub fn loops<I: Predecessors<G> + 'static>(mut self, make: fn(&G) -> I) -> Entry<G> {
        self.make_loops = Some(Arc::new(move |game| Box::new(Loops::indexed(make(game)))));
        self.make_index = Some(Arc::new(move |game| Some(Box::new(make(game)))));
        self
    }

    /// Says that the game has dice. Its positions are explored.
    #[must_use]
    pub fn dice(mut self) -> Entry<G>
    where
        G: Chance,
    {
        self.dice = Some(Arc::new(Dice::explored()));
        self.falls = Some(|game, pos, out| game.outcomes(pos, out));
        self
    }

    /// Says that the game has dice and adds an index of the positions before a roll.
    #[must_use]
    pub fn rolls<I: Rolls<G> + 'static>(mut self, make: fn(&G) -> I) -> Entry<G>
    where
        G: Chance,
    {
        self.dice = Some(Arc::new(Dice::before_rolls(make)));
        self.falls = Some(|game, pos, out| game.outcomes(pos, out));
        self
    }

    /// The same game with the same companions, sharing the values of all positions once either knows them: for
    /// somebody who outlives this entry.
    pub(crate) fn twin(&self) -> Entry<G> {
        Entry {
            make_index: self.make_index.clone(),
            sizes: self.sizes.clone(),
            board: self.board,
            make_loops: self.make_loops.clone(),
            graph: self.graph,
            dice: self.dice.clone(),
            falls: self.falls,
            remembered: Arc::clone(&self.remembered),
            means: Arc::clone(&self.means),
            ..Entry::acyclic(self.game.clone())
        }
    }

    /// The index that came along, if the game has one.
    pub(crate) fn tight_index(&self) -> Option<Box<dyn AnyIndex<G>>> {
        self.make_index.as_ref().and_then(|make| make(&self.game))
    }

    /// The index with predecessors that came along, if the game has one.
    pub(crate) fn loop_index(&self) -> Option<Box<dyn Cycles<G>>> {
        self.make_loops.as_ref().map(|make| make(&self.game))
    }

    /// All positions that play reaches, explored at most once.
    pub(crate) fn explored(&self, most: u64, watch: &dyn Watch) -> Result<Arc<Explored<G>>, Trouble> {
        if let Some(explored) = self.explored.get() {
            return Ok(explored.clone());
        }
        watch.stage("exploring", 0);
        let explored = Arc::new(Explored::new(&self.game, &self.start()?, most, watch)?);
        Ok(self.explored.get_or_init(|| explored).clone())
    }
}

impl<G: Game + Notation> GameHandle for Entry<G> {
    fn spec(&self) -> String {
        self.game.spec()
    }

    fn warning(&self) -> Option<String> {
        self.game.warning()
    }

    fn view(&self, place: &Place) -> Result<View, Trouble> {
        self.view_position(place)
    }

    fn choose(&self, request: &ChooseRequest, watch: &dyn Watch) -> Result<ChoiceAnswer, Trouble> {
        // Where the dice have the turn, they roll, whoever is asked.
        match self.roll(&self.locate(&request.place)?, request.seed) {
            Some(roll) => Ok(roll),
            None => self.choose_move(request, watch),
        }
    }

    fn compete(
        &self,
        place: &Place,
        request: &MatchRequest,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<MatchReport, Trouble> {
        self.play_match(place, request, options, watch)
    }

    fn players(&self, options: &QueryOptions) -> PlayerList {
        self.list_players(options)
    }

    fn check_player(&self, spec: &str, options: &QueryOptions) -> Result<(), Trouble> {
        self.kit_with(options)?.player(spec)?;
        Ok(())
    }

    fn tune(
        &self,
        request: &TuneRequest,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<TuneReport, Trouble> {
        self.tune_weights(request, options, watch)
    }

    fn solve(&self, request: &SolveRequest, watch: &dyn Watch) -> Result<SolveAnswer, Trouble> {
        self.solve_game(request, watch)
    }

    fn solve_each(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
        each: &mut dyn FnMut(SolveAnswer),
    ) -> Result<(), Trouble> {
        self.solve_set(request, watch, each)
    }

    fn query_each(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&MoveAnswer),
    ) -> Result<QueryAnswer, Trouble> {
        self.query_moves(place, options, watch, found)
    }

    fn known(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Option<QueryAnswer>, Trouble> {
        self.known_moves(place, options, watch)
    }

    fn exact(&self, place: &Place, options: &QueryOptions) -> Result<bool, Trouble> {
        self.is_exact(place, options)
    }

    fn history(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&HistoryStep),
    ) -> Result<History, Trouble> {
        self.trace(place, options, watch, found)
    }

    fn why(&self, place: &Place, options: &QueryOptions, watch: &dyn Watch) -> Result<Why, Trouble> {
        self.reason(place, options, watch)
    }

    fn puzzle(&self, seed: u64, options: &QueryOptions, watch: &dyn Watch) -> Result<Puzzle, Trouble> {
        self.find_puzzle(seed, options, watch)
    }

    fn verify(
        &self,
        data: &Path,
        values: Option<Values>,
        watch: &dyn Watch,
    ) -> Result<VerifyReport, Trouble> {
        self.verify_table(data, values, watch)
    }

    fn stats(&self, data: &Path, values: Option<Values>) -> Result<StatsReport, Trouble> {
        self.table_stats(data, values)
    }

    fn probes(
        &self,
        data: &Path,
        values: Option<Values>,
        seconds: f64,
        watch: &dyn Watch,
    ) -> Result<ProbeReport, Trouble> {
        self.time_probes(data, values, seconds, watch)
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
            None => match Explored::new(&self.game, &start, most, watch) {
                Ok(explored) => explored.positions().to_vec(),
                Err(SolveError::TooLarge(most)) => {
                    let why =
                        format!("{} has more than {most} positions, too many to write out", self.game.spec());
                    return Err(Trouble::Unable(why + "; choose a smaller game, such as `nim:2+2`"));
                }
                Err(error) => return Err(error.into()),
            },
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

    fn tree(&self, place: &Place, depth: u32, prune: bool, watch: &dyn Watch) -> Result<TreeReport, Trouble> {
        let pos = self.locate(place)?;
        let options = outplay_search::TreeOptions { prune, ..outplay_search::TreeOptions::default() };
        let tree = outplay_search::tree(&self.game, &pos, &outplay_search::Zero, depth, options, watch)?;
        Ok(TreeReport { game: self.game.spec(), text: tree.text(&self.game), svg: tree.svg(&self.game) })
    }

    fn board(&self, place: &Place) -> Result<LineBoard, Trouble> {
        let pos = self.locate(place)?;
        let why = || Trouble::Unable(format!("{} is not a game of lines on a board", self.game.spec()));
        self.board.map(|board| board(&self.game, &pos)).ok_or_else(why)
    }

    fn positions(
        &self,
        lines: &str,
        request: &SolveRequest,
        limit: usize,
        watch: &dyn Watch,
    ) -> Result<PositionsReport, Trouble> {
        self.time_positions(lines, request, limit, watch)
    }

    fn search_speed(&self, depth: u32, watch: &dyn Watch) -> Result<SearchReport, Trouble> {
        self.time_search(depth, watch)
    }

    fn chance_speed(&self, depth: u32, positions: u32, watch: &dyn Watch) -> Result<ChanceReport, Trouble> {
        self.time_chance(depth, positions, watch)
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
        let listed =
            match (self.tight_index(), self.dice.as_ref().and_then(|dice| dice.own_index(&self.game))) {
                (Some(index), _) => Some((index.tier_names(), index.sizes())),
                (_, Some(index)) => Some((index.any().tier_names(), index.any().sizes())),
                _ => None,
            };
        if let Some((names, sizes)) = listed {
            let tier = |(tier, size): (String, u64)| IndexTier { tier, size: size.into(), reachable: None };
            let tiers: Vec<IndexTier> = names.into_iter().zip(sizes).map(tier).collect();
            let size = Some(tiers.iter().map(|tier| tier.size).sum());
            return Ok(IndexReport { game, index: "tight", tiers, size, reachable: None, ratio: None });
        }
        let explored = self.explored(Self::most_positions(memory), watch)?;
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
