#!/usr/bin/env bash
# Prints the Homebrew formula of a release: scripts/homebrew-formula.sh VERSION SHA256SUMS
# SHA256SUMS has a line "SUM  trommel-VERSION-TARGET.tar.gz" for each archive.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,3s/^# //p' "$0"; exit 2; }
version=$1 sums=$2
repository=$(sed -n 's/^repository = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml")
# The lines for one system; fails if it has no sum.
archive() {
    local file=trommel-$version-$1.tar.gz sum
    sum=$(awk -v file="$file" '$2 == file { print $1 }' "$sums")
    [ -n "$sum" ] || { echo "homebrew-formula: $sums has no line for $file" >&2; exit 1; }
    printf '      url "%s/releases/download/v%s/%s"\n      sha256 "%s"\n' "$repository" "$version" "$file" "$sum"
}
mac_arm=$(archive aarch64-apple-darwin)
mac_intel=$(archive x86_64-apple-darwin)
linux_arm=$(archive aarch64-unknown-linux-gnu)
linux_intel=$(archive x86_64-unknown-linux-gnu)
cat <<FORMULA
class Trommel < Formula
  desc "Extract the main text from web archives"
  homepage "$repository"
  version "$version"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
$mac_arm
    end
    on_intel do
$mac_intel
    end
  end

  on_linux do
    on_arm do
$linux_arm
    end
    on_intel do
$linux_intel
    end
  end

  def install
    bin.install "trommel"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/trommel.bash" => "trommel"
    zsh_completion.install "completions/trommel.zsh" => "_trommel"
    fish_completion.install "completions/trommel.fish"
  end

  test do
    (testpath/"page.html").write "<p>The mill by the river has turned for two hundred years.</p>"
    assert_match "mill", shell_output("#{bin}/trommel extract #{testpath}/page.html")
  end
end
FORMULA
