//! A custom game of any size with an explored index: `mpirun -n 2 target/release/examples/heaps solve heaps:135`
//!
//! Three distinguishable heaps of equal size; a move takes one or two stones of a heap; a player without a move loses.

use outplay_catalog::{Catalog, Family};
use outplay_core::{Game, InputError, Notation, Payoff, Turn};
use outplay_workbench::GameBuilder;
use std::process::ExitCode;

#[derive(Clone)]
struct Heaps {
    stones: u16,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Left {
    heaps: [u16; 3],
    second: bool,
}

impl Game for Heaps {
    type Position = Left;
    type Move = (u8, u8);

    fn start(&self) -> Option<Left> {
        Some(Left { heaps: [self.stones; 3], second: false })
    }

    fn turn(&self, pos: &Left) -> Turn {
        if pos.second { Turn::Second } else { Turn::First }
    }

    fn moves(&self, pos: &Left, out: &mut Vec<(u8, u8)>) {
        for heap in 0..3u8 {
            out.extend(
                [1, 2]
                    .map(|take| (heap, take))
                    .iter()
                    .filter(|(heap, take)| pos.heaps[usize::from(*heap)] >= u16::from(*take)),
            );
        }
    }

    fn play(&self, pos: &Left, (heap, take): (u8, u8)) -> Left {
        let mut heaps = pos.heaps;
        heaps[usize::from(heap)] -= u16::from(take);
        Left { heaps, second: !pos.second }
    }

    fn outcome(&self, pos: &Left) -> Option<Payoff> {
        (pos.heaps == [0; 3]).then_some(if pos.second { 1 } else { -1 })
    }
}

impl Notation for Heaps {
    fn spec(&self) -> String {
        format!("heaps:{}", self.stones)
    }

    fn write_position(&self, pos: &Left) -> String {
        let [a, b, c] = pos.heaps;
        format!("{a} {b} {c} {}", if pos.second { "B" } else { "A" })
    }

    fn read_position(&self, text: &str) -> Result<Left, InputError> {
        let words: Vec<&str> = text.split(' ').collect();
        let heap = |word: &str| word.parse().ok().filter(|heap: &u16| *heap <= self.stones);
        let read = || match words[..] {
            [a, b, c, who @ ("A" | "B")] => {
                Some(Left { heaps: [heap(a)?, heap(b)?, heap(c)?], second: who == "B" })
            }
            _ => None,
        };
        read().ok_or_else(|| {
            InputError::position(text, "expected three heaps and the side to move, such as `3 4 5 A`")
        })
    }

    fn write_move(&self, _pos: &Left, (heap, take): (u8, u8)) -> String {
        format!("{}-{take}", heap + 1)
    }

    fn read_move(&self, pos: &Left, text: &str) -> Result<(u8, u8), InputError> {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let found = moves.into_iter().find(|mv| self.write_move(pos, *mv) == text);
        found.ok_or_else(|| InputError::mv(text, "expected a heap and a number of stones, such as 1-2"))
    }
}

/// Heaps of any size.
pub(crate) fn family() -> Family {
    Family::new("heaps", "take one or two stones of a heap", |spec| {
        let stones = spec.argument().and_then(|argument| argument.parse().ok());
        let stones = stones.filter(|stones| (1..1000).contains(stones));
        let stones = stones.ok_or_else(|| {
            spec.error("the number of stones per heap is missing; use a spec such as heaps:30")
        })?;
        spec.finish("no options")?;
        Ok(GameBuilder::new(Heaps { stones }).build())
    })
}

fn main() -> ExitCode {
    let mut catalog = Catalog::standard();
    catalog.add(family());
    outplay_cluster::main(&catalog)
}
