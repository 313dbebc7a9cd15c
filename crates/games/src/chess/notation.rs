//! Text notation of chess positions and moves: FEN, coordinate moves such as `e2e4`, and the ending that a FEN belongs
//! to.

use super::geometry::Squares;
use super::index::kings_apart;
use super::material::{BLACK, KING, LETTERS, MOST_MEN, Material, PAWN};
use super::rules::{Chess, ChessMove};
use super::setup::Setup;
use crate::pasted::{self, PictureLines};
use outplay_core::{InputError, Mark, Notation, Picture, Scene, Tone, Turn, cell_name, parse_cell};

pub(super) fn square_name(square: u8) -> String {
    cell_name((square & 7).into(), (square >> 3).into())
}

fn letter(code: u8) -> char {
    let letter = LETTERS[(code & 7) as usize];
    if code & BLACK != 0 { letter.to_ascii_lowercase() } else { letter }
}

/// Parses the men of the first field of a FEN.
fn men_of(board: &str) -> Result<Vec<(u8, u8)>, String> {
    let rows: Vec<&str> = board.split('/').collect();
    if rows.len() != 8 {
        return Err(format!(
            "the board has {} rows instead of 8; write a FEN such as `8/8/8/8/8/2k5/8/K6Q w - - 0 1`",
            rows.len()
        ));
    }
    let mut men = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let mut column = 0;
        for c in row.chars() {
            if let Some(empty) = c.to_digit(10).filter(|n| (1..=8).contains(n)) {
                column += empty;
                continue;
            }
            let Some(kind) = LETTERS.iter().position(|&known| known == c.to_ascii_uppercase()) else {
                return Err(format!(
                    "`{c}` in row {} is neither a man (KQRBNP, kqrbnp) nor a number of empty squares",
                    8 - i
                ));
            };
            if column < 8 {
                men.push((
                    kind as u8 | if c.is_lowercase() { BLACK } else { 0 },
                    ((7 - i) * 8) as u8 + column as u8,
                ));
            }
            column += 1;
        }
        if column != 8 {
            return Err(format!("row {} has {column} squares instead of 8", 8 - i));
        }
    }
    Ok(men)
}

/// Checks that each side has exactly one king.
fn two_kings(men: &[(u8, u8)]) -> Result<(), String> {
    for (code, who) in [(KING, "white"), (KING | BLACK, "black")] {
        match men.iter().filter(|man| man.0 == code).count() {
            1 => {}
            0 => return Err(format!("the {who} king is missing")),
            n => return Err(format!("there are {n} {who} kings")),
        }
    }
    Ok(())
}

/// The ending of a FEN: `KPKP`. It selects the game that a position belongs to.
///
/// The stronger side comes first in an ending's name, whatever its colour. A position with black's queen against
/// white's bare king belongs to KQK: it is displayed as given and looked up with the colours swapped.
///
/// # Errors
///
/// One sentence if the FEN's board is invalid or has too many men. [`Notation::read_position`] checks whether the
/// position is legal.
pub fn ending_of(fen: &str) -> Result<Material, InputError> {
    let bad = |why: String| InputError::position(fen, why);
    let (drawn, _) = picture(fen);
    let board = fen.split_whitespace().next().unwrap_or_default();
    let men = men_of(if pasted::is_picture(fen) { &drawn } else { board }).map_err(&bad)?;
    two_kings(&men).map_err(&bad)?;
    if men.len() > MOST_MEN {
        let n = men.len();
        return Err(bad(format!(
            "an ending has at most {MOST_MEN} men, kings included, but the FEN has {n}"
        )));
    }
    let of = |side: u8| {
        let own = men.iter().filter(|&&(code, _)| code & BLACK == side && code & 7 != KING);
        own.map(|(code, _)| code & 7).collect()
    };
    Ok(Material::new(of(0), of(BLACK)).0)
}

