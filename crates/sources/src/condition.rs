//! Conditions on the rows of an index: `confidence < 0.6 and language = 'en'`.
//!
//! The grammar is that of SQL's conditions: comparisons of a column with a value, `in (...)`, `is [not] null`, `and`,
//! `or`, `not`, parentheses. As there, a comparison with a value that is missing is neither true nor false, and a row
//! is taken if its condition is true.

use std::{cmp::Ordering, fmt, str::FromStr};

/// Bytes of a condition.
const MAX_BYTES: usize = 10_000;
/// Levels of parentheses and negations, so that parsing stays within the stack.
const MAX_DEPTH: usize = 100;

/// A condition on a row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowCondition {
    text: String,
    root: Node,
}

/// A node of the tree of a condition.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Compare(String, Operator, Value),
    In(String, Vec<Value>),
    IsNull(String),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A value in a row or a condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Number(f64),
    Bool(bool),
}

/// The fault of a condition, and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("condition, character {at}: {what}")]
pub struct ConditionError {
    /// Number of the character, from 1.
    pub at: usize,
    /// The fault.
    pub what: String,
}

impl Eq for RowCondition {}

impl fmt::Display for RowCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl RowCondition {
    /// The columns it looks at, each once.
    #[cfg(feature = "parquet")]
    pub(crate) fn columns(&self) -> Vec<&str> {
        let mut columns = Vec::new();
        self.root.columns(&mut columns);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Whether a row is taken, whose values `value` gives; none where there is none.
    pub(crate) fn holds(&self, value: &dyn Fn(&str) -> Option<Value>) -> bool {
        self.root.holds(value) == Some(true)
    }
}

impl Node {
    #[cfg(feature = "parquet")]
    fn columns<'a>(&'a self, columns: &mut Vec<&'a str>) {
        match self {
            Self::Compare(name, ..) | Self::In(name, _) | Self::IsNull(name) => columns.push(name),
            Self::Not(inner) => inner.columns(columns),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.columns(columns)),
        }
    }

    /// None if a value that decides is missing.
    fn holds(&self, value: &dyn Fn(&str) -> Option<Value>) -> Option<bool> {
        match self {
            Self::Compare(name, operator, wanted) => Some(operator.holds(value(name)?.compare(wanted))),
            Self::In(name, wanted) => {
                let found = value(name)?;
                Some(wanted.iter().any(|wanted| found.compare(wanted) == Some(Ordering::Equal)))
            }
            Self::IsNull(name) => Some(value(name).is_none()),
            Self::Not(inner) => inner.holds(value).map(|holds| !holds),
            Self::And(parts) => all(parts, value, false),
            Self::Or(parts) => all(parts, value, true),
        }
    }
}

/// `decisive` if any part is that, else unknown if any part is, else the opposite.
fn all(parts: &[Node], value: &dyn Fn(&str) -> Option<Value>, decisive: bool) -> Option<bool> {
    let mut outcome = Some(!decisive);
    for part in parts {
        match part.holds(value) {
            Some(holds) if holds == decisive => return Some(decisive),
            Some(_) => {}
            None => outcome = None,
        }
    }
    outcome
}

impl Operator {
    /// Values of kinds that cannot be compared are unequal.
    fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Equal => order == Some(Ordering::Equal),
            Self::Unequal => order != Some(Ordering::Equal),
            Self::Less => order == Some(Ordering::Less),
            Self::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => order == Some(Ordering::Greater),
            Self::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

impl Value {
    fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Text(one), Self::Text(two)) => Some(one.as_str().cmp(two)),
            (Self::Number(one), Self::Number(two)) => one.partial_cmp(two),
            (Self::Bool(one), Self::Bool(two)) => Some(one.cmp(two)),
            // Indexes in JSON have numbers as texts.
            (Self::Text(text), Self::Number(number)) => text.parse::<f64>().ok()?.partial_cmp(number),
            _ => None,
        }
    }
}

