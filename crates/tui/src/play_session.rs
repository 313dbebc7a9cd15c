//! A game in progress: the moves, the undone moves, and the controller (user or computer player) of each side.
//!
//! Invariant: `moves` is legal from the start position, because a move is appended only after the game has parsed it.

use outplay_core::{Chance, Counters, Game, Notation, Turn};
use outplay_players::Levels;
use outplay_runtime::NoMonitor;
use outplay_workbench::{ChoiceAnswer, ChooseRequest, GameHandle, PositionRef, Session, Trouble, View};

/// Controller of one side: the user or a computer player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seat {
    /// The user at the keyboard.
    Human,
    /// A computer player, by its spec.
    Player(String),
}

impl Seat {
    /// Parses `human` or a player's spec.
    pub fn new(text: &str) -> Seat {
        if text == "human" { Seat::Human } else { Seat::Player(text.into()) }
    }
}

/// A move of a game in progress, with the player who made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The move in the game's notation, as scripts read it.
    pub mv: String,
    /// The move as players read it: algebraic notation in chess, elsewhere the same.
    pub shown: String,
    /// The player who made it; of a roll, the player whose roll it was.
    pub by: Turn,
    /// Whether the dice decided it.
    pub dice: bool,
}

/// Plies after which a game between computer players is a draw.
const LONGEST: usize = 500;

/// A game in progress.
#[derive(Clone)]
pub struct PlaySession {
    /// The rules of play in words, shown on request; empty if there are none.
    pub rules: String,
    entry: GameHandle,
    start: PositionRef,
    moves: Vec<PlayedMove>,
    undone: Vec<PlayedMove>,
    seats: [Seat; 2],
    levels: Levels,
    pub(crate) seed: u64,
    session: Session,
    view: View,
    task: Option<String>,
    /// Search counters of the two sides, over all their moves.
    counters: [Counters; 2],
}

impl PlaySession {
    /// Starts a game at a position. A game without a start, such as a chess ending, starts with a puzzle.
    ///
    /// # Errors
    ///
    /// A position or a player that is not valid.
    pub fn new(
        session: Session,
        entry: GameHandle,
        start: PositionRef,
        seats: [Seat; 2],
        seed: u64,
    ) -> Result<PlaySession, Trouble> {
        let (start, view, task) = match outplay_workbench::view(&entry, &start) {
            Err(trouble) if start == PositionRef::Start && trouble.is_startless() => {
                // A game too large to make a puzzle in time keeps the first error.
                let Ok(puzzle) = outplay_teach::puzzle(&session, &entry, seed, &NoMonitor) else {
                    return Err(trouble);
                };
                let start = PositionRef::Position(puzzle.position);
                let view = outplay_workbench::view(&entry, &start)?;
                (start, view, Some(puzzle.task))
            }
            found => (start, found?, None),
        };
        Ok(PlaySession {
            rules: String::new(),
            levels: outplay_workbench::players(&session, &entry).levels,
            entry,
            start,
            moves: Vec::new(),
            undone: Vec::new(),
            seats,
            seed,
            session,
            view,
            task,
            counters: [Counters::default(); 2],
        })
    }

