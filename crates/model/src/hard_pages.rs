//! The limits of confidence below which a page is hard, for each built-in model: the table behind `--hard-share`.

use trommel_models::CONFIDENCES;

/// First word of the line that names the models.
const HEAD: &str = "percent";

/// The confidence (0..=1) below which `percent` of usual pages lie by the model of that name, interpolated between the
/// lines of the table. None for models that the table does not name.
pub(crate) fn confidence_below(model: &str, percent: f64) -> Option<f32> {
    read(CONFIDENCES, model, percent)
}

fn read(table: &str, model: &str, percent: f64) -> Option<f32> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
    let at = lines.next().filter(|head| head.clone().next() == Some(HEAD))?.position(|name| name == model)?;
    let points = lines.filter_map(|mut line| {
        let line = (line.clone().next()?, line.nth(at)?);
        Some((line.0.parse::<f64>().ok()?, line.1.parse::<f64>().ok()?))
    });
    let mut before: Option<(f64, f64)> = None;
    for (share, confidence) in points {
        if percent <= share {
            let (low, from) = before.unwrap_or((0.0, 0.0));
            let part = (percent - low) / (share - low).max(f64::MIN_POSITIVE);
            return Some((from + part * (confidence - from)) as f32);
        }
        before = Some((share, confidence));
    }
    // More than the table has: all pages.
    before.map(|_| f32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    #[test]
    fn shares_between_lines_are_interpolated() {
        let table = "# A table.\npercent\ta\tb\n5\t0.25\t0.5\n10\t0.75\t0.5\n99\t1\t1\n";
        for (model, percent, below) in [
            ("a", 5.0, Some(0.25)),
            ("a", 6.0, Some(0.35)),
            ("b", 7.5, Some(0.5)),
            ("a", 1.0, Some(0.05)),
            ("b", 100.0, Some(f32::MAX)),
            ("c", 5.0, None),
        ] {
            assert_eq!(read(table, model, percent), below, "{model} {percent}");
        }
        assert_eq!(read("", "a", 5.0), None);
        assert_eq!(read("percent\ta\n", "a", 5.0), None);
    }

    #[test]
    fn the_table_is_that_of_the_models() {
        for name in Model::builtin_names() {
            let model = Model::builtin(name).unwrap();
            // A model that was trained again has other confidences.
            let named = format!("{name} of {}", model.file().created);
            assert!(CONFIDENCES.contains(&named), "make the table again: {named} is not in it");
            let below: Vec<f32> =
                [1.0, 5.0, 20.0, 50.0].iter().map(|percent| model.confidence_below(*percent).unwrap()).collect();
            assert!(below.is_sorted() && below[0] > 0.0 && below[1] > 0.2 && below[3] < 1.0, "{name}: {below:?}");
        }
        let same_bytes = Model::from_bytes(&Model::default().to_bytes().unwrap()).unwrap();
        assert_eq!(same_bytes.confidence_below(5.0), None);
        assert!(Model::default().confidence_below(5.0).is_some());
    }
}
