//! Checks a function against a file of rows: inputs with what must come out.
//!
//! The lines of a row's input come first, then its output, each line behind `=> `. `## TEXT` begins a section, whose
//! text the function is told; `# ` begins a remark. `{*3 ab}` is `ababab`, and `{u+a0}` a character by its number.

use std::path::Path;
use std::{env, fs};

/// The text with what its braces stand for.
fn expanded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{*").into_iter().chain(rest.find("{u+")).min() {
        let (before, braced) = rest.split_at(at);
        let (inner, behind) = braced.split_once('}').unwrap();
        out.push_str(before);
        match inner.strip_prefix("{*").map(|inner| inner.split_once(' ').unwrap()) {
            Some((times, text)) => out.push_str(&text.repeat(times.parse().unwrap())),
            None => out.push(char::from_u32(u32::from_str_radix(&inner[3..], 16).unwrap()).unwrap()),
        }
        rest = behind;
    }
    out + rest
}

/// Checks every row of a file of the crate; under `TROMMEL_BLESS`, writes what comes out into the file instead.
#[track_caller]
pub(crate) fn check(file: &str, made: impl Fn(&str, &str) -> String) {
    let path = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join(file);
    let text = fs::read_to_string(&path).unwrap();
    let (mut section, mut count, mut blessed, mut faults) = ("", 0, String::new(), String::new());
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        if line.is_empty() || line.starts_with("# ") || line.starts_with("## ") {
            section = line.strip_prefix("## ").unwrap_or(section);
            blessed.extend([line, "\n"]);
            continue;
        }
        let mut input = line.to_owned();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("=>")) {
            input.extend(["\n", line]);
        }
        let mut expected = Vec::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| line.starts_with("=>")) {
            expected.push(line.strip_prefix("=> ").unwrap_or(&line[2..]));
        }
        let found = made(section, &expanded(&input));
        if found != expanded(&expected.join("\n")) {
            faults.push_str(&format!(
                "{file}:{}: {input}\nexpected: {}\nfound: {found}\n",
                at + 1,
                expected.join("\n")
            ));
            expected = found.split('\n').collect();
        }
        blessed.extend([&input, "\n"]);
        let shown = |line: &&str| if line.is_empty() { "=>\n".to_owned() } else { format!("=> {line}\n") };
        blessed.extend(expected.iter().map(shown));
        count += 1;
    }
    if env::var_os("TROMMEL_BLESS").is_some() {
        return fs::write(&path, blessed).unwrap();
    }
    assert!(faults.is_empty() && count > 0, "{faults}");
}
