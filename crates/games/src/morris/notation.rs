//! Text notation of morris: the points row by row from the top, the player to move and the number of men placed.
//!
//! ```text
//! text                      meaning
//! x.o/.../... x 2           three: two men placed, x to move
//! x.x/.../..../o.o/xo. o 6  six, men=3: all placed, o to move
//! b2    a1-a2    a1-a2xc3   moves: a man placed, a man moved, a man moved with a capture
//! ```

use super::rules::{Men, Morris, Step, Variant};
use crate::pasted::{self, PictureLines};
use outplay_core::{InputError, Mark, Notation, Picture, Remark, Scene, Tone, Turn, cell_name};

impl Morris {
    pub(super) fn name(&self, point: u8) -> String {
        let (column, row) = self.board.points[point as usize];
        cell_name(column, row)
    }

    fn rows(&self) -> impl Iterator<Item = usize> + use<> {
        let top = self.board.points.last().map_or(0, |&(_, row)| row);
        (0..=top).rev()
    }

    /// The points of a row from the left.
    fn row(&self, row: usize) -> impl Iterator<Item = u8> + '_ {
        (0..self.board.points.len() as u8).filter(move |&p| self.board.points[p as usize].1 == row)
    }

    fn letter(&self, pos: &Men, point: u8) -> char {
        match (pos.first >> point & 1, pos.second >> point & 1) {
            (1, _) => 'x',
            (_, 1) => 'o',
            _ => '.',
        }
    }

    /// Parses a picture. The number of men placed, and the player to move if the picture names none, are those that
    /// fit, if only one pair does.
    fn read_picture(&self, text: &str) -> Result<Men, InputError> {
        let bad = |why: String| InputError::position(text, why);
        let board = PictureLines::new(text);
        let widths: Vec<usize> = self.rows().map(|row| self.row(row).count()).collect();
        let mut rows = board.rows(|row| widths.get(row).copied().unwrap_or(2));
        let mut turns =
            board.turn.map_or(vec!['x', 'o'], |turn| vec![if turn == Turn::First { 'x' } else { 'o' }]);
        let mut placed: Vec<u8> = (0..=self.all_placed()).collect();
        if let Some([turn @ ("x" | "o"), number]) = rows.get(widths.len()).map(Vec::as_slice) {
            turns = turn.chars().collect();
            placed =
                vec![number.parse().map_err(|_| bad(format!("`{number}` is not a number of men placed")))?];
        }
        rows.truncate(widths.len());
        let letter = |word: &&str| match *word {
            "=" => ".".to_string(),
            word if word.len() > 1 && word.starts_with(['+', '-']) => ".".to_string(),
            word => word.to_string(),
        };
        let rows: Vec<String> = rows.iter().map(|row| row.iter().map(letter).collect()).collect();
        let rows = rows.join("/");
        let read = turns.iter().flat_map(|turn| placed.iter().map(move |placed| (turn, placed)));
        let read = read.map(|(turn, placed)| self.read_position(&format!("{rows} {turn} {placed}")));
        pasted::only(read, || {
            bad(format!(
                "the picture does not determine the player to move and the number of men placed; write `{rows} x N` or `{rows} o N` with this number"
            ))
        })
    }

    /// The reason why a parsed position is invalid, if it is.
    fn complaint(&self, pos: &Men) -> Option<String> {
        let (placed, all) = (pos.placed, self.all_placed());
        if placed > all {
            return Some(format!("{placed} men were placed, but the game has {all}"));
        }
        if placed < all && (placed % 2 == 1) != pos.second_to_move {
            return Some(format!(
                "after {placed} placed men it is the other player's turn; change the number of men placed or the player to move"
            ));
        }
        for (set, most, who) in [(pos.first, placed.div_ceil(2), 'x'), (pos.second, placed / 2, 'o')] {
            let men = set.count_ones() as u8;
            if men > most {
                return Some(format!("{who} has {men} men on the board but placed only {most}"));
            }
            if !self.takes() && men < most {
                return Some(format!(
                    "{who} has {men} men on the board but placed {most}, and this game has no captures"
                ));
            }
        }
        if let Some((most, least)) = self.ending {
            let (one, other) = (pos.first.count_ones() as u8, pos.second.count_ones() as u8);
            let (more, less) = (one.max(other), one.min(other));
            if placed < all {
                return Some(format!(
                    "in an ending all {all} men have been placed; use `morris:nine` for earlier positions"
                ));
            }
            if more > most || less > least {
                return Some(format!(
                    "{more} men against {less} cannot arise from {most} against {least}; `morris:nine` accepts any numbers"
                ));
            }
        }
        let (mover, _) = pos.sides();
        (!self.takes() && self.board.has_line(mover))
            .then(|| "no game reaches it: the player to move already has a line".to_string())
    }
}

