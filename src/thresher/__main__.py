"""Run the command line as `python -m thresher`."""

import sys

from thresher.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
