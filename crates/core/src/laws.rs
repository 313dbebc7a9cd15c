//! Property checks (laws) that every game must obey; a check panics with the law that is violated.
//!
//! A game's tests call [`check`] for its rules and notation, and [`check_index`] for its index. Positions are reached
//! by random play with a fixed seed, so a failure is reproducible.

use crate::index_laws::{self, Gaps, IndexLaws};
use crate::{Chance, Game, Index, Notation, Rolls, Tier, Turn, cell_name};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashSet;

/// Number and maximal length of the random games of a check.
const GAMES: usize = 40;
const LONGEST: usize = 500;

/// Plays random games and calls `visit` with each position.
pub fn random_play<G: Game>(game: &G, games: usize, seed: u64, mut visit: impl FnMut(&G::Position)) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut moves = Vec::new();
    for _ in 0..games {
        let Some(mut pos) = game.start() else { return };
        for _ in 0..LONGEST {
            visit(&pos);
            moves.clear();
            game.moves(&pos, &mut moves);
            if moves.is_empty() {
                break;
            }
            pos = game.play(&pos, moves[rng.random_range(0..moves.len())]);
        }
    }
}

/// The spec of a random line game, at most 4x4, with at most `free` free cells. Obstacles, stones, gravity, misère
/// and the player to move are random. The rules reject some of the specs (a line is already complete).
pub fn random_board(seed: u64, free: usize) -> String {
    let mut rng = SmallRng::seed_from_u64(seed);
    let [w, h, k] = [(); 3].map(|()| rng.random_range(1..=4usize));
    let [gravity, misere, second] = [(); 3].map(|()| rng.random::<bool>());
    let mut lists = [Vec::new(), Vec::new(), Vec::new()];
    let mut left = w * h;
    let mut supported = true;
    for cell in 0..w * h {
        // Cells beyond the limit become obstacles; a stone needs support below it.
        let kind = if left > free { 0 } else { rng.random_range(0..6) };
        let rests = !gravity || cell % h == 0 || supported;
        supported = kind == 0 || kind < 3 && rests;
        if supported {
            lists[kind].push(cell_name(cell / h, cell % h));
            left -= 1;
        }
    }
    let mut spec = format!("mnk:{w}x{h},k={k}");
    for (key, cells) in ["obstacles", "x", "o"].iter().zip(&lists) {
        if !cells.is_empty() {
            spec += &format!(",{key}={}", cells.join("+"));
        }
    }
    for (flag, word) in [(gravity, ",gravity"), (misere, ",misere"), (second, ",turn=o")] {
        spec += if flag { word } else { "" };
    }
    spec
}

/// Checks the rules and the notation of a game.
///
/// # Panics
///
/// With the violated law.
pub fn check<G: Game + Notation>(game: &G) {
    let mut seen = HashSet::new();
    random_play(game, GAMES, 1, |pos| {
        if !seen.insert(pos.clone()) {
            return;
        }
        let name = game.write_position(pos);
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);

        assert_eq!(
            game.outcome(pos).is_some(),
            moves.is_empty(),
            "{name}: finished if and only if no move is left"
        );
        if let Some(payoff) = game.outcome(pos) {
            assert!(payoff.abs() <= game.best_payoff(), "{name}: pays {payoff}, more than best_payoff");
        }
        for (i, mv) in moves.iter().enumerate() {
            assert!(!moves[..i].contains(mv), "{name}: {mv:?} is listed twice");
        }

        assert!(!name.contains('\n'), "{name}: a position is one line");
        match game.read_position(&name) {
            Ok(back) => assert_eq!(&back, pos, "{name}: reads back as another position"),
            Err(error) => panic!("{name}: does not read back: {error}"),
        }
        if game.turn(pos) != Turn::Chance {
            for &mv in &moves {
                let word = game.write_move(pos, mv);
                assert!(
                    !word.contains([' ', ',', '\n']) && !word.is_empty(),
                    "{name}: `{word}` is not one word"
                );
                match game.read_move(pos, &word) {
                    Ok(back) => assert_eq!(back, mv, "{name}: move `{word}` reads back as another"),
                    Err(error) => panic!("{name}: move `{word}` does not read back: {error}"),
                }
            }
        }
        if moves.is_empty() {
            assert!(game.read_move(pos, "zz99").is_err(), "{name}: a finished position accepts a move");
        }

        check_scene(game, pos);

        let mut images = Vec::new();
        game.symmetric(pos, &mut images);
        assert!(images.contains(pos), "{name}: symmetric() leaves out the position itself");
        for image in &images {
            assert_eq!(game.outcome(image), game.outcome(pos), "{name}: an image has another outcome");
            assert_eq!(game.turn(image), game.turn(pos), "{name}: an image has another player to move");
            let mut theirs = Vec::new();
            game.moves(image, &mut theirs);
            assert_eq!(theirs.len(), moves.len(), "{name}: an image has another number of moves");
        }
    });
}

