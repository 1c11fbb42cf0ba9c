//! Recognises lines that a generator hides in Rust code. rustdoc writes them as `# line` in its sources.

/// The first of the hidden lines that mdBook puts around code without `main`, and its other additions.
const WRAPPER: &str = "#![allow(unused";
const MAIN: &str = "fn main() {";
const END: &str = "}";

/// The hidden parts of a piece of code.
#[derive(Debug, Default)]
pub(super) struct HiddenText {
    /// First and one past the last byte of each part, in order and apart.
    parts: Vec<(usize, usize)>,
    open: Option<usize>,
}

impl HiddenText {
    /// A hidden part starts at a byte.
    pub fn start(&mut self, at: usize) {
        self.open.get_or_insert(at);
    }

    /// It ends before a byte.
    pub fn end(&mut self, at: usize) {
        let Some(start) = self.open.take().filter(|start| *start < at) else { return };
        match self.parts.last_mut().filter(|last| last.1 == start) {
            Some(last) => last.1 = at,
            None => self.parts.push((start, at)),
        }
    }

    /// The code with its hidden lines as in the source, without those that only wrap it; none if it has no such line.
    pub fn noted(&self, code: &str) -> Option<String> {
        let mut parts = self.parts.iter().peekable();
        parts.peek()?;
        let mut lines: Vec<(&str, bool)> = Vec::new();
        let mut at = 0;
        for line in code.split('\n') {
            // Of an empty line its end.
            let end = at + line.len().max(1);
            while parts.next_if(|part| part.1 < end).is_some() {}
            let is_hidden = parts.peek().is_some_and(|part| part.0 <= at && end <= part.1);
            lines.push((line, is_hidden));
            at += line.len() + 1;
        }
        let lines = without_wrapper(&lines);
        let lines = lines.iter().map(|(line, is_hidden)| match line.is_empty() {
            _ if !is_hidden => (*line).to_owned(),
            true => "#".to_owned(),
            false => format!("# {line}"),
        });
        Some(lines.collect::<Vec<_>>().join("\n"))
    }
}

/// Lines, each with whether it is hidden, without those that mdBook adds around them.
fn without_wrapper<'a>(lines: &[(&'a str, bool)]) -> Vec<(&'a str, bool)> {
    let is_hidden = |at: usize, line: &str| lines.get(at) == Some(&(line, true));
    let begins = matches!(lines.first(), Some((line, true)) if line.starts_with(WRAPPER));
    let last = lines.iter().rposition(|(line, _)| !line.trim().is_empty());
    // Attributes of the whole stand before its main function.
    let attributes = lines.iter().skip(1);
    let attributes = attributes.take_while(|(line, _)| {
        let line = line.trim();
        line.is_empty() || line.starts_with("#![")
    });
    let main = 1 + attributes.count();
    match last {
        Some(last) if begins && last > main && is_hidden(main, MAIN) && is_hidden(last, END) => {
            let all = lines.iter().enumerate().take(last).skip(1);
            all.filter(|(at, _)| *at != main).map(|(_, line)| *line).collect()
        }
        _ => lines.to_vec(),
    }
}
