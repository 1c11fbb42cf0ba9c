//! Entry point of the trommel program.

mod allocator;

fn main() -> std::process::ExitCode {
    allocator::begin(std::env::args_os().any(|argument| argument == "serve"));
    trommel_cli::main(std::env::args_os()).code().into()
}
