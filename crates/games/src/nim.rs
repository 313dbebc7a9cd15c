//! Nim: a player takes any number of matches from one pile. The player who takes the last match loses (misère); with
//! `normal`, that player wins.
//!
//! Piles are unordered, so a position stores them sorted: (1,2) and (2,1) are one position.
//!
//! ```text
//! 0+1+2 A     piles of 0, 1 and 2 matches, A (the first player) to move
//! 2-1         the move that takes 1 match from a pile of 2
//! ```

use crate::Spec;
use crate::pasted::{self, PictureLines};
use outplay_core::{
    Game, Gesture, Holder, InputError, Layout, Mark, Notation, Payoff, Picture, Remark, Scene, Sign, Spot,
    Tone, Turn,
};

const MOST_PILES: usize = 64;
const MOST_MATCHES: u32 = 1_000_000;
/// Piles larger than this are displayed as a number instead of single matches.
const MOST_SHOWN: u32 = 30;

/// Nim with given piles, misère or normal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nim {
    piles: Vec<u32>,
    normal: bool,
}

/// A position of Nim: the piles, smallest first, and the player to move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Piles {
    piles: Vec<u32>,
    second_to_move: bool,
}

/// A move of Nim: a number of matches from a pile; piles of equal size are interchangeable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Take {
    pile: u32,
    matches: u32,
}

impl Nim {
    /// Parses `nim:3+4+5` or `nim:3+4+5,normal`.
    ///
    /// # Errors
    ///
    /// One sentence about the first invalid part.
    pub fn from_spec(mut spec: Spec) -> Result<Nim, InputError> {
        let Some(argument) = spec.argument().filter(|text| !text.is_empty()) else {
            return Err(spec.error("the piles are missing; write them after a colon, as in `nim:3+4+5`"));
        };
        if let more @ [_, ..] = spec.bare_numbers().as_slice() {
            let piles = [&[argument], more].concat().join("+");
            return Err(spec.error(format!("piles are joined by +; write `nim:{piles}`")));
        }
        let mut piles = parse_piles(argument).map_err(|why| spec.error(why))?;
        if piles.contains(&0) {
            return Err(spec.error("a pile is empty; every pile starts with at least one match"));
        }
        piles.sort_unstable();
        let normal = spec.take_flag("normal")?;
        spec.finish("`normal`")?;
        Ok(Nim { piles, normal })
    }
}

fn player(pos: &Piles) -> char {
    if pos.second_to_move { 'B' } else { 'A' }
}

fn parse_piles(text: &str) -> Result<Vec<u32>, String> {
    let words: Vec<&str> = text.split('+').collect();
    if words.len() > MOST_PILES {
        return Err(format!("at most {MOST_PILES} piles are allowed, but {} were given", words.len()));
    }
    let pile = |word: &&str| match word.parse::<u32>() {
        Ok(matches) if matches <= MOST_MATCHES && !word.starts_with('+') => Ok(matches),
        Ok(_) => Err(format!("a pile may have at most {MOST_MATCHES} matches, not {word}")),
        Err(_) => Err(format!("`{word}` is not a number of matches; write piles as in `3+4+5`")),
    };
    words.iter().map(pile).collect()
}

impl Game for Nim {
    type Position = Piles;
    type Move = Take;

    fn start(&self) -> Option<Piles> {
        Some(Piles { piles: self.piles.clone(), second_to_move: false })
    }

    fn turn(&self, pos: &Piles) -> Turn {
        if pos.second_to_move { Turn::Second } else { Turn::First }
    }

    fn heap_bytes(&self, pos: &Piles) -> usize {
        size_of_val(pos.piles.as_slice())
    }

    fn moves(&self, pos: &Piles, out: &mut Vec<Take>) {
        let mut last = 0;
        for &pile in pos.piles.iter().filter(|&&pile| pile > 0) {
            if pile != last {
                out.extend((1..=pile).map(|matches| Take { pile, matches }));
            }
            last = pile;
        }
    }

    fn play(&self, pos: &Piles, mv: Take) -> Piles {
        let mut next = Piles { second_to_move: !pos.second_to_move, ..pos.clone() };
        if let Some(pile) = next.piles.iter_mut().find(|pile| **pile == mv.pile) {
            *pile -= mv.matches;
        }
        next.piles.sort_unstable();
        next
    }

