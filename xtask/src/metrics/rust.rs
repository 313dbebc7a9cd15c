//! Counts of one Rust file for `cargo xtask metrics`: types, methods, lengths of functions, lines of code.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The counts of a file.
pub(super) struct Source {
    /// The path from the root of the tree.
    pub(super) name: String,
    pub(super) lines: usize,
    /// Lines with code, those of modules of tests left out.
    pub(super) code_lines: usize,
    /// Lines with code in modules of tests.
    pub(super) test_lines: usize,
    /// Names of structs, enums and traits.
    pub(super) types: Vec<String>,
    /// Inherent methods and associated functions by type.
    pub(super) methods: BTreeMap<String, usize>,
    pub(super) functions: Vec<Function>,
    /// Modules of tests in files of their own, as paths without `.rs`.
    pub(super) test_modules: Vec<String>,
}

/// A function with its lines from the signature to the closing brace.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) lines: usize,
}

impl Source {
    /// Counts what a file has.
    pub(super) fn parse(name: &str, text: &str) -> syn::Result<Source> {
        let tokens: TokenStream = text.parse()?;
        let mut items = Items { folder: folder(name), ..Items::default() };
        items.visit_file(&syn::parse2(tokens.clone())?);
        let mut lines = BTreeSet::new();
        mark_lines(tokens, &mut lines);
        let within = |line: &usize| items.test_ranges.iter().any(|range| range.contains(line));
        let (tests, code): (Vec<usize>, Vec<usize>) = lines.into_iter().partition(within);
        Ok(Source {
            name: name.to_string(),
            lines: text.lines().count(),
            code_lines: code.len(),
            test_lines: tests.len(),
            types: items.types,
            methods: items.methods,
            functions: items.functions,
            test_modules: items.test_modules,
        })
    }
}

/// The folder in which the modules of a file are.
fn folder(name: &str) -> String {
    let stem = name.trim_end_matches(".rs");
    let (folder, last) = stem.rsplit_once('/').unwrap_or(("", stem));
    if ["lib", "main", "mod"].contains(&last) { folder.to_string() } else { stem.to_string() }
}

/// Adds the lines on which there are tokens. Comments are no tokens but for doc comments, which are attributes named `doc`.
fn mark_lines(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(length) = doc_comment(&tokens[at..]) {
            at += length;
            continue;
        }
        match &tokens[at] {
            TokenTree::Group(group) => {
                if group.delimiter() != Delimiter::None {
                    lines.insert(group.span_open().start().line);
                    lines.insert(group.span_close().end().line);
                }
                mark_lines(group.stream(), lines);
            }
            token => lines.extend(token.span().start().line..=token.span().end().line),
        }
        at += 1;
    }
}

/// How many tokens a doc comment takes that begins here: `#[doc = "…"]` or `#![doc = "…"]`.
fn doc_comment(tokens: &[TokenTree]) -> Option<usize> {
    let is = |token: Option<&TokenTree>, letter: char| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == letter);
    if !is(tokens.first(), '#') {
        return None;
    }
    let at = if is(tokens.get(1), '!') { 2 } else { 1 };
    let Some(TokenTree::Group(group)) = tokens.get(at) else { return None };
    let first = group.stream().into_iter().next();
    let doc = matches!(first, Some(TokenTree::Ident(ident)) if ident == "doc");
    doc.then_some(at + 1)
}

/// Collects items outside of tests.
#[derive(Default)]
struct Items {
    folder: String,
    types: Vec<String>,
    methods: BTreeMap<String, usize>,
    functions: Vec<Function>,
    test_ranges: Vec<RangeInclusive<usize>>,
    test_modules: Vec<String>,
}

impl Items {
    /// Counts a function from its first word to its last brace, without attributes and comments before it.
    fn add(&mut self, signature: &syn::Signature, begin: proc_macro2::Span, block: &syn::Block) {
        let (from, to) = (begin.start().line, block.span().end().line);
        self.functions.push(Function { name: signature.ident.to_string(), line: from, lines: to + 1 - from });
    }
}

/// Whether an item is compiled for tests alone.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test")))
    })
}

/// Whether an attribute has this name, whatever its path.
fn is_marked(attributes: &[syn::Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == name))
}

