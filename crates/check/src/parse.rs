//! Parser of proof texts, safe for untrusted input.
//!
//! Memory is proportional to the text, within the caller's limit. Every cell, step number and symmetry is validated
//! against the board before the proof is verified. The deadline is checked at every cell.
//!
//! Invariant: the number of cells stored for a step is at most a few times that of the board, however long its text is.
//! The parser therefore drops entries that cannot change the verdict: a later entry for the same cell, and the rest of
//! a list that already names a cell twice.

use crate::verify::{CheckError, CheckLimits};
use outplay_core::{Content, LineBoard, Turn, Verdict, parse_cell};
use outplay_runtime::{Monitor, Pace};
use std::str::SplitAsciiWhitespace;
use thiserror::Error;

/// Syntax error of a proof text, with the line and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} of the proof: {why}")]
pub struct SyntaxError {
    /// The line, counted from 1.
    pub line: usize,
    /// The reason.
    pub why: String,
}

/// Reference to the next step, with the symmetry that maps the position to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StepLink {
    pub(crate) step: usize,
    pub(crate) symmetry: u8,
}

/// Cells and the step that follows them.
pub(crate) type Arm = (Vec<u16>, StepLink);

/// One step as written.
#[derive(Clone, Debug)]
pub(crate) enum ProofStep {
    Fours(Vec<u16>),
    Plays(u16, StepLink),
    Replies { arms: Vec<Arm>, other: Option<StepLink> },
    Pairs(Vec<[u16; 2]>),
    Sum(Vec<u16>),
    Answers { blocking: bool, arms: Vec<Arm>, also: Vec<u16> },
    Takes(u16, StepLink),
    Completes(u16),
    Split { pairs: Vec<[u16; 2]>, parts: Vec<Arm> },
}

/// Ground of a claim that a player wins or holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClaimGround {
    Step(usize),
    Stealing,
}

/// A parsed proof.
#[derive(Clone, Debug)]
pub(crate) struct ParsedProof {
    pub(crate) board: LineBoard,
    pub(crate) claim: Verdict,
    /// Player, whether it is claimed to win (else to hold), and the ground.
    pub(crate) grounds: Vec<(Turn, bool, ClaimGround)>,
    pub(crate) steps: Vec<ProofStep>,
}

/// Larger boards are rejected before any memory is allocated for them.
pub(crate) const MOST_CELLS: usize = 384;

/// Parser of one step.
struct StepParser<'a, 'b> {
    board: &'a LineBoard,
    /// Upper bound of step numbers in links.
    below: usize,
    pace: &'a mut Pace<'b>,
}

/// Reason for failing to parse a line.
enum ParseFault {
    Wrong(String),
    Stopped,
}

impl From<String> for ParseFault {
    fn from(why: String) -> ParseFault {
        ParseFault::Wrong(why)
    }
}

impl From<&str> for ParseFault {
    fn from(why: &str) -> ParseFault {
        ParseFault::Wrong(why.into())
    }
}

type ParseResult<T> = Result<T, ParseFault>;

fn player(word: &str) -> ParseResult<Turn> {
    match word {
        "x" => Ok(Turn::First),
        "o" => Ok(Turn::Second),
        _ => Err("`x` or `o` was expected".into()),
    }
}

fn number(word: &str) -> ParseResult<usize> {
    let digits = !word.is_empty() && word.len() <= 9 && word.bytes().all(|b| b.is_ascii_digit());
    if !digits {
        return Err("a number of at most nine digits was expected".into());
    }
    word.parse().map_err(|_| "a number was expected".into())
}

fn too_large() -> ParseFault {
    format!("the board has more than {MOST_CELLS} cells, which is the most that can be checked").into()
}

