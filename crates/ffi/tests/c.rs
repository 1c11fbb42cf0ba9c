//! Tests that the header matches the code, and that a C program can use the library.

// The settings for tests in clippy.toml do not reach helpers outside of #[test] functions.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap())
}

#[test]
fn the_header_is_that_of_the_code() {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).unwrap();
    let sources = ["session.rs", "exports.rs"].map(|name| folder().join("src").join(name));
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in sources {
        builder = builder.with_src(source);
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    let header = String::from_utf8(header).unwrap();
    let path = folder().join("include/trommel.h");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &header).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap();
    assert!(
        written == header,
        "include/trommel.h is not that of the code: write it with BLESS=1 cargo test -p trommel-ffi"
    );
}

/// Returns the path of the static library that was built with these tests; `None` if it does not exist.
fn library() -> Option<PathBuf> {
    let test = std::env::current_exe().unwrap();
    let deps = test.parent()?;
    let built = [deps.join("libtrommel_ffi.a"), deps.parent()?.join("libtrommel_ffi.a")];
    built.into_iter().find(|path| path.exists())
}

fn compiled(folder_: &Path) -> Option<PathBuf> {
    let Some(library) = library() else {
        println!("skipped: the static library is not there");
        return None;
    };
    let program = folder_.join("session");
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror"])
        .arg(format!("-I{}", folder().join("include").display()))
        .arg(folder().join("examples/session.c"))
        .arg(library)
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program)
        .output();
    match compiled {
        Ok(Output { status, stderr, .. }) => {
            assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
            Some(program)
        }
        Err(error) => {
            println!("skipped: cc: {error}");
            None
        }
    }
}

#[test]
fn a_program_in_c_feeds_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let Some(program) = compiled(at) else { return };
    let run = |page: &str| {
        fs::write(at.join("page.html"), page).unwrap();
        let output = Command::new(&program).arg(at.join("page.html")).arg("https://example.org/a/").output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let paragraph = "The mill stands by the river, and its wheel has turned there for years. ";
    let text = paragraph.repeat(40);
    let page = format!(
        "<html lang=en><title>Mill</title><nav><a href=/>Home</a></nav><article><p>{text}\
         <a href=b>the wheel</a>.</p></article><footer>Copyright. All rights reserved.</footer>"
    );
    let (code, out, err) = run(&page);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(out, format!("{text}the wheel.\n"));
    assert!(err.contains("\"url\":\"https://example.org/a/b\""), "{err}");
    // A page so long that it is told before its end.
    let long = page.replace("lang=en", "lang=pl") + &paragraph.repeat(3000);
    let (code, out, err) = run(&long);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    // TROMMEL_VERDICT_LANGUAGE
    assert_eq!(err, "stopped: 4\n");
}
