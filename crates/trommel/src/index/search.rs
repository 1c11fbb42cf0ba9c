//! Finds documents in an index by queries: words, `"phrases"`, `+must`, `-must not`.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{collections::BTreeSet, ops::Range};

use serde::Serialize;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{AllQuery, BooleanQuery, BoostQuery, DisjunctionMaxQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Value};
use tantivy::tokenizer::{TokenStream, Tokenizer};
use tantivy::{
    IndexReader, ReloadPolicy, Score, Searcher, TantivyDocument, TantivyError, Term, fieldnorm::FieldNormReader,
    snippet::SnippetGenerator,
};
use trommel_record::RecordSource;

use crate::Result;
use crate::index::tokenizer::is_lone;
use crate::index::writer::{Fields, guarded, number, open_index, text};
use crate::index::{IndexError, ScriptTokenizer};

/// Approximate maximum length of a snippet in bytes.
const SNIPPET: usize = 200;
/// Number of bytes at the start of a text that are searched for a snippet; more would take seconds in a huge text.
const SNIPPET_TEXT: usize = 256 << 10;
/// Estimated bytes of text per term (indexed word), by which the size of a text is estimated from its term count.
const BYTES_PER_TERM: u64 = 10;
/// Maximum number of index terms searched for a query of one Chinese or Thai character: those that begin with it.
const MAX_EXPANDED_TERMS: usize = 1000;

/// Search in an index: the user's query and the conditions on the documents found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search<'a> {
    /// Query of the user: words, `"phrases"`, `+must`, `-must not`.
    pub query: &'a str,
    /// Maximum number of documents to return.
    pub limit: usize,
    /// Number of best hits to skip, to show a later page of results.
    pub offset: usize,
    /// Language code that found documents must have; none for any language.
    pub language: Option<&'a str>,
    /// Host, or domain of hosts, from which found documents must come; none for any site.
    pub site: Option<&'a str>,
}

/// Result of a search: the number of all documents found, and the requested part of them.
#[derive(Clone, Debug)]
pub struct SearchResults {
    /// Number of all documents found, including those that are not in `hits`.
    pub documents: usize,
    /// Requested part of the documents found, best first.
    pub hits: Vec<Hit>,
}

/// Search index opened for reading, in the state of its last commit.
pub struct Index {
    path: PathBuf,
    reader: IndexReader,
    fields: Fields,
    longest_text: u64,
}

/// Search hit: a document with its score and a snippet of its text.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// BM25 score of the document: the weighted sum over title, headings and text.
    pub score: f32,
    /// Document found, without its text.
    #[serde(flatten)]
    pub document: IndexedDocument,
    /// Short part of the document's text in which the most words of the query occur.
    pub snippet: Snippet,
}

/// Document as stored in the search index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexedDocument {
    /// Id of the document.
    pub id: String,
    /// URL of the document.
    pub url: Option<String>,
    /// Title of the document.
    pub title: Option<String>,
    /// Time at which the document was captured.
    pub date: Option<String>,
    /// Language code of the document.
    pub lang: Option<String>,
    /// Location of the document's record in a web archive: file, offset and length.
    pub source: Option<RecordSource>,
    /// Text of the document; empty in search hits.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Short part of a document's text around words of the query, for display under a hit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// Text of the snippet, in one line.
    pub text: String,
    /// Byte ranges in `text` of the words of the query, in order and without overlap.
    pub highlights: Vec<Range<usize>>,
}

impl Snippet {
    /// Splits the snippet into parts in order, each with true if it is a word of the query, to be highlighted.
    pub fn parts(&self) -> Vec<(&str, bool)> {
        let starts = self.highlights.iter().flat_map(|range| [(range.start, false), (range.end, true)]);
        let mut at = 0;
        let parts = starts.chain([(self.text.len(), false)]).map(|(end, is_hit)| {
            let part = self.text.get(std::mem::replace(&mut at, end)..end);
            (part.unwrap_or_default(), is_hit)
        });
        parts.filter(|(part, _)| !part.is_empty()).collect()
    }
}

