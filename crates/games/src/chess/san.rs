//! Standard algebraic notation (SAN): `Kd5`, `Nbxd7+`, `exd6`, `a8=Q#`.

use super::material::{LETTERS, PAWN};
use super::notation::square_name;
use super::rules::{Chess, ChessMove};
use super::setup::Setup;
use outplay_core::{Game, InputError, Notation, column_name};

/// A parsed SAN move: the piece type, its target, and the origin as far as it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct ParsedSan {
    kind: u8,
    column: Option<u8>,
    row: Option<u8>,
    to: u8,
    promotion: Option<u8>,
}

/// The man on a square.
fn man_on(pos: &Setup, square: u8) -> Option<usize> {
    (0..pos.men as usize).find(|&man| pos.squares[man] == square)
}

fn kind_on(pos: &Setup, square: u8) -> u8 {
    man_on(pos, square).map_or(PAWN, |man| pos.kind(man))
}

fn legal_moves(game: &Chess, pos: &Setup) -> Vec<ChessMove> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    moves
}

impl Chess {
    /// A legal move in standard algebraic notation.
    pub fn san(&self, pos: &Setup, mv: ChessMove) -> String {
        let kind = kind_on(pos, mv.from);
        let next = self.play(pos, mv);
        let takes = next.men < pos.men;
        let mut text = String::new();
        if kind != PAWN {
            text.push(LETTERS[kind as usize]);
            text += &self.origin(pos, mv, kind);
        } else if takes {
            text += &column_name((mv.from & 7).into());
        }
        if takes {
            text.push('x');
        }
        text += &square_name(mv.to);
        if let Some(kind) = mv.promotion {
            text.push('=');
            text.push(LETTERS[kind as usize]);
        }
        if next.in_check(next.black_to_move) {
            text.push(if self.outcome(&next).is_some() { '#' } else { '+' });
        }
        text
    }

    /// The disambiguation of the origin square among men of the same type with the same target: none, the file, else
    /// the rank, else both.
    fn origin(&self, pos: &Setup, mv: ChessMove, kind: u8) -> String {
        let rivals = legal_moves(self, pos);
        let rivals = rivals.iter().filter(|other| other.to == mv.to && other.from != mv.from);
        let rivals: Vec<u8> =
            rivals.map(|other| other.from).filter(|&from| kind_on(pos, from) == kind).collect();
        let name = square_name(mv.from);
        if rivals.is_empty() {
            return String::new();
        }
        if rivals.iter().all(|from| from & 7 != mv.from & 7) {
            return name[..1].to_string();
        }
        if rivals.iter().all(|from| from >> 3 != mv.from >> 3) { name[1..].to_string() } else { name }
    }
}

/// Parses SAN without a check for legality. Redundant signs are optional: x, =, +, # and annotations such as `!?`.
fn parse(text: &str) -> Option<ParsedSan> {
    let text = text.trim_end_matches("e.p.").trim_end_matches(['+', '#', '!', '?']);
    let kind_of = |letter: char| LETTERS.iter().position(|&known| known == letter).map(|kind| kind as u8);
    let mut letters: Vec<char> = text.chars().filter(|letter| !"x=:".contains(*letter)).collect();
    let mut said = ParsedSan { kind: PAWN, ..ParsedSan::default() };
    if let Some(kind) = letters.first().copied().and_then(kind_of) {
        said.kind = kind;
        letters.remove(0);
    }
    if let Some(kind) = letters.last().copied().and_then(kind_of) {
        said.promotion = Some(kind);
        letters.pop();
    }
    let column = |letter: char| ('a'..='h').contains(&letter).then(|| letter as u8 - b'a');
    let row = |letter: char| ('1'..='8').contains(&letter).then(|| letter as u8 - b'1');
    said.to = row(letters.pop()?)? * 8;
    said.to += column(letters.pop()?)?;
    if let Some(found) = letters.last().copied().and_then(row) {
        said.row = Some(found);
        letters.pop();
    }
    if let Some(found) = letters.last().copied().and_then(column) {
        said.column = Some(found);
        letters.pop();
    }
    letters.is_empty().then_some(said)
}

impl ParsedSan {
    fn means(&self, pos: &Setup, mv: ChessMove) -> bool {
        mv.to == self.to
            && mv.promotion == self.promotion
            && kind_on(pos, mv.from) == self.kind
            && self.column.is_none_or(|column| mv.from & 7 == column)
            && self.row.is_none_or(|row| mv.from >> 3 == row)
    }
}

