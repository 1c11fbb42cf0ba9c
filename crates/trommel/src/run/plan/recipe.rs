//! The recipe of a run: everything that its outputs depend on except the inputs, as names and values.

use std::path::Path;

use crate::SiteMode;

use crate::run::plan::Plan;
use crate::run::plan::follow::Follow;
use crate::run::plan::output::{Destination, Encoding, Output};
use crate::run::plan::set_aside::{HardPages, SetAside};

/// The build of the program: its version, and the beginning of a SHA-256 over the sources that it was made
/// of. A run goes on under the same alone: another may give other text of the same page.
pub const BUILD: &str = env!("TROMMEL_BUILD");
/// The value of a choice that nobody made.
const NONE: &str = "none";

/// Names and values in a fixed order.
pub(crate) type Values = Vec<(String, String)>;

impl Plan {
    /// Everything that the outputs depend on except the inputs. The settings are destructured without `..`, so a new
    /// field must be named here: with its value, or with the reason why it does not matter.
    pub(crate) fn recipe(&self) -> Values {
        let Self {
            // Each has its identity in the saved state.
            inputs: _,
            output,
            settings,
            files,
            // Made of the formats and of what a document holds.
            assemble: _,
            quarantine,
            set_aside,
            hard,
            dropped,
            follow,
            epoch,
            piece_bytes,
        } = self;
        let Output { destination, encodings, split } = output;
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let path_or_none = |file: &Option<_>| file.as_deref().map_or(NONE.to_owned(), path);
        let destination = match destination {
            Destination::Folder(folder) => path(folder),
            Destination::File(file) => path(file),
            Destination::Stdout | Destination::Caller => "-".to_owned(),
        };
        let (formats, compressions): (Vec<&str>, Vec<&str>) = encodings
            .iter()
            .map(|encoding| {
                // By the destination and the format.
                let Encoding { format, compression, by_page: _ } = encoding;
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
            // First, because it explains most differences: another build may give other text.
            ("program build", BUILD.to_owned()),
            ("output", destination),
            ("format", formats.join(",")),
            ("compression", compressions.join(",")),
            ("split size", number_or_none(*split)),
            ("quarantine", path_or_none(quarantine)),
            ("set aside", or_none(&set_aside.join(", "))),
            ("hard pages", hard.as_ref().map_or(NONE.to_owned(), HardPages::to_string)),
            ("dropped", path_or_none(dropped)),
            ("follow", follow.unwrap_or_else(|| NONE.to_owned())),
            ("SOURCE_DATE_EPOCH", number_or_none(*epoch)),
            ("piece size", piece_bytes.to_string()),
        ]);
        // Canonical: two ways to write one choice must not look like two.
        let choices = settings.canonical().into_iter();
        values.extend(choices.map(|(name, value)| (name, or_none(&value))));
        // Behind their names: a file may have been written anew.
        values.extend(named([
            ("effective max_record", self.max_record().to_string()),
            ("effective max_payload", self.max_payload().to_string()),
            ("model file", or_none(&files.model)),
            ("memory of sites", or_none(&files.sites)),
            ("tokenizer file", or_none(&files.tokenizer)),
            ("lists of hosts", or_none(&files.hosts)),
        ]));
        values
    }

    /// Reason why every page of a run depends on all its inputs, if it does: such a run takes no inputs later.
    pub(crate) fn needs_all_inputs(&self) -> Option<&'static str> {
        let settings = &self.settings;
        match (settings.sites.memory, settings.archive.resolve_revisits) {
            (SiteMode::TwoPass, _) => Some("site_memory=two-pass"),
            (_, true) => Some("resolve_revisits"),
            _ => None,
        }
    }
}

