//! The registry of game families, which maps spec strings to games.
//!
//! A *family* is all games that share a name and differ in parameters, such as all boards of `mnk`; it constructs a
//! game from a spec string.

use crate::{aliases, families};
use outplay_core::{Game, InputError, Notation, nearest};
use outplay_games::Spec;
use outplay_players::EngineLauncher;
use outplay_workbench::{GameBuilder, GameHandle};
use std::sync::Arc;

/// The constructor of a family: makes a member from its spec.
type Make = Arc<dyn Fn(Spec) -> Result<GameHandle, InputError> + Send + Sync>;

/// A game family: games that share a name and differ in parameters.
#[derive(Clone)]
pub struct Family {
    name: String,
    about: String,
    parameters: String,
    example: String,
    rules: String,
    /// Infers the member from a position, where that is possible.
    infer: Option<Infer>,
    make: Make,
}

/// Returns the spec of the family's member that a position belongs to.
type Infer = fn(&str) -> Result<String, InputError>;

impl Family {
    /// A family called `name` whose members are made by `make`.
    pub fn new(
        name: &str,
        about: &str,
        make: impl Fn(Spec) -> Result<GameHandle, InputError> + Send + Sync + 'static,
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

    /// A family with a single member, for a user-defined game.
    pub fn single<G: Game + Notation>(name: &str, about: &str, game: G) -> Family {
        let known = name.to_string();
        Family::new(name, about, move |spec| {
            if spec.argument().is_some() {
                return Err(spec.error(format!("`{known}` takes no argument")));
            }
            spec.finish("no options")?;
            Ok(GameBuilder::new(game.clone()).build())
        })
    }

    /// Sets the description of the parameters, and an example.
    #[must_use]
    pub fn parameters(mut self, parameters: &str, example: &str) -> Family {
        self.parameters = parameters.into();
        self.example = example.into();
        self
    }

    /// Sets the rules text, one paragraph.
    #[must_use]
    pub fn with_rules(mut self, rules: &str) -> Family {
        self.rules = rules.into();
        self
    }

    /// Sets the function that infers the member from a position.
    #[must_use]
    pub fn inferred(mut self, infer: fn(&str) -> Result<String, InputError>) -> Family {
        self.infer = Some(infer);
        self
    }

    /// The rules text, one paragraph.
    pub fn rules(&self) -> &str {
        &self.rules
    }

    /// The name before the colon.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A one-line description of the game.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The description of the parameters.
    pub fn options(&self) -> &str {
        &self.parameters
    }

    /// An example spec.
    pub fn example(&self) -> &str {
        &self.example
    }
}

/// Registry of all game families by name.
#[derive(Clone)]
pub struct Catalog {
    families: Vec<Family>,
    /// The launcher of external engines, if engines are allowed.
    launcher: Option<Arc<dyn EngineLauncher>>,
}

impl Catalog {
    /// The built-in games.
    pub fn standard() -> Catalog {
        Catalog { families: families::standard(), launcher: None }
    }

    /// Allows external engines as players; `launcher` starts them.
    #[must_use]
    pub fn with_programs(mut self, launcher: Arc<dyn EngineLauncher>) -> Catalog {
        self.launcher = Some(launcher);
        self
    }

    /// Adds a family; it replaces an earlier one of the same name.
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
    pub fn open(&self, text: &str) -> Result<GameHandle, InputError> {
        let text = &self.translated(text);
        let spec = Spec::parse(text)?;
        let family = self.family(text)?;
        let entry = (family.make)(spec)?;
        Ok(match &self.launcher {
            Some(launcher) => entry.with_programs(Arc::clone(launcher)),
            None => entry,
        })
    }

    /// The family of the game that a spec string describes.
    ///
    /// # Errors
    ///
    /// An unknown name, with the nearest known one.
    pub fn family(&self, text: &str) -> Result<&Family, InputError> {
        let spec = Spec::parse(&self.translated(text))?;
        self.families.iter().find(|family| family.name == spec.name()).ok_or_else(|| {
            let known = self.families.iter().map(Family::name).chain(aliases::names());
            let near = nearest(&aliases::plain(spec.name()), known);
            let near = near.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
            spec.error(format!(
                "there is no game called `{}`; {near}`outplay games` lists all games; docs/your-own-game.md shows how to add a game",
                spec.name()
            ))
        })
    }

    /// A spec whose name is that of a family: other names, capital letters, hyphens and underscores are translated.
    fn translated(&self, text: &str) -> String {
        aliases::translated(text, &|name| self.families.iter().any(|family| family.name == name))
    }

    /// A sentence about a part of a spec that was left out and might be expected to have another value.
    pub fn note(&self, text: &str) -> Option<String> {
        let text = self.translated(text);
        let spec = Spec::parse(&text).ok().filter(|spec| spec.name() == "mnk" && !spec.has("k"))?;
        let size = spec.argument()?;
        let (width, height) = size.split_once('x')?;
        let large = width.parse::<u32>().ok()?.min(height.parse().ok()?) >= 5;
        large.then(|| match size {
            "15x15" => "k=3 by default; gomoku is mnk:15x15,k=5".to_string(),
            _ => format!("k=3 by default; five in a row is mnk:{size},k=5"),
        })
    }

    /// Completes a spec that consists of a family's name only with the member that a position belongs to: `chess`
    /// with a FEN becomes `chess:KQK`. Any other spec is returned unchanged.
    ///
    /// # Errors
    ///
    /// A position that does not determine the member.
    pub fn complete(&self, text: &str, position: &str) -> Result<String, InputError> {
        let family = self.families.iter().find(|family| family.name == self.translated(text));
        match family.and_then(|family| family.infer) {
            Some(infer) => infer(position),
            None => Ok(text.to_string()),
        }
    }
}
