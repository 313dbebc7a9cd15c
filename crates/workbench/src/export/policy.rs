//! Export of a policy: the best moves of every position of a solved game, as rows of CSV or JSON lines.

use super::Request;
use super::choose::TablePositions;
use super::label::{Label, Labels};
use crate::{GameHandle, Session, Trouble, check_stop};
use outplay_core::{AnyPosition, Game, Notation, Tier, Turn};
use outplay_dataset::{Form, Partial};
use outplay_players::MoveValue;
use outplay_runtime::Monitor;
use serde::Serialize;
use serde_json::Value;
use std::io::Write;
use std::time::Instant;

/// Positions that are labelled at a time.
const BATCH: usize = 1 << 14;

/// The result of [`export_policy`].
#[derive(Clone, Debug, Serialize)]
pub struct PolicyReport {
    /// The game's canonical spec.
    pub game: String,
    /// Number of positions.
    pub rows: u64,
    /// The file.
    pub file: String,
    /// Wall time in seconds.
    pub seconds: f64,
}

/// Writes the best moves of every position of a solved game: of its table, or with chance of all positions that play
/// reaches. Where the players share their positions, only those of the first player are written.
///
/// # Errors
///
/// A game without a table, positions that do not fit in memory, a full disk, or a stop.
pub fn export_policy(
    session: &Session,
    entry: &GameHandle,
    request: &Request,
    watch: &dyn Monitor,
) -> Result<PolicyReport, Trouble> {
    let began = Instant::now();
    let form = request.form.map_or_else(|| Form::of(&request.out), Ok)?;
    if form == Form::Npz {
        return Err(Trouble::unable(
            "a policy can be written only as csv or jsonl; choose a file name that ends with .csv or .jsonl",
        ));
    }
    let labels = Labels::new(entry, session, true, watch)?;
    let mut rows = PolicyRows { entry, form, request, file: Partial::create(&request.out)?, rows: 0 };
    if entry.game().has_dice() {
        rows.write_explored(&labels, session, watch)?;
    } else {
        let listed = TablePositions::new(entry, &labels, request, session, watch)?;
        watch.stage("positions", listed.expected());
        for piece in listed.pieces() {
            let mut text = String::new();
            listed.each_label(&piece, &labels, watch, |label| {
                rows.encode(label, &mut text);
                Ok(())
            })?;
            watch.advance(piece.1.end - piece.1.start);
            rows.write(&text)?;
        }
    }
    let PolicyRows { file, rows, .. } = rows;
    file.finish().map_err(|error| failed(request, &error))?;
    let file = request.out.display().to_string();
    Ok(PolicyReport { game: entry.spec(), rows, file, seconds: began.elapsed().as_secs_f64() })
}

fn failed(request: &Request, error: &std::io::Error) -> Trouble {
    Trouble::unable(format!("cannot write {}: {error}", request.out.display()))
}

/// The file of a policy being written.
struct PolicyRows<'a> {
    entry: &'a GameHandle,
    form: Form,
    request: &'a Request,
    file: Partial,
    rows: u64,
}

impl PolicyRows<'_> {
    /// Writes the decisions of all positions that play reaches.
    fn write_explored(
        &mut self,
        labels: &Labels<'_>,
        session: &Session,
        watch: &dyn Monitor,
    ) -> Result<(), Trouble> {
        let (entry, game) = (self.entry, self.entry.game());
        let merged = entry.index().is_some_and(|index| index.numbers().has_one_side());
        watch.stage("exploring", 0);
        let most = entry.most_explored(session.memory);
        let explored = entry.kernels().explore(&entry.start()?, most, watch)?;
        let mut decisions: Vec<(AnyPosition, u32)> = Vec::new();
        for (tier, size) in explored.numbers().sizes().into_iter().enumerate() {
            explored.numbers().positions(Tier(tier as u32), 0..size, &|_| true, &mut |pos| {
                let turn = game.turn(&pos);
                let decides = turn == Turn::First || turn == Turn::Second && !merged;
                if decides && game.outcome(&pos).is_none() {
                    decisions.push((pos, 0));
                }
            });
        }
        watch.stage("positions", decisions.len() as u64);
        while !decisions.is_empty() {
            check_stop(watch)?;
            let batch: Vec<_> = decisions.drain(..BATCH.min(decisions.len())).collect();
            watch.advance(batch.len() as u64);
            let mut text = String::new();
            labels.of_all(batch, watch)?.iter().for_each(|label| self.encode(label, &mut text));
            self.write(&text)?;
        }
        Ok(())
    }

    /// Appends the row of a position to a text, unless nobody moves there.
    fn encode(&mut self, label: &Label, text: &mut String) {
        let game = self.entry.game();
        let Some(best) = label.best.as_ref().filter(|best| !best.is_empty()) else { return };
        let moves = game.list(&label.pos).zip(best).filter(|(_, best)| **best);
        let moves: Vec<String> = moves.map(|(mv, _)| game.write_move(&label.pos, mv)).collect();
        let mut row: Vec<(&str, Value)> = vec![("position", game.write_position(&label.pos).into())];
        row.extend(game.coordinates(&label.pos).into_iter().map(|(name, number)| (name, number.into())));
        row.push(("to_move", label.turn.word().into()));
        row.push(("value", label.value.map_or(Value::Null, payoff)));
        row.push(("best", moves.join(" ").into()));
        let joined = |cells: Vec<String>| cells.join(",");
        *text += &match self.form {
            Form::Lines => {
                let field = |(name, value): &(&str, Value)| format!("\"{name}\":{value}");
                format!("{{{}}}", joined(row.iter().map(field).collect()))
            }
            _ => {
                let names = joined(row.iter().map(|(name, _)| (*name).to_string()).collect());
                let heading = if self.rows == 0 { names + "\n" } else { String::new() };
                heading + &joined(row.iter().map(|(_, value)| cell(value)).collect())
            }
        };
        text.push('\n');
        self.rows += 1;
    }

    fn write(&mut self, text: &str) -> Result<(), Trouble> {
        self.file.write_all(text.as_bytes()).map_err(|error| failed(self.request, &error))
    }
}

/// Returns the payoff of the player to move: an integer, or a mean in games with chance.
fn payoff(value: MoveValue) -> Value {
    match value {
        MoveValue::Value(value) => value.payoff().into(),
        MoveValue::Mean(mean) => mean.into(),
    }
}

/// A value as a cell of CSV.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\n']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
