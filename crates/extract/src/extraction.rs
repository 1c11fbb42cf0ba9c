//! The extraction of a page: its judged blocks, from which text, Markdown, metadata and documents are written.

use trommel_html::{Page, Tag, charset};
use trommel_model::JudgedEmbedded;
use trommel_text::{keys::Joined, language::is_enough};

use crate::choice::{ChosenPage, Decider, Decisions};
use crate::chunks::{ChunkBlocks, chunks, limit};
use crate::content_policy::{ArticlePolicy, Verdicts};
use crate::document::{Document, DocumentOptions, MetadataChoice, confidence};
use crate::heading_text::{is_too_long, shown_text};
use crate::metadata::language::language;
use crate::metadata::{self, Facts, overlap};
use crate::page_memory::{ExtractionStage, SharedObserver, observed};
use crate::render::markdown::{Headline, MarkdownOptions, append_markdown, markdown};
use crate::render::text::{append, plain_text, start_of_plain_text};
use crate::render::traced::{OriginSource, TracedText};
use crate::render::{TextOptions, traced};
use crate::rights::Rights;
use crate::role::{Role, refined};
use crate::selectors::follow;
use crate::{
    block_page::block_reason, choice::beside_kept::is_headline_of_kept, hints::Hints, notes::Notes, page_memory,
    render::content::KeptContent, render::table_rows::document_tables,
};

/// Entry in [`Document::capped`] for a text that was cut at the maximum number of tokens.
const TOKEN_CAP: &str = "max-tokens";
/// Entry in [`Document::capped`] for chunks that lack some repeated headings or overlaps.
const CHUNK_CAP: &str = "chunks";
/// Entry in [`Document::capped`] for a document that took too many steps to write.
const WRITING_CAP: &str = "writing";
/// Entry in [`Document::notes`] for a text that other pages of the site influenced.
const BY_SITES: &str = "site memory: fixed";

/// A decoded page whose blocks have been judged, from which text, Markdown, metadata and documents are written.
#[derive(Clone, Debug)]
pub struct Extraction<'a> {
    decoded: charset::Decoded<'a>,
    page: Page,
    verdicts: Verdicts,
    notes: Option<Notes>,
    hints: Hints<'a>,
    observer: SharedObserver,
    /// True if documents of this extraction have few metadata, unless their options ask for all.
    few_metadata: bool,
}

impl Drop for Extraction<'_> {
    fn drop(&mut self) {
        // The tables serve the next page of this thread.
        page_memory::keep(std::mem::take(&mut self.page));
    }
}

impl<'a> Extraction<'a> {
    /// Creates an extraction from a page, read from `decoded`, and the verdicts on its blocks. Rules then change the
    /// verdicts: they drop repeated text, for example. Markdown shows emphasis and links only if the page was read with
    /// inline styles.
    pub fn new(decoded: charset::Decoded<'a>, page: Page, mut verdicts: Verdicts, hints: &Hints<'a>) -> Self {
        let Verdicts { judgement, separate, by, roles, articles, exclude, without, selected, .. } = &mut verdicts;
        by.resize(judgement.choice.kept.len(), Decider::MODEL);
        let chosen = ChosenPage {
            url: hints.url,
            page: &page,
            html: &decoded.text,
            fields: &judgement.fields,
            probabilities: &judgement.probabilities,
            roles,
            only_first_article: *articles == ArticlePolicy::First,
        };
        let mut of_comments = vec![Decider::MODEL; separate.len()];
        // Comments that are kept apart are text, too, and get the same rules.
        let mut comments = Decisions::new(separate, &mut of_comments);
        comments.chosen(&chosen, *without);
        let mut decisions = Decisions::new(&mut judgement.choice.kept, by);
        // Before the rules, so that they see what stands beside it, and after them, so that they change nothing of it.
        follow(selected, decisions.kept);
        decisions.chosen(&chosen, *without);
        follow(selected, decisions.kept);
        // After the rules, because only marks in kept text make notes.
        let notes = decisions.changed(Decider::NOTES, |kept| Notes::find(&page, &decoded.text, kept));
        // What is kept with others (captions with their tables) is not kept against the policy.
        decisions.changed(Decider::POLICY, |kept| {
            for (kept, role) in kept.iter_mut().zip(roles.iter()) {
                *kept &= !exclude.contains(*role);
            }
        });
        decisions.selected(selected);
        for (is_comment, choice) in separate.iter_mut().zip(selected.iter()) {
            *is_comment &= choice.is_none();
        }
        Self { decoded, page, verdicts, notes, hints: *hints, observer: None, few_metadata: false }
    }

