"""The version of the package, told once: the build, the command line, runs and reports read it here."""

__version__ = "0.1.0"
