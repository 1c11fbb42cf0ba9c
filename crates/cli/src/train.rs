//! `trommel train`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use trommel_features::FeatureGroup;
use trommel_learn::{JudgedSet, LABEL_SHARE, Learner, Scores, TrainOptions, Weighting, train};

use crate::labelled::LabelledArgs;

/// Train a block model on labelled pages, with cross-validation by host
#[derive(Debug, Args)]
pub struct TrainArgs {
    #[command(flatten)]
    labelled: LabelledArgs,
    /// File to write the model to
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// File to write what cross-validation said of each page to, for `trommel-lab quality`
    #[arg(long, value_name = "FILE")]
    judged: Option<PathBuf>,
    /// Name of the model [default: the file's name]
    #[arg(long)]
    name: Option<String>,
    /// Features: those of the paper (shallow text, tag ratios, listed tokens) or all that serve
    #[arg(long, value_enum, default_value_t = Features::All)]
    features: Features,
    /// What the model is made of: an L2 logistic model over the features or over their bins; or both
    /// shipped models at once [default: linear for the paper's features, else additive]
    #[arg(long, value_enum)]
    learner: Option<Learns>,
    /// A block is content if more than this share of its words lies on the longest common
    /// subsequence with the gold text
    #[arg(long, default_value_t = LABEL_SHARE, value_name = "SHARE")]
    label_share: f32,
    /// Whether every page or every block counts the same
    #[arg(long, value_enum, default_value_t = Weigh::Pages)]
    weigh: Weigh,
    /// Folds of the cross-validation
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=100))]
    folds: u32,
    /// Day to write into the model [default: today, or SOURCE_DATE_EPOCH]
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Features {
    Paper,
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Learns {
    Linear,
    Additive,
    /// `fast` (additive) and `best` (the same with boosted trees beside it), written into the folder
    /// that --out names
    Shipped,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Weigh {
    Pages,
    Blocks,
}

pub fn run(args: &TrainArgs) -> anyhow::Result<ExitCode> {
    let sets = args.labelled.read()?;
    let stem = args
        .out
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let names = match args.learner {
        Some(Learns::Shipped) => vec!["fast".to_owned(), "best".to_owned()],
        _ => vec![args.name.clone().or(stem).unwrap_or_default()],
    };
    let options = TrainOptions {
        names,
        created: args.date.clone().map_or_else(today, Ok)?,
        groups: match args.features {
            Features::Paper => FeatureGroup::PAPER.to_vec(),
            Features::All => FeatureGroup::serving(),
        },
        learner: match (args.learner, args.features) {
            (Some(Learns::Linear), _) | (None, Features::Paper) => Learner::Linear,
            (Some(Learns::Additive), _) | (None, Features::All) => Learner::Additive,
            (Some(Learns::Shipped), _) => Learner::Shipped,
        },
        label_share: args.label_share,
        weighting: match args.weigh {
            Weigh::Pages => Weighting::Pages,
            Weigh::Blocks => Weighting::Blocks,
        },
        folds: args.folds as usize,
        comments: true,
    };
    for trained in train(&sets, &options)? {
        let name = &trained.model.file().name;
        let out = if options.learner == Learner::Shipped {
            args.out.join(format!("{name}.trommel"))
        } else {
            args.out.clone()
        };
        std::fs::write(&out, trained.model.to_bytes()?)
            .with_context(|| format!("cannot write {}", out.display()))?;
        if let Some(path) = &args.judged {
            let path = if options.learner == Learner::Shipped {
                path.join(format!("{name}.judged"))
            } else {
                path.clone()
            };
            JudgedSet::new(&sets, &trained, options.comments).write(&path)?;
        }
        println!("{name:<18} pages  precision  recall      F1");
        for (number, set) in sets.iter().enumerate() {
            let own = trained.judged.iter().filter(|page| page.set == number);
            let mean = Scores::mean(own.map(|page| &page.scores));
            println!(
                "{:<18} {:>5}  {:>9.4}  {:>6.4}  {:>6.4}",
                set.name,
                set.pages.len(),
                mean.precision,
                mean.recall,
                mean.f1
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Today, or the day of SOURCE_DATE_EPOCH (seconds) where builds must repeat.
fn today() -> anyhow::Result<String> {
    let now = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => {
            let seconds = seconds
                .parse()
                .context("SOURCE_DATE_EPOCH is no number of seconds")?;
            jiff::Timestamp::from_second(seconds).context("SOURCE_DATE_EPOCH is out of range")?
        }
        Err(_) => jiff::Timestamp::now(),
    };
    Ok(now.strftime("%Y-%m-%d").to_string())
}
