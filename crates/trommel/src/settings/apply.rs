//! Turns settings into the options of the extractor, the archive reader and the filters. Every part is destructured
//! completely, so that a new choice does not compile before it has an effect.

use trommel_extract::{ContentPolicy, DocumentOptions, MarkdownOptions, RuleSet, TextOptions};

use super::{ContentSettings, IncludeSettings, Settings, TextForm, TextSettings};

impl From<ContentSettings> for ContentPolicy {
    fn from(settings: ContentSettings) -> Self {
        let ContentSettings { comments, headline, articles, favor, include, exclude } = settings;
        Self {
            comments,
            headline,
            articles,
            favor,
            include,
            exclude,
            // For measurements alone.
            without: RuleSet::default(),
        }
    }
}

impl Settings {
    /// The optional parts of a document.
    pub fn document_options(&self) -> DocumentOptions {
        let TextSettings {
            form,
            links,
            images,
            addresses,
            sections,
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
