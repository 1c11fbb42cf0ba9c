//! The inputs that are left of a run, in their order.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::mem::take;

use crate::run::counts::summary::FileReport;
use crate::run::error::resume::ResumeError;
use crate::run::inputs::Input;
use crate::run::inputs::identity::Identity;
use crate::run::inputs::pieces::Piece;
use crate::run::plan::Plan;
use crate::run::state::archive::ArchiveState;
use crate::run::state::journal::DoneInput;

/// An input that is left to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    /// Its index.
    pub(crate) input: usize,
    /// State of the archive if it was begun before.
    pub(crate) begun: Option<ArchiveState>,
    /// The piece of it that is read; none: all of it.
    pub(crate) piece: Option<Piece>,
}

/// An archive of which some pieces are done.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    /// Index of the input.
    pub(crate) input: usize,
    /// The report on these pieces, and the piece that is due.
    pub(crate) state: ArchiveState,
}

impl Partial {
    /// The piece that is due.
    pub(crate) fn due(&self) -> usize {
        self.state.piece.map_or(0, |piece| piece.number)
    }
}

/// The rest of a run.
#[derive(Debug, Default)]
pub(super) struct Remaining {
    /// Reports on inputs that could not be read before and can be read now.
    pub(super) again: Vec<FileReport>,
    pub(super) todo: Vec<Turn>,
    pub(super) partial: Option<Partial>,
}

/// The inputs of a plan that are not found in the state yet.
struct Unfound<'a> {
    plan: &'a Plan,
    /// Indexes of the inputs of each name.
    all: HashMap<String, VecDeque<usize>>,
    left: HashMap<String, VecDeque<usize>>,
}

impl<'a> Unfound<'a> {
    fn new(plan: &'a Plan) -> Self {
        let mut all: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (index, input) in plan.inputs.iter().enumerate() {
            all.entry(input.name()).or_default().push_back(index);
        }
        Self { plan, left: all.clone(), all }
    }

    /// The index of an input of the state, and whether it was not there and is now.
    // Inputs that are done were so in their order; those in work may be any of one name.
    fn find(&mut self, identity: &Identity, naming: Option<usize>) -> Result<(usize, bool), ResumeError> {
        let missing = || ResumeError::Missing { input: identity.name.clone() };
        let named = self.left.get_mut(&identity.name).ok_or_else(missing)?;
        let index = match naming {
            Some(naming) => self.all.get(&identity.name).and_then(|all| all.get(naming)).copied(),
            None => named.pop_front(),
        };
        let index = index.ok_or_else(missing)?;
        if naming.is_some() {
            named.retain(|left| *left != index);
        }
        let input = self.plan.inputs.get(index).ok_or_else(missing)?;
        match identity.change(input) {
            Some(change) => Err(ResumeError::Changed { input: identity.name.clone(), change }),
            None => Ok((index, identity.has_appeared(input))),
        }
    }
}

impl Remaining {
    /// The remaining inputs, some of which are begun. Takes out of `done` those that could not be read before and can
    /// be read now.
    pub(super) fn of(
        plan: &Plan,
        (begun, partial): (Vec<ArchiveState>, Option<ArchiveState>),
        done: &mut Vec<DoneInput>,
    ) -> Result<Self, ResumeError> {
        let mut inputs = Unfound::new(plan);
        let (mut again, mut appeared) = (Vec::new(), Vec::new());
        let mut fault = None;
        done.retain_mut(|done| match inputs.find(&done.identity, None) {
            Ok((index, true)) if done.report.records == 0 && done.report.error.is_some() => {
                again.push(take(&mut done.report));
                appeared.push(index);
                false
            }
            Ok(_) => true,
            Err(error) => {
                fault.get_or_insert(error);
                true
            }
        });
        if let Some(error) = fault {
            return Err(error);
        }
        let find = |state: ArchiveState| Ok((inputs.find(&state.identity, Some(state.naming))?.0, state));
        let partial = partial.map(find).transpose()?;
        let partial = partial.map(|(input, state)| Partial { input, state });
        let mut todo = Vec::new();
        let mut cut: BTreeMap<usize, Vec<ArchiveState>> = BTreeMap::new();
        cut.extend(partial.as_ref().map(|partial| (partial.input, Vec::new())));
        for archive in begun {
            let (input, appeared) = inputs.find(&archive.identity, Some(archive.naming))?;
            if archive.piece.is_some() {
                cut.entry(input).or_default().push(archive);
                continue;
            }
            let is_nothing = archive.report.records == 0 && archive.report.error.is_some();
            let begun = Some(archive).filter(|_| !(appeared && is_nothing));
            todo.push(Turn { input, begun, piece: None });
        }
        for (input, begun) in cut {
            let due = partial.as_ref().filter(|partial| partial.input == input).map_or(0, Partial::due);
            todo.extend(pieces_left(plan, input, due, begun)?);
        }
        let rest = inputs.left.into_values().flatten().chain(appeared);
        todo.extend(rest.map(|input| Turn { input, ..Turn::default() }));
        // In the order of the plan, as if nothing had been begun; but what the outputs of all end with goes on.
        let mut first = todo.iter().filter(|turn| turn.begun.as_ref().is_some_and(|archive| archive.is_first));
        let first = partial.as_ref().map(|partial| partial.input).or_else(|| first.next().map(|turn| turn.input));
        let number = |turn: &Turn| turn.piece.as_ref().map(|piece| piece.number);
        todo.sort_by_key(|turn| (Some(turn.input) != first, turn.input, number(turn)));
        Ok(Self { again, todo, partial })
    }
}

/// The pieces of an archive from the one that is due on, some of which are begun.
fn pieces_left(
    plan: &Plan,
    input: usize,
    due: usize,
    mut begun: Vec<ArchiveState>,
) -> Result<impl Iterator<Item = Turn>, ResumeError> {
    let name = || plan.inputs.get(input).map_or_else(String::new, Input::name);
    let pieces = plan.all_pieces().pieces(input).map_err(|source| ResumeError::Io { path: name().into(), source })?;
    // The file is the one it was: so it has the same pieces.
    let changed = || ResumeError::Changed { input: name(), change: "it has other pieces".to_owned() };
    let pieces = pieces.ok_or_else(changed)?.into_iter().skip(due);
    Ok(pieces.map(move |piece| {
        let is_this = |archive: &ArchiveState| archive.piece.is_some_and(|begun| begun.number == piece.number);
        let at = begun.iter().position(is_this);
        Turn { input, begun: at.map(|at| begun.swap_remove(at)), piece: Some(piece) }
    }))
}
