//! Type-erased games: code outside of hot loops is written once for [`AnyGame`], and not compiled again for each game.
//!
//! ```text
//!  Nim · Mnk<u64> · Chess · rules loaded from outside       a game with its concrete types
//!        │ AnyGame::of(…) [.lines()] [.dice()]
//!  AnyGame   positions are shared pointers (cheap to clone), moves are indices into a position's list of moves
//!        │ Native::pos, Native::mv                           downcast, for a kernel made for one game
//! ```
//!
//! Invariant: a position or move is passed only to the game it came from. A kernel that receives another game's
//! position panics, because that is a bug of this program and never a mistake of the user.

use crate::{
    Chance, Game, InputError, LineBoard, LineGame, Mark, Notation, Payoff, Picture, Remark, Scene, Turn,
};
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// A position of any game, with its type erased.
#[derive(Clone)]
pub struct AnyPosition(Arc<dyn ErasedPosition>);

/// A move of any game, with its type erased: the index in its position's list of moves. It is meaningless without that
/// position.
///
/// It is meaningless without that position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AnyMove(pub u32);

/// The object-safe interface of a typed position.
trait ErasedPosition: Send + Sync {
    fn any(&self) -> &dyn Any;
    fn same(&self, other: &dyn ErasedPosition) -> bool;
    fn put_hash(&self, state: &mut dyn Hasher);
    fn put_debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// A position of a known type with its moves, which are generated on first use.
struct TypedPosition<G: Game> {
    pos: G::Position,
    moves: OnceLock<Box<[G::Move]>>,
}

impl<G: Game> ErasedPosition for TypedPosition<G> {
    fn any(&self) -> &dyn Any {
        self
    }

    fn same(&self, other: &dyn ErasedPosition) -> bool {
        other.any().downcast_ref::<TypedPosition<G>>().is_some_and(|other| other.pos == self.pos)
    }

    fn put_hash(&self, mut state: &mut dyn Hasher) {
        self.pos.hash(&mut state);
    }

    fn put_debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.pos, f)
    }
}

impl PartialEq for AnyPosition {
    fn eq(&self, other: &AnyPosition) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.same(&*other.0)
    }
}

impl Eq for AnyPosition {}

impl Hash for AnyPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.put_hash(state);
    }
}

impl fmt::Debug for AnyPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.put_debug(f)
    }
}

/// The outcomes of a chance node: [`Chance::outcomes`] as a plain function.
pub type Falls<G> = fn(&G, &<G as Game>::Position, &mut Vec<(<G as Game>::Move, f64)>);

/// The player who rolls: [`Chance::roller`] as a plain function.
type Roller<G> = fn(&G, &<G as Game>::Position) -> Option<Turn>;

/// A game with its concrete types, and conversions between its positions and those of [`AnyGame`].
pub struct Native<G: Game> {
    /// The game.
    pub game: G,
    board: Option<fn(&G, &G::Position) -> LineBoard>,
    placed: Option<fn(&G, &LineBoard) -> G::Position>,
    cell: Option<fn(&G, G::Move) -> usize>,
    falls: Option<Falls<G>>,
    roller: Option<Roller<G>>,
}

impl<G: Game> Clone for Native<G> {
    fn clone(&self) -> Native<G> {
        Native {
            game: self.game.clone(),
            board: self.board,
            placed: self.placed,
            cell: self.cell,
            falls: self.falls,
            roller: self.roller,
        }
    }
}

impl<G: Game> Native<G> {
    /// Wraps a game without companions.
    pub fn new(game: G) -> Native<G> {
        Native { game, board: None, placed: None, cell: None, falls: None, roller: None }
    }

    /// Adds the [`LineGame`] companion.
    #[must_use]
    pub fn lines(self) -> Native<G>
    where
        G: LineGame,
    {
        Native {
            board: Some(|game, pos| game.board(pos)),
            placed: Some(|game, board| game.placed(board)),
            cell: Some(|game, mv| game.cell(mv)),
            ..self
        }
    }

    /// Adds the [`Chance`] companion.
    #[must_use]
    pub fn dice(self) -> Native<G>
    where
        G: Chance,
    {
        Native {
            falls: Some(|game, pos, out| game.outcomes(pos, out)),
            roller: Some(|game, pos| game.roller(pos)),
            ..self
        }
    }

