//! Tests of the parser of pasted boards, in the forms that people use.

use super::*;
use outplay_core::{Mark, Notation, Tone, laws};

fn read(spec: &str, text: &str) -> Result<(String, Option<String>), String> {
    let game = LargeMnk::new(Rules::parse(spec).unwrap());
    let pos = game.read_position(text).map_err(|error| error.to_string())?;
    Ok((game.write_position(&pos), game.reading_note(text)))
}

#[test]
fn boards_are_read_in_any_usual_form() {
    let check = |spec: &str, text: &str, expected: &str| {
        assert_eq!(read(spec, text), Ok((expected.to_string(), None)), "{spec}\n{text}");
    };
    let three = |text: &str| check("tictactoe", text, "x.o/.x./...");
    three("x.o\n.x.\n...");
    three("x.o\n.x.\n...\n");
    three("\n\nx.o\n.x.\n...\n\n");
    three("x.o\r\n.x.\r\n...\r\n");
    three("x.o\\n.x.\\n...");
    three("x . o\n. x .\n. . .");
    three("   x . o\n   . x .\n   . . .");
    three("X_O\n_X_\n___");
    three("X-O/-X-/---");
    three("x+0\n+x+\n+++");
    three("●·○\n·●·\n···");
    three("y.R/.Y./...");
    three("Y . r\n. y .\n. . .");
    three("x . o / . x . / . . .");
    three("x.o .x. ...");
    three("x.o,.x.,...");
    three("x.o|.x.|...");
    three("x.o.x....");
    three("x|.|o|.|x|.|.|.|.");
    three("x| |o| |x| | | | ");
    three("x _ o _ x _ _ _ _");
    three("x | . | o\n---+---+---\n. | x | .\n---+---+---\n. | . | .");
    three(" x |   | o \n---+---+---\n   | x |   \n---+---+---\n   |   |   ");
    three(
        "+---+---+---+\n| x |   | o |\n+---+---+---+\n|   | x |   |\n+---+---+---+\n|   |   |   |\n+---+---+---+",
    );
    three(
        "┌───┬───┬───┐\n│ x │   │ o │\n├───┼───┼───┤\n│   │ x │   │\n├───┼───┼───┤\n│   │   │   │\n└───┴───┴───┘",
    );
    three("|x|_|o|\n|_|x|_|\n|_|_|_|");
    three("|x| |o|\n|-----|\n| |x| |\n|-----|\n| | | |");
    three("  a b c\n3 x . o\n2 . x .\n1 . . .");
    three("3  x  .  o\n2  .  x +3\n1 -4  =  .\n   a  b  c\n");
    three("3 x.o\n2 .x.\n1 ...\n  abc");
    three("x.o 3\n.x. 2\n... 1\nabc");
    three("   1   2   3\n3  x |   | o\n  ---+---+---\n2    | x |\n  ---+---+---\n1    |   |  ");
    three("x o\n x \n   ");
    three("x   o\n  x  \n     ");
    three(
        "3  x  .  o\n2  .  x  .\n1  .  .  .\n   a  b  c\n\nthe second player wins in 4 plies (second to move)\nbest: a1",
    );
    check("tictactoe", "xx.\n.o.\n..o\nx to move", "xx./.o./..o");
    check("mnk:4x3,k=3,obstacles=b2", "....\n.*.x\n....", "..../.#.x/....");
    check("mnk:4x3,k=3,obstacles=b2", "....\n.#.x\no...", "..../.#.x/o...");
    check("mnk:1x3,k=3", "3 .\n2 x\n1 .\n  a", "./x/.");
    check("mnk:3x1,k=3", "| x |   |   |", "x..");
    check("mnk:12x1,k=3", "x10o", "x..........o");
    let four = "......./......./......./...o.../..ox.../.oxxxo.";
    check(
        "connect4",
        ". . . . . . .\n. . . . . . .\n. . . . . . .\n. . . o . . .\n. . o x . . .\n. o x x x o .",
        four,
    );
    check("connect4", "7\n7\n7\n3o3\n2ox3\n1oxxxo1", four);
    check(
        "connect4",
        "|       |\n|       |\n|       |\n|   o   |\n|  ox   |\n| oxxxo |\n+-------+\n 1234567",
        four,
    );
    check(
        "connect4",
        "| | | | | | | |\n| | | | | | | |\n| | | | | | | |\n| | | |R| | | |\n| | |R|Y| | | |\n| |R|Y|Y|Y|R| |\n===============\n 1 2 3 4 5 6 7",
        four,
    );
}

