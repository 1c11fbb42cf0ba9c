//! Finds the language of code that the page names.

use std::collections::HashMap;

use trommel_html::{Page, Tag};

use crate::render::content::KeptContent;

/// Elements around a `pre` that may name its language.
const ANCESTORS: usize = 2;
/// Elements of a table around a cell.
const TABLE_ANCESTORS: usize = 4;
/// Maximum bytes of the name of a language.
const MAX_LANGUAGE_BYTES: usize = 32;
/// Classes beside which the name of a language stands alone.
const HIGHLIGHTERS: [&str; 13] = [
    "syntaxhighlighter", "hljs", "sourceCode", "highlight", "prettyprint", "code", "codehilite", "prism", "shiki",
    "hl", "block", "CodeMirror", "syntax",
];
/// Names that are taken for languages there.
// Only beside the class of a highlighter: `go` or `r` alone is any class.
const LANGUAGES: [&str; 60] = [
    "ada", "bash", "c", "c++", "clojure", "cpp", "cs", "csharp", "css", "dart", "diff", "dockerfile", "elixir", "elm",
    "erlang", "fish", "fortran", "fsharp", "go", "graphql", "groovy", "haskell", "html", "ini", "java", "javascript",
    "js", "json", "jsx", "julia", "kotlin", "latex", "lean", "lisp", "lua", "makefile", "markdown", "matlab", "nix",
    "objectivec", "ocaml", "perl", "php", "powershell", "python", "r", "ruby", "rust", "scala", "scss", "sh", "shell",
    "sql", "swift", "toml", "ts", "typescript", "xml", "yaml", "zig",
];
/// Prefixes of the name of a language in a class, the longer ones first.
const PREFIXES: [&str; 7] =
    ["highlight-source-", "highlight-text-", "language-", "sourceCode-", "brush-", "lang-", "highlight-"];

/// The languages that elements name, each read once.
#[derive(Debug, Default)]
pub(super) struct CodeLanguages {
    of_element: HashMap<u32, Option<String>>,
}

impl CodeLanguages {
    /// Language of the code in a `pre`, as its class, that of `code` inside or of the elements around
    /// names it; empty if none does.
    pub fn of(&mut self, content: &KeptContent, pre: u32, blocks: &[u32]) -> String {
        let page = content.page;
        let mut candidates = vec![pre];
        if let Some(block) = blocks.first().and_then(|at| content.block(*at)) {
            let inside = page.path(block.element).map(|(at, _)| at);
            candidates.extend(inside.take_while(|at| *at != pre).take(ANCESTORS));
            let is_code = |at: &&u32| page.element(**at).is_some_and(|e| e.tag == Tag::Code);
            candidates.extend(page.inline(block).iter().find(is_code));
        }
        // Between code beside its line numbers and what names the language stands a table.
        let around = page.path(pre).skip(1).take(ANCESTORS + TABLE_ANCESTORS);
        let around = around.filter(|(_, element)| !matches!(element.tag, Tag::Td | Tag::Tr | Tag::Tbody | Tag::Table));
        candidates.extend(around.take(ANCESTORS).map(|(at, _)| at));
        candidates.into_iter().find_map(|at| self.named(page, content.html, at)).unwrap_or_default()
    }

    fn named(&mut self, page: &Page, html: &str, at: u32) -> Option<String> {
        let read = || {
            let element = page.element(at)?;
            let is_code = element.tag.keeps_space() || element.tag == Tag::Code;
            let names = ["data-lang", "data-language", "data-code-language", "lang"];
            let said = element.first_attribute(html, if is_code { &names } else { &names[..3] });
            let said = said.and_then(|name| language(&format!("lang-{name}")));
            said.or_else(|| class_language(&element.attribute(html, "class")?))
        };
        self.of_element.entry(at).or_insert_with(read).clone()
    }
}

/// The language that a class attribute names.
fn class_language(class: &str) -> Option<String> {
    // SyntaxHighlighter writes `brush: js`.
    let brush = class
        .split_once("brush:")
        .and_then(|(_, rest)| rest.split([' ', ';']).find(|word| !word.is_empty()))
        .and_then(|name| language(&format!("lang-{name}")));
    brush.or_else(|| class.split_whitespace().find_map(language)).or_else(|| {
        // Highlighters that name the language beside themselves.
        let mut names = class.split_whitespace();
        let is_marked = names.clone().any(|name| HIGHLIGHTERS.contains(&name));
        let known = |name: &&str| LANGUAGES.contains(&name.to_ascii_lowercase().as_str());
        names.find(known).filter(|_| is_marked).map(str::to_ascii_lowercase)
    })
}

/// The language that one class names.
fn language(class: &str) -> Option<String> {
    let class = class.to_ascii_lowercase();
    let name = PREFIXES.iter().find_map(|prefix| class.strip_prefix(prefix))?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '.' | '-' | '_');
    // Highlighters call their parts so, too.
    let is_part = |name: &str| name.contains('-') || matches!(name, "line" | "lines" | "wrapper");
    let is_part =
        class.starts_with("highlight-") && is_part(name) && !class.contains("source-") && !class.contains("-text-");
    let said = !is_part && !matches!(name, "" | "none" | "undefined" | "default" | "auto");
    (said && name.len() <= MAX_LANGUAGE_BYTES && name.chars().all(plain)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_name_languages() {
        assert_eq!(language("language-C++").as_deref(), Some("c++"));
        assert_eq!(language("highlight-source-shell").as_deref(), Some("shell"));
        assert_eq!(language("lang-js").as_deref(), Some("js"));
        assert_eq!(class_language("brush: js; x").as_deref(), Some("js"));
        assert_eq!(class_language("hljs python").as_deref(), Some("python"));
        assert_eq!(class_language("python quiet"), None);
        let sphinx = class_language("highlight-python notranslate");
        assert_eq!(sphinx.as_deref(), Some("python"));
        for class in ["highlight-default", "language-none", "lang-", "language-a`b", "languages", "hljs"] {
            assert_eq!(language(class), None, "{class}");
        }
    }
}