/// The first field of the FEN of a picture, and the side to move if a line names it.
fn picture(text: &str) -> (String, Option<Turn>) {
    let board = PictureLines::new(text);
    let (mut rows, mut turn) = (Vec::new(), board.turn);
    for row in board.rows(|_| 8) {
        match row.as_slice() {
            ["w"] => turn = Some(Turn::First),
            ["b"] => turn = Some(Turn::Second),
            ["a", "b", "c", "d", "e", "f", "g", "h"] => {}
            cells => {
                let empty = |c: char| if "._-+·*".contains(c) { '1' } else { c };
                rows.push(cells.concat().chars().map(empty).collect::<String>());
            }
        }
    }
    (rows.join("/"), turn)
}

/// Parses the fourth field of a FEN, the en passant square.
fn passed_square(text: &str, setup: &Setup) -> Result<u8, String> {
    let cell = parse_cell(text).filter(|&(column, row)| column < 8 && row < 8);
    let Some((column, row)) = cell.filter(|_| text.len() == 2) else {
        return Err(format!(
            "`{text}` is not a square; write - or the square on which a capture en passant is possible"
        ));
    };
    let (who, other, expected) =
        if setup.black_to_move { ("black", "white", 2) } else { ("white", "black", 5) };
    if row != expected {
        let row = expected + 1;
        return Err(format!(
            "{who} can capture en passant only on row {row}, not on {text}; write - for the square"
        ));
    }
    let passed = (row * 8 + column) as u8;
    let from_to = if setup.black_to_move { (passed - 8, passed + 8) } else { (passed + 8, passed - 8) };
    setup.can_have_passed(passed).map(|()| passed).map_err(|why| {
        let (from, to) = (square_name(from_to.0), square_name(from_to.1));
        format!(
            "{other} cannot just have played {from}{to} for a capture en passant on {text}, because {why}; write - for the square"
        )
    })
}

impl Chess {
    /// Builds a position from men on squares, if it is legal.
    fn setup(&self, mut men: Vec<(u8, u8)>, black_to_move: bool) -> Result<Setup, String> {
        men.sort_by_key(|&(code, _)| (code & 7 != KING, code));
        two_kings(&men)?;
        let most = self.own.iter().map(Material::men).max().unwrap_or(0);
        if men.len() > most.min(MOST_MEN) {
            return Err(format!(
                "{} men are on the board, but {} has at most {most}",
                men.len(),
                self.spec()
            ));
        }
        let key = Material::key(men[2..].iter().map(|man| man.0));
        if !self.tiers.iter().any(|material| material.keys().contains(&key)) {
            return Err(format!(
                "these men are neither those of {} nor what captures and promotions can make of them; open the game of these men instead",
                self.spec()
            ));
        }
        if let Some(man) = men.iter().find(|man| man.0 & 7 == PAWN && !(8..56).contains(&man.1)) {
            return Err(format!("a pawn cannot stand on {}", square_name(man.1)));
        }
        if !kings_apart(men[0].1, men[1].1) {
            return Err("the kings stand next to each other".to_string());
        }
        let setup = Setup::new(&men, black_to_move);
        if setup.in_check(!black_to_move) {
            let who = if black_to_move { "white" } else { "black" };
            return Err(format!("the {who} king is in check, but it is not {who}'s turn"));
        }
        Ok(setup)
    }
}

impl Notation for Chess {
    fn spec(&self) -> String {
        match self.own.as_slice() {
            [one] => format!("chess:{one}"),
            all => format!("chess:all{}", all.iter().map(Material::men).max().unwrap_or(0)),
        }
    }

