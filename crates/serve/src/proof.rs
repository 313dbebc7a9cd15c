//! Handlers for proof certificates: search for a proof, check it, and play against the strategy of a proof.

use crate::api_request::ApiRequest;
use crate::question::Budget;
use crate::refusal::Refusal;
use crate::reply::{self, Reply};
use axum::http::StatusCode;
use outplay_check::{CheckError, CheckLimits, GuideError, StrategyState, TrailStep};
use outplay_core::{LineBoard, Turn, cell_name};
use serde::Deserialize;
use serde_json::{Value, json};

/// Longest proof that a client can send back: it has to fit a request body as JSON.
const LONGEST: usize = 48 << 10;
/// Most pairs of step and position in a response.
const VISITED: usize = 300;
/// Most pairs of step and position that a check visits.
const FOLLOWED: u64 = 1_000_000_000;
/// Most moves of a walk.
const WALK: usize = 400;

/// `GET /api/v1/proof`
pub(crate) fn prove(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let session = asked.shared.steady_session();
    Ok(asked.ask(game, move |game, budget| {
        let proved = outplay_workbench::prove(&session, game, &place, budget.watch)?;
        if proved.proof.as_ref().is_some_and(|proof| proof.len() > LONGEST) {
            let error = format!(
                "the proof has {} steps, too many for this server to send; `outplay solve {} --method proof --proof FILE` writes it to a file",
                proved.steps, proved.game
            );
            let cure = "choose a smaller board, or a position later in the game";
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error, cure));
        }
        Ok(reply::json(&proved))
    }))
}

/// The body of `POST /api/v1/check`.
#[derive(Deserialize)]
struct CheckRequest {
    proof: String,
}

fn name(board: &LineBoard, cell: usize) -> String {
    cell_name(cell / board.height, cell % board.height)
}

/// Returns the board height of a proof, which cell names need; reads only the text's rows.
fn rows(proof: &str) -> usize {
    let board = proof.lines().find_map(|line| line.trim().strip_prefix("board "));
    board.and_then(|board| board.split_whitespace().next()).map_or(1, |rows| rows.split('/').count())
}

/// `POST /api/v1/check`
pub(crate) fn check(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let CheckRequest { proof } = asked.told()?;
    Ok(asked.work(move |budget| {
        let (limits, clock) = (limits(budget), budget.clock());
        let (height, mut visited) = (rows(&proof), Vec::new());
        let mut eyes = |followed: &TrailStep<'_>| {
            if visited.len() < VISITED {
                let stones = followed.stones.iter();
                let stones: Vec<Value> = stones
                    .map(|&(cell, by)| json!({ "cell": cell_name(cell / height, cell % height), "by": by }))
                    .collect();
                visited.push(json!({
                    "step": followed.step, "depth": followed.depth, "attacker": followed.attacker,
                    "attacks": followed.attacks, "stones": stones,
                }));
            }
        };
        match outplay_check::check_seen(&proof, &limits, &clock, Some(&mut eyes)) {
            Ok(claim) => Ok(reply::json(&json!({
                "valid": true, "value": claim.verdict.word(), "steps": claim.steps, "followed": claim.followed,
                "seen": visited,
            }))),
            Err(error) if error.is_undecided() => Err(undecided(&error)),
            Err(error) => {
                let step = if let CheckError::Step { step, .. } = &error { Some(*step) } else { None };
                let report = json!({ "valid": false, "error": error.to_string(), "step": step, "seen": visited });
                Ok(reply::json(&report))
            }
        }
    }))
}

/// Limits of a proof check within a budget.
fn limits(budget: &Budget<'_>) -> CheckLimits {
    // A third each for the steps, the stack of positions and the visited set.
    CheckLimits { bytes: budget.bytes() as usize / 3, followed: FOLLOWED }
}

/// The error of a check that exceeded its limits.
fn undecided(error: &CheckError) -> Refusal {
    let error = match error {
        CheckError::Stopped => "the check reached the time limit of this server".to_string(),
        error => error.to_string(),
    };
    let cure = "check it on the command line, which has no such limit: `outplay check FILE`";
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error, cure)
}

/// The body of `POST /api/v1/walk`: a proof, the side whose strategy plays, and the opponent's moves.
#[derive(Deserialize)]
struct WalkRequest {
    proof: String,
    player: Turn,
    #[serde(default)]
    moves: Vec<String>,
}

/// `POST /api/v1/walk`
pub(crate) fn walk(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let WalkRequest { proof, player, moves } = asked.told()?;
    if moves.len() > WALK || player == Turn::Chance {
        return Err(Refusal::bad(
            "the player is `chance`, or there are too many moves for a walk through a proof",
            "send `first` or `second`, the player whose strategy to follow, and the moves of the other player",
        ));
    }
    Ok(asked.work(move |budget| {
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        match outplay_check::guide(&proof, player, &moves, &limits(budget), &budget.clock()) {
            Ok(guided) => Ok(reply::json(&walk_state(&guided))),
            Err(GuideError::Proof(error)) if error.is_undecided() => Err(undecided(&error)),
            Err(GuideError::Proof(error)) => {
                Err(Refusal::bad(error.to_string(), "send a proof that `/api/v1/check` accepts"))
            }
            Err(error) => Err(Refusal::bad(error.to_string(), "choose another player or another move")),
        }
    }))
}

/// Serialises the state of a walk.
fn walk_state(guided: &StrategyState) -> Value {
    let board = &guided.board;
    let name = |cell: &usize| name(board, *cell);
    let names = |cells: &[usize]| cells.iter().map(name).collect::<Vec<String>>();
    let stones = guided.stones.iter();
    let stones: Vec<Value> = stones
        .map(|placed| json!({ "cell": name(&placed.cell), "by": placed.by, "step": placed.step }))
        .collect();
    let waiting = guided.waiting.iter().map(|part| {
        let arms: Vec<Value> =
            part.arms.iter().map(|(cells, step)| json!({ "cells": names(cells), "step": step })).collect();
        let pairs: Vec<Vec<String>> = part.pairs.iter().map(|pair| names(pair)).collect();
        json!({
            "step": part.step, "arms": arms, "other": part.other, "pairs": pairs, "threats": names(&part.threats),
        })
    });
    json!({
        "player": guided.player, "wins": guided.wins, "over": guided.over, "stones": stones,
        "waiting": waiting.collect::<Vec<Value>>(),
    })
}
