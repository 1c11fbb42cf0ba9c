//! Tables in Markdown.

/// A table: its first column is text, the others are numbers.
#[derive(Clone, Debug, Default)]
pub struct MarkdownTable {
    rows: Vec<Vec<String>>,
    columns: usize,
}

impl MarkdownTable {
    /// A table with these headings.
    pub fn new<T: Into<String>>(headings: impl IntoIterator<Item = T>) -> Self {
        let headings: Vec<String> = headings.into_iter().map(Into::into).collect();
        Self { columns: headings.len(), rows: vec![headings] }
    }

    /// A table with these headings, and then some for each model. The first of them names it.
    pub fn by_model<const N: usize>(first: &[&str], models: &[&str], of_model: [&str; N]) -> Self {
        let headings = models.iter().flat_map(|model| {
            let named = |at: usize, heading: &str| if at == 0 { format!("{model}: {heading}") } else { heading.into() };
            of_model.iter().enumerate().map(move |(at, heading)| named(at, heading)).collect::<Vec<_>>()
        });
        Self::new(first.iter().map(|heading| (*heading).to_owned()).chain(headings))
    }

    /// Adds a row; missing cells stay empty.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let mut cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        cells.resize(self.columns, String::new());
        self.rows.push(cells);
    }

    /// The table with a line break behind every row.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            out.push('|');
            for cell in row {
                out.push(' ');
                out.push_str(&cell.replace('|', "\\|"));
                out.push_str(" |");
            }
            out.push('\n');
            if at == 0 {
                out.push_str("|---|");
                out.push_str(&"---:|".repeat(self.columns.saturating_sub(1)));
                out.push('\n');
            }
        }
        out
    }
}

/// A share of 1 with three digits, without the leading zero: `.836`.
pub fn share(value: f64) -> String {
    let text = format!("{value:.3}");
    text.strip_prefix('0').unwrap_or(&text).to_owned()
}

/// A share as a percentage with one digit: `12.3 %`.
pub fn percent(value: f64) -> String {
    format!("{:.1} %", 100.0 * value)
}

/// A number with commas between thousands.
pub fn thousands(value: usize) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table() {
        let mut table = MarkdownTable::new(["method", "P", "F1"]);
        table.row(["a|b", ".5", "1.000"]);
        table.row(["c"]);
        assert_eq!(table.text(), "| method | P | F1 |\n|---|---:|---:|\n| a\\|b | .5 | 1.000 |\n| c |  |  |\n");
    }

    #[test]
    fn numbers() {
        assert_eq!((share(0.8364), share(1.0)), (".836".into(), "1.000".into()));
        assert_eq!(percent(0.1234), "12.3 %");
        let written: Vec<String> = [7, 999, 1000, 84_198, 1_234_567].map(thousands).into();
        assert_eq!(written, ["7", "999", "1,000", "84,198", "1,234,567"]);
    }
}
