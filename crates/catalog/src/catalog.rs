//! The list of games.

use crate::families;
use outplay_answer::Entry;
use outplay_core::{Game, InputError, Notation, nearest};
use outplay_games::Spec;
use outplay_players::Outside;
use std::sync::Arc;

/// How a family of games makes one of them from its spec.
type Make = Arc<dyn Fn(Spec) -> Result<Entry, InputError> + Send + Sync>;

/// Games that share a name.
#[derive(Clone)]
pub struct Family {
    name: String,
    about: String,
    parameters: String,
    example: String,
    rules: String,
    /// Which member a position belongs to, where that shows.
    infer: Option<Infer>,
    make: Make,
}

/// Finds the spec of the family's member that a position belongs to.
type Infer = fn(&str) -> Result<String, InputError>;

impl Family {
    /// A family called `name` whose members are made by `make`.
    pub fn new(
        name: &str,
        about: &str,
        make: impl Fn(Spec) -> Result<Entry, InputError> + Send + Sync + 'static,
    ) -> Family {
        Family {
            name: name.into(),
            about: about.into(),
            parameters: String::new(),
            example: name.into(),
            rules: String::new(),
            infer: None,
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
            Ok(Entry::new(game.clone()))
        })
    }

    /// Describes what may follow the name, and an example.
    #[must_use]
    pub fn parameters(mut self, parameters: &str, example: &str) -> Family {
        self.parameters = parameters.into();
        self.example = example.into();
        self
    }

    /// Tells the rules, in a paragraph.
    #[must_use]
    pub fn told(mut self, rules: &str) -> Family {
        self.rules = rules.into();
        self
    }

    /// Says how a position tells which member it belongs to.
    #[must_use]
    pub fn inferred(mut self, infer: fn(&str) -> Result<String, InputError>) -> Family {
        self.infer = Some(infer);
        self
    }

    /// The rules in a paragraph.
    pub fn rules(&self) -> &str {
        &self.rules
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
    /// Who starts programs that play, where somebody may.
    outside: Option<Arc<dyn Outside>>,
}

impl Catalog {
    /// The games that outplay comes with.
    pub fn standard() -> Catalog {
        Catalog { families: families::standard(), outside: None }
    }

    /// Lets programs play the games: players by protocol, which `outside` starts.
    #[must_use]
    pub fn with_programs(mut self, outside: Arc<dyn Outside>) -> Catalog {
        self.outside = Some(outside);
        self
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
    pub fn open(&self, text: &str) -> Result<Entry, InputError> {
        let spec = Spec::parse(text)?;
        let family = self.family(text)?;
        let entry = (family.make)(spec)?;
        Ok(match &self.outside {
            Some(outside) => entry.with_programs(Arc::clone(outside)),
            None => entry,
        })
    }

    /// The family of the game that a spec string describes.
    ///
    /// # Errors
    ///
    /// An unknown name, with the nearest known one.
    pub fn family(&self, text: &str) -> Result<&Family, InputError> {
        let spec = Spec::parse(text)?;
        self.families.iter().find(|family| family.name == spec.name()).ok_or_else(|| {
            let near = nearest(spec.name(), self.families.iter().map(Family::name));
            let near = near.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
            spec.error(format!("there is no game called `{}`; {near}`outplay games` lists them", spec.name()))
        })
    }

    /// A spec that says no more than a family's name, completed by what a position tells: `chess` with a FEN is
    /// `chess:KQK`. Any other spec stays as it is.
    ///
    /// # Errors
    ///
    /// A position that tells nothing.
    pub fn complete(&self, text: &str, position: &str) -> Result<String, InputError> {
        let family = self.families.iter().find(|family| family.name == text.trim());
        match family.and_then(|family| family.infer) {
            Some(infer) => infer(position),
            None => Ok(text.to_string()),
        }
    }
}