    /// A position as a board, for line games.
    pub fn board(&self, pos: &G::Position) -> Option<LineBoard> {
        self.board.map(|board| board(&self.game, pos))
    }

    /// The cell onto which a move puts a stone, for line games.
    #[inline]
    pub fn cell(&self, mv: G::Move) -> Option<usize> {
        self.cell.map(|cell| cell(&self.game, mv))
    }

    /// The outcomes of a chance node, for games with chance.
    pub fn falls(&self) -> Option<Falls<G>> {
        self.falls
    }

    fn downcast(pos: &AnyPosition) -> &TypedPosition<G> {
        match pos.0.any().downcast_ref() {
            Some(typed) => typed,
            None => panic!("a position of another game was passed to a kernel: {pos:?}"),
        }
    }

    /// Downcasts a position.
    ///
    /// # Panics
    ///
    /// If the position belongs to another game.
    pub fn pos<'a>(&self, pos: &'a AnyPosition) -> &'a G::Position {
        &Self::downcast(pos).pos
    }

    /// Erases the type of a position.
    pub fn any(&self, pos: G::Position) -> AnyPosition {
        AnyPosition(Arc::new(TypedPosition::<G> { pos, moves: OnceLock::new() }))
    }

    /// All moves of a position, in the game's order.
    pub fn list<'a>(&self, pos: &'a AnyPosition) -> &'a [G::Move] {
        let typed = Self::downcast(pos);
        typed.moves.get_or_init(|| {
            let mut moves = Vec::new();
            self.game.moves(&typed.pos, &mut moves);
            moves.into()
        })
    }

    /// Downcasts a move.
    ///
    /// # Panics
    ///
    /// If the move is not among the position's moves.
    pub fn mv(&self, pos: &AnyPosition, mv: AnyMove) -> G::Move {
        self.list(pos)[mv.0 as usize]
    }

    /// Erases the type of a legal move; `None` if the move is not legal.
    pub fn any_move(&self, pos: &AnyPosition, mv: G::Move) -> Option<AnyMove> {
        self.list(pos).iter().position(|known| *known == mv).map(|i| AnyMove(i as u32))
    }

    /// Erases the types of a line of moves from a position, up to the first move that is not legal.
    pub fn any_line(&self, pos: &AnyPosition, line: &[G::Move]) -> Vec<AnyMove> {
        let (mut pos, mut moves) = (pos.clone(), Vec::with_capacity(line.len()));
        for &mv in line {
            let Some(any) = self.any_move(&pos, mv) else { break };
            moves.push(any);
            pos = self.any(self.game.play(self.pos(&pos), mv));
        }
        moves
    }
}

