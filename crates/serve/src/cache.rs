//! Caches that requests share: open games with their solvers' state (LRU), and answers.
//!
//! Invariant: both caches have a maximum number of entries. The least recently used game is dropped first; answers are
//! kept in two generations, of which the older one is dropped.

use crate::refusal::Refusal;
use crate::settings::{ANSWERS, GAMES};
use outplay_catalog::Catalog;
use outplay_workbench::{GameHandle, QueryAnswer, is_complete};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// LRU cache of open games, the most recently used at the end.
pub(crate) struct OpenGames {
    catalog: Catalog,
    games: Mutex<Vec<(String, GameHandle)>>,
}

impl OpenGames {
    pub(crate) fn new(catalog: Catalog) -> OpenGames {
        OpenGames { catalog, games: Mutex::new(Vec::new()) }
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns the game of a spec, opening it if necessary.
    pub(crate) fn open(&self, spec: &str) -> Result<GameHandle, Refusal> {
        if let Some(game) = self.take(spec) {
            return Ok(game);
        }
        let made = self.catalog.open(spec)?;
        // Different spellings of a game share one entry.
        let canonical = made.spec();
        let game = if canonical == spec { None } else { self.take(&canonical) };
        let game = game.unwrap_or(made);
        if let Ok(mut games) = self.games.lock() {
            games.retain(|(known, _)| *known != canonical);
            games.push((canonical, game.clone()));
            if games.len() > GAMES {
                games.remove(0);
            }
        }
        Ok(game)
    }

    /// Drops games whose tables were removed: they may hold open files.
    pub(crate) fn forget(&self, gone: impl Fn(&str) -> bool) {
        if let Ok(mut games) = self.games.lock() {
            games.retain(|(known, _)| !gone(known));
        }
    }

    fn take(&self, spec: &str) -> Option<GameHandle> {
        let mut games = self.games.lock().ok()?;
        let at = games.iter().position(|(known, _)| known == spec)?;
        let found = games.remove(at);
        let game = found.1.clone();
        games.push(found);
        Some(game)
    }
}

/// Answers by game and position, in two generations: when the younger is full, it replaces the older.
#[derive(Default)]
pub(crate) struct Answers {
    generations: Mutex<Generations>,
}

impl Answers {
    pub(crate) fn find(&self, game: &str, position: &str) -> Option<Arc<QueryAnswer>> {
        let key = (game.to_string(), position.to_string());
        let mut generations = self.generations.lock().ok()?;
        if let Some(answer) = generations[0].get(&key) {
            return Some(Arc::clone(answer));
        }
        let answer = Arc::clone(generations[1].get(&key)?);
        insert(&mut generations, key, Arc::clone(&answer));
        Some(answer)
    }

    /// Stores an answer if it is complete; others may improve with more time.
    pub(crate) fn keep(&self, game: &GameHandle, answer: &Arc<QueryAnswer>) {
        if let (true, Ok(mut generations)) = (is_complete(game, answer), self.generations.lock()) {
            insert(&mut generations, (answer.game.clone(), answer.position.clone()), Arc::clone(answer));
        }
    }

    /// Drops the answers of a game, because its table changed.
    pub(crate) fn forget(&self, game: &str) {
        if let Ok(mut generations) = self.generations.lock() {
            generations.iter_mut().for_each(|answers| answers.retain(|(known, _), _| known != game));
        }
    }
}

type Generations = [HashMap<(String, String), Arc<QueryAnswer>>; 2];

fn insert(generations: &mut Generations, key: (String, String), answer: Arc<QueryAnswer>) {
    if generations[0].len() >= ANSWERS / 2 {
        generations[1] = std::mem::take(&mut generations[0]);
    }
    generations[0].insert(key, answer);
}
