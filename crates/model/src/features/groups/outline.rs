//! Features of a block's place among the headings of its page.

use crate::features::facts::headline::NAMES;
use crate::features::group::{Fact, Group, owned};
use crate::features::log::flag;

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Outline],
    columns: |_| owned(&NAMES),
    on: |facts, _| {
        Box::new(|_, out| match out.is_next_alone() {
            // Asked for all blocks, and the others for some.
            true => out.put(|at| flag(facts.outline.headline() == Some(at))),
            false => out.put_rows(|at| facts.outline.features(at)),
        })
    },
};
