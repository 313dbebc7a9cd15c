//! A game in progress: what was played, what was taken back, and who plays.
//!
//! Invariant: `moves` is legal from the start position, because a move joins it only after the game has read it.

use outplay_answer::{ChoiceAnswer, ChooseRequest, Entry, Place, QueryAnswer, QueryOptions, Trouble, View};
use outplay_core::{Counters, Layout, Notation, Quiet, Turn, Watch};

/// Who makes the moves of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Whoever sits at the keyboard.
    Human,
    /// A player, by its spec.
    Player(String),
}

impl Seat {
    /// `human`, or a player's spec.
    pub fn new(text: &str) -> Seat {
        if text == "human" { Seat::Human } else { Seat::Player(text.into()) }
    }

    /// What to call it.
    pub fn name(&self) -> &str {
        match self {
            Seat::Human => "you",
            Seat::Player(spec) => spec,
        }
    }
}

/// Plies after which a game between players alone is a draw.
const LONGEST: usize = 500;

/// A game in progress.
pub struct Session {
    entry: Entry,
    start: Place,
    moves: Vec<String>,
    undone: Vec<String>,
    seats: [Seat; 2],
    seed: u64,
    options: QueryOptions,
    view: View,
    task: Option<String>,
    /// What the searches of the two sides did, over all their moves.
    counters: [Counters; 2],
}

impl Session {
    /// A game from a place on. A game without a start, such as a chess ending, begins with a puzzle.
    ///
    /// # Errors
    ///
    /// A place or a player that makes no sense.
    pub fn new(
        entry: Entry,
        start: Place,
        seats: [Seat; 2],
        seed: u64,
        options: QueryOptions,
    ) -> Result<Session, Trouble> {
        let (start, view, task) = match entry.view(&start) {
            Err(trouble) if start == Place::Start && trouble.is_startless() => {
                // What cannot be solved in time cannot make a puzzle: then the first sentence stands.
                let Ok(puzzle) = outplay_explain::puzzle(&entry, seed, &options, &Quiet) else {
                    return Err(trouble);
                };
                let start = Place::Position(puzzle.position);
                let view = entry.view(&start)?;
                (start, view, Some(puzzle.task))
            }
            found => (start, found?, None),
        };
        Ok(Session {
            entry,
            start,
            moves: Vec::new(),
            undone: Vec::new(),
            seats,
            seed,
            options,
            view,
            task,
            counters: [Counters::default(); 2],
        })
    }

