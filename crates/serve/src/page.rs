//! Static files of the web page, embedded in the program.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::{Reply, at_once};
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// Lists names and contents of files in the page's folder.
macro_rules! files {
    ($($name:literal)*) => { &[$(($name, include_bytes!(concat!("../page/", $name)))),*] };
}

/// All static files; requests never reach the file system.
static FILES: &[(&str, &[u8])] = files! {
    "after.js"
    "api.js"
    "app.js"
    "arena.js"
    "ask.js"
    "board.js"
    "chart.js"
    "chess-setup.js"
    "dice.js"
    "dom.js"
    "drawer.js"
    "embed.css"
    "embed.html"
    "embed.js"
    "experiments.js"
    "explore.js"
    "facts.js"
    "fingers.js"
    "gallery.js"
    "games.js"
    "given.js"
    "glyphs.js"
    "ground.js"
    "hand.js"
    "history.js"
    "icon.svg"
    "index.html"
    "install.js"
    "keys.js"
    "knowledge.js"
    "learn.css"
    "learn.js"
    "legend.js"
    "lesson-alphabeta.js"
    "lesson-chance.js"
    "lesson-game.js"
    "lesson-horizon.js"
    "lesson-loops.js"
    "lesson-minimax.js"
    "lesson-order.js"
    "lesson-proof.js"
    "lesson-tables.js"
    "lesson.js"
    "levels.js"
    "link.js"
    "main.js"
    "marks.js"
    "match.js"
    "men.js"
    "mini.js"
    "motion.js"
    "move-text.js"
    "names.js"
    "offline.js"
    "outplay.webmanifest"
    "paint.js"
    "picture.js"
    "piles.js"
    "place-api.js"
    "place.css"
    "players.js"
    "plies.js"
    "predict.js"
    "preview.png"
    "proof-tree.js"
    "puzzle-hint.js"
    "puzzle-sets.js"
    "puzzle.css"
    "puzzle.js"
    "record.js"
    "refusal.js"
    "review.js"
    "rules.js"
    "san.js"
    "scene.js"
    "settings.js"
    "setup.js"
    "share-more.js"
    "share.js"
    "sheet.js"
    "sound.js"
    "start.js"
    "statistics.js"
    "status.js"
    "still.js"
    "style.css"
    "sw.js"
    "symbol.js"
    "thumbnails.js"
    "tree-picture.js"
    "tree.js"
    "turn.js"
    "values.js"
    "verdict.js"
    "views.js"
    "welcome.js"
    "worth.js"
};

/// Returns the content of a file. A debug build reads it from the folder, so that a reload shows an edit.
fn content(name: &str) -> Option<Cow<'static, [u8]>> {
    let (_, embedded) = FILES.iter().find(|(known, _)| *known == name)?;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page/");
    let edited = if cfg!(debug_assertions) { std::fs::read(format!("{folder}{name}")).ok() } else { None };
    Some(edited.map_or(Cow::Borrowed(*embedded), Cow::Owned))
}

/// Media type of a file.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// Serves a file of the page, or 404.
pub(crate) fn file(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let path = match asked.uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    at_once(answer(path, &asked.headers, None))
}

/// The names of all files.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Names of the modules that a script imports statically, as prettier writes imports.
fn imports(script: &str) -> impl Iterator<Item = &str> {
    let heads = ["import ", "} from "];
    let lines = script.lines().filter(move |line| heads.iter().any(|head| line.starts_with(head)));
    lines.filter_map(|line| Some(line.split_once("\"./")?.1.split_once('"')?.0))
}

/// The import graph of a script, breadth first, the script itself included.
fn import_graph(script: &'static str) -> Vec<&'static str> {
    let mut graph = vec![script];
    let mut next = 0;
    while let Some(&name) = graph.get(next) {
        let file = FILES.iter().find(|(known, _)| *known == name);
        let text = file.and_then(|(_, content)| std::str::from_utf8(content).ok()).unwrap_or_default();
        for import in imports(text) {
            if !graph.contains(&import) {
                graph.push(import);
            }
        }
        next += 1;
    }
    graph
}

/// Tags that load the whole import graph of the page at once, without waiting for each module to name the next ones.
fn preload_tags() -> &'static str {
    static TAGS: LazyLock<String> = LazyLock::new(|| {
        let graph = import_graph("main.js").into_iter();
        graph.map(|name| ["  <link rel=\"modulepreload\" href=\"", name, "\">\n"].concat()).collect()
    });
    &TAGS
}

