//! Aggregates over the elements around a block, from its own outwards.

use crate::features::facts::container_parts::SHAPE_PARTS;
use crate::features::facts::levels::LEVELS;
use crate::features::group::{Fact, Group, crossed};

const PARTS: [&str; SHAPE_PARTS] =
    ["word_share", "link_density", "log_blocks", "paragraph_share", "log_words_per_element", "commas"];

fn names() -> Vec<String> {
    let containers = LEVELS.iter().map(|level| format!("container_{level}"));
    crossed(containers, &PARTS)
}

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Levels],
    columns: |_| names(),
    on: |_, _| Box::new(|batch, out| batch.levels.iter().for_each(|parts| out.put_columns(&parts[..SHAPE_PARTS]))),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::groups::FeatureGroup;
    use crate::features::schema::Schema;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn parts_are_those_of_each_level() {
        let page = ScanEngine.read(
            "<div><p>one, two <a href=x>three</a></p><ul><li>four</li></ul></div><p>five</p>",
            &Limits::default(),
        );
        let schema = Schema::new(&[FeatureGroup::Containers], &[], &[], &[]);
        let rows = schema.rows(&page, None);
        let values = rows.iter().next().unwrap();
        assert_eq!(values.len(), names().len());
        assert!((values[0] - 0.6).abs() < 1e-6 && (values[1] - 1.0 / 3.0).abs() < 1e-6);
        assert!((values[6] - 0.8).abs() < 1e-6 && (values[7] - 0.25).abs() < 1e-6);
        // Above the outermost element the outermost is repeated.
        assert_eq!(values[6..12], values[36..42]);
    }
}