    /// Returns the same extraction, set to report to `observer` how long the writing of each output takes.
    pub(crate) fn with_observer(mut self, observer: SharedObserver) -> Self {
        self.observer = observer;
        self
    }

    /// Returns the same extraction. If `few` is true, its documents have few metadata unless their options ask for all.
    pub(crate) fn with_few_metadata(mut self, few: bool) -> Self {
        self.few_metadata = few;
        self
    }

    /// Runs `make`, reports the time that it took to the observer, and returns its result.
    fn rendered<T>(&self, make: impl FnOnce() -> T) -> T {
        observed(&self.observer, ExtractionStage::Render, make)
    }

    /// Returns the decoded page, to whose bytes the spans of the text refer.
    pub fn decoded(&self) -> &charset::Decoded<'a> {
        &self.decoded
    }

    /// Returns the URL of the page, if it is known.
    pub(crate) fn url(&self) -> Option<&str> {
        self.hints.url
    }

    /// Returns the probability of a block, whether it is kept, and its role; `None` if there is no such block or role.
    pub(crate) fn verdict(&self, block: usize) -> Option<(f32, bool, Role)> {
        let Verdicts { judgement, roles, .. } = &self.verdicts;
        let kept = judgement.choice.kept.get(block)?;
        Some((*judgement.probabilities.get(block)?, *kept, *roles.get(block)?))
    }

    /// Returns the role of each block; empty for a method that is not a model. This takes longer than judging the page.
    pub fn roles(&self) -> Vec<Role> {
        refined(&self.verdicts.roles, self.kept(), &self.page, self.hints.url)
    }

    /// Returns the page that was read, with its elements and blocks.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// Returns the main text as plain text, as [`Document::text`] has it by default.
    pub fn text(&self) -> String {
        self.text_with(TextOptions::default())
    }

    /// Returns the main text as plain text, with formulas, notes and the like in the forms that `options` choose.
    pub fn text_with(&self, options: TextOptions) -> String {
        self.rendered(|| self.traced_text_of(&self.main_content(options)).text)
    }

    /// Returns the main text as Markdown (CommonMark with the tables of GFM), ending with a line end; empty for a page
    /// without text.
    pub fn markdown(&self, options: &MarkdownOptions) -> String {
        self.rendered(|| {
            // Metadata are read only for a title: they cost more than writing the text.
            let title = options.title.then(|| self.facts(Facts::Title).title);
            self.traced_markdown(options, title.flatten().as_deref(), None).text
        })
    }

    fn traced_text_of(&self, content: &KeptContent<'_>) -> TracedText {
        let mut traced = plain_text(content);
        for embedded in self.embedded().iter().filter(|embedded| embedded.kept) {
            if !traced.text.is_empty() {
                traced.text.push_str("\n\n");
            }
            let content = &embedded.embedded.content;
            let (start, end) = content.span;
            traced.push(&content.text, OriginSource::Page(start, end));
        }
        traced
    }

    /// Returns the start of the plain text, long enough to detect its language, then the kept texts from scripts.
    fn language_sample(&self, content: &KeptContent<'_>) -> String {
        let mut sample = start_of_plain_text(content, is_enough);
        for text in self.kept_embedded_texts() {
            if !sample.is_empty() {
                sample.push_str("\n\n");
            }
            sample.push_str(text);
        }
        sample
    }

    /// Iterates over the texts of the kept blocks, and then over the kept texts from the page's scripts.
    fn kept_texts(&self) -> impl Iterator<Item = &str> + Clone {
        let blocks = self.page.blocks.iter().zip(self.kept());
        let blocks = blocks.filter(|(_, kept)| **kept).map(|(block, _)| self.page.text(block));
        blocks.chain(self.kept_embedded_texts())
    }

    fn kept_embedded_texts(&self) -> impl Iterator<Item = &str> + Clone {
        let kept = self.embedded().iter().filter(|embedded| embedded.kept);
        kept.map(|embedded| embedded.embedded.content.text.as_str())
    }

    /// Returns the Markdown of the main content, with the place in the page that each part came from. Collects the
    /// content if `content` is `None`.
    fn traced_markdown(
        &self,
        options: &MarkdownOptions,
        title: Option<&str>,
        content: Option<&KeptContent<'_>>,
    ) -> TracedText {
        // Below a title that stands above the text its headings are of the second level on.
        let above = title.filter(|title| options.title && !self.has_headline(title));
        let headline = match above {
            Some(_) => Headline::Above,
            None => self.headline_element().map_or(Headline::None, Headline::Element),
        };
        let headline_block = above.and_then(|title| self.headline_below(title));
        let built;
        let content = match content {
            Some(content) if headline_block.is_none() => content,
            _ => {
                built = self.main_content_with(options.text, headline_block);
                &built
            }
        };
        let embedded = self.embedded().iter().filter(|embedded| embedded.kept);
        // Nothing is no document with a title.
        let has_text = !content.is_empty() || embedded.clone().next().is_some();
        let mut traced = markdown(content, self.hints.url, options, headline, above.filter(|_| has_text));
        for embedded in embedded {
            let content = &embedded.embedded.content;
            let (start, end) = content.span;
            let text = append_markdown(String::new(), std::iter::once(content.text.as_str()));
            if !traced.text.is_empty() {
                traced.text.push('\n');
            }
            traced.push(&text, OriginSource::Page(start, end));
        }
        traced
    }

    fn comment_text(&self) -> Option<String> {
        let (blocks, embedded) = (&self.verdicts.separate, &self.verdicts.separate_embedded);
        (blocks.contains(&true) || embedded.contains(&true)).then(|| {
            let texts = self.embedded().iter().zip(embedded);
            let texts = texts.filter(|(_, kept)| **kept);
            append(
                plain_text(&self.content(blocks)).text,
                texts.map(|(embedded, _)| embedded.embedded.content.text.as_str()),
            )
        })
    }

    fn embedded(&self) -> &[JudgedEmbedded] {
        &self.verdicts.judgement.embedded
    }

    /// Returns a document that has only the title and the metadata of the page.
    pub fn metadata(&self) -> Document {
        self.rendered(|| Document { next: self.next_page(), ..self.facts(Facts::All) })
    }

    fn facts(&self, facts: Facts) -> Document {
        metadata::read(&self.decoded.text, &self.page, &self.hints, self.verdicts.judgement.headline, facts)
    }

    /// Returns the verdicts on the page's blocks.
    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// Returns the document of the page with the parts that the options ask for.
    pub fn document(&self, options: &DocumentOptions) -> Document {
        self.rendered(|| {
            traced::begin();
            let content = self.main_content(options.text);
            let few = match options.metadata {
                MetadataChoice::Auto => self.few_metadata,
                MetadataChoice::All => false,
                MetadataChoice::Few => true,
            };
            let metadata = self.chosen_metadata(few, options);
            let title = metadata.title.as_deref();
            let page_type = self.verdicts.judgement.page_type.as_ref();
            let blocks = options.blocks.then(|| self.blocks().collect());
            let tables = options.tables.then(|| document_tables(&content));
            let markdown = options.markdown.map(|markdown| markdown.with_text(options.text));
            let mut text = self.traced(options, markdown, title, &content);
            // Markdown is no plain text, on which language and confidence are found.
            let lang = (!few || options.needs_language).then(|| {
                let sample = markdown.map(|_| self.language_sample(&content));
                language(sample.as_deref().unwrap_or(&text.text), || metadata.lang_declared.clone())
            });
            let expected_f1 = self.verdicts.judgement.choice.expected_f1;
            let confidence = match markdown {
                Some(_) => confidence(expected_f1, self.kept_texts()),
                None => confidence(expected_f1, std::iter::once(text.text.as_str())),
            };
            let posts = options.posts.then(|| self.listed_posts(options.text));
            let parts = (options.chunks.is_some() || options.max_tokens.is_some()).then(|| ChunkBlocks {
                content: &content,
                title: self.headline_text().or(title),
                roles: self.judged().map(|(.., role)| role).collect(),
                embedded: self.embedded().iter().map(|embedded| embedded.embedded.content.span).collect(),
            });
            let mut capped: Joined<','> = self.page.capped.names().map(str::to_owned).collect();
            if let Some((parts, most)) = parts.as_ref().zip(options.max_tokens)
                && limit(&mut text, parts, most, &options.tokens)
            {
                capped.push(TOKEN_CAP.to_owned());
            }
            let spans = options.spans.then(|| text.spans(&self.page, &self.decoded.text));
            let chunks = parts.as_ref().zip(options.chunks);
            let chunks = chunks.map(|(parts, size)| self::chunks(&text, parts, size, &options.tokens));
            let (chunks, is_capped) = chunks.unwrap_or_default();
            if is_capped {
                capped.push(CHUNK_CAP.to_owned());
            }
            if traced::are_too_many() {
                capped.push(WRITING_CAP.to_owned());
            }
            Document {
                text: text.text,
                // By phrases and not by the model, whose page types know no walls.
                blocked: block_reason(&self.page, title),
                page_type: page_type.map(|page_type| page_type.name.clone()),
                headings: self.headings(),
                comments: self.comment_text(),
                lang: lang.flatten(),
                charset: self.decoded.encoding.name().to_ascii_lowercase(),
                charset_source: self.decoded.source.name().to_owned(),
                confidence,
                robots: self.robots(),
                rights: Rights::of_meta(self.page.head.meta.iter().map(|(name, content)| (&**name, &**content))),
                links: self.page.elements.iter().filter(|element| element.tag == Tag::A).count() as u32,
                blocks: blocks.unwrap_or_default(),
                spans: spans.unwrap_or_default(),
                tables: tables.unwrap_or_default(),
                posts: posts.unwrap_or_default(),
                chunks,
                capped,
                notes: self.verdicts.by_sites.then(|| BY_SITES.to_owned()).into_iter().collect(),
                ..metadata
            }
        })
    }

    /// Reads the metadata that the options ask for: only title and declared language, also the date if `few`, or all.
    fn chosen_metadata(&self, few: bool, options: &DocumentOptions) -> Document {
        match (options.few_metadata, few) {
            (true, _) => self.facts(Facts::Title),
            (false, true) => self.facts(Facts::Dated),
            (false, false) => Document { next: self.next_page(), ..self.facts(Facts::All) },
        }
    }

    /// Returns the text in the form that the options choose, with the places in the page that its parts come from.
    fn traced(
        &self,
        options: &DocumentOptions,
        markdown: Option<MarkdownOptions>,
        title: Option<&str>,
        content: &KeptContent<'_>,
    ) -> TracedText {
        match &markdown {
            Some(markdown) => {
                let title = title.filter(|_| markdown.title);
                match (options.posts || options.names, markdown.sections) {
                    (true, _) => TracedText::untraced(self.posts_as_markdown(markdown, title)),
                    (_, true) => TracedText::untraced(self.sections_as_markdown(markdown, title)),
                    _ => self.traced_markdown(markdown, title, Some(content)),
                }
            }
            None if options.names => TracedText::untraced(self.text_with_names(options.text)),
            None => self.traced_text_of(content),
        }
    }

    fn robots(&self) -> Vec<String> {
        let meta = self.page.head.meta.iter();
        meta.filter(|(name, _)| name == "robots").map(|(_, content)| content.clone()).collect()
    }

    /// Returns the texts of the kept blocks that are headings.
    fn headings(&self) -> Vec<String> {
        self.judged()
            .filter(|&(block, _, kept, _)| {
                kept && matches!(self.tag(block).as_bytes(), [b'h', b'1'..=b'6'])
                    && !is_too_long([(block.words, block.chars)].into_iter())
            })
            .map(|(block, ..)| shown_text(&self.page, &self.decoded.text, block).to_owned())
            .collect()
    }

    fn kept(&self) -> &[bool] {
        &self.verdicts.judgement.choice.kept
    }

    fn content(&self, kept: &[bool]) -> KeptContent<'_> {
        KeptContent::new(&self.page, &self.decoded.text, kept)
    }

    /// Returns the kept content without the blocks of footnotes, which are written after the content.
    fn main_content(&self, options: TextOptions) -> KeptContent<'_> {
        self.main_content_with(options, None)
    }

    /// Returns the kept content without the blocks of footnotes, and with the block `more` even if it is not kept.
    fn main_content_with(&self, options: TextOptions, more: Option<usize>) -> KeptContent<'_> {
        let html = &self.decoded.text;
        if self.notes.is_none() && more.is_none() {
            return self.content(self.kept()).with_options(options, None);
        }
        let notes = self.notes.as_ref();
        let is_moved = |at: u32| notes.is_some_and(|notes| notes.is_moved(at));
        let blocks = (0u32..).zip(self.kept());
        let blocks = blocks.filter(|(at, kept)| (**kept || more == Some(*at as usize)) && !is_moved(*at));
        let blocks: Vec<u32> = blocks.map(|(at, _)| at).collect();
        KeptContent::of_blocks(&self.page, html, &blocks).with_options(options, notes)
    }

    /// Returns the index of the headline's block if the headline was dropped and is directly above the kept text.
    /// `None` if `title` repeats the headline, or if there is none.
    fn headline_below(&self, title: &str) -> Option<usize> {
        let at = self.verdicts.judgement.headline?;
        let text = self.page.text(self.page.blocks.get(at)?);
        let is_said = overlap(text, title) >= views::MIN_TITLE_LIKENESS || title.contains(text);
        let heads = !is_said && is_headline_of_kept(&self.page, at, self.kept());
        heads.then_some(at)
    }
}

#[cfg(test)]
mod forged_tests;
#[cfg(test)]
mod linear_tests;
#[cfg(test)]
mod tests;
mod views;
