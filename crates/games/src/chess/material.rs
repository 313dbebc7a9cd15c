//! Material signatures of chess endings, such as `KQKR`.

use crate::Spec;
use outplay_core::InputError;
use std::fmt;

/// The maximal number of men, kings included.
pub(super) const MOST_MEN: usize = 5;

/// Piece types, the strongest first.
pub(super) const KING: u8 = 0;
pub(super) const QUEEN: u8 = 1;
pub(super) const ROOK: u8 = 2;
pub(super) const BISHOP: u8 = 3;
pub(super) const KNIGHT: u8 = 4;
pub(super) const PAWN: u8 = 5;
/// Added to the type of a black man.
pub(super) const BLACK: u8 = 8;

pub(super) const LETTERS: [char; 6] = ['K', 'Q', 'R', 'B', 'N', 'P'];

/// Material signature of a chess ending: white's and black's men besides the kings, strongest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Material {
    white: Vec<u8>,
    black: Vec<u8>,
}

impl Material {
    /// Sorts the men and makes the stronger side white; the flag is whether the colours were swapped.
    pub(super) fn new(mut white: Vec<u8>, mut black: Vec<u8>) -> (Material, bool) {
        white.sort_unstable();
        black.sort_unstable();
        // More men are stronger; with equal numbers, the first stronger man decides, and stronger types are smaller.
        let strength = |men: &Vec<u8>| (std::cmp::Reverse(men.len()), men.clone());
        let swapped = strength(&black) < strength(&white);
        if swapped {
            std::mem::swap(&mut white, &mut black);
        }
        (Material { white, black }, swapped)
    }

    /// Parses `KQKR`; the stronger side may come second.
    pub(super) fn parse(name: &str) -> Result<Material, String> {
        let wrong = |why: &str| {
            Err(format!(
                "{why}; write an ending as in `KQKR`: king and men of one side, then king and men of the other"
            ))
        };
        let upper = name.to_ascii_uppercase();
        let Some(rest) = upper.strip_prefix('K') else {
            return wrong("the first letter must be K, the king of the first side");
        };
        let Some((white, black)) = rest.split_once('K') else {
            return wrong("the second K, the king of the other side, is missing");
        };
        let mut sides = [Vec::new(), Vec::new()];
        for (side, letters) in sides.iter_mut().zip([white, black]) {
            for letter in letters.chars() {
                match LETTERS.iter().position(|&known| known == letter) {
                    Some(0) => return wrong("there are more than two kings"),
                    Some(kind) => side.push(kind as u8),
                    None => return wrong(&format!("`{letter}` is not one of the letters KQRBNP")),
                }
            }
        }
        let [white, black] = sides;
        let men = white.len() + black.len() + 2;
        if men > MOST_MEN {
            return Err(format!(
                "an ending has at most {MOST_MEN} men, kings included, but {men} were given"
            ));
        }
        Ok(Material::new(white, black).0)
    }

    /// Parses the argument of a spec: one ending, or `all3`, `all4` for all endings of up to three or four men.
    pub(super) fn from_spec(spec: &Spec) -> Result<Vec<Material>, InputError> {
        match spec.argument() {
            None | Some("") => {
                Err(spec
                    .error("the name of the ending is missing; write it after a colon, as in `chess:KQKR`"))
            }
            Some("all3") => Ok(Material::all(3)),
            Some("all4") => Ok(Material::all(4)),
            Some(name) => Material::parse(name).map(|material| vec![material]).map_err(|why| spec.error(why)),
        }
    }

    /// All endings with three to `men` men, the smaller ones first.
    pub fn all(men: usize) -> Vec<Material> {
        let mut found = Vec::new();
        for extra in 1..=men.saturating_sub(2) {
            let mut level = Vec::new();
            let choices = 10usize.pow(extra as u32);
            for code in 0..choices {
                let (mut white, mut black) = (Vec::new(), Vec::new());
                let mut rest = code;
                for _ in 0..extra {
                    let side = if rest % 10 < 5 { &mut white } else { &mut black };
                    side.push((rest % 5) as u8 + QUEEN);
                    rest /= 10;
                }
                level.push(Material::new(white, black).0);
            }
            level.sort_unstable();
            level.dedup();
            found.extend(level);
        }
        found
    }

