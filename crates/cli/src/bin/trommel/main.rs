//! The trommel program.

mod allocator;

fn main() -> std::process::ExitCode {
    allocator::begin();
    trommel_cli::main(std::env::args_os()).into()
}