fn board(words: &[&str]) -> ParseResult<LineBoard> {
    let &[rows, "k", k, "turn", turn] = words else {
        return Err("write the board as `board ROWS k K turn x`".into());
    };
    if rows.len() > 2 * MOST_CELLS {
        return Err(too_large());
    }
    let rows: Vec<&[u8]> = rows.split('/').map(str::as_bytes).rev().collect();
    let (width, height) = (rows[0].len(), rows.len());
    if width == 0 || rows.iter().any(|row| row.len() != width) {
        return Err("the rows of the board must have equal lengths".into());
    }
    if width * height > MOST_CELLS {
        return Err(too_large());
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
                _ => return Err("write cells as x, o, # or .".into()),
            };
        }
    }
    Ok(board)
}

impl StepParser<'_, '_> {
    fn cell(&mut self, word: &str) -> ParseResult<u16> {
        if self.pace.step() {
            return Err(ParseFault::Stopped);
        }
        let (column, row) = parse_cell(word).ok_or("a cell such as b3 was expected")?;
        if column >= self.board.width || row >= self.board.height {
            return Err("a cell is not on the board".into());
        }
        Ok(self.board.cell(column, row) as u16)
    }

    /// Parses `c,d,e`: returns the cells that `seen` does not contain yet.
    fn new_cells(&mut self, word: &str, seen: &mut CellSet) -> ParseResult<Vec<u16>> {
        let mut cells = Vec::new();
        for name in word.split(',') {
            let cell = self.cell(name)?;
            if seen.add(cell) {
                cells.push(cell);
            }
        }
        Ok(cells)
    }

    fn cells(&mut self, word: &str) -> ParseResult<Vec<u16>> {
        self.new_cells(word, &mut CellSet::default())
    }

    fn link(&mut self, word: &str) -> ParseResult<StepLink> {
        let (step, symmetry) = word.split_once('~').unwrap_or((word, "0"));
        let step = number(step)?;
        if step >= self.below {
            return Err("a step may only refer to earlier steps".into());
        }
        let symmetry = number(symmetry)?;
        if symmetry > 7 || symmetry & 4 != 0 && self.board.width != self.board.height {
            return Err("the board does not have this symmetry".into());
        }
        Ok(StepLink { step, symmetry: symmetry as u8 })
    }

    /// Parses `c,d>N`: returns the cells that `seen` does not contain yet.
    fn arm(&mut self, word: &str, seen: &mut CellSet) -> ParseResult<Arm> {
        let (cells, link) = word.split_once('>').ok_or("`cell>step` was expected")?;
        Ok((self.new_cells(cells, seen)?, self.link(link)?))
    }

    /// Parses `c>N`.
    fn only(&mut self, mut words: Words<'_>) -> ParseResult<(u16, StepLink)> {
        let (Some(word), None) = (words.next(), words.next()) else {
            return Err("exactly one `cell>step` was expected".into());
        };
        let (cell, link) = word.split_once('>').ok_or("`cell>step` was expected")?;
        if cell.contains(',') {
            return Err("exactly one cell was expected".into());
        }
        Ok((self.cell(cell)?, self.link(link)?))
    }

    fn pair(&mut self, word: &str) -> ParseResult<[u16; 2]> {
        let (one, two) = word.split_once('-').ok_or("a pair such as a1-b2 was expected")?;
        Ok([self.cell(one)?, self.cell(two)?])
    }

    /// Parses one entry per word. Entries beyond the number of cells are parsed and dropped: such a list
    /// already names a cell twice, which its step never allows.
    fn list<'w, T>(
        &mut self,
        words: impl Iterator<Item = &'w str>,
        mut entry: impl FnMut(&mut Self, &'w str) -> ParseResult<T>,
    ) -> ParseResult<Vec<T>> {
        let mut list = Vec::new();
        for word in words {
            let read = entry(self, word)?;
            if list.len() <= self.board.cells.len() {
                list.push(read);
            }
        }
        Ok(list)
    }