fn named<const N: usize>(values: [(&str, String); N]) -> Values {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
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

#[cfg(all(test, feature = "schema"))]
// The settings for tests in clippy.toml do not know that this is one.
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Field, Kind, PartialSettings, fields};
    use serde_json::{Value, json};
    use std::{collections::HashSet, time::Duration};

    fn plan() -> Plan {
        let output = Output { destination: Destination::Folder("out".into()), encodings: Vec::new(), split: None };
        Plan::new(Vec::new(), output)
    }

    #[test]
    fn everything_but_the_inputs_shows_in_the_recipe() {
        type Change = fn(&mut Plan);
        let changes: &[Change] = &[
            |plan| plan.epoch = Some(1),
            |plan| plan.piece_bytes = 1,
            |plan| plan.dropped = Some("d".into()),
            |plan| plan.quarantine = Some("q".into()),
            |plan| plan.set_aside = vec!["pdf=x.warc.gz".parse().unwrap()],
            |plan| plan.hard = Some(HardPages { path: "x.warc.gz".into(), below: 0.5 }),
            |plan| plan.hard = Some(HardPages { path: "x.warc.gz".into(), below: 0.25 }),
            |plan| plan.output.split = Some(1),
            |plan| {
                plan.follow = Some(Follow { arguments: Vec::new(), idle: Duration::from_secs(1), until_idle: None });
            },
            |plan| plan.files.model = "x".into(),
            |plan| plan.files.sites = "x".into(),
            |plan| plan.files.tokenizer = "x".into(),
            |plan| plan.files.hosts = "x".into(),
        ];
        let mut seen = HashSet::from([plan().recipe()]);
        for (at, change) in changes.iter().enumerate() {
            let mut plan = plan();
            change(&mut plan);
            assert!(seen.insert(plan.recipe()), "change {at} shows nowhere");
        }
    }

    /// A value of a choice that is not its default.
    fn other(field: &Field) -> Value {
        match &field.kind {
            Kind::Switch => (!field.default.as_bool().unwrap()).into(),
            Kind::OneOf(values) => {
                let other = values.iter().find(|value| field.default != value.name);
                other.unwrap().name.clone().into()
            }
            Kind::ListOf(values) => json!([values.last().unwrap().name]),
            Kind::Texts if field.name == "status" => json!(["404"]),
            Kind::Texts => json!(["fr"]),
            Kind::Integer => 7.into(),
            Kind::Number => json!(0.5),
            Kind::Bytes => "32M".into(),
            Kind::Text if field.name == "chunks" => "words=20".into(),
            Kind::Text if field.name == "hard_share" => "7%".into(),
            Kind::Text => "other".into(),
        }
    }

    #[test]
    fn every_setting_shows_in_the_recipe_or_changes_no_output() {
        let usual = plan().recipe();
        let mut silent = Vec::new();
        // A tokenizer is a file that must be there; that it shows in the recipe is tested above.
        for field in fields().iter().filter(|field| field.name != "tokenizer") {
            let mut chosen = PartialSettings::default();
            chosen.set(&field.path, other(field)).unwrap();
            let recipe = plan().with_settings(chosen.unchecked().unwrap()).recipe();
            let changed = recipe.iter().zip(&usual).filter(|(now, then)| now != then);
            let changed: Vec<String> = changed.map(|((name, _), _)| name.clone()).collect();
            if !changed.contains(&field.name) {
                silent.push((field.name.as_str(), changed.join(", ")));
            }
        }
        let silent: Vec<(&str, &str)> = silent.iter().map(|(a, b)| (*a, b.as_str())).collect();
        let bounds = "effective max_record, effective max_payload";
        assert_eq!(
            silent,
            [("jobs", ""), ("max_memory", bounds), ("format", ""), ("compress", ""), ("split_size", "")]
        );
    }

    #[test]
    fn names_are_given_once_and_the_build_is_known_by_its_sources() {
        let settings = plan().recipe();
        let names: HashSet<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), settings.len(), "{settings:?}");
        let sum = BUILD.split_once(" (").unwrap().1.trim_end_matches(')');
        assert!(sum.len() == 12 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()), "{BUILD}");
    }
}
