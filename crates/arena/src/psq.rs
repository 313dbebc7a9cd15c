//! Import of Gomocup games: PSQ files, one game each.
//!
//! ```text
//!  line                           meaning
//!  Piskvorky 15x15, 11:11, 0      columns and rows of the board
//!  8,8,0                          a move: column and row from the top left, from 1, and its time in milliseconds
//!  9,7,1203
//!  first.zip                      the name of the first player
//!  second.zip                     the name of the second player
//!  -1                             this line and the rest are ignored
//! ```
//!
//! The moves are replayed by the rules of `games`: the winner follows from the board, not from the file.

use crate::ArenaError;
use crate::record::{GameRecord, Header, Record};
use crate::referee::{End, ResourceUse};
use outplay_core::{AnyGame, Game, Notation, cell_name};
use std::path::{Path, PathBuf};

/// A parsed PSQ file (a game of Gomocup).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Psq {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Cells by name, with milliseconds.
    pub moves: Vec<(String, u64)>,
    /// The first and the second player.
    pub players: [String; 2],
}

/// Parses a PSQ file.
///
/// # Errors
///
/// An invalid file, as a sentence for the user.
pub fn parse(text: &str) -> Result<Psq, String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let head = lines.next().unwrap_or_default();
    let size = head.strip_prefix("Piskvorky ").and_then(|rest| rest.split(',').next());
    let (width, height) = size
        .and_then(|size| size.trim().split_once('x'))
        .and_then(|(width, height)| width.trim().parse().ok().zip(height.trim().parse().ok()))
        .filter(|&(width, height): &(usize, usize)| {
            (5..=1000).contains(&width) && (5..=1000).contains(&height)
        })
        .ok_or("it does not start with `Piskvorky` and a size, as in `Piskvorky 15x15, 11:11, 0`")?;
    let mut psq = Psq { width, height, moves: Vec::new(), players: ["first".into(), "second".into()] };
    let mut names = 0;
    for line in lines {
        let numbers: Option<Vec<i64>> = line.split(',').map(|field| field.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some([column, row, rest @ ..]) if names == 0 && rest.len() <= 1 => {
                let inside = |number: i64, most: usize| (1..=most as i64).contains(&number);
                if !inside(*column, width) || !inside(*row, height) {
                    return Err(format!("the move {column},{row} is not on a board of {width}x{height}"));
                }
                let name = cell_name(*column as usize - 1, height - *row as usize);
                psq.moves.push((name, rest.first().map_or(0, |ms| (*ms).max(0) as u64)));
            }
            Some(_) => break,
            None if names < 2 => {
                let name = line.rsplit(['/', '\\']).next().unwrap_or(line);
                let name = name.trim_end_matches(".zip").trim_end_matches(".exe");
                psq.players[names] = name.to_string();
                names += 1;
            }
            None => break,
        }
    }
    if psq.moves.is_empty() {
        return Err("it contains no moves".into());
    }
    Ok(psq)
}

/// Imports games, which must all have one board size, into a record. `open` constructs the game of a spec. The leading
/// moves that took 0 ms are the opening.
///
/// # Errors
///
/// An invalid file, illegal moves, games of different sizes, or a record that cannot be written.
pub fn import(
    files: &[(PathBuf, String)],
    open: &dyn Fn(&str) -> Result<AnyGame, ArenaError>,
    out: Option<&Path>,
) -> Result<(Header, Vec<GameRecord>), ArenaError> {
    let mut players: Vec<String> = Vec::new();
    let mut games = Vec::new();
    let mut board: Option<((usize, usize), AnyGame)> = None;
    for (number, (path, text)) in files.iter().enumerate() {
        let psq =
            parse(text).map_err(|why| ArenaError::file(path, format!("is not a Gomocup record: {why}")))?;
        let size = (psq.width, psq.height);
        let game = match &board {
            Some((known, game)) if *known == size => game.clone(),
            Some(((width, height), _)) => {
                let why = format!(
                    "has another board size than the files before it, {width}x{height}; import files of one size at a time"
                );
                return Err(ArenaError::file(path, why));
            }
            None => {
                let game = open(&format!("mnk:{}x{},k=5", psq.width, psq.height))?;
                board = Some((size, game.clone()));
                game
            }
        };
        let mut place = |name: &String| {
            players.iter().position(|known| known == name).unwrap_or_else(|| {
                players.push(name.clone());
                players.len() - 1
            })
        };
        let [first, second] = &psq.players;
        let (first, mut second) = (place(first), place(second));
        if first == second {
            // In self-play the second player gets a name of its own.
            second = place(&format!("{} (2)", psq.players[1]));
        }
        games.push(played(path, &game, &psq, number as u64, [first, second])?);
    }
    let Some((_, game)) = board else {
        return Err(ArenaError::Unable("no file is given; give at least one file to import".into()));
    };
    let header = Header { games: games.len() as u64, ..Header::new(game.spec(), players) };
    if let Some(out) = out {
        let mut record = Record::create(out, &header)?;
        games.iter().try_for_each(|game| record.add(game))?;
    }
    Ok((header, games))
}

