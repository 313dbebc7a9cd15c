//! Manual pages (roff): one for the program, one for each command (section 1), and one for each help topic (section 7).

use super::commands::{command_line, entry};
use super::{command, topics};
use crate::commands::{Failure, KNOWN, Run, output_error, write_file};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};
use outplay_catalog::Catalog;
use outplay_workbench::Trouble;
use std::io::{self, Write};
use std::path::Path;

/// A manual page: its file name and its text in roff.
struct ManualPage {
    file: String,
    text: Vec<u8>,
}

/// Prints a page, or writes all pages to a directory.
pub(crate) fn man(run: &mut Run<'_, impl Write>, page: &[String], dir: Option<&Path>) -> Result<u8, Failure> {
    let pages = pages(run.catalog).map_err(output_error)?;
    if let Some(dir) = dir {
        if !dir.is_dir() {
            outplay_files::own_directory(dir).map_err(Trouble::from)?;
        }
        for page in &pages {
            write_file(&dir.join(&page.file), &String::from_utf8_lossy(&page.text))?;
        }
        writeln!(run.out, "{} pages written to {}", pages.len(), dir.display()).map_err(output_error)?;
        return Ok(KNOWN);
    }
    let name = [&["outplay".to_string()], page].concat().join("-");
    let found = pages.iter().find(|page| page.file.rsplit_once('.').is_some_and(|(file, _)| file == name));
    let found = found.ok_or_else(|| {
        Trouble::unable(format!("there is no page `{name}`; `outplay help` lists the commands and topics"))
    })?;
    run.out.write_all(&found.text).map_err(output_error)?;
    Ok(KNOWN)
}

/// Renders all pages.
fn pages(catalog: &Catalog) -> io::Result<Vec<ManualPage>> {
    let mut root = command();
    root.build();
    let mut pages = Vec::new();
    add(&root, &root, &mut pages)?;
    for topic in &topics::TOPICS {
        let text = topics::topic(topic.name, catalog).unwrap_or_default();
        pages.push(topic_page(topic, &text)?);
    }
    Ok(pages)
}

/// Adds the page of a command and those of the commands below it.
fn add(root: &Command, found: &Command, pages: &mut Vec<ManualPage>) -> io::Result<()> {
    pages.push(command_page(root, found)?);
    found.get_subcommands().filter(|sub| is_listed(sub)).try_for_each(|sub| add(root, sub, pages))
}

/// Whether a command has a page.
fn is_listed(sub: &Command) -> bool {
    !sub.is_hide_set()
}

/// The name of a command's page: `outplay-book-build`.
fn page_name(found: &Command) -> String {
    found.get_display_name().unwrap_or_else(|| found.get_name()).to_string()
}

fn command_page(root: &Command, found: &Command) -> io::Result<ManualPage> {
    let name = page_name(found);
    let version = root.get_version().unwrap_or_default();
    let man = Man::new(found.clone()).source(format!("outplay {version}")).manual("outplay manual");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if found.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut text)?;
    }
    let mut roff = Roff::new();
    let below: Vec<&Command> = found.get_subcommands().filter(|sub| is_listed(sub)).collect();
    if !below.is_empty() {
        roff.control("SH", ["COMMANDS"]);
    }
    for sub in below {
        roff.control("TP", []);
        roff.text([bold(page_name(sub)), roman("(1)")]);
        roff.text([roman(sub.get_about().map(ToString::to_string).unwrap_or_default())]);
    }
    let top = name.split('-').nth(1).and_then(entry);
    let own = format!("{} ", name.replace('-', " "));
    let examples = top.map_or(&[] as &[&str], |entry| &entry.examples);
    let examples: Vec<(&str, &str)> = examples.iter().map(|example| command_line(example)).collect();
    let examples: Vec<_> =
        examples.into_iter().filter(|(line, _)| format!("{line} ").starts_with(&own)).collect();
    if !examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]);
    }
    for (line, does) in examples {
        roff.control("TP", []);
        roff.text([bold(line)]);
        roff.text([roman(does)]);
    }
    roff.control("SH", ["EXIT STATUS"]);
    roff.text([
        roman(
            "0: the answer is known. 1: the answer is no, or a check failed. 2: wrong usage or input. \
         3: not known within the limits. 130: interrupted. ",
        ),
        bold("outplay-exit-codes"),
        roman("(7) has the details."),
    ]);
    roff.control("SH", ["SEE ALSO"]);
    roff.text(see_also(&name));
    roff.to_writer(&mut text)?;
    Ok(ManualPage { file: format!("{name}.1"), text })
}

/// References to the other pages: the main page and the topics.
fn see_also(name: &str) -> Vec<Inline> {
    let main = (name != "outplay").then_some(("outplay".to_string(), "(1)"));
    let topics = topics::names().into_iter().map(|topic| (format!("outplay-{topic}"), "(7)"));
    let pages = main.into_iter().chain(topics).enumerate();
    let references = pages.flat_map(|(number, (page, section))| {
        let comma = if number > 0 { ", " } else { "" };
        [roman(comma), bold(page), roman(section)]
    });
    references.collect()
}

fn topic_page(topic: &topics::Topic, text: &str) -> io::Result<ManualPage> {
    let name = format!("outplay-{}", topic.name);
    let mut roff = Roff::new();
    let version = concat!("outplay ", env!("CARGO_PKG_VERSION"));
    roff.control("TH", [name.as_str(), "7", "", version, "outplay manual"]);
    roff.control("SH", ["NAME"]);
    roff.text([roman(format!("{name} - {}", topic.about))]);
    roff.control("SH", ["DESCRIPTION"]);
    // Printed as it is.
    roff.control("nf", []);
    for line in text.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff.control("SH", ["SEE ALSO"]);
    roff.text([bold("outplay"), roman("(1)")]);
    let mut text = Vec::new();
    roff.to_writer(&mut text)?;
    Ok(ManualPage { file: format!("{name}.7"), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_has_a_page() {
        let pages = pages(&Catalog::standard()).unwrap();
        let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        assert!(files.len() > 40 && files.contains(&"outplay-book-build.1"), "{files:?}");
        for page in &pages {
            // `\fBoutplay\-solve\fR(1)`
            let text = String::from_utf8(page.text.clone()).unwrap().replace("\\-", "-");
            let text = text.replace("\\fB", "").replace("\\fR", "");
            let references = text.match_indices("outplay").filter_map(|(at, _)| {
                let reference = &text[at..];
                let end = reference.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))?;
                let section = reference[end..].strip_prefix('(')?.split(')').next()?;
                Some(format!("{}.{section}", &reference[..end]))
            });
            let references: Vec<String> = references.collect();
            assert!(!references.is_empty(), "{} refers to nothing", page.file);
            for reference in references {
                assert!(files.contains(&reference.as_str()), "{} refers to {reference}", page.file);
            }
        }
    }
}
