//! Tests of settings as files and requests give them.

use super::names::{DEFAULTS, NAMES, PATHS, leaves, pointed};
use super::{PartialSettings, SiteMode, TextForm};
use crate::{CommentPolicy, Role};

fn toml(text: &str) -> Result<PartialSettings, String> {
    PartialSettings::with_lines(text).map_err(|(error, line)| format!("c.toml:{line}: {error}"))
}

#[test]
fn a_choice_by_its_name_is_the_choice_in_its_part() {
    let by_name = "comments = 'separate'\ninclude = ['review']\ntext = 'markdown'\nlinks = true\n\
                   sites = 's.sites'\nmax_record = '1K'\nmin_words = 5\nexact_duplicates = true";
    let in_parts = "[content]\ncomments = 'separate'\ninclude = ['review']\n[text]\nform = 'markdown'\n\
                    links = true\n[sites]\nfile = 's.sites'\n[limits]\nmax_record = 1024\n\
                    [filters]\nmin_words = 5\n[filters.duplicates]\nexact = true";
    let (by_name, in_parts) = (toml(by_name).unwrap(), toml(in_parts).unwrap());
    assert_eq!(by_name.settings().unwrap(), in_parts.settings().unwrap());
    let settings = by_name.settings().unwrap();
    assert_eq!(settings.content.comments, CommentPolicy::Separate);
    assert!(settings.content.include.contains(Role::Review));
    assert_eq!(settings.limits.max_record.0, 1024);
    assert!(settings.filters.duplicates.exact);
}

#[test]
fn every_choice_has_a_name_of_its_own() {
    let paths: Vec<String> = leaves(&DEFAULTS).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths.len(), PATHS.len(), "two choices share a name: {paths:?}");
    for (name, path) in NAMES {
        assert!(paths.contains(&path.to_owned()), "{name} names no choice");
    }
    for path in &paths {
        // A part and a choice of one name are told apart by the kind of the value, which has to differ.
        assert!(!pointed(&DEFAULTS, path).unwrap().is_object(), "{path}");
    }
}

#[test]
fn what_is_above_wins() {
    let below = toml("comments = 'include'\nsites = 'a.sites'\nlanguages = ['de']\nmath = 'off'").unwrap();
    let above = toml("languages = ['en', 'fr']\nsite_memory = 'two-pass'\nmath = 'tex'").unwrap();
    let settings = above.over(below).settings().unwrap();
    assert_eq!(settings.content.comments, CommentPolicy::Include);
    assert_eq!(settings.filters.languages.len(), 2);
    assert_eq!((settings.sites.memory, settings.sites.file), (SiteMode::TwoPass, None));
    assert_eq!(settings.text, super::TextSettings::default());
}

#[test]
fn links_ask_for_markdown() {
    let settings = toml("links = true").unwrap().settings().unwrap();
    assert_eq!(settings.text.form, TextForm::Markdown);
    let refused = toml("links = true\ntext = 'plain'").unwrap().settings();
    assert_eq!(refused.unwrap_err().to_string(), "text.links: is for Markdown only: add text = \"markdown\"");
}

#[test]
fn filters_by_language_need_it() {
    let needs = |text| toml(text).unwrap().settings().unwrap().document_options().needs_language;
    assert!(!needs("min_words = 5\nmetadata = 'few'"));
    for asking in ["languages = ['de']", "exclude_languages = ['de']", "rules = ['c4', 'gopher']"] {
        assert!(needs(asking), "{asking}");
    }
}

#[test]
fn errors_name_key_and_line() {
    for (text, error) in [
        ("job = 3", "c.toml:1: unknown key \"job\", did you mean \"jobs\"?"),
        (
            "[filters]\nmin_words = 5\nmin_word = 3",
            "c.toml:3: unknown key \"filters.min_word\", did you mean \"min_words\"?",
        ),
        (
            "[filters.duplicates]\n\nnaer = true",
            "c.toml:3: unknown key \"filters.duplicates.naer\", did you mean \"near\"?",
        ),
        (
            "\ncomments = 'never'",
            "c.toml:2: content.comments: unknown value `never`, expected one of `exclude`, `include`, `separate`",
        ),
        (
            "[filters]\nlanguages = [\n  'en',\n  'german',\n]",
            "c.toml:2: filters.languages: \"german\" is no language, expected an ISO 639 code such as \"de\" or \"deu\"",
        ),
        ("\noutput = 'x'", "c.toml:2: unknown key \"output\", but a group of settings: [output]"),
        ("min_words = 'few'", "c.toml:1: filters.min_words: invalid type: string \"few\", expected a whole number"),
        ("max_record = '1X'", "c.toml:1: limits.max_record: unknown unit \"X\", expected K, M, G or T"),
    ] {
        assert_eq!(toml(text).unwrap_err(), error);
    }
    let of_text = |name, text| PartialSettings::default().set_text(name, text).unwrap_err().to_string();
    let long = PartialSettings::default().set("x".repeat(60_000).as_str(), 1).unwrap_err().to_string();
    assert_eq!(long, format!("unknown key \"{}...\", longer than all of them", "x".repeat(64)));
    let size = "is not a size of chunks, which is written like words=400 or tokens=512,overlap=64";
    assert_eq!(of_text("chunks", "400"), format!("include.chunks: \"400\" {size}"));
    assert!(of_text("min_words", "-5").contains("expected a whole number"));
    assert!(toml("jobs = 0").unwrap_err().starts_with("c.toml:1: limits.jobs: "));
    assert!(toml("a = 1\njobs =").unwrap_err().starts_with("c.toml:2: "));
    assert!(toml("striped = 1").unwrap_err().contains("expected one of addresses, archive, articles, "));
    assert_eq!(PartialSettings::from_json("[]").unwrap_err().to_string(), "settings: expected an object");
}