    fn step(&mut self, mut words: Words<'_>) -> ParseResult<ProofStep> {
        let Some(kind) = words.next() else { return Err("the step has no contents".into()) };
        Ok(match kind {
            "fours" => ProofStep::Fours(self.list(words, Self::cell)?),
            "plays" => {
                let (cell, link) = self.only(words)?;
                ProofStep::Plays(cell, link)
            }
            "takes" => {
                let (cell, link) = self.only(words)?;
                ProofStep::Takes(cell, link)
            }
            "completes" => match (words.next(), words.next()) {
                (Some(word), None) => ProofStep::Completes(self.cell(word)?),
                _ => return Err("exactly one cell was expected".into()),
            },
            "pairs" => ProofStep::Pairs(self.list(words, Self::pair)?),
            "sum" => match (words.next(), words.next()) {
                (None, _) => ProofStep::Sum(Vec::new()),
                (Some(word), None) => ProofStep::Sum(self.cells(word)?),
                _ => return Err("one list of cells was expected".into()),
            },
            "replies" => self.replies(words)?,
            "answers" | "blocks" => self.answers(kind == "blocks", words)?,
            "split" => {
                let mut bar = false;
                let before = words.by_ref().take_while(|word| {
                    bar = *word == "|";
                    !bar
                });
                let pairs = self.list(before, Self::pair)?;
                if !bar {
                    return Err("the parts of a `split` step must be separated by `|`".into());
                }
                let parts = self.list(words, |line, word| line.arm(word, &mut CellSet::default()))?;
                ProofStep::Split { pairs, parts }
            }
            _ => return Err("this kind of step does not exist".into()),
        })
    }

    /// The first entry that names a cell counts, so later ones lose it.
    fn replies(&mut self, words: Words<'_>) -> ParseResult<ProofStep> {
        let (mut arms, mut other, mut seen) = (Vec::new(), None, CellSet::default());
        for word in words {
            match word.strip_prefix("else>") {
                Some(_) if other.is_some() => return Err("`else` appears twice".into()),
                Some(link) => other = Some(self.link(link)?),
                None => arms.extend(Some(self.arm(word, &mut seen)?).filter(|(cells, _)| !cells.is_empty())),
            }
        }
        Ok(ProofStep::Replies { arms, other })
    }

    fn answers(&mut self, blocking: bool, words: Words<'_>) -> ParseResult<ProofStep> {
        let (mut arms, mut also) = (Vec::new(), Vec::new());
        let (mut seen, mut seen_also) = (CellSet::default(), CellSet::default());
        for word in words {
            match word.strip_prefix('+') {
                Some(cells) => also.extend(self.new_cells(cells, &mut seen_also)?),
                None => arms.extend(Some(self.arm(word, &mut seen)?).filter(|(cells, _)| !cells.is_empty())),
            }
        }
        Ok(ProofStep::Answers { blocking, arms, also })
    }
}

/// Set of cells already named.
#[derive(Default)]
struct CellSet([u64; MOST_CELLS / 64]);

