//! Programs that run between games, and the players that are made of them.
//!
//! A program is started when a game begins, and goes back here when its player goes, so that it is at hand for the next
//! move or game. One that did something wrong is ended instead, and the next game begins with a new one.

use crate::child::Child;
use crate::clock::{self, Think};
use crate::command::split;
use crate::gomocup_host::{self, GomocupPlayer};
use crate::ugi_host::UgiPlayer;
use outplay_core::{AnyGame, InputError, Notation};
use outplay_players::{Outside, PlayError, Player};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Programs that are kept although nobody uses them.
const KEPT: usize = 4;

/// Where programs wait. Clones share them; the last one to go ends them.
#[derive(Clone, Default)]
pub struct Stable(Arc<Mutex<Vec<(String, Child)>>>);

impl Stable {
    /// A program that was started for the same purpose, if one waits.
    pub(crate) fn take(&self, purpose: &str) -> Option<Child> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = waiting.iter().position(|(known, _)| known == purpose)?;
        Some(waiting.remove(at).1)
    }

    /// Keeps a program for later.
    pub(crate) fn keep(&self, purpose: &str, child: Child) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push((purpose.to_string(), child));
        let oldest = (waiting.len() > KEPT).then(|| waiting.remove(0));
        // Ending one takes a moment, which nobody else should wait for.
        drop(waiting);
        drop(oldest);
    }
}

/// A spec in its parts.
pub(crate) struct Parts {
    pub(crate) spec: String,
    pub(crate) words: Vec<String>,
    pub(crate) think: Option<Think>,
}

/// Whether a program of that name can be found.
fn exists(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn parts(spec: &str) -> Result<Parts, InputError> {
    let spec = spec.trim();
    let bad = |why: String| InputError::spec(spec, why);
    let (head, command) = spec.split_once(':').unwrap_or((spec, ""));
    let think = head.split_once('@').map(|(_, think)| clock::parse(think)).transpose().map_err(bad)?;
    let words = split(command).map_err(bad)?;
    if !exists(&words[0]) {
        return Err(bad(format!("there is no program `{}`; give its path, as in `./engine`", words[0])));
    }
    Ok(Parts { spec: spec.to_string(), words, think })
}

impl Outside for Stable {
    fn speaks(&self, protocol: &str, game: &AnyGame) -> bool {
        protocol == "ugi" || gomocup_host::size(game).is_ok()
    }

    fn player(&self, spec: &str, game: &AnyGame) -> Result<Box<dyn Player>, PlayError> {
        let protocol = outplay_players::protocol(spec);
        let parts = parts(spec)?;
        if protocol == Some("gomocup") {
            let why = |why| InputError::spec(&parts.spec, why);
            let size = gomocup_host::size(game).map_err(why)?;
            if matches!(parts.think, Some(Think::Depth(_) | Think::Nodes(_))) {
                let words = "Gomocup's protocol knows times only; write one as in `gomocup@200ms:…`";
                return Err(InputError::spec(&parts.spec, words).into());
            }
            return Ok(Box::new(GomocupPlayer::new(self.clone(), game.clone(), parts, size)));
        }
        Ok(Box::new(UgiPlayer::new(self.clone(), game.clone(), parts)))
    }
}

/// What a program is kept for: its words, and the game it was told.
pub(crate) fn purpose(protocol: &str, words: &[String], game: &AnyGame) -> String {
    format!("{protocol}\0{}\0{}", words.join("\0"), game.spec())
}
