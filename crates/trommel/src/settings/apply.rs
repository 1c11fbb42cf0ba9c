//! Turns settings into the options of the extractor, the archive reader and the filters.
//!
//! Every part is destructured completely, so that a new choice does not compile before it has an effect. The file
//! of a tokenizer is read when the settings are read.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use trommel_extract::{ContentPolicy, DocumentOptions, MarkdownOptions, Selectors, TextOptions, TokenCounter};

use super::{ContentSettings, IncludeSettings, Settings, TextForm, TextSettings};

impl From<&ContentSettings> for ContentPolicy {
    fn from(settings: &ContentSettings) -> Self {
        let ContentSettings { comments, headline, articles, favor, include, exclude, keep: _, drop: _ } = *settings;
        Self {
            comments,
            headline,
            articles,
            favor,
            include,
            exclude,
            // For measurements alone.
            without: None,
        }
    }
}

impl ContentSettings {
    /// Returns the selectors in the settings `keep` and `drop`; none if both are empty.
    pub fn selectors(&self) -> Option<Arc<Selectors>> {
        let is_empty = self.keep.is_empty() && self.drop.is_empty();
        (!is_empty).then(|| Arc::new(Selectors::new(self.keep.clone(), self.drop.clone())))
    }
}

impl Settings {
    /// Returns the options of documents that the settings choose, such as the form of the text.
    pub fn document_options(&self) -> DocumentOptions {
        let TextSettings {
            form,
            links,
            images,
            addresses,
            sections,
            names,
            math,
            notes,
            scripts,
            readings,
            max_tokens,
            tokenizer,
        } = &self.text;
        let IncludeSettings { blocks, spans, tables, posts, chunks, metadata } = self.include;
        let text = TextOptions::default().with_math(*math).with_notes(*notes).with_scripts(*scripts);
        let text = text.with_readings(*readings);
        let tokens = tokenizer.as_ref().map(|file| file.counter().clone()).unwrap_or_default();
        let options = DocumentOptions::default()
            .with_blocks(blocks)
            .with_spans(spans)
            .with_tables(tables)
            .with_posts(posts)
            .with_names(*names)
            .with_chunks(chunks)
            .with_max_tokens(*max_tokens)
            .with_token_counter(tokens)
            .with_metadata(metadata)
            .with_language(self.filters.need_language())
            .with_text(text);
        match form {
            TextForm::Plain => options,
            TextForm::Markdown => options.with_markdown(
                MarkdownOptions::default()
                    .with_links(*links)
                    .with_images(*images)
                    .with_addresses(*addresses)
                    .with_sections(*sections),
            ),
        }
    }
}

/// Tokenizer of a language model, which settings name by the path of its file.
///
/// ```no_run
/// # fn main() -> trommel::Result<()> {
/// let tokenizer = trommel::TokenizerFile::open("tokenizer.json")?;
/// println!("{}: sha256 {}", tokenizer.path(), tokenizer.sha256());
/// println!("{} tokens", tokenizer.counter().count("The mill stands by the river."));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenizerFile {
    path: String,
    sha256: String,
    counter: TokenCounter,
}

impl TokenizerFile {
    /// Reads a tokenizer from the file `tokenizer.json` at `path`. A file that was read before is not parsed again.
    ///
    /// # Errors
    /// Fails with a message of one line if the file cannot be read or this build cannot read tokenizers.
    pub fn open(path: &str) -> crate::Result<Self> {
        let failed = |error| crate::Error::new(crate::ErrorKind::Setting, format!("{path}: {error}"));
        let (sha256, counter) = read::counter(path).map_err(failed)?;
        Ok(Self { path: path.to_owned(), sha256, counter })
    }

    /// Returns the path of the tokenizer file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the SHA-256 of the tokenizer file in hexadecimal digits, because the contents behind a path can change.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns the function that counts the tokens of a text, without special tokens for its beginning and end.
    pub fn counter(&self) -> &TokenCounter {
        &self.counter
    }
}

