//! The configuration file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use trommel_extract::{ArticlePolicy, CommentPolicy, HeadlinePolicy, RoleSet};
use trommel_output::{Compression, Format};

/// Choices read from a TOML file; the command line wins over each of them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Number of worker threads.
    pub jobs: Option<std::num::NonZeroUsize>,
    /// Output formats: a list, or a string with commas.
    #[serde(deserialize_with = "formats")]
    pub format: Vec<Format>,
    /// Compression of the output.
    #[serde(deserialize_with = "named")]
    pub compress: Option<Compression>,
    /// Most bytes of documents in a part of an output.
    pub split_size: Option<u64>,
    /// Form of the text.
    pub text: Option<TextForm>,
    /// Whether all blocks of each page are written as well.
    pub blocks: bool,
    /// Whether the place of each part of the text in its page is written as well.
    pub spans: bool,
    /// Whether the tables are written as rows as well.
    pub tables: bool,
    /// What becomes of readers' comments.
    pub comments: CommentPolicy,
    /// Whether the headline is part of the text.
    pub headline: HeadlinePolicy,
    /// What becomes of articles that follow the first of a page.
    pub articles: ArticlePolicy,
    /// Roles of which all blocks are part of the text.
    pub include: RoleSet,
    /// Roles of which none is.
    pub exclude: RoleSet,
    /// Name of a built-in model or path of a model file.
    pub model: Option<String>,
    /// Most bytes kept of one record's block.
    pub max_record: Option<u64>,
    /// Most bytes kept of one decoded payload.
    pub max_payload: Option<u64>,
    /// Bytes of memory that records and pages in work may take.
    pub max_memory: Option<u64>,
    /// How other pages of a page's site correct the model.
    pub site_memory: Option<SiteMode>,
    /// File of a memory of sites that corrects the model.
    pub sites: Option<PathBuf>,
    /// Which documents are kept.
    pub filters: trommel_filters::FilterSettings,
}

/// How a memory of sites is made during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteMode {
    /// Not at all: every page is judged by itself.
    Off,
    /// All inputs are read and counted before a second pass extracts.
    TwoPass,
    /// Of the pages that came before.
    Online,
}

/// What the text of a document is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextForm {
    /// Lines of text.
    Plain,
    /// CommonMark with the tables of GFM.
    Markdown,
}

/// Why a configuration file cannot be used; each is one line naming the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not TOML, or a value is not of its key's kind.
    #[error("{path}:{line}: {message}", path = path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A key that does not exist.
    #[error("{path}:{line}: unknown key {key:?}{hint}", path = path.display())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The key.
        key: String,
        /// The key probably meant, as the end of the message.
        hint: String,
    },
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// If it cannot be read, is not TOML, or has an unknown key or a value of the wrong kind.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(path).map_err(|source| ConfigError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, path)
    }

    /// Names of the keys that a configuration file gives.
    ///
    /// # Errors
    /// If it cannot be read, or is not TOML.
    pub fn keys(path: &Path) -> Result<Vec<String>, ConfigError> {
        let text = fs::read_to_string(path).map_err(|source| ConfigError::Io {
            path: path.to_owned(),
            source,
        })?;
        let table: toml::Table = Self::read(&text, path)?;
        Ok(table.keys().cloned().collect())
    }

    /// What of these choices cannot hold together, with the remedy; none if all can.
    pub fn contradiction(&self) -> Option<String> {
        let compress = self.compress?;
        let format = *self.format.first()?;
        let is_for_none = self.format.iter().all(|format| !format.can_be(compress));
        is_for_none.then(|| {
            format!(
                "compress = \"{compress}\": {format} cannot be compressed so; leave the key out (it is \"{}\" then)",
                format.usual_compression()
            )
        })
    }

    fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let config: Self = Self::read(text, path)?;
        match config.contradiction() {
            None => Ok(config),
            Some(message) => Err(ConfigError::Invalid {
                path: path.to_owned(),
                line: 1 + text
                    .lines()
                    .position(|line| line.trim_start().starts_with("compress"))
                    .unwrap_or_default(),
                message,
            }),
        }
    }

    fn read<T: DeserializeOwned>(text: &str, path: &Path) -> Result<T, ConfigError> {
        toml::from_str(text).map_err(|error| {
            let line = 1 + error
                .span()
                .and_then(|span| text.get(..span.start))
                .map_or(0, |before| before.matches('\n').count());
            let path = path.to_owned();
            match unknown_key(error.message()) {
                Some((key, known)) => ConfigError::UnknownKey {
                    path,
                    line,
                    hint: hint(&key, &known),
                    key,
                },
                None => ConfigError::Invalid {
                    path,
                    line,
                    message: error.message().lines().collect::<Vec<_>>().join("; "),
                },
            }
        })
    }
}

/// The key that is unknown and those that are known in its table, if that is what serde complains of.
/// Read off its message, which comes with the place in the file: serde_ignored would give the path of
/// the key alone, neither its line nor the keys that are known.
fn unknown_key(message: &str) -> Option<(String, Vec<String>)> {
    let (key, known) = message
        .strip_prefix("unknown field `")?
        .split_once("`, expected ")?;
    let known = known.split('`').skip(1).step_by(2).map(str::to_owned);
    Some((key.to_owned(), known.collect()))
}

