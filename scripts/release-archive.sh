#!/usr/bin/env bash
# Packs a built program for people: scripts/release-archive.sh PROGRAM TARGET [FOLDER]
# makes FOLDER/trommel-VERSION-TARGET.tar.gz (.zip for Windows) with the program, completions, manual pages, the
# licences and the README, and beside it a file with its SHA-256 sum. FOLDER is out/release if absent.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
program=$(realpath "$1")
target=$2
mkdir -p "${3:-out/release}"
folder=$(realpath "${3:-out/release}")
cd "$(dirname "$0")/.."

version=$("$program" --version | sed -n '1s/^trommel \([^ ]*\).*/\1/p')
name=trommel-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/completions"
case $target in *windows*) file=trommel.exe ;; *) file=trommel ;; esac
cp "$program" "$work/$name/$file"
cp README.md LICENSE-MIT LICENSE-APACHE NOTICE.md "$work/$name/"
"$program" generate man "$work/$name/man"
for shell in bash zsh fish powershell elvish; do
    "$program" generate completions "$shell" > "$work/$name/completions/trommel.$shell"
done

# The same files give the same archive: names in order, no owner, the time of the commit.
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
case $target in
*windows*)
    archive=$name.zip
    rm -f "$folder/$archive"
    (cd "$work" && python3 -m zipfile -c "$folder/$archive" "$name")
    ;;
*)
    archive=$name.tar.gz
    tar --version 2>/dev/null | grep -q GNU && same=(--sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time") || same=()
    tar -C "$work" ${same[@]+"${same[@]}"} -cf - "$name" | gzip -9n > "$folder/$archive"
    ;;
esac
cd "$folder"
{ sha256sum "$archive" 2>/dev/null || shasum -a 256 "$archive"; } > "$archive.sha256"
cat "$archive.sha256"