/// The object-safe form of [`Game`] and [`Notation`], with its types erased.
///
/// Every [`Native`] game implements it. Rules that run outside this process implement [`Game`] and [`Notation`] for a
/// type of their own and use the same path.
trait ErasedGame: Send + Sync {
    fn game(&self) -> &dyn Any;
    fn start(&self) -> Option<AnyPosition>;
    fn turn(&self, pos: &AnyPosition) -> Turn;
    fn count(&self, pos: &AnyPosition) -> u32;
    fn play(&self, pos: &AnyPosition, mv: AnyMove) -> AnyPosition;
    fn outcome(&self, pos: &AnyPosition) -> Option<Payoff>;
    fn tie_plies(&self, pos: &AnyPosition) -> Option<u32>;
    fn best_payoff(&self) -> Payoff;
    fn theory(&self, pos: &AnyPosition) -> Option<Payoff>;
    fn most_positions(&self) -> Option<f64>;
    fn symmetric(&self, pos: &AnyPosition, out: &mut Vec<AnyPosition>);
    fn version(&self) -> u32;
    fn fault(&self) -> Option<String>;
    fn outcomes(&self, pos: &AnyPosition, out: &mut Vec<(AnyMove, f64)>);
    fn roller(&self, pos: &AnyPosition) -> Option<Turn>;
    fn has_dice(&self) -> bool;
    fn board(&self, pos: &AnyPosition) -> Option<LineBoard>;
    fn has_board(&self) -> bool;
    fn placed(&self, board: &LineBoard) -> Option<AnyPosition>;
    fn spec(&self) -> String;
    fn write_position(&self, pos: &AnyPosition) -> String;
    fn read_position(&self, text: &str) -> Result<AnyPosition, InputError>;
    fn reading_note(&self, text: &str) -> Option<String>;
    fn read_arrangement(&self, text: &str) -> Result<AnyPosition, InputError>;
    fn textbook(&self, pos: &AnyPosition) -> String;
    fn textbook_positions(&self) -> Option<Vec<AnyPosition>>;
    fn write_move(&self, pos: &AnyPosition, mv: AnyMove) -> String;
    fn spoken(&self, pos: &AnyPosition, mv: AnyMove) -> Option<String>;
    fn said(&self, pos: &AnyPosition, mv: AnyMove) -> String;
    fn coordinates(&self, pos: &AnyPosition) -> Vec<(&'static str, i64)>;
    fn mates(&self) -> bool;
    fn read_move(&self, pos: &AnyPosition, text: &str) -> Result<AnyMove, InputError>;
    fn split_moves(&self, text: &str) -> Vec<String>;
    fn draw(&self, pos: &AnyPosition, marks: &[Mark<AnyMove>]) -> Picture;
    fn scene(&self, pos: &AnyPosition) -> Scene;
    fn remarks(&self, pos: &AnyPosition) -> Vec<Remark>;
    fn warning(&self) -> Option<String>;
}

impl<G: Game + Notation> ErasedGame for Native<G> {
    fn game(&self) -> &dyn Any {
        &self.game
    }
    fn start(&self) -> Option<AnyPosition> {
        self.game.start().map(|pos| self.any(pos))
    }
    fn turn(&self, pos: &AnyPosition) -> Turn {
        self.game.turn(self.pos(pos))
    }
    fn count(&self, pos: &AnyPosition) -> u32 {
        self.list(pos).len() as u32
    }
    fn play(&self, pos: &AnyPosition, mv: AnyMove) -> AnyPosition {
        self.any(self.game.play(self.pos(pos), self.mv(pos, mv)))
    }
    fn outcome(&self, pos: &AnyPosition) -> Option<Payoff> {
        self.game.outcome(self.pos(pos))
    }
    fn tie_plies(&self, pos: &AnyPosition) -> Option<u32> {
        self.game.tie_plies(self.pos(pos))
    }
    fn best_payoff(&self) -> Payoff {
        self.game.best_payoff()
    }
    fn theory(&self, pos: &AnyPosition) -> Option<Payoff> {
        self.game.theory(self.pos(pos))
    }
    fn most_positions(&self) -> Option<f64> {
        self.game.most_positions()
    }
    fn symmetric(&self, pos: &AnyPosition, out: &mut Vec<AnyPosition>) {
        let mut images = Vec::new();
        self.game.symmetric(self.pos(pos), &mut images);
        out.extend(images.into_iter().map(|pos| self.any(pos)));
    }
    fn version(&self) -> u32 {
        self.game.version()
    }
    fn fault(&self) -> Option<String> {
        self.game.fault()
    }
    fn outcomes(&self, pos: &AnyPosition, out: &mut Vec<(AnyMove, f64)>) {
        let Some(falls) = self.falls else { return };
        let mut rolls = Vec::new();
        falls(&self.game, self.pos(pos), &mut rolls);
        out.extend(rolls.into_iter().filter_map(|(mv, odds)| Some((self.any_move(pos, mv)?, odds))));
    }
    fn roller(&self, pos: &AnyPosition) -> Option<Turn> {
        self.roller.and_then(|roller| roller(&self.game, self.pos(pos)))
    }
    fn has_dice(&self) -> bool {
        self.falls.is_some()
    }
    fn board(&self, pos: &AnyPosition) -> Option<LineBoard> {
        self.board.map(|board| board(&self.game, self.pos(pos)))
    }
    fn has_board(&self) -> bool {
        self.board.is_some()
    }
    fn placed(&self, board: &LineBoard) -> Option<AnyPosition> {
        self.placed.map(|placed| self.any(placed(&self.game, board)))
    }
    fn spec(&self) -> String {
        self.game.spec()
    }
    fn write_position(&self, pos: &AnyPosition) -> String {
        self.game.write_position(self.pos(pos))
    }
    fn read_position(&self, text: &str) -> Result<AnyPosition, InputError> {
        self.game.read_position(text).map(|pos| self.any(pos))
    }
    fn reading_note(&self, text: &str) -> Option<String> {
        self.game.reading_note(text)
    }
    fn read_arrangement(&self, text: &str) -> Result<AnyPosition, InputError> {
        self.game.read_arrangement(text).map(|pos| self.any(pos))
    }
    fn textbook(&self, pos: &AnyPosition) -> String {
        self.game.textbook(self.pos(pos))
    }
    fn textbook_positions(&self) -> Option<Vec<AnyPosition>> {
        let listed = self.game.textbook_positions()?;
        Some(listed.into_iter().map(|pos| self.any(pos)).collect())
    }
    fn write_move(&self, pos: &AnyPosition, mv: AnyMove) -> String {
        self.game.write_move(self.pos(pos), self.mv(pos, mv))
    }
    fn spoken(&self, pos: &AnyPosition, mv: AnyMove) -> Option<String> {
        self.game.spoken(self.pos(pos), self.mv(pos, mv))
    }
    fn said(&self, pos: &AnyPosition, mv: AnyMove) -> String {
        self.game.said(self.pos(pos), self.mv(pos, mv))
    }
    fn coordinates(&self, pos: &AnyPosition) -> Vec<(&'static str, i64)> {
        self.game.coordinates(self.pos(pos))
    }
    fn mates(&self) -> bool {
        self.game.mates()
    }
    fn read_move(&self, pos: &AnyPosition, text: &str) -> Result<AnyMove, InputError> {
        let mv = self.game.read_move(self.pos(pos), text)?;
        self.any_move(pos, mv).ok_or_else(|| InputError::mv(text, "this move is not legal in this position"))
    }
    fn split_moves(&self, text: &str) -> Vec<String> {
        self.game.split_moves(text)
    }
    fn draw(&self, pos: &AnyPosition, marks: &[Mark<AnyMove>]) -> Picture {
        let native = |mark: &Mark<AnyMove>| Mark {
            mv: self.mv(pos, mark.mv),
            text: mark.text.clone(),
            tone: mark.tone,
        };
        self.game.draw(self.pos(pos), &marks.iter().map(native).collect::<Vec<_>>())
    }
    fn scene(&self, pos: &AnyPosition) -> Scene {
        self.game.scene(self.pos(pos))
    }
    fn remarks(&self, pos: &AnyPosition) -> Vec<Remark> {
        self.game.remarks(self.pos(pos))
    }
    fn warning(&self) -> Option<String> {
        self.game.warning()
    }
}

/// A game with its types erased.
///
/// # Examples
///
/// Plays a whole game of any kind, always with the first legal move:
///
/// ```
/// use outplay_core::{AnyGame, Game};
///
/// fn first_moves(game: &AnyGame) -> Option<i32> {
///     let mut pos = game.start()?;
///     let mut moves = Vec::new();
///     while game.outcome(&pos).is_none() {
///         moves.clear();
///         game.moves(&pos, &mut moves);
///         pos = game.play(&pos, moves[0]);
///     }
///     game.outcome(&pos)
/// }
/// ```
#[derive(Clone)]
pub struct AnyGame(Arc<dyn ErasedGame>);

impl AnyGame {
    /// Erases the types of a game without companions.
    pub fn new<G: Game + Notation>(game: G) -> AnyGame {
        AnyGame::of(Native::new(game))
    }