    /// The men other than the kings with their colours, in the order of positions.
    pub(super) fn codes(&self) -> impl Iterator<Item = u8> + '_ {
        self.white.iter().copied().chain(self.black.iter().map(|kind| kind | BLACK))
    }

    /// The number of men, kings included.
    pub fn men(&self) -> usize {
        self.white.len() + self.black.len() + 2
    }

    /// The number of pawns.
    pub fn pawns(&self) -> usize {
        self.codes().filter(|code| code & 7 == PAWN).count()
    }

    /// The endings that a capture, a promotion or a capturing promotion leads to.
    pub(super) fn next(&self) -> Vec<Material> {
        let mut found = Vec::new();
        let sides = [(&self.white, &self.black), (&self.black, &self.white)];
        for (mine, other) in sides {
            // With or without a capture of each man, with or without a promotion.
            for taken in (0..other.len()).map(Some).chain([None]) {
                let mut left = other.clone();
                if let Some(place) = taken {
                    left.remove(place);
                    found.push(Material::new(mine.clone(), left.clone()).0);
                }
                if let Some(pawn) = mine.iter().position(|&kind| kind == PAWN) {
                    for kind in QUEEN..=KNIGHT {
                        let mut promoted = mine.clone();
                        promoted[pawn] = kind;
                        found.push(Material::new(promoted, left.clone()).0);
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The given endings and all endings that play can lead to, sorted by men, then pawns, the most first.
    pub(super) fn closure(own: &[Material]) -> Vec<Material> {
        let mut all: Vec<Material> = own.to_vec();
        let mut done = 0;
        while done < all.len() {
            for next in all[done].next() {
                if !all.contains(&next) {
                    all.push(next);
                }
            }
            done += 1;
        }
        all.sort_by_key(|material| (std::cmp::Reverse((material.men(), material.pawns())), material.clone()));
        all.dedup();
        all
    }

    /// The material key of a position, colours as they are.
    pub(super) fn key(codes: impl Iterator<Item = u8>) -> u64 {
        codes.map(|code| 1u64 << (4 * u32::from(code))).sum()
    }

    /// The material keys with the colours as named and with the colours swapped.
    pub(super) fn keys(&self) -> [u64; 2] {
        [Material::key(self.codes()), Material::key(self.codes().map(|code| code ^ BLACK))]
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in [&self.white, &self.black] {
            f.write_str("K")?;
            for &kind in side {
                write!(f, "{}", LETTERS[kind as usize])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_the_stronger_side_first() {
        let check =
            |name: &str, spelled: &str| assert_eq!(Material::parse(name).unwrap().to_string(), spelled);
        check("KQKR", "KQKR");
        check("KRKQ", "KQKR");
        check("KKQ", "KQK");
        check("knkbp", "KBPKN");
        check("KPPK", "KPPK");
        check("KNBK", "KBNK");
        check("KK", "KK");
        for name in ["", "K", "QK", "KQ", "KQKRK", "KQQQKRR", "KXK"] {
            assert!(Material::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn there_are_35_endings_of_three_and_four_men() {
        assert_eq!(Material::all(3).len(), 5);
        assert_eq!(Material::all(4).len(), 35);
        assert_eq!(Material::closure(&Material::all(4)).len(), 36);
    }

    #[test]
    fn captures_and_promotions_lead_to_smaller_endings() {
        let names = |name: &str| -> Vec<String> {
            Material::closure(&[Material::parse(name).unwrap()]).iter().map(Material::to_string).collect()
        };
        assert_eq!(names("KQKR"), ["KQKR", "KQK", "KRK", "KK"]);
        assert_eq!(names("KPK"), ["KPK", "KQK", "KRK", "KBK", "KNK", "KK"]);
    }
}
