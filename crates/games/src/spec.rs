//! Parser of spec strings: `name[:argument][,key=value][,flag]…`. Each game interprets the parts.

use outplay_core::{InputError, nearest};

/// A parsed spec string. A game takes the options it knows, and [`Spec::finish`] rejects the rest.
#[derive(Clone, Debug)]
pub struct Spec {
    text: String,
    name: String,
    argument: Option<String>,
    options: Vec<(String, Option<String>)>,
}

impl Spec {
    /// Splits a spec string into name, argument and options.
    ///
    /// # Errors
    ///
    /// An empty name, an empty option or an option given twice.
    pub fn parse(text: &str) -> Result<Spec, InputError> {
        let bad = |why: &str| InputError::spec(text, why);
        let mut parts = text.trim().split(',');
        // `split` always yields at least one part.
        let head = parts.next().unwrap_or_default();
        let (name, argument) = match head.split_once(':') {
            Some((name, argument)) => (name, Some(argument.to_string())),
            None => (head, None),
        };
        if name.is_empty() {
            return Err(bad("the game's name is missing; `outplay games` lists the games"));
        }
        let mut options: Vec<(String, Option<String>)> = Vec::new();
        for part in parts {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key, Some(value.to_string())),
                None => (part, None),
            };
            if key.is_empty() {
                return Err(bad("an option is empty; write options as `,key=value` or `,flag`"));
            }
            // A number is an argument in the wrong place, as in `nim:3,3`; the game says where it belongs.
            let is_option = !key.bytes().all(|byte| byte.is_ascii_digit());
            if is_option && options.iter().any(|(known, _)| known == key) {
                return Err(bad(&format!("the option `{key}` is given twice; give it once")));
            }
            options.push((key.to_string(), value));
        }
        Ok(Spec { text: text.to_string(), name: name.to_string(), argument, options })
    }

    /// The game's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text after the colon.
    pub fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    /// Whether an option is given.
    pub fn has(&self, key: &str) -> bool {
        self.options.iter().any(|(known, _)| known == key)
    }

    /// The options that are bare whole numbers, which no game has.
    pub fn bare_numbers(&self) -> Vec<&str> {
        let bare = self.options.iter().filter(|(_, value)| value.is_none()).map(|(key, _)| key.as_str());
        bare.filter(|key| key.bytes().all(|byte| byte.is_ascii_digit())).collect()
    }

    /// Takes the value of `key=value` out of the options.
    ///
    /// # Errors
    ///
    /// The key was given as a flag, without a value.
    pub fn take(&mut self, key: &str) -> Result<Option<String>, InputError> {
        let Some(place) = self.options.iter().position(|(known, _)| known == key) else { return Ok(None) };
        match self.options.remove(place).1 {
            Some(value) => Ok(Some(value)),
            None => Err(self.error(format!("the option `{key}` needs a value, as in `{key}=…`"))),
        }
    }

    /// Takes the value of an option that is a whole number.
    ///
    /// # Errors
    ///
    /// The value is not a whole number that fits.
    pub fn take_number(&mut self, key: &str) -> Result<Option<usize>, InputError> {
        let Some(value) = self.take(key)? else { return Ok(None) };
        match value.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(self.error(format!("`{key}={value}` is not a whole number"))),
        }
    }

    /// Takes a flag out of the options.
    ///
    /// # Errors
    ///
    /// The flag was given a value.
    pub fn take_flag(&mut self, key: &str) -> Result<bool, InputError> {
        let Some(place) = self.options.iter().position(|(known, _)| known == key) else { return Ok(false) };
        match self.options.remove(place).1 {
            None => Ok(true),
            Some(_) => Err(self.error(format!("the option `{key}` takes no value; write it without `=`"))),
        }
    }

    /// Rejects options that no `take` call has taken.
    ///
    /// # Errors
    ///
    /// An option is left; `known` lists the options of the game.
    pub fn finish(&self, known: &str) -> Result<(), InputError> {
        match self.options.first() {
            None => Ok(()),
            Some((key, _)) => {
                // The list is written for people; the words of `k=…, obstacles=a1+b2, misere` are the candidates for
                // a suggestion.
                let words = known.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 2);
                let near = nearest(key, words).map(|near| format!("did you mean `{near}`? "));
                let near = near.unwrap_or_default();
                Err(self.error(format!("`{}` has no option `{key}`; {near}it has {known}", self.name)))
            }
        }
    }

    /// An error about this spec.
    pub fn error(&self, why: impl Into<String>) -> InputError {
        InputError::spec(&self.text, why)
    }
}