impl Notation for Morris {
    fn spec(&self) -> String {
        match self.kind {
            Variant::Three => format!("morris:three,lines={}", self.board.lines.len()),
            Variant::Tapatan => "morris:tapatan".to_string(),
            Variant::Six => {
                format!("morris:six,men={}{}", self.men, if self.flying { ",flying" } else { "" })
            }
            Variant::Nine => {
                let men = self.ending.map(|(a, b)| format!(",men={a}+{b}")).unwrap_or_default();
                format!("morris:nine{men}{}", if self.flying { "" } else { ",flying=off" })
            }
        }
    }

    fn write_position(&self, pos: &Men) -> String {
        let row = |row| self.row(row).map(|point| self.letter(pos, point)).collect::<String>();
        let rows: Vec<String> = self.rows().map(row).collect();
        format!("{} {} {}", rows.join("/"), if pos.second_to_move { 'o' } else { 'x' }, pos.placed)
    }

    fn read_position(&self, text: &str) -> Result<Men, InputError> {
        let bad = |why: String| InputError::position(text, why);
        let example = || {
            format!(
                "write it as `{}`",
                self.write_position(&Men { first: 1, second: 2, placed: 2, second_to_move: false })
            )
        };
        if pasted::is_picture(text) {
            return self.read_picture(text);
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[rows, turn, placed] = words.as_slice() else {
            return Err(bad(format!(
                "a position consists of its rows, the player to move and the number of men placed; {}",
                example()
            )));
        };
        let (mut first, mut second) = (0u32, 0u32);
        let given: Vec<&str> = rows.split('/').collect();
        if given.len() != self.rows().count() {
            return Err(bad(format!(
                "{} rows are given, but the board has {}; {}",
                given.len(),
                self.rows().count(),
                example()
            )));
        }
        for (row, letters) in self.rows().zip(given) {
            let points: Vec<u8> = self.row(row).collect();
            if letters.chars().count() != points.len() {
                return Err(bad(format!("row {} has {} points; {}", row + 1, points.len(), example())));
            }
            for (letter, point) in letters.chars().zip(points) {
                match letter {
                    'x' | 'X' => first |= 1 << point,
                    'o' | 'O' => second |= 1 << point,
                    '.' => {}
                    _ => return Err(bad(format!("`{letter}` is not a point; use x, o or . (empty)"))),
                }
            }
        }
        let second_to_move = match turn {
            "x" => false,
            "o" => true,
            _ => return Err(bad(format!("`{turn}` is neither x nor o, the player to move"))),
        };
        let placed = placed.parse().map_err(|_| bad(format!("`{placed}` is not a number of men placed")))?;
        let pos = Men { first, second, placed, second_to_move };
        match self.complaint(&pos) {
            Some(why) => Err(bad(why)),
            None => Ok(pos),
        }
    }

    fn write_move(&self, _pos: &Men, mv: Step) -> String {
        let from = mv.from.map(|from| self.name(from) + "-").unwrap_or_default();
        let take = mv.take.map(|take| format!("x{}", self.name(take))).unwrap_or_default();
        format!("{from}{}{take}", self.name(mv.to))
    }

    fn draw(&self, pos: &Men, marks: &[Mark<Step>]) -> Picture {
        let mut picture = Picture::default();
        let width = self.board.points.iter().map(|&(column, _)| column).max().unwrap_or(0);
        for row in self.rows() {
            picture.newline();
            picture.put(format!("{} ", row + 1), Tone::Faint);
            for column in 0..=width {
                let point = self.board.points.iter().position(|&cell| cell == (column, row)).map(|p| p as u8);
                let Some(point) = point else {
                    picture.put("    ", Tone::Plain);
                    continue;
                };
                // In the placing phase a move is a point, so its label is drawn there.
                let mark = marks.iter().find(|mark| mark.mv.from.is_none() && mark.mv.to == point);
                match (self.letter(pos, point), mark) {
                    ('x', _) => picture.put("   x", Tone::First),
                    ('o', _) => picture.put("   o", Tone::Second),
                    (_, Some(mark)) => picture.put(format!("{:>4}", mark.text), mark.tone),
                    _ => picture.put("   .", Tone::Faint),
                }
            }
        }
        picture.newline();
        picture.put("  ", Tone::Faint);
        (0..=width)
            .for_each(|column| picture.put(format!("{:>4}", outplay_core::column_name(column)), Tone::Faint));
        picture
    }

    fn remarks(&self, pos: &Men) -> Vec<Remark> {
        super::remarks::remarks(self, pos)
    }

    fn scene(&self, pos: &Men) -> Scene {
        super::scene::scene(self, pos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use outplay_core::{Game, laws};

    fn morris(text: &str) -> Morris {
        Morris::from_spec(Spec::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn the_family_obeys_the_laws() {
        for text in [
            "morris:three,lines=6",
            "morris:three,lines=8",
            "morris:tapatan",
            "morris:six,men=3",
            "morris:six,men=4,flying",
            "morris:six,men=6",
            "morris:nine",
            "morris:nine,flying=off",
            "morris:nine,men=5+4",
            "morris:nine,men=3+3,flying=off",
        ] {
            let game = morris(text);
            assert_eq!(game.spec(), text);
            laws::check(&game);
        }
    }

    /// The picture, with the line below it that names the player to move; the number of men placed is sometimes
    /// missing in games with captures.
    #[test]
    fn pictures_are_read_back() {
        for (text, captures) in [
            ("morris:three,lines=6", false),
            ("morris:tapatan", false),
            ("morris:six,men=4,flying", true),
            ("morris:nine", true),
        ] {
            let game = morris(text);
            laws::random_play(&game, 10, 3, |pos| {
                let picture = game.draw(pos, &[]).plain();
                let side = game.turn(pos);
                let shown = format!("{picture}\na draw by repetition ({} to move)\n", side.word());
                match game.read_position(&shown) {
                    Ok(read) => assert_eq!(read, *pos, "{shown}"),
                    Err(error) => {
                        assert!(captures && error.to_string().contains("does not determine"), "{error}")
                    }
                }
                let letter = if side == Turn::First { 'x' } else { 'o' };
                let (with_labels, placed) = (picture.trim_end(), pos.placed);
                let rows = with_labels.rsplit_once('\n').unwrap().0;
                assert_eq!(game.read_position(&format!("{rows}\n{letter} {placed}")).as_ref(), Ok(pos));
            });
        }
    }

    #[test]
    fn closing_a_mill_takes_a_man_outside_mills() {
        let game = morris("morris:six,men=6");
        let pos = game.read_position("xx./.../..../..o/ooo x 7").unwrap_err();
        assert!(pos.to_string().contains("other player's turn"), "{pos}");
        let pos = game.read_position("xx./.../..../..o/ooo x 12").unwrap();
        let mut moves = Vec::new();
        game.moves(&pos, &mut moves);
        assert!(moves.is_empty(), "x has only two men and lost");
        let pos = game.read_position("xx./..x/..../..o/ooo x 8").unwrap();
        assert!(game.read_move(&pos, "e5xd2").is_ok());
        let error = game.read_move(&pos, "e5xa1").unwrap_err().to_string();
        assert!(error.contains("not a legal move"), "{error}");
        let all_in_mills = game.read_position("xx./..x/..../.../ooo x 8").unwrap();
        assert!(game.read_move(&all_in_mills, "e5xa1").is_ok());
    }

    #[test]
    fn invalid_input_is_rejected() {
        for text in [
            "morris",
            "morris:nine,men=5",
            "morris:nine,men=10+3",
            "morris:nine,men=4+2",
            "morris:nine,flying",
            "morris:nine,flying=yes",
            "morris:three,lines=7",
            "morris:six,men=7",
            "morris:six,men=2",
            "morris:tapatan,flying",
        ] {
            assert!(Morris::from_spec(Spec::parse(text).unwrap()).is_err(), "{text}");
        }
        let game = morris("morris:three,lines=8");
        for text in [
            "",
            "x",
            "../.../... x 0",
            ".../... x 0",
            "xxx/oo./... o 5 5",
            "y../.../... o 1",
            "x../.../... x 1",
            "xxx/oo./o.. x 6",
            ".../.../... z 0",
            "x../.../... o 99",
        ] {
            assert!(game.read_position(text).is_err(), "{text}");
        }
    }
}
