"""`python -m thresher.cli`: the command line without its script."""

import sys

from thresher.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