    /// Erases the types of a game, its companions included.
    pub fn of<G: Game + Notation>(native: Native<G>) -> AnyGame {
        AnyGame(Arc::new(native))
    }

    /// Downcasts to the concrete game, if this is one of type `G`.
    pub fn get<G: Game>(&self) -> Option<&G> {
        self.0.game().downcast_ref()
    }

    /// The board of a position, for line games.
    pub fn board(&self, pos: &AnyPosition) -> Option<LineBoard> {
        self.0.board(pos)
    }

    /// The position that a board shows, for line games: see [`LineGame::placed`].
    pub fn placed(&self, board: &LineBoard) -> Option<AnyPosition> {
        self.0.placed(board)
    }

    /// Whether the game is a line game.
    pub fn has_board(&self) -> bool {
        self.0.has_board()
    }

    /// Whether the game has chance nodes.
    pub fn has_dice(&self) -> bool {
        self.0.has_dice()
    }

    /// The moves of a position.
    pub fn list(&self, pos: &AnyPosition) -> impl Iterator<Item = AnyMove> + use<> {
        (0..self.0.count(pos)).map(AnyMove)
    }
}

impl fmt::Debug for AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.spec())
    }
}

impl Game for AnyGame {
    type Position = AnyPosition;
    type Move = AnyMove;