/// Checks that a scene shows every legal move once, that no two have the same path, and that all spot indices are
/// valid.
///
/// # Panics
///
/// With the violated law.
pub fn check_scene<G: Game + Notation>(game: &G, pos: &G::Position) {
    let name = game.write_position(pos);
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let words: Vec<String> = moves.iter().map(|&mv| game.write_move(pos, mv)).collect();
    let scene = game.scene(pos);
    let shown: Vec<&String> = scene.moves.iter().map(|gesture| &gesture.mv).collect();
    assert_eq!(shown, words.iter().collect::<Vec<_>>(), "{name}: the scene shows other moves");
    let (mut ways, mut steps) = (HashSet::new(), HashSet::new());
    for gesture in &scene.moves {
        let way = (&gesture.path, &gesture.choice);
        assert!(
            gesture.path.is_empty() || ways.insert(way),
            "{name}: {} looks like another move",
            gesture.mv
        );
        for way in &gesture.ways {
            assert!(steps.insert(way), "{name}: a way makes {} and another move", gesture.mv);
        }
        let chance = game.turn(pos) == Turn::Chance;
        assert_eq!(gesture.odds > 0, chance, "{name}: chance makes {} or does not", gesture.mv);
    }
    let paths =
        scene.moves.iter().flat_map(|gesture| gesture.path.iter().chain(gesture.ways.iter().flatten()));
    let places = paths.chain(scene.links.iter().flatten()).chain(&scene.decisive);
    places.for_each(|&spot| assert!(spot < scene.spots.len(), "{name}: there is no spot {spot}"));
    for spot in &scene.spots {
        let inside = spot.x >= 0.0 && spot.y >= 0.0 && spot.x < scene.width && spot.y < scene.height;
        assert!(inside, "{name}: {} lies outside the picture", spot.name);
    }
    let names: HashSet<&String> = scene.spots.iter().map(|spot| &spot.name).collect();
    assert_eq!(names.len(), scene.spots.len(), "{name}: two spots share a name");
}

/// Checks that the detours of a numbered position are its moves to positions without a number, and that each has the
/// right successors.
///
/// # Panics
///
/// With the violated law.
/// With the law that the position breaks.
pub fn check_detours<G: Game, I: Index<G>>(game: &G, index: &I, tier: Tier, pos: &G::Position) {
    if let Err(breach) = index_laws::check_detours(game, index, tier, pos) {
        panic!("{breach}");
    }
}

/// Checks an index exhaustively by the laws of [`index_laws`].
///
/// # Panics
///
/// With the violated law and the position.
pub fn check_index<G: Game, I: Index<G>>(game: &G, index: &I) {
    check_index_with(game, index, Gaps::Detours);
}

/// Checks an index of positions before a roll exhaustively.
///
/// # Panics
///
/// With the violated law and the position.
pub fn check_rolls<G: Chance, I: Rolls<G>>(game: &G, index: &I) {
    check_index_with(game, index, Gaps::Rolls);
}

fn check_index_with<G: Game, I: Index<G>>(game: &G, index: &I, gaps: Gaps) {
    if let Some(start) = game.start()
        && let Err(breach) = IndexLaws::check_start(game, index, &start, gaps)
    {
        panic!("{breach}");
    }
    let (mut moves, mut links) = (Vec::new(), Vec::new());
    for t in 0..index.tiers() {
        let tier = Tier(t);
        let mut laws = IndexLaws::new(game, index, tier, gaps);
        let mut walked = 0;
        index.walk(tier, 0..index.len(tier), &mut |number, pos| {
            walked += 1;
            links.clear();
            index.links(game, pos, &mut links);
            let checked = laws.check_after().and_then(|()| laws.check(number, pos));
            let checked = checked.and_then(|()| laws.check_links(number, pos, &links));
            if let Err(breach) = checked {
                panic!("{breach}");
            }
        });
        index.walk_steps(
            game,
            tier,
            0..index.len(tier),
            &|number| number % 3 != 1,
            &mut |number, pos, steps| {
                assert_ne!(number % 3, 1, "{pos:?}: walk_steps reports an unwanted position");
                assert_eq!(index.rank(pos), (tier, number), "{pos:?}: walk_steps and rank disagree");
                moves.clear();
                game.moves(pos, &mut moves);
                assert_eq!(steps.len(), moves.len(), "{pos:?}: walk_steps has another number of moves");
                for (step, &mv) in steps.iter().zip(&moves) {
                    let next = game.play(pos, mv);
                    assert_eq!(
                        (step.tier, step.number),
                        index.rank(&next),
                        "{pos:?}: {mv:?} leads elsewhere"
                    );
                    assert_eq!(step.same_player, game.turn(&next) == game.turn(pos), "{pos:?}: {mv:?}");
                }
            },
        );
        let full = (0..index.len(tier)).filter(|&n| index.unrank(tier, n).is_some()).count();
        assert_eq!(walked, full, "tier {t}: walk leaves positions out");
    }
    random_play(game, GAMES, 2, |pos| {
        let (tier, number) = index.rank(pos);
        assert!(number < index.len(tier), "{pos:?}: its number is beyond its tier");
    });
}
