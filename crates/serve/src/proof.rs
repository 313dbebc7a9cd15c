//! Written proofs: found, checked step by step, and played by.

use crate::ask::Asked;
use crate::refusal::Refusal;
use crate::reply::{self, Reply};
use axum::http::StatusCode;
use outplay_check::{CheckError, Followed, GuideError, Guided};
use outplay_core::{Deadline, LineBoard, Turn, cell_name};
use serde::Deserialize;
use serde_json::{Value, json};

/// Characters of a proof that can be sent back, which a request's body has to hold as JSON.
const LONGEST: usize = 48 << 10;
/// Pairs of step and position that are told.
const TOLD: usize = 300;
/// Moves of a walk.
const WALK: usize = 400;

/// `GET /api/v1/proof`
pub(crate) fn prove(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let options = asked.shared.steady_options();
    Ok(asked.ask(game, move |game, _, watch| {
        let proved = game.prove(&place, &options, watch)?;
        if proved.proof.as_ref().is_some_and(|proof| proof.len() > LONGEST) {
            let error = format!(
                "the proof has {} steps, more than this server sends; `outplay solve {} --method proof --proof FILE` writes it",
                proved.steps, proved.game
            );
            let cure = "choose a smaller board, or a position later in the game";
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error, cure));
        }
        Ok(reply::json(&proved))
    }))
}

/// A proof to be checked.
#[derive(Deserialize)]
struct CheckRequest {
    proof: String,
}

fn name(board: &LineBoard, cell: usize) -> String {
    cell_name(cell / board.height, cell % board.height)
}

/// The height of the proof's board, which names of cells need: its rows, read before anything is checked.
fn rows(proof: &str) -> usize {
    let board = proof.lines().find_map(|line| line.trim().strip_prefix("board "));
    board.and_then(|board| board.split_whitespace().next()).map_or(1, |rows| rows.split('/').count())
}

/// `POST /api/v1/check`
pub(crate) fn check(asked: &Asked) -> Result<Reply, Refusal> {
    let CheckRequest { proof } = asked.told()?;
    let (time, bytes) = (asked.shared.settings.time, asked.shared.steady_options().memory as usize / 2);
    Ok(asked.work(move |_, watch| {
        let limits = outplay_check::Limits { bytes, ..outplay_check::Limits::default() };
        let clock = Deadline::new(Some(time), watch);
        let (height, mut told) = (rows(&proof), Vec::new());
        let mut eyes = |followed: &Followed<'_>| {
            if told.len() < TOLD {
                let stones = followed.stones.iter();
                let stones: Vec<Value> = stones
                    .map(|&(cell, by)| json!({ "cell": cell_name(cell / height, cell % height), "by": by }))
                    .collect();
                told.push(json!({
                    "step": followed.step, "depth": followed.depth, "attacker": followed.attacker,
                    "attacks": followed.attacks, "stones": stones,
                }));
            }
        };
        match outplay_check::check_seen(&proof, &limits, &clock, Some(&mut eyes)) {
            Ok(claim) => Ok(reply::json(&json!({
                "valid": true, "value": claim.verdict.word(), "steps": claim.steps, "followed": claim.followed,
                "seen": told,
            }))),
            Err(CheckError::Stopped) => Err(Refusal::beyond("the time that this server allows ran out")),
            Err(error) => {
                let step = if let CheckError::Step { step, .. } = &error { Some(*step) } else { None };
                let told = json!({ "valid": false, "error": error.to_string(), "step": step, "seen": told });
                Ok(reply::json(&told))
            }
        }
    }))
}

/// A proof, whose strategy to play by, and what the opponent played.
#[derive(Deserialize)]
struct WalkRequest {
    proof: String,
    player: Turn,
    #[serde(default)]
    moves: Vec<String>,
}

/// `POST /api/v1/walk`
pub(crate) fn walk(asked: &Asked) -> Result<Reply, Refusal> {
    let WalkRequest { proof, player, moves } = asked.told()?;
    if moves.len() > WALK || player == Turn::Chance {
        return Err(Refusal::bad("this is no walk through a proof", "name a player and moves of the other"));
    }
    Ok(asked.work(move |_, _| {
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        match outplay_check::guide(&proof, player, &moves) {
            Ok(guided) => Ok(reply::json(&told(&guided))),
            Err(GuideError::Proof(error)) => {
                Err(Refusal::bad(error.to_string(), "send a proof that `/api/v1/check` finds right"))
            }
            Err(error) => Err(Refusal::bad(error.to_string(), "choose another player or another move")),
        }
    }))
}

/// Where a strategy stands, for the page.
fn told(guided: &Guided) -> Value {
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
