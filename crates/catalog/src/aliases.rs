//! Aliases of game names (`tic-tac-toe`, `ttt`, …), and tolerant matching of names: case, spaces, hyphens, underscores
//! and apostrophes are ignored.

/// Names as people know them, with the spec they stand for. An argument of the user's replaces that of the spec:
/// `gomoku:19x19` is `mnk:19x19,k=5`.
const ALIASES: [(&str, &str); 24] = [
    ("ttt", "tictactoe"),
    ("noughts", "tictactoe"),
    ("noughtsandcrosses", "tictactoe"),
    ("naughtsandcrosses", "tictactoe"),
    ("xsandos", "tictactoe"),
    ("connectfour", "connect4"),
    ("c4", "connect4"),
    ("fourinarow", "connect4"),
    ("4inarow", "connect4"),
    ("connectfive", "connect:7x6,k=5"),
    ("gomoku", "mnk:15x15,k=5"),
    ("gobang", "mnk:15x15,k=5"),
    ("fiveinarow", "mnk:15x15,k=5"),
    ("5inarow", "mnk:15x15,k=5"),
    ("threemensmorris", "morris:three"),
    ("sixmensmorris", "morris:six"),
    ("ninemensmorris", "morris:nine"),
    ("tapatan", "morris:tapatan"),
    ("mill", "morris:nine"),
    ("mills", "morris:nine"),
    ("ewn", "einstein"),
    ("einsteinwurfeltnicht", "einstein"),
    ("einsteinwürfeltnicht", "einstein"),
    ("pigdice", "pig"),
];

/// All other names.
pub(crate) fn names<'a>() -> impl Iterator<Item = &'a str> {
    ALIASES.into_iter().map(|(name, _)| name)
}

/// A name in small letters, without hyphens, underscores, spaces and apostrophes.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| !" -_'’".contains(*c)).flat_map(char::to_lowercase).collect()
}

/// A spec whose name is `known`, if there is such a spec; any other spec is returned as it is.
pub(crate) fn translated(text: &str, known: &dyn Fn(&str) -> bool) -> String {
    let text = text.trim();
    let (head, options) = text.split_once(',').map_or((text, ""), |(head, options)| (head, options));
    let (name, argument) =
        head.split_once(':').map_or((head, None), |(name, argument)| (name, Some(argument)));
    if known(name) {
        return text.to_string();
    }
    let name = plain(name);
    let connect = || name.strip_prefix("connect")?.parse::<u8>().ok().map(|k| format!("connect:7x6,k={k}"));
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, spec)| (*spec).to_string());
    let Some(spec) = Some(name.clone()).filter(|name| known(name)).or(alias).or_else(connect) else {
        return text.to_string();
    };
    let (head, preset) = spec.split_once(',').map_or((spec.as_str(), ""), |(head, preset)| (head, preset));
    let (name, default) = head.split_once(':').map_or((head, None), |(name, default)| (name, Some(default)));
    let mut translated = name.to_string();
    if let Some(argument) = argument.or(default) {
        translated += &format!(":{argument}");
    }
    // An option of the user's stands before that of the name, which is left out if it is the same one.
    let key = |option: &str| option.split('=').next().unwrap_or_default().to_string();
    let given: Vec<&str> =
        options.split(',').filter(|option| !option.is_empty() || options.contains(',')).collect();
    let preset = preset.split(',').filter(|preset| !preset.is_empty());
    let preset = preset.filter(|preset| !given.iter().any(|option| key(option) == key(preset)));
    for option in given.iter().copied().chain(preset) {
        translated += &format!(",{option}");
    }
    translated
}
