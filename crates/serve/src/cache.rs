//! What is kept between requests: a few games with what their solvers learned, and answers.
//!
//! Invariant: both are bounded in number, and whatever was not used for longest goes first.

use crate::refusal::Refusal;
use crate::settings::{ANSWERS, GAMES};
use outplay_answer::{Entry, QueryAnswer, is_complete};
use outplay_catalog::Catalog;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Games that are kept ready, the last used one at the end.
pub(crate) struct Shelf {
    catalog: Catalog,
    games: Mutex<Vec<(String, Entry)>>,
}

impl Shelf {
    pub(crate) fn new(catalog: Catalog) -> Shelf {
        Shelf { catalog, games: Mutex::new(Vec::new()) }
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The game that a spec describes.
    pub(crate) fn open(&self, spec: &str) -> Result<Entry, Refusal> {
        if let Some(game) = self.take(spec) {
            return Ok(game);
        }
        let made = self.catalog.open(spec)?;
        // Two ways to write the same game share what is known about it.
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

    /// Lets go of the games whose tables were removed: they may have them open.
    pub(crate) fn forget(&self, gone: impl Fn(&str) -> bool) {
        if let Ok(mut games) = self.games.lock() {
            games.retain(|(known, _)| !gone(known));
        }
    }

    fn take(&self, spec: &str) -> Option<Entry> {
        let mut games = self.games.lock().ok()?;
        let at = games.iter().position(|(known, _)| known == spec)?;
        let found = games.remove(at);
        let game = found.1.clone();
        games.push(found);
        Some(game)
    }
}

/// Answers by game and position, in two generations: the older one goes when the younger one is full.
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

    /// Keeps an answer in which nothing is unknown; others may become better with more time.
    pub(crate) fn keep(&self, answer: &Arc<QueryAnswer>) {
        if let (true, Ok(mut generations)) = (is_complete(answer), self.generations.lock()) {
            insert(&mut generations, (answer.game.clone(), answer.position.clone()), Arc::clone(answer));
        }
    }

    /// Forgets what is known of a game, because its table changed.
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
