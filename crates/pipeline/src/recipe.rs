//! The recipe of a run: all that its outputs depend on but the inputs, as names and values.

use std::{fmt::Debug, path::Path};

use trommel_extract::{ContentPolicy, DocumentOptions};
use trommel_sources::SelectOptions;

use crate::{Destination, Encoding, Follow, Output, PackedOptions, Plan, SetAside};

/// The build of the program: its version, and the beginning of a SHA-256 over the sources that it was made
/// of. A run goes on under the same alone: another may give other text of the same page.
pub const BUILD: &str = env!("TROMMEL_BUILD");
/// What stands for a choice that nobody made.
const NONE: &str = "none";

/// How documents are made of pages: what a [`Plan`] leaves to the extractor of its caller. A run can be
/// continued under the same recipe only, so whoever makes the extractor takes every choice from here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recipe {
    /// Name of the model and its checksum.
    pub model: String,
    /// What counts as main text.
    pub policy: ContentPolicy,
    /// What a document holds.
    pub document: DocumentOptions,
    /// Whether Markdown is divided by what is more than text.
    pub sections: bool,
    /// Whether Markdown is divided into posts.
    pub posts: bool,
    /// What corrects the model.
    pub sites: SiteRecipe,
    /// How WACZ files are read.
    pub packed: PackedOptions,
    /// How indexes of records are read.
    pub select: SelectOptions,
    /// What the names in manifests and indexes are relative to, if that is not their own folder.
    pub base: Option<String>,
}

/// What other pages of a page's site are known by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SiteRecipe {
    /// They are not.
    #[default]
    Off,
    /// A pass over all inputs before the run.
    TwoPass {
        /// Most bytes of memory.
        max_bytes: u64,
    },
    /// The pages that came before.
    Online {
        /// Most bytes of memory.
        max_bytes: u64,
    },
    /// A file.
    File {
        /// Its name.
        name: String,
        /// SHA-256 of what it holds.
        sha256: String,
    },
}

/// Names and values in a fixed order.
pub(crate) type Values = Vec<(String, String)>;

impl Recipe {
    /// Every choice by its name. Taken apart without `..`: a new one has to be named here.
    pub(crate) fn values(&self) -> Values {
        let Self {
            model,
            policy,
            document,
            sections,
            posts,
            sites,
            packed,
            select,
            base,
        } = self;
        let ContentPolicy {
            comments,
            headline,
            articles,
            include,
            exclude,
        } = policy;
        let PackedOptions {
            check_hashes,
            pages_only,
        } = packed;
        let SelectOptions {
            anywhere,
            whole_ranges,
        } = select;
        let mut values = named([
            ("model", or_none(model)),
            ("comments", name_of(comments)),
            ("headline", name_of(headline)),
            ("articles", name_of(articles)),
            ("include", or_none(&include.to_string())),
            ("exclude", or_none(&exclude.to_string())),
        ]);
        values.extend(named(document.choices()));
        values.extend(named([
            ("sections", sections.to_string()),
            ("posts", posts.to_string()),
            ("site memory", sites.value()),
            ("check-hashes", check_hashes.to_string()),
            ("pages-only", pages_only.to_string()),
            ("select-anywhere", anywhere.to_string()),
            ("whole-ranges", whole_ranges.to_string()),
            ("base-url", base.clone().unwrap_or_else(|| NONE.to_owned())),
        ]));
        values
    }
}

impl SiteRecipe {
    fn value(&self) -> String {
        match self {
            Self::Off => "off".to_owned(),
            Self::TwoPass { max_bytes } => format!("two-pass in {max_bytes} bytes"),
            Self::Online { max_bytes } => format!("online in {max_bytes} bytes"),
            Self::File { name, sha256 } => format!("{name} (sha256 {sha256})"),
        }
    }
}

impl Plan {
    /// All that the outputs depend on but the inputs. Taken apart without `..`: a new field has to be named
    /// here, with its value or with the reason for which it does not matter.
    pub(crate) fn settings(&self) -> Values {
        let Self {
            // Each has its identity in the saved state.
            inputs: _,
            output,
            filters,
            // Made of the formats and of what a document holds.
            assemble: _,
            quarantine,
            set_aside,
            dropped,
            follow,
            recipe,
            // Outputs are the same for any number.
            jobs: _,
            max_record,
            max_payload,
            // Sets bounds on the two above, and on what is in work at a time.
            max_memory: _,
            frame,
            resolve_revisits,
            epoch,
        } = self;
        let Output {
            destination,
            encodings,
            split,
        } = output;
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let path_or_none = |own: &Option<_>| own.as_deref().map_or(NONE.to_owned(), path);
        let destination = match destination {
            Destination::Folder(folder) => path(folder),
            Destination::File(file) => path(file),
            Destination::Stdout => "-".to_owned(),
        };
        let (formats, compressions): (Vec<&str>, Vec<&str>) = encodings
            .iter()
            .map(|encoding| {
                let Encoding {
                    format,
                    compression,
                } = encoding;
                (format.name(), compression.name())
            })
            .unzip();
        let set_aside: Vec<String> = set_aside.iter().map(SetAside::to_string).collect();
        let follow = follow.as_ref().map(|follow| {
            let Follow {
                // They may become more, as inputs may.
                arguments: _,
                idle,
                // Says when the run ends.
                until_idle: _,
            } = follow;
            format!("idle {} s", idle.as_secs_f64())
        });
        let mut values = named([
            ("program build", BUILD.to_owned()),
            ("output", destination),
            ("format", formats.join(",")),
            ("compression", compressions.join(",")),
            ("split size", number_or_none(*split)),
            ("quarantine", path_or_none(quarantine)),
            ("set aside", or_none(&set_aside.join(", "))),
            ("dropped", path_or_none(dropped)),
            ("follow", follow.unwrap_or_else(|| NONE.to_owned())),
            ("max-record", max_record.to_string()),
            ("max-payload", max_payload.to_string()),
            ("checkpoint size", frame.to_string()),
            ("SOURCE_DATE_EPOCH", number_or_none(*epoch)),
            ("resolve-revisits", resolve_revisits.to_string()),
        ]);
        values.extend(recipe.values());
        let filters = filters.settings().choices().into_iter();
        values.extend(filters.map(|(name, value)| (format!("filters.{name}"), or_none(&value))));
        values
    }

