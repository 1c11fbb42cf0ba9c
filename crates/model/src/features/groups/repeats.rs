//! Features of repeated elements: the innermost and the outermost group of siblings around a block that come
//! from one template, such as cards, rows, posts or menu items.

use crate::features::facts::templates::PARTS;
use crate::features::group::{Fact, Group, crossed, rows};

fn names() -> Vec<String> {
    let groups = ["outer", "inner"].map(|which| format!("repeats.{which}"));
    let mut names = crossed(groups, &PARTS);
    names.push("repeats.same".to_owned());
    names
}

pub(crate) const GROUP: Group = Group {
    needs: &[Fact::Templates],
    columns: |_| names(),
    on: |facts, _| rows(move |at| facts.templates.features(facts.paths.of_block(at))),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::facts::PageFacts;
    use crate::features::lexicon::Lexicon;
    use crate::features::log::log;
    use trommel_html::{Engine, Limits, ScanEngine};

    #[test]
    fn items_know_their_group() {
        let card = "<div class=card><img src=x><p>One card with some words.</p></div>";
        let html = format!("<p>Alone it stands.</p><section>{}</section>", card.repeat(4));
        let page = ScanEngine.read(&html, &Limits::default());
        let lexicon = Lexicon::new(&[], &[], &[]);
        let facts = PageFacts::new(&page, None, &lexicon, GROUP.needs);
        let repeats = &facts.templates;
        let of = |block: usize| {
            let values = repeats.features(facts.paths.of_block(block));
            assert_eq!(values.len(), names().len());
            values
        };
        assert!(of(0)[..16].iter().all(|v| *v == 0.0));
        let third = of(3);
        assert_eq!(third[..2], [log(4u32), log(5u32)]);
        assert_eq!(third[3], 20.0 / 23.0);
        assert_eq!(third[4..8], [1.0, 1.0, 0.5, 0.0]);
        assert_eq!(third[16], 1.0);
    }
}
