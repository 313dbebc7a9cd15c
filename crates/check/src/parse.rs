//! Reads the text of a proof.
//!
//! Memory stays proportional to the text, and every cell, step number and symmetry is checked against the
//! board before anything is followed.

use outplay_core::{Content, LineBoard, Turn, Verdict, parse_cell};
use thiserror::Error;

/// A text that is not a proof, with the line and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} of the proof: {why}")]
pub struct Malformed {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

/// Which step comes next, and how the position is renamed before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    pub(crate) step: usize,
    pub(crate) symmetry: u8,
}

/// Cells and where they lead.
pub(crate) type Arm = (Vec<u16>, Link);

/// One step as it is written.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Fours(Vec<u16>),
    Plays(u16, Link),
    Replies { arms: Vec<Arm>, other: Option<Link> },
    Pairs(Vec<[u16; 2]>),
    Sum(Vec<u16>),
    Answers { blocking: bool, arms: Vec<Arm>, also: Vec<u16> },
    Takes(u16, Link),
    Completes(u16),
    Split { pairs: Vec<[u16; 2]>, parts: Vec<Arm> },
}

/// Why a player wins or holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ground {
    Step(usize),
    Stealing,
}

/// A whole proof.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) board: LineBoard,
    pub(crate) claim: Verdict,
    /// Player, whether it is said to win (else to hold), and why.
    pub(crate) grounds: Vec<(Turn, bool, Ground)>,
    pub(crate) steps: Vec<Step>,
}

/// Boards larger than this are refused before any memory is taken for them.
pub(crate) const MOST_CELLS: usize = 384;

/// What a reader of one line needs to know.
struct Line<'a> {
    board: &'a LineBoard,
    /// Links lead to steps below this number.
    below: usize,
}

type Read<T> = Result<T, String>;

fn player(word: &str) -> Read<Turn> {
    match word {
        "x" => Ok(Turn::First),
        "o" => Ok(Turn::Second),
        _ => Err("a player is `x` or `o`".into()),
    }
}

fn number(word: &str) -> Read<usize> {
    let digits = !word.is_empty() && word.len() <= 9 && word.bytes().all(|b| b.is_ascii_digit());
    if !digits {
        return Err("a number of at most nine digits was expected".into());
    }
    word.parse().map_err(|_| "a number was expected".into())
}

fn board(words: &[&str]) -> Read<LineBoard> {
    let &[rows, "k", k, "turn", turn] = words else {
        return Err("the board is written `board ROWS k K turn x`".into());
    };
    if rows.len() > 2 * MOST_CELLS {
        return Err(format!(
            "the board has more than {MOST_CELLS} cells, which is the most that can be checked"
        ));
    }
    let rows: Vec<&[u8]> = rows.split('/').map(str::as_bytes).rev().collect();
    let (width, height) = (rows[0].len(), rows.len());
    if width == 0 || rows.iter().any(|row| row.len() != width) {
        return Err("the rows of the board must be equally long".into());
    }
    if width * height > MOST_CELLS {
        return Err(format!(
            "the board has more than {MOST_CELLS} cells, which is the most that can be checked"
        ));
    }
    let k = number(k)?;
    if k == 0 {
        return Err("k must be at least 1".into());
    }
    let mut board = LineBoard::empty(width, height, k);
    board.turn = player(turn)?;
    for (row, stones) in rows.iter().enumerate() {
        for (column, stone) in stones.iter().enumerate() {
            let cell = board.cell(column, row);
            board.cells[cell] = match stone {
                b'.' => Content::Empty,
                b'#' => Content::Blocked,
                b'x' => Content::First,
                b'o' => Content::Second,
                _ => return Err("cells are written x, o, # or .".into()),
            };
        }
    }
    Ok(board)
}

