//! Text-to-tag ratios: blocks with much text a tag, by a threshold or by clusters.
//!
//! Weninger and Hsu, Text extraction from the web via text-to-tag ratio, TIR workshop at DEXA 2008.
//! The ratio of a line is its characters divided by its tags (by 1 where it has none); ratios are
//! smoothed by the mean of the line and its two neighbours on both sides. The unit is the block here.
//! At the ends of a page the mean is over the blocks that exist.
//!
//! The source at hand names the clusterings (k-means, expectation maximisation, farthest first) without
//! their settings: three clusters, of which the lowest is no content, are taken over from CETR
//! (Weninger, Hsu and Han, WWW 2010). Clusters start by farthest-first traversal from the least ratio,
//! so that nothing is random. A page whose blocks all have one ratio cannot be divided and is kept whole.

use trommel_html::Page;
use trommel_model::features::{farthest_first, kmeans, nearest_centre, text_to_tag_ratios};

use crate::methods::method::{About, Method, MethodError};
use crate::methods::mixture;

/// Blocks on either side that the mean is taken over.
const RADIUS: usize = 2;
/// Clusters. From CETR.
const CLUSTERS: usize = 3;

/// Content is what has a smoothed ratio above the standard deviation of all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct TtrThreshold;

/// Content is every cluster but the lowest of k-means.
#[derive(Clone, Copy, Debug, Default)]
pub struct TtrKmeans;

/// Content is every Gaussian but the lowest of a mixture fitted by expectation maximisation, which
/// starts from the clusters of k-means.
#[derive(Clone, Copy, Debug, Default)]
pub struct TtrEm;

/// Content is what is nearer to another centre of the farthest-first traversal than to the lowest.
#[derive(Clone, Copy, Debug, Default)]
pub struct TtrFarthestFirst;

impl Method for TtrThreshold {
    fn about(&self) -> &About {
        &About {
            name: "ttr-threshold",
            line: "smoothed characters a tag above their standard deviation",
            citation: "Weninger and Hsu, Text extraction from the web via text-to-tag ratio, TIR workshop at DEXA 2008; \
                       stated on blocks instead of lines",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        Ok(above_deviation(&ratios(page)))
    }
}

impl Method for TtrKmeans {
    fn about(&self) -> &About {
        &About {
            name: "ttr-kmeans",
            line: "smoothed characters a tag, all clusters of k-means but the lowest",
            citation: "Weninger and Hsu, Text extraction from the web via text-to-tag ratio, TIR workshop at DEXA 2008; \
                       stated on blocks instead of lines; the number of clusters (3) is CETR's",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        Ok(by_kmeans(&ratios(page)))
    }
}

impl Method for TtrEm {
    fn about(&self) -> &About {
        &About {
            name: "ttr-em",
            line: "smoothed characters a tag, all Gaussians of a mixture but the lowest",
            citation: "Weninger and Hsu, Text extraction from the web via text-to-tag ratio, TIR workshop at DEXA 2008; \
                       stated on blocks instead of lines; the number of clusters (3) is CETR's, the least variance \
                       (1e-4 of all) and the start from k-means are this project's",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        Ok(by_mixture(&ratios(page)))
    }
}

impl Method for TtrFarthestFirst {
    fn about(&self) -> &About {
        &About {
            name: "ttr-farthest-first",
            line: "smoothed characters a tag, all farthest-first clusters but the lowest",
            citation: "Weninger and Hsu, Text extraction from the web via text-to-tag ratio, TIR workshop at DEXA 2008; \
                       stated on blocks instead of lines; the number of clusters (3) is CETR's, the start at the least \
                       ratio is this project's",
            learns: false,
        }
    }