/// Serves a file by name, with further tags at the end of its `<head>`; the start page preloads its modules.
pub(crate) fn answer(path: &str, headers: &HeaderMap, tags: Option<&str>) -> Response {
    let Some(content) = content(path) else {
        let error = "this address does not exist";
        return Refusal::new(StatusCode::NOT_FOUND, error, "the page is at /, the interface at /api/v1")
            .into_response();
    };
    let preloads = if path == "index.html" { preload_tags() } else { "" };
    let content = match (tags, std::str::from_utf8(&content)) {
        (None, _) if preloads.is_empty() => content,
        (_, Ok(text)) => {
            let tags = tags.map(|tags| format!("{tags}\n")).unwrap_or_default();
            Cow::Owned(text.replacen("</head>", &format!("{preloads}{tags}</head>"), 1).into_bytes())
        }
        _ => content,
    };
    let tag = format!("\"{:016x}\"", xxh3_64(&content));
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let base = [(header::ETAG, tag), (header::CACHE_CONTROL, "no-cache".to_string())];
    if known {
        return (StatusCode::NOT_MODIFIED, base).into_response();
    }
    (base, [(header::CONTENT_TYPE, kind(path))], Body::from(content)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn every_file_of_the_folder_is_embedded_and_of_a_known_kind() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        let mut names: Vec<String> =
            folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !name.ends_with(".md"));
        names.sort_unstable();
        assert_eq!(names, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        assert!(names.iter().all(|name| kind(name) != "application/octet-stream"));
    }

    #[test]
    fn the_start_page_preloads_its_import_graph() {
        let graph = import_graph("main.js");
        let static_imports = |name: &str| {
            let (_, text) = FILES.iter().find(|(known, _)| *known == name).unwrap();
            let text = std::str::from_utf8(text).unwrap();
            // Dynamic imports are followed by a parenthesis, not by `from`.
            let parts =
                text.split(" from \"./").skip(1).map(|rest| rest.split('"').next().unwrap().to_string());
            parts.collect::<Vec<String>>()
        };
        for name in &graph {
            for import in static_imports(name) {
                assert!(graph.contains(&import.as_str()), "{name} imports {import}, which is not preloaded");
            }
        }
        assert!(graph.len() > 40 && graph.contains(&"men.js"), "{graph:?}");
        assert!(!graph.contains(&"arena.js"), "views are loaded when they are opened");
        let page = answer("index.html", &HeaderMap::new(), Some("<meta name=\"x\">"));
        let body = body_text(page);
        let preloaded = body.matches("<link rel=\"modulepreload\" href=").count();
        assert_eq!(preloaded, graph.len());
        assert!(body.contains("<meta name=\"x\">\n</head>"));
        assert!(!body_text(answer("embed.html", &HeaderMap::new(), None)).contains("modulepreload"));
    }

    /// The text of a response.
    fn body_text(response: Response) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let bytes = runtime.block_on(axum::body::to_bytes(response.into_body(), usize::MAX)).unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    /// Scripts that may name games: data about them (the gallery, names, small games, lessons) and the set-up, which
    /// writes specs. Whatever else depends on a game comes from the server.
    const NAMING: [&str; 5] = ["gallery.js", "games.js", "names.js", "paint.js", "setup.js"];

    /// The names of games in the strings and regular expressions of a script, each with its line.
    fn named_games(script: &str, families: &[&str]) -> Vec<String> {
        let layouts = ["chess"];
        let mut found = Vec::new();
        for (number, line) in script.lines().enumerate() {
            if line.trim_start().starts_with("//") || line.trim_start().starts_with('*') {
                continue;
            }
            for family in families {
                for (at, _) in line.match_indices(family) {
                    let before = line[..at].chars().next_back().unwrap_or(' ');
                    let after = line[at + family.len()..].chars().next().unwrap_or(' ');
                    let named = match before {
                        '"' | '\'' | '`' => "\"'`:,".contains(after),
                        // In a regular expression.
                        '^' => !after.is_alphanumeric(),
                        '(' | '|' => "|)".contains(after),
                        _ => false,
                    };
                    // A layout has the name of a family: `scene.layout === "chess"`.
                    let layout = layouts.contains(family) && before == '"' && after == '"';
                    if named && !layout {
                        found.push(format!("{}: {}", number + 1, line.trim()));
                    }
                }
            }
        }
        found
    }

    #[test]
    fn scripts_name_no_games() {
        let catalog = outplay_catalog::Catalog::standard();
        let families: Vec<&str> = catalog.families().iter().map(|family| family.name()).collect();
        for (name, bytes) in FILES {
            if !name.ends_with(".js") || name.starts_with("lesson-") {
                continue;
            }
            let found = named_games(std::str::from_utf8(bytes).unwrap(), &families);
            match NAMING.contains(name) {
                true => assert!(!found.is_empty(), "{name} names no game: take it off the list"),
                false => assert!(found.is_empty(), "{name} names games: {found:#?}"),
            }
        }
    }

    #[test]
    fn names_of_games_are_found() {
        let found = |line: &str| !named_games(line, &["pig", "piglet", "chess", "connect"]).is_empty();
        let named =
            ["/^pig/.test(game)", "/^(x|piglet)/", "game === 'pig'", "`chess:${men}`", "/^connect(4)?/"];
        for line in named {
            assert!(found(line), "{line}");
        }
        let unnamed = [
            "// as in `pig`",
            "class: \"pig-side\"",
            "layout === \"chess\"",
            "tone.connect(volume)",
            "(pig(scene))",
        ];
        for line in unnamed {
            assert!(!found(line), "{line}");
        }
    }

    /// Bytes of all texts of the page as they are sent, compressed.
    #[test]
    fn the_page_is_small() {
        let texts = FILES.iter().filter(|(name, _)| !kind(name).starts_with("image"));
        let compressed = |(_, text): &(&str, &[u8])| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap().len()
        };
        let bytes: usize = texts.map(compressed).sum();
        assert!(bytes < 232_000, "{bytes} bytes");
    }
}
