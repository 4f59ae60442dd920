"""Run the command line as `python -m thresher`."""

import os
import sys

if __name__ == "__main__":
    # `python -m` lets modules of the working folder hide installed ones, and data may come with a numpy.py.
    sys.path[:] = [place for place in sys.path if place not in ("", os.getcwd())]  # noqa: PTH109
    from thresher.cli.main import main

    sys.exit(main())
