"""Run the command line as `python -m thresher`."""

import sys

if __name__ == "__main__":
    from thresher.cli.main import main

    sys.exit(main())