    fn extract(&self, page: &Page) -> Result<Vec<bool>, MethodError> {
        Ok(by_farthest_first(&ratios(page)))
    }
}

/// The smoothed ratios.
fn ratios(page: &Page) -> Vec<f32> {
    smooth(&text_to_tag_ratios(page))
}

/// The mean of each value and its neighbours, as far as they exist.
fn smooth(series: &[f32]) -> Vec<f32> {
    (0..series.len())
        .map(|at| {
            let end = series.len().min(at + RADIUS + 1);
            let around = series.get(at.saturating_sub(RADIUS)..end).unwrap_or_default();
            around.iter().sum::<f32>() / around.len() as f32
        })
        .collect()
}

fn above_deviation(ratios: &[f32]) -> Vec<bool> {
    let deviation = deviation(ratios);
    ratios.iter().map(|ratio| f64::from(*ratio) > deviation).collect()
}

/// Standard deviation of the values themselves, not of what they are a sample of.
pub(crate) fn deviation(values: &[f32]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|value| f64::from(*value)).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (f64::from(*value) - mean).powi(2)).sum();
    (squares / count).sqrt()
}

fn points(ratios: &[f32]) -> Vec<[f32; 1]> {
    ratios.iter().map(|ratio| [*ratio]).collect()
}

/// Centres spread over the ratios, the first at the least; `None` where all ratios are equal.
fn seeds(points: &[[f32; 1]]) -> Option<Vec<[f32; 1]>> {
    let [least] = points.iter().copied().reduce(|a, b| if b[0] < a[0] { b } else { a })?;
    points.iter().any(|point| point[0] > least).then(|| farthest_first(points, [least], CLUSTERS))
}

/// For each member, true if its cluster is not the one with the lowest of `means`.
fn not_lowest(members: Vec<usize>, means: impl IntoIterator<Item = f64>) -> Vec<bool> {
    let mut lowest = (0, f64::INFINITY);
    for (at, mean) in means.into_iter().enumerate() {
        if mean < lowest.1 {
            lowest = (at, mean);
        }
    }
    members.into_iter().map(|member| member != lowest.0).collect()
}

fn by_kmeans(ratios: &[f32]) -> Vec<bool> {
    let points = points(ratios);
    let Some(mut centres) = seeds(&points) else {
        return vec![true; ratios.len()];
    };
    let members = kmeans(&points, &mut centres, 0);
    not_lowest(members, centres.iter().map(|centre| f64::from(centre[0])))
}

fn by_mixture(ratios: &[f32]) -> Vec<bool> {
    let points = points(ratios);
    let Some(mut centres) = seeds(&points) else {
        return vec![true; ratios.len()];
    };
    let start = kmeans(&points, &mut centres, 0);
    let (members, means) = mixture::assign(ratios, &start, CLUSTERS);
    not_lowest(members, means)
}

fn by_farthest_first(ratios: &[f32]) -> Vec<bool> {
    let points = points(ratios);
    let Some(centres) = seeds(&points) else {
        return vec![true; ratios.len()];
    };
    // The first centre is the least ratio, so the cluster that holds it is the lowest.
    points.iter().map(|point| nearest_centre(&centres, point) > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trommel_html::{Engine, Limits, ScanEngine};

    const ALL: [&dyn Method; 4] = [&TtrThreshold, &TtrKmeans, &TtrEm, &TtrFarthestFirst];

    #[test]
    fn prose_between_menus() {
        // Four blocks of 1 character, three of 40, four of 1; two tags each, one before the first. Ratios:
        // 1 .5 .5 .5 20 20 20 .5 .5 .5 .5. Smoothed: .667 .625 4.5 8.3 12.2 12.2 12.2 8.3 4.4 .5 .5.
        let short = |count: usize| "<p>x</p>".repeat(count);
        let long = format!("<p>{}</p>", "ten chars ".repeat(4).trim_end().to_owned() + "!");
        let html = format!("{}{}{}", short(4), long.repeat(3), short(4));
        let page = ScanEngine.read(&html, &Limits::default());
        assert_eq!(text_to_tag_ratios(&page)[3..6], [0.5, 20.0, 20.0]);
        let smoothed = ratios(&page);
        for (value, expected) in smoothed.iter().zip([0.667, 0.625, 4.5, 8.3, 12.2, 12.2, 12.2, 8.3, 4.4, 0.5, 0.5]) {
            assert!((value - expected).abs() < 1e-3, "{smoothed:?}");
        }
        let content = |from: usize, to: usize| (0..11).map(|at| from <= at && at <= to).collect::<Vec<_>>();
        // Mean 5.85, mean of squares 56.8: deviation 4.75. 4.5 and 4.4 stay below.
        assert_eq!(TtrThreshold.extract(&page).unwrap(), content(3, 7));
        // Seeds .5, 12.2, 4.5 (4 away from .5; 8.3 is 3.9 from 12.2). 8.3 goes with 4.5; the means .57,
        // 12.2 and 6.4 change nothing. Farthest first stops at the seeds; the Gaussian of the lowest
        // cluster is so narrow that 4.4 is far from it.
        for method in &ALL[1..] {
            assert_eq!(method.extract(&page).unwrap(), content(2, 8), "{}", method.about().name);
        }
    }

    #[test]
    fn the_clusterings_differ() {
        // Seeds 0, 10, 5.2. To them, 2.7 is nearer to 5.2 (2.5) than to 0 (2.7); after one round of
        // k-means the lowest centre is at 1.125 (1.575 away) and the other at 5.78 (3.08).
        let ratios = [0.0, 1.5, 1.5, 1.5, 2.7, 10.0, 7.0, 7.0, 7.0, 5.2];
        assert!(by_farthest_first(&ratios)[4]);
        assert!(!by_kmeans(&ratios)[4]);
        // Nine values around 1, then 3, 5, 7, 9, 11, then 40, 41. k-means from .9, 41, 11: 3 and 5 are nearer
        // to the lowest centre (1.5) than to the next (9). But nine values around 1 are a narrow Gaussian,
        // to which 3 and 5 do not belong.
        let narrow = [0.9, 1.0, 1.1].repeat(3);
        let ratios: Vec<f32> = narrow.into_iter().chain([3.0, 5.0, 7.0, 9.0, 11.0, 40.0, 41.0]).collect();
        let (kmeans, mixture) = (by_kmeans(&ratios), by_mixture(&ratios));
        assert_eq!(kmeans, (0..16).map(|at| at > 10).collect::<Vec<_>>());
        assert_eq!(mixture, (0..16).map(|at| at > 8).collect::<Vec<_>>());
    }

    #[test]
    fn edges() {
        for method in ALL {
            let keep = |html: &str| method.extract(&ScanEngine.read(html, &Limits::default())).unwrap();
            assert!(keep("").is_empty());
            assert_eq!(keep("<p>one block"), [true]);
            // Two blocks of one smoothed ratio (the mean of both): no division.
            assert_eq!(keep("<p>aa<p>b"), [true, true]);
        }
    }
}
