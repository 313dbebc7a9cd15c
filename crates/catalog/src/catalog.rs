//! The list of games.

use crate::handle::GameHandle;
use crate::{Entry, families};
use outplay_core::{Game, InputError, Notation};
use outplay_games::Spec;
use std::sync::Arc;

/// How a family of games makes one of them from its spec.
type Make = Arc<dyn Fn(Spec) -> Result<Box<dyn GameHandle>, InputError> + Send + Sync>;

/// Games that share a name.
#[derive(Clone)]
pub struct Family {
    name: String,
    about: String,
    parameters: String,
    example: String,
    make: Make,
}

impl Family {
    /// A family called `name` whose members are made by `make`.
    pub fn new(
        name: &str,
        about: &str,
        make: impl Fn(Spec) -> Result<Box<dyn GameHandle>, InputError> + Send + Sync + 'static,
    ) -> Family {
        Family {
            name: name.into(),
            about: about.into(),
            parameters: String::new(),
            example: name.into(),
            make: Arc::new(make),
        }
    }

    /// A family with a single member, for a game of one's own.
    pub fn single<G: Game + Notation>(name: &str, about: &str, game: G) -> Family {
        let known = name.to_string();
        Family::new(name, about, move |spec| {
            if spec.argument().is_some() {
                return Err(spec.error(format!("`{known}` takes no argument")));
            }
            spec.finish("no options")?;
            Ok(Box::new(Entry::new(game.clone())))
        })
    }

    /// Describes what may follow the name, and an example.
    #[must_use]
    pub fn parameters(mut self, parameters: &str, example: &str) -> Family {
        self.parameters = parameters.into();
        self.example = example.into();
        self
    }

    /// The name before the colon.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the game is, in a line.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// What may follow the name.
    pub fn options(&self) -> &str {
        &self.parameters
    }

    /// A spec to try.
    pub fn example(&self) -> &str {
        &self.example
    }
}

/// All games known by name.
#[derive(Clone)]
pub struct Catalog {
    families: Vec<Family>,
}

impl Catalog {
    /// The games that outplay comes with.
    pub fn standard() -> Catalog {
        Catalog { families: families::standard() }
    }

    /// Adds a family; a later one of the same name takes the place of an earlier one.
    pub fn add(&mut self, family: Family) {
        self.families.retain(|known| known.name != family.name);
        self.families.push(family);
    }

    /// The families in the order in which they were added.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// The game that a spec string describes.
    ///
    /// # Errors
    ///
    /// An unknown name, with the nearest known one, or parameters that make no sense.
    pub fn open(&self, text: &str) -> Result<Box<dyn GameHandle>, InputError> {
        let spec = Spec::parse(text)?;
        let Some(family) = self.families.iter().find(|family| family.name == spec.name()) else {
            let near =
                self.nearest(spec.name()).map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
            return Err(spec.error(format!(
                "there is no game called `{}`; {near}`outplay games` lists them",
                spec.name()
            )));
        };
        (family.make)(spec)
    }

    fn nearest(&self, name: &str) -> Option<&str> {
        let far = name.chars().count().min(40) / 2;
        let names = self.families.iter().map(Family::name);
        names
            .map(|known| (edits(name, known), known))
            .filter(|(edits, _)| *edits <= far.min(3))
            .min()
            .map(|(_, known)| known)
    }
}

/// How many letters must change to turn one word into another.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(40).enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_find_their_game() {
        let catalog = Catalog::standard();
        let message =
            |text: &str| catalog.open(text).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message("tictacto").contains("did you mean `tictactoe`?"));
        assert!(message("conect4:5x5").contains("did you mean `connect4`?"));
        assert!(!message("go:19x19").contains("did you mean"));
        assert_eq!(message("nim:2+2"), "");
    }
}