fn played(
    path: &Path,
    game: &AnyGame,
    psq: &Psq,
    number: u64,
    [first, second]: [usize; 2],
) -> Result<GameRecord, ArenaError> {
    let mut pos =
        game.start().ok_or_else(|| ArenaError::Unable(format!("{} has no start position", game.spec())))?;
    let mut spent = [ResourceUse::default(); 2];
    let mut words = Vec::with_capacity(psq.moves.len());
    for (ply, (name, ms)) in psq.moves.iter().enumerate() {
        let illegal = |why: String| ArenaError::file(path, format!("move {} is not legal: {why}", ply + 1));
        if game.outcome(&pos).is_some() {
            return Err(illegal("the game is already over before this move".into()));
        }
        let mv = game.read_move(&pos, name).map_err(|error| illegal(error.to_string()))?;
        let seconds = *ms as f64 / 1e3;
        spent[ply % 2].add(&ResourceUse { moves: 1, seconds, slowest: seconds, ..ResourceUse::default() });
        words.push(name.clone());
        pos = game.play(&pos, mv);
    }
    let outcome = game.outcome(&pos);
    let opening_moves = psq.moves.iter().take_while(|(_, ms)| *ms == 0).count();
    Ok(GameRecord {
        number,
        opening: number,
        first,
        second,
        moves: words.join(" "),
        opening_moves,
        payoff: outcome.unwrap_or(0),
        // Games that the tournament manager ended, for example on time, are unfinished on the board.
        end: if outcome.is_some() { End::Rules } else { End::Plies },
        why: None,
        spent,
        scrutiny: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Native;
    use outplay_games::mnk::{Mnk, Rules};

    fn open(spec: &str) -> Result<AnyGame, ArenaError> {
        let game: Mnk<u128> = Mnk::new(Rules::parse(spec)?).expect("a small board");
        Ok(AnyGame::of(Native::new(game).lines()))
    }

    const WON: &str = "Piskvorky 9x8, 11:11, 0\r\n1,1,0\r\n1,8,0\r\n2,1,120\r\n2,8,80\r\n3,1,1000\r\n3,8,1\r\n4,1,1\r\n4,8,1\r\n5,1,7\r\nengines\\A.zip\r\nB.exe\r\n-1\r\n1,Freestyle\r\n";

    #[test]
    fn psq_files_are_imported() {
        let psq = parse(WON).unwrap();
        assert_eq!((psq.width, psq.height, psq.moves.len()), (9, 8, 9));
        assert_eq!((psq.moves[0].0.as_str(), psq.moves[1].0.as_str()), ("a8", "a1"));
        assert_eq!(psq.players, ["A", "B"]);
        let swapped = WON.replace("engines\\A.zip\r\nB.exe", "B\r\nA");
        let files = [("1.psq".into(), WON.to_string()), ("2.psq".into(), swapped)];
        let (header, games) = import(&files, &open, None).unwrap();
        assert_eq!((header.game.as_str(), header.players.len()), ("mnk:9x8,k=5", 2));
        assert_eq!((games[0].payoff, games[0].end, games[0].opening_moves), (1, End::Rules, 2));
        assert_eq!(((games[0].first, games[0].second), (games[1].first, games[1].second)), ((0, 1), (1, 0)));
        assert!((games[0].spent[0].seconds - 1.128).abs() < 1e-9);
    }

    #[test]
    fn invalid_psq_files_are_refused() {
        let check = |text: &str, words: &str| {
            let error = import(&[("x.psq".into(), text.to_string())], &open, None).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains(words), "{text}: {error}");
        };
        check("", "does not start with `Piskvorky`");
        check("Piskvorky 9x9, 1:1, 0\nA\nB\n", "no moves");
        check("Piskvorky 9x9, 1:1, 0\n10,1,0\n", "not on a board");
        check("Piskvorky 9x9, 1:1, 0\n1,1,0\n1,1,0\n", "move 2 is not legal");
        check(&WON.replace("5,1,7", "5,1,7\r\n6,6,1"), "already over");
        let other = WON.replace("9x8", "9x9");
        let files = [("1.psq".into(), WON.to_string()), ("2.psq".into(), other)];
        assert!(import(&files, &open, None).unwrap_err().to_string().contains("another board size"));
    }
}
