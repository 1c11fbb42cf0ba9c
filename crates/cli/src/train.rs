//! `trommel train`: trains or adapts a model.

use std::path::PathBuf;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};
use trommel::learn::{
    FeatureGroup, HeldOut, JudgedSet, LABEL_SHARE, Learner, PageSet, Required, Score, TrainOptions, Trained, Weighting,
    adapt, gold_beside, train,
};
use trommel::record::AtomicFile;

use crate::eval::{LabelledArgs, read_sets};
use crate::{exit::Exit, files, messages::say, models};

/// Number of labelled pages below which training prints a warning.
const MIN_PAGES: usize = 30;

/// Train a block model on labelled pages, with cross-validation by host
#[derive(Debug, Args)]
pub struct TrainArgs {
    #[command(flatten)]
    labelled: LabelledArgs,
    /// Adapt this model to the pages instead of training from nothing: name of a built-in model, or a
    /// model file. Few pages are enough, because the rest of the model stays as it is
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["features", "learner", "weigh"])]
    from: Option<String>,
    /// Archives of labelled pages of other conventions to mix in, with their gold beside them. The adapted model
    /// learns from them as well, and is not changed if it would lose on one of them
    #[arg(long, num_args = 1.., value_name = "WARC", requires = "from")]
    mix: Vec<PathBuf>,
    /// Archives of labelled pages that are not one text (listings, documentation), with their gold beside them. Only
    /// the scorer of such pages learns from them
    #[arg(long, num_args = 1.., value_name = "WARC", conflicts_with = "from")]
    lists: Vec<PathBuf>,
    /// Labelled pages that are threads. Only the scorer of threads and that of page types learn from them
    #[arg(long, num_args = 1.., value_name = "WARC", conflicts_with = "from")]
    threads: Vec<PathBuf>,
    /// File to write the model to
    #[arg(short, long, value_name = "FILE", value_parser = files::file)]
    out: PathBuf,
    /// File for the results of cross-validation on each page, for `trommel-quality report`
    #[arg(long, value_name = "FILE", value_parser = files::file)]
    judged: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    overwrite: bool,
    /// Name of the model [default: the file's name]
    #[arg(long)]
    name: Option<String>,
    /// Features: those of the paper (shallow text, tag ratios, listed tokens), or all
    #[arg(long, value_enum, default_value_t = Features::All)]
    features: Features,
    /// Kind of the model: an L2 logistic model over the features or over their bins, or built-in models
    /// [default: linear for the paper's features, else additive]
    #[arg(long, value_enum)]
    learner: Option<LearnerChoice>,
    /// A block is content if more than this share of its words lies on the longest common
    /// subsequence with the gold text
    #[arg(long, default_value_t = LABEL_SHARE, value_name = "SHARE")]
    label_share: f32,
    /// Unit that counts the same in training: a page or a block
    #[arg(long, default_value = "pages", value_parser = PossibleValuesParser::new(["pages", "blocks"]).map(weighting))]
    weigh: Weighting,
    /// Pages that cross-validation holds out: those of some hosts, in folds, or of one labelled set after the other
    #[arg(long, default_value = "hosts", value_name = "UNIT", conflicts_with = "from")]
    #[arg(value_parser = PossibleValuesParser::new(["hosts", "sets"]).map(held_out))]
    hold_out: HeldOut,
    /// Folds of the cross-validation by host
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=100))]
    folds: u32,
    /// Date to write into the model [default: today, or SOURCE_DATE_EPOCH]
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<jiff::civil::Date>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Features {
    Paper,
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LearnerChoice {
    Linear,
    Additive,
    /// The built-in model `lite`: additive, of few steps, over the features that cost least
    Lite,
    /// The built-in model `fast`: additive, with boosted trees for blocks in doubt
    Shipped,
}

fn weighting(name: String) -> Weighting {
    if name == "pages" { Weighting::Pages } else { Weighting::Blocks }
}

fn held_out(name: String) -> HeldOut {
    if name == "hosts" { HeldOut::Hosts } else { HeldOut::Sets }
}

pub fn run(args: &TrainArgs) -> anyhow::Result<Exit> {
    check_outputs(args)?;
    let mut sets = args.labelled.read()?;
    sets.extend(read_sets(&args.threads, &[])?);
    sets.extend(read_sets(&args.lists, &[])?);
    let stem = args.out.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let options = TrainOptions {
        name: args.name.clone().or(stem).unwrap_or_default(),
        created: args.date.map_or_else(today, |date| Ok(date.to_string()))?,
        groups: match args.features {
            Features::Paper => FeatureGroup::PAPER.to_vec(),
            Features::All if matches!(args.learner, Some(LearnerChoice::Lite)) => FeatureGroup::light(),
            Features::All => FeatureGroup::serving(),
        },
        learner: match (args.learner, args.features) {
            (Some(LearnerChoice::Linear), _) | (None, Features::Paper) => Learner::Linear,
            (Some(LearnerChoice::Additive), _) | (None, Features::All) => Learner::Additive,
            (Some(LearnerChoice::Lite), _) => Learner::Lite,
            (Some(LearnerChoice::Shipped), _) => Learner::Shipped,
        },
        label_share: args.label_share,
        weighting: args.weigh,
        held_out: args.hold_out,
        folds: args.folds as usize,
        list_sets: args.lists.len(),
        thread_sets: args.threads.len(),
        comments: true,
    };
    let done = trained(args, sets, &options)?;
    say(
        "scores by cross-validation: of each page by a model that has not seen it; `eval` on the same pages says more, \
         because the model has learned from them",
    );
    Ok(done)
}

/// Trains or adapts a model, writes it, and prints its scores.
fn trained(args: &TrainArgs, mut sets: Vec<PageSet>, options: &TrainOptions) -> anyhow::Result<Exit> {
    let pages: usize = sets.iter().map(|set| set.pages.len()).sum();
    if pages < MIN_PAGES {
        tracing::warn!("fewer than {MIN_PAGES} pages ({pages}): what they teach is hardly more than chance");
    }
    if let Some(base) = &args.from {
        let mixed = read_sets(&args.mix, &[])?;
        let number = mixed.len();
        sets.extend(mixed);
        let adapted = adapt(&models::named(Some(base))?, &sets, number, options)?;
        write(args, &sets, options, &adapted.trained)?;
        let name = &adapted.trained.model.file().name;
        table(base, &adapted.before)?;
        table(name, &adapted.trained.model.file().scores)?;
        if adapted.penalty.is_none() {
            crate::out(&format!("no correction gains on pages that it has not seen: {name} judges as {base}\n"))?;
        }
        return Ok(Exit::Clean);
    }
    let trained = train(&sets, options)?;
    write(args, &sets, options, &trained)?;
    let file = trained.model.file();
    table(&file.name, &file.scores)?;
    required(&sets, &trained)?;
    Ok(Exit::Clean)
}

/// Checks before hours of training that the output files can be written and are not also read.
fn check_outputs(args: &TrainArgs) -> anyhow::Result<()> {
    for path in [&args.out].into_iter().chain(&args.judged) {
        let further = args.mix.iter().chain(&args.lists).chain(&args.threads);
        let golds = further.clone().filter_map(|pages| gold_beside(pages));
        let base = args.from.iter().map(PathBuf::from);
        let read = args.labelled.files().chain(further.cloned()).chain(golds).chain(base);
        files::claim(path, args.overwrite, read)?;
    }
    Ok(())
}

/// Writes the model and, if `--judged` is given, the result of cross-validation for each page.
fn write(args: &TrainArgs, sets: &[PageSet], options: &TrainOptions, trained: &Trained) -> anyhow::Result<()> {
    AtomicFile::write_all(&args.out, &trained.model.to_packed()?)
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    if let Some(path) = &args.judged {
        let named = || format!("cannot write {}", path.display());
        let mut out = AtomicFile::create(path).with_context(named)?;
        JudgedSet::new(sets, trained, options.comments).write(path, &mut out)?;
        out.finish().with_context(named)?;
    }
    Ok(())
}

/// Prints the cross-validation scores of a model as a table with one line per labelled set.
fn table(name: &str, scores: &[Score]) -> anyhow::Result<()> {
    crate::out(&format!("{name:<18} pages  precision  recall      F1\n"))?;
    for score in scores {
        crate::out(&format!(
            "{:<18} {:>5}  {:>9.4}  {:>6.4}  {:>6.4}\n",
            score.set, score.pages, score.precision, score.recall, score.f1
        ))?;
    }
    Ok(())
}

/// Prints the fraction of texts kept by the model, for pages labelled only with texts that must be kept.
fn required(sets: &[PageSet], trained: &Trained) -> anyhow::Result<()> {
    for (at, set) in sets.iter().enumerate() {
        let pages = trained.judged.iter().filter(|page| page.set == at);
        let required: Vec<Required> = pages.filter_map(|page| page.scored.required).collect();
        let (all, kept) = required.iter().fold((0, 0), |(all, kept), texts| (all + texts.all, kept + texts.kept));
        if all > 0 {
            let whole = required.iter().filter(|texts| texts.is_whole()).count();
            crate::out(&format!(
                "{:<18} {:>5}  texts that must be kept: {:.4} kept, {:.4} of the pages whole\n",
                set.name,
                required.len(),
                f64::from(kept) / f64::from(all),
                whole as f64 / required.len() as f64
            ))?;
        }
    }
    Ok(())
}

/// Returns the date of today, or of `SOURCE_DATE_EPOCH` (seconds since 1970) if set, as `YYYY-MM-DD`.
fn today() -> anyhow::Result<String> {
    let now = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => {
            let seconds = seconds.parse().context("SOURCE_DATE_EPOCH is no number of seconds")?;
            jiff::Timestamp::from_second(seconds).context("SOURCE_DATE_EPOCH is out of range")?
        }
        Err(_) => jiff::Timestamp::now(),
    };
    Ok(now.strftime("%Y-%m-%d").to_string())
}