impl TryFrom<String> for TokenizerFile {
    type Error = crate::Error;

    fn try_from(path: String) -> crate::Result<Self> {
        Self::open(&path)
    }
}

impl From<TokenizerFile> for String {
    fn from(file: TokenizerFile) -> Self {
        file.path
    }
}

#[cfg(feature = "tokenizer")]
mod read {
    use std::collections::HashMap;
    use std::fs;
    use std::sync::{LazyLock, Mutex, PoisonError};

    use sha2::{Digest as _, Sha256};
    use tokenizers::Tokenizer;
    use trommel_extract::TokenCounter;

    /// Token counters by the SHA-256 of their file: settings are read many times, and a tokenizer takes long to build.
    static READ: LazyLock<Mutex<HashMap<String, TokenCounter>>> = LazyLock::new(Mutex::default);

    pub(super) fn counter(path: &str) -> Result<(String, TokenCounter), String> {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&hash) {
            return Ok((hash, known.clone()));
        }
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(|error| format!("no tokenizer: {error}"))?;
        // Some files say that texts are cut or filled up to the length of a model's input.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
        let counter = TokenCounter::new(move |text| {
            let tokens = tokenizer.encode_fast(text, false);
            // A model without a token for what it does not know refuses such text; each byte is then a token at most.
            tokens.map_or(text.len(), |encoding| encoding.len()).try_into().unwrap_or(u32::MAX)
        });
        read.insert(hash.clone(), counter.clone());
        Ok((hash, counter))
    }
}

#[cfg(not(feature = "tokenizer"))]
mod read {
    use trommel_extract::TokenCounter;

    pub(super) fn counter(_: &str) -> Result<(String, TokenCounter), String> {
        Err("this program was built without tokenizers (feature `tokenizer`)".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::TokenizerFile;

    #[test]
    #[cfg(feature = "tokenizer")]
    fn tokens_are_those_of_the_file() {
        let folder = std::env::temp_dir().join(format!("trommel-tokenizer-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("tokenizer.json");
        let model = r#"{"type": "WordLevel", "vocab": {"mill": 0, "the": 1, "?": 2}, "unk_token": "?"}"#;
        let file = format!(
            r#"{{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
                "pre_tokenizer": {{"type": "Whitespace"}}, "post_processor": null, "decoder": null, "model": {model}}}"#
        );
        std::fs::write(&path, file).unwrap();
        let path = path.to_str().unwrap();
        let tokenizer = TokenizerFile::open(path).unwrap();
        assert_eq!(tokenizer.counter().count("the old mill"), 3);
        assert_eq!(tokenizer, TokenizerFile::open(path).unwrap(), "read once");
        assert_eq!((tokenizer.path(), tokenizer.sha256().len()), (path, 64));

        let settings = |text: &str| crate::Settings::from_json(text).map_err(|error| error.to_string());
        let asked = format!(r#"{{"tokenizer": "{path}", "max_tokens": 5}}"#);
        let document = crate::Extractor::new(&settings(&asked).unwrap()).unwrap().document(
            b"<article><p>The mill stands by the river.</p><p>It turns, and it turns, and it turns.</p></article>",
            &crate::Hints::default(),
        );
        assert_eq!(*document.capped, ["max-tokens"]);
        let alone = settings(&format!(r#"{{"tokenizer": "{path}"}}"#)).unwrap_err();
        assert!(alone.contains("add max_tokens"), "{alone}");
        std::fs::write(path, "{").unwrap();
        let broken = TokenizerFile::open(path).unwrap_err().to_string();
        assert!(broken.starts_with(path) && broken.contains("no tokenizer"), "{broken}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(not(feature = "tokenizer"))]
    fn a_build_without_tokenizers_says_so() {
        let error = TokenizerFile::open("tokenizer.json").unwrap_err();
        assert_eq!(
            error.to_string(),
            "tokenizer.json: this program was built without tokenizers (feature `tokenizer`)"
        );
    }
}