impl Line<'_> {
    fn cell(&self, word: &str) -> Read<u16> {
        let (column, row) = parse_cell(word).ok_or_else(|| "a cell such as b3 was expected".to_string())?;
        if column >= self.board.width || row >= self.board.height {
            return Err("a cell lies outside the board".into());
        }
        Ok(self.board.cell(column, row) as u16)
    }

    fn cells(&self, word: &str) -> Read<Vec<u16>> {
        word.split(',').map(|cell| self.cell(cell)).collect()
    }

    fn link(&self, word: &str) -> Read<Link> {
        let (step, symmetry) = word.split_once('~').unwrap_or((word, "0"));
        let step = number(step)?;
        if step >= self.below {
            return Err("a step may only go on to steps before it".into());
        }
        let symmetry = number(symmetry)?;
        if symmetry > 7 || symmetry & 4 != 0 && self.board.width != self.board.height {
            return Err("the board has no such symmetry".into());
        }
        Ok(Link { step, symmetry: symmetry as u8 })
    }

    /// `c,d>N`
    fn arm(&self, word: &str) -> Read<Arm> {
        let (cells, link) = word.split_once('>').ok_or("`cell>step` was expected")?;
        Ok((self.cells(cells)?, self.link(link)?))
    }

    /// `c>N`
    fn only(&self, words: &[&str]) -> Read<(u16, Link)> {
        let &[word] = words else { return Err("exactly one `cell>step` was expected".into()) };
        match self.arm(word)? {
            (cells, link) if cells.len() == 1 => Ok((cells[0], link)),
            _ => Err("exactly one cell was expected".into()),
        }
    }

    fn pair(&self, word: &str) -> Read<[u16; 2]> {
        let (one, two) = word.split_once('-').ok_or("a pair such as a1-b2 was expected")?;
        Ok([self.cell(one)?, self.cell(two)?])
    }

    fn step(&self, words: &[&str]) -> Read<Step> {
        let Some((kind, rest)) = words.split_first() else { return Err("the step is empty".into()) };
        Ok(match *kind {
            "fours" => Step::Fours(rest.iter().map(|word| self.cell(word)).collect::<Read<_>>()?),
            "plays" => {
                let (cell, link) = self.only(rest)?;
                Step::Plays(cell, link)
            }
            "takes" => {
                let (cell, link) = self.only(rest)?;
                Step::Takes(cell, link)
            }
            "completes" => match rest {
                [word] => Step::Completes(self.cell(word)?),
                _ => return Err("exactly one cell was expected".into()),
            },
            "pairs" => Step::Pairs(rest.iter().map(|word| self.pair(word)).collect::<Read<_>>()?),
            "sum" => match rest {
                [] => Step::Sum(Vec::new()),
                [word] => Step::Sum(self.cells(word)?),
                _ => return Err("one list of cells was expected".into()),
            },
            "replies" => {
                let (mut arms, mut other) = (Vec::new(), None);
                for word in rest {
                    match word.strip_prefix("else>") {
                        Some(_) if other.is_some() => return Err("`else` stands twice".into()),
                        Some(link) => other = Some(self.link(link)?),
                        None => arms.push(self.arm(word)?),
                    }
                }
                Step::Replies { arms, other }
            }
            "answers" | "blocks" => {
                let (mut arms, mut also) = (Vec::new(), Vec::new());
                for word in rest {
                    match word.strip_prefix('+') {
                        Some(cells) => also.extend(self.cells(cells)?),
                        None => arms.push(self.arm(word)?),
                    }
                }
                Step::Answers { blocking: *kind == "blocks", arms, also }
            }
            "split" => {
                let bar = rest.iter().position(|word| *word == "|").ok_or("`split` needs a `|`")?;
                let pairs = rest[..bar].iter().map(|word| self.pair(word)).collect::<Read<_>>()?;
                let parts = rest[bar + 1..].iter().map(|word| self.arm(word)).collect::<Read<_>>()?;
                Step::Split { pairs, parts }
            }
            _ => return Err("this kind of step is not known".into()),
        })
    }
}

/// Reads a whole proof.
pub(crate) fn parse(text: &str) -> Result<Script, Malformed> {
    let mut lines = text.lines().enumerate();
    let mut next = |what: &str| {
        let (at, line) = lines.next().ok_or_else(|| Malformed {
            line: text.lines().count() + 1,
            why: format!("the text ends where {what} was expected"),
        })?;
        Ok((at + 1, line.split_ascii_whitespace().collect::<Vec<&str>>()))
    };
    let wrong = |line: usize, why: String| Malformed { line, why };

    let (at, words) = next("`outplay-proof 1`")?;
    if words != ["outplay-proof", "1"] {
        return Err(wrong(at, "a proof begins with `outplay-proof 1`".into()));
    }
    let (at, words) = next("the board")?;
    let board = match words.split_first() {
        Some((&"board", rest)) => board(rest).map_err(|why| wrong(at, why))?,
        _ => return Err(wrong(at, "the board is written `board ROWS k K turn x`".into())),
    };
    let (at, words) = next("the claim")?;
    let claim = match words[..] {
        ["claim", "win"] => Verdict::Win,
        ["claim", "draw"] => Verdict::Draw,
        ["claim", "loss"] => Verdict::Loss,
        _ => return Err(wrong(at, "the claim is `claim win`, `claim draw` or `claim loss`".into())),
    };
    let mut grounds = Vec::new();
    let count = loop {
        let (at, words) = next("`steps N`")?;
        match words[..] {
            ["steps", count] => break number(count).map_err(|why| wrong(at, why))?,
            [who, verb @ ("wins" | "holds"), "by", ground] if grounds.len() < 2 => {
                let ground = match ground {
                    "stealing" => Ground::Stealing,
                    step => Ground::Step(number(step).map_err(|why| wrong(at, why))?),
                };
                grounds.push((player(who).map_err(|why| wrong(at, why))?, verb == "wins", ground));
            }
            _ => return Err(wrong(at, "`x wins by N`, `x holds by N` or `steps N` was expected".into())),
        }
    };
    // The count is not trusted: the list grows with the text.
    let mut steps = Vec::new();
    while steps.len() < count {
        let (at, words) = next("a step")?;
        let line = Line { board: &board, below: steps.len() };
        let step = match words.split_first() {
            Some((&name, rest)) if name == steps.len().to_string() => line.step(rest),
            _ => Err(format!("step {} was expected", steps.len())),
        };
        steps.push(step.map_err(|why| wrong(at, why))?);
    }
    let (at, words) = next("`end`")?;
    if words != ["end"] {
        return Err(wrong(at, "the proof goes on where `end` was expected".into()));
    }
    if let Some((_, _, Ground::Step(step))) =
        grounds.iter().find(|(_, _, ground)| matches!(ground, Ground::Step(step) if *step >= steps.len()))
    {
        return Err(wrong(at, format!("the claim names step {step}, which does not exist")));
    }
    Ok(Script { board, claim, grounds, steps })
}
