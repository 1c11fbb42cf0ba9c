//! Pages of a set by host.

use std::collections::BTreeMap;

use rayon::prelude::*;
use trommel_html::Page;
use trommel_learn::PageSet;
use trommel_model::sites::site_of;

use super::SiteMethod;

/// The places of the pages of each host that has at least `least` in the set. A page without a host stands for
/// itself.
pub fn pages_by_host(set: &PageSet, least: usize) -> Vec<Vec<usize>> {
    let mut hosts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, page) in set.pages.iter().enumerate() {
        let host = page.gold.address().and_then(site_of);
        let host = host.map_or_else(|| page.gold.record_id.clone(), |host| host.into_owned());
        hosts.entry(host).or_default().push(at);
    }
    hosts.into_values().filter(|pages| pages.len() >= least).collect()
}

/// Blocks that a method keeps of every page in one of the groups; none for the other pages.
pub fn extract_by_host(method: &dyn SiteMethod, set: &PageSet, hosts: &[Vec<usize>]) -> Vec<Option<Vec<bool>>> {
    let kept: Vec<(usize, Vec<bool>)> = hosts
        .par_iter()
        .flat_map_iter(|places| {
            let pages = places.iter().filter_map(|at| set.pages.get(*at));
            let tables: Vec<&Page> = pages.map(|page| &page.page).collect();
            let kept = method.extract(&tables);
            places.iter().copied().zip(kept).collect::<Vec<_>>()
        })
        .collect();
    let mut of_page = vec![None; set.pages.len()];
    for (at, kept) in kept {
        if let Some(cell) = of_page.get_mut(at) {
            *cell = Some(kept);
        }
    }
    of_page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{About, ContentExtractor};
    use trommel_html::{Engine, Limits, ScanEngine};
    use trommel_learn::{Gold, LabelledPage};

    /// Keeps as many blocks as it was given pages.
    struct Counting;

    impl SiteMethod for Counting {
        fn about(&self) -> &About {
            ContentExtractor.about()
        }

        fn extract(&self, pages: &[&Page]) -> Vec<Vec<bool>> {
            vec![vec![true; pages.len()]; pages.len()]
        }
    }

    #[test]
    fn pages_of_a_host_are_given_together() {
        let page = |url: &str, at: usize| LabelledPage {
            gold: Gold { record_id: format!("r{at}"), url: url.to_owned(), ..Gold::default() },
            page: ScanEngine.read("<p>one</p>", &Limits::default()),
            html: String::new(),
        };
        let urls = [
            "http://a.example/1", "http://x.invalid/1", "http://www.a.example/2", "http://x.invalid/2",
            "http://b.example/",
        ];
        let pages = urls.iter().enumerate().map(|(at, url)| page(url, at));
        let set = PageSet { name: "toy".into(), pages: pages.collect() };
        let kept = |least| {
            let kept = extract_by_host(&Counting, &set, &pages_by_host(&set, least));
            kept.iter().map(|kept| kept.as_ref().map(Vec::len)).collect::<Vec<_>>()
        };
        // Placeholders are no hosts.
        assert_eq!(kept(1), [Some(2), Some(1), Some(2), Some(1), Some(1)]);
        assert_eq!(kept(2), [Some(2), None, Some(2), None, None]);
    }
}
