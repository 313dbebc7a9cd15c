//! Writer of SVG pictures (Scalable Vector Graphics): elements with attributes and content, escaped by construction.
//!
//! Lengths are pixels, written in tenths; all other attributes are written as they are displayed.
//!
//! ```
//! use outplay_core::svg::{document, rect, text};
//!
//! let mut picture = document(80, 20).title("a < b");
//! picture.push(rect(0, 0, 80.0 / 3.0, 20).fill("#fff"));
//! picture.push(text(4, 12, "a & b").class("mid"));
//! assert_eq!(
//!     picture.to_string(),
//!     r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20"><title>a &lt; b</title><rect x="0" y="0" width="26.7" height="20" fill="#fff"/><text x="4" y="12" class="mid">a &amp; b</text></svg>"##
//! );
//! ```

use std::fmt::{self, Display, Write};

/// An element of an SVG picture, with attributes and content.
#[derive(Clone, Debug)]
#[must_use]
pub struct Element {
    name: &'static str,
    attributes: String,
    content: String,
}

impl Element {
    /// Adds an attribute.
    pub fn attr(mut self, key: &str, value: impl Display) -> Element {
        // Writing to a string cannot fail, here and below.
        let _ = write!(self.attributes, " {key}=\"");
        let _ = write!(EscapedWriter(&mut self.attributes), "{value}");
        self.attributes.push('"');
        self
    }

    /// Adds an attribute that is a length.
    pub fn length(self, key: &str, pixels: impl Into<f64>) -> Element {
        // The sum turns a negative zero into a positive one.
        self.attr(key, (pixels.into() * 10.0).round() / 10.0 + 0.0)
    }

    /// Sets the place of a text, a part of one or a nested picture.
    pub fn at(self, x: impl Into<f64>, y: impl Into<f64>) -> Element {
        self.length("x", x).length("y", y)
    }

    /// Sets the classes that a style sheet refers to.
    pub fn class(self, names: impl Display) -> Element {
        self.attr("class", names)
    }

    /// Sets the colour of an area or a text.
    pub fn fill(self, colour: &str) -> Element {
        self.attr("fill", colour)
    }

    /// Sets the colour of an outline.
    pub fn stroke(self, colour: &str) -> Element {
        self.attr("stroke", colour)
    }

    /// Sets which part of a text is at its place: `start`, `middle` or `end`.
    pub fn anchor(self, part: &str) -> Element {
        self.attr("text-anchor", part)
    }

    /// Adds a title, which browsers show as a tooltip and screen readers read.
    pub fn title(self, words: impl Display) -> Element {
        self.with(element("title").words(words))
    }

    /// Adds text to the content.
    pub fn words(mut self, words: impl Display) -> Element {
        let _ = write!(EscapedWriter(&mut self.content), "{words}");
        self
    }

    /// Adds an element to the content.
    pub fn with(mut self, child: Element) -> Element {
        self.push(child);
        self
    }

    /// Adds an element to the content.
    pub fn push(&mut self, child: Element) {
        let _ = write!(self.content, "{child}");
    }
}

impl Extend<Element> for Element {
    fn extend<T: IntoIterator<Item = Element>>(&mut self, children: T) {
        children.into_iter().for_each(|child| self.push(child));
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Element { name, attributes, content } = self;
        match content.is_empty() {
            true => write!(f, "<{name}{attributes}/>"),
            false => write!(f, "<{name}{attributes}>{content}</{name}>"),
        }
    }
}

/// An element without attributes and content.
pub fn element(name: &'static str) -> Element {
    Element { name, attributes: String::new(), content: String::new() }
}

/// A picture of this size as a file of its own.
pub fn document(width: impl Into<f64>, height: impl Into<f64>) -> Element {
    sized(element("svg").attr("xmlns", "http://www.w3.org/2000/svg"), width.into(), height.into())
}

/// A picture of this size inside an HTML page, which needs no namespace.
pub fn inline(width: impl Into<f64>, height: impl Into<f64>) -> Element {
    sized(element("svg"), width.into(), height.into())
}

fn sized(svg: Element, width: f64, height: f64) -> Element {
    svg.attr("viewBox", format!("0 0 {} {}", width.round(), height.round()))
}

/// A style sheet.
pub fn style(rules: &str) -> Element {
    element("style").words(rules)
}

/// A group of elements.
pub fn group() -> Element {
    element("g")
}

/// A rectangle by its upper left corner.
pub fn rect(x: impl Into<f64>, y: impl Into<f64>, width: impl Into<f64>, height: impl Into<f64>) -> Element {
    element("rect").at(x, y).length("width", width).length("height", height)
}

/// A straight line between two places.
pub fn line(from: (impl Into<f64>, impl Into<f64>), to: (impl Into<f64>, impl Into<f64>)) -> Element {
    element("line").length("x1", from.0).length("y1", from.1).length("x2", to.0).length("y2", to.1)
}

/// A circle by its centre.
pub fn circle(x: impl Into<f64>, y: impl Into<f64>, radius: impl Into<f64>) -> Element {
    element("circle").length("cx", x).length("cy", y).length("r", radius)
}

/// A path by its commands, such as `M0 0H10`.
pub fn path(commands: impl Display) -> Element {
    element("path").attr("d", commands)
}

/// A text that starts at this place.
pub fn text(x: impl Into<f64>, y: impl Into<f64>, words: impl Display) -> Element {
    element("text").at(x, y).words(words)
}

/// Text that is safe inside an element or attribute of SVG or HTML.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let _ = EscapedWriter(&mut safe).write_str(text);
    safe
}

/// A string to which text is added safely.
struct EscapedWriter<'a>(&'a mut String);

impl Write for EscapedWriter<'_> {
    fn write_char(&mut self, c: char) -> fmt::Result {
        match c {
            '&' => self.0.push_str("&amp;"),
            '<' => self.0.push_str("&lt;"),
            '>' => self.0.push_str("&gt;"),
            '"' => self.0.push_str("&quot;"),
            _ => self.0.push(c),
        }
        Ok(())
    }

    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.write_char(c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_short_and_text_is_escaped() {
        let check = |element: Element, written: &str| assert_eq!(element.to_string(), written);
        check(element("a").length("b", -0.01), r#"<a b="0"/>"#);
        check(element("a").attr("b", 0.45).length("c", 1234.56), r#"<a b="0.45" c="1234.6"/>"#);
        check(element("a").attr("b", "\"<&>\""), r#"<a b="&quot;&lt;&amp;&gt;&quot;"/>"#);
        check(group().words("<").with(element("b")).words(">"), "<g>&lt;<b/>&gt;</g>");
    }
}