impl Index {
    /// Opens the index in the folder `path`, after it has compared all files with their checksums.
    ///
    /// # Errors
    /// Fails if the folder has no index, or its index is damaged or of another version.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(guarded(path, || {
            let (index, fields) = open_index(path)?;
            let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual);
            // A block has a document at least, and some have megabytes.
            let reader: IndexReader = reader.doc_store_cache_num_blocks(0).try_into()?;
            let longest_text = longest_text(&reader.searcher(), &fields)?;
            Ok(Self { path: path.to_owned(), reader, fields, longest_text })
        })?)
    }

    /// Returns the number of documents in the index.
    pub fn documents(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Returns the approximate size in bytes of the longest text. A search or look-up holds one text in memory.
    pub fn longest_text(&self) -> u64 {
        self.longest_text
    }

    /// Returns the `limit` best documents for the query that a user typed, best first.
    ///
    /// # Errors
    /// Fails as [`find`](Self::find) does.
    pub fn search(&self, typed: &str, limit: usize) -> Result<Vec<Hit>> {
        let search = Search { query: typed, limit, ..Search::default() };
        Ok(self.find(&search)?.hits)
    }

    /// Finds the documents that match a search, and counts all of them.
    ///
    /// # Errors
    /// Fails if the query contains no word, or the index cannot be read.
    pub fn find(&self, search: &Search<'_>) -> Result<SearchResults> {
        Ok(guarded(&self.path, || self.found(search))?)
    }

    fn found(&self, search: &Search<'_>) -> Result<SearchResults, IndexError> {
        let searcher = self.reader.searcher();
        let query = parse(search.query, &self.fields, &|character| self.beginning_with(&searcher, character))?;
        let mut limits = Vec::new();
        limits.extend(search.language.map(|code| (self.fields.lang, code)));
        let site = search.site.map(str::to_lowercase);
        limits.extend(site.as_deref().map(|site| (self.fields.site, site)));
        let mut snippets = SnippetGenerator::create(&searcher, &*query, self.fields.body)?;
        snippets.set_max_num_chars(SNIPPET);
        let query = only(query, &limits);
        // The collector reserves room for all that is asked for.
        let all = usize::try_from(self.documents()).unwrap_or(1).max(1);
        let top = TopDocs::with_limit(search.limit.clamp(1, all)).and_offset(search.offset.min(all)).order_by_score();
        let (found, documents) = searcher.search(&query, &(top, Count))?;
        let hits = found
            .into_iter()
            .map(|(score, address)| {
                let document: TantivyDocument = searcher.doc(address)?;
                Ok(self.hit(score, &document, &snippets))
            })
            .collect::<Result<_, IndexError>>()?;
        Ok(SearchResults { documents, hits })
    }

    /// Returns the document with the id `id`; none if the index has no such document.
    ///
    /// # Errors
    /// Fails if the index cannot be read.
    pub fn get(&self, id: &str) -> Result<Option<IndexedDocument>> {
        Ok(guarded(&self.path, || self.of_id(id))?)
    }

    fn of_id(&self, id: &str) -> Result<Option<IndexedDocument>, IndexError> {
        let searcher = self.reader.searcher();
        let term = Term::from_field_text(self.fields.id, id);
        let query = TermQuery::new(term, IndexRecordOption::Basic);
        let found = searcher.search(&query, &TopDocs::with_limit(1).order_by_score())?;
        let Some((_, address)) = found.first() else { return Ok(None) };
        let document: TantivyDocument = searcher.doc(*address)?;
        let text = text(&document, self.fields.body).unwrap_or_default();
        Ok(Some(IndexedDocument { text, ..self.stored(&document) }))
    }

    /// Converts a document stored in the index into an [`IndexedDocument`] without text.
    fn stored(&self, document: &TantivyDocument) -> IndexedDocument {
        let fields = &self.fields;
        IndexedDocument {
            id: text(document, fields.id).unwrap_or_default(),
            url: text(document, fields.url),
            title: text(document, fields.title).filter(|title| !title.is_empty()),
            date: text(document, fields.date),
            lang: text(document, fields.lang),
            source: text(document, fields.file).map(|file| RecordSource {
                file: file.into(),
                offset: number(document, fields.offset).unwrap_or_default(),
                length: number(document, fields.length).unwrap_or_default(),
                inner: number(document, fields.inner).unwrap_or_default(),
            }),
            text: String::new(),
        }
    }

    /// Returns `character` and the index terms that begin with it, at most [`MAX_EXPANDED_TERMS`] in all.
    fn beginning_with(&self, searcher: &Searcher, character: char) -> Result<Vec<String>, IndexError> {
        let start = character.to_string();
        let mut terms = BTreeSet::from([start.clone()]);
        let fields = [self.fields.title, self.fields.headings, self.fields.body];
        for segment in searcher.segment_readers() {
            for field in fields {
                let inverted = segment.inverted_index(field)?;
                let mut stream = inverted.terms().range().ge(&start).into_stream().map_err(TantivyError::from)?;
                while stream.advance() && terms.len() < MAX_EXPANDED_TERMS {
                    match std::str::from_utf8(stream.key()) {
                        Ok(term) if term.starts_with(character) => terms.insert(term.to_owned()),
                        _ => break,
                    };
                }
            }
        }
        Ok(terms.into_iter().collect())
    }

    fn hit(&self, score: f32, document: &TantivyDocument, snippets: &SnippetGenerator) -> Hit {
        let body = document.get_first(self.fields.body);
        let body = body.as_ref().and_then(Value::as_str).unwrap_or_default();
        let body = body.get(..body.floor_char_boundary(SNIPPET_TEXT)).unwrap_or_default();
        Hit { score, document: self.stored(document), snippet: snippet(body, snippets) }
    }
}

