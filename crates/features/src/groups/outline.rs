//! Features of a block's place among the headings of its page.

use crate::facts::headline::NAMES;
use crate::group::{Fact, Group, owned, rows};

pub(crate) const GROUP: Group =
    Group { needs: &[Fact::Outline], columns: |_| owned(&NAMES), on: |facts, _| rows(|at| facts.outline.features(at)) };
