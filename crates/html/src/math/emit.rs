//! Writes MathML as TeX.

mod scripts;
mod tokens;

use super::tree::{Node, Tree};

/// The TeX of MathML: its annotation if it has one, else that of its elements. Empty if nothing is shown.
pub(crate) fn tex_of_mathml(source: &str) -> String {
    // MathJax 3 writes the formula twice: as it lays it out, with glyphs that only its style sheet has, and for
    // readers' aids.
    if let Some(at) = memchr::memmem::find(source.as_bytes(), b"<mjx-assistive-mml")
        && let Some(assistive) = source.get(at..)
        && at > 0
    {
        let tex = tex_of_mathml(assistive);
        if !tex.is_empty() {
            return tex;
        }
    }
    let tree = Tree::read(source);
    let is_tex = |node: &&Node| {
        node.name == "annotation"
            && node.attribute("encoding").is_some_and(|encoding| encoding.to_ascii_lowercase().contains("tex"))
    };
    if let Some(annotation) = tree.nodes.iter().find(is_tex)
        && !annotation.text.is_empty()
    {
        return annotation.text.clone();
    }
    // MathJax puts elements of its own around it, which have no TeX.
    let root = tree.nodes.iter().position(|node| node.name == "math");
    let root = root.unwrap_or(0) as u32;
    let mut tex = Tex { tree: &tree, out: String::new() };
    tex.children(root);
    tex.out.trim().to_owned()
}

struct Tex<'a> {
    tree: &'a Tree,
    out: String,
}

/// The delimiters of a group in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fence {
    None,
    Open,
    Close,
}