    fn outcome(&self, pos: &Piles) -> Option<Payoff> {
        // The opponent of the player to move took the last match.
        let first_took_last = pos.second_to_move;
        pos.piles.iter().all(|&pile| pile == 0).then_some(if first_took_last == self.normal { 1 } else { -1 })
    }

    fn most_positions(&self) -> Option<f64> {
        // Each pile has any size up to that of the start, and either player may be to move.
        Some(2.0 * self.piles.iter().map(|&pile| f64::from(pile) + 1.0).product::<f64>())
    }

    /// The nim-sum determines the winner (Bouton 1901).
    fn theory(&self, pos: &Piles) -> Option<Payoff> {
        self.outcome(pos).is_none().then(|| if self.winning_take(&pos.piles).is_some() { 1 } else { -1 })
    }
}

/// The piles of a picture, joined by `+`, and the player to move if it names one.
fn picture(text: &str) -> (String, Option<Turn>) {
    let board = PictureLines::new(text);
    let rows = board.rows(|_| usize::MAX);
    let piles = rows.iter().map(|row| match row[0].chars().all(|c| c == '|') {
        true => row[0].len().to_string(),
        false => row[0].to_string(),
    });
    (piles.collect::<Vec<String>>().join("+"), board.turn)
}

impl Notation for Nim {
    fn spec(&self) -> String {
        let piles: Vec<String> = self.piles.iter().map(u32::to_string).collect();
        format!("nim:{}{}", piles.join("+"), if self.normal { ",normal" } else { "" })
    }

    fn write_position(&self, pos: &Piles) -> String {
        let piles: Vec<String> = pos.piles.iter().map(u32::to_string).collect();
        format!("{} {}", piles.join("+"), player(pos))
    }

    fn read_position(&self, text: &str) -> Result<Piles, InputError> {
        let bad = |why: String| InputError::position(text, why);
        if pasted::is_picture(text) {
            let (piles, turn) = picture(text);
            let sides = ["A", "B"].into_iter().zip([Turn::First, Turn::Second]);
            let sides = sides.filter(|(_, side)| turn.is_none_or(|turn| turn == *side));
            let read = sides.map(|(side, _)| self.read_position(&format!("{piles} {side}")));
            return pasted::only(read, || {
                bad(format!("the piles do not say who is to move; write `{piles} A` or `{piles} B`"))
            });
        }
        let (piles, second_to_move) = match text.trim().split_once(char::is_whitespace) {
            Some((piles, "A")) => (piles, false),
            Some((piles, "B")) => (piles, true),
            _ => return Err(bad("write the piles and the player to move, as in `1+2 A`".into())),
        };
        let mut piles = parse_piles(piles).map_err(&bad)?;
        piles.sort_unstable();
        if piles.len() != self.piles.len() {
            return Err(bad(format!(
                "it has {} piles, but the game has {}; write empty piles as 0",
                piles.len(),
                self.piles.len()
            )));
        }
        // Sorted piles fit into the sorted start pairwise if they fit at all.
        if piles.iter().zip(&self.piles).any(|(now, start)| now > start) {
            return Err(bad(format!("no game reaches it: the piles start as {}", self.spec())));
        }
        let pos = Piles { piles, second_to_move };
        if !self.reachable(&pos) {
            return Err(bad("no game reaches it with this player to move; exchange A and B".into()));
        }
        Ok(pos)
    }

    /// The notation of the lecture: `(_,ii)-A`.
    fn textbook(&self, pos: &Piles) -> String {
        let pile = |&n: &u32| match n {
            0 => "_".to_string(),
            1..=5 => "i".repeat(n as usize),
            _ => n.to_string(),
        };
        let piles: Vec<String> = pos.piles.iter().map(pile).collect();
        format!("({})-{}", piles.join(","), player(pos))
    }

