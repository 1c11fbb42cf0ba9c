#!/bin/sh
# Runs every fuzz target, or those named, for TIME seconds each (default 60) with the seeds in fuzz/seeds;
# prints executions a target. Findings go to fuzz/artifacts.
#
# libFuzzer on the stable compiler: the coverage pass (sancov) is part of LLVM and its flags are stable,
# only the address sanitizer would need nightly. What is unsafe here are calls of libdeflate, of the
# allocator and from C and Python: panics, overflows and failed assertions are what these targets look for.
set -eu
cd "$(dirname "$0")/../fuzz"
TIME=${TIME:-60}
host=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}"
# Cargo gives flags to build scripts too unless a target is named.
export RUSTFLAGS="--cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
targets=${*:-archive http charset html model wacz state}
set --
for target in $targets; do set -- "$@" --bin "$target"; done
cargo build --quiet --release --locked --target "$host" "$@"
failed=0
for target in $targets; do
    case $target in html) length=600 ;; charset) length=400 ;; *) length=4096 ;; esac
    mkdir -p "corpus/$target" "artifacts/$target"
    log="artifacts/$target.log"
    "$CARGO_TARGET_DIR/$host/release/$target" "corpus/$target" "seeds/$target" \
        -max_total_time="$TIME" -max_len="$length" -timeout=20 -rss_limit_mb=1024 \
        -artifact_prefix="artifacts/$target/" -print_final_stats=1 >"$log" 2>&1 || failed=1
    awk -v target="$target" '/number_of_executed_units/ { runs = $2 } / cov: / { cov = $4 }
        /SUMMARY/ { found = found "  " $0 }
        END { printf "%-8s %12d executions, %d edges%s\n", target, runs, cov, found }' "$log"
done
exit $failed