/// The name of the type of an `impl`, without its parameters.
fn type_name(of: &syn::Type) -> Option<String> {
    match of {
        syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        syn::Type::Reference(reference) => type_name(&reference.elem),
        syn::Type::Paren(paren) => type_name(&paren.elem),
        syn::Type::TraitObject(object) => object.bounds.iter().find_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => {
                bound.path.segments.last().map(|last| last.ident.to_string())
            }
            _ => None,
        }),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Items {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            return visit::visit_item_mod(self, item);
        }
        match item.content {
            Some(_) => {
                let span = item.span();
                self.test_ranges.push(span.start().line..=span.end().line);
            }
            None => self.test_modules.push(format!("{}/{}", self.folder, item.ident)),
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.types.push(item.ident.to_string());
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.types.push(item.ident.to_string());
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.types.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if is_test(&item.attrs) {
            return;
        }
        let inherent = item.trait_.is_none() && !is_marked(&item.attrs, "pymethods");
        if inherent && let Some(name) = type_name(&item.self_ty) {
            let methods = item.items.iter();
            let methods =
                methods.filter(|item| matches!(item, syn::ImplItem::Fn(item) if !is_test(&item.attrs)));
            *self.methods.entry(name).or_default() += methods.count();
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            self.add(&item.sig, begin(&item.vis, &item.sig), &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            self.add(&item.sig, begin(&item.vis, &item.sig), &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.sig, item.sig.span(), block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

/// Where a function begins: at its visibility, if it has one.
fn begin(visibility: &syn::Visibility, signature: &syn::Signature) -> proc_macro2::Span {
    match visibility {
        syn::Visibility::Inherited => signature.span(),
        visibility => visibility.span(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Source {
        Source::parse("crates/a/src/lib.rs", text).unwrap()
    }

    #[test]
    fn types_in_tests_do_not_count() {
        let source = parse(
            "struct A; enum B {} trait C {} type D = A; union E { a: u8 }\n\
             mod inner { pub struct F; fn f() { struct G; } }\n\
             #[cfg(test)] mod tests { struct H; }",
        );
        assert_eq!(source.types, ["A", "B", "C", "F", "G"]);
    }

    #[test]
    fn methods_are_those_of_inherent_blocks() {
        let source = parse(
            "impl<T> A<T> { fn one(&self) {} const N: u8 = 1; pub(crate) fn two() {} }\n\
             impl a::A<u8> { async fn three() {} #[cfg(test)] fn four() {} }\n\
             impl Clone for A<u8> { fn clone(&self) -> Self { todo!() } }\n\
             #[pymethods] impl B { fn five() {} }\n\
             #[pyo3::pymethods] impl B { fn six() {} }\n\
             impl dyn C { fn seven() {} }",
        );
        assert_eq!(source.methods, BTreeMap::from([("A".into(), 3), ("C".into(), 1)]));
    }

    #[test]
    fn functions_have_the_lines_of_signature_and_body() {
        let source = parse(
            "/// Doc.\n#[inline]\npub fn one(\n    a: u8,\n) -> u8 {\n    a\n}\n\
             trait T {\n    fn two();\n    fn three() {\n    }\n}\n\
             impl T for A {\n    fn four() {}\n}\n\
             #[cfg(test)]\nmod tests {\n    fn five() {}\n}",
        );
        let found: Vec<_> =
            source.functions.iter().map(|found| (found.name.as_str(), found.line, found.lines)).collect();
        assert_eq!(found, [("one", 3, 5), ("three", 10, 2), ("four", 14, 1)]);
    }

    #[test]
    fn code_is_neither_comment_nor_blank() {
        let text = "//! Doc.\n\n// A comment.\nfn one() {\n    /* two\n    lines */\n    let a = \"x\n    // text\"; // here\n}\n\
                    /// Doc.\n#[derive(Clone)]\nstruct A;\n#[cfg(test)]\nmod tests {\n    // None.\n    fn two() {}\n}\n";
        let source = parse(text);
        // `fn one`, two lines of the text, `}`, the attribute and `struct A`.
        assert_eq!((source.code_lines, source.test_lines, source.lines), (6, 4, 17));
    }

    #[test]
    fn test_modules_in_files_are_found() {
        let source =
            Source::parse("crates/a/src/mnk/mod.rs", "#[cfg(test)]\nmod tests;\nmod rules;").unwrap();
        assert_eq!(source.test_modules, ["crates/a/src/mnk/tests"]);
        let source = Source::parse("crates/a/src/mnk.rs", "#[cfg(test)]\nmod tests;").unwrap();
        assert_eq!(source.test_modules, ["crates/a/src/mnk/tests"]);
    }
}
