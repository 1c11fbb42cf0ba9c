//! Divides a block's text into runs, in which the inline style stays the same.

use crate::render::pieces::{Piece, PieceKind};

/// Part of a block's text in which link, style and kind (such as formula) stay the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Index, in the list of destinations, of the link that contains the run.
    pub(super) link: Option<usize>,
    pub(super) code: bool,
    pub(super) strong: bool,
    pub(super) em: bool,
    /// True if the text of the run is struck out.
    pub(super) deleted: bool,
    pub(super) form: PieceKind,
}

impl Run {
    /// Returns whether the run is text without style; the run may be in a link.
    pub(super) fn is_unmarked(&self) -> bool {
        self.form == PieceKind::Text && !(self.code || self.strong || self.em || self.deleted)
    }
}

/// Placeholder for a footnote mark, so that the characters on both sides of the mark are not neighbours.
pub(super) const NOTE_PLACE: char = '\u{fffc}';
/// Placeholder for a link or an image in a text that is composed of runs.
const LINK_PLACE: char = '\u{fffb}';

/// Divides runs (parts of one style) at the bounds of `pieces` such as formulas, and drops all outside of `from..to`.
pub(super) fn divided(runs: &[Run], pieces: &[Piece], (from, to): (usize, usize)) -> Vec<Run> {
    let mut divided: Vec<Run> = Vec::new();
    let mut next_run = 0;
    for piece in pieces {
        if piece.to < from || piece.from > to || piece.from == piece.to && piece.to == from && from > 0 {
            continue;
        }
        while runs.get(next_run).is_some_and(|run| run.to <= piece.from && run.to < to) {
            next_run += 1;
        }
        let form = match &piece.kind {
            PieceKind::Text | PieceKind::Deleted => {
                for run in runs.iter().skip(next_run).take_while(|run| run.from < piece.to) {
                    let (from, to) = (run.from.max(piece.from).max(from), run.to.min(piece.to).min(to));
                    if from < to {
                        divided.push(Run { from, to, deleted: piece.kind == PieceKind::Deleted, ..run.clone() });
                    }
                }
                continue;
            }
            PieceKind::Sign(sign) if sign.is_empty() => continue,
            kind => kind.clone(),
        };
        let style = runs.get(next_run).filter(|run| run.from <= piece.from).cloned().unwrap_or_default();
        // What has marks or a link of its own.
        let is_apart = matches!(form, PieceKind::Note(_) | PieceKind::LinkedImage(_));
        divided.push(Run {
            from: piece.from.max(from),
            to: piece.to.min(to),
            link: style.link.filter(|_| !is_apart),
            strong: style.strong && !is_apart,
            em: style.em && !is_apart,
            form,
            ..Run::default()
        });
    }
    divided
}

/// Joins the text of runs (parts of one style), and returns it with the runs moved to their places in it. Characters
/// then have the neighbours that Markdown gives them, without the text that is left out.
pub(super) fn composed(text: &str, runs: Vec<Run>) -> (String, Vec<Run>) {
    let mut out = String::with_capacity(text.len());
    let in_place = |run: Run| {
        let from = out.len();
        match &run.form {
            PieceKind::Text | PieceKind::Raw | PieceKind::Formula { .. } => {
                out.push_str(text.get(run.from..run.to).unwrap_or_default())
            }
            PieceKind::Sign(sign) => out.push_str(sign),
            PieceKind::Note(_) => out.push(NOTE_PLACE),
            _ => out.push(LINK_PLACE),
        }
        Run { from, to: out.len(), ..run }
    };
    let runs = runs.into_iter().map(in_place).collect();
    (out, runs)
}

/// Divides runs (parts of one style) so that each formula is a run of its own. `formulas` has the byte ranges of the
/// formulas.
pub(super) fn with_formulas(runs: Vec<Run>, formulas: &[(usize, usize)]) -> Vec<Run> {
    if formulas.is_empty() {
        return runs;
    }
    let mut divided: Vec<Run> = Vec::with_capacity(runs.len() + 2 * formulas.len());
    let mut formulas = formulas.iter().copied().peekable();
    for run in runs {
        if run.form != PieceKind::Text || run.code {
            divided.push(run);
            continue;
        }
        let mut at = run.from;
        while at < run.to {
            while formulas.peek().is_some_and(|formula| formula.1 <= at) {
                formulas.next();
            }
            // What begins in another run is none.
            let next = formulas.peek().copied().filter(|formula| formula.0 >= at && formula.1 <= run.to);
            let (to, form) = match next {
                Some((start, end)) if start == at => (end, PieceKind::Raw),
                Some((start, _)) => (start, PieceKind::Text),
                None => (run.to, PieceKind::Text),
            };
            divided.push(Run { from: at, to, form, ..run.clone() });
            at = to;
        }
    }
    divided
}

/// Removes struck-out text at places where Markdown would not recognise the mark `~~` around it.
pub(super) fn without_unmarkable(text: &str, runs: &mut Vec<Run>) {
    if runs.iter().all(|run| !run.deleted) {
        return;
    }
    let said = |run: &Run| text.get(run.from..run.to).unwrap_or_default();
    let is_marked = |run: &Run| run.strong || run.em || run.code || run.link.is_some() || run.form != PieceKind::Text;
    let mut kept = vec![true; runs.len()];
    for (at, group) in groups(runs, |run| run.deleted) {
        let (Some(first), Some(last)) = (group.first().filter(|first| first.deleted), group.last()) else { continue };
        let whole = text.get(first.from..last.to).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| runs.get(before)).map_or("", said);
        let before = before.chars().next_back().or_else(|| text.get(..first.from)?.chars().next_back());
        // The white space at the start of what is struck out stands outside of its marks.
        let before = if whole.starts_with(char::is_whitespace) { Some(' ') } else { before };
        let after = runs.get(at + group.len()).and_then(|run| said(run).chars().next());
        let sign = |run: &Run, c: Option<char>| if is_marked(run) { Some('*') } else { c };
        let can = can_mark(before, sign(first, whole.trim_start().chars().next()))
            && can_mark(after, sign(last, whole.chars().next_back()));
        if before == Some('~') || !can {
            kept.iter_mut().skip(at).take(group.len()).for_each(|kept| *kept = false);
        }
    }
    let mut kept = kept.into_iter();
    runs.retain(|_| kept.next().unwrap_or(true));
}

/// Returns whether Markdown recognises a mark (such as `**`) between the characters `outer` and `inner`.
pub(super) fn can_mark(outer: Option<char>, inner: Option<char>) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    let outer_is_free = outer.is_none_or(|c| c.is_whitespace() || is_sign(c));
    inner.is_some_and(|c| !c.is_whitespace() && (!is_sign(c) || outer_is_free))
}

/// Iterates over groups of neighbouring runs (parts of one style) with equal keys, each with its first run's index.
pub(super) fn groups<'r, K: PartialEq>(
    runs: &'r [Run],
    key: impl Fn(&'r Run) -> K,
) -> impl Iterator<Item = (usize, &'r [Run])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = runs.get(at..)?;
        let first = key(rest.first()?);
        let len = rest.iter().take_while(|run| key(run) == first).count();
        let start = at;
        at += len;
        Some((start, rest.get(..len)?))
    })
}