    /// All piles up to those of the start, with either player to move, reachable or not.
    fn textbook_positions(&self) -> Option<Vec<Piles>> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for &most in &self.piles {
            let longer = |piles: &Vec<u32>| {
                let least = piles.last().copied().unwrap_or(0);
                let grown: Vec<Vec<u32>> =
                    (least..=most).map(|n| [piles.as_slice(), &[n]].concat()).collect();
                grown
            };
            all = all.iter().flat_map(longer).collect();
            if all.len() > 10_000 {
                return None;
            }
        }
        let sides = [false, true].into_iter();
        Some(
            sides
                .flat_map(|second_to_move| {
                    all.iter().map(move |piles| Piles { piles: piles.clone(), second_to_move })
                })
                .collect(),
        )
    }

    fn write_move(&self, _pos: &Piles, mv: Take) -> String {
        format!("{}-{}", mv.pile, mv.matches)
    }

    fn said(&self, _pos: &Piles, mv: Take) -> String {
        match mv.matches == mv.pile {
            true => format!("takes the pile of {}", mv.pile),
            false => format!("takes {} of {}", mv.matches, mv.pile),
        }
    }

    fn draw(&self, pos: &Piles, _marks: &[Mark<Take>]) -> Picture {
        let mut picture = Picture::default();
        for &pile in &pos.piles {
            picture.newline();
            picture.put(format!("{pile:>4}  "), Tone::Plain);
            picture.put("|".repeat(pile.min(60) as usize), Tone::Draw);
            if pile > 60 {
                picture.put(" …", Tone::Faint);
            }
        }
        picture
    }

    /// A spot for each match, the lowest first: a click on a match takes it and all above it. Of several equal piles
    /// the first one is used.
    fn scene(&self, pos: &Piles) -> Scene {
        let tallest = self.piles.last().copied().unwrap_or(1);
        let counted = tallest <= MOST_SHOWN;
        let mut spots = Vec::new();
        let mut bases = Vec::new();
        for (i, &pile) in pos.piles.iter().enumerate() {
            bases.push((pile, spots.len()));
            let spot = |y: u32, name, label| Spot {
                name,
                x: i as f32,
                y: y as f32,
                holder: Some(Holder::Nobody),
                label,
            };
            if counted {
                spots.extend(
                    (0..pile).map(|y| spot(y, format!("pile {}, match {}", i + 1, y + 1), String::new())),
                );
            } else {
                spots.push(spot(0, format!("pile {}", i + 1), pile.to_string()));
            }
        }
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let gesture = |mv: Take| {
            let base = bases.iter().find(|(pile, _)| *pile == mv.pile).filter(|_| counted);
            let path = base.map(|(pile, base)| base + (pile - mv.matches) as usize);
            Gesture { mv: self.write_move(pos, mv), path: path.into_iter().collect(), ..Gesture::default() }
        };
        Scene {
            layout: Layout::Piles,
            width: self.piles.len() as f32,
            height: if counted { tallest as f32 } else { 1.0 },
            spots,
            prompt: match self.normal {
                true => "Take matches from one pile. Taking the last one wins.",
                false => "Take matches from one pile. Taking the last one loses.",
            }
            .to_string(),
            moves: moves.into_iter().map(gesture).collect(),
            ..Scene::default()
        }
    }

    /// The nim-sum and the winning take.
    fn remarks(&self, pos: &Piles) -> Vec<Remark> {
        let mut spots = Vec::new();
        if let Some(take) = self.winning_take(&pos.piles) {
            let column = pos.piles.iter().position(|&pile| pile == take.pile).unwrap_or(0) as f32;
            let taken = |spot: &Spot| spot.x == column && spot.y >= (take.pile - take.matches) as f32;
            let all = self.scene(pos).spots;
            // A pile displayed as a number has no matches to mark.
            if self.piles.last().is_none_or(|&tallest| tallest <= MOST_SHOWN) {
                spots.extend((0..all.len()).filter(|&i| taken(&all[i])).map(|i| (i, Sign::Key)));
            }
        }
        vec![Remark { words: self.theory_text(pos), spots, by: self.turn(pos) }]
    }
}