/// Parses a legal move in coordinate notation or SAN.
pub(super) fn read(game: &Chess, pos: &Setup, text: &str) -> Result<ChessMove, InputError> {
    let moves = legal_moves(game, pos);
    if moves.is_empty() {
        return Err(InputError::mv(text, "the game is over, so no move is legal"));
    }
    if let Some(&mv) = moves.iter().find(|&&mv| game.write_move(pos, mv) == text) {
        return Ok(mv);
    }
    let words = |moves: &[ChessMove]| {
        let spoken: Vec<String> = moves.iter().take(12).map(|&mv| game.san(pos, mv)).collect();
        spoken.join(" ") + if moves.len() > 12 { " …" } else { "" }
    };
    let meant: Vec<ChessMove> = match parse(text) {
        Some(said) => moves.iter().copied().filter(|&mv| said.means(pos, mv)).collect(),
        None => Vec::new(),
    };
    match meant.as_slice() {
        [mv] => Ok(*mv),
        [] => Err(InputError::mv(
            text,
            format!("not a legal move in this position; the legal moves are {}", words(&moves)),
        )),
        several => Err(InputError::mv(
            text,
            format!("several men can make this move; write one of {}", words(several)),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    /// The moves that a SAN string matches, in coordinate notation.
    fn check(spec: &str, fen: &str, lines: &[(&str, &str)]) {
        let game = Chess::from_spec(Spec::parse(spec).unwrap()).unwrap();
        let pos = game.read_position(fen).unwrap();
        for &(plain, spoken) in lines {
            let mv = game.read_move(&pos, plain).unwrap();
            assert_eq!(game.san(&pos, mv), spoken, "{fen} {plain}");
            assert_eq!(game.read_move(&pos, spoken), Ok(mv), "{fen} {spoken}");
        }
    }

    #[test]
    fn moves_are_written_in_san() {
        check("chess:KRKP", "8/8/8/8/8/k7/2p1K3/1R6 b - - 0 1", &[("c2b1q", "cxb1=Q"), ("c2c1n", "c1=N+")]);
        check("chess:KQK", "k7/8/1K6/8/8/8/8/7Q b - - 0 1", &[("a8b8", "Kb8")]);
        check("chess:KQK", "k7/8/1K6/8/8/8/8/4Q3 w - - 0 1", &[("e1e8", "Qe8#"), ("e1e4", "Qe4+")]);
        // One of two knights by its file, rooks on one file by their rank, a queen of three by both.
        check("chess:KNNK", "8/8/8/8/8/k7/8/K1N3N1 w - - 0 1", &[("c1e2", "Nce2"), ("g1h3", "Nh3")]);
        check("chess:KRRK", "R7/8/8/8/4k3/8/8/R3K3 w - - 0 1", &[("a8a5", "R8a5"), ("a1a3", "R1a3")]);
        let queens = [("h4e1", "Qh4e1"), ("e4e1", "Qee1"), ("h1e1", "Q1e1"), ("h4d8", "Qd8")];
        check("chess:KQQQK", "8/8/k7/8/4Q2Q/1K6/8/7Q w - - 0 1", &queens);
        check("chess:KPKP", "8/8/8/8/1pP5/8/8/k2K4 b - c3 0 1", &[("b4c3", "bxc3"), ("b4b3", "b3")]);
    }

    #[test]
    fn loose_san_is_parsed() {
        let game = Chess::from_spec(Spec::parse("chess:KPKP").unwrap()).unwrap();
        let pos = game.read_position("8/8/8/8/1pP5/8/8/k2K4 b - c3 0 1").unwrap();
        for text in ["b4c3", "bxc3", "bc3", "bxc3e.p.", "b4xc3!?", "bc"] {
            let read = game.read_move(&pos, text);
            assert_eq!(read.is_ok(), text != "bc", "{text}: {read:?}");
        }
        let twins = Chess::from_spec(Spec::parse("chess:KNNK").unwrap()).unwrap();
        let pos = twins.read_position("8/8/8/8/8/k7/8/K1N3N1 w - - 0 1").unwrap();
        let error = twins.read_move(&pos, "Ne2").unwrap_err().to_string();
        assert!(error.contains("Nce2 Nge2"), "{error}");
        let error = twins.read_move(&pos, "Nd4").unwrap_err().to_string();
        assert!(error.contains("not a legal move"), "{error}");
        for text in ["", "N", "x", "é", "Kb1K", "a", "Nce2extra", "++"] {
            assert!(twins.read_move(&pos, text).is_err(), "{text}");
        }
    }
}
