//! Divides a block's text into runs, in which the inline style stays the same.

use crate::render::pieces::{Piece, PieceKind};

/// A segment of a block's text in which nothing changes.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Number of the link it is in.
    pub(super) link: Option<usize>,
    pub(super) code: bool,
    pub(super) strong: bool,
    pub(super) em: bool,
    /// It is struck out.
    pub(super) deleted: bool,
    pub(super) form: Form,
}

impl Run {
    /// Whether it is text without a mark, links apart.
    pub(super) fn is_unmarked(&self) -> bool {
        self.form == Form::Text && !(self.code || self.strong || self.em || self.deleted)
    }
}

/// The form in which a run is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// Unchanged: TeX between its own marks.
    Raw,
    Formula {
        display: bool,
    },
    Note(u32),
    Sign(String),
    /// An image that is all of this link.
    LinkedImage(u32),
    /// A link that is written already.
    Link(String),
}

/// Runs divided where pieces begin and end, without what stands outside of two bytes of the text.
pub(super) fn divided(
    runs: &[Run],
    pieces: Option<&[Piece]>,
    raw: &[(usize, usize)],
    (from, to): (usize, usize),
) -> Vec<Run> {
    let mut divided: Vec<Run> = Vec::new();
    let whole = [Piece { from: 0, to, kind: PieceKind::Text }];
    let mut raw = raw.iter().copied().peekable();
    let mut next_run = 0;
    for piece in pieces.unwrap_or(&whole) {
        if piece.to < from || piece.from > to || piece.from == piece.to && piece.to == from && from > 0 {
            continue;
        }
        while runs.get(next_run).is_some_and(|run| run.to <= piece.from && run.to < to) {
            next_run += 1;
        }
        let form = match &piece.kind {
            PieceKind::Text | PieceKind::Deleted => {
                for run in runs.iter().skip(next_run).take_while(|run| run.from < piece.to) {
                    let (mut at, end) = (run.from.max(piece.from).max(from), run.to.min(piece.to).min(to));
                    while at < end {
                        while raw.peek().is_some_and(|span| span.1 <= at) {
                            raw.next();
                        }
                        // What begins in another run is none.
                        let span = raw.peek().copied().filter(|span| !run.code && span.0 >= at && span.1 <= end);
                        let stop = span.map_or(end, |span| if span.0 == at { span.1 } else { span.0 });
                        let form = if span.is_some_and(|span| span.0 == at) { Form::Raw } else { Form::Text };
                        divided.push(Run {
                            from: at,
                            to: stop,
                            deleted: piece.kind == PieceKind::Deleted,
                            form,
                            ..run.clone()
                        });
                        at = stop;
                    }
                }
                continue;
            }
            PieceKind::Formula { display } => Form::Formula { display: *display },
            PieceKind::Note(number) => Form::Note(*number),
            PieceKind::LinkedImage(link) => Form::LinkedImage(*link),
            PieceKind::Sign(sign) if sign.is_empty() => continue,
            PieceKind::Sign(sign) => Form::Sign(sign.clone()),
        };
        let around = runs.get(next_run).filter(|run| run.from <= piece.from);
        let style = around.cloned().unwrap_or(Run {
            from: 0,
            to: 0,
            link: None,
            code: false,
            strong: false,
            em: false,
            deleted: false,
            form: Form::Text,
        });
        // What has marks or a link of its own.
        let is_apart = matches!(form, Form::Note(_) | Form::LinkedImage(_));
        divided.push(Run {
            from: piece.from.max(from),
            to: piece.to.min(to),
            link: style.link.filter(|_| !is_apart),
            code: false,
            strong: style.strong && !is_apart,
            em: style.em && !is_apart,
            deleted: false,
            form,
        });
    }
    divided
}

/// Neighbours with the same key, with the index of the first.
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