impl Nim {
    /// The take that wins by theory, if the player to move wins.
    fn winning_take(&self, piles: &[u32]) -> Option<Take> {
        let large = piles.iter().filter(|&&pile| pile > 1).count();
        let ones = piles.iter().filter(|&&pile| pile == 1).count() as u32;
        if !self.normal && large <= 1 {
            // Leaves the opponent an odd number of single matches, so that the opponent takes the last one.
            let pile = piles.iter().copied().max()?;
            let others = ones - u32::from(pile == 1);
            let left = u32::from(others.is_multiple_of(2));
            return (pile > left).then_some(Take { pile, matches: pile - left });
        }
        let sum = piles.iter().fold(0, |sum, pile| sum ^ pile);
        let pile = piles.iter().copied().find(|&pile| pile ^ sum < pile)?;
        Some(Take { pile, matches: pile - (pile ^ sum) })
    }

    /// The theory of a position in words.
    fn theory_text(&self, pos: &Piles) -> String {
        let piles: Vec<u32> = pos.piles.iter().copied().filter(|&pile| pile > 0).collect();
        let large = piles.iter().filter(|&&pile| pile > 1).count();
        let sum = piles.iter().fold(0, |sum, pile| sum ^ pile);
        let list: Vec<String> = piles.iter().map(u32::to_string).collect();
        let take = self.winning_take(&pos.piles);
        let advice = take.map(|Take { pile, matches }| {
            let them = if matches == pile { "all".to_string() } else { matches.to_string() };
            format!("take {them} from the pile of {pile}")
        });
        if !self.normal && large <= 1 {
            return match advice {
                Some(advice) => {
                    format!("taking the last match loses, so leave an odd number of single matches: {advice}")
                }
                None => "an odd number of single matches is left, and taking the last one loses".to_string(),
            };
        }
        // While more than one large pile is left, misère nim is played like normal nim.
        let sum_of = format!("the nim-sum (exclusive or) of {} is {sum}", list.join(", "));
        match advice {
            Some(advice) => format!("{sum_of}, and a move that makes it 0 wins: {advice}"),
            None => format!("{sum_of}, and every move makes it nonzero"),
        }
    }

    /// Whether some number of moves of the right parity leads from the start to the piles.
    fn reachable(&self, pos: &Piles) -> bool {
        // With `taken` matches gone, any number of moves between the minimum and `taken` is possible. The minimum is
        // the number of start piles that had to change when equal piles are matched.
        let taken: u64 = self.piles.iter().map(|&n| u64::from(n)).sum::<u64>()
            - pos.piles.iter().map(|&n| u64::from(n)).sum::<u64>();
        let fewest = fewest_changes(&self.piles, &pos.piles);
        (fewest..=taken).any(|moves| (moves % 2 == 1) == pos.second_to_move)
    }
}