/// Returns the approximate size of the longest text in the index, in bytes.
fn longest_text(searcher: &Searcher, fields: &Fields) -> Result<u64, IndexError> {
    let mut longest = 0;
    for segment in searcher.segment_readers() {
        let lengths = segment.get_fieldnorms_reader(fields.body)?;
        longest = (0..segment.max_doc()).map(|document| lengths.fieldnorm_id(document)).fold(longest, u8::max);
    }
    Ok(u64::from(FieldNormReader::id_to_fieldnorm(longest)) * BYTES_PER_TERM)
}

/// Character that marks text left out before or after a snippet.
const ELLIPSIS: char = '…';

/// Returns the part of `body` with the most query words, or the start of `body` if it has none. An ellipsis marks text
/// that is left out.
fn snippet(body: &str, snippets: &SnippetGenerator) -> Snippet {
    let best = snippets.snippet(body);
    let (text, mut found) = if best.is_empty() {
        let ends = body.char_indices().map(|(at, _)| at).chain([body.len()]);
        let end = ends.take_while(|&at| at <= SNIPPET).last();
        (body.get(..end.unwrap_or(0)).unwrap_or_default(), Vec::new())
    } else {
        (best.fragment(), best.highlighted().to_vec())
    };
    // Pairs of characters overlap.
    found.sort_by_key(|range| range.start);
    let mut highlights: Vec<Range<usize>> = Vec::new();
    for range in found {
        match highlights.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => highlights.push(range),
        }
    }
    let before = body.find(text).unwrap_or_default();
    let after = body.get(before + text.len()..).unwrap_or_default();
    let mut shown = String::with_capacity(text.len() + 8);
    // A piece ends at its last word: the signs behind it are nothing left out.
    let has_words = |rest: &str| rest.contains(char::is_alphanumeric);
    if has_words(body.get(..before).unwrap_or_default()) {
        shown.extend([ELLIPSIS, ' ']);
    }
    for range in &mut highlights {
        *range = range.start + shown.len()..range.end + shown.len();
    }
    // Each of these is one byte, as the space is, so the highlights hold.
    shown.push_str(&text.replace(['\n', '\r', '\t'], " "));
    if has_words(after) {
        shown.extend([' ', ELLIPSIS]);
    }
    Snippet { text: shown, highlights }
}

