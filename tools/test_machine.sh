#!/bin/sh
# Installs what the tests need beyond Python and Node: a browser with Chinese glyphs and PostgreSQL.
# Called by `make test`. Only root on Debian or Ubuntu installs; for everybody else it says what is missing.
set -eu

missing=""
command -v chromium >/dev/null || missing="$missing chromium"
fc-list :lang=zh 2>/dev/null | grep -q . || missing="$missing fonts-noto-cjk"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
# The same browser without windows, which tests take where it is there: they end sooner.
faster=""
command -v chromium-headless-shell >/dev/null || faster="chromium-headless-shell"
[ -n "$missing$faster" ] || exit 0

say() {
    [ -z "$missing" ] || echo "Some tests will be skipped, for these Debian packages are missing:$missing." \
        "To run them all: sudo apt-get install$missing" >&2
}

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    say
    exit 0
fi

# Debian starts a server as soon as it is installed, unless this script says no. The tests start their own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
fi

export DEBIAN_FRONTEND=noninteractive
echo "Installing$missing${faster:+ $faster} …"
# Nothing waits long for what the tests can do without, and some distributions do not have it.
patience=${missing:+0}
[ -n "$missing" ] || exec 2>/dev/null
{
    if timeout "${patience:-60}" apt-get update -qq; then
        # shellcheck disable=SC2086 # the list is meant to be split
        [ -z "$missing" ] || apt-get install -y -qq --no-install-recommends $missing || say
        [ -z "$faster" ] || timeout 120 apt-get install -y -qq --no-install-recommends "$faster" 2>&1 || true
    else
        say
    fi
} >/dev/null