impl<'a> Tex<'a> {
    fn node(&self, at: u32) -> Option<&'a Node> {
        self.tree.node(at)
    }

    fn name(&self, at: u32) -> &'a str {
        self.node(at).map_or("", |node| node.name.as_str())
    }

    /// Children that show something.
    fn shown(&self, at: u32) -> Vec<u32> {
        let node = self.node(at);
        let children = node.map_or(&[][..], |node| &node.children);
        // Spacing and struts of the layout say nothing in TeX; annotations would be written twice.
        let children = children.iter().copied().filter(|child| {
            !matches!(
                self.name(*child),
                "annotation"
                    | "annotation-xml"
                    | "mspace"
                    | "mphantom"
                    | "nstrut"
                    | "dstrut"
                    | "strut"
                    | "line"
                    | "spacer"
                    | "tstrut"
                    | "speech"
            )
        });
        children.collect()
    }

    /// Text of a token: its own, or that of the characters inside.
    fn text(&self, at: u32) -> String {
        let Some(node) = self.node(at) else { return String::new() };
        let mut text = node.text.clone();
        for child in &node.children {
            if let Some(child) = self.node(*child) {
                text.push_str(&child.text);
            }
        }
        text
    }

    /// The first element below of that name.
    fn inner(&self, at: u32, name: &str) -> Option<u32> {
        let mut todo = self.shown(at);
        todo.reverse();
        while let Some(next) = todo.pop() {
            if self.name(next) == name {
                return Some(next);
            }
            // Not into formulas of their own: parts are found in the layout right around them.
            if matches!(
                self.name(next),
                "frac" | "box" | "dbox" | "dtable" | "row" | "sqrt" | "table" | "itable" | "munder" | "mover" | "root"
            ) {
                let mut more = self.shown(next);
                more.reverse();
                todo.extend(more);
            }
        }
        None
    }

    fn space(&mut self) {
        // One space between tokens, so that `\alpha` and a letter behind it stay two tokens.
        let closed = self.out.ends_with(['{', '(', '[', ' ', '^', '_', '&']);
        if !self.out.is_empty() && !closed {
            self.out.push(' ');
        }
    }

    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !text.starts_with([')', ']', ',', ';', '}', '\'']) {
            self.space();
        }
        self.out.push_str(text);
    }

    fn group(&mut self, at: Option<u32>) {
        self.out.push('{');
        if let Some(at) = at {
            self.element(at);
        }
        self.out.push('}');
    }

    /// The elements of a row, with the groups that stretching brackets enclose.
    fn children(&mut self, at: u32) {
        let children = self.shown(at);
        let kinds: Vec<Fence> = children.iter().map(|child| self.fence(*child)).collect();
        // Only brackets with a partner become `\left` and `\right`: TeX refuses one without the other.
        let mut partner = vec![usize::MAX; children.len()];
        let mut open = Vec::new();
        for (place, kind) in kinds.iter().enumerate() {
            match kind {
                Fence::Open => open.push(place),
                Fence::Close => {
                    if let Some(start) = open.pop() {
                        if let Some(slot) = partner.get_mut(start) {
                            *slot = place;
                        }
                        if let Some(slot) = partner.get_mut(place) {
                            *slot = start;
                        }
                    }
                }
                Fence::None => {}
            }
        }
        if children.is_empty() {
            let text = self.node(at).map_or("", |node| node.text.as_str());
            self.characters(text, "");
            return;
        }
        let mut skip = 0;
        for (place, child) in children.iter().enumerate() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let other = partner.get(place).copied().unwrap_or(usize::MAX);
            let next = children.get(place + 1).copied();
            let table = next.filter(|next| self.name(*next) == "mtable");
            if let Some(table) = table
                && self.is_bracket(*child)
            {
                let close = children.get(place + 2).filter(|at| self.is_bracket(**at));
                let environment =
                    match (self.text(*child).as_str(), close.map(|at| self.text(*at)).unwrap_or_default().as_str()) {
                        ("(", ")") => "pmatrix",
                        ("[", "]") => "bmatrix",
                        ("|", "|") => "vmatrix",
                        ("{", "}") => "Bmatrix",
                        ("{", "") => "cases",
                        _ => "",
                    };
                // Matrices have names by their brackets in TeX, and are unreadable as `\left(\begin{matrix}`.
                if !environment.is_empty() {
                    self.table(table, environment);
                    skip = 1 + usize::from(close.is_some());
                    continue;
                }
            }
            if other == usize::MAX {
                self.element(*child);
            } else if other > place {
                self.space();
                self.out.push_str("\\left");
                self.delimiter(&self.text(*child));
            } else {
                self.out.push_str("\\right");
                self.delimiter(&self.text(*child));
            }
        }
    }

    fn is_bracket(&self, at: u32) -> bool {
        self.name(at) == "mo" && matches!(self.text(at).as_str(), "" | "(" | ")" | "[" | "]" | "{" | "}" | "|")
    }

    fn fence(&self, at: u32) -> Fence {
        let Some(node) = self.node(at) else { return Fence::None };
        if node.name != "mo" || node.attribute("stretchy") == Some("false") {
            return Fence::None;
        }
        match self.text(at).as_str() {
            "(" | "[" | "{" | "\u{27e8}" | "\u{2308}" | "\u{230a}" => Fence::Open,
            ")" | "]" | "}" | "\u{27e9}" | "\u{2309}" | "\u{230b}" => Fence::Close,
            _ => Fence::None,
        }
    }

    fn element(&mut self, at: u32) {
        let Some(node) = self.node(at) else { return };
        let children = self.shown(at);
        let child = |place: usize| children.get(place).copied();
        match node.name.as_str() {
            "mi" | "mn" | "mo" | "mtext" | "ms" | "c" | "utext" => self.token(at),
            "mfrac" => {
                let (top, bottom) = match self.inner(at, "num") {
                    Some(top) => (Some(top), self.inner(at, "den")),
                    None => (child(0), child(1)),
                };
                let zero = node.attribute("linethickness").is_some_and(|value| value.starts_with('0'));
                self.space();
                // A fraction without a line is how MathML writes a binomial.
                self.out.push_str(if zero { "\\binom" } else { "\\frac" });
                self.group(top);
                self.group(bottom);
            }
            "msqrt" => {
                self.space();
                self.out.push_str("\\sqrt{");
                match self.inner(at, "box") {
                    Some(inner) => self.element(inner),
                    None => self.children(at),
                }
                self.out.push('}');
            }
            "mroot" => {
                let (base, index) = match self.inner(at, "box") {
                    Some(base) => (Some(base), self.inner(at, "root")),
                    None => (child(0), child(1)),
                };
                self.space();
                self.out.push_str("\\sqrt[");
                if let Some(index) = index {
                    self.element(index);
                }
                self.out.push(']');
                self.group(base);
            }
            "msub" => self.scripts(child(0), child(1), None),
            "msup" => self.scripts(child(0), None, child(1)),
            "msubsup" => match child(1).filter(|at| self.name(*at) == "script") {
                Some(script) => {
                    let both = self.shown(script);
                    self.scripts(child(0), both.last().copied(), both.first().copied());
                }
                None => self.scripts(child(0), child(1), child(2)),
            },
            "munder" => match self.inner(at, "base") {
                Some(base) => self.limits(Some(base), self.inner(at, "under"), None),
                None => self.limits(child(0), child(1), None),
            },
            "mover" => match self.inner(at, "base") {
                Some(base) => self.limits(Some(base), None, self.inner(at, "over")),
                None => self.limits(child(0), None, child(1)),
            },
            "munderover" => match self.inner(at, "base") {
                Some(base) => {
                    let (under, over) = (self.inner(at, "under"), self.inner(at, "over"));
                    self.limits(Some(base), under, over);
                }
                None => self.limits(child(0), child(1), child(2)),
            },
            "mmultiscripts" => self.multiscripts(&children),
            "mfenced" => {
                let open = node.attribute("open").unwrap_or("(").to_owned();
                let close = node.attribute("close").unwrap_or(")").to_owned();
                let separators: Vec<char> =
                    node.attribute("separators").unwrap_or(",").chars().filter(|c| !c.is_whitespace()).collect();
                self.space();
                self.out.push_str("\\left");
                self.delimiter(if open.is_empty() { "." } else { &open });
                for (place, child) in children.iter().enumerate() {
                    let before = place.checked_sub(1);
                    if let Some(sign) = before.and_then(|at| separators.get(at).or(separators.last())) {
                        self.out.push(*sign);
                    }
                    self.element(*child);
                }
                self.out.push_str("\\right");
                self.delimiter(if close.is_empty() { "." } else { &close });
            }
            "mtable" => self.table(at, "matrix"),
            "menclose" if node.attribute("notation").is_some_and(|value| value.contains("top")) => {
                self.space();
                self.out.push_str("\\overline{");
                self.children(at);
                self.out.push('}');
            }
            "semantics" | "maction" => {
                if let Some(first) = child(0) {
                    self.element(first);
                }
            }
            "none" | "mprescripts" | "annotation" | "surd" => {}
            _ => self.children(at),
        }
    }

    fn table(&mut self, at: u32, environment: &str) {
        self.space();
        self.out.push_str(&format!("\\begin{{{environment}}}"));
        let rows = match self.inner(at, "itable") {
            Some(rows) => self.shown(rows),
            None => self.shown(at),
        };
        for (place, row) in rows.iter().enumerate() {
            self.out.push_str(if place == 0 { " " } else { " \\\\ " });
            for (column, cell) in self.shown(*row).iter().enumerate() {
                if self.name(*row) == "mlabeledtr" && column == 0 {
                    continue;
                }
                if column > usize::from(self.name(*row) == "mlabeledtr") {
                    self.out.push_str(" & ");
                }
                self.children(*cell);
            }
        }
        self.out.push_str(&format!(" \\end{{{environment}}}"));
    }
}

#[cfg(test)]
mod tests;
