//! Learns the roles of blocks from pages whose gold names them.

use std::collections::BTreeSet;

use trommel_model::features::{FeatureGroup, FieldIndex};
use trommel_model::{Additive, ROLES_FORMAT, ROLES_VERSION, RoleFile, RoleModel, RoleScore, RoleScorer, pooled};

use super::{ADDRESS, learned_words::LearnedLists, learner::sketch, training_pages::Labelled};
use crate::labelled_pages::{LabelledPage, PageSet, by_group};
use crate::{error::LearnError, label::shares};

/// Name of the role for the ingredients of a recipe, which gold objects may give as a list of texts.
const INGREDIENT: &str = "ingredient";
const STEP: &str = "step";
/// Threshold of labelling: a block gets the role if more than this share of its words is in the recipe's ingredients
/// (or steps).
const SHARE: f32 = 0.5;
/// Number of folds of the cross-validation that chooses the threshold of a role.
const FOLDS: usize = 5;

/// Trains a role model that tells each of `roles` from all other blocks, and scores the model on hosts held out of
/// training. `created` is the date of training, `YYYY-MM-DD`.
///
/// # Errors
/// Fails if one of the roles has no block in the training pages of some fold, or nothing can be learned.
pub fn train_roles(sets: &[PageSet], roles: &[String], created: &str) -> Result<RoleModel, LearnError> {
    let mut groups = FeatureGroup::serving();
    groups.retain(|group| *group != FeatureGroup::TypeWords);
    let mut columns = Vec::new();
    let roles: BTreeSet<&String> = roles.iter().collect();
    let scorers = roles
        .into_iter()
        .map(|role| {
            let pages: Vec<Labelled> = sets
                .iter()
                .enumerate()
                .flat_map(|(set, pages)| pages.pages.iter().map(move |page| (set, page)))
                .filter_map(|(set, page)| {
                    let labels = labels(page, role)?;
                    Some(Labelled::new(page, set, labels, String::new()))
                })
                .collect();
            let scorer = fit_role(role, &pages, &groups, &mut columns)?;
            let score = scorer.score;
            tracing::info!(
                role,
                pages = score.pages,
                blocks = score.blocks,
                precision = score.precision,
                recall = score.recall,
                "learned"
            );
            Ok(scorer)
        })
        .collect::<Result<Vec<RoleScorer>, LearnError>>()?;
    let file = RoleFile {
        format: ROLES_FORMAT.into(),
        version: ROLES_VERSION,
        created: created.into(),
        groups,
        columns,
        roles: scorers,
    };
    Ok(RoleModel::new(file)?)
}

/// Returns for each block of a page whether it has the role; `None` if the gold does not label the roles of blocks.
fn labels(page: &LabelledPage, role: &str) -> Option<Vec<bool>> {
    let gold = &page.gold;
    let texts = match role {
        INGREDIENT => &gold.ingredients[..],
        STEP => &gold.steps[..],
        _ => &[],
    };
    if !texts.is_empty() {
        let shares = shares(&page.page, &texts.join("\n"));
        return Some(shares.iter().map(|share| *share > SHARE).collect());
    }
    if gold.blocks.iter().all(|block| block.role.is_empty()) {
        return None;
    }
    let mut spans: Vec<(u32, u32)> =
        gold.blocks.iter().filter(|block| block.role == role).map(|block| block.span).collect();
    spans.sort_unstable();
    let blocks = page.page.blocks.iter();
    Some(blocks.map(|block| spans.binary_search(&block.span).is_ok()).collect())
}

fn fit_role(
    role: &str,
    pages: &[Labelled],
    groups: &[FeatureGroup],
    columns: &mut Vec<String>,
) -> Result<RoleScorer, LearnError> {
    let all: Vec<&Labelled> = pages.iter().collect();
    let hosts: Vec<&str> = pages.iter().map(|page| page.page.gold.group()).collect();
    let folds = by_group(&hosts, FOLDS);
    let mut judged: Vec<(f32, bool)> = Vec::new();
    for fold in 0..FOLDS {
        let part = |inside: bool| {
            let both = pages.iter().zip(&folds);
            both.filter(move |(_, of)| (**of == fold) == inside).map(|(page, _)| page)
        };
        let (learned, scorer) = fit(role, &part(false).collect::<Vec<_>>(), groups)?;
        for page in part(true) {
            let rows = page.rows(&learned.schema);
            let odds: Vec<f32> = rows.iter().map(|row| scorer.log_odds(row)).collect();
            let odds = pooled(&odds, &FieldIndex::of(&page.page.page).of_block);
            judged.extend(odds.into_iter().zip(page.labels.iter().copied()));
        }
    }
    let (threshold, precision, recall) = best_threshold(&mut judged);
    let (learned, scorer) = fit(role, &all, groups)?;
    *columns = learned.schema.names().to_vec();
    Ok(RoleScorer {
        name: role.to_owned(),
        attribute_weights: learned.weights,
        word_weights: learned.words,
        scorer,
        threshold,
        score: RoleScore {
            pages: pages.len() as u32,
            blocks: judged.iter().filter(|(_, is)| *is).count() as u32,
            precision,
            recall,
        },
    })
}

