"""The version of the package: the build, the command line, runs and reports all read it here."""

__version__ = "0.1.0"
