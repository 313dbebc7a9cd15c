//! Questions about one position: `show`, `query`, `why`, `puzzle` and `history`.

use crate::args::{At, Effort};
use crate::commands::{Failure, KNOWN, Run, UNKNOWN, code, cure, output_error};
use crate::output;
use outplay_answer::{Place, QueryAnswer, Trouble};
use outplay_explain::HistoryStep;
use std::io::{self, BufRead, Write};

/// Rules are written out up to this many positions.
const LISTED: u64 = 20_000;

/// The exit code of an answer.
fn known(answer: &QueryAnswer) -> u8 {
    if answer.answer.is_known() { KNOWN } else { UNKNOWN }
}

impl<W: Write> Run<'_, W> {
    pub(crate) fn show(&mut self, game: &str, at: &At, all: bool, effort: &Effort) -> Result<u8, Failure> {
        let entry = self.open_at(game, at)?;
        let place = at.place();
        if all {
            let rules = entry.rules(&place, LISTED, self.progress)?;
            return self.print(&rules, |out, rules| output::rules(out, rules));
        }
        let answer = entry.query(&place, &self.query_options(effort), self.progress)?;
        let picture = entry.draw(&place, Some(&answer))?;
        let words = output::Words::of(&entry);
        self.print(&answer, |out, answer| {
            output::picture(out, &picture)?;
            output::legend(out, &words, answer)
        })?;
        Ok(known(&answer))
    }

    pub(crate) fn query(&mut self, game: &str, at: &At, best: bool, effort: &Effort) -> Result<u8, Failure> {
        let entry = self.open_at(game, at)?;
        let options = self.query_options(effort);
        let answer = match best {
            true => entry.query_best(&at.place(), &options, self.progress)?,
            false => entry.query(&at.place(), &options, self.progress)?,
        };
        let words = output::Words::of(&entry);
        self.print(&answer, |out, answer| output::query(out, &words, answer, best))?;
        Ok(known(&answer))
    }

    /// Answers line by line; a line that makes no sense gets an error in its place and the rest go on.
    pub(crate) fn query_lines(
        &mut self,
        game: &str,
        positions: bool,
        best: bool,
        effort: &Effort,
    ) -> Result<u8, Failure> {
        let entry = self.open(game)?;
        let options = self.query_options(effort);
        let words = output::Words::of(&entry);
        let mut worst = KNOWN;
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            match input.read_until(b'\n', &mut line) {
                Ok(0) => return Ok(worst),
                Ok(_) => {}
                Err(error) => {
                    return Err(Trouble::unable(format!("cannot read standard input: {error}")).into());
                }
            }
            let result = match std::str::from_utf8(&line) {
                Err(_) => Err(Trouble::unable("a line of standard input is not UTF-8 text")),
                Ok(text) => {
                    let text = text.trim().to_string();
                    let place = if positions { Place::Position(text) } else { Place::Moves(text) };
                    match best {
                        true => entry.query_best(&place, &options, self.progress),
                        false => entry.query(&place, &options, self.progress),
                    }
                }
            };
            match result {
                Ok(answer) => {
                    self.print(&answer, |out, answer| output::query(out, &words, answer, best))?;
                    // Bad input outweighs what is not known.
                    if worst == KNOWN {
                        worst = known(&answer);
                    }
                }
                Err(trouble) if trouble.is_stop() => return Err(trouble.into()),
                Err(trouble) => {
                    worst = code(&trouble);
                    if self.common.json {
                        let cure = cure(&trouble);
                        self.json(&serde_json::json!({ "error": trouble.to_string(), "cure": cure }))?;
                    } else {
                        writeln!(self.out, "error: {trouble}").map_err(output_error)?;
                    }
                }
            }
            // Whoever feeds the lines may wait for each answer.
            self.out.flush().map_err(output_error)?;
        }
    }

    pub(crate) fn why(&mut self, game: &str, at: &At, effort: &Effort) -> Result<u8, Failure> {
        let entry = self.open_at(game, at)?;
        let place = at.place();
        let why = outplay_explain::why(&entry, &place, &self.query_options(effort), self.progress)?;
        let picture = entry.draw(&place, None)?;
        self.print(&why, |out, why| {
            output::picture(out, &picture)?;
            output::why(out, why)
        })?;
        Ok(KNOWN)
    }

    pub(crate) fn puzzle(
        &mut self,
        game: &str,
        seed: u64,
        solution: bool,
        effort: &Effort,
    ) -> Result<u8, Failure> {
        let entry = self.open(game)?;
        let puzzle = outplay_explain::puzzle(&entry, seed, &self.query_options(effort), self.progress)?;
        let place = Place::Position(puzzle.position.clone());
        let picture = entry.draw(&place, None)?;
        self.print(&puzzle, |out, puzzle| {
            output::picture(out, &picture)?;
            output::puzzle(out, puzzle, solution, seed)
        })
    }

    pub(crate) fn history(&mut self, game: &str, at: &At, effort: &Effort) -> Result<u8, Failure> {
        let entry = self.open_at(game, at)?;
        let options = self.query_options(effort);
        let history = outplay_explain::history(
            &entry,
            &at.place(),
            &options,
            self.progress,
            &mut |_: &HistoryStep| {},
        )?;
        let words = output::Words::of(&entry);
        self.print(&history, |out, history| output::history(out, &words, history))?;
        let all = history.plies.iter().all(|step| step.answer.is_known());
        Ok(if all { KNOWN } else { UNKNOWN })
    }
}