/// The minimal number of piles that must shrink to turn one sorted list into another that fits below it.
fn fewest_changes(from: &[u32], to: &[u32]) -> u64 {
    // An unchanged pile pairs equal sizes, and the remaining ones must still fit. From the largest pile down, `room`
    // counts the start piles that are free to shrink to a later target.
    let (mut i, mut j) = (from.len(), to.len());
    let (mut room, mut changes) = (0i64, 0);
    while j > 0 {
        let target = to[j - 1];
        while i > 0 && from[i - 1] > target {
            i -= 1;
            room += 1;
        }
        j -= 1;
        if i > 0 && from[i - 1] == target {
            i -= 1;
        } else {
            room -= 1;
            changes += 1;
        }
    }
    debug_assert!(room >= 0 || changes > 0);
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::laws;
    use std::collections::HashSet;

    fn nim(text: &str) -> Nim {
        Nim::from_spec(Spec::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn nim_obeys_the_laws() {
        for text in ["nim:2+2", "nim:1", "nim:3+4+5", "nim:1+1+1+7,normal", "nim:2+40"] {
            laws::check(&nim(text));
        }
    }

    /// The picture and the line below it that names the player to move.
    #[test]
    fn pictures_are_read_back() {
        let game = nim("nim:3+4+70");
        laws::random_play(&game, 20, 5, |pos| {
            let picture = game.draw(pos, &[]).plain();
            let side = game.turn(pos).word();
            let shown = format!("{picture}\nthe first player wins ({side} to move)\nbest: 3-1\n");
            assert_eq!(game.read_position(&shown).as_ref(), Ok(pos), "{shown}");
            assert!(
                game.read_position(&picture).is_ok_and(|read| read == *pos) || {
                    let error = game.read_position(&picture).unwrap_err().to_string();
                    error.contains("the piles do not say who is to move")
                }
            );
        });
    }

    #[test]
    fn nim_of_two_piles_matches_the_lecture() {
        let game = nim("nim:2+2");
        let start = game.start().unwrap();
        assert_eq!(game.textbook(&start), "(ii,ii)-A");
        let mut moves = Vec::new();
        game.moves(&start, &mut moves);
        let next: Vec<String> = moves.iter().map(|&mv| game.textbook(&game.play(&start, mv))).collect();
        assert_eq!(next, ["(i,ii)-B", "(_,ii)-B"]);
        let end = Piles { piles: vec![0, 0], second_to_move: false };
        assert_eq!(game.outcome(&end), Some(1)); // B took the last match
    }

    /// Theory recommends a take exactly where plain minimax finds a win, and the take preserves the win.
    #[test]
    fn theory_agrees_with_minimax() {
        fn wins(game: &Nim, pos: &Piles) -> bool {
            if let Some(payoff) = game.outcome(pos) {
                return game.turn(pos).sees(payoff) > 0;
            }
            let mut moves = Vec::new();
            game.moves(pos, &mut moves);
            moves.iter().any(|&mv| !wins(game, &game.play(pos, mv)))
        }
        for text in ["nim:4+4+3", "nim:4+4+3,normal", "nim:1+1+1+4", "nim:1+1+1+4,normal", "nim:2+2+2"] {
            let game = nim(text);
            for pos in game.textbook_positions().unwrap() {
                if game.outcome(&pos).is_some() {
                    continue;
                }
                let take = game.winning_take(&pos.piles);
                assert_eq!(take.is_some(), wins(&game, &pos), "{text} {}", game.write_position(&pos));
                if let Some(take) = take {
                    assert!(!wins(&game, &game.play(&pos, take)), "{text} {pos:?} {take:?}");
                    assert_eq!(game.remarks(&pos)[0].spots.len(), take.matches as usize);
                }
            }
        }
        let remark = nim("nim:3+4+5").remarks(&nim("nim:3+4+5").start().unwrap());
        assert_eq!(
            remark[0].words,
            "the nim-sum (exclusive or) of 3, 4, 5 is 2, and a move that makes it 0 wins: take 2 from the pile of 3"
        );
    }

    /// Parsing accepts exactly the reachable positions.
    #[test]
    fn parsing_accepts_exactly_the_reachable_positions() {
        for text in ["nim:1", "nim:2+2", "nim:1+1+2", "nim:1+2+3", "nim:3+3"] {
            let game = nim(text);
            let mut reached = HashSet::from([game.start().unwrap()]);
            let mut open = vec![game.start().unwrap()];
            while let Some(pos) = open.pop() {
                let mut moves = Vec::new();
                game.moves(&pos, &mut moves);
                for mv in moves {
                    let next = game.play(&pos, mv);
                    if reached.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            let most = *game.piles.last().unwrap() + 1;
            let n = game.piles.len() as u32;
            for code in 0..(most + 1).pow(n) {
                let mut piles: Vec<u32> = (0..n).map(|i| code / (most + 1).pow(i) % (most + 1)).collect();
                piles.sort_unstable();
                for second_to_move in [false, true] {
                    let pos = Piles { piles: piles.clone(), second_to_move };
                    let line = game.write_position(&pos);
                    assert_eq!(game.read_position(&line).is_ok(), reached.contains(&pos), "{text}: {line}");
                }
            }
        }
    }

    #[test]
    fn invalid_input_is_rejected() {
        for text in [
            "nim",
            "nim:",
            "nim:0",
            "nim:0+2",
            "nim:2+",
            "nim:a",
            "nim:-1",
            "nim:+3",
            "nim:2+2,fast",
            "nim:99999999",
        ] {
            assert!(Nim::from_spec(Spec::parse(text).unwrap()).is_err(), "{text}");
        }
    }
}
