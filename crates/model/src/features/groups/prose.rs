//! Features of a block's distance to the prose of its page.

use crate::features::facts::container_parts::{PROSE_DENSITY, PROSE_SHARE};
use crate::features::facts::levels::LEVELS;
use crate::features::facts::prose::NAMES;
use crate::features::group::{Fact, Group, crossed, owned};

fn names() -> Vec<String> {
    let containers = LEVELS.iter().map(|level| format!("container_{level}"));
    let mut names = owned(&NAMES);
    names.extend(crossed(containers, &["prose_density", "prose_share"]));
    names
}

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Prose, Fact::Levels],
    columns: |_| names(),
    on: |facts, _| {
        Box::new(|batch, out| {
            out.put_rows(|at| facts.prose.features(&facts.paths, &facts.containers, at));
            for parts in batch.levels.iter() {
                out.put_columns(&parts[PROSE_DENSITY..=PROSE_SHARE]);
            }
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::groups::FeatureGroup;
    use crate::features::log::log;
    use crate::features::schema::Schema;
    use trommel_html::{Engine, Limits, ScanEngine};

    const HTML: &str = "<div><a href=x>Home</a></div>\
        <main><div><p>The first sentence of this page is here.</p><p>And the second one follows it, too.</p></div></main>\
        <footer><p>All is ours.</p></footer>";

    fn value(block: usize, name: &str) -> f32 {
        let page = ScanEngine.read(HTML, &Limits::default());
        let rows = Schema::new(&[FeatureGroup::Prose], &[], &[], &[]).rows(&page, None);
        let values = rows.iter().nth(block).unwrap();
        assert_eq!(values.len(), names().len());
        values[names().iter().position(|n| n == name).unwrap()]
    }

    #[test]
    fn blocks_know_where_they_stand_to_the_prose() {
        assert_eq!(value(1, "prose.inside"), 1.0);
        assert_eq!((value(0, "prose.before"), value(3, "prose.after")), (1.0, 1.0));
        // The footer's paragraph is two levels below nothing: it meets the top nowhere.
        assert_eq!(value(3, "prose.up"), log(2u32));
        assert_eq!(value(1, "prose.log_own"), log(8u32));
        assert_eq!((value(0, "prose.in_bte"), value(2, "prose.in_segment")), (0.0, 1.0));
        assert_eq!(value(0, "prose.page_share"), 15.0 / 19.0);
        assert_eq!(value(2, "container_0.prose_share"), 7.0 / 15.0);
    }
}
