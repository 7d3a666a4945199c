#!/bin/sh
# Installs the missing packages that yoke, its tests and its demo need to build. Does and prints nothing if none is missing.
#
#     ./bootstrap.sh            with apt on Debian and Ubuntu (with sudo if not root); on other systems prints what to install
#     ./bootstrap.sh --install  only what the library and the command need
#     ./bootstrap.sh --demo     also what the demo needs: pictures, and PoCL
#     ./bootstrap.sh --docs     what the library and the command need, and what writes the reference
#     ./bootstrap.sh --ci       all of that, and what .ci/run needs
#     ./bootstrap.sh --list     only prints the packages
#
# Never removes a package. Asks no question without a terminal. May be sourced: everything runs in a subshell.

# shellcheck disable=SC2086 # lists of packages are words, and meant to be split
(
one_line()
{
    echo "$*"
}

complain()
{
    for line in "$@"; do
        echo "bootstrap: $line" >&2
    done
}

# Those of $packages that are not installed. Any OpenCL loader will do: another one (a GPU vendor's) would have to go for Debian's.
missing_packages()
{
    present=" $(dpkg-query -W -f '${Package}:${db:Status-Status} ' $packages 2>/dev/null || true)"
    lacking=
    for package in $packages; do
        case $present in
        *" $package:installed "*) continue ;;
        esac
        if [ "$package" = ocl-icd-libopencl1 ] && /sbin/ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1'; then
            continue
        fi
        lacking="$lacking $package"
    done
    one_line $lacking
}

# Where there is no apt: commands, pkg-config modules and headers that are not found.
missing_elsewhere()
{
    lacking=
    for name in cc cmake make pkg-config; do
        command -v "$name" >/dev/null || lacking="$lacking $name"
    done
    # shellcheck disable=SC2154 # set below
    for module in $modules; do
        pkg-config --exists "$module" 2>/dev/null || lacking="$lacking $module"
    done
    for header in CL/cl.h nifti/nifti1_io.h; do
        echo "#include <$header>" | cc -E -x c - >/dev/null 2>&1 || lacking="$lacking $header"
    done
    one_line $lacking
}

# apt as root, or through sudo, which may ask for a password only if there is a terminal.
as_root()
{
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif [ -t 0 ]; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# Of what apt-get update said.
why_not()
{
    case $1 in
    *"Could not resolve"* | *"Temporary failure"* | *"Could not connect"* | *"Cannot initiate"* | *"Connection timed out"*)
        one_line "This machine is offline, or its package mirror is. Without network: install the packages by hand."
        ;;
    *) one_line "On Ubuntu see that universe is on (add-apt-repository universe); apt's own words are above." ;;
    esac
}

install_packages()
{
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        complain "missing: $*" "This needs root, and there is no sudo. As root: apt-get install $*"
        return 1
    fi
    echo "bootstrap: installing $*"
    if [ "$(id -u)" != 0 ] && ! [ -t 0 ] && ! sudo -n true 2>/dev/null; then
        complain "missing: $*" "This user has no sudo rights without a password here. As root: apt-get install $*"
        return 1
    fi
    said=$(as_root apt-get update -qq 2>&1) || complain "apt-get update failed; going on with the lists there are"
    if ! as_root apt-get install -y -qq --no-install-recommends --no-remove -o DPkg::Lock::Timeout=300 "$@"; then
        complain "apt could not install all of: $*" "$(why_not "$said")"
        return 1
    fi
    missing=$(missing_packages)
    if [ -n "$missing" ]; then
        complain "still missing after installing: $missing"
        return 1
    fi
}

modules="hwloc sqlite3 libpng libcjson zlib"
install="gcc libc6-dev cmake make pkg-config libhwloc-dev libsqlite3-dev libpng-dev libnifti-dev libcjson-dev zlib1g-dev
opencl-headers"
demo="$install pocl-opencl-icd ocl-icd-libopencl1 mricron-data glmark2-data"
packages="$demo libcmocka-dev libopenblas-dev"
ci_packages="g++ git ninja-build clang lld libclang-rt-14-dev clang-format-14 valgrind spin gnuplot-nox libembree-dev libmetis-doc
clang-19 gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static doxygen"
case ${1-} in
"") modules="$modules cmocka openblas" ;;
--install) packages=$install ;;
--demo) packages=$demo ;;
--docs) packages="$install doxygen" ;;
--ci) packages="$packages $ci_packages" ;;
--list)
    for package in $packages; do
        echo "$package"
    done
    exit 0
    ;;
*)
    echo "usage: ./bootstrap.sh [--install | --demo | --docs | --ci | --list]" >&2
    exit 2
    ;;
esac

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    missing=$(missing_packages)
else
    missing=$(missing_elsewhere)
fi
if [ -z "$missing" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    complain "this is no Debian or Ubuntu, and it lacks: $missing" \
        "Install what provides them; Debian's names for all that is needed: $(one_line $packages)"
    exit 1
fi
install_packages $missing
)