fn named<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let name = String::deserialize(deserializer)?;
    name.parse().map(Some).map_err(D::Error::custom)
}

fn formats<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Format>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a format, or a list of formats")]
    enum Names {
        One(String),
        List(Vec<String>),
    }
    let names = match Names::deserialize(deserializer)? {
        Names::One(names) => names.split(',').map(str::to_owned).collect(),
        Names::List(names) => names,
    };
    let names = names.iter().map(|name| name.trim().parse());
    names.collect::<Result<_, _>>().map_err(D::Error::custom)
}

fn hint(key: &str, keys: &[String]) -> String {
    match keys
        .iter()
        .map(|known| (strsim::damerau_levenshtein(key, known), known))
        .min()
        .filter(|(distance, _)| *distance <= 2)
    {
        Some((_, known)) => format!(", did you mean {known:?}?"),
        None => format!(", expected one of {}", keys.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_extract::Role;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("c.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn every_key_is_read() {
        let config = parse(
            "jobs = 3\nformat = 'wet'\ncompress = 'gz'\nsplit_size = 40\ntext = 'markdown'\nblocks = true\nspans = true\ntables = true\ncomments = 'separate'\nheadline = 'include'\narticles = 'first'\ninclude = ['review', 'notice']\nexclude = ['card']\nmodel = 'fast'\nmax_record = 10\nmax_payload = 20\nmax_memory = 30\nsite_memory = 'two-pass'\nsites = 's.sites'\n[filters]\nmin_words = 5\n",
        );
        let expected = Config {
            jobs: std::num::NonZeroUsize::new(3),
            format: vec![Format::Wet],
            compress: Some(Compression::Gzip),
            split_size: Some(40),
            text: Some(TextForm::Markdown),
            blocks: true,
            spans: true,
            tables: true,
            comments: CommentPolicy::Separate,
            include: [Role::Review, Role::Notice].into_iter().collect(),
            exclude: [Role::Card].into_iter().collect(),
            headline: HeadlinePolicy::Include,
            articles: ArticlePolicy::First,
            model: Some("fast".into()),
            max_record: Some(10),
            max_payload: Some(20),
            max_memory: Some(30),
            site_memory: Some(SiteMode::TwoPass),
            sites: Some("s.sites".into()),
            filters: trommel_filters::FilterSettings {
                min_words: Some(5),
                ..trommel_filters::FilterSettings::default()
            },
        };
        assert_eq!(config, Ok(expected));
        assert_eq!(parse(""), Ok(Config::default()));
        for several in ["'jsonl, wet'", "['jsonl', 'wet']"] {
            let config = parse(&format!("format = {several}")).unwrap();
            assert_eq!(config.format, [Format::Jsonl, Format::Wet]);
        }
    }

    #[test]
    fn errors_name_file_and_line() {
        assert_eq!(
            parse("job = 3").unwrap_err(),
            "c.toml:1: unknown key \"job\", did you mean \"jobs\"?"
        );
        assert_eq!(
            parse("language = 'de'").unwrap_err(),
            "c.toml:1: unknown key \"language\", expected one of jobs, format, compress, split_size, text, blocks, spans, tables, comments, headline, articles, include, exclude, model, max_record, max_payload, max_memory, site_memory, sites, filters"
        );
        assert_eq!(
            parse("[filters]\nmin_words = 5\nmin_word = 3").unwrap_err(),
            "c.toml:3: unknown key \"min_word\", did you mean \"min_words\"?"
        );
        assert_eq!(
            parse("[filters.duplicates]\n\nnaer = true").unwrap_err(),
            "c.toml:3: unknown key \"naer\", did you mean \"near\"?"
        );
        assert_eq!(
            parse("[filters]\nlanguages = [\n  'en',\n  'german',\n]").unwrap_err(),
            "c.toml:2: \"german\" is no language, expected an ISO 639 code such as \"de\" or \"deu\""
        );
        assert_eq!(
            parse("jobs = 3\nformat = 'xml'").unwrap_err(),
            "c.toml:2: unknown format \"xml\", expected jsonl, msgpack, wet, anserini, trec, bulk, parquet or tantivy"
        );
        assert_eq!(
            parse("format = 3").unwrap_err(),
            "c.toml:1: expected a format, or a list of formats"
        );
        assert_eq!(
            parse("text = 'rtf'").unwrap_err(),
            "c.toml:1: unknown variant `rtf`, expected `plain` or `markdown`"
        );
        assert_eq!(
            parse("format = ['parquet']\ncompress = 'zst'").unwrap_err(),
            "c.toml:2: compress = \"zst\": parquet cannot be compressed so; leave the key out (it is \"none\" then)"
        );
        // One of them can.
        assert!(parse("format = 'parquet, jsonl'\ncompress = 'zst'").is_ok());
        for (text, start) in [("\njobs = 0", "c.toml:2: "), ("jobs =", "c.toml:1: ")] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(start) && !error.contains('\n'), "{error}");
        }
    }
}