    /// Why every page of a run depends on all its inputs, if it does: such a run takes no inputs later.
    pub(crate) fn needs_all_inputs(&self) -> Option<&'static str> {
        match (&self.recipe.sites, self.resolve_revisits) {
            (SiteRecipe::TwoPass { .. }, _) => Some("--site-memory two-pass"),
            (_, true) => Some("--resolve-revisits"),
            _ => None,
        }
    }
}

fn named<const N: usize>(values: [(&str, String); N]) -> Values {
    let values = values.into_iter();
    values
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The name of a variant, as configuration files have it.
fn name_of(value: &impl Debug) -> String {
    format!("{value:?}").to_lowercase()
}

fn or_none(value: &str) -> String {
    match value {
        "" => NONE.to_owned(),
        value => value.to_owned(),
    }
}

fn number_or_none(number: Option<impl ToString>) -> String {
    number.map_or_else(|| NONE.to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::HashSet, time::Duration};
    use trommel_extract::{MarkdownOptions, MathForm, NoteForm, ScriptForm, TextOptions};

    fn plan() -> Plan {
        let output = Output {
            destination: Destination::Folder("out".into()),
            encodings: Vec::new(),
            split: None,
        };
        Plan::new(Vec::new(), output)
    }

    #[test]
    fn every_choice_shows_in_the_settings() {
        type Change = fn(&mut Plan);
        let changes: &[Change] = &[
            |plan| plan.max_record += 1,
            |plan| plan.max_payload += 1,
            |plan| plan.frame += 1,
            |plan| plan.epoch = Some(1),
            |plan| plan.resolve_revisits = true,
            |plan| plan.dropped = Some("d".into()),
            |plan| plan.quarantine = Some("q".into()),
            |plan| plan.set_aside = vec!["pdf=x.warc.gz".parse().unwrap()],
            |plan| plan.output.split = Some(1),
            |plan| {
                plan.follow = Some(Follow {
                    arguments: Vec::new(),
                    idle: Duration::from_secs(1),
                    until_idle: None,
                });
            },
            |plan| plan.recipe.model = "x".into(),
            |plan| plan.recipe.base = Some("x".into()),
            |plan| plan.recipe.sites = SiteRecipe::TwoPass { max_bytes: 1 },
            |plan| plan.recipe.sites = SiteRecipe::TwoPass { max_bytes: 2 },
            |plan| plan.recipe.sections = true,
            |plan| plan.recipe.posts = true,
            |plan| plan.recipe.packed.check_hashes = true,
            |plan| plan.recipe.packed.pages_only = true,
            |plan| plan.recipe.select.anywhere = true,
            |plan| plan.recipe.select.whole_ranges = true,
            |plan| plan.recipe.policy.articles = trommel_extract::ArticlePolicy::First,
            |plan| plan.recipe.document.blocks = true,
            |plan| plan.recipe.document.spans = true,
            |plan| plan.recipe.document.tables = true,
            |plan| plan.recipe.document.text.math = MathForm::Off,
            |plan| plan.recipe.document.text.math = MathForm::Plain,
            |plan| plan.recipe.document.text.notes = NoteForm::Drop,
            |plan| plan.recipe.document.text.scripts = ScriptForm::Unicode,
            |plan| plan.recipe.document.markdown = Some(MarkdownOptions::default()),
            |plan| {
                plan.recipe.document.markdown = Some(MarkdownOptions::default().with_links(true))
            },
            |plan| {
                plan.recipe.document.markdown = Some(MarkdownOptions::default().with_images(true))
            },
            |plan| {
                plan.recipe.document.markdown = Some(MarkdownOptions::default().with_title(false))
            },
            |plan| {
                let text = TextOptions::default().with_math(MathForm::Off);
                let markdown = MarkdownOptions::default().with_text(text);
                plan.recipe.document.markdown = Some(markdown);
            },
        ];
        let mut seen = HashSet::from([plan().settings()]);
        for (at, change) in changes.iter().enumerate() {
            let mut plan = plan();
            change(&mut plan);
            assert!(seen.insert(plan.settings()), "change {at} shows nowhere");
        }
    }

    #[test]
    fn names_are_given_once_and_the_build_is_known_by_its_sources() {
        let settings = plan().settings();
        let names: HashSet<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), settings.len(), "{settings:?}");
        let sum = BUILD.split_once(" (").unwrap().1.trim_end_matches(')');
        assert!(
            sum.len() == 12 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{BUILD}"
        );
    }
}