fn fit(role: &str, pages: &[&Labelled], groups: &[FeatureGroup]) -> Result<(LearnedLists, Additive), LearnError> {
    if !pages.iter().any(|page| page.labels.contains(&true)) {
        return Err(LearnError::Role(role.to_owned()));
    }
    let learned = LearnedLists::new(pages, groups)?;
    let mut table = learned.table(pages, groups)?;
    table.blank(learned.schema.names(), ADDRESS);
    let scorer = sketch(&table)?;
    Ok((learned, scorer))
}

/// Returns the log odds above which a block should get a role, chosen for the best F1, with precision and recall there.
/// `judged` holds the log odds of every block and whether the block has the role.
fn best_threshold(judged: &mut [(f32, bool)]) -> (f32, f64, f64) {
    judged.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let all = judged.iter().filter(|(_, is)| *is).count() as f64;
    let mut right = 0.0;
    let mut best = (f32::MAX, 0.0, 0.0, 0.0);
    for (at, (odds, is)) in judged.iter().enumerate() {
        right += f64::from(u8::from(*is));
        let next = judged.get(at + 1).map_or(odds - 1.0, |(odds, _)| *odds);
        let said = (at + 1) as f64;
        let f1 = 2.0 * right / (said + all);
        if next < *odds && f1 > best.3 {
            best = (odds / 2.0 + next / 2.0, right / said, right / all, f1);
        }
    }
    (best.0, best.1, best.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelled_pages::{Gold, GoldBlock};
    use crate::test_pages;

    /// Creates pages of ten hosts, each with a price among other blocks; the gold gives the price a role.
    fn set(page_count: usize) -> PageSet {
        let pages = (0..page_count)
            .map(|at| {
                let html = format!(
                    "<div class=menu>Menu</div><div class=story><p>The story of {at} goes on and on, and ends.</p></div>\
                     <div class=price-box><span>{at}.99 €</span></div><div class=foot>Imprint</div>"
                );
                let page = test_pages::read(&html);
                let blocks = page.blocks.iter().enumerate().map(|(number, block)| GoldBlock {
                    span: block.span,
                    role: if number == 2 { "specification" } else { "other" }.into(),
                });
                LabelledPage {
                    gold: Gold {
                        record_id: format!("r{at}"),
                        url: format!("http://h{}.example/{at}", at % 10),
                        blocks: blocks.collect(),
                        ..Gold::default()
                    },
                    page,
                    html: String::new(),
                }
            })
            .collect();
        PageSet { name: "toy".into(), pages }
    }

    #[test]
    fn prices_are_learned() {
        let names = ["specification".to_owned()];
        let model = train_roles(&[set(60)], &names, "2026-01-01").unwrap();
        let score = model.file().roles[0].score;
        assert_eq!((score.pages, score.blocks), (60, 60));
        assert!(score.precision > 0.95 && score.recall > 0.95, "{score:?}");
        let page = test_pages::read(
            "<div class=menu>Menu</div><div class=story><p>Another story, which is new and ends.</p></div>\
             <div class=price-box><span>5.99 €</span></div><div class=foot>Imprint</div>",
        );
        let judged = model.judge(&page, None);
        assert_eq!(judged, [None, None, Some("specification"), None]);
        let missing = train_roles(&[set(60)], &["review".into()], "2026-01-01");
        assert!(matches!(missing, Err(LearnError::Role(role)) if role == "review"));
    }

    #[test]
    fn ingredients_are_known_by_their_texts() {
        let html = "<p>Soup<li>2 cups of water<li>1 leek, chopped<p>Boil the water with the leek.";
        let page = test_pages::labelled(
            html,
            Gold { ingredients: vec!["2 cups of water".into(), "1 leek, chopped".into()], ..Gold::default() },
        );
        let is = labels(&page, INGREDIENT).unwrap();
        assert_eq!(is, [false, true, true, false]);
        assert_eq!(labels(&page, STEP), None);
        assert_eq!(labels(&page, "review"), None);
    }

    #[test]
    fn the_threshold_is_where_precision_and_recall_agree_best() {
        let mut judged = vec![(-1.0, false), (3.0, true), (2.0, true), (1.0, false), (0.0, true)];
        let (threshold, precision, recall) = best_threshold(&mut judged);
        assert_eq!((threshold, precision, recall), (-0.5, 0.75, 1.0));
    }
}
