#!/usr/bin/env bash
# Builds and tests what servers written in Java have of cairn: game/provider/test.sh
# It needs Go, Maven, and a JDK: from 25 on for Minestom, from 21 on for Paper. Without them it says so and passes.
set -euo pipefail
cd "$(dirname "$0")"

version() { "$1/bin/javac" -version 2>/dev/null | sed -n 's/^javac \([0-9]*\).*/\1/p'; }

command -v mvn >/dev/null || { echo "game/provider: skipped, there is no mvn"; exit 0; }
jdk='' newest=0
for home in "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/java/* /opt/jdk*; do
	[[ -x $home/bin/javac ]] || continue
	v=$(version "$home")
	if ((${v:-0} > newest)); then jdk=$home newest=$v; fi
done
((newest >= 21)) || { echo "game/provider: skipped, there is no JDK from 21 on"; exit 0; }
only=()
if ((newest < 25)); then
	echo "game/provider: minestom is skipped, the JDK is $newest and it needs 25"
	only=(-pl paper)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd ../.. && go build -o "$work/cairn" ./cmd/cairn)
JAVA_HOME=$jdk mvn -B -q --no-transfer-progress "${only[@]}" -Dcairn="$work/cairn" clean verify
echo "game/provider: passed; the plugin of Paper itself is not built, see paper/README.md"