/// Weights of a query word in the title, in headings and in the text. Words are rarer in titles, and titles are short,
/// so BM25 favours them already. With more weight, pages with one query word in the title would rank above pages with
/// all query words in the text (docs/decisions/index-and-search.md).
const BOOSTS: [Score; 3] = [1.0, 0.5, 1.0];

type Clause = (Occur, Box<dyn Query>);

/// Word or quoted phrase of a query, with its sign (`+`, `-` or none).
#[derive(Debug, PartialEq, Eq)]
struct Part<'a> {
    occur: Occur,
    text: &'a str,
    phrase: bool,
}

/// Returns the words of a query that other search engines read as syntax (`OR`, `title:x`, `mill*`, `mill~2`, brackets
/// around several words). This index searches for them as plain words.
pub fn foreign_syntax(typed: &str) -> Vec<&str> {
    let is_operator = |text: &str| matches!(text, "AND" | "OR" | "NOT");
    let is_field = |text: &str| {
        let (name, value) = text.split_once(':').unwrap_or_default();
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        name.len() > 1 && name.chars().all(is_name) && !value.is_empty() && !value.starts_with("//")
    };
    let is_pattern = |text: &str| {
        let number = text.rsplit_once(['~', '^']).map(|(_, number)| number);
        text.contains('*') || number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
    };
    let is_group = |text: &str| text.starts_with('(') != text.ends_with(')') || text.starts_with("((");
    let words = parts(typed).into_iter().filter(|part| !part.phrase).map(|part| part.text);
    words.filter(|text| is_operator(text) || is_field(text) || is_pattern(text) || is_group(text)).collect()
}

/// Parses the query that a user typed. A document needs only one of its words, but more words give a higher score.
/// Phrases and words after `+` are required, and those after `-` are excluded. A single Chinese or Thai character
/// stands for all index terms that begin with it, which `beginning_with` returns.
pub(crate) fn parse(
    typed: &str,
    fields: &Fields,
    beginning_with: &dyn Fn(char) -> Result<Vec<String>, IndexError>,
) -> Result<Box<dyn Query>, IndexError> {
    let mut clauses: Vec<Clause> = Vec::new();
    for part in parts(typed) {
        let terms = terms(part.text);
        if part.phrase && terms.len() > 1 {
            clauses.push((part.occur, over_fields(fields, |field| phrase(field, &terms))));
        } else {
            for term in &terms {
                let terms = match is_lone(term) {
                    Some(character) => beginning_with(character)?,
                    None => vec![term.clone()],
                };
                clauses.push((part.occur, over_fields(fields, |field| any(field, &terms))));
            }
        }
    }
    if clauses.is_empty() {
        return Err(IndexError::EmptyQuery);
    }
    if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
        clauses.push((Occur::Must, Box::new(AllQuery)));
    }
    Ok(Box::new(BooleanQuery::new(clauses)))
}

fn parts(typed: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = typed.trim_start();
    while let Some(first) = rest.chars().next() {
        let sign = match first {
            '+' => Some(Occur::Must),
            '-' => Some(Occur::MustNot),
            _ => None,
        };
        if sign.is_some() {
            rest = rest.get(1..).unwrap_or_default();
        }
        let quoted = rest.strip_prefix('"').map(|inner| inner.split_once('"').unwrap_or((inner, "")));
        let phrase = quoted.is_some();
        let (text, left) = quoted.unwrap_or_else(|| {
            let end = rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len());
            rest.split_at(end)
        });
        let unsigned = if phrase { Occur::Must } else { Occur::Should };
        parts.push(Part { occur: sign.unwrap_or(unsigned), text, phrase });
        rest = left.trim_start();
    }
    parts
}

