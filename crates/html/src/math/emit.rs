//! TeX of MathML.

use super::symbols::{accent, alphabet, command, is_function};
use super::tree::{Node, Tree};

/// TeX of MathML: its annotation if it has one, else what its elements come to. Empty where nothing is
/// shown.
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
            && node
                .attribute("encoding")
                .is_some_and(|encoding| encoding.to_ascii_lowercase().contains("tex"))
    };
    if let Some(annotation) = tree.nodes.iter().find(is_tex)
        && !annotation.text.is_empty()
    {
        return annotation.text.clone();
    }
    let root = tree.nodes.iter().position(|node| node.name == "math");
    let root = root.unwrap_or(0) as u32;
    let mut tex = Tex {
        tree: &tree,
        out: String::new(),
    };
    tex.children(root);
    tex.out.trim().to_owned()
}

struct Tex<'a> {
    tree: &'a Tree,
    out: String,
}

/// What delimits a group of a row.
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
        let Some(node) = self.node(at) else {
            return String::new();
        };
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
                "frac"
                    | "box"
                    | "dbox"
                    | "dtable"
                    | "row"
                    | "sqrt"
                    | "table"
                    | "itable"
                    | "munder"
                    | "mover"
                    | "root"
            ) {
                let mut more = self.shown(next);
                more.reverse();
                todo.extend(more);
            }
        }
        None
    }

    fn space(&mut self) {
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
        let mut partner = vec![usize::MAX; children.len()];
        let mut open = Vec::new();
        for (place, kind) in kinds.iter().enumerate() {
            match kind {
                Fence::Open => open.push(place),
                Fence::Close => {
                    if let Some(start) = open.pop() {
                        if let Some(own) = partner.get_mut(start) {
                            *own = place;
                        }
                        if let Some(own) = partner.get_mut(place) {
                            *own = start;
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
                let environment = match (
                    self.text(*child).as_str(),
                    close.map(|at| self.text(*at)).unwrap_or_default().as_str(),
                ) {
                    ("(", ")") => "pmatrix",
                    ("[", "]") => "bmatrix",
                    ("|", "|") => "vmatrix",
                    ("{", "}") => "Bmatrix",
                    ("{", "") => "cases",
                    _ => "",
                };
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

    fn delimiter(&mut self, sign: &str) {
        match sign {
            "{" | "}" => {
                self.out.push('\\');
                self.out.push_str(sign);
            }
            _ => {
                for c in sign.chars() {
                    match command(c) {
                        Some(command) => {
                            self.out.push_str(command);
                            self.out.push(' ');
                        }
                        None => self.out.push(c),
                    }
                }
            }
        }
    }

    fn is_bracket(&self, at: u32) -> bool {
        self.name(at) == "mo"
            && matches!(
                self.text(at).as_str(),
                "" | "(" | ")" | "[" | "]" | "{" | "}" | "|"
            )
    }

    fn fence(&self, at: u32) -> Fence {
        let Some(node) = self.node(at) else {
            return Fence::None;
        };
        if node.name != "mo" || node.attribute("stretchy") == Some("false") {
            return Fence::None;
        }
        match self.text(at).as_str() {
            "(" | "[" | "{" | "\u{27e8}" | "\u{2308}" | "\u{230a}" => Fence::Open,
            ")" | "]" | "}" | "\u{27e9}" | "\u{2309}" | "\u{230b}" => Fence::Close,
            _ => Fence::None,
        }
    }

    /// A token's characters, in the alphabet of `variant` if that is named.
    fn characters(&mut self, text: &str, variant: &str) {
        for c in text.chars() {
            if matches!(c, '\u{2061}'..='\u{2064}' | '\u{200b}'..='\u{200d}' | '\u{feff}') {
                continue;
            }
            if c.is_whitespace() {
                self.space();
                continue;
            }
            let (c, style) = alphabet(c).unwrap_or((c, variant));
            let style = if style.is_empty() { variant } else { style };
            if !style.is_empty() {
                self.out.push_str(style);
                self.out.push('{');
            }
            match (c, command(c)) {
                (_, Some(command)) => {
                    self.out.push_str(command);
                    if style.is_empty() && command.ends_with(|c: char| c.is_ascii_alphabetic()) {
                        self.out.push(' ');
                    }
                }
                ('%' | '#' | '&' | '$' | '_' | '{' | '}', _) => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                ('\\', _) => self.out.push_str("\\backslash "),
                _ => self.out.push(c),
            }
            if !style.is_empty() {
                self.out.push('}');
            }
        }
        if self.out.ends_with(' ') {
            self.out.pop();
        }
    }

    fn token(&mut self, at: u32) {
        let text = self.text(at);
        let Some(node) = self.node(at) else { return };
        let only = text.chars().count() == 1;
        let variant = match node.attribute("mathvariant") {
            Some("bold" | "bold-italic") => "\\mathbf",
            Some("double-struck") => "\\mathbb",
            Some("script") => "\\mathcal",
            Some("fraktur") => "\\mathfrak",
            _ => "",
        };
        match node.name.as_str() {
            "mi" if is_function(&text) => self.push(&format!("\\{text}")),
            "mtext" | "ms" => {
                let plain = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{a0}');
                if !plain.is_empty() {
                    self.space();
                    self.out.push_str("\\text{");
                    for c in text.chars() {
                        match c {
                            '\u{a0}' => self.out.push(' '),
                            '%' | '#' | '&' | '$' | '_' | '{' | '}' => {
                                self.out.push('\\');
                                self.out.push(c);
                            }
                            c => self.out.push(c),
                        }
                    }
                    self.out.push('}');
                }
            }
            _ if text.is_empty() => {}
            _ => {
                if !text.starts_with([')', ']', ',', ';', '\'', '\u{2032}'])
                    && !text.starts_with(['\u{2061}', '\u{2062}', '\u{2063}', '\u{2064}'])
                {
                    self.space();
                }
                self.characters(&text, if only { variant } else { "" });
            }
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
                let zero = node
                    .attribute("linethickness")
                    .is_some_and(|own| own.starts_with('0'));
                self.space();
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
                let separators: Vec<char> = node
                    .attribute("separators")
                    .unwrap_or(",")
                    .chars()
                    .filter(|c| !c.is_whitespace())
                    .collect();
                self.space();
                self.out.push_str("\\left");
                self.delimiter(if open.is_empty() { "." } else { &open });
                for (place, child) in children.iter().enumerate() {
                    let before = place.checked_sub(1);
                    if let Some(sign) =
                        before.and_then(|at| separators.get(at).or(separators.last()))
                    {
                        self.out.push(*sign);
                    }
                    self.element(*child);
                }
                self.out.push_str("\\right");
                self.delimiter(if close.is_empty() { "." } else { &close });
            }
            "mtable" => self.table(at, "matrix"),
            "menclose"
                if node
                    .attribute("notation")
                    .is_some_and(|own| own.contains("top")) =>
            {
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

    /// Whether a script can stand at an element without braces around it.
    fn is_atom(&self, at: u32) -> bool {
        match self.name(at) {
            "mi" | "mn" | "mo" | "mtext" => true,
            "mrow" | "mstyle" | "texatom" | "base" => {
                let children = self.shown(at);
                children.len() == 1 && children.first().is_some_and(|at| self.is_atom(*at))
            }
            _ => false,
        }
    }

    fn base(&mut self, at: Option<u32>) {
        match at {
            Some(at) if self.is_atom(at) => self.element(at),
            Some(at) => {
                self.space();
                self.group(Some(at));
            }
            None => self.out.push_str("{}"),
        }
    }

    fn scripts(&mut self, base: Option<u32>, sub: Option<u32>, sup: Option<u32>) {
        self.base(base);
        if let Some(sub) = sub {
            self.out.push('_');
            self.group(Some(sub));
        }
        if let Some(sup) = sup {
            let primes = self.text(sup);
            if !primes.is_empty() && primes.chars().all(|c| matches!(c, '\u{2032}' | '\'')) {
                self.out.push_str(&primes.replace('\u{2032}', "'"));
            } else {
                self.out.push('^');
                self.group(Some(sup));
            }
        }
    }

    fn limits(&mut self, base: Option<u32>, under: Option<u32>, over: Option<u32>) {
        let sign = |own: Option<u32>| own.map(|at| self.token_text(at)).unwrap_or_default();
        let (above, below) = (accent(&sign(over), false), accent(&sign(under), true));
        let is_operator = base.is_some_and(|at| self.is_operator(at));
        match (
            above.filter(|_| !is_operator),
            below.filter(|_| !is_operator),
        ) {
            (Some(accent), _) if under.is_none() => {
                self.space();
                self.out.push_str(accent);
                self.group(base);
            }
            (_, Some(accent)) if over.is_none() => {
                self.space();
                self.out.push_str(accent);
                self.group(base);
            }
            _ if is_operator => self.scripts(base, under, over),
            _ => {
                self.space();
                if over.is_some() {
                    self.out.push_str("\\overset");
                    self.group(over);
                    self.out.push('{');
                }
                if under.is_some() {
                    self.out.push_str("\\underset");
                    self.group(under);
                }
                self.group(base);
                if over.is_some() {
                    self.out.push('}');
                }
            }
        }
    }

    /// Text of the one token that an element is, or wraps.
    fn token_text(&self, at: u32) -> String {
        let mut at = at;
        loop {
            match self.name(at) {
                "mi" | "mn" | "mo" | "mtext" => return self.text(at),
                _ => match self.shown(at).as_slice() {
                    [only] => at = *only,
                    _ => return String::new(),
                },
            }
        }
    }

    /// Whether what stands below and above an element is written as its scripts.
    fn is_operator(&self, at: u32) -> bool {
        let text = self.token_text(at);
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (
                Some('\u{220f}'..='\u{2211}' | '\u{222b}'..='\u{2233}' | '\u{22c0}'..='\u{22c3}'),
                None,
            ) => true,
            (Some('\u{2a00}'..='\u{2a1f}'), None) => true,
            // An overbrace with its note.
            (None, _) => matches!(self.name(at), "mover" | "munder"),
            _ => is_function(text.trim()),
        }
    }

    fn multiscripts(&mut self, children: &[u32]) {
        let Some((base, rest)) = children.split_first() else {
            return;
        };
        let divide = rest.iter().position(|at| self.name(*at) == "mprescripts");
        let (after, before) = match divide {
            Some(at) => rest.split_at_checked(at).unwrap_or((rest, &[])),
            None => (rest, &[][..]),
        };
        let before = before.get(1..).unwrap_or_default();
        let write = |own: &mut Self, pair: &[u32]| {
            for (at, mark) in pair.iter().zip(["_", "^"]) {
                if own.name(*at) != "none" {
                    own.out.push_str(mark);
                    own.group(Some(*at));
                }
            }
        };
        if !before.is_empty() {
            self.space();
            self.out.push_str("{}");
            before.chunks(2).for_each(|pair| write(self, pair));
        }
        self.base(Some(*base));
        after.chunks(2).for_each(|pair| write(self, pair));
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
