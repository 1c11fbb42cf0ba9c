//! Compares confidence with F1, in tenths of the pages.

/// A tenth of the pages by confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decile {
    /// Number of pages.
    pub pages: usize,
    /// Mean confidence, 0..=1.
    pub confidence: f64,
    /// Mean F1, 0..=1.
    pub f1: f64,
}

/// Divides pages of confidence and F1 into ten parts of nearly the same size, the least confident
/// first; pages of the same confidence keep their order. Parts without pages are left out.
pub fn deciles(pages: &[(f64, f64)]) -> Vec<Decile> {
    let mut sorted = pages.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    (0..10)
        .filter_map(|tenth| {
            let part = sorted.get(tenth * sorted.len() / 10..(tenth + 1) * sorted.len() / 10)?;
            let mean = |value: fn(&(f64, f64)) -> f64| part.iter().map(value).sum::<f64>() / part.len() as f64;
            (!part.is_empty()).then(|| Decile {
                pages: part.len(),
                confidence: mean(|page| page.0),
                f1: mean(|page| page.1),
            })
        })
        .collect()
}

/// Mean distance of confidence and F1 over the deciles, weighted by their pages, 0..=1.
pub(super) fn distance(deciles: &[Decile]) -> f64 {
    let pages: usize = deciles.iter().map(|decile| decile.pages).sum();
    let sum: f64 = deciles.iter().map(|decile| decile.pages as f64 * (decile.confidence - decile.f1).abs()).sum();
    sum / pages.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_dealt_out_by_confidence() {
        // Twenty pages, from the most confident down; F1 is the half of the confidence.
        let pages: Vec<(f64, f64)> = (0..20).rev().map(|at| (f64::from(at) / 20.0, f64::from(at) / 40.0)).collect();
        let found = deciles(&pages);
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|decile| decile.pages == 2));
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(found[0].confidence, 0.025);
        close(found[9].confidence, 0.925);
        close(found[9].f1, 0.4625);
        // The mean of the confidences, .475, less its half.
        close(distance(&found), 0.2375);
    }

    #[test]
    fn few_pages_fill_few_deciles() {
        let found = deciles(&[(0.5, 1.0), (0.25, 0.0)]);
        let f1: Vec<f64> = found.iter().map(|decile| decile.f1).collect();
        assert_eq!(f1, [0.0, 1.0]);
        assert_eq!((deciles(&[]), distance(&[])), (Vec::new(), 0.0));
    }
}
