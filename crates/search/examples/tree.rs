//! Draws the search of a late tic-tac-toe position: `cargo run --release -p outplay-search --example tree`.
//!
//! Prints the tree as text; with a file name as argument, also writes it as SVG. Further arguments are the game,
//! the moves so far, and the depth: `tree out.svg connect4:4x4 1234 4`.

use outplay_core::{Game, Notation};
use outplay_games::mnk::{Mnk, Rules};
use outplay_runtime::NoMonitor;
use outplay_search::{TreeOptions, Zero, tree};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |i: usize, fallback: &str| words.get(i).cloned().unwrap_or(fallback.to_string());
    let game: Mnk<u64> = Mnk::new(Rules::parse(&word(1, "tictactoe"))?).ok_or("the board is too large")?;
    let mut pos = game.start().ok_or("the game has no start")?;
    for text in game.split_moves(&word(2, "b2 a1 c3 c1 b1")) {
        let mv = game.read_move(&pos, &text)?;
        pos = game.play(&pos, mv);
    }
    let depth = word(3, "9").parse()?;
    let tree = tree(&game, &pos, &Zero, depth, TreeOptions::default(), &NoMonitor)?;
    print!("{}", tree.text(&game));
    if let Some(file) = words.first() {
        std::fs::write(file, tree.svg(&game))?;
    }
    Ok(())
}