    /// What there is to do, if the game began with a puzzle.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref()
    }

    /// The position now.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The game.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The moves since the start.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// Who plays the first and the second side.
    pub fn seats(&self) -> &[Seat; 2] {
        &self.seats
    }

    /// Where the game is.
    pub fn place(&self) -> Place {
        self.place_after(&self.moves)
    }

    fn place_after(&self, moves: &[String]) -> Place {
        if moves.is_empty() {
            return self.start.clone();
        }
        let list = moves.join(" ");
        match &self.start {
            Place::Start => Place::Moves(list),
            Place::Moves(before) => Place::Moves(format!("{before} {list}")),
            Place::Position(position) => Place::MovesFrom { position: position.clone(), moves: list },
            Place::At(pos) => {
                let position = self.entry.game().write_position(pos);
                Place::MovesFrom { position, moves: list }
            }
            Place::MovesFrom { position, moves } => {
                Place::MovesFrom { position: position.clone(), moves: format!("{moves} {list}") }
            }
        }
    }

    /// Whether nobody at the keyboard could end a game that goes round in circles, and it has lasted too long: a draw.
    pub fn is_endless(&self) -> bool {
        self.moves.len() >= LONGEST && !self.seats.contains(&Seat::Human) && self.view.outcome.is_none()
    }

    /// Who is to move; `None` when the game is over.
    pub fn mover(&self) -> Option<Mover<'_>> {
        if self.is_endless() || self.view.outcome.is_some() || self.view.scene.moves.is_empty() {
            return None;
        }
        Some(match self.seat(self.view.to_move) {
            None => Mover::Dice,
            Some(Seat::Human) => Mover::Human,
            Some(Seat::Player(spec)) => Mover::Player(spec),
        })
    }

    /// Who makes the moves of a side; nobody rolls the dice.
    fn seat(&self, turn: Turn) -> Option<&Seat> {
        match turn {
            Turn::First => Some(&self.seats[0]),
            Turn::Second => Some(&self.seats[1]),
            Turn::Chance => None,
        }
    }

    /// Plays the move that a player, or the dice, chose.
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

    /// What the searches of the first and of the second side did, over all their moves.
    pub fn counters(&self) -> &[Counters; 2] {
        &self.counters
    }

    /// Plays a move in the game's notation.
    ///
    /// # Errors
    ///
    /// A move that is not legal here.
    pub fn play(&mut self, mv: &str) -> Result<(), Trouble> {
        let mut moves = self.moves.clone();
        moves.push(mv.trim().to_string());
        self.view = self.entry.view(&self.place_after(&moves))?;
        self.moves = moves;
        self.undone.clear();
        Ok(())
    }

    /// Takes back moves to the last turn of a human; whether there was one.
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

    /// Plays moves again that were taken back, to the next turn of a human; whether there were any.
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

    /// Goes where the moves lead if a human is to move there, or nobody at all plays by hand.
    fn settles(&mut self, moves: &[String]) -> bool {
        let Ok(view) = self.entry.view(&self.place_after(moves)) else { return false };
        let nobody = !self.seats.contains(&Seat::Human);
        let human = self.seat(view.to_move) == Some(&Seat::Human);
        if nobody || human {
            self.view = view;
        }
        nobody || human
    }

    fn look(&mut self, moves: &[String]) {
        // These moves were legal before.
        if let Ok(view) = self.entry.view(&self.place_after(moves)) {
            self.view = view;
        }
    }

    /// Begins again.
    pub fn restart(&mut self) {
        self.moves.clear();
        self.undone.clear();
        self.counters = [Counters::default(); 2];
        self.seed = self.seed.wrapping_add(1);
        self.look(&[]);
    }

    /// What to ask of a player, or of the dice, at this point of this game.
    pub fn request(&self, player: &str) -> ChooseRequest {
        // Another seed for every move of every game, and the same ones when the game is played again.
        let seed = self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(self.moves.len() as u64);
        let mut request = ChooseRequest::default();
        request.place = self.place();
        request.player = player.into();
        request.seed = seed;
        request.files = true;
        request.options = self.options.clone();
        request
    }

    /// What a player, or the dice, would do now.
    ///
    /// # Errors
    ///
    /// A player that cannot play here, or a stop.
    pub fn choose(&self, player: &str, watch: &dyn Watch) -> Result<ChoiceAnswer, Trouble> {
        self.entry.choose(&self.request(player), watch)
    }

    /// The values of the moves here.
    ///
    /// # Errors
    ///
    /// A damaged table, or a stop.
    pub fn values(&self, watch: &dyn Watch) -> Result<QueryAnswer, Trouble> {
        self.entry.query(&self.place(), &self.options, watch)
    }

    /// What searches may use.
    pub fn options(&self) -> &QueryOptions {
        &self.options
    }

    /// How the game stands, in a sentence.
    pub fn status(&self) -> String {
        let names = match self.view.scene.layout {
            Layout::Chess => ["White", "Black"],
            _ => ["First", "Second"],
        };
        let side = names[usize::from(self.view.to_move == Turn::Second)];
        match (self.view.outcome, self.mover()) {
            (Some(0), _) => "The game is over: a draw.".into(),
            (Some(payoff), _) => {
                let winner = if payoff > 0 { 0 } else { 1 };
                let points =
                    if payoff.abs() > 1 { format!(" {} points", payoff.abs()) } else { String::new() };
                let (name, seat) = (names[winner], self.seats[winner].name());
                format!("The game is over: {name} ({seat}) wins{points}.")
            }
            (None, Some(Mover::Dice)) => "The dice roll.".into(),
            (None, Some(Mover::Human)) => format!("{side} to move (you)."),
            (None, Some(Mover::Player(spec))) => format!("{side} to move ({spec})."),
            (None, None) if self.is_endless() => {
                format!("The game is over: a draw, because players alone play {LONGEST} plies at most.")
            }
            (None, None) => "The game is over.".into(),
        }
    }
}

/// Who makes the next move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover<'a> {
    /// Somebody at the keyboard.
    Human,
    /// A player, by its spec.
    Player(&'a str),
    /// The dice.
    Dice,
}