impl CellSet {
    /// Adds a cell; returns whether it is new.
    fn add(&mut self, cell: u16) -> bool {
        let (word, bit) = (&mut self.0[usize::from(cell) / 64], 1 << (cell % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

impl ProofStep {
    /// Approximate bytes of the step.
    fn bytes(&self) -> usize {
        let arms = |arms: &[Arm]| arms.iter().map(|(cells, _)| size_of::<Arm>() + 2 * cells.len()).sum();
        let lists: usize = match self {
            ProofStep::Fours(cells) | ProofStep::Sum(cells) => 2 * cells.len(),
            ProofStep::Pairs(pairs) => 4 * pairs.len(),
            ProofStep::Replies { arms: list, .. } => arms(list),
            ProofStep::Answers { arms: list, also, .. } => arms(list) + 2 * also.len(),
            ProofStep::Split { pairs, parts } => 4 * pairs.len() + arms(parts),
            ProofStep::Plays(..) | ProofStep::Takes(..) | ProofStep::Completes(_) => 0,
        };
        // The vector of steps may just have doubled.
        2 * size_of::<ProofStep>() + lists
    }
}

type Words<'a> = SplitAsciiWhitespace<'a>;

/// Words read of a header line: one more than the longest has.
const HEAD_WORDS: usize = 7;

/// Iterator over the lines of a proof.
struct LineReader<'a> {
    lines: std::str::Lines<'a>,
    /// The number of the last line, counted from 1.
    at: usize,
}

impl<'a> LineReader<'a> {
    fn next(&mut self, what: &str) -> Result<Words<'a>, CheckError> {
        self.at += 1;
        match self.lines.next() {
            Some(line) => Ok(line.split_ascii_whitespace()),
            None => self.wrong(format!("the text ends where {what} was expected")),
        }
    }

    /// Returns the words of the next header line; an overlong line keeps an extra word, so that it matches no
    /// pattern.
    fn head(&mut self, what: &str) -> Result<Vec<&'a str>, CheckError> {
        Ok(self.next(what)?.take(HEAD_WORDS).collect())
    }

    fn wrong<T>(&self, why: impl Into<String>) -> Result<T, CheckError> {
        Err(SyntaxError { line: self.at, why: why.into() }.into())
    }

    fn located<T>(&self, read: ParseResult<T>) -> Result<T, CheckError> {
        match read {
            Ok(read) => Ok(read),
            Err(ParseFault::Wrong(why)) => self.wrong(why),
            Err(ParseFault::Stopped) => Err(CheckError::Stopped),
        }
    }
}

/// Parses a proof within the limits.
pub(crate) fn parse(
    text: &str,
    limits: &CheckLimits,
    monitor: &dyn Monitor,
) -> Result<ParsedProof, CheckError> {
    let mut lines = LineReader { lines: text.lines(), at: 0 };
    if lines.head("`outplay-proof 1`")? != ["outplay-proof", "1"] {
        return lines.wrong("a proof starts with `outplay-proof 1`");
    }
    let words = lines.head("the board")?;
    let board = match words.split_first() {
        Some((&"board", rest)) => lines.located(board(rest))?,
        _ => return lines.wrong("write the board as `board ROWS k K turn x`"),
    };
    let claim = match lines.head("the claim")?[..] {
        ["claim", "win"] => Verdict::Win,
        ["claim", "draw"] => Verdict::Draw,
        ["claim", "loss"] => Verdict::Loss,
        _ => return lines.wrong("the claim is `claim win`, `claim draw` or `claim loss`"),
    };
    let mut grounds = Vec::new();
    let count = loop {
        match lines.head("`steps N`")?[..] {
            ["steps", count] => break lines.located(number(count))?,
            [who, verb @ ("wins" | "holds"), "by", ground] if grounds.len() < 2 => {
                let ground = match ground {
                    "stealing" => ClaimGround::Stealing,
                    step => ClaimGround::Step(lines.located(number(step))?),
                };
                grounds.push((lines.located(player(who))?, verb == "wins", ground));
            }
            _ => return lines.wrong("`x wins by N`, `x holds by N` or `steps N` was expected"),
        }
    };
    // The count is not trusted: the vector grows with the text.
    let (mut steps, mut bytes, mut pace) = (Vec::new(), 0, Pace::new(monitor));
    while steps.len() < count {
        let mut words = lines.next("a step")?;
        if pace.step() {
            return Err(CheckError::Stopped);
        }
        if words.next() != Some(&steps.len().to_string()) {
            return lines.wrong(format!("step {} was expected", steps.len()));
        }
        let step = StepParser { board: &board, below: steps.len(), pace: &mut pace }.step(words);
        let step = lines.located(step)?;
        bytes += step.bytes();
        if bytes > limits.bytes {
            return Err(CheckError::Memory(limits.bytes));
        }
        steps.push(step);
    }
    if lines.head("`end`")? != ["end"] {
        return lines.wrong("`end` was expected after the last step");
    }
    if let Some((_, _, ClaimGround::Step(step))) = grounds
        .iter()
        .find(|(_, _, ground)| matches!(ground, ClaimGround::Step(step) if *step >= steps.len()))
    {
        return lines.wrong(format!("the claim names step {step}, which does not exist"));
    }
    Ok(ParsedProof { board, claim, grounds, steps })
}