    fn write_position(&self, pos: &Setup) -> String {
        let mut rows = Vec::new();
        for row in (0..8u8).rev() {
            let (mut text, mut empty) = (String::new(), 0);
            for column in 0..8 {
                let man = (0..pos.men as usize).find(|&man| pos.squares[man] == row * 8 + column);
                match man {
                    None => empty += 1,
                    Some(man) => {
                        if empty > 0 {
                            text += &empty.to_string();
                        }
                        empty = 0;
                        text.push(letter(pos.codes[man]));
                    }
                }
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            rows.push(text);
        }
        let passed = pos.passed().map_or("-".to_string(), square_name);
        format!("{} {} - {passed} 0 1", rows.join("/"), if pos.black_to_move { 'b' } else { 'w' })
    }

    fn read_position(&self, text: &str) -> Result<Setup, InputError> {
        let bad = |why: String| InputError::position(text, why);
        if pasted::is_picture(text) {
            let (board, turn) = picture(text);
            let sides = ["w", "b"].into_iter().zip([Turn::First, Turn::Second]);
            let sides = sides.filter(|(_, side)| turn.is_none_or(|turn| turn == *side));
            let read = sides.map(|(side, _)| self.read_position(&format!("{board} {side}")));
            return pasted::only(read, || {
                bad("the picture does not say which side is to move; add a line with w or b".into())
            });
        }
        let fields: Vec<&str> = text.split_whitespace().collect();
        let Some(board) = fields.first() else {
            return Err(bad("the FEN is empty; write one such as `8/8/8/8/8/2k5/8/K6Q w - - 0 1`".into()));
        };
        let men = men_of(board).map_err(&bad)?;
        let black_to_move = match fields.get(1) {
            Some(&"w") => false,
            Some(&"b") => true,
            Some(other) => return Err(bad(format!("the side to move is `{other}`; write w or b"))),
            None => return Err(bad("the side to move is missing; add w or b".into())),
        };
        if fields.get(2).is_some_and(|&castling| castling != "-") {
            return Err(bad("castling is not possible in endings; write - in that field".into()));
        }
        if fields.len() > 6 || fields.iter().skip(4).any(|number| number.parse::<u32>().is_err()) {
            return Err(bad(
                "after the board write the side to move (w or b), - for castling, an en passant square or -, and \
                 optionally the two move counters, as in `w - - 0 1`"
                    .into(),
            ));
        }
        let setup = self.setup(men, black_to_move).map_err(&bad)?;
        match fields.get(3).filter(|&&passed| passed != "-") {
            None => Ok(setup),
            Some(text) => Ok(setup.with_right(passed_square(text, &setup).map_err(bad)?)),
        }
    }

    fn write_move(&self, _pos: &Setup, mv: ChessMove) -> String {
        let promotion = mv.promotion.map(|kind| LETTERS[kind as usize].to_ascii_lowercase().to_string());
        square_name(mv.from) + &square_name(mv.to) + &promotion.unwrap_or_default()
    }

    fn spoken(&self, pos: &Setup, mv: ChessMove) -> Option<String> {
        Some(self.san(pos, mv))
    }

    fn mates(&self) -> bool {
        true
    }

    fn read_move(&self, pos: &Setup, text: &str) -> Result<ChessMove, InputError> {
        super::san::read(self, pos, text)
    }

    fn draw(&self, pos: &Setup, _marks: &[Mark<ChessMove>]) -> Picture {
        let mut picture = Picture::default();
        for row in (0..8u8).rev() {
            picture.newline();
            picture.put(format!("{} ", row + 1), Tone::Faint);
            for square in Squares(0xffu64 << (row * 8)) {
                match (0..pos.men as usize).find(|&man| pos.squares[man] == square) {
                    Some(man) => {
                        let tone = if pos.is_black(man) { Tone::Second } else { Tone::First };
                        picture.put(format!(" {}", letter(pos.codes[man])), tone);
                    }
                    None => picture.put(" .", Tone::Faint),
                }
            }
        }
        picture.newline();
        picture.put("   a b c d e f g h", Tone::Faint);
        picture
    }
    fn remarks(&self, pos: &Setup) -> Vec<outplay_core::Remark> {
        super::scene::remarks(self, pos)
    }

    fn scene(&self, pos: &Setup) -> Scene {
        super::scene::scene(self, pos)
    }
}
