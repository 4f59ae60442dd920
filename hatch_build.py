"""Compile the native kernels into the wheel; without a C++ compiler the wheel is pure and numpy is used.

THRESHER_NATIVE=0 compiles nothing, =1 makes a missing or failing compiler an error; unset: compile if
possible. `python hatch_build.py` compiles into `src` (as an editable installation does), and `python
hatch_build.py --sanitize FILE` a library that checks addresses and undefined behaviour.
"""

import argparse
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a script, in an environment that builds no packages
    BuildHookInterface = object

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "src" / "thresher" / "native"
COMPILED = ROOT / "build" / "compiled"
"""Libraries by a hash of what they depend on: an editable installation for each group of packages, and the
wheel, compile the same sources, which takes 23 processor seconds."""
_MOST_KEPT = 4
# It is loaded by ctypes: without the suffix of an extension module it fits every version of Python.
LIBRARY = "_kernels.dll" if sys.platform == "win32" else "_kernels.so"
# Contracted multiply-adds round once instead of twice, which would change last bits.
FLAGS = [
    "-std=c++20",
    "-ffp-contract=off",
    "-fPIC",
    "-fvisibility=hidden",
    "-pthread",
    "-Wall",
    "-Wextra",
]
FAST = ("-O3", "-DNDEBUG")
CHECKS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-D_GLIBCXX_ASSERTIONS")
SANITIZED = ("-O1", "-g", *CHECKS)
WINDOWS_FLAGS = ["/O2", "/std:c++20", "/EHsc", "/fp:precise", "/utf-8"]
COMPILERS = ("c++", "g++", "clang++")


class NativeKernels(BuildHookInterface):
    """Add the library to the wheel, and give the wheel the tag of its platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless this is a source distribution or THRESHER_NATIVE=0."""
        demand = os.environ.get("THRESHER_NATIVE", "")
        if self.target_name != "wheel" or demand == "0":
            return
        editable = version == "editable"  # then the package is read from src
        library = (PACKAGE if editable else ROOT / "build") / LIBRARY
        try:
            compile_library(library, FAST)
        except (OSError, RuntimeError) as error:
            library.unlink(missing_ok=True)
            if demand == "1":
                raise
            self.app.display_warning(f"thresher: native kernels not built ({error}); numpy will be used")
            return
        if not editable:
            build_data["force_include"][str(library)] = f"thresher/native/{LIBRARY}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag()}"


def compile_library(library: Path, options: tuple[str, ...]) -> None:
    """Compile all sources into one library.

    Raises:
        RuntimeError: without a compiler, and if it fails.
    """
    library.parent.mkdir(parents=True, exist_ok=True)
    sources = [str(path) for path in sorted((PACKAGE / "cpp").glob("*.cpp"))]
    if sys.platform == "win32":
        _compile_on_windows(library, sources)
        return
    names = [os.environ["CXX"]] if os.environ.get("CXX") else COMPILERS
    compiler = next((path for name in names if (path := shutil.which(name))), None)
    if compiler is None:
        raise RuntimeError(f"no C++ compiler: {', '.join(names)}")
    linking = ["-shared"]
    if "-g" not in options and sys.platform != "darwin":
        linking += ["-s", "-Wl,--build-id=none"]  # no symbols; the same file for the same sources
    number = f"-DTHRESHER_ABI={interface_number()}u"
    processors = os.environ.get("ARCHFLAGS", "").split()  # macOS
    flags = [compiler, *FLAGS, *options, *processors]
    kept = COMPILED / f"{_key([*flags, *linking], sources)}.so"
    # A library that a process has loaded must not change under it: a new file replaces it.
    fresh = library.with_name(f".{library.name}.{os.getpid()}")
    if kept.is_file():
        shutil.copyfile(kept, fresh)
        fresh.replace(library)
        return
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as threads:
        objects = [str(Path(folder, f"{Path(source).stem}.o")) for source in sources]
        compiling = [
            [*flags, number, "-c", source, "-o", written]
            for source, written in zip(sources, objects, strict=True)
        ]
        try:
            list(threads.map(_run, compiling))
            _run([*flags, *linking, *objects, "-o", str(fresh)])
        except RuntimeError:
            fresh.unlink(missing_ok=True)
            raise
    _keep(fresh, kept)
    fresh.replace(library)


def _key(command: list[str], sources: list[str]) -> str:
    """Return a hash of all that the library depends on: the compiler and its version, options and sources."""
    version = subprocess.run([command[0], "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    digest = hashlib.sha256(repr((command, version.stdout)).encode())
    for path in [*map(Path, sources), *sorted((PACKAGE / "cpp").glob("*.h"))]:
        digest.update(repr((path.name, path.read_bytes())).encode())
    return digest.hexdigest()[:32]


def _keep(library: Path, kept: Path) -> None:
    """Keep a compiled library for the next installation or wheel, and the last few of other sources."""
    COMPILED.mkdir(parents=True, exist_ok=True)
    copy = kept.with_suffix(f".{os.getpid()}")
    shutil.copyfile(library, copy)
    copy.replace(kept)
    for old in sorted(COMPILED.glob("*.so"), key=_changed)[:-_MOST_KEPT]:
        old.unlink(missing_ok=True)


def _changed(path: Path) -> float:
    """Return when a file was changed; one that another process has deleted meanwhile counts as new."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # the user's compiler
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()}")


def interface_number() -> int:
    """Return the checksum of the C++ sources; `thresher.native.library` computes it in the same way."""
    number = 0
    for path in sorted([*(PACKAGE / "cpp").glob("*.cpp"), *(PACKAGE / "cpp").glob("*.h")]):
        number = zlib.crc32(path.read_bytes().replace(b"\r\n", b"\n"), number)
    return number


def platform_tag() -> str:
    """Return the platform of the wheel's tag, e.g. linux_x86_64 (auditwheel makes manylinux of it)."""
    if sys.platform != "darwin":
        return sysconfig.get_platform().replace("-", "_").replace(".", "_")
    processors = [word for word in os.environ.get("ARCHFLAGS", "").split() if word != "-arch"]
    processor = "universal2" if len(processors) > 1 else (processors or [platform.machine()])[0]
    oldest = os.environ.get("MACOSX_DEPLOYMENT_TARGET") or "11.0"
    return f"macosx_{oldest.replace('.', '_')}_{processor}"


def _compile_on_windows(library: Path, sources: list[str]) -> None:
    from setuptools._distutils.ccompiler import new_compiler  # knows where Visual Studio is

    compiler = new_compiler()
    macros = [("THRESHER_ABI", f"{interface_number()}u"), ("NDEBUG", None)]
    try:
        objects = compiler.compile(
            sources, output_dir=str(ROOT / "build"), macros=macros, extra_preargs=WINDOWS_FLAGS
        )
        compiler.link_shared_object(objects, str(library))
    except Exception as error:  # setuptools has a class of its own for each step
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def main() -> int:
    """Compile from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sanitize", type=Path, metavar="FILE", help="a library with checks")
    chosen = parser.parse_args()
    library, options = (chosen.sanitize, SANITIZED) if chosen.sanitize else (PACKAGE / LIBRARY, FAST)
    try:
        compile_library(library, options)
    except RuntimeError as error:
        print(f"native kernels not built: {error}", file=sys.stderr)  # noqa: T201  # the command line
        return 1 if chosen.sanitize or os.environ.get("THRESHER_NATIVE") == "1" else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