    fn start(&self) -> Option<AnyPosition> {
        self.0.start()
    }
    fn turn(&self, pos: &AnyPosition) -> Turn {
        self.0.turn(pos)
    }
    fn moves(&self, pos: &AnyPosition, out: &mut Vec<AnyMove>) {
        out.extend(self.list(pos));
    }
    fn play(&self, pos: &AnyPosition, mv: AnyMove) -> AnyPosition {
        self.0.play(pos, mv)
    }
    fn outcome(&self, pos: &AnyPosition) -> Option<Payoff> {
        self.0.outcome(pos)
    }
    fn tie_plies(&self, pos: &AnyPosition) -> Option<u32> {
        self.0.tie_plies(pos)
    }
    fn best_payoff(&self) -> Payoff {
        self.0.best_payoff()
    }
    fn theory(&self, pos: &AnyPosition) -> Option<Payoff> {
        self.0.theory(pos)
    }
    fn most_positions(&self) -> Option<f64> {
        self.0.most_positions()
    }
    fn symmetric(&self, pos: &AnyPosition, out: &mut Vec<AnyPosition>) {
        self.0.symmetric(pos, out);
    }
    fn version(&self) -> u32 {
        self.0.version()
    }
    fn fault(&self) -> Option<String> {
        self.0.fault()
    }
}

/// A game without chance nodes has no outcomes.
impl Chance for AnyGame {
    fn outcomes(&self, pos: &AnyPosition, out: &mut Vec<(AnyMove, f64)>) {
        self.0.outcomes(pos, out);
    }
    fn roller(&self, pos: &AnyPosition) -> Option<Turn> {
        self.0.roller(pos)
    }
}

impl Notation for AnyGame {
    fn spec(&self) -> String {
        self.0.spec()
    }
    fn write_position(&self, pos: &AnyPosition) -> String {
        self.0.write_position(pos)
    }
    fn read_position(&self, text: &str) -> Result<AnyPosition, InputError> {
        self.0.read_position(text)
    }
    fn reading_note(&self, text: &str) -> Option<String> {
        self.0.reading_note(text)
    }
    fn read_arrangement(&self, text: &str) -> Result<AnyPosition, InputError> {
        self.0.read_arrangement(text)
    }
    fn textbook(&self, pos: &AnyPosition) -> String {
        self.0.textbook(pos)
    }
    fn textbook_positions(&self) -> Option<Vec<AnyPosition>> {
        self.0.textbook_positions()
    }
    fn write_move(&self, pos: &AnyPosition, mv: AnyMove) -> String {
        self.0.write_move(pos, mv)
    }
    fn spoken(&self, pos: &AnyPosition, mv: AnyMove) -> Option<String> {
        self.0.spoken(pos, mv)
    }
    fn said(&self, pos: &AnyPosition, mv: AnyMove) -> String {
        self.0.said(pos, mv)
    }
    fn coordinates(&self, pos: &AnyPosition) -> Vec<(&'static str, i64)> {
        self.0.coordinates(pos)
    }
    fn mates(&self) -> bool {
        self.0.mates()
    }
    fn read_move(&self, pos: &AnyPosition, text: &str) -> Result<AnyMove, InputError> {
        self.0.read_move(pos, text)
    }
    fn split_moves(&self, text: &str) -> Vec<String> {
        self.0.split_moves(text)
    }
    fn draw(&self, pos: &AnyPosition, marks: &[Mark<AnyMove>]) -> Picture {
        self.0.draw(pos, marks)
    }
    fn scene(&self, pos: &AnyPosition) -> Scene {
        self.0.scene(pos)
    }
    fn remarks(&self, pos: &AnyPosition) -> Vec<Remark> {
        self.0.remarks(pos)
    }
    fn warning(&self) -> Option<String> {
        self.0.warning()
    }
}
