//! Parses queries: words, `"phrases"`, `+must`, `-must not`.

use tantivy::query::{AllQuery, BooleanQuery, BoostQuery, DisjunctionMaxQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::tokenizer::{TokenStream, Tokenizer};
use tantivy::{Score, Term};

use crate::index::{IndexError, ScriptTokenizer, schema::Fields, tokenizer::is_lone};

/// Weight of a word in the title, in headings and in the text. A word is rarer in titles than in texts, and
/// titles are short, so it counts for much there anyway. With more weight, pages with one word of a query
/// in their title would overtake those with all of them in their text
/// (docs/decisions/index-and-search.md).
const BOOSTS: [Score; 3] = [1.0, 0.5, 1.0];

type Clause = (Occur, Box<dyn Query>);

/// A part of a query between white space.
#[derive(Debug, PartialEq, Eq)]
struct Part<'a> {
    occur: Occur,
    text: &'a str,
    phrase: bool,
}

/// The words of a query that mean something else to other search engines (`OR`, `title:x`, `mill*`, brackets), and are
/// looked for as they stand here.
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

/// The query for what a user typed. A document need hold one of the words only, but the more the
/// better; phrases and words after `+` it must hold, those after `-` it must not. `beginning_with` gives
/// the terms of the index that begin with a character: in scripts whose terms are pairs of characters,
/// that is where one by itself is found.
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

/// One of the terms; the best of them counts.
fn any(field: Field, terms: &[String]) -> Box<dyn Query> {
    match terms {
        [term] => word(field, term),
        terms => Box::new(DisjunctionMaxQuery::new(terms.iter().map(|term| word(field, term)).collect())),
    }
}

/// Limits a query to documents of a site or language.
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
mod tests {
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