#[test]
fn colours_are_swapped_if_only_that_fits() {
    let check = |spec: &str, text: &str, expected: &str, note: &str| {
        let note = Some(note.to_string()).filter(|note| !note.is_empty());
        assert_eq!(read(spec, text), Ok((expected.to_string(), note)), "{spec}\n{text}");
    };
    let swapped =
        "the board given has 0 x and 1 o, but in this game x moves first, so the colours are swapped";
    check("tictactoe", "...\n.o.\n...", ".../.x./...", swapped);
    check("connect4:4x4", "....\n....\n....\n.R..", "..../..../..../.x..", swapped);
    check("connect4:4x4", "....\n....\n....\n.RY.", "..../..../..../.ox.", "");
    check(
        "mnk:3x3,k=3,turn=o",
        "...\n.x.\n...",
        ".../.o./...",
        &swapped.replace("0 x and 1 o", "1 x and 0 o").replace("game x", "game o"),
    );
    check("tictactoe", "o.o\n.x.\n...\nx to move", "x.x/.o./...", &swapped.replace("0 x and 1", "1 x and 2"));
}

#[test]
fn boards_that_do_not_fit_are_refused() {
    let check = |spec: &str, text: &str, words: &str| {
        let error = read(spec, text).unwrap_err();
        assert!(error.contains(words), "{spec}\n{text}\n{error}");
    };
    check("tictactoe", "xxx\nx..\n..o", "x has 4 stones and o has 1");
    check("tictactoe", "...\nR.R\n...", "x has 0 stones and o has 2");
    // The one-line form is taken at its word.
    check("tictactoe", ".../.o./...", "x has 0 stones and o has 1");
    check("tictactoe", "x.\n.x\n..", "row 3, `x.`, is not a row of 3 cells");
    check("tictactoe", "x..\n.o.", "2 rows are given, but the board has 3");
    check("tictactoe", "x . .\n. q .\n. . .", "row 2, `. q .`, is not a row of 3 cells");
    check("tictactoe", "x..*\n...\n...", "is not a row of 3 cells");
    check("tictactoe", "x.*\n...\n...", "cell c3 is not an obstacle");
    check("mnk:5x2,k=3", "x o\nx o", "its spaces could be empty cells or gaps");
    check("tictactoe", "\n", "rows are given, but the board has 3");
    check("tictactoe", "", "rows are given, but the board has 3");
    check("tictactoe", "x..\n...\n...\nx to move", "it is o's turn");
}

/// Every picture, with and without values, is the position that it shows.
#[test]
fn pictures_are_read_back() {
    fn check<G: Notation>(game: &G, games: usize) {
        laws::random_play(game, games, 7, |pos| {
            assert_eq!(game.read_position(&game.draw(pos, &[]).plain()), Ok(pos.clone()), "{}", game.spec());
            let mut moves = Vec::new();
            game.moves(pos, &mut moves);
            let labels = ["=", "+3", "-12", "+", "-"].into_iter().cycle();
            let tones = [Tone::Draw, Tone::Win, Tone::Loss].into_iter().cycle();
            let marks = moves.into_iter().zip(labels.zip(tones));
            let marks: Vec<_> =
                marks.map(|(mv, (text, tone))| Mark { mv, text: text.to_string(), tone }).collect();
            let drawn = game.draw(pos, &marks).plain();
            assert_eq!(game.read_position(&drawn), Ok(pos.clone()), "{}\n{drawn}", game.spec());
        });
    }
    for spec in [
        "tictactoe",
        "mnk:4x3,k=3",
        "mnk:5x4,k=4,obstacles=c2+d3,misere",
        "connect4",
        "connect4:5x4,obstacles=b1+c3",
        "connect:6x3,k=3,x=a1+b1,o=c1",
        "mnk:1x1,k=1",
        "mnk:2x2,k=5",
        "mnk:1x6,k=3",
        "connect:6x1,k=3",
        "connect:12x3,k=3",
        "mnk:6x12,k=5",
    ] {
        check(&Mnk::<u128>::new(Rules::parse(spec).unwrap()).unwrap(), 20);
    }
    for spec in ["mnk:30x4,k=5,obstacles=x3", "connect:30x3,k=5"] {
        check(&LargeMnk::new(Rules::parse(spec).unwrap()), 1);
    }
}