fn terms(text: &str) -> Vec<String> {
    let mut tokenizer = ScriptTokenizer::QUERY;
    let mut stream = tokenizer.token_stream(text);
    let mut terms = Vec::new();
    stream.process(&mut |token| terms.push(token.text.clone()));
    terms
}

fn over_fields(fields: &Fields, query: impl Fn(Field) -> Box<dyn Query>) -> Box<dyn Query> {
    let fields = [fields.title, fields.headings, fields.body];
    let clauses = fields.into_iter().zip(BOOSTS).map(|(field, boost)| {
        let query: Box<dyn Query> = Box::new(BoostQuery::new(query(field), boost));
        (Occur::Should, query)
    });
    Box::new(BooleanQuery::new(clauses.collect()))
}

fn word(field: Field, term: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(Term::from_field_text(field, term), IndexRecordOption::WithFreqs))
}

/// Returns a query for documents that have any of `terms` in a field; the best of their scores is the score.
fn any(field: Field, terms: &[String]) -> Box<dyn Query> {
    match terms {
        [term] => word(field, term),
        terms => Box::new(DisjunctionMaxQuery::new(terms.iter().map(|term| word(field, term)).collect())),
    }
}

/// Restricts a query to documents that have all the field values in `limits`, such as a site and a language.
pub(crate) fn only(query: Box<dyn Query>, limits: &[(Field, &str)]) -> Box<dyn Query> {
    let mut clauses: Vec<Clause> = vec![(Occur::Must, query)];
    clauses.extend(limits.iter().map(|&(field, value)| {
        let query = TermQuery::new(Term::from_field_text(field, value), IndexRecordOption::Basic);
        // They choose, they do not score.
        let query: Box<dyn Query> = Box::new(BoostQuery::new(Box::new(query), 0.0));
        (Occur::Must, query)
    }));
    Box::new(BooleanQuery::new(clauses))
}

fn phrase(field: Field, terms: &[String]) -> Box<dyn Query> {
    let terms = terms.iter().map(|term| Term::from_field_text(field, term));
    Box::new(PhraseQuery::new(terms.collect()))
}

#[cfg(test)]
mod query_tests {
    use super::*;

    #[test]
    fn parts_of_a_query() {
        let part = |occur, text, phrase| Part { occur, text, phrase };
        assert_eq!(
            parts(" mill +wheel -\"two words\" \"old mill\"x -a-b \"open end"),
            [
                part(Occur::Should, "mill", false),
                part(Occur::Must, "wheel", false),
                part(Occur::MustNot, "two words", true),
                part(Occur::Must, "old mill", true),
                part(Occur::Should, "x", false),
                part(Occur::MustNot, "a-b", false),
                part(Occur::Must, "open end", true),
            ]
        );
        assert_eq!(parts("+ - \"\"").len(), 3);
        assert_eq!(parts("  "), []);
    }

    #[test]
    fn syntax_of_other_engines_is_told() {
        for (typed, expected) in [
            ("mill OR wheel", &["OR"][..]),
            ("title:mill AND (wheel NOT dam)", &["title:mill", "AND", "(wheel", "NOT", "dam)"]),
            ("wheel* mill~2 dam^3 mill~", &["wheel*", "mill~2", "dam^3", "mill~"]),
            ("\"this OR that\" or https://a.example/ at 12:30 C: what? (dam) +a -b", &[]),
        ] {
            assert_eq!(foreign_syntax(typed), expected, "{typed}");
        }
    }

    #[test]
    fn nothing_to_look_for_is_an_error() {
        let (fields, _) = Fields::new();
        for typed in ["", " + ", "\"\"", "…"] {
            assert!(matches!(parse(typed, &fields, &|_| Ok(Vec::new())), Err(IndexError::EmptyQuery)), "{typed}");
        }
    }
}