    /// The task, if the game started with a puzzle.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref()
    }

    /// The current position.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The game.
    pub fn entry(&self) -> &GameHandle {
        &self.entry
    }

    /// The moves since the start.
    pub fn moves(&self) -> &[PlayedMove] {
        &self.moves
    }

    /// Controllers of the first and the second side.
    pub fn seats(&self) -> &[Seat; 2] {
        &self.seats
    }

    /// The names of the sides and their controllers: `Second` and `level 5, Casual`.
    pub fn names(&self) -> [(&'static str, String); 2] {
        let sides = if self.entry.game().mates() { ["White", "Black"] } else { ["First", "Second"] };
        let name = |seat: &Seat| match seat {
            Seat::Human => "you".to_string(),
            Seat::Player(spec) => match self.levels.iter().find(|level| level.player == *spec) {
                Some(level) => format!("level {}, {}", level.number, level.name),
                None => spec.clone(),
            },
        };
        [(sides[0], name(&self.seats[0])), (sides[1], name(&self.seats[1]))]
    }

    /// The levels of strength that the game offers.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// The side whose player [`PlaySession::set_opponent`] replaces: the user's opponent, else the second.
    pub fn opponent(&self) -> usize {
        usize::from(self.seats[1] != Seat::Human || self.seats[0] == Seat::Human)
    }

    /// Gives the opponent's side to a player; also while the game is in progress.
    pub fn set_opponent(&mut self, spec: &str) {
        let side = self.opponent();
        self.seats[side] = Seat::Player(spec.into());
    }

    /// Exchanges the controllers of the sides in the position reached.
    pub fn swap_sides(&mut self) {
        self.seats.swap(0, 1);
    }

    /// Where the game stands, as a place.
    pub fn place(&self) -> PositionRef {
        self.place_after(&self.moves)
    }

    /// The position after the first of the moves.
    pub(crate) fn place_after(&self, moves: &[PlayedMove]) -> PositionRef {
        if moves.is_empty() {
            return self.start.clone();
        }
        let list = moves.iter().map(|made| made.mv.as_str()).collect::<Vec<_>>().join(" ");
        match &self.start {
            PositionRef::Start => PositionRef::Moves(list),
            PositionRef::Moves(before) => PositionRef::Moves(format!("{before} {list}")),
            PositionRef::Position(position) => {
                PositionRef::MovesFrom { position: position.clone(), moves: list }
            }
            PositionRef::At(pos) => {
                let position = self.entry.game().write_position(pos);
                PositionRef::MovesFrom { position, moves: list }
            }
            PositionRef::MovesFrom { position, moves } => {
                PositionRef::MovesFrom { position: position.clone(), moves: format!("{moves} {list}") }
            }
        }
    }

    /// Returns the controller to move; `None` when the game is over.
    pub fn mover(&self) -> Option<Mover<'_>> {
        if is_endless(self) || self.view.outcome.is_some() || self.view.scene.moves.is_empty() {
            return None;
        }
        Some(match seat(&self.seats, self.view.to_move) {
            None => Mover::Dice,
            Some(Seat::Human) => Mover::Human,
            Some(Seat::Player(spec)) => Mover::Player(spec),
        })
    }

    /// Plays the move that a player or the dice chose.
    ///
    /// # Errors
    ///
    /// A move that is not legal here.
    pub fn accept(&mut self, choice: &ChoiceAnswer) -> Result<(), Trouble> {
        let side = usize::from(self.view.to_move == Turn::Second);
        self.play(&choice.mv)?;
        self.counters[side] += choice.counters;
        Ok(())
    }

    /// Search counters of the first and the second side, over all their moves.
    pub fn counters(&self) -> &[Counters; 2] {
        &self.counters
    }

    /// Plays a move, or a list of moves, in the game's notation.
    ///
    /// # Errors
    ///
    /// A move that is not legal here.
    pub fn play(&mut self, mv: &str) -> Result<(), Trouble> {
        let game = self.entry.game();
        let mut pos = self.entry.locate(&self.place())?;
        let mut moves = self.moves.clone();
        for word in game.split_moves(mv) {
            let mv = game.read_move(&pos, &word)?;
            let turn = game.turn(&pos);
            let by = match (turn, moves.last()) {
                (Turn::Chance, last) => game.roller(&pos).or(last.map(|made| made.by)).unwrap_or(Turn::First),
                (side, _) => side,
            };
            let text = game.write_move(&pos, mv);
            let shown = game.spoken(&pos, mv).unwrap_or_else(|| text.clone());
            moves.push(PlayedMove { mv: text, shown, by, dice: turn == Turn::Chance });
            pos = game.play(&pos, mv);
        }
        self.view = outplay_workbench::view(&self.entry, &self.place_after(&moves))?;
        self.moves = moves;
        self.undone.clear();
        Ok(())
    }

    /// Takes back moves to the last turn of a human; returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let mut moves = self.moves.clone();
        let mut undone = self.undone.clone();
        while let Some(mv) = moves.pop() {
            undone.push(mv);
            if self.settles(&moves) {
                (self.moves, self.undone) = (moves, undone);
                return true;
            }
        }
        false
    }

    /// Replays undone moves to the next turn of a human; returns whether there were any.
    pub fn redo(&mut self) -> bool {
        let mut moves = self.moves.clone();
        let mut undone = self.undone.clone();
        while let Some(mv) = undone.pop() {
            moves.push(mv);
            if self.settles(&moves) || undone.is_empty() {
                self.look(&moves);
                (self.moves, self.undone) = (moves, undone);
                return true;
            }
        }
        false
    }

    /// Moves to the position after `moves` if a human is to move there, or if there are no humans.
    fn settles(&mut self, moves: &[PlayedMove]) -> bool {
        let Ok(view) = outplay_workbench::view(&self.entry, &self.place_after(moves)) else { return false };
        let no_humans = !self.seats.contains(&Seat::Human);
        let human = seat(&self.seats, view.to_move) == Some(&Seat::Human);
        if no_humans || human {
            self.view = view;
        }
        no_humans || human
    }

    fn look(&mut self, moves: &[PlayedMove]) {
        // These moves were legal before.
        if let Ok(view) = outplay_workbench::view(&self.entry, &self.place_after(moves)) {
            self.view = view;
        }
    }

    /// Restarts the game.
    pub fn restart(&mut self) {
        self.moves.clear();
        self.undone.clear();
        self.counters = [Counters::default(); 2];
        self.seed = self.seed.wrapping_add(1);
        self.look(&[]);
    }

    /// Builds the request to a player or the dice at this position.
    pub fn request(&self, player: &str) -> ChooseRequest {
        // A distinct seed for each move of each game, reproducible from the session's seed.
        let seed = self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(self.moves.len() as u64);
        let mut request = ChooseRequest::default();
        request.place = self.place();
        request.player = player.into();
        request.seed = seed;
        request.files = true;
        request
    }

    /// The limits and caches of searches.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Describes the state of the game in a sentence.
    pub fn status(&self) -> String {
        let names = self.names();
        let (side, seat) = &names[usize::from(self.view.to_move == Turn::Second)];
        match (self.view.outcome, self.mover()) {
            (Some(0), _) => "The game is over: a draw.".into(),
            (Some(payoff), _) => {
                let (name, seat) = &names[usize::from(payoff < 0)];
                let points =
                    if payoff.abs() > 1 { format!(" {} points", payoff.abs()) } else { String::new() };
                format!("The game is over: {name} ({seat}) wins{points}.")
            }
            (None, Some(Mover::Dice)) => "The dice roll.".into(),
            (None, Some(Mover::Human | Mover::Player(_))) => format!("{side} to move ({seat})."),
            (None, None) if is_endless(self) => {
                format!(
                    "The game is over: a draw, because a game between computer players ends after {LONGEST} moves."
                )
            }
            (None, None) => "The game is over.".into(),
        }
    }
}

/// Returns the controller of a side; `None` at a chance node.
fn seat(seats: &[Seat; 2], turn: Turn) -> Option<&Seat> {
    match turn {
        Turn::First => Some(&seats[0]),
        Turn::Second => Some(&seats[1]),
        Turn::Chance => None,
    }
}

/// Whether a game without humans has reached the ply limit: it may be cyclic, so it counts as a draw.
fn is_endless(session: &PlaySession) -> bool {
    session.moves.len() >= LONGEST && !session.seats.contains(&Seat::Human) && session.view.outcome.is_none()
}

/// Controller of the next move: the user, a computer player or the dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover<'a> {
    /// The user at the keyboard.
    Human,
    /// A computer player, by its spec.
    Player(&'a str),
    /// The dice.
    Dice,
}