impl FromStr for RowCondition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        if text.len() > MAX_BYTES {
            return Err(parser.error(format!("is longer than {MAX_BYTES} bytes")));
        }
        let root = parser.any()?;
        parser.space();
        match parser.rest().is_empty() {
            true => Ok(Self { text: text.to_owned(), root }),
            false => Err(parser.error("expected `and`, `or` or the end")),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn error(&self, what: impl Into<String>) -> ConditionError {
        let before = self.text.get(..self.at).unwrap_or_default();
        ConditionError { at: before.chars().count() + 1, what: what.into() }
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.space();
        let is_there = self.rest().starts_with(sign);
        if is_there {
            self.at += sign.len();
        }
        is_there
    }

    fn name(&mut self) -> Option<&'a str> {
        self.space();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))?;
        self.at += end;
        Some(name)
    }

    /// Whether this word of the grammar comes next, in any case.
    fn word(&mut self, word: &str) -> bool {
        self.space();
        let before = self.at;
        let is_there = self.name().is_some_and(|name| name.eq_ignore_ascii_case(word));
        if !is_there {
            self.at = before;
        }
        is_there
    }

    fn any(&mut self) -> Result<Node, ConditionError> {
        let mut parts = vec![self.every()?];
        while self.word("or") {
            parts.push(self.every()?);
        }
        Ok(one_or(parts, Node::Or))
    }

    fn every(&mut self) -> Result<Node, ConditionError> {
        let mut parts = vec![self.part()?];
        while self.word("and") {
            parts.push(self.part()?);
        }
        Ok(one_or(parts, Node::And))
    }

    fn part(&mut self) -> Result<Node, ConditionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("more than {MAX_DEPTH} parts in each other")));
        }
        let part = if self.word("not") {
            Node::Not(Box::new(self.part()?))
        } else if self.sign("(") {
            let inner = self.any()?;
            self.expect(")")?;
            inner
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(part)
    }

    fn expect(&mut self, sign: &str) -> Result<(), ConditionError> {
        if self.sign(sign) { Ok(()) } else { Err(self.error(format!("expected `{sign}`"))) }
    }

    fn comparison(&mut self) -> Result<Node, ConditionError> {
        let Some(column) = self.name() else { return Err(self.error("expected the name of a column")) };
        let column = column.to_owned();
        if self.word("is") {
            let is_not = self.word("not");
            if !self.word("null") {
                return Err(self.error("expected `null`"));
            }
            let node = Node::IsNull(column);
            return Ok(if is_not { Node::Not(Box::new(node)) } else { node });
        }
        let is_not = self.word("not");
        if self.word("in") {
            self.expect("(")?;
            let mut values = vec![self.value()?];
            while self.sign(",") {
                values.push(self.value()?);
            }
            self.expect(")")?;
            let node = Node::In(column, values);
            return Ok(if is_not { Node::Not(Box::new(node)) } else { node });
        }
        // The longer signs first.
        let signs = [
            ("<>", Operator::Unequal),
            ("!=", Operator::Unequal),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("==", Operator::Equal),
            ("=", Operator::Equal),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let operator = signs.into_iter().find(|(sign, _)| !is_not && self.sign(sign));
        let Some((_, operator)) = operator else {
            return Err(self.error("expected `=`, `!=`, `<`, `<=`, `>`, `>=`, `in` or `is`"));
        };
        Ok(Node::Compare(column, operator, self.value()?))
    }

    fn value(&mut self) -> Result<Value, ConditionError> {
        self.space();
        let rest = self.rest();
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let mut text = String::new();
            let mut chars = rest.char_indices().skip(1).peekable();
            while let Some((at, c)) = chars.next() {
                // A quote twice stands for itself.
                if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
                    self.at += at + 1;
                    return Ok(Value::Text(text));
                }
                text.push(c);
            }
            return Err(self.error("a text without its closing quote"));
        }
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | ',')).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let value = match word.to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => match word.parse() {
                Ok(number) => Value::Number(number),
                Err(_) => return Err(self.error("expected a number, `true`, `false` or a text in quotes")),
            },
        };
        self.at += end;
        Ok(value)
    }
}

fn one_or(mut parts: Vec<Node>, many: fn(Vec<Node>) -> Node) -> Node {
    match parts.len() {
        1 => parts.remove(0),
        _ => many(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str) -> Option<Value> {
        match name {
            "confidence" => Some(Value::Number(0.5)),
            "language" => Some(Value::Text("en".to_owned())),
            "status" => Some(Value::Text("200".to_owned())),
            "kept" => Some(Value::Bool(true)),
            _ => None,
        }
    }

    #[test]
    fn conditions_hold_as_in_sql() {
        for (text, holds) in [
            ("confidence < 0.6 and language = \"en\"", true),
            ("confidence < 0.6 AND language <> 'en'", false),
            ("confidence >= 0.5 and confidence <= 0.5", true),
            ("language in ('de', 'en')", true),
            ("language not in ('de', 'en')", false),
            ("not (confidence > 1 or language = 'de')", true),
            ("confidence > 1 or language = 'de' or kept = true", true),
            ("language = 'de' and confidence < 1 or confidence = 0.5", true),
            ("status = 200", true),
            ("status > 300", false),
            ("language = 3", false),
            ("language != 'it''s'", true),
            // Neither true nor false.
            ("gone = 1", false),
            ("not gone = 1", false),
            ("gone = 1 or confidence = 0.5", true),
            ("gone is null and language is not null", true),
        ] {
            let condition: RowCondition = text.parse().unwrap();
            assert_eq!(condition.holds(&row), holds, "{text}");
            assert_eq!(condition.to_string(), text);
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn columns_are_named_once() {
        let condition: RowCondition = "b = 1 or not (a = 2 and b < 3) or c is null".parse().unwrap();
        assert_eq!(condition.columns(), ["a", "b", "c"]);
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, at, what) in [
            ("", 1, "expected the name of a column"),
            ("confidence", 11, "expected `=`"),
            ("confidence < ", 14, "expected a number"),
            ("confidence < x", 14, "expected a number"),
            ("(a = 1", 7, "expected `)`"),
            ("a = 1 b = 2", 7, "expected `and`"),
            ("a = 'x", 5, "closing quote"),
            ("a in ()", 7, "expected a number"),
            ("a is 3", 6, "expected `null`"),
            ("\u{e4} = 'x' \u{fc}", 9, "expected `and`"),
        ] {
            let error = text.parse::<RowCondition>().unwrap_err();
            assert!(error.at == at && error.what.contains(what), "{text}: {error}");
        }
        let deep = format!("{}a = 1", "not ".repeat(1000));
        assert!(deep.parse::<RowCondition>().unwrap_err().what.contains("in each other"));
        assert!("a = 1 or ".repeat(2000).parse::<RowCondition>().is_err());
    }
}
